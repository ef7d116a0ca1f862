// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Bundles as bytes, and their code in other programs' forms.

mod common;

use std::{env, fs, process::Command};

use common::{clones, refused, setups, with};
use syclrtc::{
    bundle::{BundleState, CodeFormat, CodeRequest, KernelBundle, Language},
    error::Errc,
};

const KERNELS: &str = "extern \"C\" TASK void c(int *p) { *p = 1; }
TASK static void s(int *p) { *p = 2; }
template<typename T> TASK void t(T *p) { *p = 3; }
extern \"C\" ND1 SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((syclexp::work_group_size<4>)) void w(int *p) {
  p[syclext::this_work_item::get_nd_item<1>().get_global_id(0)] = 4;
}\n";
const NAMES: [&str; 2] = ["s", "t<int>"];

// Y1, Y2, Y4
#[test]
fn a_loaded_executable_behaves_as_the_original() {
    for setup in setups() {
        let built = setup.build_named(KERNELS, &NAMES);
        let loaded = setup.reload(&built);
        assert_eq!((loaded.state(), loaded.image_count()), (BundleState::Executable, built.image_count()));
        for (value, name) in (1..).zip(["c", "s", "t<int>"]) {
            let raw = built.raw_kernel_name(name).unwrap();
            assert_eq!(loaded.raw_kernel_name(name).unwrap(), raw);
            assert_eq!((setup.result(&loaded, name), setup.result(&loaded, raw)), (value, value), "{name}");
            assert_eq!(loaded.kernel(name).unwrap().info(), built.kernel(name).unwrap().info());
        }
        assert!(loaded.has_kernel("t< int >") && !loaded.has_kernel("x"));
        let (kernel, memory) = (loaded.kernel("w").unwrap(), setup.shared(8));
        assert_eq!(kernel.attributes(), "reqd_work_group_size(4)");
        refused(setup.launch(&kernel, &common::nd_range(8, 8), memory), Errc::NdRange, &["work-groups of [4]"]);
        setup.launch(&kernel, &common::nd_range(8, 4), memory).unwrap();
        assert_eq!(memory, [4; 8]);
        // Y3: saved again, and joined with a fresh one.
        assert_eq!(setup.result(&setup.reload(&loaded), "c"), 1);
        let joined =
            KernelBundle::join(&clones(&[&loaded, &setup.build("extern \"C\" TASK void j(int *p) { *p = 7; }")]));
        assert_eq!(setup.result(&joined.unwrap(), "j"), 7);
    }
}

// Y5
#[test]
fn loaded_objects_link() {
    for setup in setups() {
        let a = setup.try_compile(KERNELS, &[], &NAMES).unwrap();
        let b = setup.compile("extern \"C\" TASK void b(int *p) { *p = 9; }\n");
        let loaded = setup.reload(&a);
        assert_eq!(loaded.state(), BundleState::Object);
        let linked = setup.link(&[&loaded, &b]);
        for (name, value) in [("c", 1), ("s", 2), ("t<int>", 3), ("b", 9)] {
            assert_eq!(setup.result(&linked, name), value, "{name}");
        }
        // A loaded object is another image than the one that was saved.
        refused(setup.try_link(&[&a, &loaded]), Errc::Invalid, &["Conflicting kernel definitions"]);
    }
}

/// Puts the digest right after a change.
fn with_digest(mut content: Vec<u8>) -> Vec<u8> {
    let digest = blake3::hash(&content[HEADER..]);
    content[HEADER - 32..HEADER].copy_from_slice(digest.as_bytes());
    content
}

/// Bytes before what the digest is of.
const HEADER: usize = 44;

#[test]
fn objects_of_another_compiler_do_not_link() {
    for setup in setups() {
        let mut content = setup.compile("extern \"C\" TASK void k(int *p) { *p = 1; }\n").content().unwrap();
        let at = content.windows(6).position(|window| window == b"clang ").unwrap() + 6;
        content[at] = b'1';
        let content = with_digest(content);
        let loaded =
            KernelBundle::from_content(&setup.context, setup.devices(), BundleState::Object, &content).unwrap();
        assert!(loaded.has_kernel("k"));
        refused(setup.try_link(&[&loaded]), Errc::Build, &["bundle 1 (rtc_", "was compiled by clang 1"]);
    }
}

