// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! What one process compiles and another one finds: the persistent cache with the real compiler program.
//!
//! Each test runs this program again, as processes that build something and tell what they counted.

mod common;

use std::{
    env, fs,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};

use common::{setups, with};
use syclrtc::bundle::{Place, cache};

/// Says to a process what to build.
const TASK: &str = "SYCLRTC_TEST_TASK";

/// Where the processes of one test meet.
struct Meeting(PathBuf);

impl Meeting {
    fn new(name: &str) -> Self {
        let folder = env::temp_dir().join(format!("syclrtc-processes-{name}-{}", std::process::id()));
        drop(fs::remove_dir_all(&folder));
        fs::create_dir_all(folder.join("elsewhere")).unwrap();
        Self(folder)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// A process that builds `text` with `options`, in the folder `directory`.
    fn start(&self, text: &str, options: &[&str], directory: &Path) -> Child {
        let mut command = Command::new(env::current_exe().unwrap());
        command.args(["--exact", "a_process_of_the_others", "--nocapture", "--test-threads=1"]).current_dir(directory);
        command.env(TASK, text).env("SYCLRTC_TEST_OPTIONS", options.join("\n"));
        command.env("SYCL_CACHE_PERSISTENT", "1").env("SYCL_CACHE_DIR", self.path("cache"));
        command.env("SYCLRTC_PREAMBLES", "off");
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    }

    fn run(&self, text: &str, options: &[&str]) -> Told {
        Told::of(self.start(text, options, &self.0))
    }

    /// Files of results of the compiler program, with number and time of writing.
    fn entries(&self) -> Vec<(PathBuf, u64, i64, u64)> {
        let mut found = Vec::new();
        let mut folders = vec![self.path("cache")];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else if path.components().any(|part| part.as_os_str() == "intermediate") {
                    let data = fs::metadata(&path).unwrap();
                    found.push((path, data.ino(), data.mtime_nsec(), data.len()));
                }
            }
        }
        found.sort();
        found
    }
}

impl Drop for Meeting {
    fn drop(&mut self) {
        drop(fs::remove_dir_all(&self.0));
    }
}

/// What a process told.
#[derive(Debug)]
struct Told {
    compiles: u64,
    hits: u64,
    misses: u64,
    stores: u64,
    result: i32,
    /// Of the build, without the driver's.
    microseconds: u64,
    started_compiler: bool,
    log: String,
}

impl Told {
    fn of(process: Child) -> Self {
        let output = process.wait_with_output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
        assert!(output.status.success(), "{}\n{stdout}\n{stderr}", output.status);
        let line = stdout.lines().find_map(|line| line.split_once("TOLD ")).unwrap_or_else(|| panic!("{stdout}")).1;
        let (numbers, log) = line.split_once('|').unwrap();
        let numbers: Vec<u64> = numbers.split(' ').map(|number| number.parse().unwrap()).collect();
        Self {
            compiles: numbers[0],
            hits: numbers[1],
            misses: numbers[2],
            stores: numbers[3],
            result: numbers[4] as i32,
            microseconds: numbers[5],
            started_compiler: numbers[6] != 0,
            log: log.replace("\\n", "\n"),
        }
    }
}

/// Not a test of its own, but what the others run.
#[test]
#[expect(clippy::print_stdout, reason = "how it tells the test what it has counted")]
fn a_process_of_the_others() {
    let Ok(text) = env::var(TASK) else { return };
    let setup = setups().remove(0);
    // The number of the main file differs from process to process.
    for number in 0..std::process::id() % 3 {
        assert!(setup.try_build("", &["--no-such-option", &number.to_string()], &[]).is_err());
    }
    cache().unwrap().stop_compiler();
    let before = cache().unwrap().statistics();
    let options = env::var("SYCLRTC_TEST_OPTIONS").unwrap();
    let options: Vec<&str> = options.split('\n').collect();
    let source = setup.source(&text);
    let bundle = source.build(setup.devices(), &with(&options, &[])).unwrap_or_else(|error| panic!("{error}"));
    let times = bundle.build_times().unwrap();
    let time = (times.total - times.driver).as_micros();
    let counted = cache().unwrap().statistics();
    let compiler = fs::read_dir("/proc").unwrap().flatten().any(|entry| {
        let stat = fs::read_to_string(entry.path().join("stat")).unwrap_or_default();
        let parent = stat.rsplit_once(") ").and_then(|(_, tail)| tail.split(' ').nth(1)).unwrap_or_default();
        stat.contains("(syclrtc-compile") && parent == std::process::id().to_string()
    });
    println!(
        "TOLD {} {} {} {} {} {time} {}|{}",
        counted.compiles - before.compiles,
        counted.disk.hits - before.disk.hits,
        counted.disk.misses - before.disk.misses,
        counted.disk.stores - before.disk.stores,
        setup.result(&bundle, "k"),
        u64::from(compiler),
        bundle.log().replace('\n', "\\n")
    );
}

fn kernel(value: u32) -> String {
    format!("extern \"C\" TASK void k(int *p) {{ int unused_here; *p = {value}; }}\n")
}

fn with_devices() -> bool {
    !setups().is_empty()
}

