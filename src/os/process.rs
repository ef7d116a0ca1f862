// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Where the process is in its life: a child of `fork`, or about to exit.
//!
//! Drivers start threads. A child of `fork` does not have them, so a call into a driver that was in use before would
//! wait for ever. At exit drivers take themselves down in their own exit handlers, and objects of the program may be
//! destroyed after that. In both cases calls are refused, and driver objects are left alone.

use std::sync::Once;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use crate::error::{Error, Result};

/// Number of forks between the first process and this one, counted from the first call of [`fork_generation`].
static GENERATION: AtomicU32 = AtomicU32::new(0);
/// Generation in which drivers were first used, plus 1; 0 if none has been yet.
static DRIVERS_USED_IN: AtomicU32 = AtomicU32::new(0);
/// Set when the exit handlers that were registered after the drivers' have begun to run.
static EXITING: AtomicBool = AtomicBool::new(false);

extern "C" fn count_fork() {
    // Only the forking thread exists in the child, so no order is needed.
    GENERATION.fetch_add(1, Ordering::Relaxed);
}

extern "C" fn note_exit() {
    EXITING.store(true, Ordering::SeqCst);
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

/// To be asked before every call into a driver.
///
/// # Errors
/// [`Errc::Runtime`](crate::error::Errc::Runtime) in a child of a process that had used drivers before `fork`, and
/// while the process exits.
pub fn use_drivers() -> Result<()> {
    let used_in = DRIVERS_USED_IN.load(Ordering::Acquire);
    if used_in == 0 {
        let mine = fork_generation() + 1;
        // When two threads race here, both have the same value.
        DRIVERS_USED_IN.store(mine, Ordering::Release);
        return Ok(());
    }
    if used_in != GENERATION.load(Ordering::Relaxed) + 1 {
        return Err(Error::runtime(
            "this process was forked from one that had used devices before; drivers do not work in such a child. \
             Fork before the first use of a device, or start a new program",
        ));
    }
    if is_exiting() {
        return Err(Error::runtime(
            "the process is exiting and its drivers may be gone; devices cannot be used any more",
        ));
    }
    Ok(())
}

/// Whether exit handlers run already that may take drivers down. Work that had not completed by then is lost; that which
/// had needs no driver to be waited for, so that destructors of static objects can wait.
#[must_use]
pub fn is_exiting() -> bool {
    EXITING.load(Ordering::Relaxed)
}

/// Whether driver objects may be given back; if not, they are left to the operating system.
#[must_use]
pub fn may_release() -> bool {
    use_drivers().is_ok()
}

/// To be called once the drivers have been loaded: exit handlers run in reverse order, so the one registered here
/// runs before those that the drivers registered while they were loaded, and after the destructors of objects that
/// were finished later.
pub fn drivers_are_loaded() {
    static REGISTERED: Once = Once::new();
    REGISTERED.call_once(|| {
        // SAFETY: the handler is a plain function that stores one flag.
        let result = unsafe { libc::atexit(note_exit) };
        if result != 0 {
            log::warn!("atexit failed ({result}): use of devices during exit will not be refused");
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_child_of_fork_is_refused_and_its_parent_is_not() {
        use_drivers().unwrap();
        let before = fork_generation();
        // SAFETY: the child only reads atomics, formats no text and leaves by `_exit`.
        let child = unsafe { libc::fork() };
        assert!(child >= 0);
        if child == 0 {
            let good = fork_generation() == before + 1 && !may_release();
            // SAFETY: ends the child without running anything of the parent's.
            unsafe { libc::_exit(i32::from(!good)) };
        }
        let mut status = 0;
        // SAFETY: `child` is a child of this process that nobody else waits for.
        assert_eq!(unsafe { libc::waitpid(child, &raw mut status, 0) }, child);
        assert!(libc::WIFEXITED(status) && libc::WEXITSTATUS(status) == 0, "status {status}");
        assert_eq!(fork_generation(), before);
        use_drivers().unwrap();
    }
}
