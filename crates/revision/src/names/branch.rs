//! What configuration says a branch is set up against: its upstream, and where it is pushed to.

use adit_refs::refspec::Refspec;
use bstr::{BStr, BString, ByteSlice};

use super::{NameError, Names};

/// Configuration, as far as branches and remotes are concerned.
pub trait Branches {
    /// The last value of `<section>.<name>.<key>`, or of `<section>.<key>` when `name` is empty.
    fn value(&self, section: &str, name: &BStr, key: &str) -> Option<BString>;

    /// All values of it, in order.
    fn values(&self, section: &str, name: &BStr, key: &str) -> Vec<BString>;

    /// The names of the remotes that are configured.
    fn remotes(&self) -> Vec<BString>;
}

/// No configuration.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoBranches;

impl Branches for NoBranches {
    fn value(&self, _: &str, _: &BStr, _: &str) -> Option<BString> {
        None
    }

    fn values(&self, _: &str, _: &BStr, _: &str) -> Vec<BString> {
        Vec::new()
    }

    fn remotes(&self) -> Vec<BString> {
        Vec::new()
    }
}

impl Names<'_> {
    /// The reference that follows the branch which `branch` builds on, in full.
    pub fn upstream(&self, branch: &BStr) -> Result<BString, NameError> {
        let merge = self.branches.value("branch", branch, "merge");
        let remote = self.branches.value("branch", branch, "remote");
        let (Some(merge), Some(remote)) = (merge, remote) else {
            let exists = self.refs.find(&[b"refs/heads/", branch.as_bytes()].concat())?.is_some();
            return Err(NameError::refused(if exists {
                format!("no upstream configured for branch '{branch}'")
            } else {
                format!("no such branch: '{branch}'")
            }));
        };
        if remote == "." {
            return Ok(merge);
        }
        self.tracked(remote.as_bstr(), &merge).ok_or_else(|| {
            NameError::refused(format!("upstream branch '{merge}' not stored as a remote-tracking branch"))
        })
    }

    /// The reference that follows the place where `branch` is pushed to, in full (`push.default`).
    pub fn push_destination(&self, branch: &BStr) -> Result<BString, NameError> {
        let full: BString = [b"refs/heads/", branch.as_bytes()].concat().into();
        let remote = self.push_remote(branch);
        let remote = remote.as_bstr();
        let push: Vec<_> = self.specs(remote, "push");
        if !push.is_empty() {
            let to = push.iter().find_map(|spec| spec.map(&full)).ok_or_else(|| {
                NameError::refused(format!("push refspecs for '{remote}' do not include '{branch}'"))
            })?;
            return self.tracked_push(remote, &to);
        }
        if self.branches.value("remote", remote, "mirror").is_some_and(|value| value != "false") {
            return self.tracked_push(remote, &full);
        }
        let default = self.branches.value("push", "".into(), "default");
        match default.as_ref().map_or(&b"simple"[..], |value| value.as_slice()) {
            b"nothing" => Err(NameError::refused("push has no destination (push.default is 'nothing')")),
            b"matching" | b"current" => self.tracked_push(remote, &full),
            b"upstream" | b"tracking" => self.upstream(branch),
            _ => {
                let upstream = self.upstream(branch)?;
                let current = self.tracked_push(remote, &full)?;
                if current == upstream {
                    Ok(current)
                } else {
                    Err(NameError::refused("cannot resolve 'simple' push to a single destination"))
                }
            }
        }
    }

    /// The remote that `branch` builds on a branch of.
    pub fn upstream_remote(&self, branch: &BStr) -> Option<BString> {
        self.branches.value("branch", branch, "remote")
    }

    /// What the branch that `branch` builds on is called at its remote.
    pub fn upstream_at_remote(&self, branch: &BStr) -> Option<BString> {
        self.branches.value("branch", branch, "merge")
    }

    /// What `branch` is called at the remote that it is pushed to, when refspecs say so.
    pub fn push_at_remote(&self, branch: &BStr) -> Option<BString> {
        let full = [b"refs/heads/", branch.as_bytes()].concat();
        let remote = self.push_remote(branch);
        self.specs(remote.as_bstr(), "push").iter().find_map(|spec| spec.map(&full))
    }

    /// The remote that `branch` is pushed to.
    fn push_remote(&self, branch: &BStr) -> BString {
        self.push_remote_if_set(branch).unwrap_or_else(|| self.only_remote())
    }

    /// The remote that `branch` is pushed to, when configuration names one.
    pub fn push_remote_if_set(&self, branch: &BStr) -> Option<BString> {
        self.branches
            .value("branch", branch, "pushremote")
            .or_else(|| self.branches.value("remote", BStr::new(""), "pushdefault"))
            .or_else(|| self.branches.value("branch", branch, "remote"))
    }

    /// The only remote there is, or `origin`.
    fn only_remote(&self) -> BString {
        let mut remotes = self.branches.remotes();
        if remotes.len() == 1 { remotes.remove(0) } else { "origin".into() }
    }

    fn tracked_push(&self, remote: &BStr, name: &BString) -> Result<BString, NameError> {
        self.tracked(remote, name).ok_or_else(|| {
            NameError::refused(format!(
                "push destination '{name}' on remote '{remote}' has no local tracking branch"
            ))
        })
    }

    /// The reference here that follows the reference `name` of `remote`.
    fn tracked(&self, remote: &BStr, name: &BString) -> Option<BString> {
        self.specs(remote, "fetch").iter().find_map(|spec| spec.map(name))
    }

    fn specs(&self, remote: &BStr, key: &str) -> Vec<Refspec> {
        let values = self.branches.values("remote", remote, key);
        values.iter().filter_map(|value| Refspec::parse(value)).collect()
    }
}
