//! Git history: revision names, walks, limits, merge bases.
