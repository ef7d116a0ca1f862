// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Build options: section 10 of the kernel compiler's rules.

use crate::support::*;
use syclrtc_protocol::{Built, CodeSplit, Compile, Severity};

fn built(source: &str, options: &[&str]) -> Built {
    shared().built(&with_options(source, options))
}

fn log(source: &str, options: &[&str]) -> String {
    built(source, options).log
}

/// The instructions of a module as (opcode, operands).
fn instructions(code: &[u8]) -> Vec<(u16, Vec<u32>)> {
    let words: Vec<u32> = code.chunks_exact(4).map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect();
    let mut rest = &words[5..];
    let mut result = Vec::new();
    while let [first, ..] = rest {
        let (instruction, next) = rest.split_at((first >> 16) as usize);
        result.push((*first as u16, instruction[1..].to_vec()));
        rest = next;
    }
    result
}

fn count(code: &[u8], opcode: u16) -> usize {
    instructions(code).iter().filter(|(op, _)| *op == opcode).count()
}

const OP_FUNCTION_CALL: u16 = 57;
const OP_VARIABLE: u16 = 59;
const OP_DECORATE: u16 = 71;
const FP_FAST_MATH_MODE: u32 = 40;

fn has_fast_math(code: &[u8]) -> bool {
    instructions(code).iter().any(|(op, operands)| *op == OP_DECORATE && operands[1] == FP_FAST_MATH_MODE)
}

#[test]
fn spellings_of_options_10_1() {
    let place = Place::new("options-spellings", &[("one.h", "#define ONE 1\n")]);
    let source = with_head("#include \"one.h\"\nSINGLE void k(int *p) { *p = ONE + X; }\nstatic_assert(X == 1);\n");
    let joined = format!("-I{}", place.path(""));
    let long = format!("--include-directory={}", place.path(""));
    let dir = place.path("");
    for include in [&[joined.as_str()][..], &["-I", &dir], &[&long], &["--include-directory", &dir]] {
        for define in [&["-DX"][..], &["-DX=1"], &["-D", "X"], &["--define-macro=X=1"], &["--define-macro", "X"]] {
            let options: Vec<_> = include.iter().chain(define).copied().collect();
            assert_eq!(built(&source, &options).table.kernels.len(), 1, "{options:?}");
        }
    }
}

#[test]
fn a_missing_argument_is_refused_10_1() {
    for option in ["-D", "-I", "-U", "-include", "-isystem", "--include-directory", "--define-macro", "-Xs"] {
        let message = shared().refused(&with_options("", &["-DX", option]));
        assert_eq!(message, format!("Option '{option}' lacks its argument"));
    }
    for option in ["--persistent-auto-pch=", "-fsycl-device-code-split=", "-Xsycl-target-backend"] {
        assert!(shared().refused(&with_options("", &[option])).contains("lacks its argument"), "{option}");
    }
    // An element that looks like an option is the argument of the one before it.
    assert_eq!(built("static_assert(A == 1);", &["-DA", "-I", "--auto-pch", "-Xs", "-c"]).table.driver_options, "-c");
}

#[test]
fn options_keep_their_order() {
    assert!(log("#ifdef X\n#warning defined\n#endif\n", &["-UX", "-DX"]).contains("defined"));
    assert_eq!(log("#ifdef X\n#warning defined\n#endif\n", &["-DX", "-UX"]), "");
    let source = with_head("#if X == 2\n#warning two\n#endif\n");
    assert!(log(&source, &["-DX=1", "-UX", "-DX=2"]).contains("two"));
    assert!(log(&source, &["-DX=1", "-DX=2"]).contains("'X' macro redefined"));
    let source = with_head("SINGLE void k(int *p) { int unused; *p = 1; }\n");
    assert_eq!(log(&source, &["-Wall", "-Wno-unused-variable"]), "");
    assert!(log(&source, &["-Wno-unused-variable", "-Wall", "-Wunused-variable"]).contains("unused"));
}

