//! The terminal that a process talks to.

/// The columns of the terminal on standard output or, when that goes through a pager, standard error.
pub fn terminal_columns() -> Option<usize> {
    let size = rustix::termios::tcgetwinsize(rustix::stdio::stdout())
        .or_else(|_| rustix::termios::tcgetwinsize(rustix::stdio::stderr()))
        .ok()?;
    (size.ws_col > 0).then(|| usize::from(size.ws_col))
}
