//! Running a compiled user format on a commit.

use adit::signature::Verification;
use adit_object::commit_write::without_signature;
use adit_object::{Commit, ObjectId};
use adit_text::trailers::{Item as TrailerItem, Rules, block, items, unfold};
use adit_text::wrap::{Start, wrap};
use bstr::{BString, ByteSlice};

use super::printer::Text;
use super::template::{Field, Item, Magic, Margins, PersonPart, Placeholder, Template};
use super::{Printer, Shown, TrailerStyle};
use crate::error::Error;
use crate::format::color::LogPalette;

/// One run of a format.
struct Run<'r> {
    printer: &'r Printer<'r>,
    shown: &'r Shown<'r>,
    text: &'r Text<'r>,
    out: &'r mut Vec<u8>,
    /// Where this commit's text starts in `out`.
    start: usize,
    /// Where the text starts that is to be wrapped, and how.
    wrap_from: usize,
    margins: Margins,
    /// What came of checking the commit's signature, once that was asked for.
    checked: Option<Verification>,
}

impl Printer<'_> {
    /// Appends what `template` makes of the commit.
    pub(super) fn expand(
        &self,
        template: &Template,
        shown: &Shown<'_>,
        text: &Text<'_>,
        out: &mut Vec<u8>,
    ) -> Result<(), Error> {
        let start = out.len();
        let margins = Margins::default();
        let mut run =
            Run { printer: self, shown, text, out, start, wrap_from: start, margins, checked: None };
        for item in &template.items {
            match item {
                Item::Text(text) => run.out.extend_from_slice(text),
                Item::Placeholder(placeholder) => run.placeholder(placeholder)?,
                Item::Wrap(margins) => run.change_margins(*margins),
            }
        }
        run.change_margins(Margins::default());
        let encoding = &self.encoding;
        if !encoding.is_empty()
            && let Some(converted) = adit_text::encoding::reencode(&out[start..], "UTF-8", encoding)
        {
            out.truncate(start);
            out.extend_from_slice(&converted);
        }
        Ok(())
    }
}

impl Run<'_> {
    fn change_margins(&mut self, margins: Margins) {
        if margins == self.margins {
            return;
        }
        // git handles the text as a C string here, whatever its margins: a zero byte ends it.
        let mut text = self.out.split_off(self.wrap_from);
        text.truncate(text.find_byte(0).unwrap_or(text.len()));
        let Margins { width, first, rest } = self.margins;
        wrap(&text, Start::Indent(first), rest, width, self.out);
        self.margins = margins;
        self.wrap_from = self.out.len();
    }

    fn placeholder(&mut self, placeholder: &Placeholder) -> Result<(), Error> {
        let start = self.out.len();
        let mut literal = None;
        for field in &placeholder.fields {
            // Padded text is laid out on its own, so that a colour that ends there has nothing before it.
            let nothing_before = self.out.len() == if placeholder.pad.is_some() { start } else { self.start };
            if !self.field(field, nothing_before)? {
                literal = Some(field);
            }
        }
        if let Some(pad) = placeholder.pad {
            pad.apply(start, self.start, self.out);
        }
        match placeholder.magic {
            None => {}
            Some(Magic::NoNewlines) if self.out.len() <= start => {
                while self.out.len() > self.start && self.out.last() == Some(&b'\n') {
                    self.out.pop();
                }
            }
            // Where padding took spaces away before the text, git still counts from where it began.
            Some(Magic::Newline) if self.out.len() > start => self.out.insert(start, b'\n'),
            Some(Magic::Space) if self.out.len() > start => self.out.insert(start, b' '),
            Some(_) => {}
        }
        if let Some(field) = literal {
            field.append_as_written(placeholder.magic.is_none(), self.out);
        }
        Ok(())
    }

    /// Appends a field; false when git leaves the placeholder as it stands.
    fn field(&mut self, field: &Field, nothing_before: bool) -> Result<bool, Error> {
        let (printer, shown, text) = (self.printer, self.shown, self.text);
        let out = &mut *self.out;
        match field {
            Field::Text(text) => out.extend_from_slice(text),
            Field::EndColor if !nothing_before => out.extend_from_slice(adit_text::color::RESET.as_bytes()),
            Field::EndColor => {}
            Field::Id { short, colored } => {
                let palette = &printer.palette;
                out.extend_from_slice(if *colored { palette.commit.as_bytes() } else { b"" });
                self.id(&shown.id, *short)?;
                self.out.extend_from_slice(if *colored { palette.reset.as_bytes() } else { b"" });
            }
            Field::Tree { short } => self.id(&text.commit.tree(), *short)?,
            Field::Parents { short } => {
                for (i, parent) in shown.parents().iter().enumerate() {
                    self.out.extend_from_slice(if i > 0 { b" " } else { b"" });
                    self.id(parent, *short)?;
                }
            }
            Field::Author(part) => {
                return Ok(self.person(*part, last_line(&text.commit, "author")));
            }
            Field::Committer(part) => {
                return Ok(self.person(*part, last_line(&text.commit, "committer")));
            }
            Field::Decorations { style, colored } => {
                let off = LogPalette::default();
                let palette = if *colored { &printer.palette } else { &off };
                if let Some(decorations) = printer.decorations {
                    decorations.append(&shown.id, style, palette, out);
                }
            }
            Field::Describe(style) => match printer.describe {
                Some(describe) => describe(&shown.id, style, out)?,
                None => return Err(Error::unsupported("%(describe)")),
            },
            Field::Source => out.extend_from_slice(shown.source.unwrap_or_default()),
            Field::Encoding => out.extend_from_slice(shown.commit.encoding().unwrap_or_default()),
            Field::Subject => text.message.append_subject(out),
            Field::SanitizedSubject => text.message.append_sanitized_subject(out),
            Field::Body => out.extend_from_slice(text.message.body),
            Field::RawBody => out.extend_from_slice(text.message.whole),
            Field::Notes => match printer.notes {
                Some(notes) => notes.append(&shown.id, true, out)?,
                None => return Ok(false),
            },
            Field::Signature(letter) => self.signature(*letter)?,
            Field::Reflog(letter) => return Ok(self.reflog(*letter)),
            Field::Mark => out.push(shown.mark),
            Field::Trailers(style) => self.trailers(style),
        }
        Ok(true)
    }

    fn id(&mut self, id: &ObjectId, short: bool) -> Result<(), Error> {
        if short {
            return self.printer.abbrev.append(id, self.out);
        }
        id.append_hex(usize::MAX, self.out);
        Ok(())
    }

    fn person(&mut self, part: PersonPart, line: Option<&[u8]>) -> bool {
        part.append(line, &self.printer.dates, self.printer.mailmap, self.out)
    }

    fn reflog(&mut self, letter: u8) -> bool {
        let Some(entry) = self.shown.reflog else { return true };
        match letter {
            b'D' => self.out.extend_from_slice(entry.selector),
            b'd' => self.out.extend_from_slice(entry.short_selector),
            b's' => self.out.extend_from_slice(entry.message),
            part => return self.person(PersonPart(part), Some(entry.who)),
        }
        true
    }

    /// `%G?` and its kin.
    fn signature(&mut self, letter: u8) -> Result<(), Error> {
        let checked = match self.checked.take() {
            Some(checked) => checked,
            None => self.check_signature()?,
        };
        let text = match letter {
            b'?' => {
                self.out.extend_from_slice(checked.letter().encode_utf8(&mut [0; 4]).as_bytes());
                None
            }
            b'T' => Some(checked.trust.as_str().into()),
            b'G' => Some(checked.output.clone()),
            b'S' => checked.signer.clone(),
            b'K' => checked.key.clone(),
            b'F' => checked.fingerprint.clone(),
            _ => checked.primary_fingerprint.clone(),
        };
        self.out.extend_from_slice(&text.unwrap_or_else(BString::default));
        self.checked = Some(checked);
        Ok(())
    }

    fn check_signature(&self) -> Result<Verification, Error> {
        let Some((payload, signature)) = without_signature(self.shown.commit.bytes(), self.shown.id.format())
        else {
            return Ok(Verification::default());
        };
        match self.printer.signatures {
            Some(repo) => Ok(repo.verify_signature(&payload, &signature)?),
            None => Err(Error::unsupported("checking the signature of a commit here (%G)")),
        }
    }

    fn trailers(&mut self, style: &TrailerStyle) {
        style.append_block(self.text.message.subject_on, &self.printer.trailers, self.out);
    }
}

