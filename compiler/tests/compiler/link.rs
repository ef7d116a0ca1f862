// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Objects, and images linked of them. Ids in comments are rules of `names-and-linking`.

use crate::support::*;
use syclrtc_protocol::{Built, Compile, Export, Import, Output, Reply, SymbolKind, Table};

/// Lines of user text start at 5.
const HEAD: &str = "#include <sycl/sycl.hpp>\nnamespace syclexp = sycl::ext::oneapi::experimental;\n\
                    #define SINGLE SYCL_EXT_ONEAPI_FUNCTION_PROPERTY(syclexp::single_task_kernel)\n\
                    #define KERNEL extern \"C\" SINGLE void\n";

fn source(text: &str) -> Compile {
    Compile { output: Output::Object, ..request(&format!("{HEAD}{text}")) }
}

fn raw_names(table: &Table) -> Vec<&str> {
    table.kernels.iter().map(|kernel| kernel.raw_name.as_str()).collect()
}

/// B3: a linked object is the image that the source builds to.
#[test]
fn one_object_links_to_what_its_source_builds_to() {
    let compiler = shared();
    let text = "static int twice(int x) { return 2 * x; }\nKERNEL k(int *p) { *p = twice(*p); }\n\
                template <class T> SINGLE void t(T *p) { *p = T(twice(3)); }\n";
    let object = Compile { registered_names: vec!["t<float>".into()], ..source(text) };
    let image = compiler.built(&Compile { output: Output::Image(target()), ..object.clone() });
    let object = compiler.built(&object);
    assert!(object.final_ir.is_empty() && !object.code.is_empty());
    let linked = compiler.linked(&[&object]);
    assert_eq!(linked.table, image.table);
    assert_eq!(linked.code, image.code);
    validate(&linked.code);
    assert_eq!(linked.table.registered_names, [("t<float>".to_owned(), "_Z15__sycl_kernel_tIfEvPT_".to_owned())]);
}

/// C1, C10, C12: kernels of all objects are there; local functions and ones that are not exported use their own.
#[test]
fn objects_that_need_nothing_of_each_other() {
    let compiler = shared();
    let text = |n| {
        format!(
            "static int local() {{ return {n}; }}\nnamespace {{ int hidden() {{ return 10 + {n}; }} }}\n\
             __attribute__((noinline)) int helper() {{ return 20 + {n}; }}\nstatic const int table[] = {{{n}, 2, 3}};\n\
             KERNEL k{n}(int *p) {{ p[0] = local(); p[1] = hidden(); p[2] = helper(); p[3] = table[p[4]]; }}\n"
        )
    };
    let a = compiler.built(&source(&text(1)));
    let b = compiler.built(&source(&text(2)));
    let linked = compiler.linked(&[&a, &b]);
    validate(&linked.code);
    assert_eq!(raw_names(&linked.table), ["__sycl_kernel_k1", "__sycl_kernel_k2"]);
    let ir = compiler.text(&linked.final_ir);
    for n in [1, 2] {
        let body = function(&ir, &format!("__sycl_kernel_k{n}"));
        for value in [n, 10 + n, 20 + n] {
            assert!(body.contains(&format!("store i32 {value},")), "{body}");
        }
    }
    assert!(ir.contains("[3 x i32] [i32 1, i32 2, i32 3]") && ir.contains("[3 x i32] [i32 2, i32 2, i32 3]"), "{ir}");
}

/// C26: what `compile` can find, it reports.
#[test]
fn an_undefined_function_that_is_not_external_is_an_error_of_compile() {
    let compiler = shared();
    let log = compiler.failed(&source("int nowhere(int);\nKERNEL k(int *p) { *p = nowhere(1); }\n"));
    assert!(log.contains("undefined function 'nowhere(int)' (used in"), "{log}");
}

/// D11, D13: what a user may have saved and changed is an error and not a crash.
#[test]
fn damaged_objects_are_refused() {
    let compiler = shared();
    let good = compiler.built(&source("KERNEL k(int *p) { *p = 1; }\n"));
    let length = good.code.len();
    let mut damaged: Vec<Vec<u8>> = vec![Vec::new(), b"text".to_vec(), good.code[..length / 2].to_vec()];
    damaged.push([&good.code[..], b"tail"].concat());
    for at in [0, 4, 8, 12, 16, 20, 24, 28, length / 3, length / 2, length - 1] {
        let mut bytes = good.code.clone();
        bytes[at] ^= 0x10;
        damaged.push(bytes);
    }
    for code in damaged {
        let log = compiler.link_failed(&[&syclrtc_protocol::Built { code, ..good.clone() }]);
        assert!(log.starts_with("error: bundle 0 (rtc_0.cpp): is damaged, or no object of this compiler"), "{log}");
    }
    // D13: the next link is none the worse for it.
    validate(&compiler.linked(&[&good]).code);
}