#[test]
fn arguments_of_xs_go_to_the_driver_10_2() {
    for (options, expected) in [
        (&["-XsDFOO=bar"][..], "-DFOO=bar"),
        (&["-Xs", "-DFOO=bar"], "-DFOO=bar"),
        (&["-Xs", "plain"], "plain"),
        (&["-Xs", "-cl-opt-disable", "-O1", "-Xsg", "-Xs", "two words"], "-cl-opt-disable -g two words"),
        (&["-Xs '-cl-opt-disable'"], "- '-cl-opt-disable'"),
        (&["-Xsycl-target-backend", "-Xs", "-Xs", "-a"], "-a"),
        (&[], ""),
    ] {
        assert_eq!(built(HEAD, options).table.driver_options, expected, "{options:?}");
    }
    // They do not change the code.
    let source = with_head("SINGLE void k(int *p) { *p = 1; }\n");
    assert_eq!(built(&source, &["-Xs", "-g"]).code, built(&source, &[]).code);
}

#[test]
fn options_without_an_effect_are_taken_10_2_to_10_4() {
    let source = with_head("SINGLE void k(int *p) { *p = 1; }\n");
    let plain = built(&source, &[]).code;
    for options in [
        &["-fsycl-rtc-mode"][..],
        &["-fno-sycl-rtc-mode"],
        &["-fsycl-allow-device-image-dependencies"],
        &["-fno-sycl-allow-device-image-dependencies"],
        &["-fsycl-instrument-device-code"],
        &["-fno-sycl-instrument-device-code"],
        &["--auto-pch"],
        &["--persistent-auto-pch=/tmp/x"],
        &["-fsycl-device-code-split"],
        &["-fsycl-device-code-split-esimd"],
        &["--sycl-rtc-use-system-includes"],
        &["--sycl-rtc-use-system-includes", "--sycl-rtc-experimental-redist-mode"],
        &["-Qunused-arguments"],
        &["-Xsycl-target-backend", "-device pvc"],
        &["-Xsycl-target-backend=spir64_gen", "-device pvc"],
        &["-Xsycl-target-linker", "-s"],
        &["-Xsycl-target-linker=spir64", "-s"],
    ] {
        let built = built(&source, options);
        assert_eq!((built.code == plain, built.log.as_str()), (true, ""), "{options:?}");
        assert_eq!(built.table.driver_options, "", "{options:?}");
    }
}

#[test]
fn macros_of_any_name_leave_our_headers_alone() {
    // Not behind the parsed preamble, nor beginning with what it includes.
    for first in ["", "#include <cmath>\n#include <complex>\n"] {
        for name in ["x", "y", "a", "T", "N", "n", "text", "from", "limit"] {
            let source = format!("{first}static_assert({name} == 3 && F(4) == 4);\n");
            assert_eq!(log(&source, &[&format!("-D{name}=3"), "-DF(p)=p"]), "", "{name}");
        }
    }
    for option in ["-D=3", "-D1x", "-Ddefined"] {
        let log = shared().failed(&with_options("int a;\n", &[option]));
        assert!(log.starts_with("<command line>:1:") && log.contains("error: "), "{log}");
    }
    // The C++ library's headers do see them.
    let source = "#include <vector>\n#ifndef _GLIBCXX_DEBUG_VECTOR\n#error\n#endif\n";
    built(source, &["-D_GLIBCXX_DEBUG"]);
    assert!(log("int a;\n", &["-D__SYCL_DEVICE_ONLY__=2"]).contains("macro redefined"));
}

