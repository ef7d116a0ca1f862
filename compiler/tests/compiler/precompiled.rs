// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Files with precompiled preambles: used when they are right, made when they are missing, and harmless in any other state.

use std::{
    collections::HashSet,
    fs,
    os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt, symlink},
    path::{Path, PathBuf},
    process::Command,
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::{Duration, Instant},
};

use syclrtc_protocol::{Built, Compile, Dependency, Reply, Request};

use crate::support::{
    Compiler, HEAD, PRECOMPILED, PROGRAM, Place, precompile, precompiled, precompiled_file, request, stages,
    with_files, with_head, with_names, with_options,
};

const KERNEL: &str = "SINGLE void k(int *p) { *p = 1; }\n";

/// What a background process takes at most, on a machine that does much else.
const PATIENCE: Duration = Duration::from_secs(120);

fn kernel() -> Compile {
    request(&with_head(KERNEL))
}

fn is_precompiled(built: &Built) -> bool {
    stages(built).contains(&PRECOMPILED)
}

/// A folder as the program makes it.
fn private(place: &Place, name: &str) -> PathBuf {
    let path = PathBuf::from(place.path(name));
    fs::DirBuilder::new().mode(0o700).create(&path).unwrap();
    path
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
}

fn preambles(folder: &Path) -> Vec<PathBuf> {
    names(folder).iter().filter(|name| name.ends_with(".preamble")).map(|name| folder.join(name)).collect()
}

fn wait_for(what: &str, mut condition: impl FnMut() -> bool) {
    let begin = Instant::now();
    while !condition() {
        assert!(begin.elapsed() < PATIENCE, "no {what}");
        thread::sleep(Duration::from_millis(20));
    }
}

/// Requests whose results come from many corners of the headers.
fn corpus() -> Vec<Compile> {
    let include =
        "#include <sycl/sycl.hpp>\n#include <algorithm>\n#include <cmath>\n#include <tuple>\n#include <vector>\n";
    let calls = with_head(
        "template <class T> struct Sum { T value{}; void add(T x) { value += sycl::sqrt(x) + sycl::exp(x); } };\n\
         SYCL_EXT_ONEAPI_FUNCTION_PROPERTY(syclexp::nd_range_kernel<2>) void k(float *p, int n) {\n\
         auto item = syclexp::this_work_item::get_nd_item<2>();\n Sum<float> sum;\n\
         for (int i = 0; i < n; ++i) sum.add(p[i]);\n sycl::vec<float, 4> v(sum.value);\n\
         sycl::group_barrier(item.get_group());\n\
         sycl::atomic_ref<float, sycl::memory_order::relaxed, sycl::memory_scope::device> a(p[0]);\n\
         a.fetch_add((v * 2.f).x());\n}\n",
    );
    let standard = format!(
        "{include}namespace syclexp = sycl::ext::oneapi::experimental;\nextern \"C\" \
         SYCL_EXT_ONEAPI_FUNCTION_PROPERTY(syclexp::single_task_kernel)\nvoid k(double *p) {{ std::tuple<int, double> t{{1, 2.}};\
         p[0] = std::max(std::sin(p[0]), std::get<1>(t)); constexpr auto s = __COUNTER__; p[1] = s; }}\n"
    );
    let globals = with_head(
        "syclexp::device_global<int> total;\nstatic syclexp::device_global<const float[3]> table{1.f, 2.f, 3.f};\n\
         SINGLE void k(int *p) { total = *p; *p = int(table[1]); }\n",
    );
    let overloads = with_head("SINGLE void k(float *p) { *p = sycl::clamp(sycl::range<2>(1, 2), 3, \"x\"); }\n");
    let concept =
        with_head("#include <vector>\nstruct N {};\nSINGLE void k(int *p) { std::vector<N> v; *p = v == v; }\n");
    let warns = with_head(
        "#include <tuple>\nSINGLE void k(int *p) { for (int i = 0; i < 3u; ++i) *p = i; std::get<1>(std::tuple<int, int>()); }\n\
         static void unused() {}\n",
    );
    let constructor = with_head("SINGLE void k(int *p) { sycl::range<2> r(1, 2, 3, 4); *p = r[0]; }\n");
    let counted = with_head("template <class T> SINGLE void k(T *p) { *p = T(1); }\n");
    vec![
        kernel(),
        request(&calls),
        with_options(&calls, &["-O1", "-Wall", "-Wextra", "-Rpass=inline"]),
        request(&standard),
        request(&globals),
        request(&overloads),
        request(&concept),
        request(&constructor),
        with_options(&warns, &["-Wall", "-Wextra", "-Wunused-result"]),
        with_options(&warns, &["-Weverything", "-Wno-c++98-compat"]),
        with_options(&warns, &["-Wall", "-Werror=unused-function"]),
        with_names(&counted, &["k<int>", "k<sycl::vec<float, 2>>"]),
        with_names(&counted, &["k<nosuch>"]),
        with_files(&with_head("#include \"a.h\"\nSINGLE void k(int *p) { *p = A; }\n"), &[("a.h", "#define A 3\n")]),
        with_options(&with_head("SINGLE void k(int *p) { *p = N + sizeof(_GLIBCXX_RELEASE); }\n"), &["-DN=4"]),
        // Words that the headers use and no directive of theirs looks at, and one that a directive does look at.
        with_options(&with_head(KERNEL), &["-D__leaf__=nonsense("]),
        with_options(&with_head(KERNEL), &["-D_Tp=nonsense("]),
        with_options(&with_head(KERNEL), &["-D_GLIBCXX_USE_CXX11_ABI=0"]),
        // From nothing in either case.
        with_options(&standard, &["-std=c++20", "-DNDEBUG"]),
    ]
}

