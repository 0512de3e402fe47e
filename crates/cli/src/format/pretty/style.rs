//! The formats by name, git's own and configured ones (`pretty.<name>`).

use adit_config::Config;
use bstr::{BStr, BString, ByteSlice};

use super::{FormatError, Template};

/// A format, and how commits are set apart in it.
#[derive(Debug, Clone)]
pub struct Style {
    /// What is shown of a commit.
    pub layout: Layout,
    /// Whether each commit is ended (`tformat:`, `oneline`) rather than set apart from the next one.
    pub is_terminated: bool,
    /// Whether dates are short unless `--date` says something (`reference`).
    pub short_dates: bool,
}

/// What is shown of a commit.
#[derive(Debug, Clone)]
pub enum Layout {
    /// The subject on one line.
    Oneline,
    /// Author and subject.
    Short,
    /// Author, date and message.
    Medium,
    /// Author, committer and message.
    Full,
    /// Author, committer, both dates and message.
    Fuller,
    /// The header as it is stored, and the message.
    Raw,
    /// As a mail.
    Email,
    /// As a mail in a mailbox, with `From ` quoted in its text.
    Mboxrd,
    /// A user's format.
    User(Template),
}

impl Layout {
    /// Whether it is a mail.
    pub fn is_mail(&self) -> bool {
        matches!(self, Layout::Email | Layout::Mboxrd)
    }

    /// The columns between tabs in messages when nothing else is said; 0 for tabs that stay.
    pub fn tab_width(&self) -> usize {
        if matches!(self, Layout::Medium | Layout::Full | Layout::Fuller) { 8 } else { 0 }
    }

    /// The user's format, if it is one.
    pub fn template(&self) -> Option<&Template> {
        match self {
            Layout::User(template) => Some(template),
            _ => None,
        }
    }
}

/// git's own names.
const NAMES: [&str; 9] =
    ["raw", "medium", "short", "email", "mboxrd", "fuller", "full", "oneline", "reference"];

/// What `reference` stands for.
const REFERENCE: &[u8] = b"%C(auto)%h (%s, %ad)";

impl Style {
    /// The format that git uses when nothing is said.
    pub fn medium() -> Self {
        Style { layout: Layout::Medium, is_terminated: false, short_dates: false }
    }

    /// The format that a name, a `format:...` text or a text with placeholders stands for.
    ///
    /// `color` and `columns` are as in [`Template::parse`].
    ///
    /// # Errors
    /// When there is none.
    pub fn find(sought: &BStr, config: &Config, color: bool, columns: usize) -> Result<Self, FormatError> {
        let user = |format: &[u8], is_terminated| {
            let layout = Layout::User(Template::parse(format, color, columns)?);
            Ok(Style { layout, is_terminated, short_dates: false })
        };
        if let Some(format) = sought.strip_prefix(b"format:") {
            return user(format, false);
        }
        if let Some(format) = sought.strip_prefix(b"tformat:") {
            return user(format, true);
        }
        if sought.is_empty() || sought.contains(&b'%') {
            return user(sought, true);
        }
        let configured = configured(config);
        let mut name = sought.to_owned();
        // A chain longer than there are names leads back to itself.
        for _ in 0..=configured.len() {
            match closest(name.as_bstr(), &configured) {
                Some(Found::Own("reference")) => {
                    return user(REFERENCE, true).map(|style| Style { short_dates: true, ..style });
                }
                Some(Found::Own(own)) => return Ok(Self::own(own)),
                Some(Found::Configured(value)) => {
                    if let Some(format) = value.strip_prefix(b"format:") {
                        return user(format, false);
                    }
                    let terminated = value.strip_prefix(b"tformat:");
                    if terminated.is_some() || value.contains(&b'%') {
                        return user(terminated.unwrap_or(value), true);
                    }
                    name = value.to_owned();
                }
                None => return Err(FormatError::Unknown(sought.to_string())),
            }
        }
        Err(FormatError::Circular(sought.to_string()))
    }

