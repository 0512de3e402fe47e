//! Commits that have other parents than they record (gitrepository-layout: `shallow`, `info/grafts`).

use adit_object::{IdMap, ObjectId};
use bstr::ByteSlice;

use crate::{OpenError, Repository};

impl Repository {
    /// Whether history ends early here, because it was fetched with a limited depth.
    pub fn is_shallow(&self) -> bool {
        std::fs::metadata(self.shallow_file()).is_ok()
    }

    fn shallow_file(&self) -> std::path::PathBuf {
        match self.env().path("GIT_SHALLOW_FILE") {
            Some(path) => self.env().cwd().join(path),
            None => self.common_dir().join("shallow"),
        }
    }

    /// The commits whose parents are not the ones they record, with those they have: none at the boundary of a shallow
    /// history, or what the file of grafts says.
    ///
    /// # Errors
    /// When one of the files cannot be read.
    pub fn grafts(&self) -> Result<IdMap<Vec<ObjectId>>, OpenError> {
        let mut grafts = IdMap::default();
        let format = self.object_format();
        let parse = |hex: &[u8]| ObjectId::from_hex(format, hex);
        let path = match self.env().path("GIT_GRAFT_FILE") {
            Some(path) => self.env().cwd().join(path),
            None => self.common_dir().join("info/grafts"),
        };
        for line in read_if_there(path)?.lines().filter(|line| !line.is_empty() && line[0] != b'#') {
            let bad = |_| OpenError::BadGraft { what: "graft", line: line.to_str_lossy().into_owned() };
            let mut ids = line.trim_ascii_end().split(|&b| b == b' ').map(parse);
            let commit = ids.next().unwrap_or_else(|| parse(b"")).map_err(bad)?;
            grafts.insert(commit, ids.collect::<Result<_, _>>().map_err(bad)?);
        }
        for line in read_if_there(self.shallow_file())?.lines() {
            let bad = |_| OpenError::BadGraft { what: "shallow", line: line.to_str_lossy().into_owned() };
            grafts.insert(parse(line).map_err(bad)?, Vec::new());
        }
        Ok(grafts)
    }
}

fn read_if_there(path: std::path::PathBuf) -> Result<Vec<u8>, OpenError> {
    match std::fs::read(&path) {
        Ok(content) => Ok(content),
        Err(error)
            if matches!(error.kind(), std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory) =>
        {
            Ok(Vec::new())
        }
        Err(error) => Err(OpenError::Io { path, error }),
    }
}
