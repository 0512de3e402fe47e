//! Where the program starts.
//!
//! The standard library's own start asks for the bounds of the stack, which glibc works out from `/proc/self/maps`, so that
//! it can tell of an overflow before the process dies of it: 0.09 ms, a tenth of what git needs for a short command. On
//! Linux with glibc the program has a start of its own, which does the rest of what that one does. Elsewhere the standard library needs its own start to know the arguments.

#![expect(unsafe_code, reason = "signal dispositions and open descriptors are a C interface")]

use std::panic::{UnwindSafe, catch_unwind};

/// The status of a program that panicked.
const PANICKED: u8 = 101;

/// Makes a function `fn() -> u8` the start of the program; what it returns is the exit status.
///
/// The file that says it begins with `#![cfg_attr(all(target_os = "linux", target_env = "gnu"), no_main)]`.
#[macro_export]
macro_rules! start_with {
    ($program:path) => {
        // SAFETY: `main` is what the C library calls, once, and this is the only one: the standard library's is left out.
        #[cfg(all(target_os = "linux", target_env = "gnu"))]
        #[unsafe(no_mangle)]
        extern "C" fn main(_count: i32, _arguments: *const *const u8) -> i32 {
            i32::from($crate::start::run($program))
        }

        #[cfg(not(all(target_os = "linux", target_env = "gnu")))]
        fn main() -> std::process::ExitCode {
            $crate::start::run($program).into()
        }
    };
}

/// Runs the program and returns its exit status. For [`start_with!`](crate::start_with).
pub fn run(program: impl FnOnce() -> u8 + UnwindSafe) -> u8 {
    open_missing_streams();
    die_of_broken_pipes();
    catch_unwind(program).unwrap_or(PANICKED)
}

/// Opens `/dev/null` in place of standard streams that are closed, lest the next file that is opened be taken for one.
fn open_missing_streams() {
    let mut streams = [0, 1, 2].map(|fd| libc::pollfd { fd, events: 0, revents: 0 });
    // SAFETY: the array has three elements and lives through the call; a literal C string is opened.
    unsafe {
        if libc::poll(streams.as_mut_ptr(), 3, 0) <= 0 {
            return;
        }
        for stream in streams {
            // The lowest free descriptor is the one that is missing.
            if stream.revents & libc::POLLNVAL != 0 && libc::open(c"/dev/null".as_ptr(), libc::O_RDWR) == -1 {
                libc::abort();
            }
        }
    }
}

/// Lets the process die of writing to a pipe that nobody reads, as programs do whose output others cut short. The
/// standard library starts programs with that signal ignored.
fn die_of_broken_pipes() {
    // SAFETY: setting a signal's disposition to its default installs no handler, so no code runs in signal context.
    unsafe {
        libc::signal(libc::SIGPIPE, libc::SIG_DFL);
    }
}
