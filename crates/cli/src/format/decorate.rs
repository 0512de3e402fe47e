//! Decorations: the names of references beside the commits they point to (git-log, `--decorate`).

use adit_object::{IdMap, ObjectFormat, ObjectId, ObjectKind, Source, Tag};
use adit_refs::{Head, Target};
use bstr::{BStr, BString, ByteSlice};

use super::color::LogPalette;
use super::pretty::DecorateStyle;
use crate::error::Error;

/// What kind of name a decoration is; each has its colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Head,
    Branch,
    RemoteBranch,
    Tag,
    Stash,
    Grafted,
    Other,
}

#[derive(Debug, Clone)]
struct Decoration {
    kind: Kind,
    name: BString,
}

/// Which references decorate (`--decorate-refs`, `--decorate-refs-exclude`, `log.excludeDecoration`).
#[derive(Debug, Clone, Default)]
pub struct Filter {
    include: Vec<Pattern>,
    exclude: Vec<Pattern>,
    /// From the configuration: an included reference is shown all the same.
    exclude_by_config: Vec<Pattern>,
}

#[derive(Debug, Clone)]
struct Pattern {
    text: BString,
    is_glob: bool,
}

impl Filter {
    /// Only references that match this, or another one that is included.
    pub fn include(&mut self, pattern: &[u8]) {
        self.include.push(Pattern::new(pattern));
    }

    /// No references that match this.
    pub fn exclude(&mut self, pattern: &[u8]) {
        self.exclude.push(Pattern::new(pattern));
    }

    /// No references that match this unless they are included.
    pub fn exclude_by_config(&mut self, pattern: &[u8]) {
        self.exclude_by_config.push(Pattern::new(pattern));
    }

    /// Forgets what the command line said (`--clear-decorations`).
    pub fn clear(&mut self) {
        self.include.clear();
        self.exclude.clear();
    }

    /// Whether nothing was said at all.
    pub fn is_empty(&self) -> bool {
        self.include.is_empty() && self.exclude.is_empty() && self.exclude_by_config.is_empty()
    }

    /// Restricts to the references that git shows when nothing else is said.
    pub fn include_defaults(&mut self) {
        for pattern in [&b"HEAD"[..], b"refs/heads/", b"refs/remotes/", b"refs/stash", b"refs/tags/"] {
            self.include(pattern);
        }
    }

    fn passes(&self, name: &BStr) -> bool {
        let matches = |patterns: &[Pattern]| patterns.iter().any(|pattern| pattern.matches(name));
        if matches(&self.exclude) {
            return false;
        }
        if !self.include.is_empty() {
            return matches(&self.include);
        }
        !matches(&self.exclude_by_config)
    }
}

impl Pattern {
    fn new(pattern: &[u8]) -> Self {
        let mut text = BString::default();
        if !pattern.starts_with(b"refs/") && pattern != b"HEAD" {
            text.extend_from_slice(b"refs/");
        }
        text.extend_from_slice(pattern);
        let is_glob = adit_text::wildmatch::has_wildcard(pattern);
        if !is_glob && text.ends_with(b"/") {
            text.pop();
        }
        Pattern { text, is_glob }
    }

    fn matches(&self, name: &[u8]) -> bool {
        if self.is_glob {
            return adit_text::wildmatch(&self.text, name, adit_text::wildmatch::Options::FLAT);
        }
        let rest = name.strip_prefix(self.text.as_slice());
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(b"/"))
    }
}

/// All decorations of a repository, by commit.
#[derive(Debug, Default)]
pub struct Decorations {
    by_id: IdMap<Vec<u32>>,
    all: Vec<Decoration>,
    /// Names are shown in full.
    full: bool,
    /// The branch that `HEAD` is on.
    head_branch: Option<BString>,
}

