// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The compiler client against a helper that misbehaves in every way that it can.
//!
//! The helper is this very program under another name: what a `fake-…` link is called says what it does. A test of its
//! own harness, since it forks and closes descriptors.

use std::{
    env, fs, io,
    io::Write,
    os::{
        fd::{AsRawFd, FromRawFd, OwnedFd},
        unix::net::UnixStream,
    },
    path::{Path, PathBuf},
    process::{Command, exit},
    thread,
    time::{Duration, Instant},
};

use rustix::net::{RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendFlags, recvmsg, send};
use syclrtc::{
    bundle::{BuildOptions, KernelBundle, Language, Place, cache, can_compile},
    compiler::{Client, CompileError, Settings, client},
    os::cancel::Cancel,
    runtime::{self, Context},
};
use syclrtc_protocol::{
    Built, CONTROL_FD, Compile, Hello, Output, PROTOCOL_VERSION, Reply, Request, Start, decode_packet, encode_packet,
    read_frame, write_frame,
};

const LIMIT: Duration = Duration::from_millis(400);
const PATIENCE: Duration = Duration::from_secs(30);

fn main() {
    let program = PathBuf::from(env::args_os().next().unwrap_or_default());
    let name = program.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    if let Some(mode) = name.strip_prefix("fake-") {
        return fake_helper(mode);
    }
    // An application has the default, in which a broken connection would kill it.
    // SAFETY: no other thread exists yet.
    unsafe { libc::signal(libc::SIGPIPE, libc::SIG_DFL) };
    let folder = Folder::new();
    if env::args().nth(1).as_deref() == Some("--closed-descriptors") {
        return builds_with_closed_descriptors(&folder);
    }
    let tests: &[Test] = &[
        ("a good helper serves many threads", many_threads),
        ("a helper that is replaced", replaced),
        ("wrong introductions", wrong_introductions),
        ("wrong replies", wrong_replies),
        ("a large request to a helper that does not read", large_request),
        ("a helper that is not there", missing),
        ("a helper that cannot be run", not_a_program),
        ("descriptors and zombies are not left behind", nothing_left),
        ("standard descriptors may be closed", closed_descriptors),
        ("a job that is cancelled ends at once, and no other", cancelled),
        ("the program has an identity, and can be told to end", identified),
        ("a forked process has a helper of its own", forked),
        ("a thousand results take a bounded amount of memory", bounded),
    ];
    for (name, test) in tests {
        let begin = Instant::now();
        test(&folder);
        say(&format!("test {name} ... ok ({} ms)", begin.elapsed().as_millis()));
    }
}

/// What it shows, and how.
type Test = (&'static str, fn(&Folder));

#[expect(clippy::print_stdout, reason = "the report of a test program")]
fn say(line: &str) {
    println!("{line}");
}

/// A folder with the links.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        let folder = env::temp_dir().join(format!("syclrtc-client-{}", std::process::id()));
        drop(fs::remove_dir_all(&folder));
        fs::create_dir(&folder).unwrap();
        Self(folder)
    }

    fn fake(&self, mode: &str) -> PathBuf {
        let link = self.0.join(format!("fake-{mode}"));
        if !link.exists() {
            std::os::unix::fs::symlink(env::current_exe().unwrap(), &link).unwrap();
        }
        link
    }

    /// A client that waits long where it is going to be served, so that a busy machine fails no test.
    fn client(&self, mode: &str) -> Client {
        let mut settings = settings(self.fake(mode));
        if mode != "silent" {
            settings.hello_limit = PATIENCE;
        }
        if !mode.contains("hangs") {
            settings.grace = PATIENCE;
        }
        Client::new(settings)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        drop(fs::remove_dir_all(&self.0));
    }
}

fn settings(program: PathBuf) -> Settings {
    Settings {
        program: Some(program),
        library: None,
        arguments: Vec::new(),
        time_limit: LIMIT,
        memory_limit: 1 << 30,
        hello_limit: LIMIT,
        grace: LIMIT,
    }
}

