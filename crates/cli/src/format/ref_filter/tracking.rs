//! `%(upstream)` and `%(push)`: the reference that a branch is set up against, and how far apart they are.

use bstr::{BStr, ByteSlice};

use super::atom::TrackForm;
use super::value::{Item, Values};
use crate::error::Error;

/// How far a branch is from the reference it follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Distance {
    /// That reference does not exist.
    Gone,
    /// So many commits ahead and behind.
    Apart(usize, usize),
}

impl Values<'_> {
    pub(super) fn append_tracking(
        &mut self,
        item: &Item<'_>,
        form: TrackForm,
        push: bool,
        out: &mut Vec<u8>,
    ) -> Result<(), Error> {
        let Some(branch) = item.name.strip_prefix(b"refs/heads/") else { return Ok(()) };
        let branch = branch.as_bstr();
        let silent = |_| {};
        let names = self.context.names(&silent)?.quiet();
        // Where it is pushed to may be known even if no reference here follows that place.
        match form {
            TrackForm::RemoteName if push => {
                out.extend_from_slice(&names.push_remote_if_set(branch).unwrap_or_default());
                return Ok(());
            }
            TrackForm::RemoteRef if push => {
                out.extend_from_slice(&names.push_at_remote(branch).unwrap_or_default());
                return Ok(());
            }
            _ => {}
        }
        let followed = if push { names.push_destination(branch) } else { names.upstream(branch) };
        // A branch that is set up against nothing has no value.
        let Ok(followed) = followed else { return Ok(()) };
        match form {
            TrackForm::Name(form) => self.append_name(followed.as_bstr(), form, out)?,
            TrackForm::RemoteName => {
                out.extend_from_slice(&names.upstream_remote(branch).unwrap_or_default());
            }
            TrackForm::RemoteRef => {
                out.extend_from_slice(&names.upstream_at_remote(branch).unwrap_or_default());
            }
            TrackForm::Track { brackets } => {
                let text = match self.distance(item, followed.as_bstr())? {
                    Distance::Gone => "gone".to_owned(),
                    Distance::Apart(0, 0) => return Ok(()),
                    Distance::Apart(ahead, 0) => format!("ahead {ahead}"),
                    Distance::Apart(0, behind) => format!("behind {behind}"),
                    Distance::Apart(ahead, behind) => format!("ahead {ahead}, behind {behind}"),
                };
                let text = if brackets { format!("[{text}]") } else { text };
                out.extend_from_slice(text.as_bytes());
            }
            TrackForm::Short => out.extend_from_slice(match self.distance(item, followed.as_bstr())? {
                Distance::Gone => b"",
                Distance::Apart(0, 0) => b"=",
                Distance::Apart(_, 0) => b">",
                Distance::Apart(0, _) => b"<",
                Distance::Apart(..) => b"<>",
            }),
        }
        Ok(())
    }

    pub(super) fn distance(&mut self, item: &Item<'_>, followed: &BStr) -> Result<Distance, Error> {
        let Some(found) = self.refs.resolve(followed)? else { return Ok(Distance::Gone) };
        let other =
            Item { name: followed, description: None, id: found.id, target: None, peeled: found.peeled };
        let (Some(own), Some(other)) = (self.commit_of(item)?, self.commit_of(&other)?) else {
            return Ok(Distance::Gone);
        };
        let (ahead, behind) = self.ahead_behind(&own, &other)?;
        Ok(Distance::Apart(ahead, behind))
    }
}
