// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#![forbid(unsafe_code)]
//! A process that is forked before its job comes, so that the job does not wait for the fork, nor for the pages that the
//! process writes to.
//!
//! There is one at most, and only while no compile runs: then the machine has time for it, and it holds no descriptor of
//! another job. Jobs that come together get processes of their own as before.

use std::{
    fs::File,
    io,
    os::{
        fd::{AsFd, BorrowedFd, OwnedFd},
        unix::net::UnixStream,
    },
};

use rustix::{
    net::{RecvFlags, SendFlags, recv, send},
    process::{Pid, Signal, WaitOptions, kill_process, set_parent_process_death_signal, waitpid},
};
use syclrtc_protocol::Start;

use crate::{
    job::exit,
    memory,
    packets::{self, Received},
};

/// The process as its parent sees it.
pub struct Spare {
    pid: Pid,
    pidfd: OwnedFd,
    /// Where its job goes. When it is closed, the process ends.
    control: OwnedFd,
}

impl Spare {
    /// A process that was forked.
    pub fn new(pid: Pid, pidfd: OwnedFd, control: OwnedFd) -> Self {
        Self { pid, pidfd, control }
    }

    /// Tells when it ends.
    pub fn process(&self) -> BorrowedFd<'_> {
        self.pidfd.as_fd()
    }

    /// Gives it its job. The last of the results tells [`has_begun`] whether it took it.
    ///
    /// # Errors
    /// It is not there any more.
    pub fn employ(self, start: &Start, socket: &UnixStream, output: &File) -> io::Result<(Pid, OwnedFd, OwnedFd)> {
        match packets::send(&self.control, start, &[socket.as_fd(), output.as_fd()]) {
            Ok(()) => Ok((self.pid, self.pidfd, self.control)),
            Err(error) => {
                self.bury();
                Err(error)
            }
        }
    }

    /// Takes leave of one that is of no use any more. It has no job that somebody would have to answer for.
    pub fn bury(self) {
        // Gone already is fine.
        let _ = kill_process(self.pid, Signal::KILL);
        let _ = waitpid(Some(self.pid), WaitOptions::empty());
    }
}

/// What the process does until its job comes. It ends here if none does.
pub fn wait_for_job(control: &OwnedFd) -> (Start, UnixStream, File) {
    // It may fail on an odd system: then the end of the parent shows on the socket.
    let _ = set_parent_process_death_signal(Some(Signal::KILL));
    memory::get_pages_ahead();
    let Ok(Received::Packet(start, descriptors)) = packets::receive::<Start>(control) else { exit(0) };
    let Ok([socket, output]) = <[OwnedFd; 2]>::try_from(descriptors) else { exit(0) };
    if send(control, &[0], SendFlags::NOSIGNAL).is_err() {
        exit(0);
    }
    (start, UnixStream::from(socket), File::from(output))
}

/// Whether a process that ended had begun its job.
pub fn has_begun(control: &OwnedFd) -> bool {
    recv(control, &mut [0_u8], RecvFlags::DONTWAIT).is_ok_and(|(bytes, _)| bytes != 0)
}
