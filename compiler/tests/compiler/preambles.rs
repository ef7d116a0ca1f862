// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Preambles that later compiles need not parse again.

use std::{
    fs::{self, File, FileTimes},
    path::Path,
    time::{Duration, Instant},
};

use crate::{preamble_sequences::compare, support::*};
use rustix::process::{Pid, Signal, kill_process};
use syclrtc_protocol::{Built, Compile, IncludeFile, Output, Reply, Start, read_frame};

const KERNEL: &str = "extern \"C\" SYCL_EXT_ONEAPI_FUNCTION_PROPERTY(\
                      sycl::ext::oneapi::experimental::single_task_kernel) void k(int *p) { *p = ";

/// A text that begins with `preamble` and stores `value`.
fn text(preamble: &str, value: &str) -> String {
    format!("{preamble}{KERNEL}{value}; }}\n")
}

/// True if the compile started behind parsed headers.
fn was_reused(built: &Built) -> bool {
    assert!(built.stages.iter().any(|(name, _)| name.starts_with("front end")), "{:?}", built.stages);
    built.stages.iter().any(|(name, _)| name == "front end")
}

/// Whatever a text begins with and however it is built, the second one finds its headers parsed.
#[test]
fn any_preamble_is_parsed_once() {
    let compiler = Compiler::start();
    let sycl = "#include <sycl/sycl.hpp>\n";
    let classes: &[(&str, &str, &[&str])] = &[
        ("-O0", sycl, &["-O0"]),
        ("-std=c++20", sycl, &["-std=c++20"]),
        ("-g", sycl, &["-g"]),
        ("-f", sycl, &["-ffast-math"]),
        ("a macro that headers look at", sycl, &["-DNDEBUG"]),
        ("a macro in front", "#define IN_FRONT 1\n#include <sycl/sycl.hpp>\n", &[]),
        ("another include in front", "#include <cmath>\n#include <sycl/sycl.hpp>\n", &[]),
        ("another include behind", "#include <sycl/sycl.hpp>\n#include <complex>\n", &[]),
        ("-U", sycl, &["-UNDEBUG"]),
    ];
    for (what, preamble, options) in classes {
        compiler.built(&with_options(&text(preamble, "1"), options));
        let second =
            compiler.built(&Compile { main_name: "rtc_1.cpp".into(), ..with_options(&text(preamble, "2"), options) });
        assert!(was_reused(&second), "{what}: {:?}", second.stages);
    }
}

/// An object whose preamble includes something that takes a while and `more`.
fn object(more: &str, body: &str, options: &[&str]) -> Compile {
    let source = format!("#include <cmath>\n#include <tuple>\n{more}{body}");
    Compile { output: Output::Object, ..with_options(&source, options) }
}

const VALUE: &str = "SYCL_EXTERNAL int f() { return VALUE; }\n";

/// What the function of [`VALUE`] returns.
fn value(compiler: &Compiler, request: &Compile) -> i32 {
    let ir = compiler.text(&compiler.built(request).code);
    let line = ir.lines().find_map(|line| line.trim().strip_prefix("ret i32 ")).unwrap();
    line.split(|c: char| !c.is_ascii_digit()).next().unwrap().parse().unwrap()
}

/// Writes a file without leaving a trace in its size and time.
fn write_in_secret(path: &str, content: &str) {
    let before = fs::metadata(path).unwrap();
    assert_eq!(before.len(), content.len() as u64);
    fs::write(path, content).unwrap();
    let times = FileTimes::new().set_modified(before.modified().unwrap());
    File::options().write(true).open(path).unwrap().set_times(times).unwrap();
}

