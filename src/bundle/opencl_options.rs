// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Options of OpenCL C compilers: those that the OpenCL specification has, and no others.

use super::build::detailed;
use crate::{
    backend::ClVersion,
    error::{Error, Result},
};

/// Options that have passed.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Options {
    /// For the driver.
    pub(super) text: String,
    /// The version of `-cl-std=`, if it is there; of several the last.
    pub(super) version: Option<ClVersion>,
}

/// Options without an argument.
const FLAGS: &[&str] = &[
    "-cl-denorms-are-zero",
    "-cl-fast-relaxed-math",
    "-cl-finite-math-only",
    "-cl-fp32-correctly-rounded-divide-sqrt",
    "-cl-kernel-arg-info",
    "-cl-mad-enable",
    "-cl-no-signed-zeros",
    "-cl-no-subgroup-ifp",
    "-cl-opt-disable",
    "-cl-single-precision-constant",
    "-cl-strict-aliasing",
    "-cl-uniform-work-group-size",
    "-cl-unsafe-math-optimizations",
    "-Werror",
    "-g",
    "-w",
];
/// Options whose argument follows in the same word or in the next one.
const WITH_ARGUMENT: &[&str] = &["-D", "-I"];
/// Followed by `CL<major>.<minor>` in the same word.
const STANDARD: &str = "-cl-std=";
/// Options of the specification that cannot be used here, with the reason.
const REFUSED: &[(&str, &str)] = &[
    ("-create-library", "a bundle is a program, not a library"),
    ("-enable-link-options", "it is for libraries"),
    ("-x", "the source is OpenCL C"),
    ("-spir-std=", "the source is OpenCL C"),
];

/// Checks the options and joins them. An element may hold several; one with blanks inside double quotes is one word.
///
/// # Errors
/// [`Errc::Invalid`](crate::error::Errc::Invalid) with the option in the message.
pub(super) fn parse(elements: &[String]) -> Result<Options> {
    let given: Vec<&str> =
        elements.iter().map(|element| element.trim()).filter(|element| !element.is_empty()).collect();
    let text = given.join(" ");
    if text.contains('\0') {
        return Err(bad(&format!("'{}' holds a NUL character", text.escape_debug())));
    }
    let words = words(&text)?;
    let mut version = None;
    let mut rest = words.iter();
    while let Some(&word) = rest.next() {
        if WITH_ARGUMENT.contains(&word) {
            if rest.next().is_none() {
                return Err(bad(&format!("argument to '{word}' is missing")));
            }
        } else if let Some(standard) = word.strip_prefix(STANDARD) {
            version = Some(standard_version(standard)?);
        } else if !FLAGS.contains(&word) && !WITH_ARGUMENT.iter().any(|option| word.starts_with(option)) {
            return Err(refuse(word));
        }
    }
    Ok(Options { text, version })
}

/// Splits at blanks that are not within double quotes.
fn words(text: &str) -> Result<Vec<&str>> {
    let mut words = Vec::new();
    let mut start = None;
    let mut quoted = false;
    for (at, character) in text.char_indices() {
        if character.is_whitespace() && !quoted {
            words.extend(start.take().map(|start| &text[start..at]));
            continue;
        }
        start.get_or_insert(at);
        quoted ^= character == '"';
    }
    if quoted {
        return Err(bad(&format!("'{text}' has a quote that does not end")));
    }
    words.extend(start.map(|start| &text[start..]));
    Ok(words)
}

fn standard_version(standard: &str) -> Result<ClVersion> {
    let version = standard.strip_prefix("CL").and_then(|version| {
        let (major, minor) = version.split_once('.')?;
        let number = |text: &str| if text.len() == 1 { text.parse().ok() } else { None };
        Some(ClVersion::new(number(major)?, number(minor)?))
    });
    version.ok_or_else(|| {
        bad(&format!("'{STANDARD}{standard}' names no version of OpenCL C; versions are CL1.1, CL1.2, CL2.0 and CL3.0"))
    })
}

fn refuse(word: &str) -> Error {
    if let Some((_, reason)) = REFUSED.iter().find(|(option, _)| word.starts_with(option)) {
        return bad(&format!("option '{word}' is not supported: {reason}"));
    }
    let known = FLAGS.iter().copied().chain(WITH_ARGUMENT.iter().copied()).chain([STANDARD]);
    let nearest = known.map(|option| (distance(word, option), option)).min();
    match nearest {
        // As many changes as a slip of the finger makes.
        Some((changes, option)) if changes <= 1 + word.len() / 5 => {
            bad(&format!("option '{word}' is unknown; did you mean '{option}'?"))
        }
        _ => bad(&format!("option '{word}' is unknown to OpenCL C compilers")),
    }
}

