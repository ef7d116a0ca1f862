// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Bundles as bytes: the container of `ext_oneapi_get_content`.
//!
//! | bytes | what |
//! |---|---|
//! | 8 | magic |
//! | 4 | version of the format, little endian |
//! | 32 | BLAKE3 of the body |
//! | rest | body: postcard of [`Content`] |
//!
//! Nothing in it is trusted. The digest finds accidents; whoever makes one that fits still gets modules validated as those
//! of language `spirv` are, and what the tables say is compared with the code where a launch could go wrong. Memory is
//! taken as the bytes allow, not as a length claims.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{
    aspects::missing_aspects,
    build::{on_device, target_of},
    join::{check_aspects, check_state},
    kernel_bundle::{BundleState, Contents, Executable, KernelBundle, Report},
    language::{Language, build_for},
    native::{Code, Loading},
    unit::{Image, ObjectUnit, Unit},
};
use crate::{
    error::{Errc, Error, Result},
    image::{DeviceGlobal, DeviceImage, ImageFormat, LeftOut, Table, Target},
    runtime::{Context, Device},
};

const MAGIC: &[u8; 8] = b"SYCLRTCB";
/// Raised with every change of [`Content`] and of what it is made of; a test notices changes.
const VERSION: u32 = 2;
/// Bytes before the body.
const HEADER: usize = MAGIC.len() + size_of::<u32>() + blake3::OUT_LEN;

