//! How bad each fault is (git-fsck, 'FSCK MESSAGES').

/// How bad a fault is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Severity {
    /// Nobody is told.
    Ignore,
    /// Worth knowing.
    Info,
    /// Odd.
    Warn,
    /// Wrong.
    Error,
    /// So wrong that nothing after it can be read.
    Fatal,
}

/// The severity that a fault has unless configuration says otherwise; the case of its name does not count. `None` when
/// there is no such fault.
pub fn severity(id: &str) -> Option<Severity> {
    SEVERITIES.iter().find(|(name, _)| name.eq_ignore_ascii_case(id)).map(|(_, severity)| *severity)
}

const SEVERITIES: [(&str, Severity); 76] = [
    ("badDate", Severity::Error),
    ("badDateOverflow", Severity::Error),
    ("badEmail", Severity::Error),
    ("badFilemode", Severity::Info),
    ("badGpgsig", Severity::Error),
    ("badHeadTarget", Severity::Error),
    ("badHeaderContinuation", Severity::Error),
    ("badName", Severity::Error),
    ("badObjectSha1", Severity::Error),
    ("badPackedRefEntry", Severity::Error),
    ("badPackedRefHeader", Severity::Error),
    ("badParentSha1", Severity::Error),
    ("badRefContent", Severity::Error),
    ("badRefFiletype", Severity::Error),
    ("badRefName", Severity::Error),
    ("badRefOid", Severity::Error),
    ("badReferentName", Severity::Error),
    ("badReftableTableName", Severity::Warn),
    ("badTagName", Severity::Info),
    ("badTimezone", Severity::Error),
    ("badTree", Severity::Error),
    ("badTreeSha1", Severity::Error),
    ("badType", Severity::Error),
    ("duplicateEntries", Severity::Error),
    ("emptyName", Severity::Warn),
    ("emptyPackedRefsFile", Severity::Info),
    ("extraHeaderEntry", Severity::Ignore),
    ("fullPathname", Severity::Warn),
    ("gitattributesBlob", Severity::Error),
    ("gitattributesLarge", Severity::Error),
    ("gitattributesLineLength", Severity::Error),
    ("gitattributesMissing", Severity::Error),
    ("gitattributesSymlink", Severity::Info),
    ("gitignoreSymlink", Severity::Info),
    ("gitmodulesBlob", Severity::Error),
    ("gitmodulesLarge", Severity::Error),
    ("gitmodulesMissing", Severity::Error),
    ("gitmodulesName", Severity::Error),
    ("gitmodulesParse", Severity::Info),
    ("gitmodulesPath", Severity::Error),
    ("gitmodulesSymlink", Severity::Error),
    ("gitmodulesUpdate", Severity::Error),
    ("gitmodulesUrl", Severity::Error),
    ("hasDot", Severity::Warn),
    ("hasDotdot", Severity::Warn),
    ("hasDotgit", Severity::Warn),
    ("largePathname", Severity::Warn),
    ("mailmapSymlink", Severity::Info),
    ("missingAuthor", Severity::Error),
    ("missingCommitter", Severity::Error),
    ("missingEmail", Severity::Error),
    ("missingNameBeforeEmail", Severity::Error),
    ("missingObject", Severity::Error),
    ("missingSpaceBeforeDate", Severity::Error),
    ("missingSpaceBeforeEmail", Severity::Error),
    ("missingTag", Severity::Error),
    ("missingTagEntry", Severity::Error),
    ("missingTaggerEntry", Severity::Info),
    ("missingTree", Severity::Error),
    ("missingType", Severity::Error),
    ("missingTypeEntry", Severity::Error),
    ("multipleAuthors", Severity::Error),
    ("nulInCommit", Severity::Warn),
    ("nulInHeader", Severity::Fatal),
    ("nullSha1", Severity::Warn),
    ("packedRefEntryNotTerminated", Severity::Error),
    ("packedRefUnsorted", Severity::Error),
    ("refMissingNewline", Severity::Info),
    ("symlinkRef", Severity::Info),
    ("symrefTargetIsNotARef", Severity::Info),
    ("trailingRefContent", Severity::Info),
    ("treeNotSorted", Severity::Error),
    ("unknownType", Severity::Error),
    ("unterminatedHeader", Severity::Fatal),
    ("zeroPaddedDate", Severity::Error),
    ("zeroPaddedFilemode", Severity::Warn),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_are_found_whatever_the_case() {
        assert_eq!(severity("nulinheader"), Some(Severity::Fatal));
        assert_eq!(severity("badTagName"), Some(Severity::Info));
        assert_eq!(severity("nope"), None);
    }
}
