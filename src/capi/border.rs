// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The border: every export runs its body in here.
//!
//! No panic crosses to C: it is caught, kept from the standard streams, and becomes an error of code
//! `SYCLRTC_ERROR_INTERNAL`. A test reads the source and fails on an export without it.

use std::{
    cell::{Cell, RefCell},
    panic::{self, AssertUnwindSafe},
    ptr,
    sync::{Arc, Once},
};

use super::handle::{self, syclrtc_error_t};
use crate::{
    error::{Error, Result},
    logging,
};

thread_local! {
    /// Whether the thread is inside a body of the border.
    static INSIDE: Cell<bool> = const { Cell::new(false) };
    /// Message and place of the panic that is being unwound.
    static PANIC: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Runs the body of an export that can fail: NULL for success, else an error object.
pub(super) fn fallible(body: impl FnOnce() -> Result<()>) -> *mut syclrtc_error_t {
    match guarded(body) {
        Ok(()) => ptr::null_mut(),
        Err(error) => {
            log::debug!("error {}: {}", error.code.name(), error.message);
            // The panic of an export that failed to make its error object would be the second in a row: out of memory.
            guarded(|| Ok(handle::export(Arc::new(error)))).unwrap_or(ptr::null_mut())
        }
    }
}

/// Runs the body of an export that has no way to report a failure: it is logged, and the answer is `otherwise`.
pub(super) fn infallible<T>(otherwise: T, body: impl FnOnce() -> Result<T>) -> T {
    guarded(body).unwrap_or_else(|error| {
        log::error!("{}", error.message);
        otherwise
    })
}

fn guarded<T>(body: impl FnOnce() -> Result<T>) -> Result<T> {
    prepare();
    let outer = INSIDE.replace(true);
    // The state that a panic can leave half-changed is behind locks that do not poison: each is released before
    // anything that can panic by design, and what remains is a fault of ours, reported as such.
    let result = panic::catch_unwind(AssertUnwindSafe(body));
    INSIDE.set(outer);
    result.unwrap_or_else(|_| {
        let what = PANIC.take().unwrap_or_else(|| "unknown panic".into());
        log::error!("internal error: {what}");
        Err(Error::internal(format!("internal error: {what}")))
    })
}

/// Installs the log sink, and a panic hook that keeps our panics from standard error and leaves all others to the hook
/// that was there before.
fn prepare() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        logging::init();
        let others = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if INSIDE.get() {
                PANIC.set(Some(info.to_string().replace('\n', " ")));
            } else {
                others(info);
            }
        }));
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Errc;

    #[test]
    fn a_panic_becomes_an_internal_error() {
        let error = fallible(|| panic!("on purpose"));
        // SAFETY: the handle is this test's alone.
        let got = unsafe { handle::get::<Error>(error, "error") }.unwrap();
        assert_eq!(got.code, Errc::Internal);
        assert!(got.message.contains("on purpose") && got.message.contains("border.rs"), "{}", got.message);
        handle::release::<Error>(error, "error").unwrap();
        assert_eq!(infallible(7, || panic!("again")), 7);
    }

    #[test]
    fn panics_elsewhere_are_left_alone() {
        assert!(fallible(|| Ok(())).is_null());
        assert!(!INSIDE.get());
        assert!(panic::catch_unwind(|| panic!("not ours, shown on standard error")).is_err());
        assert!(PANIC.take().is_none());
    }
}
