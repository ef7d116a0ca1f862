// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#![forbid(unsafe_code)]
//! Sink for the records of crate `log`, chosen by `SYCLRTC_LOG`.
//!
//! Unset: silent. `LEVEL` writes to standard error, `LEVEL:FILE` appends to a file. Only the C ABI installs the sink, and
//! only if the variable is set and no other logger is: a Rust program keeps its own.

use std::{
    fs::{File, OpenOptions},
    io::{self, Write},
    path::Path,
    process,
    str::FromStr,
    sync::Once,
    time::Instant,
};

use log::{LevelFilter, Log, Metadata, Record};
use parking_lot::Mutex;

use crate::env;

/// Installs the sink that the environment asks for, once.
pub fn init() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let Some(value) = env::LOG.value() else { return };
        let (level, sink) = parse(&value.to_string_lossy());
        let (output, note) = match sink.map(|path| open(Path::new(&path)).map_err(|e| format!("{path}: {e}"))) {
            None => (Output::Stderr, None),
            Some(Ok(file)) => (Output::File(file), None),
            Some(Err(note)) => (Output::Stderr, Some(note)),
        };
        let logger = Sink { start: Instant::now(), output: Mutex::new(output) };
        if log::set_logger(Box::leak(Box::new(logger))).is_err() {
            return;
        }
        log::set_max_level(level.unwrap_or(LevelFilter::Info));
        if level.is_none() {
            log::warn!("SYCLRTC_LOG: the level is none of off, error, warn, info, debug, trace; info is used");
        }
        if let Some(note) = note {
            log::warn!("SYCLRTC_LOG: {note}; standard error is used");
        }
    });
}

/// Level, if it is one, and path of the file, if one is named.
fn parse(value: &str) -> (Option<LevelFilter>, Option<String>) {
    let (level, path) = match value.split_once(':') {
        Some((level, path)) => (level, Some(path)),
        None => (value, None),
    };
    (LevelFilter::from_str(level.trim()).ok(), path.filter(|path| !path.is_empty()).map(str::to_owned))
}

fn open(path: &Path) -> io::Result<File> {
    OpenOptions::new().append(true).create(true).open(path)
}

enum Output {
    Stderr,
    File(File),
}

struct Sink {
    start: Instant,
    output: Mutex<Output>,
}

impl Log for Sink {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        // Dependencies log too, and their records would say nothing to the reader.
        metadata.target().starts_with("syclrtc")
    }

    fn log(&self, record: &Record<'_>) {
        if !self.enabled(record.metadata()) {
            return;
        }
        // One write for each record, so that lines of several processes do not mix.
        let line = format!(
            "syclrtc[{}] {:>9.3} ms {} {}\n",
            process::id(),
            self.start.elapsed().as_secs_f64() * 1e3,
            record.level(),
            record.args()
        );
        // A log that cannot be written must not disturb the program.
        drop(match &mut *self.output.lock() {
            Output::Stderr => io::stderr().write_all(line.as_bytes()),
            Output::File(file) => file.write_all(line.as_bytes()),
        });
    }

    fn flush(&self) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn level_and_file_are_told_apart() {
        assert_eq!(parse("debug"), (Some(LevelFilter::Debug), None));
        assert_eq!(parse("TRACE:/tmp/a:b"), (Some(LevelFilter::Trace), Some("/tmp/a:b".into())));
        assert_eq!(parse("info:"), (Some(LevelFilter::Info), None));
        assert_eq!(parse("loud"), (None, None));
        assert_eq!(parse("1"), (None, None));
    }
}
