//! Compression by zlib itself: what git writes is deflated by it, and only the same code gives the same bytes.

#![expect(unsafe_code, reason = "calls of a C library")]

use std::ffi::c_int;
use std::mem::MaybeUninit;

use libz_sys as ffi;

/// The level that zlib chooses when it is left to it.
pub const DEFAULT_LEVEL: i32 = ffi::Z_DEFAULT_COMPRESSION;

/// How far one step went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step {
    /// The bytes of input used up.
    pub consumed: usize,
    /// The bytes of output written.
    pub written: usize,
    /// Whether the stream is complete.
    pub done: bool,
}

/// A zlib stream in the making.
pub struct Deflate {
    /// On the heap, since zlib's state points back at it.
    stream: Box<ffi::z_stream>,
}

// SAFETY: the state is plain memory that only this value points to, and every use of it takes `&mut self`.
unsafe impl Send for Deflate {}

impl Deflate {
    /// Starts a stream at a level from 0 (none) to 9 (smallest); anything else is the default.
    pub fn new(level: i32) -> Self {
        let level = if (0..=9).contains(&level) { level } else { DEFAULT_LEVEL };
        let mut stream: Box<MaybeUninit<ffi::z_stream>> = Box::new(MaybeUninit::zeroed());
        let size = size_of::<ffi::z_stream>() as c_int;
        // SAFETY: all zeros is what zlib asks for in a stream that is not initialised: no buffers, and null for the
        // allocator, which makes it use its own. It is only ever read by zlib until that has filled the fields that
        // Rust must not see as null, `zalloc` and `zfree`. Version and size are those of the header of the library.
        let status = unsafe { ffi::deflateInit_(stream.as_mut_ptr(), level, ffi::zlibVersion(), size) };
        if status != ffi::Z_OK {
            // The level is one it has and the version its own, so that memory is all that can be missing.
            std::alloc::handle_alloc_error(std::alloc::Layout::new::<[u8; 256 << 10]>());
        }
        // SAFETY: zlib has initialised the stream, and has put its own functions in place of the null ones.
        Deflate { stream: unsafe { stream.assume_init() } }
    }

    /// Back to the start of another stream, at the same level.
    pub fn reset(&mut self) {
        // SAFETY: the stream was initialised by `deflateInit_`; resetting it cannot fail.
        unsafe { ffi::deflateReset(&raw mut *self.stream) };
    }

    /// Compresses from `input` into `out` as far as either goes; with `finish`, `input` is the last there is.
    pub fn step(&mut self, input: &[u8], out: &mut [u8], finish: bool) -> Step {
        // A step takes as much as a count of 32 bits can say; a caller goes on with the rest.
        let (taken, is_cut) = capped(input.len());
        let (room, _) = capped(out.len());
        self.stream.next_in = input.as_ptr().cast_mut();
        self.stream.avail_in = taken;
        self.stream.next_out = out.as_mut_ptr();
        self.stream.avail_out = room;
        let flush = if finish && !is_cut { ffi::Z_FINISH } else { ffi::Z_NO_FLUSH };
        // SAFETY: the stream is initialised; both pointers are valid for as many bytes as the counts say, zlib does not
        // write to its input, and neither pointer is used after the call.
        let status = unsafe { ffi::deflate(&raw mut *self.stream, flush) };
        Step {
            consumed: (taken - self.stream.avail_in) as usize,
            written: (room - self.stream.avail_out) as usize,
            done: status == ffi::Z_STREAM_END,
        }
    }
}

/// As much of a length as zlib can be told, and whether that is less than all.
fn capped(len: usize) -> (u32, bool) {
    u32::try_from(len).map_or((u32::MAX, true), |len| (len, false))
}

impl std::fmt::Debug for Deflate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Deflate").field("total_in", &self.stream.total_in).finish_non_exhaustive()
    }
}

impl Drop for Deflate {
    fn drop(&mut self) {
        // SAFETY: the stream was initialised by `deflateInit_` and is ended once.
        unsafe { ffi::deflateEnd(&raw mut *self.stream) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bytes_are_those_of_zlib() {
        let mut deflate = Deflate::new(DEFAULT_LEVEL);
        for _ in 0..2 {
            let mut out = [0; 32];
            let step = deflate.step(b"", &mut out, true);
            assert_eq!(step, Step { consumed: 0, written: 8, done: true });
            assert_eq!(out[..8], [0x78, 0x9c, 3, 0, 0, 0, 0, 1]);
            deflate.reset();
        }
    }

    #[test]
    fn a_stream_goes_on_when_there_is_room() {
        let mut deflate = Deflate::new(0);
        let input = [7; 100];
        let mut whole = Vec::new();
        let mut read = 0;
        loop {
            let mut out = [0; 9];
            let step = deflate.step(&input[read..], &mut out, true);
            read += step.consumed;
            whole.extend_from_slice(&out[..step.written]);
            if step.done {
                break;
            }
        }
        assert_eq!((read, whole.len()), (100, 111));
    }
}
