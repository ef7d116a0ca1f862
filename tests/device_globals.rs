// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Device globals through bundles (kernel-compiler.md 8.3).

mod common;

use std::{env, fs, process::Command, sync::Arc, thread};

use common::{Bundle, Setup, clones, nd_range, refused, setups, with};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use syclrtc::{backend::UsmKind, bundle::KernelBundle, error::Errc};

const COUNTER: &str = "syclexp::device_global<int> counter;
namespace ns { syclexp::device_global<int> inner; }
static syclexp::device_global<int> local_;
struct Pair { int a, b; };
syclexp::device_global<Pair> two;
syclexp::device_global<int, decltype(syclexp::properties(syclexp::device_image_scope))> bound;
extern \"C\" TASK void bump(int *p) { counter += 1; ns::inner = ns::inner + 10; local_ = local_ + 100; *p = counter; }
extern \"C\" TASK void get(int *p) { *p = counter + ns::inner + local_; }
extern \"C\" TASK void scoped(int *p) { bound = bound + 1; *p = bound; }\n";

fn build(setup: &Setup) -> Bundle {
    setup.build_named(COUNTER, &["&ns::inner", "local_"])
}

fn address(setup: &Setup, bundle: &Bundle, name: &str) -> syclrtc::backend::Address {
    bundle.device_global_address(name, &setup.device).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn names_and_sizes_are_known() {
    for setup in setups() {
        let built = build(&setup);
        let object = setup.try_compile(COUNTER, &[], &["&ns::inner", "local_"]).unwrap();
        for bundle in [&built, &object, &setup.link(&[&object]), &setup.reload(&built)] {
            // P: namespaces and registered strings; N9.
            for (name, size) in [
                ("counter", 4),
                ("::counter", 4),
                ("ns::inner", 4),
                ("&ns::inner", 4),
                ("& ns :: inner", 4),
                ("local_", 4),
                ("two", 8),
            ] {
                assert!(bundle.has_device_global(name), "{name}");
                assert_eq!(bundle.device_global_size(name).unwrap(), size, "{name}");
            }
            for name in ["bound", "inner", "zz", "", "bump"] {
                assert!(!bundle.has_device_global(name), "{name}");
                refused(bundle.device_global_size(name), Errc::Invalid, &[name]);
            }
        }
        assert!(!setup.source(COUNTER).has_device_global("counter"));
        refused(
            built.device_global_size("zz"),
            Errc::Invalid,
            &["device global 'zz' not found in kernel_bundle", "ns::inner"],
        );
    }
}

#[test]
fn queries_that_make_no_sense_are_refused() {
    for setup in setups() {
        let bundle = build(&setup);
        let query = |name: &str| bundle.device_global_address(name, &setup.device);
        refused(query("zz"), Errc::Invalid, &["device global 'zz' not found in kernel_bundle"]);
        refused(
            query("bound"),
            Errc::Invalid,
            &["Cannot query USM pointer for device global with 'device_image_scope' property"],
        );
        for other in setups().iter().filter(|other| !Arc::ptr_eq(&other.device, &setup.device)) {
            refused(
                bundle.device_global_address("counter", &other.device),
                Errc::Invalid,
                &["device not part of kernel_bundle context"],
            );
        }
        refused(setup.compile(COUNTER).device_global_address("counter", &setup.device), Errc::Invalid, &["object"]);
    }
}

// Values are the initial ones before anything runs; host and kernels see each other's writes.
#[test]
fn host_and_kernels_share_the_storage() {
    for setup in setups() {
        let bundle = build(&setup);
        let counter = address(&setup, &bundle, "counter");
        assert_eq!(setup.context.usm_kind(counter.pointer()).unwrap(), UsmKind::Device);
        assert!(Arc::ptr_eq(setup.context.usm_device(counter.pointer()).unwrap(), &setup.device));
        assert_eq!(setup.read(counter), 0);
        assert_eq!((setup.result(&bundle, "bump"), setup.result(&bundle, "bump")), (1, 2));
        assert_eq!(setup.read(counter), 2);
        assert_eq!(setup.read(address(&setup, &bundle, "ns::inner")), 20);
        assert_eq!(setup.read(address(&setup, &bundle, "local_")), 200);
        setup.write(counter, 1000);
        assert_eq!(setup.result(&bundle, "get"), 1220);
        // The same address every time, by every name.
        assert_eq!(address(&setup, &bundle, "::counter"), counter);
        assert_eq!(address(&setup, &bundle, "&ns::inner"), address(&setup, &bundle, "ns::inner"));
        // Bound to the image: kernels only.
        assert_eq!((setup.result(&bundle, "scoped"), setup.result(&bundle, "scoped")), (1, 2));
    }
}

// C++20: the constant initialiser is the value before any write.
#[test]
fn initial_values_are_there_before_the_first_launch() {
    let text = "syclexp::device_global<int> seven{7};\nsyclexp::device_global<int[3]> list{1, 2, 3};
extern \"C\" TASK void sum(int *p) { *p = seven + list[0] + list[1] * 10 + list[2] * 100; }\n";
    for setup in setups() {
        let build = || setup.try_build(text, &["-std=c++20"], &[]).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(setup.result(&build(), "sum"), 328);
        let bundle = build();
        assert_eq!(setup.read(address(&setup, &bundle, "seven")), 7);
        let list = address(&setup, &bundle, "list");
        assert_eq!(setup.read(list), 1);
        assert_eq!(bundle.device_global_size("list").unwrap(), 12);
        setup.write(list, 5);
        assert_eq!(setup.result(&bundle, "sum"), 332);
    }
}

// B6 of kernel-compiler.md, A7
#[test]
fn each_build_has_storage_of_its_own() {
    for setup in setups() {
        let source = setup.source(COUNTER);
        let build = || source.build(setup.devices(), &with(&[], &[])).unwrap();
        let (first, second) = (build(), build());
        let copy = first.clone();
        let object = setup.compile(COUNTER);
        let (third, fourth) = (setup.link(&[&object]), setup.link(&[&object]));
        let loaded = setup.reload(&first);
        assert_eq!((setup.result(&first, "bump"), setup.result(&copy, "bump")), (1, 2));
        let others = [&second, &third, &fourth, &loaded];
        for bundle in others {
            assert_eq!(setup.result(bundle, "bump"), 1);
        }
        assert_eq!(setup.read(address(&setup, &first, "counter")), 2);
        // A join shares the storage of what it joins.
        let joined = KernelBundle::join(&clones(&[&first, &second])).unwrap();
        assert_eq!(setup.result(&joined, "bump"), 3);
        assert_eq!(address(&setup, &joined, "counter"), address(&setup, &first, "counter"));
        assert_eq!(setup.read(address(&setup, &second, "counter")), 1);
    }
}

// B7, G9
#[test]
fn all_splits_share_the_storage() {
    for setup in setups() {
        for split in ["per_kernel", "per_source", "off", "auto"] {
            let option = format!("-fsycl-device-code-split={split}");
            let bundle = setup.try_build(COUNTER, &[&option], &[]).unwrap();
            setup.result(&bundle, "bump");
            assert_eq!(setup.result(&bundle, "get"), 111, "{split}");
        }
    }
}

// G8
#[test]
fn an_external_variable_is_one_after_a_link() {
    let user = "SYCL_EXTERNAL extern syclexp::device_global<int> shared;
extern \"C\" TASK void add(int *p) { shared = shared + 1; *p = shared; }\n";
    let owner = "SYCL_EXTERNAL syclexp::device_global<int> shared;
extern \"C\" TASK void get(int *p) { *p = shared; }\n";
    for setup in setups() {
        let (user, owner) = (setup.compile(user), setup.compile(owner));
        for linked in [setup.link(&[&user, &owner]), setup.link(&[&owner, &user])] {
            assert_eq!((setup.result(&linked, "add"), setup.result(&linked, "get")), (1, 1));
            assert_eq!(setup.read(address(&setup, &linked, "shared")), 1);
        }
        refused(setup.try_link(&[&user]), Errc::Invalid, &["No exported symbol \"shared\""]);
    }
}

#[test]
fn threads_that_come_first_find_one_storage() {
    for setup in setups() {
        let text = "syclexp::device_global<int> n;
extern \"C\" ND1 void bump(int *p) { __atomic_fetch_add(&n.get(), 1, __ATOMIC_RELAXED); }\n"
            .replace(
                "__atomic_fetch_add(&n.get(), 1, __ATOMIC_RELAXED)",
                "sycl::atomic_ref<int, sycl::memory_order::relaxed, sycl::memory_scope::device>(n.get()) += 1",
            );
        let bundle = setup.build(&text);
        let kernel = bundle.kernel("bump").unwrap();
        let addresses: Vec<_> = thread::scope(|scope| {
            let threads: Vec<_> = (0..8)
                .map(|thread| {
                    let (setup, bundle, kernel) = (&setup, &bundle, &kernel);
                    scope.spawn(move || {
                        if thread % 2 == 0 {
                            setup.launch(kernel, &nd_range(64, 8), setup.shared(1)).unwrap();
                        }
                        address(setup, bundle, "n")
                    })
                })
                .collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert!(addresses.iter().all(|one| *one == addresses[0]));
        assert_eq!(setup.read(addresses[0]), 4 * 64);
    }
}

// The storage lives as long as a launch that uses it, and is given back afterwards.
#[test]
fn storage_ends_with_the_bundle_and_not_before_its_launches() {
    let text = "syclexp::device_global<int> n;
extern \"C\" TASK void spin(int *p) { for (int i = 0; i < 3000000; ++i) { n = n + 1; } *p = n; }\n";
    for setup in setups() {
        for _ in 0..3 {
            let memory = setup.shared(1);
            let bundle = setup.build(text);
            let counter = address(&setup, &bundle, "n");
            let kernel = bundle.kernel("spin").unwrap();
            drop(bundle);
            // SAFETY: the memory is never freed, and the queue is waited for.
            let to = unsafe { syclrtc::backend::Address::new(memory.as_mut_ptr().cast()) };
            let arguments =
                [syclrtc::bundle::KernelArgument { index: 0, kind: syclrtc::bundle::ArgumentKind::Pointer(to) }];
            drop(kernel.launch(&setup.queue, &common::single_task(), &arguments, &[]).unwrap());
            drop(kernel);
            assert_eq!(setup.context.usm_kind(counter.pointer()).unwrap(), UsmKind::Unknown);
            setup.queue.wait().unwrap();
            assert_eq!(memory[0], 3_000_000);
        }
    }
}

// A bundle that has variables and no kernel.
#[test]
fn variables_without_a_kernel_have_storage() {
    for setup in setups() {
        let bundle = setup.build("syclexp::device_global<int> alone;\n");
        assert!(bundle.has_device_global("alone"));
        let place = address(&setup, &bundle, "alone");
        assert_eq!(setup.read(place), 0);
        setup.write(place, 5);
        assert_eq!(setup.read(place), 5);
    }
}

// This test's program is started again, so that the limit is its own.
#[test]
fn storage_that_cannot_be_had_is_an_allocation_error_and_is_tried_again() {
    const CHILD: &str = "SYCLRTC_TEST_LIMIT";
    const NAME: &str = "storage_that_cannot_be_had_is_an_allocation_error_and_is_tried_again";
    if env::var_os(CHILD).is_none() {
        let output =
            Command::new(env::current_exe().unwrap()).args(["--exact", NAME]).env(CHILD, "1").output().unwrap();
        assert!(output.status.success() && String::from_utf8_lossy(&output.stdout).contains("1 passed"), "{output:?}");
        return;
    }
    let text = "syclexp::device_global<char[1 << 29]> large;
extern \"C\" TASK void k(int *p) { *p = large[7] + 3; }\n";
    for setup in setups() {
        let bundle = setup.build(text);
        let (kernel, memory) = (bundle.kernel("k").unwrap(), setup.shared(1));
        // A first launch, so that the driver has what it needs for one.
        setup.result(&setup.build("extern \"C\" TASK void k(int *p) { *p = 1; }\n"), "k");
        let status = fs::read_to_string("/proc/self/status").unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmSize:")).unwrap();
        let used = line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() * 1024;
        let before = getrlimit(Resource::As);
        setrlimit(Resource::As, Rlimit { current: Some(used + (1 << 27)), ..before }).unwrap();
        let address = bundle.device_global_address("large", &setup.device);
        let launch = setup.launch(&kernel, &common::single_task(), memory);
        setrlimit(Resource::As, before).unwrap();
        refused(address, Errc::MemoryAllocation, &["device globals", &setup.device.name()]);
        refused(launch, Errc::MemoryAllocation, &["device globals"]);
        // Nothing was broken by it.
        assert_eq!(setup.run(&kernel), 3);
        assert!(bundle.device_global_address("large", &setup.device).is_ok());
    }
}
