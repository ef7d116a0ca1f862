// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Where the process is in its life: a child of `fork`, or about to exit.
//!
//! Drivers start threads. A child of `fork` does not have them, so a call into a driver that was in use before would
//! wait for ever. At exit drivers take themselves down in their own exit handlers, and objects of the program may be
//! destroyed after that. In both cases calls are refused, and driver objects are left alone.
//!
//! Other threads go on while a process exits, and one of them inside a driver that takes itself down crashes the process.
//! So exit waits a little for the calls that are at work, and holds up new ones.

use std::cell::Cell;
use std::marker::PhantomData;
use std::sync::Once;
use std::sync::atomic::{AtomicU8, AtomicU32, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::error::{Error, Result};

/// Number of forks between the first process and this one, counted from the first call of [`fork_generation`].
static GENERATION: AtomicU32 = AtomicU32::new(0);
/// Generation in which drivers were first used, plus 1; 0 if none has been yet.
static DRIVERS_USED_IN: AtomicU32 = AtomicU32::new(0);
/// How far exit is: one of the stages below, never going back.
static STAGE: AtomicU8 = AtomicU8::new(ALIVE);
/// Nothing of the drivers is gone.
const ALIVE: u8 = 0;
/// The exit handlers run that were registered after the first build: compilers in drivers, and the validator, make static
/// objects on first use and may have lost them. Launches still work.
const BUILDS_OVER: u8 = 1;
/// The exit handlers run that were registered after the drivers were loaded.
const DRIVERS_OVER: u8 = 2;
/// Threads that are inside a driver.
static CALLERS: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    /// How many [`DriverCall`]s this thread holds.
    static DEPTH: Cell<usize> = const { Cell::new(0) };
    /// Whether this thread runs the exit handlers.
    static ENDS_PROCESS: Cell<bool> = const { Cell::new(false) };
}

/// Most that exit waits for other threads to leave a driver, and that such a thread is held up by exit: more than a driver
/// needs to build a usual kernel, and less than anybody waits before killing the process.
const PATIENCE: Duration = Duration::from_secs(1);

extern "C" fn count_fork() {
    // Only the forking thread exists in the child, so no order is needed.
    GENERATION.fetch_add(1, Ordering::Relaxed);
}

extern "C" fn note_end_of_builds() {
    enter(BUILDS_OVER);
}

extern "C" fn note_end_of_drivers() {
    enter(DRIVERS_OVER);
}

fn enter(stage: u8) {
    ENDS_PROCESS.set(true);
    STAGE.store(stage, Ordering::SeqCst);
    if forked_after_use() {
        // The threads that were counted are the parent's.
        return;
    }
    let own = usize::from(DEPTH.get() > 0);
    let end = Instant::now() + PATIENCE;
    while CALLERS.load(Ordering::SeqCst) > own && Instant::now() < end {
        thread::sleep(Duration::from_millis(1));
    }
}

/// Permission for the current thread to call drivers, to be held until the last call has returned: exit waits for it.
#[derive(Debug)]
#[must_use = "the process may exit while a driver is at work unless this is held"]
pub struct DriverCall {
    /// The count is the thread's.
    stays_here: PhantomData<*const ()>,
}

impl DriverCall {
    fn begin() -> Self {
        let depth = DEPTH.get();
        DEPTH.set(depth + 1);
        if depth == 0 {
            CALLERS.fetch_add(1, Ordering::SeqCst);
        }
        Self { stays_here: PhantomData }
    }

    /// `None` from the given stage on, and for other threads from the first on; inner calls of one that is already waited
    /// for may go on.
    fn before(stage: u8) -> Option<Self> {
        // Counted first, looked at second, as exit does it the other way round: one of the two sees the other.
        let call = Self::begin();
        let now = STAGE.load(Ordering::SeqCst);
        let allowed = if ENDS_PROCESS.get() { now < stage } else { now == ALIVE || DEPTH.get() > 1 };
        allowed.then_some(call)
    }
}

impl Drop for DriverCall {
    fn drop(&mut self) {
        let depth = DEPTH.get() - 1;
        DEPTH.set(depth);
        if depth == 0 {
            CALLERS.fetch_sub(1, Ordering::SeqCst);
        }
    }
}

fn forked_after_use() -> bool {
    let used_in = DRIVERS_USED_IN.load(Ordering::Acquire);
    used_in != 0 && used_in != GENERATION.load(Ordering::Relaxed) + 1
}

