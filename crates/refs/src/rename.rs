//! References that get another name, or a twin, with their logs (git-branch, `-m` and `-c`).
//!
//! The new name is there before the old one goes, so that a reader finds one or the other at every moment; only where
//! one name is a folder in the other (`a` and `a/b`) there is a moment without either.

use adit_object::ObjectId;
use bstr::{BStr, ByteSlice};

use crate::transaction::{Edit, Hook, NoHook};
use crate::{LogPolicy, Store, Target, UpdateError, WriteOptions};

/// Where a log waits while its reference has no name.
const ASIDE: &[u8] = b"refs/.tmp-renamed-log";

impl Store {
    /// Calls the reference `old` `new` from now on; one that has that name already is replaced. The log goes along, and
    /// `message` is added to it. The hook is told of what goes, as git tells it.
    ///
    /// # Errors
    /// When there is no `old`, it is symbolic, or the references cannot be changed; `old` is then as it was.
    pub fn rename(
        &self,
        old: &BStr,
        new: &BStr,
        message: &BStr,
        options: &WriteOptions<'_>,
        hook: &mut dyn Hook,
    ) -> Result<(), UpdateError> {
        let id = self.movable(old, "is a symbolic ref, renaming it is not supported")?;
        if old == new {
            return self.backend().add_to_log(new, [&id, &id], message, options);
        }
        if !is_within(old, new) && !is_within(new, old) {
            self.set_quietly(new, id, options)?;
            self.backend().carry_log(old, new, false, options)?;
            self.backend().add_to_log(new, [&id, &id], message, options)?;
            return self.delete(old, message, options, hook);
        }
        let aside = ASIDE.as_bstr();
        self.backend().carry_log(old, aside, false, options)?;
        let moved =
            self.delete(old, message, options, hook).and_then(|()| self.set_quietly(new, id, options));
        if let Err(error) = moved {
            // What matters is told already; the old reference comes back as far as that goes.
            if let Ok(None) = self.find(old) {
                let _ = self.set_quietly(old, id, options);
            }
            let _ = self.backend().carry_log(aside, old, false, options);
            return Err(error);
        }
        self.backend().carry_log(aside, new, false, options)?;
        self.backend().add_to_log(new, [&id, &id], message, options)
    }

    /// Makes the reference `new` a twin of `old`, its log included; one that has that name already is replaced.
    ///
    /// # Errors
    /// When there is no `old`, it is symbolic, or the references cannot be changed.
    pub fn copy(
        &self,
        old: &BStr,
        new: &BStr,
        message: &BStr,
        options: &WriteOptions<'_>,
    ) -> Result<(), UpdateError> {
        let id = self.movable(old, "is a symbolic ref, copying it is not supported")?;
        self.set_quietly(new, id, options)?;
        self.backend().carry_log(old, new, true, options)?;
        self.backend().add_to_log(new, [&id, &id], message, options)
    }

    /// The object of a reference; `refusal` is what is said of a symbolic one.
    fn movable(&self, name: &BStr, refusal: &'static str) -> Result<ObjectId, UpdateError> {
        let fault = |what| UpdateError::NotMovable { name: name.to_owned(), what };
        match self.find(name)?.map(|reference| reference.target) {
            Some(Target::Direct(id)) => Ok(id),
            Some(Target::Symbolic(_)) => Err(fault(refusal)),
            Some(Target::Broken(_)) | None => Err(fault("not found")),
        }
    }

    /// Sets a reference; no log is started, and what is added to one is replaced soon.
    fn set_quietly(&self, name: &BStr, id: ObjectId, options: &WriteOptions<'_>) -> Result<(), UpdateError> {
        let options = WriteOptions { log: LogPolicy::Never, ..options.clone() };
        let mut transaction = self.transaction(&options);
        transaction.add(Edit::set(name, id).no_deref());
        transaction.commit(&mut NoHook)
    }

    fn delete(
        &self,
        name: &BStr,
        message: &BStr,
        options: &WriteOptions<'_>,
        hook: &mut dyn Hook,
    ) -> Result<(), UpdateError> {
        let mut transaction = self.transaction(options);
        transaction.add(Edit::delete(name).no_deref().message(message));
        transaction.commit(hook)
    }
}

/// Whether `name` would lie in a folder called `folder`.
fn is_within(name: &BStr, folder: &BStr) -> bool {
    name.strip_prefix(folder.as_bytes()).is_some_and(|rest| rest.starts_with(b"/"))
}
