// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Objects, links and joins.

mod common;

use std::thread;

use common::{Bundle, Setup, clones, refused, setups, with};
use syclrtc::{
    bundle::{BundleState, KernelBundle, Language, LinkOptions, can_compile},
    error::Errc,
    runtime::Context,
};

/// Defines `f`, which stores the value. Needs no header.
fn exporter(value: i32) -> String {
    format!("SYCL_EXTERNAL void f(int *p) {{ *p = {value}; }}\n")
}

/// A kernel of that name that calls `f`.
fn importer(kernel: &str) -> String {
    format!("SYCL_EXTERNAL void f(int *p);\nextern \"C\" TASK void {kernel}(int *p) {{ f(p); }}\n")
}

fn kernel(name: &str, value: i32) -> String {
    format!("extern \"C\" TASK void {name}(int *p) {{ *p = {value}; }}\n")
}

/// Each kernel gives its value.
fn gives(setup: &Setup, bundle: &Bundle, expected: &[(&str, i32)]) {
    for (name, value) in expected {
        assert_eq!(setup.result(bundle, name), *value, "{name}");
    }
}

/// All orders of three.
const ORDERS: [[usize; 3]; 6] = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];

const SPLITS: [&str; 4] = [
    "-fsycl-device-code-split=per_kernel",
    "-fsycl-device-code-split=per_source",
    "-fsycl-device-code-split=off",
    "-fsycl-device-code-split=auto",
];

/// Three kernels on a helper.
fn with_helper(helper: &str) -> String {
    let mut text = helper.to_owned();
    for number in 1..=3 {
        text.push_str(&format!("extern \"C\" TASK void k{number}(int *p) {{ *p = help({number}); }}\n"));
    }
    text
}

// B1, B2, B4, B5, B6, B8
#[test]
fn kernels_that_share_a_helper_link_under_every_split() {
    for helper in [
        "int help(int n) { return n * 10; }\n",
        "inline int help(int n) { return n * 10; }\n",
        "static int help(int n) { return n * 10; }\n",
        "constexpr int help(int n) { return n * 10; }\n",
        "template<typename T> T helper(T n) { return n * 10; }\nint help(int n) { return helper(n); }\n",
        "struct S { int f(int n) { return n * 10; } };\nint help(int n) { return S().f(n); }\n",
        "extern \"C\" int help(int n) { return n * 10; }\n",
        "SYCL_EXTERNAL int help(int n) { return n * 10; }\n",
        "constexpr int table[4] = {0, 10, 20, 30};\nint help(int n) { return table[n]; }\n",
        "int help(int n) { static constexpr int table[4] = {0, 10, 20, 30}; return table[n]; }\n",
    ] {
        let text = with_helper(helper);
        for setup in setups() {
            for split in SPLITS {
                let object = setup.try_compile(&text, &[split], &[]).unwrap_or_else(|e| panic!("{helper}{e}"));
                let linked = setup.link(&[&object]);
                gives(&setup, &linked, &[("k1", 10), ("k2", 20), ("k3", 30)]);
            }
        }
    }
}

// B2, B9
#[test]
fn the_split_shows_in_the_number_of_images_only() {
    let text = with_helper("static int help(int n) { return n; }\n");
    for setup in setups() {
        for (split, images) in SPLITS.iter().zip([3..=3, 1..=1, 1..=1, 1..=3]) {
            let built = setup.try_build(&text, &[split], &[]).unwrap();
            assert!(images.contains(&built.image_count()), "{split}: {}", built.image_count());
            gives(&setup, &built, &[("k1", 1), ("k2", 2), ("k3", 3)]);
            let linked = setup.link(&[&setup.try_compile(&text, &[split], &[]).unwrap()]);
            assert!(images.contains(&linked.image_count()), "{split}: {}", linked.image_count());
        }
    }
}

