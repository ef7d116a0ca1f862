// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#![forbid(unsafe_code)]
//! Answers of the compiler program that are known already.
//!
//! A request is looked for in memory, then among those that are under way, then on disk; only then is the compiler program
//! asked. What is found counts only if all files that it was made from, and all places where a file was missing, are as they
//! were. Failures are shared with those that wait, and not kept.
//!
//! No lock is held while the compiler program, a disk or another process works, and who looks for another key never waits.

use std::{
    collections::{HashMap, VecDeque},
    ffi::OsStr,
    os::unix::ffi::OsStrExt,
    path::Path,
    sync::{Arc, LazyLock},
    time::{Duration, Instant},
};

use parking_lot::Mutex;
use syclrtc_protocol::{Built, Dependency, FileState, Request};

use super::{
    cache_entry::{Entry, error_for, first_changed, inside, names_of, relocate},
    cache_keys::{Keys, Maker, of_introduction},
    job::{BuildStage, Job, cancelled},
    kernel_bundle::Report,
    preambles::Preambles,
    request::{ask, no_answer},
    trace::{self, How, Made},
};
use crate::{
    cache::{Caches, Flights, Key, Store, Tier, Turn, caches, disk::Miss, statistics},
    compiler::client,
    env,
    error::{Error, Result},
    os::per_process::PerProcess,
};

/// How long this process waits for another one that makes the same. A stopped process must not stop this one.
const PATIENCE: Duration = Duration::from_secs(120);
/// How many requests a trace compares a new one with.
const HISTORY: usize = 256;

/// An answer, in whatever way it came.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) built: Built,
    /// The compiler, as it introduces itself.
    pub(super) compiler: String,
}

/// What requests in flight end with.
type Outcome = Arc<std::result::Result<Vec<u8>, (Vec<String>, Error)>>;

/// What this process knows beside the caches.
struct Local {
    flights: Flights<Outcome>,
    preambles: Preambles,
    /// What programs call their compilers.
    introductions: Mutex<HashMap<Arc<str>, String>>,
    /// Requests, for traces; the latest last.
    history: Mutex<VecDeque<Keys>>,
    /// What the compiler program takes from the environment. A helper that runs has that of its start.
    inputs: LazyLock<[(&'static str, Option<String>); 5]>,
}

fn local() -> &'static Local {
    static CURRENT: PerProcess<Local> = PerProcess::new();
    CURRENT.get(|| Local {
        flights: Flights::new(),
        preambles: Preambles::default(),
        introductions: Mutex::default(),
        history: Mutex::default(),
        inputs: LazyLock::new(env::compiler_inputs),
    })
}

/// Has code made, or takes what is known. Log, diagnostics and time go to the report.
pub(super) fn make(request: &Request, report: &mut Report, job: &Job) -> Result<Answer> {
    let begin = Instant::now();
    let mut made = Made::default();
    let answer = job.enter(BuildStage::LookingUp).and_then(|()| find(request, job, &mut made));
    if matches!(made.how, How::Miss | How::Uncached | How::Shared) {
        report.times.compiler += begin.elapsed();
    }
    report.made.push(made);
    let mut answer = answer?;
    report.log.push_str(&answer.built.log);
    report.diagnostics.append(&mut answer.built.diagnostics);
    Ok(answer)
}

/// What the compiler that this process uses calls itself. The compiler program is started only if nobody has asked it yet.
pub(super) fn compiler_name() -> Result<String> {
    let failed = |error: crate::compiler::CompileError| Error::build(error.to_string(), error.to_string());
    let program = client().identity().map_err(failed)?;
    if let Some(name) = local().introductions.lock().get(&program) {
        return Ok(name.clone());
    }
    let store = caches()?.store()?;
    let key = of_introduction(&program);
    let stored = store.and_then(|store| store.get(Tier::Record, &key)).and_then(|name| String::from_utf8(name).ok());
    let name = match stored {
        Some(name) => name,
        None => {
            let name = client().compiler().map_err(failed)?;
            // Another program may have been started than the one that was looked at.
            if let Some(store) = store
                && client().identity().is_ok_and(|now| now == program)
            {
                store.put(Tier::Record, &key, name.as_bytes());
            }
            name
        }
    };
    local().introductions.lock().insert(program, name.clone());
    Ok(name)
}

/// The keys of a request as texts, for a look at what shapes them.
pub(super) fn keys_as_text(request: &Request) -> Result<String> {
    let program = client().identity().map_err(|error| no_answer(request, &error))?;
    Ok(keys_of(request, &program).map(|keys| keys.here.to_string()).unwrap_or_default())
}

/// To be called when the persistent cache has been cleared.
pub(super) fn disk_was_cleared() {
    local().preambles.forget_stored();
}

/// Ends the compiler program, after it has told what answers in memory are checked by.
pub(super) fn stop_compiler(caches: &'static Caches) {
    // A limit that is no number is the build's to report.
    local().preambles.learn(caches.store().unwrap_or_default());
    client().stop();
}

/// How many requests are answered at the moment, for whatever number of those who asked.
pub(super) fn in_flight() -> usize {
    local().flights.count()
}

fn keys_of(request: &Request, program: &str) -> Option<Keys> {
    Keys::of(request, Maker { program, inputs: &*local().inputs })
}

fn find(request: &Request, job: &Job, made: &mut Made) -> Result<Answer> {
    let caches = caches()?;
    let store = caches.store()?;
    let program = client().identity().map_err(|error| no_answer(request, &error))?;
    let kept = caches.memory().is_some() || store.is_some();
    let Some(keys) = kept.then(|| keys_of(request, &program)).flatten() else {
        let (built, compiler, _) = compile(request, job, made)?;
        return Ok(Answer { built, compiler });
    };
    let search = Search { request, job, caches, store, program, keys, names: names_of(request) };
    search.run(made)
}

/// Asks the compiler program. The last of the result is which build of it answered.
fn compile(request: &Request, job: &Job, made: &mut Made) -> Result<(Built, String, Arc<str>)> {
    job.enter(BuildStage::Compiling)?;
    let statistics = statistics();
    statistics.compiles.add();
    let _held = statistics.in_flight.hold();
    let answered = ask(request, &job.cancel)?;
    made.stages.clone_from(&answered.built.stages);
    local().introductions.lock().entry(Arc::clone(&answered.program)).or_insert_with(|| answered.compiler.clone());
    Ok((answered.built, answered.compiler, answered.program))
}

/// One request on its way.
struct Search<'a> {
    request: &'a Request,
    job: &'a Job,
    caches: &'static Caches,
    store: Option<&'static Store>,
    program: Arc<str>,
    keys: Keys,
    names: Vec<String>,
}