#[test]
fn code_split_10_3() {
    use CodeSplit::{Auto, Off, PerKernel, PerSource};
    for (options, expected) in [
        (&[][..], Auto),
        (&["-fsycl-device-code-split=auto"], Auto),
        (&["-fsycl-device-code-split=off"], Off),
        (&["-fsycl-device-code-split=per_source"], PerSource),
        (&["-fsycl-device-code-split=per_kernel"], PerKernel),
        (&["-fsycl-device-code-split=per_kernel", "-fsycl-device-code-split"], PerKernel),
        (&["-fsycl-device-code-split=per_kernel", "-fsycl-device-code-split=off"], Off),
    ] {
        assert_eq!(built(HEAD, options).table.code_split, expected, "{options:?}");
    }
    let message = shared().refused(&with_options("", &["-fsycl-device-code-split=none"]));
    assert!(message.contains("'-fsycl-device-code-split=none'") && message.contains("per_kernel"), "{message}");
}

#[test]
fn preprocessor_options_10_3() {
    let place = Place::new(
        "options-preprocessor",
        &[
            ("first.h", "#define FIRST 1\n"),
            ("macros.h", "#define MACRO 2\nint not_seen = no_such;\n"),
            ("user/a.h", "#warning user\n"),
            ("quote/a.h", "#warning quote\n"),
            ("system/a.h", "inline int f(int x) { int unused; return x; }\n"),
            ("system/only.h", "#define ONLY system\n"),
            ("after/only.h", "#define ONLY after\n"),
        ],
    );
    let (first, macros) = (place.path("first.h"), place.path("macros.h"));
    let source = "static_assert(FIRST + MACRO == 3);\n";
    built(source, &["-include", &first, "-imacros", &macros]);
    built(source, &[&format!("-include{first}"), "-DMACRO=2"]);

    let (user, quote, system, after) =
        (place.path("user"), place.path("quote"), place.path("system"), place.path("after"));
    assert!(log("#include \"a.h\"\n", &["-I", &user, "-iquote", &quote]).contains("warning: quote"));
    assert!(log("#include <a.h>\n", &["-I", &user, "-iquote", &quote]).contains("warning: user"));
    // No warnings in headers of the system.
    assert!(log("#include <a.h>\n", &["-Wall", "-I", &system]).contains("unused"));
    assert_eq!(log("#include <a.h>\n", &["-Wall", "-isystem", &system]), "");
    let source =
        "#include <only.h>\n#define TEXT_(x) #x\n#define TEXT(x) TEXT_(x)\nstatic_assert(TEXT(ONLY)[0] == 's');\n";
    built(source, &["-idirafter", &after, "-isystem", &system]);
}

#[test]
fn standards_10_3() {
    for (option, value) in [
        ("-std=c++17", "201703L"),
        ("-std=c++20", "202002L"),
        ("-std=gnu++20", "202002L"),
        ("-std=c++23", "202302L"),
        ("--std=c++23", "202302L"),
    ] {
        built(&with_head(&format!("static_assert(__cplusplus == {value});\n")), &[option]);
    }
    built(&with_head("static_assert(__cplusplus == 201703L);\n"), &[]);
    let log = shared().failed(&with_options(HEAD, &["-std=c++14"]));
    assert!(log.contains("SYCL requires C++17 or later"), "{log}");
    for option in ["-std=nosuch", "-std=c99", "-std=cl3.0"] {
        let message = shared().refused(&with_options("", &[option]));
        assert_eq!(message, format!("Option '{option}' does not name a C++ standard"));
    }
}

