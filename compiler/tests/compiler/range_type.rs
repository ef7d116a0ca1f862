// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! `range_type` in one source, as far as the source shows it. Ids in comments are rules of `range-type`.

use crate::support::*;

const HEAD: &str = "#define RANGE(T) SYCL_EXT_ONEAPI_FUNCTION_PROPERTY(syclexp::range_type<T>)\n";

/// Lines of user text start at 5.
fn text(text: &str) -> String {
    with_head(&format!("{HEAD}{text}"))
}

#[test]
fn limits_of_types() {
    // R1, R2, R5, R6
    let source = text(
        "static_assert(SYCL_EXT_ONEAPI_RANGE_TYPE == 1);\n\
         RANGE(int) SINGLE void a() {}\nRANGE(std::int32_t) SINGLE void b() {}\nRANGE(unsigned) SINGLE void c() {}\n\
         RANGE(long) SINGLE void d() {}\nRANGE(std::size_t) SINGLE void e() {}\nRANGE(signed char) SINGLE void f() {}\n\
         RANGE(unsigned short) SINGLE void g() {}\nRANGE(char) SINGLE void h() {}\nSINGLE void i() {}\n\
         RANGE(long) RANGE(long long) RANGE(long) SINGLE void j() {}\n",
    );
    let table = shared().built(&request(&source)).table;
    let limits: Vec<_> = table.kernels.iter().map(|kernel| kernel.properties.range_max).collect();
    let long = Some(i64::MAX as u64);
    let int = Some(i32::MAX as u64);
    assert_eq!(
        limits,
        [int, int, Some(u32::MAX.into()), long, Some(u64::MAX), Some(127), Some(65535), Some(127), None, long]
    );
}

#[test]
fn types_that_are_no_range() {
    // R3, R7, T9
    for (source, words) in [
        ("RANGE(float) SINGLE void k() {}", "range_type takes an integral type other than bool"),
        ("RANGE(bool) SINGLE void k() {}", "range_type takes an integral type other than bool"),
        ("enum E { e };\nRANGE(E) SINGLE void k() {}", "range_type takes an integral type other than bool"),
        ("RANGE(const int) SINGLE void k() {}", "range_type takes a type without const or volatile"),
        (
            "RANGE(int) RANGE(unsigned) SINGLE void k() {}",
            "'k' has the same property twice with different values: 'range_type'",
        ),
        ("RANGE(int) SINGLE void k();\nRANGE(short) SINGLE void k() {}", "different values: 'range_type'"),
    ] {
        let log = shared().failed(&request(&text(source)));
        assert!(log.contains(words) && log.contains("rtc_0.cpp:"), "{source}: {log}");
    }
}

#[test]
fn calls_to_functions_for_fewer_work_items_are_errors() {
    // F6, F8 and F5 with the declaration in sight: the error stands at the call, a note at who is called.
    for (source, at, words, note) in [
        (
            "RANGE(int) void f() {}\nRANGE(unsigned) SINGLE void k() {\n  f();\n}",
            "7:3",
            "'f', which has range_type<int>, cannot be called from 'k', which has range_type<unsigned int>",
            "5:17",
        ),
        (
            "RANGE(int) void f() {}\nSINGLE void k() { f(); }",
            "6:19",
            "cannot be called from 'k', which has no range_type",
            "5:17",
        ),
        (
            "RANGE(short) void f() {}\nRANGE(int) void g() { f(); }",
            "6:23",
            "cannot be called from 'g', which has range_type<int>",
            "5:19",
        ),
        (
            "SYCL_EXTERNAL void f();\nRANGE(int) SINGLE void k() { f(); }",
            "6:30",
            "'f', which has no range_type, cannot be called from 'k', which has range_type<int>",
            "5:20",
        ),
        (
            "struct S { RANGE(int) S(int) {} };\nSINGLE void k() { S s(1); }",
            "6:21",
            "cannot be called from 'k'",
            "5:23",
        ),
        (
            "template <class T> RANGE(T) void f(T) {}\nRANGE(int) SINGLE void k() { f(1); f(short(1)); }",
            "6:36",
            "which has range_type<short>",
            "5:34",
        ),
        (
            "RANGE(int) SINGLE void f() {}\nSINGLE void k() { if (false) f(); }",
            "6:30",
            "cannot be called from 'k'",
            "5:24",
        ),
    ] {
        let log = shared().failed(&request(&text(source)));
        assert!(log.contains(&format!("rtc_0.cpp:{at}: error: ")) && log.contains(words), "{source}: {log}");
        assert!(log.contains(&format!("rtc_0.cpp:{note}: note: '")), "{source}: {log}");
    }
}

#[test]
fn calls_to_functions_for_as_many_work_items_are_fine() {
    // F1, F2, F3, F7
    let built = shared().built(&request(&text(
        "RANGE(int) void same() {}\nRANGE(std::size_t) void all() {}\nRANGE(unsigned) void more() {}\n\
         int helper() { return 1; }\nRANGE(short) int narrow() { return 1; }\n\
         RANGE(int) SINGLE void k() { same(); all(); more(); helper(); (void)sizeof(narrow()); }\n\
         SINGLE void undecorated() { all(); helper(); }\n",
    )));
    assert_eq!((built.table.kernels.len(), built.log.as_str()), (2, ""));
    let object = shared().built(&object_of(&text(
        "RANGE(long) SYCL_EXTERNAL void f();\nSYCL_EXTERNAL void g();\nRANGE(int) SINGLE void k() { f(); }\n\
         SINGLE void l() { g(); }\n",
    )));
    let ir = shared().text(&object.code);
    let (line, attributes) = function_lines(&ir, "_Z1fv");
    assert!(line.starts_with("declare"), "{line}");
    assert!(attributes.contains("\"syclrtc-range-max\"=\"9223372036854775807\""), "{attributes}");
}

#[test]
fn ids_that_fit_in_int_by_option() {
    // R10
    let source = text("SINGLE void k() {}\nRANGE(long) SINGLE void l() {}\n");
    let limits = |options: &[&str]| {
        let table = shared().built(&with_options(&source, options)).table;
        table.kernels.iter().map(|kernel| kernel.properties.range_max).collect::<Vec<_>>()
    };
    let long = Some(i64::MAX as u64);
    assert_eq!(limits(&[]), [None, long]);
    assert_eq!(limits(&["-fno-sycl-id-queries-fit-in-int"]), [None, long]);
    assert_eq!(limits(&["-fsycl-id-queries-fit-in-int"]), [Some(i32::MAX as u64), long]);
    assert_eq!(limits(&["-fsycl-id-queries-fit-in-int", "-fno-sycl-id-queries-fit-in-int"]), [None, long]);
    let log = shared().failed(&with_options(
        &text("RANGE(short) void f() {}\nSINGLE void k() { f(); }\n"),
        &["-fsycl-id-queries-fit-in-int"],
    ));
    assert!(log.contains("which has a limit of 2147483647 work-items"), "{log}");
}
