// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Language `opencl` on every device that compiles OpenCL C.

mod support;

use std::sync::Arc;

use support::*;
use syclrtc::backend::{Address, Aspect, ClVersion, UsmKind};
use syclrtc::bundle::{ArgumentKind, BuildOptions, IncludeFile, KernelBundle, Language, can_build, can_compile};
use syclrtc::error::Errc;
use syclrtc::image::{KernelKind, ParameterKind};
use syclrtc::runtime::{Context, Queue};

const CL: Language = Language::OpenCl;
const NULL: ArgumentKind<'static> = ArgumentKind::Pointer(Address::NULL);

fn value<T: Copy>(value: &T) -> ArgumentKind<'_> {
    // SAFETY: the tests pass types without padding; as many bytes as the value has.
    ArgumentKind::Value(unsafe { std::slice::from_raw_parts(std::ptr::from_ref(value).cast(), size_of::<T>()) })
}

isolated_tests! {
    /// The queries of section 2 tell the truth.
    fn queries_agree_with_builds() {
        for device in devices() {
            let has = can_build(&device, CL).is_ok();
            assert_eq!(has, device.capabilities().opencl_c.is_some());
            assert!(can_compile(&device, CL).is_err());
            if !has {
                assert_eq!((device.cl_profile(), device.supports_cl_c_version(ClVersion::new(1, 2))), ("", false));
                continue;
            }
            assert!(["FULL_PROFILE", "EMBEDDED_PROFILE"].contains(&device.cl_profile()), "{}", device.cl_profile());
            let setup = Setup::new(device, CL);
            for (major, minor) in [(1, 1), (1, 2), (2, 0), (3, 0)] {
                let version = ClVersion::new(major, minor);
                let option = format!("-cl-std=CL{major}.{minor}");
                let built = setup.try_build("kernel void k(global int *o) { o[0] = 1; }", &[&option]);
                assert_eq!(setup.device.supports_cl_c_version(version), built.is_ok(), "{option}: {built:?}");
                if let Err(error) = built {
                    assert_eq!(error.code, Errc::Invalid);
                    assert!(error.message.contains(&option), "{error}");
                }
            }
            assert!(!setup.device.supports_cl_c_version(ClVersion::new(9, 9)));
            assert!(!setup.device.supports_cl_c_version(ClVersion { patch: 1, ..ClVersion::new(1, 2) }));
        }
    }

    /// A feature or extension that is announced has its macro when a source is built.
    fn features_and_extensions_are_those_of_the_compiler() {
        for setup in setups(CL) {
            let opencl_c = setup.device.capabilities().opencl_c.clone().unwrap();
            let highest = *opencl_c.versions.last().unwrap();
            let has_features = highest >= ClVersion::new(3, 0);
            let standard = format!("-cl-std=CL{}.{}", highest.major, highest.minor);
            if has_features {
                assert!(!opencl_c.features.is_empty());
            }
            for (feature, version) in &opencl_c.features {
                assert!(setup.device.supports_cl_c_feature(feature));
                assert!(!feature.is_empty() && version.major > 0, "{feature} {version:?}");
                let text = format!("#ifndef {feature}\n#error missing\n#endif\nkernel void k() {{}}");
                let built = setup.try_build(text, &[&standard]);
                assert!(built.is_ok(), "{feature} on {}: {}", setup.device.name(), built.unwrap_err());
            }
            assert!(!setup.device.supports_cl_c_feature("__opencl_c_nonsense"));
            assert!(!setup.device.supports_cl_c_feature(""));
            for (extension, version) in &opencl_c.extensions {
                assert_eq!(setup.device.cl_extension(extension), Some(*version));
            }
            assert!(setup.device.cl_extension("cl_khr_byte_addressable_store").unwrap() >= ClVersion::new(1, 0));
            assert_eq!(setup.device.cl_extension("cl_khr_nonsense"), None);
            let has_double = setup.device.cl_extension("cl_khr_fp64").is_some();
            assert_eq!(has_double, setup.device.has(Aspect::Fp64));
            let double = "kernel void k(global double *o) { o[0] = 1.5; }";
            assert_eq!(setup.try_build(double, NO_OPTIONS).is_ok(), has_double);
        }
    }

    /// O1, O5, O7
    fn kernels_have_their_functions_names() {
        for setup in setups(CL) {
            let bundle = setup.build("kernel void one(global int *o) { o[0] = 1; } kernel void two(int a, int b) {}");
            assert!(bundle.has_kernel("one") && bundle.has_kernel("two") && !bundle.has_kernel("three"));
            assert!(!bundle.has_kernel("") && !bundle.has_kernel("on"));
            assert_eq!(bundle.raw_kernel_name("one").unwrap(), "one");
            let kernel = bundle.kernel("two").unwrap();
            assert_eq!((kernel.info().parameters.len(), kernel.info().kind), (2, KernelKind::Any));
            let error = bundle.kernel("three").unwrap_err();
            assert_eq!(error.code, Errc::Invalid);
            assert!(error.message.contains("one") && error.message.contains("two"), "{error}");
        }
    }

    /// B7, D-28: sources without a kernel.
    fn sources_without_kernels_are_built() {
        for setup in setups(CL) {
            for text in ["", "\n", "/* nothing */", "int f(int x) { return x; }", &" ".repeat(1 << 16)] {
                let bundle = setup.build(text);
                assert!(!bundle.has_kernel("k"), "{text:?}");
                assert_eq!(bundle.kernel("k").unwrap_err().code, Errc::Invalid);
                assert_eq!(bundle.image_count(), 0);
            }
        }
    }

    /// O3: the highest 1.x without an option.
    fn the_version_is_1_x_without_an_option() {
        for setup in setups(CL) {
            let versions = setup.device.capabilities().opencl_c.as_ref().unwrap().versions.clone();
            let out = setup.usm::<i32>(1);
            let text = "kernel void k(global int *o) { o[0] = __OPENCL_C_VERSION__; }";
            let run = |options: &[&str]| {
                let kernel = setup.try_build(text, options).unwrap().kernel("k").unwrap();
                setup.run(&kernel, &single_task(), &[out.argument()]);
                out.read()[0]
            };
            let highest = versions.iter().filter(|version| version.major == 1).max().unwrap();
            assert_eq!(run(&[]), i32::from(highest.major * 100 + highest.minor * 10), "{}", setup.device.name());
            if versions.contains(&ClVersion::new(3, 0)) {
                assert_eq!(run(&["-cl-std=CL3.0"]), 300);
            }
        }
    }

    /// O2: elements are joined, in order; the last definition counts.
    fn options_reach_the_compiler() {
        for setup in setups(CL) {
            let folder = std::env::temp_dir().join(format!("syclrtc_opencl_{}", std::process::id()));
            std::fs::create_dir_all(&folder).unwrap();
            std::fs::write(folder.join("seven.h"), "#define SEVEN 7\n").unwrap();
            let out = setup.usm::<i32>(3);
            let text = "#include \"seven.h\"\nkernel void k(global int *o) { o[0] = A; o[1] = B; o[2] = SEVEN; }";
            let include = folder.display().to_string();
            let options = ["-D A=1", "", "-D", "B=2", "-cl-mad-enable -cl-fast-relaxed-math", "-w", "-I", &include];
            let bundle = setup.try_build(text, &options).unwrap();
            setup.run(&bundle.kernel("k").unwrap(), &single_task(), &[out.argument()]);
            assert_eq!(out.read(), [1, 2, 7]);
            std::fs::remove_dir_all(folder).unwrap();
        }
    }

    /// O2, O4: what the specification does not have, and libraries, before anything is compiled.
    fn options_that_do_not_exist_are_invalid() {
        for setup in setups(CL) {
            for option in ["-nosuch", "-O2", "-create-library", "-enable-link-options", "-cl-std=CL7.7", "x.cl", "-D"] {
                // The source would not compile: the option is found first.
                let error = setup.fails("this is no OpenCL C", &[option]);
                assert_eq!(error.code, Errc::Invalid, "{option}: {error}");
                assert!(error.message.contains(option), "{error}");
            }
            // Specified, but for some drivers not known.
            for option in ["-cl-strict-aliasing", "-cl-uniform-work-group-size", "-cl-no-subgroup-ifp"] {
                match setup.try_build("kernel void k() {}", &[option]) {
                    Ok(_) => {}
                    Err(error) => {
                        assert_eq!(error.code, Errc::Invalid, "{error}");
                        assert!(error.message.contains(&setup.device.name()), "{error}");
                    }
                }
            }
            setup.build("kernel void k() {}");
        }
    }

    /// O4: the compiler's log in the exception.
    fn compile_errors_are_build_errors_with_the_log() {
        for setup in setups(CL) {
            let error = setup.fails("kernel void k(global int *o) { undeclared_thing(o); o = no; }", NO_OPTIONS);
            assert_eq!(error.code, Errc::Build);
            assert!(error.message.starts_with("Device compilation failed\nDetailed information:\n\t"), "{error}");
            assert!(error.message.contains("use of undeclared identifier 'no'"), "{error}");
            assert!(error.log.unwrap().contains("'no'"));
            // C8: a NUL is no end.
            assert_eq!(setup.fails("kernel void k() {}\n\0 no", NO_OPTIONS).code, Errc::Build);
            // Bytes that are no text.
            drop(setup.try_build(b"kernel void k() {} // \xff\xfe", NO_OPTIONS));
            setup.build("kernel void k() {}");
        }
    }

    /// `save_log`: a warning is in it.
    fn warnings_are_in_the_log() {
        for setup in setups(CL) {
            let bundle = setup.build("#warning look here\nkernel void k() {}");
            assert!(bundle.log().contains("look here"), "{}: {}", setup.device.name(), bundle.log());
        }
    }

    /// O6, C4
    fn properties_of_other_languages_are_invalid() {
        for setup in setups(CL) {
            let file = IncludeFile { name: "a.h".into(), content: Vec::new() };
            let error = KernelBundle::create_from_source(&setup.context, CL, Vec::new(), vec![file]).unwrap_err();
            assert_eq!(error.code, Errc::Invalid);
            assert!(error.message.contains("include_files"), "{error}");
            let names = BuildOptions { registered_names: vec!["k".into()], ..BuildOptions::default() };
            let source = setup.source("kernel void k() {}");
            let error = source.build(std::slice::from_ref(&setup.device), &names).unwrap_err();
            assert_eq!(error.code, Errc::Invalid);
            assert!(error.message.contains("registered_names"), "{error}");
        }
    }

    /// Table of arguments: every scalar type.
    fn scalars_by_value() {
        for setup in setups(CL) {
            macro_rules! check {
                ($($cl:literal, $rust:ty, $value:expr;)*) => {$(
                    let text = concat!("kernel void k(global ", $cl, " *o, ", $cl, " v) { *o = v; }");
                    let kernel = setup.build(text).kernel("k").unwrap();
                    let parameter = &kernel.info().parameters[1];
                    assert_eq!((parameter.kind, parameter.size), (ParameterKind::Scalar, size_of::<$rust>() as u64));
                    let (out, given) = (setup.usm::<$rust>(1), $value);
                    setup.run(&kernel, &single_task(), &[out.argument(), value(&given)]);
                    assert_eq!(out.read(), [given], "{} on {}", $cl, setup.device.name());
                    // D-33: a value of another size.
                    let wrong = [0_u8; size_of::<$rust>() + 1];
                    let error = setup.try_run(&kernel, &single_task(), &[out.argument(), value(&wrong)]).unwrap_err();
                    assert_eq!(error.code, Errc::KernelArgument);
                    assert!(error.message.contains($cl), "{error}");
                )*};
            }
            check! {
                "char", i8, -5_i8; "uchar", u8, 250_u8; "short", i16, -30_000_i16; "ushort", u16, 60_000_u16;
                "int", i32, -7_i32; "uint", u32, 4_000_000_000_u32; "long", i64, i64::MIN; "ulong", u64, u64::MAX;
                "float", f32, 1.25_f32;
            }
            if setup.device.has(Aspect::Fp64) {
                check! { "double", f64, -2.5e100_f64; }
            }
            // PoCL has no arithmetic of this type, and does not take it by value.
            if setup.device.has(Aspect::Fp16) {
                let text = "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n\
                            kernel void k(global half *o, half v) { *o = v; }";
                let kernel = setup.build(text).kernel("k").unwrap();
                let out = setup.usm::<u16>(1);
                setup.run(&kernel, &single_task(), &[out.argument(), value(&0x3e00_u16)]);
                assert_eq!(out.read(), [0x3e00]);
            }
        }
    }

    /// Not in the table: vectors by value have OpenCL's layout, three elements that of four.
    fn vectors_by_value() {
        for setup in setups(CL) {
            let text = "kernel void k(global int *o, int3 a, uchar2 b, float4 c, long16 d) {\
                        o[0] = a.z; o[1] = b.y; o[2] = (int)c.w; o[3] = (int)d.sf; }";
            let kernel = setup.build(text).kernel("k").unwrap();
            let out = setup.usm::<i32>(4);
            let arguments = [
                out.argument(),
                value(&[1_i32, 2, 3, 0]),
                value(&[4_u8, 5]),
                value(&[1_f32, 2.0, 3.0, 6.0]),
                value(&[0_i64, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]),
            ];
            setup.run(&kernel, &single_task(), &arguments);
            assert_eq!(out.read(), [3, 5, 6, 15]);
            let short = [out.argument(), value(&[1_i32, 2, 3]), arguments[2], arguments[3], arguments[4]];
            assert_eq!(setup.try_run(&kernel, &single_task(), &short).unwrap_err().code, Errc::KernelArgument);
        }
    }

    /// Table of arguments: a structure of scalars and USM pointers; the memory behind is reached.
    fn structures_by_value() {
        #[derive(Clone, Copy)]
        #[repr(C)]
        struct Given {
            pointer: u64,
            number: i32,
            letter: i8,
            padding: [u8; 3],
        }
        for setup in setups(CL) {
            let scalars = "struct S { ulong p; int n; char c; };\
                           kernel void k(struct S s, global int *o) {\
                           *(global int *)s.p = s.n + s.c; *o = sizeof(struct S); }";
            let pointers = "struct S { global int *p; int n; char c; };\
                            kernel void k(struct S s, global int *o) { *s.p = s.n + s.c; *o = sizeof(struct S); }";
            for (text, options) in [(scalars, &[][..]), (pointers, &["-cl-std=CL3.0"])] {
                let bundle = match setup.try_build(text, options) {
                    // Not in version 1.x, and not in any version for older compilers.
                    Err(error) if error.message.contains("may not contain pointers") => {
                        say(&format!("skipped: no pointers in structures on {}", setup.device.name()));
                        continue;
                    }
                    built => built.unwrap(),
                };
                let kernel = bundle.kernel("k").unwrap();
                assert_eq!(kernel.info().parameters[0].kind, ParameterKind::Opaque);
                let (target, out) = (setup.usm::<i32>(1), setup.usm::<i32>(1));
                let given = Given { pointer: target.number(), number: 40, letter: 2, padding: [0; 3] };
                setup.run(&kernel, &single_task(), &[value(&given), out.argument()]);
                assert_eq!((target.read(), out.read()), (vec![42], vec![16]));
                let error = setup.try_run(&kernel, &single_task(), &[NULL, out.argument()]).unwrap_err();
                assert_eq!(error.code, Errc::KernelArgument);
            }
        }
    }

    /// Table of arguments: USM pointers of every kind, null, `__constant`, and an offset into an allocation.
    fn pointers() {
        for setup in setups(CL) {
            let text = "kernel void k(global int *o, constant int *c, const global int *restrict g) {\
                        o[0] = c[1] + (g ? g[0] : 100); }";
            let kernel = setup.build(text).kernel("k").unwrap();
            let parameters = &kernel.info().parameters;
            assert!(parameters.iter().all(|parameter| parameter.kind == ParameterKind::Pointer), "{parameters:?}");
            for kind in [UsmKind::Shared, UsmKind::Host] {
                let memory = Usm::<i32>::new(&setup.context, &setup.device, kind, 4);
                memory.write(&[0, 10, 20, 30]);
                let inside = memory.argument_at(2);
                setup.run(&kernel, &single_task(), &[memory.argument(), memory.argument(), inside]);
                assert_eq!(memory.read(), [30, 10, 20, 30], "{kind:?} on {}", setup.device.name());
                setup.run(&kernel, &single_task(), &[memory.argument(), memory.argument(), NULL]);
                assert_eq!(memory.read()[0], 110, "{kind:?} on {}", setup.device.name());
            }
        }
    }

    /// Memory is reached through a pointer that lies in memory.
    fn indirect_access() {
        for setup in setups(CL) {
            let text = "kernel void k(global ulong *slot) { *(global int *)slot[0] = 9; }";
            let kernel = setup.build(text).kernel("k").unwrap();
            let (slot, target) = (setup.usm::<u64>(1), setup.usm::<i32>(1));
            slot.write(&[target.number()]);
            setup.run(&kernel, &single_task(), &[slot.argument()]);
            assert_eq!(target.read(), [9]);
        }
    }

    /// Table of arguments: local memory, in all forms of a launch.
    fn local_memory() {
        for setup in setups(CL) {
            let text = "kernel void k(global int *o, local int *l, local char *m) {\
                        size_t i = get_local_id(0); l[i] = (int)i + 1; m[0] = 7; barrier(CLK_LOCAL_MEM_FENCE);\
                        if (i == 0) { int s = 0; for (size_t j = 0; j < get_local_size(0); ++j) s += l[j];\
                        o[get_group_id(0)] = s; } }";
            let kernel = setup.build(text).kernel("k").unwrap();
            assert_eq!(kernel.info().parameters[1].kind, ParameterKind::Local);
            let out = setup.usm::<i32>(64);
            let local = |bytes| [out.argument(), ArgumentKind::Local(bytes), ArgumentKind::Local(1)];
            setup.run(&kernel, &nd_range(&[64], &[16]), &local(16 * 4));
            assert_eq!(out.read()[..4], [136; 4]);
            setup.run(&kernel, &single_task(), &local(4));
            assert_eq!(out.read()[0], 1);
            // O8: the run-time chooses the group, of at most all work-items.
            setup.run(&kernel, &range(&[8]), &local(8 * 4));
            // 8 bytes or a pointer are no local memory; too much of it is refused.
            let error = setup.try_run(&kernel, &nd_range(&[64], &[16]), &[out.argument(), NULL, NULL]).unwrap_err();
            assert_eq!(error.code, Errc::KernelArgument);
            let error = setup.try_run(&kernel, &nd_range(&[64], &[16]), &local(usize::MAX / 2)).unwrap_err();
            assert_eq!(error.code, Errc::MemoryAllocation);
        }
    }

    /// Not in the table: images and samplers.
    fn images_and_samplers_are_not_supported() {
        for setup in setups(CL) {
            if !setup.device.has(Aspect::Image) {
                say(&format!("skipped: {} has no images", setup.device.name()));
                continue;
            }
            let text = "kernel void k(read_only image2d_t i, sampler_t s, global float4 *o) {\
                        *o = read_imagef(i, s, (int2)(0, 0)); }";
            let kernel = setup.build(text).kernel("k").unwrap();
            let kinds: Vec<_> = kernel.info().parameters.iter().map(|parameter| parameter.kind).collect();
            assert_eq!(kinds, [ParameterKind::Unsupported, ParameterKind::Unsupported, ParameterKind::Pointer]);
            let out = setup.usm::<f32>(4);
            for given in [NULL, value(&0_u64), ArgumentKind::Raw(&[0; 8])] {
                let error = setup.try_run(&kernel, &single_task(), &[given, given, out.argument()]).unwrap_err();
                assert_eq!(error.code, Errc::Invalid, "{error}");
                assert!(error.message.contains("image2d_t"), "{error}");
            }
        }
    }

    /// O8, O9: the three forms, and SYCL dimension i being OpenCL's N-1-i.
    fn dimensions_are_reversed() {
        for setup in setups(CL) {
            let text = "kernel void k(global int *o) {\
                        size_t x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);\
                        size_t at = (z * get_global_size(1) + y) * get_global_size(0) + x;\
                        o[at] = (int)(x + 10 * y + 100 * z + 1000 * get_work_dim()); }";
            let kernel = setup.build(text).kernel("k").unwrap();
            let expected = |sizes: [i32; 3], dimensions: i32| -> Vec<i32> {
                let [nz, ny, nx] = sizes;
                let at = |z, y, x| x + 10 * y + 100 * z + 1000 * dimensions;
                (0..nz).flat_map(|z| (0..ny).flat_map(move |y| (0..nx).map(move |x| at(z, y, x)))).collect()
            };
            let out = setup.usm::<i32>(24);
            for launch in [range(&[2, 3, 4]), nd_range(&[2, 3, 4], &[1, 3, 2])] {
                setup.run(&kernel, &launch, &[out.argument()]);
                assert_eq!(out.read(), expected([2, 3, 4], 3));
            }
            for launch in [range(&[6, 4]), nd_range(&[6, 4], &[3, 2])] {
                setup.run(&kernel, &launch, &[out.argument()]);
                assert_eq!(out.read(), expected([1, 6, 4], 2));
            }
            setup.run(&kernel, &range(&[24]), &[out.argument()]);
            assert_eq!(out.read(), expected([1, 1, 24], 1));
            out.write(&[0; 24]);
            setup.run(&kernel, &single_task(), &[out.argument()]);
            assert_eq!(out.read()[..2], [1000, 0]);
        }
    }

    /// O8: a required work-group size counts in SYCL's order; `get_local_size` tells what was chosen.
    fn required_work_group_sizes_hold() {
        for setup in setups(CL) {
            let text = "kernel __attribute__((reqd_work_group_size(4, 2, 1))) void k(global int *o) {\
                        o[0] = (int)(get_local_size(0) * 10 + get_local_size(1)); }";
            let kernel = setup.build(text).kernel("k").unwrap();
            assert_eq!(kernel.info().properties.work_group_size.as_deref(), Some(&[1, 2, 4][..]));
            let out = setup.usm::<i32>(1);
            for launch in [nd_range(&[4, 8], &[2, 4]), nd_range(&[1, 4, 8], &[1, 2, 4]), range(&[4, 8])] {
                out.write(&[0]);
                setup.run(&kernel, &launch, &[out.argument()]);
                assert_eq!(out.read(), [42]);
            }
            for launch in [nd_range(&[8, 8], &[4, 2]), nd_range(&[8], &[8]), range(&[8]), single_task()] {
                let error = setup.try_run(&kernel, &launch, &[out.argument()]).unwrap_err();
                assert_eq!(error.code, Errc::NdRange, "{error}");
            }
        }
    }

    /// D-33: too few and too many arguments, and a good launch after them.
    fn numbers_of_arguments_are_checked() {
        for setup in setups(CL) {
            let kernel = setup.build("kernel void k(global int *o, int v) { *o = v; }").kernel("k").unwrap();
            let out = setup.usm::<i32>(1);
            let seven = 7_i32;
            for given in [&[][..], &[out.argument()], &[out.argument(), value(&seven), value(&seven)]] {
                let error = setup.try_run(&kernel, &single_task(), given).unwrap_err();
                assert_eq!(error.code, Errc::Invalid, "{error}");
                assert!(error.message.contains("kernel 'k'"), "{error}");
            }
            setup.run(&kernel, &single_task(), &[out.argument(), value(&seven)]);
            assert_eq!(out.read(), [7]);
        }
    }

    /// B5, B6, T4: builds are independent, and kernels outlive their bundle and its source.
    fn builds_are_independent() {
        for setup in setups(CL) {
            let source = setup.source("kernel void k(global int *o) { *o = V; }");
            let kernels: Vec<_> = (1..4)
                .map(|v| {
                    let define = format!("-DV={v}");
                    let bundle = source.build(std::slice::from_ref(&setup.device), &with(&[&define])).unwrap();
                    bundle.kernel("k").unwrap()
                })
                .collect();
            drop(source);
            let out = setup.usm::<i32>(1);
            for (kernel, expected) in kernels.iter().zip(1..) {
                setup.run(kernel, &single_task(), &[out.argument()]);
                assert_eq!(out.read(), [expected]);
            }
        }
    }

    /// T1, T2
    fn threads_build_at_the_same_time() {
        for setup in setups(CL) {
            let source = setup.source("kernel void k(global int *o) { *o = V; }");
            let (setup, source) = (&setup, &source);
            std::thread::scope(|scope| {
                for v in 0..4 {
                    scope.spawn(move || {
                        let define = format!("-DV={v}");
                        let bundle = source.build(std::slice::from_ref(&setup.device), &with(&[&define])).unwrap();
                        let out = setup.usm::<i32>(1);
                        setup.run(&bundle.kernel("k").unwrap(), &single_task(), &[out.argument()]);
                        assert_eq!(out.read(), [v]);
                    });
                }
            });
        }
    }

    /// Errors of `build`, in section 4: no device, a device of another context.
    fn devices_are_checked() {
        let setups = setups(CL);
        for setup in &setups {
            let source = setup.source("kernel void k() {}");
            assert_eq!(source.build(&[], &with(&[])).unwrap_err().code, Errc::Invalid);
            for other in setups.iter().filter(|other| !Arc::ptr_eq(&other.device, &setup.device)) {
                let error = source.build(std::slice::from_ref(&other.device), &with(&[])).unwrap_err();
                assert_eq!(error.code, Errc::Invalid);
                assert!(error.message.contains("device not part of kernel_bundle context"), "{error}");
            }
        }
    }
}

