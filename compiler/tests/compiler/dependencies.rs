// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! What replies say about the files that a compile depended on.

use std::{
    collections::BTreeMap,
    fs::{self, File, FileTimes},
    os::unix::fs::symlink,
    time::Duration,
};

use crate::support::*;
use syclrtc_protocol::{Built, Compile, Dependency, Digest, FileState, Reply, Request};

const FIRST_LINE: &str = "#include <sycl/sycl.hpp>\n";

/// A successful compile whose current directory is `place`.
fn built(place: &Place, source: &str, options: &[String]) -> Built {
    shared().built(&in_place(place, source, options))
}

fn in_place(place: &Place, source: &str, options: &[String]) -> Compile {
    Compile { working_directory: place.path(""), options: options.to_vec(), ..request(source) }
}

/// Both ways that a compile can go: behind the parsed preamble, and from nothing.
fn both_ways(source: &str) -> [String; 2] {
    [format!("{FIRST_LINE}{source}"), format!("// No #include comes first.\n{source}")]
}

fn state<'a>(built: &'a Built, path: &str) -> Option<&'a FileState> {
    let found: Vec<_> = built.dependencies.iter().filter(|dependency| dependency.path == path.as_bytes()).collect();
    match found.as_slice() {
        [] => None,
        [one] => Some(&one.state),
        several => panic!("{several:#?}"),
    }
}

/// The files below `place` whose content counted, by their paths in it.
fn read(place: &Place, built: &Built) -> BTreeMap<String, Digest> {
    let files = built.dependencies.iter().filter_map(|dependency| match &dependency.state {
        FileState::File { digest, .. } => Some((String::from_utf8(dependency.path.clone()).unwrap(), *digest)),
        _ => None,
    });
    files.filter_map(|(path, digest)| Some((path.strip_prefix(&place.path(""))?.to_owned(), digest))).collect()
}

fn hold(built: &Built) -> bool {
    built.dependencies.iter().all(Dependency::holds)
}

/// Checks that the list is as it should be: absolute, sorted, each place once, and true at once.
fn check(built: &Built) {
    assert!(built.dependencies.is_sorted_by(|a, b| a.path <= b.path), "{:#?}", built.dependencies);
    for dependency in &built.dependencies {
        assert!(dependency.path.starts_with(b"/"), "{dependency:#?}");
        assert!(dependency.holds(), "{}: {dependency:#?}", String::from_utf8_lossy(&dependency.path));
    }
}

#[test]
fn headers_of_all_kinds_are_noted_with_their_content() {
    let files = [
        ("inc/direct.h", "#include \"beside.h\"\n#include <nested.h>\n"),
        ("inc/beside.h", "int beside;\n"),
        ("two/nested.h", "int nested;\n"),
        ("current.h", "int current;\n"),
        ("unrelated.h", "int unrelated;\n"),
    ];
    let place = Place::new("dependencies-kinds", &files);
    let options = [format!("-I{}", place.path("inc")), "-Itwo".to_owned()];
    for source in both_ways("#include <direct.h>\n#include \"current.h\"\n") {
        let built = built(&place, &source, &options);
        check(&built);
        let expected = files[..4].iter().map(|(file, text)| ((*file).to_owned(), Digest::of(text.as_bytes())));
        assert_eq!(read(&place, &built), expected.collect(), "{source}");
    }
}

#[test]
fn a_compile_from_nothing_notes_all_and_one_behind_the_preamble_names_the_rest() {
    let place = Place::new("dependencies-preamble", &[("a.h", "int a;\n")]);
    let [behind, nothing] = both_ways("#include \"a.h\"\n#include <sycl/sycl.hpp>\n").map(|s| built(&place, &s, &[]));
    assert_eq!(nothing.preamble, None);
    let digest = behind.preamble.unwrap();
    let Reply::Files(files) = shared().ask(&Request::PreambleFiles(digest)) else { panic!() };
    assert!(files.iter().all(Dependency::holds));
    let is_read = |dependency: &&Dependency| matches!(dependency.state, FileState::File { .. });
    let mut together: Vec<_> = files.iter().chain(&behind.dependencies).filter(is_read).collect();
    together.sort_by(|a, b| a.path.cmp(&b.path));
    let alone: Vec<_> = nothing.dependencies.iter().filter(is_read).collect();
    assert!(alone.len() > 50, "the headers of the C++ library are real files");
    assert_eq!(together, alone);
    // A digest that was given to nobody.
    assert_eq!(shared().ask(&Request::PreambleFiles(Digest([0; 32]))), Reply::Files(Vec::new()));
    // The same from another process: the digest names the files.
    assert_eq!(Compiler::start().built(&in_place(&place, FIRST_LINE, &[])).preamble, Some(digest));
}

