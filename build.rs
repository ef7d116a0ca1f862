// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Gives the shared library its SONAME.
//!
//! Which symbols it exports is settled by rustc: it hands the linker a list of the `no_mangle` functions and hides the
//! rest, the C++ of SPIRV-Tools included. The linkers take no second list with version nodes beside that one (GNU ld
//! refuses it, lld lets the first one win), so the committed list, `exports.txt`, is compared with the finished library
//! by a test instead.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let major = std::env::var("CARGO_PKG_VERSION_MAJOR").expect("cargo sets it");
    println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libsyclrtc.so.{major}");
}
