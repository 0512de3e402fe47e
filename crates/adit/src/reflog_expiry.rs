//! Which entries of logs are too old to keep (git-reflog, `expire`; git-config, `gc.reflogExpire`).
//!
//! Two ages count: one for all entries, and a shorter one for entries whose commits are not reachable from what the
//! reference is at now.

use adit_object::{IdMap, IdSet, ObjectId, ObjectKind};
use adit_refs::{LogEntry, LogRewrite, Store, Target, UpdateError, WriteOptions};
use adit_revision::reach;
use adit_text::date::{Clock, LocalZone, parse_expiry};
use adit_text::wildmatch::{self, wildmatch};
use bstr::{BStr, BString, ByteSlice};

use crate::broken_commits::BrokenCommits;
use crate::{OpenError, Repository};

/// Moments before which entries go; zero for never.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Ages {
    all: u64,
    unreachable: u64,
}

/// How logs are expired.
#[derive(Debug, Clone, Default)]
pub struct ExpireOptions {
    /// All entries from before this moment go, whatever is configured; zero for never.
    pub all: Option<u64>,
    /// Entries from before this moment go if their commits are not reachable, whatever is configured.
    pub unreachable: Option<u64>,
    /// Entries go whose commits cannot be read in full.
    pub broken: bool,
    /// What becomes of the entries that are left.
    pub rewrite: LogRewrite,
}

/// Why logs could not be expired.
#[derive(Debug, thiserror::Error)]
pub enum ExpireError {
    /// A setting is no moment.
    #[error("'{value}' for '{name}' is not a valid timestamp")]
    Setting {
        /// The setting.
        name: BString,
        /// Its value.
        value: BString,
    },
    /// A log could not be written.
    #[error(transparent)]
    Write(#[from] UpdateError),
    /// The repository cannot be read.
    #[error(transparent)]
    Read(#[from] OpenError),
}

/// Expires logs.
pub struct ReflogExpiry<'r> {
    repo: &'r Repository,
    write: WriteOptions<'r>,
    options: ExpireOptions,
    default: Ages,
    /// Settings for names that match a pattern, the first that matches counts.
    patterns: Vec<(BString, Option<u64>, Option<u64>)>,
    broken: Option<BrokenCommits<'r>>,
}

const DAY: u64 = 24 * 60 * 60;

impl<'r> ReflogExpiry<'r> {
    /// Reads the settings.
    ///
    /// # Errors
    /// When one of them is no moment.
    pub fn new(repo: &'r Repository, options: ExpireOptions) -> Result<Self, ExpireError> {
        let now = u64::try_from(repo.env().now()).unwrap_or(0);
        let default = Ages { all: now.saturating_sub(90 * DAY), unreachable: now.saturating_sub(30 * DAY) };
        let broken = match options.broken {
            true => Some(BrokenCommits::new(repo)?),
            false => None,
        };
        let write = repo.write_options()?;
        let mut expiry = ReflogExpiry { repo, write, options, default, patterns: Vec::new(), broken };
        expiry.read_settings()?;
        Ok(expiry)
    }

    fn read_settings(&mut self) -> Result<(), ExpireError> {
        let tz = self.repo.env().var("TZ").map(|tz| tz.to_str_lossy().into_owned());
        let zone = LocalZone::from_tz(tz.as_deref());
        let clock = Clock { now: self.repo.env().now(), zone: &zone };
        for entry in self.repo.config().entries() {
            let Some(name) = entry.name.strip_prefix(b"gc.") else { continue };
            let (pattern, key) = name.rsplit_once_str(".").unwrap_or((b"", name));
            let is_all = match key {
                b"reflogexpire" => true,
                b"reflogexpireunreachable" => false,
                _ => continue,
            };
            let value = entry.value.clone().unwrap_or_default();
            let moment = parse_expiry(&value, clock)
                .ok_or_else(|| ExpireError::Setting { name: entry.name.clone(), value })?;
            if pattern.is_empty() {
                *(if is_all { &mut self.default.all } else { &mut self.default.unreachable }) = moment;
                continue;
            }
            let index = match self.patterns.iter().position(|(known, ..)| known == pattern) {
                Some(index) => index,
                None => {
                    self.patterns.push((pattern.into(), None, None));
                    self.patterns.len() - 1
                }
            };
            let (_, all, unreachable) = &mut self.patterns[index];
            *(if is_all { all } else { unreachable }) = Some(moment);
        }
        Ok(())
    }

