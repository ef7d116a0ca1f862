// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Results that are kept: what hits, what does not, and who waits for whom. With the real compiler program; the tests of the
//! store on disk are in other files.
//!
//! Statistics and settings are the process's, so the tests of this file run one after the other. Those that need an
//! environment of their own run in a process of their own.

mod common;

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::{Command, Output},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    thread,
    time::{Duration, Instant},
};

use common::{HEAD, Setup, refused, setups, with};
use syclrtc::{
    bundle::{BuildStage, BuildStatus, CacheStatistics, KernelBundle, Place, cache},
    error::Errc,
};

/// The others wait.
fn alone() -> MutexGuard<'static, ()> {
    static ONE: Mutex<()> = Mutex::new(());
    ONE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn statistics() -> CacheStatistics {
    cache().unwrap().statistics()
}

/// What was counted while something was done.
fn counted<T>(what: impl FnOnce() -> T) -> (CacheStatistics, T) {
    let before = statistics();
    let result = what();
    let mut after = statistics();
    after.memory.hits -= before.memory.hits;
    after.memory.misses -= before.memory.misses;
    after.memory.stores -= before.memory.stores;
    after.memory.evictions -= before.memory.evictions;
    after.shared -= before.shared;
    after.compiles -= before.compiles;
    (after, result)
}

/// How many compiles something needs.
fn compiles<T>(what: impl FnOnce() -> T) -> u64 {
    counted(what).0.compiles
}

fn kernel(value: u32) -> String {
    format!("extern \"C\" TASK void k(int *p) {{ *p = {value}; }}\n")
}

/// A compile that takes seconds, however fast the machine is: it counts, and gives up with an error or ends well.
fn slow(tag: u32, steps: u64) -> String {
    format!(
        "constexpr unsigned long long count() {{ unsigned long long n = 0; for (unsigned long long i = 0; i < {steps}; ++i) n += i % 7; return n; }}\n\
         constexpr unsigned long long counted = count();\n\
         extern \"C\" TASK void k(int *p) {{ *p = {tag} + int(counted % 1); }}\n"
    )
}

const SLOW: &[&str] = &["-fconstexpr-steps=2147483647"];
/// Steps of [`slow`] that take about half a second; a test that cancels it need not wait for the end.
const STEPS: u64 = 50_000;

/// A folder of one test, removed in the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let folder = env::temp_dir().join(format!("syclrtc-cache-{name}-{}", std::process::id()));
        drop(fs::remove_dir_all(&folder));
        fs::create_dir_all(&folder).unwrap();
        Self(folder)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    fn include(&self) -> String {
        format!("-I{}", self.0.display())
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        drop(fs::remove_dir_all(&self.0));
    }
}

// K1, K2, K9 of kernel-compiler.md
#[test]
fn an_equal_request_of_another_bundle_is_answered_from_memory() {
    let _alone = alone();
    for setup in setups() {
        let text = "extern \"C\" TASK void k(int *p) { int unused_here; *p = 71; }\n";
        let (first, one) = counted(|| setup.try_build(text, &["-Wall"], &["k"]).unwrap());
        assert_eq!((first.compiles, first.memory.misses, first.memory.stores, first.memory.hits), (1, 1, 1, 0));
        let (second, two) = counted(|| setup.try_build(text, &["-Wall"], &["k"]).unwrap());
        assert_eq!((second.compiles, second.memory.misses, second.memory.hits), (0, 0, 1));

        // Two bundles, not one.
        assert!(!Arc::ptr_eq(&one, &two) && one.image_ids() != two.image_ids() && !one.is_equal(&two));
        let kernels = [one.kernel("k").unwrap(), two.kernel("k").unwrap()];
        drop(one);
        assert!(!Arc::ptr_eq(&kernels[0], &kernels[1]));
        assert!(kernels.iter().all(|kernel| setup.run(kernel) == 71));

        // All that the first one had to say, under its own name.
        let [diagnostic] = two.diagnostics() else { panic!("{:?}", two.diagnostics()) };
        let name = &diagnostic.location.file;
        assert!(diagnostic.text.contains("unused_here") && name.starts_with("rtc_"), "{diagnostic:?}");
        assert!(two.log().contains(&format!("{name}:{}:", diagnostic.location.line)), "{}", two.log());
        let third = setup.try_build(text, &["-Wall"], &["k"]).unwrap();
        assert_ne!(&third.diagnostics()[0].location.file, name);
        assert!(third.log().contains(&third.diagnostics()[0].location.file) && !third.log().contains(name.as_str()));
    }
}