fn request(source: &[u8]) -> Request {
    Request::Compile(Compile {
        main_name: "rtc_0.cpp".into(),
        source: source.to_vec(),
        include_files: Vec::new(),
        options: Vec::new(),
        registered_names: Vec::new(),
        working_directory: "/".into(),
        unit_id: "0".into(),
        reuse: true,
        output: Output::Object,
    })
}

/// The process that served it, after a check that the source arrived.
fn good(client: &Client, source: &[u8]) -> u32 {
    let reply = client.run(&request(source)).unwrap();
    let Reply::Built(built) = reply else { panic!("{reply:?}") };
    assert_eq!(built.code, source);
    built.log.parse().unwrap()
}

fn bad(client: &Client) -> CompileError {
    client.run(&request(b"text")).unwrap_err()
}

fn many_threads(folder: &Folder) {
    let client = folder.client("good");
    client.start_ahead();
    let first = good(&client, b"");
    thread::scope(|scope| {
        for thread in 0..16_u8 {
            let client = &client;
            scope.spawn(move || {
                for round in 0..20_u8 {
                    assert_eq!(good(client, &[thread, round, 0, 255]), first);
                }
            });
        }
    });
    // Each waits for its own child: side by side, not one after the other.
    let slow = folder.client("slow");
    good(&slow, b"");
    let begin = Instant::now();
    thread::scope(|scope| (0..8).for_each(|_| drop(scope.spawn(|| good(&slow, b"")))));
    assert!(begin.elapsed() < Duration::from_millis(8 * 100), "{:?}", begin.elapsed());
}

fn replaced(folder: &Folder) {
    // Dies between two compiles: not even noticed.
    let client = folder.client("once");
    let first = good(&client, b"a");
    thread::sleep(Duration::from_millis(100));
    let second = good(&client, b"b");
    assert_ne!(first, second);
    // Dies at the first request: an error that says how, then another one is started.
    let client = folder.client("exits-3-on-start");
    for _ in 0..2 {
        let error = bad(&client);
        assert!(matches!(error, CompileError::NoReply { .. }), "{error}");
        assert!(error.to_string().contains("exit status: 3"), "{error}");
    }
    let client = folder.client("aborts-on-start");
    assert!(bad(&client).to_string().contains("SIGABRT"));
}

fn wrong_introductions(folder: &Folder) {
    for (mode, text) in [
        ("other-version", "it has version \"0.0.0-other\", the library has"),
        ("other-protocol", "it speaks protocol"),
        ("garbage-hello", "its first packet is not an introduction"),
        ("silent", "nothing came within 0.4 s"),
        ("exits-7", "it ended, exit status: 7"),
    ] {
        let client = folder.client(mode);
        client.start_ahead();
        for _ in 0..2 {
            let error = bad(&client);
            assert!(matches!(error, CompileError::Mismatch { .. } | CompileError::NoHello { .. }), "{mode}: {error:?}");
            let shown = error.to_string();
            assert!(shown.contains(text) && shown.contains(&format!("fake-{mode}")), "{mode}: {shown}");
        }
    }
}

fn wrong_replies(folder: &Folder) {
    for (mode, text) in [
        ("hangs", "nothing came within"),
        ("closes", "closed the connection"),
        ("garbage-reply", "malformed frame"),
        ("cut-reply", "unexpected end of file"),
        ("huge-length", "over the limit"),
    ] {
        // The first request gets the bad reply, later ones a good one.
        let client = folder.client(&format!("first-{mode}"));
        drop(fs::remove_file(folder.0.join(format!("served-first-{mode}"))));
        let begin = Instant::now();
        let error = bad(&client);
        assert!(matches!(error, CompileError::NoReply { .. }), "{mode}: {error:?}");
        assert!(error.to_string().contains(text), "{mode}: {error}");
        assert!(begin.elapsed() < PATIENCE / 2, "{mode}: {:?}", begin.elapsed());
        good(&client, b"works again");
    }
}

