// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#![forbid(unsafe_code)]
//! Keys: hashes over named parts.
//!
//! A key is made of parts, and a part of fields. Every field goes into the hash of its part with a tag and its length, every
//! list with its count, and the parts go into the key by name and in order. So two keys are equal only if all fields are.
//! The hashes of the parts stay with the key: a miss can say which part was another one than in the nearest known entry.

use std::fmt;

pub use syclrtc_protocol::Digest;

/// Hash of some bytes, e.g. of a source, that entries are grouped by.
#[must_use]
pub fn digest_of(bytes: &[u8]) -> Digest {
    Digest(*blake3::hash(bytes).as_bytes())
}

/// Under what a cache keeps bytes.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Key {
    digest: Digest,
    group: Digest,
    parts: Box<[(&'static str, Digest)]>,
}

impl Key {
    /// The hash of all parts.
    #[must_use]
    pub fn digest(&self) -> Digest {
        self.digest
    }

    /// What the entries that are compared on a miss have in common.
    #[must_use]
    pub fn group(&self) -> Digest {
        self.group
    }

    /// The parts in order: name, and hash of the fields.
    #[must_use]
    pub fn parts(&self) -> &[(&'static str, Digest)] {
        &self.parts
    }

    /// The key as 64 hexadecimal digits.
    #[must_use]
    pub fn hex(&self) -> String {
        hex(&self.digest)
    }

    /// Names of the parts that are not those of another key.
    #[must_use]
    pub fn difference(&self, other: &Self) -> Vec<&'static str> {
        let others = other.parts.iter().map(|(name, digest)| (*name, *digest));
        self.difference_from(others)
    }

    pub(super) fn difference_from<'a>(
        &self,
        others: impl Iterator<Item = (&'a str, Digest)> + Clone,
    ) -> Vec<&'static str> {
        let differs = |(name, digest): &&(&'static str, Digest)| !others.clone().any(|other| other == (*name, *digest));
        self.parts.iter().filter(differs).map(|(name, _)| *name).collect()
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.hex())
    }
}

/// A digest as 64 hexadecimal digits.
pub(super) fn hex(digest: &Digest) -> String {
    blake3::Hash::from_bytes(digest.0).to_hex().to_string()
}

/// Makes a [`Key`].
///
/// ```
/// use syclrtc::cache::{KeyBuilder, digest_of};
///
/// let mut key = KeyBuilder::new("syclrtc example 1", digest_of(b"the source"));
/// key.part("source").bytes("text", b"the source");
/// key.part("options").texts("option", ["-DA=1", "-DB=2"]);
/// let key = key.finish();
/// assert_eq!(key.parts()[1].0, "options");
/// ```
#[derive(Debug)]
pub struct KeyBuilder {
    domain: &'static str,
    group: Digest,
    parts: Vec<Part>,
}

impl KeyBuilder {
    /// `domain` tells keys of one purpose, and of one version of what the values are, from all others.
    #[must_use]
    pub fn new(domain: &'static str, group: Digest) -> Self {
        Self { domain, group, parts: Vec::new() }
    }

    /// Begins the next part. Names are constants of the program, each once.
    pub fn part(&mut self, name: &'static str) -> &mut Part {
        debug_assert!(self.parts.iter().all(|part| part.name != name), "part {name} twice");
        let index = self.parts.len();
        self.parts.push(Part { name, hash: blake3::Hasher::new() });
        &mut self.parts[index]
    }

    /// The key.
    #[must_use]
    pub fn finish(self) -> Key {
        let finish = |part: Part| (part.name, Digest(*part.hash.finalize().as_bytes()));
        let parts: Box<[_]> = self.parts.into_iter().map(finish).collect();
        let mut all = Part { name: "", hash: blake3::Hasher::new_derive_key(self.domain) };
        all.bytes("group", &self.group.0);
        for (name, digest) in &parts {
            all.bytes(name, &digest.0);
        }
        Key { digest: Digest(*all.hash.finalize().as_bytes()), group: self.group, parts }
    }
}

/// A part of a key.
#[derive(Debug)]
pub struct Part {
    name: &'static str,
    hash: blake3::Hasher,
}

