// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The persistent store by itself: faults of files and folders, and many processes at once.
//!
//! A test that needs other processes starts this program again with its own name and a role.

#[path = "support/folder.rs"]
mod folder;
#[path = "support/roles.rs"]
mod roles;

use std::{
    collections::HashSet,
    env, fs,
    io::Write,
    os::unix::fs::{MetadataExt, PermissionsExt, symlink},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use folder::Folder;
use roles::{ROLE, SHARED, again, finish, role, stderr_of, together};
use syclrtc::cache::{Key, KeyBuilder, Miss, Settings, Store, Tier, digest_of};

const TIER: Tier = Tier::Intermediate;
fn key(source: &str, option: &str) -> Key {
    let mut key = KeyBuilder::new("syclrtc store test", digest_of(source.as_bytes()));
    key.part("source").text("text", source);
    key.part("options").text("option", option);
    key.finish()
}

fn numbered(number: usize) -> Key {
    key(&format!("source {}", number / 4), &format!("-DN={number}"))
}

/// What belongs under a key: other bytes and another length for each.
fn payload(key: &Key, length: usize) -> Vec<u8> {
    let seed = key.digest().0;
    (0..length + usize::from(seed[0])).map(|index| seed[index % 32] ^ (index / 32) as u8).collect()
}

fn store(root: &Path) -> Store {
    limited(root, None)
}

fn limited(root: &Path, limit: Option<u64>) -> Store {
    Store::open(Settings { limit, ..Settings::new(root) }).expect("the folder can be used")
}

/// How often a race is run; `SYCLRTC_SOAK` sets another number.
fn rounds(usual: usize) -> usize {
    env::var("SYCLRTC_SOAK").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(usual)
}

fn never() -> impl FnMut() -> bool {
    || false
}

/// Waits for half a minute.
fn patient() -> impl FnMut() -> bool {
    let end = Instant::now() + Duration::from_secs(30);
    move || Instant::now() < end
}

/// The user's folder in a store.
fn inside(root: &Path) -> PathBuf {
    let mut found = fs::read_dir(root).unwrap().map(|entry| entry.unwrap().path());
    let one = found.next().expect("a folder of the user");
    assert_eq!(found.next(), None);
    one
}

/// All files of a folder and its folders.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => found.extend(files(&path)),
            false => found.push(path),
        }
    }
    found
}

/// Nothing is left of writers and makers, and every entry is whole.
fn assert_clean(root: &Path) {
    let own = inside(root);
    assert_eq!(files(&own.join("tmp")), [] as [PathBuf; 0]);
    assert_eq!(files(&own.join("locks")), [] as [PathBuf; 0]);
}

#[test]
fn an_entry_is_found_under_its_key_only() {
    let folder = Folder::new("found");
    let store = store(folder.path());
    let (one, other) = (key("s", "-O0"), key("s", "-O2"));
    assert_eq!(store.get(TIER, &one), None);
    assert_eq!(store.why_missing(TIER, &one), Miss::New);
    assert!(!store.has_source(&one.group()));
    store.put(TIER, &one, b"payload");
    assert_eq!(store.get(TIER, &one).as_deref(), Some(&b"payload"[..]));
    assert_eq!(store.get(TIER, &other), None);
    assert_eq!(store.get(Tier::Native, &one), None);
    assert_eq!(store.why_missing(TIER, &other), Miss::Differs(vec!["options"]));
    assert!(store.has_source(&one.group()) && !store.has_source(&key("t", "").group()));
    store.put(TIER, &one, b"");
    assert_eq!(store.get(TIER, &one).as_deref(), Some(&b""[..]));
    assert_eq!(store.usage().entries, 1);
    store.put(Tier::Native, &other, b"binary");
    assert_eq!(store.usage().entries, 2);
    assert_eq!(store.get(Tier::Native, &other).as_deref(), Some(&b"binary"[..]));
    store.clear();
    assert_eq!((store.usage().entries, store.usage().bytes), (0, 0));
    assert_eq!(store.get(TIER, &one), None);
    assert!(!store.has_source(&one.group()));
    assert_clean(folder.path());
}

