//! The colours of diffs (`color.diff.*`).

use bstr::BString;

/// What a colour is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Slot {
    /// Unchanged lines.
    Context,
    /// Headers.
    Meta,
    /// `@@ -1,2 +1,2 @@`.
    Frag,
    /// The function after that.
    Func,
    /// Removed lines.
    Old,
    /// Added lines.
    New,
    /// Commit headers.
    Commit,
    /// White space errors.
    Whitespace,
}

const SLOTS: usize = 8;

/// The escape sequence for each slot; the default is none at all, for output without colours.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Palette {
    slots: [BString; SLOTS],
    reset: BString,
}

impl Palette {
    /// The colours that git uses unless configured.
    pub fn git() -> Self {
        let slots = ["", "\x1b[1m", "\x1b[36m", "", "\x1b[31m", "\x1b[32m", "\x1b[33m", "\x1b[41m"];
        Palette { slots: slots.map(BString::from), reset: "\x1b[m".into() }
    }

    /// Whether there are colours.
    pub fn is_on(&self) -> bool {
        !self.reset.is_empty()
    }

    /// Sets the escape sequence of a slot.
    pub fn set(&mut self, slot: Slot, escape: impl Into<BString>) {
        self.slots[slot as usize] = escape.into();
    }

    /// The escape sequence of a slot.
    pub fn get(&self, slot: Slot) -> &[u8] {
        &self.slots[slot as usize]
    }

    /// The escape sequence that ends a colour.
    pub fn reset(&self) -> &[u8] {
        &self.reset
    }

    pub(crate) fn context(&self) -> &[u8] {
        self.get(Slot::Context)
    }

    pub(crate) fn meta(&self) -> &[u8] {
        self.get(Slot::Meta)
    }

    pub(crate) fn frag(&self) -> &[u8] {
        self.get(Slot::Frag)
    }

    pub(crate) fn func(&self) -> &[u8] {
        self.get(Slot::Func)
    }
}
