// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Where #include finds files: section 6 of the kernel compiler's rules, I1 to I10.

use std::fs;

use crate::support::*;
use syclrtc_protocol::{Compile, Diagnostic, Location, Output, Reply};

/// A directory that is current for a compile. What a file is comes out as its warning.
fn place(name: &str, files: &[&str]) -> Place {
    let texts: Vec<(&str, String)> = files.iter().map(|file| (*file, warning(&format!("real {file}")))).collect();
    let files: Vec<(&str, &str)> = texts.iter().map(|(file, text)| (*file, text.as_str())).collect();
    Place::new(&format!("includes-{name}"), &files)
}

fn warning(text: &str) -> String {
    format!("#warning {text}\n")
}

/// What a source finds: the same behind the parsed preamble and from nothing.
fn found(place: &Place, source: &str, entries: &[(&str, String)], options: &[String]) -> Vec<String> {
    let entries: Vec<_> = entries.iter().map(|(name, content)| (*name, content.as_str())).collect();
    let texts = |first: &str| {
        let request = Compile {
            working_directory: place.path(""),
            options: options.to_vec(),
            ..with_files(&format!("{first}{source}"), &entries)
        };
        let diagnostics = match shared().reply(&request) {
            Reply::Built(built) => built.diagnostics,
            Reply::Failed { diagnostics, .. } => diagnostics,
            other => panic!("{other:#?}"),
        };
        diagnostics.into_iter().map(|diagnostic| diagnostic.text).collect::<Vec<_>>()
    };
    let warm = texts("#include <sycl/sycl.hpp>\n");
    assert_eq!(warm, texts("// A comment is no #include.\n"), "{source}");
    warm
}

/// Checks what each form of one spelling finds.
fn check(place: &Place, spelling: &str, entries: &[(&str, String)], options: &[String], expected: &str) {
    for source in [format!("#include \"{spelling}\"\n"), format!("#include <{spelling}>\n")] {
        assert_eq!(found(place, &source, entries, options), [expected], "{source}");
    }
}

#[test]
fn entries_of_include_files_may_hold_directories_and_be_absolute_i1() {
    let place = place("i1", &[]);
    for name in
        ["a.h", "dir/a.h", "dir/sub dir/a.h", "/no/such/place/a.h", "./b.h", "../c.h", "no_suffix", "ä/ö.h", "q%\\d.h"]
    {
        check(&place, name, &[(name, warning("entry"))], &[], "entry");
    }
    // The match is on all of the name.
    let source = "#include \"a.h\"\n";
    assert_eq!(found(&place, source, &[("dir/a.h", warning("entry"))], &[]), ["'a.h' file not found"]);
}

#[test]
fn an_entry_beats_files_i2_and_the_working_directory_beats_options_i3() {
    let place = place("i2", &["a.h", "inc/a.h", "two/a.h", "inc/only.h", "two/only.h"]);
    let options: Vec<_> = [place.path("inc"), "two".into()].iter().map(|dir| format!("-I{dir}")).collect();
    check(&place, "a.h", &[("a.h", warning("entry"))], &options, "entry");
    check(&place, "a.h", &[], &options, "real a.h");
    check(&place, "only.h", &[], &options, "real inc/only.h");
    check(&place, "only.h", &[], &[options[1].clone(), options[0].clone()], "real two/only.h");
    check(&place, "only.h", &[("only.h", warning("entry"))], &options, "entry");
    check(&place, &place.path("a.h"), &[], &[], "real a.h");
    let absolute = place.path("a.h");
    check(&place, &absolute, &[(&absolute, warning("entry"))], &[], "entry");
}

#[test]
fn an_entry_reached_through_an_option_does_not_beat_the_working_directory_i4() {
    let place = place("i4", &["a.h"]);
    let entries = [("/no/such/place/a.h", warning("entry a")), ("/no/such/place/b.h", warning("entry b"))];
    let options = ["-I/no/such/place".to_owned()];
    check(&place, "a.h", &entries, &options, "real a.h");
    // The directory exists through the entries alone.
    check(&place, "b.h", &entries, &options, "entry b");
    check(&place, "b.h", &[("virtual/b.h", warning("entry b"))], &["-Ivirtual".to_owned()], "entry b");
}

#[test]
fn entries_are_found_from_any_header_in_both_forms_i5() {
    let place = place("i5", &["inc/real.h"]);
    fs::write(place.path("inc/real.h"), "#include <last.h>\n#include \"last.h\"\n").unwrap();
    let entries = [
        ("first.h", "#include <dir/second.h>\n#include \"dir/second.h\"\n".to_owned()),
        ("dir/second.h", "#include <third.h>\n#include \"third.h\"\n".to_owned()),
        ("third.h", format!("#include <{}>\n#include \"{0}\"\n", place.path("inc/real.h"))),
        ("last.h", warning("entry")),
    ];
    assert_eq!(found(&place, "#include <first.h>\n", &entries, &[]).len(), 16);
}

