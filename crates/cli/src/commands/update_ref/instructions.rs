//! What `update-ref --stdin` reads: an instruction a line, or with `-z` each word ended by a NUL.
//!
//! Nothing here knows a repository: operands are words, and which objects they mean is for the caller to find.

use std::io::BufRead;

use adit_refs::name::{self, Rules};
use bstr::{BStr, BString, ByteSlice};

/// What an instruction does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verb {
    /// Sets a reference.
    Update,
    /// Sets a reference that must not exist.
    Create,
    /// Removes a reference.
    Delete,
    /// Checks a reference.
    Verify,
    /// Sets a symbolic reference.
    SymrefUpdate,
    /// Sets a symbolic reference that must not exist.
    SymrefCreate,
    /// Removes a symbolic reference.
    SymrefDelete,
    /// Checks a symbolic reference.
    SymrefVerify,
    /// Changes how the next instruction is meant.
    Option,
    /// Starts a transaction.
    Start,
    /// Locks the references.
    Prepare,
    /// Makes the changes.
    Commit,
    /// Gives up.
    Abort,
}

const VERBS: [(&str, Verb, bool); 13] = [
    ("update", Verb::Update, true),
    ("create", Verb::Create, true),
    ("delete", Verb::Delete, true),
    ("verify", Verb::Verify, true),
    ("symref-update", Verb::SymrefUpdate, true),
    ("symref-create", Verb::SymrefCreate, true),
    ("symref-delete", Verb::SymrefDelete, true),
    ("symref-verify", Verb::SymrefVerify, true),
    ("option", Verb::Option, true),
    ("start", Verb::Start, false),
    ("prepare", Verb::Prepare, false),
    ("commit", Verb::Commit, false),
    ("abort", Verb::Abort, false),
];

/// The old value of a symbolic reference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OldValue {
    /// The name of a reference.
    Symbolic(BString),
    /// A word that means an object.
    Object(BString),
}

/// The operands of an instruction that changes or checks a reference.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Operands {
    /// The reference.
    pub name: BString,
    /// A word that means the new object, or the name that a symbolic reference is to stand for.
    pub new: Option<BString>,
    /// What the reference must hold before.
    pub old: Option<OldValue>,
    /// Whether the reference itself is meant, not what it stands for.
    pub no_deref: bool,
    /// Whether the new object was left out, which counts as none.
    pub new_is_missing: bool,
}

/// Reads instructions.
pub struct Instructions<'i> {
    input: &'i mut dyn BufRead,
    nul: bool,
    /// The line or word that is being read.
    word: BString,
    /// How far the line has been read.
    at: usize,
    no_deref: bool,
    /// Whether `no-deref` is said of all instructions.
    always_no_deref: bool,
}

/// A mistake in the input, in git's words.
pub type Mistake = BString;

fn mistake(parts: &[&[u8]]) -> Mistake {
    parts.concat().into()
}

impl<'i> Instructions<'i> {
    /// Reads from `input`; with `nul` words end with a NUL and are taken as they are.
    pub fn new(input: &'i mut dyn BufRead, nul: bool) -> Self {
        Instructions { input, nul, word: BString::default(), at: 0, no_deref: false, always_no_deref: false }
    }

    /// All references are meant themselves, not what they stand for.
    pub fn never_deref(&mut self) {
        self.always_no_deref = true;
    }

    /// Reads up to the next end of a line or word; false at the end of the input.
    fn next_word(&mut self) -> Result<bool, Mistake> {
        self.word.clear();
        self.at = 0;
        let end = if self.nul { 0 } else { b'\n' };
        let read = self.input.read_until(end, &mut self.word);
        let read =
            read.map_err(|error| mistake(&[b"standard input: ", adit_sys::os_error(&error).as_bytes()]))?;
        if self.nul && self.word.last() == Some(&0) {
            self.word.pop();
        }
        Ok(read > 0)
    }

    /// The next instruction; its operands must be read before the one after. `None` at the end of the input.
    ///
    /// # Errors
    /// When there is no such instruction.
    pub fn advance(&mut self) -> Result<Option<Verb>, Mistake> {
        if !self.next_word()? {
            return Ok(None);
        }
        let word = self.word.as_bstr();
        match word.first() {
            None => return Err("empty command in input".into()),
            Some(b'\n') if !self.nul => return Err("empty command in input".into()),
            Some(b) if b.is_ascii_whitespace() => {
                return Err(mistake(&[b"whitespace before command: ", word]));
            }
            _ => {}
        }
        for (name, verb, takes_operands) in VERBS {
            let Some(rest) = word.strip_prefix(name.as_bytes()) else { continue };
            let ends = if takes_operands { rest.starts_with(b" ") } else { rest.is_empty() || rest == b"\n" };
            if ends {
                self.at = name.len();
                return Ok(Some(verb));
            }
        }
        Err(mistake(&[b"unknown command: ", word]))
    }