impl TrailerStyle {
    /// Appends the trailers at the end of a message, which starts with its subject.
    pub(crate) fn append_block(&self, message: &[u8], rules: &Rules<'_>, out: &mut Vec<u8>) {
        let block = &message[block(message, rules)];
        if self.is_plain() {
            out.extend_from_slice(block);
            return;
        }
        let mut first = true;
        for item in items(block, rules) {
            match item {
                TrailerItem::Other(_) if self.only => continue,
                TrailerItem::Trailer { key, .. } if !self.wants(key) => continue,
                _ => {}
            }
            if let Some(separator) = self.separator.as_ref().filter(|_| !first) {
                out.extend_from_slice(separator);
            }
            first = false;
            match item {
                TrailerItem::Other(line) => out.extend_from_slice(line),
                TrailerItem::Trailer { key, value } => self.append(key, value, out),
            }
            if self.separator.is_none() {
                out.push(b'\n');
            }
        }
    }

    fn wants(&self, key: &[u8]) -> bool {
        self.keys.as_ref().is_none_or(|keys| keys.iter().any(|wanted| wanted.eq_ignore_ascii_case(key)))
    }

    fn append(&self, key: &[u8], value: &[u8], out: &mut Vec<u8>) {
        if !self.value_only {
            out.extend_from_slice(key);
        }
        if !self.key_only && !self.value_only {
            out.extend_from_slice(
                self.key_value_separator.as_ref().map_or(b": ", |separator| separator.as_bytes()),
            );
        }
        if self.key_only {
            return;
        }
        if self.unfold {
            unfold(value, out);
        } else {
            out.extend_from_slice(value);
        }
    }
}

impl Field {
    /// Appends the placeholder as it was written. After a sign (`%+aI`) git has taken the `%` already.
    fn append_as_written(&self, percent: bool, out: &mut Vec<u8>) {
        out.extend_from_slice(if percent { b"%" } else { b"" });
        match self {
            Field::Author(part) => out.extend_from_slice(&[b'a', part.0]),
            Field::Committer(part) => out.extend_from_slice(&[b'c', part.0]),
            Field::Reflog(letter) => out.extend_from_slice(&[b'g', *letter]),
            Field::Notes => out.push(b'N'),
            _ => {}
        }
    }
}

/// The last header line of that name: where a commit has two authors, formats name the second.
fn last_line<'c>(commit: &Commit<'c>, name: &str) -> Option<&'c [u8]> {
    commit.fields().filter(|field| field.name == name).last().map(|field| field.value.as_ref())
}
