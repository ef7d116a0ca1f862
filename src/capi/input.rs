// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! What comes over the border besides handles, and what goes back: slices, texts, structures with a size, results.

use std::{mem::MaybeUninit, ptr, slice};

use crate::error::{Error, Result};

/// `length` elements at `data`, for the length of a call. NULL is fine for none.
///
/// # Safety
/// If `data` is not NULL, `length` elements of `T` must be readable there and not change until the last use.
///
/// # Errors
/// `invalid` for NULL with a length, an address that is not aligned, or a length that no address space holds.
pub(super) unsafe fn elements<'a, T>(data: *const T, length: usize, name: &str) -> Result<&'a [T]> {
    if length == 0 {
        return Ok(&[]);
    }
    if data.is_null() {
        return Err(Error::invalid(format!("`{name}` is NULL, and its length is {length}")));
    }
    if !data.is_aligned() {
        return Err(Error::invalid(format!("`{name}` is not aligned")));
    }
    if length.checked_mul(size_of::<T>()).is_none_or(|bytes| isize::try_from(bytes).is_err()) {
        return Err(Error::invalid(format!("the length of `{name}` is {length}, more than fits into memory")));
    }
    // SAFETY: not NULL, aligned, not too long; readable by this function's own condition.
    Ok(unsafe { slice::from_raw_parts(data, length) })
}

/// UTF-8 text of `length` bytes.
///
/// # Safety
/// As for [`elements`].
///
/// # Errors
/// As for [`elements`]; `invalid` if it is not UTF-8.
pub(super) unsafe fn text<'a>(data: *const std::ffi::c_char, length: usize, name: &str) -> Result<&'a str> {
    // SAFETY: the condition is the same.
    let bytes = unsafe { elements(data.cast::<u8>(), length, name) }?;
    std::str::from_utf8(bytes).map_err(|error| Error::invalid(format!("`{name}` is not UTF-8: {error}")))
}

/// A structure that starts with its size in bytes, so that it can grow.
///
/// # Safety
/// The type is `repr(C)`, its first field is the size as `usize`, and all bytes zero are a value of it.
pub(super) unsafe trait Structure: Copy {
    /// Name in the C header.
    const NAME: &'static str;
}

/// Larger sizes are no structures of any version of this library.
const MAX_STRUCTURE: usize = 4096;

/// The size that a caller wrote into a structure.
///
/// # Safety
/// If `data` is not NULL, a `usize` must be readable there.
unsafe fn size_of_structure<T: Structure>(data: *const T, name: &str) -> Result<usize> {
    if data.is_null() {
        return Err(Error::invalid(format!("`{name}` is NULL")));
    }
    if !data.is_aligned() {
        return Err(Error::invalid(format!("`{name}` is not aligned")));
    }
    // SAFETY: not NULL and aligned; the caller has at least the size there.
    let size = unsafe { data.cast::<usize>().read() };
    if (size_of::<usize>()..=MAX_STRUCTURE).contains(&size) {
        return Ok(size);
    }
    Err(Error::invalid(format!("the size of `{name}` is {size}; set it to sizeof({})", T::NAME)))
}

/// A structure by value. One of an older version is filled up with zeros; a newer one is refused if a part that this
/// version does not know is in use.
///
/// # Safety
/// If `data` is not NULL, as many bytes must be readable there as its first field says.
///
/// # Errors
/// `invalid` for NULL, an address that is not aligned, an impossible size, or a tail that is not zero.
pub(super) unsafe fn structure<T: Structure>(data: *const T, name: &str) -> Result<T> {
    // SAFETY: the condition covers the size.
    let size = unsafe { size_of_structure(data, name) }?;
    let mut value = MaybeUninit::<T>::zeroed();
    // SAFETY: `size` bytes are readable by the condition, `size_of::<T>()` are writable, and no more are copied.
    unsafe { ptr::copy_nonoverlapping(data.cast::<u8>(), value.as_mut_ptr().cast(), size.min(size_of::<T>())) };
    if size > size_of::<T>() {
        // SAFETY: the tail is within the `size` readable bytes.
        let tail = unsafe { slice::from_raw_parts(data.cast::<u8>().add(size_of::<T>()), size - size_of::<T>()) };
        if tail.iter().any(|byte| *byte != 0) {
            return Err(Error::invalid(format!(
                "`{name}` uses a part of {} that this version of the library does not know",
                T::NAME
            )));
        }
    }
    // SAFETY: zeroed or copied from the caller's structure, in which every field takes any bits (`Structure`).
    Ok(unsafe { value.assume_init() })
}