// K1, D-03: what differs is another result, with a warm cache and back to back.
#[test]
fn near_requests_have_results_of_their_own() {
    let _alone = alone();
    for setup in setups() {
        let text = "#include \"h.hpp\"\nextern \"C\" TASK void k(int *p) { *p = VALUE + 10 * OTHER; }\n";
        let source = |value: &str| setup.source_with(text, &[("h.hpp", &format!("#define VALUE {value}\n"))]);
        let run = |value: &str, options: &[&str]| {
            let bundle = source(value).build(setup.devices(), &with(options, &[])).unwrap();
            setup.result(&bundle, "k")
        };
        let expected =
            [("1", "-DOTHER=1", 11), ("2", "-DOTHER=1", 12), ("1", "-DOTHER=2", 21), ("OTHER", "-DOTHER=3", 33)];
        let round = || expected.iter().for_each(|(value, option, result)| assert_eq!(run(value, &[option]), *result));
        assert_eq!(compiles(round), 4);
        assert_eq!(compiles(round), 0);
        // The debug call tells them apart, too.
        let key = |value: &str, options: &[&str]| {
            source(value).cache_keys(setup.devices(), &with(options, &[])).unwrap().remove(0)
        };
        assert_eq!(key("1", &["-DOTHER=1"]), key("1", &["-DOTHER=1", ""]));
        let keys: Vec<String> = expected.iter().map(|(value, option, _)| key(value, &[option])).collect();
        for (index, one) in keys.iter().enumerate() {
            assert!(one.len() == 64 && !keys[..index].contains(one), "{keys:?}");
        }
    }
}

// Compiles and links have results, too.
#[test]
fn compiles_and_links_are_kept() {
    let _alone = alone();
    for setup in setups() {
        let text = "SYCL_EXTERNAL int f();\nextern \"C\" TASK void k(int *p) { *p = f(); }\n";
        let other = "SYCL_EXTERNAL int f() { return 72; }\n";
        let round = || {
            let linked = setup.link(&[&setup.compile(text), &setup.compile(other)]);
            assert_eq!(setup.result(&linked, "k"), 72);
        };
        assert_eq!(compiles(round), 3);
        assert_eq!(compiles(round), 0);
        // An object is no image of the same source.
        assert_eq!(compiles(|| setup.try_build(other, &[], &[]).unwrap()), 1);
    }
}

/// Writes a file and gives it the times of before.
fn edit_unseen(path: &Path, text: &str) {
    let before = fs::metadata(path).unwrap();
    assert_eq!(before.len(), text.len() as u64);
    fs::write(path, text).unwrap();
    let file = fs::File::options().write(true).open(path).unwrap();
    file.set_times(fs::FileTimes::new().set_modified(before.modified().unwrap())).unwrap();
    assert_eq!(fs::metadata(path).unwrap().modified().unwrap(), before.modified().unwrap());
}