// Joined and empty bundles keep all that they hold.
#[test]
fn all_units_and_none_are_saved() {
    for setup in setups() {
        let one = |value| setup.build(&format!("extern \"C\" TASK void k{value}(int *p) {{ *p = {value}; }}\n"));
        let joined = KernelBundle::join(&[one(1), one(2)]).unwrap();
        let loaded = setup.reload(&joined);
        assert_eq!((setup.result(&loaded, "k1"), setup.result(&loaded, "k2"), loaded.image_count()), (1, 2, 2));
        for state in [BundleState::Input, BundleState::Object, BundleState::Executable] {
            let empty = KernelBundle::empty(&setup.context, setup.devices(), state).unwrap();
            assert!(setup.reload(&empty).is_equal(&empty));
        }
        refused(setup.source("").content(), Errc::Invalid, &["ext_oneapi_source"]);
    }
}

#[test]
fn other_bytes_states_and_devices_are_refused() {
    for setup in setups() {
        let content = setup.build(KERNELS).content().unwrap();
        let load = |state, content: &[u8]| KernelBundle::from_content(&setup.context, setup.devices(), state, content);
        for state in [BundleState::Object, BundleState::Input] {
            refused(load(state, &content), Errc::Invalid, &["executable", state.name()]);
        }
        refused(load(BundleState::Source, &content), Errc::Invalid, &["source"]);
        // Y7; the unit tests do it for every byte.
        let executable = BundleState::Executable;
        for cut in [0, 7, 11, 43, 44, content.len() / 2, content.len() - 1] {
            refused(load(executable, &content[..cut]), Errc::Invalid, &["no content of a kernel_bundle"]);
        }
        for at in (0..content.len()).step_by(content.len() / 40) {
            let mut bad = content.clone();
            bad[at] ^= 0x10;
            refused(load(executable, &bad), Errc::Invalid, &["no content of a kernel_bundle"]);
        }
        refused(
            KernelBundle::from_content(&setup.context, &[], executable, &content),
            Errc::Invalid,
            &["vector of devices is empty"],
        );
        for other in setups().iter().filter(|other| !std::sync::Arc::ptr_eq(&other.device, &setup.device)) {
            refused(
                KernelBundle::from_content(&setup.context, other.devices(), executable, &content),
                Errc::Invalid,
                &["not in the context"],
            );
        }
    }
}

// Y7: the digest is no protection against somebody who computes it. The module itself stays whole here: drivers crash over
// some modules that the validator lets pass, whoever gives them to them.
#[test]
fn damaged_tables_with_a_digest_that_fits_never_crash() {
    for setup in setups() {
        let built = setup.build("extern \"C\" TASK void k(int *p) { *p = 1; }\n");
        let content = built.content().unwrap();
        let module = built.code(&CodeRequest { format: CodeFormat::Spirv, device: None }).unwrap();
        let start = content.windows(module.len()).position(|window| window == module).unwrap();
        let places: Vec<usize> = (HEADER..start).chain(start + module.len()..content.len()).collect();
        let mut state = 7_usize;
        for _ in 0..200 {
            let mut bad = content.clone();
            for _ in 0..3 {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                let at = places[(state >> 16) % places.len()];
                bad[at] ^= 1 << (state >> 60 & 7);
            }
            let bad = with_digest(bad);
            if let Err(error) =
                KernelBundle::from_content(&setup.context, setup.devices(), BundleState::Executable, &bad)
            {
                assert!(matches!(error.code, Errc::Invalid | Errc::Build | Errc::MemoryAllocation), "{error}");
            }
        }
    }
}

