// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! How the processes of the program get their memory.
//!
//! A forked process shares all pages with its parent, and gets its own copy of each that it writes to at the first write. For
//! a compile that is a third of its time. Compiles write to much the same pages, so the first ones note which, and a process
//! that waits for its job ahead of time takes its copies while it waits.

use std::{
    ffi::c_void,
    fs::File,
    os::unix::fs::FileExt,
    ptr,
    sync::{
        OnceLock,
        atomic::{AtomicU64, Ordering},
    },
};

use rustix::{
    mm::{Advice, MapFlags, ProtFlags, madvise, mmap_anonymous},
    param::page_size,
};

/// How far the heap grows at once. A compile seldom needs more, so that it does not ask the system again and again.
const HEAP_STEP: usize = 4 << 20;

/// Up to this size, memory comes from the heap, where it is used again; more than this the C library does not allow.
const LARGEST_IN_HEAP: i32 = 32 << 20;

/// Most pages of writable data that are noted: 512 MiB.
const MAX_PAGES: usize = 1 << 17;

/// Compiles that note which pages they wrote to; the first ones come before the program has settled, and have no time for it.
const TEACHERS: std::ops::RangeInclusive<u64> = 3..=6;

/// How much of the address space behind the heap is looked at, too: the program may still load something.
const HEADROOM: usize = 64 << 20;

/// `/proc/self/pagemap`: the page is in memory, and no other process has it.
const PRESENT: u64 = 1 << 63;
const EXCLUSIVE: u64 = 1 << 56;

unsafe extern "C" {
    /// Made by the linker: where the program's file is mapped, the end of its code, and its variables.
    static __executable_start: u8;
    static etext: u8;
    static __data_start: u8;
    static end: u8;
}

/// Sets the C library's allocator up for processes that live for one compile: it gives nothing back on the way.
pub fn tune_allocator() {
    // SAFETY: known parameters, set while the process has one thread. What an allocator does not know it refuses.
    unsafe {
        libc::mallopt(libc::M_TOP_PAD, HEAP_STEP as i32);
        libc::mallopt(libc::M_TRIM_THRESHOLD, i32::MAX);
        libc::mallopt(libc::M_MMAP_THRESHOLD, LARGEST_IN_HEAP);
    }
}

/// The pages that compiles write to, known to all processes that are forked from the one that made it.
#[derive(Clone, Copy)]
pub struct Pages {
    /// First pages of the variables and of the heap, and how many there are.
    ranges: [(usize, usize); 2],
    /// A bit for each page of the ranges.
    written: &'static [AtomicU64],
    /// How many compiles have noted theirs.
    teachers: &'static AtomicU64,
}

/// Set once, before the first job.
static PAGES: OnceLock<Pages> = OnceLock::new();

impl Pages {
    fn new() -> Option<Self> {
        // SAFETY: asks where the heap ends. The block is freed at once: it leaves room at the end of the heap, so that a
        // compile's new memory is in the range, too.
        let heap_end = unsafe {
            libc::free(libc::malloc(HEAP_STEP));
            libc::sbrk(0) as usize + HEADROOM
        };
        let variables = (&raw const __data_start as usize, &raw const end as usize);
        let page = page_size();
        // The heap begins behind the variables, at a distance that differs from run to run.
        let heap_start = heap_start()?;
        let pages = |(from, to): (usize, usize)| (from / page, to.div_ceil(page).saturating_sub(from / page));
        let ranges = [pages(variables), pages((heap_start, heap_end))];
        let count = ranges[0].1 + ranges[1].1;
        if count > MAX_PAGES {
            return None;
        }
        let words = count.div_ceil(64) + 1;
        // SAFETY: fresh memory of zeros that is never unmapped and big enough for the words, each of which is atomic.
        let shared = unsafe {
            let flags = MapFlags::SHARED;
            let start = mmap_anonymous(ptr::null_mut(), words * 8, ProtFlags::READ | ProtFlags::WRITE, flags).ok()?;
            std::slice::from_raw_parts(start.cast::<AtomicU64>(), words)
        };
        let (teachers, written) = shared.split_first()?;
        Some(Self { ranges, written, teachers })
    }

