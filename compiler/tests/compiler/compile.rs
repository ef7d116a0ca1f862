// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! What the compiler program makes of sources, names, options and include files.

use crate::support::*;
use syclrtc_protocol::{Built, Compile, KernelKind, Output, ParameterKind};

/// The specification's kernel.
const IOTA: &str = r#"#include <sycl/sycl.hpp>
namespace syclext = sycl::ext::oneapi;
namespace syclexp = sycl::ext::oneapi::experimental;

extern "C"
SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((syclexp::nd_range_kernel<1>))
void iota(float start, float *ptr) {
  size_t id = syclext::this_work_item::get_nd_item<1>().get_global_linear_id();
  ptr[id] = start + static_cast<float>(id);
}
"#;

fn has_stage(built: &Built, stage: &str) -> bool {
    built.stages.iter().any(|(name, _)| name == stage)
}

#[test]
fn the_kernel_of_the_specification() {
    let compiler = Compiler::start();
    let built = compiler.built(&request(IOTA));
    assert_eq!(built.code[..4], [0x03, 0x02, 0x23, 0x07]);
    let [kernel] = built.table.kernels.as_slice() else { panic!("{:#?}", built.table.kernels) };
    assert_eq!(kernel.raw_name, "__sycl_kernel_iota");
    assert_eq!(kernel.plain_name.as_deref(), Some("iota"));
    assert_eq!(kernel.kind, KernelKind::NdRange(1));
    let kinds: Vec<_> = kernel.parameters.iter().map(|p| (p.kind, p.size, p.name.as_str())).collect();
    assert_eq!(kinds, [(ParameterKind::Scalar, 4, "start"), (ParameterKind::Pointer, 8, "ptr")]);
    assert_eq!(built.log, "");
    assert!(has_stage(&built, "front end"), "{:?}", built.stages);
}

#[test]
fn a_hundred_compiles_with_failures_between_give_the_same_image() {
    let compiler = Compiler::start();
    let first = compiler.built(&request(IOTA)).code;
    for _ in 0..100 {
        compiler.failed(&request("#include <sycl/sycl.hpp>\nint x = ;\n"));
        assert_eq!(compiler.built(&request(IOTA)).code, first);
    }
}

#[test]
fn an_empty_source_and_one_without_kernels_build_to_nothing() {
    let compiler = Compiler::start();
    for source in ["", "\n", "// nothing\n", "#include <sycl/sycl.hpp>\n", "inline int f() { return 1; }", " \t\r\n"] {
        let built = compiler.built(&request(source));
        assert!(built.table.kernels.is_empty() && built.code.is_empty(), "{source:?}");
    }
}

#[test]
fn names_of_kernels() {
    let source = with_head(
        "template <class T> SYCL_EXT_ONEAPI_FUNCTION_PROPERTY(syclexp::nd_range_kernel<2>) void ff_templated(T *, T *) {}\n\
         SINGLE void over(int *p) { *p = 1; }\n\
         SINGLE void over(float *p) { *p = 1; }\n\
         namespace ns { SINGLE void bar(int *p) { *p = 2; } }\n\
         SINGLE static void local(int *p) { *p = 3; }\n\
         namespace { SINGLE void hidden(int *p) { *p = 4; } }\n\
         struct Class { SINGLE static void member(int *p) { *p = 5; } };\n",
    );
    let compiler = Compiler::start();
    let names = ["ff_templated<int>", "(void (*)(float *))over", " ns :: bar ", "&local", "hidden", "Class::member"];
    let built = compiler.built(&with_names(&source, &names));
    let raw: Vec<_> = built.table.registered_names.iter().map(|(_, raw)| raw.as_str()).collect();
    assert_eq!(
        raw,
        [
            "_Z26__sycl_kernel_ff_templatedIiEvPT_S1_",
            "_Z18__sycl_kernel_overPf",
            "_ZN2ns17__sycl_kernel_barEPi",
            "_ZL19__sycl_kernel_localPi_0123abcd",
            "_ZN12_GLOBAL__N_120__sycl_kernel_hiddenEPi_0123abcd",
            "_ZN5Class20__sycl_kernel_memberEPi",
        ]
    );
    assert_eq!(kernel(&built, "_Z18__sycl_kernel_overPi").mangled_name, "_Z4overPi");
    assert_eq!(kernel(&built, raw[0]).kind, KernelKind::NdRange(2));
    assert_eq!(built.table.kernels.len(), 7);
}