// K8: what the user makes is the user's alone.
#[test]
fn nobody_else_can_look_into_the_store() {
    let folder = Folder::new("modes");
    let root = folder.path().join("made/below");
    let store = store(&root);
    store.put(TIER, &key("s", ""), b"payload");
    for path in [folder.path().join("made"), root.clone(), inside(&root), inside(&root).join("tmp")] {
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o700, "{}", path.display());
    }
    let file = store.entry_path(TIER, &key("s", ""));
    assert_eq!(fs::metadata(file).unwrap().permissions().mode() & 0o777, 0o600);
    // Another user may have prepared it.
    fs::set_permissions(inside(&root), PermissionsExt::from_mode(0o777)).unwrap();
    assert_eq!(store.get(TIER, &key("s", "")), None);
    assert!(Store::open(Settings::new(&root)).is_none());
}

// D-05, K2
#[test]
fn another_process_finds_what_this_one_stored() {
    let (one, test) = (key("s", "-O2"), "another_process_finds_what_this_one_stored");
    if let Some((_, shared)) = role() {
        assert_eq!(store(&shared).get(TIER, &one), Some(payload(&one, 5000)));
        return;
    }
    let folder = Folder::new("again");
    let store = store(folder.path());
    store.put(TIER, &one, &payload(&one, 5000));
    let before = fs::metadata(store.entry_path(TIER, &one)).unwrap();
    assert!(before.len() > 5000);
    thread::sleep(Duration::from_millis(20));
    finish(again(test, "reader", folder.path()).spawn().unwrap());
    let after = fs::metadata(store.entry_path(TIER, &one)).unwrap();
    assert_eq!((before.ino(), before.modified().unwrap()), (after.ino(), after.modified().unwrap()));
}

// K3, P21: magic, version, length, key and content.
#[test]
fn a_damaged_entry_is_no_entry_and_is_replaced() {
    let folder = Folder::new("damaged");
    let store = store(folder.path());
    let one = key("s", "");
    let content = payload(&one, 300);
    store.put(TIER, &one, &content);
    let path = store.entry_path(TIER, &one);
    let good = fs::read(&path).unwrap();
    for at in 0..good.len() {
        let mut bad = good.clone();
        bad[at] ^= 1 << (at % 8);
        fs::write(&path, &bad).unwrap();
        assert_eq!(store.get(TIER, &one), None, "byte {at}");
        // Whatever is in it, looking for the reason of a miss is safe.
        let _ = store.why_missing(TIER, &key("s", "other"));
    }
    for length in [0, 1, 20, good.len() / 2, good.len() - 1] {
        fs::write(&path, &good[..length]).unwrap();
        assert_eq!(store.get(TIER, &one), None, "{length} bytes");
    }
    fs::write(&path, [&good[..], b"more"].concat()).unwrap();
    assert_eq!(store.get(TIER, &one), None);
    store.put(TIER, &one, &content);
    assert_eq!(store.get(TIER, &one), Some(content));
    // A whole entry under the name of another key.
    let other = key("s", "-O2");
    fs::copy(&path, store.entry_path(TIER, &other)).unwrap();
    assert_eq!(store.get(TIER, &other), None);
    // A pipe and a folder in the place of an entry.
    fs::remove_file(&path).unwrap();
    assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
    assert_eq!(store.get(TIER, &one), None);
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    assert_eq!(store.get(TIER, &one), None);
    store.put(TIER, &one, b"payload");
    assert_clean(folder.path());
}

