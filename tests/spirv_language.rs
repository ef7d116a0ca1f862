// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Language `spirv` on every device that takes SPIR-V, with modules that are assembled from text.

mod support;

use spirv_tools::TargetEnv;
use spirv_tools::assembler::{Assembler, AssemblerOptions};
use support::*;
use syclrtc::backend::{Address, Aspect};
use syclrtc::bundle::{ArgumentKind, BuildOptions, IncludeFile, KernelBundle, Language, can_build, can_compile};
use syclrtc::error::{Errc, Error};
use syclrtc::image::{KernelKind, ParameterKind};
use syclrtc::runtime::Context;

const SPIRV: Language = Language::Spirv;
const NULL: ArgumentKind<'static> = ArgumentKind::Pointer(Address::NULL);
const MODULE: &str = include_str!("data/spirv_language.spvasm");

fn assembled(text: &str) -> Vec<u8> {
    let assembler = spirv_tools::assembler::create(Some(TargetEnv::Universal_1_4));
    assembler.assemble(text, AssemblerOptions::default()).unwrap().as_bytes().to_vec()
}

fn module() -> Vec<u8> {
    assembled(MODULE)
}

/// A module with one empty kernel `k` and more lines: capabilities and what follows the memory model, and a body.
fn with_lines(capabilities: &str, declarations: &str, body: &str) -> Vec<u8> {
    assembled(&format!(
        "OpCapability Kernel\nOpCapability Addresses\n{capabilities}\n\
         OpMemoryModel Physical64 OpenCL\nOpEntryPoint Kernel %k \"k\"\n{declarations}\n\
         %void = OpTypeVoid\n%type = OpTypeFunction %void\n\
         %k = OpFunction %void None %type\n%label = OpLabel\n{body}\nOpReturn\nOpFunctionEnd"
    ))
}

fn edited(from: &str, to: &str) -> Vec<u8> {
    assert!(MODULE.contains(from), "{from}");
    assembled(&MODULE.replacen(from, to, 1))
}

fn value<T: Copy>(value: &T) -> ArgumentKind<'_> {
    // SAFETY: the tests pass types without padding; as many bytes as the value has.
    ArgumentKind::Value(unsafe { std::slice::from_raw_parts(std::ptr::from_ref(value).cast(), size_of::<T>()) })
}

fn assert_build_error(error: &Error, parts: &[&str]) {
    assert_eq!(error.code, Errc::Build, "{error}");
    assert!(error.message.starts_with("Device compilation failed\nDetailed information:\n\t"), "{error}");
    assert!(error.log.is_some(), "{error}");
    for part in parts {
        assert!(error.message.contains(part), "{part} is not in: {error}");
    }
}

/// `struct { global pointer; struct { char; int; }; short; }`
#[derive(Clone, Copy)]
#[repr(C)]
struct Chain {
    target: u64,
    letter: u8,
    padding: [u8; 3],
    value: u32,
    number: u16,
    tail: [u8; 6],
}

impl Chain {
    fn new(target: u64, value: u32) -> Self {
        Self { target, letter: 1, padding: [0; 3], value, number: 2, tail: [0; 6] }
    }
}

