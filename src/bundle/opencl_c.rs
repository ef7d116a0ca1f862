// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Language `opencl`: the driver compiles the text and describes the kernels.

use super::{build::detailed, language::Loaded, native::Loading, opencl_options};
use crate::{
    backend::{ArgumentInfo, ArgumentSpace, ClVersion, Module},
    error::{Errc, Error, Result},
    image::{DeviceImage, ImageFormat, KernelInfo, KernelKind, KernelProperties, Parameter, ParameterKind},
    runtime::{Context, Device},
};

/// Lets the driver describe the parameters.
const ARGUMENT_INFO: &str = "-cl-kernel-arg-info";

/// Builds the text for one device.
pub(super) fn build(context: &Context, device: &Device, source: &[u8], options: &[String]) -> Result<Loaded> {
    let options = opencl_options::parse(options)?;
    let mut flags = vec![options.text];
    match options.version {
        Some(version) => check_version(device, version)?,
        // OpenCL says the same, but not all drivers do it.
        None => {
            flags.extend(highest_1_x(device).map(|version| format!("-cl-std=CL{}.{}", version.major, version.minor)))
        }
    }
    flags.push(ARGUMENT_INFO.to_owned());
    flags.retain(|flag| !flag.is_empty());
    let flags = flags.join(" ");
    // A driver that takes a NUL for the end would build half of the text; compilers ignore one as they do a blank.
    let text: Vec<u8> = source.iter().map(|byte| if *byte == 0 { b' ' } else { *byte }).collect();
    let image = DeviceImage { format: ImageFormat::OpenClC, bytes: text.into(), kernels: [].into() };
    let kernels = |module: &dyn Module| module.kernel_names().iter().map(|name| kernel(module, name)).collect();
    let loading = Loading { context, device, image: &image, flags: &flags, describe: Some(&kernels) };
    let code = loading.load().map_err(|error| refused(device, error))?;
    Ok(Loaded { image: DeviceImage { kernels: code.kernels.clone().into(), ..image }, code, flags })
}

/// The version that a text without an option is in.
fn highest_1_x(device: &Device) -> Option<ClVersion> {
    let opencl_c = device.capabilities().opencl_c.as_ref()?;
    // 1.0 has no name among the options.
    opencl_c.versions.iter().filter(|version| version.major == 1 && version.minor > 0).max().copied()
}

fn check_version(device: &Device, version: ClVersion) -> Result<()> {
    if device.supports_cl_c_version(version) {
        return Ok(());
    }
    let known = device.capabilities().opencl_c.iter().flat_map(|opencl_c| &opencl_c.versions);
    let known: Vec<String> = known.map(|version| format!("{}.{}", version.major, version.minor)).collect();
    Err(Error::invalid(format!(
        "option -cl-std=CL{}.{}: device \"{}\" compiles OpenCL C {} only",
        version.major,
        version.minor,
        device.name(),
        known.join(", ")
    )))
}

/// The driver's refusal in the form of all builds.
fn refused(device: &Device, error: Error) -> Error {
    let said = error.log.as_deref().unwrap_or_default().trim_end();
    let details = match said {
        "" => format!("the driver of \"{}\": {}", device.name(), error.message),
        said => format!("the driver of \"{}\": {}\n{said}", device.name(), error.message),
    };
    match error.code {
        Errc::Build => Error::build(detailed("Device compilation failed", &details), details),
        Errc::Invalid => Error::invalid(detailed("Parsing of user arguments failed", &details)),
        _ => error,
    }
}

fn kernel(module: &dyn Module, name: &str) -> Result<KernelInfo> {
    let info = *module.kernel(name)?.device_info();
    let size = info.compile_work_group_size.map(|size| size as u64);
    Ok(KernelInfo {
        raw_name: name.to_owned(),
        plain_name: None,
        mangled_name: name.to_owned(),
        kind: KernelKind::Any,
        parameters: module.arguments(name)?.into_iter().map(parameter).collect(),
        properties: KernelProperties {
            work_group_size: (size != [0; 3]).then(|| size.to_vec()),
            sub_group_size: (info.compile_sub_group_size != 0).then_some(info.compile_sub_group_size),
            ..KernelProperties::default()
        },
        aspects: Vec::new(),
        scratch: false,
    })
}

/// Types whose values belong to the driver: no argument can be given for them.
const OBJECTS: &[&str] = &["sampler_t", "queue_t", "event_t", "clk_event_t", "reserve_id_t", "ndrange_t"];

