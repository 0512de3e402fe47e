//! Reading a line word by word.

/// A blank, as indents have them.
pub(super) fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

/// White space in the widest sense.
pub(super) fn is_white(byte: u8) -> bool {
    byte.is_ascii_whitespace() || byte == 0x0b
}

/// A character of a name.
pub(super) fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// A character that names start with.
pub(super) fn is_name_start(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_'
}

/// The rest of a line.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scan<'l>(pub(super) &'l [u8]);

impl<'l> Scan<'l> {
    /// A line without its indent.
    pub(super) fn unindented(line: &'l [u8]) -> Self {
        let mut scan = Scan(line);
        scan.blanks();
        scan
    }

    /// Skips the bytes that `test` accepts; returns how many there were.
    pub(super) fn skip(&mut self, test: impl Fn(u8) -> bool) -> usize {
        let count = self.0.iter().take_while(|&&b| test(b)).count();
        self.0 = &self.0[count..];
        count
    }

    /// Skips blanks; tells whether there were any.
    pub(super) fn blanks(&mut self) -> bool {
        self.skip(is_blank) > 0
    }

    /// Skips this text, if it comes next.
    pub(super) fn text(&mut self, text: &str) -> bool {
        match self.0.strip_prefix(text.as_bytes()) {
            Some(rest) => {
                self.0 = rest;
                true
            }
            None => false,
        }
    }

    /// Skips a name; tells whether there was one.
    pub(super) fn name(&mut self) -> bool {
        self.peek().is_some_and(is_name_start) && self.skip(is_name) > 0
    }

    /// The next byte.
    pub(super) fn peek(&self) -> Option<u8> {
        self.0.first().copied()
    }

    /// Whether the next byte is one that `test` accepts.
    pub(super) fn at(&self, test: impl Fn(u8) -> bool) -> bool {
        self.peek().is_some_and(test)
    }

    /// Whether one of these words comes next, and then a byte that `after` accepts.
    pub(super) fn any_of(&self, words: &[&str], after: impl Fn(u8) -> bool) -> bool {
        words
            .iter()
            .any(|word| self.0.strip_prefix(word.as_bytes()).is_some_and(|rest| Scan(rest).at(&after)))
    }

    /// Skips words, each with blanks after it, as long as the word is of bytes that `test` accepts. Calls `found` before each
    /// word and at the end, and stops as soon as that returns true; returns whether it did.
    pub(super) fn after_words(
        &mut self,
        test: impl Fn(u8) -> bool,
        found: impl Fn(Scan<'l>) -> bool,
    ) -> bool {
        loop {
            if found(*self) {
                return true;
            }
            let mut ahead = *self;
            if ahead.skip(&test) == 0 || !ahead.blanks() {
                return false;
            }
            *self = ahead;
        }
    }

    pub(super) fn contains(&self, byte: u8) -> bool {
        memchr::memchr(byte, self.0).is_some()
    }
}
