// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Handles: what C programs hold instead of objects. All casts between the two are here.
//!
//! A handle is the address of a `Cell`. Cells are never freed, only used again, and an address is looked up among the
//! known cells before anything behind it is read. So NULL, a stray pointer, a handle of another kind and a released
//! handle are found out without touching memory that is not ours. What cannot be found out is a released handle whose
//! cell already serves another object of the same kind; cells are used again in the order of their release to make that
//! rare. A handle released by one thread while another still uses it is the program's fault and stays undefined.
//!
//! Equal objects have equal handles: an object that can be handed out more than once is remembered with its cell.

use std::{
    cell::Cell as Local,
    collections::{HashMap, VecDeque},
    mem,
    ptr::{self, NonNull},
    sync::{
        Arc, LazyLock, OnceLock,
        atomic::{AtomicPtr, AtomicU32, AtomicUsize, Ordering},
    },
};

use parking_lot::Mutex;

use crate::{
    bundle::{Kernel, KernelBundle, PendingBuild},
    error::{Diagnostic, Error, Result},
    runtime::{Context, Device, Event, Platform, Queue},
};

/// What kind of object a cell holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub(super) enum Kind {
    Error = 1,
    Text,
    Platform,
    Device,
    Context,
    Queue,
    Event,
    KernelBundle,
    Kernel,
    Bytes,
    Diagnostics,
    PendingBuild,
}

impl Kind {
    const ALL: [Self; 12] = [
        Self::Error,
        Self::Text,
        Self::Platform,
        Self::Device,
        Self::Context,
        Self::Queue,
        Self::Event,
        Self::KernelBundle,
        Self::Kernel,
        Self::Bytes,
        Self::Diagnostics,
        Self::PendingBuild,
    ];

    fn name(number: u32) -> &'static str {
        match Self::ALL.into_iter().find(|kind| *kind as u32 == number) {
            Some(Self::Error) => "an error",
            Some(Self::Text) => "a text",
            Some(Self::Platform) => "a platform",
            Some(Self::Device) => "a device",
            Some(Self::Context) => "a context",
            Some(Self::Queue) => "a queue",
            Some(Self::Event) => "an event",
            Some(Self::KernelBundle) => "a kernel bundle",
            Some(Self::Kernel) => "a kernel",
            Some(Self::Bytes) => "some bytes",
            Some(Self::Diagnostics) => "a list of diagnostics",
            Some(Self::PendingBuild) => "a build in the background",
            None => "a released object",
        }
    }
}

/// Number of a cell that holds nothing.
const EMPTY: u32 = 0;

/// A type that C programs hold by handle.
///
/// `Send + Sync` is required here, so an object that could not be used from any thread cannot become a handle.
pub(super) trait Object: Send + Sync + 'static {
    /// The opaque type in the C header.
    type Handle;
    /// Tag of its cells.
    const KIND: Kind;
    /// Whether the same object can be handed out twice.
    const SHARED: bool;
}

