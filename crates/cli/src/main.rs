//! The adit command line.
fn main() {}
