// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! What the waiting process does between compiles for those that follow, in this process and in later ones.

use crate::{
    arguments::PreambleSource,
    background, frontend,
    preambles::{Loaded, Preambles},
};

/// Work that nobody waits for.
pub struct Ahead {
    /// Files with precompiled preambles; none if they are switched off.
    preambles: Option<Preambles>,
    /// Compiles that were begun.
    begun: usize,
    /// There is more to read from the precompiled preamble.
    read: bool,
    /// The user's folder lacks the preamble.
    write: bool,
}

impl Ahead {
    /// Nothing is looked for yet.
    pub fn new(files: PreambleSource) -> Self {
        let preambles = match files {
            PreambleSource::Off => None,
            // Without an identity of the program, no file can be told to be for it.
            PreambleSource::On { folder } => Preambles::new(folder).ok(),
        };
        Self { preambles, begun: 0, read: false, write: false }
    }

    /// Looks for the precompiled preamble and checks it.
    pub fn load(&mut self) -> Option<Loaded> {
        let preambles = self.preambles.as_ref()?;
        let loaded = preambles.find();
        self.read = loaded.is_some();
        self.write = loaded.is_none() && preambles.has_folder();
        loaded
    }

    /// A compile was begun.
    pub fn note_compile(&mut self) {
        self.begun += 1;
    }

    /// Whether `read_on` has something to do, so that the process is not to sleep. `idle`: no compile runs.
    ///
    /// It begins while the driver is at work on the first code, whose compile has the processor to itself. A second compile
    /// without it takes three times as long.
    pub fn has_more(&self, idle: bool) -> bool {
        self.read && (self.begun > 1 || (self.begun == 1 && idle))
    }

    /// Does about a millisecond of it.
    pub fn read_on(&mut self) {
        self.read = frontend::read_ahead();
    }

    /// Has the preamble written to the user's folder, if it is missing and somebody has compiled: the next process will, too.
    /// To be called by the process that waits, when no compile runs.
    pub fn write(&mut self) {
        if self.begun == 0 || !std::mem::take(&mut self.write) {
            return;
        }
        if let Some(preambles) = &self.preambles {
            // Whoever needs the file will see whether it is there.
            background::detach(|| drop(preambles.renew(frontend::precompile)));
        }
    }
}
