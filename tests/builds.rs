// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! What builds, compiles and links say, and what reaches the driver.

mod common;

use std::{env, fs};

use common::{refused, setups, with};
use syclrtc::error::{Errc, Severity};

const KERNEL: &str = "extern \"C\" TASK void k(int *p) { *p = 1; }\n";
/// With a warning, at line 1 behind the head.
const WARNS: &str = "extern \"C\" TASK void k(int *p) { int unused_one = 2; *p = 1; }\n";

// X1 of kernel-compiler.md
#[test]
fn warnings_are_in_the_log_and_data_of_builds_and_compiles() {
    for setup in setups() {
        let built = setup.try_build(WARNS, &["-Wall"], &[]).unwrap();
        let object = setup.try_compile(WARNS, &["-Wall"], &[]).unwrap();
        for bundle in [&built, &object] {
            assert!(bundle.log().contains("warning: unused variable 'unused_one'"), "{}", bundle.log());
            let [diagnostic] = bundle.diagnostics() else { panic!("{:?}", bundle.diagnostics()) };
            assert_eq!(diagnostic.severity, Severity::Warning);
            assert!(diagnostic.text.contains("unused_one"), "{diagnostic:?}");
            assert_eq!(diagnostic.option, "-Wunused-variable");
            let line = common::HEAD.lines().count() as u32 + 1;
            assert!(diagnostic.location.file.starts_with("rtc_") && diagnostic.location.line == line, "{diagnostic:?}");
            assert!(bundle.build_times().unwrap().compiler.as_nanos() > 0);
        }
        let source = setup.source(WARNS);
        assert!(source.log().is_empty() && source.diagnostics().is_empty() && source.build_times().is_err());
        // A link says what it has to say itself.
        assert!(!setup.link(&[&object]).log().contains("unused_one"));
    }
}

#[test]
fn errors_carry_their_diagnostics() {
    for setup in setups() {
        let text = "extern \"C\" TASK void k(int *p) { *p = no_such_name; }\n";
        for result in [setup.try_build(text, &[], &[]), setup.try_compile(text, &[], &[])] {
            let error = refused(result, Errc::Build, &["Device compilation failed", "no_such_name"]);
            assert_eq!(error.diagnostics.len(), 1, "{:?}", error.diagnostics);
            assert_eq!(error.diagnostics[0].severity, Severity::Error);
            assert!(error.log.is_some_and(|log| log.contains("error: use of undeclared identifier 'no_such_name'")));
        }
    }
}

// 10.2: -Xs
#[test]
fn options_for_the_driver_reach_it() {
    for setup in setups() {
        for options in [&["-Xs", "-cl-opt-disable"][..], &["-Xscl-opt-disable"]] {
            assert_eq!(setup.result(&setup.try_build(KERNEL, options, &[]).unwrap(), "k"), 1);
            let linked = setup.link(&[&setup.try_compile(KERNEL, options, &[]).unwrap()]);
            assert_eq!(setup.result(&linked, "k"), 1);
        }
        // Only the driver can know that it has no such option.
        let options = ["-Xs", "-cl-no-such-option"];
        let errors = [
            setup.try_build(KERNEL, &options, &[]).err(),
            setup.try_link(&[&setup.try_compile(KERNEL, &options, &[]).unwrap()]).err(),
        ];
        for error in errors {
            let error = error.unwrap_or_else(|| panic!("{} takes any option", setup.device.name()));
            assert!(matches!(error.code, Errc::Build | Errc::Invalid), "{error}");
        }
    }
}

// 10.3: -ftime-trace
#[test]
fn a_time_trace_is_written_where_the_option_says() {
    for (index, setup) in setups().iter().enumerate() {
        let file = env::temp_dir().join(format!("syclrtc_time_trace_{}_{index}.json", std::process::id()));
        let option = format!("-ftime-trace={}", file.display());
        setup.try_build(KERNEL, &[&option], &[]).unwrap();
        assert!(fs::read_to_string(&file).unwrap().contains("\"traceEvents\""));
        fs::remove_file(&file).unwrap();
        setup.try_compile(KERNEL, &[&option], &[]).unwrap();
        fs::remove_file(&file).unwrap();
        refused(
            setup.try_build(KERNEL, &["-ftime-trace=/nonexistent/trace.json"], &[]),
            Errc::Invalid,
            &["Parsing of user arguments failed", "/nonexistent/trace.json"],
        );
    }
}

// Properties are checked before options, and options before the text.
#[test]
fn other_languages_have_no_registered_names() {
    use syclrtc::bundle::{KernelBundle, Language};
    for setup in setups() {
        for language in [Language::OpenCl, Language::Spirv] {
            let Ok(source) = KernelBundle::create_from_source(&setup.context, language, b"?".to_vec(), Vec::new())
            else {
                continue;
            };
            let error = source.build(setup.devices(), &with(&["--bad"], &["k"]));
            refused(error, Errc::Invalid, &["registered_names", language.name()]);
        }
    }
}