#[test]
fn an_object_has_to_be_what_its_table_says() {
    let compiler = shared();
    let one = compiler.built(&source("KERNEL one(int *p) { *p = 1; }\n"));
    let two = compiler.built(&source("KERNEL two(int *p) { *p = 1; }\n"));
    let log = compiler.link_failed(&[&syclrtc_protocol::Built { code: two.code, ..one }]);
    assert!(log.contains("bundle 0 (rtc_0.cpp): does not define kernel '__sycl_kernel_one'"), "{log}");
}

/// D6: also where the tables were not looked at.
#[test]
fn a_kernel_of_two_objects_is_an_error() {
    let compiler = shared();
    let object = compiler.built(&source("KERNEL k(int *p) { *p = 1; }\n"));
    let log = compiler.link_failed(&[&object, &object]);
    assert!(log.contains("Conflicting kernel definitions:  __sycl_kernel_k in bundle 0"), "{log}");
}

/// C18: the highest level counts.
#[test]
fn objects_of_different_levels_link_at_the_highest() {
    let compiler = shared();
    let make = |name: &str, options: &[&str]| {
        let text = format!(
            "__attribute__((noinline)) int f(int x) {{ return x; }}\nKERNEL {name}(int *p) {{ *p = f(*p); }}\n"
        );
        let options = options.iter().map(|&option| option.into()).collect();
        compiler.built(&Compile { options, ..source(&text) })
    };
    let slow = make("slow", &["-O0", "-g"]);
    let fast = make("fast", &["-O3"]);
    assert_eq!((slow.table.optimization_level, fast.table.optimization_level), (0, 3));
    for objects in [[&slow, &fast], [&fast, &slow]] {
        let linked = compiler.linked(&objects);
        assert_eq!(linked.table.optimization_level, 3);
        validate(&linked.code);
    }
}

#[test]
fn readable_code_is_of_objects_and_images_and_of_nothing_else() {
    let compiler = shared();
    let object = compiler.built(&source("KERNEL k(int *p) { *p = 1; }\n"));
    let image = compiler.linked(&[&object]);
    for code in [&object.code, &image.final_ir] {
        assert!(compiler.text(code).contains("define"), "{}", compiler.text(code));
    }
    match compiler.ask(&syclrtc_protocol::Request::Disassemble(b"no code".to_vec())) {
        Reply::Failed { log, diagnostics } => {
            assert!(log.starts_with("error: the code is no valid bitcode"), "{log}");
            assert_eq!(diagnostics.len(), 1);
        }
        other => panic!("{other:?}"),
    }
}

/// The bodies of two kernels may not be mixed up: each stores what tells it apart.
fn stores(linked: &Built, kernel: &str, value: i32) {
    let ir = shared().text(&linked.final_ir);
    let body = function(&ir, &format!("__sycl_kernel_{kernel}"));
    assert!(body.contains(&format!("store i32 {value},")), "{kernel} stores {value}: {body}");
}

/// Links in every order and validates the images.
fn in_any_order(objects: &[&Built], check: impl Fn(&Built)) {
    for start in 0..objects.len() {
        for backwards in [false, true] {
            let mut order: Vec<&Built> = objects.to_vec();
            order.rotate_left(start);
            if backwards {
                order.reverse();
            }
            let linked = shared().linked(&order);
            validate(&linked.code);
            assert!(linked.table.exports.is_empty() && linked.table.imports.is_empty());
            check(&linked);
        }
    }
}

fn export(symbol: &str, foldable: bool) -> Export {
    Export { symbol: symbol.into(), kind: SymbolKind::Function, foldable }
}

fn import(symbol: &str) -> Import {
    Import { symbol: symbol.into(), kind: SymbolKind::Function }
}