/// Structures one after the other, all of the size that the first has.
///
/// # Safety
/// If `data` is not NULL, `length` structures of that size must be readable there.
///
/// # Errors
/// As for [`structure`] with each; `invalid` for NULL with a length and for different sizes.
pub(super) unsafe fn structures<T: Structure>(
    data: *const T,
    length: usize,
    name: &str,
    mut each: impl FnMut(T) -> Result<()>,
) -> Result<()> {
    if length == 0 {
        return Ok(());
    }
    // SAFETY: the condition covers the first one.
    let stride = unsafe { size_of_structure(data, name) }?;
    if !stride.is_multiple_of(align_of::<T>()) || length.checked_mul(stride).is_none_or(|n| isize::try_from(n).is_err())
    {
        return Err(Error::invalid(format!("`{name}` has {length} structures of {stride} bytes, which cannot be")));
    }
    for index in 0..length {
        let element = data.wrapping_byte_add(index * stride);
        // SAFETY: one of the `length` structures of the condition, aligned because the first one and the stride are.
        let (size, value) = unsafe { (size_of_structure(element, name)?, structure(element, name)?) };
        if size != stride {
            return Err(Error::invalid(format!(
                "`{name}` has structures of different sizes: {stride} and, at {index}, {size} bytes"
            )));
        }
        each(value)?;
    }
    Ok(())
}

/// Fills a structure whose size the caller has set: the part that both sides know, zeros behind it.
///
/// # Safety
/// If `place` is not NULL, as many bytes must be writable there as its first field says.
///
/// # Errors
/// `invalid` for NULL, an address that is not aligned, or an impossible size; nothing is written then.
pub(super) unsafe fn write_structure<T: Structure>(place: *mut T, value: T, name: &str) -> Result<()> {
    // SAFETY: the condition covers the size.
    let size = unsafe { size_of_structure(place.cast_const(), name) }?;
    let header = size_of::<usize>();
    let both = size.min(size_of::<T>());
    // SAFETY: the bytes behind the size field, up to what the caller has and what the value has; then up to `size`.
    unsafe {
        let place = place.cast::<u8>();
        ptr::copy_nonoverlapping((&raw const value).cast::<u8>().add(header), place.add(header), both - header);
        ptr::write_bytes(place.add(both), 0, size - both);
    }
    Ok(())
}

/// Where a result goes. It is written once everything has succeeded.
pub(super) struct Out<T>(*mut T);

impl<T> Out<T> {
    /// # Safety
    /// If `place` is not NULL, a `T` must be writable there until the last use.
    ///
    /// # Errors
    /// `invalid` for NULL or an address that is not aligned.
    pub(super) unsafe fn new(place: *mut T, name: &str) -> Result<Self> {
        if place.is_null() {
            return Err(Error::invalid(format!("`{name}` is NULL")));
        }
        if !place.is_aligned() {
            return Err(Error::invalid(format!("`{name}` is not aligned")));
        }
        Ok(Self(place))
    }

    /// As [`Out::new`] for a result that the caller may not want.
    ///
    /// # Safety
    /// As for [`Out::new`].
    ///
    /// # Errors
    /// `invalid` for an address that is not aligned.
    pub(super) unsafe fn optional(place: *mut T, name: &str) -> Result<Option<Self>> {
        if place.is_null() {
            return Ok(None);
        }
        // SAFETY: the condition is the same.
        unsafe { Self::new(place, name) }.map(Some)
    }

    pub(super) fn write(self, value: T) {
        // SAFETY: writable by the condition of `new`. `ptr::write` drops nothing: the place may be uninitialised.
        unsafe { self.0.write(value) };
    }
}

/// Where a list of results goes: as many as there is room for, and how many there are.
pub(super) struct OutList<T> {
    place: *mut T,
    capacity: usize,
    count: Out<usize>,
}

