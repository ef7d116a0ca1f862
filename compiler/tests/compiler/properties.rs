// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! What makes a kernel, and the properties of kernels and other functions. Ids in comments are rules of
//! `free-function-kernels`.

use crate::support::*;
use syclrtc_protocol::KernelKind;

const PROPERTY: &str = "SYCL_EXT_ONEAPI_FUNCTION_PROPERTY";

fn nd(dimensions: u32) -> String {
    format!("{PROPERTY}(syclexp::nd_range_kernel<{dimensions}>)")
}

/// Each text fails with its words.
fn all_fail(rows: &[(&str, &str)]) {
    for (text, words) in rows {
        let log = shared().failed(&request(&with_head(&text.replace("PROP(", "SYCL_EXT_ONEAPI_FUNCTION_PROPERTY("))));
        assert!(log.contains(words), "{text}: {log}");
    }
}

/// Each text builds to this many kernels without a word.
fn all_build(rows: &[(&str, usize)]) {
    for (text, kernels) in rows {
        let built = shared().built(&request(&with_head(&text.replace("PROP(", "SYCL_EXT_ONEAPI_FUNCTION_PROPERTY("))));
        assert_eq!((built.table.kernels.len(), built.log.as_str()), (*kernels, ""), "{text}");
    }
}

#[test]
fn the_kind_is_a_kernels_own_affair() {
    all_fail(&[
        // F1
        ("struct S { SINGLE void k() {} };", "is a non-static member function"),
        // F3
        ("SINGLE int k() { return 1; }", "should have return type 'void'"),
        // F4
        ("SINGLE void k(int, ...) {}", "cannot be variadic"),
        // F5: on any declaration
        (
            "SINGLE void k(int a = 1) {}",
            "rtc_0.cpp:4:19: error: SYCL free function kernel 'k' cannot have default arguments",
        ),
        (
            "SINGLE void k(int a);\nvoid k(int a = 1);\nvoid k(int a) {}",
            "rtc_0.cpp:5:12: error: SYCL free function kernel 'k' cannot have default",
        ),
        // F7
        (
            "void k();\nSINGLE void k() {}",
            "rtc_0.cpp:5:13: error: the first declaration of SYCL free function kernel 'k' lacks the property",
        ),
        ("void k();\nSINGLE void k() {}", "rtc_0.cpp:4:6: note: previous declaration is here"),
        (
            "void k() {}\nSINGLE void k();",
            "rtc_0.cpp:5:1: error: SYCL_EXT_ONEAPI_FUNCTION_PROPERTY has no effect behind the definition",
        ),
        // F9
        ("SINGLE PROP(syclexp::nd_range_kernel<1>) void k() {}", "two different properties that make it"),
        ("SINGLE void k();\nPROP(syclexp::nd_range_kernel<1>) void k() {}", "two different properties that make it"),
        (
            "PROP(syclexp::nd_range_kernel<1>) void k() {}\nPROP(syclexp::nd_range_kernel<2>) void k();",
            "two different properties",
        ),
        // F14
        ("SINGLE auto k() { return 1; }", "should have return type 'void'"),
        ("SINGLE void k() = delete;", "SYCL free function kernel 'k' cannot be deleted"),
        // Dimensions
        ("PROP(syclexp::nd_range_kernel<0>) void k() {}", "an nd-range has 1, 2 or 3 dimensions"),
        ("PROP(syclexp::nd_range_kernel<4>) void k() {}", "an nd-range has 1, 2 or 3 dimensions"),
        ("PROP(syclexp::range_kernel<1>) void k() {}", "no template named 'range_kernel'"),
        // M1: one argument
        (
            "PROP(syclexp::work_group_size<1, 2>) SINGLE void k() {}",
            "too many arguments provided to function-like macro",
        ),
    ]);
    let consteval = with_head("SINGLE consteval void k() {}");
    let log = shared().failed(&with_options(&consteval, &["-std=c++20"]));
    assert!(log.contains("cannot be 'consteval'"), "{log}");
}