#[test]
fn a_file_ahead_in_the_order_of_search_is_noticed() {
    let place = Place::new("dependencies-ahead", &[("one/other.h", ""), ("two/a.h", "int a;\n")]);
    let options = [format!("-I{}", place.path("one")), "-Itwo".to_owned()];
    for form in ["#include <a.h>\n", "#include \"a.h\"\n"] {
        for source in both_ways(form) {
            let built = built(&place, &source, &options);
            check(&built);
            assert_eq!(state(&built, &place.path("two/a.h")).map(is_file), Some(true));
            for ahead in ["a.h", "one/a.h"] {
                fs::write(place.path(ahead), "").unwrap();
                assert!(!hold(&built), "{source} with {ahead}");
                fs::remove_file(place.path(ahead)).unwrap();
                assert!(hold(&built));
            }
            fs::write(place.path("three.h"), "").unwrap();
            assert!(hold(&built), "an unrelated file");
        }
    }
}

fn is_file(state: &FileState) -> bool {
    matches!(state, FileState::File { .. })
}

#[test]
fn a_header_of_the_preamble_that_appears_in_a_users_directory_is_noticed() {
    let place = Place::new("dependencies-shadow", &[("inc/mine.h", "")]);
    let built = built(&place, FIRST_LINE, &["-Iinc".to_owned(), "-Ilater".to_owned()]);
    assert!(built.preamble.is_some());
    check(&built);
    // Looking for each of hundreds of headers costs one row.
    assert!(built.dependencies.len() < 10, "{:#?}", built.dependencies);
    for shadow in ["array", "inc/array", "inc/sycl/sycl.hpp", "later/array"] {
        let path = place.path(shadow);
        fs::create_dir_all(std::path::Path::new(&path).parent().unwrap()).unwrap();
        fs::write(&path, "").unwrap();
        assert!(!hold(&built), "{shadow}");
        let top = place.path(if shadow.contains("sycl/") { "inc/sycl" } else { shadow });
        if fs::metadata(&top).unwrap().is_dir() {
            fs::remove_dir_all(top).unwrap();
        } else {
            fs::remove_file(top).unwrap();
        }
        let _ = fs::remove_dir(place.path("later"));
        assert!(hold(&built), "{shadow}");
    }
    // A directory of that name in which there is no such header yet.
    fs::create_dir(place.path("inc/sycl")).unwrap();
    let built = shared().built(&in_place(&place, FIRST_LINE, &["-Iinc".to_owned()]));
    assert!(built.preamble.is_some());
    check(&built);
    fs::write(place.path("inc/sycl/sycl.hpp"), "").unwrap();
    assert!(!hold(&built));
}

#[test]
fn a_search_directory_that_appears_or_becomes_another_one_is_noticed() {
    let place = Place::new("dependencies-directories", &[("one/b.h", ""), ("other/a.h", ""), ("last/a.h", "")]);
    symlink("one", place.path("link")).unwrap();
    let options = ["-Inot-yet", "-Ione", "-Ilink", "-Ilast"].map(str::to_owned);
    for source in both_ways("#include <a.h>\n") {
        let built = built(&place, &source, &options);
        check(&built);
        fs::create_dir(place.path("not-yet")).unwrap();
        assert!(!hold(&built), "a new directory may hold the header");
        fs::remove_dir(place.path("not-yet")).unwrap();
        assert!(hold(&built));
        // Clang searches a directory once, so that nothing was looked for below the second name.
        fs::remove_file(place.path("link")).unwrap();
        symlink("other", place.path("link")).unwrap();
        assert!(!hold(&built), "{source}");
        fs::remove_file(place.path("link")).unwrap();
        symlink("one", place.path("link")).unwrap();
        assert!(hold(&built));
    }
}

#[test]
fn a_working_directory_that_appears_is_noticed() {
    let place = Place::new("dependencies-current", &[]);
    let built = shared().built(&Compile { working_directory: place.path("later"), ..request(FIRST_LINE) });
    check(&built);
    fs::create_dir(place.path("later")).unwrap();
    assert!(!hold(&built));
}

#[test]
fn has_include_depends_on_what_it_found_and_what_not() {
    let place = Place::new("dependencies-has", &[]);
    let text = "#if !__has_include(\"there.h\") || __has_include(\"not.h\")\n#error\n#endif\n";
    for source in both_ways(text) {
        fs::write(place.path("there.h"), "text\n").unwrap();
        let built = built(&place, &source, &[]);
        check(&built);
        fs::write(place.path("not.h"), "").unwrap();
        assert!(!hold(&built));
        fs::remove_file(place.path("not.h")).unwrap();
        assert!(hold(&built));
        fs::remove_file(place.path("there.h")).unwrap();
        assert!(!hold(&built));
    }
}

