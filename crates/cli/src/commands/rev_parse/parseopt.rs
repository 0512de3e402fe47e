//! `rev-parse --parseopt`: git's option parser for shell scripts (git-rev-parse, PARSEOPT).
//!
//! A specification on standard input lists the options of a script; its arguments are answered with a line for the shell
//! to evaluate.

mod spec;
mod usage;

use std::io::{Read, Write};

use adit_text::quote::sq_quote;
use bstr::{BString, ByteSlice};

use crate::context::Context;
use crate::error::Error;
use crate::options::{Opt, Table, Usage};
use spec::{Spec, SpecOption, Takes};

const USAGE: Usage =
    Usage { name: "rev-parse", synopsis: &["git rev-parse --parseopt [<options>] -- [<args>...]"] };

#[derive(Clone, Copy)]
enum O {
    KeepDashes,
    StopEarly,
    StuckLong,
}

const OPTIONS: Table<O> = Table::new(&[
    Opt::flag(O::KeepDashes, "keep-dashdash", "answer with the first `--` too").no(),
    Opt::flag(O::StopEarly, "stop-at-non-option", "stop at the first argument that is no option").no(),
    Opt::flag(O::StuckLong, "stuck-long", "answer with long options, values joined to them").no(),
]);

#[derive(Debug, Clone, Copy, Default)]
struct Style {
    keep_dashes: bool,
    stop_early: bool,
    stuck_long: bool,
}

/// Runs the command.
pub(super) fn run(ctx: &mut Context<'_>, args: &[BString]) -> Result<u8, Error> {
    let mut style = Style::default();
    let Some(dashes) = args.iter().position(|word| word == "--") else {
        // A mistake in the options is told before the missing dashes.
        OPTIONS.parse(&USAGE, args, |_| Ok(()))?;
        return Err(Error::Usage { message: None, usage: OPTIONS.usage(&USAGE) });
    };
    let rest = OPTIONS.parse(&USAGE, &args[..dashes], |given| {
        let on = !given.negated;
        match given.id {
            O::KeepDashes => style.keep_dashes = on,
            O::StopEarly => style.stop_early = on,
            O::StuckLong => style.stuck_long = on,
        }
        Ok(())
    })?;
    if !rest.is_empty() {
        return Err(Error::Usage { message: None, usage: OPTIONS.usage(&USAGE) });
    }
    let mut text = Vec::new();
    ctx.streams.input.read_to_end(&mut text)?;
    let spec = Spec::parse(&text).map_err(Error::fatal)?;
    let mut parser = Parser { spec: &spec, style, answer: b"set --".to_vec(), rest: Vec::new() };
    match parser.run(&args[dashes + 1..]) {
        Ok(()) => {
            let Parser { mut answer, rest, .. } = parser;
            answer.extend_from_slice(b" --");
            for word in rest {
                answer.push(b' ');
                sq_quote(&word, &mut answer);
            }
            answer.push(b'\n');
            ctx.streams.out.write_all(&answer)?;
            Ok(0)
        }
        Err(Mistake::Help { all }) => {
            print_help(ctx, &spec, all)?;
            Err(Error::Exit(129))
        }
        Err(Mistake::Ambiguous(message)) => {
            ctx.complain(message);
            print_help(ctx, &spec, false)?;
            Err(Error::Exit(129))
        }
        Err(Mistake::Unknown(message)) => {
            ctx.complain(message);
            ctx.streams.err.write_all(&usage::text(&spec, false))?;
            Err(Error::Exit(129))
        }
        Err(Mistake::Bad(message)) => Err(Error::Failed(message.into(), 129)),
    }
}

/// Help is for the shell to print, since it evaluates the answer.
fn print_help(ctx: &mut Context<'_>, spec: &Spec, all: bool) -> Result<(), Error> {
    let out = &mut ctx.streams.out;
    out.write_all(b"cat <<\\EOF\n")?;
    out.write_all(&usage::text(spec, all))?;
    out.write_all(b"EOF\n")?;
    Ok(())
}

/// Why the arguments are not answered.
enum Mistake {
    Help { all: bool },
    Ambiguous(String),
    Unknown(String),
    Bad(String),
}

struct Parser<'a> {
    spec: &'a Spec,
    style: Style,
    answer: Vec<u8>,
    rest: Vec<BString>,
}

impl<'a> Parser<'a> {
    fn run(&mut self, args: &[BString]) -> Result<(), Mistake> {
        if args.len() == 1 && args[0] == "-h" {
            return Err(Mistake::Help { all: false });
        }
        let mut words = args.iter();
        while let Some(word) = words.next() {
            match word.as_slice() {
                b"--" | b"--end-of-options" => {
                    if word == "--" && self.style.keep_dashes {
                        self.rest.push(word.clone());
                    }
                    break;
                }
                b"--help" => return Err(Mistake::Help { all: false }),
                b"--help-all" => return Err(Mistake::Help { all: true }),
                _ if !word.starts_with(b"-") || word == "-" => {
                    self.rest.push(word.clone());
                    if self.style.stop_early {
                        break;
                    }
                }
                _ => match word.strip_prefix(b"--") {
                    Some(long) => self.long(long, &mut words)?,
                    None => self.cluster(&word[1..], &mut words)?,
                },
            }
        }
        self.rest.extend(words.cloned());
        Ok(())
    }