#[test]
fn kernels_in_every_form_are_kernels() {
    all_build(&[
        // F2
        ("struct S { SINGLE static void k(); };\nvoid S::k() {}", 1),
        // F8
        ("SINGLE void k();\nSINGLE void k();\nvoid k();\nvoid k() {}\nSINGLE void k();", 1),
        // F11: explicitly instantiated, and odr-used
        ("template <class T> SINGLE void k(T) {}\ntemplate void k<int>(int);\nSINGLE void caller() { k(1.0f); }", 3),
        // F12, F13
        (
            "SINGLE void k(int) {}\nSINGLE void k(float) {}\nSINGLE static void k(char) {}\nnamespace { SINGLE void k(long) {} }",
            4,
        ),
        // F14
        ("SINGLE inline void k() {}\nSINGLE void l() noexcept {}\nSINGLE constexpr void m() {}\nSINGLE auto n() {}", 4),
        // F15
        ("SINGLE void inner(int *p) { *p = 1; }\nSINGLE void outer(int *p) { inner(p); }", 2),
        // F16
        ("SINGLE void k();", 0),
        // M1, M2: parentheses, repetition, any order
        ("PROP((syclexp::work_group_size<1, 2>)) PROP(((syclexp::nd_range_kernel<2>))) void k() {}", 1),
        // M6
        (
            "extern \"C\" { SINGLE void k() {} }\nnamespace a { inline namespace b { namespace { SINGLE void k() {} } } }",
            2,
        ),
    ]);
}

#[test]
fn declared_kernels_are_listed_for_the_link() {
    // F10, F16
    let source = with_head(&format!(
        "{} {PROPERTY}(syclexp::sub_group_size<8>) void declared(int *);\n\
         SINGLE void both(int *); SINGLE void both(int *) {{}}\nSINGLE static void local(int *);\n",
        nd(2)
    ));
    let table = shared().built(&object_of(&source)).table;
    let [declared] = table.declared_kernels.as_slice() else { panic!("{:#?}", table.declared_kernels) };
    assert_eq!(declared.raw_name, "_Z22__sycl_kernel_declaredPi");
    assert_eq!(declared.kind, KernelKind::NdRange(2));
    assert_eq!(declared.properties.sub_group_size, Some(8));
    assert_eq!(table.kernels.len(), 1);
}

#[test]
fn attributes_of_a_kernel_do_not_leak() {
    // F17
    let source = with_head(&format!(
        "__attribute__((noinline)) void helper(int *p) {{ *p = 1; }}\n\
         extern \"C\" {} {PROPERTY}(syclexp::work_group_size<4>) void a(int *p) {{ helper(p); }}\nextern \"C\" {} void b(int *p) {{ helper(p); }}\n",
        nd(1),
        nd(1)
    ));
    let built = shared().built(&request(&source));
    assert_eq!(kernel(&built, "__sycl_kernel_a").properties.work_group_size, Some(vec![4]));
    assert_eq!(kernel(&built, "__sycl_kernel_b").properties.work_group_size, None);
}

#[test]
fn all_properties_reach_the_table() {
    // Section 3; KP5 is the run-time's.
    let source = with_head(&format!(
        "{} {PROPERTY}((syclexp::work_group_size<4, 8>)) {PROPERTY}((syclexp::work_group_size_hint<2, 2>))\n\
         {PROPERTY}(syclexp::sub_group_size<16>) {PROPERTY}((syclexp::max_work_group_size<8, 8>))\n\
         {PROPERTY}(syclexp::max_linear_work_group_size<64>) {PROPERTY}(syclexp::range_type<int>)\n\
         {PROPERTY}((syclexp::device_has<sycl::aspect::fp64, sycl::aspect::fp16>)) void k() {{}}\n\
         SINGLE void plain() {{}}\n",
        nd(2)
    ));
    let built = shared().built(&request(&source));
    let info = kernel(&built, "_Z15__sycl_kernel_kv");
    let properties = &info.properties;
    assert_eq!(properties.work_group_size, Some(vec![4, 8]));
    assert_eq!(properties.work_group_size_hint, Some(vec![2, 2]));
    assert_eq!(properties.sub_group_size, Some(16));
    assert_eq!(properties.max_work_group_size, Some(vec![8, 8]));
    assert_eq!(properties.max_linear_work_group_size, Some(64));
    assert_eq!(properties.range_max, Some(2_147_483_647));
    assert_eq!(info.aspects, [5, 6]);
    assert_eq!(kernel(&built, "_Z19__sycl_kernel_plainv").properties, syclrtc_protocol::KernelProperties::default());
}

