// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Compiles that go wrong in every way: each ends for itself, says what is known, and the next one works.

use std::{
    io::Read,
    time::{Duration, Instant},
};

use rustix::process::{Pid, Signal, kill_process};

use crate::support::*;
use syclrtc_protocol::{Compile, Reply, Request, Start, read_frame, write_frame};

const GOOD: &str = "#include <sycl/sycl.hpp>\nextern \"C\" SYCL_EXT_ONEAPI_FUNCTION_PROPERTY(\
                    sycl::ext::oneapi::experimental::single_task_kernel) void k(int *p) { *p = 1; }\n";

fn body(text: &str) -> Compile {
    request(&format!(
        "#include <sycl/sycl.hpp>\nextern \"C\" SYCL_EXT_ONEAPI_FUNCTION_PROPERTY(\
         sycl::ext::oneapi::experimental::single_task_kernel) void k(int *p) {{ {text} }}\n"
    ))
}

fn assert_works(compiler: &Compiler) {
    assert_eq!(compiler.built(&request(GOOD)).table.kernels.len(), 1);
}

#[test]
fn crash_of_the_compiler() {
    let compiler = Compiler::start();
    // clang's pragma "overflow_stack" is no third one: in an optimised clang it runs for ever.
    for pragma in ["crash", "llvm_fatal_error"] {
        let message = match compiler.reply(&request(&format!("#pragma clang __debug {pragma}\n"))) {
            Reply::Died { message } => message,
            other => panic!("{pragma}: {other:?}"),
        };
        assert!(message.contains("the compile process "), "{pragma}: {message}");
        assert_works(&compiler);
    }
}

#[test]
fn fatal_error_of_llvm_shows_its_words() {
    let compiler = Compiler::start();
    // An option of the code generator's is not reachable; an unsupported operation is.
    let message = compiler.died(&body("__scoped_atomic_fetch_nand(p, 1, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);"));
    assert!(message.contains("LLVM ERROR"), "{message}");
    assert_works(&compiler);
}

#[test]
fn time_limit() {
    let mut compiler = Compiler::start();
    assert_works(&compiler);
    compiler.limits = Start { time_limit_ms: 300, memory_limit: 0 };
    // Two to the power of 40 instantiations.
    let endless = "template <int N, int M> struct T { static constexpr int v = T<N - 1, 2 * M>::v + T<N - 1, 2 * M + 1>::v; };\n\
                   template <int M> struct T<0, M> { static constexpr int v = 1; };\nint x = T<30, 0>::v;\n";
    let began = Instant::now();
    let message = compiler.died(&request(endless));
    assert!(message.contains("it ran past its time limit; time limit 300 ms"), "{message}");
    assert!(began.elapsed() < Duration::from_secs(10));
    compiler.limits.time_limit_ms = 0;
    assert_works(&compiler);
}

#[test]
fn memory_limit() {
    let mut compiler = Compiler::start();
    compiler.limits = Start { time_limit_ms: 60_000, memory_limit: 256 << 20 };
    let mut bomb = String::from("#define A0 0,0,0,0\n");
    for level in 1..14 {
        let before = format!("A{}", level - 1);
        bomb += &format!("#define A{level} {before},{before},{before},{before}\n");
    }
    bomb += "int x[] = { A13 };\n";
    let message = compiler.died(&request(&bomb));
    assert!(message.contains("memory limit 268435456 bytes"), "{message}");
    assert_works(&compiler);
}

#[test]
fn cancelling_is_closing_the_socket() {
    let compiler = Compiler::start();
    let endless = "template <int N, int M> struct T { static constexpr int v = T<N - 1, 2 * M>::v + T<N - 1, 2 * M + 1>::v; };\n\
                   template <int M> struct T<0, M> { static constexpr int v = 1; };\nint x = T<30, 0>::v;\n";
    assert_works(&compiler);
    let socket = compiler.begin(&request(endless));
    std::thread::sleep(Duration::from_millis(200));
    let running = children_of(compiler.id());
    assert_eq!(running.len(), 1);
    drop(socket);
    let began = Instant::now();
    // Another one waits for the next job then.
    while children_of(compiler.id()).contains(&running[0]) {
        assert!(began.elapsed() < Duration::from_secs(5), "the compile goes on");
        std::thread::sleep(Duration::from_millis(10));
    }
    assert_works(&compiler);
}

fn children_of(pid: u32) -> Vec<Pid> {
    let children = std::fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).unwrap();
    children.split_whitespace().map(|pid| Pid::from_raw(pid.parse().unwrap()).unwrap()).collect()
}

