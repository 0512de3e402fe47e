//! Which lines differ between two files: the same ones that git finds.
//!
//! [`diff`] cuts both files into lines, gives equal lines equal numbers, finds a common subsequence by one of three
//! algorithms, and slides each change to where it reads best. The parts:
//!
//! - `side`: where the lines of a file lie, for the part of it that matters;
//! - `whitespace`: what makes two lines equal;
//! - `intern`: numbers for lines;
//! - `classic`, `discard`, `myers`: Myers' algorithm with the short cuts that make it fast on real files;
//! - `histogram`, `patience`: the other two algorithms;
//! - `compact`, `indent`: sliding changes.
//!
//! Nothing is allocated for a line: all tables live in a [`Workspace`], which a caller keeps between files.
//!
//! ```
//! use adit_diff::lines;
//!
//! let (mut workspace, mut changes) = (lines::Workspace::default(), Vec::new());
//! lines::diff(b"a\nb\nc\n", b"a\nc\nd\n", &lines::Options::default(), &mut workspace, &mut changes)?;
//! assert_eq!(changes.len(), 2);
//! assert_eq!((changes[0].old.line, changes[0].old.lines, changes[0].new.lines), (1, 1, 0));
//! # Ok::<(), lines::TooLarge>(())
//! ```

mod classic;
mod compact;
mod discard;
mod histogram;
mod indent;
mod intern;
mod myers;
mod patience;
mod side;
mod whitespace;

use bstr::BString;

use self::classic::Classic;
use self::histogram::Histogram;
use self::intern::Interner;
use self::patience::Patience;
use self::side::Side;
pub(crate) use self::side::count_lines;
pub use self::whitespace::{Whitespace, is_blank};
pub(crate) use self::whitespace::{is_space, same as same_line};

/// Files longer than this many bytes are not compared by line; git has the same limit.
pub const MAX_LEN: usize = 1023 * 1024 * 1024;

/// How many unchanged lines around the changed part are looked at before the whole file is.
const MARGIN: usize = 48;

/// A file is over [`MAX_LEN`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("file too large to compare by line")]
pub struct TooLarge;

/// How to find the lines that two files share (`--diff-algorithm`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Algorithm {
    /// The fewest changed lines, or nearly so.
    #[default]
    Myers,
    /// Grow the match around the rarest line both files have.
    Histogram,
    /// Match the lines that both files have exactly once, first.
    Patience,
}

impl Algorithm {
    /// The algorithm that `--diff-algorithm` and `diff.algorithm` call by this name, and whether it is the minimal
    /// one.
    pub fn from_name(name: &[u8]) -> Option<(Self, bool)> {
        Some(match name.to_ascii_lowercase().as_slice() {
            b"myers" | b"default" => (Algorithm::Myers, false),
            b"minimal" => (Algorithm::Myers, true),
            b"patience" => (Algorithm::Patience, false),
            b"histogram" => (Algorithm::Histogram, false),
            _ => return None,
        })
    }
}

/// How to compare.
#[derive(Debug, Clone)]
pub struct Options {
    /// Which algorithm.
    pub algorithm: Algorithm,
    /// Spend the time to find the smallest difference (`--minimal`).
    pub minimal: bool,
    /// Which lines count as equal.
    pub whitespace: Whitespace,
    /// Slide changes to where the indentation suggests a block starts (`--indent-heuristic`).
    pub indent_heuristic: bool,
    /// Lines that start with one of these, and are unique on both sides, are kept in place (`--anchored`); only
    /// [`Algorithm::Patience`] looks at them.
    pub anchors: Vec<BString>,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            algorithm: Algorithm::Myers,
            minimal: false,
            whitespace: Whitespace::Exact,
            indent_heuristic: true,
            anchors: Vec::new(),
        }
    }
}

/// A run of lines of one file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Span {
    /// The first line, counted from 0; when there are no lines, the line before which they would be.
    pub line: u32,
    /// How many lines.
    pub lines: u32,
    /// The byte where the first line starts.
    pub start: u32,
    /// The byte after the last line.
    pub end: u32,
}

impl Span {
    /// The line after the last one.
    pub fn line_end(&self) -> u32 {
        self.line + self.lines
    }

    /// The bytes of the lines, in the file they were found in.
    pub fn of<'a>(&self, file: &'a [u8]) -> &'a [u8] {
        &file[self.start as usize..self.end as usize]
    }
}