impl Decorations {
    /// Reads the references and peels the tags among them.
    ///
    /// `full` is `--decorate=full`; `replace_base` is where the references of replacements are (git-replace), when these
    /// are in force; `grafted` are the commits whose parents are cut off.
    ///
    /// # Errors
    /// When references cannot be read. Those that point to nothing readable are passed over.
    pub fn read(
        refs: &adit_refs::Store,
        objects: &dyn Source,
        filter: &Filter,
        full: bool,
        replace_base: Option<&[u8]>,
        grafted: impl IntoIterator<Item = ObjectId>,
    ) -> Result<Self, Error> {
        let mut decorations = Decorations { full, ..Self::default() };
        let mut peeler = Peeler { objects, buffer: Vec::new() };
        let mut iter = refs.iter(b"")?;
        while let Some(entry) = iter.advance()? {
            if let Some(hex) = replace_base.and_then(|base| entry.name.strip_prefix(base)) {
                if let Ok(id) = ObjectId::from_hex(refs.format(), hex) {
                    decorations.add(id, Kind::Grafted, "replaced".into());
                }
                continue;
            }
            if !filter.passes(entry.name) {
                continue;
            }
            let (Some(id), kind) = (refs.entry_id(&entry)?, Kind::of(entry.name)) else { continue };
            let peeled = match entry.peeled {
                Some(peeled) if matches!(entry.target, Target::Direct(_)) => Some(peeled),
                _ => peeler.peel(id),
            };
            if let Some(peeled) = peeled {
                decorations.add(peeled, kind, entry.name.into());
            }
        }
        let head = refs.head()?;
        if let Some(id) = head.id().filter(|_| filter.passes(b"HEAD".as_bstr())) {
            decorations.add(id, Kind::Head, "HEAD".into());
        }
        for id in grafted {
            decorations.add(id, Kind::Grafted, "grafted".into());
        }
        if let Head::Branch { name, .. } = head {
            decorations.head_branch = Some(name);
        }
        Ok(decorations)
    }

    fn add(&mut self, id: ObjectId, kind: Kind, name: BString) {
        let Ok(position) = u32::try_from(self.all.len()) else { return };
        self.all.push(Decoration { kind, name });
        self.by_id.entry(id).or_default().push(position);
    }

    /// Adds a text to be shown after the names of `id`.
    pub fn add_text(&mut self, id: ObjectId, text: BString) {
        let Ok(position) = u32::try_from(self.all.len()) else { return };
        self.all.push(Decoration { kind: Kind::Other, name: text });
        self.by_id.entry(id).or_default().insert(0, position);
    }

    /// Whether `id` has any name.
    pub fn has(&self, id: &ObjectId) -> bool {
        self.by_id.contains_key(id)
    }

    /// The objects that have names.
    pub fn ids(&self) -> impl Iterator<Item = &ObjectId> {
        self.by_id.keys()
    }

    /// Appends the names of `id`, in git's order: `HEAD` first, then the others by their full names, last first.
    pub fn append(&self, id: &ObjectId, style: &DecorateStyle, palette: &LogPalette, out: &mut Vec<u8>) {
        let Some(positions) = self.by_id.get(id) else { return };
        let names = || positions.iter().rev().filter_map(|&at| self.all.get(at as usize));
        // The branch that HEAD is on is shown with it, and not again.
        let current = names()
            .find(|name| self.head_branch.as_ref() == Some(&name.name))
            .filter(|_| names().any(|name| name.kind == Kind::Head));
        let mut painted = |color: &str, text: &[u8]| {
            if !text.is_empty() {
                out.extend_from_slice(color.as_bytes());
                out.extend_from_slice(text);
                out.extend_from_slice(palette.reset.as_bytes());
            }
        };
        let mut before = &style.prefix;
        for name in names() {
            if current.is_some_and(|current| std::ptr::eq(current, name)) {
                continue;
            }
            painted(&palette.commit, before);
            before = &style.separator;
            let color = name.kind.color(palette);
            if name.kind == Kind::Tag {
                painted(color, &style.tag);
            }
            painted(color, self.shown(name));
            if let Some(branch) = current.filter(|_| name.kind == Kind::Head) {
                painted(&palette.commit, &style.pointer);
                painted(branch.kind.color(palette), self.shown(branch));
            }
        }
        painted(&palette.commit, &style.suffix);
    }

    fn shown<'d>(&self, name: &'d Decoration) -> &'d [u8] {
        if self.full {
            return &name.name;
        }
        [&b"refs/heads/"[..], b"refs/tags/", b"refs/remotes/"]
            .into_iter()
            .find_map(|prefix| name.name.strip_prefix(prefix))
            .unwrap_or(&name.name)
    }
}

