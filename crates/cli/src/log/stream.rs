//! The stream of a log: from jobs to standard output, in order, by as many threads as pay.

use std::io::Write;
use std::ops::ControlFlow;

use adit_diff::contents::Objects;

use super::reporter::{Job, Reporter};
use super::sift::Sifted;
use crate::context::Context;
use crate::error::Error;
use crate::pipeline::in_order;

/// The most commits in one piece of work.
const LARGEST_BATCH: usize = 64;

/// What a batch of commits has become.
struct Text {
    bytes: Vec<u8>,
    /// Where each commit that is shown ends.
    ends: Vec<usize>,
    /// What went wrong after that.
    error: Option<Error>,
}

/// Writes out what `reporter` makes of the commits that `next` yields; at most `count` of them if that is given.
/// `written` tells whether anything was written before, and is set.
///
/// # Errors
/// When commits cannot be walked, read or written, after all that precedes was written.
pub fn write(
    ctx: &mut Context<'_>,
    reporter: &Reporter<'_>,
    count: Option<u64>,
    written: &mut bool,
    next: impl FnMut() -> Result<Option<Job>, Error>,
) -> Result<(), Error> {
    match Sifted::new(reporter, next) {
        Ok(mut sifted) => write_all(ctx, reporter, count, written, || sifted.next()),
        Err(next) => write_all(ctx, reporter, count, written, next),
    }
}

fn write_all(
    ctx: &mut Context<'_>,
    reporter: &Reporter<'_>,
    count: Option<u64>,
    written: &mut bool,
    mut next: impl FnMut() -> Result<Option<Job>, Error>,
) -> Result<(), Error> {
    let contents = Objects(reporter.objects);
    let mut size = 1;
    let mut ended = false;
    let batch = || {
        let mut jobs = Vec::with_capacity(size);
        while jobs.len() < size && !ended {
            match next()? {
                Some(job) => jobs.push(job),
                None => ended = true,
            }
        }
        size = (size * 2).min(LARGEST_BATCH);
        Ok(if jobs.is_empty() { None } else { Some(jobs) })
    };
    let mut left = count;
    let streams = &mut ctx.streams;
    let take = |text: Text| {
        let shown = left
            .map_or(text.ends.len(), |left| text.ends.len().min(usize::try_from(left).unwrap_or(usize::MAX)));
        let end = shown.checked_sub(1).and_then(|last| text.ends.get(last)).copied().unwrap_or(0);
        // Every entry starts with what sets it apart from the one before; the first has none.
        let start = usize::from(!*written && end > 0 && reporter.entries.sets_apart());
        streams.out.write_all(&text.bytes[start..end])?;
        *written |= shown > 0;
        if streams.out_is_terminal {
            streams.out.flush()?;
        }
        left = left.map(|left| left - shown as u64);
        match text.error {
            Some(error) if left != Some(0) => Err(error),
            _ if left == Some(0) => Ok(ControlFlow::Break(())),
            _ => Ok(ControlFlow::Continue(())),
        }
    };
    let work = |worker: &mut _, jobs: Vec<Job>| report_all(reporter, worker, jobs);
    in_order(threads(), batch, || reporter.worker(&contents), work, take)
}

fn report_all(reporter: &Reporter<'_>, worker: &mut super::Worker<'_>, jobs: Vec<Job>) -> Text {
    let mut text = Text { bytes: Vec::new(), ends: Vec::with_capacity(jobs.len()), error: None };
    for job in jobs {
        match reporter.report(worker, job, &mut text.bytes) {
            Ok(true) => text.ends.push(text.bytes.len()),
            Ok(false) => {}
            Err(error) => {
                text.error = Some(error);
                break;
            }
        }
    }
    text
}

/// As many threads as the machine runs at once.
pub(crate) fn threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}