/// Waits until a process stands ready for the next job.
fn spare_of(compiler: &Compiler) -> Pid {
    let began = Instant::now();
    loop {
        let before = children_of(compiler.id());
        // Not one that is about to end with its job.
        std::thread::sleep(Duration::from_millis(50));
        if let [spare] = children_of(compiler.id())[..]
            && before == [spare]
            && state_of(spare).0 == "S"
        {
            return spare;
        }
        assert!(began.elapsed() < Duration::from_secs(10), "no process waits for a job");
    }
}

/// The state letter and the processor time of a process, in ticks.
fn state_of(pid: Pid) -> (String, u64) {
    // One that is gone altogether is like one that was not waited for.
    let Ok(stat) = std::fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_nonzero())) else {
        return ("Z".to_owned(), 0);
    };
    let fields: Vec<_> = stat.rsplit(')').next().unwrap().split_whitespace().collect();
    (fields[0].to_owned(), fields[11].parse::<u64>().unwrap() + fields[12].parse::<u64>().unwrap())
}

#[test]
fn one_process_waits_for_the_next_job_and_takes_it() {
    let compiler = Compiler::start();
    assert_works(&compiler);
    let spare = spare_of(&compiler);
    let mut socket = compiler.open();
    std::thread::sleep(Duration::from_millis(100));
    assert_eq!(children_of(compiler.id()), [spare], "the job is that process's");
    write_frame(&mut socket, &Request::Compile(request("int x;\n"))).unwrap();
    assert!(matches!(read_frame(&mut socket).unwrap(), Reply::Built(_)));
    let next = spare_of(&compiler);
    assert_ne!(next, spare);
    // It costs nothing while nobody wants it.
    std::thread::sleep(Duration::from_millis(100));
    let before = state_of(next);
    std::thread::sleep(Duration::from_millis(300));
    assert_eq!((state_of(next), before.0.as_str()), (before.clone(), "S"));
    assert_eq!(children_of(compiler.id()), [next]);
}

#[test]
fn a_waiting_process_that_died_is_replaced() {
    let compiler = Compiler::start();
    assert_works(&compiler);
    for _ in 0..3 {
        let spare = spare_of(&compiler);
        kill_process(spare, Signal::KILL).unwrap();
        assert_works(&compiler);
        let began = Instant::now();
        while spare_of(&compiler) == spare {
            assert!(began.elapsed() < Duration::from_secs(10));
        }
    }
    // One that got a job and dies before it begins: the job is another one's then.
    let spare = spare_of(&compiler);
    kill_process(spare, Signal::STOP).unwrap();
    let mut socket = compiler.begin(&request(GOOD));
    assert_works(&compiler);
    kill_process(spare, Signal::KILL).unwrap();
    assert!(matches!(read_frame(&mut socket).unwrap(), Reply::Built(_)));
}

