// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The waiting process: takes jobs from the control socket, forks, watches over the children.
//!
//! It never reads a request and never runs user code, so nothing a user writes can hurt it. It has one thread, which is
//! what makes forking with all of clang's state sound.

use std::{
    fs::File,
    io::{self, IoSliceMut, Read, Seek, SeekFrom},
    mem::MaybeUninit,
    os::fd::{AsFd, FromRawFd, OwnedFd},
    os::unix::net::UnixStream,
    process::ExitCode,
    time::{Duration, Instant},
};

use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    fs::MemfdFlags,
    net::{RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, ReturnFlags, SendFlags, recvmsg, send},
    process::{
        Pid, PidfdFlags, Resource, Rlimit, Signal, WaitOptions, getrlimit, kill_process, pidfd_open, setrlimit, waitpid,
    },
};
use syclrtc_protocol::{
    CONTROL_FD, Compile, Hello, MAX_PACKET, PROTOCOL_VERSION, Reply, Start, decode_packet, encode_packet, write_frame,
};

use crate::{
    ahead::Ahead,
    arguments::PreambleSource,
    frontend::{self, Driver, Outcome, clang_version},
    job::Job,
    preamble_files::PreambleFiles,
    preambles::Loaded,
};

/// How much of what a dead child printed goes into the message, in bytes.
const MAX_CAPTURE: u64 = 16 << 10;

/// Most that the stack of a compile may take, in bytes.
const STACK_SIZE: u64 = 120 << 20;

/// How long the parent waits for a client that does not read its message, before it gives up on it.
const REPLY_PATIENCE: Duration = Duration::from_secs(2);

/// The waiting process, and in a forked child the way to its job.
pub struct Server {
    control: OwnedFd,
    children: Vec<Child>,
    preamble: PreambleFiles,
    /// Set in a child.
    job: Option<Job>,
    ahead: Ahead,
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
}

impl Server {
    /// Greets the client.
    pub fn new(preambles: PreambleSource) -> io::Result<Self> {
        forget_inherited_state()?;
        // SAFETY: the descriptor is this program's standard input, which nothing else in it uses or closes.
        let control = unsafe { OwnedFd::from_raw_fd(CONTROL_FD) };
        let hello = Hello {
            protocol: PROTOCOL_VERSION,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            compiler: format!("clang {}", clang_version()),
        };
        let packet = encode_packet(&hello).map_err(io::Error::other)?;
        send(&control, &packet, SendFlags::NOSIGNAL)?;
        let ahead = Ahead::new(preambles);
        Ok(Self { control, children: Vec::new(), preamble: PreambleFiles::default(), job: None, ahead })
    }

    /// Loads the front end and serves until the client closes the control socket.
    pub fn run(mut self) -> ExitCode {
        let loaded = self.ahead.load();
        let precompiled = loaded.as_ref().map(Loaded::precompiled);
        frontend::serve(&mut self, precompiled.as_ref())
    }

    /// Waits for the next event and handles it. `Some` in a child that has a job to do.
    fn turn(&mut self) -> io::Result<Option<Job>> {
        let now = Instant::now();
        let patience = self.children.iter().filter_map(|child| child.deadline).min();
        let patience = patience.map(|deadline| deadline.saturating_duration_since(now));
        let works = self.ahead.has_more();
        let (control_ready, ended, hung_up) = self.wait(if works { Some(Duration::ZERO) } else { patience })?;
        for &index in &hung_up {
            self.children[index].kill("the caller cancelled it");
        }
        let now = Instant::now();
        for child in &mut self.children {
            if child.deadline.is_some_and(|deadline| deadline <= now) {
                child.kill("it ran past its time limit");
                child.deadline = None;
            }
        }
        for &index in ended.iter().rev() {
            self.children.swap_remove(index).bury();
        }
        if control_ready {
            return self.accept();
        }
        if works {
            self.ahead.read_on();
        }
        if self.children.is_empty() {
            self.ahead.write();
        }
        Ok(None)
    }

    /// Which of the control socket, the children's ends and the clients' ends have something to say.
    fn wait(&self, patience: Option<Duration>) -> io::Result<(bool, Vec<usize>, Vec<usize>)> {
        let mut watched = vec![PollFd::new(&self.control, PollFlags::IN)];
        watched.extend(self.children.iter().map(|child| PollFd::new(&child.pidfd, PollFlags::IN)));
        // No flags: a hang-up is reported all the same. One who was told already is no longer watched.
        let alive = |child: &&Child| child.killed_for.is_none();
        watched.extend(self.children.iter().filter(alive).map(|child| PollFd::new(&child.reply, PollFlags::empty())));
        let timeout = patience.map(|patience| Timespec {
            tv_sec: patience.as_secs() as i64,
            tv_nsec: i64::from(patience.subsec_nanos()),
        });
        match poll(&mut watched, timeout.as_ref()) {
            Ok(_) => {}
            Err(rustix::io::Errno::INTR) => return Ok((false, Vec::new(), Vec::new())),
            Err(error) => return Err(error.into()),
        }
        let ready: Vec<bool> = watched.iter().map(|fd| !fd.revents().is_empty()).collect();
        let (children, clients) = ready[1..].split_at(self.children.len());
        let ended = (0..self.children.len()).filter(|&i| children[i]).collect();
        let watched_clients = (0..self.children.len()).filter(|&i| self.children[i].killed_for.is_none());
        let hung_up = watched_clients.zip(clients).filter(|(_, ready)| **ready).map(|(i, _)| i).collect();
        Ok((ready[0], ended, hung_up))
    }

