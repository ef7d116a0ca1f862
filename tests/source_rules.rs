// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#![forbid(unsafe_code)]
//! Rules of the source that no compiler checks: which part may use which, and that no export lacks the panic barrier.

use std::{
    fs,
    path::{Path, PathBuf},
};

/// Each part with those that it may use. What is not here does not exist.
const USES: &[(&str, &[&str])] = &[
    ("capi", &["bundle", "runtime", "backend", "error", "logging"]),
    ("bundle", &["compiler", "runtime", "backend", "cache", "image", "env", "error", "os"]),
    ("compiler", &["cache", "env", "os"]),
    ("runtime", &["backend", "image", "env", "error", "os"]),
    ("backend", &["image", "env", "error", "os"]),
    ("cache", &["env", "error", "os"]),
    ("image", &["error"]),
    ("logging", &["env"]),
    ("env", &["error", "os"]),
    ("error", &[]),
    ("os", &["error"]),
    ("lib", &[]),
];

fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
    found
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Names of the parts that a text refers to by `crate::`, in any way of writing it.
fn parts_used(text: &str) -> Vec<String> {
    let mut parts = Vec::new();
    let word = |text: &str| text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect::<String>();
    for (at, _) in text.match_indices("crate::") {
        if text[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == '$') {
            continue;
        }
        let rest = &text[at + "crate::".len()..];
        let Some(group) = rest.strip_prefix('{') else {
            parts.push(word(rest));
            continue;
        };
        // The names at depth 1 of the group.
        let (mut depth, mut fresh) = (1, true);
        for (index, c) in group.char_indices() {
            match c {
                '{' => depth += 1,
                '}' => depth -= 1,
                ',' => fresh = depth == 1,
                c if fresh && (c.is_alphabetic() || c == '_') => {
                    parts.push(word(&group[index..]));
                    fresh = false;
                }
                _ => {}
            }
            if depth == 0 {
                break;
            }
        }
    }
    parts
}

/// Comments may name anything.
fn without_comments(text: &str) -> String {
    text.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n")
}

#[test]
fn the_reader_of_use_lines_knows_all_ways_of_writing_them() {
    let text =
        "use crate::error::{A, B};\nuse crate::{\n    backend::{self, X},\n    env as variables,\n};\ncrate::os::f();";
    assert_eq!(parts_used(text), ["error", "backend", "env", "os"]);
    assert!(parts_used("$crate::x; mycrate::y").is_empty());
}

#[test]
fn parts_use_only_what_is_below_them() {
    let mut seen = 0;
    for path in sources(&root().join("src")) {
        let inside = path.strip_prefix(root().join("src")).unwrap();
        let part = inside.iter().next().unwrap().to_string_lossy();
        let part = part.trim_end_matches(".rs");
        let allowed = USES.iter().find(|(name, _)| *name == part);
        let (_, allowed) = allowed.unwrap_or_else(|| panic!("{} is in no part of the table", inside.display()));
        for used in parts_used(&without_comments(&fs::read_to_string(&path).unwrap())) {
            assert!(
                used == part || allowed.contains(&used.as_str()),
                "{}: `{part}` must not use `{used}`",
                inside.display()
            );
            seen += 1;
        }
    }
    assert!(seen > 50, "only {seen} uses were read");
}

#[test]
fn layers_do_not_see_each_others_types() {
    for (part, words) in [
        // C types stay in capi, drivers' types in their back end.
        ("bundle", &["c_char", "c_void", "extern \"C\"", "opencl3", "cl3::", "unsafe "][..]),
        ("runtime", &["c_char", "extern \"C\"", "opencl3", "cl3::", "syclrtc_protocol"]),
        ("compiler", &["opencl3", "cl3::", "extern \"C\""]),
        ("cache", &["opencl3", "cl3::", "extern \"C\"", "Built", "unsafe "]),
        ("capi", &["opencl3", "cl3::", "syclrtc_protocol", "crate::compiler", ".unwrap()", ".expect("]),
    ] {
        for path in sources(&root().join("src").join(part)) {
            let text = fs::read_to_string(&path).unwrap();
            let code = without_comments(text.split("#[cfg(test)]").next().unwrap_or_default());
            for word in words {
                assert!(!code.contains(word), "{}: {word:?}", path.display());
            }
        }
    }
}

