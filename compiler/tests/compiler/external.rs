// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! `SYCL_EXTERNAL`: where it may stand, and what it does to a function.

use crate::support::*;

const ND: &str = "SYCL_EXT_ONEAPI_FUNCTION_PROPERTY(syclexp::nd_range_kernel<1>)";

#[test]
fn it_stands_wherever_programs_write_it() {
    // M3, M4, M6
    let compiler = shared();
    let kernels = [
        format!("SYCL_EXTERNAL {ND} void k() {{}}"),
        format!("{ND} SYCL_EXTERNAL void k() {{}}"),
        format!("extern \"C\" SYCL_EXTERNAL {ND} void k() {{}}"),
        format!("extern \"C\" {ND} SYCL_EXTERNAL void k() {{}}"),
        format!("extern \"C\" {{ SYCL_EXTERNAL {ND} void k() {{}} }}"),
        format!("extern \"C\" {{ {ND} SYCL_EXTERNAL void k() {{}} }}"),
        format!("SYCL_EXTERNAL extern \"C\" {ND} void k() {{}}"),
        format!("int x; SYCL_EXTERNAL extern \"C\" {ND} void k() {{}}"),
        format!("namespace n {{ SYCL_EXTERNAL {ND} void k() {{}} }}"),
        format!("namespace n {{ {ND} SYCL_EXTERNAL void k() {{}} }}"),
        format!("inline namespace n {{ int x; SYCL_EXTERNAL {ND} void k() {{}} }}"),
        format!("template <class T> SYCL_EXTERNAL {ND} void k() {{}} template void k<int>();"),
        format!("template <class T, int = (3 > 2)> {ND} SYCL_EXTERNAL void k() {{}} template void k<int>();"),
        format!("struct S {{ SYCL_EXTERNAL {ND} static void k() {{}} }};"),
        format!("struct S {{ public: {ND} SYCL_EXTERNAL static void k() {{}} }};"),
        format!("[[sycl::reqd_work_group_size(4)]] SYCL_EXTERNAL {ND} void k() {{}}"),
        format!("SYCL_EXTERNAL [[sycl::reqd_work_group_size(4)]] {ND} void k() {{}}"),
        format!("{ND} SYCL_EXTERNAL [[sycl::reqd_work_group_size(4)]] void k() {{}}"),
        format!("{ND} SYCL_EXTERNAL inline void k() {{}}"),
        format!("{ND} inline SYCL_EXTERNAL void k() {{}}"),
        format!("{ND} void SYCL_EXTERNAL k() {{}}"),
        format!("#define KERNEL SYCL_EXTERNAL {ND} void\nKERNEL k() {{}}"),
        format!("#define ID(x) x\nID(SYCL_EXTERNAL {ND} void k() {{}})"),
    ];
    for kernel in kernels {
        let built = compiler.built(&object_of(&with_head(&kernel)));
        assert_eq!(built.table.kernels.len(), 1, "{kernel}");
        let ir = compiler.text(&built.code);
        assert!(function_lines(&ir, &built.table.kernels[0].raw_name).0.contains("define"), "{kernel}");
    }
}

#[test]
fn definitions_are_kept_and_marked() {
    let compiler = shared();
    let source = with_head(
        "SYCL_EXTERNAL int one(int a) { return a; }\n\
         int SYCL_EXTERNAL two(int a) { return a; }\n\
         inline SYCL_EXTERNAL int three(int a) { return a; }\n\
         struct S { SYCL_EXTERNAL static int four(int a); static SYCL_EXTERNAL int five(int a) { return a; }\n\
           SYCL_EXTERNAL int six() const { return v; } int v; };\n\
         int S::four(int a) { return a; }\n\
         template <class T> SYCL_EXTERNAL T seven(T a) { return a; }\n\
         template int seven<int>(int);\n\
         extern \"C\" SYCL_EXTERNAL int eight(int a);\n\
         int eight(int a) { return a; }\n\
         SYCL_EXTERNAL std::optional<int> nine() { return {}; }\n\
         SYCL_EXTERNAL __attribute__((noinline)) int ten(int a) { return a; }\n\
         int plain(int a) { return a; }\n",
    );
    let ir = compiler.text(&compiler.built(&object_of(&source)).code);
    for symbol in [
        "_Z3onei",
        "_Z3twoi",
        "_Z5threei",
        "_ZN1S4fourEi",
        "_ZN1S4fiveEi",
        "_ZNK1S3sixEv",
        "_Z5sevenIiET_S0_",
        "eight",
        "_Z4ninev",
        "_Z3teni",
    ] {
        let (line, attributes) = function_lines(&ir, symbol);
        assert!(line.starts_with("define") && !line.contains("internal"), "{line}");
        assert!(attributes.contains("\"syclrtc-external\""), "{symbol}: {attributes}");
    }
    assert!(!ir.contains("plain"), "{ir}");
}

#[test]
fn declarations_are_marked_where_they_are_used() {
    // C20, C21
    let compiler = shared();
    let source = with_head(
        "SYCL_EXTERNAL int used(int); SYCL_EXTERNAL int unused(int);\n\
         template <class T> SYCL_EXTERNAL T generic(T);\n\
         SINGLE void k(int *p) { SYCL_EXTERNAL int local(int); *p = used(1) + generic(2) + local(3); }\n",
    );
    let built = compiler.built(&object_of(&source));
    let ir = compiler.text(&built.code);
    for symbol in ["_Z4usedi", "_Z7genericIiET_S0_", "_Z5locali"] {
        let (line, attributes) = function_lines(&ir, symbol);
        assert!(line.starts_with("declare") && attributes.contains("\"syclrtc-external\""), "{line}\n{attributes}");
    }
    let mut imports: Vec<_> = built.table.imports.iter().map(|import| import.symbol.as_str()).collect();
    imports.sort_unstable();
    assert_eq!(imports, ["_Z4usedi", "_Z5locali", "_Z7genericIiET_S0_"]);
}

#[test]
fn it_is_predefined_without_any_header() {
    // names-and-linking.md, section E
    let built = shared().built(&object_of("#include <cstddef>\nSYCL_EXTERNAL void f(int *p, int n) { *p = n; }\n"));
    assert_eq!(built.table.exports.iter().map(|export| export.symbol.as_str()).collect::<Vec<_>>(), ["_Z1fPii"]);
    let log = shared().built(&object_of("#ifdef SYCL_EXTERNAL\n#warning there\n#endif\n")).log;
    assert!(log.contains("there"), "{log}");
}

#[test]
fn what_cannot_be_external_is_an_error_at_its_line() {
    let compiler = shared();
    for (text, words) in [
        (
            "SYCL_EXTERNAL static int f() { return 1; }",
            "rtc_0.cpp:4:26: error: SYCL_EXTERNAL needs external linkage, which 'f' does not have",
        ),
        ("namespace { SYCL_EXTERNAL int f() { return 1; } }", "needs external linkage"),
        ("SYCL_EXTERNAL int x = 1;", "SYCL_EXTERNAL is for functions and device globals only: 'x'"),
        (
            "int f() { return 1; }\nSYCL_EXTERNAL int f();",
            "rtc_0.cpp:5:1: error: SYCL_EXTERNAL has no effect behind the definition",
        ),
        ("struct SYCL_EXTERNAL S {};", "SYCL_EXTERNAL is for functions and device globals only"),
        ("SYCL_EXTERNAL static syclexp::device_global<int> g;", "needs external linkage, which 'g' does not have"),
    ] {
        let log = compiler.failed(&request(&with_head(text)));
        assert!(log.contains(words), "{text}: {log}");
    }
}
