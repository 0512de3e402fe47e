//! User formats (`format:` and `tformat:`), compiled once and run for each commit (pretty-formats).

use bstr::{BString, ByteSlice};

use super::options::{DecorateStyle, DescribeStyle, TrailerStyle};
use super::pad::Pad;
use super::{FormatError, escapes};

/// A compiled format.
#[derive(Debug, Clone, Default)]
pub struct Template {
    pub(super) items: Vec<Item>,
    needs: Needs,
}

/// What a format needs to be looked up or read before it can run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Needs {
    /// Names of references.
    pub decorations: bool,
    /// Notes.
    pub notes: bool,
    /// The mailmap.
    pub mailmap: bool,
    /// The reference by which each commit was reached.
    pub source: bool,
    /// `git describe`.
    pub describe: bool,
}

#[derive(Debug, Clone)]
pub(super) enum Item {
    /// Text as it is.
    Text(BString),
    /// A placeholder, or several that are padded as one.
    Placeholder(Placeholder),
    /// `%w(...)`: wrap what follows.
    Wrap(Margins),
}

#[derive(Debug, Clone, Default)]
pub(super) struct Placeholder {
    pub(super) magic: Option<Magic>,
    pub(super) pad: Option<Pad>,
    pub(super) fields: Vec<Field>,
}

/// The sign between `%` and a placeholder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Magic {
    /// `%+x`: a newline before what is not empty.
    Newline,
    /// `% x`: a space before what is not empty.
    Space,
    /// `%-x`: no newlines before what is empty.
    NoNewlines,
}

/// The arguments of `%w(...)`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Margins {
    pub(super) width: usize,
    pub(super) first: usize,
    pub(super) rest: usize,
}

#[derive(Debug, Clone)]
pub(super) enum Field {
    /// Literal bytes: `%n`, `%x41`, a colour's escape sequence.
    Text(BString),
    /// `%C(auto)`: ends the colour that is on, if anything precedes.
    EndColor,
    Id {
        short: bool,
        colored: bool,
    },
    Tree {
        short: bool,
    },
    Parents {
        short: bool,
    },
    Author(PersonPart),
    Committer(PersonPart),
    Decorations {
        style: DecorateStyle,
        colored: bool,
    },
    Describe(DescribeStyle),
    Source,
    Encoding,
    Subject,
    SanitizedSubject,
    Body,
    RawBody,
    Notes,
    /// `%G?` and its kin, by its letter.
    Signature(u8),
    /// `%gd` and its kin, by its letter.
    Reflog(u8),
    Mark,
    Trailers(TrailerStyle),
}

/// Which part of an ident line, by the placeholder's letter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PersonPart(pub(super) u8);

impl Template {
    /// Compiles a format. `color` says whether colours are on, `columns` how wide the terminal is.
    ///
    /// # Errors
    /// When it holds a colour that is none.
    pub fn parse(format: &[u8], color: bool, columns: usize) -> Result<Self, FormatError> {
        let mut parser = Parser {
            rest: format,
            color,
            columns,
            auto_color: false,
            pad: None,
            template: Template::default(),
        };
        while !parser.rest.is_empty() {
            parser.step()?;
        }
        Ok(parser.template)
    }

    /// Whether it is the empty format.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// What it needs.
    pub fn needs(&self) -> Needs {
        self.needs
    }
}

struct Parser<'f> {
    rest: &'f [u8],
    color: bool,
    columns: usize,
    /// Whether `%C(auto)` is in force.
    auto_color: bool,
    /// The padding that the next placeholder gets.
    pad: Option<Pad>,
    template: Template,
}

