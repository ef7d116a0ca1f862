// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! What a driver interface has to offer.
//!
//! The traits are object safe; back ends are chosen at run time. A back end does what it is told: whether a device
//! belongs to a context, whether arguments fit a kernel or a range fits a device has been checked above. It reports
//! what the caller could not foresee: what the driver says.
//!
//! Objects given to a back end (`&dyn Device`, `&dyn Kernel`, …) are its own; another back end's are a fault of the
//! caller and panic.

mod address;
mod info;
pub mod opencl;

use std::any::Any;
use std::ffi::c_void;
use std::fmt::Debug;
use std::sync::Arc;

pub use address::Address;
pub use info::{
    ArgumentInfo, ArgumentSpace, Aspect, BackendKind, Capabilities, ClVersion, DeviceInfo, DeviceType, EventStatus,
    InfoValue, KernelDeviceInfo, OpenClCSupport, PlatformInfo, ProfilingPoint, SpirvSupport, UsmKind,
};

use crate::error::Result;
use crate::image::DeviceImage;

/// Outcome of [`Backend::discover`].
#[derive(Debug, Default)]
pub struct Discovery {
    /// Platforms in the driver's order, each with at least one device.
    pub platforms: Vec<Arc<dyn Platform>>,
    /// What was looked for and what was answered, one line each.
    pub report: Vec<String>,
}

/// A driver interface.
pub trait Backend: Send + Sync + Debug {
    /// Which one.
    fn kind(&self) -> BackendKind;

    /// Looks for the loader and its platforms. Never fails: what is missing or broken goes into the report.
    fn discover(&self) -> Discovery;
}

/// Devices of one driver.
pub trait Platform: Any + Send + Sync + Debug {
    /// The back end that it belongs to.
    fn backend(&self) -> BackendKind;

    /// Text about it.
    fn info(&self, param: PlatformInfo) -> &str;

    /// Its devices in the driver's order; always the same objects.
    fn devices(&self) -> &[Arc<dyn Device>];

    /// A context for devices of this platform, at least one, none twice.
    ///
    /// # Errors
    /// What the driver says.
    fn create_context(&self, devices: &[&dyn Device]) -> Result<Arc<dyn Context>>;
}

/// A device.
pub trait Device: Any + Send + Sync + Debug {
    /// Kind of the device.
    fn device_type(&self) -> DeviceType;

    /// Answers a question in the shape that [`DeviceInfo`] says.
    ///
    /// # Errors
    /// What the driver says.
    fn info(&self, param: DeviceInfo) -> Result<InfoValue>;

    /// Whether it has an optional feature.
    fn has(&self, aspect: Aspect) -> bool;

    /// What code it takes.
    fn capabilities(&self) -> &Capabilities;
}

/// Properties of a queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct QueueFlags {
    /// Commands run one after the other, in the order of submission.
    pub in_order: bool,
    /// Events tell their times.
    pub profiling: bool,
}

/// Kind and place of a USM allocation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UsmRequest {
    /// [`UsmKind::Host`], [`UsmKind::Device`] or [`UsmKind::Shared`].
    pub kind: UsmKind,
    /// Bytes, not 0.
    pub bytes: usize,
    /// A power of two in bytes, or 0 for the driver's default.
    pub alignment: usize,
}

/// What is known about a pointer.
#[derive(Debug, Clone)]
pub struct UsmPointer {
    /// Kind of the allocation that it points into.
    pub kind: UsmKind,
    /// The device of device and (if it has one) shared allocations, as an index into the devices of the context.
    pub device: Option<usize>,
}

/// A set of devices that share memory objects and code.
pub trait Context: Any + Send + Sync + Debug {
    /// A queue for a device of the context.
    ///
    /// # Errors
    /// What the driver says.
    fn create_queue(&self, device: &dyn Device, flags: QueueFlags) -> Result<Arc<dyn Queue>>;

    /// Makes the code of an image usable on one device of the context.
    ///
    /// # Errors
    /// [`Errc::Build`](crate::error::Errc::Build) with the driver's log when it refuses the image or the flags;
    /// [`Errc::Invalid`](crate::error::Errc::Invalid) if it calls the flags invalid for a source in OpenCL C;
    /// [`Errc::FeatureNotSupported`](crate::error::Errc::FeatureNotSupported) for a native image that is not for this
    /// device and driver.
    fn load_image(&self, device: &dyn Device, image: &DeviceImage, build_flags: &str) -> Result<Arc<dyn Module>>;

    /// Allocates USM; `device` is given for device and shared allocations. `None` when there is not enough memory or
    /// the alignment is not supported.
    ///
    /// # Errors
    /// What the driver says otherwise.
    fn usm_allocate(&self, device: Option<&dyn Device>, request: UsmRequest) -> Result<Option<Address>>;

    /// Frees an allocation of this context. Waits for nothing.
    ///
    /// # Errors
    /// [`Errc::Invalid`](crate::error::Errc::Invalid) if it is not the start of an allocation of the context, as far
    /// as the driver tells.
    fn usm_free(&self, pointer: Address) -> Result<()>;

    /// Looks an address up, which may point inside an allocation.
    ///
    /// # Errors
    /// What the driver says.
    fn usm_query(&self, pointer: *const c_void) -> Result<UsmPointer>;
}