// B3
#[test]
fn a_build_and_a_link_of_the_same_source_agree() {
    let text = "TASK static void k(int *p) { *p = 1; }\nextern \"C\" TASK void c(int *p) { *p = 2; }
template<typename T> TASK void t(T *p) { *p = 3; }\n";
    for setup in setups() {
        let names = ["k", "t<int>"];
        let built = setup.build_named(text, &names);
        let object = setup.try_compile(text, &[], &names).unwrap();
        let linked = setup.link(&[&object]);
        for (value, name) in (1..).zip(["k", "c", "t<int>"]) {
            // The object knows the names already.
            assert!(object.has_kernel(name) && built.has_kernel(name) && linked.has_kernel(name), "{name}");
            refused(object.kernel(name), Errc::Invalid, &["executable", "object"]);
            gives(&setup, &built, &[(name, value)]);
            gives(&setup, &linked, &[(name, value)]);
            let infos = [&built, &linked].map(|bundle| bundle.kernel(name).unwrap().info().parameters.clone());
            assert_eq!(infos[0], infos[1]);
        }
        for name in ["c", "t<int>"] {
            assert_eq!(object.raw_kernel_name(name).unwrap(), linked.raw_kernel_name(name).unwrap());
            assert_eq!(built.raw_kernel_name(name).unwrap(), linked.raw_kernel_name(name).unwrap());
        }
        assert_eq!(object.image_count(), 1);
    }
}

// B10, and 10.3: kernels with different needs are different images
#[test]
fn kernels_with_conflicting_sizes_live_in_one_source() {
    let text = "extern \"C\" ND1 SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((syclexp::work_group_size<8>))
void a(int *p) { p[syclext::this_work_item::get_nd_item<1>().get_global_id(0)] = 1; }
extern \"C\" ND1 SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((syclexp::work_group_size<16>))
void b(int *p) { p[syclext::this_work_item::get_nd_item<1>().get_global_id(0)] = 2; }\n";
    for setup in setups() {
        for split in SPLITS {
            let built = setup.try_build(text, &[split], &[]).unwrap();
            for (name, size, value) in [("a", 8, 1), ("b", 16, 2)] {
                let memory = setup.shared(32);
                let kernel = built.kernel(name).unwrap();
                setup.launch(&kernel, &common::nd_range(32, size), memory).unwrap();
                assert!(memory.iter().all(|element| *element == value), "{name} {split}");
                refused(setup.launch(&kernel, &common::nd_range(32, 4), memory), Errc::NdRange, &["work-groups"]);
            }
        }
        assert_eq!(setup.build(text).image_count(), 2);
    }
}

// C1, C12, C13, C14, C15
#[test]
fn bundles_without_common_symbols_are_put_together() {
    for setup in setups() {
        let object = |name: &str, value: i32| {
            let text = format!(
                "int helper() {{ return {value}; }}\nextern \"C\" TASK void {name}(int *p) {{ *p = helper(); }}
TASK static void s(int *p) {{ *p = {value} * 10; }}\n"
            );
            setup.try_compile(&text, &[], &["s"]).unwrap()
        };
        let (a, b) = (object("a", 1), object("b", 2));
        let linked = setup.link(&[&a, &b]);
        gives(&setup, &linked, &[("a", 1), ("b", 2), ("s", 10)]);
        let other = setup.link(&[&b, &a]);
        gives(&setup, &other, &[("s", 20)]);
        let alone = setup.link(&[&a]);
        assert!(!alone.has_kernel("b"));
        let kernel = linked.kernel("b").unwrap();
        drop((a, b, other, alone, linked));
        assert_eq!(setup.run(&kernel), 2);
    }
}

