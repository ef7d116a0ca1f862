// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Memory addresses on their way to a driver.
//!
//! Unsafe, so that the rest need not be: the promise about the memory is made once, where a pointer comes in.

use std::ffi::c_void;

/// An address that commands may read or write.
///
/// Making one is where the caller vouches for the memory; from there on it is passed through safe code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Address(*mut c_void);

// SAFETY: the pointer is never followed on the host side except by commands, for which `Address::new` demands that
// the memory is valid from any thread until they have completed.
unsafe impl Send for Address {}
// SAFETY: as for `Send`; the value itself never changes.
unsafe impl Sync for Address {}

impl Address {
    /// The null address, good for empty transfers and as a kernel argument.
    pub const NULL: Self = Self(std::ptr::null_mut());

    /// Wraps a pointer.
    ///
    /// # Safety
    /// Until every command that is given this address has completed, the memory that the command touches must be
    /// valid for the accesses that it makes (USM of the queue's context or host memory), and nobody may access it
    /// in conflict with the command.
    #[must_use]
    pub const unsafe fn new(pointer: *mut c_void) -> Self {
        Self(pointer)
    }

    /// Start of memory that a driver has just allocated; what becomes of it is up to those who are given the pointer.
    pub(crate) const fn of_allocation(pointer: *mut c_void) -> Self {
        Self(pointer)
    }

    /// Memory to read from, which the caller keeps alive until the command has completed.
    pub(crate) const fn of_bytes(bytes: &[u8]) -> Self {
        Self(bytes.as_ptr().cast_mut().cast())
    }

    /// The address that many bytes further.
    pub(crate) const fn offset(self, bytes: usize) -> Self {
        Self(self.0.wrapping_byte_add(bytes))
    }

    /// The pointer.
    #[must_use]
    pub const fn pointer(self) -> *mut c_void {
        self.0
    }

    /// Whether it is null.
    #[must_use]
    pub const fn is_null(self) -> bool {
        self.0.is_null()
    }
}
