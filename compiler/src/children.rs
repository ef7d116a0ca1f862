// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The processes that compile: forking them, watching over them, answering for those that cannot.

use std::{
    fs::File,
    io::{self, Read, Seek, SeekFrom},
    os::fd::{BorrowedFd, OwnedFd},
    os::unix::net::UnixStream,
    time::{Duration, Instant},
};

use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    fs::MemfdFlags,
    process::{Pid, PidfdFlags, Signal, WaitOptions, kill_process, pidfd_open, waitpid},
};
use syclrtc_protocol::{Reply, Start, write_frame};

use crate::{
    packets,
    spare::{self, Spare},
};

/// How much of what a dead child printed goes into the message, in bytes.
const MAX_CAPTURE: u64 = 16 << 10;

/// How long the parent waits for a client that does not read its message, before it gives up on it.
const REPLY_PATIENCE: Duration = Duration::from_secs(2);

/// The compiles that this process started.
#[derive(Default)]
pub struct Children {
    list: Vec<Child>,
}

/// A compile that runs.
struct Child {
    pid: Pid,
    pidfd: OwnedFd,
    /// A copy of the child's end, to answer for it if it dies and to see the client hang up.
    reply: UnixStream,
    /// What the child prints.
    output: File,
    start: Start,
    deadline: Option<Instant>,
    /// Why this process killed it, if it did.
    killed_for: Option<&'static str>,
    /// For one that waited for its job, and when the job came: it says here that it has begun.
    employed: Option<(OwnedFd, Instant)>,
}

/// A job that was not begun.
pub struct NotBegun {
    pub start: Start,
    pub reply: UnixStream,
    pub began: Instant,
}

/// Which side of a fork this is.
pub enum Forked {
    /// The new process, with where its job comes from.
    Spare(OwnedFd),
    /// The one that forked.
    Parent(Spare),
}

/// What came up while this process waited.
pub struct Events {
    /// For each of the other descriptors, whether it has something to say.
    pub ready: Vec<bool>,
    /// Children that ended, and were answered for.
    pub ended: Vec<Pid>,
    /// Jobs of children that ended without having begun them.
    pub not_begun: Vec<NotBegun>,
}

impl Children {
    /// True if no compile runs.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Forks for a job that began at `began`. `Some` in the child: the file that what it prints is to go to.
    pub fn fork(&mut self, start: &Start, reply: UnixStream, began: Instant) -> io::Result<Option<File>> {
        let output = new_output()?;
        // SAFETY: this process has one thread, so the child's memory is as consistent as this one's.
        match unsafe { libc::fork() } {
            0 => {
                self.list.clear();
                Ok(Some(output))
            }
            pid if pid > 0 => {
                let Some(pid) = Pid::from_raw(pid) else { return Ok(None) };
                self.add(pid, pidfd_open(pid, PidfdFlags::empty())?, start, reply, output, began);
                Ok(None)
            }
            _ => {
                let message = format!("no process for the compile: {}", io::Error::last_os_error());
                reply_with_patience(reply, message);
                Ok(None)
            }
        }
    }

    /// Forks a process that waits for a job. To be called while no compile runs, whose descriptors it would hold.
    pub fn fork_spare(&mut self) -> io::Result<Forked> {
        let (control, theirs) = packets::pair()?;
        // SAFETY: this process has one thread, so the child's memory is as consistent as this one's.
        match unsafe { libc::fork() } {
            0 => Ok(Forked::Spare(theirs)),
            pid => {
                let pid =
                    Some(pid).filter(|pid| *pid > 0).and_then(Pid::from_raw).ok_or_else(io::Error::last_os_error)?;
                Ok(Forked::Parent(Spare::new(pid, pidfd_open(pid, PidfdFlags::empty())?, control)))
            }
        }
    }

    /// Gives a job that began at `began` to a process that waits for one.
    ///
    /// # Errors
    /// That process is gone, and the job still to be done.
    pub fn employ(&mut self, spare: Spare, start: &Start, reply: UnixStream, began: Instant) -> io::Result<()> {
        let output = new_output()?;
        let (pid, pidfd, control) = spare.employ(start, &reply, &output)?;
        self.add(pid, pidfd, start, reply, output, began);
        if let Some(child) = self.list.last_mut() {
            child.employed = Some((control, began));
        }
        Ok(())
    }

    fn add(&mut self, pid: Pid, pidfd: OwnedFd, start: &Start, reply: UnixStream, output: File, began: Instant) {
        let deadline = (start.time_limit_ms != 0).then(|| began + Duration::from_millis(start.time_limit_ms));
        let start = start.clone();
        self.list.push(Child { pid, pidfd, reply, output, start, deadline, killed_for: None, employed: None });
    }