fn parameter(argument: ArgumentInfo) -> Parameter {
    let ArgumentInfo { name, type_name, space, image, pipe } = argument;
    let (kind, size, align) = if image || pipe || type_name.starts_with("image") || OBJECTS.contains(&&*type_name) {
        (ParameterKind::Unsupported, 0, 1)
    } else {
        match space {
            ArgumentSpace::Global | ArgumentSpace::Constant => (ParameterKind::Pointer, 8, 8),
            ArgumentSpace::Local => (ParameterKind::Local, 0, 1),
            ArgumentSpace::Private => match value_size(&type_name) {
                Some((size, 1)) => (ParameterKind::Scalar, size, size),
                Some((size, count)) => (ParameterKind::Aggregate, size * count, size * count),
                // A structure, or a name that stands for any type: the driver knows its size, and checks it.
                None => (ParameterKind::Opaque, 0, 1),
            },
        }
    };
    Parameter { name, type_name, kind, size, align, local: Vec::new() }
}

/// Bytes of an element of OpenCL's scalar or vector type, and how many there is room for.
fn value_size(type_name: &str) -> Option<(u64, u64)> {
    let digits = type_name.len() - type_name.trim_end_matches(|c: char| c.is_ascii_digit()).len();
    let (element, count) = type_name.split_at(type_name.len() - digits);
    let size = match element {
        "char" | "uchar" | "unsignedchar" | "unsigned char" => 1,
        "short" | "ushort" | "half" | "unsignedshort" | "unsigned short" => 2,
        "int" | "uint" | "float" | "unsignedint" | "unsigned int" => 4,
        "long" | "ulong" | "double" | "unsignedlong" | "unsigned long" => 8,
        _ => return None,
    };
    let count = match count {
        "" => 1,
        "2" => 2,
        // A vector of three has the layout of one of four.
        "3" | "4" => 4,
        "8" => 8,
        "16" => 16,
        _ => return None,
    };
    Some((size, count))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind_of(type_name: &str, space: ArgumentSpace) -> (ParameterKind, u64) {
        let argument = ArgumentInfo { name: "a".into(), type_name: type_name.into(), space, image: false, pipe: false };
        let parameter = parameter(argument);
        (parameter.kind, parameter.size)
    }

    /// O7 and the tables of section 15.
    #[test]
    fn the_drivers_words_become_parameters() {
        use ArgumentSpace::{Constant, Global, Local, Private};
        for (type_name, space, expected) in [
            ("char", Private, (ParameterKind::Scalar, 1)),
            ("ushort", Private, (ParameterKind::Scalar, 2)),
            ("half", Private, (ParameterKind::Scalar, 2)),
            ("unsigned int", Private, (ParameterKind::Scalar, 4)),
            ("float", Private, (ParameterKind::Scalar, 4)),
            ("long", Private, (ParameterKind::Scalar, 8)),
            ("double", Private, (ParameterKind::Scalar, 8)),
            ("char3", Private, (ParameterKind::Aggregate, 4)),
            ("float3", Private, (ParameterKind::Aggregate, 16)),
            ("double16", Private, (ParameterKind::Aggregate, 128)),
            ("int5", Private, (ParameterKind::Opaque, 0)),
            ("int1", Private, (ParameterKind::Opaque, 0)),
            ("structS", Private, (ParameterKind::Opaque, 0)),
            ("16", Private, (ParameterKind::Opaque, 0)),
            ("", Private, (ParameterKind::Opaque, 0)),
            ("int*", Global, (ParameterKind::Pointer, 8)),
            ("pointer_t", Global, (ParameterKind::Pointer, 8)),
            ("float4*", Constant, (ParameterKind::Pointer, 8)),
            ("float*", Local, (ParameterKind::Local, 0)),
            ("image2d_t", Global, (ParameterKind::Unsupported, 0)),
            ("sampler_t", Constant, (ParameterKind::Unsupported, 0)),
            ("sampler_t", Private, (ParameterKind::Unsupported, 0)),
            ("queue_t", Private, (ParameterKind::Unsupported, 0)),
        ] {
            assert_eq!(kind_of(type_name, space), expected, "{type_name} {space:?}");
        }
        let image =
            ArgumentInfo { name: String::new(), type_name: "my_image".into(), space: Global, image: true, pipe: false };
        assert_eq!(parameter(image.clone()).kind, ParameterKind::Unsupported);
        assert_eq!(parameter(ArgumentInfo { image: false, pipe: true, ..image }).kind, ParameterKind::Unsupported);
    }
}
