//! `git show`: shows objects of any kind.

use std::io::Write;

use adit::Repository;
use adit_object::{IdSet, ObjectId, ObjectKind, Source, SourceError, Tag, Tree};
use adit_revision::{NoWalk, Tip};
use bstr::{BStr, BString, ByteSlice};

use crate::context::Context;
use crate::error::Error;
use crate::log::arguments::LogArguments;
use crate::log::{Command, History, LogRun, Progress, walk_from};
use crate::revisions::{Named, Start};

/// Runs the command.
pub fn run(ctx: &mut Context<'_>, args: &[BString]) -> Result<u8, Error> {
    let mut said = LogArguments::default();
    said.walk_nothing(NoWalk::Unsorted);
    said.read_into(ctx, args, &super::log::USAGE)?;
    let repo = ctx.repo()?;
    let mut start = Start::find(ctx, &repo, said.revisions(), said.paths())?;
    // A range is walked, as by log, and so is what a number of commits was asked of.
    if said.revisions().walk.no_walk.is_none() || start.objects.iter().any(|object| object.excluded) {
        said.walk_everything();
        return walk_from(ctx, &repo, start, said, Command::Show);
    }
    let pathspec = start.pathspec(&repo)?;
    if !start.said && !said.revisions().reflogs {
        let head = crate::log::head(&repo)?;
        start.objects.push(Named {
            id: head.id,
            name: "HEAD".into(),
            path: None,
            mode: None,
            excluded: false,
            left: false,
        });
    }
    let converts = said.converts_blobs();
    let run = LogRun::new(ctx, &repo, &mut said, Command::Show, pathspec)?;
    let mut show =
        Show { converts, repo: &repo, run, progress: Progress::default(), commits: IdSet::default() };
    for object in start.objects {
        show.object(ctx, &said, &object)?;
    }
    Ok(show.run.status(&show.progress))
}

struct Show<'r> {
    /// Whether programs make text of blobs.
    converts: bool,
    repo: &'r Repository,
    run: LogRun<'r>,
    progress: Progress,
    /// A commit is shown once, however often it is named.
    commits: IdSet,
}

impl Show<'_> {
    /// Shows an object and, for a tag, what it tags.
    fn object(&mut self, ctx: &mut Context<'_>, said: &LogArguments, object: &Named) -> Result<(), Error> {
        let objects = self.repo.objects()?;
        let (mut id, name) = (object.id, object.name.as_bstr());
        let mut content = Vec::new();
        loop {
            let kind = objects.read(&id, &mut content)?;
            match kind {
                ObjectKind::Blob => {
                    if self.converts
                        && let (Some(path), Some(mode)) = (&object.path, object.mode)
                        && let Some(text) =
                            crate::programs::text_of(ctx, self.repo, path.as_bstr(), mode, &content)?
                    {
                        content = text;
                    }
                    ctx.streams.out.write_all(&content)?;
                    return Ok(());
                }
                ObjectKind::Tree => return self.tree(ctx, id, name, &content),
                // Commits that are named stand for logs, which are walked only where a number is asked for.
                ObjectKind::Commit if said.revisions().reflogs || !self.commits.insert(id) => return Ok(()),
                ObjectKind::Commit => {
                    let (tips, names) = (vec![Tip::included(id)], vec![name.to_owned()]);
                    let history = History { tips, names, ..History::default() };
                    return self.run.print(ctx, said, history, &mut self.progress);
                }
                ObjectKind::Tag => {
                    let tag = Tag::parse(id.format(), &content)
                        .map_err(|error| SourceError::Malformed { id, error })?;
                    self.tag(ctx, &tag)?;
                    id = tag.target();
                }
            }
        }
    }

    /// `tag <name>` or `tree <name>`, in the colour of commits.
    fn title(&mut self, ctx: &mut Context<'_>, kind: &str, name: &[u8]) -> Result<(), Error> {
        let out = &mut ctx.streams.out;
        if self.progress.written {
            out.write_all(b"\n")?;
        }
        self.progress.written = true;
        let palette = self.run.palette();
        write!(out, "{}{kind} {}{}", palette.commit, name.as_bstr(), palette.reset)?;
        out.write_all(b"\n")?;
        Ok(())
    }

    fn tag(&mut self, ctx: &mut Context<'_>, tag: &Tag<'_>) -> Result<(), Error> {
        self.title(ctx, "tag", tag.name().unwrap_or_default())?;
        let mut text = Vec::new();
        if let Some(tagger) = tag.tagger() {
            self.run.append_tagger(&tagger, &mut text)?;
        }
        // The message, with the empty line before it.
        let bytes = tag.bytes();
        text.extend_from_slice(&bytes[bytes.find(b"\n\n").map_or(bytes.len(), |at| at + 1)..]);
        ctx.streams.out.write_all(&text)?;
        Ok(())
    }

    fn tree(
        &mut self,
        ctx: &mut Context<'_>,
        id: ObjectId,
        name: &BStr,
        content: &[u8],
    ) -> Result<(), Error> {
        self.title(ctx, "tree", name)?;
        let mut text = vec![b'\n'];
        for entry in Tree::new(id.format(), content) {
            let entry = entry.map_err(|error| SourceError::Malformed { id, error })?;
            text.extend_from_slice(entry.name);
            text.extend_from_slice(if entry.kind().object_kind() == ObjectKind::Tree {
                b"/\n"
            } else {
                b"\n"
            });
        }
        ctx.streams.out.write_all(&text)?;
        Ok(())
    }
}
