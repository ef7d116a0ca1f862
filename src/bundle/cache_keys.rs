// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#![forbid(unsafe_code)]
//! The keys of requests: what shapes the answer of the compiler program.
//!
//! Names of main files stay out, since equal sources of different bundles are to share a result. So do the time and memory
//! that a compile may take. Files outside the request are not known beforehand; an entry says which they were.

use syclrtc_protocol::{Compile, Link, Output, PROTOCOL_VERSION, Request, Target, TargetFormat};

use crate::cache::{Digest, Key, KeyBuilder, digest_of};

/// What answers requests.
#[derive(Debug, Clone, Copy)]
pub(super) struct Maker<'a> {
    /// Which build of the compiler program it is.
    pub(super) program: &'a str,
    /// What it takes from the environment.
    pub(super) inputs: &'a [(&'static str, Option<String>)],
}

/// Changes with what an entry is.
const DOMAIN: &str = "syclrtc intermediate 1";

/// Keys of one request.
#[derive(Debug, Clone)]
pub(super) struct Keys {
    /// Without the current directory: for a result that does not depend on it. `None` if the options alone say that it may.
    pub(super) anywhere: Option<Key>,
    /// With the current directory.
    pub(super) here: Key,
}

impl Keys {
    /// `None` if the answer must not be kept.
    pub(super) fn of(request: &Request, maker: Maker<'_>) -> Option<Self> {
        match request {
            Request::Compile(compile) => of_compile(compile, maker),
            Request::Link(link) => Some(of_link(link, maker)),
            Request::PreambleFiles(_) | Request::Disassemble(_) => None,
        }
    }

    /// The one under which a result is looked for first, and that processes agree on who compiles by.
    pub(super) fn first(&self) -> &Key {
        self.anywhere.as_ref().unwrap_or(&self.here)
    }

    /// In the order in which they are looked at.
    pub(super) fn all(&self) -> impl Iterator<Item = &Key> {
        let other = (self.anywhere.as_ref() != Some(&self.here)).then_some(&self.here);
        self.anywhere.iter().chain(other)
    }
}

/// The files behind a digest do not change, so it is their key.
pub(super) fn of_preamble(digest: Digest) -> Key {
    let mut key = KeyBuilder::new("syclrtc preamble files 1", digest);
    key.part("protocol").number("version", u64::from(PROTOCOL_VERSION));
    key.finish()
}

/// For how the compiler inside a program introduces itself.
pub(super) fn of_introduction(program: &str) -> Key {
    KeyBuilder::new("syclrtc introduction 1", digest_of(program.as_bytes())).finish()
}

fn of_compile(compile: &Compile, maker: Maker<'_>) -> Option<Keys> {
    if compile.options.iter().any(|option| option.starts_with("-ftime-trace")) || asks_for_the_time(compile) {
        return None;
    }
    let source = digest_of(&compile.source);
    let files: Vec<Digest> = compile.include_files.iter().map(|file| digest_of(&file.content)).collect();
    let key = |directory: Option<&str>| {
        let mut key = KeyBuilder::new(DOMAIN, source);
        let kind = if compile.output == Output::Object { "compile" } else { "build" };
        key.part("kind").text("kind", kind);
        key.part("source").bytes("digest", &source.0);
        let part = key.part("include_files");
        part.count("files", files.len());
        for (file, content) in compile.include_files.iter().zip(&files) {
            part.text("name", &file.name).bytes("content", &content.0);
        }
        key.part("options").texts("option", compile.options.iter().map(String::as_str));
        key.part("registered_names").texts("name", compile.registered_names.iter().map(String::as_str));
        if let Some(directory) = directory {
            key.part("directory").text("directory", directory);
        }
        if let Output::Image(target) = &compile.output {
            add_target(&mut key, target);
        }
        add_compiler(&mut key, maker);
        key.finish()
    };
    let anywhere = (!options_name_places(&compile.options)).then(|| key(None));
    Some(Keys { anywhere, here: key(Some(&compile.working_directory)) })
}

fn of_link(link: &Link, maker: Maker<'_>) -> Keys {
    let mut group = KeyBuilder::new(DOMAIN, digest_of(b"link"));
    let part = group.part("objects");
    part.count("objects", link.objects.len());
    for object in &link.objects {
        part.bytes("bitcode", &object.bitcode);
        // A table that cannot be written has no bytes, and was not read from anywhere either.
        part.bytes("table", &postcard::to_stdvec(&object.table).unwrap_or_default());
    }
    let group = group.finish().digest();
    let mut key = KeyBuilder::new(DOMAIN, group);
    key.part("kind").text("kind", "link");
    key.part("objects").bytes("digest", &group.0);
    add_target(&mut key, &link.target);
    add_compiler(&mut key, maker);
    let key = key.finish();
    Keys { anywhere: Some(key.clone()), here: key }
}

fn add_target(key: &mut KeyBuilder, target: &Target) {
    let part = key.part("target");
    let TargetFormat::Spirv { version: (major, minor), extensions } = &target.format;
    part.text("format", "spirv").number("major", u64::from(*major)).number("minor", u64::from(*minor));
    part.texts("extension", extensions.iter().map(String::as_str));
    part.count("aspects", target.aspects.len());
    for aspect in &target.aspects {
        part.number("aspect", u64::from(*aspect));
    }
}