/// O10: a bundle for several devices works on each. PoCL has as many devices as it is told.
#[test]
fn several_devices() {
    isolated("several_devices", &[("POCL_DEVICES", "pthread pthread")], || {
        let all = devices_that("compiles OpenCL C", |device| can_build(device, CL).is_ok());
        let Some(first) = all.iter().find(|device| device.platform().devices().len() > 1) else {
            return say("skipped: no platform with two devices");
        };
        let devices = first.platform().devices();
        let context = Context::new(devices).unwrap();
        let text = b"kernel void k(global int *o, int v) { *o = v; }".to_vec();
        let source = KernelBundle::create_from_source(&context, CL, text, Vec::new()).unwrap();
        let bundle = source.build(devices, &with(&[])).unwrap();
        assert_eq!(bundle.devices().len(), devices.len());
        let kernel = bundle.kernel("k").unwrap();
        for (device, v) in devices.iter().zip(5_i32..) {
            let queue = Queue::new(&context, device, syclrtc::backend::QueueFlags::default()).unwrap();
            let setup = Setup { device: Arc::clone(device), context: Arc::clone(&context), queue, language: CL };
            let out = setup.usm::<i32>(1);
            setup.run(&kernel, &single_task(), &[out.argument(), value(&v)]);
            assert_eq!(out.read(), [v]);
        }
        // D-38: a bundle for one of them does not run on the other.
        let only = source.build(&devices[..1], &with(&[])).unwrap().kernel("k").unwrap();
        let queue = Queue::new(&context, &devices[1], syclrtc::backend::QueueFlags::default()).unwrap();
        let error = only.launch(&queue, &single_task(), &[], &[]).unwrap_err();
        assert_eq!(error.code, Errc::KernelNotSupported);
    });
}
