// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Files with precompiled preambles.
//!
//! One may lie beside the program, made when it was installed, and others in a folder of the user's cache. A file is named
//! after what it is for: a build of the program and a text. It is taken only if it is whole, is what it is named after, and
//! every file that it was made from is unchanged. Whatever is wrong with it costs time and nothing else: then the headers are
//! parsed, and the file is made anew.
//!
//! A file is read into memory and not mapped, so that what others do to it later does not matter.

use std::{
    ffi::OsString,
    fs::{self, DirBuilder, File},
    io::{self, Read, Write},
    os::{
        fd::{AsFd, OwnedFd},
        unix::fs::{DirBuilderExt, MetadataExt},
    },
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use rustix::{
    fs::{AtFlags, CWD, Dir, FlockOperation, Mode, OFlags, flock, openat, renameat, statat, unlinkat},
    io::Errno,
    process::geteuid,
};
use serde::{Deserialize, Serialize};
use syclrtc_protocol::{Dependency, Digest, program_identity};

use crate::frontend::{PREAMBLE, Precompiled};

const MAGIC: [u8; 8] = *b"syclrtcP";
/// Of the layout of the file. Everything else that it depends on is the program's identity.
const FORMAT: u32 = 1;
/// Magic, format, digest of all that follows, length of the description.
const HEAD: usize = 8 + 4 + 32 + 8;
/// Multiple of this is where clang's part begins.
const ALIGNMENT: usize = 4096;
/// No preamble comes near it.
const MAX_SIZE: u64 = 1 << 30;
/// Where clang's driver looks for C++ headers, besides its own places. Programs with different values need different files.
const SEARCH_VARIABLES: [&str; 2] = ["CPATH", "CPLUS_INCLUDE_PATH"];
/// What files end in.
const SUFFIX: &str = ".preamble";
/// What names of unfinished files begin with.
const TEMPORARY: &str = ".new-";
/// Files that a folder keeps: of some builds of the program.
const KEPT: usize = 4;
/// Age at which an unfinished file is one of a process that died.
const ABANDONED: Duration = Duration::from_secs(600);

/// What a file says about itself.
#[derive(Serialize, Deserialize)]
struct Description {
    program: String,
    preamble: String,
    #[serde(with = "serde_bytes")]
    notes: Vec<u8>,
    dependencies: Vec<Dependency>,
}

/// A preamble that was read from a file.
pub struct Loaded {
    bytes: Vec<u8>,
    /// Where clang's part begins.
    header: usize,
    description: Description,
}

impl Loaded {
    /// For the front end.
    pub fn precompiled(&self) -> Precompiled<'_> {
        Precompiled {
            header: &self.bytes[self.header..],
            notes: &self.description.notes,
            dependencies: self.description.dependencies.clone(),
        }
    }
}

/// The files for this build of the program.
pub struct Preambles {
    program: String,
    /// Of the program.
    owner: u32,
    name: String,
    /// Where the program lies.
    beside: Option<PathBuf>,
    /// In the user's cache.
    folder: Option<PathBuf>,
}

impl Preambles {
    /// `folder` is one of the user's.
    ///
    /// # Errors
    /// It cannot be told which build of the program this is.
    pub fn new(folder: Option<PathBuf>) -> io::Result<Self> {
        let path = std::env::current_exe()?;
        let program = program_identity(&path)?;
        let searched = SEARCH_VARIABLES.map(std::env::var_os).map(|value| value.map(OsString::into_encoded_bytes));
        let key = postcard::to_stdvec(&(FORMAT, &program, PREAMBLE, &searched)).map_err(io::Error::other)?;
        let name: String = Digest::of(&key).0[..16].iter().map(|byte| format!("{byte:02x}")).collect();
        let owner = fs::metadata(&path)?.uid();
        Ok(Self { program, owner, name: name + SUFFIX, beside: path.parent().map(Path::to_owned), folder })
    }

    /// The first that can be used: the one beside the program, then the user's.
    pub fn find(&self) -> Option<Loaded> {
        let beside = || self.load(File::from(open_folder(self.beside.as_deref()?).ok()?), Trust::Program).ok();
        beside().or_else(|| self.find_users())
    }

