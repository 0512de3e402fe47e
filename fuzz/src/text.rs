//! Targets that parse the bytes where they lie.

use adit::{Mailmap, object_check};
use adit_config::{Config, Origin, Scope, value};
use adit_diff::pathspec::{Pathspec, PathspecOptions};
use adit_object::{Commit, EntryKind, Ident, ObjectFormat, ObjectKind, Tag, Tree, zlib};
use adit_text::date::{self, Clock, LocalZone};
use adit_text::wildmatch as glob;
use bstr::{BStr, ByteSlice};

use crate::Fixture;

const FORMATS: [ObjectFormat; 2] = [ObjectFormat::Sha1, ObjectFormat::Sha256];

fn texts(texts: &[&str]) -> Vec<Vec<u8>> {
    texts.iter().map(|text| text.as_bytes().to_vec()).collect()
}

/// A configuration file.
pub fn config(_: &Fixture, data: &[u8]) {
    let mut config = Config::default();
    let _ = config.add_bytes(data, Origin::StandardInput, Scope::Local);
    for entry in config.entries() {
        let Some(text) = &entry.value else { continue };
        let _ = (
            value::boolean(Some(text.as_bstr())),
            value::integer(text.as_bstr()),
            value::path(text.as_bstr(), None),
        );
        let _ = adit_text::color::parse(&text.to_str_lossy());
    }
}

/// Files with everything that the syntax has.
pub fn config_seeds(_: &Fixture) -> Vec<Vec<u8>> {
    texts(&[
        "[core]\n\tbare = false\n; comment\n[a \"b\\\"c\"] x=\"1 2\" # y\n\tz = a\\\n b\\t\\n\n[old.sub]\nkey\n",
        "\u{feff}[include]\r\n path = x\r\n[i]n=-9223372036854775808k\n[color \"diff\"]new=bold #ffffff ul 255\n",
    ])
}

/// An object's content, as each kind, in each format.
pub fn object(_: &Fixture, data: &[u8]) {
    for format in FORMATS {
        if let Ok(commit) = Commit::parse(format, data) {
            let _ = (commit.message(), commit.author(), commit.committer());
        }
        let _ = Tag::parse(format, data).map(|tag| tag.message().len());
        for entry in Tree::new(format, data).flatten() {
            let _ = (entry.kind(), entry.id(format));
        }
        for kind in [ObjectKind::Commit, ObjectKind::Tree, ObjectKind::Tag] {
            let _ = object_check::check(kind, format, data);
        }
    }
    let _ = Ident::parse(data);
}

/// An object of each kind.
pub fn object_seeds(fixture: &Fixture) -> Vec<Vec<u8>> {
    let Ok(store) = fixture.repository().objects() else { return Vec::new() };
    let read = |id| {
        let mut content = Vec::new();
        adit_object::Source::try_read(store, id, &mut content).ok().flatten().map(|_| content)
    };
    fixture.ids.iter().filter_map(read).collect()
}

/// A zlib stream.
pub fn zlib(_: &Fixture, data: &[u8]) {
    let mut out = [0; 300];
    let _ = zlib::inflate_exact(data, &mut out);
    let _ = zlib::inflate_prefix(data, &mut out[..20]);
    let mut reader = zlib::InflateReader::new(data);
    let _ = std::io::copy(&mut std::io::Read::take(&mut reader, 1 << 20), &mut std::io::sink());
}

/// A date as people write them.
pub fn date(_: &Fixture, data: &[u8]) {
    let zone = LocalZone::from_tz(Some("Europe/Berlin"));
    let clock = Clock { now: 1_700_000_000, zone: &zone };
    let _ = (date::approxidate(data, clock), date::parse(data, clock), date::parse_expiry(data, clock));
}

/// Dates of many forms.
pub fn date_seeds(_: &Fixture) -> Vec<Vec<u8>> {
    texts(&[
        "2 weeks ago",
        "noon yesterday",
        "@123 +0100",
        "Thu, 7 Apr 2005 15:13:13 -0700",
        "2005-04-07T22:13:13.5Z",
        "last friday 5pm",
        "10/03/2011 12:34:56",
        "99999999999999999999 years ago",
        "never",
        "6pm tea 3.days",
    ])
}