    fn own(name: &str) -> Self {
        let layout = match name {
            "oneline" => Layout::Oneline,
            "short" => Layout::Short,
            "full" => Layout::Full,
            "fuller" => Layout::Fuller,
            "raw" => Layout::Raw,
            "email" => Layout::Email,
            "mboxrd" => Layout::Mboxrd,
            _ => Layout::Medium,
        };
        let is_terminated = matches!(layout, Layout::Oneline);
        Style { layout, is_terminated, short_dates: false }
    }
}

enum Found<'c> {
    Own(&'static str),
    Configured(&'c BStr),
}

/// The names and values of `pretty.<name>`, in order of first mention; those of git's own names do not count.
fn configured(config: &Config) -> Vec<(BString, BString)> {
    let mut found: Vec<(BString, BString)> = Vec::new();
    for entry in config.entries() {
        let Some(name) = entry.name.strip_prefix(b"pretty.") else { continue };
        let Some(value) = &entry.value else { continue };
        if NAMES.iter().any(|own| own.as_bytes() == name) {
            continue;
        }
        match found.iter_mut().find(|(known, _)| known == name) {
            Some((_, known)) => known.clone_from(value),
            None => found.push((name.into(), value.clone())),
        }
    }
    found
}

/// The shortest name that starts with `sought`, in either case.
fn closest<'c>(sought: &BStr, configured: &'c [(BString, BString)]) -> Option<Found<'c>> {
    let own = NAMES.iter().map(|name| (name.as_bytes(), Found::Own(name)));
    let configured =
        configured.iter().map(|(name, value)| (name.as_slice(), Found::Configured(value.as_bstr())));
    own.chain(configured)
        .filter(|(name, _)| name.get(..sought.len()).is_some_and(|start| start.eq_ignore_ascii_case(sought)))
        .min_by_key(|(name, _)| name.len())
        .map(|(_, found)| found)
}

#[cfg(test)]
mod tests {
    use adit_config::{Origin, Scope};

    use super::*;

    fn find(name: &str) -> Result<Style, FormatError> {
        let text =
            "[pretty]\nx = format:%h\ny = x\nz = z\na = b\nb = a\noneline = format:foo\nq = %h\nw = nope\n";
        let mut config = Config::default();
        config.add_bytes(text.as_bytes(), Origin::CommandLine, Scope::Command).unwrap();
        Style::find(name.into(), &config, false, 80)
    }

    #[test]
    fn names_may_be_cut_short() {
        assert!(matches!(find("f").unwrap().layout, Layout::Full));
        assert!(matches!(find("fulle").unwrap().layout, Layout::Fuller));
        assert!(matches!(find("ONE").unwrap().layout, Layout::Oneline));
        assert!(matches!(find("mb").unwrap().layout, Layout::Mboxrd));
        assert!(find("ref").unwrap().short_dates);
        assert_eq!(find("fullerx").unwrap_err(), FormatError::Unknown("fullerx".into()));
        assert!(find("format").is_err());
    }

    #[test]
    fn texts_end_or_set_apart() {
        assert!(!find("format:%h").unwrap().is_terminated);
        assert!(find("tformat:").unwrap().is_terminated);
        assert!(find("a%h").unwrap().is_terminated);
        assert!(find("").unwrap().layout.template().is_some());
    }

    #[test]
    fn configured_names_lead_on() {
        assert!(!find("y").unwrap().is_terminated);
        assert!(find("q").unwrap().is_terminated);
        assert!(matches!(find("oneline").unwrap().layout, Layout::Oneline));
        assert_eq!(find("z").unwrap_err(), FormatError::Circular("z".into()));
        assert_eq!(find("a").unwrap_err(), FormatError::Circular("a".into()));
        assert_eq!(find("w").unwrap_err(), FormatError::Unknown("w".into()));
    }
}
