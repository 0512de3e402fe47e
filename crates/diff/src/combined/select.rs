//! Which lines of a combined diff are shown: those that changed, with context, and for `--cc` only where the result is
//! not simply what one side had.

use super::Parents;
use super::table::Line;

/// Marks the lines to show; tells whether there are any.
pub(super) fn select(lines: &mut [Line], parents: usize, dense: bool, context: u32) -> bool {
    let context = context as usize;
    for line in lines.iter_mut() {
        line.shown = line.added != 0 || !line.lost.is_empty();
    }
    if dense {
        drop_plain_hunks(lines, parents, context);
    }
    add_context(lines, context)
}

/// The first line from `from` on that is shown, or is not; the end when there is none.
fn find(lines: &[Line], from: usize, shown: bool) -> usize {
    lines[from..].iter().position(|line| line.shown == shown).map_or(lines.len(), |at| from + at)
}

/// Where the context after a hunk starts: a last line that only has lost lines before it is itself context.
fn context_start(lines: &[Line], hunk: usize, end: usize) -> usize {
    if end > hunk && lines[end - 1].added == 0 { end - 1 } else { end }
}

/// Hides the hunks in which all changes are against the same parents, unless those are all of them.
fn drop_plain_hunks(lines: &mut [Line], parents: usize, context: usize) {
    let all = if parents >= Parents::BITS as usize { Parents::MAX } else { (1 << parents) - 1 };
    let mut start = find(lines, 0, true);
    while start < lines.len() {
        let mut end = start + 1;
        while end < lines.len() {
            if !lines[end].shown {
                // Go on when something is shown within the context.
                let reach = context_start(lines, start, end).saturating_add(context).min(lines.len());
                match (end..reach).rev().find(|&at| lines[at].shown) {
                    Some(next) => end = next,
                    None => break,
                }
            }
            end += 1;
        }
        let mut against = lines[start..end].iter().flat_map(|line| {
            let added = Some(line.added).filter(|&added| added != 0);
            added.into_iter().chain(line.lost.iter().map(|lost| lost.parents))
        });
        let first = against.next().unwrap_or(0);
        if first != all && against.all(|parents| parents == first) {
            lines[start..end].iter_mut().for_each(|line| line.shown = false);
        }
        start = find(lines, end, true);
    }
}

/// Shows the lines around those that are shown; tells whether there are any.
fn add_context(lines: &mut [Line], context: usize) -> bool {
    let mut hunk = find(lines, 0, true);
    if hunk == lines.len() {
        return false;
    }
    while hunk < lines.len() {
        for line in &mut lines[hunk.saturating_sub(context)..hunk] {
            line.without_lost |= !line.shown;
            line.shown = true;
        }
        loop {
            let end = find(lines, hunk, false);
            if end == lines.len() {
                return true;
            }
            let next = find(lines, end, true);
            let tail = context_start(lines, hunk, end);
            if next < tail.saturating_add(context) {
                lines[tail..next].iter_mut().for_each(|line| line.shown = true);
                hunk = next;
                continue;
            }
            let tail_end = tail.saturating_add(context).min(lines.len());
            lines[tail..tail_end].iter_mut().for_each(|line| line.shown = true);
            hunk = next;
            break;
        }
    }
    true
}