// D-01
#[test]
fn a_header_that_was_edited_is_noticed_whatever_its_size_and_time() {
    let _alone = alone();
    for setup in setups() {
        for (name, edited) in [("direct", "h.hpp"), ("two levels down", "deep.hpp")] {
            let folder = Folder::new("edited");
            fs::write(folder.path("h.hpp"), "#include \"deep.hpp\"\n#define A 1\n").unwrap();
            fs::write(folder.path("deep.hpp"), "#define B 1\n").unwrap();
            let text = "#include \"h.hpp\"\nextern \"C\" TASK void k(int *p) { *p = A + B; }\n";
            let run = || setup.result(&setup.try_build(text, &[&folder.include()], &[]).unwrap(), "k");
            assert_eq!((run(), compiles(|| assert_eq!(run(), 2))), (2, 0), "{name}");
            let changed = fs::read_to_string(folder.path(edited)).unwrap().replace(" 1\n", " 2\n");
            edit_unseen(&folder.path(edited), &changed);
            assert_eq!(compiles(|| assert_eq!(run(), 3)), 1, "{name}");
            // And is a hit again.
            assert_eq!(compiles(|| assert_eq!(run(), 3)), 0, "{name}");
        }
    }
}

// D-01: a place where a header was missing counts as much.
#[test]
fn a_header_that_appears_before_another_one_is_noticed() {
    let _alone = alone();
    for setup in setups() {
        let folder = Folder::new("appears");
        fs::create_dir(folder.path("first")).unwrap();
        fs::create_dir(folder.path("second")).unwrap();
        fs::write(folder.path("second/h.hpp"), "#define A 1\n").unwrap();
        let options: Vec<String> =
            ["first", "second"].iter().map(|name| format!("-I{}", folder.path(name).display())).collect();
        let options: Vec<&str> = options.iter().map(String::as_str).collect();
        let text = "#include \"h.hpp\"\n#if __has_include(\"other.hpp\")\n#define B 10\n#else\n#define B 0\n#endif\n\
                    extern \"C\" TASK void k(int *p) { *p = A + B; }\n";
        let run = || setup.result(&setup.try_build(text, &options, &[]).unwrap(), "k");
        assert_eq!((run(), compiles(|| assert_eq!(run(), 1))), (1, 0));
        fs::write(folder.path("first/h.hpp"), "#define A 2\n").unwrap();
        assert_eq!(compiles(|| assert_eq!(run(), 2)), 1);
        fs::write(folder.path("second/other.hpp"), "").unwrap();
        assert_eq!(compiles(|| assert_eq!(run(), 12)), 1);
        fs::remove_file(folder.path("first/h.hpp")).unwrap();
        assert_eq!(compiles(|| assert_eq!(run(), 11)), 1);
        assert_eq!(compiles(|| assert_eq!(run(), 11)), 0);
    }
}

// D-04
#[test]
fn names_are_the_compilers_business_from_a_hit_as_from_a_compile() {
    let _alone = alone();
    for setup in setups() {
        let text = "template <class A, class B> TASK void t(int *p) { *p = sizeof(A) + sizeof(B); }\n";
        let names = ["t<float,unsigned>", "t<float, unsigned int>", "::t< float , unsigned >"];
        let build = || setup.try_build(text, &[], &names).unwrap();
        let (fresh, hit) = (build(), build());
        for bundle in [&fresh, &hit] {
            let raw = bundle.raw_kernel_name(names[0]).unwrap();
            for name in names {
                assert!(bundle.has_kernel(name), "{name}");
                assert_eq!(bundle.raw_kernel_name(name).unwrap(), raw);
                assert_eq!(setup.result(bundle, name), 8);
            }
        }
        assert_eq!(compiles(build), 0);
        for _ in 0..2 {
            let error = setup.try_build(text, &[], &["t<float,no_such>"]);
            refused(error, Errc::Build, &["t<float,no_such>"]);
        }
    }
}

#[test]
fn failures_are_not_kept() {
    let _alone = alone();
    for setup in setups() {
        let folder = Folder::new("failure");
        fs::write(folder.path("h.hpp"), "#error not yet\n").unwrap();
        let text = format!("#include \"h.hpp\"\n{}", kernel(73));
        let build = || setup.try_build(&text, &[&folder.include()], &[]);
        for _ in 0..2 {
            assert_eq!(compiles(|| refused(build(), Errc::Build, &["not yet"])), 1);
        }
        fs::write(folder.path("h.hpp"), "").unwrap();
        assert_eq!(setup.result(&build().unwrap(), "k"), 73);
    }
}

