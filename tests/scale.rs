// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Many threads on one compiler program. `benches/compile_speed` has the large numbers.

mod common;

use std::{
    sync::atomic::{AtomicUsize, Ordering},
    thread,
};

use common::{Setup, refused, setups, single_task};
use syclrtc::error::Errc;

const THREADS: usize = 24;
/// Builds of each thread; every other one has an error.
const BUILDS: usize = 4;

/// A name that no other build has, and that is no part of another build's.
fn mark(number: usize) -> String {
    format!("only_in_{number}_")
}

/// Checks that a text speaks of this build and of no other.
#[track_caller]
fn assert_own(text: &str, number: usize) {
    let mark = mark(number);
    assert!(text.contains(&mark), "{mark} is not in: {text}");
    let all = text.matches("only_in_").count();
    assert_eq!(all, text.matches(&mark).count(), "another build's words beside {mark}: {text}");
}

/// A kernel with a warning, whose name, result and log are its own.
fn good(setup: &Setup, number: usize) {
    let mark = mark(number);
    let text = format!("extern \"C\" TASK void {mark}k(int *p) {{ int {mark}unused = 2; *p = {number}; }}\n");
    let bundle = setup.try_build(&text, &["-Wall"], &[]).unwrap_or_else(|error| panic!("{error}"));
    assert_own(bundle.log(), number);
    let [diagnostic] = bundle.diagnostics() else { panic!("{:?}", bundle.diagnostics()) };
    assert_own(&diagnostic.text, number);
    let kernel = bundle.kernel(&format!("{mark}k")).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(usize::try_from(setup.run(&kernel)), Ok(number));
}

/// The same with an error, which its log alone names.
fn bad(setup: &Setup, number: usize) {
    let mark = mark(number);
    let text = format!("extern \"C\" TASK void k(int *p) {{ *p = {mark}undeclared; }}\n");
    let error = refused(setup.try_build(&text, &[], &[]), Errc::Build, &[&mark]);
    assert_own(error.log.as_deref().unwrap_or_default(), number);
    let [diagnostic] = &error.diagnostics[..] else { panic!("{:?}", error.diagnostics) };
    assert_own(&diagnostic.text, number);
}

/// Counts a thread as ended, also if it panics.
struct Ends<'a>(&'a AtomicUsize);

impl Drop for Ends<'_> {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

/// Launches one kernel again and again until all builders have ended.
fn launch_meanwhile(setup: &Setup, ended: &AtomicUsize) {
    let bundle = setup.build("extern \"C\" TASK void step(int *p) { *p = (*p * 3 + 7) % 1000; }\n");
    let step = bundle.kernel("step").unwrap_or_else(|error| panic!("{error}"));
    let memory = setup.shared(1);
    let mut wanted = 0;
    while ended.load(Ordering::Relaxed) < THREADS {
        setup.launch(&step, &single_task(), memory).unwrap_or_else(|error| panic!("{error}"));
        wanted = (wanted * 3 + 7) % 1000;
        assert_eq!(memory[0], wanted);
        thread::yield_now();
    }
}

// D-16, T1, T2
#[test]
fn threads_get_their_own_results_and_logs() {
    let setups = setups();
    if setups.is_empty() {
        return;
    }
    let ended = AtomicUsize::new(0);
    thread::scope(|scope| {
        for setup in &setups {
            scope.spawn(|| launch_meanwhile(setup, &ended));
        }
        for thread in 0..THREADS {
            let (setup, ended) = (&setups[thread % setups.len()], &ended);
            scope.spawn(move || {
                let _ends = Ends(ended);
                for build in 0..BUILDS {
                    let number = thread * BUILDS + build;
                    if build % 2 == 0 { good(setup, number) } else { bad(setup, number) }
                }
            });
        }
    });
}
