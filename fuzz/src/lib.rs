//! Fuzz targets for every parser of bytes that come from outside.
//!
//! A [`Target`] takes any bytes and must neither panic, hang, nor ask for memory without bound. Those that read files
//! put the bytes in the place of one file of a small repository ([`Fixture`]) and then read everything that is there.
//! `smoke` runs all targets on any compiler; `fuzz_targets/one.rs` runs one of them under libFuzzer.

mod files;
mod fixture;
mod text;
mod worktree;

pub use fixture::Fixture;

/// One parser to be fed.
pub struct Target {
    /// What it is called, by the name of the file or text that it reads.
    pub name: &'static str,
    /// Feeds it.
    pub run: fn(&Fixture, &[u8]),
    /// Good inputs, from which bad ones are made.
    pub seeds: fn(&Fixture) -> Vec<Vec<u8>>,
}

/// All targets.
pub const TARGETS: &[Target] = &[
    Target { name: "loose", run: files::loose, seeds: |f| vec![f.file("loose")] },
    Target { name: "loose-content", run: files::loose_content, seeds: files::loose_content_seeds },
    Target { name: "pack", run: files::pack, seeds: |f| vec![f.file("pack")] },
    Target { name: "delta", run: files::delta, seeds: files::delta_seeds },
    Target { name: "idx", run: files::idx, seeds: |f| vec![f.file("idx")] },
    Target { name: "rev", run: files::rev, seeds: |f| vec![f.file("rev")] },
    Target { name: "midx", run: files::midx, seeds: |f| vec![f.file("midx")] },
    Target { name: "commit-graph", run: files::commit_graph, seeds: |f| vec![f.file("commit-graph")] },
    Target { name: "packed-refs", run: files::packed_refs, seeds: |f| vec![f.file("packed-refs")] },
    Target { name: "reflog", run: files::reflog, seeds: |f| vec![f.file("reflog")] },
    Target { name: "index", run: files::index, seeds: files::index_seeds },
    Target { name: "config", run: text::config, seeds: text::config_seeds },
    Target { name: "object", run: text::object, seeds: text::object_seeds },
    Target { name: "zlib", run: text::zlib, seeds: |f| vec![f.file("loose")] },
    Target { name: "date", run: text::date, seeds: text::date_seeds },
    Target { name: "pathspec", run: text::pathspec, seeds: text::pathspec_seeds },
    Target { name: "wildmatch", run: text::wildmatch, seeds: text::wildmatch_seeds },
    Target { name: "revision-name", run: text::revision_name, seeds: text::revision_name_seeds },
    Target { name: "gitattributes", run: worktree::attributes, seeds: worktree::attributes_seeds },
    Target { name: "gitignore", run: worktree::ignore, seeds: worktree::ignore_seeds },
    Target { name: "content", run: worktree::content, seeds: worktree::content_seeds },
    Target { name: "filter-process", run: worktree::filter_process, seeds: worktree::filter_process_seeds },
    Target { name: "update-ref", run: text::update_ref, seeds: text::update_ref_seeds },
    Target { name: "mailmap", run: text::mailmap, seeds: text::mailmap_seeds },
];
