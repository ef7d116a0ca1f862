// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#![forbid(unsafe_code)]
//! Where the compiler program is.

use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

use super::CompileError;

/// File name of the compiler program.
const PROGRAM: &str = "syclrtc-compiler";

/// A place where the compiler program was looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tried {
    /// Where.
    pub path: PathBuf,
    /// Why it is not there or not usable.
    pub reason: String,
}

/// Finds the program: the path the user chose and nothing else, or the first that exists in the places beside the
/// library at `library`.
pub(super) fn find(chosen: Option<&Path>, library: Option<&Path>) -> Result<PathBuf, CompileError> {
    let candidates = match chosen {
        Some(path) => vec![path.to_owned()],
        None => library.map(beside).unwrap_or_default(),
    };
    let mut tried = Vec::new();
    for path in candidates {
        match check(&path) {
            Ok(()) => return Ok(path),
            Err(reason) => tried.push(Tried { path, reason }),
        }
    }
    Err(CompileError::NotFound(tried.into()))
}

/// Places beside the library: the installed tree first, then a build tree, whose test programs lie one folder deeper.
/// A library loaded through a symbolic link is looked for at both ends of the link.
fn beside(library: &Path) -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> = Vec::new();
    let ends = [Some(library.to_owned()), fs::canonicalize(library).ok()];
    for folder in ends.iter().flatten().filter_map(|end| end.parent()) {
        if !folders.iter().any(|known| known == folder) {
            folders.push(folder.to_owned());
        }
    }
    let mut candidates = Vec::new();
    for folder in folders {
        candidates.push(folder.join("syclrtc").join(PROGRAM));
        candidates.push(folder.join(PROGRAM));
        if folder.ends_with("deps")
            && let Some(parent) = folder.parent()
        {
            candidates.push(parent.join(PROGRAM));
        }
    }
    candidates
}

fn check(path: &Path) -> Result<(), String> {
    let data = fs::metadata(path).map_err(|e| e.to_string())?;
    if !data.is_file() {
        return Err("not a regular file".into());
    }
    if data.permissions().mode() & 0o111 == 0 {
        return Err("not executable".into());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("syclrtc-locate-{}-{name}", std::process::id()));
        drop(fs::remove_dir_all(&folder));
        fs::create_dir_all(folder.join("syclrtc")).unwrap();
        folder
    }

    fn program(path: &Path, mode: u32) {
        fs::write(path, "").unwrap();
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }

    #[test]
    fn the_installed_place_comes_before_the_build_tree() {
        let lib = folder("order ü");
        program(&lib.join(PROGRAM), 0o755);
        assert_eq!(find(None, Some(&lib.join("libsyclrtc.so"))).unwrap(), lib.join(PROGRAM));
        program(&lib.join("syclrtc").join(PROGRAM), 0o755);
        assert_eq!(find(None, Some(&lib.join("libsyclrtc.so"))).unwrap(), lib.join("syclrtc").join(PROGRAM));
        fs::remove_dir_all(lib).unwrap();
    }

    #[test]
    fn every_place_is_listed_with_its_reason() {
        let lib = folder("reasons");
        program(&lib.join(PROGRAM), 0o644);
        let error = find(None, Some(&lib.join("libsyclrtc.so"))).unwrap_err();
        let text = error.to_string();
        assert!(text.contains("No such file"), "{text}");
        assert!(text.contains("not executable"), "{text}");
        let chosen = find(Some(&lib), Some(&lib.join("libsyclrtc.so"))).unwrap_err().to_string();
        assert!(chosen.contains("not a regular file") && chosen.matches('\t').count() == 1, "{chosen}");
        fs::remove_dir_all(lib).unwrap();
    }

    #[test]
    fn a_link_to_the_library_is_followed() {
        let lib = folder("link");
        let other = folder("link-elsewhere");
        program(&lib.join("libsyclrtc.so.0.1.0"), 0o644);
        program(&lib.join(PROGRAM), 0o755);
        std::os::unix::fs::symlink(lib.join("libsyclrtc.so.0.1.0"), other.join("libsyclrtc.so")).unwrap();
        let found = find(None, Some(&other.join("libsyclrtc.so"))).unwrap();
        assert_eq!(found, fs::canonicalize(lib.join(PROGRAM)).unwrap());
        fs::remove_dir_all(lib).unwrap();
        fs::remove_dir_all(other).unwrap();
    }

    #[test]
    fn a_test_program_finds_the_folder_above() {
        let target = folder("target");
        fs::create_dir(target.join("deps")).unwrap();
        program(&target.join(PROGRAM), 0o755);
        assert_eq!(find(None, Some(&target.join("deps/test-1234"))).unwrap(), target.join(PROGRAM));
        fs::remove_dir_all(target).unwrap();
    }
}
