//! Abbreviated ids: which object is meant, and the candidates when that is not clear.

use std::ops::ControlFlow;

use adit_object::{Commit, ObjectId, ObjectKind, Prefix, Tag};
use adit_text::date::{DateFormat, DateStyle, LocalZone};
use bstr::{BString, ByteSlice};

use super::{Message, NameError, Names, Want};

/// Fewer digits than this are no id.
const SHORTEST: usize = 4;
/// So many digits has the longest id of any format.
const LONGEST: usize = 64;

impl Names<'_> {
    /// The object whose id starts with `hex`.
    pub(super) fn resolve_short(&self, hex: &[u8], want: Want) -> Result<ObjectId, NameError> {
        if hex.len() < SHORTEST {
            return Err(NameError::Unknown);
        }
        if hex.len() > LONGEST || !hex.iter().all(u8::is_ascii_hexdigit) {
            return Err(NameError::Unknown);
        }
        // Git looks at no more digits than an id has, even where more are given.
        let digits = &hex[..hex.len().min(self.format().hex_len())];
        let prefix = Prefix::from_hex(self.format(), digits).map_err(|_| NameError::Unknown)?;
        let found = self.all_with_prefix(&prefix)?;
        match *found.as_slice() {
            [] => return Err(NameError::Unknown),
            [id] => return Ok(id),
            _ => {}
        }
        let want = if want == Want::Any { self.settings.disambiguate } else { want };
        let mut fitting = Vec::new();
        for id in &found {
            if self.fits(id, want)? {
                fitting.push(*id);
            }
        }
        if want != Want::Any
            && let [id] = *fitting.as_slice()
        {
            return Ok(id);
        }
        if !self.quiet && !self.explaining {
            let candidates = if fitting.is_empty() { found } else { fitting };
            self.report_ambiguity(hex, candidates)?;
        }
        Err(NameError::Unknown)
    }

    /// Whether `hex` abbreviates the id of some object, told apart by kind where several share it.
    pub(super) fn is_short_id(&self, hex: &[u8]) -> bool {
        self.quiet().resolve_short(hex, Want::Any).is_ok()
    }

    /// Every object whose id starts with `prefix`, in order of id.
    pub fn all_with_prefix(&self, prefix: &Prefix) -> Result<Vec<ObjectId>, NameError> {
        let mut found = Vec::new();
        self.objects.with_prefix(prefix, &mut |id| {
            found.push(id);
            ControlFlow::Continue(())
        })?;
        found.sort_unstable();
        found.dedup();
        Ok(found)
    }

    fn fits(&self, id: &ObjectId, want: Want) -> Result<bool, NameError> {
        let Ok(Some(kind)) = self.kind(id) else { return Ok(false) };
        let behind = |kind| -> Result<_, NameError> {
            Ok(if kind == ObjectKind::Tag { self.follow_tags(id)?.map(|(_, kind)| kind) } else { Some(kind) })
        };
        Ok(match want {
            Want::Any => true,
            Want::Commit => kind == ObjectKind::Commit,
            Want::Tree => kind == ObjectKind::Tree,
            Want::Blob => kind == ObjectKind::Blob,
            Want::Committish => behind(kind)? == Some(ObjectKind::Commit),
            Want::Treeish => matches!(behind(kind)?, Some(ObjectKind::Commit | ObjectKind::Tree)),
        })
    }

    fn report_ambiguity(&self, hex: &[u8], candidates: Vec<ObjectId>) -> Result<(), NameError> {
        self.say(Message::Error(format!("short object ID {} is ambiguous", hex.as_bstr()).into()));
        let mut sorted = Vec::new();
        for id in candidates {
            // One that cannot be read is listed as such.
            sorted.push((self.kind(&id).unwrap_or(None), id));
        }
        sorted.sort_by_key(|(kind, id)| (rank(*kind), *id));
        let mut text = BString::from("The candidates are:");
        for (kind, id) in sorted {
            text.extend_from_slice(b"\n  ");
            text.extend_from_slice(&self.describe_candidate(kind, &id)?);
        }
        self.say(Message::Hint(text));
        Ok(())
    }

    fn describe_candidate(&self, kind: Option<ObjectKind>, id: &ObjectId) -> Result<BString, NameError> {
        let mut text = BString::default();
        let usual = self.settings.abbreviation.unwrap_or_else(|| self.objects.usual_len());
        let len = self.objects.unique_len(id, usual)?;
        id.append_hex(len, &mut text);
        let Some(kind) = kind else {
            text.extend_from_slice(b" [bad object]");
            return Ok(text);
        };
        let mut content = Vec::new();
        let details = match kind {
            ObjectKind::Commit => {
                self.objects.read(id, &mut content)?;
                let commit = Commit::parse(self.format(), &content).ok();
                commit.map(|commit| {
                    (commit.author().and_then(|author| author.time()), subject(commit.message()))
                })
            }
            ObjectKind::Tag => {
                self.objects.read(id, &mut content)?;
                let tag = Tag::parse(self.format(), &content).ok();
                let details = |tag: Tag<'_>| {
                    (
                        tag.tagger().and_then(|tagger| tagger.time()),
                        BString::from(tag.name().unwrap_or_default()),
                    )
                };
                tag.map(details)
            }
            ObjectKind::Tree | ObjectKind::Blob => {
                text.extend_from_slice(format!(" {kind}").as_bytes());
                return Ok(text);
            }
        };
        match details {
            Some((time, title)) => {
                text.extend_from_slice(format!(" {kind} ").as_bytes());
                let (format, time) =
                    (DateFormat { style: DateStyle::Short, local: false }, time.unwrap_or_default());
                format.write(time.seconds, time.zone, self.settings.clock(&LocalZone::utc()), &mut text);
                text.extend_from_slice(b" - ");
                text.extend_from_slice(&title);
            }
            None => text.extend_from_slice(format!(" [bad {kind}, could not parse it]").as_bytes()),
        }
        Ok(text)
    }
}

fn rank(kind: Option<ObjectKind>) -> u8 {
    match kind {
        Some(ObjectKind::Tag) => 0,
        Some(ObjectKind::Commit) => 1,
        Some(ObjectKind::Tree) => 2,
        Some(ObjectKind::Blob) => 3,
        None => 4,
    }
}

/// The first paragraph of a message on one line.
fn subject(message: &[u8]) -> BString {
    let lines = message.lines().skip_while(|line| line.trim_ascii().is_empty());
    let paragraph: Vec<_> =
        lines.take_while(|line| !line.trim_ascii().is_empty()).map(<[u8]>::trim_ascii_end).collect();
    paragraph.join(&b' ').into()
}
