// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! What a compile depended on outside its request, and whether it is still so.

use std::{
    ffi::OsStr,
    fs::{self, File, Metadata},
    io,
    os::unix::{
        ffi::OsStrExt,
        fs::{FileTypeExt, MetadataExt, OpenOptionsExt},
    },
    path::Path,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use rustix::fs::OFlags;
use serde::{Deserialize, Serialize};

/// A change this shortly before a file was read may be followed by another one that leaves the stamp as it is: times are
/// kept in steps, of up to two seconds on some file systems.
const SETTLED_AFTER: Duration = Duration::from_secs(2);

/// A BLAKE3 hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Digest(pub [u8; 32]);

impl Digest {
    /// That of some bytes.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        Self(*blake3::hash(bytes).as_bytes())
    }

    /// That of all that `reader` gives.
    fn of_reader(reader: impl io::Read) -> io::Result<Self> {
        Ok(Self(*blake3::Hasher::new().update_reader(reader)?.finalize().as_bytes()))
    }
}

/// A place in the file system where a compile looked, and what it found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dependency {
    /// Absolute path, as the compiler spelled it. Not UTF-8: the bytes, so that it is looked at again under the same name.
    #[serde(with = "serde_bytes")]
    pub path: Vec<u8>,
    /// What was there.
    pub state: FileState,
}

/// What is at a path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum FileState {
    /// Nothing that can be reached. The compile would have taken a file or a search directory here.
    Missing,
    /// A file whose content was read.
    File {
        /// Of the content that the compiler saw.
        digest: Digest,
        /// Taken from the descriptor that was read. `None` where it does not prove anything: the file had been changed so
        /// shortly before that another change could leave the stamp as it is.
        stamp: Option<Stamp>,
    },
    /// A file that was looked for and is there, but whose content cannot have counted.
    Present,
    /// A directory.
    Directory {
        /// Another path, recorded as well, that led to the same one: the compiler searches a directory once, whatever its
        /// names.
        same_as: Option<Vec<u8>>,
    },
    /// A directory that is there, in which none of some names were.
    Without {
        /// The names, sorted; each may be of a file, a directory or a link that leads nowhere yet.
        names: Vec<Vec<u8>>,
        /// Of the directory; as for a file.
        stamp: Option<Stamp>,
    },
    /// A directory whose names were listed.
    Listing {
        /// Of the names, sorted, each followed by a zero byte.
        digest: Digest,
        /// Of the directory; as for a file.
        stamp: Option<Stamp>,
    },
}

/// What the file system says about a file. A program can set neither the time of change nor the number of a file, so that a
/// file with an equal stamp was not written to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Stamp {
    /// Device
    pub device: u64,
    /// Number of the file on it
    pub inode: u64,
    /// Bytes
    pub size: u64,
    /// Nanoseconds since the epoch of the last write
    pub modified: i64,
    /// Nanoseconds since the epoch of the last change of the file or of what is said about it
    pub changed: i64,
}

impl Stamp {
    fn of(metadata: &Metadata) -> Self {
        let nanoseconds = |seconds: i64, rest: i64| seconds.saturating_mul(1_000_000_000).saturating_add(rest);
        Self {
            device: metadata.dev(),
            inode: metadata.ino(),
            size: metadata.size(),
            modified: nanoseconds(metadata.mtime(), metadata.mtime_nsec()),
            changed: nanoseconds(metadata.ctime(), metadata.ctime_nsec()),
        }
    }

    /// Itself, if the next change is sure to show in it.
    fn settled(self) -> Option<Self> {
        let now = SystemTime::now().checked_sub(SETTLED_AFTER)?.duration_since(UNIX_EPOCH).ok()?;
        let now = i64::try_from(now.as_nanos()).ok()?;
        (self.modified < now && self.changed < now).then_some(self)
    }
}

impl Dependency {
    /// True if a compile would find at the path what it found then. Costs one look at the file's metadata while the stamp
    /// is the same, else a reading of the file. What cannot be looked at does not hold.
    #[must_use]
    pub fn holds(&self) -> bool {
        self.clone().renew()
    }

