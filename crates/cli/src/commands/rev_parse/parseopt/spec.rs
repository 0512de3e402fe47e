//! The specification of a script's options: usage lines, a line `--`, then a line an option.

use bstr::{BString, ByteSlice};

/// Whether an option takes a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Takes {
    Nothing,
    Optional,
    Value,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SpecOption {
    pub(super) short: Option<u8>,
    pub(super) long: Option<BString>,
    pub(super) takes: Takes,
    /// What the usage calls the value.
    pub(super) hint: Option<BString>,
    /// Without a form that starts with `no-`.
    pub(super) positive_only: bool,
    /// Only in the full usage.
    pub(super) hidden: bool,
    pub(super) help: BString,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Line {
    Option(SpecOption),
    Header(BString),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Spec {
    pub(super) usage: Vec<BString>,
    pub(super) lines: Vec<Line>,
}

impl Spec {
    /// Reads a specification; the error is what is wrong with it.
    pub(super) fn parse(text: &[u8]) -> Result<Self, &'static str> {
        let mut lines = text.lines();
        let mut usage = Vec::new();
        loop {
            match lines.next() {
                None => return Err("premature end of input"),
                Some(b"--") => break,
                Some(line) => usage.push(BString::from(line)),
            }
        }
        if usage.is_empty() {
            return Err("no usage string given before the `--' separator");
        }
        let lines = lines.filter(|line| !line.is_empty()).map(parse_line).collect::<Result<_, _>>()?;
        Ok(Spec { usage, lines })
    }

    pub(super) fn options(&self) -> impl Iterator<Item = &SpecOption> {
        self.lines.iter().filter_map(|line| match line {
            Line::Option(option) => Some(option),
            Line::Header(_) => None,
        })
    }
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
}

fn parse_line(line: &[u8]) -> Result<Line, &'static str> {
    let Some(end) = line.iter().position(|&b| is_space(b)).filter(|&end| end > 0) else {
        return Ok(Line::Header(skip_space(line).into()));
    };
    let (spec, help) = (&line[..end], skip_space(&line[end..]).into());
    let names_end = spec.find_byteset(b"*=?!").unwrap_or(spec.len());
    let (names, mut flags) = spec.split_at(names_end);
    if names.is_empty() {
        return Err("missing opt-spec before option flags");
    }
    let (short, long) = match names {
        [short] => (Some(*short), None),
        [short, b',', long @ ..] => (Some(*short), Some(BString::from(long))),
        long => (None, Some(long.into())),
    };
    let mut option = SpecOption {
        short,
        long,
        takes: Takes::Nothing,
        hint: None,
        positive_only: false,
        hidden: false,
        help,
    };
    while let Some((&flag, rest)) = flags.split_first() {
        match flag {
            b'=' => option.takes = Takes::Value,
            b'?' => option.takes = Takes::Optional,
            b'!' => option.positive_only = true,
            b'*' => option.hidden = true,
            _ => {
                option.hint = Some(flags.into());
                break;
            }
        }
        flags = rest;
    }
    Ok(Line::Option(option))
}

fn skip_space(text: &[u8]) -> &[u8] {
    let start = text.iter().position(|&b| !is_space(b)).unwrap_or(text.len());
    &text[start..]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_all_kinds() {
        let spec =
            Spec::parse(b"cmd\n\nmore\n--\nf,foo=arg!* help\nb?\theld\n\n head\nlone\nk=v=w x\n").unwrap();
        assert_eq!(spec.usage, ["cmd", "", "more"]);
        let options: Vec<_> = spec.options().collect();
        assert_eq!(options[0].hint.as_ref().unwrap(), "arg!*");
        assert_eq!((options[1].short, options[1].takes), (Some(b'b'), Takes::Optional));
        assert_eq!(options[2].hint.as_ref().unwrap(), "v=w");
        assert_eq!(spec.lines[2], Line::Header("head".into()));
        assert_eq!(spec.lines[3], Line::Header("lone".into()));
        assert!(Spec::parse(b"cmd\n").is_err() && Spec::parse(b"--\n").is_err());
        assert!(Spec::parse(b"cmd\n--\n=x help\n").is_err());
    }
}