#[test]
fn a_registered_name_that_names_no_kernel_fails_and_is_shown() {
    let source =
        with_head("SINGLE void k(int *) {}\nSINGLE void k(float *) {}\nvoid plain() {}\ntemplate <class> struct X;\n");
    let compiler = Compiler::start();
    for (name, words) in [
        ("nope", "use of undeclared identifier 'nope'"),
        ("k", "overloaded function"),
        ("plain", "attempting to register a function that is not a SYCL free function as 'plain'"),
        ("k<nosuch>", "nosuch"),
        ("1 +", "expected expression"),
        ("42", "attempting to register a function that is not a SYCL free function as '42'"),
    ] {
        let log = compiler.failed(&with_names(&source, &[name]));
        assert!(log.contains(words) && log.contains(name), "{name}: {log}");
    }
}

#[test]
fn parameters_have_the_layout_of_the_host() {
    let source = with_head(
        "struct Padded { char a; double b; char c; };\nenum class E : short { x };\nenum U { u };\n\
         SINGLE void k(bool a, char b, unsigned short c, long d, float e, double f, E g, U h, Padded i, const int *j, std::array<int, 3> k,\n\
         std::tuple<char, long> l, std::byte m, wchar_t n, int o[4]) {}\n",
    );
    let built = Compiler::start().built(&request(&source));
    let seen: Vec<_> = built.table.kernels[0].parameters.iter().map(|p| (p.kind, p.size, p.align)).collect();
    use ParameterKind::{Aggregate, Pointer, Scalar};
    assert_eq!(
        seen,
        [
            (Scalar, 1, 1),
            (Scalar, 1, 1),
            (Scalar, 2, 2),
            (Scalar, 8, 8),
            (Scalar, 4, 4),
            (Scalar, 8, 8),
            (Scalar, 2, 2),
            (Scalar, 4, 4),
            (Aggregate, 24, 8),
            (Pointer, 8, 8),
            (Aggregate, 12, 4),
            (Aggregate, 16, 8),
            (Scalar, 1, 1),
            (Scalar, 4, 4),
            (Pointer, 8, 8),
        ]
    );
}

// Section 5.2
#[test]
fn local_memory_in_parameters_is_found() {
    use syclrtc_protocol::LocalExtent::{Any, One, Range};
    let source = with_head(
        "struct Inner { short s; syclexp::work_group_memory<double[]> m[2]; };\n\
         struct Outer : Inner { char c; sycl::local_accessor<float, 2> a; };\n\
         SINGLE void k(sycl::local_accessor<short, 3> a, sycl::local_accessor<long, 0> b, syclexp::work_group_memory<int[3]> c,\n\
         syclexp::work_group_memory<char[][5]> d, const Outer e, sycl::local_accessor<int> *f) {}\n",
    );
    let built = Compiler::start().built(&request(&source));
    let kernel = &built.table.kernels[0];
    let seen: Vec<(ParameterKind, u64, Vec<_>)> = kernel
        .parameters
        .iter()
        .map(|p| (p.kind, p.size, p.local.iter().map(|l| (l.offset, l.element, l.extent)).collect()))
        .collect();
    use ParameterKind::{Aggregate, Local, LocalAccessor, Pointer};
    assert_eq!(
        seen,
        [
            (LocalAccessor, 32, vec![(0, 2, Range(3))]),
            (LocalAccessor, 16, vec![(0, 8, Range(1))]),
            (Local, 8, vec![(0, 12, One)]),
            (Local, 8, vec![(0, 5, Any)]),
            (Aggregate, 56, vec![(8, 8, Any), (16, 8, Any), (32, 4, Range(2))]),
            (Pointer, 8, vec![]),
        ]
    );
    assert_eq!((kernel.native_arguments(), kernel.scratch), (11, false));
    let union = "union U { int i; syclexp::work_group_memory<int> m; U(); };\nSINGLE void k(U u) {}\n";
    let log = Compiler::start().failed(&request(&with_head(union)));
    assert!(
        log.contains("rtc_0.cpp:") && log.contains("parameter 'u'") && log.contains("local memory in a union"),
        "{log}"
    );
}

