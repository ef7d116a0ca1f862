// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#![forbid(unsafe_code)]
//! Processes that stand behind a parsed preamble, and how a job gets to one.
//!
//! The compile that parses a preamble first stays behind it as a *checkpoint*, and forks for its own job as for all that
//! come to it later. The waiting process keeps the list. A compile that has read its request asks it for the preamble's
//! key: it is told to parse, is told of a checkpoint and hands its job over, or waits until the one who parses is done, so
//! that equal preambles are parsed once. Should a checkpoint be gone or not fit, the compile goes on by itself.

use std::{
    collections::VecDeque,
    fs::File,
    io::{self, Read, Seek, SeekFrom},
    os::fd::{AsFd, OwnedFd},
    os::unix::net::UnixStream,
    time::Duration,
};

use rustix::{
    fs::MemfdFlags,
    process::{Pid, WaitOptions, getpid, waitpid},
    time::{ClockId, clock_gettime},
};
use serde::{Deserialize, Serialize};
use syclrtc_protocol::{Compile, Request, Start, write_frame};

use crate::{
    children::Children,
    frontend::Key,
    packets::{self, Received},
};

/// Most processes that stand behind a preamble. The one that was not used for longest makes room.
const MAX_STANDING: usize = 6;

/// Most keys of preambles that are remembered for not being worth a process.
const MAX_PLAIN: usize = 64;

/// A preamble that takes less time than this to parse is parsed each time: a fork and the pages that it copies cost some
/// milliseconds, too, and so does the memory.
const WORTH_KEEPING: Duration = Duration::from_millis(15);

/// With less memory left on the machine, in bytes, no process stays.
const MEMORY_LEFT: u64 = 512 << 20;

/// What a compile has to say to the waiting process.
#[derive(Serialize, Deserialize)]
enum Notice {
    /// It needs the preamble. The answer goes to the socket that comes with it.
    Claim {
        pid: i32,
        key: Key,
        /// Checkpoints that do not fit.
        tried: Vec<i32>,
    },
    /// It has parsed the preamble and stays. Jobs go to the socket that comes with it.
    Stands { pid: i32, key: Key },
    /// It does not stay; nobody needs to if it is not `worth` it.
    Leaves { pid: i32, key: Key, worth: bool },
}

/// Answer to a claim.
#[derive(Serialize, Deserialize)]
enum Answer {
    /// Parse, and nobody waits for it.
    Plain,
    /// Parse, and stay.
    Parse,
    /// Hand the job to the checkpoint with this number, whose socket comes with the answer.
    Ask { pid: i32 },
}

/// A job for a checkpoint. With it come the job's socket, a file with the request, and a socket to take the job on.
#[derive(Serialize, Deserialize)]
pub struct Handover {
    pub start: Start,
    /// Milliseconds since the job began.
    pub spent_ms: u64,
}

/// The waiting process's list.
pub struct Registry {
    ear: OwnedFd,
    voice: OwnedFd,
    /// The one that was used last comes first.
    standing: VecDeque<Checkpoint>,
    /// They were sent away, and end when their last job does.
    leaving: Vec<(Pid, OwnedFd)>,
    parsing: Vec<(i32, Key)>,
    waiting: Vec<Waiting>,
    plain: VecDeque<Key>,
}

struct Checkpoint {
    pid: Pid,
    pidfd: OwnedFd,
    key: Key,
    /// When it is closed, the process ends.
    control: OwnedFd,
}

/// A compile that waits for another one to parse.
struct Waiting {
    pid: i32,
    key: Key,
    socket: OwnedFd,
}

impl Registry {
    /// An empty list.
    pub fn new() -> io::Result<Self> {
        let (ear, voice) = packets::pair()?;
        Ok(Self {
            ear,
            voice,
            standing: VecDeque::new(),
            leaving: Vec::new(),
            parsing: Vec::new(),
            waiting: Vec::new(),
            plain: VecDeque::new(),
        })
    }

    /// What a process keeps that is forked from the waiting one.
    pub fn into_voice(self) -> Voice {
        Voice { socket: self.voice }
    }