// 10.3: a trace of a compile is one of a compile that was done.
#[test]
fn a_time_trace_is_never_from_a_cache() {
    let _alone = alone();
    for setup in setups() {
        let folder = Folder::new("trace");
        let option = format!("-ftime-trace={}", folder.path("t.json").display());
        for _ in 0..2 {
            assert_eq!(compiles(|| setup.try_build(&kernel(74), &[&option], &[]).unwrap()), 1);
            fs::remove_file(folder.path("t.json")).unwrap();
        }
        let clock = "extern \"C\" TASK void k(int *p) { *p = __TIME__[0] != 0; }\n";
        assert_eq!(compiles(|| (setup.build(clock), setup.build(clock))), 2);
    }
}

// D-17
#[test]
fn eight_threads_that_build_one_text_compile_once_and_share_errors() {
    let _alone = alone();
    for setup in setups() {
        for (text, good) in [(slow(75, STEPS), true), (slow(75, STEPS) + "no_such_type x;\n", false)] {
            let (counts, results) = counted(|| {
                thread::scope(|scope| {
                    let threads: Vec<_> = (0..8).map(|_| scope.spawn(|| setup.try_build(&text, SLOW, &[]))).collect();
                    threads.into_iter().map(|thread| thread.join().unwrap()).collect::<Vec<_>>()
                })
            });
            assert_eq!(counts.compiles, 1, "{counts:?}");
            assert_eq!(counts.shared + counts.memory.hits, 7, "{counts:?}");
            let mut names: Vec<String> = Vec::new();
            for result in results {
                match result {
                    Ok(bundle) if good => assert_eq!(setup.result(&bundle, "k"), 75),
                    Err(error) if !good => {
                        assert!(error.message.contains("no_such_type"), "{error}");
                        names.push(error.diagnostics[0].location.file.clone());
                    }
                    other => panic!("{other:?}"),
                }
            }
            // Each error names its own main file.
            names.sort();
            names.dedup();
            assert!(good || names.len() == 8, "{names:?}");
        }
    }
}

// D-17
#[test]
fn nobody_waits_for_a_compile_of_another_text() {
    let _alone = alone();
    for setup in setups() {
        let known = setup.build(&kernel(76));
        let kernel_object = known.kernel("k").unwrap();
        drop(setup.compile(&kernel(76)));
        let pending =
            setup.source(&slow(77, 10_000 * STEPS)).build_async(setup.devices().to_vec(), with(SLOW, &[])).unwrap();
        wait_for(|| pending.stage().unwrap() == BuildStage::Compiling);
        let mut times: Vec<Duration> = Vec::new();
        for round in 0..1000 {
            let begin = Instant::now();
            match round % 10 {
                0 => drop(setup.compile(&kernel(76))),
                1 => assert_eq!(setup.run(&kernel_object), 76),
                _ => assert!(known.has_kernel("k") && known.kernel("k").is_ok()),
            }
            times.push(begin.elapsed());
        }
        assert_eq!(pending.status().unwrap(), BuildStatus::Running, "the compile was not slow enough to be waited for");
        pending.cancel().unwrap();
        times.sort();
        // The machine may be busy with other things for a moment, though not always.
        let late = times.iter().filter(|time| **time > Duration::from_millis(50)).count();
        assert!(late <= 20, "{late} of 1000 took long, the longest {:?}", times.last());
        refused(pending.result(), Errc::Runtime, &["cancelled"]);
    }
}