    /// Notes which pages this process has for itself.
    fn learn(&self) {
        if !TEACHERS.contains(&self.teachers.fetch_add(1, Ordering::Relaxed)) {
            return;
        }
        let Ok(map) = File::open("/proc/self/pagemap") else { return };
        let mut bit = 0;
        for (first, count) in self.ranges {
            let mut entries = vec![0; count * 8];
            if map.read_exact_at(&mut entries, first as u64 * 8).is_err() {
                return;
            }
            for entry in entries.as_chunks::<8>().0 {
                if u64::from_le_bytes(*entry) & (PRESENT | EXCLUSIVE) == PRESENT | EXCLUSIVE {
                    self.written[bit / 64].fetch_or(1 << (bit % 64), Ordering::Relaxed);
                }
                bit += 1;
            }
        }
    }

    /// Runs of pages that were written to: address and bytes.
    fn runs(&self) -> Vec<(usize, usize)> {
        let page = page_size();
        let mut runs: Vec<(usize, usize)> = Vec::new();
        let mut bit = 0;
        for (first, count) in self.ranges {
            for index in first..first + count {
                if self.written[bit / 64].load(Ordering::Relaxed) >> (bit % 64) & 1 == 1 {
                    let at = index * page;
                    match runs.last_mut() {
                        Some((start, length)) if *start + *length == at => *length += page,
                        _ => runs.push((at, page)),
                    }
                }
                bit += 1;
            }
        }
        runs
    }
}

/// Where the heap begins.
fn heap_start() -> Option<usize> {
    let maps = std::fs::read_to_string("/proc/self/maps").ok()?;
    let line = maps.lines().find(|line| line.ends_with("[heap]"))?;
    usize::from_str_radix(line.split('-').next()?, 16).ok()
}

/// To be called by the process that others are forked from, when it has loaded what they share.
pub fn prepare_for_forks() {
    if let Some(pages) = Pages::new() {
        // Only one process comes here, and once.
        let _ = PAGES.set(pages);
    }
}

/// To be called at the end of a compile that is like others, before it answers.
pub fn note_written_pages() {
    if let Some(pages) = PAGES.get() {
        pages.learn();
    }
}

/// Gets the pages that a compile needs. Their content stays as it is.
pub fn get_pages_ahead() {
    let page = page_size();
    // SAFETY: asks for the addresses of the program's own code, and has its pages mapped, which changes nothing.
    unsafe {
        let start = &raw const __executable_start as usize / page * page;
        let length = &raw const etext as usize - start;
        let _ = madvise(start as *mut c_void, length, Advice::LinuxPopulateRead);
    }
    for (start, length) in PAGES.get().map_or_else(Vec::new, Pages::runs) {
        // SAFETY: "populate" gives the process its own copy of pages that it has, or fails.
        let _ = unsafe { madvise(start as *mut c_void, length, Advice::LinuxPopulateWrite) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_that_a_child_wrote_to_are_found() {
        let page = page_size();
        let mut block = vec![1_u8; 64 * page];
        let pages = Pages::new().unwrap();
        let target = block[10 * page..].as_ptr() as usize / page * page;
        let in_ranges = pages.ranges.iter().any(|(first, count)| (*first..first + count).contains(&(target / page)));
        assert!(in_ranges || block.len() > LARGEST_IN_HEAP as usize || target > pages.ranges[1].0 * page);
        block[10 * page] = 2;
        for _ in 0..*TEACHERS.start() {
            pages.learn();
            assert!(pages.runs().is_empty(), "the first compiles have no time");
        }
        pages.learn();
        let runs = pages.runs();
        assert!(!runs.is_empty());
        assert!(runs.iter().all(|(start, length)| start % page == 0 && length % page == 0));
        assert!(runs.is_sorted());
    }
}