    /// As [`Dependency::holds`]. Where the content is the same but the stamp is not, the new stamp is taken, so that the next
    /// look is cheap.
    #[must_use]
    pub fn renew(&mut self) -> bool {
        let path = Path::new(OsStr::from_bytes(&self.path));
        let metadata = fs::metadata(path);
        match &mut self.state {
            FileState::Missing => metadata.is_err(),
            FileState::Present => metadata.is_ok_and(|metadata| !metadata.is_dir()),
            FileState::Directory { same_as } => metadata.is_ok_and(|metadata| {
                metadata.is_dir() && same_as.as_ref().is_none_or(|other| is_also(other, &metadata))
            }),
            FileState::File { digest, stamp } => renew(metadata, stamp, || {
                // What it is may have changed since the look, and must not make the opening wait.
                let file = File::options().read(true).custom_flags(OFlags::NONBLOCK.bits() as i32).open(path)?;
                Ok(file.metadata()?.is_file() && Digest::of_reader(file)? == *digest)
            }),
            FileState::Listing { digest, stamp } => renew(metadata, stamp, || {
                let mut names = fs::read_dir(path)?
                    .map(|entry| Ok(entry?.file_name().as_bytes().to_vec()))
                    .collect::<io::Result<Vec<_>>>()?;
                names.sort_unstable();
                let mut text = Vec::new();
                for name in &names {
                    text.extend_from_slice(name);
                    text.push(0);
                }
                Ok(Digest::of(&text) == *digest)
            }),
            FileState::Without { names, stamp } => renew(metadata, stamp, || {
                Ok(path.is_dir()
                    && names.iter().all(|name| fs::symlink_metadata(path.join(OsStr::from_bytes(name))).is_err()))
            }),
        }
    }
}

/// True if `path` leads to the directory with this metadata.
fn is_also(path: &[u8], metadata: &Metadata) -> bool {
    fs::metadata(OsStr::from_bytes(path))
        .is_ok_and(|other| (other.dev(), other.ino()) == (metadata.dev(), metadata.ino()))
}

/// True if the stamp is unchanged or `same` finds the same behind another one, which is then taken.
fn renew(metadata: io::Result<Metadata>, stamp: &mut Option<Stamp>, same: impl FnOnce() -> io::Result<bool>) -> bool {
    let Ok(metadata) = metadata else { return false };
    let now = Stamp::of(&metadata);
    if *stamp == Some(now) {
        return true;
    }
    // Nothing that gives its content once only is the same again.
    let kind = metadata.file_type();
    if kind.is_fifo() || kind.is_socket() || kind.is_char_device() || kind.is_block_device() {
        return false;
    }
    // Judged before the content is looked at: what happens meanwhile then shows in the stamp.
    let settled = now.settled();
    let holds = same().unwrap_or(false);
    if holds {
        *stamp = settled;
    }
    holds
}

#[cfg(test)]
mod tests {
    use std::{fs::FileTimes, os::unix::fs::symlink, path::PathBuf};

    use super::*;

    /// A directory of one test, removed in the end.
    struct Place(PathBuf);

    impl Place {
        fn new(name: &str) -> Self {
            let place = std::env::temp_dir().join(format!("syclrtc-dependency-{name}-{}", std::process::id()));
            fs::create_dir_all(&place).unwrap();
            Self(place)
        }

        fn path(&self, name: &str) -> PathBuf {
            self.0.join(name)
        }

        fn dependency(&self, name: &str, state: FileState) -> Dependency {
            Dependency { path: self.path(name).into_os_string().into_encoded_bytes(), state }
        }
    }

    impl Drop for Place {
        fn drop(&mut self) {
            fs::remove_dir_all(&self.0).unwrap();
        }
    }

    fn stamp(path: &Path) -> Stamp {
        Stamp::of(&fs::metadata(path).unwrap())
    }

    #[test]
    fn a_missing_path_holds_until_something_is_there() {
        let place = Place::new("missing");
        let missing = place.dependency("a/b", FileState::Missing);
        assert!(missing.holds());
        fs::write(place.path("a"), "").unwrap();
        assert!(missing.holds(), "below a file is nothing");
        fs::remove_file(place.path("a")).unwrap();
        fs::create_dir_all(place.path("a/b")).unwrap();
        assert!(!missing.holds(), "a directory is something");
    }

    #[test]
    fn a_present_file_holds_while_it_is_a_file() {
        let place = Place::new("present");
        let present = place.dependency("a", FileState::Present);
        assert!(!present.holds());
        fs::write(place.path("a"), "1").unwrap();
        assert!(present.holds());
        fs::remove_file(place.path("a")).unwrap();
        fs::create_dir(place.path("a")).unwrap();
        assert!(!present.holds());
    }

    #[test]
    fn a_file_holds_by_its_stamp_and_then_by_its_content() {
        let place = Place::new("file");
        let path = place.path("a");
        fs::write(&path, "text").unwrap();
        let state = |digest, stamp| FileState::File { digest, stamp };
        // A wrong digest shows which of the two was looked at.
        let wrong = Digest::of(b"other");
        assert!(place.dependency("a", state(wrong, Some(stamp(&path)))).holds());
        assert!(!place.dependency("a", state(wrong, None)).holds());
        let right = Digest::of(b"text");
        assert!(place.dependency("a", state(right, None)).holds());
        let old = Stamp { changed: 0, ..stamp(&path) };
        assert!(place.dependency("a", state(right, Some(old))).holds());
        fs::remove_file(&path).unwrap();
        assert!(!place.dependency("a", state(right, Some(old))).holds());
    }