    fn find_users(&self) -> Option<Loaded> {
        self.load(File::from(open_users_folder(self.folder.as_deref()?).ok()?), Trust::User).ok()
    }

    fn load(&self, folder: File, trust: Trust) -> io::Result<Loaded> {
        let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOFOLLOW | OFlags::NONBLOCK;
        let mut file = File::from(openat(&folder, &self.name, flags, Mode::empty())?);
        let metadata = file.metadata()?;
        let is_trusted = match trust {
            Trust::Program => [self.owner, 0].contains(&metadata.uid()),
            Trust::User => geteuid().as_raw() == metadata.uid(),
        };
        if !metadata.is_file() || metadata.mode() & 0o022 != 0 || !is_trusted {
            return Err(refused("not a file that only its owner can write to"));
        }
        if metadata.size() > MAX_SIZE {
            return Err(refused("too large"));
        }
        let mut bytes = Vec::with_capacity(metadata.size() as usize + 1);
        file.read_to_end(&mut bytes)?;
        let mut loaded = decode(bytes)?;
        let description = &mut loaded.description;
        if description.program != self.program || description.preamble != PREAMBLE {
            return Err(refused("made for something else"));
        }
        if !description.dependencies.iter_mut().all(Dependency::renew) {
            return Err(refused("made from other files"));
        }
        Ok(loaded)
    }

    /// Whether there is a folder that [`Preambles::renew`] would write to.
    pub fn has_folder(&self) -> bool {
        self.folder.is_some()
    }

    /// Makes the file in the user's folder unless somebody else does or did.
    ///
    /// # Errors
    /// There is no such folder, or it cannot be written to.
    pub fn renew(&self, make: impl FnOnce() -> Option<Precompiled<'static>>) -> io::Result<()> {
        let path = self.folder.as_deref().ok_or(io::ErrorKind::NotFound)?;
        match DirBuilder::new().recursive(true).mode(0o700).create(path) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
            _ => {}
        }
        let folder = open_users_folder(path)?;
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::CLOEXEC | OFlags::NOFOLLOW | OFlags::NONBLOCK;
        let lock = openat(&folder, "lock", flags, Mode::RUSR | Mode::WUSR)?;
        flock(&lock, FlockOperation::NonBlockingLockExclusive)?;
        if self.find_users().is_some() {
            return Ok(());
        }
        let precompiled = make().ok_or_else(|| refused("the headers do not compile"))?;
        self.write(folder.as_fd(), &precompiled, Mode::RUSR | Mode::WUSR)?;
        prune(&folder, &self.name);
        Ok(())
    }

    /// Writes the file that belongs beside the program to `folder`.
    ///
    /// # Errors
    /// The headers do not compile, or the file cannot be written.
    pub fn install(&self, folder: &Path, precompiled: Option<&Precompiled<'_>>) -> io::Result<PathBuf> {
        let precompiled = precompiled.ok_or_else(|| refused("the headers do not compile"))?;
        fs::create_dir_all(folder)?;
        let readable = Mode::RUSR | Mode::WUSR | Mode::RGRP | Mode::ROTH;
        self.write(open_folder(folder)?.as_fd(), precompiled, readable)?;
        Ok(folder.join(&self.name))
    }

    fn write(&self, folder: impl AsFd, precompiled: &Precompiled<'_>, mode: Mode) -> io::Result<()> {
        let description = Description {
            program: self.program.clone(),
            preamble: PREAMBLE.to_owned(),
            notes: precompiled.notes.to_vec(),
            dependencies: precompiled.dependencies.clone(),
        };
        let bytes = encode(&description, precompiled.header)?;
        let time = SystemTime::UNIX_EPOCH.elapsed().map_or(0, |time| time.as_nanos());
        let temporary = format!("{TEMPORARY}{}-{time}", std::process::id());
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC | OFlags::NOFOLLOW;
        let mut file = File::from(openat(&folder, &temporary, flags, mode)?);
        // Not synced: what a power failure leaves of it has another digest.
        let written =
            file.write_all(&bytes).and_then(|()| Ok(renameat(&folder, &temporary, &folder, self.name.as_str())?));
        if written.is_err() {
            // It may be gone with its folder.
            let _ = unlinkat(&folder, &temporary, AtFlags::empty());
        }
        written
    }
}