fn wait_for(mut what: impl FnMut() -> bool) {
    let end = Instant::now() + Duration::from_secs(60);
    while !what() {
        assert!(Instant::now() < end, "nothing happened");
        thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn a_build_in_the_background_gives_what_build_gives() {
    let _alone = alone();
    for setup in setups() {
        let pending = setup.source(&kernel(78)).build_async(setup.devices().to_vec(), with(&[], &[])).unwrap();
        assert_eq!(setup.result(&pending.result().unwrap(), "k"), 78);
        assert!(Arc::ptr_eq(&pending.result().unwrap(), &pending.result().unwrap()));
        assert_eq!(pending.status().unwrap(), BuildStatus::Succeeded);
        assert_eq!(pending.stage().unwrap(), BuildStage::Done);
        // Too late.
        pending.cancel().unwrap();
        assert!(pending.result().is_ok());
        let bad = setup.source("no_such_type x;\n").build_async(setup.devices().to_vec(), with(&[], &[])).unwrap();
        let error = refused(bad.result(), Errc::Build, &["no_such_type"]);
        assert!(!error.diagnostics.is_empty());
        assert_eq!(bad.status().unwrap(), BuildStatus::Failed);
        let none = setup.source("").build_async(Vec::new(), with(&[], &[])).unwrap();
        refused(none.result(), Errc::Invalid, &["no device was given"]);
    }
}

#[test]
fn a_cancelled_build_ends_at_once_and_leaves_nothing() {
    let _alone = alone();
    for setup in setups() {
        let text = slow(79, 10_000 * STEPS);
        let source = setup.source(&text);
        let start = || source.build_async(setup.devices().to_vec(), with(SLOW, &[])).unwrap();
        let pending = start();
        wait_for(|| pending.stage().unwrap() == BuildStage::Compiling);
        assert!(!pending.wait(Some(Duration::from_millis(50))).unwrap());
        let before = cache().unwrap().usage(Place::Memory).unwrap();
        let begin = Instant::now();
        pending.cancel().unwrap();
        refused(pending.result(), Errc::Runtime, &["the build was cancelled"]);
        assert!(begin.elapsed() < Duration::from_secs(2), "{:?}", begin.elapsed());
        assert_eq!(pending.status().unwrap(), BuildStatus::Cancelled);
        assert_eq!(cache().unwrap().usage(Place::Memory).unwrap(), before);
        wait_for(|| statistics().in_flight == 0 && statistics().compiles_running == 0);
        // The compiler program is unharmed.
        assert_eq!(setup.result(&setup.build(&kernel(79)), "k"), 79);
    }
}

#[test]
fn cancelling_one_of_two_equal_builds_leaves_the_other_its_result() {
    let _alone = alone();
    for setup in setups() {
        for first in [true, false] {
            let text = slow(80 + u32::from(first), 2 * STEPS);
            let source = setup.source(&text);
            let start = || source.build_async(setup.devices().to_vec(), with(SLOW, &[])).unwrap();
            let leads = start();
            wait_for(|| leads.stage().unwrap() == BuildStage::Compiling);
            let waits = start();
            wait_for(|| waits.stage().unwrap() == BuildStage::Waiting);
            let (cancelled, other) = if first { (leads, waits) } else { (waits, leads) };
            cancelled.cancel().unwrap();
            refused(cancelled.result(), Errc::Runtime, &["cancelled"]);
            assert_eq!(setup.result(&other.result().unwrap(), "k"), 80 + i32::from(first));
        }
    }
}

#[test]
fn more_builds_than_threads_are_queued_and_can_be_cancelled_there() {
    let _alone = alone();
    for setup in setups() {
        let source = |number: u32| setup.source(&slow(1000 + number, 10_000 * STEPS));
        // Twice as many as there are cores run.
        let many = 100 + 2 * thread::available_parallelism().unwrap().get() as u32;
        let all: Vec<_> = (0..many)
            .map(|number| source(number).build_async(setup.devices().to_vec(), with(SLOW, &[])).unwrap())
            .collect();
        assert_eq!(all.last().unwrap().stage().unwrap(), BuildStage::Queued);
        for pending in all.iter().rev() {
            pending.cancel().unwrap();
        }
        for pending in &all {
            refused(pending.result(), Errc::Runtime, &["cancelled"]);
        }
        wait_for(|| statistics().compiles_running == 0);
        // The next is served as ever.
        let next = setup.source(&kernel(82)).build_async(setup.devices().to_vec(), with(&[], &[])).unwrap();
        assert_eq!(setup.result(&next.result().unwrap(), "k"), 82);
    }
}

#[test]
fn the_cache_in_memory_can_be_seen_and_steered() {
    let _alone = alone();
    let control = cache().unwrap();
    for setup in setups() {
        control.clear(Place::Memory).unwrap();
        assert_eq!(control.usage(Place::Memory).unwrap().bytes, 0);
        drop(setup.build(&kernel(83)));
        let usage = control.usage(Place::Memory).unwrap();
        assert!(usage.entries == 1 && usage.bytes > 100, "{usage:?}");

        assert!(control.is_on(Place::Memory).unwrap());
        control.set_on(Place::Memory, false).unwrap();
        assert_eq!(compiles(|| (setup.build(&kernel(83)), setup.build(&kernel(83)))), 2);
        control.set_on(Place::Memory, true).unwrap();
        assert_eq!(compiles(|| setup.build(&kernel(83))), 0);

        // T7: room for a few.
        let limit = control.limit(Place::Memory).unwrap();
        control.set_limit(Place::Memory, Some(4 * usage.bytes)).unwrap();
        let (counts, ()) = counted(|| (0..12).for_each(|number| drop(setup.build(&kernel(8300 + number)))));
        assert!(counts.memory.evictions >= 6, "{counts:?}");
        assert!(control.usage(Place::Memory).unwrap().bytes <= 4 * usage.bytes);
        assert_eq!(compiles(|| setup.build(&kernel(8311))), 0, "the newest is there");
        assert_eq!(compiles(|| setup.build(&kernel(8300))), 1, "the oldest is not");
        control.set_limit(Place::Memory, limit).unwrap();
        assert_eq!(control.limit(Place::Memory).unwrap(), Some(8 << 20));
    }
}

#[test]
fn the_compiler_program_can_be_told_to_end() {
    let _alone = alone();
    for setup in setups() {
        drop(setup.build(&kernel(84)));
        let helpers = || children("syclrtc-compile");
        let before = helpers();
        assert!(!before.is_empty());
        cache().unwrap().stop_compiler();
        assert!(helpers().is_empty(), "{before:?} {:?}", helpers());
        // What is known needs none, though making a source starts one ahead; the next compile starts another one.
        assert_eq!(compiles(|| assert_eq!(setup.result(&setup.build(&kernel(84)), "k"), 84)), 0);
        assert_eq!(setup.result(&setup.build(&kernel(8400)), "k"), 8400);
        assert!(!helpers().is_empty() && helpers() != before);
    }
}

/// Processes of that name that this one has started and that have not ended.
fn children(name: &str) -> Vec<u32> {
    let mut found = Vec::new();
    for entry in fs::read_dir("/proc").unwrap().flatten() {
        let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse::<u32>().ok()) else { continue };
        let Ok(stat) = fs::read_to_string(entry.path().join("stat")) else { continue };
        let (head, tail) = stat.rsplit_once(") ").unwrap();
        let fields: Vec<&str> = tail.split(' ').collect();
        let own = fields[1].parse() == Ok(std::process::id());
        if own && fields[0] != "Z" && head.contains(name) {
            found.push(pid);
        }
    }
    found
}

/// Runs a test of this file again in a process of its own; `None` in that process.
fn in_own_process(test: &str, variables: &[(&str, &str)]) -> Option<Output> {
    const CHILD: &str = "SYCLRTC_TEST_CHILD";
    if env::var_os(CHILD).is_some() {
        return None;
    }
    let mut command = Command::new(env::current_exe().unwrap());
    command.args(["--exact", test, "--nocapture", "--test-threads=1"]).env(CHILD, test);
    for name in ["SYCL_CACHE_PERSISTENT", "SYCL_CACHE_IN_MEM", "SYCL_CACHE_TRACE", "SYCLRTC_TRACE"] {
        command.env_remove(name);
    }
    let output = command.envs(variables.iter().copied()).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success(), "{}\n{stdout}\n{stderr}", output.status);
    assert!(stdout.contains("1 passed"), "{stdout}");
    Some(output)
}

