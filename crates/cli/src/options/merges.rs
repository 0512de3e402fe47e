//! The options by which the changes of merges are shown (`--diff-merges` in diff-options).

use adit_config::Config;
use bstr::{BStr, ByteSlice};

use super::{Given, Opt, Table};
use crate::error::Error;

/// The options of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Id {
    /// `-m`
    Separate,
    /// `-c`
    Combined,
    /// `--cc`
    Dense,
    /// `--dd`
    FirstParent,
    /// `--remerge-diff`
    Remerge,
    /// `--[no-]diff-merges=<format>`
    DiffMerges,
    /// `--combined-all-paths`
    AllPaths,
}

/// The options that say how merges are shown.
pub const TABLE: Table<Id> = Table::exact(&[
    Opt::flag(Id::Separate, "", "show the changes of merges in the default format").short(b'm'),
    Opt::flag(Id::Combined, "", "show changes against all parents of a merge at once").short(b'c'),
    Opt::flag(Id::Dense, "cc", "show changes against all parents where they are of interest"),
    Opt::flag(Id::FirstParent, "dd", "show changes of merges against the first parent"),
    Opt::flag(Id::Remerge, "remerge-diff", "show changes of merges against an automatic merge"),
    Opt::value(Id::DiffMerges, "diff-merges", "format", "show changes of merges in the given format").no(),
    Opt::flag(Id::AllPaths, "combined-all-paths", "list a file's names in all parents of a merge"),
]);

/// How the changes of a merge are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Merges {
    /// Not at all.
    #[default]
    Off,
    /// Against the first parent.
    FirstParent,
    /// Against each parent in turn.
    Separate,
    /// Against all parents at once.
    Combined,
    /// The same, without the hunks that came from one parent unchanged.
    Dense,
}

/// What was said about merges.
#[derive(Debug, Clone, Copy, Default)]
pub struct MergeOptions {
    said: Option<Said>,
    /// Whether patches are shown when no other format is asked for.
    pub implies_patch: bool,
    /// Whether files are listed with their names in all parents.
    pub all_paths: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Said {
    /// In the configured format.
    On,
    In(Merges),
}

impl MergeOptions {
    /// Notes one option.
    ///
    /// # Errors
    /// When its value is none, or it asks for what there is not yet.
    pub fn apply(&mut self, given: &Given<Id>) -> Result<(), Error> {
        let (said, implies_patch) = match given.id {
            Id::AllPaths => {
                self.all_paths = true;
                return Ok(());
            }
            Id::Separate => (Said::On, false),
            Id::Combined => (Said::In(Merges::Combined), true),
            Id::Dense => (Said::In(Merges::Dense), true),
            Id::FirstParent => (Said::In(Merges::FirstParent), true),
            Id::Remerge => return Err(Error::unsupported("--remerge-diff")),
            Id::DiffMerges if !given.on() => (Said::In(Merges::Off), false),
            Id::DiffMerges => {
                let name = given.text();
                let invalid = || Error::fatal(format!("invalid value for '--diff-merges': '{name}'"));
                (parse(name)?.ok_or_else(invalid)?, false)
            }
        };
        (self.said, self.implies_patch) = (Some(said), implies_patch);
        Ok(())
    }

    /// Whether anything was said.
    pub fn is_explicit(&self) -> bool {
        self.said.is_some()
    }

    /// How merges are shown: as was said, else in the format `default`.
    ///
    /// # Errors
    /// When `log.diffMerges` is no format.
    pub fn merges(&self, config: &Config, default: Merges) -> Result<Merges, Error> {
        match self.said {
            None => Ok(default),
            Some(Said::In(merges)) => Ok(merges),
            Some(Said::On) => {
                let Some(name) = config.string("log.diffmerges")? else { return Ok(Merges::Separate) };
                match parse(name)? {
                    Some(Said::In(merges)) => Ok(merges),
                    Some(Said::On) => Ok(Merges::Separate),
                    None => Err(Error::fatal(format!("bad config value for 'log.diffMerges': '{name}'"))),
                }
            }
        }
    }
}

fn parse(name: &BStr) -> Result<Option<Said>, Error> {
    Ok(Some(match name.as_bytes() {
        b"off" | b"none" => Said::In(Merges::Off),
        b"on" | b"m" => Said::On,
        b"1" | b"first-parent" => Said::In(Merges::FirstParent),
        b"separate" => Said::In(Merges::Separate),
        b"c" | b"combined" => Said::In(Merges::Combined),
        b"cc" | b"dense-combined" => Said::In(Merges::Dense),
        b"r" | b"remerge" => return Err(Error::unsupported("--diff-merges=remerge")),
        _ => return Ok(None),
    }))
}

#[cfg(test)]
mod tests {
    use bstr::BString;

    use super::*;
    use crate::options::Args;

    fn read(words: &[&str]) -> Result<MergeOptions, Error> {
        let words: Vec<BString> = words.iter().map(|&word| word.into()).collect();
        let mut args = Args::new(&words);
        let mut options = MergeOptions::default();
        while let Some(given) = TABLE.take(&mut args)? {
            options.apply(&given)?;
        }
        Ok(options)
    }

    fn merges(words: &[&str]) -> Merges {
        read(words).unwrap().merges(&Config::default(), Merges::Off).unwrap()
    }

    #[test]
    fn the_last_option_wins() {
        assert_eq!(merges(&[]), Merges::Off);
        assert_eq!(merges(&["-m"]), Merges::Separate);
        assert_eq!(merges(&["-m", "--cc"]), Merges::Dense);
        assert_eq!(merges(&["--cc", "--no-diff-merges"]), Merges::Off);
        assert_eq!(merges(&["--diff-merges=1"]), Merges::FirstParent);
        assert!(read(&["-c"]).unwrap().implies_patch && !read(&["-m"]).unwrap().implies_patch);
        assert!(read(&["--diff-merges=foo"]).is_err() && read(&["--remerge-diff"]).is_err());
    }
}
