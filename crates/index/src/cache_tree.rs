//! The cache tree (extension TREE): the trees of folders whose entries have not changed since they were written.

use adit_object::{ObjectFormat, ObjectId};
use bstr::{BStr, BString, ByteSlice};

/// A folder of the cache tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CacheTreeNode {
    pub(crate) name: BString,
    /// The tree, and how many entries it covers; `None` when something below has changed.
    pub(crate) valid: Option<(ObjectId, usize)>,
    /// By length of the name, then by name, as files order them.
    pub(crate) children: Vec<CacheTreeNode>,
}

/// The whole tree. Its root has no name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CacheTree {
    pub(crate) root: CacheTreeNode,
}

/// How deep folders may lie; no system has paths as long as that.
pub(crate) const MAX_DEPTH: usize = 2048;

impl CacheTreeNode {
    pub(crate) fn new(name: &[u8]) -> Self {
        CacheTreeNode { name: name.into(), valid: None, children: Vec::new() }
    }

    /// Its own name.
    pub fn name(&self) -> &BStr {
        self.name.as_bstr()
    }

    /// The tree, and how many entries it covers; `None` when something below has changed.
    pub fn valid(&self) -> Option<(ObjectId, usize)> {
        self.valid
    }

    /// The folders in it that are known.
    pub fn children(&self) -> &[CacheTreeNode] {
        &self.children
    }

    fn position(&self, name: &[u8]) -> Result<usize, usize> {
        self.children
            .binary_search_by(|child| (child.name.len(), child.name.as_slice()).cmp(&(name.len(), name)))
    }

    /// The folder of that name in it.
    pub fn child(&self, name: &[u8]) -> Option<&CacheTreeNode> {
        self.position(name).ok().map(|at| &self.children[at])
    }

    /// Adds a folder, in the place of one of the same name.
    pub(crate) fn add_child(&mut self, child: CacheTreeNode) {
        match self.position(&child.name) {
            Ok(at) => self.children[at] = child,
            Err(at) => self.children.insert(at, child),
        }
    }

    fn append(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.name);
        let count = self.valid.map_or("-1".to_owned(), |(_, count)| count.to_string());
        out.extend_from_slice(format!("\0{count} {}\n", self.children.len()).as_bytes());
        if let Some((id, _)) = &self.valid {
            out.extend_from_slice(id.as_bytes());
        }
        self.children.iter().for_each(|child| child.append(out));
    }
}

impl Default for CacheTree {
    fn default() -> Self {
        CacheTree { root: CacheTreeNode::new(b"") }
    }
}

impl CacheTree {
    /// The top folder.
    pub fn root(&self) -> &CacheTreeNode {
        &self.root
    }

    /// The folder at `path`, which has no slash at its end.
    pub fn folder(&self, path: &[u8]) -> Option<&CacheTreeNode> {
        let parts = path.split_str("/").filter(|part| !part.is_empty());
        parts.into_iter().try_fold(&self.root, |node, name| node.child(name))
    }

    /// Notes that the entry at `path` has changed: no folder that it is in is known any more.
    pub fn invalidate(&mut self, path: &[u8]) {
        let mut node = &mut self.root;
        let mut rest = path;
        loop {
            node.valid = None;
            let Some(slash) = rest.find_byte(b'/') else {
                // What was a folder is none now.
                if let Ok(at) = node.position(rest) {
                    node.children.remove(at);
                }
                return;
            };
            let Ok(at) = node.position(&rest[..slash]) else { return };
            rest = &rest[slash + 1..];
            node = &mut node.children[at];
        }
    }

    /// Reads the content of the extension; `None` when it makes no sense, and so is worth nothing.
    pub(crate) fn parse(format: ObjectFormat, bytes: &[u8]) -> Option<Self> {
        let mut rest = bytes;
        let (root, folders) = parse_node(format, &mut rest)?;
        // Folders that are being read, and how many are still to come in each.
        let mut open = vec![(root, folders)];
        loop {
            let (node, left) = open.last_mut()?;
            if *left == 0 {
                if !node.children.is_sorted_by_key(|child| (child.name.len(), child.name.clone())) {
                    return None;
                }
                let (node, _) = open.pop()?;
                match open.last_mut() {
                    Some((parent, _)) => parent.children.push(node),
                    None => return rest.is_empty().then_some(CacheTree { root: node }),
                }
                continue;
            }
            *left -= 1;
            if open.len() > MAX_DEPTH {
                return None;
            }
            open.push(parse_node(format, &mut rest)?);
        }
    }

    /// Appends the content of the extension.
    pub(crate) fn append(&self, out: &mut Vec<u8>) {
        self.root.append(out);
    }
}

/// Reads one folder, and how many there are in it.
fn parse_node(format: ObjectFormat, rest: &mut &[u8]) -> Option<(CacheTreeNode, usize)> {
    let (name, after) = rest.split_once_str(b"\0")?;
    let (count, after) = after.split_once_str(b" ")?;
    let (folders, after) = after.split_once_str(b"\n")?;
    let count: i64 = count.to_str().ok()?.parse().ok()?;
    let folders: usize = folders.to_str().ok()?.parse().ok()?;
    *rest = after;
    let mut valid = None;
    if let Ok(count) = usize::try_from(count) {
        let (id, after) = rest.split_at_checked(format.len())?;
        valid = Some((ObjectId::from_bytes(format, id)?, count));
        *rest = after;
    }
    Some((CacheTreeNode { name: name.into(), valid, children: Vec::new() }, folders))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> CacheTree {
        let id = ObjectId::from_bytes(ObjectFormat::Sha1, &[5; 20]);
        let mut tree = CacheTree::default();
        tree.root.valid = id.map(|id| (id, 9));
        for name in ["bb", "a", "c"] {
            let mut child = CacheTreeNode::new(name.as_bytes());
            child.valid = id.map(|id| (id, 3));
            let mut below = CacheTreeNode::new(b"x");
            below.valid = id.map(|id| (id, 1));
            child.add_child(below);
            tree.root.add_child(child);
        }
        tree
    }

    #[test]
    fn what_is_written_is_read_and_cuts_are_noticed() {
        let tree = sample();
        let mut bytes = Vec::new();
        tree.append(&mut bytes);
        assert_eq!(CacheTree::parse(ObjectFormat::Sha1, &bytes), Some(tree));
        for cut in 0..bytes.len() {
            assert_eq!(CacheTree::parse(ObjectFormat::Sha1, &bytes[..cut]), None);
        }
        let deep = "x\0-1 1\n".repeat(100_000);
        assert_eq!(CacheTree::parse(ObjectFormat::Sha1, deep.as_bytes()), None);
    }

    #[test]
    fn a_change_is_felt_in_all_folders_around_it() {
        let mut tree = sample();
        tree.invalidate(b"a/x/new");
        let known =
            |tree: &CacheTree, path: &str| tree.folder(path.as_bytes()).map(|node| node.valid.is_some());
        assert_eq!(known(&tree, ""), Some(false));
        assert_eq!(known(&tree, "a"), Some(false));
        assert_eq!(known(&tree, "a/x"), Some(false));
        assert_eq!(known(&tree, "bb/x"), Some(true));
        tree.invalidate(b"bb");
        assert_eq!(known(&tree, "bb"), None);
    }
}