impl Search<'_> {
    fn run(&self, made: &mut Made) -> Result<Answer> {
        loop {
            if let Some(entry) = self.in_memory(made) {
                made.how = How::Memory;
                return Ok(self.answer(entry));
            }
            self.job.note(BuildStage::Waiting);
            match local().flights.join(self.keys.here.digest(), &self.job.cancel) {
                Turn::Cancelled => return Err(cancelled()),
                Turn::Shared(outcome) => match &*outcome {
                    Err((names, error)) => {
                        statistics().shared.add();
                        made.how = How::Shared;
                        return Err(error_for(error, names, &self.names));
                    }
                    // A file may have changed after it was read, and before this request came.
                    Ok(bytes) => {
                        if let Some(entry) = Entry::decode(bytes).and_then(|entry| self.if_true(entry, made)) {
                            statistics().shared.add();
                            made.how = How::Shared;
                            return Ok(self.answer(entry));
                        }
                    }
                },
                Turn::Lead(leader) => {
                    self.job.enter(BuildStage::LookingUp)?;
                    // Who led before may have ended after this looked into the memory.
                    if let Some(entry) = self.in_memory(made) {
                        made.how = How::Memory;
                        return Ok(self.answer(entry));
                    }
                    return match self.lead(made) {
                        Ok((entry, bytes)) => {
                            leader.finish(Arc::new(Ok(bytes)));
                            Ok(self.answer(entry))
                        }
                        // Those that wait still want it: one of them takes over.
                        Err(_) if self.job.cancel.is_cancelled() => Err(cancelled()),
                        Err(error) => {
                            leader.finish(Arc::new(Err((self.names.clone(), error.clone()))));
                            Err(error)
                        }
                    };
                }
            }
        }
    }

    fn answer(&self, entry: Entry) -> Answer {
        let compiler = entry.compiler.clone();
        Answer { built: entry.into_answer(&self.names), compiler }
    }

    /// The result from disk or from the compiler program, with its bytes. It is kept before this returns.
    fn lead(&self, made: &mut Made) -> Result<(Entry, Vec<u8>)> {
        let statistics = statistics();
        if self.caches.memory().is_some() {
            statistics.memory.misses.add();
        }
        let mut claim = None;
        if let Some(store) = self.store {
            if let Some(found) = self.on_disk(store, made) {
                return Ok(found);
            }
            self.job.note(BuildStage::Waiting);
            let begin = Instant::now();
            let mut patient = || !self.job.cancel.is_cancelled() && begin.elapsed() < PATIENCE;
            claim = Some(store.claim(Tier::Intermediate, self.keys.first(), &mut patient));
            self.job.enter(BuildStage::LookingUp)?;
            if let Some(found) = self.on_disk(store, made) {
                return Ok(found);
            }
            statistics.disk.misses.add();
        }
        self.note_miss(made);
        let (built, compiler, program) = compile(self.request, self.job, made)?;
        let directory = self.directory().to_owned();
        let entry = Entry { names: self.names.clone(), compiler, directory, built };
        let bytes = entry.encode()?;
        // A helper that was replaced meanwhile may be another build.
        if program == self.program {
            self.keep(&entry, &bytes);
        }
        drop(claim);
        Ok((entry, bytes))
    }

    fn in_memory(&self, made: &mut Made) -> Option<Entry> {
        // A process seldom changes its directory, so one key is enough here.
        let bytes = self.caches.memory()?.get(&self.keys.here)?;
        let before = made.renewed;
        let entry = Entry::decode(&bytes).and_then(|entry| self.if_true(entry, made))?;
        if made.renewed != before
            && let Ok(bytes) = entry.encode()
        {
            self.keep_in_memory(&bytes);
        }
        statistics().memory.hits.add();
        Some(entry)
    }

    fn on_disk(&self, store: &Store, made: &mut Made) -> Option<(Entry, Vec<u8>)> {
        for key in self.keys.all() {
            let Some(bytes) = store.get(Tier::Intermediate, key) else { continue };
            let Some(entry) = Entry::decode(&bytes).and_then(|entry| self.if_true(entry, made)) else { continue };
            statistics().disk.hits.add();
            made.how = How::Disk;
            self.keep_in_memory(&bytes);
            return Some((entry, bytes));
        }
        None
    }

    /// The entry if everything that it was made from is as it was.
    fn if_true(&self, mut entry: Entry, made: &mut Made) -> Option<Entry> {
        let mut renewed = entry.directory != self.directory();
        if renewed {
            relocate(&mut entry.built.dependencies, &entry.directory, self.directory());
            self.directory().clone_into(&mut entry.directory);
        }
        let changed = first_changed(&mut entry.built.dependencies, &mut renewed).or_else(|| {
            let digest = entry.built.preamble?;
            local().preambles.first_changed(digest, self.store)
        });
        made.renewed += usize::from(renewed);
        match changed {
            None => Some(entry),
            Some(path) => {
                let path = Path::new(OsStr::from_bytes(&path)).display().to_string();
                log::debug!("{path} is not what {} was made from", entry.names.join(", "));
                made.why = format!("file:{path}");
                None
            }
        }
    }

    fn keep(&self, entry: &Entry, bytes: &[u8]) {
        if let Some(digest) = entry.built.preamble {
            local().preambles.note(digest);
        }
        self.keep_in_memory(bytes);
        if let Some(store) = self.store
            && let Some(key) = self.key_on_disk(&entry.built, store)
        {
            statistics().disk.stores.add_many(store.put(Tier::Intermediate, key, bytes).into());
        }
    }

    fn keep_in_memory(&self, bytes: &[u8]) {
        if let Some(memory) = self.caches.memory() {
            statistics().memory.stores.add();
            statistics().memory.evictions.add_many(memory.put(&self.keys.here, bytes.into()));
        }
    }

    /// A compile that read nothing in the current directory gives the same in any other where it would find as little. None
    /// if nobody knows what it read.
    fn key_on_disk(&self, built: &Built, store: &Store) -> Option<&Key> {
        let Request::Compile(_) = self.request else { return Some(self.keys.first()) };
        let within = |dependency: &Dependency| inside(&dependency.path, self.directory()).is_some();
        let read = |dependency: &Dependency| matches!(dependency.state, FileState::File { .. } | FileState::Present);
        let mut here = built.dependencies.iter().any(|dependency| within(dependency) && read(dependency));
        if let Some(digest) = built.preamble {
            here |= local().preambles.store(digest, store, within)?;
        }
        Some(self.keys.anywhere.as_ref().filter(|_| !here).unwrap_or(&self.keys.here))
    }

    fn directory(&self) -> &str {
        match self.request {
            Request::Compile(compile) => &compile.working_directory,
            _ => "",
        }
    }

    /// Tells a trace which part of the key was new.
    fn note_miss(&self, made: &mut Made) {
        made.how = How::Miss;
        if !trace::is_on() {
            return;
        }
        let mut history = local().history.lock();
        if made.why.is_empty() {
            let here = history.iter().rev().map(|known| self.keys.here.difference(&known.here)).min_by_key(Vec::len);
            // An entry on disk has one of the two keys.
            let there = |key: &Key| match self.store?.why_missing(Tier::Intermediate, key) {
                Miss::Differs(parts) => Some(parts),
                Miss::New => None,
            };
            let parts = here.into_iter().chain(self.keys.all().filter_map(there)).min_by_key(Vec::len);
            made.why = match parts {
                None => "new".to_owned(),
                Some(parts) if parts.is_empty() => "gone".to_owned(),
                Some(parts) => parts.join(","),
            };
        }
        if history.len() == HISTORY {
            history.pop_front();
        }
        history.push_back(self.keys.clone());
    }
}
