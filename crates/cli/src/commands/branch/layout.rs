//! What a line of a listing of branches looks like: a format made from the options.

use adit_config::Config;
use adit_text::width::display_width;
use bstr::ByteSlice;

use crate::error::Error;
use crate::format::color::slot;
use crate::format::ref_filter::{Kinds, Row};

/// The escape sequences of the parts of a line (`color.branch.<slot>`).
#[derive(Debug, Clone, Default)]
pub(super) struct Colors {
    reset: String,
    remote: String,
    local: String,
    current: String,
    upstream: String,
    worktree: String,
}

impl Colors {
    pub(super) fn read(config: &Config, wanted: bool) -> Result<Self, Error> {
        if !wanted {
            return Ok(Colors::default());
        }
        let read = |name: &str, default| slot(config, &format!("color.branch.{name}"), default);
        Ok(Colors {
            reset: read("reset", "\x1b[m")?,
            remote: read("remote", "\x1b[31m")?,
            local: read("local", "")?,
            current: read("current", "\x1b[32m")?,
            upstream: read("upstream", "\x1b[34m")?,
            worktree: read("worktree", "\x1b[36m")?,
        })
    }
}

pub(super) struct Layout {
    pub(super) kinds: Kinds,
    pub(super) verbose: u32,
    /// The fewest digits of ids.
    pub(super) abbrev: Option<usize>,
    /// The width of the widest name.
    pub(super) names_width: usize,
}

/// What stands before the names of remote-tracking branches among others.
fn remote_prefix(kinds: Kinds) -> &'static str {
    if kinds == Kinds::Remotes { "" } else { "remotes/" }
}

impl Layout {
    /// The format of a line.
    pub(super) fn format(&self, colors: &Colors) -> String {
        let Colors { reset, remote, local, current, upstream, worktree } = colors;
        let prefix = remote_prefix(self.kinds);
        let mark = format!(
            "%(if)%(HEAD)%(then)* {current}%(else)%(if)%(worktreepath)%(then)+ {worktree}%(else)  {local}%(end)%(end)"
        );
        let id = match self.abbrev {
            None => "%(objectname:short)".to_owned(),
            // No abbreviation, either asked for or by a length of nothing.
            Some(0 | usize::MAX) => "%(objectname)".to_owned(),
            Some(digits) => format!("%(objectname:short={digits})"),
        };
        let width = self.names_width;
        let (ours, theirs) = match self.verbose {
            0 => {
                let link = "%(if)%(symref)%(then) -> %(symref:short)%(end)";
                (
                    format!("{mark}%(refname:lstrip=2){reset}{link}"),
                    format!("  {remote}{prefix}%(refname:lstrip=2){reset}{link}"),
                )
            }
            verbose => {
                let name = format!("%(align:{width},left)%(refname:lstrip=2)%(end){reset} {id} ");
                let tracking = if verbose > 1 {
                    format!(
                        "%(if:notequals=*)%(HEAD)%(then)%(if)%(worktreepath)%(then)({worktree}%(worktreepath){reset}) \
                         %(end)%(end)%(if)%(upstream)%(then)[{upstream}%(upstream:short){reset}%(if)%(upstream:track)\
                         %(then): %(upstream:track,nobracket)%(end)] %(end)"
                    )
                } else {
                    "%(if)%(upstream:track)%(then)%(upstream:track) %(end)".to_owned()
                };
                (
                    format!("{mark}{name}{tracking}%(contents:subject)"),
                    format!(
                        "  {remote}%(align:{width},left){prefix}%(refname:lstrip=2)%(end){reset}\
                         %(if)%(symref)%(then) -> %(symref:short)%(else) {id} %(contents:subject)%(end)"
                    ),
                )
            }
        };
        format!("%(if:notequals=refs/remotes)%(refname:rstrip=-2)%(then){ours}%(else){theirs}%(end)")
    }
}

/// The width of the widest name.
pub(super) fn widest(rows: &[Row], kinds: Kinds) -> usize {
    let width = |row: &Row| match &row.description {
        Some(description) => display_width(description, false),
        None => match row.name.strip_prefix(b"refs/remotes/") {
            Some(short) => remote_prefix(kinds).len() + display_width(short, false),
            None => {
                display_width(row.name.strip_prefix(b"refs/heads/").unwrap_or(&row.name).as_bstr(), false)
            }
        },
    };
    rows.iter().map(width).max().unwrap_or(0)
}
