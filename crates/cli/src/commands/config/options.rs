//! The command line of `git config`: both spellings become one [`Request`].

use adit_config::Name;
use bstr::{BString, ByteSlice};

use super::typed::Type;
use crate::error::Error;
use crate::options::{Args, Given, Opt, Table, Usage, unknown_option};

/// What is to be done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Action {
    List,
    Get,
    GetUrl,
    GetColor,
    GetColorBool,
    Set,
    Unset,
    RenameSection,
    RemoveSection,
    Edit,
}

/// Where values are read from or written to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Place {
    Global,
    System,
    Local,
    Worktree,
    File(BString),
    Blob(BString),
}

/// How it is to be done.
#[derive(Debug, Default)]
pub(super) struct Request {
    pub(super) place: Option<Place>,
    pub(super) kind: Option<Type>,
    pub(super) null: bool,
    pub(super) name_only: bool,
    pub(super) show_origin: bool,
    pub(super) show_scope: bool,
    pub(super) show_names: Option<bool>,
    pub(super) includes: Option<bool>,
    pub(super) default: Option<BString>,
    pub(super) all: bool,
    pub(super) regexp: bool,
    pub(super) value_pattern: Option<BString>,
    pub(super) fixed_value: bool,
    pub(super) url: Option<BString>,
    pub(super) append: bool,
    pub(super) comment: Option<BString>,
    /// In the spelling of subcommands, which advice is phrased for.
    pub(super) modern: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum O {
    Global,
    System,
    Local,
    Worktree,
    File,
    Blob,
    Null,
    NameOnly,
    ShowOrigin,
    ShowScope,
    ShowNames,
    Type,
    OfType(Type),
    Includes,
    Default,
    All,
    Regexp,
    Value,
    FixedValue,
    Url,
    Append,
    Comment,
    Do(Old),
}

/// The actions of the older spelling.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Old {
    Get,
    GetAll,
    GetRegexp,
    GetUrlmatch,
    ReplaceAll,
    Add,
    Unset,
    UnsetAll,
    RenameSection,
    RemoveSection,
    List,
    Edit,
    GetColor,
    GetColorbool,
}

/// Concatenates option lists into one table.
macro_rules! table {
    ($($part:expr),*) => {{
        const LEN: usize = 0 $(+ $part.len())*;
        const ALL: [Opt<O>; LEN] = {
            let mut all = [LOCATION[0]; LEN];
            let mut at = 0;
            $(
                let mut i = 0;
                while i < $part.len() {
                    all[at] = $part[i];
                    at += 1;
                    i += 1;
                }
            )*
            let _ = at;
            all
        };
        Table::new(&ALL)
    }};
}

const LOCATION: [Opt<O>; 6] = [
    Opt::flag(O::Global, "global", "use the file of the user").no(),
    Opt::flag(O::System, "system", "use the file of the system").no(),
    Opt::flag(O::Local, "local", "use the file of the repository").no(),
    Opt::flag(O::Worktree, "worktree", "use the file of the working tree").no(),
    Opt::value(O::File, "file", "file", "use this file").short(b'f').no(),
    Opt::value(O::Blob, "blob", "blob-id", "read this blob").no(),
];

const DISPLAY: [Opt<O>; 5] = [
    Opt::flag(O::Null, "null", "end values with a NUL byte").short(b'z').no(),
    Opt::flag(O::NameOnly, "name-only", "show names only").no(),
    Opt::flag(O::ShowOrigin, "show-origin", "show where each value comes from").no(),
    Opt::flag(O::ShowScope, "show-scope", "show how far each value reaches").no(),
    Opt::flag(O::ShowNames, "show-names", "show names in front of values").no(),
];

const TYPE: [Opt<O>; 7] = [
    Opt::value(O::Type, "type", "type", "values are of this type").short(b't').no(),
    Opt::flag(O::OfType(Type::Bool), "bool", "values are \"true\" or \"false\""),
    Opt::flag(O::OfType(Type::Int), "int", "values are decimal numbers"),
    Opt::flag(O::OfType(Type::BoolOrInt), "bool-or-int", "values are booleans or numbers"),
    Opt::flag(O::OfType(Type::BoolOrStr), "bool-or-str", "values are booleans or strings"),
    Opt::flag(O::OfType(Type::Path), "path", "values are paths"),
    Opt::flag(O::OfType(Type::ExpiryDate), "expiry-date", "values are ages at which something expires"),
];

