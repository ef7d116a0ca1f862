// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! `range_type` in code and over objects. Ids in comments are rules of `range-type`.

use crate::support::*;
use syclrtc_protocol::Built;

const HEAD: &str = "#define RANGE(T) SYCL_EXT_ONEAPI_FUNCTION_PROPERTY(syclexp::range_type<T>)\n\
                    #define ND(n) SYCL_EXT_ONEAPI_FUNCTION_PROPERTY(syclexp::nd_range_kernel<n>)\n\
                    using namespace sycl::ext::oneapi;\n";

/// Lines of user text start at 7.
fn text(text: &str) -> String {
    with_head(&format!("{HEAD}{text}"))
}

fn object(source: &str) -> Built {
    shared().built(&object_of(&text(source)))
}

/// The calls of id queries in a function.
fn queries<'a>(ir: &'a str, kernel: &str) -> Vec<&'a str> {
    function(ir, kernel).lines().filter(|line| line.contains("__spirv_BuiltIn")).collect()
}

/// The attributes of calls stand in groups; `range` stands at the result.
fn bounds(ir: &str, kernel: &str) -> Vec<String> {
    let bound = |line: &str| {
        let start = line.find("range(").map_or(line.len(), |at| at);
        line[start..].split_inclusive(')').next().unwrap_or_default().to_owned()
    };
    queries(ir, kernel).into_iter().map(bound).collect()
}

const TWO_LIMITS: &str = "__attribute__((noinline)) size_t helper() { return this_work_item::get_nd_item<1>().get_global_id(0); }\n\
                          extern \"C\" RANGE(int) ND(1) void a(float *p) { p[helper()] = 1; }\n\
                          extern \"C\" RANGE(short) ND(1) void b(float *p) { p[helper()] = 2; }\n\
                          extern \"C\" ND(1) void c(float *p) { p[helper()] = 3; }\n";

/// T10, C2, C3: the bound is on the query in a decorated kernel and not in an undecorated one of the same source, also where
/// they share helpers.
#[test]
fn bounds_are_on_the_queries_of_decorated_kernels() {
    let inline = TWO_LIMITS.replace("__attribute__((noinline)) ", "");
    let built = shared().built(&request(&text(&inline)));
    validate(&built.code);
    let ir = shared().text(&built.final_ir);
    assert_eq!(bounds(&ir, "__sycl_kernel_a"), ["range(i64 0, 2147483647)"]);
    assert_eq!(bounds(&ir, "__sycl_kernel_b"), ["range(i64 0, 32767)"]);
    assert_eq!(bounds(&ir, "__sycl_kernel_c"), [""]);
}

/// C2, T6: a helper that is not inlined exists once for each limit.
#[test]
fn helpers_are_copied_for_each_limit() {
    for option in ["-O2", "-O0", "-g"] {
        let built = shared().built(&with_options(&text(TWO_LIMITS), &[option]));
        validate(&built.code);
        assert_eq!(built.table.kernels.len(), 3);
        let ir = shared().text(&built.final_ir);
        let copies = ir.lines().filter(|line| line.starts_with("define") && line.contains("helper")).count();
        assert_eq!(copies, 3, "{ir}");
    }
}

/// C3 and the table of section 5: ids are less than the limit, ranges at most the limit; nothing is said of other queries.
#[test]
fn bounds_of_each_query() {
    let built = shared().built(&request(&text(
        "extern \"C\" RANGE(int) ND(1) void k(size_t *p) {\n  auto it = this_work_item::get_nd_item<1>();\n\
         p[0] = it.get_global_id(0); p[1] = it.get_local_id(0); p[2] = it.get_group(0); p[3] = it.get_global_range(0);\n\
         p[4] = it.get_local_range(0); p[5] = it.get_group_range(0); p[6] = it.get_sub_group().get_local_linear_id(); }\n",
    )));
    validate(&built.code);
    let ir = shared().text(&built.final_ir);
    let (id, range) = ("range(i64 0, 2147483647)", "range(i64 0, 2147483648)");
    for (query, bound) in [
        ("GlobalInvocationId", id),
        ("LocalInvocationId", id),
        ("WorkgroupId", id),
        ("GlobalSize", range),
        ("WorkgroupSize", range),
        ("NumWorkgroups", range),
        ("SubgroupLocalInvocationId", ""),
    ] {
        let line = queries(&ir, "__sycl_kernel_k").into_iter().find(|line| line.contains(&format!("BuiltIn{query}")));
        let line = line.unwrap_or_else(|| panic!("no {query} in {ir}"));
        assert_eq!(line.contains("range("), !bound.is_empty(), "{line}");
        assert!(line.contains(bound), "{line}");
    }
}

