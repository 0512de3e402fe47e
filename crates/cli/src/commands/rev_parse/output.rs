//! What `rev-parse` prints of revisions, options and paths, by its filters.

use std::io::Write;

use adit::Repository;
use adit_object::ObjectId;
use adit_refs::Shortener;
use adit_revision::names::{Argument, NameError, Names, Tip};
use adit_text::quote::sq_quote;
use bstr::{BStr, BString};

use crate::error::Error;
use crate::names::Said;

/// Whether what a revision reaches is wanted or not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Included,
    Excluded,
}

impl Kind {
    fn reversed(self) -> Self {
        match self {
            Kind::Included => Kind::Excluded,
            Kind::Excluded => Kind::Included,
        }
    }
}

/// How a revision is shown instead of by its id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Symbolic {
    No,
    AsGiven,
    FullName,
    Short { strict: bool },
}

/// What is printed of each class of words.
#[derive(Debug, Clone, Copy)]
pub(super) struct Filter {
    /// Words meant for rev-list.
    pub(super) revisions: bool,
    /// Words that are not.
    pub(super) others: bool,
    /// Words that start with a dash.
    pub(super) flags: bool,
    /// Words that do not.
    pub(super) files: bool,
}

pub(super) struct Output<'a> {
    pub(super) names: Names<'a>,
    pub(super) said: &'a Said<'a>,
    pub(super) filter: Filter,
    pub(super) symbolic: Symbolic,
    pub(super) abbreviation: Option<usize>,
    pub(super) quoted: bool,
    pub(super) quiet: bool,
    /// What stands in for revisions when none is given.
    pub(super) default: Option<BString>,
    /// What paths are shown below.
    pub(super) prefix: Option<BString>,
    shown_kind: Kind,
    repo: &'a Repository,
    out: &'a mut (dyn Write + Send + 'a),
}