// D-06: all start cold with the same keys; each is made once.
#[test]
fn many_processes_make_each_entry_once() {
    const KEYS: usize = 25;
    if let Some((role, shared)) = role() {
        let store = store(&shared.join("cache"));
        let made = shared.join("made");
        let first: usize = role.parse().unwrap();
        for number in (0..KEYS).map(|index| (index + first * 3) % KEYS) {
            let key = numbered(number);
            let found = store.get(TIER, &key).unwrap_or_else(|| {
                let _claim = store.claim(TIER, &key, &mut patient());
                store.get(TIER, &key).unwrap_or_else(|| {
                    let mut log = fs::OpenOptions::new().append(true).create(true).open(&made).unwrap();
                    log.write_all(format!("{number}\n").as_bytes()).unwrap();
                    let content = payload(&key, 20_000);
                    store.put(TIER, &key, &content);
                    content
                })
            });
            assert_eq!(found, payload(&key, 20_000), "{number}");
        }
        return;
    }
    for _ in 0..rounds(3) {
        let folder = Folder::new("cold");
        together("many_processes_make_each_entry_once", 12, folder.path());
        let made = fs::read_to_string(folder.path().join("made")).unwrap();
        let distinct: HashSet<&str> = made.lines().collect();
        assert_eq!((distinct.len(), made.lines().count()), (KEYS, KEYS), "{made}");
        let root = folder.path().join("cache");
        assert_clean(&root);
        let store = store(&root);
        assert_eq!(store.usage().entries, KEYS as u64);
        for number in 0..KEYS {
            let key = numbered(number);
            assert_eq!(store.get(TIER, &key), Some(payload(&key, 20_000)));
        }
    }
}

// D-06: lock files survive kill -9.
#[test]
fn a_maker_that_is_killed_is_replaced_and_a_waiter_can_lose_its_patience() {
    let one = key("s", "");
    if let Some((_, shared)) = role() {
        let claim = store(&shared).claim(TIER, &one, &mut never());
        assert!(claim.is_held());
        fs::write(shared.join("held"), "").unwrap();
        thread::sleep(Duration::from_secs(60));
        return;
    }
    let folder = Folder::new("killed");
    let store = store(folder.path());
    let test = "a_maker_that_is_killed_is_replaced_and_a_waiter_can_lose_its_patience";
    let mut child = again(test, "holder", folder.path()).spawn().unwrap();
    let end = Instant::now() + Duration::from_secs(30);
    while !folder.path().join("held").exists() {
        assert!(Instant::now() < end, "the other process got no claim");
        thread::sleep(Duration::from_millis(2));
    }
    fs::remove_file(folder.path().join("held")).unwrap();
    let mut asked = 0;
    let claim = store.claim(TIER, &one, &mut || {
        asked += 1;
        asked < 3
    });
    assert!(!claim.is_held());
    assert_eq!(asked, 3);
    // Other keys do not wait, nor does a look at an entry.
    assert!(store.claim(TIER, &key("s", "other"), &mut never()).is_held());
    assert!(store.claim(Tier::Native, &one, &mut never()).is_held());
    store.put(TIER, &one, b"old");
    assert!(store.get(TIER, &one).is_some());
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(!files(&inside(folder.path()).join("locks")).is_empty(), "the holder could not clean up");
    let claim = store.claim(TIER, &one, &mut patient());
    assert!(claim.is_held());
    // In this process, too.
    assert!(!store.claim(TIER, &one, &mut never()).is_held());
    drop(claim);
    assert_clean(folder.path());
}

// A lock is the process's, not its children's.
#[test]
fn a_child_of_fork_holds_nobody_up() {
    let one = key("s", "");
    if let Some((_, shared)) = role() {
        let store = store(&shared);
        let claim = store.claim(TIER, &one, &mut never());
        assert!(claim.is_held());
        // SAFETY: the child only waits, and ends without running anything else.
        let child = unsafe { libc::fork() };
        if child == 0 {
            // SAFETY: both are async-signal-safe.
            unsafe {
                libc::pause();
                libc::_exit(0);
            }
        }
        assert!(child > 0);
        drop(claim);
        let free = store.claim(TIER, &one, &mut never()).is_held();
        // SAFETY: the child of above, which nobody has waited for.
        unsafe {
            libc::kill(child, libc::SIGKILL);
            libc::waitpid(child, std::ptr::null_mut(), 0);
        }
        assert!(free, "the child has the lock");
        return;
    }
    let folder = Folder::new("fork");
    finish(again("a_child_of_fork_holds_nobody_up", "parent", folder.path()).spawn().unwrap());
}