#[test]
fn the_environment_can_switch_the_cache_in_memory_off() {
    let name = "the_environment_can_switch_the_cache_in_memory_off";
    if in_own_process(name, &[("SYCL_CACHE_IN_MEM", "0")]).is_some() {
        return;
    }
    assert!(!cache().unwrap().is_on(Place::Memory).unwrap());
    for setup in setups() {
        assert_eq!(compiles(|| (setup.build(&kernel(85)), setup.build(&kernel(85)))), 2);
    }
}

#[test]
fn a_threshold_that_is_no_number_is_an_error_of_the_build() {
    let name = "a_threshold_that_is_no_number_is_an_error_of_the_build";
    let variable = "SYCL_IN_MEM_CACHE_EVICTION_THRESHOLD";
    if in_own_process(name, &[(variable, "-1")]).is_some() {
        in_own_process(name, &[(variable, "much")]);
        in_own_process(name, &[(variable, "0")]);
        return;
    }
    let none = env::var(variable).is_ok_and(|value| value == "0");
    for setup in setups() {
        if none {
            assert_eq!(compiles(|| (setup.build(&kernel(86)), setup.build(&kernel(86)))), 1);
            assert_eq!(cache().unwrap().limit(Place::Memory).unwrap(), None);
        } else {
            refused(setup.try_build(&kernel(86), &[], &[]), Errc::Runtime, &[variable]);
            assert!(cache().is_err());
        }
    }
}

