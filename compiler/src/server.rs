// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The waiting process: takes jobs from the control socket, forks, watches over the children.
//!
//! It never reads a request and never runs user code, so nothing a user writes can hurt it. What it hears from its children
//! are packets of a few numbers. It has one thread, which is what makes forking with all of clang's state sound.

use std::{
    fs::File,
    io::{self, Write},
    os::fd::{AsFd, FromRawFd, OwnedFd},
    os::unix::net::UnixStream,
    process::ExitCode,
    time::{Duration, Instant},
};

use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    net::{SendFlags, send},
    process::{Resource, Rlimit, getrlimit, setrlimit},
};
use syclrtc_protocol::{CONTROL_FD, Compile, Dependency, Hello, PROTOCOL_VERSION, Start, encode_packet};

use crate::{
    ahead::Ahead,
    arguments::PreambleSource,
    checkpoints::{Handover, Registry, Voice, hand_over, has_memory_left, is_worth_keeping},
    children::{Children, Forked, NotBegun},
    frontend::{self, Driver, Key, Outcome, clang_version},
    job::{Job, exit},
    memory,
    packets::{self, Received},
    preamble_files::PreambleFiles,
    preambles::Loaded,
    spare::{self, Spare},
};

/// Most that the stack of a compile may take, in bytes.
const STACK_SIZE: u64 = 120 << 20;

/// What this process is.
enum Role {
    /// It waits for the client's jobs.
    Waiting(Registry),
    /// It does one job.
    Compile(Compiling),
    /// It stands behind a preamble and waits for jobs that begin with it.
    Checkpoint(Checkpoint),
}

struct Compiling {
    voice: Voice,
    /// The preamble that this process has to say something about, and whether it is to stay in any case.
    claimed: Option<(Key, bool)>,
    /// Where another compile waits to hear that this one took its job.
    taken: Option<UnixStream>,
    /// `None` once the front end has it no more.
    job: Option<Job>,
}

struct Checkpoint {
    voice: Voice,
    /// What the preamble was made of; `None` if it is to be reused whatever became of that.
    files: Option<Vec<Dependency>>,
}