    /// Reads the operand of `option`, which is about the next instruction.
    ///
    /// # Errors
    /// When there is no such option.
    pub fn option(&mut self) -> Result<(), Mistake> {
        let rest = &self.word[self.at + 1..];
        if rest.strip_suffix(if self.nul { b"".as_slice() } else { b"\n" }) != Some(b"no-deref") {
            return Err(mistake(&[b"option unknown: ", rest]));
        }
        self.no_deref = true;
        Ok(())
    }

    /// Reads the operands of an instruction about a reference.
    ///
    /// # Errors
    /// When they are too few, too many or malformed.
    pub fn operands(&mut self, verb: Verb) -> Result<Operands, Mistake> {
        let verb_name = VERBS.iter().find(|(_, other, _)| *other == verb).map_or("", |(name, ..)| name);
        let no_deref = std::mem::take(&mut self.no_deref) || self.always_no_deref;
        if matches!(verb, Verb::SymrefDelete | Verb::SymrefVerify) && !no_deref {
            return Err(mistake(&[verb_name.as_bytes(), b": cannot operate with deref mode"]));
        }
        self.at += 1;
        let name = if self.nul { self.word[self.at..].into() } else { self.argument()? };
        if name.is_empty() {
            return Err(mistake(&[verb_name.as_bytes(), b": missing <ref>"]));
        }
        check_name(&name)?;
        let about = [verb_name.as_bytes(), b" ", &name].concat();
        let mut operands = Operands { name, no_deref, ..Operands::default() };
        match verb {
            Verb::Update | Verb::Create => {
                operands.new = Some(self.new_object(&about, verb, &mut operands.new_is_missing)?);
                if verb == Verb::Update {
                    operands.old = self.old_object(&about)?.map(OldValue::Object);
                }
            }
            Verb::Delete | Verb::Verify => operands.old = self.old_object(&about)?.map(OldValue::Object),
            Verb::SymrefUpdate | Verb::SymrefCreate => {
                let target = self.optional()?.filter(|target| !target.is_empty());
                let target = target.ok_or_else(|| mistake(&[&about, b": missing <new-target>"]))?;
                check_name(&target)?;
                operands.new = Some(target);
                if verb == Verb::SymrefUpdate {
                    operands.old = self.old_value(&about)?;
                }
            }
            Verb::SymrefDelete | Verb::SymrefVerify => {
                let target = self.optional()?.filter(|target| !target.is_empty());
                target.as_ref().map_or(Ok(()), check_name)?;
                operands.old = target.map(OldValue::Symbolic);
            }
            Verb::Option | Verb::Start | Verb::Prepare | Verb::Commit | Verb::Abort => {}
        }
        if !self.nul && self.word[self.at..] != *b"\n" {
            return Err(mistake(&[&about, b": extra input: ", &self.word[self.at..]]));
        }
        Ok(operands)
    }

    /// The next argument of a line: a word, or a C string in quotes.
    fn argument(&mut self) -> Result<BString, Mistake> {
        let rest = &self.word[self.at..];
        if !rest.starts_with(b"\"") {
            let len = rest.iter().position(u8::is_ascii_whitespace).unwrap_or(rest.len());
            let argument = rest[..len].into();
            self.at += len;
            return Ok(argument);
        }
        let Some((argument, used)) = adit_text::quote::unquote_c(rest) else {
            return Err(mistake(&[b"badly quoted argument: ", rest]));
        };
        if rest.get(used).is_some_and(|b| !b.is_ascii_whitespace()) {
            return Err(mistake(&[b"unexpected character after quoted argument: ", rest]));
        }
        self.at += used;
        Ok(argument)
    }

    /// The next operand, if there is one.
    fn optional(&mut self) -> Result<Option<BString>, Mistake> {
        if self.nul {
            return Ok(self.next_word()?.then(|| self.word.clone()));
        }
        match self.word.get(self.at) {
            None | Some(b'\n') => Ok(None),
            Some(b' ') => {
                self.at += 1;
                self.argument().map(Some)
            }
            Some(_) => Err(mistake(&[b"expected SP but got: ", &self.word[self.at..]])),
        }
    }

    fn new_object(&mut self, about: &[u8], verb: Verb, is_missing: &mut bool) -> Result<BString, Mistake> {
        let cut: &[u8] = b": unexpected end of input when reading <new-oid>";
        let missing: &[u8] = b": missing <new-oid>";
        match self.optional()? {
            None => Err(mistake(&[about, if self.nul { cut } else { missing }])),
            Some(word) if self.nul && word.is_empty() => {
                if verb == Verb::Create {
                    return Err(mistake(&[about, missing]));
                }
                *is_missing = true;
                Ok(word)
            }
            Some(word) => Ok(word),
        }
    }