#[test]
fn optimisation_levels_10_3() {
    let source =
        with_head("int twice(int x) { int kept = x; return kept * 2; }\nSINGLE void k(int *p) { *p = twice(*p); }\n");
    for (options, level) in [
        (&["-O0"][..], 0),
        (&["-O1"], 1),
        (&["-Og"], 1),
        (&["-O"], 1),
        (&[], 2),
        (&["-O2"], 2),
        (&["-Os"], 2),
        (&["-Oz"], 2),
        (&["-O3"], 3),
        (&["-O0", "-O3"], 3),
    ] {
        let built = built(&source, options);
        assert_eq!(built.table.optimization_level, level, "{options:?}");
        let (calls, variables) = (count(&built.code, OP_FUNCTION_CALL), count(&built.code, OP_VARIABLE));
        assert_eq!((calls != 0, variables != 0), (level == 0, level == 0), "{options:?}");
    }
    // Unrolled for speed, not for size.
    let source = with_head("SINGLE void k(float *p) { for (int i = 0; i != 16; ++i) p[i] = p[i + 1] * 3; }\n");
    assert!(built(&source, &["-Oz"]).code.len() < built(&source, &["-O3"]).code.len());
    assert!(log(&source, &["-O7"]).contains("warning: optimization level '-O7' is not supported; using '-O3' instead"));
}

#[test]
fn debug_information_survives_10_3() {
    let source = with_head(
        "struct Pair { int a; float b; };\nint twice(int x) { int kept = x; return kept * 2; }\n\
         SINGLE void k(int *p, Pair pair) { *p = twice(*p) + pair.a; }\n",
    );
    let ir = |options: &[&str]| {
        let built = built(&source, options);
        assert_eq!((built.table.kernels.len(), built.log.as_str()), (1, ""), "{options:?}");
        shared().text(&built.final_ir)
    };
    assert!(!ir(&[]).contains("!DILocation"));
    for options in [&["-g"][..], &["-g", "-O0"], &["-g1"], &["-gline-tables-only"], &["-ggdb3", "-O3"]] {
        let ir = ir(options);
        assert!(ir.contains("!DILocation(line: 6") && ir.contains("!DIFile(filename: \"rtc_0.cpp\""), "{options:?}");
        let lines_only = options.iter().any(|option| ["-g1", "-gline-tables-only"].contains(option));
        assert_eq!(ir.contains("!DILocalVariable(name: \"p\""), !lines_only, "{options:?}");
    }
}

#[test]
fn fast_math_10_3() {
    let source = with_head("SINGLE void k(float *p) { *p = p[1] * p[2] / p[3]; }\n");
    for (options, fast) in [
        (&[][..], false),
        (&["-ffast-math"], true),
        (&["-ffast-math", "-fno-fast-math"], false),
        (&["-fno-fast-math"], false),
        (&["-ffinite-math-only"], true),
        (&["-fno-signed-zeros"], true),
        (&["-funsafe-math-optimizations"], true),
        (&["-Ofast"], true),
    ] {
        let built = built(&source, options);
        assert_eq!(has_fast_math(&built.code), fast, "{options:?}");
        assert!(options == ["-Ofast"] || built.log.is_empty(), "{options:?}: {}", built.log);
    }
    built("#ifndef __FAST_MATH__\n#error\n#endif\n", &["-ffast-math"]);
}

#[test]
fn limits_10_3() {
    let depth = "constexpr int down(int n) { return n ? down(n - 1) : 0; }\nstatic_assert(down(200) == 0);\n";
    built(depth, &[]);
    assert!(
        shared().failed(&with_options(depth, &["-fconstexpr-depth=100"])).contains("exceeded maximum depth of 100")
    );
    let templates = "template <int N> struct D : D<N - 1> {};\ntemplate <> struct D<0> {};\nD<50> d;\n";
    built(templates, &[]);
    let log = shared().failed(&with_options(templates, &["-ftemplate-depth=20"]));
    assert!(log.contains("recursive template instantiation exceeded maximum depth of 20"), "{log}");
    for option in ["-ftemplate-depth=many", "-ftrivial-auto-var-init-stop-after=many"] {
        let message = shared().refused(&with_options(templates, &[option]));
        assert!(message.contains("invalid integral value 'many'"), "{message}");
    }
    let log = shared().failed(&with_options("int a = b;\nint c = d;\nint e = f;\n", &["-ferror-limit=1"]));
    assert!(log.contains("too many errors emitted") && !log.contains("'f'"), "{log}");
}

