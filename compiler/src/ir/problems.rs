// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#![forbid(unsafe_code)]
//! What is wrong with the code of a job, for people and as data.

use syclrtc_protocol::{Diagnostic, Location, Note, Severity};

/// Errors, each once. Never empty where it is the error of a result.
#[derive(Debug, Default)]
pub struct Problems(Vec<Diagnostic>);

impl Problems {
    /// One error without a place.
    pub fn one(text: impl Into<String>) -> Self {
        let mut problems = Self::default();
        problems.add(Location::default(), text);
        problems
    }

    /// What can only be a mistake of this program or of LLVM.
    pub fn internal(text: impl AsRef<str>) -> Self {
        Self::one(format!("internal error: {}", text.as_ref()))
    }

    /// Adds an error.
    pub fn add(&mut self, location: Location, text: impl Into<String>) {
        self.add_with_notes(location, text, Vec::new());
    }

    /// Adds an error with what explains it.
    pub fn add_with_notes(&mut self, location: Location, text: impl Into<String>, notes: Vec<Note>) {
        let (severity, text) = (Severity::Error, text.into());
        let diagnostic = Diagnostic { severity, location, text, option: String::new(), notes };
        if !self.0.contains(&diagnostic) {
            self.0.push(diagnostic);
        }
    }

    /// Takes the errors of `others`, each text changed.
    pub fn extend(&mut self, others: Problems, change: impl Fn(&str) -> String) {
        for diagnostic in others.0 {
            self.add_with_notes(diagnostic.location, change(&diagnostic.text), diagnostic.notes);
        }
    }

    /// `Ok` if nothing was added; else the errors, ordered by place.
    ///
    /// # Errors
    /// These errors.
    pub fn into_result(mut self) -> Result<(), Self> {
        if self.0.is_empty() {
            return Ok(());
        }
        let place = |location: &Location| (location.file.clone(), location.line, location.column);
        self.0.sort_by_cached_key(|diagnostic| (place(&diagnostic.location), diagnostic.text.clone()));
        Err(self)
    }

    /// The errors as clang would print them, and as data.
    pub fn into_log(self) -> (String, Vec<Diagnostic>) {
        let mut log = String::new();
        for diagnostic in &self.0 {
            line(&mut log, &diagnostic.location, "error", &diagnostic.text);
            for note in &diagnostic.notes {
                line(&mut log, &note.location, "note", &note.text);
            }
        }
        (log, self.0)
    }
}

fn line(log: &mut String, location: &Location, kind: &str, text: &str) {
    if !location.file.is_empty() {
        *log += &format!("{}:{}:{}: ", location.file, location.line, location.column);
    }
    *log += &format!("{kind}: {text}\n");
}

/// The C++ spelling of a mangled name; the name itself if it is not one.
pub fn demangle(name: &str) -> String {
    // Without its prefix, a mangled name is a type: that of `f` is `float`.
    let symbol = name.starts_with("_Z").then(|| cpp_demangle::Symbol::new(name).ok()?.demangle().ok());
    symbol.flatten().unwrap_or_else(|| name.to_owned())
}

/// A symbol as the compiler knows it and, where that helps, as the source spells it.
pub fn describe_symbol(symbol: &str) -> String {
    match demangle(symbol) {
        same if same == symbol => format!("'{symbol}'"),
        spelled => format!("'{spelled}' ({symbol})"),
    }
}
