//! The grammar of git's options, and the tables that commands declare in it.
//!
//! A command lists its options in a table of [`Opt`]s, each with an id of the command's own choosing. Parsing is
//! pure and in two steps: [`Table::take`] says what was given, and the command decides what that means. Several
//! tables can share one command line (`log` has its own options, those of walks and those of diffs): each is offered
//! the next argument in turn. Usage text, long help and completion come from the same tables.
//!
//! The grammar (gitcli): long options may be shortened to a unique prefix, negated with `--no-`, and carry their
//! value joined by `=` or as the next argument; short options cluster, and carry theirs joined or as the next
//! argument; an optional value must be joined; `--` ends the options.

pub mod diff;
pub mod merges;
pub mod pretty;
pub mod revision;
mod usage;

use bstr::{BStr, BString, ByteSlice};

pub use usage::Usage;

use crate::error::Error;

/// Whether an option takes a value, and what the usage text calls it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Value {
    /// It takes none.
    None,
    /// It must have one, joined or as the next argument.
    Required(&'static str),
    /// It may have one, which must be joined.
    Optional(&'static str),
    /// A short option in the form of a number, such as `-5`; the number is the value.
    Number,
}

/// One option: a row of a command's table.
#[derive(Debug, Clone, Copy)]
pub struct Opt<I> {
    id: I,
    long: &'static str,
    short: Option<u8>,
    value: Value,
    negatable: bool,
    hidden: bool,
    help: &'static str,
}

impl<I: Copy> Opt<I> {
    /// An option `--long` that takes no value. An empty name makes a short option only.
    pub const fn flag(id: I, long: &'static str, help: &'static str) -> Self {
        Opt { id, long, short: None, value: Value::None, negatable: false, hidden: false, help }
    }

    /// An option `--long <value>`.
    pub const fn value(id: I, long: &'static str, value: &'static str, help: &'static str) -> Self {
        Opt { value: Value::Required(value), ..Self::flag(id, long, help) }
    }

    /// An option `--long[=<value>]`.
    pub const fn optional(id: I, long: &'static str, value: &'static str, help: &'static str) -> Self {
        Opt { value: Value::Optional(value), ..Self::flag(id, long, help) }
    }

    /// An option `-<number>`.
    pub const fn number(id: I, help: &'static str) -> Self {
        Opt { value: Value::Number, ..Self::flag(id, "", help) }
    }

    /// Gives the option a short form.
    pub const fn short(self, short: u8) -> Self {
        Opt { short: Some(short), ..self }
    }

    /// Lets `--no-long` say the opposite. An option called `no-x` is then negated by `--x`.
    pub const fn no(self) -> Self {
        Opt { negatable: true, ..self }
    }

    /// Leaves the option out of the short usage text.
    pub const fn hidden(self) -> Self {
        Opt { hidden: true, ..self }
    }

    /// The spelling that negates the option, if one does: what follows `--`.
    fn negation(&self) -> Option<Negation> {
        if !self.negatable || self.long.is_empty() {
            return None;
        }
        Some(match self.long.strip_prefix("no-") {
            Some(positive) => Negation { prefix: "", name: positive },
            None => Negation { prefix: "no-", name: self.long },
        })
    }
}

/// `no-x`, in two parts so that no table has to spell it out.
struct Negation {
    prefix: &'static str,
    name: &'static str,
}

impl Negation {
    fn is(&self, word: &[u8]) -> bool {
        word.strip_prefix(self.prefix.as_bytes()) == Some(self.name.as_bytes())
    }

    fn starts_with(&self, word: &[u8]) -> bool {
        match word.strip_prefix(self.prefix.as_bytes()) {
            Some(rest) => self.name.as_bytes().starts_with(rest),
            None => self.prefix.as_bytes().starts_with(word),
        }
    }
}

/// What was said for one option.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Given<I> {
    /// Which option.
    pub id: I,
    /// Its value, when it has one. A negated option has none.
    pub value: Option<BString>,
    /// Whether it was negated.
    pub negated: bool,
    /// The option as it was spelt, for error messages: `--long`, or `-x`.
    pub spelling: BString,
}

impl<I> Given<I> {
    /// Whether the option is on: given, and not negated.
    pub fn on(&self) -> bool {
        !self.negated
    }

    /// The value; empty for an optional value that was left out and for a negated option.
    pub fn text(&self) -> &BStr {
        self.value.as_ref().map_or(BStr::new(b""), |value| value.as_bstr())
    }

