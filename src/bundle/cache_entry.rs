// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#![forbid(unsafe_code)]
//! What is kept of an answer of the compiler program, and how it becomes that of another request.

use serde::{Deserialize, Serialize};
use syclrtc_protocol::{Built, Dependency, Diagnostic, FileState, Location, Request};

use super::content::check_globals;
use crate::error::{Error, Result};

/// An answer with the names that it was given for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Entry {
    /// As [`names_of`] the request.
    pub(super) names: Vec<String>,
    /// Of the compiler, as it introduces itself.
    pub(super) compiler: String,
    /// The current directory of the compile; empty for a link.
    pub(super) directory: String,
    pub(super) built: Built,
}

/// Names in a request that shape nothing but texts: those of its main file or of its objects.
pub(super) fn names_of(request: &Request) -> Vec<String> {
    match request {
        Request::Compile(compile) => vec![compile.main_name.clone()],
        Request::Link(link) => link.objects.iter().map(|object| object.label.clone()).collect(),
        Request::PreambleFiles(_) | Request::Disassemble(_) => Vec::new(),
    }
}

impl Entry {
    pub(super) fn encode(&self) -> Result<Vec<u8>> {
        postcard::to_stdvec(self).map_err(|error| Error::internal(format!("a result has no bytes: {error}")))
    }

    /// `None` for bytes that are no entry, or one that no compiler made.
    pub(super) fn decode(bytes: &[u8]) -> Option<Self> {
        let entry = match postcard::take_from_bytes::<Self>(bytes) {
            Ok((entry, [])) => entry,
            _ => return None,
        };
        check_globals(&entry.built.table).is_ok().then_some(entry)
    }

    /// The answer for a request with these names. What the compile took is not told again: it was not done.
    pub(super) fn into_answer(mut self, names: &[String]) -> Built {
        let renaming = Renaming { from: &self.names, to: names };
        self.built.log = renaming.text(&self.built.log);
        self.built.diagnostics.iter_mut().for_each(|diagnostic| renaming.diagnostic(diagnostic));
        self.built.stages.clear();
        self.built
    }
}

/// As if the compile had been done in another directory: it would look at the same places there.
pub(super) fn relocate(dependencies: &mut [Dependency], from: &str, to: &str) {
    let moved = |path: &mut Vec<u8>| {
        if let Some(rest) = inside(path, from) {
            *path = [to.trim_end_matches('/').as_bytes(), rest].concat();
        }
    };
    for dependency in dependencies {
        moved(&mut dependency.path);
        if let FileState::Directory { same_as: Some(other) } = &mut dependency.state {
            moved(other);
        }
    }
}

/// What follows the name of a directory in a path that leads into it, or to it.
pub(super) fn inside<'a>(path: &'a [u8], directory: &str) -> Option<&'a [u8]> {
    let rest = path.strip_prefix(directory.trim_end_matches('/').as_bytes())?;
    (rest.is_empty() || rest.starts_with(b"/")).then_some(rest)
}

/// The first of them that is no longer so. Stamps of files that were written anew with the same content are taken over;
/// `renewed` tells whether there were any.
pub(super) fn first_changed(dependencies: &mut [Dependency], renewed: &mut bool) -> Option<Vec<u8>> {
    for dependency in dependencies {
        let before = dependency.state.clone();
        if !dependency.renew() {
            return Some(dependency.path.clone());
        }
        *renewed |= before != dependency.state;
    }
    None
}

/// Error of a request whose names were others.
pub(super) fn error_for(error: &Error, from: &[String], to: &[String]) -> Error {
    let renaming = Renaming { from, to };
    let mut error = error.clone();
    error.message = renaming.text(&error.message);
    error.log = error.log.map(|log| renaming.text(&log));
    error.diagnostics.iter_mut().for_each(|diagnostic| renaming.diagnostic(diagnostic));
    error
}

/// Puts names of one request in place of those of another. Lists of different lengths belong to requests that cannot have
/// the same answer; nothing is changed then.
struct Renaming<'a> {
    from: &'a [String],
    to: &'a [String],
}

