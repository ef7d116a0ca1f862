// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Diagnostics: clang's text in the log, and the same as data.

use crate::support::*;
use syclrtc_protocol::{Compile, Diagnostic, Location, Reply, Severity};

const HEAD: &str = "#include <sycl/sycl.hpp>\nnamespace syclexp = sycl::ext::oneapi::experimental;\n\
                    #define SINGLE SYCL_EXT_ONEAPI_FUNCTION_PROPERTY(syclexp::single_task_kernel)\n";

fn at(file: &str, line: u32, column: u32) -> Location {
    Location { file: file.into(), line, column }
}

/// The log and the diagnostics, whether the compile succeeded or not.
fn said(compiler: &Compiler, request: &Compile) -> (String, Vec<Diagnostic>) {
    match compiler.reply(request) {
        Reply::Built(built) => (built.log, built.diagnostics),
        Reply::Failed { log, diagnostics } => (log, diagnostics),
        other => panic!("{other:#?}"),
    }
}

/// The same request once behind the checkpoint and once from nothing: text and data may not differ.
fn said_alike(compiler: &Compiler, request: &Compile) -> (String, Vec<Diagnostic>) {
    let warm = said(compiler, request);
    let mut options = request.options.clone();
    options.push("-fno-delete-null-pointer-checks".into());
    let cold = said(compiler, &Compile { options, ..request.clone() });
    assert_eq!(warm, cold);
    warm
}

#[test]
fn an_error_is_data_with_place_text_and_notes() {
    let compiler = shared();
    let source = format!("{HEAD}int twice;\nfloat twice;\n");
    let (log, diagnostics) = said_alike(compiler, &request(&source));
    let [error] = diagnostics.as_slice() else { panic!("{diagnostics:#?}") };
    assert_eq!(error.severity, Severity::Error);
    assert_eq!(error.location, at("rtc_0.cpp", 5, 7));
    assert_eq!(error.text, "redefinition of 'twice' with a different type: 'float' vs 'int'");
    assert_eq!(error.option, "");
    let [note] = error.notes.as_slice() else { panic!("{error:#?}") };
    assert_eq!((&note.location, note.text.as_str()), (&at("rtc_0.cpp", 4, 5), "previous definition is here"));
    assert!(log.contains("rtc_0.cpp:5:7: error: redefinition of 'twice'"), "{log}");
}

#[test]
fn warnings_and_errors_keep_their_order_and_name_their_option() {
    let compiler = shared();
    let (_, diagnostics) = said_alike(compiler, &request(&format!("{HEAD}#warning first\nint x = ;\n#warning last\n")));
    let seen: Vec<_> = diagnostics.iter().map(|d| (d.severity, d.location.line, d.option.as_str())).collect();
    let expected =
        [(Severity::Warning, 4, "-W#warnings"), (Severity::Error, 5, ""), (Severity::Warning, 6, "-W#warnings")];
    assert_eq!(seen, expected, "{diagnostics:#?}");
    let source = format!("{HEAD}SINGLE void k(int *p) {{ int unused = 1; *p = 1; }}\n");
    let (log, diagnostics) = said_alike(compiler, &with_options(&source, &["-Wall", "-Werror"]));
    let [promoted] = diagnostics.as_slice() else { panic!("{diagnostics:#?}") };
    assert_eq!((promoted.severity, promoted.option.as_str()), (Severity::Error, "-Wunused-variable"));
    assert!(log.contains("[-Werror,-Wunused-variable]"), "{log}");
}

#[test]
fn files_on_the_way_are_notes() {
    let compiler = shared();
    let files = [("a.hpp", "\n  #include \"dir/b.hpp\"\n"), ("dir/b.hpp", "no_such_type f();\nno_such_type g();\n")];
    let request = with_files(&format!("{HEAD}#include \"a.hpp\"\n"), &files);
    let (log, diagnostics) = said_alike(compiler, &request);
    // The text says it once, the data with each.
    assert_eq!(log.matches("In file included from rtc_0.cpp:4:").count(), 1, "{log}");
    assert_eq!(diagnostics.len(), 2);
    for (index, error) in diagnostics.iter().enumerate() {
        assert_eq!(error.location, at("dir/b.hpp", index as u32 + 1, 1));
        assert_eq!(error.text, "unknown type name 'no_such_type'");
        let places: Vec<_> = error.notes.iter().map(|note| note.location.clone()).collect();
        assert_eq!(places, [at("rtc_0.cpp", 4, 10), at("a.hpp", 2, 12)], "{error:#?}");
        assert!(error.notes.iter().all(|note| note.text == "in file included from here"));
    }
}

#[test]
fn macros_on_the_way_are_notes() {
    let source = format!("{HEAD}#define INNER(x) x + nothing\n#define OUTER(x) INNER(x)\nint a = OUTER(1);\n");
    let (_, diagnostics) = said_alike(shared(), &request(&source));
    let [error] = diagnostics.as_slice() else { panic!("{diagnostics:#?}") };
    assert_eq!(error.location, at("rtc_0.cpp", 6, 9));
    let notes: Vec<_> = error.notes.iter().map(|note| (note.location.line, note.text.as_str())).collect();
    assert_eq!(notes, [(5, "expanded from macro 'OUTER'"), (4, "expanded from macro 'INNER'")]);
}

