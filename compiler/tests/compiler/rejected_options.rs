// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Build options that are refused before anything is compiled: 10.5 of the kernel compiler's rules.

use crate::support::*;

#[test]
fn rejected_options_are_named_10_5() {
    let unsupported: &[&[&str]] = &[
        // Actions
        &["-c"],
        &["-S"],
        &["-E"],
        &["-fsyntax-only"],
        &["-emit-llvm"],
        &["-emit-ast"],
        &["--analyze"],
        &["--precompile"],
        &["-extract-api"],
        &["-verify-pch"],
        &["-fdriver-only"],
        &["-rewrite-objc"],
        // What is compiled, or printed
        &["-M"],
        &["-MM"],
        &["-MD"],
        &["-MF", "x"],
        &["-MJ", "x"],
        &["-###"],
        &["--version"],
        &["--help"],
        &["-help"],
        &["-v"],
        &["-H"],
        &["-dM"],
        &["-dumpversion"],
        &["-dumpmachine"],
        &["-print-search-dirs"],
        &["-print-file-name=x"],
        &["--print-supported-cpus"],
        &["-time"],
        &["-ftime-report"],
        &["-fproc-stat-report"],
        &["-x", "c"],
        &["-xc"],
        &["-P"],
        &["--"],
        &["@file"],
        &["-fsycl-device-only"],
        &["-fsycl-host-only"],
        &["-fdirectives-only"],
        // Files that are written
        &["-o", "x"],
        &["-ox"],
        &["-save-temps"],
        &["-save-temps=obj"],
        &["-save-stats"],
        &["-gsplit-dwarf"],
        &["-fsave-optimization-record"],
        &["-foptimization-record-file=x"],
        &["-fstack-usage"],
        &["-fmodule-output"],
        &["-fmodules-cache-path=x"],
        &["-gmodules"],
        &["--cuda-path=x"],
        &["-moutline"],
        &["-fmodules"],
        &["-fcxx-modules"],
        &["--serialize-diagnostics", "x"],
        &["-dumpdir", "x"],
        &["-fcrash-diagnostics-dir=x"],
        &["-fprofile-generate"],
        &["-fprofile-instr-generate"],
        &["-fcs-profile-generate"],
        &["-ftest-coverage"],
        &["-fprofile-arcs"],
        &["--coverage"],
        &["-fcoverage-mapping"],
        &["-fdepfile-entry=x"],
        &["-include-pch", "x"],
        &["-ivfsoverlay", "x"],
        &["-working-directory", "x"],
        // Code that is loaded, and ways around this table
        &["-fplugin=x.so"],
        &["-fpass-plugin=x.so"],
        &["-fplugin-arg-x-y"],
        &["-Xclang", "-load"],
        &["-mllvm", "-debug"],
        &["-Xpreprocessor", "-M"],
        &["-Wp,-M"],
        &["-Wa,-x"],
        &["-Xassembler", "x"],
        &["-Xanalyzer", "x"],
        &["-B", "x"],
        &["--driver-mode=cl"],
        &["--config=x"],
        &["--config", "x"],
        &["-resource-dir", "x"],
        &["-specs", "x"],
        &["-ccc-print-phases"],
        &["-ccc-gcc-name", "x"],
        &["-fintegrated-cc1-nosuch"],
        // Linking
        &["-L/tmp"],
        &["-lm"],
        &["-l", "m"],
        &["-Wl,-s"],
        &["-Xlinker", "-s"],
        &["-z", "now"],
        &["-r"],
        &["-s"],
        &["-e", "f"],
        &["-rpath", "x"],
        &["-nostdlib"],
        &["-nodefaultlibs"],
        &["-shared"],
        &["-static"],
        &["-pie"],
        &["-T", "x"],
        &["-u", "x"],
        &["-fuse-ld=lld"],
        &["-flto"],
        &["-rdynamic"],
        &["-fsycl-link"],
        &["-fsycl-link=image"],
        // Targets
        &["-fsycl-targets=spir64"],
        &["-offload-targets=x"],
        &["--offload-targets=x"],
        &["--offload-arch=sm_50"],
        &["--target=x86_64"],
        &["-target", "x86_64"],
        &["-march=native"],
        &["-mcpu=x"],
        &["-m32"],
        &["-mavx"],
        &["-arch", "x"],
        &["-Xarch_host", "-g"],
        &["-fsycl"],
        &["-fno-sycl"],
        &["-fopenmp"],
        &["-fopenacc"],
        &["-cl-fast-relaxed-math"],
        &["--gcc-toolchain=x"],
        &["-Xsycl-target-frontend", "-g"],
        &["-Xsycl-target-frontend=spir64", "-g"],
        &["-fno-sycl-device-code-split-esimd"],
        // Run-time libraries
        &["-fsanitize=address"],
        &["-fsanitize-coverage=func"],
        &["-fxray-instrument"],
        &["-finstrument-functions"],
        &["-pg"],
        &["-pthread"],
        &["-fstack-protector-all"],
    ];
    for &options in unsupported {
        // Found ahead of what is wrong with the source.
        let message = shared().refused(&with_options("int x = ;", options));
        // A value may be shown apart from its option.
        let named = message.contains(options[0].trim_end_matches(['x', 'c']));
        let known = options[0] != "-fintegrated-cc1-nosuch";
        assert!(named, "{options:?}: {message}");
        assert_eq!(message.contains("is not supported for SYCL runtime compilation"), known, "{options:?}: {message}");
    }
    for (option, words) in [
        ("-fshort-enums", "changes the layout of types"),
        ("-fpack-struct=1", "changes the layout of types"),
        ("-fshort-wchar", "changes the layout of types"),
        ("-fclang-abi-compat=4", "changes the layout of types"),
        ("-frandomize-layout-seed=1", "changes the layout of types"),
        ("-fexceptions", "asks for what device code does not have"),
        ("-fcxx-exceptions", "asks for what device code does not have"),
        ("-frtti", "asks for what device code does not have"),
        ("file.cpp", "'file.cpp' is not an option"),
        ("-", "'-' is not an option"),
    ] {
        let message = shared().refused(&with_options("int x = ;", &[option]));
        assert!(message.contains(words) && message.contains(option), "{option}: {message}");
    }
    // The opposites of what is refused are what holds.
    shared().built(&with_options("", &["-fno-exceptions", "-fno-rtti", "-fno-openmp", "-fno-lto", "-fno-modules"]));
}

