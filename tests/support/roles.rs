// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! A test that needs other processes starts its program again with its own name and a role.

#![allow(dead_code, reason = "each test program uses a part")]

use std::{
    env,
    path::{Path, PathBuf},
    process::{Child, Command, Output, Stdio},
};

/// Role of a process that a test started.
pub const ROLE: &str = "SYCLRTC_TEST_ROLE";
/// Folder that the processes of a test share.
pub const SHARED: &str = "SYCLRTC_TEST_FOLDER";

/// This test in another process.
pub fn again(test: &str, role: &str, shared: &Path) -> Command {
    let mut command = Command::new(env::current_exe().unwrap());
    command.args(["--exact", test, "--nocapture", "--test-threads=1"]).env(ROLE, role).env(SHARED, shared);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Role and folder, in a process that a test started.
pub fn role() -> Option<(String, PathBuf)> {
    Some((env::var(ROLE).ok()?, PathBuf::from(env::var_os(SHARED)?)))
}

/// Waits for a process that has to pass the test.
pub fn finish(child: Child) -> Output {
    let output = child.wait_with_output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(output.status.success(), "{}\n{}\n{}", output.status, text(&output.stdout), text(&output.stderr));
    assert!(text(&output.stdout).contains("1 passed"), "{}", text(&output.stdout));
    output
}

/// What such a process said on standard error.
pub fn stderr_of(command: &mut Command) -> String {
    String::from_utf8(finish(command.spawn().unwrap()).stderr).unwrap()
}

/// Runs the test in so many processes at once, in the roles "0", "1", ….
pub fn together(test: &str, count: usize, shared: &Path) {
    let children: Vec<Child> =
        (0..count).map(|index| again(test, &index.to_string(), shared).spawn().unwrap()).collect();
    children.into_iter().for_each(|child| drop(finish(child)));
}