// Section 6.3: also behind a call into another object.
#[test]
fn kernels_that_use_scratch_memory_are_known() {
    let compiler = Compiler::start();
    let kernels = "SYCL_EXTERNAL int *outside();\nint *inside() { return (int *)syclexp::get_work_group_scratch_memory(); }\n\
                   SINGLE void direct(int *o) { *o = *inside(); }\nSINGLE void without(int *o) { *o = 1; }\n\
                   SINGLE void through(int *o) { *o = *outside(); }\n";
    let other = "SYCL_EXTERNAL int *outside() { return (int *)syclexp::get_work_group_scratch_memory(); }\n";
    let object = |text: &str| compiler.built(&Compile { output: Output::Object, ..request(&with_head(text)) });
    let built = compiler.linked(&[&object(kernels), &object(other)]);
    let seen: Vec<(&str, bool, usize)> = built
        .table
        .kernels
        .iter()
        .map(|kernel| (kernel.mangled_name.as_str(), kernel.scratch, kernel.native_arguments()))
        .collect();
    assert_eq!(seen, [("_Z6directPi", true, 2), ("_Z7withoutPi", false, 1), ("_Z7throughPi", true, 2)]);
}

// The code generator mixes up the functions that print, and asks for an extension which no format of ours needs.
#[test]
fn printing_needs_no_extension() {
    let source = with_head(
        "#include <cassert>\nSINGLE void a(int *o) { *o = syclexp::printf(\"plain\"); }\n\
         SINGLE void b(const int *o) { assert(*o == 1); }\nSINGLE void c() { syclexp::printf(\"%s\", \"c\"); }\n",
    );
    for level in ["-O0", "-O2"] {
        let built = Compiler::start().built(&Compile { options: vec![level.to_owned()], ..request(&source) });
        assert_eq!(built.table.kernels.len(), 3);
        let image = String::from_utf8_lossy(&built.code);
        assert!(!image.contains("relaxed_printf"));
    }
}

#[test]
fn rules_of_kernel_functions_are_errors_at_the_users_line() {
    let compiler = Compiler::start();
    for (text, words) in [
        (
            "SINGLE int k() { return 1; }",
            "rtc_0.cpp:4:12: error: SYCL free function kernel 'k' should have return type 'void'",
        ),
        ("SINGLE void k(int, ...) {}", "cannot be variadic"),
        ("SINGLE void k(int a = 1) {}", "cannot have default arguments"),
        ("SINGLE void k(int &a) {}", "parameter 'a' of SYCL free function kernel 'k' cannot be a reference: 'int &'"),
        ("SINGLE void k(long double a) {}", "has a type whose layout differs between host and device: 'long double'"),
        ("struct L { long double v[2]; };\nSINGLE void k(const L *a) {}", "host and device: 'const L *'"),
        ("SINGLE void k(void (*f)()) {}", "cannot be a pointer to a function or member"),
        ("struct V { virtual void f(); };\nSINGLE void k(V v) {}", "is not device copyable: 'V'"),
        ("struct D { ~D(); };\nSINGLE void k(D d) {}", "is not device copyable: 'D'"),
        ("struct S { SINGLE void k() {} };", "is a non-static member function"),
        ("void k();\nSINGLE void k() {}", "lacks the property that makes it a kernel"),
        (
            "SINGLE SYCL_EXT_ONEAPI_FUNCTION_PROPERTY(syclexp::nd_range_kernel<1>) void k() {}",
            "two different properties that make it a SYCL free function kernel",
        ),
    ] {
        let log = compiler.failed(&request(&with_head(text)));
        assert!(log.contains(words), "{text}: {log}");
    }
}