const INCLUDES: [Opt<O>; 1] = [Opt::flag(O::Includes, "includes", "follow include directives").no()];
const DEFAULT: [Opt<O>; 1] =
    [Opt::value(O::Default, "default", "value", "what to show when there is no value").no()];

const FILTER: [Opt<O>; 2] = [
    Opt::value(O::Value, "value", "pattern", "only values that match the pattern").no(),
    Opt::flag(O::FixedValue, "fixed-value", "the pattern is the value itself").no(),
];

const GET: [Opt<O>; 3] = [
    Opt::flag(O::All, "all", "show all values, not just the last one").no(),
    Opt::flag(O::Regexp, "regexp", "the name is a regular expression").no(),
    Opt::value(O::Url, "url", "URL", "show what holds for this URL").no(),
];

const SET: [Opt<O>; 3] = [
    Opt::flag(O::All, "all", "replace all values by the new one").no(),
    Opt::value(O::Comment, "comment", "value", "put a comment behind the value").no(),
    Opt::flag(O::Append, "append", "add a value and leave others as they are").no(),
];

const UNSET: [Opt<O>; 1] = [Opt::flag(O::All, "all", "remove all values").no()];

const OLD: [Opt<O>; 14] = [
    Opt::flag(O::Do(Old::Get), "get", "show a value: <name> [<value-pattern>]"),
    Opt::flag(O::Do(Old::GetAll), "get-all", "show all values: <name> [<value-pattern>]"),
    Opt::flag(O::Do(Old::GetRegexp), "get-regexp", "show values by pattern: <name-regex> [<value-pattern>]"),
    Opt::flag(O::Do(Old::GetUrlmatch), "get-urlmatch", "show what holds for an URL: <section>[.<key>] <URL>"),
    Opt::flag(O::Do(Old::ReplaceAll), "replace-all", "replace all values: <name> <value> [<value-pattern>]"),
    Opt::flag(O::Do(Old::Add), "add", "add a value: <name> <value>"),
    Opt::flag(O::Do(Old::Unset), "unset", "remove a value: <name> [<value-pattern>]"),
    Opt::flag(O::Do(Old::UnsetAll), "unset-all", "remove all values: <name> [<value-pattern>]"),
    Opt::flag(O::Do(Old::RenameSection), "rename-section", "rename a section: <old-name> <new-name>"),
    Opt::flag(O::Do(Old::RemoveSection), "remove-section", "remove a section: <name>"),
    Opt::flag(O::Do(Old::List), "list", "list all").short(b'l'),
    Opt::flag(O::Do(Old::Edit), "edit", "open an editor").short(b'e'),
    Opt::flag(O::Do(Old::GetColor), "get-color", "show a colour: <name> [<default>]"),
    Opt::flag(O::Do(Old::GetColorbool), "get-colorbool", "tell whether to colour: <name> [<stdout-is-tty>]"),
];

const LIST_TABLE: Table<O> = table!(LOCATION, DISPLAY, TYPE, INCLUDES);
const GET_TABLE: Table<O> = table!(LOCATION, GET, FILTER, DISPLAY, TYPE, INCLUDES, DEFAULT);
const SET_TABLE: Table<O> = table!(LOCATION, TYPE, SET, FILTER);
const UNSET_TABLE: Table<O> = table!(LOCATION, UNSET, FILTER);
const PLACE_TABLE: Table<O> = table!(LOCATION);
const OLD_COMMENT: [Opt<O>; 2] = [SET[1], FILTER[1]];
const OLD_TABLE: Table<O> = table!(LOCATION, OLD, DISPLAY, TYPE, INCLUDES, DEFAULT, OLD_COMMENT);

const LIST_USAGE: &str = "git config list [<file-option>] [<display-option>] [--includes]";
const GET_USAGE: &str = "git config get [<file-option>] [<display-option>] [--includes] [--all] [--regexp] \
     [--value=<pattern>] [--fixed-value] [--default=<default>] [--url=<url>] <name>";
const SET_USAGE: &str = "git config set [<file-option>] [--type=<type>] [--all] [--value=<pattern>] \
     [--fixed-value] <name> <value>";
const UNSET_USAGE: &str =
    "git config unset [<file-option>] [--all] [--value=<pattern>] [--fixed-value] <name>";
