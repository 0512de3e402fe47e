//! The order of a listing: keys, and names with version numbers in them.

use std::cmp::Ordering;

use adit_config::Config;
use bstr::BString;

use super::atom::{Atom, Rules};
use super::value::{Item, Values};
use crate::error::Error;

/// One key.
#[derive(Debug, Clone, PartialEq)]
struct SortKey {
    atom: Atom,
    descending: bool,
    by_version: bool,
}

/// The keys of a command line, in order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SortKeys {
    keys: Vec<BString>,
    /// Whether `--no-sort` was said.
    cleared: bool,
}

impl SortKeys {
    /// Takes a `--sort=<key>`, or a `--no-sort`.
    pub fn take(&mut self, key: Option<BString>) {
        match key {
            Some(key) => self.keys.push(key),
            None => *self = SortKeys { keys: Vec::new(), cleared: true },
        }
    }

    /// Whether there is no key.
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }
}

/// The order of a listing.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Sorting {
    /// The most important first.
    keys: Vec<SortKey>,
    /// Nothing is sorted at all.
    unsorted: bool,
    /// Letters sort whatever their case.
    pub ignore_case: bool,
    /// `versionsort.suffix`, in order.
    suffixes: Vec<BString>,
}

/// What a key of one reference is compared by.
enum Value {
    Number(u64),
    Text(Vec<u8>),
}

impl Sorting {
    /// The order by name.
    pub fn by_name(config: &Config) -> Self {
        let values = |name: &[u8]| -> Vec<BString> {
            config.all(name).filter_map(|entry| entry.value.clone()).collect()
        };
        let mut suffixes = values(b"versionsort.suffix");
        if suffixes.is_empty() {
            suffixes = values(b"versionsort.prereleasesuffix");
        }
        Sorting { suffixes, ..Sorting::default() }
    }

    /// Adds a key, which becomes the most important one.
    ///
    /// # Errors
    /// When it is no atom.
    pub fn add(&mut self, text: &[u8], rules: Rules) -> Result<(), Error> {
        let (descending, text) = strip(text, b"-");
        let (version, text) = strip(text, b"version:");
        let (short, text) = if version { (true, text) } else { strip(text, b"v:") };
        let atom = Atom::parse(text, rules)?;
        self.keys.insert(0, SortKey { atom, descending, by_version: version || short });
        self.unsorted = false;
        Ok(())
    }

    /// Adds the keys of a setting, then those of the command line; `--no-sort` forgets the former.
    ///
    /// # Errors
    /// When one is no atom.
    pub fn add_all(
        &mut self,
        config: &Config,
        setting: &str,
        asked: &SortKeys,
        rules: Rules,
    ) -> Result<(), Error> {
        if asked.cleared {
            self.clear();
        } else {
            for entry in config.all(setting.as_bytes()) {
                self.add(entry.value.as_ref().map_or(&b""[..], |value| value.as_slice()), rules)?;
            }
        }
        asked.keys.iter().try_for_each(|key| self.add(key, rules))
    }

    /// Forgets all keys: references come as they are found.
    pub fn clear(&mut self) {
        self.keys.clear();
        self.unsorted = true;
    }

    /// Whether references come in this order when they are found.
    pub fn is_natural(&self) -> bool {
        self.unsorted || (self.keys.is_empty() && !self.ignore_case)
    }

    /// Whether any key was given.
    pub fn has_keys(&self) -> bool {
        !self.keys.is_empty()
    }

    /// The atoms of the keys.
    pub fn atoms(&self) -> impl Iterator<Item = &Atom> {
        self.keys.iter().map(|key| &key.atom)
    }

    /// The order in which `items` are to be shown, as positions.
    pub fn order(&self, values: &mut Values<'_>, items: &[Item<'_>]) -> Result<Vec<usize>, Error> {
        let mut order: Vec<usize> = (0..items.len()).collect();
        if self.is_natural() {
            return Ok(order);
        }
        let mut columns = Vec::with_capacity(self.keys.len());
        for key in &self.keys {
            let mut column = Vec::with_capacity(items.len());
            for item in items {
                column.push(if key.atom.is_number() {
                    Value::Number(values.number(&key.atom, item)?)
                } else {
                    let mut text = Vec::new();
                    values.append(&key.atom, item, &mut text)?;
                    Value::Text(text)
                });
            }
            columns.push(column);
        }
        order.sort_by(|&a, &b| {
            // A HEAD that is on no branch comes before all branches.
            let detached = |at: usize| items[at].description.is_none();
            let mut order = detached(a).cmp(&detached(b));
            for (key, column) in self.keys.iter().zip(&columns) {
                order = order.then_with(|| {
                    let order = self.compare(key, &column[a], &column[b]);
                    if key.descending { order.reverse() } else { order }
                });
            }
            order.then_with(|| self.compare_text(items[a].name, items[b].name))
        });
        Ok(order)
    }

    fn compare(&self, key: &SortKey, a: &Value, b: &Value) -> Ordering {
        match (a, b) {
            (Value::Number(a), Value::Number(b)) => a.cmp(b),
            (Value::Text(a), Value::Text(b)) if key.by_version => compare_versions(a, b, &self.suffixes),
            (Value::Text(a), Value::Text(b)) => self.compare_text(a, b),
            (Value::Number(_), Value::Text(_)) => Ordering::Less,
            (Value::Text(_), Value::Number(_)) => Ordering::Greater,
        }
    }

    fn compare_text(&self, a: &[u8], b: &[u8]) -> Ordering {
        if self.ignore_case {
            a.iter().map(u8::to_ascii_lowercase).cmp(b.iter().map(u8::to_ascii_lowercase))
        } else {
            a.cmp(b)
        }
    }
}

