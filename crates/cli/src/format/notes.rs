//! Which notes are shown with commits, and how (`--notes`, `core.notesRef`, `notes.displayRef`).

use adit::{Environment, NotesTree};
use adit_config::Config;
use adit_object::{ObjectId, ObjectKind, Source};
use bstr::{BString, ByteSlice};

use crate::error::Error;

/// The reference whose notes need no name where they are shown.
const DEFAULT_REF: &str = "refs/notes/commits";

/// What the command line said about notes.
#[derive(Debug, Clone, Default)]
pub struct Choice {
    /// Whether the notes of the default references are shown; `None` when nothing was said.
    defaults: Option<bool>,
    /// Other references, or globs.
    extra: Vec<BString>,
    said: bool,
}

impl Choice {
    /// `--notes`: the default references.
    pub fn show_default(&mut self) {
        self.said = true;
        self.defaults = Some(true);
    }

    /// `--notes=<ref>`: this reference, instead of the default ones unless they are asked for too.
    pub fn show(&mut self, reference: &[u8]) {
        self.said = true;
        self.extra.push(full_name(reference));
        self.defaults.get_or_insert(false);
    }

    /// `--show-notes=<ref>`: this reference beside the default ones.
    pub fn show_beside_default(&mut self, reference: &[u8]) {
        self.said = true;
        self.extra.push(full_name(reference));
        self.defaults.get_or_insert(true);
    }

    /// `--no-notes`: none at all, whatever was said before.
    pub fn show_none(&mut self) {
        *self = Choice { said: true, defaults: None, extra: Vec::new() };
    }

    /// `--no-standard-notes` and `--standard-notes`.
    pub fn set_default(&mut self, shown: bool) {
        self.said |= shown;
        self.defaults = Some(shown);
    }

    /// Whether notes are shown, given that `by_default` they would be.
    pub fn is_on(&self, by_default: bool) -> bool {
        if self.said { self.defaults.is_some() || !self.extra.is_empty() } else { by_default }
    }
}

/// The notes that are shown, of one reference or several.
pub struct Notes<'a> {
    objects: &'a dyn Source,
    trees: Vec<(BString, NotesTree)>,
}

impl<'a> Notes<'a> {
    /// Opens the notes that `choice`, the configuration and the environment ask for. A reference that does not exist
    /// is no error, but for a configured one that is no glob `warn` gets a message.
    ///
    /// # Errors
    /// When references cannot be read.
    pub fn open(
        choice: &Choice,
        (config, env): (&Config, &Environment),
        refs: &adit_refs::Store,
        objects: &'a dyn Source,
        warn: &mut dyn FnMut(String),
    ) -> Result<Self, Error> {
        let mut names: Vec<BString> = Vec::new();
        if choice.defaults.unwrap_or(true) {
            names.push(default_ref(config, env)?);
            match env.var("GIT_NOTES_DISPLAY_REF") {
                Some(list) => names.extend(list.split_str(":").map(BString::from)),
                None => names.extend(config.all(b"notes.displayref").filter_map(|entry| entry.value.clone())),
            }
        }
        names.extend(choice.extra.iter().cloned());
        let mut notes = Notes { objects, trees: Vec::new() };
        for (i, name) in names.iter().enumerate() {
            if adit_text::wildmatch::has_wildcard(name) {
                let prefix = adit_text::wildmatch::literal_prefix_len(name);
                let mut iter = refs.iter(&name[..prefix])?;
                while let Some(entry) = iter.advance()? {
                    let flat = adit_text::wildmatch::Options::FLAT;
                    if adit_text::wildmatch(name, entry.name, flat) {
                        let id = refs.entry_id(&entry)?;
                        notes.add(entry.name, id);
                    }
                }
                continue;
            }
            let found = refs.resolve(name)?.map(|found| found.id);
            if found.is_none() && i > 0 && !name.is_empty() {
                warn(format!("notes ref {name} is invalid"));
            }
            notes.add(name, found);
        }
        Ok(notes)
    }

    fn add(&mut self, name: &[u8], id: Option<ObjectId>) {
        let known = self.trees.iter().any(|(known, _)| known == name);
        // What does not hold a tree has no notes.
        if let Some(tree) = id.filter(|_| !known).and_then(|id| NotesTree::open(self.objects, id).ok()) {
            self.trees.push((name.into(), tree));
        }
    }

    /// Appends the notes on `id`: bare, as `%N` shows them, or titled and indented below a message.
    ///
    /// # Errors
    /// When the notes cannot be read.
    pub fn append(&self, id: &ObjectId, bare: bool, out: &mut Vec<u8>) -> Result<(), Error> {
        let mut text = Vec::new();
        for (name, tree) in &self.trees {
            let Some(blob) = tree.find(self.objects, id)? else { continue };
            if self.objects.read(&blob, &mut text)? != ObjectKind::Blob || text.is_empty() {
                continue;
            }
            if !bare {
                out.extend_from_slice(b"\nNotes");
                if name != DEFAULT_REF {
                    let short = name.strip_prefix(b"refs/").unwrap_or(name);
                    let short = short.strip_prefix(b"notes/").unwrap_or(short);
                    out.extend_from_slice(&[b" (", short, b")"].concat());
                }
                out.extend_from_slice(b":\n");
            }
            for line in text.strip_suffix(b"\n").unwrap_or(&text).split(|&b| b == b'\n') {
                if !bare {
                    out.extend_from_slice(b"    ");
                }
                out.extend_from_slice(line);
                out.push(b'\n');
            }
        }
        Ok(())
    }
}

/// `GIT_NOTES_REF`, `core.notesRef`, or git's own.
fn default_ref(config: &Config, env: &Environment) -> Result<BString, Error> {
    if let Some(name) = env.var("GIT_NOTES_REF") {
        return Ok(name.into());
    }
    Ok(config.string("core.notesref")?.map_or_else(|| DEFAULT_REF.into(), BString::from))
}

/// The full name of a reference given as `x`, `notes/x` or `refs/notes/x`.
fn full_name(reference: &[u8]) -> BString {
    let prefix: &[u8] = if reference.starts_with(b"refs/notes/") {
        b""
    } else if reference.starts_with(b"notes/") {
        b"refs/"
    } else {
        b"refs/notes/"
    };
    [prefix, reference].concat().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_add_up_in_order() {
        let mut choice = Choice::default();
        assert!(choice.is_on(true) && !choice.is_on(false));
        choice.show(b"foo");
        assert_eq!((choice.defaults, choice.is_on(false)), (Some(false), true));
        choice.show_default();
        assert_eq!(choice.defaults, Some(true));
        choice.show_none();
        assert!(!choice.is_on(true) && choice.extra.is_empty());
        choice.show(b"bar");
        assert_eq!(choice.extra, ["refs/notes/bar"]);
    }

    #[test]
    fn short_names_are_completed() {
        assert_eq!(full_name(b"x"), "refs/notes/x");
        assert_eq!(full_name(b"notes/x"), "refs/notes/x");
        assert_eq!(full_name(b"refs/notes/x"), "refs/notes/x");
    }
}