impl Parser<'_> {
    /// Takes text up to a `%`, or what the `%` introduces.
    fn step(&mut self) -> Result<(), FormatError> {
        let text = self.rest.find_byte(b'%').unwrap_or(self.rest.len());
        self.text(&self.rest[..text]);
        self.rest = &self.rest[text..];
        let Some(after) = self.rest.strip_prefix(b"%") else { return Ok(()) };
        if let Some(rest) = after.strip_prefix(b"%") {
            self.text(b"%");
            self.rest = rest;
            return Ok(());
        }
        self.rest = after;
        let mut placeholder = Placeholder { magic: self.magic(), pad: None, fields: Vec::new() };
        let known = match placeholder.magic {
            None => self.layout() || self.placeholder(&mut placeholder)?,
            // Wrapping never expands to anything, so that a sign before it makes no sense.
            Some(_) if self.rest.starts_with(b"w") => {
                self.rest = after;
                self.text(b"%");
                return Ok(());
            }
            Some(_) => {
                if !self.layout() {
                    self.placeholder(&mut placeholder)?;
                }
                true
            }
        };
        self.push(placeholder);
        if !known {
            self.text(b"%");
        }
        Ok(())
    }

    fn magic(&mut self) -> Option<Magic> {
        let magic = match self.rest.first()? {
            b'+' => Magic::Newline,
            b' ' => Magic::Space,
            b'-' => Magic::NoNewlines,
            _ => return None,
        };
        self.rest = &self.rest[1..];
        Some(magic)
    }

    /// Takes `<(...)` or `w(...)`, unless padding is pending: then it is a placeholder like others.
    fn layout(&mut self) -> bool {
        if let Some((pad, rest)) = Pad::parse(self.rest, self.columns) {
            if self.pad.is_some() {
                self.push_padding_alone();
            } else {
                self.pad = Some(pad);
            }
            self.rest = rest;
            return true;
        }
        let Some((margins, rest)) = Margins::parse(self.rest) else { return false };
        self.push_padding_alone();
        self.template.items.push(Item::Wrap(margins));
        self.rest = rest;
        true
    }

    /// Takes a placeholder; when padding is pending, colours stick to the placeholder behind them.
    fn placeholder(&mut self, placeholder: &mut Placeholder) -> Result<bool, FormatError> {
        placeholder.pad = self.pad.take();
        let mut known = false;
        loop {
            let is_color = self.rest.first() == Some(&b'C');
            let Some(field) = self.field()? else { return Ok(known) };
            placeholder.fields.push(field);
            known = true;
            match self.rest.strip_prefix(b"%") {
                Some(after) if is_color && placeholder.pad.is_some() => self.rest = after,
                _ => return Ok(true),
            }
        }
    }

    fn push_padding_alone(&mut self) {
        if let Some(pad) = self.pad.take() {
            self.push(Placeholder { magic: None, pad: Some(pad), fields: Vec::new() });
        }
    }

    fn push(&mut self, placeholder: Placeholder) {
        match (placeholder.magic, &placeholder.pad, &placeholder.fields[..]) {
            (None, None, []) => {}
            (None, None, [Field::Text(text)]) => {
                let text = text.clone();
                self.text(&text);
            }
            _ => self.template.items.push(Item::Placeholder(placeholder)),
        }
    }

    fn text(&mut self, text: &[u8]) {
        if text.is_empty() {
            return;
        }
        if let Some(Item::Text(last)) = self.template.items.last_mut() {
            last.extend_from_slice(text);
        } else {
            self.template.items.push(Item::Text(text.into()));
        }
    }

    /// Takes one placeholder's letters; `None`, and nothing taken, when they are none.
    fn field(&mut self) -> Result<Option<Field>, FormatError> {
        let Some(&letter) = self.rest.first() else { return Ok(None) };
        let simple = match letter {
            b'H' | b'h' => Field::Id { short: letter == b'h', colored: self.auto_color && self.color },
            b'T' | b't' => Field::Tree { short: letter == b't' },
            b'P' | b'p' => Field::Parents { short: letter == b'p' },
            b'n' => Field::Text("\n".into()),
            b'm' => Field::Mark,
            b'e' => Field::Encoding,
            b's' => Field::Subject,
            b'f' => Field::SanitizedSubject,
            b'b' => Field::Body,
            b'B' => Field::RawBody,
            b'd' => self.decorations(DecorateStyle::default()),
            b'D' => self.decorations(DecorateStyle::bare()),
            b'S' => {
                self.template.needs.source = true;
                Field::Source
            }
            b'N' => {
                self.template.needs.notes = true;
                Field::Notes
            }
            b'C' => return self.color(),
            b'(' => return Ok(self.long_field()),
            _ => return Ok(self.letters(letter)),
        };
        self.rest = &self.rest[1..];
        Ok(Some(simple))
    }

    /// Placeholders of two letters or more.
    fn letters(&mut self, letter: u8) -> Option<Field> {
        if let Some((byte, len)) = escapes::hex_byte(self.rest) {
            self.rest = &self.rest[len..];
            return Some(Field::Text(vec![byte].into()));
        }
        let second = *self.rest.get(1)?;
        let field = match letter {
            b'a' | b'c' if b"nNeElLdDrtiIsh".contains(&second) => {
                self.template.needs.mailmap |= b"NEL".contains(&second);
                let part = PersonPart(second);
                if letter == b'a' { Field::Author(part) } else { Field::Committer(part) }
            }
            b'g' if b"dDsnNeE".contains(&second) => {
                self.template.needs.mailmap |= b"NE".contains(&second);
                Field::Reflog(second)
            }
            b'G' if b"G?SKFPT".contains(&second) => Field::Signature(second),
            _ => return None,
        };
        self.rest = &self.rest[2..];
        Some(field)
    }

    fn decorations(&mut self, style: DecorateStyle) -> Field {
        self.template.needs.decorations = true;
        Field::Decorations { style, colored: self.auto_color && self.color }
    }

    /// `%C...`.
    fn color(&mut self) -> Result<Option<Field>, FormatError> {
        const NAMES: [(&[u8], &str); 4] =
            [(b"Cred", "red"), (b"Cgreen", "green"), (b"Cblue", "blue"), (b"Creset", "reset")];
        if let Some(inside) = self.rest.strip_prefix(b"C(") {
            let Some(end) = inside.find_byte(b')') else { return Ok(None) };
            let spec = &inside[..end];
            let field = match spec {
                b"auto" => Field::EndColor,
                spec => Field::Text(self.escape(spec)?),
            };
            self.auto_color = spec == b"auto";
            self.rest = &inside[end + 1..];
            let silent = matches!(field, Field::EndColor) && !self.color;
            return Ok(Some(if silent { Field::Text(BString::default()) } else { field }));
        }
        for (name, color) in NAMES {
            if let Some(rest) = self.rest.strip_prefix(name) {
                self.rest = rest;
                self.auto_color = false;
                return Ok(Some(Field::Text(self.escape(color.as_bytes())?)));
            }
        }
        Ok(None)
    }

    /// The escape sequence that a colour stands for, which is none when colours are off.
    fn escape(&self, spec: &[u8]) -> Result<BString, FormatError> {
        let (always, spec) = match spec.strip_prefix(b"always,") {
            Some(rest) => (true, rest),
            None => (false, spec.strip_prefix(b"auto,").unwrap_or(spec)),
        };
        if !always && !self.color {
            return Ok(BString::default());
        }
        let spec = spec.to_str_lossy();
        adit_text::color::parse(&spec).map(BString::from).map_err(|_| FormatError::Color(spec.into_owned()))
    }

    /// `%(name:options)`.
    fn long_field(&mut self) -> Option<Field> {
        let inside = &self.rest[1..];
        let end = inside.find_byte(b')')?;
        let (name, options) = match inside[..end].split_once_str(":") {
            Some((name, options)) => (name, options),
            None => (&inside[..end], &[][..]),
        };
        let field = match name {
            b"decorate" => {
                let style = DecorateStyle::parse(options)?;
                self.decorations(style)
            }
            b"describe" => {
                let style = DescribeStyle::parse(options)?;
                self.template.needs.describe = true;
                Field::Describe(style)
            }
            b"trailers" => Field::Trailers(TrailerStyle::parse(options)?),
            // Numbers in a series of patches, which only format-patch counts.
            b"count" | b"total" if inside[..end] == *name => Field::Text("0".into()),
            _ => return None,
        };
        self.rest = &inside[end + 1..];
        Some(field)
    }
}

impl Margins {
    /// Reads `w([<width>[,<first>[,<rest>]]])`.
    fn parse(text: &[u8]) -> Option<(Self, &[u8])> {
        let inside = text.strip_prefix(b"w(")?;
        let end = inside.find_byte(b')')?;
        let mut numbers = [0; 3];
        if end > 0 {
            for (i, word) in inside[..end].split(|&b| b == b',').enumerate() {
                let digits = if word.is_empty() { "0" } else { word.to_str().ok()? };
                if !digits.bytes().all(|b| b.is_ascii_digit()) {
                    return None;
                }
                *numbers.get_mut(i)? = digits.parse().ok().filter(|n| *n <= MAX_MARGIN)?;
            }
        }
        let [width, first, rest] = numbers;
        Some((Margins { width, first, rest }, &inside[end + 1..]))
    }
}

/// The largest number in `%w()` and paddings: as in git, no format asks for gigabytes of spaces.
pub(super) const MAX_MARGIN: usize = 16 * 1024;