// C2, C5, C19
#[test]
fn imported_functions_come_from_the_bundle_that_exports_them() {
    for setup in setups() {
        let (one, two) = (setup.compile(&importer("k1")), setup.compile(&importer("k2")));
        let deps = ["-fsycl-allow-device-image-dependencies"];
        for exporter in [setup.compile(&exporter(7)), setup.try_compile(&exporter(7), &deps, &[]).unwrap()] {
            gives(&setup, &setup.link(&[&one, &exporter]), &[("k1", 7)]);
            gives(&setup, &setup.link(&[&exporter, &one]), &[("k1", 7)]);
            gives(&setup, &setup.link(&[&one, &exporter, &two]), &[("k1", 7), ("k2", 7)]);
        }
        // C13: another combination of the same inputs.
        gives(&setup, &setup.link(&[&two, &setup.compile(&exporter(8))]), &[("k2", 8)]);
    }
}

// C2: SYCL_EXTERNAL is known without any header.
#[test]
fn an_exporter_needs_no_header() {
    for setup in setups() {
        let text = b"#include <cstddef>\nSYCL_EXTERNAL void f(int *p) { *p = sizeof(std::size_t); }\n";
        let source =
            KernelBundle::create_from_source(&setup.context, Language::Sycl, text.to_vec(), Vec::new()).unwrap();
        let object = source.compile(setup.devices(), &with(&[], &[])).unwrap();
        gives(&setup, &setup.link(&[&setup.compile(&importer("k")), &object]), &[("k", 8)]);
    }
}

// C3
#[test]
fn two_bundles_may_use_each_other() {
    let a = "SYCL_EXTERNAL int f(int n);\nSYCL_EXTERNAL int g(int n) { return n + 1; }
extern \"C\" TASK void k(int *p) { *p = f(1); }\n";
    let b = "SYCL_EXTERNAL int g(int n);\nSYCL_EXTERNAL int f(int n) { return g(n) * 10; }\n";
    for setup in setups() {
        let (a, b) = (setup.compile(a), setup.compile(b));
        gives(&setup, &setup.link(&[&a, &b]), &[("k", 20)]);
        gives(&setup, &setup.link(&[&b, &a]), &[("k", 20)]);
    }
}

// C4
#[test]
fn a_chain_links_in_every_order() {
    let sources = [
        importer("k"),
        "SYCL_EXTERNAL int g();\nSYCL_EXTERNAL void f(int *p) { *p = g(); }\n".to_owned(),
        "SYCL_EXTERNAL int g() { return 9; }\n".to_owned(),
    ];
    for setup in setups() {
        let objects: Vec<Bundle> = sources.iter().map(|text| setup.compile(text)).collect();
        for order in ORDERS {
            gives(&setup, &setup.link(&order.map(|index| &objects[index])), &[("k", 9)]);
        }
    }
}

const CUSTOM: &str = "SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((syclexp::device_has<sycl::aspect::custom>))";

/// The kernel is not there, and the error says why.
fn is_absent(setup: &Setup, bundle: &Bundle, name: &str) {
    assert!(!bundle.has_kernel(name), "{name}");
    let reason = format!("device \"{}\" lacks aspect::custom", setup.device.name());
    refused(bundle.kernel(name), Errc::Invalid, &[name, &reason]);
    refused(bundle.raw_kernel_name(name), Errc::Invalid, &[name, &reason]);
}

// C6; B4 of kernel-compiler.md, KP10
#[test]
fn a_kernel_whose_aspects_the_device_lacks_is_absent() {
    let text = format!(
        "extern \"C\" TASK {CUSTOM} void needs(int *p) {{ *p = 1; }}
template<typename T> TASK {CUSTOM} void t(T *p) {{ *p = 1; }}\n"
    ) + &kernel("k", 2);
    for setup in setups() {
        assert!(!setup.device.has(syclrtc::backend::Aspect::Custom));
        let built = setup.build_named(&text, &["t<int>"]);
        let object = setup.try_compile(&text, &[], &["t<int>"]).unwrap();
        let reason = format!("device \"{}\" lacks aspect::custom", setup.device.name());
        for name in ["needs", "__sycl_kernel_needs", "t<int>"] {
            assert!(!object.has_kernel(name), "{name}");
            refused(object.raw_kernel_name(name), Errc::Invalid, &[name, &reason]);
        }
        assert!(object.has_kernel("k"));
        let linked = setup.link(&[&object]);
        for bundle in [&built, &linked, &setup.reload(&built)] {
            for name in ["needs", "__sycl_kernel_needs", "t<int>", "t< int >"] {
                is_absent(&setup, bundle, name);
            }
            gives(&setup, bundle, &[("k", 2)]);
        }
        let needy = setup.compile(&format!(
            "SYCL_EXTERNAL void f(int *);\nextern \"C\" TASK {CUSTOM} void needs(int *p) {{ f(p); }}\n"
        ));
        let linked = setup.link(&[&needy, &setup.compile(&importer("k")), &setup.compile(&exporter(3))]);
        is_absent(&setup, &linked, "needs");
        gives(&setup, &linked, &[("k", 3)]);
    }
}