/// Declares the opaque type of a handle and ties it to the object.
macro_rules! handles {
    ($($(#[$doc:meta])* $handle:ident = $object:ty, $kind:ident, shared: $shared:literal;)*) => {
        $(
            impl Object for $object {
                type Handle = $handle;
                const KIND: Kind = Kind::$kind;
                const SHARED: bool = $shared;
            }
        )*
    };
}

// cbindgen reads the source and expands no macros, so the opaque types stand here in full.

/// An error: code, message and, for builds, the log. Released with `syclrtc_error_release`.
#[expect(non_camel_case_types, reason = "name in the C header")]
pub struct syclrtc_error_t {
    _opaque: [u8; 0],
}

/// A text that the library made. Released with `syclrtc_text_release`.
#[expect(non_camel_case_types, reason = "name in the C header")]
pub struct syclrtc_text_t {
    _opaque: [u8; 0],
}

/// Bytes that the library made. Released with `syclrtc_bytes_release`.
#[expect(non_camel_case_types, reason = "name in the C header")]
pub struct syclrtc_bytes_t {
    _opaque: [u8; 0],
}

/// What a compiler had to say, as data. Released with `syclrtc_diagnostics_release`.
#[expect(non_camel_case_types, reason = "name in the C header")]
pub struct syclrtc_diagnostics_t {
    _opaque: [u8; 0],
}

/// The devices of one driver.
#[expect(non_camel_case_types, reason = "name in the C header")]
pub struct syclrtc_platform_t {
    _opaque: [u8; 0],
}

/// A device.
#[expect(non_camel_case_types, reason = "name in the C header")]
pub struct syclrtc_device_t {
    _opaque: [u8; 0],
}

/// Devices of one platform that share memory and code.
#[expect(non_camel_case_types, reason = "name in the C header")]
pub struct syclrtc_context_t {
    _opaque: [u8; 0],
}

/// Takes commands for one device.
#[expect(non_camel_case_types, reason = "name in the C header")]
pub struct syclrtc_queue_t {
    _opaque: [u8; 0],
}

/// Completion of a command.
#[expect(non_camel_case_types, reason = "name in the C header")]
pub struct syclrtc_event_t {
    _opaque: [u8; 0],
}

/// A source, what was compiled from one, or the kernels that were built from it.
#[expect(non_camel_case_types, reason = "name in the C header")]
pub struct syclrtc_kernel_bundle_t {
    _opaque: [u8; 0],
}

/// A kernel of an executable bundle.
#[expect(non_camel_case_types, reason = "name in the C header")]
pub struct syclrtc_kernel_t {
    _opaque: [u8; 0],
}

/// A build that runs in the background, or has run.
#[expect(non_camel_case_types, reason = "name in the C header")]
pub struct syclrtc_pending_build_t {
    _opaque: [u8; 0],
}

/// Text behind a `syclrtc_text_t`.
pub(super) struct Text(pub(super) String);

/// Bytes behind a `syclrtc_bytes_t`.
pub(super) struct Bytes(pub(super) Vec<u8>);

/// List behind a `syclrtc_diagnostics_t`.
pub(super) struct Diagnostics(pub(super) Vec<Diagnostic>);

handles! {
    syclrtc_error_t = Error, Error, shared: false;
    syclrtc_text_t = Text, Text, shared: false;
    syclrtc_bytes_t = Bytes, Bytes, shared: false;
    syclrtc_diagnostics_t = Diagnostics, Diagnostics, shared: false;
    syclrtc_platform_t = Platform, Platform, shared: true;
    syclrtc_device_t = Device, Device, shared: true;
    syclrtc_context_t = Context, Context, shared: true;
    syclrtc_queue_t = Queue, Queue, shared: true;
    syclrtc_event_t = Event, Event, shared: true;
    syclrtc_kernel_bundle_t = KernelBundle, KernelBundle, shared: true;
    syclrtc_kernel_t = Kernel, Kernel, shared: true;
    syclrtc_pending_build_t = PendingBuild, PendingBuild, shared: false;
}

/// Memory behind a handle.
struct Cell {
    /// A [`Kind`] or [`EMPTY`].
    kind: AtomicU32,
    /// References that C programs hold; 0 with [`EMPTY`].
    references: AtomicUsize,
    /// From `Arc::into_raw` of the type that belongs to `kind`.
    object: AtomicPtr<()>,
}

impl Cell {
    const fn new() -> Self {
        Self { kind: AtomicU32::new(EMPTY), references: AtomicUsize::new(0), object: AtomicPtr::new(ptr::null_mut()) }
    }

    /// One more reference, unless there is none any more.
    fn retain(&self) -> bool {
        let more = |n: usize| (n > 0).then(|| n.checked_add(1)).flatten();
        self.references.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more).is_ok()
    }

    /// One reference less; whether it was the last.
    fn drop_reference(&self) -> bool {
        self.references.fetch_update(Ordering::AcqRel, Ordering::Relaxed, |n| n.checked_sub(1)) == Ok(1)
    }
}

/// Cells of the first chunk; each further chunk has twice as many as the one before.
const FIRST_CHUNK: usize = 512;
/// Enough chunks for more cells than fit into memory.
static CHUNKS: [OnceLock<Box<[Cell]>>; 32] = [const { OnceLock::new() }; 32];
/// Number of cells given out for the first time.
static USED: AtomicUsize = AtomicUsize::new(0);

/// The cell with this number; its chunk is made if it does not exist.
fn cell(number: usize) -> &'static Cell {
    let chunk = ((number / FIRST_CHUNK) + 1).ilog2() as usize;
    let before = FIRST_CHUNK * ((1 << chunk) - 1);
    let cells = CHUNKS[chunk].get_or_init(|| (0..FIRST_CHUNK << chunk).map(|_| Cell::new()).collect());
    &cells[number - before]
}

/// The cell at this address, if there is one.
fn cell_at(address: usize) -> Option<&'static Cell> {
    for cells in CHUNKS.iter().map_while(OnceLock::get) {
        let start = cells.as_ptr() as usize;
        if let Some(offset) = address.checked_sub(start)
            && offset < mem::size_of_val::<[Cell]>(cells)
        {
            return (offset % size_of::<Cell>() == 0).then(|| &cells[offset / size_of::<Cell>()]);
        }
    }
    None
}

