//! Where the code that unwinds the stack comes from: on Linux with glibc from gcc's static library.
//!
//! Rust's standard library would take it from `libgcc_s.so`, and to load that file costs each start of the program 0.1 ms,
//! a tenth of what git needs for a short command. Whatever has the one library has the other: both are parts of gcc.

#![expect(unsafe_code, reason = "naming a library is an unsafe declaration")]

// SAFETY: nothing is declared; the linker finds what the standard library declares in this library first.
#[cfg(all(target_os = "linux", target_env = "gnu", not(target_feature = "crt-static")))]
#[link(name = "gcc_eh", kind = "static", modifiers = "-bundle")]
unsafe extern "C" {}