#[test]
fn a_trace_tells_what_was_done_and_why() {
    let name = "a_trace_tells_what_was_done_and_why";
    let folder = Folder::new("tell");
    let file = folder.path("trace");
    if let Some(output) = in_own_process(name, &[("SYCLRTC_TRACE", file.to_str().unwrap())]) {
        assert!(!String::from_utf8_lossy(&output.stderr).contains("[syclrtc]"));
        if setups().is_empty() {
            return;
        }
        let trace = fs::read_to_string(&file).unwrap();
        let lines: Vec<&str> = trace.lines().collect();
        let told = |start: &str, words: &[&str]| {
            let fits =
                |line: &&&str| line.starts_with(start) && words.iter().all(|word| line.split(' ').any(|w| w == *word));
            assert!(lines.iter().any(|line| fits(&line)), "{start} {words:?}:\n{trace}");
        };
        told("[syclrtc] build rtc_", &["result=ok", "kernels=1", "cache=miss", "why=new"]);
        told("[syclrtc] load rtc_", &["from=intermediate"]);
        told("[syclrtc] build rtc_", &["result=ok", "kernels=1", "cache=memory"]);
        told("[syclrtc] build rtc_", &["cache=miss", "why=options"]);
        told("[syclrtc] build rtc_", &["cache=miss", "why=source"]);
        told("[syclrtc] build rtc_", &["result=build", "cache=miss", "why=source"]);
        told("[syclrtc] compile rtc_", &["result=ok", "kernels=1", "cache=miss"]);
        told("[syclrtc] link rtc_", &["result=ok", "kernels=1", "cache=miss"]);
        told("[syclrtc] build rtc_", &["cache=miss", &format!("why=file:{}", folder.path("h.hpp").display())]);
        let numbers = lines.iter().filter(|line| line.contains(" total_us=") && line.contains(" compiler_us="));
        assert_eq!(numbers.count(), lines.iter().filter(|line| !line.contains(" load ")).count(), "{trace}");
        return;
    }
    let file = PathBuf::from(env::var_os("SYCLRTC_TRACE").unwrap());
    let header = file.with_file_name("h.hpp");
    for setup in setups() {
        drop(setup.build(&kernel(87)));
        drop(setup.build(&kernel(87)));
        drop(setup.try_build(&kernel(87), &["-O1"], &[]).unwrap());
        drop(setup.build(&kernel(88)));
        assert!(setup.try_build("no_such_type x;\n", &[], &[]).is_err());
        drop(setup.link(&[&setup.compile(&kernel(87))]));
        fs::write(&header, "#define VALUE 1\n").unwrap();
        let text = format!("#include \"{}\"\nextern \"C\" TASK void k(int *p) {{ *p = VALUE; }}\n", header.display());
        drop(setup.build(&text));
        fs::write(&header, "#define VALUE 2\n").unwrap();
        drop(setup.build(&text));
    }
}