/// Everything but the time.
fn said(reply: Reply) -> Reply {
    match reply {
        Reply::Built(built) => Reply::Built(Built { stages: Vec::new(), preamble: None, ..built }),
        other => other,
    }
}

// P8
#[test]
fn a_precompiled_preamble_changes_nothing() {
    let (parsed, behind) = (Compiler::start(), Compiler::start_with(precompiled()));
    // Requests that begin behind no precompiled preamble; in the second round, behind what their first parse left.
    let mut apart = HashSet::new();
    // Declarations are read one by one in the first round, and ahead in the second.
    for round in 0..2 {
        for (index, request) in corpus().into_iter().enumerate() {
            let (expected, reply) = (parsed.reply(&request), behind.reply(&request));
            if let (Reply::Built(expected), Reply::Built(built)) = (&expected, &reply) {
                if stages(expected).contains(&"front end from nothing") {
                    apart.insert(index);
                }
                assert_eq!(is_precompiled(built), !apart.contains(&index), "{:?}", request.options);
                assert_eq!(expected.preamble.is_some(), built.preamble.is_some());
            }
            assert_eq!(said(expected), said(reply), "round {round}: {request:#?}");
        }
        thread::sleep(Duration::from_millis(500));
    }
}

#[test]
fn the_files_of_the_preamble_are_known_without_reading_them() {
    let files = |compiler: &Compiler| {
        let digest = compiler.built(&kernel()).preamble.expect("the headers have files");
        let Reply::Files(files) = compiler.ask(&Request::PreambleFiles(digest)) else { panic!() };
        files
    };
    let (behind, parsed) = (files(&Compiler::start_with(precompiled())), files(&Compiler::start()));
    assert!(behind.iter().any(|file| file.path.ends_with(b"/cmath")), "{} files", behind.len());
    let missing = |list: &[Dependency], other: &[Dependency]| {
        let lacks = list.iter().filter(|entry| !other.contains(entry));
        lacks.map(|entry| (String::from_utf8_lossy(&entry.path).into_owned(), entry.state.clone())).collect::<Vec<_>>()
    };
    assert_eq!((missing(&behind, &parsed), missing(&parsed, &behind)), (Vec::new(), Vec::new()));
}