impl Part {
    fn field(&mut self, kind: u8, tag: &str, bytes: &[u8]) -> &mut Self {
        self.hash.update(&[kind]);
        for text in [tag.as_bytes(), bytes] {
            self.hash.update(&(text.len() as u64).to_le_bytes());
            self.hash.update(text);
        }
        self
    }

    /// A field of bytes.
    pub fn bytes(&mut self, tag: &'static str, bytes: &[u8]) -> &mut Self {
        self.field(b'b', tag, bytes)
    }

    /// A field of text.
    pub fn text(&mut self, tag: &'static str, text: &str) -> &mut Self {
        self.field(b't', tag, text.as_bytes())
    }

    /// A number or a flag.
    pub fn number(&mut self, tag: &'static str, number: u64) -> &mut Self {
        self.field(b'n', tag, &number.to_le_bytes())
    }

    /// The count of a list whose elements follow as fields.
    pub fn count(&mut self, tag: &'static str, count: usize) -> &mut Self {
        self.field(b'c', tag, &(count as u64).to_le_bytes())
    }

    /// A list of texts.
    pub fn texts<'a, L>(&mut self, tag: &'static str, list: L) -> &mut Self
    where
        L: IntoIterator<Item = &'a str, IntoIter: ExactSizeIterator>,
    {
        let list = list.into_iter();
        self.count(tag, list.len());
        for text in list {
            self.text(tag, text);
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(source: &str, fill: impl FnOnce(&mut KeyBuilder)) -> Key {
        let mut builder = KeyBuilder::new("syclrtc test", digest_of(source.as_bytes()));
        fill(&mut builder);
        builder.finish()
    }

    fn options(list: &[&str]) -> Key {
        key("s", |k| {
            k.part("options").texts("option", list.iter().copied());
        })
    }

    // D-03
    #[test]
    fn near_fields_give_different_keys() {
        let keys = [
            options(&["-DA=1", "-DB=2"]),
            options(&["-DA=1 -DB=2"]),
            options(&["-DA=1-DB=2"]),
            options(&["-DB=2", "-DA=1"]),
            options(&["-DA=1", "-DB=2", ""]),
            options(&[]),
            options(&[""]),
            key("s", |k| {
                k.part("options").texts("option", ["-DA=1"]).texts("option", ["-DB=2"]);
            }),
            key("s", |k| {
                k.part("names").texts("option", ["-DA=1", "-DB=2"]);
            }),
            key("s", |k| {
                k.part("options").texts("name", ["-DA=1", "-DB=2"]);
            }),
            key("t", |k| {
                k.part("options").texts("option", ["-DA=1", "-DB=2"]);
            }),
            key("s", |_| ()),
            key("s", |k| {
                k.part("options");
            }),
            key("s", |k| {
                k.part("options").bytes("a", b"12345678");
            }),
            key("s", |k| {
                k.part("options").text("a", "12345678");
            }),
            key("s", |k| {
                k.part("options").number("a", u64::from_le_bytes(*b"12345678"));
            }),
            KeyBuilder::new("syclrtc other test", digest_of(b"s")).finish(),
        ];
        for (index, one) in keys.iter().enumerate() {
            for other in &keys[..index] {
                assert_ne!(one.digest(), other.digest());
            }
        }
    }

    // D-05: a key is the same in every process, on every machine and in every locale.
    #[test]
    fn a_key_is_a_constant_of_its_fields() {
        let one = options(&["-DA=1", "-DB=2"]);
        assert_eq!(one, options(&["-DA=1", "-DB=2"]));
        assert_eq!(one.hex(), "34fbaaa99aa4c8b16a1d6c3c19daeb3e716fbd6b6c201639f946fa26b1082743");
        assert_eq!(one.to_string(), one.hex());
    }

    #[test]
    fn a_key_tells_the_parts_that_differ() {
        let make = |options: &str, target: u64| {
            key("s", |k| {
                k.part("source").text("text", "s");
                k.part("options").text("option", options);
                k.part("target").number("version", target);
            })
        };
        let one = make("-O2", 4);
        assert!(one.difference(&make("-O2", 4)).is_empty());
        assert_eq!(one.difference(&make("-O0", 4)), ["options"]);
        assert_eq!(one.difference(&make("-O0", 2)), ["options", "target"]);
        assert_eq!(one.difference(&options(&[])), ["source", "options", "target"]);
    }
}