// C7
#[test]
fn importers_go_with_an_exporter_that_the_device_cannot_run() {
    for setup in setups() {
        let user = setup.compile(&importer("k"));
        let owner = setup.compile(&format!("{CUSTOM} {}", exporter(3)));
        let linked = setup.link(&[&user, &owner]);
        is_absent(&setup, &linked, "k");
        assert_eq!(linked.image_count(), 0);
        let linked = setup.link(&[&user, &owner, &setup.compile(&kernel("other", 4))]);
        is_absent(&setup, &linked, "k");
        gives(&setup, &linked, &[("other", 4)]);
    }
}

// C8, C9, D7
#[test]
fn an_object_that_comes_twice_counts_once() {
    for setup in setups() {
        let (a, b) = (setup.compile(&kernel("a", 1)), setup.compile(&kernel("b", 2)));
        let copy = a.clone();
        gives(&setup, &setup.link(&[&a, &a]), &[("a", 1)]);
        gives(&setup, &setup.link(&[&a, &copy]), &[("a", 1)]);
        let joined = KernelBundle::join(&clones(&[&a, &b])).unwrap();
        assert_eq!(joined.image_count(), 2);
        gives(&setup, &setup.link(&[&joined, &a]), &[("a", 1), ("b", 2)]);
        assert!(KernelBundle::join(&clones(&[&joined, &a])).unwrap().is_equal(&joined));
    }
}

// C10, C11
#[test]
fn local_symbols_never_clash_and_foldable_ones_are_folded() {
    for setup in setups() {
        let object = |kernel: &str, value: i32| {
            setup.compile(&format!(
                "static int local() {{ return {value}; }}\nnamespace {{ int hidden() {{ return {value}; }} }}
inline int folded() {{ return 5; }}\ntemplate<typename T> SYCL_EXTERNAL T shared(T n) {{ return n + 1; }}
SYCL_EXTERNAL inline int external() {{ return 100; }}
extern \"C\" TASK void {kernel}(int *p) {{ *p = local() + hidden() + folded() + shared(1) + external(); }}\n"
            ))
        };
        let linked = setup.link(&[&object("a", 10), &object("b", 20)]);
        gives(&setup, &linked, &[("a", 127), ("b", 147)]);
    }
}

// C18
#[test]
fn objects_with_different_options_link() {
    for setup in setups() {
        let a = setup.try_compile(&importer("k"), &["-O0", "-g"], &[]).unwrap();
        let b = setup.try_compile(&exporter(3), &["-O3", "-DX=1", "-ffast-math"], &[]).unwrap();
        gives(&setup, &setup.link(&[&a, &b]), &[("k", 3)]);
    }
}

// C20, C21
#[test]
fn only_what_is_called_is_imported() {
    let text = "SYCL_EXTERNAL int never(int);\nSYCL_EXTERNAL int f(int);
template<typename T> T through(T n) { return f(n); }\ninline int wrapped(int n) { return through(n); }
extern \"C\" TASK void k(int *p) { *p = wrapped(2); }\n";
    for setup in setups() {
        let a = setup.compile(text);
        refused(setup.try_link(&[&a]), Errc::Invalid, &["_Z1fi"]);
        gives(
            &setup,
            &setup.link(&[&a, &setup.compile("SYCL_EXTERNAL int f(int n) { return n * 4; }\n")]),
            &[("k", 8)],
        );
    }
}