const RENAME_USAGE: &str = "git config rename-section [<file-option>] <old-name> <new-name>";
const REMOVE_USAGE: &str = "git config remove-section [<file-option>] <name>";
const EDIT_USAGE: &str = "git config edit [<file-option>]";
const COLORBOOL_USAGE: &str = "git config [<file-option>] --get-colorbool <name> [<stdout-is-tty>]";

const OLD_USAGE: Usage = Usage {
    name: "config",
    synopsis: &[
        LIST_USAGE,
        GET_USAGE,
        SET_USAGE,
        UNSET_USAGE,
        RENAME_USAGE,
        REMOVE_USAGE,
        EDIT_USAGE,
        COLORBOOL_USAGE,
    ],
};

/// A subcommand: its name, what it does, its options, its usage, and how many arguments it takes.
struct Subcommand {
    name: &'static str,
    action: Action,
    table: &'static Table<O>,
    usage: Usage,
    arguments: usize,
}

const fn usage(synopsis: &'static [&'static str]) -> Usage {
    Usage { name: "config", synopsis }
}

static SUBCOMMANDS: [Subcommand; 7] = [
    Subcommand {
        name: "list",
        action: Action::List,
        table: &LIST_TABLE,
        usage: usage(&[LIST_USAGE]),
        arguments: 0,
    },
    Subcommand {
        name: "get",
        action: Action::Get,
        table: &GET_TABLE,
        usage: usage(&[GET_USAGE]),
        arguments: 1,
    },
    Subcommand {
        name: "set",
        action: Action::Set,
        table: &SET_TABLE,
        usage: usage(&[SET_USAGE]),
        arguments: 2,
    },
    Subcommand {
        name: "unset",
        action: Action::Unset,
        table: &UNSET_TABLE,
        usage: usage(&[UNSET_USAGE]),
        arguments: 1,
    },
    Subcommand {
        name: "rename-section",
        action: Action::RenameSection,
        table: &PLACE_TABLE,
        usage: usage(&[RENAME_USAGE]),
        arguments: 2,
    },
    Subcommand {
        name: "remove-section",
        action: Action::RemoveSection,
        table: &PLACE_TABLE,
        usage: usage(&[REMOVE_USAGE]),
        arguments: 1,
    },
    Subcommand {
        name: "edit",
        action: Action::Edit,
        table: &PLACE_TABLE,
        usage: usage(&[EDIT_USAGE]),
        arguments: 0,
    },
];

/// Reads the command line.
pub(super) fn parse(args: &[BString]) -> Result<(Action, Request, Vec<BString>), Error> {
    let first = args.first().map(|word| word.as_bstr());
    match SUBCOMMANDS.iter().find(|subcommand| first.is_some_and(|word| word == subcommand.name)) {
        Some(subcommand) => parse_subcommand(subcommand, &args[1..]),
        None => parse_old(args),
    }
}

fn parse_subcommand(
    subcommand: &Subcommand,
    args: &[BString],
) -> Result<(Action, Request, Vec<BString>), Error> {
    let mut request = Request { modern: true, ..Request::default() };
    let words = take_options(subcommand.table, &subcommand.usage, args, |given| request.take(given))?;
    if let (Action::Set, [word]) = (subcommand.action, words.as_slice()) {
        return Err(no_value(word));
    }
    check_count(words.len(), subcommand.arguments, subcommand.arguments)?;
    request.check_modern(subcommand.action)?;
    let action = if request.url.is_some() { Action::GetUrl } else { subcommand.action };
    Ok((action, request, words))
}

fn parse_old(args: &[BString]) -> Result<(Action, Request, Vec<BString>), Error> {
    let mut request = Request::default();
    let mut asked: Option<(Old, BString)> = None;
    let mut words = take_options(&OLD_TABLE, &OLD_USAGE, args, |given| match given.id {
        O::Do(old) => {
            if let Some((other, spelling)) = &asked
                && *other != old
            {
                let message =
                    format!("options '{}' and '{spelling}' cannot be used together", given.spelling);
                return Err(wrong(message));
            }
            asked = Some((old, given.spelling));
            Ok(())
        }
        _ => request.take(given),
    })?;
    let old = asked.map(|(old, _)| old);
    request.check_old(old, words.len())?;
    let action = request.understand(old, &mut words)?;
    Ok((action, request, words))
}

