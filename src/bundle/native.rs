// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#![forbid(unsafe_code)]
//! From an image to what a driver has loaded, with as little work of the driver as there is to be.
//!
//! A program that is alive in the context is used by equal builds together; one that has variables is loaded once more, from
//! its binary. Else the driver gets the binary that it made of the image earlier, if the persistent cache has one for this
//! device and version of the driver. Only then it compiles.
//!
//! What a fresh build tells comes back in each case: the driver's log, and the kernels of a source in OpenCL C, which no
//! binary describes.

use std::{
    fmt, ptr,
    sync::Arc,
    time::{Duration, Instant},
};

use serde::{Deserialize, Serialize};

use super::spirv;
use crate::{
    backend::{DeviceInfo, DeviceType, InfoValue, Module, PlatformInfo},
    cache::{Digest, Flights, Key, KeyBuilder, Store, Tier, Turn, caches, digest_of, statistics},
    error::{Error, Result},
    image::{DeviceImage, ImageFormat, KernelInfo},
    os::{cancel::Cancel, per_process::PerProcess, process},
    runtime::{Context, Device},
};

/// What a driver has loaded.
#[derive(Debug)]
pub(super) struct Code {
    pub(super) module: Arc<dyn Module>,
    /// What the driver said when it compiled the code, then or now.
    pub(super) log: Arc<str>,
    /// What [`Loading::describe`] said.
    pub(super) kernels: Vec<KernelInfo>,
    pub(super) origin: Origin,
}

/// Where the code of a [`Code`] is from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Origin {
    /// The driver compiled it.
    Compiled,
    /// The driver was given the binary that it had made earlier.
    Binary,
    /// It had been loaded already.
    Shared,
}

/// Describes the kernels of a module that was compiled just now.
type Describe<'a> = &'a dyn Fn(&dyn Module) -> Result<Vec<KernelInfo>>;

/// An image to be loaded.
pub(super) struct Loading<'a> {
    pub(super) context: &'a Context,
    pub(super) device: &'a Device,
    pub(super) image: &'a DeviceImage,
    /// For the driver's compiler.
    pub(super) flags: &'a str,
    /// The kernels of an image that does not come with a table.
    pub(super) describe: Option<Describe<'a>>,
}

/// How long this process waits for another that lets the same driver compile the same image. A process that is stopped must not
/// stop this one.
const PATIENCE: Duration = Duration::from_secs(60);

/// What is being loaded.
fn under_way() -> &'static Flights<()> {
    static CURRENT: PerProcess<Flights<()>> = PerProcess::new();
    CURRENT.get(Flights::new)
}