    /// Where notices arrive.
    pub fn ear(&self) -> &OwnedFd {
        &self.ear
    }

    /// Descriptors that tell when a checkpoint ends.
    pub fn processes(&self) -> impl Iterator<Item = &OwnedFd> {
        self.standing.iter().map(|checkpoint| &checkpoint.pidfd).chain(self.leaving.iter().map(|(_, pidfd)| pidfd))
    }

    /// Takes those off the list that ended.
    pub fn bury(&mut self) {
        let has_ended = |pid: Pid| !matches!(waitpid(Some(pid), WaitOptions::NOHANG), Ok(None));
        self.standing.retain(|checkpoint| !has_ended(checkpoint.pid));
        self.leaving.retain(|(pid, _)| !has_ended(*pid));
    }

    /// A compile ended. Who waited for it has to do its work.
    pub fn ended(&mut self, pid: Pid) {
        let pid = pid.as_raw_nonzero().get();
        self.waiting.retain(|waiting| waiting.pid != pid);
        if let Some(index) = self.parsing.iter().position(|(parsing, _)| *parsing == pid) {
            let (_, key) = self.parsing.swap_remove(index);
            if let Some(next) = self.waiting.iter().position(|waiting| waiting.key == key) {
                let next = self.waiting.swap_remove(next);
                self.parse(next.pid, key, &next.socket);
            }
        }
    }

    /// Handles one notice.
    pub fn listen(&mut self, children: &mut Children) -> io::Result<()> {
        let Received::Packet(notice, descriptors) = packets::receive::<Notice>(&self.ear)? else { return Ok(()) };
        let socket = descriptors.into_iter().next();
        match (notice, socket) {
            (Notice::Claim { pid, key, tried }, Some(socket)) => self.claimed(pid, key, &tried, socket),
            (Notice::Stands { pid, key }, Some(control)) => {
                self.parsing.retain(|(parsing, _)| *parsing != pid);
                // It may have died since, or been killed.
                if let Some((pid, pidfd)) = Pid::from_raw(pid).and_then(|pid| Some((pid, children.release(pid)?))) {
                    self.standing.push_front(Checkpoint { pid, pidfd, key, control });
                    self.answer_waiting(key);
                    self.leaving
                        .extend(self.standing.drain(MAX_STANDING.min(self.standing.len())..).map(Checkpoint::leave));
                }
            }
            (Notice::Leaves { pid, key, worth }, _) => {
                self.parsing.retain(|(parsing, _)| *parsing != pid);
                if !worth {
                    self.plain.push_front(key);
                    self.plain.truncate(MAX_PLAIN);
                }
                self.answer_waiting(key);
            }
            _ => {}
        }
        Ok(())
    }

    fn claimed(&mut self, pid: i32, key: Key, tried: &[i32], socket: OwnedFd) {
        if self.plain.contains(&key) {
            answer(&socket, &Answer::Plain, None);
        } else if let Some(index) = self
            .standing
            .iter()
            .position(|checkpoint| checkpoint.key == key && !tried.contains(&checkpoint.pid.as_raw_nonzero().get()))
        {
            self.ask(index, &socket);
        } else if tried.is_empty() && self.parsing.iter().any(|(_, parsing)| *parsing == key) {
            // One that found a checkpoint that does not fit would not be helped by the next.
            self.waiting.push(Waiting { pid, key, socket });
        } else {
            self.parse(pid, key, &socket);
        }
    }

    fn ask(&mut self, index: usize, socket: &OwnedFd) {
        if let Some(checkpoint) = self.standing.remove(index) {
            answer(socket, &Answer::Ask { pid: checkpoint.pid.as_raw_nonzero().get() }, Some(&checkpoint.control));
            self.standing.push_front(checkpoint);
        }
    }

    fn parse(&mut self, pid: i32, key: Key, socket: &OwnedFd) {
        self.parsing.push((pid, key));
        answer(socket, &Answer::Parse, None);
    }

