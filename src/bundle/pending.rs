// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#![forbid(unsafe_code)]
//! Builds that somebody else waits for.
//!
//! Each runs in a thread of the library's own. There are a few for each core, so that a program that asks for a thousand
//! builds does not start a thousand compiles; the others are queued. A thread ends when nothing is queued, and nobody waits
//! for it: a process may exit at any time.

use std::{
    collections::VecDeque,
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use parking_lot::{Condvar, Mutex};

use super::{
    build::BuildOptions,
    job::{BuildStage, Job, cancelled},
    kernel_bundle::KernelBundle,
};
use crate::{
    error::{Error, Result},
    os::{per_process::PerProcess, process::fork_generation},
    runtime::Device,
};

/// How far a build is for those who only want to know whether to ask for its result. The numbers cross the C border and are
/// never reused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub enum BuildStatus {
    /// There is no result yet.
    Running = 1,
    /// There is a bundle.
    Succeeded = 2,
    /// There is an error.
    Failed = 3,
    /// There is an error, since the build was cancelled.
    Cancelled = 4,
}

/// A build that runs or has run. Dropping it does not stop the build.
#[derive(Debug)]
pub struct PendingBuild {
    job: Job,
    outcome: Mutex<Option<Result<Arc<KernelBundle>>>>,
    done: Condvar,
    /// The process whose threads work at it.
    born_in: u32,
}

impl KernelBundle {
    /// Starts to [build](Self::build), and returns at once. All errors are those of the result.
    ///
    /// # Errors
    /// [`Errc::Runtime`](crate::error::Errc::Runtime) if there can be no thread.
    pub fn build_async(
        self: &Arc<Self>,
        devices: Vec<Arc<Device>>,
        options: BuildOptions,
    ) -> Result<Arc<PendingBuild>> {
        let pending = Arc::new(PendingBuild {
            job: Job::default(),
            outcome: Mutex::new(None),
            done: Condvar::new(),
            born_in: fork_generation(),
        });
        let task = Task { pending: Arc::clone(&pending), source: Arc::clone(self), devices, options };
        pool().add(task)?;
        Ok(pending)
    }
}

impl PendingBuild {
    /// Waits for the result, at most for some time. Whether it is there.
    ///
    /// # Errors
    /// [`Errc::Runtime`](crate::error::Errc::Runtime) in a child of `fork`, which has none of the threads that work at it.
    pub fn wait(&self, at_most: Option<Duration>) -> Result<bool> {
        self.check_process()?;
        // A time beyond what the clock can say is for ever.
        let end = at_most.and_then(|time| Instant::now().checked_add(time));
        let mut outcome = self.outcome.lock();
        while outcome.is_none() {
            match end {
                None => self.done.wait(&mut outcome),
                Some(end) if self.done.wait_until(&mut outcome, end).timed_out() => break,
                Some(_) => {}
            }
        }
        Ok(outcome.is_some())
    }

    /// Waits for the result: what [`KernelBundle::build`] would have returned. The same for everybody who asks.
    ///
    /// # Errors
    /// Those of `build`; [`Errc::Runtime`](crate::error::Errc::Runtime) after [`cancel`](Self::cancel), unless the result was
    /// there before; as for [`wait`](Self::wait).
    pub fn result(&self) -> Result<Arc<KernelBundle>> {
        self.wait(None)?;
        self.outcome.lock().clone().unwrap_or_else(|| Err(Error::internal("a build that has ended has no result")))
    }

    /// Whether there is a result, and of what kind.
    ///
    /// # Errors
    /// As for [`wait`](Self::wait).
    pub fn status(&self) -> Result<BuildStatus> {
        self.check_process()?;
        Ok(match &*self.outcome.lock() {
            None => BuildStatus::Running,
            Some(Ok(_)) => BuildStatus::Succeeded,
            Some(Err(error)) if *error == cancelled() => BuildStatus::Cancelled,
            Some(Err(_)) => BuildStatus::Failed,
        })
    }

