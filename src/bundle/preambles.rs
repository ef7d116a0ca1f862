// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#![forbid(unsafe_code)]
//! The files behind preambles that were parsed before a request came: whether they are still what they were.

use std::{
    collections::{HashMap, HashSet},
    mem,
    sync::{Arc, OnceLock},
};

use parking_lot::Mutex;
use syclrtc_protocol::{Dependency, Digest, Reply, Request};

use super::{cache_entry::first_changed, cache_keys::of_preamble};
use crate::{
    cache::{Store, Tier},
    compiler::client,
};

/// Where the system's package manager writes, seldom enough that a process looks at it once.
const SYSTEM: [&str; 6] = ["/usr/", "/lib", "/etc/", "/include", "/opt/rh", "/syclrtc"];
/// Most lists that are kept in memory.
const KNOWN: usize = 64;

/// The lists that this process has come across.
#[derive(Debug, Default)]
pub(super) struct Preambles {
    known: Mutex<HashMap<Digest, Arc<Preamble>>>,
    /// Those that were seen in the store.
    stored: Mutex<HashSet<Digest>>,
    /// Those that answers named since the helper was started, known or not.
    named: Mutex<HashSet<Digest>>,
}

#[derive(Debug)]
struct Preamble {
    /// In one of the folders of [`SYSTEM`].
    system: Vec<Dependency>,
    /// The first of those that had changed when this process looked.
    system_changed: OnceLock<Option<Vec<u8>>>,
    others: Mutex<Vec<Dependency>>,
}

impl Preambles {
    /// The first file that has changed, with an empty path if the list is not known any more.
    pub(super) fn first_changed(&self, digest: Digest, store: Option<&Store>) -> Option<Vec<u8>> {
        match self.get(digest, store) {
            Some(preamble) => preamble.first_changed(),
            None => Some(Vec::new()),
        }
    }

    /// Puts the list into the store, if it is not there, and says whether one of the files is of the kind that `kind` tells.
    /// None if nobody knows the list.
    pub(super) fn store(&self, digest: Digest, store: &Store, kind: impl Fn(&Dependency) -> bool) -> Option<bool> {
        let preamble = self.get(digest, Some(store))?;
        let others = preamble.others.lock().clone();
        if !self.stored.lock().contains(&digest) {
            let key = of_preamble(digest);
            if store.get(Tier::Record, &key).is_none() {
                let files: Vec<&Dependency> = preamble.system.iter().chain(&others).collect();
                let bytes = postcard::to_stdvec(&files).ok()?;
                if !store.put(Tier::Record, &key, &bytes) {
                    return None;
                }
            }
            let mut stored = self.stored.lock();
            if stored.len() >= KNOWN {
                stored.clear();
            }
            stored.insert(digest);
        }
        Some(preamble.system.iter().chain(&others).any(kind))
    }

    /// Remembers that an answer named the list, which is asked for when it is needed.
    pub(super) fn note(&self, digest: Digest) {
        let mut named = self.named.lock();
        if named.len() < KNOWN {
            named.insert(digest);
        }
    }

    /// Asks for the lists that nobody has needed yet. To be called before the helper ends, which alone knows them.
    pub(super) fn learn(&self, store: Option<&Store>) {
        let named = mem::take(&mut *self.named.lock());
        for digest in named {
            self.get(digest, store);
        }
    }

    /// To be called when a store has been cleared.
    pub(super) fn forget_stored(&self) {
        self.stored.lock().clear();
    }

    fn get(&self, digest: Digest, store: Option<&Store>) -> Option<Arc<Preamble>> {
        if let Some(preamble) = self.known.lock().get(&digest) {
            return Some(Arc::clone(preamble));
        }
        // No lock meanwhile: others may look for other lists.
        let files = stored(digest, store).or_else(|| ask(digest))?;
        Some(self.insert(digest, files))
    }

    fn insert(&self, digest: Digest, files: Vec<Dependency>) -> Arc<Preamble> {
        let mut known = self.known.lock();
        if known.len() >= KNOWN && !known.contains_key(&digest) {
            known.clear();
        }
        Arc::clone(known.entry(digest).or_insert_with(|| Arc::new(Preamble::new(files))))
    }
}

impl Preamble {
    fn new(files: Vec<Dependency>) -> Self {
        let (system, others) = files.into_iter().partition(|file| is_of_system(&file.path));
        Self { system, system_changed: OnceLock::new(), others: Mutex::new(others) }
    }

    fn first_changed(&self) -> Option<Vec<u8>> {
        let system = || first_changed(&mut self.system.clone(), &mut false);
        self.system_changed.get_or_init(system).clone().or_else(|| {
            // A copy, so that nobody waits for somebody else's look at a slow disk.
            let mut others = self.others.lock().clone();
            let mut renewed = false;
            let changed = first_changed(&mut others, &mut renewed);
            if renewed && changed.is_none() {
                *self.others.lock() = others;
            }
            changed
        })
    }
}

/// The compiler program stands in the root folder, so that clang calls some files `/../lib/...`.
fn is_of_system(path: &[u8]) -> bool {
    let mut path = path;
    while let Some(rest) = path.strip_prefix(b"/..") {
        path = rest;
    }
    SYSTEM.iter().any(|folder| path.starts_with(folder.as_bytes()))
}

fn stored(digest: Digest, store: Option<&Store>) -> Option<Vec<Dependency>> {
    let bytes = store?.get(Tier::Record, &of_preamble(digest))?;
    match postcard::take_from_bytes(&bytes) {
        Ok((files, [])) => Some(files),
        _ => None,
    }
}

/// What the helper says. None is started for it: it would know other preambles.
fn ask(digest: Digest) -> Option<Vec<Dependency>> {
    if !client().is_running() {
        return None;
    }
    match client().run(&Request::PreambleFiles(digest)) {
        Ok(Reply::Files(files)) if !files.is_empty() => Some(files),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use syclrtc_protocol::FileState;

    use super::*;

    fn missing(path: &str) -> Dependency {
        Dependency { path: path.into(), state: FileState::Missing }
    }

    #[test]
    fn files_of_the_system_are_looked_at_once_and_others_each_time() {
        let place = std::env::temp_dir().join(format!("syclrtc-preamble-{}", std::process::id()));
        let path = place.to_str().unwrap();
        let preamble = Preamble::new(vec![missing(path), missing("/usr/nonexistent")]);
        assert_eq!(preamble.first_changed(), None);
        fs::write(&place, "").unwrap();
        assert_eq!(preamble.first_changed(), Some(path.into()));
        fs::remove_file(&place).unwrap();
        assert_eq!(preamble.first_changed(), None);
        for (path, system) in
            [("/usr/a", true), ("/../lib/gcc/../b", true), ("/../usr/a", true), ("/home/usr/a", false), ("/us", false)]
        {
            assert_eq!(is_of_system(path.as_bytes()), system, "{path}");
        }
        let other = Preamble::new(vec![missing("/usr/bin")]);
        assert_eq!(other.first_changed(), Some(b"/usr/bin".to_vec()));
    }

    #[test]
    fn a_bounded_number_of_lists_is_kept() {
        let preambles = Preambles::default();
        for number in 0..2 * KNOWN {
            preambles.insert(Digest([number as u8; 32]), vec![missing("/nonexistent")]);
            assert!(preambles.known.lock().len() <= KNOWN);
        }
        assert_eq!(preambles.first_changed(Digest([2 * KNOWN as u8 - 1; 32]), None), None);
    }
}