/// D-01: reuse looks at the files, not at their times.
#[test]
fn a_changed_header_is_read_again() {
    let compiler = Compiler::start();
    let place = Place::new(
        "changed",
        &[
            ("h.hpp", "#define VALUE 1\n"),
            ("outer.hpp", "#include \"inner.hpp\"\n"),
            ("inner.hpp", "#define VALUE 3\n"),
        ],
    );
    let include = format!("-I{}", place.path(""));
    let of = |header: &str| object(&format!("#include \"{header}\"\n"), VALUE, &[&include]);
    assert_eq!((value(&compiler, &of("h.hpp")), value(&compiler, &of("h.hpp"))), (1, 1));
    write_in_secret(&place.path("h.hpp"), "#define VALUE 2\n");
    assert_eq!((value(&compiler, &of("h.hpp")), value(&compiler, &of("h.hpp"))), (2, 2));
    assert_eq!(value(&compiler, &of("outer.hpp")), 3);
    write_in_secret(&place.path("inner.hpp"), "#define VALUE 4\n");
    assert_eq!((value(&compiler, &of("outer.hpp")), value(&compiler, &of("outer.hpp"))), (4, 4));
    assert!(was_reused(&compiler.built(&of("outer.hpp"))));
}

/// A file that comes into being where one was looked for in vain is found.
#[test]
fn a_new_header_is_found() {
    let compiler = Compiler::start();
    let place = Place::new("new", &[("a/other.hpp", ""), ("b/h.hpp", "#define VALUE 1\n")]);
    let (first, second) = (format!("-I{}", place.path("a")), format!("-I{}", place.path("b")));
    let request = object("#include \"h.hpp\"\n", VALUE, &[&first, &second]);
    assert_eq!((value(&compiler, &request), value(&compiler, &request)), (1, 1));
    fs::write(place.path("a/h.hpp"), "#define VALUE 2\n").unwrap();
    assert_eq!((value(&compiler, &request), value(&compiler, &request)), (2, 2));
}

/// The header of an `include_files` entry, as the preamble and the text behind it see it.
fn with_content(request: &Compile, name: &str, content: &str) -> Compile {
    let file = IncludeFile { name: name.into(), content: content.into() };
    Compile { include_files: vec![file], ..request.clone() }
}

#[test]
fn another_virtual_header_is_another_preamble() {
    let compiler = Compiler::start();
    let request = object("#include \"h.hpp\"\n", VALUE, &[]);
    for expected in [1, 2, 1] {
        let request = with_content(&request, "h.hpp", &format!("#define VALUE {expected}\n"));
        assert_eq!(value(&compiler, &request), expected);
        compare(&compiler, &request, "virtual header");
    }
}

/// P1, P4, P5, P6.
#[test]
fn auto_pch_keeps_what_it_read() {
    let compiler = Compiler::start();
    let source = "#include \"h.hpp\"\n";
    let auto = |options: &[&str], content| {
        let request = Compile { output: Output::Object, ..with_options(&format!("{source}{VALUE}"), options) };
        with_content(&request, "h.hpp", content)
    };
    assert_eq!(value(&compiler, &auto(&["--auto-pch"], "#define VALUE 1\n")), 1);
    // P5: the name of the text is not part of the key; P6: nor is what is in the header.
    let other = Compile { main_name: "rtc_1.cpp".into(), ..auto(&["--auto-pch"], "#define VALUE 2\n") };
    assert_eq!(value(&compiler, &other), 1);
    // P4: the options are, with their order, and the text of the preamble with its comments.
    assert_eq!(value(&compiler, &auto(&["--auto-pch", "-DX=1", "-DY=1"], "#define VALUE 3\n")), 3);
    assert_eq!(value(&compiler, &auto(&["--auto-pch", "-DY=1", "-DX=1"], "#define VALUE 4\n")), 4);
    assert_eq!(value(&compiler, &auto(&["--auto-pch", "-DX=1", "-DY=1"], "#define VALUE 5\n")), 3);
    let mut commented = auto(&["--auto-pch"], "#define VALUE 6\n");
    commented.source = format!("{source}// comment\n{VALUE}").into_bytes();
    assert_eq!(value(&compiler, &commented), 6);
    assert_eq!(value(&compiler, &auto(&["--auto-pch"], "#define VALUE 7\n")), 1);
    // Who wants no reuse gets none.
    assert_eq!(value(&compiler, &Compile { reuse: false, ..auto(&["--auto-pch"], "#define VALUE 8\n") }), 8);
}

