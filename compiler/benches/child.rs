// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! What one compile costs in the process that is forked for it.
//!
//! `cargo bench -p syclrtc-compiler --bench child -- [PROGRAM...] [-n COUNT]` sends different small sources to each program, in
//! turns so that other load of the machine meets all alike, and prints medians of the stages and of the whole, and what the
//! children of a program took of the machine on average. Without a program, it is the one just built.

#![expect(clippy::print_stdout, reason = "a program for the terminal")]

#[path = "../tests/compiler/support.rs"]
#[allow(dead_code, reason = "made for tests")]
mod support;

use std::{
    collections::BTreeMap,
    fs,
    process::Command,
    time::{Duration, Instant},
};

use support::{Compiler, PROGRAM, request};
use syclrtc_protocol::Compile;

/// Compiles before the counting starts.
const WARM_UP: usize = 5;

/// Time between two compiles: what the program prepares for the next one is ready by then.
const PAUSE: Duration = Duration::from_millis(8);

fn main() {
    let mut programs = Vec::new();
    let mut count = 100;
    let mut arguments = std::env::args().skip(1).filter(|argument| argument != "--bench");
    while let Some(argument) = arguments.next() {
        if argument == "-n" {
            count = arguments.next().and_then(|number| number.parse().ok()).expect("-n takes a number");
        } else {
            programs.push(argument);
        }
    }
    if programs.is_empty() {
        programs.push(PROGRAM.to_owned());
    }
    let mut subjects: Vec<_> = programs.iter().map(|program| Subject::new(program)).collect();
    for number in 0..WARM_UP + count {
        for subject in &mut subjects {
            subject.compile(number);
        }
    }
    for subject in subjects {
        subject.print(count);
    }
}

/// A program under measurement.
struct Subject {
    name: String,
    compiler: Compiler,
    times: BTreeMap<(usize, String), Vec<u64>>,
    before: Used,
}

impl Subject {
    fn new(program: &str) -> Self {
        let compiler = Compiler::start_by(&mut Command::new(program));
        Self { name: program.to_owned(), compiler, times: BTreeMap::new(), before: Used::default() }
    }

    fn compile(&mut self, number: usize) {
        if number == WARM_UP {
            self.before = Used::by_children_of(self.compiler.id());
        }
        let request = source(number);
        std::thread::sleep(PAUSE);
        let begin = Instant::now();
        let built = self.compiler.built(&request);
        let whole = begin.elapsed().as_micros() as u64;
        if number < WARM_UP {
            return;
        }
        let known: u64 = built.stages.iter().map(|(_, time)| time).sum();
        let rest = ("outside the stages".to_owned(), whole.saturating_sub(known));
        for (index, (stage, time)) in built.stages.into_iter().chain([rest, ("whole".to_owned(), whole)]).enumerate() {
            self.times.entry((index, stage)).or_default().push(time);
        }
    }

    fn print(self, count: usize) {
        // The last child may not be buried yet.
        std::thread::sleep(Duration::from_millis(50));
        let used = Used::by_children_of(self.compiler.id());
        println!("{}", self.name);
        for ((_, stage), mut times) in self.times {
            times.sort_unstable();
            println!("  {stage:<20} {:>8.3} ms", times[times.len() / 2] as f64 / 1000.0);
        }
        let each = |now: u64, before: u64| (now - before) as f64 / count as f64;
        println!("  page faults          {:>8.0}", each(used.faults, self.before.faults));
        println!("  processor time       {:>8.2} ms user", each(used.user, self.before.user));
        println!("                       {:>8.2} ms system", each(used.system, self.before.system));
    }
}

/// What buried children used, in numbers and milliseconds.
#[derive(Default)]
struct Used {
    faults: u64,
    user: u64,
    system: u64,
}

impl Used {
    fn by_children_of(id: u32) -> Self {
        let stat = fs::read_to_string(format!("/proc/{id}/stat")).unwrap();
        let fields: Vec<_> = stat.rsplit(')').next().unwrap().split_whitespace().collect();
        let field = |number: usize| fields[number - 3].parse::<u64>().unwrap();
        let tick = 1000 / rustix::param::clock_ticks_per_second();
        Self { faults: field(11), user: field(16) * tick, system: field(17) * tick }
    }
}

/// A kernel of a few lines, another one for each number.
fn source(number: usize) -> Compile {
    request(&format!(
        "#include <sycl/sycl.hpp>\n\
         namespace syclext = sycl::ext::oneapi;\n\
         namespace syclexp = sycl::ext::oneapi::experimental;\n\
         extern \"C\" SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((syclexp::nd_range_kernel<1>))\n\
         void iota(float start, float *ptr) {{\n\
           size_t id = syclext::this_work_item::get_nd_item<1>().get_global_linear_id();\n\
           ptr[id] = start + static_cast<float>(id) * {number}.0f;\n\
         }}\n"
    ))
}