/// C5, C6: what follows from the bounds, the optimiser uses.
#[test]
fn the_optimiser_uses_the_bounds() {
    let source = |decoration: &str| {
        text(&format!(
            "extern \"C\" {decoration} ND(1) void k(int *p) {{ size_t i = this_work_item::get_nd_item<1>().get_global_id(0);\n\
             p[0] = i > 0x7fffffffu; p[1] = i >= 127; }}\n"
        ))
    };
    let compares = |decoration: &str| {
        let built = shared().built(&request(&source(decoration)));
        function(&shared().text(&built.final_ir), "__sycl_kernel_k").matches("icmp").count()
    };
    assert_eq!(compares(""), 2);
    assert_eq!(compares("RANGE(int)"), 1);
    assert_eq!(compares("RANGE(signed char)"), 0);
}

/// C4: without a limit that says something, the code is that of an undecorated source.
#[test]
fn the_limit_of_size_t_says_nothing() {
    let with = |decoration: &str| {
        let source = format!(
            "extern \"C\" {decoration} ND(1) void k(size_t *p) {{ *p = this_work_item::get_nd_item<1>().get_global_id(0); }}\n"
        );
        shared().built(&request(&text(&source))).code
    };
    assert_eq!(with("RANGE(size_t)"), with(""));
    assert_ne!(with("RANGE(size_t)"), []);
}

/// F4, F6, F7, F8: chains through helpers that say nothing.
#[test]
fn chains_that_a_limit_forbids() {
    for (source, words) in [
        (
            "RANGE(int) void leaf(int *p) { *p = 1; }\nvoid middle(int *p) { leaf(p); }\nvoid top(int *p) { middle(p); }\n\
             extern \"C\" ND(1) void k(int *p) { top(p); }\n",
            &[
                "kernel 'k' with no range_type cannot call 'leaf(int*)' with range_type<int>",
                "kernel 'k' calls 'top(int*)' calls 'middle(int*)' calls 'leaf(int*)'",
            ][..],
        ),
        (
            "RANGE(short) void leaf(int *p) { *p = 1; }\nvoid middle(int *p) { leaf(p); }\n\
             extern \"C\" RANGE(int) ND(1) void k(int *p) { middle(p); }\n",
            &["kernel 'k' with range_type<int> cannot call 'leaf(int*)' with range_type<short>"],
        ),
        (
            "RANGE(int) void leaf(int *p) { *p = 1; }\nvoid middle(int *p) { leaf(p); }\n\
             RANGE(long) void wide(int *p) { middle(p); }\nextern \"C\" RANGE(int) ND(1) void k(int *p) { wide(p); }\n",
            &["'wide(int*)' with range_type<long> cannot call 'leaf(int*)' with range_type<int>"],
        ),
        (
            "SYCL_EXTERNAL void f(int *);\nvoid middle(int *p) { f(p); }\n\
             extern \"C\" RANGE(int) ND(1) void k(int *p) { middle(p); }\n",
            &[
                "kernel 'k' with range_type<int> reaches 'f(int*)', which is defined elsewhere and is declared with no range_type",
            ],
        ),
    ] {
        for log in [
            shared().failed(&object_of(&text(source))),
            shared().failed(&request(&text(source))),
            shared().failed(&with_options(&text(source), &["-O0"])),
        ] {
            for words in words {
                assert!(log.contains(words), "{source}: {log}");
            }
        }
    }
    // With debug information, the place is known.
    let source = "RANGE(int) void leaf(int *p) { *p = 1; }\nvoid middle(int *p) { leaf(p); }\n\
                  extern \"C\" ND(1) void k(int *p) { middle(p); }\n";
    let log = shared().failed(&with_options(&text(source), &["-g"]));
    assert!(log.contains("rtc_0.cpp:8:23: error: kernel 'k'") && log.contains("rtc_0.cpp:9:35: note: "), "{log}");
    // Legal: each limit is at least that of its callers.
    let built = shared().built(&request(&text(
        "RANGE(long) void leaf(int *p) { *p = 1; }\nvoid middle(int *p) { leaf(p); }\nRANGE(int) void narrow(int *p) { middle(p); }\n\
         extern \"C\" RANGE(int) ND(1) void k(int *p) { middle(p); narrow(p); }\n",
    )));
    assert_eq!(built.table.kernels.len(), 1);
}