/// Free cells, oldest first, in several lists so that threads seldom meet.
const LISTS: usize = 16;
/// Cells released before one of them is used again, so that a stale handle is seen as such for a while.
const QUARANTINE: usize = 64;
static FREE: [Mutex<VecDeque<&'static Cell>>; LISTS] = [const { Mutex::new(VecDeque::new()) }; LISTS];

fn own_list() -> usize {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    thread_local! {
        static LIST: Local<usize> = const { Local::new(usize::MAX) };
    }
    LIST.with(|list| {
        if list.get() == usize::MAX {
            list.set(NEXT.fetch_add(1, Ordering::Relaxed) % LISTS);
        }
        list.get()
    })
}

fn take_free() -> &'static Cell {
    let own = own_list();
    // The lists of other threads too: one may only make handles that another one only releases.
    for list in 0..LISTS {
        if let Some(mut free) = FREE[(own + list) % LISTS].try_lock()
            && free.len() > QUARANTINE
            && let Some(cell) = free.pop_front()
        {
            return cell;
        }
    }
    cell(USED.fetch_add(1, Ordering::Relaxed))
}

/// Cells of shared objects by the object's address.
type Shared = Mutex<HashMap<usize, &'static Cell>>;
static SHARED: LazyLock<[Shared; LISTS]> = LazyLock::new(|| std::array::from_fn(|_| Mutex::default()));

fn shared_at(object: usize) -> &'static Shared {
    // Objects are at least 16 bytes apart; the bits above vary most.
    &SHARED[((object >> 4) ^ (object >> 9)) % LISTS]
}

/// A new reference to the object as a handle.
pub(super) fn export<T: Object>(object: Arc<T>) -> *mut T::Handle {
    let address = Arc::as_ptr(&object) as usize;
    if !T::SHARED {
        return handle::<T>(fill(object));
    }
    let mut known = shared_at(address).lock();
    // While the lock is held, a cell in the map has a reference left: the last one goes under the same lock.
    if let Some(cell) = known.get(&address)
        && cell.retain()
    {
        return handle::<T>(cell);
    }
    let cell = fill(object);
    known.insert(address, cell);
    handle::<T>(cell)
}

fn fill<T: Object>(object: Arc<T>) -> &'static Cell {
    let cell = take_free();
    cell.object.store(Arc::into_raw(object).cast_mut().cast(), Ordering::Relaxed);
    cell.references.store(1, Ordering::Relaxed);
    cell.kind.store(T::KIND as u32, Ordering::Release);
    cell
}

fn handle<T: Object>(cell: &'static Cell) -> *mut T::Handle {
    ptr::from_ref(cell).cast_mut().cast()
}

/// The cell of a handle; `name` is the parameter's, for the message.
fn find<T: Object>(handle: *const T::Handle, name: &str) -> Result<&'static Cell> {
    if handle.is_null() {
        return Err(Error::invalid(format!("`{name}` is NULL")));
    }
    let Some(cell) = cell_at(handle as usize) else {
        return Err(Error::invalid(format!("`{name}` is not a handle of this library")));
    };
    match cell.kind.load(Ordering::Acquire) {
        kind if kind == T::KIND as u32 => Ok(cell),
        EMPTY => Err(Error::invalid(format!("`{name}` is a handle that was released"))),
        other => {
            let (other, wanted) = (Kind::name(other), Kind::name(T::KIND as u32));
            Err(Error::invalid(format!("`{name}` is a handle of {other}, not of {wanted}")))
        }
    }
}

/// The object behind a handle, for the length of a call.
///
/// # Safety
/// The reference that the handle stands for must not be released before the last use of the result.
///
/// # Errors
/// `invalid` if it is NULL or not a live handle of this kind.
pub(super) unsafe fn get<'a, T: Object>(handle: *const T::Handle, name: &str) -> Result<&'a T> {
    let object = find::<T>(handle, name)?.object.load(Ordering::Relaxed).cast::<T>();
    // SAFETY: a cell of kind `T::KIND` holds a pointer from `Arc::<T>::into_raw`, whose count it keeps until the last
    // reference is released, which the caller excludes.
    Ok(unsafe { &*object })
}

/// As [`get`], with a share in the object.
///
/// # Safety
/// As for [`get`], until this call returns.
///
/// # Errors
/// As for [`get`].
pub(super) unsafe fn share<T: Object>(handle: *const T::Handle, name: &str) -> Result<Arc<T>> {
    let object = find::<T>(handle, name)?.object.load(Ordering::Relaxed).cast_const().cast::<T>();
    // SAFETY: as in `get`: the pointer is from `Arc::<T>::into_raw`, and the cell keeps one count meanwhile.
    unsafe {
        Arc::increment_strong_count(object);
        Ok(Arc::from_raw(object))
    }
}