/// What only the text behind the preamble includes is the job's own.
#[test]
fn files_behind_the_preamble_are_read_each_time() {
    let compiler = Compiler::start();
    let body = format!("int first;\n#include \"late.hpp\"\n{VALUE}");
    let request =
        Compile { output: Output::Object, ..with_options(&format!("#include <cstddef>\n{body}"), &["--auto-pch"]) };
    for expected in 1..4 {
        assert_eq!(
            value(&compiler, &with_content(&request, "late.hpp", &format!("#define VALUE {expected}\n"))),
            expected
        );
    }
    assert!(compiler.failed(&request).contains("'late.hpp' file not found"));
}

/// P7.
#[test]
fn a_date_in_the_preamble() {
    let compiler = Compiler::start();
    let text = "#include <cstddef>\n#include \"h.hpp\"\nint x;\n";
    let of = |options: &[&str]| {
        let request = Compile { output: Output::Object, ..with_options(text, options) };
        with_content(&request, "h.hpp", "constexpr const char *when = __DATE__ __TIME__;\n")
    };
    for _ in 0..2 {
        assert!(compiler.built(&of(&["--auto-pch"])).log.contains("[-Wpch-date-time]"));
        assert!(compiler.failed(&of(&["--auto-pch", "-Werror=pch-date-time"])).contains("[-Werror,-Wpch-date-time]"));
        assert_eq!(compiler.built(&of(&["--auto-pch", "-Wno-pch-date-time"])).log, "");
        assert_eq!(compiler.built(&of(&[])).log, "");
    }
}

/// P9, P12.
#[test]
fn preambles_of_any_length() {
    let compiler = Compiler::start();
    for text in ["", "\n", "int x;\n", "#define X\n", "#include <cstddef>", "#include <cstddef>\n"] {
        for _ in 0..2 {
            compare(&compiler, &Compile { output: Output::Object, ..with_options(text, &["--auto-pch"]) }, text);
        }
    }
    let long = format!("{}#include \"h.hpp\"\n{VALUE}", "// line\n".repeat(500));
    let request = Compile { output: Output::Object, ..with_options(&long, &["--auto-pch"]) };
    assert_eq!(value(&compiler, &with_content(&request, "h.hpp", "#define VALUE 1\n")), 1);
    assert_eq!(value(&compiler, &with_content(&request, "h.hpp", "#define VALUE 2\n")), 1);
}

/// P25: those who come while a preamble is being parsed wait for it.
#[test]
fn a_preamble_is_parsed_once_for_all_who_ask_at_a_time() {
    let compiler = Compiler::start();
    let requests: Vec<_> = (0..6)
        .map(|n| Compile { main_name: format!("rtc_{n}.cpp"), ..object("", &format!("int x = {n};\n"), &[]) })
        .collect();
    let mut sockets: Vec<_> = requests.iter().map(|request| compiler.begin(request)).collect();
    let built = sockets.iter_mut().map(|socket| match read_frame(socket).unwrap() {
        Reply::Built(built) => built,
        other => panic!("{other:?}"),
    });
    assert_eq!(built.filter(was_parsed).count(), 1);
}

fn was_parsed(built: &Built) -> bool {
    !was_reused(built)
}

/// D-27: builds that differ in -D share a preamble only as far as it does not show.
#[test]
fn macros_of_options_mean_the_same_behind_a_checkpoint() {
    let compiler = Compiler::start();
    let of = |options: &[&str]| {
        object("#ifdef SEEN\n#define VALUE SEEN\n#else\n#define VALUE 0\n#endif\n", VALUE_PLUS, options)
    };
    assert_eq!(value(&compiler, &of(&["-DMY_PLUS=1", "-DMY_SIZE=2"])), 1);
    for (options, expected) in [
        (vec!["-DMY_PLUS=5"], 5),
        (vec!["-DMY_SIZE=3", "-DMY_PLUS=6"], 6),
        (vec!["-DMY_PLUS(x)=0", "-DMY_PLUS=7"], 7),
        (vec![], 0),
    ] {
        let request = of(&options);
        assert_eq!(value(&compiler, &request), expected, "{options:?}");
        compare(&compiler, &request, "macros");
    }
    for expected in [3, 4, 3] {
        let request = of(&[&format!("-DSEEN={expected}")]);
        assert_eq!(value(&compiler, &request), expected);
        compare(&compiler, &request, "macros");
    }
}