    /// The option's name without its dashes, as git quotes it in messages: `` option `long' ``.
    fn described(&self) -> String {
        match self.spelling.strip_prefix(b"--") {
            Some(long) => format!("option `{}'", long.as_bstr()),
            None => format!("switch `{}'", self.spelling.trim_start_with(|c| c == '-').as_bstr()),
        }
    }

    /// The value as an integer with git's unit suffixes (`k`, `m`, `g`).
    ///
    /// # Errors
    /// A usage error that names the option when the value is no integer.
    pub fn integer(&self) -> Result<i64, Error> {
        parse_integer(self.text()).ok_or_else(|| {
            Error::usage_line(format!(
                "{} expects an integer value with an optional k/m/g suffix",
                self.described()
            ))
        })
    }

    /// The value as an integer of zero or more.
    ///
    /// # Errors
    /// A usage error that names the option when the value is no such number.
    pub fn unsigned(&self) -> Result<u64, Error> {
        u64::try_from(self.integer()?).map_err(|_| {
            Error::usage_line(format!(
                "{} expects a non-negative integer value with an optional k/m/g suffix",
                self.described()
            ))
        })
    }
}

fn parse_integer(text: &[u8]) -> Option<i64> {
    let (digits, unit) = match text.split_last()? {
        (b'k' | b'K', rest) => (rest, 1 << 10),
        (b'm' | b'M', rest) => (rest, 1 << 20),
        (b'g' | b'G', rest) => (rest, 1 << 30),
        _ => (text, 1),
    };
    let number: i64 = digits.to_str().ok()?.parse().ok()?;
    number.checked_mul(unit)
}

/// A command line that is being read, argument by argument.
#[derive(Debug, Clone)]
pub struct Args<'a> {
    words: &'a [BString],
    /// How far into a cluster of short options the first word has been read; 0 at its start.
    cluster: usize,
}

impl<'a> Args<'a> {
    /// Starts at the first of `words`.
    pub fn new(words: &'a [BString]) -> Self {
        Args { words, cluster: 0 }
    }

    /// The next argument, unless all are read.
    pub fn peek(&self) -> Option<&'a BStr> {
        self.words.first().map(|word| word.as_bstr())
    }

    /// Takes the next argument whole.
    pub fn next_word(&mut self) -> Option<&'a BStr> {
        let (word, rest) = self.words.split_first()?;
        self.words = rest;
        self.cluster = 0;
        Some(word.as_bstr())
    }

    /// What stands next; `None` at the end. An option stays where it is until a table takes it, all else is read.
    pub fn next_part(&mut self) -> Option<Part<'a>> {
        if self.cluster == 0 && self.peek()? == "--" {
            return Some(Part::Paths(&std::mem::take(&mut self.words)[1..]));
        }
        if self.at_option() { self.peek().map(Part::Option) } else { self.next_word().map(Part::Word) }
    }

    /// The next option that is to be taken; `None` at the end. Before it, `word` gets each other argument and how many
    /// follow it, and `paths` what follows `--`.
    pub fn next_option(
        &mut self,
        paths: &mut Option<Vec<BString>>,
        mut word: impl FnMut(&'a BStr, usize),
    ) -> Option<&'a BStr> {
        loop {
            match self.next_part()? {
                Part::Option(option) => return Some(option),
                Part::Word(other) => word(other, self.words.len()),
                Part::Paths(after) => *paths = Some(after.to_vec()),
            }
        }
    }

    /// The arguments that have not been read.
    pub fn rest(&self) -> &'a [BString] {
        self.words
    }

    /// Whether the next argument is an option: it starts with a dash and is not `-` alone.
    pub fn at_option(&self) -> bool {
        self.cluster > 0 || self.peek().is_some_and(|word| word.len() > 1 && word[0] == b'-')
    }

    /// The rest of a cluster of short options that no table knows, or the whole next word.
    pub fn unread(&self) -> Option<BString> {
        let word = self.peek()?;
        match self.cluster {
            0 => Some(word.to_owned()),
            at => Some([b"-", &word.as_bytes()[at..]].concat().into()),
        }
    }
}

