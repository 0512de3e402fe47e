//! Differences between files and trees, as git shows them.
