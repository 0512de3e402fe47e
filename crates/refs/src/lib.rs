//! Git's references: loose, packed, symbolic, reflogs.