    /// A build tool may put back the time of a file that it wrote; its change still shows.
    #[test]
    fn a_file_changed_with_equal_size_and_time_does_not_hold() {
        let place = Place::new("touched");
        let path = place.path("a");
        fs::write(&path, "text").unwrap();
        let before = fs::metadata(&path).unwrap();
        let dependency =
            place.dependency("a", FileState::File { digest: Digest::of(b"text"), stamp: Some(Stamp::of(&before)) });
        std::thread::sleep(Duration::from_millis(20));
        fs::write(&path, "tEXt").unwrap();
        let file = File::options().write(true).open(&path).unwrap();
        file.set_times(FileTimes::new().set_modified(before.modified().unwrap())).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().modified().unwrap(), before.modified().unwrap());
        assert!(!dependency.holds());
    }

    #[test]
    fn a_new_stamp_is_taken_when_it_has_settled() {
        let place = Place::new("renew");
        let path = place.path("a");
        fs::write(&path, "text").unwrap();
        let mut dependency = place.dependency("a", FileState::File { digest: Digest::of(b"text"), stamp: None });
        assert!(dependency.renew());
        let FileState::File { stamp: taken, .. } = dependency.state else { panic!() };
        assert_eq!(taken, None, "the file was written just now");
        std::thread::sleep(SETTLED_AFTER + Duration::from_millis(20));
        assert!(dependency.renew());
        let FileState::File { stamp: taken, .. } = dependency.state else { panic!() };
        assert_eq!(taken, Some(stamp(&path)));
    }

    #[test]
    fn a_stamp_of_the_future_has_not_settled() {
        let old = Stamp { device: 1, inode: 1, size: 1, modified: 0, changed: 0 };
        assert_eq!(old.settled(), Some(old));
        let future = i64::MAX;
        assert_eq!(Stamp { modified: future, ..old }.settled(), None);
        assert_eq!(Stamp { changed: future, ..old }.settled(), None);
    }

    #[test]
    fn a_pipe_is_never_the_same_again() {
        let place = Place::new("pipe");
        rustix::fs::mknodat(rustix::fs::CWD, place.path("a"), rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
        assert!(!place.dependency("a", FileState::File { digest: Digest::of(b""), stamp: None }).holds());
    }

    #[test]
    fn a_directory_holds_while_its_names_lead_to_one_place() {
        let place = Place::new("directory");
        fs::create_dir(place.path("a")).unwrap();
        fs::create_dir(place.path("b")).unwrap();
        symlink("a", place.path("link")).unwrap();
        let same_as = Some(place.path("a").into_os_string().into_encoded_bytes());
        let linked = place.dependency("link", FileState::Directory { same_as });
        assert!(linked.holds() && place.dependency("link", FileState::Directory { same_as: None }).holds());
        fs::remove_file(place.path("link")).unwrap();
        symlink("b", place.path("link")).unwrap();
        assert!(!linked.holds() && place.dependency("link", FileState::Directory { same_as: None }).holds());
    }

    #[test]
    fn names_that_were_not_there_are_noticed() {
        let place = Place::new("without");
        fs::create_dir(place.path("a")).unwrap();
        let names = || vec![b"vector".to_vec(), b"x.h".to_vec()];
        let without = |stamp| place.dependency("a", FileState::Without { names: names(), stamp });
        assert!(without(None).holds());
        let before = stamp(&place.path("a"));
        std::thread::sleep(Duration::from_millis(20));
        fs::write(place.path("a/y.h"), "").unwrap();
        assert!(without(Some(before)).holds(), "another name makes no difference");
        fs::write(place.path("a/x.h"), "").unwrap();
        assert!(!without(None).holds() && !without(Some(before)).holds());
        fs::remove_file(place.path("a/x.h")).unwrap();
        symlink("nowhere", place.path("a/x.h")).unwrap();
        assert!(!without(None).holds(), "what the link leads to would not show in the directory's stamp");
        assert!(without(Some(stamp(&place.path("a")))).holds(), "an equal stamp is believed");
    }

    #[test]
    fn a_listing_is_that_of_its_names() {
        let place = Place::new("listing");
        fs::create_dir_all(place.path("a/13")).unwrap();
        fs::create_dir_all(place.path("a/12")).unwrap();
        let listing = place.dependency("a", FileState::Listing { digest: Digest::of(b"12\x0013\0"), stamp: None });
        assert!(listing.holds());
        fs::create_dir(place.path("a/14")).unwrap();
        assert!(!listing.holds());
    }
}
