//! A compiled format, and the pieces that `%(align)` and `%(if)` hold back until their `%(end)`.

use adit_text::quote::Style;
use adit_text::width::display_width;
use bstr::{BString, ByteSlice};

use super::atom::{Atom, Condition, Field, Rules, Side};
use super::value::{Item, Values};
use crate::error::Error;

/// A piece of a format.
#[derive(Debug, Clone, PartialEq)]
enum Piece {
    Text(BString),
    Atom(Atom),
}

/// A format, ready to be filled in.
#[derive(Debug, Clone, PartialEq)]
pub struct Format {
    pieces: Vec<Piece>,
    quote: Option<Style>,
    /// Whether colours may be left on at the end.
    reset: bool,
}

impl Format {
    /// Compiles a format.
    ///
    /// # Errors
    /// When an atom is none; a usage error when a parenthesis is not closed.
    pub fn parse(text: &[u8], quote: Option<Style>, rules: Rules) -> Result<Self, Error> {
        let mut pieces = Vec::new();
        let mut literal = BString::default();
        let mut rest = text;
        let mut last_color = None;
        while let Some(percent) = rest.find_byte(b'%') {
            literal.extend_from_slice(&rest[..percent]);
            rest = &rest[percent..];
            if rest.starts_with(b"%(") {
                let open = || Error::usage_line(format!("malformed format string {}", rest.as_bstr()));
                let end = rest.find_byte(b')').ok_or_else(open)?;
                let atom = Atom::parse(&rest[2..end], rules)?;
                if atom.field == Field::Raw && quote.is_some_and(|quote| quote != Style::Perl) {
                    return Err(Error::fatal("--format=raw cannot be used with --python, --shell, --tcl"));
                }
                if matches!(atom.field, Field::Color(_)) {
                    last_color = Some(atom.text.clone());
                }
                if !literal.is_empty() {
                    pieces.push(Piece::Text(std::mem::take(&mut literal)));
                }
                pieces.push(Piece::Atom(atom));
                rest = &rest[end + 1..];
            } else if rest.starts_with(b"%%") {
                literal.push(b'%');
                rest = &rest[2..];
            } else if let Some(byte) = hex_byte(rest.get(1..3)) {
                literal.push(byte);
                rest = &rest[3..];
            } else {
                literal.push(b'%');
                rest = &rest[1..];
            }
        }
        literal.extend_from_slice(rest);
        if !literal.is_empty() {
            pieces.push(Piece::Text(literal));
        }
        let reset = rules.color && last_color.is_some_and(|color| color != "color:reset");
        Ok(Format { pieces, quote, reset })
    }

    /// The atoms, in order.
    pub fn atoms(&self) -> impl Iterator<Item = &Atom> {
        self.pieces.iter().filter_map(|piece| match piece {
            Piece::Atom(atom) => Some(atom),
            Piece::Text(_) => None,
        })
    }

    /// Appends the format, filled in for one reference.
    pub fn append(&self, values: &mut Values<'_>, item: &Item<'_>, out: &mut Vec<u8>) -> Result<(), Error> {
        let mut stack = Stack { levels: Vec::new(), quote: self.quote };
        for piece in &self.pieces {
            match piece {
                Piece::Text(text) => stack.top(out).extend_from_slice(text),
                Piece::Atom(atom) => stack.atom(atom, values, item, out)?,
            }
        }
        if self.reset {
            stack.top(out).extend_from_slice(b"\x1b[m");
        }
        match stack.levels.is_empty() {
            true => Ok(()),
            false => Err(Error::fatal("format: %(end) atom missing")),
        }
    }
}

fn hex_byte(digits: Option<&[u8]>) -> Option<u8> {
    let digits = digits?;
    let value = |digit: u8| char::from(digit).to_digit(16).and_then(|value| u8::try_from(value).ok());
    Some(value(digits[0])? << 4 | value(digits[1])?)
}

/// What an opening atom holds back.
struct Level {
    text: Vec<u8>,
    opened: Opened,
}

enum Opened {
    Align(usize, Side),
    If {
        condition: Condition,
        seen: Seen,
        holds: bool,
    },
    /// What follows `%(else)`; `keep` is what came before it when the condition held.
    Else {
        keep: Option<Vec<u8>>,
    },
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Seen {
    Nothing,
    Then,
}

struct Stack {
    levels: Vec<Level>,
    quote: Option<Style>,
}

impl Stack {
    fn top<'a>(&'a mut self, out: &'a mut Vec<u8>) -> &'a mut Vec<u8> {
        self.levels.last_mut().map_or(out, |level| &mut level.text)
    }