impl<'a> Output<'a> {
    pub(super) fn new(
        repo: &'a Repository,
        names: Names<'a>,
        said: &'a Said<'a>,
        out: &'a mut (dyn Write + Send + 'a),
    ) -> Self {
        Output {
            names,
            said,
            filter: Filter { revisions: true, others: true, flags: true, files: true },
            symbolic: Symbolic::No,
            abbreviation: None,
            quoted: false,
            quiet: false,
            default: None,
            prefix: None,
            shown_kind: Kind::Included,
            repo,
            out,
        }
    }

    /// From now on, or no longer, what is included is shown as excluded, and the other way round.
    pub(super) fn negate(&mut self) {
        self.shown_kind = self.shown_kind.reversed();
    }

    /// Prints a line as it is.
    pub(super) fn line(&mut self, text: &dyn std::fmt::Display) -> Result<(), Error> {
        Ok(writeln!(self.out, "{text}")?)
    }

    fn show(&mut self, negated: bool, text: &[u8]) -> Result<(), Error> {
        let mut line = Vec::with_capacity(text.len() + 3);
        if negated {
            line.push(b'^');
        }
        if self.quoted {
            sq_quote(text, &mut line);
            line.push(b' ');
        } else {
            line.extend_from_slice(text);
            line.push(b'\n');
        }
        Ok(self.out.write_all(&line)?)
    }

    /// Prints a revision; `name` is what it was called.
    pub(super) fn revision(&mut self, kind: Kind, id: &ObjectId, name: Option<&BStr>) -> Result<(), Error> {
        if !self.filter.revisions {
            return Ok(());
        }
        self.default = None;
        let negated = kind != self.shown_kind;
        let Some(name) = name.filter(|_| self.symbolic != Symbolic::No) else {
            let mut hex = Vec::with_capacity(64);
            let len = match self.abbreviation {
                Some(min) => self.names.objects().unique_len(id, min)?,
                None => id.format().hex_len(),
            };
            id.append_hex(len, &mut hex);
            return self.show(negated, &hex);
        };
        if self.symbolic == Symbolic::AsGiven {
            return self.show(negated, name);
        }
        let found = match self.names.dwim(name) {
            Ok(found) => found,
            Err(NameError::Unknown) => None,
            Err(error) => return Err(error.into()),
        };
        match found {
            None => Ok(()),
            Some(found) if found.matches > 1 => {
                self.said.error(&format!("refname '{name}' is ambiguous"));
                Ok(())
            }
            Some(found) => match self.symbolic {
                Symbolic::Short { strict } => {
                    let mut shortener = Shortener::new(self.repo.refs()?, strict)?;
                    let short = shortener.shorten(found.name.as_ref())?.to_owned();
                    self.show(negated, &short)
                }
                _ => self.show(negated, &found.name),
            },
        }
    }

    /// Prints what `rev^@`, `rev^!` and `rev^-` stand for.
    pub(super) fn parents(&mut self, argument: Argument) -> Result<(), Error> {
        let (commit, parents): (Option<Tip>, Vec<(usize, Tip)>) = match argument {
            Argument::Parents(tips) => (None, numbered(tips, 1)),
            Argument::Only(mut tips) => {
                let commit = tips.remove(0);
                (Some(commit), numbered(tips, 1))
            }
            Argument::Without { number, parent, commit } => (Some(commit), vec![(number, parent)]),
            Argument::One(_) | Argument::Range { .. } | Argument::Symmetric { .. } => return Ok(()),
        };
        if let Some(commit) = commit {
            self.revision(Kind::Included, &commit.id, Some(commit.name.as_ref()))?;
        }
        for (number, parent) in parents {
            let kind = if parent.excluded { Kind::Excluded } else { Kind::Included };
            let name = BString::from(format!("{}^{number}", parent.name));
            self.revision(kind, &parent.id, Some(name.as_ref()))?;
        }
        Ok(())
    }

    /// Prints the revision that stands in for those that are not given; whether there was one.
    pub(super) fn default(&mut self) -> Result<bool, Error> {
        let Some(name) = self.default.take() else { return Ok(false) };
        match self.names.resolve(&name) {
            Ok(id) => {
                self.revision(Kind::Included, &id, Some(name.as_ref()))?;
                Ok(true)
            }
            Err(NameError::Unknown) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    /// Prints a path; whether paths are printed at all.
    pub(super) fn file(&mut self, path: &BString) -> Result<bool, Error> {
        self.default()?;
        if !self.filter.files || !self.filter.others {
            return Ok(false);
        }
        match &self.prefix {
            Some(prefix) => {
                let joined = super::paths::below(prefix.as_ref(), path.as_ref());
                self.show(false, &joined)?;
            }
            None => self.show(false, path)?,
        }
        Ok(true)
    }

    /// Prints `--` and its like, which stand among revisions and options.
    pub(super) fn separator(&mut self, word: &BString) -> Result<(), Error> {
        if self.filter.flags || self.filter.revisions {
            self.default()?;
            if self.filter.files && self.filter.others {
                self.show(false, word)?;
            }
        }
        Ok(())
    }

    /// Prints an option that is meant for rev-list.
    pub(super) fn rev_list_option(&mut self, word: &[u8]) -> Result<(), Error> {
        if self.filter.flags && self.filter.revisions { self.show(false, word) } else { Ok(()) }
    }

    /// Prints an option of some command, if it is of a class that is printed.
    pub(super) fn flag(&mut self, word: &BString) -> Result<(), Error> {
        let wanted = if is_rev_list_option(word) { self.filter.revisions } else { self.filter.others };
        if self.filter.flags && wanted { self.show(false, word) } else { Ok(()) }
    }
}

fn numbered(tips: Vec<Tip>, first: usize) -> Vec<(usize, Tip)> {
    tips.into_iter().enumerate().map(|(index, tip)| (first + index, tip)).collect()
}

/// The options of rev-list that `rev-parse` knows; not all there are, but those it has always known.
fn is_rev_list_option(word: &[u8]) -> bool {
    const WHOLE: [&[u8]; 16] = [
        b"--date-order",
        b"--dense",
        b"--header",
        b"--ignore-missing",
        b"--no-max-parents",
        b"--no-merges",
        b"--no-min-parents",
        b"--objects",
        b"--objects-edge",
        b"--parents",
        b"--pretty",
        b"--sparse",
        b"--topo-order",
        b"--unpacked",
        b"--all",
        b"--bisect",
    ];
    const STARTS: [&[u8]; 5] =
        [b"--max-age=", b"--max-count=", b"--max-parents=", b"--min-age=", b"--min-parents="];
    word.get(1).is_some_and(u8::is_ascii_digit)
        || word.starts_with(b"-n")
        || WHOLE.contains(&word)
        || STARTS.iter().any(|start| word.starts_with(start))
}