/// A new reference to what a handle stands for.
///
/// # Errors
/// `invalid` if it is NULL or not a live handle of this kind.
pub(super) fn clone<T: Object>(handle: *const T::Handle, name: &str) -> Result<*mut T::Handle> {
    let cell = find::<T>(handle, name)?;
    if cell.retain() {
        Ok(handle.cast_mut())
    } else {
        Err(Error::invalid(format!("`{name}` is a handle that was released")))
    }
}

/// Ends one reference. NULL is allowed.
///
/// # Errors
/// `invalid` if it is not a live handle of this kind; nothing has happened then.
pub(super) fn release<T: Object>(handle: *const T::Handle, name: &str) -> Result<()> {
    if handle.is_null() {
        return Ok(());
    }
    let cell = find::<T>(handle, name)?;
    let known = T::SHARED.then(|| shared_at(cell.object.load(Ordering::Relaxed) as usize).lock());
    if cell.drop_reference() {
        cell.kind.store(EMPTY, Ordering::Release);
        let object = cell.object.swap(ptr::null_mut(), Ordering::Acquire);
        if let Some(mut known) = known {
            known.remove(&(object as usize));
        }
        FREE[own_list()].lock().push_back(cell);
        if let Some(object) = NonNull::new(object.cast::<T>()) {
            // SAFETY: from `Arc::<T>::into_raw` as the cell's kind said; the swap makes this the only one to take it.
            drop(unsafe { Arc::from_raw(object.as_ptr()) });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(content: &str) -> *mut syclrtc_text_t {
        export(Arc::new(Text(content.into())))
    }

    fn read(handle: *const syclrtc_text_t) -> Result<String> {
        // SAFETY: each test keeps its handles to itself.
        unsafe { get::<Text>(handle, "text") }.map(|text| text.0.clone())
    }

    #[test]
    fn cells_are_numbered_without_gaps_over_the_chunks() {
        let mut seen = Vec::new();
        for number in [0, 1, FIRST_CHUNK - 1, FIRST_CHUNK, 3 * FIRST_CHUNK - 1, 3 * FIRST_CHUNK] {
            let cell = cell(number);
            assert!(ptr::eq(cell_at(ptr::from_ref(cell) as usize).unwrap(), cell));
            assert!(!seen.contains(&ptr::from_ref(cell)));
            seen.push(ptr::from_ref(cell));
        }
    }

    #[test]
    fn references_are_counted() {
        let first = text("a");
        let second = clone::<Text>(first, "text").unwrap();
        assert_eq!(first, second);
        release::<Text>(first, "text").unwrap();
        assert_eq!(read(second).unwrap(), "a");
        release::<Text>(second, "text").unwrap();
        assert!(read(second).unwrap_err().message.contains("released"));
        assert!(clone::<Text>(second, "text").is_err());
        assert!(release::<Text>(second, "text").is_err());
    }

    #[test]
    fn wrong_pointers_are_found_out() {
        assert!(read(ptr::null()).unwrap_err().message.contains("NULL"));
        let number = 7_u64;
        for stray in [ptr::from_ref(&number) as usize, 1, 8, usize::MAX, usize::MAX - 7] {
            let stray = ptr::without_provenance::<syclrtc_text_t>(stray);
            assert!(read(stray).unwrap_err().message.contains("not a handle"));
            assert!(release::<Text>(stray, "text").is_err());
        }
        let handle = text("b");
        assert!(read(handle.wrapping_byte_add(1)).unwrap_err().message.contains("not a handle"));
        let error = find::<Error>(handle.cast(), "error").err().unwrap();
        assert!(error.message.contains("handle of a text, not of an error"), "{}", error.message);
        assert!(release::<Error>(handle.cast(), "error").is_err());
        release::<Text>(handle, "text").unwrap();
        release::<Text>(ptr::null(), "text").unwrap();
    }

    #[test]
    fn objects_are_dropped_with_their_last_reference() {
        let object = Arc::new(Text("c".into()));
        let handle = export(Arc::clone(&object));
        // SAFETY: not released before the next line.
        drop(unsafe { share::<Text>(handle, "text") }.unwrap());
        assert_eq!(Arc::strong_count(&object), 2);
        release::<Text>(handle, "text").unwrap();
        assert_eq!(Arc::strong_count(&object), 1);
    }

    #[test]
    fn many_threads_make_and_release_handles() {
        std::thread::scope(|scope| {
            for thread in 0..8 {
                scope.spawn(move || {
                    for round in 0..2000 {
                        let handle = text(&format!("{thread} {round}"));
                        assert_eq!(read(handle).unwrap(), format!("{thread} {round}"));
                        release::<Text>(handle, "text").unwrap();
                    }
                });
            }
        });
        assert!(USED.load(Ordering::Relaxed) < 8 * 2000, "cells are used again");
    }
}