    fn atom(
        &mut self,
        atom: &Atom,
        values: &mut Values<'_>,
        item: &Item<'_>,
        out: &mut Vec<u8>,
    ) -> Result<(), Error> {
        match &atom.field {
            Field::Align(width, side) => self.open(Opened::Align(*width, *side)),
            Field::If(condition) => {
                self.open(Opened::If { condition: condition.clone(), seen: Seen::Nothing, holds: false });
            }
            Field::Then => self.then()?,
            Field::Else => self.otherwise()?,
            Field::End => self.end(out)?,
            // Only what stands outside of opening atoms is quoted as it comes.
            _ => match self.quote.filter(|_| self.levels.is_empty()) {
                Some(quote) => {
                    let mut value = Vec::new();
                    values.append(atom, item, &mut value)?;
                    quote.write(&value, out);
                }
                None => values.append(atom, item, self.top(out))?,
            },
        }
        Ok(())
    }

    fn open(&mut self, opened: Opened) {
        self.levels.push(Level { text: Vec::new(), opened });
    }

    fn then(&mut self) -> Result<(), Error> {
        match self.levels.last_mut() {
            Some(Level { text, opened: Opened::If { condition, seen, holds } }) => {
                if *seen == Seen::Then {
                    return Err(Error::fatal("format: %(then) atom used more than once"));
                }
                *seen = Seen::Then;
                *holds = match condition {
                    Condition::Any => text.iter().any(|b| !b.is_ascii_whitespace()),
                    Condition::Equals(wanted) => text == wanted.as_slice(),
                    Condition::Differs(wanted) => text != wanted.as_slice(),
                };
                text.clear();
                Ok(())
            }
            Some(Level { opened: Opened::Else { .. }, .. }) => {
                Err(Error::fatal("format: %(then) atom used more than once"))
            }
            _ => Err(Error::fatal("format: %(then) atom used without a %(if) atom")),
        }
    }

    fn otherwise(&mut self) -> Result<(), Error> {
        match self.levels.last_mut() {
            Some(Level { opened: Opened::If { seen: Seen::Nothing, .. }, .. }) => {
                Err(Error::fatal("format: %(else) atom used without a %(then) atom"))
            }
            Some(level) => match &level.opened {
                Opened::If { holds, .. } => {
                    let before = std::mem::take(&mut level.text);
                    level.opened = Opened::Else { keep: holds.then_some(before) };
                    Ok(())
                }
                Opened::Else { .. } => Err(Error::fatal("format: %(else) atom used more than once")),
                Opened::Align(..) => Err(Error::fatal("format: %(else) atom used without a %(if) atom")),
            },
            None => Err(Error::fatal("format: %(else) atom used without a %(if) atom")),
        }
    }

    fn end(&mut self, out: &mut Vec<u8>) -> Result<(), Error> {
        let Some(level) = self.levels.pop() else {
            return Err(Error::fatal("format: %(end) atom used without corresponding atom"));
        };
        let text = match level.opened {
            Opened::Align(width, side) => align(&level.text, width, side),
            Opened::If { seen: Seen::Nothing, .. } => {
                return Err(Error::fatal("format: %(if) atom used without a %(then) atom"));
            }
            Opened::If { holds, .. } => {
                if holds {
                    level.text
                } else {
                    Vec::new()
                }
            }
            Opened::Else { keep } => keep.unwrap_or(level.text),
        };
        match self.quote.filter(|_| self.levels.is_empty()) {
            Some(quote) => quote.write(&text, out),
            None => self.top(out).extend_from_slice(&text),
        }
        Ok(())
    }
}

fn align(text: &[u8], width: usize, side: Side) -> Vec<u8> {
    let missing = width.saturating_sub(display_width(text, false));
    let before = match side {
        Side::Left => 0,
        Side::Middle => missing / 2,
        Side::Right => missing,
    };
    let spaces = |count| std::iter::repeat_n(b' ', count);
    spaces(before).chain(text.iter().copied()).chain(spaces(missing - before)).collect()
}
