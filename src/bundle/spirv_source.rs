// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Language `spirv`: a module of the program's own.

use super::{build::detailed, language::Loaded};
use crate::{
    error::{Error, Result},
    image::DeviceImage,
    runtime::{Context, Device},
};

/// Options go to the driver, which knows what it takes.
pub(super) fn check_options(options: &[String]) -> Result<()> {
    match options.iter().find(|option| option.contains('\0')) {
        None => Ok(()),
        Some(option) => {
            let what = format!("option '{}' holds a NUL character", option.escape_debug());
            Err(Error::invalid(detailed("Parsing of user arguments failed", &what)))
        }
    }
}

/// Checks the module and loads it for one device.
pub(super) fn build(context: &Context, device: &Device, source: &[u8], options: &[String]) -> Result<Loaded> {
    check_options(options)?;
    let image = DeviceImage::spirv(source, []);
    let flags = options.join(" ");
    let module = context.load_image(device, &image, &flags)?;
    let log = module.build_log().to_owned();
    Ok(Loaded { module, image, flags, log })
}
