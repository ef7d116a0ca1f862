// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#![forbid(unsafe_code)]
//! Platforms, devices, contexts, queues, events and USM, independent of the back end.
//!
//! Objects are shared by `Arc`; the same driver object is always the same `Arc`, so pointers can be compared. This
//! layer checks what belongs to the objects themselves (is the device in the context, has it the feature). Whether
//! arguments and ranges fit a kernel is checked by `bundle`.
//!
//! The registry is built at the first use and lives as long as the process, so that objects can be used from
//! destructors of static objects. When such a destructor runs after the drivers have taken themselves down, waiting and
//! freeing succeed and do nothing, and everything else fails. A child made by `fork` cannot use drivers that were in use
//! before, whose threads it lacks: calls fail there, and objects let go of nothing.

mod context;
mod device;
mod event;
mod modules;
mod platform;
mod queue;
mod registry;
pub mod selector;

pub use context::Context;
pub use device::Device;
pub use event::Event;
pub use platform::Platform;
pub use queue::Queue;
pub use registry::{discovery_report, platforms};
