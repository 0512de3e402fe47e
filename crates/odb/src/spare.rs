//! Buffers that hold no object any more and are used again for the next one of about the same size.
//!
//! A walk over history builds trees as fast as the delta cache drops them: to hand the memory on is faster than to free
//! and allocate it. Each thread has a few such buffers of its own.

use std::cell::RefCell;
use std::collections::TryReserveError;

/// Only buffers that are at least this large are worth it.
const SMALLEST: usize = 1 << 10;
/// Larger ones are better given back to the system.
const LARGEST: usize = 1 << 20;
/// How many each thread keeps.
const MOST: usize = 32;

thread_local! {
    static SPARE: RefCell<Vec<Vec<u8>>> = const { RefCell::new(Vec::new()) };
}

/// Keeps a buffer for later, in place of the oldest when there are enough.
pub(crate) fn give(buffer: Vec<u8>) {
    if (SMALLEST..=LARGEST).contains(&buffer.capacity()) {
        SPARE.with_borrow_mut(|spare| {
            if spare.len() == MOST {
                spare.remove(0);
            }
            spare.push(buffer);
        });
    }
}

/// Empties `out` and gives it room for `size` bytes.
pub(crate) fn make_room(out: &mut Vec<u8>, size: usize) -> Result<(), TryReserveError> {
    out.clear();
    if out.capacity() >= size {
        return Ok(());
    }
    if !(SMALLEST..=LARGEST).contains(&size) {
        return out.try_reserve_exact(size);
    }
    let fits = |buffer: &Vec<u8>| (size..=size + size / 4).contains(&buffer.capacity());
    let found = SPARE.with_borrow_mut(|spare| {
        let at = spare.iter().rposition(fits)?;
        Some(spare.remove(at))
    });
    match found {
        Some(mut buffer) => {
            buffer.clear();
            *out = buffer;
            Ok(())
        }
        // A little room is left, so that one a little larger fits in later.
        None => out.try_reserve_exact(size + size / 16),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_buffer_is_used_again_for_what_nearly_fills_it() {
        let mut buffer = Vec::new();
        make_room(&mut buffer, 10_000).unwrap();
        buffer.push(1);
        let place = buffer.as_ptr();
        give(buffer);
        let mut out = vec![3];
        make_room(&mut out, 2000).unwrap();
        assert!(out.as_ptr() != place && out.capacity() < 3000 && out.is_empty());
        let mut out = Vec::new();
        make_room(&mut out, 10_100).unwrap();
        assert!(out.as_ptr() == place && out.is_empty());
        for _ in 0..3 * MOST {
            give(vec![0; 5000]);
        }
        SPARE.with_borrow(|spare| assert_eq!(spare.len(), MOST));
    }
}