isolated_tests! {
    /// The queries of section 2 tell the truth; C3: a context without a device for the language.
    fn queries_agree_with_builds() {
        for device in devices() {
            let has = can_build(&device, SPIRV).is_ok();
            assert_eq!(has, device.capabilities().spirv.is_some());
            assert!(can_compile(&device, SPIRV).is_err());
            let context = Context::new(std::slice::from_ref(&device)).unwrap();
            let created = KernelBundle::create_from_source(&context, SPIRV, module(), Vec::new());
            assert_eq!(created.is_ok(), has);
            if let Err(error) = created {
                assert_eq!(error.code, Errc::Invalid);
                assert!(error.message.contains("takes no SPIR-V") && error.message.contains(&device.name()), "{error}");
            }
        }
        setups(SPIRV);
    }

    /// V4, V5
    fn kernels_have_their_entry_points_names() {
        for setup in setups(SPIRV) {
            let bundle = setup.build(module());
            for (name, arguments) in [("scalars", 6), ("by_value", 2), ("follow", 1), ("takes_sampler", 1)] {
                assert!(bundle.has_kernel(name));
                assert_eq!(bundle.raw_kernel_name(name).unwrap(), name);
                let kernel = bundle.kernel(name).unwrap();
                assert_eq!((kernel.info().parameters.len(), kernel.info().kind), (arguments, KernelKind::Any));
            }
            assert!(!bundle.has_kernel("Scalars") && !bundle.has_kernel("scalars_byte"));
            assert_eq!(bundle.kernel("nonsense").unwrap_err().code, Errc::Invalid);
        }
    }

    /// D-39: names that drivers cannot take, and texts with something behind their end, are refused before one sees them.
    fn odd_names_of_entry_points_fail_the_build() {
        for setup in setups(SPIRV) {
            for (from, to) in [("kern", "ke(n"), ("kern", "ke n"), ("kern", "\u{1}ern"), ("kern", "")] {
                let text = format!(
                    "OpCapability Kernel\nOpCapability Addresses\nOpMemoryModel Physical64 OpenCL\n\
                     OpEntryPoint Kernel %k \"{}\"\n%void = OpTypeVoid\n%type = OpTypeFunction %void\n\
                     %k = OpFunction %void None %type\n%label = OpLabel\nOpReturn\nOpFunctionEnd",
                    "kern".replace(from, to)
                );
                assert_build_error(&setup.fails(assembled(&text), NO_OPTIONS), &["entry point"]);
            }
            let mut padded = with_lines("", "", "");
            let name = padded.windows(4).position(|word| word == b"k\0\0\0").unwrap();
            padded[name + 2] = b' ';
            assert_build_error(&setup.fails(padded, NO_OPTIONS), &["not padded"]);
        }
    }

    /// V1: a module in the other byte order is the same module.
    fn both_byte_orders_are_taken() {
        for setup in setups(SPIRV) {
            let swapped: Vec<u8> = module().chunks_exact(4).flat_map(|word| word.iter().rev().copied()).collect();
            let bundle = setup.build(swapped);
            let out = setup.usm::<u32>(4);
            setup.run(&bundle.kernel("places").unwrap(), &range(&[4]), &[out.argument()]);
            assert_eq!(out.read(), [0, 1, 2, 3]);
        }
    }

    /// V1, C5: what is no module is accepted as a source and fails in `build`.
    fn what_is_no_module_fails_to_build() {
        for setup in setups(SPIRV) {
            let good = module();
            let mut magic = good.clone();
            magic[0] ^= 1;
            let cases: &[(&[u8], &str)] = &[
                (&[], "less than the header"),
                (&[3], "not a multiple of 4"),
                (&good[..good.len() - 1], "not a multiple of 4"),
                (&good[..8], "less than the header"),
                (&good[..good.len() - 4], ""),
                (&good[..200], ""),
                (&magic, "magic number"),
                (b"kernel void k() {  }", "magic number"),
            ];
            for (bytes, part) in cases {
                assert_build_error(&setup.fails(bytes, NO_OPTIONS), &[part, &setup.device.name()]);
            }
            setup.build(good);
        }
    }

    /// V3: a version that the device does not take, and a header that makes no sense.
    fn versions_are_those_of_the_device() {
        for setup in setups(SPIRV) {
            let (major, minor) = setup.device.capabilities().spirv.as_ref().unwrap().highest;
            let with_version = |major: u8, minor: u8| {
                let mut bytes = module();
                bytes[4..8].copy_from_slice(&[0, minor, major, 0]);
                bytes
            };
            let highest = format!("the device takes up to {major}.{minor}");
            for (major, minor) in [(major, minor + 1), (major + 1, 0), (255, 255)] {
                let error = setup.fails(with_version(major, minor), NO_OPTIONS);
                assert_build_error(&error, &[&format!("SPIR-V {major}.{minor}"), &highest]);
            }
            setup.build(with_version(1, 0));
        }
    }

    /// V3: the validator's words are in the exception, before a driver sees the module.
    fn the_validator_is_asked_first() {
        for setup in setups(SPIRV) {
            let cases = [
                (edited("%scalars_v0 = OpUConvert %ulong", "%scalars_v0 = OpUConvert %float"), "UConvert"),
                (edited("%by_value_value Aligned 4", "%float Aligned 4"), "OpStore"),
                (edited("               OpCapability Int8\n", ""), "Int8"),
                (with_lines("", "OpExecutionMode %k LocalSize 0 1 1", ""), "LocalSize"),
            ];
            for (bytes, part) in cases {
                match setup.try_build(&bytes, NO_OPTIONS) {
                    Err(error) => assert_build_error(&error, &["is not valid", part]),
                    Ok(_) => assert_eq!(part, "LocalSize", "the validator has no rule about a zero"),
                }
            }
        }
    }

    /// V3, V7: capabilities that the device lacks, by name; other modules are built all the same.
    fn capabilities_that_the_device_lacks_fail_the_build() {
        for setup in setups(SPIRV) {
            for (capability, name) in [("OpCapability Shader", "Shader"), ("OpCapability NamedBarrier", "NamedBarrier")] {
                let error = setup.fails(with_lines(capability, "", ""), NO_OPTIONS);
                assert_build_error(&error, &[name, &setup.device.name()]);
            }
            for (capability, aspect) in
                [("Float64", Aspect::Fp64), ("Float16", Aspect::Fp16), ("Int64\nOpCapability Int64Atomics", Aspect::Atomic64)]
            {
                let built = setup.try_build(with_lines(&format!("OpCapability {capability}"), "", ""), NO_OPTIONS);
                assert_eq!(built.is_ok(), setup.device.has(aspect), "{capability}: {built:?}");
            }
            setup.build(module());
        }
    }

    /// V3: addressing and memory model, kind of the entry points, sets of instructions.
    fn modules_for_other_environments_fail_the_build() {
        for setup in setups(SPIRV) {
            let physical32 = edited("OpMemoryModel Physical64 OpenCL", "OpMemoryModel Physical32 OpenCL");
            assert_build_error(&setup.fails(physical32, NO_OPTIONS), &["Physical32", "Physical64"]);
            let set = assembled(
                "OpCapability Kernel\nOpCapability Addresses\nOpCapability Linkage\n\
                 %set = OpExtInstImport \"GLSL.std.450\"\nOpMemoryModel Physical64 OpenCL",
            );
            assert_build_error(&setup.fails(set, NO_OPTIONS), &["GLSL.std.450"]);
            let vulkan = assembled(
                "OpCapability Shader\nOpMemoryModel Logical GLSL450\nOpEntryPoint GLCompute %m \"m\"\n\
                 OpExecutionMode %m LocalSize 1 1 1\n%void = OpTypeVoid\n%type = OpTypeFunction %void\n\
                 %m = OpFunction %void None %type\n%label = OpLabel\nOpReturn\nOpFunctionEnd",
            );
            assert_build_error(&setup.fails(vulkan, NO_OPTIONS), &["Shader"]);
        }
    }

    /// Functions that nobody defines, which a driver would look for in the host process.
    fn imports_fail_the_build() {
        for setup in setups(SPIRV) {
            let bytes = assembled(
                "OpCapability Kernel\nOpCapability Addresses\nOpCapability Linkage\nOpMemoryModel Physical64 OpenCL\n\
                 OpEntryPoint Kernel %k \"k\"\nOpDecorate %abort LinkageAttributes \"abort\" Import\n\
                 %void = OpTypeVoid\n%type = OpTypeFunction %void\n\
                 %abort = OpFunction %void None %type\nOpFunctionEnd\n\
                 %k = OpFunction %void None %type\n%label = OpLabel\n\
                 %call = OpFunctionCall %void %abort\nOpReturn\nOpFunctionEnd",
            );
            assert_build_error(&setup.fails(bytes, NO_OPTIONS), &["No device image found for external symbol abort"]);
        }
    }

    /// B7, D-28: a module without entry points.
    fn a_module_without_kernels_is_built() {
        for setup in setups(SPIRV) {
            let bytes = assembled(
                "OpCapability Kernel\nOpCapability Addresses\nOpCapability Linkage\nOpMemoryModel Physical64 OpenCL",
            );
            let bundle = setup.build(bytes);
            assert!(!bundle.has_kernel("k"));
            assert_eq!((bundle.kernel("k").unwrap_err().code, bundle.image_count()), (Errc::Invalid, 0));
        }
    }

    /// V2: options reach the driver as they are; its refusal is a build error with its words.
    fn options_go_to_the_driver() {
        for setup in setups(SPIRV) {
            let out = setup.usm::<u32>(1);
            let bundle = setup.try_build(module(), &["-cl-opt-disable", "", "-cl-mad-enable"]).unwrap();
            setup.run(&bundle.kernel("places").unwrap(), &single_task(), &[out.argument()]);
            let error = setup.fails(module(), &["-cl-opt-disable", "-no-such-flag"]);
            assert_build_error(&error, &["-no-such-flag", "CL_"]);
            assert_eq!(setup.fails(module(), &["-g\0"]).code, Errc::Invalid);
            setup.build(module());
        }
    }

    /// B1, C4: properties of language `sycl`.
    fn properties_of_other_languages_are_invalid() {
        for setup in setups(SPIRV) {
            let file = IncludeFile { name: "a.h".into(), content: Vec::new() };
            let created = KernelBundle::create_from_source(&setup.context, SPIRV, module(), vec![file]);
            assert_eq!(created.unwrap_err().code, Errc::Invalid);
            let names = BuildOptions { registered_names: vec!["k".into()], ..BuildOptions::default() };
            let built = setup.source(module()).build(std::slice::from_ref(&setup.device), &names);
            assert_eq!(built.unwrap_err().code, Errc::Invalid);
        }
    }

    /// Table of parameters: integers of 8, 16, 32 and 64 bits and floats, and wrong ones for each.
    fn scalars_by_value() {
        for setup in setups(SPIRV) {
            let kernel = setup.build(module()).kernel("scalars").unwrap();
            let out = setup.usm::<u64>(5);
            let good = [
                out.argument(),
                value(&250_u8),
                value(&60_000_u16),
                value(&4_000_000_000_u32),
                value(&(u64::MAX - 1)),
                value(&8_f32),
            ];
            setup.run(&kernel, &single_task(), &good);
            assert_eq!(out.read(), [250, 60_000, 4_000_000_000, u64::MAX - 1, 8]);
            for index in 0..good.len() {
                for wrong in [value(&[0_u8; 3]), NULL, ArgumentKind::Local(4), ArgumentKind::Raw(&[0; 12])] {
                    if index == 0 && matches!(wrong, ArgumentKind::Pointer(_)) {
                        continue;
                    }
                    let mut given = good;
                    given[index] = wrong;
                    let error = setup.try_run(&kernel, &single_task(), &given).unwrap_err();
                    assert_eq!(error.code, Errc::KernelArgument, "{index}: {error}");
                    assert!(error.message.contains(&format!("argument {index}")), "{error}");
                }
                let missing = &good[..index];
                assert_eq!(setup.try_run(&kernel, &single_task(), missing).unwrap_err().code, Errc::Invalid);
            }
            let error = setup.try_run(&kernel, &single_task(), &[good[0], value(&1_u16)]).unwrap_err();
            assert_eq!(error.code, Errc::Invalid, "{error}");
            let mut given = good;
            given[1] = value(&1_u16);
            let error = setup.try_run(&kernel, &single_task(), &given).unwrap_err();
            assert!(error.message.contains("('byte', 8-bit integer)"), "{error}");
        }
    }

    /// `half` and `double`, where the device has them.
    fn half_and_double_by_value() {
        for setup in setups(SPIRV) {
            for (width, aspect) in [(16_usize, Aspect::Fp16), (64, Aspect::Fp64)] {
                if !setup.device.has(aspect) {
                    say(&format!("skipped: {} has no {aspect:?}", setup.device.name()));
                    continue;
                }
                let bytes = assembled(&format!(
                    "OpCapability Kernel\nOpCapability Addresses\nOpCapability Float{width}\n\
                     OpMemoryModel Physical64 OpenCL\nOpEntryPoint Kernel %k \"k\"\n\
                     %void = OpTypeVoid\n%float = OpTypeFloat {width}\n%pointer = OpTypePointer CrossWorkgroup %float\n\
                     %type = OpTypeFunction %void %pointer %float\n%k = OpFunction %void None %type\n\
                     %out = OpFunctionParameter %pointer\n%in = OpFunctionParameter %float\n%label = OpLabel\n\
                     OpStore %out %in Aligned {}\nOpReturn\nOpFunctionEnd",
                    width / 8
                ));
                let kernel = setup.build(bytes).kernel("k").unwrap();
                assert_eq!(kernel.info().parameters[1].size, width as u64 / 8);
                let out = setup.usm::<u64>(1);
                let given = 0x4045_1eb8_51eb_3e00_u64.to_le_bytes();
                setup.run(&kernel, &single_task(), &[out.argument(), ArgumentKind::Value(&given[..width / 8])]);
                assert_eq!(out.read()[0].to_le_bytes()[..width / 8], given[..width / 8]);
            }
        }
    }

    /// Structures by value: as a `ByVal` pointer, as a plain value, packed, and vectors.
    fn structures_by_value() {
        for setup in setups(SPIRV) {
            let bundle = setup.build(module());
            let (out, target) = (setup.usm::<u32>(1), setup.usm::<u32>(1));
            for (name, number) in [("by_value", 77), ("plain_structure", 78)] {
                let kernel = bundle.kernel(name).unwrap();
                assert_eq!((kernel.info().parameters[1].kind, kernel.info().parameters[1].size), (ParameterKind::Aggregate, 24));
                let given = Chain::new(target.number(), number);
                setup.run(&kernel, &single_task(), &[out.argument(), value(&given)]);
                assert_eq!((out.read(), target.read()), (vec![1], vec![number]), "{name}");
                for wrong in [value(&[0_u8; 23]), value(&[0_u8; 32]), NULL] {
                    let error = setup.try_run(&kernel, &single_task(), &[out.argument(), wrong]).unwrap_err();
                    assert_eq!(error.code, Errc::KernelArgument, "{error}");
                }
            }
            let packed = [9_u8, 1, 2, 0, 0];
            setup.run(&bundle.kernel("packed").unwrap(), &single_task(), &[out.argument(), value(&packed)]);
            assert_eq!(out.read(), [0x201]);
            let floats = setup.usm::<f32>(1);
            let vector = [1_f32, 2.0, 3.0, 4.0];
            setup.run(&bundle.kernel("vector3").unwrap(), &single_task(), &[floats.argument(), value(&vector)]);
            assert_eq!(floats.read(), [3.0]);
        }
    }

    /// Pointers to constant memory are pointers; memory behind memory is reached.
    fn pointers_and_indirect_access() {
        for setup in setups(SPIRV) {
            let bundle = setup.build(module());
            let (out, from) = (setup.usm::<u32>(1), setup.usm::<u32>(1));
            from.write(&[31]);
            setup.run(&bundle.kernel("table").unwrap(), &single_task(), &[out.argument(), from.argument()]);
            assert_eq!(out.read(), [31]);
            let slot = setup.usm::<u64>(1);
            slot.write(&[out.number()]);
            setup.run(&bundle.kernel("follow").unwrap(), &single_task(), &[slot.argument()]);
            assert_eq!(out.read(), [9]);
        }
    }

    /// V6: local memory in every form of a launch.
    fn local_memory() {
        for setup in setups(SPIRV) {
            let kernel = setup.build(module()).kernel("shared").unwrap();
            let out = setup.usm::<u32>(1);
            for launch in [single_task(), range(&[16]), nd_range(&[16], &[4])] {
                out.write(&[0]);
                setup.run(&kernel, &launch, &[out.argument(), ArgumentKind::Local(64)]);
                assert_eq!(out.read(), [9]);
            }
            let error = setup.try_run(&kernel, &single_task(), &[out.argument(), out.argument()]).unwrap_err();
            assert_eq!(error.code, Errc::KernelArgument, "{error}");
        }
    }

    /// V6: the order of dimensions, and sizes that the module requires.
    fn dimensions_are_reversed() {
        for setup in setups(SPIRV) {
            let bundle = setup.build(module());
            let out = setup.usm::<u32>(6);
            let kernel = bundle.kernel("places").unwrap();
            for launch in [range(&[2, 3]), nd_range(&[2, 3], &[1, 3])] {
                out.write(&[9; 6]);
                setup.run(&kernel, &launch, &[out.argument()]);
                assert_eq!(out.read(), [0, 1, 2, 0, 1, 2]);
            }
            let kernel = bundle.kernel("required").unwrap();
            for launch in [nd_range(&[2, 4], &[2, 4]), range(&[2, 4]), nd_range(&[1, 2, 4], &[1, 2, 4])] {
                setup.run(&kernel, &launch, &[out.argument()]);
                assert_eq!(out.read()[0], 4);
            }
            for launch in [nd_range(&[4, 2], &[4, 2]), single_task(), range(&[8])] {
                let error = setup.try_run(&kernel, &launch, &[out.argument()]).unwrap_err();
                assert_eq!(error.code, Errc::NdRange, "{error}");
            }
        }
    }

    /// Samplers are not in the table.
    fn samplers_are_not_supported() {
        for setup in setups(SPIRV) {
            let kernel = setup.build(module()).kernel("takes_sampler").unwrap();
            for given in [NULL, value(&0_u64), ArgumentKind::Raw(&[0; 4])] {
                let error = setup.try_run(&kernel, &single_task(), &[given]).unwrap_err();
                assert_eq!(error.code, Errc::Invalid, "{error}");
                assert!(error.message.contains("sampler"), "{error}");
            }
        }
    }

    /// D-39: each bit of the header and the first instructions is flipped; the process lives, and good modules work.
    fn changed_modules_do_no_harm() {
        for setup in setups(SPIRV) {
            let good = with_lines("OpCapability Int64", "OpExecutionMode %k LocalSize 2 1 1", "");
            let mut built = 0;
            for bit in 0..good.len() * 8 {
                let mut bytes = good.clone();
                bytes[bit / 8] ^= 1 << (bit % 8);
                match setup.try_build(&bytes, NO_OPTIONS) {
                    Ok(_) => built += 1,
                    Err(error) => assert_eq!(error.code, Errc::Build, "{error}"),
                }
            }
            for cut in 0..good.len() {
                assert_build_error(&setup.fails(&good[..cut], NO_OPTIONS), &[]);
            }
            say(&format!("{}: {built} of {} changed modules were good", setup.device.name(), good.len() * 8));
            setup.build(good);
        }
    }
}
