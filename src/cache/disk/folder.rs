// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#![forbid(unsafe_code)]
//! The folder of a store, and how files in it are opened.
//!
//! Whatever the root is, the store keeps its files in a folder of its own below it, whose name holds the user's number, which
//! belongs to the user, and into which nobody else can write. From there on nothing is opened through a symbolic link. So a
//! root that many users share (`/tmp`, a scratch disk) is as good as one in the home, and a planted link leads nowhere.
//!
//! The folder is opened for each use: it may be removed and made again meanwhile, and a program that closes all descriptors
//! takes none of ours.

use std::{
    fs::{self, DirBuilder, File},
    io::{self, ErrorKind},
    os::{
        fd::{AsFd, OwnedFd},
        unix::fs::{DirBuilderExt, MetadataExt},
    },
    path::Path,
};

use rustix::{
    fs::{AtFlags, Dir, FileType, Mode, OFlags, Stat, fstat, mkdirat, openat, unlinkat},
    io::Errno,
    process::geteuid,
    rand::{GetRandomFlags, getrandom},
};

/// Belongs to the layout of the folders and the format of the entries: another version uses another folder.
const VERSION: u32 = 1;
/// Holds files that are being written.
pub const TEMPORARY: &str = "tmp";
/// Holds the lock files.
pub const LOCKS: &str = "locks";

const FOLDER: OFlags = OFlags::DIRECTORY.union(OFlags::CLOEXEC).union(OFlags::NOFOLLOW).union(OFlags::RDONLY);
/// A planted pipe must not hold anybody up.
const FILE: OFlags = OFlags::CLOEXEC.union(OFlags::NOFOLLOW).union(OFlags::NONBLOCK).union(OFlags::NOCTTY);

/// Whether what is missing is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Create {
    /// It is.
    Yes,
    /// It is an error.
    No,
}

/// Name of the user's folder below the root.
pub fn name() -> String {
    format!("{VERSION}-{}", geteuid().as_raw())
}

/// An open folder of the store.
#[derive(Debug)]
pub struct Folder(OwnedFd);

impl Folder {
    /// The user's folder below the root.
    pub fn open(root: &Path, create: Create) -> io::Result<Self> {
        check_link(root)?;
        let flags = OFlags::DIRECTORY | OFlags::CLOEXEC | OFlags::RDONLY;
        let open_root = || rustix::fs::open(root, flags, Mode::empty());
        let opened = match open_root() {
            Err(Errno::NOENT) if create == Create::Yes => {
                DirBuilder::new().recursive(true).mode(0o700).create(root)?;
                open_root()?
            }
            opened => opened?,
        };
        Self(opened).folder(&name(), create)
    }

    /// A folder inside this one. It belongs to the user, and others cannot write into it.
    pub fn folder(&self, name: &str, create: Create) -> io::Result<Self> {
        let open = || openat(&self.0, name, FOLDER, Mode::empty());
        let opened = match open() {
            Err(Errno::NOENT) if create == Create::Yes => {
                match mkdirat(&self.0, name, Mode::RWXU) {
                    // Another process was faster.
                    Ok(()) | Err(Errno::EXIST) => {}
                    Err(error) => return Err(error.into()),
                }
                open()?
            }
            opened => opened?,
        };
        own(&fstat(&opened)?, FileType::Directory)?;
        Ok(Self(opened))
    }

    /// An existing file for reading.
    pub fn file(&self, name: &str) -> io::Result<(File, Stat)> {
        checked(openat(&self.0, name, FILE | OFlags::RDONLY, Mode::empty())?)
    }

    /// A file for reading and writing in place, made if it is missing.
    pub fn state_file(&self, name: &str) -> io::Result<(File, Stat)> {
        checked(openat(&self.0, name, FILE | OFlags::RDWR | OFlags::CREATE, Mode::RUSR | Mode::WUSR)?)
    }

    /// A new file of a name that nobody can guess.
    pub fn temporary_file(&self) -> io::Result<(String, File)> {
        let mut random = [0; 16];
        // Taken by one call: requests up to 256 bytes are not interrupted.
        getrandom(&mut random, GetRandomFlags::empty())?;
        let name: String = random.iter().map(|byte| format!("{byte:02x}")).collect();
        let flags = FILE | OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL;
        Ok((name.clone(), openat(&self.0, name, flags, Mode::RUSR | Mode::WUSR)?.into()))
    }

    /// Moves a file here from another folder; what is here under the name is replaced.
    pub fn take(&self, from: &Self, old: &str, new: &str) -> io::Result<()> {
        Ok(rustix::fs::renameat(&from.0, old, &self.0, new)?)
    }

    /// Removes a file. That it is gone already is no error.
    pub fn remove(&self, name: &str) -> io::Result<()> {
        gone_is_fine(unlinkat(&self.0, name, AtFlags::empty()))
    }

    /// Removes a folder if it is empty.
    pub fn remove_folder(&self, name: &str) {
        // Usually it is not empty.
        let _ = unlinkat(&self.0, name, AtFlags::REMOVEDIR);
    }

    /// Whether there is something of this name.
    pub fn has(&self, name: &str) -> bool {
        self.stat(name).is_ok()
    }

    /// What is known about a file, without following a link.
    pub fn stat(&self, name: &str) -> io::Result<Stat> {
        Ok(rustix::fs::statat(&self.0, name, AtFlags::SYMLINK_NOFOLLOW)?)
    }

    /// Names of all that is in it.
    pub fn names(&self) -> io::Result<Vec<String>> {
        let mut names = Vec::new();
        for entry in Dir::read_from(self.0.as_fd())? {
            // Ours are digits and letters.
            if let Ok(name) = entry?.file_name().to_str()
                && !name.starts_with('.')
            {
                names.push(name.to_owned());
            }
        }
        Ok(names)
    }
}

/// A root that is a link is fine where its user made it (or the system's administrator), not where somebody else did.
fn check_link(root: &Path) -> io::Result<()> {
    match fs::symlink_metadata(root) {
        Ok(found) if found.is_symlink() && found.uid() != 0 && found.uid() != geteuid().as_raw() => {
            Err(io::Error::new(ErrorKind::PermissionDenied, "it is a symbolic link of another user"))
        }
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        Ok(_) | Err(_) => Ok(()),
    }
}

fn own(stat: &Stat, expected: FileType) -> io::Result<()> {
    let refused = |reason: &str| Err(io::Error::new(ErrorKind::PermissionDenied, reason));
    if FileType::from_raw_mode(stat.st_mode) != expected {
        return refused("it is of another type");
    }
    if stat.st_uid != geteuid().as_raw() {
        return refused("it belongs to another user");
    }
    if Mode::from_raw_mode(stat.st_mode).intersects(Mode::WGRP | Mode::WOTH) {
        return refused("other users can write into it");
    }
    Ok(())
}

fn checked(file: OwnedFd) -> io::Result<(File, Stat)> {
    let stat = fstat(&file)?;
    own(&stat, FileType::RegularFile)?;
    Ok((file.into(), stat))
}

fn gone_is_fine(result: rustix::io::Result<()>) -> io::Result<()> {
    match result {
        Ok(()) | Err(Errno::NOENT) => Ok(()),
        Err(error) => Err(error.into()),
    }
}