// Y6: this test's program is started again to load what it saved.
#[test]
fn another_process_loads_the_bytes() {
    const FILE: &str = "SYCLRTC_TEST_CONTENT";
    if let Some(file) = env::var_os(FILE) {
        let content = fs::read(file).unwrap();
        for setup in setups() {
            // Y6: code of one device on another either works or is absent.
            let loaded =
                KernelBundle::from_content(&setup.context, setup.devices(), BundleState::Executable, &content).unwrap();
            if loaded.has_kernel("s") {
                assert_eq!(setup.result(&loaded, "s"), 2);
            } else {
                assert_eq!(loaded.image_count(), 0);
            }
        }
        return;
    }
    for (index, setup) in setups().iter().enumerate() {
        let file = env::temp_dir().join(format!("syclrtc_content_{}_{index}", std::process::id()));
        fs::write(&file, setup.build_named(KERNELS, &NAMES).content().unwrap()).unwrap();
        let mut again = Command::new(env::current_exe().unwrap());
        let again = again.args(["--exact", "another_process_loads_the_bytes"]).env(FILE, &file);
        let output = again.output().unwrap();
        fs::remove_file(&file).unwrap();
        assert!(output.status.success(), "{output:?}");
        assert!(String::from_utf8_lossy(&output.stdout).contains("1 passed"), "{output:?}");
    }
}

// Bundles of other languages are saved, too.
#[test]
fn bundles_of_opencl_c_come_back() {
    for setup in setups() {
        let text = b"kernel void k(global int *p) { *p = VALUE; }".to_vec();
        let Ok(source) = KernelBundle::create_from_source(&setup.context, Language::OpenCl, text, Vec::new()) else {
            continue;
        };
        let built = source.build(setup.devices(), &with(&["-DVALUE=6"], &[])).unwrap();
        assert_eq!(setup.result(&setup.reload(&built), "k"), 6);
        let code = |format| built.code(&CodeRequest { format, device: None });
        refused(code(CodeFormat::Spirv), Errc::FeatureNotSupported, &["SPIR-V"]);
        refused(code(CodeFormat::LlvmIr), Errc::FeatureNotSupported, &["LLVM IR"]);
        assert!(!code(CodeFormat::Native).unwrap().is_empty());
        // The SPIR-V of a bundle is a source of language spirv.
        let module = setup.build(KERNELS).code(&CodeRequest { format: CodeFormat::Spirv, device: None }).unwrap();
        let source = KernelBundle::create_from_source(&setup.context, Language::Spirv, module, Vec::new()).unwrap();
        let built = source.build(setup.devices(), &with(&[], &[])).unwrap();
        assert_eq!(setup.result(&setup.reload(&built), "__sycl_kernel_c"), 1);
    }
}

#[test]
fn code_comes_in_all_forms_that_exist() {
    for setup in setups() {
        let (built, object) = (setup.build(KERNELS), setup.compile(KERNELS));
        let code = |bundle: &common::Bundle, format| bundle.code(&CodeRequest { format, device: Some(&setup.device) });
        let spirv = code(&built, CodeFormat::Spirv).unwrap();
        assert_eq!(spirv[..4], 0x0723_0203_u32.to_le_bytes());
        for bundle in [&built, &object] {
            let text = String::from_utf8(code(bundle, CodeFormat::LlvmIr).unwrap()).unwrap();
            assert!(text.contains("define ") && text.contains("__sycl_kernel_c"), "{text}");
            refused(code(bundle, CodeFormat::Ptx), Errc::FeatureNotSupported, &["PTX"]);
        }
        assert!(!code(&built, CodeFormat::Native).unwrap().is_empty());
        for format in [CodeFormat::Spirv, CodeFormat::Native] {
            refused(code(&object, format), Errc::FeatureNotSupported, &["object"]);
        }
        refused(code(&setup.source(""), CodeFormat::Spirv), Errc::Invalid, &["ext_oneapi_source"]);
        let joined = KernelBundle::join(&[built, setup.build("extern \"C\" TASK void j(int *p) { *p = 7; }")]).unwrap();
        refused(code(&joined, CodeFormat::Spirv), Errc::Invalid, &["joined from 2"]);
        for other in setups().iter().filter(|other| !std::sync::Arc::ptr_eq(&other.device, &setup.device)) {
            let request = CodeRequest { format: CodeFormat::Spirv, device: Some(&other.device) };
            refused(joined.code(&request), Errc::Invalid, &["not one of the bundle's devices"]);
        }
    }
}
