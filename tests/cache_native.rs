// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Binaries of drivers: whatever a build tells is the same with a binary from the persistent cache, on the real drivers.
//!
//! A shim before the OpenCL library counts what drivers are given, and lets them report another version.

#[path = "support/folder.rs"]
mod folder;
#[path = "support/roles.rs"]
mod roles;
mod support;

use std::{
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
    process::Command,
    sync::{Arc, Barrier, OnceLock},
    thread,
};

use folder::Folder;
use roles::{again, finish, role};
use spirv_tools::{
    TargetEnv,
    assembler::{Assembler, AssemblerOptions},
};
use support::{Setup, nd_range, setups, single_task};
use syclrtc::{
    bundle::{CodeFormat, CodeRequest, KernelBundle, KernelDeviceParam, Language},
    cache::statistics,
};

/// Path of the shim, built once.
fn shim() -> &'static PathBuf {
    static SHIM: OnceLock<PathBuf> = OnceLock::new();
    SHIM.get_or_init(|| {
        let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/opencl_shim.c");
        let library = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("libopencl_shim.so");
        let compiled = Command::new("cc")
            .args(["-std=c11", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-o"])
            .arg(&library)
            .arg(source)
            .args(["-Wl,--no-as-needed", "-l:libOpenCL.so.1", "-ldl"])
            .output()
            .unwrap();
        assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
        library
    })
}

/// Runs a role of a test with the persistent cache on and the shim before the loader; the calls that were given code.
fn run(test: &str, role: &str, shared: &Path, variables: &[(&str, &str)]) -> Vec<String> {
    let log = shared.join("calls");
    let _ = fs::remove_file(&log);
    let mut command = again(test, role, shared);
    command
        .env("SYCL_CACHE_PERSISTENT", "1")
        .env("SYCL_CACHE_DIR", shared.join("cache"))
        .env("SYCLRTC_PREAMBLES", "off");
    command.env("OPENCL_DYLIB_PATH", shim()).env("SHIM_LOG", &log).envs(variables.iter().copied());
    let said = finish(command.spawn().unwrap()).stderr;
    assert!(!String::from_utf8_lossy(&said).to_lowercase().contains("cache]"), "{}", String::from_utf8_lossy(&said));
    let mut calls: Vec<String> = fs::read_to_string(log).unwrap_or_default().lines().map(str::to_owned).collect();
    calls.sort_unstable();
    calls
}

const OPENCL_C: &str = "#warning look here
struct pair { int a; float b; };
constant int table[4] = {1, 2, 3, 4};
#ifdef __opencl_c_program_scope_global_variables
global int counter = 5;
#else
constant int counter = 5;
#endif
kernel __attribute__((reqd_work_group_size(4, 2, 1))) void fixed(global int *p, local int *l, int4 v) { p[0] = v.x; }
kernel __attribute__((vec_type_hint(float4))) void plain(global int *p, const struct pair s, constant float *c, ulong n) {
  p[0] = counter + table[p[0]] + (int)n + s.a; }
";

const SYCL: &str = "#include <sycl/sycl.hpp>
namespace syclexp = sycl::ext::oneapi::experimental;
#define PROPERTY SYCL_EXT_ONEAPI_FUNCTION_PROPERTY
#warning look here
syclexp::device_global<int> counter;
syclexp::device_global<int, decltype(syclexp::properties(syclexp::device_image_scope))> bound;
constexpr int table[4] = {1, 2, 3, 4};
extern \"C\" PROPERTY((syclexp::single_task_kernel)) void bump(int *p) { counter += 1; bound = bound + 10; *p = counter + bound; }
extern \"C\" PROPERTY((syclexp::single_task_kernel)) void look(int *p) { *p = table[*p & 3]; }
extern \"C\" PROPERTY((syclexp::nd_range_kernel<1>)) PROPERTY((syclexp::work_group_size<4>))
void fixed(int *p, float f) { *p = int(f); }
extern \"C\" PROPERTY((syclexp::nd_range_kernel<1>)) PROPERTY((syclexp::sub_group_size<8>))
void groups(int *p) { *p = sycl::ext::oneapi::this_work_item::get_sub_group().get_max_local_range()[0]; }
";

/// Everything that a program can learn of a bundle and its kernels.
fn describe(setup: &Setup, bundle: &Arc<KernelBundle>, kernels: &[&str]) -> String {
    use KernelDeviceParam as P;
    // pocl gives its text a random name.
    let log: Vec<&str> = bundle.log().split(' ').filter(|word| !word.contains("/tempfile_")).collect();
    let mut text = format!("{}\nlog: {}\n", setup.device.name(), log.join(" "));
    writeln!(text, "{:?} {}", bundle.diagnostics().len(), bundle.image_count()).unwrap();
    for name in kernels {
        let kernel = bundle.kernel(name).unwrap_or_else(|error| panic!("{name}: {error}"));
        writeln!(text, "{name}: {:?}\n{}", kernel.info(), kernel.attributes()).unwrap();
        for param in [
            P::WorkGroupSize,
            P::PreferredWorkGroupSizeMultiple,
            P::PrivateMemSize,
            P::CompileWorkGroupSize,
            P::MaxNumSubGroups,
            P::CompileNumSubGroups,
            P::MaxSubGroupSize,
            P::CompileSubGroupSize,
        ] {
            writeln!(text, "  {param:?} {:?}", kernel.device_info(&setup.device, param).unwrap()).unwrap();
        }
    }
    text
}

fn run_pointer(setup: &Setup, bundle: &Arc<KernelBundle>, kernel: &str) -> i32 {
    let memory = setup.usm::<i32>(1);
    memory.write(&[2]);
    setup.run(&bundle.kernel(kernel).unwrap(), &single_task(), &[memory.argument()]);
    memory.read()[0]
}

/// Builds in all languages on all devices, and tells what came of it.
fn build_all() -> String {
    let mut text = String::new();
    for setup in setups(Language::OpenCl) {
        let bundle = setup.try_build(OPENCL_C, &["-cl-std=CL3.0"]).unwrap_or_else(|error| panic!("{error}"));
        text += &describe(&setup, &bundle, &["fixed", "plain"]);
    }
    for setup in setups(Language::Sycl) {
        let bundle = setup.build(SYCL);
        text += &describe(&setup, &bundle, &["bump", "look", "fixed", "groups"]);
        writeln!(text, "{}", bundle.device_global_size("counter").unwrap()).unwrap();
        let results = [run_pointer(&setup, &bundle, "bump"), run_pointer(&setup, &bundle, "bump")];
        assert_eq!(results, [11, 22]);
        assert_eq!(run_pointer(&setup, &bundle, "look"), 3);
        let memory = setup.usm::<i32>(1);
        let groups = bundle.kernel("groups").unwrap();
        setup.run(&groups, &nd_range(&[16], &[16]), &[memory.argument()]);
        assert_eq!(memory.read(), [8]);
        let spirv = bundle.code(&CodeRequest { format: CodeFormat::Spirv, device: None }).unwrap();
        assert!(!bundle.code(&CodeRequest { format: CodeFormat::Native, device: None }).unwrap().is_empty());
        let again = Setup::new(Arc::clone(&setup.device), Language::Spirv);
        // With the same flags, it would be the same image.
        let built = again.try_build(spirv, &["-cl-mad-enable"]).unwrap_or_else(|error| panic!("{error}"));
        text += &describe(&again, &built, &["__sycl_kernel_look", "__sycl_kernel_fixed"]);
    }
    text
}

// K1, K5, K9, D-05: logs, properties, tables and behaviour are the same, and no driver compiles.
#[test]
fn a_binary_gives_what_a_compile_gives() {
    let test = "a_binary_gives_what_a_compile_gives";
    if let Some((role, shared)) = role() {
        fs::write(shared.join(&role), build_all()).unwrap();
        let counts = statistics().native.read();
        let (stored, hit) = (counts.stores, counts.hits);
        match &*role {
            "cold" => assert!(stored > 0 && hit == 0, "{counts:?}"),
            _ => assert!(stored == 0 && hit > 0 && counts.misses == 0, "{counts:?}"),
        }
        return;
    }
    let folder = Folder::new("native");
    let cold = run(test, "cold", folder.path(), &[]);
    assert!(cold.iter().all(|call| call == "il" || call == "source"), "{cold:?}");
    assert!(cold.iter().any(|call| call == "il") && cold.iter().any(|call| call == "source"), "{cold:?}");
    let warm = run(test, "warm", folder.path(), &[]);
    assert_eq!(warm, vec!["binary"; cold.len()]);
    let [cold, warm] = ["cold", "warm"].map(|name| fs::read_to_string(folder.path().join(name)).unwrap());
    assert!(cold.contains("look here") && cold.contains("fixed"), "{cold}");
    assert_eq!(cold, warm);
}

const PLAIN: &str = "#include <sycl/sycl.hpp>
namespace syclexp = sycl::ext::oneapi::experimental;
extern \"C\" SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((syclexp::single_task_kernel)) void k(int *p) { *p = 7; }
";

const TINY: &str = "kernel void k(global int *p) { p[0] = 7; }";

// D-02: another version of the driver, a driver that refuses what it made, other flags.
#[test]
fn a_binary_is_used_by_its_own_driver_only() {
    let test = "a_binary_is_used_by_its_own_driver_only";
    if let Some((role, _)) = role() {
        let options: Vec<&str> = role.split(' ').filter(|option| option.starts_with('-')).collect();
        for setup in setups(Language::OpenCl) {
            let bundle = setup.try_build(TINY, &options).unwrap_or_else(|error| panic!("{error}"));
            assert_eq!(run_pointer(&setup, &bundle, "k"), 7);
        }
        return;
    }
    let folder = Folder::new("versions");
    let root = folder.path();
    let cold = run(test, "build", root, &[]);
    let devices = cold.len();
    assert_eq!(cold, vec!["source"; devices]);
    let binaries = vec!["binary".to_owned(); devices];
    assert_eq!(run(test, "build", root, &[]), binaries);
    assert_eq!(run(test, "build", root, &[("SHIM_DRIVER_VERSION", "0.1")]), cold);
    assert_eq!(run(test, "build", root, &[("SHIM_DRIVER_VERSION", "0.1")]), binaries);
    assert_eq!(run(test, "build -cl-mad-enable", root, &[]), cold);
    assert_eq!(run(test, "build", root, &[]), binaries);
    let refused = run(test, "build", root, &[("SHIM_REFUSE_BINARIES", "1")]);
    assert_eq!(refused, [binaries.clone(), cold.clone()].concat());
    assert_eq!(run(test, "build", root, &[]), binaries);
    // D-08, with builds.
    let file = folder.path().join("file");
    fs::write(&file, "").unwrap();
    for (name, value) in [("SYCL_CACHE_DIR", file.to_str().unwrap()), ("SYCL_CACHE_DIR", "/proc/cache")] {
        assert_eq!(run(test, "build", root, &[(name, value)]), cold, "{value}");
    }
    // Without a binary cache there is no file.
    let none = folder.path().join("none");
    let none = none.to_str().unwrap();
    assert_eq!(run(test, "build", root, &[("SYCL_CACHE_PERSISTENT", "0"), ("SYCL_CACHE_DIR", none)]), cold);
    assert!(!Path::new(none).exists());
}

// D-02, K3, K4, K7: results of the compiler program serve all versions of a driver; damaged ones of both kinds are made again.
#[test]
fn each_of_the_two_kinds_is_made_again_where_it_has_to_be() {
    let test = "each_of_the_two_kinds_is_made_again_where_it_has_to_be";
    if let Some((role, _)) = role() {
        let (compiles, hits) = role.split_once(' ').unwrap();
        for setup in setups(Language::Sycl) {
            let count = || (statistics().compiles.get(), statistics().disk.hits.get());
            let before = count();
            let bundle = setup.build(PLAIN);
            let after = count();
            assert_eq!((after.0 - before.0).to_string(), compiles);
            assert_eq!((after.1 - before.1).to_string(), hits);
            assert_eq!(run_pointer(&setup, &bundle, "k"), 7);
            if compiles == "1" {
                let error = setup.fails(format!("{PLAIN}int wrong = nowhere;"), &[]);
                assert!(error.message.contains("use of undeclared identifier 'nowhere'"), "{error}");
            }
        }
        return;
    }
    let folder = Folder::new("kinds");
    let root = folder.path();
    let cold = run(test, "1 0", root, &[]);
    assert!(cold.iter().all(|call| call == "il"), "{cold:?}");
    let binaries = vec!["binary".to_owned(); cold.len()];
    assert_eq!(run(test, "0 1", root, &[]), binaries);
    assert_eq!(run(test, "0 1", root, &[("SHIM_DRIVER_VERSION", "0.1")]), cold);
    let damaged = damage(&root.join("cache"));
    assert!(damaged >= 3, "{damaged} entries");
    assert_eq!(run(test, "1 0", root, &[]), cold);
    assert_eq!(run(test, "0 1", root, &[]), binaries);
}

/// Flips a bit in the last byte of each entry. Returns how many there are.
fn damage(folder: &Path) -> usize {
    let mut count = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            count += damage(&path);
        } else if path.file_name().is_some_and(|name| name.len() == 64) {
            let mut bytes = fs::read(&path).unwrap();
            *bytes.last_mut().unwrap() ^= 1;
            fs::write(&path, bytes).unwrap();
            count += 1;
        }
    }
    count
}