/// A fill: `count` times the pattern.
#[derive(Debug, Clone, Copy)]
pub struct Fill<'a> {
    /// Where it goes.
    pub destination: Address,
    /// The bytes of one element, at least one.
    pub pattern: &'a [u8],
    /// Number of elements, not 0.
    pub count: usize,
}

/// Index space of a launch, in SYCL order: the last dimension varies fastest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LaunchRange {
    /// 1 to 3; only that many elements of the arrays count.
    pub dimensions: usize,
    /// Work-items, none of them 0.
    pub global: [usize; 3],
    /// Work-items of a work-group; `None` lets the driver choose.
    pub local: Option<[usize; 3]>,
    /// Offset of the global ids.
    pub offset: [usize; 3],
}

/// One kernel argument.
#[derive(Debug, Clone, Copy)]
pub enum Argument<'a> {
    /// Bytes of a scalar or an object.
    Value(&'a [u8]),
    /// A USM pointer, or null.
    Pointer(Address),
    /// That many bytes of local memory, not 0.
    Local(usize),
}

/// A kernel launch that has been checked.
#[derive(Debug, Clone, Copy)]
pub struct Launch<'a> {
    /// The kernel; built for the device of the queue.
    pub kernel: &'a dyn Kernel,
    /// How often it runs.
    pub range: &'a LaunchRange,
    /// All arguments in order.
    pub arguments: &'a [Argument<'a>],
}

/// A queue. Dependencies (`deps`) are events of the same context.
///
/// Commands are started without a further call. Each returns the event of its completion.
pub trait Queue: Any + Send + Sync + Debug {
    /// Waits until all commands have completed.
    ///
    /// # Errors
    /// What the driver says.
    fn wait(&self) -> Result<()>;

    /// Copies bytes, not 0, between host memory and USM.
    ///
    /// # Errors
    /// What the driver says.
    fn memcpy(
        &self,
        destination: Address,
        source: Address,
        bytes: usize,
        deps: &[&dyn Event],
    ) -> Result<Arc<dyn Event>>;

    /// Fills USM.
    ///
    /// # Errors
    /// What the driver says.
    fn fill(&self, fill: Fill<'_>, deps: &[&dyn Event]) -> Result<Arc<dyn Event>>;

    /// Completes when `deps` have completed, or all earlier commands if there are none; later commands wait for it.
    ///
    /// # Errors
    /// What the driver says.
    fn barrier(&self, deps: &[&dyn Event]) -> Result<Arc<dyn Event>>;

    /// A command that does nothing once `deps` have completed (on an in-order queue: in its turn). Later commands of
    /// an out-of-order queue do not wait for it.
    ///
    /// # Errors
    /// What the driver says.
    fn marker(&self, deps: &[&dyn Event]) -> Result<Arc<dyn Event>>;

    /// Launches a kernel.
    ///
    /// # Errors
    /// [`Errc::Kernel`](crate::error::Errc::Kernel) if the driver refuses.
    fn launch(&self, launch: Launch<'_>, deps: &[&dyn Event]) -> Result<Arc<dyn Event>>;
}

/// Completion of a command.
pub trait Event: Any + Send + Sync + Debug {
    /// Waits for it.
    ///
    /// # Errors
    /// The command failed.
    fn wait(&self) -> Result<()>;

    /// How far it is.
    ///
    /// # Errors
    /// What the driver says.
    fn status(&self) -> Result<EventStatus>;

    /// Nanoseconds on the device's clock. Only for queues with [`QueueFlags::profiling`], after the command completed
    /// (for [`ProfilingPoint::Submit`]: at any time).
    ///
    /// # Errors
    /// What the driver says.
    fn profiling(&self, point: ProfilingPoint) -> Result<u64>;
}

/// Code that was loaded for one device of a context.
pub trait Module: Any + Send + Sync + Debug {
    /// Names of the entry points, as the driver tells them.
    fn kernel_names(&self) -> &[String];

    /// The kernel with this entry point; a new object for each call.
    ///
    /// # Errors
    /// [`Errc::Invalid`](crate::error::Errc::Invalid) if there is none.
    fn kernel(&self, name: &str) -> Result<Arc<dyn Kernel>>;

    /// What the driver said while building; often empty.
    fn build_log(&self) -> &str;

    /// The code as [`ImageFormat::Native`](crate::image::ImageFormat::Native), which can be loaded without a compile.
    ///
    /// # Errors
    /// What the driver says.
    fn binary(&self) -> Result<Vec<u8>>;

    /// The arguments of a kernel of a program in OpenCL C.
    ///
    /// # Errors
    /// [`Errc::Invalid`](crate::error::Errc::Invalid) if there is no such kernel; what the driver says, which may have
    /// no description.
    fn arguments(&self, kernel: &str) -> Result<Vec<ArgumentInfo>>;
}

/// A kernel on one device. Launches from several threads do not disturb each other.
pub trait Kernel: Any + Send + Sync + Debug {
    /// Number of arguments.
    fn argument_count(&self) -> u32;

    /// Its limits and needs.
    fn device_info(&self) -> &KernelDeviceInfo;
}