/// C2, C4, C5, C20: exports and imports are in the tables, and meet in either order; one that is not called is none.
#[test]
fn functions_of_other_objects() {
    let exporter = shared().built(&source("SYCL_EXTERNAL void f(int *p) { *p = 7; }\n"));
    assert_eq!(exporter.table.exports, [export("_Z1fPi", false)]);
    let middle = shared().built(&source("SYCL_EXTERNAL void f(int *);\nSYCL_EXTERNAL void g(int *p) { f(p); }\n"));
    assert_eq!(middle.table.imports, [import("_Z1fPi")]);
    let direct = "SYCL_EXTERNAL void f(int *);\nSYCL_EXTERNAL void unused(int *);\nKERNEL a(int *p) { f(p); }\n";
    let direct = shared().built(&source(direct));
    assert_eq!((direct.table.imports.as_slice(), direct.table.exports.len()), (&[import("_Z1fPi")][..], 0));
    let through = shared().built(&source("SYCL_EXTERNAL void g(int *);\nKERNEL b(int *p) { g(p); }\n"));
    in_any_order(&[&exporter, &middle, &direct, &through], |linked| {
        stores(linked, "a", 7);
        stores(linked, "b", 7);
    });
    // D1 is found on the tables; the program says so as well.
    let log = shared().link_failed(&[&direct, &middle]);
    assert!(log.contains("undefined function 'f(int*)' (used in"), "{log}");
}

/// C3, C22: references both ways, also to each other without end.
#[test]
fn objects_that_need_each_other() {
    let a = "SYCL_EXTERNAL int odd(unsigned);\nSYCL_EXTERNAL int seven();\nSYCL_EXTERNAL int even(unsigned n) { return n == 0 ? 1 : odd(n - 1); }\n\
             SYCL_EXTERNAL int six() { return 6; }\nKERNEL a(int *p) { *p = seven(); p[1] = even(p[2]); }\n";
    let b = "SYCL_EXTERNAL int even(unsigned);\nSYCL_EXTERNAL int six();\nSYCL_EXTERNAL int odd(unsigned n) { return n == 0 ? 0 : even(n - 1); }\n\
             SYCL_EXTERNAL int seven() { return 7; }\nKERNEL b(int *p) { *p = six(); p[1] = odd(p[2]); }\n";
    let (a, b) = (shared().built(&source(a)), shared().built(&source(b)));
    in_any_order(&[&a, &b], |linked| {
        stores(linked, "a", 7);
        stores(linked, "b", 6);
    });
}

/// C11, B8: what C++ lets several sources define is folded, also with different bodies, and kept where only others use it.
#[test]
fn exported_inline_functions_are_folded() {
    let body = |n| format!("SYCL_EXTERNAL __attribute__((noinline)) inline int f() {{ return {n}; }}\n");
    let a = shared().built(&source(&body(11)));
    assert_eq!(a.table.exports, [export("_Z1fv", true)]);
    let b = shared().built(&source(&format!("{}KERNEL b(int *p) {{ *p = f(); }}\n", body(12))));
    let user = shared().built(&source("SYCL_EXTERNAL int f();\nKERNEL user(int *p) { *p = f(); }\n"));
    in_any_order(&[&a, &user], |linked| stores(linked, "user", 11));
    in_any_order(&[&a, &b, &user], |linked| {
        let ir = shared().text(&linked.final_ir);
        let stored = |kernel: &str| {
            let body = function(&ir, &format!("__sycl_kernel_{kernel}"));
            [11, 12].into_iter().filter(|value| body.contains(&format!("store i32 {value},"))).collect::<Vec<_>>()
        };
        assert_eq!(stored("b").len(), 1, "{ir}");
        assert_eq!(stored("b"), stored("user"));
    });
}

/// C11: also templates and members.
#[test]
fn exported_templates_are_folded() {
    let header = "template <class T> SYCL_EXTERNAL T twice(T x) { return x * 2; }\n\
                  struct S { SYCL_EXTERNAL static int get(int x) { return x + 1; } };\n";
    let make = |name: &str| {
        shared().built(&source(&format!("{header}KERNEL {name}(int *p) {{ *p = twice(4) + S::get(1); }}\n")))
    };
    in_any_order(&[&make("a"), &make("b"), &make("c")], |linked| {
        for name in ["a", "b", "c"] {
            stores(linked, name, 10);
        }
    });
}

/// C21: through a wrapper in a shared header.
#[test]
fn importers_through_wrappers() {
    let header = "SYCL_EXTERNAL int f(int);\ntemplate <class T> T wrap(T x) { return f(x); }\ninline int again(int x) { return wrap(x); }\n";
    let a = shared().built(&source(&format!("{header}KERNEL a(int *p) {{ *p = again(3); }}\n")));
    let b = shared().built(&source(&format!("{header}KERNEL b(int *p) {{ *p = wrap(4); }}\n")));
    let f = shared().built(&source("SYCL_EXTERNAL int f(int x) { return 10 * x; }\n"));
    in_any_order(&[&a, &b, &f], |linked| {
        stores(linked, "a", 30);
        stores(linked, "b", 40);
    });
}