fn add_compiler(key: &mut KeyBuilder, maker: Maker<'_>) {
    let part = key.part("compiler");
    part.text("program", maker.program);
    part.text("library", env!("CARGO_PKG_VERSION")).number("protocol", u64::from(PROTOCOL_VERSION));
    for (name, value) in maker.inputs {
        part.text(name, value.as_deref().unwrap_or_default()).number("set", u64::from(value.is_some()));
    }
}

/// Whether the answer is another one each time. A header outside the request is not looked at.
fn asks_for_the_time(compile: &Compile) -> bool {
    let texts = compile.include_files.iter().map(|file| file.content.as_slice()).chain([compile.source.as_slice()]);
    let words: [&[u8]; 3] = [b"__TIME__", b"__DATE__", b"__TIMESTAMP__"];
    texts.into_iter().any(|text| {
        // Rare, so the common beginning is looked for.
        text.windows(4).enumerate().any(|(at, start)| {
            (start == b"__TI" || start == b"__DA") && words.iter().any(|word| text[at..].starts_with(word))
        })
    })
}

/// Whether options name files from the current directory on, or make the compiler write down which one it is.
fn options_name_places(options: &[String]) -> bool {
    let next = |index: usize| options.get(index + 1).map_or("", String::as_str);
    options.iter().enumerate().any(|(index, option)| names_place(option, next(index)))
}

fn names_place(option: &str, next: &str) -> bool {
    const PATHS: [&str; 8] = [
        "--include-directory",
        "--persistent-auto-pch",
        "-idirafter",
        "-isystem",
        "-imacros",
        "-include",
        "-iquote",
        "-I",
    ];
    if let Some(rest) = PATHS.iter().find_map(|name| option.strip_prefix(name)) {
        let joined = rest.strip_prefix('=').unwrap_or(rest);
        let path = if joined.is_empty() { next } else { joined };
        return !path.starts_with('/');
    }
    // Others of the kind, and those that write debug information or change names of files in it.
    ["-i", "--i", "-g", "-fdebug", "-ffile", "-fmacro"].iter().any(|start| option.starts_with(start))
}

#[cfg(test)]
mod tests {
    use syclrtc_protocol::{IncludeFile, LinkObject};

    use super::*;
    use crate::image::Table;