// D-05, K9
#[test]
fn the_second_process_finds_what_the_first_one_made_and_starts_no_compiler() {
    if !with_devices() {
        return;
    }
    let place = Meeting::new("second");
    let first = place.run(&kernel(91), &["-Wall"]);
    assert_eq!((first.compiles, first.misses, first.hits, first.stores, first.result), (1, 1, 0, 1, 91), "{first:?}");
    let entries = place.entries();
    assert!(entries.len() == 1 && entries[0].3 > 500, "{entries:?}");
    for _ in 0..3 {
        let next = place.run(&kernel(91), &["-Wall"]);
        assert_eq!((next.compiles, next.misses, next.hits, next.stores, next.result), (0, 0, 1, 0, 91), "{next:?}");
        assert!(!next.started_compiler, "{next:?}");
        assert!(next.microseconds < first.microseconds / 10, "{next:?} after {first:?}");
        assert_eq!(place.entries(), entries, "nothing is written again");
        // The warning is there, under whatever the main file is called there.
        let main = |log: &str| log[log.find("rtc_").unwrap()..].split(':').next().unwrap().to_owned();
        assert!(next.log.contains("unused_here"), "{next:?}");
        assert_eq!(next.log.replace(&main(&next.log), ""), first.log.replace(&main(&first.log), ""));
    }
    let cleared = cache().unwrap();
    assert!(!cleared.is_on(Place::Disk).unwrap(), "the environment of the tests must not switch it on");
}

// K1 over processes: what the key says is another result, and only that.
#[test]
fn the_directory_counts_where_the_compile_looked_into_it() {
    if !with_devices() {
        return;
    }
    let place = Meeting::new("directory");
    let other = place.path("elsewhere");
    let run = |text: &str, options: &[&str], directory: &Path| Told::of(place.start(text, options, directory));
    assert_eq!(run(&kernel(92), &[], &place.0).compiles, 1);
    assert_eq!(run(&kernel(92), &[], &other).compiles, 0, "nothing of it lies in the directory");
    assert_eq!(run(&kernel(92), &["-O1"], &other).compiles, 1);
    for (directory, value) in [(&place.0, 1), (&other, 2)] {
        fs::write(directory.join("here.hpp"), format!("#define VALUE {value}\n")).unwrap();
    }
    let text = "#include \"here.hpp\"\nextern \"C\" TASK void k(int *p) { *p = VALUE; }\n";
    for round in [1, 0] {
        for (directory, value) in [(&place.0, 1), (&other, 2)] {
            for options in [&[][..], &["-I."]] {
                let told = run(text, options, directory);
                assert_eq!((told.result, told.compiles), (value, round), "{options:?}");
            }
        }
    }
}

// D-01 over processes
#[test]
fn a_header_edited_between_two_processes_is_noticed() {
    if !with_devices() {
        return;
    }
    let place = Meeting::new("edited");
    fs::write(place.path("h.hpp"), "#include \"deep.hpp\"\n").unwrap();
    let edit = |text: &str, time| {
        fs::write(place.path("deep.hpp"), text).unwrap();
        let file = fs::File::options().write(true).open(place.path("deep.hpp")).unwrap();
        file.set_times(fs::FileTimes::new().set_modified(time)).unwrap();
    };
    let long_ago = std::time::SystemTime::now() - std::time::Duration::from_secs(1000);
    let text = "#include <h.hpp>\nextern \"C\" TASK void k(int *p) { *p = VALUE; }\n";
    let include = format!("-I{}", place.0.display());
    for (value, expected) in [(1, 1), (2, 1), (2, 0)] {
        edit(&format!("#define VALUE {value}\n"), long_ago);
        let told = place.run(text, &[&include]);
        assert_eq!((told.result, told.compiles), (value, expected), "{told:?}");
    }
}

// D-02: another build of the compiler program is another key.
#[test]
fn another_build_of_the_compiler_program_makes_results_of_its_own() {
    if !with_devices() {
        return;
    }
    let place = Meeting::new("upgraded");
    let program = syclrtc::compiler::client().locate().unwrap();
    let copy = place.path("syclrtc-compiler");
    // A program behind a script is what the script is.
    let install = |version: u32| {
        let script = format!("#!/bin/sh\n# {version}\nexec '{}' \"$@\"\n", program.display());
        fs::write(&copy, script).unwrap();
        fs::set_permissions(&copy, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    };
    for (version, compiles) in [(1, 1), (1, 0), (2, 1), (2, 0), (1, 0)] {
        install(version);
        let mut command = Command::new(env::current_exe().unwrap());
        command.args(["--exact", "a_process_of_the_others", "--nocapture"]).env("SYCLRTC_COMPILER", &copy);
        command.env(TASK, kernel(93)).env("SYCLRTC_TEST_OPTIONS", "");
        command.env("SYCL_CACHE_PERSISTENT", "1").env("SYCL_CACHE_DIR", place.path("cache"));
        command.env("SYCLRTC_PREAMBLES", "off");
        let told = Told::of(command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap());
        assert_eq!((told.compiles, told.result), (compiles, 93), "version {version}");
    }
}

// D-06: processes that start at a time compile once in total.
#[test]
fn processes_that_start_cold_together_compile_once() {
    if !with_devices() {
        return;
    }
    let place = Meeting::new("cold");
    let processes: Vec<Child> = (0..4).map(|_| place.start(&kernel(94), &[], &place.0)).collect();
    let told: Vec<Told> = processes.into_iter().map(Told::of).collect();
    assert!(told.iter().all(|told| told.result == 94), "{told:?}");
    assert_eq!(told.iter().map(|told| told.compiles).sum::<u64>(), 1, "{told:?}");
    assert_eq!(told.iter().map(|told| told.hits).sum::<u64>(), 3, "{told:?}");
}