#[test]
fn the_file_beside_the_program_is_used() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("installed-{}", std::process::id()));
    let program = folder.join("syclrtc-compiler");
    let file = precompile(&folder);
    fs::hard_link(PROGRAM, &program).unwrap();
    let built = |argument: Option<&str>| Compiler::start_by(Command::new(&program).args(argument)).built(&kernel());
    assert!(is_precompiled(&built(None)));
    // It comes before the user's, and needs none.
    assert!(is_precompiled(&built(Some("--preambles=/nonexistent/preambles"))));
    assert!(!is_precompiled(&built(Some("--no-preambles"))));
    // Somebody else may have written to it.
    fs::set_permissions(&file, fs::Permissions::from_mode(0o664)).unwrap();
    assert!(!is_precompiled(&built(None)));
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_missing_file_is_made_for_the_next_process() {
    let place = Place::new("preamble-missing", &[("list", "")]);
    let folder = PathBuf::from(place.path("cache/preambles"));
    let first = Compiler::start_with(&folder);
    thread::sleep(Duration::from_millis(100));
    assert_eq!(names(&folder), [""; 0], "nobody has compiled");
    // What other builds of the program left.
    fs::DirBuilder::new().recursive(true).mode(0o700).create(&folder).unwrap();
    for (age, name) in ["a", "b", "c", "d", "e", "f"].iter().enumerate() {
        let old = folder.join(format!("{name}.preamble"));
        fs::write(&old, "").unwrap();
        let time = std::time::SystemTime::now() - Duration::from_secs(3600 * (age as u64 + 1));
        fs::File::options().write(true).open(old).unwrap().set_modified(time).unwrap();
    }
    assert!(!is_precompiled(&first.built(&kernel())));
    // A client that is gone by then does not keep the next one from having it.
    drop(first);
    let own = folder.join(precompiled_file().file_name().unwrap());
    wait_for("file", || own.exists());
    wait_for("end of the writer", || names(&folder).len() == 5);
    let mut left = names(&folder);
    left.sort();
    let mut expected =
        vec!["a.preamble", "b.preamble", "c.preamble", "lock", own.file_name().unwrap().to_str().unwrap()];
    expected.sort_unstable();
    assert_eq!(left, expected, "the newest of the others are left");
    let metadata = fs::metadata(&own).unwrap();
    assert_eq!((metadata.mode() & 0o777, fs::metadata(&folder).unwrap().mode() & 0o777), (0o600, 0o700));
    assert!(is_precompiled(&Compiler::start_with(&folder).built(&kernel())));
    // D-05: it is not written again.
    assert_eq!(fs::metadata(&own).unwrap().ino(), metadata.ino());
}

type Damage = Box<dyn Fn(&mut Vec<u8>)>;

/// Changes of a good file, each with a name.
fn damages() -> Vec<(&'static str, Damage)> {
    let flip = |at: fn(usize) -> usize| -> Damage {
        Box::new(move |bytes| {
            let at = at(bytes.len());
            bytes[at] ^= 0x40;
        })
    };
    vec![
        ("empty", Box::new(Vec::clear)),
        ("cut in its head", Box::new(|bytes| bytes.truncate(20))),
        ("cut in the middle", Box::new(|bytes| bytes.truncate(bytes.len() / 2))),
        ("without its last byte", Box::new(|bytes| bytes.truncate(bytes.len() - 1))),
        ("with more at the end", Box::new(|bytes| bytes.extend_from_slice(b"more"))),
        ("of another kind", Box::new(|bytes| bytes.fill(b'x'))),
        ("of another format", flip(|_| 8)),
        ("with another length", flip(|_| 50)),
        ("damaged in its description", flip(|_| 100)),
        ("damaged in the middle", flip(|length| length / 2)),
        ("damaged at its end", flip(|length| length - 1)),
    ]
}