/// Section E: a kernel may be SYCL_EXTERNAL, and be called as a function by another object.
#[test]
fn kernels_that_are_external() {
    let a = shared().built(&source("extern \"C\" SYCL_EXTERNAL SINGLE void a(int *p) { *p = 5; }\n"));
    assert_eq!(a.table.exports, [export("a", false)]);
    let b = shared().built(&source("extern \"C\" SYCL_EXTERNAL SINGLE void a(int *p);\nKERNEL b(int *p) { a(p); }\n"));
    in_any_order(&[&a, &b], |linked| {
        stores(linked, "a", 5);
        stores(linked, "b", 5);
        assert_eq!(linked.table.kernels.len(), 2);
    });
}

/// D12: what `extern "C"` does not show in the name.
#[test]
fn types_that_differ_are_an_error() {
    let exporter = shared().built(&source("extern \"C\" SYCL_EXTERNAL int f(int x) { return x; }\n"));
    for (declaration, ty) in [
        ("long f(long)", "i64 (i64)"),
        ("int f(int, int)", "i32 (i32, i32)"),
        ("void f(int)", "void (i32)"),
        ("int f(int *)", "i32 (ptr"),
    ] {
        let call = if declaration.contains("int, int") {
            "f(1, 2)"
        } else if declaration.contains('*') {
            "f(p)"
        } else {
            "f(1)"
        };
        let importer = format!("extern \"C\" SYCL_EXTERNAL {declaration};\nKERNEL k(int *p) {{ (void){call}; }}\n");
        let importer = shared().built(&source(&importer));
        for objects in [[&exporter, &importer], [&importer, &exporter]] {
            let log = shared().link_failed(&objects);
            assert!(log.starts_with("error: conflicting types of 'f': '"), "{log}");
            assert!(log.contains("'i32 (i32)' in bundle ") && log.contains(ty), "{log}");
            assert!(log.contains("bundle 0 (rtc_0.cpp)") && log.contains("bundle 1 (rtc_1.cpp)"), "{log}");
        }
    }
    // Types of equal layout are no conflict, whatever their names are in each object.
    let pair = "struct A { int x; float y; };\nstruct B { int x; float y; };\n";
    let exporter =
        shared().built(&source(&format!("{pair}extern \"C\" SYCL_EXTERNAL A f(B b) {{ return A{{b.x, b.y}}; }}\n")));
    let importer = format!("{pair}extern \"C\" SYCL_EXTERNAL B f(A);\nKERNEL k(int *p) {{ *p = f(A{{9, 1}}).x; }}\n");
    let importer = shared().built(&source(&importer));
    in_any_order(&[&exporter, &importer], |linked| stores(linked, "k", 9));
}

/// C27: a kernel's declaration and definition.
#[test]
fn kernels_that_are_declared_otherwise() {
    let size = |n: u32| format!("SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((syclexp::work_group_size<{n}>)) ");
    let nd = "SYCL_EXT_ONEAPI_FUNCTION_PROPERTY(syclexp::nd_range_kernel<1>) ";
    let definition = shared().built(&source(&format!("extern \"C\" {nd}{}void k(int *p) {{ *p = 1; }}\n", size(8))));
    let declared = |text: &str| {
        shared().built(&source(&format!("extern \"C\" {text}void k(int *p);\nKERNEL other(int *p) {{ *p = 2; }}\n")))
    };
    let same = declared(&format!("{nd}{}", size(8)));
    assert_eq!(same.table.declared_kernels.len(), 1);
    in_any_order(&[&definition, &same], |linked| assert_eq!(linked.table.kernels.len(), 2));
    for text in [format!("{nd}{}", size(4)), nd.to_owned(), "SINGLE ".to_owned()] {
        let other = declared(&text);
        for objects in [[&definition, &other], [&other, &definition]] {
            let log = shared().link_failed(&objects);
            assert!(log.contains("kernel '__sycl_kernel_k' is declared in bundle "), "{log}");
            assert!(log.contains("bundle 0 (rtc_0.cpp)") && log.contains("bundle 1 (rtc_1.cpp)"), "{log}");
        }
    }
}

