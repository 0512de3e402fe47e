//! Files that must not stay behind when a signal ends the process.
//!
//! Unwinding drops a lock file; a signal does not. So each lock and temporary file is registered for as long as it may
//! have to be removed, and the program's signal handler ([`remove_files_on_signals`]) removes what is registered.
//! Libraries register; whether signals are handled is for the program to say.

#![expect(unsafe_code, reason = "signal handlers are a C interface")]

use std::ffi::{CString, c_char, c_int};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::ptr;
use std::sync::atomic::{AtomicPtr, AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};

/// One registered file. Nodes are never freed, but used again: the handler may be looking at any of them.
struct Node {
    /// From `CString::into_raw`, or null. Whoever swaps it out owns it.
    path: AtomicPtr<c_char>,
    next: *const Node,
}

static FIRST: AtomicPtr<Node> = AtomicPtr::new(ptr::null_mut());
/// Nodes without a file. The handler does not take the lock: it only looks at paths.
static FREE: Mutex<Vec<&'static Node>> = Mutex::new(Vec::new());
/// The process that registered first; a child between fork and exec has the same list, but not the same files.
static OWNER: AtomicU32 = AtomicU32::new(0);

/// A file that is removed when a signal ends the process, until this is dropped.
#[derive(Debug)]
pub struct Registration(Option<&'static Node>);

// Nodes are only read but for their atomic path.
impl std::fmt::Debug for Node {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Node")
    }
}

// SAFETY: `next` is set before the node is shared and never changes; it points to a node that is never freed.
unsafe impl Sync for Node {}

/// Has the file at `path`, which should be absolute, removed when a signal ends the process.
pub fn register(path: &Path) -> Registration {
    // A path with a NUL names no file.
    let Ok(path) = CString::new(path.as_os_str().as_bytes()) else { return Registration(None) };
    if OWNER.load(Ordering::Relaxed) == 0 {
        OWNER.store(std::process::id(), Ordering::Relaxed);
    }
    let path = path.into_raw();
    if let Some(node) = FREE.lock().unwrap_or_else(PoisonError::into_inner).pop() {
        node.path.store(path, Ordering::Release);
        return Registration(Some(node));
    }
    let node = Box::leak(Box::new(Node { path: AtomicPtr::new(path), next: ptr::null() }));
    let mut first = FIRST.load(Ordering::Acquire);
    loop {
        node.next = first;
        match FIRST.compare_exchange(first, node, Ordering::AcqRel, Ordering::Acquire) {
            Ok(_) => return Registration(Some(node)),
            Err(now) => first = now,
        }
    }
}

impl Drop for Registration {
    fn drop(&mut self) {
        let Some(node) = self.0 else { return };
        let path = node.path.swap(ptr::null_mut(), Ordering::AcqRel);
        if !path.is_null() {
            // SAFETY: it came from `CString::into_raw`, and the swap made it ours alone.
            drop(unsafe { CString::from_raw(path) });
        }
        FREE.lock().unwrap_or_else(PoisonError::into_inner).push(node);
    }
}

fn nodes() -> impl Iterator<Item = &'static Node> {
    let mut next: *const Node = FIRST.load(Ordering::Acquire);
    std::iter::from_fn(move || {
        // SAFETY: nodes are leaked, so that any pointer to one stays good; the list ends in null.
        let node = unsafe { next.as_ref() }?;
        next = node.next;
        Some(node)
    })
}

/// From now on, the signals that ask a process to end remove the registered files first. A signal that is ignored
/// stays ignored.
pub fn remove_files_on_signals() {
    for signal in [libc::SIGINT, libc::SIGHUP, libc::SIGTERM, libc::SIGQUIT, libc::SIGPIPE] {
        // SAFETY: `handle` does only what may be done in a signal handler: atomics, getpid, unlink, signal, raise.
        unsafe {
            let before = libc::signal(signal, handle as *const () as libc::sighandler_t);
            if before == libc::SIG_IGN {
                libc::signal(signal, libc::SIG_IGN);
            }
        }
    }
}

extern "C" fn handle(signal: c_int) {
    // SAFETY: getpid, unlink, signal and raise may be called in a signal handler; the paths are C strings that the swap
    // made this handler's alone (they are not freed: the allocator may not be called here).
    unsafe {
        if u32::try_from(libc::getpid()) == Ok(OWNER.load(Ordering::Relaxed)) {
            for node in nodes() {
                let path = node.path.swap(ptr::null_mut(), Ordering::AcqRel);
                if !path.is_null() {
                    libc::unlink(path);
                }
            }
        }
        libc::signal(signal, libc::SIG_DFL);
        libc::raise(signal);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_are_used_again() {
        let count = || nodes().count();
        drop(register(Path::new("/nonexistent/a")));
        let before = count();
        for _ in 0..10 {
            drop(register(Path::new("/nonexistent/b")));
        }
        // Other tests register too, a few at a time.
        assert!(count() <= before + 4);
        let both = [register(Path::new("/nonexistent/c")), register(Path::new("/nonexistent/d"))];
        assert!(nodes().filter(|node| !node.path.load(Ordering::Acquire).is_null()).count() >= 2);
        drop(both);
    }
}
