//! Who runs the process.

/// The effective user id.
pub fn effective_user_id() -> u32 {
    rustix::process::geteuid().as_raw()
}