/// A pathspec, and paths to match with it.
pub fn pathspec(_: &Fixture, data: &[u8]) {
    let args: Vec<&[u8]> = data.split_str("\n").collect();
    let options = PathspecOptions { prefix: b"folder/", ..PathspecOptions::default() };
    let Ok(pathspec) = Pathspec::parse(&args, &options) else { return };
    for path in ["", "folder", "folder/file", "a.c", "x/y/z"] {
        let path = BStr::new(path);
        let _ = (pathspec.matches(path, EntryKind::File), pathspec.interest(path, 0, EntryKind::Tree, true));
    }
}

/// Pathspecs with every magic.
pub fn pathspec_seeds(_: &Fixture) -> Vec<Vec<u8>> {
    texts(&[
        ":(top,icase,glob)**/*.c\n:!x",
        ":/\n:(exclude)../a/./b",
        ":(attr:!a b=c -d)x",
        ":^*\n[a-z]?\\*",
        ":(prefix:3)abc",
    ])
}

/// A glob and a text, with a newline between.
pub fn wildmatch(_: &Fixture, data: &[u8]) {
    // A glob of many stars takes long on a long text by its nature.
    let data = &data[..data.len().min(200)];
    let (pattern, text) = data.split_once_str(b"\n").unwrap_or((data, b"a/b/c.txt"));
    for (pathname, ignore_case) in [(false, false), (true, false), (true, true)] {
        let _ = glob::wildmatch(pattern, text, glob::Options { pathname, ignore_case });
    }
}

/// Globs with everything.
pub fn wildmatch_seeds(_: &Fixture) -> Vec<Vec<u8>> {
    texts(&["**/[[:alpha:]-]*.t?t\na/b/c.txt", "[!a-z\\]]\n]", "a*b*c*d*e\naaaabbbbccccdddd", "/**/**\n/x"])
}

/// The name of a revision.
pub fn revision_name(fixture: &Fixture, data: &[u8]) {
    let _ = fixture.repository().resolve(data);
}

/// Names of every form.
pub fn revision_name_seeds(_: &Fixture) -> Vec<Vec<u8>> {
    texts(&[
        "HEAD~2^0^{tree}",
        "main@{1}^{/change}",
        ":/change 3",
        "v1^{commit}:folder/file",
        "side@{yesterday}",
        "@{-1}",
        "main@{upstream}",
        ":0:x",
        "HEAD^-1",
        "v1-3-gabcdef0",
        "main...side",
    ])
}

/// A mailmap.
pub fn mailmap(_: &Fixture, data: &[u8]) {
    let mut mailmap = Mailmap::default();
    mailmap.add(data);
    let _ = mailmap.resolve(BStr::new("Name"), BStr::new("a@b"));
}

/// A mailmap with all forms of lines.
pub fn mailmap_seeds(_: &Fixture) -> Vec<Vec<u8>> {
    texts(&["# c\nProper <p@x> Commit <a@b>\n<p@x> <a@b>\nProper <p@x> <a@b>\nName <n@x>\n"])
}

/// What `update-ref --stdin` follows: as lines, and with `-z`.
pub fn update_ref(_: &Fixture, data: &[u8]) {
    use adit_cli::commands::update_ref::instructions::{Instructions, Verb};
    for nul in [false, true] {
        let mut input = data;
        let mut instructions = Instructions::new(&mut input, nul);
        while let Ok(Some(verb)) = instructions.advance() {
            let fine = match verb {
                Verb::Option => instructions.option().is_ok(),
                Verb::Start | Verb::Prepare | Verb::Commit | Verb::Abort => true,
                _ => instructions.operands(verb).is_ok(),
            };
            if !fine {
                break;
            }
        }
    }
}

pub fn update_ref_seeds(_: &Fixture) -> Vec<Vec<u8>> {
    texts(&[
        "start\ncreate refs/heads/a HEAD\noption no-deref\nupdate \"refs/heads/b\" HEAD HEAD~1\ncommit\n",
        "symref-update refs/heads/a refs/heads/b oid HEAD\nverify refs/heads/c\nabort\n",
        "create refs/heads/a\0HEAD\0update refs/heads/b\0HEAD\0\0symref-update refs/heads/c\0refs/heads/d\0ref\0x\0",
    ])
}