/// A part of a command line: see [`Args::next_part`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part<'a> {
    /// The word of an option, or of a cluster of short ones.
    Option(&'a BStr),
    /// An argument that is no option.
    Word(&'a BStr),
    /// All that follows `--`.
    Paths(&'a [BString]),
}

/// Options that belong together, and how strictly they are read.
#[derive(Debug, Clone, Copy)]
pub struct Table<I: 'static> {
    /// The options.
    pub options: &'static [Opt<I>],
    /// Whether a unique prefix of a long option stands for it.
    pub abbreviate: bool,
}

impl<I: Copy> Table<I> {
    /// A table whose long options may be abbreviated, as most commands have it.
    pub const fn new(options: &'static [Opt<I>]) -> Self {
        Table { options, abbreviate: true }
    }

    /// A table whose long options must be spelt out, as those of walks are.
    pub const fn exact(options: &'static [Opt<I>]) -> Self {
        Table { options, abbreviate: false }
    }

    /// Takes the next option if this table has it, with its value; `None` leaves `args` as it was.
    ///
    /// # Errors
    /// A usage error for a value that is missing or not wanted, and for an ambiguous prefix.
    pub fn take(&self, args: &mut Args<'_>) -> Result<Option<Given<I>>, Error> {
        if !args.at_option() || (args.cluster == 0 && args.peek().is_some_and(|word| word == "--")) {
            return Ok(None);
        }
        match args.peek().and_then(|word| word.strip_prefix(b"--")) {
            Some(long) if args.cluster == 0 => self.take_long(long, args),
            _ => self.take_short(args),
        }
    }

    fn take_long(&self, word: &[u8], args: &mut Args<'_>) -> Result<Option<Given<I>>, Error> {
        let (name, joined) = match word.find_byte(b'=') {
            Some(at) => (&word[..at], Some(&word[at + 1..])),
            None => (word, None),
        };
        let Some((option, negated)) = self.find_long(name)? else { return Ok(None) };
        let spelling: BString = [b"--", name].concat().into();
        let described = || format!("option `{}'", if negated { name.as_bstr() } else { option.long.into() });
        args.next_word();
        let value = match option.value {
            Value::None | Value::Number if joined.is_some() => {
                return Err(Error::usage_line(format!("{} takes no value", described())));
            }
            _ if negated && joined.is_some() => {
                return Err(Error::usage_line(format!("{} takes no value", described())));
            }
            _ if negated => None,
            Value::None | Value::Number => None,
            Value::Optional(_) => joined.map(BString::from),
            Value::Required(_) => match joined {
                Some(joined) => Some(joined.into()),
                None => Some(
                    args.next_word()
                        .ok_or_else(|| Error::usage_line(format!("{} requires a value", described())))?
                        .to_owned(),
                ),
            },
        };
        Ok(Some(Given { id: option.id, value, negated, spelling }))
    }

    fn find_long(&self, name: &[u8]) -> Result<Option<(&'static Opt<I>, bool)>, Error> {
        for option in self.options.iter().filter(|option| !option.long.is_empty()) {
            if option.long.as_bytes() == name {
                return Ok(Some((option, false)));
            }
            if option.negation().is_some_and(|negation| negation.is(name)) {
                return Ok(Some((option, true)));
            }
        }
        if !self.abbreviate || name.is_empty() {
            return Ok(None);
        }
        let mut found: Option<(&'static Opt<I>, bool)> = None;
        for option in self.options.iter().filter(|option| !option.long.is_empty()) {
            let positive = option.long.as_bytes().starts_with(name);
            let negative = option.negation().is_some_and(|negation| negation.starts_with(name));
            if !positive && !negative {
                continue;
            }
            if let Some((first, first_negated)) = found {
                let shown = |option: &Opt<I>, negated| match option.negation() {
                    Some(negation) if negated => format!("{}{}", negation.prefix, negation.name),
                    _ => option.long.to_owned(),
                };
                return Err(Error::usage_line(format!(
                    "ambiguous option: {} (could be --{} or --{})",
                    name.as_bstr(),
                    shown(first, first_negated),
                    shown(option, !positive),
                )));
            }
            found = Some((option, !positive));
        }
        Ok(found)
    }

    fn take_short(&self, args: &mut Args<'_>) -> Result<Option<Given<I>>, Error> {
        let Some(word) = args.peek() else { return Ok(None) };
        let at = args.cluster.max(1);
        let letter = word[at];
        if letter.is_ascii_digit() && at == 1 {
            let digits = word[1..].iter().take_while(|b| b.is_ascii_digit()).count();
            if let Some(option) = self.options.iter().find(|option| option.value == Value::Number) {
                let value = Some(word[1..=digits].into());
                let spelling = word[..=digits].into();
                advance(args, at + digits, word);
                return Ok(Some(Given { id: option.id, value, negated: false, spelling }));
            }
        }
        let Some(option) = self.options.iter().find(|option| option.short == Some(letter)) else {
            return Ok(None);
        };
        let joined = &word[at + 1..];
        let spelling: BString = vec![b'-', letter].into();
        let value = match option.value {
            Value::None | Value::Number => {
                advance(args, at + 1, word);
                None
            }
            Value::Optional(_) => {
                args.next_word();
                (!joined.is_empty()).then(|| joined.into())
            }
            Value::Required(_) => {
                args.next_word();
                if joined.is_empty() {
                    let missing =
                        || Error::usage_line(format!("switch `{}' requires a value", char::from(letter)));
                    Some(args.next_word().ok_or_else(missing)?.to_owned())
                } else {
                    Some(joined.into())
                }
            }
        };
        Ok(Some(Given { id: option.id, value, negated: false, spelling }))
    }

    /// Reads a whole command line of this table alone: each option goes to `each`, and what is left comes back.
    /// Options may follow other arguments; `--` ends them.
    ///
    /// # Errors
    /// A usage error for an option that is not in the table, `-h`, or whatever `each` returns.
    pub fn parse(
        &self,
        usage: &Usage,
        words: &[BString],
        mut each: impl FnMut(Given<I>) -> Result<(), Error>,
    ) -> Result<Vec<BString>, Error> {
        let mut args = Args::new(words);
        let mut rest = Vec::new();
        loop {
            if let Some(given) = self.take(&mut args).map_err(|error| error.with_usage(self.usage(usage)))? {
                each(given)?;
                continue;
            }
            match args.next_part() {
                None => return Ok(rest),
                Some(Part::Option(_)) => return Err(unknown_option(&args).with_usage(self.usage(usage))),
                Some(Part::Word(word)) => rest.push(word.to_owned()),
                Some(Part::Paths(paths)) => rest.extend_from_slice(paths),
            }
        }
    }
}

fn advance(args: &mut Args<'_>, to: usize, word: &[u8]) {
    if to < word.len() {
        args.cluster = to;
    } else {
        args.next_word();
    }
}

/// The error for the option that `args` stands at and no table knows: help for `-h`, a usage error otherwise.
pub fn unknown_option(args: &Args<'_>) -> Error {
    let Some(word) = args.unread() else { return Error::usage_line("missing argument".into()) };
    if word == "-h" {
        return Error::help_asked();
    }
    match word.strip_prefix(b"--") {
        Some(long) => Error::usage_line(format!("unknown option `{}'", long.as_bstr())),
        None => Error::usage_line(format!("unknown switch `{}'", char::from(word[1]))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    enum O {
        All,
        Abbrev,
        Format,
        Merges,
        Count,
    }

    const TABLE: Table<O> = Table::new(&[
        Opt::flag(O::All, "all", "everything").short(b'a').no(),
        Opt::optional(O::Abbrev, "abbrev", "n", "digits").no(),
        Opt::value(O::Format, "format", "fmt", "format").short(b'f'),
        Opt::flag(O::Merges, "no-merges", "no merges").no(),
        Opt::number(O::Count, "how many"),
    ]);

    fn parse(line: &str) -> Result<(Vec<Given<O>>, Vec<BString>), String> {
        let words: Vec<BString> = line.split_whitespace().map(BString::from).collect();
        let mut given = Vec::new();
        let rest = TABLE
            .parse(&Usage { name: "x", synopsis: &["git x"] }, &words, |g| {
                given.push(g);
                Ok(())
            })
            .map_err(|e| e.to_string())?;
        Ok((given, rest))
    }

    #[test]
    fn values_join_or_follow() {
        let (given, rest) = parse("--format=a -fb -f c --form d x --abbrev --abbrev=4 -a -12 -- -y").unwrap();
        let values: Vec<_> = given.iter().map(|g| g.text().to_string()).collect();
        assert_eq!(values, ["a", "b", "c", "d", "", "4", "", "12"]);
        assert_eq!(rest, ["x", "-y"]);
    }

    #[test]
    fn negations_and_prefixes() {
        let (given, _) = parse("--no-all --no-abb --merges --no-m -af q").unwrap();
        let said: Vec<_> = given.iter().map(|g| (g.id, g.negated)).collect();
        let expected = [
            (O::All, true),
            (O::Abbrev, true),
            (O::Merges, true),
            (O::Merges, false),
            (O::All, false),
            (O::Format, false),
        ];
        assert_eq!(said, expected);
    }

    #[test]
    fn mistakes_are_named() {
        for (line, message) in [
            ("--what", "unknown option `what'"),
            ("-ax", "unknown switch `x'"),
            ("--a", "ambiguous option: a (could be --all or --abbrev)"),
            ("--format", "option `format' requires a value"),
            ("-f", "switch `f' requires a value"),
            ("--all=3", "option `all' takes no value"),
        ] {
            assert_eq!(parse(line).unwrap_err(), message, "{line}");
        }
    }
}
