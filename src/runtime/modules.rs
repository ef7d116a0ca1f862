// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#![forbid(unsafe_code)]
//! Modules that are alive, so that equal ones need not be loaded again.

use std::{
    collections::HashMap,
    sync::{Arc, Weak},
};

use parking_lot::Mutex;

use crate::backend::Module;

/// What a module is found by: the place of its device in the context, and a hash of all that shapes it.
type Key = (usize, [u8; 32]);

/// The modules of a context that are alive and may be shared. Nothing is kept alive.
#[derive(Debug, Default)]
pub(super) struct Modules {
    known: Mutex<HashMap<Key, Known>>,
}

#[derive(Debug)]
struct Known {
    module: Weak<dyn Module>,
    log: Arc<str>,
}

/// So many that are gone may be in the table.
const SLACK: usize = 16;

impl Modules {
    /// The module, with what is told about it, if somebody has it.
    pub(super) fn get(&self, key: &Key) -> Option<(Arc<dyn Module>, Arc<str>)> {
        let known = self.known.lock();
        let found = known.get(key)?;
        Some((found.module.upgrade()?, Arc::clone(&found.log)))
    }

    /// From now on the module is found as long as somebody has it.
    pub(super) fn insert(&self, key: Key, module: &Arc<dyn Module>, log: &Arc<str>) {
        let mut known = self.known.lock();
        if known.len() == known.capacity().max(SLACK) {
            known.retain(|_, one| one.module.strong_count() > 0);
            let room = known.len() + SLACK;
            known.shrink_to(room);
            known.reserve(room);
        }
        known.insert(key, Known { module: Arc::downgrade(module), log: Arc::clone(log) });
    }
}