#[test]
fn embedded_files_are_noted_whole() {
    let place = Place::new("dependencies-embed", &[("data.bin", "0123456789"), ("part.bin", "abcdefghij")]);
    let text = "constexpr char all[] = {\n#embed \"data.bin\"\n};\nconstexpr char part[] = {\n#embed \"part.bin\" limit(3)\n};\n\
                static_assert(sizeof(all) == 10 && all[9] == '9' && sizeof(part) == 3 && part[2] == 'c');\n";
    for source in both_ways(text) {
        let built = built(&place, &source, &["-Wno-c23-extensions".to_owned()]);
        check(&built);
        let expected = [("data.bin", "0123456789"), ("part.bin", "abcdefghij")];
        let expected = expected.map(|(file, text)| (file.to_owned(), Digest::of(text.as_bytes())));
        assert_eq!(read(&place, &built), BTreeMap::from(expected));
    }
}

#[test]
fn a_header_changed_with_equal_size_and_time_is_noticed() {
    let place = Place::new("dependencies-equal", &[("a.h", "int a;\n")]);
    let path = place.path("a.h");
    // Old enough for its stamp to be believed, but for the time of change, which no program can set.
    let [source, _] = both_ways("#include \"a.h\"\n");
    let fresh = built(&place, &source, &[]);
    let stamp = |built: &Built| match state(built, &path) {
        Some(FileState::File { stamp, .. }) => *stamp,
        other => panic!("{other:#?}"),
    };
    assert_eq!(stamp(&fresh), None, "it was written just now");
    std::thread::sleep(Duration::from_millis(2_050));
    let built = built(&place, &source, &[]);
    let before = fs::metadata(&path).unwrap();
    assert!(stamp(&built).is_some_and(|stamp| stamp.size == 7));
    fs::write(&path, "int b;\n").unwrap();
    let file = File::options().write(true).open(&path).unwrap();
    file.set_times(FileTimes::new().set_modified(before.modified().unwrap())).unwrap();
    assert_eq!(fs::metadata(&path).unwrap().modified().unwrap(), before.modified().unwrap());
    assert!(!hold(&built) && !hold(&fresh));
}

#[test]
fn a_header_under_two_names_is_noted_under_both() {
    let place = Place::new("dependencies-names", &[("a.h", "#pragma once\nint a;\n")]);
    symlink("a.h", place.path("link.h")).unwrap();
    for source in both_ways("#include \"a.h\"\n#include \"link.h\"\n") {
        let built = built(&place, &source, &[]);
        check(&built);
        assert_eq!(read(&place, &built).into_keys().collect::<Vec<_>>(), ["a.h", "link.h"]);
    }
}

#[test]
fn entries_and_carried_headers_are_no_dependencies_but_what_would_beat_them_is() {
    let place = Place::new("dependencies-entries", &[("a.h", "int real;\n"), ("sub/x", "")]);
    let source = format!("{FIRST_LINE}#include \"a.h\"\n#include <b.h>\n#include <stddef.h>\n");
    let request = Compile {
        working_directory: place.path("sub"),
        ..with_files(
            &source,
            &[(&place.path("a.h"), ""), ("a.h", "int entry;\n"), ("b.h", "#include <c.h>\n"), ("c.h", "")],
        )
    };
    let built = shared().built(&request);
    check(&built);
    assert!(read(&place, &built).is_empty(), "{:#?}", built.dependencies);
    fs::write(place.path("a.h"), "int changed;\n").unwrap();
    fs::write(place.path("sub/a.h"), "hidden by the entry\n").unwrap();
    assert!(hold(&built), "what an entry hides makes no difference");
    fs::write(place.path("sub/stddef.h"), "").unwrap();
    assert!(!hold(&built), "a file in the current directory beats a header that the program carries");
}

#[test]
fn without_real_files_there_are_no_dependencies() {
    let place = Place::new("dependencies-memory", &[]);
    let request = Compile {
        options: vec!["--sycl-rtc-in-memory-fs-only".into()],
        working_directory: place.path(""),
        ..with_files("#include \"a.h\"\n", &[("a.h", "int a;\n")])
    };
    let built = shared().built(&request);
    assert!(built.dependencies.is_empty() && built.preamble.is_none(), "{:#?}", built.dependencies);
}

#[test]
fn a_link_depends_on_no_file() {
    let place = Place::new("dependencies-link", &[("a.h", "int a;\n")]);
    let source = format!("{FIRST_LINE}#include \"a.h\"\n");
    let object = shared().built(&Compile { working_directory: place.path(""), ..object_of(&source) });
    assert!(object.preamble.is_some() && !object.dependencies.is_empty());
    let image = shared().linked(&[&object]);
    assert!(image.dependencies.is_empty() && image.preamble.is_none());
}