#[test]
fn attributes_act_like_properties() {
    // KP11, M4
    let source = with_head(&format!(
        "{} [[sycl::work_group_size_hint(1, 2)]] void a() {{}}\n\
         [[sycl::reqd_work_group_size(4)]] [[sycl::device_has(sycl::aspect::fp64, sycl::aspect::atomic64)]] {} void b() {{}}\n\
         {} [[sycl::reqd_sub_group_size(8), sycl::device_has()]] void c() {{}}\n",
        nd(2),
        nd(1),
        nd(1)
    ));
    let built = shared().built(&request(&source));
    assert_eq!(kernel(&built, "_Z15__sycl_kernel_av").properties.work_group_size_hint, Some(vec![1, 2]));
    let b = kernel(&built, "_Z15__sycl_kernel_bv");
    assert_eq!((b.properties.work_group_size.clone(), b.aspects.as_slice()), (Some(vec![4]), &[6, 27][..]));
    let c = kernel(&built, "_Z15__sycl_kernel_cv");
    assert_eq!((c.properties.sub_group_size, c.aspects.as_slice()), (Some(8), &[][..]));
    assert_eq!(built.log, "");
}

#[test]
fn contradicting_properties_are_errors() {
    let nd1 = "PROP(syclexp::nd_range_kernel<1>)";
    let rows = [
        // KP2
        (
            "PROP((syclexp::work_group_size<1, 2>)) void k() {}",
            "work_group_size of 'k' has 2 values for a kernel of 1 dimensions",
        ),
        ("PROP((syclexp::work_group_size_hint<1, 2, 3>)) void k() {}", "work_group_size_hint of 'k' has 3 values"),
        ("PROP((syclexp::max_work_group_size<1, 2>)) void k() {}", "max_work_group_size of 'k' has 2 values"),
        ("[[sycl::reqd_work_group_size(1, 2)]] void k() {}", "work_group_size of 'k' has 2 values"),
        // KP3
        (
            "PROP(syclexp::work_group_size<8>) PROP(syclexp::max_work_group_size<4>) void k() {}",
            "work_group_size of 'k' exceeds its max_work_group_size",
        ),
        (
            "PROP(syclexp::work_group_size<8>) PROP(syclexp::max_linear_work_group_size<7>) void k() {}",
            "work_group_size of 'k' exceeds its max_linear_work_group_size",
        ),
        // KP4
        (
            "PROP(syclexp::work_group_size<8>) PROP(syclexp::work_group_size<4>) void k() {}",
            "the same property twice with different values: 'work_group_size'",
        ),
        (
            "PROP(syclexp::sub_group_size<8>) PROP(syclexp::sub_group_size<4>) void k() {}",
            "different values: 'sub_group_size'",
        ),
        (
            "PROP(syclexp::device_has<sycl::aspect::fp64>) [[sycl::device_has(sycl::aspect::fp16)]] void k() {}",
            "different values: 'device_has'",
        ),
        (
            "PROP(syclexp::max_linear_work_group_size<8>) PROP(syclexp::max_linear_work_group_size<4>) void k() {}",
            "different values: 'max_linear_work_group_size'",
        ),
        (
            "PROP(syclexp::work_group_size<8>) void k();\nPROP(syclexp::work_group_size<4>) void k() {}",
            "different values: 'work_group_size'",
        ),
        // Values of their own
        ("PROP(syclexp::work_group_size<0>) void k() {}", "at least one work-item"),
        ("PROP((syclexp::max_work_group_size<1, 1, 1, 1>)) void k() {}", "1, 2 or 3 dimensions"),
        ("PROP(syclexp::max_linear_work_group_size<0>) void k() {}", "at least one work-item"),
        ("PROP(syclexp::sub_group_size<0>) void k() {}", "at least one work-item"),
        ("[[sycl::device_has(1.5)]] void k() {}", "'sycl::device_has' attribute requires an integer constant"),
    ];
    for (text, words) in rows {
        all_fail(&[(&format!("{nd1} {text}"), words)]);
    }
    // The same value twice is fine.
    all_build(&[(
        &format!("{nd1} PROP(syclexp::work_group_size<8>) [[sycl::reqd_work_group_size(8)]] void k() {{}}"),
        1,
    )]);
    let built = with_head(&format!(
        "{} {PROPERTY}((syclexp::work_group_size<65536, 65536, 65536>)) {PROPERTY}((syclexp::max_linear_work_group_size<281474976710656>)) void k() {{}}",
        nd(3)
    ));
    shared().built(&request(&built));
}