#[test]
fn fatal_errors_and_those_without_a_place() {
    let compiler = shared();
    let (_, diagnostics) = said_alike(compiler, &request(&format!("{HEAD}#include \"no/such.hpp\"\n")));
    let [fatal] = diagnostics.as_slice() else { panic!("{diagnostics:#?}") };
    assert_eq!((fatal.severity, &fatal.location), (Severity::Fatal, &at("rtc_0.cpp", 4, 10)));
    assert_eq!(fatal.text, "'no/such.hpp' file not found");

    let (log, diagnostics) = said(compiler, &with_options(HEAD, &["-std=c++14"]));
    let [old] = diagnostics.as_slice() else { panic!("{diagnostics:#?}") };
    assert_eq!((old.severity, &old.location), (Severity::Error, &Location::default()));
    assert_eq!(log, format!("error: {}\n", old.text));

    let (log, diagnostics) = said_alike(compiler, &with_options(HEAD, &["-Wno-such-warning"]));
    let [unknown] = diagnostics.as_slice() else { panic!("{diagnostics:#?}") };
    assert_eq!((unknown.severity, unknown.option.as_str()), (Severity::Warning, "-Wunknown-warning-option"));
    assert_eq!((&unknown.location, unknown.text.contains("-Wno-such-warning")), (&Location::default(), true), "{log}");
}

#[test]
fn line_directives_and_the_end_of_the_text_are_shown_as_the_user_sees_them() {
    let compiler = shared();
    let (_, diagnostics) = said_alike(compiler, &request(&format!("{HEAD}#line 70 \"generated.cl\"\nint x = y;\n")));
    assert_eq!(diagnostics[0].location, at("generated.cl", 70, 9));
    let (_, diagnostics) = said_alike(compiler, &request(&format!("{HEAD}void f() {{\n")));
    assert_eq!(
        (diagnostics[0].location.file.as_str(), diagnostics[0].notes.len()),
        ("rtc_0.cpp", 1),
        "{diagnostics:#?}"
    );
    let names = Compile { registered_names: vec!["nope".into()], ..request(HEAD) };
    let (_, diagnostics) = said_alike(compiler, &names);
    assert_eq!(diagnostics[0].location, at("registered_names", 1, 28));
}

#[test]
fn success_without_a_word_has_no_diagnostics() {
    let (log, diagnostics) = said_alike(shared(), &request(&format!("{HEAD}SINGLE void k() {{}}\n")));
    assert!(log.is_empty() && diagnostics.is_empty(), "{log}");
}

#[test]
fn bytes_that_are_no_utf8_do_not_hurt_the_log() {
    let place = |source: Vec<u8>| said_alike(shared(), &Compile { source, ..request("") });
    let (log, diagnostics) = place([HEAD.as_bytes(), b"int \xff\xfe = 1;\n"].concat());
    assert!(log.contains("rtc_0.cpp:4:5: error: "), "{log}");
    assert_eq!(diagnostics[0].location, at("rtc_0.cpp", 4, 5));
    let (log, diagnostics) = place([HEAD.as_bytes(), "#warning \u{e4}\u{4f60}\u{1f600} \t\u{7}\n".as_bytes()].concat());
    assert!(log.contains("warning: \u{e4}\u{4f60}\u{1f600}"), "{log}");
    assert!(diagnostics[0].text.starts_with("\u{e4}\u{4f60}\u{1f600}"), "{diagnostics:#?}");
    // Columns count bytes.
    let (_, diagnostics) = place([HEAD.as_bytes(), "/* \u{1f600} */ int x = y;\n".as_bytes()].concat());
    assert_eq!(diagnostics[0].location, at("rtc_0.cpp", 4, 20));
}

#[test]
fn colours_stay_off() {
    for option in ["-fcolor-diagnostics", "-fdiagnostics-color=always", "-fansi-escape-codes"] {
        let (log, _) = said(shared(), &with_options("int x = y;\n", &[option, "-fcolor-diagnostics"]));
        assert!(log.contains("rtc_0.cpp:1:9: error: ") && !log.contains('\u{1b}'), "{log}");
    }
}

#[test]
fn a_log_of_many_megabytes_arrives_whole() {
    let line = format!("#warning {}\n", "x".repeat(2000));
    let source = format!("{HEAD}{}", line.repeat(5000));
    let built = shared().built(&request(&source));
    assert_eq!((built.diagnostics.len(), built.log.matches(": warning: ").count()), (5000, 5000));
    assert!(built.log.len() > 20_000_000, "{}", built.log.len());
    assert_eq!(built.diagnostics[4999].location.line, 5003);
}

#[test]
fn what_the_code_side_finds_is_data_too_x1() {
    let source = format!("{HEAD}void nowhere(int *);\nSINGLE void k(int *p) {{ int unused; nowhere(p); }}\n");
    let (log, diagnostics) = said_alike(shared(), &with_options(&source, &["-Wall"]));
    let seen: Vec<_> = diagnostics.iter().map(|d| d.severity).collect();
    assert_eq!(seen, [Severity::Warning, Severity::Error], "{diagnostics:#?}");
    assert!(log.contains("unused variable") && log.contains("nowhere"), "{log}");
    assert!(diagnostics[1].text.contains("nowhere"), "{diagnostics:#?}");
}