#[test]
fn negatives_10_3() {
    // Each switches something off that the source counts on.
    for (source, option, words) in [
        ("int a[(long)&((int *)0)[1]];\nint b = and;\n", "-fno-operator-names", "undeclared identifier 'and'"),
        (
            "int f() { return __builtin_no_such(); }\nint stat;\nint g() { return statt; }\n",
            "-fno-spell-checking",
            "identifier 'statt'",
        ),
        ("char8_t c;\n", "-fno-char8_t", "unknown type name 'char8_t'"),
    ] {
        let options = if option.contains("char8") { vec!["-std=c++20", option] } else { vec![option] };
        let log = shared().failed(&with_options(source, &options));
        assert!(log.contains(words) && !log.contains("did you mean 'stat'"), "{option}: {log}");
    }
}

#[test]
fn warnings_and_remarks_10_2() {
    let source = with_head("SINGLE void k(int *p) { for (int i = 0; i < 3u; ++i) *p = i; }\n");
    assert_eq!(log(&source, &[]), "");
    assert!(log(&source, &["-Wextra"]).contains("[-Wsign-compare]"));
    assert!(log(&source, &["-Weverything", "-Wno-c++98-compat"]).contains("[-Wsign-compare]"));
    assert_eq!(log(&source, &["-Wextra", "-w"]), "");
    assert_eq!(log(&source, &["-Wextra", "-Wno-sign-compare"]), "");
    assert!(
        shared().failed(&with_options(&source, &["-Wsign-compare", "-Werror"])).contains("[-Werror,-Wsign-compare]")
    );
    assert!(shared().failed(&with_options(&source, &["-Werror=sign-compare"])).contains("-Wsign-compare]"));
    assert!(log(&source, &["-Wextra", "-Werror", "-Wno-error=sign-compare"]).contains("warning: "));
    assert!(shared().failed(&with_options("int f(int x) { int x[0]; }\n", &["-pedantic-errors"])).contains("error"));

    // Remarks of LLVM's passes, at the user's line.
    let source = with_head("inline int twice(int x) { return x * 2; }\nSINGLE void k(int *p) { *p = twice(*p); }\n");
    let remarks = built(&source, &["-Rpass=inline"]);
    assert!(
        remarks.log.contains("rtc_0.cpp:5:30: remark: ") && remarks.log.contains("[-Rpass=inline]"),
        "{}",
        remarks.log
    );
    assert!(remarks.log.contains("    5 | SINGLE void k(int *p) { *p = twice(*p); }"), "{}", remarks.log);
    let [remark] = remarks.diagnostics.as_slice() else { panic!("{:#?}", remarks.diagnostics) };
    assert_eq!((remark.severity, remark.location.line, remark.option.as_str()), (Severity::Remark, 5, "-Rpass=inline"));
    assert_eq!(remarks.code, built(&source, &[]).code, "remarks do not change the code");
    assert_eq!(log(&source, &["-Rpass=nothing"]), "");
    let message = shared().refused(&with_options(&source, &["-Rpass=("]));
    assert!(message.contains("-Rpass="), "{message}");
    let source = with_head(
        "SINGLE void k(int *p, int n) {\n#pragma clang loop unroll(full)\nfor (int i = 0; i != n; ++i) p[i] = i;\n}\n",
    );
    assert!(log(&source, &["-O2"]).contains("-Wpass-failed"), "{}", log(&source, &["-O2"]));
    assert_eq!(log(&source, &["-O2", "-Wno-pass-failed"]), "");
}