fn large_request(folder: &Folder) {
    let large = vec![b' '; 8 << 20];
    let client = folder.client("exits-3-on-start");
    let error = client.run(&request(&large)).unwrap_err();
    assert!(matches!(error, CompileError::NoReply { .. }), "{error:?}");
    // Answers before it has read everything.
    let client = folder.client("early");
    let reply = client.run(&request(&large)).unwrap();
    assert_eq!(reply, Reply::Died { message: "early".into() });
    let client = folder.client("good");
    good(&client, &large);
}

fn missing(folder: &Folder) {
    let client = Client::new(settings(folder.0.join("nowhere")));
    let error = bad(&client);
    assert!(matches!(&error, CompileError::NotFound(tried) if tried.len() == 1), "{error:?}");
    assert!(error.to_string().contains("nowhere: No such file"), "{error}");
}

fn not_a_program(folder: &Folder) {
    let path = folder.0.join("text");
    fs::write(&path, "no program\n").unwrap();
    let mut mode = fs::metadata(&path).unwrap().permissions();
    std::os::unix::fs::PermissionsExt::set_mode(&mut mode, 0o755);
    fs::set_permissions(&path, mode).unwrap();
    let error = bad(&Client::new(settings(path)));
    assert!(matches!(error, CompileError::Start { .. }), "{error:?}");
    assert!(error.to_string().contains("could not be started"), "{error}");
}

fn nothing_left(folder: &Folder) {
    let open = || fs::read_dir("/proc/self/fd").unwrap().count();
    let before = open();
    for mode in ["good", "silent", "exits-7", "other-version", "exits-3-on-start", "first-hangs"] {
        let client = folder.client(mode);
        drop(client.run(&request(b"")));
    }
    assert_eq!(open(), before);
    // SAFETY: asks for any child that has ended; none is waited for elsewhere.
    let child = unsafe { libc::waitpid(-1, std::ptr::null_mut(), libc::WNOHANG) };
    assert_eq!((child, io::Error::last_os_error().raw_os_error()), (-1, Some(libc::ECHILD)));
}

fn closed_descriptors(_: &Folder) {
    let status = Command::new(env::current_exe().unwrap()).arg("--closed-descriptors").status().unwrap();
    assert_eq!(status.code(), Some(42));
}

/// What an application started without standard descriptors sees: all works, and nothing of ours lies on them.
fn builds_with_closed_descriptors(folder: &Folder) {
    for descriptor in 0..=2 {
        // SAFETY: nothing in this process uses them from here on.
        drop(unsafe { OwnedFd::from_raw_fd(descriptor) });
    }
    let client = folder.client("good");
    good(&client, b"text");
    let ours = (0..=2).any(|descriptor| fs::read_link(format!("/proc/self/fd/{descriptor}")).is_ok());
    drop(fs::remove_dir_all(&folder.0));
    exit(if ours { 1 } else { 42 });
}

fn cancelled(folder: &Folder) {
    let client = folder.client("first-hangs");
    drop(fs::remove_file(folder.0.join("served-first-hangs")));
    let cancel = Cancel::default();
    thread::scope(|scope| {
        let hangs = scope.spawn(|| {
            let error = client.ask(&request(b"text"), &cancel).unwrap_err();
            assert!(matches!(error, CompileError::Cancelled), "{error:?}");
            Instant::now()
        });
        // The second is served while the first one hangs, by the same helper.
        while !folder.0.join("served-first-hangs").exists() {
            thread::sleep(Duration::from_millis(1));
        }
        let helper = good(&client, b"other");
        let begin = Instant::now();
        cancel.cancel();
        assert!(hangs.join().unwrap() - begin < LIMIT);
        assert_eq!(good(&client, b"again"), helper);
    });
    assert!(matches!(client.ask(&request(b"text"), &cancel).unwrap_err(), CompileError::Cancelled));
}