    /// Takes one packet from the client and forks for it.
    fn accept(&mut self) -> io::Result<Option<Job>> {
        let mut packet = [0; MAX_PACKET];
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
        let mut ancillary = RecvAncillaryBuffer::new(&mut space);
        let received =
            recvmsg(&self.control, &mut [IoSliceMut::new(&mut packet)], &mut ancillary, RecvFlags::CMSG_CLOEXEC)?;
        if received.bytes == 0 {
            self.end();
        }
        let socket = ancillary.drain().find_map(|message| match message {
            RecvAncillaryMessage::ScmRights(mut fds) => fds.next(),
            _ => None,
        });
        // The client is this program's own library; what it cannot have sent is dropped, and the socket with it, which the
        // other side sees as the end of its job.
        let (Some(socket), Ok(start)) = (socket, decode_packet::<Start>(&packet[..received.bytes])) else {
            return Ok(None);
        };
        if received.flags.contains(ReturnFlags::TRUNC) {
            return Ok(None);
        }
        self.fork(start, UnixStream::from(socket))
    }

    fn fork(&mut self, start: Start, socket: UnixStream) -> io::Result<Option<Job>> {
        let output = File::from(rustix::fs::memfd_create("syclrtc-compile-output", MemfdFlags::CLOEXEC)?);
        // SAFETY: this process has one thread, so the child's memory is as consistent as this one's.
        match unsafe { libc::fork() } {
            0 => {
                self.children.clear();
                let job = Job::begin(socket, &output, &start);
                Ok(Some(job))
            }
            pid if pid > 0 => {
                let Some(pid) = Pid::from_raw(pid) else { return Ok(None) };
                let deadline =
                    (start.time_limit_ms != 0).then(|| Instant::now() + Duration::from_millis(start.time_limit_ms));
                let pidfd = pidfd_open(pid, PidfdFlags::empty())?;
                self.ahead.note_compile();
                self.children.push(Child { pid, pidfd, reply: socket, output, start, deadline, killed_for: None });
                Ok(None)
            }
            _ => {
                let message = format!("no process for the compile: {}", io::Error::last_os_error());
                reply_with_patience(socket, message);
                Ok(None)
            }
        }
    }

    /// The client is gone: so are its compiles.
    fn end(&mut self) -> ! {
        for child in &mut self.children {
            child.kill("the caller ended");
        }
        self.ahead.write();
        std::process::exit(0)
    }
}

impl Child {
    fn kill(&mut self, why: &'static str) {
        if self.killed_for.is_none() {
            self.killed_for = Some(why);
            // Gone already is fine.
            let _ = kill_process(self.pid, Signal::KILL);
        }
    }

    /// Reaps it, and answers for it if it did not answer itself.
    fn bury(mut self) {
        let status = match waitpid(Some(self.pid), WaitOptions::empty()) {
            Ok(Some((_, status))) => status,
            _ => return,
        };
        if status.exit_status() == Some(0) {
            return;
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

/// Undoes what the application may have set for itself.
fn forget_inherited_state() -> io::Result<()> {
    // The application's directory may be gone, and must not be kept from being unmounted. Each request names its own.
    rustix::process::chdir("/")?;
    // SAFETY: default dispositions and an empty mask are always valid, and no other thread is there to be surprised.
    unsafe {
        // With "ignore", the status of a child would be lost.
        libc::signal(libc::SIGCHLD, libc::SIG_DFL);
        let mut none = std::mem::zeroed();
        libc::sigemptyset(&raw mut none);
        libc::sigprocmask(libc::SIG_SETMASK, &raw const none, std::ptr::null_mut());
    }
    // A compile that crashes is an expected event, not one to keep a core file of.
    setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: getrlimit(Resource::Core).maximum })?;
    // The parser recurses into what it reads. The kernel leaves this much room below the stack in any case.
    let stack = getrlimit(Resource::Stack);
    let wanted = stack.maximum.map_or(STACK_SIZE, |maximum| maximum.min(STACK_SIZE));
    if stack.current.is_some_and(|current| current < wanted) {
        setrlimit(Resource::Stack, Rlimit { current: Some(wanted), maximum: stack.maximum })?;
    }
    Ok(())
}

/// A client that does not read must not hold up the others.
fn reply_with_patience(mut socket: UnixStream, message: String) {
    if socket.set_write_timeout(Some(REPLY_PATIENCE)).is_ok() {
        // Nobody there is what a cancelled job looks like.
        let _ = write_frame(&mut socket, &Reply::Died { message });
    }
}

impl Driver for Server {
    fn next(&mut self) -> Compile {
        self.preamble = PreambleFiles::new(frontend::preamble_files());
        loop {
            match self.turn() {
                Ok(None) => {}
                Ok(Some(job)) => {
                    // Children of one control socket: this one has its own.
                    if let Ok(null) = File::open("/dev/null") {
                        let _ = rustix::io::dup2(null.as_fd(), &mut self.control);
                    }
                    let (job, request) = job.read_request(&self.preamble);
                    self.job = Some(job);
                    return request;
                }
                Err(_) => self.end(),
            }
        }
    }

    fn done(&mut self, outcome: Outcome) -> ! {
        match self.job.take() {
            Some(job) => job.finish(outcome),
            // The front end ends without a job only if it is broken.
            None => std::process::abort(),
        }
    }
}
