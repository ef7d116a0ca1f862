// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! One compile, in a process of its own.

use std::{
    fs,
    fs::File,
    os::{fd::AsFd, unix::net::UnixStream},
    time::Instant,
};

use rustix::process::{Resource, Rlimit, Signal, getrlimit, set_parent_process_death_signal, setrlimit};
use syclrtc_protocol::{Built, Compile, Output, Reply, Request, Start, TargetFormat, read_frame, write_frame};

use crate::{
    frontend::{Compiled, Outcome},
    ir,
};

/// Exit status of a child whose request could not be read or whose answer could not be written.
const EXIT_NO_CONNECTION: i32 = 3;

/// State of the compile that this process is for.
pub struct Job {
    socket: UnixStream,
    output: Option<Output>,
    stages: Vec<(String, u64)>,
    stage_began: Instant,
}

impl Job {
    /// Makes the forked process a compile process: its output is captured, its memory limited, its life bound to its parent.
    pub fn begin(socket: UnixStream, output: &File, start: &Start) -> Self {
        // Each may fail on an odd system; the compile is as good without.
        let _ = set_parent_process_death_signal(Some(Signal::KILL));
        let _ = rustix::stdio::dup2_stdout(output.as_fd());
        let _ = rustix::stdio::dup2_stderr(output.as_fd());
        if start.memory_limit != 0 {
            limit_memory(start.memory_limit);
        }
        Self { socket, output: None, stages: Vec::new(), stage_began: Instant::now() }
    }

    /// Waits for the client's request.
    pub fn read_request(&mut self) -> Compile {
        match read_frame::<Request>(&mut self.socket) {
            Ok(Request::Compile(request)) => {
                self.output = Some(request.output.clone());
                self.end_stage("request");
                request
            }
            Ok(_) => exit(EXIT_NO_CONNECTION),
            // The client went away, or sent what its own library cannot have made.
            Err(_) => exit(EXIT_NO_CONNECTION),
        }
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
                self.end_stage(if compiled.from_checkpoint { "front end" } else { "front end from nothing" });
                self.emit(compiled)
            }
        };
        match write_frame(&mut self.socket, &reply) {
            Ok(()) => exit(0),
            Err(_) => exit(EXIT_NO_CONNECTION),
        }
    }

    fn emit(&mut self, compiled: Compiled) -> Reply {
        let Some(Output::Image(target)) = self.output.clone() else {
            return Reply::Refused { message: "no target".to_owned() };
        };
        let TargetFormat::Spirv { version, extensions } = target.format;
        let Compiled { module, functions, table, mut log, diagnostics, time_trace, .. } = compiled;
        let kernels: Vec<_> = functions.into_iter().zip(table.kernels.iter().cloned()).collect();
        let mut stage = |name: &str| self.end_stage(name);
        match ir::spirv(module, &kernels, table.optimization_level.into(), version, &extensions, &mut stage) {
            Ok(image) => Reply::Built(Built {
                code: image,
                table,
                log,
                diagnostics,
                time_trace,
                stages: std::mem::take(&mut self.stages),
                ..Built::default()
            }),
            Err(problems) => {
                log += &problems;
                Reply::Failed { log, diagnostics }
            }
        }
    }
}

/// Ends the process at once: nothing of clang's is torn down.
fn exit(status: i32) -> ! {
    // SAFETY: always sound; skips exit handlers, none of which this program needs.
    unsafe { libc::_exit(status) }
}

/// Allows `bytes` on top of the address space that was inherited from the waiting process.
fn limit_memory(bytes: u64) {
    let Ok(statm) = fs::read_to_string("/proc/self/statm") else { return };
    let Some(pages) = statm.split(' ').next().and_then(|pages| pages.parse::<u64>().ok()) else { return };
    let now = pages * rustix::param::page_size() as u64;
    let limit = Rlimit { current: Some(now.saturating_add(bytes)), maximum: getrlimit(Resource::As).maximum };
    let _ = setrlimit(Resource::As, limit);
}
