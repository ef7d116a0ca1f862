// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Work that nobody waits for, in a process of its own.

use std::{fs::File, os::fd::AsFd};

use rustix::process::{Pid, WaitOptions, nice, setsid, waitpid};

/// Longest life of such a process, in seconds.
const LIFE: u32 = 120;

/// Runs `work` in a process that belongs to nobody and outlives this one: a short program's end must not keep its work from
/// ever being done. To be called by a process with one thread. Where there is no room for a process, nothing is done.
pub fn detach(work: impl FnOnce()) {
    // SAFETY: this process has one thread, so the child's memory is as consistent as this one's.
    match unsafe { libc::fork() } {
        0 => {
            // SAFETY: as above. The process between the two ends at once, so that nobody has to wait for the inner one.
            if unsafe { libc::fork() } == 0 {
                // Neither the client's socket nor the signals of its terminal. Any of it may fail; the work is harmless.
                if let Ok(null) = File::open("/dev/null") {
                    let _ = rustix::stdio::dup2_stdin(null.as_fd());
                }
                let _ = setsid();
                let _ = nice(10);
                // SAFETY: the default action ends the process, which is what is wanted.
                unsafe { libc::alarm(LIFE) };
                work();
            }
            // SAFETY: always sound; skips exit handlers, none of which this program needs.
            unsafe { libc::_exit(0) }
        }
        pid => {
            // Its end is a moment away.
            let _ = Pid::from_raw(pid).map(|pid| waitpid(Some(pid), WaitOptions::empty()));
        }
    }
}