#[test]
fn both_forms_of_precompiled_preambles_exclude_each_other_10_5() {
    let message = shared().refused(&with_options("", &["--auto-pch", "--persistent-auto-pch=/x"]));
    assert_eq!(message, "--auto-pch and --persistent-auto-pch= cannot be used together");
}

#[test]
fn an_unknown_option_is_refused_with_the_nearest_known_one() {
    for (option, nearest) in [
        ("-ffast-mat", "-ffast-math"),
        ("-ffastmath", "-ffast-math"),
        ("--auto-pchh", "--auto-pch"),
        ("--persistent-auto-pch", "--persistent-auto-pch="),
        ("--persistent-autopch=/tmp", "--persistent-auto-pch="),
        ("-fsycl-rtc-modes", "-fsycl-rtc-mode"),
        ("-fsycl-device-code-splitt=off", "-fsycl-device-code-split="),
        ("-Xsycl-target-backendd", "-Xsycl-target-backend"),
        ("-fconstexpr-dept=3", "-fconstexpr-depth="),
        ("-ftime-trase=x", "-ftime-trace="),
    ] {
        let message = shared().refused(&with_options("int x = ;", &[option]));
        assert_eq!(message, format!("unknown argument: '{option}'; did you mean '{nearest}'?"));
    }
    assert_eq!(shared().refused(&with_options("", &["-q0xy"])), "unknown argument: '-q0xy'");
    // What is refused is not offered.
    assert!(!shared().refused(&with_options("", &["-fsycl-targetss=x"])).contains("did you mean '-fsycl-targets"));
}