impl Renaming<'_> {
    /// Names inside longer words, and those in lines that show the source, are not the file's.
    fn text(&self, text: &str) -> String {
        if self.from == self.to || self.from.len() != self.to.len() {
            return text.to_owned();
        }
        text.split_inclusive('\n')
            .map(|line| if shows_source(line) { line.to_owned() } else { self.line(line) })
            .collect()
    }

    fn line(&self, line: &str) -> String {
        let mut result = String::with_capacity(line.len());
        let mut rest = line;
        let mut before = None;
        while let Some(next) = rest.chars().next() {
            let found = self.from.iter().zip(self.to).find(|(from, _)| {
                rest.strip_prefix(from.as_str()).is_some_and(|after| {
                    !before.is_some_and(part_of_word) && !after.chars().next().is_some_and(part_of_word)
                })
            });
            let (taken, put) = match found {
                Some((from, to)) if !from.is_empty() => (from.len(), to.as_str()),
                _ => (next.len_utf8(), &rest[..next.len_utf8()]),
            };
            result.push_str(put);
            before = rest[..taken].chars().next_back();
            rest = &rest[taken..];
        }
        result
    }

    fn diagnostic(&self, diagnostic: &mut Diagnostic) {
        self.location(&mut diagnostic.location);
        diagnostic.text = self.text(&diagnostic.text);
        for note in &mut diagnostic.notes {
            self.location(&mut note.location);
            note.text = self.text(&note.text);
        }
    }

    fn location(&self, location: &mut Location) {
        location.file = self.text(&location.file);
    }
}

fn part_of_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Whether a line of a log is clang's `   12 | text` or what stands below such a line.
fn shows_source(line: &str) -> bool {
    let rest = line.trim_start_matches(' ').trim_start_matches(|c: char| c.is_ascii_digit());
    rest.len() < line.len() && rest.starts_with(" |")
}

#[cfg(test)]
mod tests {
    use syclrtc_protocol::{DeviceGlobal, Note, Severity};

    use super::*;

    fn names(list: &[&str]) -> Vec<String> {
        list.iter().map(|name| (*name).to_owned()).collect()
    }

    fn location(file: &str) -> Location {
        Location { file: file.into(), line: 1, column: 2 }
    }

    fn entry() -> Entry {
        let log = "rtc_1.cpp:1:2: warning: unused variable 'rtc_1'\n    1 | // rtc_1.cpp\n      |    ^\n\
                   In file included from rtc_1.cpp:1:\nrtc_1.cpp:4: xrtc_1.cpp rtc_1.cppx rtc_12.cpp ./rtc_1.cpp\n";
        let note = Note { location: location("rtc_1.cpp"), text: "declared in rtc_1.cpp".into() };
        let diagnostic = Diagnostic {
            severity: Severity::Warning,
            location: location("rtc_1.cpp"),
            text: "unused variable 'rtc_1'".into(),
            option: "-Wunused".into(),
            notes: vec![note, Note { location: location("a.h"), text: String::new() }],
        };
        let built = Built {
            code: b"code".to_vec(),
            log: log.into(),
            diagnostics: vec![diagnostic],
            stages: vec![("parse".into(), 3)],
            ..Built::default()
        };
        Entry { names: names(&["rtc_1.cpp"]), compiler: "clang".into(), directory: "/a".into(), built }
    }

    // K9
    #[test]
    fn log_and_diagnostics_name_the_new_main_file() {
        let built = entry().into_answer(&names(&["rtc_23.cpp"]));
        assert_eq!(
            built.log,
            "rtc_23.cpp:1:2: warning: unused variable 'rtc_1'\n    1 | // rtc_1.cpp\n      |    ^\n\
             In file included from rtc_23.cpp:1:\nrtc_23.cpp:4: xrtc_1.cpp rtc_1.cppx rtc_12.cpp ./rtc_23.cpp\n"
        );
        let [diagnostic] = &built.diagnostics[..] else { panic!() };
        assert_eq!(diagnostic.location.file, "rtc_23.cpp");
        assert_eq!(diagnostic.text, "unused variable 'rtc_1'");
        assert_eq!(diagnostic.notes[0].location.file, "rtc_23.cpp");
        assert_eq!(diagnostic.notes[0].text, "declared in rtc_23.cpp");
        assert_eq!(diagnostic.notes[1].location.file, "a.h");
        assert!(built.stages.is_empty() && built.code == b"code");
    }

