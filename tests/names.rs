// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Names of kernels: which bundle's kernel a name finds, and that kernels of equal names never mix.

mod common;

use std::thread;

use common::{Bundle, Setup, refused, setups};
use syclrtc::{bundle::KernelBundle, error::Errc};

/// Two sources that differ in one number, built with the same registered names.
fn pair(setup: &Setup, text: &str, names: &[&str]) -> (Bundle, Bundle) {
    let build = |value: &str| setup.build_named(&text.replace("VALUE", value), names);
    (build("1"), build("2"))
}

/// Each bundle runs its own kernel, in either order of look-up and launch.
fn keep_apart(setup: &Setup, text: &str, name: &str) {
    let (a, b) = pair(setup, text, &[name]);
    let (kernel_b, kernel_a) = (b.kernel(name).unwrap(), a.kernel(name).unwrap());
    assert_eq!((setup.run(&kernel_a), setup.run(&kernel_b)), (1, 2), "{name}");
    assert_eq!((setup.run(&kernel_b), setup.run(&kernel_a)), (2, 1), "{name}");
    // Built in the other order.
    let (later, earlier) = (setup.build_named(&text.replace("VALUE", "4"), &[name]), a);
    assert_eq!((setup.result(&later, name), setup.result(&earlier, name)), (4, 1), "{name}");
}

const STATIC: &str = "TASK static void k(int *p) { *p = VALUE; }\n";
const UNNAMED: &str = "namespace { TASK void k(int *p) { *p = VALUE; } }\n";
const EXTERN_C: &str = "extern \"C\" TASK void k(int *p) { *p = VALUE; }\n";

// A1, A5, A14
#[test]
fn kernels_with_internal_linkage_run_their_own_bundles_body() {
    for setup in setups() {
        keep_apart(&setup, STATIC, "k");
        keep_apart(&setup, UNNAMED, "k");
    }
}

// A2
#[test]
fn builds_in_parallel_keep_kernels_apart() {
    for setup in setups() {
        let setup = &setup;
        thread::scope(|scope| {
            for value in 10..18 {
                scope.spawn(move || {
                    let text = STATIC.replace("VALUE", &value.to_string());
                    assert_eq!(setup.result(&setup.build_named(&text, &["k"]), "k"), value);
                });
            }
        });
    }
}

// A3
#[test]
fn instantiations_on_local_types_are_kept_apart() {
    let text = "namespace { struct T { static constexpr int value = VALUE; }; }
template<typename U> TASK void k(int *p) { *p = U::value; }\n";
    for setup in setups() {
        keep_apart(&setup, text, "k<T>");
    }
}

// A4
#[test]
fn local_classes_lambdas_and_static_functions_are_kept_apart() {
    for body in [
        "struct Local { int get() { return VALUE; } }; *p = Local().get();",
        "auto get = [] { return VALUE; }; *p = get();",
        "*p = helper();",
    ] {
        let text = format!("static int helper() {{ return VALUE; }}\nTASK static void k(int *p) {{ {body} }}\n");
        for setup in setups() {
            keep_apart(&setup, &text, "k");
        }
    }
}

// A6
#[test]
fn external_names_of_two_bundles_never_mix() {
    for setup in setups() {
        keep_apart(&setup, EXTERN_C, "k");
    }
}

// A9
#[test]
fn shared_preambles_do_not_mix_kernels() {
    let folder = std::env::temp_dir().join(format!("syclrtc_names_{}", std::process::id()));
    let persistent = format!("--persistent-auto-pch={}", folder.display());
    for setup in setups() {
        for option in ["--auto-pch", &persistent] {
            for text in [STATIC, UNNAMED, EXTERN_C] {
                for value in [1, 2] {
                    let text = text.replace("VALUE", &value.to_string());
                    let bundle = setup.try_build(&text, &[option], &["k"]).unwrap();
                    assert_eq!(setup.result(&bundle, "k"), value, "{option}");
                }
            }
        }
    }
    // Nothing need be there.
    drop(std::fs::remove_dir_all(&folder));
}

// A7: the part about device globals is in device_globals.rs
#[test]
fn a_bundle_its_copy_and_a_second_build_all_work() {
    for setup in setups() {
        let source = setup.source(&EXTERN_C.replace("VALUE", "5"));
        let build = || source.build(setup.devices(), &common::with(&[], &[])).unwrap();
        let (first, second) = (build(), build());
        let copy = first.clone();
        assert!(first.is_equal(&copy) && !first.is_equal(&second));
        for bundle in [&first, &copy, &second] {
            assert_eq!(setup.result(bundle, "k"), 5);
        }
    }
}

// A10
#[test]
fn the_end_of_a_bundle_does_not_touch_others() {
    for setup in setups() {
        let (a, b) = pair(&setup, STATIC, &["k"]);
        let kernel = b.kernel("k").unwrap();
        assert_eq!(setup.result(&a, "k"), 1);
        drop((a, b));
        assert_eq!(setup.run(&kernel), 2);
        let c = setup.build_named(&STATIC.replace("VALUE", "3"), &["k"]);
        assert_eq!((setup.result(&c, "k"), setup.run(&kernel)), (3, 2));
    }
}