#[test]
fn functions_that_are_no_kernels_keep_what_has_a_meaning_there() {
    // KP7
    let source = with_head(&format!(
        "{PROPERTY}(syclexp::work_group_size<8>) {PROPERTY}(syclexp::work_group_size<4>) SYCL_EXTERNAL void ignored(int *p) {{ *p = 1; }}\n\
         {PROPERTY}(syclexp::device_has<sycl::aspect::fp64>) {PROPERTY}(syclexp::range_type<short>) SYCL_EXTERNAL void f(int *p) {{ *p = 1; }}\n\
         [[sycl::device_has(sycl::aspect::fp16)]] SYCL_EXTERNAL void declared(int *p);\n\
         {PROPERTY}(syclexp::range_type<signed char>) SINGLE void k(int *p) {{ f(p); }}\n\
         SINGLE void l(int *p) {{ declared(p); }}\n"
    ));
    let built = shared().built(&object_of(&source));
    let ir = shared().text(&built.code);
    assert!(!function_lines(&ir, "_Z7ignoredPi").1.contains("syclrtc-range-max"), "{ir}");
    let f = function_lines(&ir, "_Z1fPi").1;
    assert!(f.contains("\"syclrtc-aspects\"=\"6\"") && f.contains("\"syclrtc-range-max\"=\"32767\""), "{f}");
    let declared = function_lines(&ir, "_Z8declaredPi");
    assert!(declared.0.starts_with("declare") && declared.1.contains("\"syclrtc-aspects\"=\"5\""), "{declared:?}");
    for (text, words) in [
        (
            format!("{PROPERTY}(syclexp::range_type<int>) {PROPERTY}(syclexp::range_type<short>) void f() {{}}"),
            "different values: 'range_type'",
        ),
        (
            format!("{PROPERTY}(syclexp::device_has<>) [[sycl::device_has(sycl::aspect::fp64)]] void f() {{}}"),
            "different values: 'device_has'",
        ),
    ] {
        all_fail(&[(&text, words)]);
    }
}

#[test]
fn property_values_can_be_asked() {
    // KP1, KP8
    let source = with_head(
        "static_assert(syclexp::work_group_size<4, 8>[0] == 4 && syclexp::work_group_size<4, 8>[1] == 8);\n\
         static_assert(syclexp::work_group_size_hint<4>[0] == 4 && syclexp::max_work_group_size<1, 2, 3>[2] == 3);\n\
         static_assert(decltype(syclexp::sub_group_size<8>)::value == 8);\n\
         static_assert(decltype(syclexp::max_linear_work_group_size<8>)::value == 8);\n\
         static_assert(decltype(syclexp::device_has<sycl::aspect::fp64>)::value[0] == sycl::aspect::fp64);\n\
         static_assert(decltype(syclexp::device_has<>)::value.size() == 0);\n\
         template <class... P> constexpr bool all = (syclexp::has_compile_time_kernel_effect_v<P> && ...);\n\
         static_assert(all<decltype(syclexp::work_group_size<1>), decltype(syclexp::work_group_size_hint<1>),\n\
           decltype(syclexp::sub_group_size<1>), decltype(syclexp::device_has<>), decltype(syclexp::max_work_group_size<1>),\n\
           decltype(syclexp::max_linear_work_group_size<1>), decltype(syclexp::range_type<int>)>);\n\
         static_assert(!syclexp::has_compile_time_kernel_effect_v<decltype(syclexp::device_image_scope)>);\n",
    );
    shared().built(&request(&source));
}
