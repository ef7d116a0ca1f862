// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! One compile, in a process of its own.

use std::{
    fs,
    fs::File,
    io,
    os::{fd::AsFd, unix::net::UnixStream},
    time::Instant,
};

use rustix::process::{Resource, Rlimit, Signal, getrlimit, set_parent_process_death_signal, setrlimit};
use syclrtc_protocol::{Built, Compile, Digest, Link, Output, Reply, Request, Start, read_frame, write_frame};

use crate::{
    frontend::{self, Compiled, Outcome},
    ir::{self, Made, Problems},
    memory,
    preamble_files::PreambleFiles,
};

/// Exit status of a child whose request could not be read or whose answer could not be written.
const EXIT_NO_CONNECTION: i32 = 3;

/// State of the compile that this process is for.
pub struct Job {
    socket: UnixStream,
    start: Start,
    began: Instant,
    /// Limit on the address space before the job's was set.
    memory_before: Option<Rlimit>,
    output: Option<Output>,
    /// Names the files of the parsed preamble.
    preamble: Option<Digest>,
    stages: Vec<(String, u64)>,
    stage_began: Instant,
}

impl Job {
    /// Makes the forked process a compile process: its output is captured, its memory limited, its life bound to its parent.
    pub fn begin(socket: UnixStream, output: &File, start: &Start, began: Instant) -> Self {
        let memory_before = (start.memory_limit != 0).then(|| limit_memory(start.memory_limit)).flatten();
        let start = start.clone();
        let now = Instant::now();
        let mut job = Self {
            socket,
            start,
            began,
            memory_before,
            output: None,
            preamble: None,
            stages: Vec::new(),
            stage_began: now,
        };
        job.resume(output);
        job
    }

    /// As [`Job::begin`], for a job that its parent began.
    pub fn resume(&mut self, output: &File) {
        // Each may fail on an odd system; the compile is as good without.
        let _ = set_parent_process_death_signal(Some(Signal::KILL));
        let _ = rustix::stdio::dup2_stdout(output.as_fd());
        let _ = rustix::stdio::dup2_stderr(output.as_fd());
    }

    /// Makes the process none of this job any more: takes back what [`Job::begin`] did, except that it dies with its parent.
    pub fn leave_limits(self) {
        if let Ok(null) = File::options().write(true).open("/dev/null") {
            let _ = rustix::stdio::dup2_stdout(null.as_fd());
            let _ = rustix::stdio::dup2_stderr(null.as_fd());
        }
        if let Some(before) = self.memory_before {
            let _ = setrlimit(Resource::As, before);
        }
    }

    /// When the client's packet came.
    pub fn began(&self) -> Instant {
        self.began
    }

    /// The client's packet.
    pub fn start(&self) -> &Start {
        &self.start
    }

    /// Where the answer goes.
    pub fn socket(&self) -> &UnixStream {
        &self.socket
    }

    /// The same for another process to use.
    pub fn copy_socket(&self) -> io::Result<UnixStream> {
        self.socket.try_clone()
    }

    /// Waits for the client's request. One that needs no front end is done and the process ended.
    pub fn read_request(mut self, preamble: &PreambleFiles) -> (Self, Compile) {
        self.preamble = preamble.digest;
        // The client went away, or sent what its own library cannot have made.
        let Ok(request) = read_frame::<Request>(&mut self.socket) else { exit(EXIT_NO_CONNECTION) };
        self.end_stage("request");
        match request {
            Request::Compile(request) => {
                self.output = Some(request.output.clone());
                (self, request)
            }
            Request::Link(Link { objects, target }) => {
                let made = ir::link(objects, &target, &mut |name| self.end_stage(name));
                let reply = self.reply(made, Built::default());
                self.answer(&reply)
            }
            Request::PreambleFiles(digest) => {
                let files = preamble.find(digest).to_vec();
                self.answer(&Reply::Files(files))
            }
            Request::Disassemble(code) => {
                let reply =
                    ir::disassemble(&code).map_or_else(|problems| failed(problems, Built::default()), Reply::Text);
                self.answer(&reply)
            }
        }
    }