// A failure is not stored. Those who waited for it must not repeat it one after the other.
#[test]
fn who_waited_for_a_maker_without_success_does_not_wait_again() {
    let folder = Folder::new("failed");
    let store = store(folder.path());
    let one = key("s", "");
    let claim = store.claim(TIER, &one, &mut never());
    thread::scope(|scope| {
        let waiters: Vec<_> =
            (0..3).map(|_| scope.spawn(|| store.claim(TIER, &one, &mut patient()).is_held())).collect();
        thread::sleep(Duration::from_millis(50));
        drop(claim);
        for waiter in waiters {
            assert!(!waiter.join().unwrap());
        }
    });
    assert_clean(folder.path());
}

// D-07
#[test]
fn eviction_among_many_writers_ends_below_the_limit() {
    const LIMIT: u64 = 1 << 20;
    if let Some((role, shared)) = role() {
        let store = limited(&shared, Some(LIMIT));
        let mut number: usize = role.parse::<usize>().unwrap() + 1;
        for _ in 0..100 {
            number = number * 1_103_515_245 % 2_147_483_647 + 12345;
            let key = numbered(number % 400);
            let expected = payload(&key, 9000);
            match store.get(TIER, &key) {
                Some(found) => assert_eq!(found, expected),
                None => assert!(store.put(TIER, &key, &expected)),
            }
        }
        return;
    }
    for _ in 0..rounds(1) {
        let folder = Folder::new("evicted");
        together("eviction_among_many_writers_ends_below_the_limit", 8, folder.path());
        let store = limited(folder.path(), Some(LIMIT));
        let usage = store.usage();
        assert!(usage.bytes <= LIMIT && usage.bytes > LIMIT / 2, "{usage:?}");
        let entries: Vec<PathBuf> =
            ["intermediate", "native"].map(|tier| files(&inside(folder.path()).join(tier))).concat();
        assert_eq!(entries.len() as u64, usage.entries);
        let bytes: u64 = entries.iter().map(|path| fs::metadata(path).unwrap().len()).sum();
        assert!(bytes <= usage.bytes && bytes > usage.bytes / 2);
        let whole = (0..400).filter(|number| {
            let key = numbered(*number);
            store.get(TIER, &key).is_some_and(|found| found == payload(&key, 9000))
        });
        assert_eq!(whole.count() as u64, usage.entries);
        assert_clean(folder.path());
    }
}

// D-10: by last use, which the time of access does not tell.
#[test]
fn the_least_recently_used_leaves_first_and_a_locked_one_stays() {
    let folder = Folder::new("lru");
    // Each entry counts for 12 KiB.
    let store = limited(folder.path(), Some(100_000));
    let content = vec![7; 9000];
    let put = |number: usize| {
        store.put(TIER, &numbered(number), &content);
        thread::sleep(Duration::from_millis(12));
    };
    (0..7).for_each(put);
    assert!(store.get(TIER, &numbered(0)).is_some());
    thread::sleep(Duration::from_millis(12));
    let claim = store.claim(TIER, &numbered(1), &mut never());
    // Whoever reads the files, for a backup, does not use the entries.
    fs::copy(store.entry_path(TIER, &numbered(2)), folder.path().join("copy")).unwrap();
    put(7);
    assert_eq!(store.usage().entries, 8);
    put(8);
    let there: Vec<usize> = (0..9).filter(|number| store.entry_path(TIER, &numbered(*number)).exists()).collect();
    assert_eq!(there, [0, 1, 5, 6, 7, 8]);
    drop(claim);
    store.set_limit(Some(40_000));
    assert!(store.usage().bytes <= 40_000);
    assert!(store.entry_path(TIER, &numbered(8)).exists());
    // One that is larger than all may be is not stored, and pushes nothing out.
    assert!(!store.put(TIER, &numbered(9), &vec![0; 50_000]));
    assert!(store.get(TIER, &numbered(9)).is_none() && store.get(TIER, &numbered(8)).is_some());
    store.set_limit(None);
    (10..30).for_each(|number| assert!(store.put(TIER, &numbered(number), &content)));
    assert!(store.usage().entries > 20);
}

