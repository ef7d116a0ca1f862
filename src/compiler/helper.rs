// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#![forbid(unsafe_code)]
//! One running compiler program: its start, its introduction, its end.

use std::{
    ffi::OsString,
    fs::OpenOptions,
    io,
    os::fd::{AsFd, AsRawFd, OwnedFd, RawFd},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use parking_lot::Mutex;
use rustix::{
    event::PollFlags,
    io::Errno,
    net::{RecvFlags, Shutdown, SocketType, recv, shutdown},
    process::{Pid, PidfdFlags, Signal, getpid, pidfd_open, pidfd_send_signal},
};
use syclrtc_protocol::{Hello, MAX_PACKET, PROTOCOL_VERSION, Start, decode_packet, encode_packet};

use super::{
    CompileError,
    job::{off_standard, pair, send_packet_with_fd, wait},
};

/// How far apart a process closes its sockets when it ends.
const MOMENT: Duration = Duration::from_millis(100);
/// How long a helper that closed its socket may take to become a zombie whose status can be read.
const LAST_WORDS: Duration = Duration::from_millis(500);

/// How long a helper may take to end of itself, and its children with it, before it is killed.
const FAREWELL: Duration = Duration::from_millis(300);

/// A compiler program that this process started.
pub(super) struct Helper {
    path: PathBuf,
    /// Which build of the program it is.
    identity: Arc<str>,
    control: OwnedFd,
    /// The process that started it: only there is `child` a child.
    owner: Pid,
    child: Mutex<Child>,
    /// Refers to the process even after its number was given to another one. None on kernels before 5.3.
    pidfd: Option<OwnedFd>,
    hello: Mutex<Option<Result<Hello, CompileError>>>,
    /// Set when no further compile may be given to it.
    retired: AtomicBool,
}

impl Helper {
    /// Starts the program and does not wait for it. The standard library starts a command without `pre_exec` by
    /// `posix_spawn`, so the time does not grow with the size of the application.
    pub(super) fn start(path: &Path, arguments: &[OsString], identity: Arc<str>) -> Result<Self, CompileError> {
        let failed = |reason: io::Error| CompileError::Start { path: path.to_owned(), reason: reason.to_string() };
        let (ours, theirs) = pair(SocketType::SEQPACKET).map_err(failed)?;
        let child = Command::new(path)
            .args(arguments)
            .stdin(Stdio::from(theirs))
            .stdout(null().map_err(failed)?)
            .stderr(null().map_err(failed)?)
            .spawn()
            .map_err(failed)?;
        let pidfd = i32::try_from(child.id())
            .ok()
            .and_then(Pid::from_raw)
            .and_then(|pid| pidfd_open(pid, PidfdFlags::empty()).ok())
            .and_then(|fd| off_standard(fd).ok());
        log::debug!("started {} as process {}", path.display(), child.id());
        Ok(Self {
            path: path.to_owned(),
            identity,
            control: ours,
            owner: getpid(),
            child: Mutex::new(child),
            pidfd,
            hello: Mutex::new(None),
            retired: AtomicBool::new(false),
        })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn identity(&self) -> Arc<str> {
        Arc::clone(&self.identity)
    }

    pub(super) fn descriptor(&self) -> RawFd {
        self.control.as_raw_fd()
    }

    /// Makes this the last use: the next compile starts another helper.
    pub(super) fn retire(&self) {
        self.retired.store(true, Ordering::Relaxed);
    }

    /// Whether the next compile may go to it.
    pub(super) fn usable(&self) -> bool {
        if self.retired.load(Ordering::Relaxed) {
            return false;
        }
        // The helper says nothing after its introduction, so anything to read by then is its end or nonsense.
        // A held lock means that somebody is waiting for the introduction at this moment.
        let greeted = self.hello.try_lock().is_some_and(|hello| hello.is_some());
        let wanted = if greeted { PollFlags::IN } else { PollFlags::empty() };
        let quiet = matches!(wait(self.control.as_fd(), wanted, Some(Instant::now())), Err(e) if e.kind() == io::ErrorKind::TimedOut);
        if !quiet && greeted {
            log::debug!("{}: {}", self.path.display(), self.last_words());
        }
        // An end before the introduction is reported by `greet`, with what is known.
        quiet || !greeted
    }

    /// Waits for the introduction and checks it. The first caller reads it, the others get the same answer: the compiler
    /// inside.
    pub(super) fn greet(&self, limit: Duration) -> Result<String, CompileError> {
        let mut hello = self.hello.lock();
        let answer = hello.get_or_insert_with(|| {
            let answer = self.read_hello(limit).and_then(|hello| self.check(hello));
            if let Ok(said) = &answer {
                log::debug!("{}: version {}, {}", self.path.display(), said.version, said.compiler);
            }
            answer
        });
        match answer {
            Err(error) => Err(error.clone()),
            Ok(said) => Ok(said.compiler.clone()),
        }
    }

    fn read_hello(&self, limit: Duration) -> Result<Hello, CompileError> {
        let silent = |reason: String| CompileError::NoHello { path: self.path.clone(), reason };
        let mut packet = vec![0; MAX_PACKET];
        let deadline = Some(Instant::now() + limit);
        let length = loop {
            if let Err(e) = wait(self.control.as_fd(), PollFlags::IN, deadline) {
                return Err(silent(match e.kind() {
                    io::ErrorKind::TimedOut => format!("nothing came within {} s", limit.as_secs_f32()),
                    _ => e.to_string(),
                }));
            }
            match recv(&self.control, packet.as_mut_slice(), RecvFlags::DONTWAIT) {
                Ok((0, _)) | Err(Errno::CONNRESET) => return Err(silent(self.last_words())),
                Ok((n, _)) => break n,
                Err(Errno::INTR | Errno::AGAIN) => {}
                Err(e) => return Err(silent(io::Error::from(e).to_string())),
            }
        };
        decode_packet(&packet[..length]).map_err(|e| CompileError::Mismatch {
            path: self.path.clone(),
            reason: format!("its first packet is not an introduction: {e}"),
        })
    }

    fn check(&self, hello: Hello) -> Result<Hello, CompileError> {
        let ours = env!("CARGO_PKG_VERSION");
        let reason = if hello.protocol != PROTOCOL_VERSION {
            format!("it speaks protocol {}, the library speaks {PROTOCOL_VERSION}", hello.protocol)
        } else if hello.version != ours {
            format!("it has version {:?}, the library has {ours:?}", hello.version)
        } else {
            return Ok(hello);
        };
        Err(CompileError::Mismatch { path: self.path.clone(), reason })
    }

    /// Hands the helper its end of a job socket.
    pub(super) fn submit(&self, start: &Start, job: &OwnedFd, deadline: Option<Instant>) -> io::Result<()> {
        let packet = encode_packet(start).map_err(io::Error::other)?;
        send_packet_with_fd(self.control.as_fd(), &packet, job.as_fd(), deadline)
    }

    /// How the process ended, for a message.
    pub(super) fn last_words(&self) -> String {
        let end = Instant::now() + LAST_WORDS;
        loop {
            match self.child.lock().try_wait() {
                Ok(Some(status)) => return format!("it ended, {status}"),
                // Reaped by the application, or by the system because SIGCHLD is ignored.
                Err(_) => return "it ended, exit status unknown".into(),
                Ok(None) if Instant::now() >= end => return "it closed the connection and is still running".into(),
                Ok(None) => thread::sleep(Duration::from_millis(2)),
            }
        }
    }

    /// Whether its end of the control socket is closed, or is closed within a moment: the sockets of a process that ends
    /// are closed one after the other, in no certain order.
    pub(super) fn hung_up(&self) -> bool {
        wait(self.control.as_fd(), PollFlags::IN, Some(Instant::now() + MOMENT)).is_ok()
    }
}

impl Drop for Helper {
    /// Ends and reaps the process, so that none is left behind as a zombie; not after a fork, where it is the parent's.
    fn drop(&mut self) {
        if getpid() != self.owner {
            return;
        }
        // The end of the control socket is what ends it. One that hangs does not see that.
        let told = shutdown(&self.control, Shutdown::Both).is_ok() && !self.retired.load(Ordering::Relaxed);
        let child = self.child.get_mut();
        let Some(pidfd) = &self.pidfd else { return };
        if told {
            drop(wait(pidfd.as_fd(), PollFlags::IN, Some(Instant::now() + FAREWELL)));
        }
        if matches!(child.try_wait(), Ok(None)) && pidfd_send_signal(pidfd, Signal::KILL).is_ok() {
            // A failure means that somebody else has reaped it.
            drop(child.wait());
        }
    }
}

fn null() -> io::Result<OwnedFd> {
    off_standard(OpenOptions::new().read(true).write(true).open("/dev/null")?.into())
}