    fn long(&mut self, word: &[u8], words: &mut std::slice::Iter<'_, BString>) -> Result<(), Mistake> {
        let (name, joined) = match word.find_byte(b'=') {
            Some(at) => (&word[..at], Some(&word[at + 1..])),
            None => (word, None),
        };
        let Some((option, negated)) = self.find_long(name, word)? else {
            return Err(Mistake::Unknown(format!("unknown option `{}'", name.as_bstr())));
        };
        let long = option.long.as_ref().map_or(&b""[..], |long| long.as_slice()).as_bstr();
        let called = if negated { format!("no-{long}") } else { long.to_string() };
        if joined.is_some() && (negated || option.takes == Takes::Nothing) {
            return Err(Mistake::Bad(format!("option `{called}' takes no value")));
        }
        let value = match option.takes {
            _ if negated => None,
            Takes::Nothing => None,
            Takes::Optional => joined.map(BString::from),
            Takes::Value => match joined {
                Some(joined) => Some(joined.into()),
                None => {
                    let missing = || Mistake::Bad(format!("option `{called}' requires a value"));
                    Some(words.next().ok_or_else(missing)?.clone())
                }
            },
        };
        self.push(option, negated, value);
        Ok(())
    }

    /// The option of that name, or the only one whose name it starts.
    fn find_long(&self, name: &[u8], word: &[u8]) -> Result<Option<(&'a SpecOption, bool)>, Mistake> {
        let spec = self.spec;
        let mut found: Option<(&SpecOption, bool)> = None;
        let mut rival: Option<(&SpecOption, bool)> = None;
        for option in spec.options() {
            let Some(long) = &option.long else { continue };
            if long == name {
                return Ok(Some((option, false)));
            }
            let starts = long.starts_with(name);
            let mut negative_starts = false;
            if !option.positive_only {
                let negation = match long.strip_prefix(b"no-") {
                    Some(positive) => positive.to_vec(),
                    None => [b"no-", long.as_slice()].concat(),
                };
                let doubled = [b"no-", long.as_slice()].concat();
                if negation == name || doubled == name {
                    return Ok(Some((option, true)));
                }
                negative_starts = negation.starts_with(name);
            }
            for (starts, negated) in [(starts, false), (negative_starts, true)] {
                if starts {
                    rival = found;
                    found = Some((option, negated));
                }
            }
        }
        if let (Some((rival, rival_negated)), Some((found, negated))) = (rival, found) {
            let shown = |option: &SpecOption, negated: bool| {
                let long = option.long.as_ref().map_or(&b""[..], |long| long.as_slice()).as_bstr();
                format!("--{}{long}", if negated { "no-" } else { "" })
            };
            return Err(Mistake::Ambiguous(format!(
                "ambiguous option: {} (could be {} or {})",
                word.as_bstr(),
                shown(rival, rival_negated),
                shown(found, negated)
            )));
        }
        Ok(found)
    }

    fn cluster(&mut self, letters: &[u8], words: &mut std::slice::Iter<'_, BString>) -> Result<(), Mistake> {
        let mut at = 0;
        while let Some(&letter) = letters.get(at) {
            let spec: &'a Spec = self.spec;
            let Some(option) = spec.options().find(|option| option.short == Some(letter)) else {
                if at == 0 {
                    self.check_single_dash(letters)?;
                }
                return Err(Mistake::Unknown(format!("unknown switch `{}'", char::from(letter))));
            };
            if at == 0 && option.takes == Takes::Nothing {
                self.check_single_dash_after(letters)?;
            }
            at += 1;
            let rest = &letters[at..];
            let value = match option.takes {
                Takes::Nothing => None,
                Takes::Optional => (!rest.is_empty()).then(|| BString::from(rest)),
                Takes::Value if !rest.is_empty() => Some(rest.into()),
                Takes::Value => {
                    let missing =
                        || Mistake::Bad(format!("switch `{}' requires a value", char::from(letter)));
                    Some(words.next().ok_or_else(missing)?.clone())
                }
            };
            if option.takes != Takes::Nothing {
                at = letters.len();
            }
            self.push(option, false, value);
        }
        Ok(())
    }

    /// A whole long name after one dash is a slip.
    fn check_single_dash(&self, letters: &[u8]) -> Result<(), Mistake> {
        let is_long = letters.len() >= 3
            && (letters.starts_with(b"no-")
                || self
                    .spec
                    .options()
                    .any(|option| option.long.as_ref().is_some_and(|long| long.starts_with(letters))));
        if is_long {
            let letters = letters.as_bstr();
            return Err(Mistake::Bad(format!("did you mean `--{letters}` (with two dashes)?")));
        }
        Ok(())
    }

    fn check_single_dash_after(&self, letters: &[u8]) -> Result<(), Mistake> {
        if letters.len() > 1 { self.check_single_dash(letters) } else { Ok(()) }
    }

    /// Adds an option to the answer.
    fn push(&mut self, option: &SpecOption, negated: bool, value: Option<BString>) {
        let stuck = self.style.stuck_long;
        let short = option.short.filter(|_| !negated && (!stuck || option.long.is_none()));
        self.answer.push(b' ');
        match (short, &option.long) {
            (Some(short), _) => self.answer.extend_from_slice(&[b'-', short]),
            (None, long) => {
                self.answer.extend_from_slice(if negated { b"--no-" } else { b"--" });
                self.answer.extend_from_slice(long.as_ref().map_or(&b""[..], |long| long.as_slice()));
            }
        }
        if let Some(value) = value {
            match (stuck, short) {
                (false, _) => self.answer.push(b' '),
                (true, None) => self.answer.push(b'='),
                (true, Some(_)) => {}
            }
            sq_quote(&value, &mut self.answer);
        }
    }
}
