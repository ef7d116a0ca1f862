// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Conversions that several exports share.

use super::input::OutBytes;
use crate::{
    backend::InfoValue,
    error::{Error, Result},
};

/// Writes an answer as the type that the header names for it.
pub(super) fn write_info(value: &InfoValue, out: OutBytes) -> Result<()> {
    match value {
        InfoValue::Text(text) => out.write(text.as_bytes()),
        InfoValue::U32(number) => out.write(&number.to_ne_bytes()),
        InfoValue::U64(number) => out.write(&number.to_ne_bytes()),
        InfoValue::Size(number) => out.write(&number.to_ne_bytes()),
        InfoValue::Sizes(numbers) => {
            let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_ne_bytes()).collect();
            out.write(&bytes)
        }
    }
}

/// The enumerator with this number.
pub(super) fn known<T>(value: Option<T>, number: u32, name: &str) -> Result<T> {
    value.ok_or_else(|| Error::invalid(format!("`{name}` is {number}, which is not one of the values that it takes")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_have_the_size_of_their_type() {
        for (value, bytes) in [
            (InfoValue::Text("ab".into()), 2),
            (InfoValue::U32(1), 4),
            (InfoValue::U64(1), 8),
            (InfoValue::Size(1), size_of::<usize>()),
            (InfoValue::Sizes(vec![1, 2, 3]), 3 * size_of::<usize>()),
        ] {
            let mut place = [0_u8; 64];
            let mut size = 0;
            // SAFETY: both places are this test's.
            let out = unsafe { OutBytes::new(place.as_mut_ptr().cast(), 64, &raw mut size) }.unwrap();
            write_info(&value, out).unwrap();
            assert_eq!(size, bytes, "{value:?}");
        }
    }
}
