//! Writing to a pipe that nobody reads.

/// Lets the process die of writing to a pipe that nobody reads, as programs do whose output others cut short. Rust
/// starts programs with that signal ignored.
pub fn die_of_broken_pipes() {
    // SAFETY: setting a signal's disposition to its default installs no handler, so no code runs in signal context.
    #[expect(unsafe_code, reason = "signal dispositions are a C interface")]
    unsafe {
        libc::signal(libc::SIGPIPE, libc::SIG_DFL);
    }
}
