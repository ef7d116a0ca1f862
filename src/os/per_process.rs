// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! State that a child of `fork` must not share with its parent: another thread of the parent's may have held a lock of it,
//! which nobody would ever release in the child.
//!
//! `unsafe` is needed for the pointer to the present value, which is replaced in the child.

use std::{
    ptr,
    sync::atomic::{AtomicPtr, Ordering},
};

use super::process::fork_generation;

/// A static value that each process makes for itself on first use. The parent's value is left alone in the child, and lost
/// there.
pub struct PerProcess<T: 'static> {
    current: AtomicPtr<Made<T>>,
}

struct Made<T> {
    generation: u32,
    value: T,
}

impl<T: Send + Sync> PerProcess<T> {
    /// For a `static`.
    #[must_use]
    #[expect(clippy::new_without_default, reason = "a default of something that is a static has no use")]
    pub const fn new() -> Self {
        Self { current: AtomicPtr::new(ptr::null_mut()) }
    }

    /// This process's value. If several threads come first, each makes one, and all get the same.
    pub fn get(&'static self, make: impl FnOnce() -> T) -> &'static T {
        let generation = fork_generation();
        let seen = self.current.load(Ordering::Acquire);
        // SAFETY: null, or made by `Box::into_raw` below, published by the exchange and never freed.
        if let Some(made) = unsafe { seen.as_ref() }
            && made.generation == generation
        {
            return &made.value;
        }
        let fresh = Box::into_raw(Box::new(Made { generation, value: make() }));
        match self.current.compare_exchange(seen, fresh, Ordering::AcqRel, Ordering::Acquire) {
            // SAFETY: made above, published now and never freed.
            Ok(_) => unsafe { &(*fresh).value },
            Err(others) => {
                // SAFETY: made above and not published.
                drop(unsafe { Box::from_raw(fresh) });
                // SAFETY: as for `seen`; not null, since nothing puts null back. It is of this generation: only threads of
                // this process change the pointer.
                unsafe { &(*others).value }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use parking_lot::Mutex;

    use super::*;

    #[test]
    fn all_threads_have_one_value_and_a_child_its_own() {
        static VALUE: PerProcess<Mutex<u32>> = PerProcess::new();
        let addresses: Vec<usize> = std::thread::scope(|scope| {
            let threads: Vec<_> =
                (0..8).map(|_| scope.spawn(|| ptr::from_ref(VALUE.get(|| Mutex::new(1))) as usize)).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert!(addresses.iter().all(|address| *address == addresses[0]));
        let held = VALUE.get(|| unreachable!()).lock();
        // SAFETY: the child takes one lock of its own, allocates a few bytes and leaves by `_exit`.
        let child = unsafe { libc::fork() };
        assert!(child >= 0);
        if child == 0 {
            let own = VALUE.get(|| Mutex::new(2)).try_lock().is_some_and(|value| *value == 2);
            // SAFETY: ends the child without running anything of the parent's.
            unsafe { libc::_exit(i32::from(!own)) };
        }
        let mut status = 0;
        // SAFETY: `child` is a child of this process that nobody else waits for.
        assert_eq!(unsafe { libc::waitpid(child, &raw mut status, 0) }, child);
        assert!(libc::WIFEXITED(status) && libc::WEXITSTATUS(status) == 0, "status {status}");
        assert_eq!(*held, 1);
    }
}
