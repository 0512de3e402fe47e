//! Mailmaps (gitmailmap): the names and addresses that people want to be shown under.
//!
//! The caller reads the sources and adds them in git's order: `.mailmap` at the top of the work tree, then the blob
//! that `mailmap.blob` names (`HEAD:.mailmap` by default in a bare repository), then `mailmap.file`. Later entries win.

use std::hash::{BuildHasher, Hasher};

use bstr::{BStr, BString, ByteSlice};
use hashbrown::{DefaultHashBuilder, HashTable};

/// Maps the names and addresses of commits to the ones to show; both are matched without regard to ASCII case.
///
/// ```
/// let mut map = adit::Mailmap::default();
/// map.add(b"Jane Doe <jane@example.com> <jane@laptop.(none)>\n");
/// let (name, email) = map.resolve("jd".into(), "Jane@Laptop.(none)".into());
/// assert_eq!((name, email), ("Jane Doe".into(), "jane@example.com".into()));
/// ```
#[derive(Debug, Default, Clone)]
pub struct Mailmap {
    entries: HashTable<Entry>,
    hasher: DefaultHashBuilder,
    /// Whether any entry asks for a name too, so that the second lookup is worth it.
    by_name: bool,
}

#[derive(Debug, Clone)]
struct Entry {
    /// The address in commits.
    old_email: BString,
    /// The name in commits; `None` when every name with the address is meant.
    old_name: Option<BString>,
    name: Option<BString>,
    email: Option<BString>,
}

/// `Name <email>` as a line of a mailmap holds it; the name is trimmed and may be empty.
struct Person<'a> {
    name: &'a [u8],
    email: &'a [u8],
}

impl Mailmap {
    /// Adds the lines of one mailmap file; lines that say nothing usable are passed over, as git does.
    pub fn add(&mut self, text: &[u8]) {
        for line in text.lines() {
            self.add_line(line);
        }
    }

    /// Whether nothing is mapped at all.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The number of entries.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// The name and address to show for those of a commit.
    pub fn resolve<'a>(&'a self, name: &'a BStr, email: &'a BStr) -> (&'a BStr, &'a BStr) {
        let named = if self.by_name { self.find(email, Some(name)) } else { None };
        let Some(entry) = named.or_else(|| self.find(email, None)) else {
            return (name, email);
        };
        (
            entry.name.as_ref().map_or(name, |mapped| mapped.as_bstr()),
            entry.email.as_ref().map_or(email, |mapped| mapped.as_bstr()),
        )
    }

    fn add_line(&mut self, line: &[u8]) {
        // git reads lines as C strings.
        let line = line.find_byte(0).map_or(line, |nul| &line[..nul]);
        if line.first() == Some(&b'#') {
            return;
        }
        let Some((new, rest)) = person(line).filter(|(new, _)| !new.email.is_empty()) else {
            return;
        };
        match person(rest) {
            None => self.insert(new.email, None, non_empty(new.name), None),
            Some((old, _)) => {
                let old_name = Some(old.name).filter(|name| !name.is_empty());
                self.insert(old.email, old_name, non_empty(new.name), non_empty(new.email));
            }
        }
    }

    fn insert(
        &mut self,
        old_email: &[u8],
        old_name: Option<&[u8]>,
        name: Option<BString>,
        email: Option<BString>,
    ) {
        // A lone address maps nothing to anything.
        if name.is_none() && email.is_none() {
            return;
        }
        self.by_name |= old_name.is_some();
        let hash = self.hash(old_email, old_name);
        if let Some(known) = self.entries.find_mut(hash, |entry| entry.is_for(old_email, old_name)) {
            // Lines for an address add up; a line for an address and a name replaces the earlier one.
            let keep = old_name.is_none();
            known.name = name.or(known.name.take().filter(|_| keep));
            known.email = email.or(known.email.take().filter(|_| keep));
            return;
        }
        let entry = Entry { old_email: old_email.into(), old_name: old_name.map(BString::from), name, email };
        let hasher = &self.hasher;
        self.entries.insert_unique(hash, entry, |e| {
            hash_key(hasher, &e.old_email, e.old_name.as_ref().map(|n| &n[..]))
        });
    }

    fn find(&self, email: &[u8], name: Option<&[u8]>) -> Option<&Entry> {
        self.entries.find(self.hash(email, name), |entry| entry.is_for(email, name))
    }

    fn hash(&self, email: &[u8], name: Option<&[u8]>) -> u64 {
        hash_key(&self.hasher, email, name)
    }
}