impl Loading<'_> {
    /// Loads the image.
    ///
    /// # Errors
    /// As [`Context::load_image`]; [`Errc::Runtime`](crate::error::Errc::Runtime) if a variable of the caches is no number.
    pub(super) fn load(&self) -> Result<Code> {
        let code = self.find()?;
        log::debug!("{} bytes for \"{}\": {:?}", self.image.bytes.len(), self.device.name(), code.origin);
        Ok(code)
    }

    fn find(&self) -> Result<Code> {
        let caches = caches()?;
        let store = caches.store()?;
        let in_memory = caches.memory().is_some();
        let can_be_known = self.image.format != ImageFormat::Native && is_all(self.image);
        if !can_be_known || (store.is_none() && !in_memory) {
            return self.compile();
        }
        let key = self.key()?;
        if !in_memory {
            return self.make(store, &key);
        }
        if let Some(code) = self.alive(&key) {
            return Ok(code);
        }
        let turn = under_way().join(self.here(&key), &Cancel::default());
        // Who waited finds what was made meanwhile; or nothing, if that failed or nobody has it any more.
        if !matches!(turn, Turn::Lead(_))
            && let Some(code) = self.alive(&key)
        {
            return Ok(code);
        }
        let code = self.make(store, &key);
        if let Ok(code) = &code {
            self.context.keep(self.device, key.digest().0, &code.module, &code.log);
        }
        if let Turn::Lead(leader) = turn {
            leader.finish(());
        }
        code
    }

    fn make(&self, store: Option<&Store>, key: &Key) -> Result<Code> {
        match store {
            Some(store) => self.through(store, key),
            None => self.compile(),
        }
    }

    /// The key together with the context and the device, which stay where they are as long as this is under way.
    fn here(&self, key: &Key) -> Digest {
        let places = [ptr::from_ref(self.context).addr(), ptr::from_ref(self.device).addr()];
        let places = places.map(usize::to_ne_bytes).concat();
        digest_of(&[&key.digest().0[..], &places].concat())
    }

    /// What is loaded already: as it is, or once more if kernels could leave something in it.
    fn alive(&self, key: &Key) -> Option<Code> {
        let (module, log) = self.context.alive(self.device, &key.digest().0)?;
        if keeps_no_state(self.image) {
            return Some(Code { module, log, kernels: Vec::new(), origin: Origin::Shared });
        }
        let _call = process::use_driver_compilers().ok()?;
        let kernels = self.described(&*module).ok()?;
        let image = self.image.in_format(ImageFormat::Native, module.binary().ok()?);
        let again = self.context.load_image(self.device, &image, self.flags).ok()?;
        let alike = sorted(again.kernel_names()) == sorted(module.kernel_names());
        alike.then_some(Code { module: again, log, kernels, origin: Origin::Binary })
    }

    fn described(&self, module: &dyn Module) -> Result<Vec<KernelInfo>> {
        self.describe.map_or_else(|| Ok(Vec::new()), |describe| describe(module))
    }

    fn compile(&self) -> Result<Code> {
        let module = self.context.load_image(self.device, self.image, self.flags)?;
        let kernels = self.described(&*module)?;
        let log = module.build_log().into();
        Ok(Code { module, log, kernels, origin: Origin::Compiled })
    }

    fn through(&self, store: &Store, key: &Key) -> Result<Code> {
        let counters = &statistics().native;
        let mut claim = None;
        let mut look = self.look(store, key);
        if let Look::Nothing = look {
            let begin = Instant::now();
            claim = Some(store.claim(Tier::Native, key, &mut || begin.elapsed() < PATIENCE));
            look = self.look(store, key);
        }
        if let Look::Found(code) = look {
            counters.hits.add();
            return Ok(code);
        }
        counters.misses.add();
        let code = self.compile()?;
        match entry_of(&code) {
            Ok(entry) if store.put(Tier::Native, key, &entry) => counters.stores.add(),
            Ok(_) => {}
            Err(error) => log::debug!("no native binary is kept for \"{}\": {error}", self.device.name()),
        }
        drop(claim);
        Ok(code)
    }

    /// What the store has, if the driver takes it.
    fn look(&self, store: &Store, key: &Key) -> Look {
        let Some(bytes) = store.get(Tier::Native, key) else { return Look::Nothing };
        let unusable = |reason: &dyn fmt::Display| {
            log::info!("the native binary {key} is not used, and the driver compiles the image: {reason}");
            Look::Unusable
        };
        let entry: Entry<'_> = match postcard::from_bytes(&bytes) {
            Ok(entry) => entry,
            Err(error) => return unusable(&error),
        };
        let image = self.image.in_format(ImageFormat::Native, entry.binary);
        match self.context.load_image(self.device, &image, self.flags) {
            Ok(module) if sorted(module.kernel_names()) == entry.names => {
                Look::Found(Code { module, log: entry.log.into(), kernels: entry.kernels, origin: Origin::Binary })
            }
            Ok(_) => unusable(&"it has other kernels than it should"),
            Err(error) => unusable(&error),
        }
    }

    /// All that shapes a driver's result.
    fn key(&self) -> Result<Key> {
        let image = digest_of(&self.image.bytes);
        let mut key = KeyBuilder::new("syclrtc 1 native binary", image);
        let text = |info| match self.device.info(info)? {
            InfoValue::Text(text) => Ok(text),
            other => Err(Error::internal(format!("the driver's answer is no text: {other:?}"))),
        };
        let part = key.part("device");
        part.text("platform", self.device.platform().info(PlatformInfo::Name));
        part.text("name", &text(DeviceInfo::Name)?).text("version", &text(DeviceInfo::Version)?);
        part.text("driver", &text(DeviceInfo::DriverVersion)?);
        if self.device.device_type() == DeviceType::Cpu {
            // Names of processors do not tell all: a virtual machine may hide instructions.
            part.texts("instructions", processor_features());
        }
        let format = match self.image.format {
            ImageFormat::Spirv => "spirv",
            ImageFormat::OpenClC => "opencl c",
            ImageFormat::Native => "native",
        };
        key.part("image")
            .text("format", format)
            .bytes("digest", &image.0)
            .number("described", self.describe.is_some().into());
        key.part("flags").text("flags", self.flags);
        Ok(key.finish())
    }
}

