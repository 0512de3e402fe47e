//! Where a repository's mailmap comes from: `.mailmap`, `mailmap.blob`, `mailmap.file` (gitmailmap).

use std::path::Path;

use adit_object::{ObjectKind, Source};
use adit_revision::names::{Message, Report};
use bstr::BStr;

use crate::{Mailmap, OpenError, Repository};

struct Silent;

impl Report for Silent {
    fn report(&self, _: Message) {}
}

impl Repository {
    /// Reads the mailmap. A source that is not there says nothing.
    ///
    /// # Errors
    /// When a setting cannot be used, or a file that is there cannot be read.
    pub fn mailmap(&self) -> Result<Mailmap, OpenError> {
        let mut map = Mailmap::default();
        if let Some(top) = self.work_tree() {
            let file = top.join(".mailmap");
            // What it names must be the same however the file is come by: git does not follow a link here.
            if !file.is_symlink() {
                add_file(&file, &mut map)?;
            }
        }
        let default = self.is_bare().then_some(BStr::new("HEAD:.mailmap"));
        if let Some(name) = self.config().string("mailmap.blob")?.or(default) {
            self.add_blob(name, &mut map)?;
        }
        if let Some(value) = self.config().string("mailmap.file")?.filter(|value| !value.is_empty())
            && let Some(path) = adit_config::value::path(value, self.env().path("HOME").as_deref())
        {
            add_file(&self.env().cwd().join(path), &mut map)?;
        }
        Ok(map)
    }

    fn add_blob(&self, name: &BStr, map: &mut Mailmap) -> Result<(), OpenError> {
        let context = self.name_context()?;
        let Ok(id) = context.names(&Silent)?.quiet().resolve(name) else { return Ok(()) };
        let mut content = Vec::new();
        if self.objects()?.try_read(&id, &mut content)? == Some(ObjectKind::Blob) {
            map.add(&content);
        }
        Ok(())
    }
}

fn add_file(path: &Path, map: &mut Mailmap) -> Result<(), OpenError> {
    match std::fs::read(path) {
        Ok(content) => map.add(&content),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
        Err(error) => return Err(OpenError::Io { path: path.to_owned(), error }),
    }
    Ok(())
}
