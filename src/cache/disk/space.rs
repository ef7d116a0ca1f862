// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#![forbid(unsafe_code)]
//! How much is in the store, and what has to leave.
//!
//! A file holds the bytes of all entries, so that storing one need not look at the others. It is right up to what processes
//! did not say that died, and made right by each eviction, which looks at all entries.
//!
//! Least recently used is told by the time of change of the file of an entry, which is set when the entry is used (by setting
//! the time of access, which counts for nothing itself: whoever makes a backup changes that). Nothing but us changes it, mount
//! options do not switch it off, and the time of writing stays what it was.

use std::{
    io::{self, ErrorKind},
    os::unix::fs::FileExt,
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use rustix::fs::{FileType, Stat};

use super::{
    Tier, Usage, claim,
    folder::{Create, Folder, LOCKS, TEMPORARY},
};
use crate::cache::{stats::statistics, trace::Channel};

/// The file with the bytes of all entries.
const SIZE: &str = "size";
/// Locked by who evicts.
const EVICTION: &str = "eviction";
/// File systems give out whole blocks.
const BLOCK: u64 = 4096;
/// A file that is written for longer than this is nobody's any more.
const ABANDONED: Duration = Duration::from_secs(3600);

/// What a file of that many bytes counts for.
pub fn occupied(bytes: u64) -> u64 {
    bytes.div_ceil(BLOCK) * BLOCK
}

/// An entry, by its file.
struct Found {
    tier: Tier,
    group: String,
    name: String,
    bytes: u64,
    used: (i64, u64),
}

/// What an entry counts for.
pub fn bytes_of(stat: &Stat) -> u64 {
    occupied(u64::try_from(stat.st_size).unwrap_or(0))
}

/// All entries. What vanishes meanwhile is not there.
fn entries(base: &Folder) -> Vec<Found> {
    let mut found = Vec::new();
    for tier in Tier::ALL {
        let Ok(folder) = base.folder(tier.name(), Create::No) else { continue };
        for group in folder.names().unwrap_or_default() {
            let Ok(inner) = folder.folder(&group, Create::No) else { continue };
            for name in inner.names().unwrap_or_default() {
                if let Ok(stat) = inner.stat(&name)
                    && FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile
                {
                    let used = (stat.st_ctime, stat.st_ctime_nsec);
                    found.push(Found { tier, group: group.clone(), name, bytes: bytes_of(&stat), used });
                }
            }
        }
    }
    found
}

/// Counts the entries.
pub fn usage(base: &Folder) -> Usage {
    let entries = entries(base);
    Usage { entries: entries.len() as u64, bytes: entries.iter().map(|entry| entry.bytes).sum() }
}

/// Notes that the entries grew by so many bytes. Returns what they have now.
pub fn grew(base: &Folder, by: i64) -> io::Result<u64> {
    let (file, stat) = base.state_file(SIZE)?;
    if !claim::lock_shortly(&file)? {
        return Err(ErrorKind::WouldBlock.into());
    }
    let mut number = [0; 8];
    let known = stat.st_size == 8 && file.read_exact_at(&mut number, 0).is_ok();
    let now = match known {
        true => u64::from_le_bytes(number).saturating_add_signed(by),
        false => usage(base).bytes,
    };
    let written = file.write_all_at(&now.to_le_bytes(), 0);
    claim::unlock(&file);
    written.map(|()| now)
}

/// Removes least recently used entries until the store is well below the limit. One process does it at a time; the others
/// need not wait.
pub fn evict(root: &Path, base: &Folder, limit: u64) -> io::Result<()> {
    // Who comes while another process evicts leaves it to that one, which looks again afterwards.
    while grew(base, 0)? > limit {
        let (file, _) = base.state_file(EVICTION)?;
        if !claim::try_lock(&file)? {
            return Ok(());
        }
        let done = evict_once(root, base, limit);
        claim::unlock(&file);
        if !done? {
            break;
        }
    }
    Ok(())
}

/// Returns whether the store is below the limit as far as it depends on this process.
fn evict_once(root: &Path, base: &Folder, limit: u64) -> io::Result<bool> {
    Channel::Disk.say(format_args!("Cache eviction triggered."));
    clean_up(base);
    let assumed = grew(base, 0)?;
    let mut entries = entries(base);
    let counted: u64 = entries.iter().map(|entry| entry.bytes).sum();
    entries.sort_by(|a, b| (a.used, &a.name).cmp(&(b.used, &b.name)));
    let target = limit / 4 * 3;
    let mut left = counted;
    for entry in &entries {
        if left <= target {
            break;
        }
        if remove(root, base, entry) {
            left -= entry.bytes;
            match entry.tier {
                Tier::Intermediate => statistics().disk.evictions.add(),
                Tier::Native => statistics().native.evictions.add(),
                Tier::Record => {}
            }
        }
    }
    grew(base, difference(left, assumed))?;
    Ok(left <= limit)
}

/// By how much a number changes.
pub fn difference(to: u64, from: u64) -> i64 {
    i64::try_from(i128::from(to) - i128::from(from)).unwrap_or(0)
}

/// Removes an entry that nobody is about to make.
fn remove(root: &Path, base: &Folder, entry: &Found) -> bool {
    let lock = lock_name(entry.tier, &entry.name);
    if let Ok(locks) = base.folder(LOCKS, Create::No)
        && locks.has(&lock)
        && claim::is_locked(&locks, &lock)
    {
        return false;
    }
    let removed = base.folder(entry.tier.name(), Create::No).and_then(|tier| {
        tier.folder(&entry.group, Create::No)?.remove(&entry.name)?;
        tier.remove_folder(&entry.group);
        Ok(())
    });
    match removed {
        Ok(()) => {
            let path = path_of(root, entry.tier, &entry.group, &entry.name);
            Channel::Disk.say(format_args!("File removed: {}", path.display()));
            true
        }
        // Another process removed the folder.
        Err(error) if error.kind() == ErrorKind::NotFound => true,
        Err(error) => {
            log::debug!("the cache entry {} was not removed: {error}", entry.name);
            false
        }
    }
}

/// Removes all entries that nobody is about to make.
pub fn clear(root: &Path, base: &Folder) -> io::Result<()> {
    clean_up(base);
    let assumed = grew(base, 0)?;
    let left: u64 = entries(base).iter().filter(|entry| !remove(root, base, entry)).map(|entry| entry.bytes).sum();
    grew(base, difference(left, assumed)).map(drop)
}

/// Removes what processes left that died.
fn clean_up(base: &Folder) {
    if let Ok(folder) = base.folder(TEMPORARY, Create::No) {
        for name in folder.names().unwrap_or_default() {
            if folder.stat(&name).is_ok_and(|stat| is_abandoned(&stat)) {
                drop(folder.remove(&name));
            }
        }
    }
    if let Ok(folder) = base.folder(LOCKS, Create::No) {
        for name in folder.names().unwrap_or_default() {
            claim::is_locked(&folder, &name);
        }
    }
}

fn is_abandoned(stat: &Stat) -> bool {
    let written = Duration::from_secs(u64::try_from(stat.st_mtime).unwrap_or(0));
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    now.saturating_sub(written) > ABANDONED
}

/// Name of the lock file of an entry.
pub fn lock_name(tier: Tier, key: &str) -> String {
    format!("{}-{key}", tier.name())
}

/// Path of an entry, for people.
pub fn path_of(root: &Path, tier: Tier, group: &str, name: &str) -> PathBuf {
    [&super::folder::name(), tier.name(), group, name].iter().fold(root.to_owned(), |path, part| path.join(part))
}