impl Kind {
    fn of(name: &[u8]) -> Self {
        if name.starts_with(b"refs/heads/") {
            Kind::Branch
        } else if name.starts_with(b"refs/remotes/") {
            Kind::RemoteBranch
        } else if name.starts_with(b"refs/tags/") {
            Kind::Tag
        } else if name == b"refs/stash" {
            Kind::Stash
        } else {
            Kind::Other
        }
    }

    fn color(self, palette: &LogPalette) -> &str {
        match self {
            Kind::Head => &palette.head,
            Kind::Branch => &palette.branch,
            Kind::RemoteBranch => &palette.remote_branch,
            Kind::Tag => &palette.tag,
            Kind::Stash => &palette.stash,
            Kind::Grafted => &palette.grafted,
            Kind::Other => &palette.plain,
        }
    }
}

/// Follows annotated tags to what they tag.
struct Peeler<'s> {
    objects: &'s dyn Source,
    buffer: Vec<u8>,
}

/// A tag of a tag of a tag ...: longer chains than this are no honest ones.
const LONGEST_CHAIN: usize = 1000;

impl Peeler<'_> {
    /// The object behind the tags; `None` when one cannot be read.
    fn peel(&mut self, mut id: ObjectId) -> Option<ObjectId> {
        let format: ObjectFormat = self.objects.format();
        for _ in 0..LONGEST_CHAIN {
            if self.objects.try_header(&id).ok()??.kind != ObjectKind::Tag {
                return Some(id);
            }
            self.objects.read_kind(&id, ObjectKind::Tag, &mut self.buffer).ok()?;
            id = Tag::parse(format, &self.buffer).ok()?.target();
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn passes(filter: &Filter, name: &str) -> bool {
        filter.passes(name.into())
    }

    #[test]
    fn patterns_are_globs_or_folders() {
        for (pattern, name, expected) in [
            ("heads", "refs/heads/main", true),
            ("main", "refs/heads/main", false),
            ("heads/m*", "refs/heads/mine/a", true),
            ("refs/heads/", "refs/heads/main", true),
            ("heads/mine", "refs/heads/mine2", false),
            ("*/main", "refs/heads/main", true),
            ("HEAD", "HEAD", true),
            ("*", "HEAD", false),
        ] {
            assert_eq!(
                Pattern::new(pattern.as_bytes()).matches(name.as_bytes()),
                expected,
                "{pattern} {name}"
            );
        }
    }

    #[test]
    fn an_included_name_overrides_the_configuration() {
        let mut filter = Filter::default();
        filter.exclude_by_config(b"heads");
        assert!(!passes(&filter, "refs/heads/a") && passes(&filter, "refs/foo"));
        filter.include(b"heads/a");
        assert!(passes(&filter, "refs/heads/a") && !passes(&filter, "refs/heads/b"));
        filter.exclude(b"heads/*");
        assert!(!passes(&filter, "refs/heads/a"));
        filter.clear();
        assert!(!filter.is_empty() && !passes(&filter, "refs/heads/a"));
    }

    #[test]
    fn names_in_order_with_the_branch_of_head() {
        let id = ObjectId::null(ObjectFormat::Sha1);
        let mut all = Decorations { head_branch: Some("refs/heads/main".into()), ..Decorations::default() };
        for name in ["refs/foo", "refs/heads/main", "refs/heads/other", "refs/tags/v1"] {
            all.add(id, Kind::of(name.as_bytes()), name.into());
        }
        let text = |all: &Decorations, palette: &LogPalette| {
            let mut out = Vec::new();
            all.append(&id, &DecorateStyle::default(), palette, &mut out);
            String::from_utf8(out).unwrap()
        };
        assert_eq!(text(&all, &LogPalette::default()), " (tag: v1, other, main, refs/foo)");
        all.add(id, Kind::Head, "HEAD".into());
        assert_eq!(text(&all, &LogPalette::default()), " (HEAD -> main, tag: v1, other, refs/foo)");
        let palette =
            LogPalette { commit: "<".into(), head: "H".into(), reset: ">".into(), ..LogPalette::default() };
        assert_eq!(text(&all, &palette), "< (>HHEAD>< -> >main><, >tag: >v1><, >other><, >refs/foo><)>");
    }
}
