//! The references of one working tree of a repository.

use std::path::Path;

use adit_object::{ObjectFormat, ObjectId};
use bstr::{BStr, BString, ByteSlice};

use crate::backend::{Backend, Cursor, Existence, IterOptions, Locked};
use crate::files::Files;
use crate::name::{self, Rules};
use crate::reference::{Entry, Followed, Head, Reference, Resolved, Target};
use crate::reflog::{LogEntry, Reflog};
use crate::transaction::{Plan, Transaction};
use crate::{Error, LogRewrite, PackOptions, PackReport, UpdateError, WriteOptions};

/// How a repository keeps its references (`extensions.refStorage`).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Storage {
    /// A file each, and `packed-refs`.
    #[default]
    Files,
    /// Another way, which this version cannot read.
    Other(BString),
}

/// What a caller may say about a store.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// How the references are kept.
    pub storage: Storage,
    /// What stands before the names of references that belong to `$GIT_NAMESPACE`: see [`name::namespace_prefix`].
    pub namespace: BString,
}

/// Reads and writes references; shared by threads.
#[derive(Debug)]
pub struct Store {
    backend: Box<dyn Backend>,
    format: ObjectFormat,
    namespace: BString,
}

/// More symbolic references than this in a row count as a circle.
pub(crate) const LONGEST_CHAIN: usize = 5;

impl Store {
    /// Opens the references of the working tree whose folder is `git_dir`; what working trees share is in
    /// `common_dir`. Nothing is read yet.
    pub fn open(
        git_dir: &Path,
        common_dir: &Path,
        format: ObjectFormat,
        options: Options,
    ) -> Result<Store, Error> {
        match options.storage {
            Storage::Files => {
                let backend = Box::new(Files::new(git_dir, common_dir, format));
                Ok(Store { backend, format, namespace: options.namespace })
            }
            Storage::Other(name) => Err(Error::Storage(name)),
        }
    }

    /// How the references are kept.
    pub(crate) fn backend(&self) -> &dyn Backend {
        &*self.backend
    }

    /// The hash that names objects here.
    pub fn format(&self) -> ObjectFormat {
        self.format
    }

    /// What stands before the names of references of this namespace; empty outside of namespaces.
    pub fn namespace(&self) -> &BStr {
        self.namespace.as_bstr()
    }

    /// The reference called `name`, in full, as it is stored; `None` when there is none or the name is invalid.
    pub fn find(&self, name: &[u8]) -> Result<Option<Reference>, Error> {
        if !name::is_valid(name, Rules::ANY) {
            return Ok(None);
        }
        self.backend.find(name.as_bstr())
    }

    /// Follows `name` to an object; `None` when it leads to none, for whatever reason.
    pub fn resolve(&self, name: &[u8]) -> Result<Option<Resolved>, Error> {
        match self.follow(name)? {
            Followed::Found(resolved) => Ok(Some(resolved)),
            _ => Ok(None),
        }
    }

    /// Follows `name` to an object, and tells why if it leads to none.
    pub fn follow(&self, name: &[u8]) -> Result<Followed, Error> {
        let Some(first) = self.find(name)? else { return Ok(Followed::Missing) };
        self.follow_from(first)
    }

    /// Follows a reference that was found or iterated over.
    pub fn follow_from(&self, mut reference: Reference) -> Result<Followed, Error> {
        for _ in 0..LONGEST_CHAIN {
            let next = match reference.target {
                Target::Direct(id) => {
                    let Reference { name, peeled, .. } = reference;
                    return Ok(Followed::Found(Resolved { name, id, peeled }));
                }
                Target::Broken(_) => return Ok(Followed::Broken(reference.name)),
                Target::Symbolic(next) => next,
            };
            if !name::is_valid(&next, Rules::ANY) {
                return Ok(Followed::Endless);
            }
            reference = match self.find(&next)? {
                Some(found) => found,
                None => return Ok(Followed::Dangling(next)),
            };
        }
        Ok(Followed::Endless)
    }

    /// The object that an iterated reference leads to; `None` when it is broken or leads to none.
    pub fn entry_id(&self, entry: &Entry<'_>) -> Result<Option<ObjectId>, Error> {
        match &entry.target {
            Target::Direct(id) => Ok(Some(*id)),
            Target::Broken(_) => Ok(None),
            Target::Symbolic(_) => match self.follow_from(entry.to_reference())? {
                Followed::Found(resolved) => Ok(Some(resolved.id)),
                _ => Ok(None),
            },
        }
    }