impl<T> OutList<T> {
    /// # Safety
    /// If `place` is not NULL, `capacity` elements must be writable there until the last use, and a `usize` at `count`.
    ///
    /// # Errors
    /// `invalid` for NULL (`place`: unless `capacity` is 0) or an address that is not aligned.
    pub(super) unsafe fn new(place: *mut T, capacity: usize, count: *mut usize, name: &str) -> Result<Self> {
        if capacity > 0 && (place.is_null() || !place.is_aligned()) {
            return Err(Error::invalid(format!("`{name}` is NULL or not aligned, and its capacity is {capacity}")));
        }
        // SAFETY: the condition covers `count`.
        Ok(Self { place, capacity, count: unsafe { Out::new(count, "count") }? })
    }

    /// Writes what there is room for; `make` is called for no more.
    pub(super) fn write<S>(self, sources: &[S], make: impl Fn(&S) -> T) {
        for (index, source) in sources.iter().take(self.capacity).enumerate() {
            // SAFETY: below `capacity`, so writable by the condition of `new`.
            unsafe { self.place.add(index).write(make(source)) };
        }
        self.count.write(sources.len());
    }
}

/// Where an answer of some size goes.
pub(super) struct OutBytes {
    place: *mut u8,
    capacity: usize,
    size: Out<usize>,
}

impl OutBytes {
    /// # Safety
    /// If `place` is not NULL, `capacity` bytes must be writable there until the last use, and a `usize` at `size`.
    ///
    /// # Errors
    /// `invalid` for NULL (`place`: unless `capacity` is 0).
    pub(super) unsafe fn new(place: *mut std::ffi::c_void, capacity: usize, size: *mut usize) -> Result<Self> {
        if capacity > 0 && place.is_null() {
            return Err(Error::invalid(format!("`value` is NULL, and its capacity is {capacity}")));
        }
        // SAFETY: the condition covers `size`.
        Ok(Self { place: place.cast(), capacity, size: unsafe { Out::new(size, "size") }? })
    }

