// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! `syclrtc-compiler`: the compiler program of syclrtc.
//!
//! It is started by `libsyclrtc`, loads clang, parses the SYCL headers once and then waits for compiles on standard
//! input (see `syclrtc_protocol`). For each it forks; the child goes on at the first line of the user's text, emits the
//! image, answers and ends. Nothing a compile does can reach the next one.
//!
//! Where to start reading: [`server`] is the waiting process and the life of a child, [`job`] is what a child does,
//! `shim/` is clang, [`ir`] is everything between clang and the code generator.

mod frontend;
mod ir;
mod job;
mod preamble_files;
mod server;

use std::process::ExitCode;

fn main() -> ExitCode {
    if std::env::args_os().nth(1).is_some_and(|argument| argument == "--version") {
        return print_version();
    }
    match server::Server::new() {
        Ok(server) => server.run(),
        // Nobody is at the other end, or it is not a socket: there is no one to tell.
        Err(_) => ExitCode::from(2),
    }
}

#[expect(clippy::print_stdout, reason = "asked for on the command line, where no client listens")]
fn print_version() -> ExitCode {
    println!("syclrtc-compiler {} (clang {})", env!("CARGO_PKG_VERSION"), frontend::clang_version());
    ExitCode::SUCCESS
}
