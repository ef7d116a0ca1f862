// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Texts made by chance: what comes out of a compile is the same whether it parses everything itself, is the first behind
//! its preamble, or the third.

use std::fmt::Write as _;

use crate::support::*;
use syclrtc_protocol::{Compile, IncludeFile, Output, Reply};

/// Numbers that look like chance and are the same in each run (SplitMix64).
struct Chance(u64);

impl Chance {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = self.0;
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (x ^ (x >> 31)) % bound
    }

    fn happens(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }

    fn of(&mut self, list: &[&'static str]) -> &'static str {
        list[self.below(list.len() as u64) as usize]
    }
}

/// Directives and comments that may stand anywhere in a preamble; `@` is a digit.
const LINES: &[&str] = &[
    "#define A@ @\n",
    "#define A@ @\n#undef A@\n",
    "#undef A@\n",
    "#undef D@\n",
    "#define D@ 7\n",
    "#define F@(x) \\\n  ((x) * \\\n   @)\n",
    "#define TEXT@ R\"(\n#endif // @\n)\"\n",
    "#define COUNT@ __COUNTER__\n",
    "#define SEP@ 1'00@\n",
    "// comment @\n",
    "// comment that goes on \\\n#error never\n",
    "/* comment\n#error in it\n*/\n",
    "/* in front */ #define B@ 1 /* and\n behind */\n",
    "  #  define  S@ /* blank */ @ // end\n",
    "#\n",
    "%:define G@ @\n",
    "#pragma once\n",
    "#pragma unknown thing @\n",
    "#pragma pack(push, 1)\n",
    "#pragma pack(2)\n",
    "#pragma GCC diagnostic ignored \"-Wunused-variable\"\n",
    "#pragma clang diagnostic push\n#pragma clang diagnostic error \"-Wunused-variable\"\n",
    "#pragma clang diagnostic warning \"-Wshadow\"\n",
    "#pragma clang diagnostic pop\n",
    "#pragma message(\"told @\")\n",
    "#pragma push_macro(\"A@\")\n#define A@ 9\n",
    "#pragma pop_macro(\"A@\")\n",
    "#pragma STDC FP_CONTRACT OFF\n",
    "#warning told @\n",
    "#warning it's /* told @\n",
    "#line 50@\n",
    "#line 7 \"elsewhere_@.cpp\"\n",
    "#ident \"x@\"\n",
    "#include \"plain_@.hpp\"\n",
    "#include \"plain_@.hpp\" // again\n",
    "#include \"pack.hpp\"\n",
    "#include \"count.hpp\"\n",
    "#include \"warns.hpp\"\n",
    "#include \"templates.hpp\"\n",
    "#include \"guarded.hpp\"\n",
    "#if __has_include(\"plain_@.hpp\")\n#define HAS@ 1\n#endif\n",
    "#if A@ > D@\n#define C@ 1\n#else\n#define C@ 2\n#endif\n",
    "#ifdef D@\n# ifndef A@\n#  define A@ 3\n# endif\n#elif 1\n#define A@ 4\n#endif\n",
    "#if 0\n#warning not it's /* this\n#include <nowhere>\n#endif\n",
    "#ifndef GUARD@\n#define GUARD@_\n#endif\n",
];

/// What makes a preamble's end harder to tell.
const ENDS: &[&str] = &[
    "",
    "",
    "/* comment */ ",
    "/* comment\n over lines */ ",
    "// comment\n",
    "#if 1\n",
    "#ifdef D1\n#define O 1\n#else\n",
    "_Pragma(\"pack(1)\") ",
    ";",
    "#define LAST",
    "#warning at the end\n",
];

const BODIES: &[&str] = &[
    "SYCL_EXTERNAL int plain(int x) { return x + __LINE__ + __COUNTER__; }\n",
    "SYCL_EXTERNAL int macros() { int unused; return A1 + D1; }\n",
    "struct S { char c; int i; };\nSYCL_EXTERNAL int size() { return sizeof(S); }\n",
    "SYCL_EXTERNAL const char *file() { return __FILE__; }\nSYCL_EXTERNAL const char *base() { return __BASE_FILE__; }\n",
    "SYCL_EXTERNAL int error() { return nothing; }\n",
    "#define A1 1\n#define A2 2\n#pragma clang diagnostic pop\nSYCL_EXTERNAL int after() { int unused; return A2; }\n",
    "#include \"plain_3.hpp\"\n#include \"count.hpp\"\n#include \"templates.hpp\"\n\
     SYCL_EXTERNAL int included() { return twice(plain_3()) + counted; }\n",
    "#ifndef OTHER\n#define OTHERS\nSYCL_EXTERNAL float whole(float x) { float x = x * 2 + 1; return x; }\n#endif\n",
    "SYCL_EXTERNAL int text() { return sizeof(TEXT1) + F1(2); }\nint open( {\n",
    "#if 1\nSYCL_EXTERNAL int open() { return 1; }\n",
];

fn digits(chance: &mut Chance, line: &str) -> String {
    let digit = 1 + chance.below(3);
    line.replace('@', &digit.to_string())
}

fn files(chance: &mut Chance) -> Vec<IncludeFile> {
    let mut files = vec![
        ("pack.hpp".to_owned(), "#pragma pack(push, 2)\nstruct Packed { char c; long l; };\n".to_owned()),
        ("count.hpp".to_owned(), "#pragma once\nconstexpr int counted = __COUNTER__;\n".to_owned()),
        ("warns.hpp".to_owned(), "#ifdef D2\n#warning header\n#endif\n#define A1 11\n".to_owned()),
        (
            "templates.hpp".to_owned(),
            "#ifndef T\n#define T\ntemplate <class X> X twice(X x) { return x + x + X(sizeof(A1_OR(1))); }\n\
             inline int uses_twice() { return twice(4); }\n#endif\n"
                .replace("A1_OR(1)", chance.of(&["int", "char", "D3_TYPE"])),
        ),
        ("guarded.hpp".to_owned(), "#ifndef H\n#define H_\nnamespace guarded { int value = D1; }\n#endif\n".to_owned()),
    ];
    for n in 1..4 {
        let value = chance.below(4);
        files.push((
            format!("plain_{n}.hpp"),
            format!("#pragma once\n#include <cstddef>\ninline int plain_{n}() {{ return {value}; }}\n"),
        ));
    }
    files.into_iter().map(|(name, content)| IncludeFile { name, content: content.into_bytes() }).collect()
}

fn preamble(chance: &mut Chance, first: &str) -> String {
    let mut text = String::new();
    let before = chance.below(3);
    for line in 0..before + 2 + chance.below(6) {
        if line == before {
            text += first;
        }
        let line = chance.of(LINES);
        text += &digits(chance, line);
    }
    if chance.happens(4) {
        text += "#error of the preamble\n";
    }
    text
}

fn options(chance: &mut Chance) -> Vec<String> {
    let mut options: Vec<String> = Vec::new();
    for name in 1..4 {
        if chance.happens(40) {
            options.push(format!("-DD{name}={}", chance.below(3)));
        }
    }
    if chance.happens(10) {
        options.push(format!("-UD{}", 1 + chance.below(3)));
    }
    if chance.happens(30) {
        options.push("-DD3_TYPE=short".to_owned());
    }
    for (percent, option) in [
        (40, "-Wall"),
        (10, "-Werror=unused-variable"),
        (10, "-O0"),
        (10, "-std=c++20"),
        (10, "-g"),
        (10, "-O3"),
        (5, "-w"),
    ] {
        if chance.happens(percent) {
            options.push(option.to_owned());
        }
    }
    options
}

/// What a user gets to see of a reply.
fn visible(reply: Reply) -> Reply {
    match reply {
        Reply::Built(mut built) => {
            built.stages.clear();
            built.dependencies.clear();
            built.preamble = None;
            Reply::Built(built)
        }
        other => other,
    }
}

pub fn compare(compiler: &Compiler, request: &Compile, what: &str) {
    let off = visible(compiler.reply(&Compile { reuse: false, ..request.clone() }));
    let now = visible(compiler.reply(request));
    if now != off {
        let text = String::from_utf8_lossy(&request.source).into_owned();
        let log = |reply: &Reply| match reply {
            Reply::Built(built) => format!("built {} bytes\n{}", built.code.len(), built.log),
            Reply::Failed { log, .. } => format!("failed\n{log}"),
            other => format!("{other:?}"),
        };
        let mut message = format!("{what}: options {:?}\n--- text\n{text}\n", request.options);
        let _ = write!(message, "--- off\n{}\n--- with reuse\n{}\n", log(&off), log(&now));
        if let (Reply::Built(off), Reply::Built(now)) = (&off, &now) {
            let (off, now) = (compiler.text(&off.code), compiler.text(&now.code));
            for (off, now) in off.lines().zip(now.lines()).filter(|(off, now)| off != now).take(10) {
                let _ = write!(message, "- {off}\n+ {now}\n");
            }
        }
        panic!("{message}");
    }
}

/// One preamble with several texts behind it, built one after the other. The first of them parses it.
fn check_seed(compiler: &Compiler, seed: u64, first: &str, forced: bool) {
    let mut chance = Chance(seed);
    let mut head = preamble(&mut chance, first);
    let include_files = files(&mut chance);
    let mut options = options(&mut chance);
    if forced {
        options.push("--auto-pch".to_owned());
    }
    let windows = chance.happens(15);
    let mark = chance.happens(10);
    let end = chance.of(ENDS);
    head += end;
    for round in 0..4 {
        let mut body = chance.of(BODIES).to_owned();
        let closing = if end.starts_with("#if") { "\n#endif\n" } else { "\n" };
        body = format!("{}{body}{closing}", if end.starts_with("#define") { "\n" } else { "" });
        let mut source = format!("{head}{body}");
        if windows {
            source = source.replace('\n', "\r\n");
        }
        if mark {
            source.insert(0, '\u{feff}');
        }
        let mut options = options.clone();
        if round == 3 && !forced {
            options.push(format!("-DA1={}", chance.below(3)));
        }
        let request = Compile {
            // The name goes on with each build of a program.
            main_name: format!("rtc_{round}.cpp"),
            source: source.into_bytes(),
            include_files: include_files.clone(),
            options,
            output: Output::Object,
            ..request("")
        };
        compare(compiler, &request, &format!("seed {seed}, round {round}"));
    }
}

/// P8, P10, P11, D-26, D-27. The preambles are small, so that reuse is asked for.
#[test]
fn small_preambles() {
    let compiler = Compiler::start();
    let seeds = number("SYCLRTC_TEST_SEEDS", 36);
    for seed in 0..seeds {
        check_seed(&compiler, seed, "#include <cstddef>\n", true);
    }
}

/// P8, P10, P11, D-26, D-27. The preambles take long enough to be kept without an option.
#[test]
fn preambles_that_are_kept() {
    let compiler = Compiler::start();
    for seed in 1000..1000 + number("SYCLRTC_TEST_SEEDS", 36) / 9 {
        let first =
            ["#include <tuple>\n#include <cmath>\n", "#include <sycl/sycl.hpp>\n#include <map>\n"][(seed % 2) as usize];
        check_seed(&compiler, seed, first, false);
    }
}

fn number(variable: &str, otherwise: u64) -> u64 {
    std::env::var(variable).ok().and_then(|value| value.parse().ok()).unwrap_or(otherwise)
}