    /// Takes the request that another process of this program read.
    pub fn take_request(mut self, file: &mut File, preamble: &PreambleFiles) -> (Self, Compile) {
        self.preamble = preamble.digest;
        // Only a compile is handed over. The other process goes on with its job if this one says nothing.
        let Ok(Request::Compile(request)) = read_frame::<Request>(file) else { exit(0) };
        self.output = Some(request.output.clone());
        self.end_stage("request");
        (self, request)
    }

    fn end_stage(&mut self, name: &str) {
        let now = Instant::now();
        self.stages.push((name.to_owned(), (now - self.stage_began).as_micros() as u64));
        self.stage_began = now;
    }

    /// Does what is left after the front end, answers, and ends the process.
    pub fn finish(mut self, outcome: Outcome) -> ! {
        let reply = match outcome {
            Outcome::Refused { message } => Reply::Refused { message },
            Outcome::Failed { log, diagnostics } => Reply::Failed { log, diagnostics },
            Outcome::Compiled(compiled) => {
                self.end_stage(match (compiled.from_checkpoint, compiled.from_precompiled) {
                    (true, true) => "front end behind precompiled headers",
                    (true, false) => "front end",
                    (false, _) => "front end from nothing",
                });
                let is_like_others = compiled.from_checkpoint;
                let reply = self.emit(*compiled);
                if is_like_others {
                    memory::note_written_pages();
                }
                reply
            }
        };
        self.answer(&reply)
    }

    fn answer(mut self, reply: &Reply) -> ! {
        match write_frame(&mut self.socket, reply) {
            Ok(()) => exit(0),
            Err(_) => exit(EXIT_NO_CONNECTION),
        }
    }

    fn emit(&mut self, mut compiled: Compiled) -> Reply {
        let output = self.output.take();
        let mut stage = |name: &str| self.end_stage(name);
        let made = match output {
            Some(Output::Image(target)) => ir::image(&mut compiled, &target, &mut stage),
            // There is always one: the front end runs for a request.
            Some(Output::Object) | None => ir::object(&mut compiled, &mut stage),
        };
        let Compiled { mut log, mut diagnostics, mut time_trace, dependencies, shares_preamble, .. } = compiled;
        let preamble = self.preamble.filter(|_| shares_preamble);
        // What LLVM's passes had to say, and how long all of it took.
        let epilogue = frontend::epilogue();
        log += &epilogue.log;
        diagnostics.extend(epilogue.diagnostics);
        if let Some(time_trace) = &mut time_trace {
            time_trace.json = epilogue.time_trace;
        }
        self.reply(made, Built { log, diagnostics, time_trace, dependencies, preamble, ..Built::default() })
    }

    /// The answer for what was made or not; `said` is what the front end had to say.
    fn reply(&mut self, made: Result<Made, Problems>, said: Built) -> Reply {
        match made {
            Ok(Made { code, final_ir, table }) => {
                Reply::Built(Built { code, final_ir, table, stages: std::mem::take(&mut self.stages), ..said })
            }
            Err(problems) => failed(problems, said),
        }
    }
}

fn failed(problems: Problems, said: Built) -> Reply {
    let (text, rows) = problems.into_log();
    Reply::Failed { log: said.log + &text, diagnostics: said.diagnostics.into_iter().chain(rows).collect() }
}

/// Ends the process at once: nothing of clang's is torn down.
pub fn exit(status: i32) -> ! {
    // SAFETY: always sound; skips exit handlers, none of which this program needs.
    unsafe { libc::_exit(status) }
}

/// Allows `bytes` on top of the address space that was inherited from the waiting process. Gives the limit from before.
fn limit_memory(bytes: u64) -> Option<Rlimit> {
    let statm = fs::read_to_string("/proc/self/statm").ok()?;
    let pages = statm.split(' ').next()?.parse::<u64>().ok()?;
    let now = pages * rustix::param::page_size() as u64;
    let before = getrlimit(Resource::As);
    let limit = Rlimit { current: Some(now.saturating_add(bytes)), maximum: before.maximum };
    setrlimit(Resource::As, limit).ok()?;
    Some(before)
}