/// A mistake in the command line that says all there is to say.
fn wrong(message: impl Into<BString>) -> Error {
    Error::Failed(message.into(), 129)
}

/// Whether a word is no name, but gives a value to one by `=`.
fn is_assignment(word: &BString) -> bool {
    let name = word.split_once_str("=").map(|(name, _)| name.as_bstr());
    Name::parse(word.as_bstr()).is_err() && name.is_some_and(|name| Name::parse(name).is_ok())
}

/// The error for a name without a value; a `=` in it may have been meant to give one.
fn no_value(word: &BString) -> Error {
    let (name, value) = match word.split_once_str("=") {
        Some((name, value)) => (name.as_bstr(), Some(value.as_bstr())),
        None => (word.as_bstr(), None),
    };
    if Name::parse(name).is_err() {
        return wrong(format!("missing value to set to a variable with an invalid name '{word}'"));
    }
    let hint = value.map(|value| format!("\nhint: did you mean \"git config set {name} {value}\"?"));
    wrong(format!("missing value to set to the variable '{word}'{}", hint.unwrap_or_default()))
}

/// Reads the options of `table` up to the first word that is none; what follows comes back.
fn take_options(
    table: &Table<O>,
    usage: &Usage,
    args: &[BString],
    mut each: impl FnMut(Given<O>) -> Result<(), Error>,
) -> Result<Vec<BString>, Error> {
    let with_usage = |error: Error| error.with_usage(table.usage(usage));
    let mut args = Args::new(args);
    while let Some(given) = table.take(&mut args).map_err(with_usage)? {
        each(given)?;
    }
    if args.peek().is_some_and(|word| word == "--") {
        args.next_word();
    } else if args.at_option() {
        return Err(with_usage(unknown_option(&args)));
    }
    Ok(args.rest().to_vec())
}

fn check_count(count: usize, least: usize, most: usize) -> Result<(), Error> {
    if (least..=most).contains(&count) {
        return Ok(());
    }
    Err(wrong(if least == most {
        format!("wrong number of arguments, should be {least}")
    } else {
        format!("wrong number of arguments, should be from {least} to {most}")
    }))
}

impl Request {
    fn take(&mut self, given: Given<O>) -> Result<(), Error> {
        let on = given.on();
        let value = given.value.clone();
        match given.id {
            O::Global => self.set_place(on.then_some(Place::Global))?,
            O::System => self.set_place(on.then_some(Place::System))?,
            O::Local => self.set_place(on.then_some(Place::Local))?,
            O::Worktree => self.set_place(on.then_some(Place::Worktree))?,
            O::File => self.set_place(value.map(Place::File))?,
            O::Blob => self.set_place(value.map(Place::Blob))?,
            O::Null => self.null = on,
            O::NameOnly => self.name_only = on,
            O::ShowOrigin => self.show_origin = on,
            O::ShowScope => self.show_scope = on,
            O::ShowNames => self.show_names = Some(on),
            O::Type => match value {
                None => self.kind = None,
                Some(name) => {
                    let unknown = || Error::fatal(format!("unrecognized --type argument, {name}"));
                    self.set_type(Type::parse(name.as_bstr()).ok_or_else(unknown)?)?;
                }
            },
            O::OfType(kind) => self.set_type(kind)?,
            O::Includes => self.includes = Some(on),
            O::Default => self.default = value,
            O::All => self.all = on,
            O::Regexp => self.regexp = on,
            O::Value => self.value_pattern = value,
            O::FixedValue => self.fixed_value = on,
            O::Url => self.url = value,
            O::Append => self.append = on,
            O::Comment => self.comment = value,
            O::Do(_) => {}
        }
        Ok(())
    }

    fn set_place(&mut self, place: Option<Place>) -> Result<(), Error> {
        if let (Some(new), Some(old)) = (&place, &self.place)
            && std::mem::discriminant(new) != std::mem::discriminant(old)
        {
            return Err(wrong("only one config file at a time".to_owned()));
        }
        self.place = place;
        Ok(())
    }

    fn set_type(&mut self, kind: Type) -> Result<(), Error> {
        if self.kind.is_some_and(|other| other != kind) {
            return Err(wrong("only one type at a time".to_owned()));
        }
        self.kind = Some(kind);
        Ok(())
    }