    fn maker(program: &str) -> Maker<'_> {
        Maker { program, inputs: &[] }
    }

    fn compile() -> Compile {
        Compile {
            main_name: "rtc_0.cpp".into(),
            source: b"text".to_vec(),
            include_files: Vec::new(),
            options: Vec::new(),
            registered_names: Vec::new(),
            working_directory: "/home".into(),
            unit_id: "0".into(),
            reuse: true,
            output: Output::Image(spirv(4)),
        }
    }

    fn spirv(minor: u8) -> Target {
        Target {
            format: TargetFormat::Spirv { version: (1, minor), extensions: vec!["SPV_A".into()] },
            aspects: vec![1, 6],
        }
    }

    fn texts(list: &[&str]) -> Vec<String> {
        list.iter().map(|text| (*text).to_owned()).collect()
    }

    fn files(list: &[(&str, &str)]) -> Vec<IncludeFile> {
        let file = |(name, content): &(&str, &str)| IncludeFile { name: (*name).into(), content: (*content).into() };
        list.iter().map(file).collect()
    }

    fn keys(request: Compile) -> Keys {
        Keys::of(&Request::Compile(request), maker("build 1")).unwrap()
    }

    // D-03: twelve pairs of near requests, each with a key of its own.
    #[test]
    fn near_requests_have_different_keys() {
        let with = |change: fn(&mut Compile)| {
            let mut request = compile();
            change(&mut request);
            request
        };
        let options = |list: &[&str]| Compile { options: texts(list), ..compile() };
        let included = |source: &str, list: &[(&str, &str)]| Compile {
            source: source.into(),
            include_files: files(list),
            ..compile()
        };
        let names = |list: &[&str]| Compile { registered_names: texts(list), ..compile() };
        let pairs = [
            [options(&["-DA=1", "-DB=2"]), options(&["-DA=1 -DB=2"])],
            [options(&["-DA=1-DB=2"]), options(&["-DB=2", "-DA=1"])],
            [included("a", &[("b", "c")]), included("c", &[("b", "a")])],
            [included("ab", &[]), included("", &[("ab", "")])],
            [included("", &[("a", "b")]), included("", &[("a", ""), ("b", "")])],
            [included("", &[("b", ""), ("a", "")]), included("", &[("ab", "b")])],
            [names(&["k<int>"]), names(&["k<int>", "k"])],
            [names(&["-O2"]), options(&["-O2"])],
            [with(|r| r.output = Output::Object), with(|r| r.output = Output::Image(spirv(2)))],
            [
                with(|r| r.output = Output::Image(Target { aspects: vec![1], ..spirv(4) })),
                with(|r| r.output = Output::Image(Target { aspects: vec![], ..spirv(4) })),
            ],
            [with(|r| r.source = b"text ".to_vec()), with(|r| r.source = b"Text".to_vec())],
            [with(|r| r.working_directory = "/".into()), with(|r| r.working_directory = "/home/a".into())],
        ];
        let all: Vec<Key> = pairs.into_iter().flatten().map(|request| keys(request).here).collect();
        assert_eq!(all.len(), 24);
        for (index, one) in all.iter().enumerate() {
            assert!(all[..index].iter().all(|other| other.digest() != one.digest()), "{index}");
        }
    }

    // K1: neither the bundle nor what changes only the way counts.
    #[test]
    fn names_of_main_files_and_ways_of_working_do_not_count() {
        let same = [
            compile(),
            Compile { main_name: "rtc_7.cpp".into(), ..compile() },
            Compile { reuse: false, ..compile() },
            Compile { unit_id: "1".into(), ..compile() },
        ];
        let all: Vec<Keys> = same.into_iter().map(keys).collect();
        assert!(all.iter().all(|keys| keys.here == all[0].here && keys.anywhere == all[0].anywhere));
        let elsewhere = keys(Compile { working_directory: "/tmp".into(), ..compile() });
        assert_eq!(elsewhere.anywhere, all[0].anywhere);
        assert_eq!(elsewhere.here.difference(&all[0].here), ["directory"]);
    }

    // D-02
    #[test]
    fn another_compiler_is_another_key() {
        let request = Request::Compile(compile());
        let [one, other] = ["build 1", "build 2"].map(|program| Keys::of(&request, maker(program)).unwrap());
        assert_eq!(one.here.difference(&other.here), ["compiler"]);
        // A variable that is empty is not one that is not set.
        let inputs = [None, Some(String::new()), Some("/x".to_owned())].map(|value| [("CPATH", value)]);
        let mut seen = vec![one.here];
        for inputs in &inputs {
            let key = Keys::of(&request, Maker { program: "build 1", inputs }).unwrap().here;
            assert_eq!(key.difference(&seen[0]), ["compiler"]);
            assert!(!seen.contains(&key));
            seen.push(key);
        }
        assert_ne!(of_introduction("build 1").digest(), of_introduction("build 2").digest());
    }

    #[test]
    fn options_that_name_relative_paths_make_the_directory_count() {
        for relative in [
            &["-I."][..],
            &["-I", "include"],
            &["-Isub/folder"],
            &["-isystem", "../a"],
            &["-include", "a.h"],
            &["--include-directory=x"],
            &["--persistent-auto-pch=pch"],
            &["-iwhatever"],
            &["-O2", "-g"],
        ] {
            assert!(keys(Compile { options: texts(relative), ..compile() }).anywhere.is_none(), "{relative:?}");
        }
        for absolute in [
            &["-I/usr/include"][..],
            &["-I", "/usr/include"],
            &["-isystem/x", "-iquote", "/y"],
            &["-include", "/a.h"],
            &["--include-directory=/x"],
            &["--include-directory", "/x"],
            &["-DI=1", "-O2", "-std=c++20", "-Wall", "-fno-builtin"],
        ] {
            assert!(keys(Compile { options: texts(absolute), ..compile() }).anywhere.is_some(), "{absolute:?}");
        }
    }

    #[test]
    fn what_depends_on_the_time_has_no_key() {
        let none = |request: Compile| Keys::of(&Request::Compile(request), maker("build 1")).is_none();
        assert!(none(Compile { options: texts(&["-O2", "-ftime-trace=x"]), ..compile() }));
        assert!(none(Compile { source: b"auto t = __TIME__;".to_vec(), ..compile() }));
        assert!(none(Compile { include_files: files(&[("a", "__DATE__")]), ..compile() }));
        assert!(none(Compile { source: b"__TIMESTAMP__".to_vec(), ..compile() }));
        assert!(!none(Compile { source: b"__TIM __DA TIME".to_vec(), ..compile() }));
    }

    #[test]
    fn a_link_is_told_by_its_objects_and_target_not_by_their_names() {
        let object = |label: &str, bitcode: &str| LinkObject {
            label: label.into(),
            bitcode: bitcode.into(),
            table: Table::default(),
        };
        let key = |objects: Vec<LinkObject>, minor| {
            let request = Request::Link(Link { objects, target: spirv(minor) });
            Keys::of(&request, maker("build 1")).unwrap().first().clone()
        };
        let one = key(vec![object("bundle 1 (rtc_0.cpp)", "a"), object("bundle 2 (rtc_1.cpp)", "b")], 4);
        assert_eq!(one, key(vec![object("bundle 1 (rtc_4.cpp)", "a"), object("bundle 2 (rtc_5.cpp)", "b")], 4));
        let others = [
            key(vec![object("", "b"), object("", "a")], 4),
            key(vec![object("", "a")], 4),
            key(vec![object("", "ab")], 4),
            key(vec![object("", "a"), object("", "b")], 2),
        ];
        for (index, other) in others.iter().enumerate() {
            assert!(*other != one && !others[..index].contains(other), "{index}");
        }
    }
}