/// One process of the program. They begin as the waiting one, and become others by a fork.
pub struct Server {
    /// Where jobs come from; none comes in a compile, nor when the other side is gone.
    control: Option<OwnedFd>,
    children: Children,
    /// A process that waits for the next job.
    spare: Option<Spare>,
    /// Of the preamble that the waiting process stands behind.
    preamble: PreambleFiles,
    ahead: Ahead,
    /// `None` only while it changes.
    role: Option<Role>,
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
        Ok(Self {
            control: Some(control),
            children: Children::default(),
            spare: None,
            preamble: PreambleFiles::default(),
            ahead: Ahead::new(preambles),
            role: Some(Role::Waiting(Registry::new()?)),
        })
    }

    /// Loads the front end and serves until the client closes the control socket.
    pub fn run(mut self) -> ExitCode {
        let loaded = self.ahead.load();
        let precompiled = loaded.as_ref().map(Loaded::precompiled);
        frontend::serve(&mut self, precompiled.as_ref())
    }

    /// Waits for the next event and handles it. `Some` in a child that has a job to do.
    fn turn(&mut self) -> io::Result<Option<Compile>> {
        match &mut self.role {
            Some(Role::Waiting(_)) => self.wait_for_client(),
            Some(Role::Checkpoint(_)) => self.wait_for_handover(),
            // The front end asks for one job only.
            Some(Role::Compile(_)) | None => std::process::abort(),
        }
    }

    fn wait_for_client(&mut self) -> io::Result<Option<Compile>> {
        let works = self.ahead.has_more(self.children.is_empty());
        if works {
            // One from before would lack what is read now.
            self.spare.take().into_iter().for_each(Spare::bury);
        } else if let Some(request) = self.fork_spare() {
            return Ok(Some(request));
        }
        let (Some(control), Some(Role::Waiting(registry))) = (&self.control, &mut self.role) else {
            return Err(io::ErrorKind::NotConnected.into());
        };
        let mut watched = vec![control.as_fd(), registry.ear().as_fd()];
        watched.extend(registry.processes().map(AsFd::as_fd));
        let checkpoints = 2..watched.len();
        watched.extend(self.spare.iter().map(Spare::process));
        let events = self.children.wait(&watched, !works)?;
        if events.ready[checkpoints.clone()].contains(&true) {
            registry.bury();
        }
        if events.ready[checkpoints.end..].contains(&true) {
            self.spare.take().into_iter().for_each(Spare::bury);
        }
        // A job that comes after the end of another one finds what that one left behind.
        if events.ready[1] {
            registry.listen(&mut self.children)?;
        }
        for pid in events.ended {
            registry.ended(pid);
        }
        if !events.not_begun.is_empty() {
            for NotBegun { start, reply, began } in events.not_begun {
                if let Some(request) = self.fork(&start, reply, began)? {
                    return Ok(Some(request));
                }
            }
            return Ok(None);
        }
        if events.ready[1] {
            return Ok(None);
        }
        if !events.ready[0] {
            if works {
                self.ahead.read_on();
            }
            if self.children.is_empty() {
                self.ahead.write();
            }
            return Ok(None);
        }
        match packets::receive::<Start>(control)? {
            Received::End => self.end(),
            // The client is this program's own library; what it cannot have sent is dropped, and the socket with it, which
            // the other side sees as the end of its job.
            Received::Malformed => Ok(None),
            Received::Packet(start, sockets) => match sockets.into_iter().next() {
                Some(socket) => self.fork(&start, UnixStream::from(socket), Instant::now()),
                None => Ok(None),
            },
        }
    }

    /// Has a job of the client's done, by the process that waits for one or by a new one.
    fn fork(&mut self, start: &Start, socket: UnixStream, began: Instant) -> io::Result<Option<Compile>> {
        if let Some(spare) = self.spare.take()
            && self.children.employ(spare, start, socket.try_clone()?, began).is_ok()
        {
            self.ahead.note_compile();
            return Ok(None);
        }
        let Some(output) = self.children.fork(start, socket.try_clone()?, began)? else {
            self.ahead.note_compile();
            return Ok(None);
        };
        let (job, request) = Job::begin(socket, &output, start, began).read_request(&self.preamble);
        self.become_compile(job, None);
        Ok(Some(request))
    }

    /// Forks the process that the next job goes to, if there is none and no job to be done first. `Some` in that process, when
    /// its job has come.
    fn fork_spare(&mut self) -> Option<Compile> {
        let control = self.control.as_ref()?;
        let nothing_to_do = || {
            let at_once = Timespec { tv_sec: 0, tv_nsec: 0 };
            poll(&mut [PollFd::new(control, PollFlags::IN)], Some(&at_once)).is_ok_and(|ready| ready == 0)
        };
        if self.spare.is_some() || !self.children.is_empty() || !nothing_to_do() {
            return None;
        }
        match self.children.fork_spare() {
            Ok(Forked::Spare(control)) => {
                // Before the wait, so that it keeps nothing open that others wait for the end of.
                self.control = None;
                let voice = self.take_voice();
                let (start, socket, output) = spare::wait_for_job(&control);
                let (job, request) = Job::begin(socket, &output, &start, Instant::now()).read_request(&self.preamble);
                self.role = Some(Role::Compile(Compiling { voice, claimed: None, taken: None, job: Some(job) }));
                Some(request)
            }
            Ok(Forked::Parent(spare)) => {
                self.spare = Some(spare);
                None
            }
            // Jobs do without.
            Err(_) => None,
        }
    }

    fn wait_for_handover(&mut self) -> io::Result<Option<Compile>> {
        let watched: Vec<_> = self.control.iter().map(AsFd::as_fd).collect();
        if watched.is_empty() && self.children.is_empty() {
            exit(0);
        }
        let events = self.children.wait(&watched, true)?;
        if !events.ready.contains(&true) {
            return Ok(None);
        }
        let Some(control) = &self.control else { return Ok(None) };
        let (handover, descriptors) = match packets::receive::<Handover>(control)? {
            // Sent away; those who are on their way with a job keep it.
            Received::End => {
                self.control = None;
                return Ok(None);
            }
            Received::Malformed => return Ok(None),
            Received::Packet(handover, descriptors) => (handover, descriptors),
        };
        let Ok([socket, request, taken]) = <[OwnedFd; 3]>::try_from(descriptors) else { return Ok(None) };
        if !self.is_up_to_date() {
            // Whoever wants to hand over something hears that nobody is here.
            self.control = None;
            return Ok(None);
        }
        let now = Instant::now();
        let began = now.checked_sub(Duration::from_millis(handover.spent_ms)).unwrap_or(now);
        let socket = UnixStream::from(socket);
        let Some(output) = self.children.fork(&handover.start, socket.try_clone()?, began)? else { return Ok(None) };
        let job = Job::begin(socket, &output, &handover.start, began);
        let (job, request) = job.take_request(&mut File::from(request), &self.preamble);
        self.become_compile(job, Some(UnixStream::from(taken)));
        Ok(Some(request))
    }

    /// True if a parse of the preamble would find what it found.
    fn is_up_to_date(&mut self) -> bool {
        let Some(Role::Checkpoint(Checkpoint { files: Some(files), .. })) = &mut self.role else { return true };
        files.iter_mut().all(Dependency::renew)
    }

    /// From here on this is the process of one job.
    fn become_compile(&mut self, job: Job, taken: Option<UnixStream>) {
        // What else comes from the socket is for the others.
        self.control = None;
        self.spare = None;
        let voice = self.take_voice();
        self.role = Some(Role::Compile(Compiling { voice, claimed: None, taken, job: Some(job) }));
    }

    /// What a forked process keeps of the role that it had before the fork.
    fn take_voice(&mut self) -> Voice {
        match self.role.take() {
            Some(Role::Waiting(registry)) => registry.into_voice(),
            Some(Role::Checkpoint(checkpoint)) => checkpoint.voice,
            // Only those two fork.
            Some(Role::Compile(_)) | None => std::process::abort(),
        }
    }

    /// Turns this compile into a checkpoint, and forks for its job. True in the checkpoint.
    fn become_checkpoint(&mut self, compiling: Compiling, key: Key, always: bool) -> io::Result<bool> {
        let Compiling { voice, job, .. } = compiling;
        // There is always one: it is its preamble that was parsed.
        let Some(mut job) = job else { std::process::abort() };
        let reply = job.copy_socket()?;
        let control = voice.stands(key)?;
        let forked = self.children.fork(job.start(), reply, job.began());
        if let Ok(Some(output)) = forked {
            job.resume(&output);
            self.role = Some(Role::Compile(Compiling { voice, claimed: None, taken: None, job: Some(job) }));
            return Ok(false);
        }
        job.leave_limits();
        self.control = Some(control);
        // The files are told when the front end asks for a job.
        self.role = Some(Role::Checkpoint(Checkpoint { voice, files: (!always).then(Vec::new) }));
        Ok(true)
    }

    /// The client is gone: so are its compiles.
    fn end(&mut self) -> ! {
        self.children.kill("the caller ended");
        if matches!(self.role, Some(Role::Waiting(_))) {
            self.ahead.write();
        }
        std::process::exit(0)
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

impl Driver for Server {
    fn next(&mut self) -> Compile {
        match &mut self.role {
            Some(Role::Waiting(_)) => {
                self.preamble = PreambleFiles::new(frontend::preamble_files());
                memory::prepare_for_forks();
            }
            Some(Role::Checkpoint(Checkpoint { files: Some(files), .. })) => *files = frontend::checkpoint_files(),
            _ => {}
        }
        loop {
            match self.turn() {
                Ok(None) => {}
                Ok(Some(request)) => return request,
                Err(_) => self.end(),
            }
        }
    }

    fn claim(&mut self, key: Key, request: &Compile, always: bool) -> bool {
        let Some(Role::Compile(compiling)) = &mut self.role else { return false };
        let Some(job) = &compiling.job else { return false };
        let mut to_checkpoint = |control: OwnedFd| {
            let handover = Handover { start: job.start().clone(), spent_ms: job.began().elapsed().as_millis() as u64 };
            hand_over(&control, &handover, request, job.socket()).unwrap_or(false)
        };
        let claimed = compiling.voice.claim(key, &mut to_checkpoint);
        if claimed {
            compiling.claimed = Some((key, always));
        }
        claimed
    }

    fn stay(&mut self, usable: bool) -> bool {
        let Some(Role::Compile(mut compiling)) = self.role.take() else { return false };
        let Some((key, always)) = compiling.claimed.take() else {
            self.role = Some(Role::Compile(compiling));
            return false;
        };
        // What cannot be used may be so by an error, and be mended.
        let worth = !usable || always || is_worth_keeping();
        if usable && worth && has_memory_left() {
            // Without the sockets that it takes, nothing is left to answer with, either.
            return self.become_checkpoint(compiling, key, always).unwrap_or_else(|_| std::process::abort());
        }
        compiling.voice.leaves(key, worth);
        self.role = Some(Role::Compile(compiling));
        false
    }

    fn accept(&mut self, fits: bool) {
        let Some(Role::Compile(compiling)) = &mut self.role else { return };
        let Some(mut taken) = compiling.taken.take() else { return };
        // Whoever handed the job over goes on with it unless it hears from here; it may have been killed.
        if !fits || taken.write_all(b"y").is_err() {
            exit(0);
        }
    }

    fn done(&mut self, outcome: Outcome) -> ! {
        match self.role.take() {
            Some(Role::Compile(Compiling { voice, claimed, job: Some(job), .. })) => {
                if let Some((key, _)) = claimed {
                    // An error in the preamble: the next one may find it mended.
                    voice.leaves(key, true);
                }
                job.finish(outcome)
            }
            // The front end ends without a job only if it is broken.
            _ => std::process::abort(),
        }
    }
}