    fn check_modern(&self, action: Action) -> Result<(), Error> {
        let fatal = |message: &str| Err(Error::fatal(message));
        if self.fixed_value && self.value_pattern.is_none() {
            return fatal(match action {
                Action::Set => "--fixed-value only applies with --value=<pattern>",
                _ => "--fixed-value only applies with 'value-pattern'",
            });
        }
        if self.append && self.value_pattern.is_some() {
            return fatal("--append cannot be used with --value=<pattern>");
        }
        if self.default.is_some() && (self.all || self.url.is_some()) {
            return fatal("--default= cannot be used with --all or --url=");
        }
        if self.url.is_some() && (self.all || self.regexp || self.value_pattern.is_some()) {
            return fatal("--url= cannot be used with --all, --regexp or --value");
        }
        Ok(())
    }

    fn check_old(&self, old: Option<Old>, words: usize) -> Result<(), Error> {
        let refuse = |message: &str| Err(wrong(message.to_owned()));
        // A name alone is to be got.
        let gets = matches!(old, Some(Old::Get)) || (old.is_none() && words == 1);
        let shows = gets || matches!(old, Some(Old::GetAll | Old::GetRegexp | Old::List));
        let sets =
            matches!(old, Some(Old::Add | Old::ReplaceAll)) || (old.is_none() && (2..=3).contains(&words));
        if self.name_only && !matches!(old, Some(Old::List | Old::GetRegexp)) {
            return refuse("--name-only is only applicable to --list or --get-regexp");
        }
        if self.show_origin && !shows {
            return refuse("--show-origin is only applicable to --get, --get-all, --get-regexp, and --list");
        }
        if self.default.is_some() && !gets {
            return refuse("--default is only applicable to --get");
        }
        if self.comment.is_some() && !sets {
            return refuse("--comment is only applicable to add/set/replace operations");
        }
        if self.fixed_value {
            let has_pattern = match old {
                Some(Old::Get | Old::GetAll | Old::GetRegexp | Old::Unset | Old::UnsetAll) => words > 1,
                Some(Old::ReplaceAll) => words > 2,
                None => words == 3,
                _ => false,
            };
            if !has_pattern {
                return refuse("--fixed-value only applies with 'value-pattern'");
            }
        }
        Ok(())
    }

    /// What the older spelling means. The pattern for values is taken off the end of `words`.
    fn understand(&mut self, old: Option<Old>, words: &mut Vec<BString>) -> Result<Action, Error> {
        let count = words.len();
        let (action, least, most) = match old {
            None => match count {
                1 if is_assignment(&words[0]) => {
                    return Err(no_value(&words[0]));
                }
                1 => (Action::Get, 1, 1),
                2 | 3 => (Action::Set, 2, 3),
                _ => return Err(wrong("no action specified".to_owned())),
            },
            Some(Old::Get | Old::GetAll | Old::GetRegexp) => (Action::Get, 1, 2),
            Some(Old::GetUrlmatch) => (Action::GetUrl, 2, 2),
            Some(Old::ReplaceAll) => (Action::Set, 2, 3),
            Some(Old::Add) => (Action::Set, 2, 2),
            Some(Old::Unset | Old::UnsetAll) => (Action::Unset, 1, 2),
            Some(Old::RenameSection) => (Action::RenameSection, 2, 2),
            Some(Old::RemoveSection) => (Action::RemoveSection, 1, 1),
            Some(Old::List) => (Action::List, 0, 0),
            Some(Old::Edit) => (Action::Edit, 0, 0),
            Some(Old::GetColor) => (Action::GetColor, 1, 2),
            Some(Old::GetColorbool) => (Action::GetColorBool, 1, 2),
        };
        check_count(count, least, most)?;
        match action {
            Action::Get | Action::Unset => self.value_pattern = words.drain(1..).next(),
            Action::Set => self.value_pattern = words.drain(2..).next(),
            Action::GetUrl => self.url = words.pop(),
            _ => {}
        }
        match old {
            Some(Old::GetAll) => self.all = true,
            Some(Old::GetRegexp) => {
                (self.all, self.regexp) = (true, true);
                self.show_names = Some(true);
            }
            Some(Old::ReplaceAll | Old::UnsetAll) => self.all = true,
            Some(Old::Add) => self.append = true,
            _ => {}
        }
        Ok(action)
    }
}
