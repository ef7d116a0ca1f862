// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! `syclrtc-compiler`: the compiler program of syclrtc.
//!
//! It is started by `libsyclrtc`, loads clang and the SYCL headers, precompiled or parsed, and then waits for compiles on
//! standard input (see `syclrtc_protocol`). For each it forks; the child goes on at the first line of the user's text, emits the
//! image, answers and ends. Nothing a compile does can reach the next one.
//!
//! Where to start reading: [`server`] is the waiting process and the life of a child, [`job`] is what a child does,
//! [`preambles`] are the precompiled headers, `shim/` is clang, [`ir`] is everything between clang and the code generator.

mod ahead;
mod arguments;
mod background;
mod checkpoints;
mod children;
mod frontend;
mod ir;
mod job;
mod memory;
mod packets;
mod preamble_files;
mod preambles;
mod server;
mod spare;

use std::{path::Path, process::ExitCode};

use arguments::Arguments;
use preambles::Preambles;

/// The command line makes no sense, or nobody is at the other end of standard input: there is no one to tell.
const EXIT_USAGE: u8 = 2;

fn main() -> ExitCode {
    match Arguments::of(std::env::args_os().skip(1)) {
        Some(Arguments::Version) => print_version(),
        Some(Arguments::Precompile(folder)) => precompile(&folder),
        Some(Arguments::Serve { preambles }) => {
            memory::tune_allocator();
            server::Server::new(preambles).map_or(ExitCode::from(EXIT_USAGE), server::Server::run)
        }
        None => ExitCode::from(EXIT_USAGE),
    }
}

#[expect(clippy::print_stdout, reason = "asked for on the command line, where no client listens")]
fn print_version() -> ExitCode {
    println!("syclrtc-compiler {} (clang {})", env!("CARGO_PKG_VERSION"), frontend::clang_version());
    ExitCode::SUCCESS
}

/// Writes the precompiled preamble that belongs beside the program, and prints its path.
#[expect(clippy::print_stdout, clippy::print_stderr, reason = "asked for on the command line, where no client listens")]
fn precompile(folder: &Path) -> ExitCode {
    let written = std::path::absolute(folder).and_then(|folder| {
        // As the waiting process, which looks for headers from there.
        std::env::set_current_dir("/")?;
        Preambles::new(None)?.install(&folder, frontend::precompile().as_ref())
    });
    match written {
        Ok(path) => {
            println!("{}", path.display());
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("syclrtc-compiler: no precompiled preamble in {}: {error}", folder.display());
            ExitCode::FAILURE
        }
    }
}