// C22
#[test]
fn mutual_recursion_across_bundles_is_resolved() {
    let half = |own: &str, other: &str, base: i32| {
        format!(
            "SYCL_EXTERNAL int {other}(int);\nSYCL_EXTERNAL int {own}(int n) {{ return n == 0 ? {base} : {other}(n - 1); }}\n"
        )
    };
    for setup in setups() {
        let a = setup.compile(&(half("even", "odd", 1) + "extern \"C\" TASK void k(int *p) { *p = even(*p); }\n"));
        let b = setup.compile(&half("odd", "even", 0));
        // Whether recursion is allowed is another rule's matter; no symbol may be missing.
        if let Err(error) = setup.try_link(&[&a, &b]) {
            assert_eq!(error.code, Errc::Build, "{error}");
            assert!(!error.message.contains("No exported symbol"), "{error}");
        }
    }
}

// C23
#[test]
fn threads_link_the_same_objects() {
    for setup in setups() {
        let (a, b) = (setup.compile(&importer("k")), setup.compile(&exporter(6)));
        thread::scope(|scope| {
            for _ in 0..6 {
                scope.spawn(|| gives(&setup, &setup.link(&[&a, &b]), &[("k", 6)]));
            }
        });
    }
}

// C24, C25
#[test]
fn fast_link_changes_nothing() {
    for setup in setups() {
        let objects = clones(&[&setup.compile(&importer("k")), &setup.compile(&exporter(6))]);
        for fast_link in [false, true] {
            let linked = KernelBundle::link(&objects, setup.devices(), &LinkOptions { fast_link }).unwrap();
            gives(&setup, &linked, &[("k", 6)]);
        }
    }
}

// C26
#[test]
fn a_function_that_is_nowhere_is_an_error_of_the_compile() {
    for setup in setups() {
        let text = "int nowhere(int);\nextern \"C\" TASK void k(int *p) { *p = nowhere(1); }\n";
        refused(setup.try_compile(text, &[], &[]), Errc::Build, &["nowhere"]);
    }
}

// C27
#[test]
fn a_declaration_has_to_agree_with_the_kernels_definition() {
    for setup in setups() {
        let declares =
            |property: &str| setup.compile(&format!("extern \"C\" {property} void k(int *p);\n{}", kernel("other", 1)));
        let defines = setup.compile("extern \"C\" ND1 void k(int *p) { *p = 2; }\n");
        assert!(setup.try_link(&[&declares("ND1"), &defines]).is_ok());
        refused(
            setup.try_link(&[&declares("TASK"), &defines]),
            Errc::Build,
            &["__sycl_kernel_k", "bundle 1", "bundle 2"],
        );
    }
}

// C29, and "checks in order" of compile
#[test]
fn a_compile_checks_devices_and_properties_first() {
    for setup in setups() {
        let source = setup.source("this does not compile");
        refused(source.compile(&[], &with(&[], &[])), Errc::Invalid, &["vector of devices is empty"]);
        for other in setups().iter().filter(|other| !std::sync::Arc::ptr_eq(&other.device, &setup.device)) {
            let devices = [setup.device.clone(), other.device.clone()];
            refused(
                source.compile(&devices, &with(&[], &[])),
                Errc::Invalid,
                &["device not part of kernel_bundle context"],
            );
        }
        refused(
            source.compile(setup.devices(), &with(&["--no-such-option"], &[])),
            Errc::Invalid,
            &["--no-such-option"],
        );
        refused(source.compile(setup.devices(), &with(&[], &[])), Errc::Build, &["Device compilation failed"]);
        let built = setup.build(&kernel("k", 1));
        refused(built.compile(setup.devices(), &with(&[], &[])), Errc::Invalid, &["ext_oneapi_source", "executable"]);
        // Objects exist for one language.
        for language in [Language::OpenCl, Language::Spirv] {
            assert!(can_compile(&setup.device, language).is_err());
            if let Ok(source) = KernelBundle::create_from_source(&setup.context, language, Vec::new(), Vec::new()) {
                refused(source.compile(setup.devices(), &with(&[], &[])), Errc::Invalid, &[language.name()]);
            }
        }
    }
}