/// Least number of characters to insert, remove or replace.
fn distance(from: &str, to: &str) -> usize {
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (i, a) in from.bytes().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, b) in to.bytes().enumerate() {
            let next = (diagonal + usize::from(a != b)).min(row[j] + 1).min(row[j + 1] + 1);
            diagonal = std::mem::replace(&mut row[j + 1], next);
        }
    }
    row[to.len()]
}

fn bad(what: &str) -> Error {
    Error::invalid(detailed("Parsing of user arguments failed", what))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(elements: &[&str]) -> Result<Options> {
        parse(&elements.iter().map(|element| (*element).to_owned()).collect::<Vec<_>>())
    }

    // O2: every option of the specification, elements joined with blanks.
    #[test]
    fn options_of_the_specification_pass_unchanged() {
        for flag in FLAGS {
            assert_eq!(parsed(&[flag]).unwrap().text, *flag);
        }
        for (elements, text) in [
            (&["-DX", "-DY=1", "-D", "Z=2"][..], "-DX -DY=1 -D Z=2"),
            (&["-D Z=2", "-I dir", "-Iother"], "-D Z=2 -I dir -Iother"),
            (
                &["-cl-fast-relaxed-math -cl-finite-math-only", "", " -w "],
                "-cl-fast-relaxed-math -cl-finite-math-only -w",
            ),
            (&["-I", "\"a dir\"", "-DS=\"a b\""], "-I \"a dir\" -DS=\"a b\""),
            (&["-D", "-nosuch"], "-D -nosuch"),
            (&[], ""),
        ] {
            assert_eq!(parsed(elements).unwrap(), Options { text: text.into(), version: None }, "{elements:?}");
        }
    }

    // O3
    #[test]
    fn the_version_is_read() {
        assert_eq!(parsed(&["-cl-std=CL2.0"]).unwrap().version, Some(ClVersion::new(2, 0)));
        assert_eq!(parsed(&["-cl-std=CL1.1", "-w", "-cl-std=CL3.0"]).unwrap().version, Some(ClVersion::new(3, 0)));
        for word in ["-cl-std=", "-cl-std=c99", "-cl-std=CL2", "-cl-std=CL2.x", "-cl-std=CL1.22", "-cl-std=CL+.1"] {
            let error = parsed(&[word]).unwrap_err();
            assert!(error.message.contains(word), "{error}");
        }
    }

    // O2, O4: refused before anything is compiled, with the option in the message.
    #[test]
    fn other_options_are_refused_by_name() {
        for (elements, named, rest) in [
            (&["-create-library"][..], "'-create-library'", "not a library"),
            (&["-enable-link-options"], "'-enable-link-options'", "for libraries"),
            (&["-x", "spir"], "'-x'", "OpenCL C"),
            (&["-spir-std=1.2"], "'-spir-std=1.2'", "OpenCL C"),
            (&["-cl-fast-relaxed-maths"], "'-cl-fast-relaxed-maths'", "did you mean '-cl-fast-relaxed-math'?"),
            (&["-Wall"], "'-Wall'", "unknown"),
            (&["-O2"], "'-O2'", "unknown"),
            (&["-fsycl-targets=spir64"], "'-fsycl-targets=spir64'", "unknown"),
            (&["kernel.cl"], "'kernel.cl'", "unknown"),
            (&["-DX=a b"], "'b'", "unknown"),
            (&["-cl-std"], "'-cl-std'", "did you mean '-cl-std='?"),
            (&["-D"], "'-D'", "missing"),
            (&["-w", "-I", " "], "'-I'", "missing"),
            (&["-DX=\"a"], "'-DX=\"a'", "quote"),
            (&["-DX=\0"], "-DX=\\0", "NUL"),
        ] {
            let error = parsed(elements).unwrap_err();
            assert_eq!(error.code, crate::error::Errc::Invalid);
            assert!(error.message.starts_with("Parsing of user arguments failed\n"), "{error}");
            assert!(error.message.contains(named) && error.message.contains(rest), "{error}");
        }
    }

    #[test]
    fn distances() {
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(distance("same", "same"), 0);
    }
}
