// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The helper that serves this process, and the way of one request.
//!
//! Two places need `unsafe`: the pointer to the process's client, which is replaced after a fork, and the descriptor
//! that a forked process closes without touching an object whose lock may be held for ever.

use std::{
    ffi::OsString,
    fs, io,
    os::{
        fd::{FromRawFd, OwnedFd},
        unix::fs::MetadataExt,
    },
    path::{Path, PathBuf},
    ptr,
    sync::{
        Arc,
        atomic::{AtomicI32, AtomicPtr, Ordering},
    },
    time::{Duration, Instant},
};

use parking_lot::Mutex;
use rustix::{
    net::{Shutdown, SocketType, shutdown},
    process::{Pid, getpid},
};
use syclrtc_protocol::{Digest, FrameError, Reply, Request, Start, program_identity, read_frame, write_frame};

use super::{
    CompileError,
    helper::Helper,
    job::{Stream, pair},
    locate, preambles,
};
use crate::{
    env as variables,
    os::{cancel::Cancel, dylib::own_path},
};

/// What a client needs to know beforehand.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Path of the compiler program if the user chose one.
    pub program: Option<PathBuf>,
    /// File that holds this code; the program is looked for beside it.
    pub library: Option<PathBuf>,
    /// What the program gets on its command line.
    pub arguments: Vec<OsString>,
    /// Time a compile may take; zero: no limit.
    pub time_limit: Duration,
    /// Bytes a compile may add to what the helper holds; zero: no limit.
    pub memory_limit: u64,
    /// Time the helper has to introduce itself.
    pub hello_limit: Duration,
    /// Time granted above `time_limit` before the helper itself counts as hung.
    pub grace: Duration,
}

impl Settings {
    /// Time for the introduction: above what loading clang takes on a machine that is swapping.
    pub const HELLO_LIMIT: Duration = Duration::from_secs(30);
    /// Time above the limit that the helper enforces itself; holds the loading of its headers too.
    pub const GRACE: Duration = Duration::from_secs(20);
}

/// What tells that a file was not written to or replaced: device, number, bytes, and the time of the last change.
type FileMark = (u64, u64, u64, (i64, i64));

/// What the helper said, and who it is.
#[derive(Debug)]
pub struct Answer {
    /// Good or bad.
    pub reply: Reply,
    /// As [`Client::identity`] would have said at its start.
    pub program: Arc<str>,
    /// As it introduced itself.
    pub compiler: String,
}

/// Connection of one process to its helper.
pub struct Client {
    settings: Settings,
    owner: Pid,
    helper: Mutex<Option<Arc<Helper>>>,
    /// The program looked at last.
    identified: Mutex<Option<(PathBuf, FileMark, Arc<str>)>>,
    /// Control socket of the helper started last, for a process forked from this one; -1: none.
    inheritable: AtomicI32,
}

impl Client {
    /// A client that has not started anything yet.
    #[must_use]
    pub fn new(settings: Settings) -> Self {
        Self {
            settings,
            owner: getpid(),
            helper: Mutex::new(None),
            identified: Mutex::new(None),
            inheritable: AtomicI32::new(-1),
        }
    }

    /// Finds the compiler program without starting it.
    ///
    /// # Errors
    /// [`CompileError::NotFound`] with the places looked at.
    pub fn locate(&self) -> Result<PathBuf, CompileError> {
        locate::find(self.settings.program.as_deref(), self.settings.library.as_deref())
    }

    /// Starts the helper if none runs, and does not wait for it: about a millisecond. A failure is left to the compile
    /// that will meet it again.
    pub fn start_ahead(&self) {
        if let Err(error) = self.helper() {
            log::debug!("not started ahead: {error}");
        }
    }

    /// The compiler inside the helper, as it introduces itself; starts the helper if none runs.
    ///
    /// # Errors
    /// As [`CompileError`] says.
    pub fn compiler(&self) -> Result<String, CompileError> {
        let helper = self.helper()?;
        helper.greet(self.settings.hello_limit).inspect_err(|_| helper.retire())
    }

    /// Which build of the compiler program serves this process, or would serve it if none runs: a text that differs between
    /// two builds. The program is not started.
    ///
    /// # Errors
    /// [`CompileError::NotFound`], and [`CompileError::Start`] if its file cannot be read.
    pub fn identity(&self) -> Result<Arc<str>, CompileError> {
        if let Some(helper) = self.helper.lock().as_ref().filter(|helper| helper.usable()) {
            return Ok(helper.identity());
        }
        self.identify(&self.locate()?)
    }