// D1, D2, D4, D13
#[test]
fn a_symbol_that_nobody_exports_is_named() {
    for setup in setups() {
        let elsewhere = setup.compile(&exporter(1));
        let a = setup.compile(&importer("k"));
        let error = refused(
            setup.try_link(&[&a]),
            Errc::Invalid,
            &["No exported symbol \"_Z1fPi\" found in linked images.", "f(int*)", "bundle 1 (rtc_"],
        );
        assert!(error.message.contains(".cpp)"), "{error}");
        gives(&setup, &setup.link(&[&a, &elsewhere]), &[("k", 1)]);
    }
}

// D3, B8
#[test]
fn a_build_has_to_resolve_everything() {
    for setup in setups() {
        let _elsewhere = setup.compile(&exporter(1));
        for options in [&[][..], &["-fsycl-allow-device-image-dependencies"]] {
            refused(
                setup.try_build(&importer("k"), options, &[]),
                Errc::Build,
                &["No device image found for external symbol", "_Z1fPi"],
            );
        }
    }
}

// D5
#[test]
fn two_exporters_of_a_symbol_clash() {
    for setup in setups() {
        let (a, b, user) = (setup.compile(&exporter(1)), setup.compile(&exporter(2)), setup.compile(&importer("k")));
        refused(
            setup.try_link(&[&user, &a, &b]),
            Errc::Invalid,
            &["_Z1fPi (f(int*))", "bundle 2 (rtc_", "bundle 3 (rtc_"],
        );
        gives(&setup, &setup.link(&[&user, &b]), &[("k", 2)]);
    }
}

// D6, D8
#[test]
fn two_kernels_of_one_name_clash() {
    for setup in setups() {
        let source = setup.source(&kernel("k", 1));
        let compile = || source.compile(setup.devices(), &with(&[], &[])).unwrap();
        let other = setup.compile(&kernel("k", 2));
        for pair in [[&compile(), &other], [&compile(), &compile()]] {
            refused(
                setup.try_link(&pair),
                Errc::Invalid,
                &["Conflicting kernel definitions:  __sycl_kernel_k", "bundle 1 (rtc_", "bundle 2 (rtc_"],
            );
        }
    }
}

// D9, D10
#[test]
fn contexts_and_devices_are_checked() {
    for setup in setups() {
        let a = setup.compile(&kernel("a", 1));
        let other = Setup::new(setup.device.clone());
        let b = other.compile(&kernel("b", 2));
        refused(setup.try_link(&[&a, &b]), Errc::Invalid, &["different contexts"]);
        refused(KernelBundle::join(&clones(&[&a, &b])), Errc::Invalid, &["different contexts"]);
        refused(
            KernelBundle::link(&clones(&[&a]), &[], &LinkOptions::default()),
            Errc::Invalid,
            &["no device was given"],
        );
        refused(KernelBundle::link(&[], setup.devices(), &LinkOptions::default()), Errc::Invalid, &["no bundle"]);
        refused(KernelBundle::join(&[]), Errc::Invalid, &["no bundle"]);
        for stranger in setups().iter().filter(|other| !std::sync::Arc::ptr_eq(&other.device, &setup.device)) {
            let devices = [setup.device.clone(), stranger.device.clone()];
            refused(
                KernelBundle::link(&clones(&[&a]), &devices, &LinkOptions::default()),
                Errc::Invalid,
                &[&stranger.device.name()],
            );
        }
        let built = setup.build(&kernel("k", 1));
        refused(setup.try_link(&[&a, &built]), Errc::Invalid, &["bundle 2 is in state executable"]);
        refused(KernelBundle::join(&clones(&[&a, &built])), Errc::Invalid, &["object and executable"]);
        let source = setup.source("");
        refused(KernelBundle::join(&clones(&[&source])), Errc::Invalid, &["ext_oneapi_source"]);
    }
}

