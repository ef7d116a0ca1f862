// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#![forbid(unsafe_code)]
//! A wish to stop, and how it reaches the thread that works.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use parking_lot::Mutex;

/// Ends a wait early.
type Wake = Arc<dyn Fn() + Send + Sync>;

/// Says whether one piece of work, done by one thread, is still wanted. Any thread may cancel it.
#[derive(Default)]
pub struct Cancel {
    cancelled: AtomicBool,
    wake: Mutex<Option<Wake>>,
}

impl Cancel {
    /// Asks the work to stop, and wakes it where it waits. The working thread looks from time to time.
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::SeqCst);
        // Not called under the lock: it may take locks of its own.
        let wake = self.wake.lock().clone();
        if let Some(wake) = wake {
            wake();
        }
    }

    /// Whether the work is no longer wanted.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::SeqCst)
    }

    /// Does something that waits. `wake` has to end the wait; it is called if the work was or is cancelled meanwhile, perhaps
    /// twice, perhaps a little after this has returned.
    pub fn while_waiting<T>(&self, wake: impl Fn() + Send + Sync + 'static, wait: impl FnOnce() -> T) -> T {
        let wake: Wake = Arc::new(wake);
        let reset = Reset(self, self.wake.lock().replace(Arc::clone(&wake)));
        if self.is_cancelled() {
            wake();
        }
        let result = wait();
        drop(reset);
        result
    }
}

impl std::fmt::Debug for Cancel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Cancel").field("cancelled", &self.is_cancelled()).finish_non_exhaustive()
    }
}

/// Puts the former way of waking back, also if the wait panics.
struct Reset<'a>(&'a Cancel, Option<Wake>);

impl Drop for Reset<'_> {
    fn drop(&mut self) {
        *self.0.wake.lock() = self.1.take();
    }
}

#[cfg(test)]
mod tests {
    use std::{sync::mpsc, thread, time::Duration};

    use super::*;

    #[test]
    fn a_wait_ends_when_its_work_is_cancelled_before_or_meanwhile() {
        for before in [true, false] {
            let cancel = Arc::new(Cancel::default());
            let other = Arc::clone(&cancel);
            let canceller = thread::spawn(move || {
                if !before {
                    thread::sleep(Duration::from_millis(30));
                }
                other.cancel();
            });
            let mut canceller = Some(canceller);
            if before {
                canceller.take().unwrap().join().unwrap();
            }
            let (sender, receiver) = mpsc::channel();
            let wake = move || sender.send(()).unwrap_or(());
            assert!(cancel.while_waiting(wake, || receiver.recv_timeout(Duration::from_secs(20))).is_ok());
            assert!(cancel.is_cancelled());
            if let Some(canceller) = canceller {
                canceller.join().unwrap();
            }
        }
    }

    #[test]
    fn what_no_longer_waits_is_not_woken() {
        let cancel = Cancel::default();
        cancel.while_waiting(|| panic!("nobody waits"), || ());
        assert!(!cancel.is_cancelled());
        cancel.cancel();
        assert!(cancel.is_cancelled());
    }
}
