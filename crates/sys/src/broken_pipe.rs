//! Writing to a program that may not read all of it.

#![expect(unsafe_code, reason = "signal masks are a C interface")]

use std::mem::MaybeUninit;

/// Runs `write` without letting the process die when it writes to a pipe that nobody reads; it then gets an error
/// ([`std::io::ErrorKind::BrokenPipe`]). Programs must not be started within it: they would inherit the blocked signal.
pub fn surviving_broken_pipes<R>(write: impl FnOnce() -> R) -> R {
    let mut before = MaybeUninit::<libc::sigset_t>::uninit();
    let mut pipe = MaybeUninit::<libc::sigset_t>::uninit();
    // SAFETY: `sigemptyset` initialises the set that the next calls read; both sets live through the calls.
    let blocked = unsafe {
        libc::sigemptyset(pipe.as_mut_ptr());
        libc::sigaddset(pipe.as_mut_ptr(), libc::SIGPIPE);
        libc::pthread_sigmask(libc::SIG_BLOCK, pipe.as_ptr(), before.as_mut_ptr()) == 0
    };
    let result = write();
    if blocked {
        // SAFETY: `pipe` was initialised above, `before` by the call that succeeded, `pending` by the call that reads it. The
        // signal of a write goes to the thread that wrote, so that taking it here takes nobody else's.
        unsafe {
            let mut pending = MaybeUninit::<libc::sigset_t>::uninit();
            if libc::sigpending(pending.as_mut_ptr()) == 0
                && libc::sigismember(pending.as_ptr(), libc::SIGPIPE) == 1
            {
                libc::sigwait(pipe.as_ptr(), &mut 0);
            }
            libc::pthread_sigmask(libc::SIG_SETMASK, before.as_ptr(), std::ptr::null_mut());
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::process::{Command, Stdio};

    #[test]
    fn a_program_may_close_its_input() {
        let mut child = Command::new("true").stdin(Stdio::piped()).spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        child.wait().unwrap();
        // SAFETY: the default disposition installs no handler. Test programs start with the signal ignored.
        unsafe { libc::signal(libc::SIGPIPE, libc::SIG_DFL) };
        let error = super::surviving_broken_pipes(|| stdin.write_all(&[0; 1 << 17])).unwrap_err();
        assert_eq!(error.kind(), std::io::ErrorKind::BrokenPipe);
    }
}