    fn identify(&self, path: &Path) -> Result<Arc<str>, CompileError> {
        let failed = |error: io::Error| CompileError::Start { path: path.to_owned(), reason: error.to_string() };
        let data = fs::metadata(path).map_err(failed)?;
        let mark = (data.dev(), data.ino(), data.size(), (data.ctime(), data.ctime_nsec()));
        let mut identified = self.identified.lock();
        if let Some((known, was, identity)) = &*identified
            && known == path
            && *was == mark
        {
            return Ok(Arc::clone(identity));
        }
        // A program that its linker gave no build id, and a script, are what is in the file.
        let identity: Arc<str> = match program_identity(path) {
            Ok(build) => format!("build {build}").into(),
            Err(_) => {
                let Digest(content) = Digest::of(&fs::read(path).map_err(failed)?);
                format!("content {}", content.iter().map(|byte| format!("{byte:02x}")).collect::<String>()).into()
            }
        };
        *identified = Some((path.to_owned(), mark, Arc::clone(&identity)));
        Ok(identity)
    }

    /// Has one job done and returns the helper's answer, good or bad.
    ///
    /// # Errors
    /// As [`CompileError`] says; the next request starts a new helper where this one can no longer be trusted.
    pub fn run(&self, request: &Request) -> Result<Reply, CompileError> {
        self.ask(request, &Cancel::default()).map(|answer| answer.reply)
    }

    /// As [`run`](Self::run), for a job that may be cancelled. That ends the compile process and disturbs no other job.
    ///
    /// # Errors
    /// As for [`run`](Self::run); [`CompileError::Cancelled`].
    pub fn ask(&self, request: &Request, cancel: &Cancel) -> Result<Answer, CompileError> {
        let begin = Instant::now();
        if cancel.is_cancelled() {
            return Err(CompileError::Cancelled);
        }
        let (helper, compiler, job) = self.open_job()?;
        let job = Arc::new(job);
        let limit = self.settings.time_limit;
        let deadline = (!limit.is_zero()).then(|| Instant::now() + limit + self.settings.grace);
        let mut stream = Stream::new(Arc::clone(&job), deadline);
        // The helper sees the end of the socket as it would see it closed. That it is closed already is no harm.
        let wake = move || shutdown(&job, Shutdown::Both).unwrap_or(());
        let reply = cancel.while_waiting(wake, || {
            let sent = write_frame(&mut stream, request);
            if let Err(FrameError::TooLong(bytes)) = sent {
                return Err(CompileError::TooLarge(bytes));
            }
            // A compile process that ends early closes its end before it has read everything; its reply may be there.
            match (read_frame(&mut stream), sent) {
                (Ok(reply), _) => Ok(Answer { reply, program: helper.identity(), compiler }),
                (Err(_), _) if cancel.is_cancelled() => Err(CompileError::Cancelled),
                (Err(FrameError::Closed), Err(e)) | (Err(e), _) => Err(self.no_reply(&helper, &e, begin)),
            }
        });
        log::debug!("the job took {:?}", begin.elapsed());
        reply
    }

    /// Whether a helper runs, or was started and has not introduced itself yet.
    #[must_use]
    pub fn is_running(&self) -> bool {
        self.helper.lock().as_ref().is_some_and(|helper| helper.usable())
    }

    /// Ends the helper once the jobs that it works at are done; the next job starts another one.
    pub fn stop(&self) {
        let helper = {
            let mut current = self.helper.lock();
            // Before the descriptor is closed: its number may go to something of the application's.
            self.inheritable.store(-1, Ordering::Release);
            current.take()
        };
        // Not under the lock: the end of a process takes a moment.
        drop(helper);
    }

    /// A helper that has taken the other end of a job socket.
    fn open_job(&self) -> Result<(Arc<Helper>, String, OwnedFd), CompileError> {
        let mut again = true;
        loop {
            let helper = self.helper()?;
            let compiler = helper.greet(self.settings.hello_limit).inspect_err(|_| helper.retire())?;
            let broken = |e: io::Error| CompileError::NoReply { path: helper.path().to_owned(), reason: e.to_string() };
            let (ours, theirs) = pair(SocketType::STREAM).map_err(broken)?;
            let start = Start {
                time_limit_ms: u64::try_from(self.settings.time_limit.as_millis()).unwrap_or(u64::MAX),
                memory_limit: self.settings.memory_limit,
            };
            let deadline = Some(Instant::now() + self.settings.grace);
            match helper.submit(&start, &theirs, deadline) {
                Ok(()) => return Ok((helper, compiler, ours)),
                Err(e) => {
                    helper.retire();
                    // It may have died unnoticed since the last compile; nothing of this one has reached it.
                    if !again || e.kind() == io::ErrorKind::TimedOut {
                        return Err(broken(e));
                    }
                    log::debug!("{}: {e}; starting another one", helper.path().display());
                    again = false;
                }
            }
        }
    }