/// Changes in a child of `fork`. Anything that is tied to the process (threads, sockets to helpers) compares the
/// value of its birth with the present one.
#[must_use]
pub fn fork_generation() -> u32 {
    static REGISTERED: Once = Once::new();
    REGISTERED.call_once(|| {
        // SAFETY: the handler is async-signal-safe (one atomic addition) and lives as long as the library, which
        // drops its registrations when it is unloaded.
        let result = unsafe { libc::pthread_atfork(None, None, Some(count_fork)) };
        if result != 0 {
            log::warn!("pthread_atfork failed ({result}): children of fork will not be recognised");
        }
    });
    GENERATION.load(Ordering::Relaxed)
}

/// To be asked before every call into a driver. While the process exits, a thread that has no part in it is held up here
/// for a second, by the end of which there is usually no process any more: an error could end it with another exit
/// code, if nobody catches what is made of it.
///
/// # Errors
/// [`Errc::Runtime`](crate::error::Errc::Runtime) in a child of a process that had used drivers before `fork`, and
/// while the process exits.
pub fn use_drivers() -> Result<DriverCall> {
    use_until(DRIVERS_OVER)
}

/// To be asked instead of [`use_drivers`] before code is built.
///
/// # Errors
/// As [`use_drivers`]; at exit also where launches still work.
pub fn use_driver_compilers() -> Result<DriverCall> {
    use_until(BUILDS_OVER)
}

fn use_until(stage: u8) -> Result<DriverCall> {
    if DRIVERS_USED_IN.load(Ordering::Acquire) == 0 {
        let mine = fork_generation() + 1;
        // When two threads race here, both have the same value.
        DRIVERS_USED_IN.store(mine, Ordering::Release);
    }
    if forked_after_use() {
        return Err(Error::runtime(
            "this process was forked from one that had used devices before; drivers do not work in such a child. \
             Fork before the first use of a device, or start a new program",
        ));
    }
    DriverCall::before(stage).ok_or_else(|| {
        if !ENDS_PROCESS.get() {
            thread::sleep(PATIENCE);
        }
        Error::runtime("the process is exiting and its drivers may be gone; devices cannot be used any more")
    })
}

/// Whether this thread runs the exit handlers that may take drivers down. Work that had not completed by then is lost;
/// that which had needs no driver to be waited for, so that destructors of static objects can wait.
#[must_use]
pub fn is_exiting() -> bool {
    ENDS_PROCESS.get() && STAGE.load(Ordering::Relaxed) == DRIVERS_OVER
}

/// Whether what is needed for builds may be gone.
#[must_use]
pub fn builds_are_over() -> bool {
    STAGE.load(Ordering::Relaxed) >= BUILDS_OVER
}

/// Permission to give driver objects back; without it they are left to the operating system.
#[must_use]
pub fn may_release() -> Option<DriverCall> {
    if forked_after_use() { None } else { DriverCall::before(DRIVERS_OVER) }
}

/// To be called once the drivers have been loaded: exit handlers run in reverse order, so the one registered here
/// runs before those that the drivers registered while they were loaded, and after the destructors of objects that
/// were finished later.
pub fn drivers_are_loaded() {
    static REGISTERED: Once = Once::new();
    REGISTERED.call_once(|| at_exit(note_end_of_drivers));
}

/// To be called when the first build has been done, good or bad; the order is as for [`drivers_are_loaded`].
pub fn driver_compilers_are_loaded() {
    static REGISTERED: Once = Once::new();
    REGISTERED.call_once(|| at_exit(note_end_of_builds));
}

fn at_exit(handler: extern "C" fn()) {
    // SAFETY: the handlers of this file store flags and wait for a limited time.
    let result = unsafe { libc::atexit(handler) };
    if result != 0 {
        log::warn!("atexit failed ({result}): use of devices during exit will not be refused");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_child_of_fork_is_refused_and_its_parent_is_not() {
        drop(use_drivers().unwrap());
        let before = fork_generation();
        // SAFETY: the child only reads atomics, formats no text and leaves by `_exit`.
        let child = unsafe { libc::fork() };
        assert!(child >= 0);
        if child == 0 {
            let good = fork_generation() == before + 1 && may_release().is_none();
            // SAFETY: ends the child without running anything of the parent's.
            unsafe { libc::_exit(i32::from(!good)) };
        }
        let mut status = 0;
        // SAFETY: `child` is a child of this process that nobody else waits for.
        assert_eq!(unsafe { libc::waitpid(child, &raw mut status, 0) }, child);
        assert!(libc::WIFEXITED(status) && libc::WEXITSTATUS(status) == 0, "status {status}");
        assert_eq!(fork_generation(), before);
        drop(use_drivers().unwrap());
    }
}
