//! The stream of a log: from jobs to standard output, in order, by as many threads as pay.

use std::io::Write;
use std::ops::ControlFlow;

use adit_diff::contents::Objects;

use super::canvas::Canvas;
use super::reporter::{Job, Node, Reporter};
use super::sift::Sifted;
use crate::context::Context;
use crate::error::Error;
use crate::pipeline::in_order;
use crate::verdict::{Judged, Verdict};

/// The most commits in one piece of work.
const LARGEST_BATCH: usize = 64;

/// What a batch of commits has become.
struct Text {
    bytes: Vec<u8>,
    /// Where each commit that is shown ends.
    ends: Vec<usize>,
    /// All commits, with where the entries of those that are shown end, for the graph.
    nodes: Vec<(Node, Option<usize>)>,
    /// What was found, a commit each, with how many entries are shown once it is told of.
    judged: Vec<(Judged, usize)>,
    /// What went wrong after that.
    error: Option<Error>,
}

/// What a walk, or several one after the other, have come to.
#[derive(Debug, Clone, Copy, Default)]
pub struct Progress {
    /// Whether anything was written.
    pub written: bool,
    /// What was found.
    pub verdict: Verdict,
}

/// What becomes of the text of commits.
pub(super) struct Output {
    /// At most so many commits are shown.
    pub(super) count: Option<u64>,
    /// The graph beside them.
    pub(super) canvas: Option<Canvas>,
}

/// Writes out what `reporter` makes of the commits that `next` yields.
/// `progress` tells what came before, and goes on from there.
///
/// # Errors
/// When commits cannot be walked, read or written, after all that precedes was written.
pub(super) fn write(
    ctx: &mut Context<'_>,
    reporter: &Reporter<'_>,
    output: Output,
    progress: &mut Progress,
    next: impl FnMut() -> Result<Option<Job>, Error>,
) -> Result<(), Error> {
    // A graph is told of commits that are not shown, too.
    if output.canvas.is_some() {
        return write_all(ctx, reporter, output, progress, next);
    }
    match Sifted::new(reporter, next) {
        Ok(mut sifted) => write_all(ctx, reporter, output, progress, || sifted.next()),
        Err(next) => write_all(ctx, reporter, output, progress, next),
    }
}

fn write_all(
    ctx: &mut Context<'_>,
    reporter: &Reporter<'_>,
    mut output: Output,
    progress: &mut Progress,
    mut next: impl FnMut() -> Result<Option<Job>, Error>,
) -> Result<(), Error> {
    let contents = Objects(reporter.objects);
    let mut size = 1;
    let mut ended = false;
    let mut failed = None;
    let batch = || {
        let mut jobs = Vec::with_capacity(size);
        while jobs.len() < size && !ended {
            match next() {
                Ok(Some(job)) => jobs.push(job),
                Ok(None) => ended = true,
                // What was found before comes first.
                Err(error) => (failed, ended) = (Some(error), true),
            }
        }
        size = (size * 2).min(LARGEST_BATCH);
        if jobs.is_empty() { failed.take().map_or(Ok(None), Err) } else { Ok(Some(jobs)) }
    };
    let mut left = output.count;
    let streams = &mut ctx.streams;
    let take = |text: Text| {
        let shown = left
            .map_or(text.ends.len(), |left| text.ends.len().min(usize::try_from(left).unwrap_or(usize::MAX)));
        let end = shown.checked_sub(1).and_then(|last| text.ends.get(last)).copied().unwrap_or(0);
        // Every entry starts with what sets it apart from the one before; the first has none.
        let start = if !progress.written && end > 0 { reporter.entries.apart_len() } else { 0 };
        match &mut output.canvas {
            Some(canvas) => streams.out.write_all(&paint(canvas, &text, shown))?,
            None => streams.out.write_all(&text.bytes[start..end])?,
        }
        progress.written |= shown > 0;
        // What comes after the last entry that is shown is not looked at.
        let is_last = left.is_some_and(|left| left == shown as u64);
        for (judged, entries) in &text.judged {
            progress.verdict.add(*judged);
            if is_last && *entries >= shown {
                break;
            }
        }
        if streams.out_is_terminal {
            streams.out.flush()?;
        }
        left = left.map(|left| left - shown as u64);
        match text.error {
            Some(error) if left != Some(0) => {
                // What was shown of the commit that failed stands.
                let skipped = if progress.written { 0 } else { reporter.entries.apart_len() };
                if output.canvas.is_none() {
                    streams.out.write_all(text.bytes.get(end + skipped..).unwrap_or_default())?;
                }
                Err(error)
            }
            _ if left == Some(0) => Ok(ControlFlow::Break(())),
            _ => Ok(ControlFlow::Continue(())),
        }
    };
    let work = |worker: &mut _, jobs: Vec<Job>| report_all(reporter, worker, jobs);
    // Programs that compare run one after the other.
    let is_plain = reporter.changes.as_ref().is_none_or(|changes| changes.show.patch.external.is_none());
    let threads = if is_plain { threads() } else { 1 };
    in_order(threads, batch, || reporter.worker(&contents), work, take)
}

/// The text of the first `shown` commits with the graph beside it.
fn paint(canvas: &mut Canvas, text: &Text, shown: usize) -> Vec<u8> {
    let mut out = Vec::with_capacity(2 * text.bytes.len());
    let mut start = 0;
    let mut ends = text.ends.iter().take(shown);
    for (node, entry_end) in &text.nodes {
        canvas.start(node);
        let Some(entry_end) = entry_end else { continue };
        let Some(&end) = ends.next() else { break };
        canvas.paint(&text.bytes[start..end], entry_end - start, &mut out);
        start = end;
    }
    out
}

fn report_all(reporter: &Reporter<'_>, worker: &mut super::Worker<'_>, jobs: Vec<Job>) -> Text {
    let mut text = Text {
        bytes: Vec::new(),
        ends: Vec::with_capacity(jobs.len()),
        nodes: Vec::new(),
        judged: Vec::new(),
        error: None,
    };
    for job in jobs {
        let node = job.node.clone();
        match reporter.report(worker, job, &mut text.bytes) {
            Ok(entry_end) => {
                if entry_end.is_some() {
                    text.ends.push(text.bytes.len());
                }
                text.judged.push((worker.take_judged(), text.ends.len()));
                text.nodes.extend(node.map(|node| (node, entry_end)));
            }
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
