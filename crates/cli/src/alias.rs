//! Aliases: `alias.<name>` in the configuration (git-config, "alias.*").

use bstr::BString;

use crate::context::Context;
use crate::error::Error;

/// What an alias stands for; `None` when there is no alias of that name.
///
/// # Errors
/// When the configuration cannot be read, or the alias stands without a value.
pub fn find(ctx: &mut Context<'_>, name: &BString) -> Result<Option<BString>, Error> {
    let key = [b"alias.", name.to_ascii_lowercase().as_slice()].concat();
    let subsection_key = [b"alias.", name.as_slice(), b".command"].concat();
    let config = ctx.config()?;
    let Some(entry) = config.last(&key).or_else(|| config.last(&subsection_key)) else { return Ok(None) };
    match &entry.value {
        Some(value) => Ok(Some(value.clone())),
        None => Err(Error::fatal(format!("missing value for '{}'", entry.name))),
    }
}

/// Splits an alias into words as a shell would: white space separates, quotes and backslashes protect.
///
/// # Errors
/// When a quote stays open or a backslash ends the text.
pub fn split(text: &[u8]) -> Result<Vec<BString>, &'static str> {
    let mut words = Vec::new();
    let mut word: Option<Vec<u8>> = None;
    let mut quote = None;
    let mut bytes = text.iter().copied();
    while let Some(byte) = bytes.next() {
        match (byte, quote) {
            (b' ' | b'\t' | b'\n' | b'\r' | 0x0b | 0x0c, None) => {
                words.extend(word.take().map(BString::from))
            }
            (b'\'' | b'"', None) => {
                quote = Some(byte);
                word.get_or_insert_default();
            }
            (_, Some(open)) if byte == open => quote = None,
            (b'\\', None | Some(b'"')) => {
                let escaped = bytes.next().ok_or("cmdline ends with \\")?;
                word.get_or_insert_default().push(escaped);
            }
            _ => word.get_or_insert_default().push(byte),
        }
    }
    if quote.is_some() {
        return Err("unclosed quote");
    }
    words.extend(word.map(BString::from));
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_split_as_in_a_shell() {
        let words = split(br#"log  --format='%h %s' "a\"b" c\ d """#).unwrap();
        assert_eq!(words, ["log", "--format=%h %s", "a\"b", "c d", ""]);
        assert!(split(b"a 'b").is_err());
        assert!(split(b"a\\").is_err());
    }
}
