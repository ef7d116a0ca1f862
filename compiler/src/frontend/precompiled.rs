// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Precompiled preambles as the front end gives and takes them.

use syclrtc_protocol::{Dependency, FileState};

use super::{Config, RawDependency, RawStamp, Text, read_dependencies, slice, with_config};

/// A preamble that was parsed before.
#[derive(Debug, Clone)]
pub struct Precompiled<'a> {
    /// clang's precompiled header.
    pub header: &'a [u8],
    /// What the front end has to know besides.
    pub notes: &'a [u8],
    /// What was looked at in the real file system, sorted by path.
    pub dependencies: Vec<Dependency>,
}

/// `fe_precompiled`
#[repr(C)]
pub(super) struct RawPrecompiled {
    header: Text,
    notes: Text,
    dependencies: *const RawDependency,
    dependency_count: usize,
}

unsafe extern "C" {
    fn fe_precompile(config: *const Config, result: *mut RawPrecompiled) -> bool;
    fn fe_read_ahead() -> bool;
}

/// Precompiles the preamble. For a process of its own, which ends when it has used the result. `None` if the headers do not
/// compile, say because the machine has no C++ headers.
pub fn precompile() -> Option<Precompiled<'static>> {
    let nothing = Text::of(&[]);
    let mut raw =
        RawPrecompiled { header: nothing, notes: nothing, dependencies: std::ptr::null(), dependency_count: 0 };
    // SAFETY: the configuration is valid for the call.
    let done = with_config(None, |config| unsafe { fe_precompile(config, &raw mut raw) });
    // SAFETY: on success the front end fills the struct, and what it points at lives until the process ends.
    done.then(|| unsafe {
        Precompiled {
            header: raw.header.bytes(),
            notes: raw.notes.bytes(),
            dependencies: read_dependencies(slice(raw.dependencies, raw.dependency_count)),
        }
    })
}

/// Does about a millisecond of work that otherwise each compile behind a precompiled preamble would do. False if nothing is
/// left. To be called within [`Driver::next`](super::Driver::next) by the process that waits.
pub fn read_ahead() -> bool {
    // SAFETY: called on the front end's thread, which stands at the checkpoint.
    unsafe { fe_read_ahead() }
}

/// A [`Precompiled`] in the shape of `fe_precompiled`, with what that points at.
pub(super) struct Rows {
    pub(super) raw: RawPrecompiled,
    _dependencies: Vec<RawDependency>,
    _names: Vec<Vec<Text>>,
}

impl Rows {
    /// Borrows from `precompiled`.
    pub(super) fn of(precompiled: &Precompiled<'_>) -> Self {
        let mut names = Vec::new();
        let dependencies: Vec<_> = precompiled.dependencies.iter().map(|entry| row(entry, &mut names)).collect();
        // The heap blocks pointed at do not move when their owners do.
        let raw = RawPrecompiled {
            header: Text::of(precompiled.header),
            notes: Text::of(precompiled.notes),
            dependencies: dependencies.as_ptr(),
            dependency_count: dependencies.len(),
        };
        Self { raw, _dependencies: dependencies, _names: names }
    }
}

fn row(dependency: &Dependency, lists: &mut Vec<Vec<Text>>) -> RawDependency {
    let mut row = RawDependency {
        path: Text::of(&dependency.path),
        state: 0,
        digest: [0; 32],
        has_stamp: false,
        stamp: RawStamp { device: 0, inode: 0, size: 0, modified: 0, changed: 0 },
        same_as: Text::of(&[]),
        names: std::ptr::null(),
        name_count: 0,
    };
    let mut stamp = &None;
    match &dependency.state {
        FileState::Missing => {}
        FileState::Present => row.state = 1,
        FileState::File { digest, stamp: of_file } => (row.state, row.digest, stamp) = (2, digest.0, of_file),
        FileState::Directory { same_as } => {
            row.state = 3;
            row.same_as = Text::of(same_as.as_deref().unwrap_or_default());
        }
        FileState::Without { names, stamp: of_directory } => {
            let texts: Vec<_> = names.iter().map(|name| Text::of(name)).collect();
            (row.state, row.names, row.name_count, stamp) = (4, texts.as_ptr(), texts.len(), of_directory);
            lists.push(texts);
        }
        FileState::Listing { digest, stamp: of_directory } => {
            (row.state, row.digest, stamp) = (5, digest.0, of_directory);
        }
    }
    if let Some(stamp) = stamp {
        row.has_stamp = true;
        row.stamp = RawStamp {
            device: stamp.device,
            inode: stamp.inode,
            size: stamp.size,
            modified: stamp.modified,
            changed: stamp.changed,
        };
    }
    row
}