// A11, A12, A13
#[test]
fn raw_names_of_internal_kernels_are_unique_and_deterministic() {
    for setup in setups() {
        for text in [STATIC, UNNAMED] {
            let (a, b) = pair(&setup, text, &["k"]);
            let (raw_a, raw_b) = (a.raw_kernel_name("k").unwrap(), b.raw_kernel_name("k").unwrap());
            assert_ne!(raw_a, raw_b);
            let again = setup.build_named(&text.replace("VALUE", "1"), &["k"]);
            assert_eq!(again.raw_kernel_name("k").unwrap(), raw_a);
        }
        let (a, b) = pair(&setup, EXTERN_C, &[]);
        assert_eq!(a.raw_kernel_name("k").unwrap(), "__sycl_kernel_k");
        assert_eq!(b.raw_kernel_name("k").unwrap(), "__sycl_kernel_k");
        let text = "template<typename T> TASK void ff(T *p) { *p = 1; }\n";
        for options in [&[][..], &["-O0"], &["-g", "-DX=1"]] {
            let bundle = setup.try_build(text, options, &["ff<int>"]).unwrap();
            assert_eq!(bundle.raw_kernel_name("ff<int>").unwrap(), "_Z16__sycl_kernel_ffIiEvPT_");
        }
    }
}

// A15, N2, N6
#[test]
fn one_name_in_several_namespaces_is_several_kernels() {
    let text = "TASK void k(int *p) { *p = 1; }
namespace a { TASK void k(int *p) { *p = 2; } namespace b { TASK void k(int *p) { *p = 3; } } }
namespace { namespace c { TASK void k(int *p) { *p = 4; } } }\n";
    for setup in setups() {
        let names = ["::k", "a::k", "a::b::k", "c::k"];
        let bundle = setup.build_named(text, &names);
        for (value, name) in (1..).zip(names) {
            assert_eq!(setup.result(&bundle, name), value, "{name}");
            let raw = bundle.raw_kernel_name(name).unwrap().to_owned();
            assert_eq!(setup.result(&bundle, &raw), value, "{raw}");
        }
    }
}

// A16
#[test]
fn overloads_have_different_raw_names() {
    let text = "TASK void k(int *p) { *p = 1; }\nTASK void k(float *p) { *p = 2; }\n";
    for setup in setups() {
        let (int, float) = ("(void(*)(int *))k", "(void(*)(float *))k");
        let bundle = setup.build_named(text, &[int, float]);
        assert_ne!(bundle.raw_kernel_name(int).unwrap(), bundle.raw_kernel_name(float).unwrap());
        assert_eq!(setup.result(&bundle, int), 1);
    }
}

// A17
#[test]
fn after_a_join_a_name_finds_the_first_bundles_kernel() {
    for setup in setups() {
        let (a, b) = pair(&setup, EXTERN_C, &[]);
        let kernel = b.kernel("k").unwrap();
        let joined = KernelBundle::join(&[a.clone(), b.clone()]).unwrap();
        assert_eq!(setup.result(&joined, "k"), 1);
        assert_eq!(setup.run(&kernel), 2);
        let other = KernelBundle::join(&[b, a]).unwrap();
        assert_eq!((setup.result(&other, "k"), setup.run(&kernel)), (2, 2));
    }
}

// A18
#[test]
fn after_a_join_both_internal_kernels_are_there() {
    for setup in setups() {
        let (a, b) = pair(&setup, STATIC, &["k"]);
        let raw = [&a, &b].map(|bundle| bundle.raw_kernel_name("k").unwrap().to_owned());
        let joined = KernelBundle::join(&[a, b]).unwrap();
        assert_eq!((setup.result(&joined, &raw[0]), setup.result(&joined, &raw[1])), (1, 2));
        assert_eq!(setup.result(&joined, "k"), 1);
    }
}

// N1 to N5, N7
#[test]
fn registered_strings_are_keys_whatever_their_white_space() {
    let text = "template<typename T> TASK void k(T *p) { *p = sizeof(T); }
TASK void k(unsigned int *p) { *p = 40; }\n";
    for setup in setups() {
        let names = ["k<int>", "(void(*)(unsigned int *))k", "k<int >", "k<int>"];
        let bundle = setup.build_named(text, &names);
        for name in ["k<int>", "k<int >", "k< int>", "  k<\nint > "] {
            assert_eq!(setup.result(&bundle, name), 4, "{name}");
        }
        for name in ["(void(*)(unsigned int *))k", "(void (*)(unsigned  int*)) k"] {
            assert_eq!(setup.result(&bundle, name), 40, "{name}");
        }
        for name in ["(void(*)(unsignedint *))k", "k", "k<float>", "k<in t>"] {
            assert!(!bundle.has_kernel(name), "{name}");
            refused(bundle.kernel(name), Errc::Invalid, &[name, "k<int>", "_Z15__sycl_kernel_k"]);
            refused(bundle.raw_kernel_name(name), Errc::Invalid, &[name, "not found in kernel_bundle"]);
        }
        // N4
        refused(setup.try_build(text, &[], &["k<nosuch>"]), Errc::Build, &["k<nosuch>"]);
    }
}

// A19: an executable has kernels by name only, and there are no application kernels to list.
#[test]
fn kernels_from_source_are_in_bundles_only() {
    for setup in setups() {
        use syclrtc::bundle::BundleState;
        let built = setup.build(&EXTERN_C.replace("VALUE", "1"));
        assert!(built.has_kernel("k"));
        let own = KernelBundle::empty(&setup.context, setup.devices(), BundleState::Executable).unwrap();
        assert!(!own.has_kernel("k") && own.image_count() == 0);
    }
}