#[test]
fn a_quoted_name_is_looked_for_beside_its_file_first_i6() {
    let place = place("i6", &["a.h", "inc/a.h", "inc/real.h"]);
    fs::write(place.path("inc/real.h"), "#include \"a.h\"\n").unwrap();
    let real = format!("#include \"{}\"\n", place.path("inc/real.h"));
    assert_eq!(found(&place, &real, &[("a.h", warning("entry"))], &[]), ["real inc/a.h"]);
    let entries =
        [("dir/b.h", "#include \"a.h\"\n".to_owned()), ("dir/a.h", warning("beside")), ("a.h", warning("above"))];
    assert_eq!(found(&place, "#include \"dir/b.h\"\n", &entries, &[]), ["beside"]);
    let entries =
        [("dir/b.h", "#include <a.h>\n".to_owned()), ("dir/a.h", warning("beside")), ("a.h", warning("above"))];
    assert_eq!(found(&place, "#include \"dir/b.h\"\n", &entries, &[]), ["above"]);
}

#[test]
fn an_entry_beats_implicit_headers_i7() {
    let place = place("i7", &[]);
    for name in ["sycl/sycl.hpp", "vector", "stddef.h", "sycl/ext/oneapi/bfloat16.hpp"] {
        for source in [format!("#include <{name}>\n"), format!("#include \"{name}\"\n")] {
            let request = Compile {
                working_directory: place.path(""),
                ..with_files(&source, &[(name, &format!("#warning mine\nint from_{};\n", name.len()))])
            };
            let built = shared().built(&request);
            let [warning] = built.diagnostics.as_slice() else { panic!("{name}: {:#?}", built.diagnostics) };
            assert_eq!((warning.text.as_str(), warning.location.file.as_str()), ("mine", name));
        }
    }
    // Also where one of ours asks for it, and with the rest of it behind.
    let log = shared()
        .built(&with_files(
            "#include <sycl/sycl.hpp>\nstd::array<int, 3> v;\n",
            &[("array", "#warning in between\n#include_next <array>\n")],
        ))
        .log;
    assert!(log.contains("array:1:2: warning: in between"), "{log}");
}

#[test]
fn a_missing_header_is_a_fatal_error_at_its_line_i8() {
    let place = place("i8", &[]);
    for (first, form, shown) in
        [("#include <sycl/sycl.hpp>", "\"no/such.hpp\"", "\"no/such.hpp\""), ("", "<no/such.hpp>", "<no/such.hpp>")]
    {
        let request = Compile {
            working_directory: place.path(""),
            ..request(&format!("{first}\n#include {form}\nint x = y;\n"))
        };
        let Reply::Failed { log, diagnostics } = shared().reply(&request) else { panic!() };
        let text = "rtc_0.cpp:2:10: fatal error: 'no/such.hpp' file not found";
        let [Diagnostic { location, .. }] = diagnostics.as_slice() else { panic!("{diagnostics:#?}") };
        assert_eq!(*location, Location { file: "rtc_0.cpp".into(), line: 2, column: 10 });
        assert_eq!(log, format!("{text}\n    2 | #include {shown}\n      |          ^~~~~~~~~~~~~\n"));
    }
    let log = shared().failed(&with_files("#include \"a.h\"\n", &[("a.h", "\n#include <b.h>\n")]));
    assert!(
        log.starts_with("In file included from rtc_0.cpp:1:\na.h:2:10: fatal error: 'b.h' file not found\n"),
        "{log}"
    );
}

#[test]
fn contents_of_entries_are_part_of_what_is_compiled_i9() {
    let source = "#include <sycl/sycl.hpp>\n#include \"n.h\"\nSYCL_EXT_ONEAPI_FUNCTION_PROPERTY(\
                  (sycl::ext::oneapi::experimental::single_task_kernel)) void k(int *p) { *p = N; }\n";
    let code = |value: &str| shared().built(&with_files(source, &[("n.h", &format!("#define N {value}\n"))])).code;
    assert_eq!(code("41"), code("41"));
    assert_ne!(code("41"), code("42"));
}

#[test]
fn a_main_function_is_nothing_special_i10() {
    let main = "int main(int argc, char **) { return argc; }\n";
    for first in ["#include <sycl/sycl.hpp>\n", ""] {
        let built = shared().built(&request(&format!("{first}{main}")));
        assert!(built.table.kernels.is_empty() && built.log.is_empty(), "{}", built.log);
        shared().built(&Compile { output: Output::Object, ..request(&format!("{first}{main}")) });
    }
}

#[test]
fn has_include_sees_what_include_would() {
    let place = place("has", &["real.h"]);
    let source = "#if __has_include(\"a.h\") && __has_include(<dir/b.h>) && __has_include(\"real.h\") && !__has_include(\"c.h\")\n\
                  #warning all\n#endif\n";
    assert_eq!(found(&place, source, &[("a.h", String::new()), ("dir/b.h", String::new())], &[]), ["all"]);
}

#[test]
fn entries_hold_any_text() {
    let place = place("text", &[]);
    // The last line needs no end, and an entry may hold the pragma that our own set-up uses.
    for content in ["", "#warning", "\u{feff}#pragma once\n", "#pragma syclrtc source\n", "// \0 nul\n"] {
        let expected = if content == "#warning" { vec![""] } else { vec![] };
        assert_eq!(found(&place, "#include \"a.h\"\n", &[("a.h", content.into())], &[]), expected, "{content:?}");
    }
    let open = found(&place, "#include \"a.h\"\nint x;\n", &[("a.h", "#if 1\n".into())], &[]);
    assert_eq!(open, ["unterminated conditional directive"]);
}
