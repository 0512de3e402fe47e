//! The working tree: attributes and ignore rules.
