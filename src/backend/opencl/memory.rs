// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#![forbid(unsafe_code)]
//! The two memory interfaces of OpenCL behind one trait, and fills with patterns of any size.

use std::ffi::c_void;
use std::fmt::Debug;

use opencl3::device::Device as ClDevice;

use super::sys::{self, ClResult, OwnedEvent, OwnedKernel, OwnedQueue, WaitList};
use crate::backend::{Address, Fill, UsmPointer, UsmRequest};
use crate::error::{Error, Result};

/// How memory is shared between host and devices of a context.
pub trait MemoryInterface: Send + Sync + Debug {
    /// As [`Context::usm_allocate`](crate::backend::Context::usm_allocate).
    fn allocate(&self, device: Option<ClDevice>, request: UsmRequest) -> Result<Option<Address>>;

    /// As [`Context::usm_free`](crate::backend::Context::usm_free).
    fn free(&self, pointer: Address) -> Result<()>;

    /// As [`Context::usm_query`](crate::backend::Context::usm_query).
    fn query(&self, pointer: *const c_void) -> Result<UsmPointer>;

    /// Lets a new kernel follow pointers that it finds in memory.
    fn prepare(&self, kernel: &mut OwnedKernel);

    /// The same once more, where the driver wants a list of allocations: `known` is the state that the kernel was
    /// last told, 0 in the beginning.
    fn before_launch(&self, _kernel: &mut OwnedKernel, _known: &mut u64) -> ClResult<()> {
        Ok(())
    }

    /// Sets a pointer argument.
    fn set_pointer(&self, kernel: &mut OwnedKernel, index: u32, pointer: Address) -> ClResult<()>;

    /// Copies bytes, not 0.
    fn copy(
        &self,
        queue: &OwnedQueue,
        destination: Address,
        source: Address,
        bytes: usize,
        wait: &WaitList<'_>,
    ) -> ClResult<OwnedEvent>;

    /// Fills with a pattern of 1, 2, 4, … 128 bytes to which the destination is aligned.
    fn fill(
        &self,
        queue: &OwnedQueue,
        destination: Address,
        pattern: &[u8],
        bytes: usize,
        wait: &WaitList<'_>,
    ) -> ClResult<OwnedEvent>;
}

/// For devices that share no memory with the host.
#[derive(Debug)]
pub struct NoSharedMemory;

const NO_MEMORY: &str = "the device has neither cl_intel_unified_shared_memory nor shared virtual memory";

impl MemoryInterface for NoSharedMemory {
    fn allocate(&self, _device: Option<ClDevice>, _request: UsmRequest) -> Result<Option<Address>> {
        Err(Error::feature_not_supported(NO_MEMORY))
    }

    fn free(&self, pointer: Address) -> Result<()> {
        Err(Error::invalid(format!("{:p} is not a USM allocation of this context: {NO_MEMORY}", pointer.pointer())))
    }

    fn query(&self, _pointer: *const c_void) -> Result<UsmPointer> {
        Ok(UsmPointer { kind: crate::backend::UsmKind::Unknown, device: None })
    }

    fn prepare(&self, _kernel: &mut OwnedKernel) {}

    fn set_pointer(&self, _kernel: &mut OwnedKernel, _index: u32, _pointer: Address) -> ClResult<()> {
        Err(cl3::error_codes::CL_INVALID_OPERATION)
    }

    fn copy(
        &self,
        _queue: &OwnedQueue,
        _destination: Address,
        _source: Address,
        _bytes: usize,
        _wait: &WaitList<'_>,
    ) -> ClResult<OwnedEvent> {
        Err(cl3::error_codes::CL_INVALID_OPERATION)
    }

    fn fill(
        &self,
        _queue: &OwnedQueue,
        _destination: Address,
        _pattern: &[u8],
        _bytes: usize,
        _wait: &WaitList<'_>,
    ) -> ClResult<OwnedEvent> {
        Err(cl3::error_codes::CL_INVALID_OPERATION)
    }
}

/// Largest pattern that OpenCL fills with, bytes.
const MAX_PATTERN: usize = 128;

/// Host memory that is copied for other patterns, bytes: enough to make the number of copies small.
const STAGING: usize = 64 * 1024;

/// Fills with a pattern of any size at any address.
///
/// OpenCL takes only powers of two up to 128 to which the address is aligned. For the rest, a piece is laid out on the
/// host and copied, and then what has been written is copied to what follows, twice as much each time.
pub fn fill(
    memory: &dyn MemoryInterface,
    queue: &OwnedQueue,
    fill: &Fill<'_>,
    wait: &WaitList<'_>,
) -> ClResult<OwnedEvent> {
    let pattern = &fill.pattern[..shortest_period(fill.pattern)];
    let bytes = fill.pattern.len() * fill.count;
    let address = fill.destination.pointer().addr();
    if pattern.len().is_power_of_two() && pattern.len() <= MAX_PATTERN && address.is_multiple_of(pattern.len()) {
        return memory.fill(queue, fill.destination, pattern, bytes, wait);
    }

    let piece = (STAGING / pattern.len()).max(1).saturating_mul(pattern.len()).min(bytes);
    let staging = pattern.repeat(piece / pattern.len());
    let mut event = memory.copy(queue, fill.destination, Address::of_bytes(&staging), piece, wait)?;
    sys::keep_until_complete(&event, staging);
    let mut done = piece;
    while done < bytes {
        let next = done.min(bytes - done);
        let after = WaitList::new(std::iter::once(&event));
        event = memory.copy(queue, fill.destination.offset(done), fill.destination, next, &after)?;
        done += next;
    }
    Ok(event)
}

/// Length of the shortest piece that, repeated, gives the pattern.
fn shortest_period(pattern: &[u8]) -> usize {
    let length = pattern.len();
    (1..length)
        .filter(|period| length.is_multiple_of(*period))
        .find(|period| pattern[*period..] == pattern[..length - period])
        .unwrap_or(length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_reduced_to_their_period() {
        let rows: &[(&[u8], usize)] = &[
            (&[7], 1),
            (&[0, 0, 0], 1),
            (&[1, 2, 1, 2, 1, 2], 2),
            (&[1, 2, 3], 3),
            (&[1, 2, 1], 3),
            (&[1, 2, 3, 1, 2, 3], 3),
            (&[1, 1, 2, 1, 1, 2, 1, 1], 8),
            (&[0, 0, 0, 1], 4),
        ];
        for (pattern, period) in rows {
            assert_eq!(shortest_period(pattern), *period, "{pattern:?}");
        }
    }
}