    /// What the working tree is on.
    pub fn head(&self) -> Result<Head, Error> {
        let Some(head) = self.find(b"HEAD")? else { return Ok(Head::Invalid) };
        let symbolic = matches!(head.target, Target::Symbolic(_));
        Ok(match self.follow_from(head)? {
            Followed::Found(Resolved { name, id, .. }) if symbolic => Head::Branch { name, id: Some(id) },
            Followed::Found(Resolved { id, .. }) => Head::Detached(id),
            Followed::Dangling(name) => Head::Branch { name, id: None },
            Followed::Missing | Followed::Endless | Followed::Broken(_) => Head::Invalid,
        })
    }

    /// The references whose names start with `prefix` (all under `refs/` when it is empty), in byte order.
    ///
    /// Broken ones are yielded too, and symbolic ones are not followed: see [`Store::entry_id`]. Whether their
    /// objects exist is for the caller to ask.
    pub fn iter(&self, prefix: &[u8]) -> Result<Iter<'_>, Error> {
        self.iter_with(&IterOptions { prefix: prefix.into(), ..IterOptions::default() })
    }

    /// Like [`Store::iter`], with names left out.
    pub fn iter_with(&self, options: &IterOptions) -> Result<Iter<'_>, Error> {
        Ok(Iter { cursor: self.backend.iter(options)? })
    }

    /// The references at the top of the git folder, such as `HEAD` and `ORIG_HEAD`, in byte order.
    pub fn root_refs(&self) -> Result<Vec<Reference>, Error> {
        self.backend.root_refs()
    }

    /// The log of the reference `name`, in full; `None` when it has none.
    pub fn reflog(&self, name: &[u8]) -> Result<Option<Reflog>, Error> {
        if !name::is_valid(name, Rules::ANY) {
            return Ok(None);
        }
        self.backend.reflog(name.as_bstr())
    }

    /// The names of the references that have a log, those of this working tree included, folder by folder.
    pub fn reflog_names(&self) -> Result<Vec<BString>, Error> {
        self.backend.reflog_names()
    }

    /// Starts a transaction, without edits.
    pub fn transaction<'s>(&'s self, options: &'s WriteOptions<'s>) -> Transaction<'s> {
        Transaction::new(self, options)
    }

    /// Packs references: they take less room then, and are faster to read.
    ///
    /// # Errors
    /// When they cannot be read or written. What is told in the report does not end it.
    pub fn pack(&self, options: &PackOptions, write: &WriteOptions<'_>) -> Result<PackReport, UpdateError> {
        self.backend.pack(options, write)
    }

    /// Takes the entries out of the log of `name`, if it has one, that `keep` does not want; it is asked of the oldest
    /// first.
    ///
    /// # Errors
    /// When the reference is locked, or its log cannot be read or written.
    pub fn rewrite_reflog(
        &self,
        name: &[u8],
        how: LogRewrite,
        write: &WriteOptions<'_>,
        keep: &mut dyn FnMut(&LogEntry<'_>) -> bool,
    ) -> Result<(), UpdateError> {
        self.backend.rewrite_log(checked(name)?, how, write, keep)
    }

    /// Removes the log of `name`; whether it had one.
    ///
    /// # Errors
    /// When it cannot be removed.
    pub fn remove_reflog(&self, name: &[u8]) -> Result<bool, UpdateError> {
        self.backend.remove_log(checked(name)?)
    }

    /// Adds an entry to the log of `name`, which is made if it is missing; `ids` are the old value and the new.
    ///
    /// # Errors
    /// When the reference is locked, or its log cannot be written.
    pub fn append_reflog(
        &self,
        name: &[u8],
        ids: [&ObjectId; 2],
        message: &BStr,
        write: &WriteOptions<'_>,
    ) -> Result<(), UpdateError> {
        self.backend.append_log(checked(name)?, ids, message, write)
    }

    pub(crate) fn lock<'s>(&'s self, plan: Plan<'s>) -> Result<Box<dyn Locked + 's>, UpdateError> {
        self.backend.lock(plan)
    }

    pub(crate) fn existence(&self) -> Result<Box<dyn Existence + '_>, Error> {
        self.backend.existence()
    }
}

/// A name that may become part of a path.
fn checked(name: &[u8]) -> Result<&BStr, UpdateError> {
    if name::is_valid(name, Rules::ANY) {
        return Ok(name.as_bstr());
    }
    Err(UpdateError::BadName { what: "ref with bad name", name: name.into() })
}

/// References in byte order.
pub struct Iter<'s> {
    cursor: Box<dyn Cursor + 's>,
}

impl Iter<'_> {
    /// The next reference, its name borrowed until the one after.
    pub fn advance(&mut self) -> Result<Option<Entry<'_>>, Error> {
        self.cursor.advance()
    }
}

impl Iterator for Iter<'_> {
    type Item = Result<Reference, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        self.advance().map(|entry| entry.map(|entry| entry.to_reference())).transpose()
    }
}
