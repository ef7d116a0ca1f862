// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#![forbid(unsafe_code)]
//! What `SYCLRTC_TRACE` tells: a line for each compile, build, link and load. docs/caching.md has the form.

use std::{
    fmt::Write as _,
    fs::{File, OpenOptions},
    io::{self, Write as _},
    sync::OnceLock,
    time::Duration,
};

use super::native::Origin;
use crate::{env, error::Error, image::DeviceImage, runtime::Device};

/// How an answer of the compiler program came.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum How {
    /// The compiler program was asked, and the answer may not be kept or nothing is.
    #[default]
    Uncached,
    /// The compiler program was asked, since there was no answer yet.
    Miss,
    /// It was in memory.
    Memory,
    /// It was on disk.
    Disk,
    /// Somebody asked the same at the same time.
    Shared,
}

impl How {
    fn name(self) -> &'static str {
        match self {
            Self::Uncached => "off",
            Self::Miss => "miss",
            Self::Memory => "memory",
            Self::Disk => "disk",
            Self::Shared => "shared",
        }
    }
}

/// One answer of the compiler program.
#[derive(Debug, Clone, Default)]
pub(super) struct Made {
    pub(super) how: How,
    /// Of a miss.
    pub(super) why: String,
    /// In microseconds.
    pub(super) stages: Vec<(String, u64)>,
    /// How many entries were found with older stamps of files that are the same.
    pub(super) renewed: usize,
}

/// What is told of a compile, build or link.
pub(super) struct Event<'a> {
    /// `compile`, `build` or `link`
    pub(super) what: &'a str,
    /// Of the main file; of a link those of all.
    pub(super) name: &'a str,
    /// One for each kind of device.
    pub(super) made: &'a [Made],
    /// Number of kernels, or what went wrong.
    pub(super) outcome: std::result::Result<usize, &'a Error>,
    pub(super) compiler: Duration,
    pub(super) driver: Duration,
    pub(super) total: Duration,
}

/// What is told of code that a driver has loaded.
struct Load<'a> {
    name: &'a str,
    device: &'a str,
    origin: Origin,
    /// Of the image, in whatever form the driver got it.
    bytes: usize,
    time: Duration,
}

impl Event<'_> {
    fn line(&self) -> String {
        let mut line = format!("[syclrtc] {} {}", self.what, word(self.name));
        // Writing to a text does not fail.
        let _ = match self.outcome {
            Ok(kernels) => write!(line, " result=ok kernels={kernels}"),
            Err(error) => write!(line, " result={}", error.code.name()),
        };
        let joined = |text: &dyn Fn(&Made) -> String| self.made.iter().map(text).collect::<Vec<_>>().join(";");
        let _ = write!(line, " cache={}", joined(&|made| made.how.name().to_owned()));
        if self.made.iter().any(|made| made.how == How::Miss) {
            let _ = write!(line, " why={}", joined(&|made| word(&made.why)));
        }
        let us = |time: Duration| time.as_micros();
        let (compiler, driver, total) = (us(self.compiler), us(self.driver), us(self.total));
        let _ = write!(line, " compiler_us={compiler} driver_us={driver} total_us={total}");
        if self.made.iter().any(|made| !made.stages.is_empty()) {
            let stages = |made: &Made| {
                let stages = made.stages.iter().map(|(stage, time)| format!("{}:{time}", word(stage)));
                stages.collect::<Vec<_>>().join(",")
            };
            let _ = write!(line, " stages={}", joined(&stages));
        }
        line
    }
}

impl Load<'_> {
    fn line(&self) -> String {
        let from = match self.origin {
            Origin::Compiled => "intermediate",
            Origin::Binary => "native",
            Origin::Shared => "loaded",
        };
        let (name, device) = (word(self.name), self.device.replace('"', "'"));
        format!(
            "[syclrtc] load {name} from={from} bytes={} driver_us={} device=\"{device}\"",
            self.bytes,
            self.time.as_micros()
        )
    }
}

/// Without blanks, so that lines can be split at them.
fn word(text: &str) -> String {
    if text.is_empty() { "-".to_owned() } else { text.replace(", ", "+").replace(char::is_whitespace, "_") }
}

pub(super) fn event(event: &Event<'_>) {
    say(|| event.line());
}

/// Tells of an image that a device can run now.
pub(super) fn load(name: &str, device: &Device, image: &DeviceImage, origin: Origin, time: Duration) {
    say(|| Load { name, device: &device.name(), origin, bytes: image.bytes.len(), time }.line());
}

/// Whether somebody reads it.
pub(super) fn is_on() -> bool {
    output().is_some()
}

enum Output {
    Stderr,
    File(File),
}

fn output() -> Option<&'static Output> {
    static OUTPUT: OnceLock<Option<Output>> = OnceLock::new();
    let open = || {
        let value = env::TRACE.value()?;
        if value == "stderr" {
            return Some(Output::Stderr);
        }
        match OpenOptions::new().append(true).create(true).open(&value) {
            Ok(file) => Some(Output::File(file)),
            Err(error) => {
                log::warn!("{}: {}: {error}; nothing is traced", env::TRACE.name(), value.display());
                None
            }
        }
    };
    OUTPUT.get_or_init(open).as_ref()
}

/// One write for each line, so that lines of several processes do not mix.
fn say(line: impl FnOnce() -> String) {
    let Some(output) = output() else { return };
    let line = line() + "\n";
    // A line that is lost must not disturb the program.
    drop(match output {
        Output::Stderr => io::stderr().write_all(line.as_bytes()),
        Output::File(file) => (&*file).write_all(line.as_bytes()),
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_have_the_documented_form() {
        let made = |how, why: &str, stages: &[(&str, u64)]| Made {
            how,
            why: why.into(),
            stages: stages.iter().map(|(stage, time)| ((*stage).to_owned(), *time)).collect(),
            renewed: 0,
        };
        let error = Error::build("no", "no");
        let event = |what, name, made, outcome| Event {
            what,
            name,
            made,
            outcome,
            compiler: Duration::from_micros(20),
            driver: Duration::from_micros(5),
            total: Duration::from_micros(26),
        };
        let miss = [made(How::Miss, "options,target", &[("parse", 12), ("optimize", 7)])];
        assert_eq!(
            event("build", "rtc_0.cpp", &miss, Ok(2)).line(),
            "[syclrtc] build rtc_0.cpp result=ok kernels=2 cache=miss why=options,target compiler_us=20 driver_us=5 \
             total_us=26 stages=parse:12,optimize:7"
        );
        let two = [made(How::Memory, "", &[]), made(How::Miss, "file:/a b", &[])];
        assert_eq!(
            event("link", "rtc_0.cpp, rtc_1.cpp", &two, Err(&error)).line(),
            "[syclrtc] link rtc_0.cpp+rtc_1.cpp result=build cache=memory;miss why=-;file:/a_b compiler_us=20 driver_us=5 \
             total_us=26"
        );
        for (origin, from) in
            [(Origin::Binary, "native"), (Origin::Compiled, "intermediate"), (Origin::Shared, "loaded")]
        {
            let time = Duration::from_micros(3);
            let load = Load { name: "rtc_0.cpp", device: "a \"b\"", origin, bytes: 9, time };
            let expected = format!("[syclrtc] load rtc_0.cpp from={from} bytes=9 driver_us=3 device=\"a 'b'\"");
            assert_eq!(load.line(), expected);
        }
    }
}
