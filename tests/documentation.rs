// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#![forbid(unsafe_code)]
//! The documents say what is so: variables, links and paths in them exist.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn read(name: &str) -> String {
    fs::read_to_string(root().join(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
}

/// The Markdown files at the top and in docs/.
fn documents() -> Vec<PathBuf> {
    let mut found = Vec::new();
    for folder in [root().to_owned(), root().join("docs")] {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|extension| extension == "md") {
                found.push(path);
            }
        }
    }
    assert!(found.len() >= 5, "{found:?}");
    found
}

/// The lines outside of fenced blocks.
fn prose(text: &str) -> impl Iterator<Item = &str> {
    let mut fenced = false;
    text.lines().filter(move |line| {
        let fence = line.starts_with("```");
        fenced ^= fence;
        !fence && !fenced
    })
}

/// What stands between single backticks.
fn code_spans(text: &str) -> impl Iterator<Item = &str> {
    prose(text).flat_map(|line| line.split('`').skip(1).step_by(2))
}

#[test]
fn the_page_of_variables_and_the_table_agree() {
    let page = read("docs/environment.md");
    let in_page: BTreeSet<&str> = page
        .lines()
        .filter_map(|line| line.strip_prefix("| `"))
        .filter_map(|line| line.split('`').next())
        .filter(|name| name.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_'))
        .collect();
    let in_table: BTreeSet<&str> = syclrtc::env::ALL.iter().map(syclrtc::env::Variable::name).collect();
    assert_eq!(in_page, in_table);
}

#[test]
fn links_lead_somewhere() {
    for document in documents() {
        let text = fs::read_to_string(&document).unwrap();
        let links = prose(&text).flat_map(|line| line.split("](").skip(1)).filter_map(|rest| rest.split(')').next());
        for link in links {
            if link.starts_with("https://") || link.starts_with('#') {
                continue;
            }
            let file = link.split('#').next().unwrap();
            let target = document.parent().unwrap().join(file);
            assert!(target.exists(), "{}: link to {link}, which does not exist", document.display());
        }
    }
}

#[test]
fn the_code_map_names_what_exists() {
    let text = read("ARCHITECTURE.md");
    let mut paths = 0;
    for span in code_spans(&text) {
        let is_path = span.contains('/') && !span.contains([' ', '<', '*', '…']) && !span.starts_with('/');
        // Paths of the installed tree and of a build are not in the sources.
        if !is_path || ["lib/", "target/"].iter().any(|made| span.starts_with(made)) {
            continue;
        }
        paths += 1;
        assert!(root().join(span).exists(), "ARCHITECTURE.md names {span}, which does not exist");
    }
    assert!(paths > 10, "only {paths} paths found; is the search broken?");
}
