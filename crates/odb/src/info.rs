//! What can be said of an object without unpacking it.

use adit_object::{ObjectId, ObjectKind, SourceError};

use crate::fault::Fault;
use crate::pack::Pack;
use crate::recover::base_id;
use crate::store::{Effort, Location, Store};

/// Which parts of [`Info`] are needed. What is not asked for costs nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Want {
    /// The kind.
    pub kind: bool,
    /// The size of the content.
    pub size: bool,
    /// The size on disk.
    pub disk_size: bool,
    /// What it is stored as a delta against.
    pub delta_base: bool,
}

impl Want {
    /// Everything.
    pub const ALL: Want = Want { kind: true, size: true, disk_size: true, delta_base: true };
}

/// What is known of an object. A part that was not asked for is empty.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Info {
    /// The kind.
    pub kind: Option<ObjectKind>,
    /// The size of the content.
    pub size: u64,
    /// How many bytes the copy that is read takes on disk.
    pub disk_size: u64,
    /// The object that this one is stored as a delta against; `None` when it is stored whole.
    pub delta_base: Option<ObjectId>,
}

impl Store {
    /// Looks at the object `id`, or what replaces it; `None` when there is no such object.
    pub fn info(&self, id: &ObjectId, want: Want) -> Result<Option<Info>, SourceError> {
        self.info_raw(&self.replacement(id)?, want)
    }

    /// Looks at the object `id` itself, whatever replaces it.
    pub fn info_raw(&self, id: &ObjectId, want: Want) -> Result<Option<Info>, SourceError> {
        self.visit(id, Effort::Full, |place| match place {
            Location::Packed { pack, offset } => self.packed_info(pack, *offset, want).map(Some),
            Location::Loose { folder } => {
                Ok(self.folders()[*folder].header(id)?.map(|(header, disk_size)| Info {
                    kind: Some(header.kind),
                    size: header.size,
                    disk_size,
                    delta_base: None,
                }))
            }
        })
    }

    /// Looks at the object at `offset` of `pack`.
    pub(crate) fn packed_info(&self, pack: &Pack, offset: u64, want: Want) -> Result<Info, Fault> {
        let mut info = Info::default();
        if want.kind {
            info.kind = Some(pack.kind(offset, &self.kinds)?);
        }
        if want.size {
            info.size = pack.size(offset)?;
        }
        if want.disk_size {
            info.disk_size = pack.disk_size(offset)?;
        }
        if want.delta_base {
            info.delta_base = base_id(pack, offset, &pack.entry(offset)?);
        }
        Ok(info)
    }
}