#[test]
fn attributes_of_kernels_act_like_properties() {
    let source = with_head(
        "SYCL_EXT_ONEAPI_FUNCTION_PROPERTY(syclexp::nd_range_kernel<2>) [[sycl::reqd_work_group_size(4, 8)]] void k() {}\n\
         [[sycl::reqd_sub_group_size(16)]] SYCL_EXT_ONEAPI_FUNCTION_PROPERTY(syclexp::nd_range_kernel<1>) void s() {}\n",
    );
    let built = Compiler::start().built(&request(&source));
    assert_eq!(kernel(&built, "_Z15__sycl_kernel_kv").properties.work_group_size, Some(vec![4, 8]));
    assert_eq!(kernel(&built, "_Z15__sycl_kernel_sv").properties.sub_group_size, Some(16));
    assert_eq!(built.log, "");
}

#[test]
fn diagnostics_are_clangs_own_at_the_right_line() {
    let compiler = Compiler::start();
    let log = compiler.failed(&request("#include <sycl/sycl.hpp>\n\nint f() {\n  return no such;\n}\n"));
    assert!(log.contains("rtc_0.cpp:4:10: error: use of undeclared identifier 'no'"), "{log}");
    assert!(log.contains("    4 |   return no such;\n      |          ^"), "{log}");

    let log = compiler.failed(&request("#include <sycl/sycl.hpp>\nvoid f() {\n"));
    assert!(
        log.contains("rtc_0.cpp:3:1: error: expected '}'") || log.contains("rtc_0.cpp:2:11: error: expected '}'"),
        "{log}"
    );

    let log = compiler.failed(&request("\n#include \"non-existent.hpp\"\n"));
    assert!(log.contains("rtc_0.cpp:2:10: fatal error: 'non-existent.hpp' file not found"), "{log}");

    let mut named = request("int x = ;");
    named.main_name = "rtc_17.cpp".into();
    assert!(compiler.failed(&named).contains("rtc_17.cpp:1:9: error:"));
}

#[test]
fn warnings_are_in_the_log_of_a_success() {
    let compiler = Compiler::start();
    let source = with_head("SINGLE void k(int *p) { int unused = 1; *p = 1; }\n");
    assert_eq!(compiler.built(&request(&source)).log, "");
    let log = compiler.built(&with_options(&source, &["-Wall"])).log;
    assert!(log.contains("rtc_0.cpp:4:29: warning: unused variable 'unused' [-Wunused-variable]"), "{log}");
    let log = compiler.failed(&with_options(&source, &["-Wall", "-Werror"]));
    assert!(log.contains("error: unused variable 'unused' [-Werror,-Wunused-variable]"), "{log}");
    assert_eq!(compiler.built(&with_options(&source, &["-Wall", "-w"])).log, "");
}

/// The log and tables of `request` behind the parsed preamble equal those from nothing.
fn assert_same_without_checkpoint(compiler: &Compiler, request: &Compile) -> Built {
    let warm = compiler.built(request);
    assert!(has_stage(&warm, "front end"), "{:?}", warm.stages);
    let cold = compiler.built(&Compile { reuse: false, ..request.clone() });
    assert!(has_stage(&cold, "front end from nothing"), "{:?}", cold.stages);
    assert_eq!((&warm.code, &warm.table.kernels, &warm.log), (&cold.code, &cold.table.kernels, &cold.log));
    warm
}

#[test]
fn the_parsed_preamble_changes_nothing() {
    let compiler = Compiler::start();
    assert_same_without_checkpoint(&compiler, &request(IOTA));
    assert_same_without_checkpoint(&compiler, &with_options(IOTA, &["-DUNHEARD_OF=3", "-Wall", "-I/", "-O1"]));
    assert_same_without_checkpoint(&compiler, &request(&format!("// comment\n/* another */\n{IOTA}")));
    let warns = with_head("SINGLE void k(int *p) { for (int i = 0; i < 3u; ++i) *p = i; }\nstatic void unused() {}\n");
    let log = assert_same_without_checkpoint(&compiler, &with_options(&warns, &["-Wall", "-Wextra"])).log;
    assert!(log.contains("-Wsign-compare") && log.contains("-Wunused-function"), "{log}");
}

