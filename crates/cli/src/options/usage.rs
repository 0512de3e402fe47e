//! Usage text, made from the same tables that are parsed.

use std::fmt::Write;

use super::{Opt, Table, Value};

/// What the usage of a command says before its options.
#[derive(Debug, Clone, Copy)]
pub struct Usage {
    /// The command's name.
    pub name: &'static str,
    /// The forms of its command line, each with the program's name.
    pub synopsis: &'static [&'static str],
}

/// The column at which the help of an option starts.
const HELP_COLUMN: usize = 26;

impl Usage {
    /// The lines that say how the command is called, and an empty one.
    pub fn head(&self) -> String {
        let mut text = String::new();
        for (i, form) in self.synopsis.iter().enumerate() {
            let _ = writeln!(text, "{} {form}", if i == 0 { "usage:" } else { "   or:" });
        }
        text.push('\n');
        text
    }
}

impl<I: Copy> Table<I> {
    /// The usage text of a command whose only options are this table's.
    pub fn usage(&self, usage: &Usage) -> String {
        let mut text = usage.head();
        self.describe(&mut text);
        text
    }

    /// Appends a line (or two) for each option that is not hidden.
    pub fn describe(&self, text: &mut String) {
        for option in self.options.iter().filter(|option| !option.hidden) {
            let spelt = option.spelt();
            if spelt.len() < HELP_COLUMN {
                let _ = writeln!(text, "{spelt:<HELP_COLUMN$}{}", option.help);
            } else {
                let _ = writeln!(text, "{spelt}\n{:HELP_COLUMN$}{}", "", option.help);
            }
        }
        text.push('\n');
    }
}

impl<I: Copy> Opt<I> {
    fn spelt(&self) -> String {
        let mut text = String::from("    ");
        if self.value == Value::Number {
            text.push_str("-<n>");
        }
        if let Some(short) = self.short {
            let _ = write!(text, "-{}", char::from(short));
        }
        if !self.long.is_empty() {
            let _ = write!(text, "{}--", if self.short.is_some() { ", " } else { "" });
            match self.long.strip_prefix("no-") {
                Some(positive) if self.negatable => {
                    let _ = write!(text, "[no-]{positive}");
                }
                _ => {
                    let _ = write!(text, "{}{}", if self.negatable { "[no-]" } else { "" }, self.long);
                }
            }
        }
        match self.value {
            Value::None | Value::Number => {}
            Value::Required(name) => {
                let _ = write!(text, " <{name}>");
            }
            Value::Optional(name) if self.long.is_empty() => {
                let _ = write!(text, "[<{name}>]");
            }
            Value::Optional(name) => {
                let _ = write!(text, "[=<{name}>]");
            }
        }
        text
    }
}