    fn ages(&self, name: &BStr) -> Ages {
        let matches = |(pattern, ..): &&(BString, Option<u64>, Option<u64>)| {
            wildmatch(pattern, name, wildmatch::Options::FLAT)
        };
        let (all, unreachable) = match self.patterns.iter().find(matches) {
            Some((_, all, unreachable)) => {
                (all.unwrap_or(self.default.all), unreachable.unwrap_or(self.default.unreachable))
            }
            // What is put aside is kept until it is taken up again.
            None if name == "refs/stash" => (0, 0),
            None => (self.default.all, self.default.unreachable),
        };
        Ages {
            all: self.options.all.unwrap_or(all),
            unreachable: self.options.unreachable.unwrap_or(unreachable),
        }
    }

    /// Expires the log of `name` in `store`, which may be that of another working tree; `told` hears of every entry
    /// whether it is kept.
    ///
    /// # Errors
    /// When the log cannot be read or written, or history cannot be read.
    pub fn expire(
        &mut self,
        store: &Store,
        name: &BStr,
        told: &mut dyn FnMut(bool, &BStr),
    ) -> Result<(), ExpireError> {
        let ages = self.ages(name);
        let verdicts = self.judge(store, name, ages)?;
        let keep = &mut |entry: &LogEntry<'_>| {
            let time = entry.time.seconds;
            let reachable = |id: &ObjectId| verdicts.reachable.get(id).copied().unwrap_or(true);
            let goes = time < ages.all
                || verdicts.broken.contains(&entry.old)
                || verdicts.broken.contains(&entry.new)
                || (time < ages.unreachable && !(reachable(&entry.old) && reachable(&entry.new)));
            told(!goes, entry.message);
            !goes
        };
        Ok(store.rewrite_reflog(name, self.options.rewrite, &self.write, keep)?)
    }

    /// Finds out what must be known of the objects in a log. An entry that is added meanwhile is kept.
    fn judge(&mut self, store: &Store, name: &BStr, ages: Ages) -> Result<Verdicts, ExpireError> {
        let mut verdicts = Verdicts::default();
        let Some(log) = store.reflog(name).map_err(OpenError::from)? else { return Ok(verdicts) };
        let mut entries = log.forward();
        let mut doubtful = Vec::new();
        while let Some(entry) = entries.advance().map_err(OpenError::from)? {
            let time = entry.time.seconds;
            if time < ages.all {
                continue;
            }
            for id in [entry.old, entry.new].into_iter().filter(|id| !id.is_null()) {
                if let Some(broken) = &mut self.broken
                    && broken.is_broken(&id)?
                {
                    verdicts.broken.insert(id);
                } else if time < ages.unreachable {
                    doubtful.push(id);
                }
            }
        }
        if !doubtful.is_empty() {
            self.find_reachable(store, name, &doubtful, &mut verdicts)?;
        }
        Ok(verdicts)
    }

    fn find_reachable(
        &self,
        store: &Store,
        name: &BStr,
        doubtful: &[ObjectId],
        verdicts: &mut Verdicts,
    ) -> Result<(), ExpireError> {
        let mut table = self.repo.commit_table()?;
        let commit = |id: &ObjectId| self.repo.peel(id, ObjectKind::Commit).ok().flatten();
        let mut tips = Vec::new();
        if name == "HEAD" {
            // What any reference leads to is not lost when HEAD has moved on.
            let mut refs = store.iter(b"").map_err(OpenError::from)?;
            while let Some(entry) = refs.advance().map_err(OpenError::from)? {
                if let Target::Direct(id) = &entry.target {
                    tips.extend(commit(id));
                }
            }
        }
        if let Some(resolved) = store.resolve(name).map_err(OpenError::from)? {
            tips.extend(commit(&resolved.id));
        }
        let tips: Vec<u32> = tips.iter().map(|id| table.intern(id)).collect();
        // What is no commit has no place in history, and is kept.
        let wanted: Vec<(ObjectId, u32)> =
            doubtful.iter().filter_map(|id| Some((*id, table.intern(&commit(id)?)))).collect();
        let positions: Vec<u32> = wanted.iter().map(|(_, position)| *position).collect();
        let reached = reach::reached(&mut table, &tips, &positions).map_err(OpenError::from)?;
        verdicts.reachable.extend(wanted.into_iter().map(|(id, _)| id).zip(reached));
        Ok(())
    }
}

/// What is known of the objects in a log.
#[derive(Default)]
struct Verdicts {
    reachable: IdMap<bool>,
    broken: IdSet,
}