#[test]
fn what_the_preamble_could_notice_is_compiled_from_nothing() {
    let compiler = Compiler::start();
    let cold = |request: &Compile| {
        let built = compiler.built(&Compile { reuse: false, ..request.clone() });
        assert!(has_stage(&built, "front end from nothing"), "{:?}", built.stages);
        built
    };
    // A macro that only the user's text looks at may have any name.
    for name in ["A", "N", "T", "Dims", "value", "size"] {
        let source = IOTA.replace("start +", name);
        assert_same_without_checkpoint(&compiler, &with_options(&source, &[&format!("-D{name}=start + 2 *")]));
    }
    // A macro that the headers look at.
    let log = cold(&with_options(IOTA, &["-D__SYCL_DEVICE_ONLY__=2"])).log;
    assert!(log.contains("macro redefined"), "{log}");
    // Text ahead of the include.
    cold(&request(&format!("#define SYCL_SIMPLE_SWIZZLES\n{IOTA}")));
    // Other first headers: nothing of sycl.hpp may be seen.
    let log = compiler.failed(&request("#include <cstddef>\nsycl::range<1> r{1};\n"));
    assert!(log.contains("no template named 'range' in namespace 'sycl'"), "{log}");
    // A file of the user in the place of one of ours.
    let built =
        cold(&with_files(IOTA, &[("sycl/sycl.hpp", "#include \"/syclrtc/include/sycl/sycl.hpp\"\n#warning mine\n")]));
    assert!(built.log.contains("sycl/sycl.hpp:2:2: warning: mine"), "{}", built.log);
}

#[test]
fn include_files_win_and_show_their_names() {
    let compiler = Compiler::start();
    let source = with_head("#include \"a.h\"\n#include <dir/b.h>\nSINGLE void k(int *p) { *p = A + B; }\n");
    compiler.built(&with_files(
        &source,
        &[("a.h", "#define A 1\n"), ("dir/b.h", "#include \"c.h\"\n"), ("dir/c.h", "#define B 2\n")],
    ));
    let log = compiler.failed(&with_files("#include \"a.hpp\"\n", &[("a.hpp", "no_such_type f();\n")]));
    assert!(log.contains("In file included from rtc_0.cpp:1:\n"), "{log}");
    assert!(log.contains("\na.hpp:1:1: error: "), "{log}");
    let absolute =
        compiler.built(&with_files("#include \"/no/such/place/x.h\"\n", &[("/no/such/place/x.h", "#warning here\n")]));
    assert!(absolute.log.contains("/no/such/place/x.h:1:2: warning: here"), "{}", absolute.log);
}

#[test]
fn files_of_the_working_directory_and_of_options_are_found_in_order() {
    let place = std::env::temp_dir().join(format!("syclrtc-compile-{}", std::process::id()));
    let include = place.join("inc");
    std::fs::create_dir_all(&include).unwrap();
    std::fs::write(place.join("a.h"), "#warning cwd\n").unwrap();
    std::fs::write(include.join("a.h"), "#warning option\n").unwrap();
    std::fs::write(include.join("only.h"), "#warning only\n").unwrap();
    let compiler = Compiler::start();
    let mut request = with_options("#include <a.h>\n#include <only.h>\n", &["-I", "inc"]);
    request.working_directory = place.to_string_lossy().into_owned();
    let log = compiler.built(&request).log;
    assert!(log.contains("warning: cwd") && log.contains("warning: only") && !log.contains("warning: option"), "{log}");
    request.include_files = with_files("", &[("a.h", "#warning virtual\n")]).include_files;
    let log = compiler.built(&request).log;
    assert!(log.contains("warning: virtual") && !log.contains("warning: cwd"), "{log}");
    std::fs::remove_dir_all(&place).unwrap();
}

#[test]
fn sources_hold_any_byte() {
    let compiler = Compiler::start();
    let mut source = request(IOTA);
    source.source.splice(0..0, *b"\xef\xbb\xbf");
    compiler.built(&source);
    let with_nul = [IOTA.as_bytes(), b"// \0 \xff\n"].concat();
    compiler.built(&Compile { source: with_nul, ..request("") });
    compiler.built(&request(&IOTA.replace('\n', "\r\n")));
    compiler.failed(&Compile { source: b"int \xff = 1;".to_vec(), ..request("") });
}
