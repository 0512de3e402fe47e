//! Git history: revision names, walks, limits, merge bases.

pub mod names;
