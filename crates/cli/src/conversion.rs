//! Conversion of content on the command line: what it has to say, and its errors.

use adit::PathFilters;
use adit_worktree::filters::FilterError;

use crate::context::Context;
use crate::error::Error;

impl Context<'_> {
    /// Prints what conversions since the last call have to say.
    pub fn tell_notices(&mut self, filters: &PathFilters) {
        for notice in filters.take_notices() {
            if let adit_worktree::filters::Notice::PassedOver(error) = &notice {
                self.hint_at(error);
            }
            if notice.is_warning() { self.warn(notice) } else { self.complain(notice) }
        }
    }

    /// Makes the error of a conversion that of a command, after what else there is to say.
    pub fn conversion_error(&mut self, filters: &PathFilters, error: &FilterError) -> Error {
        self.tell_notices(filters);
        self.hint_at(error);
        Error::fatal(error.to_string())
    }

    fn hint_at(&mut self, error: &FilterError) {
        if let Some(hint) = error.hint() {
            // A hint that cannot be written must not end the command.
            let _ = writeln!(self.streams.err, "hint: {hint}");
        }
    }
}