#[test]
fn a_waiting_process_ends_with_the_program() {
    let compiler = Compiler::start();
    assert_works(&compiler);
    let spare = spare_of(&compiler);
    assert!(compiler.end().success());
    let began = Instant::now();
    while state_of(spare).0 != "Z" {
        assert!(began.elapsed() < Duration::from_secs(5));
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn malformed_requests_end_their_job_only() {
    use std::io::Write;
    let compiler = Compiler::start();
    for bytes in [&b"\x05\0\0\0\0\0\0\0junk!"[..], b"\xff\xff\xff\xff\xff\xff\xff\xff", b"\x01\0\0"] {
        let mut socket = compiler.open();
        socket.write_all(bytes).unwrap();
        socket.shutdown(std::net::Shutdown::Write).unwrap();
        let reply = read_frame::<Reply>(&mut socket);
        assert!(matches!(reply, Ok(Reply::Died { .. })), "{reply:?}");
        let mut rest = Vec::new();
        socket.read_to_end(&mut rest).unwrap();
        assert!(rest.is_empty());
    }
    assert_works(&compiler);
}

#[test]
fn compiles_run_side_by_side() {
    let compiler = Compiler::start();
    std::thread::scope(|scope| {
        for thread in 0..24 {
            let compiler = &compiler;
            scope.spawn(move || {
                for round in 0..4 {
                    let number = thread * 100 + round;
                    if (thread + round) % 2 == 0 {
                        let built = compiler.built(&request(&GOOD.replace("void k(", &format!("void k{number}("))));
                        assert_eq!(built.table.kernels[0].plain_name, Some(format!("k{number}")));
                    } else {
                        let log = compiler.failed(&request(&format!("int x = name_{number};")));
                        assert!(log.contains(&format!("'name_{number}'")), "{log}");
                    }
                }
            });
        }
    });
}

#[test]
fn deep_nesting_is_an_error_and_not_a_crash() {
    let compiler = Compiler::start();
    let log = compiler.failed(&body(&format!("*p = {}1{};", "(".repeat(5000), ")".repeat(5000))));
    assert!(log.contains("bracket nesting level exceeded maximum of"), "{log}");
    assert_works(&compiler);
}

/// The helper gets along with what an application may have done to itself.
#[test]
fn started_in_a_deleted_directory_with_children_ignored() {
    let place = std::env::temp_dir().join(format!("syclrtc-deleted-{}", std::process::id()));
    std::fs::create_dir(&place).unwrap();
    let script = format!("cd '{0}' && rmdir '{0}' && trap '' CHLD && exec \"$0\"", place.display());
    let compiler = Compiler::start_by(std::process::Command::new("sh").arg("-c").arg(script).arg(PROGRAM));
    assert_works(&compiler);
    let message = compiler.died(&request("#pragma clang __debug crash\n"));
    assert!(message.contains("the compile process was ended by signal"), "{message}");
    assert_works(&compiler);
}

#[test]
fn greets_with_its_versions() {
    let hello = Compiler::start().hello.clone();
    assert_eq!(hello.protocol, syclrtc_protocol::PROTOCOL_VERSION);
    assert_eq!(hello.version, env!("CARGO_PKG_VERSION"));
    assert!(hello.compiler.starts_with("clang 22."), "{}", hello.compiler);
}

#[test]
fn ends_with_its_client() {
    let compiler = Compiler::start();
    assert_works(&compiler);
    assert!(compiler.end().success());
}

#[test]
fn what_a_device_cannot_do_is_refused() {
    let compiler = Compiler::start();
    for (text, words) in [
        (
            "static int s = *p; *p = s;",
            "a static local variable that is initialised at run time cannot be used in device code",
        ),
        ("throw 1;", "exceptions"),
        ("__builtin_printf(\"%d\", *p);", "output cannot be used in device code"),
        ("*(int **)p = new int(3);", "memory allocation"),
        ("extern int undefined_function(int); *p = undefined_function(*p);", "undefined function 'undefined_function'"),
        ("int n = *p; int a[n]; a[*p] = 1; *p = a[0];", "an array of variable length"),
        ("asm volatile(\"nop\");", "inline assembly"),
        ("int (*f)(int) = (int (*)(int))*(long *)p; *p = f(1);", "a call through a pointer"),
        ("struct B { virtual int f(); }; *p = ((B *)p)->f();", "a call through a pointer"),
        ("__int128 a = *p; a *= *(long *)p; *p = int(a >> 64);", "an integer of more than 64 bits"),
    ] {
        let log = match compiler.reply(&body(text)) {
            Reply::Failed { log, .. } => log,
            other => panic!("{text}: {other:?}"),
        };
        assert!(log.contains(words), "{text}: {log}");
    }
    assert_works(&compiler);
}

/// What the pipeline makes of ordinary code and the code generator does not take, or gets wrong, by itself.
#[test]
fn what_the_code_generator_cannot_take_is_rewritten() {
    let compiler = Compiler::start();
    for text in [
        "int r; *p = __builtin_add_overflow(p[0], p[1], &r) ? 1 : r;",
        "int r; *p = __builtin_mul_overflow(p[0], p[1], &r) ? 1 : r;",
        "long r; *p = __builtin_mul_overflow((long)p[0], (long)p[1], &r) ? 1 : (int)r;",
        "unsigned long r; *p = __builtin_mul_overflow((unsigned long)p[0], (unsigned long)p[1], &r) ? 1 : (int)r;",
        "unsigned r; *p = __builtin_sub_overflow((unsigned)p[0], (unsigned)p[1], &r) ? 1 : r;",
        "long s = (long)p[0] + p[1]; *p = s > 2147483647 ? 2147483647 : s < -2147483647 - 1 ? -2147483647 - 1 : (int)s;",
        "*p = (int)__builtin_bitreverse32(p[0]) + (int)__builtin_bitreverse64(p[1]) + __builtin_bitreverse8(p[2]);",
        "typedef int v4 __attribute__((ext_vector_type(4))); v4 a = *(v4 *)p, b = ((v4 *)p)[1]; *p = __builtin_reduce_or(a < b) ? 1 : 2;",
        "*p = (int)__builtin_ldexpf(*(float *)p, p[1]) + (int)__builtin_lrintf(*(float *)p) + (int)__builtin_exp10f(*(float *)p);",
        "__builtin_assume(*p > 0); __builtin_prefetch(p); *p += 1;",
        "if (*p) __builtin_trap(); *p = 1;",
        "int v = 0; __builtin_memcpy(&v, p, 3); long w = 0; __builtin_memcpy(&w, p, 7); *p = v * 3 + (int)(w >> 3);",
    ] {
        for level in ["-O0", "-O1", "-O2", "-O3"] {
            let request = Compile { options: vec![level.into()], ..body(text) };
            match compiler.reply(&request) {
                Reply::Built(built) => assert_eq!(built.table.kernels.len(), 1),
                other => panic!("{level} {text}: {other:#?}"),
            }
        }
    }
}