fn identified(folder: &Folder) {
    let client = folder.client("good");
    let identity = client.identity().unwrap();
    assert!(identity.starts_with("build ") && !client.is_running(), "{identity}");
    let first = good(&client, b"a");
    assert_eq!(client.ask(&request(b"b"), &Cancel::default()).unwrap().program, identity);
    assert!(client.is_running());
    client.stop();
    client.stop();
    assert!(!client.is_running());
    // SAFETY: asks whether the process is there.
    let there = unsafe { libc::kill(first as i32, 0) } == 0;
    assert!(!there, "{first}");
    assert_ne!(good(&client, b"c"), first);
    // What has no build id is told by its content; another one is served once the helper that runs has gone.
    let script = folder.0.join("script");
    let write = |text: &str| {
        fs::write(&script, format!("#!/bin/sh\n# {text}\nexec '{}'\n", folder.fake("good").display())).unwrap();
        fs::set_permissions(&script, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    };
    write("one");
    let client = Client::new(Settings { hello_limit: PATIENCE, grace: PATIENCE, ..settings(script.clone()) });
    let one = client.identity().unwrap();
    assert!(one.starts_with("content "), "{one}");
    good(&client, b"a");
    write("two");
    assert_eq!(client.identity().unwrap(), one);
    client.stop();
    let two = client.identity().unwrap();
    assert_ne!(two, one);
    assert_eq!(client.ask(&request(b"b"), &Cancel::default()).unwrap().program, two);
    assert!(matches!(folder_without_program(folder).identity(), Err(CompileError::NotFound(_))));
}

fn folder_without_program(folder: &Folder) -> Client {
    Client::new(settings(folder.0.join("nowhere")))
}

/// T7: with the helper of the test before, that copies the source into the result.
fn bounded(_: &Folder) {
    let devices: Vec<_> =
        runtime::platforms().unwrap().iter().flat_map(|platform| platform.devices().to_vec()).collect();
    let Some(device) = devices.into_iter().find(|device| can_compile(device, Language::Sycl).is_ok()) else {
        assert!(env::var_os("SYCLRTC_TEST_DEVICES").is_none_or(|value| value != "1"), "no device can compile");
        return say("skipped: no device can compile source_language::sycl");
    };
    let context = Context::new(std::slice::from_ref(&device)).unwrap();
    cache().unwrap().set_limit(Place::Memory, Some(256 << 10)).unwrap();
    let compile = |number: usize| {
        let text = format!("{number} {}", "x".repeat(4000)).into_bytes();
        let source = KernelBundle::create_from_source(&context, Language::Sycl, text, Vec::new()).unwrap();
        drop(source.compile(std::slice::from_ref(&device), &BuildOptions::default()).unwrap());
    };
    let resident = || {
        let pages = fs::read_to_string("/proc/self/statm").unwrap().split(' ').nth(1).unwrap().parse::<usize>();
        4096 * pages.unwrap()
    };
    (0..200).for_each(compile);
    let before = resident();
    (200..1000).for_each(compile);
    let counted = cache().unwrap().statistics();
    assert_eq!(counted.compiles, 1000);
    assert!(counted.memory.evictions > 800, "{counted:?}");
    assert!(cache().unwrap().usage(Place::Memory).unwrap().bytes <= 256 << 10);
    let grown = resident().saturating_sub(before);
    assert!(grown < 800 * 1024, "{grown} bytes for 800 results");
}

fn forked(folder: &Folder) {
    // SAFETY: no other thread runs.
    unsafe { env::set_var("SYCLRTC_COMPILER", folder.fake("good")) };
    let helper = good(client(), b"parent");
    // SAFETY: no other thread runs, so the child is a whole process.
    let child = unsafe { libc::fork() };
    if child == 0 {
        let own = good(client(), b"child");
        let again = good(client(), b"child");
        exit(i32::from(own == helper || own != again));
    }
    let mut status = 0;
    // SAFETY: the child of above.
    assert_eq!(unsafe { libc::waitpid(child, &raw mut status, 0) }, child);
    assert_eq!(status, 0);
    assert_eq!(good(client(), b"parent again"), helper);
}

// The helper.

fn fake_helper(mode: &str) {
    let exits = |code: &str| exit(code.parse().unwrap());
    if let Some(code) = mode.strip_prefix("exits-").filter(|code| !code.contains('-')) {
        exits(code);
    }
    let mut hello =
        Hello { protocol: PROTOCOL_VERSION, version: env!("CARGO_PKG_VERSION").into(), compiler: "none".into() };
    match mode {
        "silent" => return thread::sleep(Duration::from_secs(20)),
        "other-version" => hello.version = "0.0.0-other".into(),
        "other-protocol" => hello.protocol += 1,
        _ => {}
    }
    // SAFETY: the client put its socket there, and nothing else here uses it.
    let control = unsafe { OwnedFd::from_raw_fd(CONTROL_FD) };
    let packet = if mode == "garbage-hello" { vec![0xff; 40] } else { encode_packet(&hello).unwrap() };
    send(&control, &packet, SendFlags::NOSIGNAL).unwrap();
    while let Some(job) = next_job(&control, mode) {
        match mode {
            "exits-3-on-start" => exit(3),
            "aborts-on-start" => std::process::abort(),
            "once" => {
                serve(mode, job);
                return;
            }
            _ => {
                let mode = mode.to_owned();
                thread::spawn(move || serve(&mode, job));
            }
        }
    }
}

fn next_job(control: &OwnedFd, mode: &str) -> Option<UnixStream> {
    let mut packet = [0; 4096];
    let mut space = [std::mem::MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut ancillary = RecvAncillaryBuffer::new(&mut space);
    let mut buffers = [io::IoSliceMut::new(&mut packet)];
    let got = recvmsg(control, &mut buffers, &mut ancillary, RecvFlags::CMSG_CLOEXEC).unwrap();
    if got.bytes == 0 {
        return None;
    }
    let mut descriptors = ancillary.drain().filter_map(|message| match message {
        RecvAncillaryMessage::ScmRights(fds) => Some(fds),
        _ => None,
    });
    let job = descriptors.next().and_then(|mut fds| fds.next()).unwrap();
    let start: Start = decode_packet(&packet[..got.bytes]).unwrap();
    if mode == "slow" {
        assert_eq!((start.time_limit_ms, start.memory_limit), (400, 1 << 30));
    }
    Some(UnixStream::from(job))
}

fn serve(mode: &str, mut job: UnixStream) {
    if mode == "early" {
        write_frame(&mut job, &Reply::Died { message: "early".into() }).unwrap();
        return;
    }
    let Ok(Request::Compile(request)) = read_frame(&mut job) else { return };
    if let Some(fault) = mode.strip_prefix("first-") {
        let program = env::args_os().next().unwrap();
        let served = Path::new(&program).with_file_name(format!("served-{mode}"));
        if fs::OpenOptions::new().write(true).create_new(true).open(served).is_ok() {
            return misbehave(fault, job);
        }
    }
    if mode == "slow" {
        thread::sleep(Duration::from_millis(150));
    }
    let log = std::process::id().to_string();
    write_frame(&mut job, &Reply::Built(Built { code: request.source, log, ..Built::default() })).unwrap();
}

fn misbehave(fault: &str, mut job: UnixStream) {
    let bytes: &[u8] = match fault {
        "hangs" => {
            // The client gives up by closing its end.
            thread::sleep(Duration::from_secs(20));
            &[]
        }
        "closes" => &[],
        "garbage-reply" => &[4, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff],
        "cut-reply" => &[100, 0, 0, 0, 0, 0, 0, 0, 1],
        "huge-length" => &[0xff; 8],
        other => panic!("{other}"),
    };
    job.write_all(bytes).unwrap();
    assert!(job.as_raw_fd() > 2);
}