/// What a look into the store gave.
enum Look {
    Found(Code),
    Nothing,
    /// Something that has to be replaced.
    Unusable,
}

/// Content of an entry.
#[derive(Serialize, Deserialize)]
struct Entry<'a> {
    /// What the driver said.
    log: &'a str,
    /// Entry points of the module, as the driver tells them.
    names: Vec<String>,
    kernels: Vec<KernelInfo>,
    #[serde(borrow, with = "serde_bytes")]
    binary: &'a [u8],
}

fn entry_of(code: &Code) -> Result<Vec<u8>> {
    let _call = process::use_drivers()?;
    let binary = code.module.binary()?;
    let names = sorted(code.module.kernel_names());
    let entry = Entry { log: &code.log, names, kernels: code.kernels.clone(), binary: &binary };
    postcard::to_stdvec(&entry).map_err(|error| Error::internal(format!("an entry was not encoded: {error}")))
}

fn sorted(names: &[String]) -> Vec<String> {
    let mut names = names.to_vec();
    names.sort_unstable();
    names
}

/// Whether programs made from the image can be one: there is no variable that a kernel could leave a value in.
fn keeps_no_state(image: &DeviceImage) -> bool {
    image.format == ImageFormat::Spirv && spirv::has_no_variables(&image.bytes)
}

/// Whether the driver compiles nothing but the bytes of the image. A text may have it read files, or ask for the time.
fn is_all(image: &DeviceImage) -> bool {
    if image.format != ImageFormat::OpenClC {
        return true;
    }
    // A backslash at the end of a line, with blanks in between or without, joins the halves of a word.
    let text: Vec<u8> =
        image.bytes.iter().copied().filter(|byte| *byte != b'\\' && !byte.is_ascii_whitespace()).collect();
    let has = |word: &str| text.windows(word.len()).any(|window| window == word.as_bytes());
    !["include", "import", "embed", "__DATE__", "__TIME"].into_iter().any(has)
}

/// Instructions that compilers in drivers choose by the processor that they run on.
fn processor_features() -> Vec<&'static str> {
    macro_rules! features {
        ($($name:tt),*) => {
            [$((std::arch::is_x86_feature_detected!($name), $name)),*]
        };
    }
    #[cfg(target_arch = "x86_64")]
    let known = features!(
        "sse4.2",
        "avx",
        "avx2",
        "fma",
        "bmi2",
        "f16c",
        "avx512f",
        "avx512bw",
        "avx512cd",
        "avx512dq",
        "avx512vl",
        "avx512vnni",
        "avx512bf16",
        "avx512fp16"
    );
    #[cfg(not(target_arch = "x86_64"))]
    let known: [(bool, &'static str); 0] = [];
    known.into_iter().filter(|(has, _)| *has).map(|(_, name)| name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> DeviceImage {
        DeviceImage { format: ImageFormat::OpenClC, bytes: text.as_bytes().into(), kernels: [].into() }
    }

    // D-01
    #[test]
    fn a_text_that_reads_files_or_the_time_is_not_kept() {
        assert!(is_all(&text("#define A 1\nkernel void k(global int *p) { *p = A; }")));
        for other in [
            "#include \"a.h\"",
            "# \\\nin\\ \nclude <a.h>",
            "int t = __TIME__[0];",
            "__DATE__",
            "#if __has_include(<a>)",
        ] {
            assert!(!is_all(&text(other)), "{other}");
        }
    }
}
