// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#![forbid(unsafe_code)]
//! Files of entries: what is in them, and what must be so before a byte of it is used.
//!
//! | bytes | what |
//! |---|---|
//! | 8 | magic |
//! | 4 | version of the format |
//! | 4 | length of the head |
//! | 8 | length of the payload |
//! | 32 | hash of the payload |
//! | … | the head: the whole key |
//! | … | the payload |
//!
//! Numbers are little endian. The head is compared with that of the key asked for, byte by byte.

use std::{
    fs::File,
    io::{self, ErrorKind, Read, Write},
};

use rustix::fs::Stat;
use serde::{Deserialize, Serialize};

use super::{
    super::key::{Digest, Key, digest_of},
    Tier,
};

const MAGIC: [u8; 8] = *b"syclrtc\x1a";
const VERSION: u32 = 1;
const FIXED: usize = 8 + 4 + 4 + 8 + 32;
/// More than any head has.
const MAX_HEAD: usize = 64 * 1024;

/// The key of an entry, as it is stored.
#[derive(Debug, Serialize, Deserialize)]
pub struct Head<'a> {
    tier: &'a str,
    group: Digest,
    key: Digest,
    #[serde(borrow)]
    parts: Vec<(&'a str, Digest)>,
}

impl<'a> Head<'a> {
    fn of(tier: Tier, key: &'a Key) -> Self {
        Self { tier: tier.name(), group: key.group(), key: key.digest(), parts: key.parts().to_vec() }
    }

    /// The parts of the key.
    pub fn parts(&self) -> &[(&'a str, Digest)] {
        &self.parts
    }
}

fn damaged(what: &str) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, format!("the entry is damaged: {what}"))
}

fn head_of(tier: Tier, key: &Key) -> io::Result<Vec<u8>> {
    postcard::to_stdvec(&Head::of(tier, key)).map_err(io::Error::other)
}

/// Writes an entry into a fresh file. It returns when the bytes are on the disk.
pub fn write(file: &mut File, tier: Tier, key: &Key, payload: &[u8]) -> io::Result<()> {
    let head = head_of(tier, key)?;
    let mut begin = Vec::with_capacity(FIXED + head.len());
    begin.extend(MAGIC);
    begin.extend(VERSION.to_le_bytes());
    begin.extend(u32::try_from(head.len()).map_err(io::Error::other)?.to_le_bytes());
    begin.extend((payload.len() as u64).to_le_bytes());
    begin.extend(digest_of(payload).0);
    begin.extend(head);
    file.write_all(&begin)?;
    file.write_all(payload)?;
    file.sync_data()
}

/// Bytes of the file of an entry.
pub fn file_size(tier: Tier, key: &Key, payload: usize) -> u64 {
    head_of(tier, key).map_or(0, |head| (FIXED + head.len() + payload) as u64)
}

struct Begin {
    head: Vec<u8>,
    payload_length: usize,
    payload_digest: Digest,
}

fn read_begin(file: &mut File, stat: &Stat) -> io::Result<Begin> {
    let mut fixed = [0; FIXED];
    file.read_exact(&mut fixed)?;
    let (magic, rest) = fixed.split_at(8);
    let (version, rest) = rest.split_at(4);
    let (head_length, rest) = rest.split_at(4);
    let (payload_length, digest) = rest.split_at(8);
    let small = |bytes: &[u8]| bytes.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte));
    if magic != MAGIC || small(version) != u64::from(VERSION) {
        return Err(damaged("magic or version"));
    }
    let head_length = small(head_length) as usize;
    let payload_length = small(payload_length);
    let size = u64::try_from(stat.st_size).unwrap_or(0);
    if head_length > MAX_HEAD || payload_length.checked_add((FIXED + head_length) as u64) != Some(size) {
        return Err(damaged("length"));
    }
    let mut head = vec![0; head_length];
    file.read_exact(&mut head)?;
    let payload_digest = Digest(digest.try_into().map_err(|_| damaged("digest"))?);
    Ok(Begin { head, payload_length: payload_length as usize, payload_digest })
}

/// Payload of the entry of a key.
pub fn read(mut file: File, stat: &Stat, tier: Tier, key: &Key) -> io::Result<Vec<u8>> {
    let begin = read_begin(&mut file, stat)?;
    if begin.head != head_of(tier, key)? {
        return Err(damaged("it is of another key"));
    }
    let mut payload = Vec::with_capacity(begin.payload_length);
    file.take(begin.payload_length as u64).read_to_end(&mut payload)?;
    if payload.len() != begin.payload_length || digest_of(&payload) != begin.payload_digest {
        return Err(damaged("content"));
    }
    Ok(payload)
}

/// Lets a function look at the head of an entry.
pub fn with_head<T>(mut file: File, stat: &Stat, look: impl FnOnce(&Head<'_>) -> T) -> io::Result<T> {
    let begin = read_begin(&mut file, stat)?;
    let head: Head<'_> = postcard::from_bytes(&begin.head).map_err(|_| damaged("head"))?;
    Ok(look(&head))
}