// D-10: a working set of 80 % of the limit.
#[test]
fn a_working_set_below_the_limit_stays() {
    let folder = Folder::new("working_set");
    let store = limited(folder.path(), Some(1_000_000));
    for round in 0..3 {
        for number in 0..65 {
            let key = numbered(number);
            let found = store.get(TIER, &key);
            assert_eq!(found.is_some(), round > 0, "{number} in round {round}");
            if found.is_none() {
                store.put(TIER, &key, &payload(&key, 11_500));
            }
        }
    }
}

fn fill(store: &Store, count: usize) {
    for number in 0..count {
        let key = numbered(number);
        let content = payload(&key, 10_000);
        let _claim = store.claim(TIER, &key, &mut never());
        store.put(TIER, &key, &content);
        assert!(store.get(TIER, &key).is_none_or(|found| found == content));
    }
}

/// Whether this process may mount what only it sees.
fn can_mount(folder: &Path) -> bool {
    let script = "mount -t tmpfs none \"$0\"";
    let mut command = Command::new("unshare");
    command.args(["--mount", "--map-root-user", "sh", "-c", script]).arg(folder).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

/// Runs a role of a test after a shell script that mounts something.
fn mounted(test: &str, role: &str, shared: &Path, script: &str) -> Option<String> {
    if !can_mount(shared) {
        say("skipped: this user cannot mount a file system; a limit on files stands for a full one");
        return None;
    }
    let inner = again(test, role, shared);
    let mut command = Command::new("unshare");
    command.args(["--mount", "--map-root-user", "sh", "-e", "-c"]).arg(format!("{script}\nexec \"$@\"")).arg("sh");
    command.arg(inner.get_program()).args(inner.get_args());
    command.env(ROLE, role).env(SHARED, shared).stdout(Stdio::piped()).stderr(Stdio::piped());
    Some(stderr_of(&mut command))
}

#[expect(clippy::print_stderr, reason = "tests say what they skip")]
fn say(line: &str) {
    eprintln!("{line}");
}

// D-10, K7: no space.
#[test]
fn a_full_disk_only_keeps_less() {
    if let Some((_, shared)) = role() {
        let store = store(&shared);
        fill(&store, 500);
        let usage = store.usage();
        assert!(usage.entries > 50 && usage.entries < 250 && usage.bytes <= 2 << 20, "{usage:?}");
        assert_clean(&shared);
        return;
    }
    let folder = Folder::new("full");
    let script = format!("mount -t tmpfs -o size=2m none '{}'", folder.path().display());
    if let Some(said) = mounted("a_full_disk_only_keeps_less", "full", folder.path(), &script) {
        assert_eq!(said, "");
    }
}

// D-10: the write of an entry fails in the middle, also where nothing can be mounted.
#[test]
fn a_write_that_fails_leaves_nothing() {
    if let Some((_, shared)) = role() {
        let store = store(&shared);
        let (small, large) = (key("s", "small"), key("s", "large"));
        assert!(!store.put(TIER, &large, &vec![1; 100_000]));
        assert_eq!(store.get(TIER, &large), None);
        assert!(store.put(TIER, &small, &[1; 1000]));
        assert!(store.get(TIER, &small).is_some());
        assert_eq!(store.usage().entries, 1);
        assert_clean(&shared);
        return;
    }
    let folder = Folder::new("file_size");
    let inner = again("a_write_that_fails_leaves_nothing", "limited", folder.path());
    let mut command = Command::new("sh");
    command.args(["-c", "trap '' XFSZ; ulimit -f 40; exec \"$@\"", "sh"]);
    command.arg(inner.get_program()).args(inner.get_args()).env(ROLE, "limited").env(SHARED, folder.path());
    command.env("SYCL_CACHE_TRACE", "1").stdout(Stdio::piped()).stderr(Stdio::piped());
    let said = stderr_of(&mut command);
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(lines[0], "[Persistent Cache]: enabled");
    let path = folder.path().to_str().unwrap();
    assert!(lines[1].contains(path) && lines[1].contains("SYCL_CACHE_DIR"), "{said}");
    assert_eq!(lines.len(), 2, "{said}");
}

// D-08, K7: hits are served from what can only be read.
#[test]
fn a_folder_that_can_only_be_read_serves_hits() {
    let one = key("s", "");
    if let Some((_, shared)) = role() {
        let store = store(&shared);
        assert!(store.get(TIER, &one).is_some());
        let other = key("s", "other");
        assert!(!store.claim(TIER, &other, &mut never()).is_held());
        store.put(TIER, &other, b"payload");
        assert_eq!(store.get(TIER, &other), None);
        store.clear();
        store.set_limit(Some(1));
        assert!(store.get(TIER, &one).is_some());
        return;
    }
    let folder = Folder::new("read_only");
    store(folder.path()).put(TIER, &one, b"payload");
    let path = folder.path().display();
    let script = format!("mount --bind '{path}' '{path}'; mount -o remount,bind,ro '{path}'");
    if let Some(said) = mounted("a_folder_that_can_only_be_read_serves_hits", "reader", folder.path(), &script) {
        assert_eq!(said, "");
    }
}

// D-11: the folder goes away while it is in use.
#[test]
fn a_folder_that_is_removed_is_made_again() {
    let folder = Folder::new("removed");
    let root = folder.path().join("cache");
    let store = store(&root);
    thread::scope(|scope| {
        let worker = scope.spawn(|| fill(&store, 300));
        while !worker.is_finished() {
            let _ = fs::remove_dir_all(&root);
            thread::sleep(Duration::from_millis(3));
        }
        worker.join().unwrap();
    });
    store.put(TIER, &key("s", ""), b"payload");
    assert!(store.get(TIER, &key("s", "")).is_some());
}

// D-08
#[test]
fn without_a_usable_folder_the_cache_is_off_and_one_line_says_so() {
    let test = "without_a_usable_folder_the_cache_is_off_and_one_line_says_so";
    if let Some((role, _)) = role() {
        let store = Store::of_process().unwrap();
        assert_eq!(store.is_some(), role == "usable", "{store:?}");
        return;
    }
    let folder = Folder::new("unusable");
    let file = folder.path().join("file");
    fs::write(&file, "").unwrap();
    let (file, good) = (file.to_str().unwrap().to_owned(), folder.path().to_str().unwrap());
    let long = format!("{good}/{}", "x".repeat(5000));
    let inside_file = format!("{file}/inside");
    let run = |role: &str, variables: &[(&str, &str)], trace: bool| {
        let mut command = again(test, role, folder.path());
        command.env_clear().env(ROLE, role).env(SHARED, folder.path()).env("SYCL_CACHE_PERSISTENT", "1");
        command.envs(variables.iter().copied()).envs(trace.then_some(("SYCL_CACHE_TRACE", "1")));
        stderr_of(&mut command)
    };
    type Unusable<'a> = (&'a [(&'a str, &'a str)], &'a str, &'a str);
    let unusable: [Unusable<'_>; 6] = [
        (&[("HOME", "/proc")], "/proc/.cache/syclrtc_cache", "HOME"),
        (&[("HOME", "/dev/null")], "/dev/null/.cache/syclrtc_cache", "HOME"),
        (&[("XDG_CACHE_HOME", &file)], &file, "XDG_CACHE_HOME"),
        (&[("SYCL_CACHE_DIR", &file)], &file, "SYCL_CACHE_DIR"),
        (&[("SYCL_CACHE_DIR", &inside_file)], &file, "SYCL_CACHE_DIR"),
        (&[("SYCL_CACHE_DIR", &long), ("HOME", good)], &long[..150], "SYCL_CACHE_DIR"),
    ];
    for (variables, path, name) in unusable {
        assert_eq!(run("unusable", variables, false), "", "{variables:?}");
        let said = run("unusable", variables, true);
        assert_eq!(said.lines().count(), 1, "{said}");
        assert!(said.contains(path) && said.contains(name) && said.len() < 600, "{said}");
    }
    for nowhere in [&[][..], &[("HOME", "")], &[("HOME", "relative")], &[("HOME", ""), ("SYCL_CACHE_DIR", "")]] {
        let said = run("unusable", nowhere, true);
        assert!(said.contains("SYCL_CACHE_DIR") && said.contains("HOME") && said.lines().count() == 1, "{said}");
    }
    assert_eq!(run("off", &[("HOME", good), ("SYCL_CACHE_PERSISTENT", "0")], true), "");
    assert_eq!(run("usable", &[("HOME", good), ("SYCL_CACHE_DIR", "")], true), "[Persistent Cache]: enabled\n");
    assert!(folder.path().join(".cache/syclrtc_cache").is_dir());
    assert_eq!(run("usable", &[("HOME", "/proc"), ("XDG_CACHE_HOME", good)], false), "");
    assert!(folder.path().join("syclrtc_cache").is_dir());
}