    /// What it is doing.
    ///
    /// # Errors
    /// As for [`wait`](Self::wait).
    pub fn stage(&self) -> Result<BuildStage> {
        self.check_process()?;
        let done = self.outcome.lock().is_some();
        Ok(if done { BuildStage::Done } else { self.job.stage() })
    }

    /// Asks it to stop, and does not wait for that. A compile is ended, unless others wait for the same: those get their
    /// result. A driver at work cannot be stopped; its code is dropped afterwards. Nothing happens to a build that has a
    /// result.
    ///
    /// # Errors
    /// As for [`wait`](Self::wait).
    pub fn cancel(&self) -> Result<()> {
        self.check_process()?;
        self.job.cancel.cancel();
        // One that no thread has taken yet would otherwise have to wait for those before it.
        if self.job.stage() == BuildStage::Queued {
            self.end(Err(cancelled()));
        }
        Ok(())
    }

    /// The first result counts.
    fn end(&self, result: Result<Arc<KernelBundle>>) {
        let mut outcome = self.outcome.lock();
        if outcome.is_none() {
            *outcome = Some(result);
            self.done.notify_all();
        }
    }

    fn check_process(&self) -> Result<()> {
        if self.born_in == fork_generation() {
            return Ok(());
        }
        Err(Error::runtime("this build was started before `fork`, by the parent process, which alone can wait for it"))
    }
}

struct Task {
    pending: Arc<PendingBuild>,
    source: Arc<KernelBundle>,
    devices: Vec<Arc<Device>>,
    options: BuildOptions,
}

impl Task {
    fn run(self) {
        /// A panic must not leave anybody waiting.
        struct Ended<'a>(&'a PendingBuild);
        impl Drop for Ended<'_> {
            fn drop(&mut self) {
                self.0.end(Err(Error::internal("internal error: the thread of an asynchronous build panicked")));
            }
        }
        let ended = Ended(&self.pending);
        let built = self.source.build_job(&self.devices, &self.options, &self.pending.job);
        let cancelled_meanwhile = self.pending.job.cancel.is_cancelled();
        self.pending.end(if cancelled_meanwhile { Err(cancelled()) } else { built });
        drop(ended);
    }
}

/// Threads and what waits for them.
struct Pool {
    state: Mutex<State>,
    limit: usize,
}

#[derive(Default)]
struct State {
    queue: VecDeque<Task>,
    threads: usize,
}

fn pool() -> &'static Pool {
    static CURRENT: PerProcess<Pool> = PerProcess::new();
    CURRENT.get(|| {
        let cores = thread::available_parallelism().map_or(1, usize::from);
        Pool { state: Mutex::default(), limit: (2 * cores).max(4) }
    })
}

impl Pool {
    fn add(&'static self, task: Task) -> Result<()> {
        let mut state = self.state.lock();
        if state.threads < self.limit {
            let spawned = thread::Builder::new().name("syclrtc-build".into()).spawn(|| self.work());
            match spawned {
                Ok(_) => state.threads += 1,
                // Those that there are will come to it.
                Err(error) if state.threads > 0 => log::debug!("no more threads for builds: {error}"),
                Err(error) => return Err(Error::runtime(format!("no thread for an asynchronous build: {error}"))),
            }
        }
        state.queue.push_back(task);
        Ok(())
    }

    fn work(&self) {
        /// Counts the thread out, also if a build panics.
        struct Leaving<'a>(&'a Pool);
        impl Drop for Leaving<'_> {
            fn drop(&mut self) {
                if thread::panicking() {
                    self.0.state.lock().threads -= 1;
                }
            }
        }
        let _leaving = Leaving(self);
        loop {
            let task = {
                let mut state = self.state.lock();
                match state.queue.pop_front() {
                    Some(task) => task,
                    None => {
                        // Under the lock, so that a task that comes now starts a thread.
                        state.threads -= 1;
                        return;
                    }
                }
            };
            task.run();
        }
    }
}