/// C15: equal registered strings mean the kernel of the first object.
#[test]
fn registered_names_of_all_objects() {
    let make = |unit: &str, other: &str| {
        let text = format!("SINGLE static void k(int *p) {{ *p = 1; }}\nSINGLE void {other}(int *p) {{ *p = 2; }}\n");
        let registered_names = vec!["k".into(), other.into()];
        shared().built(&Compile { registered_names, unit_id: unit.into(), ..source(&text) })
    };
    let linked = shared().linked(&[&make("bb", "b"), &make("aa", "a")]);
    let row = |name: &str, raw_name: &str| (name.to_owned(), raw_name.to_owned());
    let names =
        [row("k", "_ZL15__sycl_kernel_kPi_bb"), row("b", "_Z15__sycl_kernel_bPi"), row("a", "_Z15__sycl_kernel_aPi")];
    assert_eq!(linked.table.registered_names, names);
    assert_eq!(linked.table.kernels.len(), 4);
}

/// B1, B4, B5, B6: helpers of all kinds, shared by kernels.
#[test]
fn helpers_of_all_kinds() {
    let text = "inline int h1(int x) { return x + 1; }\ntemplate <class T> T h2(T x) { return x + 2; }\nstatic int h3(int x) { return x + 3; }\n\
                constexpr int h4(int x) { return x + 4; }\nstruct C { int h5(int x) const { return x + 5; } };\nextern \"C\" int h6(int x) { return x + 6; }\n\
                SYCL_EXTERNAL int h7(int x) { return x + 7; }\nconst int table[] = {1, 2, 3};\n\
                int all(int x) { static const int inner[] = {5, 6}; return h1(x) + h2(x) + h3(x) + h4(x) + C().h5(x) + h6(x) + h7(x) + table[x & 1] + inner[x & 1]; }\n\
                KERNEL a(int *p) { *p = all(*p); }\nKERNEL b(int *p) { *p = all(*p) + 1; }\n";
    for split in ["per_kernel", "per_source", "off", "auto"] {
        let request = Compile { options: vec![format!("-fsycl-device-code-split={split}")], ..source(text) };
        let linked = shared().linked(&[&shared().built(&request)]);
        validate(&linked.code);
        assert_eq!(raw_names(&linked.table), ["__sycl_kernel_a", "__sycl_kernel_b"]);
    }
}

/// The wrapper of an object around any bytes, hash and all.
fn wrapped(bitcode: &[u8]) -> Vec<u8> {
    let step = |hash: u64, word: u64| (hash ^ word).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(23);
    let (words, rest) = bitcode.as_chunks::<8>();
    let hash = words.iter().fold(0xcbf2_9ce4_8422_2325, |hash, word| step(hash, u64::from_le_bytes(*word)));
    let hash = rest.iter().fold(hash, |hash, byte| step(hash, u64::from(*byte)));
    let fields = [0x0b17_c0de, 0, 28, bitcode.len() as u32, 0_u32];
    let header = fields.iter().flat_map(|field| field.to_le_bytes()).chain(hash.to_le_bytes());
    header.chain(bitcode.iter().copied()).collect()
}

/// Objects that somebody made with care, but not well.
#[test]
fn objects_that_are_not_of_this_program() {
    let compiler = Compiler::start();
    let good = compiler.built(&source("KERNEL k(int *p) { *p = 1; }\n"));
    assert_eq!(wrapped(&good.code[28..]), good.code);
    let log = |code: Vec<u8>| compiler.link_failed(&[&Built { code, ..good.clone() }]);
    let image = compiler.linked(&[&good]);
    let words =
        "error: bundle 0 (rtc_0.cpp): is for target 'spirv64v1.4-unknown-unknown', not 'spirv64-unknown-unknown'";
    assert!(log(wrapped(&image.final_ir)).contains(words));
    for bytes in
        [&b""[..], b"BC", b"BC\xc0\xde", b"some text that is no code at all", &good.code[28..good.code.len() / 2]]
    {
        let log = log(wrapped(bytes));
        assert!(log.contains("bundle 0 (rtc_0.cpp): is no valid bitcode: "), "{log}");
    }
    // Bits that LLVM's reader believes may end the process of the job, and nothing else.
    let bitcode = &good.code[28..];
    for at in (8..bitcode.len()).step_by(bitcode.len() / 40) {
        let mut bytes = bitcode.to_vec();
        bytes[at] ^= 0x44;
        match compiler.link(&[&Built { code: wrapped(&bytes), ..good.clone() }], target()) {
            Reply::Built(_) | Reply::Failed { .. } | Reply::Died { .. } => {}
            other => panic!("{other:?}"),
        }
    }
    validate(&compiler.linked(&[&good]).code);
}
