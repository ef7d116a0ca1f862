// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#![forbid(unsafe_code)]
//! The right to make an entry.
//!
//! It is an exclusive `flock` on a file named by the key. The system ends it with the process, however that ends. Who has
//! finished removes the file first: a waiter that then gets the lock of a file without a name knows that the holder
//! finished, and one that gets it of a file with a name knows that the holder died, and takes its place.

use std::{fs::File, io, os::fd::AsFd, thread, time::Duration};

use rustix::{
    fs::{FlockOperation, flock, fstat},
    io::Errno,
};

use super::folder::{Create, Folder, LOCKS};

/// Pauses between two looks at a lock that somebody has: short at first, then no longer than anybody notices.
const FIRST_PAUSE: Duration = Duration::from_micros(500);
const LONGEST_PAUSE: Duration = Duration::from_millis(8);

/// The right to make an entry, or the answer that there is no need to wait for it any more.
#[derive(Debug)]
#[must_use = "others wait until it is dropped"]
pub struct Claim {
    held: Option<Held>,
}

#[derive(Debug)]
struct Held {
    folder: Folder,
    name: String,
    file: File,
}

impl Claim {
    /// Whether others wait for this process. If not, another process finished with or without an entry, the caller lost its
    /// patience, or locks do not work in the folder.
    #[must_use]
    pub fn is_held(&self) -> bool {
        self.held.is_some()
    }

    pub(super) fn not_held() -> Self {
        Self { held: None }
    }

    pub(super) fn acquire(base: &Folder, name: &str, patient: &mut dyn FnMut() -> bool) -> io::Result<Self> {
        let folder = base.folder(LOCKS, Create::Yes)?;
        let (mut file, _) = folder.state_file(name)?;
        let mut pause = FIRST_PAUSE;
        let mut waited = false;
        loop {
            let got = try_lock(&file)?;
            let named = has_name(&file)?;
            if got && named {
                return Ok(Self { held: Some(Held { folder, name: name.to_owned(), file }) });
            }
            if !named && waited {
                // The holder finished.
                return Ok(Self::not_held());
            }
            if !patient() {
                return Ok(Self::not_held());
            }
            if !named {
                // It went between being opened and being locked: nobody was waited for.
                (file, _) = folder.state_file(name)?;
                continue;
            }
            waited = true;
            thread::sleep(pause);
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        finish(&self.folder, &self.name, &self.file);
    }
}

fn finish(folder: &Folder, name: &str, file: &File) {
    if let Err(error) = folder.remove(name) {
        log::debug!("the lock {name} was not removed: {error}");
    }
    // Closing does not do: a child of `fork` may have the descriptor, too.
    unlock(file);
}

/// Whether a lock is somebody's at this moment. One that is nobody's is what a process left that died; it is removed.
pub fn is_locked(folder: &Folder, name: &str) -> bool {
    let Ok((file, _)) = folder.state_file(name) else { return true };
    match try_lock(&file) {
        Ok(true) => {
            finish(folder, name, &file);
            false
        }
        Ok(false) => true,
        Err(_) => false,
    }
}

/// Waits a little for a lock that nobody has for long.
pub fn lock_shortly(file: &File) -> io::Result<bool> {
    for _ in 0..100 {
        if try_lock(file)? {
            return Ok(true);
        }
        thread::sleep(FIRST_PAUSE);
    }
    Ok(false)
}

/// Takes the lock if it is free.
pub fn try_lock(file: &File) -> io::Result<bool> {
    match flock(file.as_fd(), FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => Ok(true),
        Err(Errno::WOULDBLOCK | Errno::INTR) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// Gives the lock back.
pub fn unlock(file: &File) {
    if let Err(error) = flock(file.as_fd(), FlockOperation::Unlock) {
        log::debug!("a lock was not given back: {error}");
    }
}

fn has_name(file: &File) -> io::Result<bool> {
    Ok(fstat(file)?.st_nlink > 0)
}
