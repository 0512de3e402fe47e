//! One-shot inflation through libdeflate, which also says how much of the input the stream took up.
//!
//! The safe binding (`libdeflater`) keeps that length to itself, and a reader of packs needs it: an entry's
//! compressed length is written nowhere.

#![expect(unsafe_code, reason = "calls of a C library")]

use std::ffi::c_void;
use std::ptr::NonNull;

use libdeflate_sys as ffi;

/// Why a zlib stream could not be inflated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum DecompressError {
    /// It is not a zlib stream, is cut short, or its checksum does not match.
    #[error("the compressed data is damaged")]
    BadData,
    /// It inflates to more than the buffer holds.
    #[error("the compressed data is longer than expected")]
    InsufficientSpace,
}

/// How far a stream went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Decompressed {
    /// The bytes of input that the stream takes up; what follows was not looked at.
    pub consumed: usize,
    /// The bytes of output that were written.
    pub written: usize,
}

/// Tables for inflating, to be used for many streams.
#[derive(Debug)]
pub struct Decompressor(NonNull<ffi::libdeflate_decompressor>);

// SAFETY: the C object is plain memory without ties to a thread, and every use of it takes `&mut self`.
unsafe impl Send for Decompressor {}

impl Decompressor {
    /// Allocates the tables (about 12 KiB).
    pub fn new() -> Self {
        // SAFETY: the function has no precondition; it returns null when memory is short.
        let tables = unsafe { ffi::libdeflate_alloc_decompressor() };
        match NonNull::new(tables) {
            Some(tables) => Decompressor(tables),
            None => std::alloc::handle_alloc_error(std::alloc::Layout::new::<[u8; 12 << 10]>()),
        }
    }

    /// Inflates the zlib stream at the start of `input` into `out`. It may be shorter than `out`, and other bytes
    /// may follow it in `input`.
    pub fn zlib(&mut self, input: &[u8], out: &mut [u8]) -> Result<Decompressed, DecompressError> {
        let (mut consumed, mut written) = (0, 0);
        // SAFETY: the tables are live and ours alone, both slices are valid for their lengths, the function writes
        // at most `out.len()` bytes, and the two counters outlive the call.
        let result = unsafe {
            ffi::libdeflate_zlib_decompress_ex(
                self.0.as_ptr(),
                input.as_ptr().cast::<c_void>(),
                input.len(),
                out.as_mut_ptr().cast::<c_void>(),
                out.len(),
                &raw mut consumed,
                &raw mut written,
            )
        };
        match result {
            ffi::libdeflate_result_LIBDEFLATE_SUCCESS => Ok(Decompressed { consumed, written }),
            ffi::libdeflate_result_LIBDEFLATE_INSUFFICIENT_SPACE => Err(DecompressError::InsufficientSpace),
            _ => Err(DecompressError::BadData),
        }
    }
}

impl Default for Decompressor {
    fn default() -> Self {
        Self::new()
    }
}

impl Drop for Decompressor {
    fn drop(&mut self) {
        // SAFETY: the tables came from libdeflate's allocator and are freed once.
        unsafe { ffi::libdeflate_free_decompressor(self.0.as_ptr()) }
    }
}