/// Whose files are believed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Trust {
    /// Those of the program's owner and of the administrator, by whom this user is served already.
    Program,
    /// The user's own.
    User,
}

fn refused(why: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, why)
}

fn open_folder(path: &Path) -> io::Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    Ok(openat(CWD, path, flags, Mode::empty())?)
}

/// Opens a folder that must be this user's and nobody else's to write to.
fn open_users_folder(path: &Path) -> io::Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC | OFlags::NOFOLLOW;
    let folder = File::from(openat(CWD, path, flags, Mode::empty())?);
    let metadata = folder.metadata()?;
    if metadata.uid() != geteuid().as_raw() || metadata.mode() & 0o022 != 0 {
        return Err(refused("not a folder that only this user can write to"));
    }
    Ok(folder.into())
}

fn encode(description: &Description, header: &[u8]) -> io::Result<Vec<u8>> {
    let description = postcard::to_stdvec(description).map_err(io::Error::other)?;
    let begin = (HEAD + description.len()).next_multiple_of(ALIGNMENT);
    let mut bytes = Vec::with_capacity(begin + header.len());
    bytes.extend_from_slice(&MAGIC);
    bytes.extend_from_slice(&FORMAT.to_le_bytes());
    bytes.extend_from_slice(&[0; 32]);
    bytes.extend_from_slice(&(description.len() as u64).to_le_bytes());
    bytes.extend_from_slice(&description);
    bytes.resize(begin, 0);
    bytes.extend_from_slice(header);
    let digest = Digest::of(&bytes[44..]);
    bytes[12..44].copy_from_slice(&digest.0);
    Ok(bytes)
}

fn decode(bytes: Vec<u8>) -> io::Result<Loaded> {
    let damaged = || refused("damaged");
    if bytes.len() < HEAD || bytes[..8] != MAGIC || bytes[8..12] != FORMAT.to_le_bytes() {
        return Err(refused("of another kind"));
    }
    if bytes[12..44] != Digest::of(&bytes[44..]).0 {
        return Err(damaged());
    }
    let length = u64::from_le_bytes(bytes[44..HEAD].try_into().map_err(|_| damaged())?);
    let end = usize::try_from(length).ok().and_then(|length| length.checked_add(HEAD)).ok_or_else(damaged)?;
    let description = bytes.get(HEAD..end).ok_or_else(damaged)?;
    let description = postcard::from_bytes(description).map_err(|_| damaged())?;
    let header = end.next_multiple_of(ALIGNMENT);
    if header >= bytes.len() {
        return Err(damaged());
    }
    Ok(Loaded { bytes, header, description })
}

/// Removes what other builds of the program left, but for the newest, and what writers left that died.
fn prune(folder: &OwnedFd, own: &str) {
    let Ok(entries) = Dir::read_from(folder) else { return };
    let now = SystemTime::UNIX_EPOCH.elapsed().unwrap_or_default().as_secs() as i64;
    let mut files = Vec::new();
    for entry in entries.flatten() {
        let Ok(name) = entry.file_name().to_str() else { continue };
        let Ok(status) = statat(folder, name, AtFlags::SYMLINK_NOFOLLOW) else { continue };
        if name.starts_with(TEMPORARY) && now - status.st_mtime > ABANDONED.as_secs() as i64 {
            // Somebody else may have been faster; so below.
            let _: Result<(), Errno> = unlinkat(folder, name, AtFlags::empty());
        } else if name.ends_with(SUFFIX) && name != own {
            files.push((status.st_mtime, name.to_owned()));
        }
    }
    files.sort_unstable_by(|a, b| b.cmp(a));
    for (_, name) in files.iter().skip(KEPT - 1) {
        let _: Result<(), Errno> = unlinkat(folder, name.as_str(), AtFlags::empty());
    }
}