    fn helper(&self) -> Result<Arc<Helper>, CompileError> {
        let mut current = self.helper.lock();
        if let Some(helper) = current.as_ref().filter(|helper| helper.usable()) {
            return Ok(Arc::clone(helper));
        }
        // Before the descriptor is closed: its number may go to something of the application's.
        self.inheritable.store(-1, Ordering::Release);
        *current = None;
        let path = self.locate()?;
        let helper = loop {
            let identity = self.identify(&path)?;
            let helper = Helper::start(&path, &self.settings.arguments, Arc::clone(&identity))?;
            // The file may have been replaced meanwhile.
            if self.identify(&path)? == identity {
                break Arc::new(helper);
            }
        };
        self.inheritable.store(helper.descriptor(), Ordering::Release);
        *current = Some(Arc::clone(&helper));
        Ok(helper)
    }

    fn no_reply(&self, helper: &Helper, error: &FrameError, begin: Instant) -> CompileError {
        let timed_out = matches!(error, FrameError::Io(e) if e.kind() == io::ErrorKind::TimedOut);
        let dead = !timed_out && helper.hung_up();
        // An end of the job alone is the compile process's; anything else is the helper's fault.
        if dead || !matches!(error, FrameError::Closed) {
            helper.retire();
        }
        let reason = if timed_out {
            format!("nothing came within {:.1} s", begin.elapsed().as_secs_f32())
        } else if dead {
            helper.last_words()
        } else {
            error.to_string()
        };
        CompileError::NoReply { path: helper.path().to_owned(), reason }
    }

    /// For a process forked from the one that owns `self`: lets go of the parent's helper, which otherwise would
    /// outlive the parent for as long as this process lives.
    fn close_inherited(&self) {
        let descriptor = self.inheritable.swap(-1, Ordering::AcqRel);
        if descriptor >= 0 {
            // SAFETY: the descriptor is this process's copy of the control socket. `Helper`, which owns the number in
            // the parent, is never dropped here: the client is leaked and the threads that held it do not exist.
            drop(unsafe { OwnedFd::from_raw_fd(descriptor) });
        }
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        self.inheritable.store(-1, Ordering::Release);
    }
}

/// The client of this process.
pub fn client() -> &'static Client {
    static CURRENT: AtomicPtr<Client> = AtomicPtr::new(ptr::null_mut());
    let pid = getpid();
    loop {
        let seen = CURRENT.load(Ordering::Acquire);
        // SAFETY: null, or made by `Box::into_raw` below, published by the exchange and never freed.
        let current = unsafe { seen.as_ref() };
        if let Some(client) = current.filter(|client| client.owner == pid) {
            return client;
        }
        let fresh = Box::into_raw(Box::new(Client::new(process_settings())));
        if CURRENT.compare_exchange(seen, fresh, Ordering::AcqRel, Ordering::Acquire).is_ok() {
            if let Some(parents) = current {
                parents.close_inherited();
            }
        } else {
            // SAFETY: made above and not published.
            drop(unsafe { Box::from_raw(fresh) });
        }
    }
}

/// Time that a compile may take unless the environment says otherwise: far above the largest known source.
const TIME_LIMIT: Duration = Duration::from_secs(300);
/// Memory that a compile may take unless the environment says otherwise: 4 GiB.
const MEMORY_LIMIT: u64 = 4 << 30;

fn process_settings() -> Settings {
    Settings {
        program: variables::COMPILER.value().map(PathBuf::from),
        library: own_path(),
        arguments: preambles::arguments(),
        time_limit: Duration::from_secs(number(variables::COMPILE_TIMEOUT, TIME_LIMIT.as_secs())),
        memory_limit: number(variables::COMPILE_MEMORY, MEMORY_LIMIT),
        hello_limit: Settings::HELLO_LIMIT,
        grace: Settings::GRACE,
    }
}

/// The number that a variable holds. A value that is no number must not switch a limit off, so it counts as unset.
fn number(variable: variables::Variable, default: u64) -> u64 {
    match variable.text() {
        Ok(None) => default,
        Ok(Some(text)) => text.trim().parse().unwrap_or_else(|_| {
            log::warn!("{}={text:?} is not a number; {default} is used", variable.name());
            default
        }),
        Err(error) => {
            log::warn!("{error}; {default} is used");
            default
        }
    }
}