/// What a bundle holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
enum Content {
    Input,
    Object(Vec<SavedObject>),
    Executable(Vec<SavedUnit>),
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct SavedObject {
    name: String,
    compiler: String,
    #[serde(with = "serde_bytes")]
    bitcode: Vec<u8>,
    table: Table,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct SavedUnit {
    name: String,
    images: Vec<SavedImage>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct SavedImage {
    code: SavedCode,
    flags: String,
    /// What the code was made for, if the compiler program made it.
    target: Option<Target>,
    #[serde(with = "serde_bytes")]
    final_ir: Vec<u8>,
    table: Table,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
enum SavedCode {
    Spirv(#[serde(with = "serde_bytes")] Vec<u8>),
    OpenClC(#[serde(with = "serde_bytes")] Vec<u8>),
    Native(#[serde(with = "serde_bytes")] Vec<u8>),
}

impl KernelBundle {
    /// The bundle as bytes that [`from_content`](Self::from_content) takes, in this process or another.
    ///
    /// # Errors
    /// [`Errc::Invalid`] for a bundle in state source.
    pub fn content(&self) -> Result<Vec<u8>> {
        let content = match self.contents() {
            Contents::Source(_) => {
                return Err(Error::invalid("a bundle in state ext_oneapi_source has no content; compile or build it"));
            }
            Contents::Input => Content::Input,
            Contents::Object(units) => Content::Object(units.iter().map(|unit| save_object(unit)).collect()),
            Contents::Executable(code) => Content::Executable(code.units.iter().map(|unit| save_unit(unit)).collect()),
        };
        encode(&content)
    }

    /// A bundle from what [`content`](Self::content) gave: with the kernels that fit at least one of the devices.
    ///
    /// # Errors
    /// [`Errc::Invalid`] if there is no device, one is not in the context, a device of the context lacks the aspect for the
    /// state, or the bytes are damaged, of something else, of another version or of another state; [`Errc::Build`] if a driver refuses
    /// code that fits its device.
    pub fn from_content(
        context: &Arc<Context>,
        devices: &[Arc<Device>],
        state: BundleState,
        content: &[u8],
    ) -> Result<Arc<Self>> {
        let devices = check_state(context, devices, state)?;
        check_aspects(context.devices(), state)?;
        let content = decode(content)?;
        let found = match content {
            Content::Input => BundleState::Input,
            Content::Object(_) => BundleState::Object,
            Content::Executable(_) => BundleState::Executable,
        };
        if found != state {
            return Err(Error::invalid(format!(
                "the content is of a bundle in state {}, and state {} was asked for",
                found.name(),
                state.name()
            )));
        }
        let mut report = Report::default();
        let contents = match content {
            Content::Input => Contents::Input,
            Content::Object(objects) => Contents::Object(objects.into_iter().map(load_object).collect()),
            Content::Executable(units) => {
                let units = units.into_iter().map(|unit| load_unit(context, &devices, unit, &mut report));
                Contents::Executable(Executable::new(units.collect::<Result<_>>()?))
            }
        };
        Ok(Self::new(context, devices, contents, report))
    }
}

fn encode(content: &Content) -> Result<Vec<u8>> {
    let body = postcard::to_stdvec(content).map_err(|error| Error::internal(format!("saving failed: {error}")))?;
    let mut bytes = Vec::with_capacity(HEADER + body.len());
    bytes.extend_from_slice(MAGIC);
    bytes.extend_from_slice(&VERSION.to_le_bytes());
    bytes.extend_from_slice(blake3::hash(&body).as_bytes());
    bytes.extend_from_slice(&body);
    Ok(bytes)
}

fn decode(bytes: &[u8]) -> Result<Content> {
    let bad = |what: &str| Error::invalid(format!("the bytes are no content of a kernel_bundle: {what}"));
    let rest = bytes.strip_prefix(MAGIC).ok_or_else(|| bad("they do not start as one"))?;
    let (version, rest) = rest.split_first_chunk().ok_or_else(|| bad("they end early"))?;
    let version = u32::from_le_bytes(*version);
    if version != VERSION {
        return Err(bad(&format!("they have version {version} of the format, this library reads {VERSION}")));
    }
    let (digest, body) = rest.split_first_chunk::<{ blake3::OUT_LEN }>().ok_or_else(|| bad("they end early"))?;
    if blake3::hash(body) != *digest {
        return Err(bad("they were changed or cut"));
    }
    match postcard::take_from_bytes(body) {
        Ok((content, [])) => Ok(content),
        Ok(_) => Err(bad("something follows them")),
        Err(error) => Err(bad(&error.to_string())),
    }
}

fn save_object(unit: &ObjectUnit) -> SavedObject {
    SavedObject {
        name: unit.name.clone(),
        compiler: unit.compiler.clone(),
        bitcode: unit.bitcode.to_vec(),
        table: unit.table.clone(),
    }
}

fn load_object(saved: SavedObject) -> Arc<ObjectUnit> {
    Arc::new(ObjectUnit::new(saved.name, saved.bitcode.into(), saved.compiler, saved.table))
}

fn save_unit(unit: &Unit) -> SavedUnit {
    let save = |image: &Image| {
        let bytes = image.code.bytes.to_vec();
        SavedImage {
            code: match image.code.format {
                ImageFormat::Spirv => SavedCode::Spirv(bytes),
                ImageFormat::OpenClC => SavedCode::OpenClC(bytes),
                ImageFormat::Native => SavedCode::Native(bytes),
            },
            flags: image.flags.clone(),
            target: image.target.clone(),
            final_ir: image.final_ir.to_vec(),
            table: image.table.clone(),
        }
    };
    SavedUnit { name: unit.name.clone(), images: unit.images.iter().map(save).collect() }
}

/// Gives each device the image that was made for its like, or else the first that it takes.
fn load_unit(
    context: &Arc<Context>,
    devices: &[Arc<Device>],
    saved: SavedUnit,
    report: &mut Report,
) -> Result<Arc<Unit>> {
    saved.images.iter().try_for_each(|image| check_globals(&image.table))?;
    let mut images: Vec<(usize, Image)> = Vec::new();
    for device in devices {
        let own = target_of(device).ok();
        let mut order: Vec<usize> = (0..saved.images.len()).collect();
        order.sort_by_key(|index| saved.images[*index].target != own);
        for index in order {
            let image = restore(&saved.images[index], device);
            let code = match load_code(context, device, &image) {
                Ok(code) => code,
                // Its own kind of device has to take it; another one need not.
                Err(error) if image.target == own || !does_not_fit(&error) => return Err(error),
                Err(error) => {
                    log::debug!("{} does not fit \"{}\": {error}", saved.name, device.name());
                    continue;
                }
            };
            let loaded = on_device(context, device, code, &image.table, report)?;
            match images.iter_mut().find(|(other, known)| *other == index && known.table == image.table) {
                Some((_, known)) => known.loaded.push(loaded),
                None => images.push((index, Image { loaded: vec![loaded], ..image })),
            }
            break;
        }
    }
    Ok(Arc::new(Unit::new(saved.name, images.into_iter().map(|(_, image)| image).collect())))
}

fn does_not_fit(error: &Error) -> bool {
    matches!(error.code, Errc::Build | Errc::FeatureNotSupported)
}

/// All variables that the host can reach have to be in their block.
pub(super) fn check_globals(table: &Table) -> Result<()> {
    let outside = |global: &&DeviceGlobal| {
        !global.image_scope && global.offset.checked_add(global.size).is_none_or(|end| end > table.device_global_block)
    };
    match table.device_globals.iter().find(outside) {
        None => Ok(()),
        Some(global) => Err(Error::invalid(format!(
            "the bytes are no content of a kernel_bundle: device global '{}' lies outside its block",
            global.name
        ))),
    }
}

/// The image as far as the device can run it.
fn restore(saved: &SavedImage, device: &Device) -> Image {
    let mut table = saved.table.clone();
    let (kernels, others) =
        table.kernels.into_iter().partition(|kernel| missing_aspects(device, &kernel.aspects).is_empty());
    table.kernels = kernels;
    for kernel in others {
        let registered = table.registered_names.iter().filter(|(_, raw)| *raw == kernel.raw_name);
        let names = registered.map(|(string, _)| string.clone()).chain(kernel.plain_name).chain([kernel.mangled_name]);
        let missing = missing_aspects(device, &kernel.aspects);
        table.left_out.push(LeftOut { names: names.collect(), raw_name: kernel.raw_name, missing });
    }
    let (format, bytes) = match &saved.code {
        SavedCode::Spirv(bytes) => (ImageFormat::Spirv, bytes),
        SavedCode::OpenClC(bytes) => (ImageFormat::OpenClC, bytes),
        SavedCode::Native(bytes) => (ImageFormat::Native, bytes),
    };
    Image {
        code: DeviceImage { format, bytes: bytes.as_slice().into(), kernels: table.kernels.clone().into() },
        flags: saved.flags.clone(),
        target: saved.target.clone(),
        final_ir: saved.final_ir.as_slice().into(),
        table,
        loaded: Vec::new(),
    }
}

/// Gives checked code to the driver. None if there is nothing to run.
fn load_code(context: &Context, device: &Device, image: &Image) -> Result<Option<Code>> {
    if image.code.bytes.is_empty() {
        return Ok(None);
    }
    let able = match image.code.format {
        ImageFormat::Spirv => device.capabilities().spirv.is_some(),
        ImageFormat::OpenClC => device.capabilities().opencl_c.is_some(),
        ImageFormat::Native => true,
    };
    if !able {
        return Err(Error::feature_not_supported("the device's driver does not take code of this kind"));
    }
    let code = match image.code.format {
        // Whatever the digest says, the module is a stranger's.
        ImageFormat::Spirv => {
            build_for(context, device, Language::Spirv, &image.code.bytes, std::slice::from_ref(&image.flags))?.code
        }
        ImageFormat::OpenClC | ImageFormat::Native => {
            Loading { context, device, image: &image.code, flags: &image.flags, describe: None }.load()?
        }
    };
    Ok(Some(code))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::image::{CodeSplit, KernelInfo, KernelKind, KernelProperties, Parameter, ParameterKind};
    use syclrtc_protocol::{Export, Import, LocalExtent, LocalObject, SymbolKind, TargetFormat};

    fn table() -> Table {
        Table {
            kernels: vec![KernelInfo {
                raw_name: "__sycl_kernel_k".into(),
                plain_name: Some("k".into()),
                mangled_name: "k".into(),
                kind: KernelKind::NdRange(2),
                parameters: vec![Parameter {
                    name: "p".into(),
                    type_name: "int *".into(),
                    kind: ParameterKind::Pointer,
                    size: 8,
                    align: 8,
                    local: vec![LocalObject { offset: 0, element: 4, extent: LocalExtent::Range(2) }],
                }],
                properties: KernelProperties {
                    work_group_size: Some(vec![1, 2]),
                    sub_group_size: Some(8),
                    range_max: Some(300),
                    ..KernelProperties::default()
                },
                aspects: vec![6],
                scratch: true,
            }],
            registered_names: vec![("&k".into(), "__sycl_kernel_k".into())],
            device_globals: vec![DeviceGlobal {
                name: "g".into(),
                symbol: "g".into(),
                size: 4,
                align: 4,
                offset: 0,
                image_scope: false,
            }],
            device_global_block: 4,
            exports: vec![Export { symbol: "f".into(), kind: SymbolKind::Function, foldable: true }],
            imports: vec![Import { symbol: "v".into(), kind: SymbolKind::Variable }],
            code_split: CodeSplit::PerKernel,
            driver_options: "-x".into(),
            ..Table::default()
        }
    }

    fn contents() -> [Content; 3] {
        let target = Target {
            format: TargetFormat::Spirv { version: (1, 4), extensions: vec!["SPV_A".into()] },
            aspects: vec![1, 6],
        };
        let image = |code| SavedImage {
            code,
            flags: "-x".into(),
            target: Some(target.clone()),
            final_ir: b"BC".to_vec(),
            table: table(),
        };
        let images = vec![image(SavedCode::Spirv(vec![1, 2, 3])), image(SavedCode::OpenClC(b"kernel".to_vec()))];
        [
            Content::Input,
            Content::Object(vec![SavedObject {
                name: "rtc_0.cpp".into(),
                compiler: "clang".into(),
                bitcode: b"BC".to_vec(),
                table: table(),
            }]),
            Content::Executable(vec![SavedUnit { name: "rtc_1.cpp".into(), images }]),
        ]
    }

    fn with_digest(mut bytes: Vec<u8>) -> Vec<u8> {
        if bytes.len() > HEADER {
            let digest = blake3::hash(&bytes[HEADER..]);
            bytes[HEADER - blake3::OUT_LEN..HEADER].copy_from_slice(digest.as_bytes());
        }
        bytes
    }

    // Y2
    #[test]
    fn contents_come_back_whole() {
        for content in contents() {
            assert_eq!(decode(&encode(&content).unwrap()).unwrap(), content);
        }
    }

    #[test]
    fn a_change_of_the_layout_needs_a_new_version() {
        let bytes: Vec<u8> = contents().iter().flat_map(|content| encode(content).unwrap()).collect();
        assert_eq!((VERSION, blake3::hash(&bytes).to_hex().as_str()), (2, LAYOUT));
    }
    /// Digest of the contents above in the layout of the version.
    const LAYOUT: &str = "ff5170b050c13e0e9f6529a50c3628d327314bfe081c74078f396026e2843861";

    // Y7
    #[test]
    fn every_cut_and_every_flipped_bit_is_refused() {
        for content in contents() {
            let good = encode(&content).unwrap();
            for cut in 0..good.len() {
                assert_eq!(decode(&good[..cut]).unwrap_err().code, Errc::Invalid, "{cut}");
                // With a digest that fits, what was cut is missing.
                assert_eq!(decode(&with_digest(good[..cut].to_vec())).unwrap_err().code, Errc::Invalid, "{cut}");
            }
            for bit in 0..good.len() * 8 {
                let mut bad = good.clone();
                bad[bit / 8] ^= 1 << (bit % 8);
                assert_eq!(decode(&bad).unwrap_err().code, Errc::Invalid, "{bit}");
                if let Err(error) = decode(&with_digest(bad)) {
                    assert_eq!(error.code, Errc::Invalid);
                }
            }
            assert!(decode(&with_digest([&good[..], &[0]].concat())).is_err());
        }
    }

    // Y7
    #[test]
    fn noise_and_lengths_that_are_not_there_are_refused() {
        let mut state = 1_u64;
        let mut byte = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 56) as u8
        };
        let header = &encode(&Content::Input).unwrap()[..HEADER];
        for length in 0..4000 {
            let noise: Vec<u8> = (0..length % 97).map(|_| byte()).collect();
            assert!(decode(&noise).is_err());
            drop(decode(&with_digest([header, &noise].concat())));
        }
        // A list, or bytes, of almost 2^64 elements.
        for start in [&[1][..], &[2], &[1, 1], &[1, 1, 0, 0]] {
            let claim = [start, &[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01]].concat();
            assert_eq!(decode(&with_digest([header, &claim].concat())).unwrap_err().code, Errc::Invalid);
        }
    }

    #[test]
    fn other_versions_are_refused_by_number() {
        let mut bytes = encode(&Content::Input).unwrap();
        bytes[MAGIC.len()] += 1;
        let message = decode(&bytes).unwrap_err().message;
        assert!(message.contains(&format!("version {}", VERSION + 1)), "{message}");
    }

    // Y7
    #[test]
    fn variables_outside_their_block_are_refused() {
        let Content::Executable(units) = &contents()[2] else { unreachable!() };
        let mut image = units[0].images[0].clone();
        assert!(check_globals(&image.table).is_ok());
        for (offset, size) in [(1, 4), (u64::MAX, 1), (0, 5)] {
            (image.table.device_globals[0].offset, image.table.device_globals[0].size) = (offset, size);
            assert_eq!(check_globals(&image.table).unwrap_err().code, Errc::Invalid);
        }
        image.table.device_globals[0].image_scope = true;
        assert!(check_globals(&image.table).is_ok());
    }
}