const VALUE_PLUS: &str =
    "#ifndef MY_PLUS\n#define MY_PLUS 0\n#endif\nSYCL_EXTERNAL int f() { return VALUE + MY_PLUS; }\n";

fn children(pid: u32) -> Vec<i32> {
    let children = fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).unwrap();
    children.split_whitespace().map(|pid| pid.parse().unwrap()).collect()
}

/// A process that stands behind a preamble may be killed by anybody; that costs time.
#[test]
fn a_checkpoint_that_is_gone() {
    let compiler = Compiler::start();
    let request = object("", "int x = 1;\n", &[]);
    compiler.built(&request);
    assert!(was_reused(&compiler.built(&request)));
    // The checkpoint is older than the process that waits for the next job.
    let checkpoints = children(compiler.id());
    kill_process(Pid::from_raw(checkpoints[0]).unwrap(), Signal::KILL).unwrap();
    compiler.built(&request);
    assert!(was_reused(&compiler.built(&request)));
}

/// The number of processes is bounded, and they end with the one that they came from.
#[test]
fn checkpoints_make_room_and_end() {
    let compiler = Compiler::start();
    for n in 0..9 {
        let text = format!("#define N {n}\n#include <cstddef>\nint x = N;\n");
        compiler.built(&Compile { output: Output::Object, ..with_options(&text, &["--auto-pch"]) });
    }
    let began = Instant::now();
    // And one that waits for the next job.
    while children(compiler.id()).len() > 6 + 1 {
        assert!(began.elapsed() < Duration::from_secs(10), "too many processes stay");
        std::thread::sleep(Duration::from_millis(10));
    }
    let checkpoints = children(compiler.id());
    assert!(compiler.end().success());
    let is_there = |pid: &i32| {
        // A zombie is for its new parent to bury.
        fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|stat| !stat.contains(") Z "))
    };
    while checkpoints.iter().any(is_there) {
        assert!(began.elapsed() < Duration::from_secs(10), "a checkpoint outlives the compiler program");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// What goes wrong behind a checkpoint is told as elsewhere, and the checkpoint stays.
#[test]
fn faults_behind_a_checkpoint() {
    let mut compiler = Compiler::start();
    let good = object("", "int x = 1;\n", &[]);
    compiler.built(&good);
    assert!(was_reused(&compiler.built(&good)));
    assert!(
        compiler.died(&object("", "#pragma clang __debug llvm_fatal_error\n", &[])).contains("the compile process ")
    );
    let endless = "template <int N, int M> struct T { static constexpr int v = T<N - 1, 2 * M>::v + T<N - 1, 2 * M + 1>::v; };\n\
                   template <int M> struct T<0, M> { static constexpr int v = 1; };\nint x = T<30, 0>::v;\n";
    compiler.limits = Start { time_limit_ms: 700, memory_limit: 0 };
    let message = compiler.died(&object("", endless, &[]));
    assert!(message.contains("it ran past its time limit; time limit 700 ms"), "{message}");
    compiler.limits = Start { time_limit_ms: 60_000, memory_limit: 64 << 20 };
    let message = compiler.died(&object("", endless, &[]));
    assert!(message.contains("memory limit 67108864 bytes"), "{message}");
    compiler.limits = Start { time_limit_ms: 60_000, memory_limit: 0 };
    let socket = compiler.begin(&object("", endless, &[]));
    let checkpoint = children(compiler.id())[0] as u32;
    let began = Instant::now();
    let wait_for = |count: usize, what: &str| {
        while children(checkpoint).len() != count {
            assert!(began.elapsed() < Duration::from_secs(20), "{what}");
            std::thread::sleep(Duration::from_millis(5));
        }
    };
    wait_for(1, "no compile behind the checkpoint");
    drop(socket);
    wait_for(0, "the compile goes on");
    assert!(was_reused(&compiler.built(&good)));
    assert!(Path::new(&format!("/proc/{checkpoint}")).exists());
}
