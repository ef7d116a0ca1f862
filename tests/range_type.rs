// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! `range_type`: launches against what a kernel declares, and declarations across linked bundles.

mod common;

use common::{Bundle, Setup, nd_range, refused, setups, single_task};
use syclrtc::{
    bundle::{KernelBundle, LaunchKind, LaunchSpec},
    error::Errc,
};

/// A kernel that stores 1 for each work-item.
fn limited(name: &str, kind: &str) -> String {
    format!(
        "extern \"C\" ND1 SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((syclexp::range_type<{kind}>)) void {name}(int *p) {{
  p[syclext::this_work_item::get_nd_item<1>().get_global_linear_id()] = 1;
}}\n"
    )
}

/// T2 and T4 for a kernel `k` with `signed char`: 127 work-items run, 128 are refused and nothing is written (T11).
fn holds(setup: &Setup, bundle: &Bundle) {
    let kernel = bundle.kernel("k").unwrap();
    assert_eq!(kernel.info().properties.range_max, Some(127));
    assert_eq!(kernel.attributes(), "range_type(127)");
    let memory = setup.shared(128);
    for spec in [nd_range(128, 1), LaunchSpec { kind: LaunchKind::Range, ..nd_range(128, 1) }] {
        refused(setup.launch(&kernel, &spec, memory), Errc::NdRange, &["range_type declares up to 127", "128"]);
        assert_eq!(memory, [0; 128]);
    }
    // L1, T11: the queue goes on.
    setup.launch(&kernel, &nd_range(127, 1), memory).unwrap();
    assert_eq!((&memory[..127], memory[127]), (&[1; 127][..], 0));
    memory.fill(0);
}

// T4, T8, T11, L1
#[test]
fn the_limit_survives_every_way_to_a_kernel() {
    for setup in setups() {
        let text = limited("k", "signed char");
        let built = setup.build(&text);
        holds(&setup, &built);
        let object = setup.compile(&text);
        assert!(object.has_kernel("k"));
        holds(&setup, &setup.link(&[&object]));
        holds(&setup, &setup.link(&[&setup.reload(&object)]));
        holds(&setup, &setup.reload(&built));
        let other = setup.build("extern \"C\" TASK void other(int *p) { *p = 1; }\n");
        holds(&setup, &KernelBundle::join(&[other, built]).unwrap());
    }
}

// R4, R5, R6, R8, T1: the values that the launch is compared with; launches of 2^31 work-items are in the unit tests.
#[test]
fn the_limit_is_the_largest_value_of_the_type() {
    for setup in setups() {
        for (kind, max) in [
            ("int", i32::MAX as u64),
            ("std::int32_t", i32::MAX as u64),
            ("unsigned", u64::from(u32::MAX)),
            ("long", i64::MAX as u64),
            ("long long", i64::MAX as u64),
            ("std::size_t", u64::MAX),
            ("short", 32767),
            ("char", 127),
            ("unsigned char", 255),
        ] {
            let kernel = setup.build(&limited("k", kind)).kernel("k").unwrap();
            assert_eq!(kernel.info().properties.range_max, Some(max), "{kind}");
        }
        let text = "extern \"C\" ND1 void k(int *p) { *p = 1; }\n";
        assert_eq!(setup.build(text).kernel("k").unwrap().info().properties.range_max, None);
        // R10
        let int = setup.try_build(text, &["-fsycl-id-queries-fit-in-int"], &[]).unwrap();
        assert_eq!(int.kernel("k").unwrap().info().properties.range_max, Some(i32::MAX as u64));
        let free = setup.try_build(text, &["-fno-sycl-id-queries-fit-in-int"], &[]).unwrap();
        assert_eq!(free.kernel("k").unwrap().info().properties.range_max, None);
    }
}

// T2, T3, T5: refused before the driver, so their size is no matter.
#[test]
fn launches_over_the_limit_are_refused_at_once() {
    let text = limited("one", "int")
        + "#define ND2 SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((syclexp::nd_range_kernel<2>))
extern \"C\" ND2 SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((syclexp::range_type<int>)) void two(int *p) { *p = 1; }
extern \"C\" ND2 SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((syclexp::range_type<unsigned>)) void wide(int *p) { *p = 1; }
extern \"C\" ND2 void free_(int *p) { *p = 1; }\n";
    for setup in setups() {
        let bundle = setup.build(&text);
        let memory = setup.shared(1);
        let two = |a, b| LaunchSpec { dimensions: 2, global: [a, b, 1], local: [1; 3], ..nd_range(1, 1) };
        for (name, spec) in [
            ("one", nd_range(2_147_483_648, 1)),
            ("two", two(65536, 65536)),
            ("wide", two(65536, 65536)),
            ("wide", two(1 << 40, 1 << 40)),
            ("free_", two(1 << 40, 1 << 40)),
        ] {
            refused(setup.launch(&bundle.kernel(name).unwrap(), &spec, memory), Errc::NdRange, &[name]);
        }
        assert_eq!(memory[0], 0);
    }
}