fn strip<'t>(text: &'t [u8], prefix: &[u8]) -> (bool, &'t [u8]) {
    text.strip_prefix(prefix).map_or((false, text), |rest| (true, rest))
}

/// Compares names in which runs of digits are numbers; those with one of `suffixes` come before the name without, in the
/// order of the suffixes (`versionsort.suffix`).
pub fn compare_versions(a: &[u8], b: &[u8], suffixes: &[BString]) -> Ordering {
    let Some(at) = first_difference(a, b) else { return Ordering::Equal };
    let found = (find_suffix(a, at, suffixes), find_suffix(b, at, suffixes));
    match found {
        (None, None) => {}
        (Some(a), Some(b)) if a == b => {}
        (Some(a), Some(b)) => return a.cmp(&b),
        (Some(_), None) => return Ordering::Less,
        (None, Some(_)) => return Ordering::Greater,
    }
    compare_numbers(a, b, at)
}

/// Where two texts differ first, the end of the shorter one included.
fn first_difference(a: &[u8], b: &[u8]) -> Option<usize> {
    let same = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    (same < a.len() || same < b.len()).then_some(same)
}

/// Which suffix reaches to the place `at` of `name`: the one that starts first, and of those the longest.
fn find_suffix(name: &[u8], at: usize, suffixes: &[BString]) -> Option<usize> {
    let mut best: Option<(usize, usize, usize)> = None;
    for (index, suffix) in suffixes.iter().enumerate() {
        // A suffix that ends just before the difference counts as well.
        let first = at.saturating_sub(suffix.len());
        let found = (first..=at).find(|&start| name[start.min(name.len())..].starts_with(suffix));
        let Some(start) = found else { continue };
        let better = best.is_none_or(|(best_start, best_len, _)| {
            start < best_start || (start == best_start && suffix.len() > best_len)
        });
        if better {
            best = Some((start, suffix.len(), index));
        }
    }
    best.map(|(.., index)| index)
}

/// Compares texts that differ first at `at`. Digits there continue a number, and numbers that start with a zero are
/// decimal fractions: 000 < 00 < 01 < 010 < 09 < 0 < 1 < 9 < 10 (strverscmp(3)).
fn compare_numbers(a: &[u8], b: &[u8], at: usize) -> Ordering {
    let digit = |text: &[u8], at: usize| text.get(at).is_some_and(u8::is_ascii_digit);
    let byte = |text: &[u8]| text.get(at).copied().unwrap_or(0);
    let start = (0..at).rev().take_while(|&at| digit(a, at)).last().unwrap_or(at);
    let common = &a[start..at];
    let by_byte = byte(a).cmp(&byte(b));
    let longer = || {
        let run = |text: &[u8]| text[at.min(text.len())..].iter().take_while(|b| b.is_ascii_digit()).count();
        run(a).cmp(&run(b)).then(by_byte)
    };
    match (common.is_empty(), common.starts_with(b"0"), digit(a, at), digit(b, at)) {
        // A number starts here: without a leading zero, the longer one is greater.
        (true, _, true, true) if byte(a) != b'0' && byte(b) != b'0' => longer(),
        (true, ..) => by_byte,
        // A number goes on.
        (false, false, false, false) => by_byte,
        (false, false, ..) => longer(),
        // A fraction goes on; one of zeros alone is greater than those that are longer.
        (false, true, true, false) if common.iter().all(|&b| b == b'0') => Ordering::Less,
        (false, true, false, true) if common.iter().all(|&b| b == b'0') => Ordering::Greater,
        (false, true, ..) => by_byte,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_fractions() {
        let names = ["000", "00", "01", "010", "09", "0", "1", "9", "10"];
        for pair in names.windows(2) {
            let (a, b) = (pair[0].as_bytes(), pair[1].as_bytes());
            assert_eq!(compare_versions(a, b, &[]), Ordering::Less, "{pair:?}");
            assert_eq!(compare_versions(b, a, &[]), Ordering::Greater, "{pair:?}");
        }
        for (a, b) in
            [("v1.9", "v1.10"), ("v1.2", "v1.2.1"), ("v1.2", "v1.2-rc1"), ("a9b", "a10b"), ("x", "xy")]
        {
            assert_eq!(compare_versions(a.as_bytes(), b.as_bytes(), &[]), Ordering::Less, "{a} {b}");
        }
        assert_eq!(compare_versions(b"v1", b"v1", &[]), Ordering::Equal);
    }

    #[test]
    fn suffixes_order_prereleases() {
        let pre = ["-pre".into(), "-prerelease".into()];
        assert_eq!(compare_versions(b"v1-pre1", b"v1-prerelease1", &pre), Ordering::Less);
        let suffixes = ["-alpha".into(), "-rc".into(), "".into(), "-fix".into()];
        let names = ["v1-alpha1", "v1-rc1", "v1-rc2", "v1", "v1-fix1"];
        for pair in names.windows(2) {
            let order = compare_versions(pair[0].as_bytes(), pair[1].as_bytes(), &suffixes);
            assert_eq!(order, Ordering::Less, "{pair:?}");
        }
    }
}
