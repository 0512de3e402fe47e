//! The operating system for Adit: the one crate with unsafe code.
