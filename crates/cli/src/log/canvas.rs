//! The text of commits beside the graph of their history (`--graph`).

use adit::Repository;
use adit_revision::graph::Graph;
use bstr::ByteSlice;

use super::reporter::Node;
use super::setup::Setup;
use crate::error::Error;

/// The colours of lanes where `log.graphColors` names none.
const COLORS: [&str; 12] = [
    "red",
    "green",
    "yellow",
    "blue",
    "magenta",
    "cyan",
    "bold red",
    "bold green",
    "bold yellow",
    "bold blue",
    "bold magenta",
    "bold cyan",
];

/// Puts the rows of a graph before the lines of entries and changes.
pub(super) struct Canvas {
    graph: Graph,
    /// What ends or sets apart entries.
    separator: u8,
    sets_apart: bool,
    is_terminated: bool,
    /// Whether the last entry ended inside a line.
    line_is_open: bool,
    any: bool,
}

impl Canvas {
    /// A canvas without anything on it.
    pub(super) fn new(repo: &Repository, setup: &Setup<'_>) -> Result<Self, Error> {
        let palette = setup.lookups.palette();
        let colors = if palette.reset.is_empty() { Vec::new() } else { colors(repo)? };
        let entries = setup.lookups.style();
        Ok(Canvas {
            graph: Graph::new(colors, palette.reset.clone()),
            separator: if setup.diff.show.names.nul { 0 } else { b'\n' },
            sets_apart: !entries.is_terminated,
            is_terminated: entries.is_terminated
                && !entries.layout.template().is_some_and(|template| template.is_empty()),
            line_is_open: false,
            any: false,
        })
    }

    /// Goes on to a commit, which may not be shown.
    pub(super) fn start(&mut self, node: &Node) {
        self.graph.start(node.commit, node.mark, &node.parents);
    }

    /// Appends the text of the commit, of which the first `entry` bytes are its entry, with the graph before each line.
    pub(super) fn paint(&mut self, text: &[u8], entry: usize, out: &mut Vec<u8>) {
        let (mut message, changes) = text.split_at(entry);
        if self.sets_apart {
            message = message.get(1..).unwrap_or_default();
            if self.any {
                if self.separator == b'\n' && !self.line_is_open {
                    self.graph.padding_row(out);
                }
                out.push(self.separator);
            }
        }
        self.any = true;
        self.rows_to_the_mark(out);
        if self.is_terminated {
            message = message.split_last().map_or(message, |(_, message)| message);
        }
        self.line_is_open = !message.ends_with(b"\n");
        self.message(message, out);
        if self.is_terminated {
            if !self.line_is_open {
                self.graph.padding_row(out);
            }
            out.push(self.separator);
        }
        for line in changes.lines_with_terminator() {
            self.graph.padding_row(out);
            out.extend_from_slice(line);
        }
    }

    fn rows_to_the_mark(&mut self, out: &mut Vec<u8>) {
        while !self.graph.next_row(out) {
            out.push(b'\n');
        }
    }

    /// The lines of a message and the rows beside them; rows that are left over follow.
    fn message(&mut self, message: &[u8], out: &mut Vec<u8>) {
        for (i, line) in message.lines_with_terminator().enumerate() {
            if i > 0 {
                self.graph.next_row(out);
            }
            out.extend_from_slice(line);
        }
        if self.graph.is_settled() {
            return;
        }
        if self.line_is_open {
            out.push(b'\n');
        }
        loop {
            self.graph.next_row(out);
            if self.graph.is_settled() {
                break;
            }
            out.push(b'\n');
        }
        if !self.line_is_open {
            out.push(b'\n');
        }
    }
}

/// The colours of lanes, as sequences for the terminal.
fn colors(repo: &Repository) -> Result<Vec<String>, Error> {
    let configured = repo.config().string("log.graphcolors")?;
    let names: Vec<&str> = match configured {
        Some(list) => list.to_str().unwrap_or_default().split(',').map(str::trim).collect(),
        None => COLORS.to_vec(),
    };
    Ok(names.into_iter().filter_map(|name| adit_text::color::parse(name).ok()).collect())
}
