//! One step of a walk: from a commit to its parents.

use super::Walk;
use crate::Error;
use crate::flags::Flag;

impl Walk<'_> {
    /// Puts the parents of a commit in line, once, after its history was simplified. Parents of an excluded commit
    /// are excluded.
    pub(super) fn process_parents(&mut self, position: u32) -> Result<(), Error> {
        if self.flags.any(position, Flag::ADDED) {
            return Ok(());
        }
        self.flags.set(position, Flag::ADDED);
        // A parent that `--first-parent` has passed by is shown as it is, without a look at its history.
        if !self.table.is_loaded(position) {
            return Ok(());
        }
        if self.flags.any(position, Flag::UNINTERESTING) {
            self.process_excluded_parents(position);
            return Ok(());
        }
        self.simplify_commit(position)?;
        if self.options.no_walk.is_some() {
            return Ok(());
        }
        let inherited = self.flags.get(position, Flag::LEFT | Flag::ANCESTRY) | Flag::CHILD_WALKED;
        for nth in 0..self.table.parent_count(position) {
            let Some(parent) = self.table.parent(position, nth) else { break };
            if let Err(error) = self.table.load(parent) {
                if self.options.ignore_missing_links {
                    continue;
                }
                return Err(Error::Parents { commit: self.table.id(position), error: Box::new(error) });
            }
            self.inherit_source(position, parent);
            self.flags.set(parent, inherited);
            if !self.flags.any(parent, Flag::SEEN) {
                self.flags.set(parent, Flag::SEEN);
                self.enqueue(self.table.time(parent), parent);
            }
            if self.options.first_parent {
                break;
            }
        }
        Ok(())
    }

    fn process_excluded_parents(&mut self, position: u32) {
        for nth in 0..self.table.parent_count(position) {
            let Some(parent) = self.table.parent(position, nth) else { break };
            self.exclude(parent);
            // What is not here need not be left out.
            if self.table.load(parent).is_err() {
                continue;
            }
            self.exclude_parents(parent);
            if !self.flags.any(parent, Flag::SEEN) {
                self.flags.set(parent, Flag::SEEN);
                self.enqueue(self.table.time(parent), parent);
            }
            if self.options.exclude_first_parent_only {
                break;
            }
        }
    }

    /// Excludes one commit; whether it was not before.
    pub(super) fn exclude(&mut self, position: u32) -> bool {
        if self.flags.any(position, Flag::UNINTERESTING) {
            return false;
        }
        self.flags.set(position, Flag::UNINTERESTING);
        if self.flags.any(position, Flag::QUEUED) {
            self.interesting -= 1;
        }
        true
    }

    /// Excludes whatever is known to be reached from a commit's parents. Usually nothing below them was met yet.
    pub(super) fn exclude_parents(&mut self, position: u32) {
        let mut stack = vec![position];
        while let Some(position) = stack.pop() {
            for nth in 0..self.table.parent_count(position) {
                let Some(parent) = self.table.parent(position, nth) else { break };
                if self.exclude(parent) {
                    stack.push(parent);
                }
                if self.options.exclude_first_parent_only {
                    break;
                }
            }
        }
    }

    fn inherit_source(&mut self, child: u32, parent: u32) {
        let Some(sources) = &mut self.sources else { return };
        if let Some(&source) = sources.get(&self.table.id(child)) {
            sources.entry(self.table.id(parent)).or_insert(source);
        }
    }
}