// L4
#[test]
fn a_single_task_is_one_work_item() {
    let text = "extern \"C\" TASK SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((syclexp::range_type<signed char>))
void k(int *p) { *p = 3; }\n";
    for setup in setups() {
        let (bundle, memory) = (setup.build(text), setup.shared(1));
        setup.launch(&bundle.kernel("k").unwrap(), &single_task(), memory).unwrap();
        assert_eq!(memory[0], 3);
    }
}

// T6, C1, C2
#[test]
fn a_shared_helper_computes_the_same_for_all() {
    let kernel = |name: &str, property: &str| {
        format!(
            "extern \"C\" ND1 {property} void {name}(int *p) {{
  auto item = syclext::this_work_item::get_nd_item<1>();
  p[item.get_global_linear_id()] = helper(item.get_global_id(0), item.get_global_range(0));
}}\n"
        )
    };
    let property = |kind: &str| format!("SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((syclexp::range_type<{kind}>))");
    let text =
        "static int helper(std::size_t id, std::size_t range) { return id < 100 && range < 200 ? id * 3 : -1; }\n"
            .to_owned()
            + &kernel("narrow", &property("signed char"))
            + &kernel("wide", &property("int"))
            + &kernel("free_", "");
    for setup in setups() {
        for options in [&["-O0"][..], &["-O3"]] {
            let bundle = setup.try_build(&text, options, &[]).unwrap();
            for (name, size) in [("narrow", 120), ("wide", 500), ("free_", 500)] {
                let memory = setup.shared(size);
                setup.launch(&bundle.kernel(name).unwrap(), &nd_range(size, 1), memory).unwrap();
                for (id, got) in memory.iter().enumerate() {
                    assert_eq!(*got, if id < 100 && size < 200 { id as i32 * 3 } else { -1 }, "{name} {id}");
                }
            }
        }
    }
}

/// Declared and defined limits of a function in another source, with that of the kernel that calls it.
fn across(setup: &Setup, caller: Option<&str>, declared: Option<&str>, defined: Option<&str>) -> Result<(), Errc> {
    let property = |kind: Option<&str>| {
        kind.map_or(String::new(), |kind| format!("SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((syclexp::range_type<{kind}>))"))
    };
    let user = format!(
        "{} SYCL_EXTERNAL void f(int *p);\nextern \"C\" ND1 {} void k(int *p) {{ f(p); }}\n",
        property(declared),
        property(caller)
    );
    let owner = format!("{} SYCL_EXTERNAL void f(int *p) {{ *p = 5; }}\n", property(defined));
    let owner = setup.compile(&owner);
    let user = setup.try_compile(&user, &[], &[]).map_err(|error| error.code)?;
    match setup.try_link(&[&user, &owner]) {
        Ok(linked) => {
            let memory = setup.shared(1);
            setup.launch(&linked.kernel("k").unwrap(), &nd_range(1, 1), memory).unwrap();
            assert_eq!(memory[0], 5);
            Ok(())
        }
        Err(error) => {
            // F9: symbol and both bundles are named.
            for word in ["_Z1fPi", "bundle 1", "bundle 2"] {
                assert!(error.message.contains(word), "{word} is not in: {error}");
            }
            Err(error.code)
        }
    }
}

// T7, C28; F2, F3, F5, F6, F8, F9
#[test]
fn limits_across_bundles_follow_the_table() {
    let (int, unsigned, size) = (Some("int"), Some("unsigned"), Some("std::size_t"));
    for setup in setups() {
        for (caller, declared, defined, good) in [
            (int, int, int, true),
            (int, size, size, true),
            (int, unsigned, unsigned, true),
            (None, None, None, true),
            (None, size, size, true),
            (size, size, size, true),
            (unsigned, int, int, false),
            (size, int, int, false),
            (None, int, int, false),
            (int, None, None, false),
            (int, None, int, false),
            (int, int, None, false),
            (int, size, int, false),
            (int, int, size, false),
        ] {
            let result = across(&setup, caller, declared, defined);
            let expected = if good { Ok(()) } else { Err(Errc::Build) };
            assert_eq!(result, expected, "kernel {caller:?}, declared {declared:?}, defined {defined:?}");
        }
    }
}

// T9, R3
#[test]
fn other_types_are_errors() {
    for setup in setups() {
        for kind in ["float", "bool", "const int"] {
            refused(setup.try_build(&limited("k", kind), &[], &[]), Errc::Build, &["error:"]);
        }
    }
}