// D-15: a child of fork takes no lock of its parent's, in whatever state it was.
#[test]
fn a_child_of_fork_has_a_cache_of_its_own() {
    let name = "a_child_of_fork_has_a_cache_of_its_own";
    if in_own_process(name, &[]).is_some() {
        return;
    }
    for setup in setups() {
        let object = setup.compile(&kernel(89));
        let source = setup.source(&slow(89, 10_000 * STEPS));
        let pending = source.build_async(setup.devices().to_vec(), with(SLOW, &[])).unwrap();
        wait_for(|| pending.stage().unwrap() == BuildStage::Compiling);
        let text = format!("{HEAD}{}", kernel(89));
        // SAFETY: the child takes locks of its own only, calls no driver and leaves by `_exit`.
        let child = unsafe { libc::fork() };
        assert!(child >= 0);
        if child == 0 {
            // SAFETY: ends a child that hangs.
            unsafe { libc::alarm(40) };
            let good = in_child(&setup, &text, &pending);
            // SAFETY: ends the child without running anything of the parent's.
            unsafe { libc::_exit(good) };
        }
        let mut status = 0;
        // SAFETY: `child` is a child of this process that nobody else waits for.
        assert_eq!(unsafe { libc::waitpid(child, &raw mut status, 0) }, child);
        assert!(libc::WIFEXITED(status) && libc::WEXITSTATUS(status) == 0, "status {status}");
        // The parent goes on, and so does its build.
        assert_eq!(pending.status().unwrap(), BuildStatus::Running);
        assert_eq!(compiles(|| setup.compile(&kernel(89))), 0);
        pending.cancel().unwrap();
        assert!(pending.result().is_err());
        drop(object);
    }
}

/// Which of the checks fails; 0 if none does.
fn in_child(setup: &Setup, text: &str, pending: &syclrtc::bundle::PendingBuild) -> i32 {
    use syclrtc::bundle::Language;
    let refusal = |result: syclrtc::error::Result<bool>| result.is_err_and(|error| error.message.contains("`fork`"));
    if !refusal(pending.wait(None)) || pending.result().is_ok() || pending.cancel().is_ok() {
        return 1;
    }
    let context = &setup.context;
    let source = KernelBundle::create_from_source(context, Language::Sycl, text.as_bytes().to_vec(), Vec::new());
    let Ok(source) = source else { return 2 };
    for _ in 0..2 {
        if source.compile(setup.devices(), &with(&[], &[])).is_err() {
            return 3;
        }
    }
    let counts = statistics();
    if (counts.compiles, counts.memory.hits) != (1, 1) {
        return 4;
    }
    // A build fails, since drivers do not work here, and nothing hangs.
    if source.build(setup.devices(), &with(&[], &[])).is_ok() {
        return 5;
    }
    let Ok(own) = source.build_async(setup.devices().to_vec(), with(&[], &[])) else { return 6 };
    if own.result().is_ok() { 7 } else { 0 }
}