#[test]
fn time_trace_10_3() {
    let source = with_head("SINGLE void k(int *p) { *p = 1; }\n");
    for (option, file) in [
        ("-ftime-trace=-", "-"),
        ("-ftime-trace=some/where.json", "some/where.json"),
        ("-ftime-trace=/tmp/", "/tmp/rtc_0.json"),
        ("-ftime-trace", "rtc_0.json"),
    ] {
        let trace = built(&source, &[option, "-ftime-trace-granularity=0"]).time_trace.unwrap();
        assert_eq!(trace.file, file);
        assert!(trace.json.starts_with("{\"traceEvents\":"), "{}", &trace.json[..50]);
        // From the front end to the code generator.
        for event in ["\"Frontend\"", "sycl/sycl.hpp", "InlinerPass", "OptFunction"] {
            assert!(trace.json.contains(event), "{event}");
        }
    }
    let coarse = built(&source, &["-ftime-trace=-", "-ftime-trace-granularity=100000000"]).time_trace.unwrap();
    assert!(!coarse.json.contains("sycl/sycl.hpp"), "{}", coarse.json);
    built(&source, &["-ftime-trace=-", "-ftime-trace-verbose"]).time_trace.unwrap();
    assert_eq!(built(&source, &["-ftime-trace-granularity=7"]).time_trace, None);
    for value in ["invalid_int", "", "1.5", "-3"] {
        let option = format!("-ftime-trace-granularity={value}");
        let message = shared().refused(&with_options("", &[&option]));
        assert!(message.starts_with("Invalid time trace granularity\n"), "{message}");
        assert!(message.contains(&format!("invalid integral value '{value}' in '{option}'")), "{message}");
    }
}

#[test]
fn files_in_memory_only_10_3() {
    let option = ["--sycl-rtc-in-memory-fs-only"];
    let log = shared().failed(&with_options("#include <vector>\n", &option));
    assert!(log.contains("rtc_0.cpp:1:10: fatal error: 'vector' file not found"), "{log}");
    let mut request = with_files("#include \"a.h\"\n#include <stddef.h>\nsize_t a = A;\n", &[("a.h", "#define A 1\n")]);
    request.options.push(option[0].into());
    shared().built(&request);
    let message = shared().refused(&with_options("", &["--sycl-rtc-experimental-redist-mode"]));
    assert!(message.contains("'--sycl-rtc-experimental-redist-mode' is not supported"), "{message}");
}

#[test]
fn options_say_the_same_with_and_without_the_parsed_preamble() {
    let source = with_head("#ifdef X\n#warning X\n#endif\nSINGLE void k(int *p) { int u; *p = 1; }\n");
    for options in [
        &["-DX", "-Wall", "-O1"][..],
        &["-DX=2", "-Weverything", "-w"],
        &["-Rno-such", "-Wno-such"],
        &["-DB=1", "-DB=2"],
        &["-DQuote=\"x"],
        &["-Werror=nosuch"],
        &["-O3"],
    ] {
        let warm = with_options(&source, options);
        let cold = Compile { reuse: false, ..warm.clone() };
        let (warm, cold) = (shared().built(&warm), shared().built(&cold));
        let is_cold = |built: &Built| built.stages.iter().any(|(stage, _)| stage == "front end from nothing");
        assert_eq!((is_cold(&warm), is_cold(&cold)), (false, true), "{options:?}");
        assert_eq!((&warm.log, &warm.diagnostics), (&cold.log, &cold.diagnostics), "{options:?}");
        assert_eq!(warm.code, cold.code, "{options:?}");
    }
}

#[test]
fn warning_options_with_values_mean_what_they_do_in_clang() {
    let source = with_head("#if AX\n#endif\nstruct Big { int v[9]; };\nBig f(Big b) { return b; }\n");
    assert!(log(&source, &["-Wlarge-by-value-copy=8"]).contains("[-Wlarge-by-value-copy]"));
    let undefined = log(&source, &["-Wundef-prefix=A"]);
    assert!(undefined.contains("'AX' is not defined, evaluates to 0 [-Wundef-prefix=A]"), "{undefined}");
    assert_eq!(log(&source, &["-Wundef-prefix=B", "-Wframe-larger-than=1"]), "");
}
