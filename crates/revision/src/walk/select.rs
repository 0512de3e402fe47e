//! Which of the commits that are met are shown.

use bstr::ByteSlice;

use super::Walk;
use crate::Error;
use crate::flags::Flag;

impl Walk<'_> {
    /// Whether a commit that was met passes every condition.
    pub(super) fn chooses(&mut self, position: u32) -> Result<bool, Error> {
        if self.flags.any(position, Flag::SHOWN | Flag::UNINTERESTING) {
            return Ok(false);
        }
        if self.options.maximal_only && self.flags.any(position, Flag::CHILD_WALKED) {
            return Ok(false);
        }
        // The history of a reflog is that of its changes.
        let changed = self.change().map(|change| change.time.seconds);
        if changed.is_some_and(|date| self.options.since.is_some_and(|since| date < since)) {
            return Ok(false);
        }
        let date = changed.unwrap_or_else(|| self.table.time(position));
        if self.options.until.is_some_and(|until| date > until)
            || self.options.since_as_filter.is_some_and(|since| date < since)
        {
            return Ok(false);
        }
        let parents = self.table.parent_count(position);
        if parents < self.options.min_parents || self.options.max_parents.is_some_and(|most| parents > most) {
            return Ok(false);
        }
        if !self.matches_message(position)? {
            return Ok(false);
        }
        Ok(!self.is_dense() || !self.flags.any(position, Flag::TREESAME) || self.ties_history(position))
    }

    fn matches_message(&mut self, position: u32) -> Result<bool, Error> {
        let Some(filter) = &self.options.message else { return Ok(true) };
        self.table.read(position, &mut self.buffer)?;
        Ok(filter.matches(&self.buffer, self.change().map(|change| change.message.as_bytes())))
    }

    /// Whether a commit that changes nothing is needed to show how the others hang together.
    fn ties_history(&self, position: u32) -> bool {
        if !self.wants_ancestry() {
            return false;
        }
        if self.options.show_pulls && self.flags.any(position, Flag::PULL) {
            return true;
        }
        let parents = self.table.parents(position);
        parents.iter().filter(|&&parent| self.is_relevant(parent)).nth(1).is_some()
    }
}