// D-11: a damaged file only costs time.
#[test]
fn a_damaged_file_is_as_good_as_none() {
    let place = Place::new("preamble-damaged", &[("list", "")]);
    let good = fs::read(precompiled_file()).unwrap();
    for (what, damage) in damages() {
        let folder = private(&place, what);
        let mut bytes = good.clone();
        damage(&mut bytes);
        let file = folder.join(precompiled_file().file_name().unwrap());
        fs::write(&file, &bytes).unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
        // Held, the lock keeps the file from being made anew meanwhile.
        let lock = fs::File::create(folder.join("lock")).unwrap();
        lock.lock().unwrap();
        let built = Compiler::start_with(&folder).built(&kernel());
        assert!(!is_precompiled(&built), "{what}");
    }
}

#[test]
fn a_damaged_file_is_made_anew() {
    let place = Place::new("preamble-renewed", &[("list", "")]);
    let folder = private(&place, "preambles");
    let file = folder.join(precompiled_file().file_name().unwrap());
    fs::write(&file, "garbage").unwrap();
    assert!(!is_precompiled(&Compiler::start_with(&folder).built(&kernel())));
    wait_for("new file", || fs::metadata(&file).unwrap().len() > 1 << 20);
    assert!(is_precompiled(&Compiler::start_with(&folder).built(&kernel())));
}

