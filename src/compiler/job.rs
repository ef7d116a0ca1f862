// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#![forbid(unsafe_code)]
//! Sockets as the client uses them: off the standard descriptors, closed on exec, with a deadline, without `SIGPIPE`.

use std::{
    io::{self, IoSlice, Read, Write},
    mem::MaybeUninit,
    os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd},
    sync::Arc,
    time::{Duration, Instant},
};

use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    io::{Errno, fcntl_dupfd_cloexec},
    net::{
        AddressFamily, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage, SendFlags, SocketFlags, SocketType, recv,
        send, sendmsg, socketpair,
    },
};

/// A connected pair of the given type.
pub(super) fn pair(kind: SocketType) -> io::Result<(OwnedFd, OwnedFd)> {
    let (a, b) = socketpair(AddressFamily::UNIX, kind, SocketFlags::CLOEXEC, None)?;
    Ok((off_standard(a)?, off_standard(b)?))
}

/// `fd` itself, or a copy above 2: an application may have closed its standard descriptors, and what it then writes to
/// them must not reach our sockets.
pub(super) fn off_standard(fd: OwnedFd) -> io::Result<OwnedFd> {
    if fd.as_raw_fd() > 2 { Ok(fd) } else { Ok(fcntl_dupfd_cloexec(&fd, 3)?) }
}

/// Waits until `fd` is ready for `wanted` or hung up; [`io::ErrorKind::TimedOut`] after `deadline`.
pub(super) fn wait(fd: BorrowedFd<'_>, wanted: PollFlags, deadline: Option<Instant>) -> io::Result<PollFlags> {
    loop {
        let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        let mut fds = [PollFd::from_borrowed_fd(fd, wanted)];
        match poll(&mut fds, left.map(timespec).as_ref()) {
            Ok(0) if left.is_some_and(|left| left.is_zero()) => return Err(io::ErrorKind::TimedOut.into()),
            Ok(0) | Err(Errno::INTR) => {}
            Ok(_) => return Ok(fds[0].revents()),
            Err(e) => return Err(e.into()),
        }
    }
}

fn timespec(time: Duration) -> Timespec {
    Timespec { tv_sec: i64::try_from(time.as_secs()).unwrap_or(i64::MAX), tv_nsec: i64::from(time.subsec_nanos()) }
}

/// Sends one packet with a descriptor attached.
pub(super) fn send_packet_with_fd(
    socket: BorrowedFd<'_>,
    packet: &[u8],
    attached: BorrowedFd<'_>,
    deadline: Option<Instant>,
) -> io::Result<()> {
    loop {
        wait(socket, PollFlags::OUT, deadline)?;
        let fds = [attached];
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
        let mut control = SendAncillaryBuffer::new(&mut space);
        if !control.push(SendAncillaryMessage::ScmRights(&fds)) {
            return Err(io::Error::other("no room for the descriptor"));
        }
        match sendmsg(socket, &[IoSlice::new(packet)], &mut control, SendFlags::NOSIGNAL | SendFlags::DONTWAIT) {
            Ok(_) => return Ok(()),
            Err(Errno::INTR | Errno::AGAIN) => {}
            Err(e) => return Err(e.into()),
        }
    }
}

/// A stream socket whose reads and writes end at a deadline.
pub(super) struct Stream {
    socket: Arc<OwnedFd>,
    deadline: Option<Instant>,
}

impl Stream {
    pub(super) fn new(socket: Arc<OwnedFd>, deadline: Option<Instant>) -> Self {
        Self { socket, deadline }
    }
}

impl Read for Stream {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            wait(self.socket.as_fd(), PollFlags::IN, self.deadline)?;
            match recv(&self.socket, &mut *buffer, RecvFlags::DONTWAIT) {
                Ok((n, _)) => return Ok(n),
                Err(Errno::INTR | Errno::AGAIN) => {}
                Err(e) => return Err(e.into()),
            }
        }
    }
}

impl Write for Stream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        loop {
            wait(self.socket.as_fd(), PollFlags::OUT, self.deadline)?;
            match send(&self.socket, bytes, SendFlags::NOSIGNAL | SendFlags::DONTWAIT) {
                Ok(n) => return Ok(n),
                Err(Errno::INTR | Errno::AGAIN) => {}
                Err(e) => return Err(e.into()),
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