/// T7, with F3, F5, F6, F8, F9: limit of the kernel, of the declaration that it sees, and of the definition.
#[test]
fn limits_over_objects() {
    let decorations = [None, Some("short"), Some("int"), Some("size_t")];
    let spell = |decoration: Option<&str>| decoration.map_or(String::new(), |ty| format!("RANGE({ty})"));
    let limit = |decoration: Option<&str>| match decoration {
        Some("short") => 32767,
        Some("int") => 0x7fff_ffff,
        _ => u64::MAX,
    };
    let definitions =
        decorations.map(|defined| object(&format!("{} SYCL_EXTERNAL void f(int *p) {{ *p = 1; }}\n", spell(defined))));
    let mut allowed = 0;
    for caller in decorations {
        for declared in decorations {
            let source = text(&format!(
                "{} SYCL_EXTERNAL void f(int *);\nextern \"C\" {} ND(1) void k(int *p) {{ f(p); }}\n",
                spell(declared),
                spell(caller)
            ));
            // F5, F6, F8: seen in one source.
            let legal = limit(caller) <= limit(declared) && (caller.is_none() || declared.is_some());
            if !legal {
                shared().failed(&object_of(&source));
                continue;
            }
            let importer = shared().built(&object_of(&source));
            for (defined, exporter) in decorations.into_iter().zip(&definitions) {
                // F9: they say the same; to say nothing is the limit of size_t, except for a definition of which more was said.
                let agree = declared == defined || (declared.is_none() && defined == Some("size_t"));
                for objects in [[&importer, exporter], [exporter, &importer]] {
                    if agree {
                        assert_eq!(shared().linked(&objects).table.kernels.len(), 1);
                        allowed += 1;
                    } else {
                        let log = shared().link_failed(&objects);
                        let says = |of: Option<&str>| match of {
                            None => "no range_type".to_owned(),
                            Some("size_t") => "range_type<unsigned long>".to_owned(),
                            Some(ty) => format!("range_type<{ty}>"),
                        };
                        let words = format!("'f(int*)' (_Z1fPi) is declared with {} in bundle ", says(declared));
                        assert!(
                            log.contains(&words) && log.contains(&format!("defined with {} in bundle ", says(defined))),
                            "{log}"
                        );
                        assert!(log.contains("bundle 0 (rtc_0.cpp)") && log.contains("bundle 1 (rtc_1.cpp)"), "{log}");
                    }
                }
            }
        }
    }
    // Callers: none sees none (and two definitions) or size_t; short sees three; int sees two; size_t sees one.
    assert_eq!(allowed, 2 * (2 + 1 + 3 + 2 + 1));
}

/// F5, F6: found only when the objects meet, through a helper of another object.
#[test]
fn chains_over_objects() {
    let kernel =
        object("RANGE(int) SYCL_EXTERNAL void f(int *);\nextern \"C\" RANGE(int) ND(1) void k(int *p) { f(p); }\n");
    let middle = object("SYCL_EXTERNAL void g(int *);\nRANGE(int) SYCL_EXTERNAL void f(int *p) { g(p); }\n");
    let leaf = object("SYCL_EXTERNAL void g(int *p) { *p = 1; }\n");
    let log = shared().link_failed(&[&kernel, &middle, &leaf]);
    assert!(log.contains("kernel 'k' with range_type<int> reaches 'g(int*)'"), "{log}");
    assert!(log.contains("'f(int*)' calls 'g(int*)' (in bundle 0 (rtc_0.cpp))"), "{log}");

    let kernel = object("SYCL_EXTERNAL void f(int *);\nextern \"C\" ND(1) void k(int *p) { f(p); }\n");
    let middle = object(
        "RANGE(int) void g(int *p) { *p = 1; }\nvoid h(int *p) { g(p); }\nSYCL_EXTERNAL void f(int *p) { h(p); }\n",
    );
    let log = shared().link_failed(&[&kernel, &middle]);
    assert!(log.contains("kernel 'k' with no range_type cannot call 'g(int*)' with range_type<int>"), "{log}");
}