#[test]
fn limits_of_the_environment_are_read() {
    let test = "limits_of_the_environment_are_read";
    if let Some((role, _)) = role() {
        let store = Store::of_process();
        let Some(expected) = role.strip_prefix("limit ") else {
            let error = store.expect_err("the limit is no number");
            assert_eq!(error.code, syclrtc::error::Errc::Runtime);
            assert!(error.message.contains("SYCL_CACHE_MAX_SIZE") && error.message.contains(&role), "{error}");
            return;
        };
        let store = store.unwrap().unwrap();
        assert_eq!(store.limit().map_or("none".to_owned(), |limit| limit.to_string()), expected);
        let sizes = [10, 100, 1000].map(|size| {
            let key = key("size", &size.to_string());
            store.put(TIER, &key, &vec![0; size]);
            store.get(TIER, &key).is_some()
        });
        let bounds = env::var_os("SYCL_CACHE_MIN_DEVICE_IMAGE_SIZE").is_some_and(|value| value == "100");
        assert_eq!(sizes, [!bounds, true, !bounds]);
        return;
    }
    for (role, variables) in [
        ("limit 1073741824", &[][..]),
        ("limit none", &[("SYCL_CACHE_MAX_SIZE", "0")]),
        ("limit 30000", &[("SYCL_CACHE_MAX_SIZE", "30000"), ("SYCL_CACHE_THRESHOLD", "x")]),
        ("limit none", &[("SYCL_CACHE_MAX_SIZE", "30000"), ("SYCL_CACHE_EVICTION_DISABLE", "1")]),
        ("-1", &[("SYCL_CACHE_MAX_SIZE", "-1")]),
        ("large", &[("SYCL_CACHE_MAX_SIZE", "large")]),
        (
            "limit 1073741824",
            &[("SYCL_CACHE_MIN_DEVICE_IMAGE_SIZE", "100"), ("SYCL_CACHE_MAX_DEVICE_IMAGE_SIZE", "100")],
        ),
        (
            "limit 1073741824",
            &[("SYCL_CACHE_MIN_DEVICE_IMAGE_SIZE", "-1"), ("SYCL_CACHE_MAX_DEVICE_IMAGE_SIZE", "much")],
        ),
    ] {
        let folder = Folder::new("limits");
        let mut command = again(test, role, folder.path());
        command.env("SYCL_CACHE_PERSISTENT", "1").env("SYCL_CACHE_DIR", folder.path());
        assert_eq!(stderr_of(command.envs(variables.iter().copied())), "", "{role}");
    }
}

