//! Sorting commits so that children come before their parents.

use adit_object::{Commit, ObjectKind};

use crate::CommitTable;
use crate::commits::author_time;
use crate::queue::DateQueue;

/// What decides between commits whose children have all been shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Keys {
    /// The one that became free last: lines of history are kept together.
    Stack,
    /// The youngest by committer date.
    Dates,
    /// The youngest by author date.
    AuthorDates,
}

/// Commits that are free to be shown.
pub(crate) enum Ready {
    /// The last in comes out first.
    Stack(Vec<u32>),
    /// By date.
    Dates(DateQueue, Keys, Vec<u8>),
}

impl Ready {
    pub(crate) fn new(keys: Keys) -> Self {
        match keys {
            Keys::Stack => Ready::Stack(Vec::new()),
            Keys::Dates | Keys::AuthorDates => Ready::Dates(DateQueue::default(), keys, Vec::new()),
        }
    }

    pub(crate) fn push(&mut self, table: &CommitTable<'_>, position: u32) {
        match self {
            Ready::Stack(stack) => stack.push(position),
            Ready::Dates(queue, Keys::AuthorDates, buffer) => {
                queue.push(author_date(table, position, buffer), position);
            }
            Ready::Dates(queue, ..) => queue.push(table.time(position), position),
        }
    }

    /// After the tips were added in order: makes the first of them come out first.
    pub(crate) fn tips_are_in(&mut self) {
        if let Ready::Stack(stack) = self {
            stack.reverse();
        }
    }

    pub(crate) fn pop(&mut self) -> Option<u32> {
        match self {
            Ready::Stack(stack) => stack.pop(),
            Ready::Dates(queue, ..) => queue.pop(),
        }
    }
}

/// The author date of a commit; 0 when there is none, or the commit cannot be read.
fn author_date(table: &CommitTable<'_>, position: u32, buffer: &mut Vec<u8>) -> u64 {
    let id = table.id(position);
    if table.source().read_kind(&id, ObjectKind::Commit, buffer).is_err() {
        return 0;
    }
    Commit::parse(table.format(), buffer).map_or(0, |commit| author_time(&commit))
}

/// Sorts `list`, children first. Parents that are not in the list do not matter.
pub(crate) fn sort(table: &CommitTable<'_>, list: Vec<u32>, keys: Keys) -> Vec<u32> {
    // One more than the number of children still to come; 0 for a commit that is not in the list.
    let mut waiting = vec![0u32; table.len()];
    for &position in &list {
        waiting[position as usize] = 1;
    }
    for &position in &list {
        for &parent in table.parents(position) {
            if waiting[parent as usize] != 0 {
                waiting[parent as usize] += 1;
            }
        }
    }
    let mut ready = Ready::new(keys);
    for &position in list.iter().filter(|&&position| waiting[position as usize] == 1) {
        ready.push(table, position);
    }
    ready.tips_are_in();
    let mut sorted = list;
    sorted.clear();
    while let Some(position) = ready.pop() {
        for &parent in table.parents(position) {
            let left = &mut waiting[parent as usize];
            if *left == 0 {
                continue;
            }
            *left -= 1;
            if *left == 1 {
                ready.push(table, parent);
            }
        }
        waiting[position as usize] = 0;
        sorted.push(position);
    }
    sorted
}