// D-09
#[test]
fn links_and_strangers_are_not_trusted() {
    let place = Place::new("preamble-links", &[("precious", "precious")]);
    let precious = place.path("precious");
    let original = precompiled_file();
    let name = original.file_name().unwrap();
    let built = |folder: &Path| Compiler::start_with(folder).built(&kernel());
    let copy = |folder: &Path| {
        fs::copy(original, folder.join(name)).unwrap();
        fs::set_permissions(folder.join(name), fs::Permissions::from_mode(0o600)).unwrap();
    };

    let linked = private(&place, "linked-file");
    symlink(original, linked.join(name)).unwrap();
    symlink(&precious, linked.join("lock")).unwrap();
    assert!(!is_precompiled(&built(&linked)), "a link in place of the file");

    let good = private(&place, "good");
    copy(&good);
    assert!(is_precompiled(&built(&good)));
    symlink(&good, place.path("link")).unwrap();
    assert!(!is_precompiled(&built(Path::new(&place.path("link")))), "a link in place of the folder");

    let open = private(&place, "open");
    copy(&open);
    fs::set_permissions(&open, fs::Permissions::from_mode(0o777)).unwrap();
    assert!(!is_precompiled(&built(&open)), "a folder that anybody can write to");

    let writable = private(&place, "writable");
    copy(&writable);
    fs::set_permissions(writable.join(name), fs::Permissions::from_mode(0o666)).unwrap();
    assert!(!is_precompiled(&built(&writable)), "a file that anybody can write to");

    let pipe = private(&place, "pipe");
    rustix::fs::mknodat(rustix::fs::CWD, pipe.join(name), rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
    assert!(!is_precompiled(&built(&pipe)), "a pipe");

    assert_eq!(fs::read(precious).unwrap(), b"precious");
    assert_eq!(fs::read(original).unwrap().len(), fs::read(good.join(name)).unwrap().len());
}

// D-08, D-10
#[test]
fn a_folder_that_cannot_be_used_only_costs_time() {
    let place = Place::new("preamble-unusable", &[("file", "")]);
    for folder in [place.path("file"), place.path("file/preambles"), "/proc/preambles".into(), "/dev/null".into()] {
        assert!(!is_precompiled(&Compiler::start_with(Path::new(&folder)).built(&kernel())), "{folder}");
    }
    // No file may be larger than this: what a full disk does, in a test without a disk of its own.
    let full = private(&place, "full");
    let mut command = Command::new("sh");
    command.args(["-c", "trap '' XFSZ; ulimit -f 100; exec \"$@\"", "sh", PROGRAM]);
    command.arg(format!("--preambles={}", full.display()));
    assert!(!is_precompiled(&Compiler::start_by(&mut command).built(&kernel())));
    // The writer holds the lock while it works.
    wait_for("writer", || full.join("lock").exists());
    wait_for("end of the writer", || fs::File::open(full.join("lock")).unwrap().try_lock().is_ok());
    assert_eq!(names(&full), ["lock"], "nothing unfinished is left");
}

// A header that changed: the file is stale, and is made anew.
#[test]
fn a_changed_header_is_noticed() {
    let place = Place::new("preamble-stale", &[("include/cmath", "#include_next <cmath>\n#define FROM_CMATH 1\n")]);
    let folder = private(&place, "preambles");
    // The driver of clang reads this variable, so that a header of the machine can be changed here.
    let start = || {
        let mut command = Command::new(PROGRAM);
        command.env("CPLUS_INCLUDE_PATH", place.path("include"));
        Compiler::start_by(command.arg(format!("--preambles={}", folder.display())))
    };
    let value = |built: &Built| {
        let words: Vec<_> = built.code.chunks(4).map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect();
        // OpConstant of value 7001 or 7002
        words.windows(4).find(|w| w[0] == (4 << 16 | 43) && w[3] / 10 == 700).map(|w| w[3])
    };
    let source = with_head("SINGLE void k(unsigned *p) { *p = 7000 + FROM_CMATH; }\n");
    let first = start().built(&request(&source));
    assert_eq!((is_precompiled(&first), value(&first)), (false, Some(7001)));
    wait_for("file", || preambles(&folder).len() == 1);
    let second = start().built(&request(&source));
    assert_eq!((is_precompiled(&second), value(&second)), (true, Some(7001)));
    let inode = fs::metadata(&preambles(&folder)[0]).unwrap().ino();
    // D-01: of equal size, with an equal time.
    let header = place.path("include/cmath");
    let time = fs::metadata(&header).unwrap().modified().unwrap();
    fs::write(&header, "#include_next <cmath>\n#define FROM_CMATH 2\n").unwrap();
    fs::File::options().write(true).open(&header).unwrap().set_modified(time).unwrap();
    let third = start().built(&request(&source));
    assert_eq!((is_precompiled(&third), value(&third)), (false, Some(7002)));
    wait_for("new file", || fs::metadata(&preambles(&folder)[0]).is_ok_and(|metadata| metadata.ino() != inode));
    let fourth = start().built(&request(&source));
    assert_eq!((is_precompiled(&fourth), value(&fourth)), (true, Some(7002)));
}

// D-06, D-11: several processes, and somebody who removes the folder all the time.
#[test]
fn a_folder_that_vanishes_under_many_processes_disturbs_nobody() {
    let place = Place::new("preamble-vanishing", &[("list", "")]);
    let folder = PathBuf::from(place.path("preambles"));
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                let _ = fs::remove_dir_all(&folder);
                let _ = fs::DirBuilder::new().mode(0o700).create(&folder);
                let _ = fs::copy(precompiled_file(), folder.join(precompiled_file().file_name().unwrap()));
                thread::sleep(Duration::from_millis(3));
            }
        });
        let processes: Vec<_> = (0..8)
            .map(|_| {
                scope.spawn(|| {
                    let compiler = Compiler::start_with(&folder);
                    for _ in 0..3 {
                        assert_eq!(compiler.built(&kernel()).log, "");
                    }
                })
            })
            .collect();
        let outcomes: Vec<_> = processes.into_iter().map(|process| process.join()).collect();
        done.store(true, Ordering::Relaxed);
        assert!(outcomes.iter().all(Result::is_ok));
    });
}

#[test]
fn a_preamble_that_cannot_be_written_is_a_message() {
    let output = Command::new(PROGRAM).args(["--precompile", "/dev/null/x"]).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let message = String::from_utf8(output.stderr).unwrap();
    assert!(message.starts_with("syclrtc-compiler: no precompiled preamble in /dev/null/x: "), "{message}");
    // No C++ headers: the file is where the driver looks for them first, and they do not parse.
    let place = Place::new("preamble-broken", &[("include/cmath", "#error none\n")]);
    let mut command = Command::new(PROGRAM);
    command.args(["--precompile", &place.path("out")]).env("CPLUS_INCLUDE_PATH", place.path("include"));
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("the headers do not compile"));
    assert!(!Path::new(&place.path("out")).exists());
    assert!(HEAD.starts_with("#include <sycl/sycl.hpp>"));
}
