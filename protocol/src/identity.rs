// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Which build of a program a file is.

use std::{
    fs::File,
    io::{self, BufReader},
    path::Path,
};

use object::{Object, ReadCache, read::elf::ElfFile64};

/// A text that differs between two builds of a program: the linker's build id, in hexadecimal. A few pages of the file are
/// read.
///
/// # Errors
/// The file cannot be read, or is no ELF file with a build id.
pub fn program_identity(path: &Path) -> io::Result<String> {
    let cache = ReadCache::new(BufReader::new(File::open(path)?));
    let file = ElfFile64::<object::Endianness, _>::parse(&cache).map_err(io::Error::other)?;
    let id = file.build_id().map_err(io::Error::other)?;
    let id = id.ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "the program has no build id"))?;
    Ok(id.iter().map(|byte| format!("{byte:02x}")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_program_has_an_identity() {
        let id = program_identity(Path::new("/proc/self/exe")).unwrap();
        assert!(id.len() >= 16 && id.bytes().all(|byte| byte.is_ascii_hexdigit()), "{id}");
    }

    #[test]
    fn a_file_that_is_no_program_has_none() {
        assert!(program_identity(Path::new("/dev/null")).is_err());
        assert!(program_identity(Path::new("/nonexistent")).is_err());
    }
}