/// Lines of the old file that became lines of the new one; one of the two may be none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Change {
    /// The lines that are gone.
    pub old: Span,
    /// The lines that came.
    pub new: Span,
}

/// Tables that are kept from one comparison to the next, so that the next need not allocate.
#[derive(Debug, Default)]
pub struct Workspace {
    old: Side,
    new: Side,
    interner: Interner,
    classic: Classic,
    histogram: Histogram,
    patience: Patience,
}

/// The lines that were looked at do not suffice to decide where a change belongs.
struct WindowTooSmall;

/// Finds the changes that turn `old` into `new`, in order, and puts them into `changes`.
pub fn diff(
    old: &[u8],
    new: &[u8],
    options: &Options,
    workspace: &mut Workspace,
    changes: &mut Vec<Change>,
) -> Result<(), TooLarge> {
    changes.clear();
    if old.len() > MAX_LEN || new.len() > MAX_LEN {
        return Err(TooLarge);
    }
    if old == new {
        return Ok(());
    }
    // Most changes are small and stay where they are: look at the lines around them, and at all of them only when
    // that was too few.
    if workspace.run(old, new, options, MARGIN).is_err() {
        let whole = workspace.run(old, new, options, usize::MAX);
        debug_assert!(whole.is_ok(), "the whole file is enough");
    }
    side::collect(&workspace.old, &workspace.new, changes);
    Ok(())
}

/// Cuts off the end that both files share, by blocks, but for its first line.
///
/// git compares files without it when no context will be shown, and that can change what is found. Offsets into the
/// result hold for the whole files.
pub fn without_common_tail<'a>(old: &'a [u8], new: &'a [u8]) -> (&'a [u8], &'a [u8]) {
    const BLOCK: usize = 1024;
    let blocks = old.rchunks_exact(BLOCK).zip(new.rchunks_exact(BLOCK));
    let shared = blocks.take_while(|(x, y)| x == y).count() * BLOCK;
    let tail = &old[old.len() - shared..];
    let line = memchr::memchr(b'\n', tail).map_or(shared, |newline| newline + 1);
    let cut = shared - line;
    (&old[..old.len() - cut], &new[..new.len() - cut])
}

impl Workspace {
    fn run(
        &mut self,
        old: &[u8],
        new: &[u8],
        options: &Options,
        margin: usize,
    ) -> Result<(), WindowTooSmall> {
        // The other algorithms look at how often a line occurs in the whole file.
        let (prefix, suffix) = match options.algorithm {
            Algorithm::Myers => side::common_ends(old, new),
            _ => (0, 0),
        };
        self.old.split(old, prefix, suffix, margin);
        self.new.split(new, prefix, suffix, margin);
        if self.old.core.is_empty() || self.new.core.is_empty() {
            self.old.mark_core();
            self.new.mark_core();
        } else {
            self.compare(old, new, options, prefix, suffix);
        }
        let whitespace = options.whitespace;
        compact::compact(
            compact::Lines { file: old, side: &mut self.old, whitespace },
            compact::Lines { file: new, side: &mut self.new, whitespace },
            options,
            &mut self.classic,
        )
    }

    /// Marks the changed lines of both cores.
    fn compare(&mut self, old: &[u8], new: &[u8], options: &Options, prefix: usize, suffix: usize) {
        let Workspace { old: a, new: b, interner, classic, histogram, patience } = self;
        let shared = interner.number(old, a, new, b, options.whitespace);
        if !shared {
            a.mark_core();
            b.mark_core();
            return;
        }
        let classes = interner.len();
        let numbers = classic::Pair {
            old: &a.classes,
            new: &b.classes,
            changed_old: &mut a.changed[a.core.clone()],
            changed_new: &mut b.changed[b.core.clone()],
        };
        match options.algorithm {
            Algorithm::Myers => {
                let whitespace = options.whitespace;
                let outside = classic::Outside { interner, old, new, prefix, suffix, whitespace };
                classic.diff_cores(numbers, outside, options.minimal);
            }
            Algorithm::Histogram => histogram.diff(numbers, classes, options.minimal, classic),
            Algorithm::Patience => {
                let anchored = patience::Anchors { file: old, starts: &a.starts, texts: &options.anchors };
                patience.diff(numbers, classes, options.minimal, anchored, classic);
            }
        }
    }
}