// D11, D12, D13
#[test]
fn a_type_that_differs_is_an_error_of_the_link() {
    let a = "extern \"C\" SYCL_EXTERNAL int f(int);\nextern \"C\" TASK void k(int *p) { *p = f(1); }\n";
    let b = "extern \"C\" SYCL_EXTERNAL double f(double x, int *) { return x; }\n";
    for setup in setups() {
        let (a, b) = (setup.compile(a), setup.compile(b));
        for _ in 0..2 {
            let error =
                refused(setup.try_link(&[&a, &b]), Errc::Build, &["Device link failed", "bundle 1", "bundle 2"]);
            assert!(error.log.is_some_and(|log| !log.is_empty()));
        }
        gives(
            &setup,
            &setup.link(&[&a, &setup.compile("extern \"C\" SYCL_EXTERNAL int f(int n) { return n; }\n")]),
            &[("k", 1)],
        );
    }
}

// The functions of SYCL 2020 on bundles of the application's kernels, of which there are none.
#[test]
fn input_bundles_are_empty_and_stay_so() {
    for setup in setups() {
        let empty = |state| KernelBundle::empty(&setup.context, setup.devices(), state).unwrap();
        let input = empty(BundleState::Input);
        let object = input.compile(setup.devices(), &with(&[], &[])).unwrap();
        let built = input.build(setup.devices(), &with(&[], &[])).unwrap();
        let linked = setup.link(&[&object]);
        for (bundle, state) in [
            (&input, BundleState::Input),
            (&object, BundleState::Object),
            (&built, BundleState::Executable),
            (&linked, BundleState::Executable),
        ] {
            assert_eq!((bundle.state(), bundle.image_count(), bundle.has_kernel("k")), (state, 0, false));
            assert!(bundle.is_equal(&empty(state)));
        }
        refused(input.build(&[], &with(&[], &[])), Errc::Invalid, &["vector of devices is empty"]);
        refused(KernelBundle::empty(&setup.context, &[], BundleState::Input), Errc::Invalid, &["vector of devices"]);
        refused(KernelBundle::empty(&setup.context, setup.devices(), BundleState::Source), Errc::Invalid, &["source"]);
        // An empty bundle joins with one that is not.
        let full = setup.build(&kernel("k", 4));
        let joined = KernelBundle::join(&clones(&[&built, &full])).unwrap();
        gives(&setup, &joined, &[("k", 4)]);
    }
}

// C16, C17, A18: several devices of one context
#[test]
fn a_link_for_fewer_devices_is_for_those() {
    let all = setups();
    for setup in &all {
        let platform = setup.device.platform();
        let devices: Vec<_> = all
            .iter()
            .map(|one| one.device.clone())
            .filter(|one| std::sync::Arc::ptr_eq(one.platform(), platform))
            .collect();
        if devices.len() < 2 {
            continue;
        }
        let context = Context::new(&devices).unwrap();
        let source = KernelBundle::create_from_source(
            &context,
            Language::Sycl,
            format!("{}{}", common::HEAD, kernel("k", 1)).into(),
            vec![],
        )
        .unwrap();
        let object = source.compile(&devices, &with(&[], &[])).unwrap();
        let linked = KernelBundle::link(&clones(&[&object]), &devices[1..], &LinkOptions::default()).unwrap();
        assert_eq!(linked.devices().len(), devices.len() - 1);
        assert!(!linked.has_device(&devices[0]) && linked.has_device(&devices[1]));
        let wide = KernelBundle::link(&clones(&[&object]), &devices, &LinkOptions::default()).unwrap();
        refused(KernelBundle::join(&[linked, wide]), Errc::Invalid, &["different sets of devices"]);
    }
}
