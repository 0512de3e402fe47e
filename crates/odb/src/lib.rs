//! Git's object store: loose objects, packs, indexes, commit-graph.