// Section 12: programs look for these lines.
#[test]
fn the_lines_of_a_trace_are_those_that_programs_look_for() {
    let one = key("s", "");
    if let Some((role, shared)) = role() {
        let store = limited(&shared, Some(24_000));
        for tier in [TIER, Tier::Native] {
            assert_eq!(store.get(tier, &one), None);
            let claim = store.claim(tier, &one, &mut never());
            store.put(tier, &one, &[0; 6000]);
            drop(claim);
            assert!(store.get(tier, &one).is_some());
        }
        assert_eq!(role, "trace");
        store.put(Tier::Native, &key("s", "more"), &[0; 6000]);
        return;
    }
    let run = |mask: &str| {
        let folder = Folder::new("trace");
        let mut command = again("the_lines_of_a_trace_are_those_that_programs_look_for", "trace", folder.path());
        let said = stderr_of(command.env("SYCL_CACHE_TRACE", mask));
        said.replace(inside(folder.path()).to_str().unwrap(), "<root>").replace(&one.hex(), "<key>")
    };
    let group = digest_of(b"s").0.map(|byte| format!("{byte:02x}")).concat();
    let compiler = format!(
        "[kernel_compiler Persistent Cache]: cache miss: <key>\n\
         [kernel_compiler Persistent Cache]: storing device code IR: <root>/intermediate/{group}/<key>\n\
         [kernel_compiler Persistent Cache]: using cached device code IR: <root>/intermediate/{group}/<key>\n"
    );
    let disk = format!(
        "[Persistent Cache]: device binary has been cached\n\
         [Persistent Cache]: using cached device binary\n\
         [Persistent Cache]: device binary has been cached\n\
         [Persistent Cache]: Cache eviction triggered.\n\
         [Persistent Cache]: File removed: <root>/intermediate/{group}/<key>\n"
    );
    assert_eq!(run("0"), "");
    assert_eq!(run("2"), "");
    assert_eq!(run("4"), compiler);
    let enabled = "[Persistent Cache]: enabled\n".to_owned();
    assert_eq!(run("1"), format!("{enabled}{disk}"));
    assert_eq!(run("8"), run("yes"));
    assert_eq!(run("7"), format!("{enabled}{compiler}{disk}"));
}