    /// Waits until something happens to a compile or on one of `others`, and does what is to be done for the compiles. With
    /// something else to do, this process does not `sleep`.
    pub fn wait(&mut self, others: &[BorrowedFd<'_>], sleep: bool) -> io::Result<Events> {
        let now = Instant::now();
        let patience = self.list.iter().filter_map(|child| child.deadline).min();
        let patience = patience.map(|deadline| deadline.saturating_duration_since(now));
        let (ready, ended, hung_up) = self.poll(others, if sleep { patience } else { Some(Duration::ZERO) })?;
        for &index in &hung_up {
            self.list[index].kill("the caller cancelled it");
        }
        let now = Instant::now();
        for child in &mut self.list {
            if child.deadline.is_some_and(|deadline| deadline <= now) {
                child.kill("it ran past its time limit");
                child.deadline = None;
            }
        }
        let (mut buried, mut not_begun) = (Vec::new(), Vec::new());
        for &index in ended.iter().rev() {
            let child = self.list.swap_remove(index);
            buried.push(child.pid);
            not_begun.extend(child.bury());
        }
        Ok(Events { ready, ended: buried, not_begun })
    }

    /// Which of the other descriptors have something to say, which children ended, and whose clients hung up.
    fn poll(
        &self,
        others: &[BorrowedFd<'_>],
        patience: Option<Duration>,
    ) -> io::Result<(Vec<bool>, Vec<usize>, Vec<usize>)> {
        let mut watched: Vec<PollFd<'_>> =
            others.iter().map(|fd| PollFd::from_borrowed_fd(*fd, PollFlags::IN)).collect();
        watched.extend(self.list.iter().map(|child| PollFd::new(&child.pidfd, PollFlags::IN)));
        // No flags: a hang-up is reported all the same. One who was told already is no longer watched.
        let alive = |child: &&Child| child.killed_for.is_none();
        watched.extend(self.list.iter().filter(alive).map(|child| PollFd::new(&child.reply, PollFlags::empty())));
        let timeout = patience.map(|patience| Timespec {
            tv_sec: patience.as_secs() as i64,
            tv_nsec: i64::from(patience.subsec_nanos()),
        });
        match poll(&mut watched, timeout.as_ref()) {
            Ok(_) => {}
            Err(rustix::io::Errno::INTR) => return Ok((vec![false; others.len()], Vec::new(), Vec::new())),
            Err(error) => return Err(error.into()),
        }
        let ready: Vec<bool> = watched.iter().map(|fd| !fd.revents().is_empty()).collect();
        let (others, ready) = ready.split_at(others.len());
        let (children, clients) = ready.split_at(self.list.len());
        let ended = (0..self.list.len()).filter(|&i| children[i]).collect();
        let watched_clients = (0..self.list.len()).filter(|&i| self.list[i].killed_for.is_none());
        let hung_up = watched_clients.zip(clients).filter(|(_, ready)| **ready).map(|(i, _)| i).collect();
        Ok((others.to_vec(), ended, hung_up))
    }

    /// Gives up a child that is no compile any more. Its end is to be waited for on the descriptor.
    pub fn release(&mut self, pid: Pid) -> Option<OwnedFd> {
        let index = self.list.iter().position(|child| child.pid == pid && child.killed_for.is_none())?;
        Some(self.list.swap_remove(index).pidfd)
    }

    /// Ends all compiles.
    pub fn kill(&mut self, why: &'static str) {
        for child in &mut self.list {
            child.kill(why);
        }
    }
}

/// Where what a compile prints goes.
fn new_output() -> io::Result<File> {
    Ok(File::from(rustix::fs::memfd_create("syclrtc-compile-output", MemfdFlags::CLOEXEC)?))
}

impl Child {
    fn kill(&mut self, why: &'static str) {
        if self.killed_for.is_none() {
            self.killed_for = Some(why);
            // Gone already is fine.
            let _ = kill_process(self.pid, Signal::KILL);
        }
    }

    /// Reaps it, and answers for it if it did not answer itself. `Some` if its job can be given to another one.
    fn bury(mut self) -> Option<NotBegun> {
        let status = waitpid(Some(self.pid), WaitOptions::empty()).ok().flatten()?.1;
        if status.exit_status() == Some(0) {
            return None;
        }
        if let (Some((control, began)), None) = (&self.employed, self.killed_for)
            && !spare::has_begun(control)
        {
            return Some(NotBegun { start: self.start, reply: self.reply, began: *began });
        }
        let how = match (self.killed_for, status.terminating_signal(), status.exit_status()) {
            (Some(why), ..) => format!("was stopped because {why}"),
            (None, Some(signal), _) => format!("was ended by signal {signal}"),
            (None, None, Some(code)) => format!("exited with status {code}"),
            (None, None, None) => "ended".to_owned(),
        };
        let mut message = format!("the compile process {how}");
        if self.start.time_limit_ms != 0 {
            message += &format!("; time limit {} ms", self.start.time_limit_ms);
        }
        if self.start.memory_limit != 0 {
            message += &format!("; memory limit {} bytes", self.start.memory_limit);
        }
        let printed = self.captured();
        if !printed.is_empty() {
            message += "\n";
            message += &printed;
        }
        reply_with_patience(self.reply, message);
        None
    }

    fn captured(&mut self) -> String {
        let mut bytes = Vec::new();
        if self.output.seek(SeekFrom::Start(0)).is_ok() {
            // What could not be read is not there to be shown.
            let _ = (&mut self.output).take(MAX_CAPTURE).read_to_end(&mut bytes);
        }
        String::from_utf8_lossy(&bytes).trim_end().to_owned()
    }
}

/// A client that does not read must not hold up the others.
fn reply_with_patience(mut socket: UnixStream, message: String) {
    if socket.set_write_timeout(Some(REPLY_PATIENCE)).is_ok() {
        // Nobody there is what a cancelled job looks like.
        let _ = write_frame(&mut socket, &Reply::Died { message });
    }
}