/// A module with one kernel, which stores the sum of a variable outside of it, if there is one, and 7.
fn adds_seven(has_variable: bool) -> Vec<u8> {
    let (variable, value) = match has_variable {
        true => ("%counter = OpVariable %pointer CrossWorkgroup %none", "OpLoad %uint %counter Aligned 4"),
        false => ("", "OpCopyObject %uint %none"),
    };
    let kept = if has_variable { "OpStore %counter %sum Aligned 4" } else { "" };
    let text = format!(
        "OpCapability Kernel\nOpCapability Addresses\nOpMemoryModel Physical64 OpenCL\nOpEntryPoint Kernel %k \"k\"
        %void = OpTypeVoid\n%uint = OpTypeInt 32 0\n%pointer = OpTypePointer CrossWorkgroup %uint
        %type = OpTypeFunction %void %pointer\n%none = OpConstant %uint 0\n%seven = OpConstant %uint 7\n{variable}
        %k = OpFunction %void None %type\n%p = OpFunctionParameter %pointer\n%label = OpLabel
        %value = {value}\n%sum = OpIAdd %uint %value %seven\n{kept}
        OpStore %p %sum Aligned 4\nOpReturn\nOpFunctionEnd"
    );
    let assembler = spirv_tools::assembler::create(Some(TargetEnv::Universal_1_0));
    assembler.assemble(&text, AssemblerOptions::default()).unwrap().as_bytes().to_vec()
}

