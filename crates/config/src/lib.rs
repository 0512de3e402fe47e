//! Git configuration: files, scopes, includes, typed values, edits.