// D-09
#[test]
fn links_in_the_place_of_our_files_lead_nowhere() {
    let one = key("s", "");
    let use_all = |store: &Store| {
        let _ = store.get(TIER, &one);
        let _ = store.why_missing(TIER, &one);
        let _claim = store.claim(TIER, &one, &mut never());
        store.put(TIER, &one, b"payload");
        store.set_limit(Some(1));
        store.set_limit(None);
        store.put(TIER, &one, b"payload");
        store.clear();
    };
    // Learn the names that the store uses.
    let model = Folder::new("names");
    let store = store(model.path());
    let own = inside(model.path());
    let claim = store.claim(TIER, &one, &mut never());
    store.put(TIER, &one, b"payload");
    store.set_limit(Some(1));
    store.set_limit(None);
    store.put(TIER, &one, b"payload");
    let mut names: Vec<PathBuf> = files(&own);
    assert!(names.len() >= 4, "{names:?}");
    let folders: Vec<PathBuf> = names.iter().filter_map(|file| file.parent().map(Path::to_owned)).collect();
    names.extend(folders);
    names.push(own.join("tmp"));
    drop(claim);
    let names: HashSet<&Path> = names.iter().map(|path| path.strip_prefix(model.path()).unwrap()).collect();
    for name in &names {
        let folder = Folder::new("planted");
        let precious = folder.path().join("precious");
        let root = folder.path().join("cache");
        fs::create_dir(&precious).unwrap();
        fs::write(precious.join("file"), "precious").unwrap();
        let store = Store::open(Settings::new(&root)).unwrap();
        store.put(TIER, &one, b"payload");
        let place = root.join(name);
        let target = match model.path().join(name).is_dir() {
            true => precious.clone(),
            false => precious.join("file"),
        };
        let _ = fs::remove_file(&place);
        let _ = fs::remove_dir_all(&place);
        fs::create_dir_all(place.parent().unwrap()).unwrap();
        symlink(&target, &place).unwrap();
        use_all(&store);
        assert_eq!(fs::read_to_string(precious.join("file")).unwrap(), "precious", "{}", name.display());
        assert_eq!(files(&precious).len(), 1, "{}", name.display());
    }
    // A root that is a link of the user is what the user wants.
    let folder = Folder::new("own_link");
    let (to, link) = (folder.path().join("to"), folder.path().join("link"));
    fs::create_dir(&to).unwrap();
    symlink(&to, &link).unwrap();
    let linked = Store::open(Settings::new(&link)).unwrap();
    linked.put(TIER, &one, b"payload");
    assert!(limited(&to, None).get(TIER, &one).is_some());
}