// T8, B6: equal builds in one context use one program while it is alive, unless a kernel could leave something in it.
#[test]
fn equal_builds_share_what_is_loaded() {
    let test = "equal_builds_share_what_is_loaded";
    if let Some((role, shared)) = role() {
        let log = shared.join("calls");
        let calls = || fs::read_to_string(&log).unwrap_or_default().lines().count();
        let in_memory = role != "SYCL_CACHE_IN_MEM=0";
        let (plain, keeper) = (adds_seven(false), adds_seven(true));
        for setup in setups(Language::Spirv) {
            let begin = calls();
            let (one, other) = (setup.build(&plain), setup.build(&plain));
            assert!(!one.is_equal(&other) && one.image_ids() != other.image_ids());
            assert_eq!(calls() - begin, if in_memory { 1 } else { 2 });
            assert_eq!((run_pointer(&setup, &one, "k"), run_pointer(&setup, &other, "k")), (7, 7));
            drop(one);
            assert_eq!(run_pointer(&setup, &other, "k"), 7);
            drop(other);
            let begin = calls();
            let again = setup.build(&plain);
            assert_eq!(calls() - begin, 1, "nobody held it");
            let elsewhere = Setup::new(Arc::clone(&setup.device), Language::Spirv);
            assert_eq!(run_pointer(&elsewhere, &elsewhere.build(&plain), "k"), 7);
            assert_eq!(calls() - begin, 2, "another context");
            drop((again, elsewhere));
            let begin = calls();
            // Those that come while the driver is at work wait for what it makes.
            let start = Barrier::new(6);
            let built = thread::scope(|scope| {
                let build = || {
                    start.wait();
                    setup.build(&plain)
                };
                let threads: Vec<_> = (0..6).map(|_| scope.spawn(build)).collect();
                threads.into_iter().map(|thread| thread.join().unwrap()).collect::<Vec<_>>()
            });
            assert_eq!(calls() - begin, if in_memory { 1 } else { 6 });
            drop(built);
            let begin = calls();
            let (one, other) = (setup.build(&keeper), setup.build(&keeper));
            assert_eq!(calls() - begin, 2, "a variable");
            let results = [&one, &one, &other].map(|bundle| run_pointer(&setup, bundle, "k"));
            assert_eq!(results, [7, 14, 7]);
        }
        for setup in setups(Language::OpenCl) {
            let build = || setup.try_build(OPENCL_C, &["-cl-std=CL3.0"]).unwrap_or_else(|error| panic!("{error}"));
            let told = [build(), build()].map(|bundle| describe(&setup, &bundle, &["fixed", "plain"]));
            // Intel's driver numbers its compiles in the log.
            assert_eq!(told[0] == told[1], in_memory || !told[0].contains("Compilation started"), "{told:?}");
        }
        return;
    }
    let folder = Folder::new("shared");
    let off = ("SYCL_CACHE_PERSISTENT", "0");
    let calls = run(test, "in memory", folder.path(), &[off]);
    let count = |name: &str| calls.iter().filter(|call| *call == name).count();
    assert_eq!(count("binary"), count("il") / 5 + count("source"), "{calls:?}");
    let variable = ("SYCL_CACHE_IN_MEM", "0");
    let calls = run(test, "SYCL_CACHE_IN_MEM=0", folder.path(), &[off, variable]);
    assert!(calls.iter().all(|call| call == "il" || call == "source"), "{calls:?}");
}
