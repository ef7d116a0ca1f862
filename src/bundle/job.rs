// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#![forbid(unsafe_code)]
//! How far a build is, and whether it is still wanted.

use std::sync::atomic::{AtomicU32, Ordering};

use crate::{
    error::{Error, Result},
    os::cancel::Cancel,
};

/// What a build is doing. The numbers cross the C border and are never reused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u32)]
pub enum BuildStage {
    /// Other builds have to make room first.
    Queued = 1,
    /// It looks whether the result is known.
    LookingUp = 2,
    /// An equal request is under way, in this process or another.
    Waiting = 3,
    /// The compiler program works.
    Compiling = 4,
    /// The driver works.
    Loading = 5,
    /// There is a result.
    Done = 6,
}

impl BuildStage {
    const ALL: [Self; 6] = [Self::Queued, Self::LookingUp, Self::Waiting, Self::Compiling, Self::Loading, Self::Done];
}

/// One build, as those see it who wait for it.
#[derive(Debug)]
pub(super) struct Job {
    pub(super) cancel: Cancel,
    stage: AtomicU32,
}

impl Default for Job {
    fn default() -> Self {
        Self { cancel: Cancel::default(), stage: AtomicU32::new(BuildStage::Queued as u32) }
    }
}

impl Job {
    /// Says what comes next, unless nobody wants it.
    pub(super) fn enter(&self, stage: BuildStage) -> Result<()> {
        if self.cancel.is_cancelled() {
            return Err(cancelled());
        }
        self.note(stage);
        Ok(())
    }

    pub(super) fn note(&self, stage: BuildStage) {
        self.stage.store(stage as u32, Ordering::Relaxed);
    }

    pub(super) fn stage(&self) -> BuildStage {
        let number = self.stage.load(Ordering::Relaxed);
        BuildStage::ALL.into_iter().find(|stage| *stage as u32 == number).unwrap_or(BuildStage::Queued)
    }
}

/// The error of a build that was cancelled.
pub(super) fn cancelled() -> Error {
    Error::runtime("the build was cancelled before it had a result")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Errc;

    #[test]
    fn a_job_goes_through_its_stages_until_it_is_cancelled() {
        let job = Job::default();
        assert_eq!(job.stage(), BuildStage::Queued);
        for (number, stage) in (1..).zip(BuildStage::ALL) {
            assert_eq!(stage as u32, number);
            job.enter(stage).unwrap();
            assert_eq!(job.stage(), stage);
        }
        job.enter(BuildStage::Compiling).unwrap();
        job.cancel.cancel();
        let error = job.enter(BuildStage::Loading).unwrap_err();
        assert_eq!((error.code, job.stage()), (Errc::Runtime, BuildStage::Compiling));
        assert!(error.message.contains("cancelled"));
    }
}