    /// The one who parsed is done.
    fn answer_waiting(&mut self, key: Key) {
        let (answered, others) = std::mem::take(&mut self.waiting).into_iter().partition(|waiting| waiting.key == key);
        self.waiting = others;
        let answered: Vec<Waiting> = answered;
        for waiting in answered {
            match self.standing.iter().position(|checkpoint| checkpoint.key == key) {
                Some(index) => self.ask(index, &waiting.socket),
                None => answer(&waiting.socket, &Answer::Plain, None),
            }
        }
    }
}

impl Checkpoint {
    /// Sends it away.
    fn leave(self) -> (Pid, OwnedFd) {
        (self.pid, self.pidfd)
    }
}

fn answer(socket: &OwnedFd, answer: &Answer, control: Option<&OwnedFd>) {
    let descriptors: Vec<_> = control.iter().map(AsFd::as_fd).collect();
    // The compile may have been killed meanwhile.
    let _ = packets::send(socket, answer, &descriptors);
}

/// A compile's way to the waiting process.
pub struct Voice {
    socket: OwnedFd,
}

impl Voice {
    /// Asks for a preamble. `true` if this process is to parse it and to say what becomes of it. Does not return if a
    /// checkpoint has taken the job.
    pub fn claim(&self, key: Key, job: &mut dyn FnMut(OwnedFd) -> bool) -> bool {
        let mut tried = Vec::new();
        while tried.len() <= MAX_STANDING {
            let pid = own_pid();
            let Ok((mine, theirs)) = packets::pair() else { return false };
            let claim = Notice::Claim { pid, key, tried: tried.clone() };
            if packets::send(&self.socket, &claim, &[theirs.as_fd()]).is_err() {
                return false;
            }
            drop(theirs);
            match packets::receive::<Answer>(&mine) {
                Ok(Received::Packet(Answer::Parse, _)) => return true,
                Ok(Received::Packet(Answer::Ask { pid }, control)) => {
                    if control.into_iter().next().is_some_and(&mut *job) {
                        crate::job::exit(0);
                    }
                    tried.push(pid);
                }
                _ => return false,
            }
        }
        false
    }

    /// This process stays behind the preamble. Jobs will come to the socket.
    pub fn stands(&self, key: Key) -> io::Result<OwnedFd> {
        let (control, theirs) = packets::pair()?;
        packets::send(&self.socket, &Notice::Stands { pid: own_pid(), key }, &[theirs.as_fd()])?;
        Ok(control)
    }

    /// This process does not stay.
    pub fn leaves(&self, key: Key, worth: bool) {
        // Without it, those who wait go on when this process ends.
        let _ = packets::send(&self.socket, &Notice::Leaves { pid: own_pid(), key, worth }, &[]);
    }
}

/// Gives a job to a checkpoint. True if it was taken; if not, it is still this process's.
pub fn hand_over(control: &OwnedFd, handover: &Handover, request: &Compile, socket: &UnixStream) -> io::Result<bool> {
    let mut file = File::from(rustix::fs::memfd_create("syclrtc-request", MemfdFlags::CLOEXEC)?);
    write_frame(&mut file, &Request::Compile(request.clone())).map_err(io::Error::other)?;
    file.seek(SeekFrom::Start(0))?;
    let (mut mine, theirs) = UnixStream::pair()?;
    packets::send(control, handover, &[socket.as_fd(), file.as_fd(), theirs.as_fd()])?;
    drop(theirs);
    Ok(mine.read(&mut [0])? == 1)
}

/// Whether a preamble whose parse is all that this process did is worth a process.
pub fn is_worth_keeping() -> bool {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32) >= WORTH_KEEPING
}

/// Whether the machine has memory for another process.
pub fn has_memory_left() -> bool {
    let available = std::fs::read_to_string("/proc/meminfo").ok().and_then(|text| {
        let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
        line.trim().trim_end_matches(" kB").parse::<u64>().ok()
    });
    available.is_none_or(|kilobytes| kilobytes << 10 >= MEMORY_LEFT)
}

fn own_pid() -> i32 {
    getpid().as_raw_nonzero().get()
}