    #[test]
    fn names_that_change_places_do_not_meet() {
        let (from, to) =
            (names(&["bundle 1 (rtc_0.cpp)", "bundle 2 (rtc_1.cpp)"]), names(&["bundle 1 (rtc_1.cpp)", "x"]));
        let error = Error::build("in bundle 2 (rtc_1.cpp) and bundle 1 (rtc_0.cpp)", "rtc_0.cpp: bundle 1 (rtc_0.cpp)");
        let renamed = error_for(&error, &from, &to);
        assert_eq!(renamed.message, "in x and bundle 1 (rtc_1.cpp)");
        assert_eq!(renamed.log.unwrap(), "rtc_0.cpp: bundle 1 (rtc_1.cpp)");
        assert_eq!(error_for(&error, &from, &to[..1]), error);
        assert_eq!(error_for(&error, &from, &from), error);
    }

    #[test]
    fn every_cut_of_an_entry_is_refused_and_no_flipped_bit_is_a_panic() {
        let bytes = entry().encode().unwrap();
        assert_eq!(Entry::decode(&bytes).unwrap(), entry());
        for cut in 0..bytes.len() {
            assert!(Entry::decode(&bytes[..cut]).is_none());
        }
        for bit in 0..bytes.len() * 8 {
            let mut bad = bytes.clone();
            bad[bit / 8] ^= 1 << (bit % 8);
            drop(Entry::decode(&bad));
        }
        assert!(Entry::decode(&[bytes, vec![0]].concat()).is_none());
    }

    #[test]
    fn an_entry_whose_variables_lie_outside_of_their_block_is_refused() {
        let mut bad = entry();
        bad.built.table.device_globals.push(DeviceGlobal {
            name: "g".into(),
            symbol: "g".into(),
            size: 4,
            align: 4,
            offset: 0,
            image_scope: false,
        });
        assert!(Entry::decode(&bad.encode().unwrap()).is_none());
        bad.built.table.device_global_block = 4;
        assert!(Entry::decode(&bad.encode().unwrap()).is_some());
    }

    #[test]
    fn places_in_the_directory_move_with_it() {
        let directory = |path: &str, same_as: &str| Dependency {
            path: path.into(),
            state: FileState::Directory { same_as: Some(same_as.into()) },
        };
        for (path, from, to, expected) in [
            ("/a/b/h", "/a/b", "/c", "/c/h"),
            ("/a/b", "/a/b", "/c/", "/c"),
            ("/a/b/../c", "/a/b", "/d/e", "/d/e/../c"),
            ("/a/bc", "/a/b", "/d", "/a/bc"),
            ("/usr/h", "/a/b", "/d", "/usr/h"),
            ("/h", "/", "/d", "/d/h"),
            ("h", "/a", "/d", "h"),
        ] {
            let mut all = [directory(path, path)];
            relocate(&mut all, from, to);
            assert_eq!(all, [directory(expected, expected)], "{path} {from} {to}");
        }
    }

    #[test]
    fn the_first_dependency_that_changed_is_told() {
        let missing = |path: &str| Dependency { path: path.into(), state: FileState::Missing };
        let mut renewed = false;
        let mut all = [missing("/nonexistent/a"), missing("/"), missing("/nonexistent/b")];
        assert_eq!(first_changed(&mut all, &mut renewed), Some(b"/".to_vec()));
        assert_eq!(first_changed(&mut all[..1], &mut renewed), None);
        assert!(!renewed);
    }
}