impl Entry {
    fn is_for(&self, email: &[u8], name: Option<&[u8]>) -> bool {
        let same_name = match (&self.old_name, name) {
            (Some(own), Some(other)) => own.eq_ignore_ascii_case(other),
            (None, None) => true,
            _ => false,
        };
        same_name && self.old_email.eq_ignore_ascii_case(email)
    }
}

/// Finds the next `name <email>` of a line, and what follows it.
fn person(line: &[u8]) -> Option<(Person<'_>, &[u8])> {
    let open = line.find_byte(b'<')?;
    let close = open + line[open..].find_byte(b'>')?;
    let person = Person { name: line[..open].trim_ascii(), email: &line[open + 1..close] };
    Some((person, &line[close + 1..]))
}

fn non_empty(text: &[u8]) -> Option<BString> {
    (!text.is_empty()).then(|| BString::from(text))
}

fn hash_key(hasher: &DefaultHashBuilder, email: &[u8], name: Option<&[u8]>) -> u64 {
    let mut state = hasher.build_hasher();
    hash_lowercase(email, &mut state);
    if let Some(name) = name {
        state.write_u8(b'\n');
        hash_lowercase(name, &mut state);
    }
    state.finish()
}

/// Hashes the text in lower case, without a copy of it on the heap.
fn hash_lowercase(text: &[u8], state: &mut impl Hasher) {
    let mut buffer = [0; 64];
    for chunk in text.chunks(buffer.len()) {
        let lower = &mut buffer[..chunk.len()];
        lower.copy_from_slice(chunk);
        lower.make_ascii_lowercase();
        state.write(lower);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mapped(file: &str, name: &str, email: &str) -> String {
        let mut map = Mailmap::default();
        map.add(file.as_bytes());
        let (name, email) = map.resolve(name.into(), email.into());
        format!("{name} <{email}>")
    }

    #[test]
    fn the_four_forms() {
        assert_eq!(mapped("Proper <c@x>\n", "X", "C@X"), "Proper <C@X>");
        assert_eq!(mapped("<p@x> <c@x>", "X", "c@x"), "X <p@x>");
        assert_eq!(mapped("Proper <p@x> <c@x>\r\n", "X", "c@x"), "Proper <p@x>");
        let full = "Proper Name <p@x> Old <c@x>\n";
        assert_eq!(mapped(full, "oLD", "C@x"), "Proper Name <p@x>");
        assert_eq!(mapped(full, "X", "C@x"), "X <C@x>");
    }

    #[test]
    fn later_lines_win_or_add() {
        assert_eq!(mapped("Name <c@x>\n<p@x> <c@x>\n", "X", "c@x"), "Name <p@x>");
        assert_eq!(mapped("Name <p@x> <c@x>\nOther <c@x>\n", "X", "c@x"), "Other <p@x>");
        let named = "Name <p@x> Old <c@x>\nOther <c@x>\n<q@x> old <c@x>\n";
        assert_eq!(mapped(named, "X", "c@x"), "Other <c@x>");
        assert_eq!(mapped(named, "OLD", "c@x"), "OLD <q@x>");
    }

    #[test]
    fn odd_lines() {
        for nothing in ["Name <>\n", "<p@x>\n", "A B <c@x", "<> <c@x>\n", "# B <c@x>\n", "A\0B <c@x>\n", "\n"]
        {
            assert_eq!(mapped(nothing, "X", "c@x"), "X <c@x>", "{nothing:?}");
        }
        assert_eq!(mapped("Name <p@x> <>\n", "X", ""), "Name <p@x>");
        assert_eq!(mapped("  Two Words  <  c@x  >\n", "X", "c@x"), "X <c@x>");
        assert_eq!(mapped("N > a <p@x>Old<c@x> more\n", "old", "c@x"), "N > a <p@x>");
        assert_eq!(mapped(" # N <c@x>\n", "X", "c@x"), "# N <c@x>");
    }

    #[test]
    fn long_addresses_hash_alike_in_any_case() {
        let long = "a".repeat(200);
        let mut map = Mailmap::default();
        map.add(format!("N <{long}@x>\n").as_bytes());
        assert_eq!(map.resolve("".into(), format!("{}@X", long.to_uppercase()).as_str().into()).0, "N");
    }
}