/// Name and text of each exported function.
fn exports() -> Vec<(String, String)> {
    let mut found = Vec::new();
    for path in sources(&root().join("src")) {
        let text = fs::read_to_string(&path).unwrap();
        let code = without_comments(&text);
        for (at, mark) in code.match_indices("#[unsafe(no_mangle)]") {
            let rest = &code[at + mark.len()..];
            let name = rest.split("fn ").nth(1).unwrap().split('(').next().unwrap().to_owned();
            let end = rest.find("\n}").unwrap_or_else(|| panic!("{name} has no end"));
            found.push((name, rest[..end].to_owned()));
        }
    }
    found
}

#[test]
fn every_export_has_the_panic_barrier_and_nothing_beside_it() {
    let exports = exports();
    assert!(exports.len() > 50, "only {} exports were read", exports.len());
    for (name, text) in exports {
        let body = text.split_once(" {\n").unwrap_or_else(|| panic!("{name} has no body")).1.trim();
        let statements = body.lines().filter(|line| line.starts_with("    ") && !line.starts_with("     ")).count();
        let guarded = ["fallible(", "infallible("].iter().any(|start| body.starts_with(start));
        // `syclrtc_error_log` names a function first; a `let` of a closure runs nothing.
        let named = body.starts_with("let log = |") && body.contains("infallible(");
        assert!(guarded || named, "{name} does not run inside the border:\n{body}");
        assert!(statements <= 3, "{name} does more than one thing:\n{body}");
        let fails = text.contains("-> *mut syclrtc_error_t") && name != "syclrtc_error_clone";
        assert_eq!(fails, body.contains(" fallible(") || body.starts_with("fallible("), "{name}");
        assert!(name.starts_with("syclrtc_"), "{name}");
        assert!(text.contains("pub extern \"C\" fn") || text.contains("pub unsafe extern \"C\" fn"), "{name}");
    }
}

#[test]
fn the_list_of_exports_is_sorted_and_complete() {
    let text = fs::read_to_string(root().join("exports.txt")).unwrap();
    let listed: Vec<(&str, &str)> = text
        .lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| line.split_once(' ').unwrap_or_else(|| panic!("no version: {line}")))
        .collect();
    assert!(listed.is_sorted_by(|a, b| a.0 < b.0), "exports.txt is not sorted, or has a name twice");
    for (name, version) in &listed {
        let numbers: Vec<_> = version.split('.').map(str::parse::<u32>).collect();
        assert!(numbers.len() == 3 && numbers.iter().all(Result::is_ok), "{name} {version}");
    }
    let mut names: Vec<String> = exports().into_iter().map(|(name, _)| name).collect();
    names.sort();
    assert_eq!(names, listed.iter().map(|(name, _)| *name).collect::<Vec<_>>(), "exports.txt");
}

#[test]
fn every_export_says_what_a_c_programmer_must_know() {
    for path in sources(&root().join("src/capi")) {
        let text = fs::read_to_string(&path).unwrap();
        let blocks: Vec<&str> = text.split("#[unsafe(no_mangle)]").collect();
        for (block, next) in blocks.iter().zip(&blocks[1..]) {
            let name = next.split("fn ").nth(1).unwrap().split('(').next().unwrap();
            let comment: Vec<&str> = block.lines().rev().take_while(|line| line.starts_with("///")).collect();
            let comment = comment.join("\n");
            assert!(comment.contains("Since 0.") && comment.contains("Threads: any"), "{name}");
            let signature = next.split('{').next().unwrap();
            if signature.contains("-> *mut syclrtc_error_t") && name != "syclrtc_error_clone" {
                assert!(comment.contains("Errors"), "{name}");
            }
        }
    }
}