    /// Writes the bytes, or with a capacity of 0 only how many there are.
    ///
    /// # Errors
    /// `invalid` if there is room, but not enough; nothing is written then.
    pub(super) fn write(self, bytes: &[u8]) -> Result<()> {
        if self.capacity > 0 {
            if bytes.len() > self.capacity {
                return Err(Error::invalid(format!(
                    "the answer has {} bytes, and the capacity of `value` is {}",
                    bytes.len(),
                    self.capacity
                )));
            }
            // SAFETY: no more than `capacity`, which are writable by the condition of `new`.
            unsafe { ptr::copy_nonoverlapping(bytes.as_ptr(), self.place, bytes.len()) };
        }
        self.size.write(bytes.len());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    #[repr(C)]
    struct Old {
        size: usize,
        a: u32,
        b: u32,
    }

    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    #[repr(C)]
    struct New {
        size: usize,
        a: u32,
        b: u32,
        c: u64,
    }

    // SAFETY: `repr(C)`, starts with the size, only integers.
    unsafe impl Structure for Old {
        const NAME: &'static str = "old";
    }
    // SAFETY: as for `Old`.
    unsafe impl Structure for New {
        const NAME: &'static str = "new";
    }

    #[test]
    fn structures_grow_and_shrink() {
        let old = Old { size: size_of::<Old>(), a: 1, b: 2 };
        // SAFETY: as many bytes as the size says.
        let seen = unsafe { structure::<New>((&raw const old).cast(), "s") }.unwrap();
        assert_eq!(seen, New { size: size_of::<Old>(), a: 1, b: 2, c: 0 });
        let mut new = New { size: size_of::<New>(), a: 1, b: 2, c: 0 };
        // SAFETY: as above.
        let seen = unsafe { structure::<Old>((&raw const new).cast(), "s") }.unwrap();
        assert_eq!(seen, Old { size: size_of::<New>(), a: 1, b: 2 });
        new.c = 1 << 63;
        // SAFETY: as above.
        assert!(unsafe { structure::<Old>((&raw const new).cast(), "s") }.is_err());
        for size in [0, 7, MAX_STRUCTURE + 1, usize::MAX] {
            let bad = Old { size, a: 0, b: 0 };
            // SAFETY: the size is readable, and no more is read for such a size.
            assert!(unsafe { structure::<Old>(&raw const bad, "s") }.is_err(), "{size}");
        }
        // SAFETY: NULL is allowed.
        assert!(unsafe { structure::<Old>(ptr::null(), "s") }.is_err());
    }

    #[test]
    fn lists_of_structures_have_the_callers_stride() {
        let list = [New { size: 24, a: 1, b: 2, c: 0 }, New { size: 24, a: 3, b: 4, c: 0 }];
        let mut seen = Vec::new();
        let mut collect = |old: Old| {
            seen.push((old.a, old.b));
            Ok(())
        };
        // SAFETY: two structures of the size that they say.
        unsafe { structures::<Old>(list.as_ptr().cast(), 2, "list", &mut collect) }.unwrap();
        assert_eq!(seen, [(1, 2), (3, 4)]);
        let mixed = [New { size: 24, a: 1, b: 2, c: 0 }, New { size: 16, a: 3, b: 4, c: 0 }];
        // SAFETY: as above.
        assert!(unsafe { structures::<Old>(mixed.as_ptr().cast(), 2, "list", |_| Ok(())) }.is_err());
        let odd = [New { size: 9, a: 0, b: 0, c: 0 }; 2];
        // SAFETY: as above; refused by the first size.
        assert!(unsafe { structures::<Old>(odd.as_ptr().cast(), 2, "list", |_| Ok(())) }.is_err());
        // SAFETY: an empty list needs nothing.
        unsafe { structures::<Old>(ptr::null(), 0, "list", |_| Ok(())) }.unwrap();
    }

    #[test]
    fn results_fit_structures_of_all_ages() {
        let value = New { size: 0, a: 1, b: 2, c: 3 };
        let mut old = [Old { size: 16, a: 9, b: 9 }, Old { size: 9, a: 9, b: 9 }];
        // SAFETY: the first structure has the size that it says, and is all that may change.
        unsafe { write_structure::<New>(old.as_mut_ptr().cast(), value, "s") }.unwrap();
        assert_eq!(old, [Old { size: 16, a: 1, b: 2 }, Old { size: 9, a: 9, b: 9 }]);
        let mut new = New { size: 24, a: 9, b: 9, c: 9 };
        // SAFETY: as above.
        unsafe { write_structure::<Old>((&raw mut new).cast(), Old { size: 0, a: 1, b: 2 }, "s") }.unwrap();
        assert_eq!(new, New { size: 24, a: 1, b: 2, c: 0 });
        new.size = 3;
        // SAFETY: refused by its size.
        assert!(unsafe { write_structure::<New>(&raw mut new, value, "s") }.is_err());
    }

    #[test]
    fn slices_are_checked() {
        let numbers = [1_u32, 2];
        // SAFETY: readable, or refused before it is read.
        unsafe {
            assert_eq!(elements(numbers.as_ptr(), 2, "n").unwrap(), numbers);
            assert_eq!(elements::<u32>(ptr::null(), 0, "n").unwrap(), []);
            assert!(elements::<u32>(ptr::null(), 1, "n").is_err());
            assert!(elements(numbers.as_ptr(), usize::MAX, "n").is_err());
            assert!(elements(numbers.as_ptr().wrapping_byte_add(1), 1, "n").is_err());
            assert!(text(b"\xff".as_ptr().cast(), 1, "t").is_err());
        }
    }

    #[test]
    fn nothing_is_written_without_success() {
        let mut count = 77;
        let mut place = [0_u8; 4];
        // SAFETY: both places are this test's.
        let out = unsafe { OutBytes::new(place.as_mut_ptr().cast(), 4, &raw mut count) }.unwrap();
        assert!(out.write(b"12345").is_err());
        assert_eq!((count, place), (77, [0; 4]));
        // SAFETY: as above.
        unsafe { OutBytes::new(ptr::null_mut(), 0, &raw mut count) }.unwrap().write(b"12345").unwrap();
        assert_eq!(count, 5);
        // SAFETY: as above.
        let list = unsafe { OutList::new(place.as_mut_ptr(), 1, &raw mut count, "list") }.unwrap();
        list.write(&[7_u8, 8, 9], |n| *n);
        assert_eq!((count, place), (3, [7, 0, 0, 0]));
    }
}