    fn old_object(&mut self, about: &[u8]) -> Result<Option<BString>, Mistake> {
        match self.optional()? {
            None if self.nul => Err(mistake(&[about, b": unexpected end of input when reading <old-oid>"])),
            Some(word) if self.nul && word.is_empty() => Ok(None),
            word => Ok(word),
        }
    }

    fn old_value(&mut self, about: &[u8]) -> Result<Option<OldValue>, Mistake> {
        let Some(kind) = self.optional()?.filter(|kind| !kind.is_empty()) else { return Ok(None) };
        let value = self.optional()?.filter(|value| !value.is_empty());
        let value = value.ok_or_else(|| mistake(&[about, b": expected old value"]))?;
        match kind.as_slice() {
            b"ref" => {
                check_name(&value)?;
                Ok(Some(OldValue::Symbolic(value)))
            }
            b"oid" => Ok(Some(OldValue::Object(value))),
            _ => Err(mistake(&[about, b": invalid arg '", &kind, b"' for old value"])),
        }
    }
}

fn check_name(name: &BString) -> Result<(), Mistake> {
    if name::is_valid(name, Rules::ANY) { Ok(()) } else { Err(mistake(&[b"invalid ref format: ", name])) }
}

/// The name of an instruction, for messages.
pub fn spelt(verb: Verb) -> &'static BStr {
    VERBS.iter().find(|(_, other, _)| *other == verb).map_or("", |(name, ..)| name).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, nul: bool) -> Result<Vec<(Verb, Operands)>, String> {
        let mut input = text.as_bytes();
        let mut instructions = Instructions::new(&mut input, nul);
        let mut all = Vec::new();
        while let Some(verb) = instructions.advance().map_err(|mistake| mistake.to_string())? {
            match verb {
                Verb::Option => instructions.option().map_err(|mistake| mistake.to_string())?,
                Verb::Start | Verb::Prepare | Verb::Commit | Verb::Abort => {
                    all.push((verb, Operands::default()));
                }
                _ => all.push((verb, instructions.operands(verb).map_err(|mistake| mistake.to_string())?)),
            }
        }
        Ok(all)
    }

    #[test]
    fn lines_and_words_say_the_same() {
        let lines = "start\nupdate refs/a x y\noption no-deref\ndelete \"refs/b\\303\\204\"\ncreate refs/c z\n\
                     symref-update refs/d refs/e oid q\ncommit\n";
        let words = "start\0update refs/a\0x\0y\0option no-deref\0delete refs/bÄ\0\0create refs/c\0z\0\
                     symref-update refs/d\0refs/e\0oid\0q\0commit\0";
        let read_lines = read(lines, false).unwrap();
        assert_eq!(read_lines, read(words, true).unwrap());
        assert!(read_lines[2].1.no_deref && !read_lines[3].1.no_deref);
        assert_eq!(read_lines[2].1.name, "refs/bÄ");
    }

    #[test]
    fn mistakes_are_told_in_gits_words() {
        for (text, message) in [
            ("\n", "empty command in input"),
            (" create refs/a x\n", "whitespace before command:  create refs/a x\n"),
            ("create\n", "unknown command: create\n"),
            ("create \n", "create: missing <ref>"),
            ("create refs/a\n", "create refs/a: missing <new-oid>"),
            ("create refs/a x y\n", "create refs/a: extra input:  y\n"),
            ("create refs/a x", "create refs/a: extra input: "),
            ("create \"refs/a x\n", "badly quoted argument: \"refs/a x\n"),
            ("create \"refs/a\"x\n", "unexpected character after quoted argument: \"refs/a\"x\n"),
            ("create refs/a\tx\n", "expected SP but got: \tx\n"),
            ("create a..b x\n", "invalid ref format: a..b"),
            ("option x\n", "option unknown: x\n"),
            ("symref-delete refs/a\n", "symref-delete: cannot operate with deref mode"),
            ("symref-update refs/a refs/b x\n", "symref-update refs/a: expected old value"),
            ("symref-update refs/a refs/b x y\n", "symref-update refs/a: invalid arg 'x' for old value"),
        ] {
            assert_eq!(read(text, false).unwrap_err(), message);
        }
        for (text, message) in [
            ("create refs/a\0", "create refs/a: unexpected end of input when reading <new-oid>"),
            ("create refs/a\0\0", "create refs/a: missing <new-oid>"),
            ("update refs/a\0x\0", "update refs/a: unexpected end of input when reading <old-oid>"),
            ("\0", "empty command in input"),
        ] {
            assert_eq!(read(text, true).unwrap_err(), message);
        }
    }
}
