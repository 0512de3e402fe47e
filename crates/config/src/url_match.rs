//! Variables that hold for some URLs only: which of `http.<url>.*` fits an URL best (git-config, `http.<url>.*`).

use std::cmp::Ordering;

use bstr::{BStr, BString, ByteSlice};

use crate::{Config, Entry};

/// An URL in the form in which URLs are compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Url {
    /// In lower case.
    scheme: BString,
    user: Option<BString>,
    /// In lower case; `*` stands for one label in a pattern.
    host: BString,
    /// Empty when it is that of the scheme.
    port: BString,
    /// Starts with a slash; a query or a fragment is part of it.
    path: BString,
}

/// Why a text is no URL.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum UrlError {
    /// It has no scheme.
    #[error("invalid URL scheme name or missing '://' suffix")]
    Scheme,
    /// It has no host, and only files can do without.
    #[error("missing host and scheme is not 'file:'")]
    Host,
    /// A host cannot be spelt so.
    #[error("invalid characters in host name")]
    HostCharacters,
    /// It has no such port.
    #[error("invalid port number")]
    Port,
    /// A percent sign is not followed by two digits.
    #[error("invalid %XX escape sequence")]
    Escape,
    /// Its path leads above its top.
    #[error("invalid '..' path segment")]
    Parent,
}

impl Url {
    /// Reads an URL.
    ///
    /// # Errors
    /// When it is none.
    pub fn parse(text: &BStr) -> Result<Self, UrlError> {
        Self::read(text, false)
    }

    /// Reads a pattern: an URL in which labels of the host may be `*`.
    fn parse_pattern(text: &BStr) -> Result<Self, UrlError> {
        Self::read(text, true)
    }

    fn read(text: &BStr, wildcards: bool) -> Result<Self, UrlError> {
        let (scheme, rest) = text.split_once_str("://").ok_or(UrlError::Scheme)?;
        let is_scheme = scheme.first().is_some_and(u8::is_ascii_alphabetic)
            && scheme.iter().all(|b| b.is_ascii_alphanumeric() || b"+.-".contains(b));
        if !is_scheme {
            return Err(UrlError::Scheme);
        }
        let scheme: BString = scheme.to_ascii_lowercase().into();
        let (authority, path) = rest.split_at(rest.find_byteset(b"/?#").unwrap_or(rest.len()));
        let (user, place) = match authority.rsplit_once_str("@") {
            // A password is not compared.
            Some((user, place)) => (user.split_str(":").next().filter(|user| !user.is_empty()), place),
            None => (None, authority),
        };
        let user = user.map(unescape_plain).transpose()?;
        let (host, port) = split_port(place);
        if host.is_empty() && scheme != "file" {
            return Err(UrlError::Host);
        }
        let in_host =
            |b: &u8| b.is_ascii_alphanumeric() || b".-_[:]".contains(b) || (wildcards && *b == b'*');
        if !host.iter().all(in_host) {
            return Err(UrlError::HostCharacters);
        }
        let port = normal_port(&scheme, port)?;
        Ok(Url { user, host: host.to_ascii_lowercase().into(), port, path: normal_path(path)?, scheme })
    }
}

/// The port of `host:port`; the colons of an address in brackets belong to the host.
fn split_port(place: &[u8]) -> (&[u8], &[u8]) {
    let after_brackets = place.rfind_byte(b']').map_or(0, |at| at + 1);
    match place[after_brackets..].rfind_byte(b':') {
        Some(at) => (&place[..after_brackets + at], &place[after_brackets + at + 1..]),
        None => (place, b""),
    }
}

fn normal_port(scheme: &[u8], port: &[u8]) -> Result<BString, UrlError> {
    if port.is_empty() {
        return Ok(BString::default());
    }
    let all_digits = port.iter().all(u8::is_ascii_digit);
    let number: Option<u16> = port.to_str().ok().filter(|_| all_digits).and_then(|text| text.parse().ok());
    let number = number.filter(|number| *number > 0).ok_or(UrlError::Port)?;
    let usual = matches!((scheme, number), (b"http", 80) | (b"https", 443) | (b"ssh", 22) | (b"git", 9418));
    Ok(if usual { BString::default() } else { number.to_string().into() })
}

/// Escapes that need not be are undone, and the others written in capitals.
fn unescape_plain(text: &[u8]) -> Result<BString, UrlError> {
    let mut plain = BString::default();
    let mut rest = text;
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        if byte != b'%' {
            plain.push(byte);
            continue;
        }
        let digit = |at: usize| after.get(at).and_then(|b| char::from(*b).to_digit(16));
        let (Some(high), Some(low)) = (digit(0), digit(1)) else { return Err(UrlError::Escape) };
        let code = (high * 16 + low) as u8;
        if code.is_ascii_alphanumeric() || b"-._~".contains(&code) {
            plain.push(code);
        } else {
            plain.extend_from_slice(format!("%{code:02X}").as_bytes());
        }
        rest = &after[2..];
    }
    Ok(plain)
}

fn normal_path(path: &[u8]) -> Result<BString, UrlError> {
    let (path, tail) = path.split_at(path.find_byteset(b"?#").unwrap_or(path.len()));
    let mut normal: Vec<u8> = vec![b'/'];
    let mut segments = path.strip_prefix(b"/").unwrap_or(path).split_str("/").peekable();
    while let Some(segment) = segments.next() {
        let segment = unescape_plain(segment)?;
        let last = segments.peek().is_none();
        match segment.as_bytes() {
            b"." => {}
            b".." => {
                if normal.len() == 1 {
                    return Err(UrlError::Parent);
                }
                normal.pop();
                normal.truncate(normal.rfind_byte(b'/').map_or(1, |at| at + 1));
            }
            _ => {
                normal.extend_from_slice(&segment);
                if !last {
                    normal.push(b'/');
                }
            }
        }
    }
    normal.extend_from_slice(&unescape_plain(tail)?);
    Ok(normal.into())
}

/// How well a pattern fits: the longer the host and then the path it names, the better; then one that names the user.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Fit {
    host: usize,
    path: usize,
    user: bool,
}

/// How well `pattern` fits `url`; `None` when it does not.
fn fit(pattern: &Url, url: &Url) -> Option<Fit> {
    if pattern.scheme != url.scheme || pattern.port != url.port {
        return None;
    }
    let user = pattern.user.is_some();
    if user && pattern.user != url.user {
        return None;
    }
    let (mut labels, mut wanted) = (url.host.split_str("."), pattern.host.split_str("."));
    loop {
        match (wanted.next(), labels.next()) {
            (None, None) => break,
            (Some(b"*"), Some(label)) if !label.is_empty() => {}
            (Some(wanted), Some(label)) if wanted == label => {}
            _ => return None,
        }
    }
    let path = pattern.path.strip_suffix(b"/").unwrap_or(&pattern.path);
    let rest = url.path.strip_prefix(path)?;
    let at_boundary = rest.is_empty() || rest.starts_with(b"/");
    // A star names less of a host than a label does.
    let host = pattern.host.iter().filter(|b| **b != b'*').count();
    at_boundary.then_some(Fit { host, path: path.len(), user })
}

impl Config {
    /// For each key of `section`, or for `key` alone, the value that fits `url` best: those of `section.<url>.key`, else
    /// that of `section.key`. In order of their canonical names `section.key`.
    pub fn url_matches(&self, section: &[u8], key: Option<&[u8]>, url: &Url) -> Vec<(BString, &Entry)> {
        let mut best: Vec<(BString, Fit, &Entry)> = Vec::new();
        for entry in self.entries() {
            let rest = entry.name.strip_prefix(section).and_then(|rest| rest.strip_prefix(b"."));
            let Some(rest) = rest else { continue };
            let (pattern, found_key) = match rest.rsplit_once_str(".") {
                Some((pattern, key)) => (Some(pattern), key),
                None => (None, rest),
            };
            if key.is_some_and(|key| key != found_key) {
                continue;
            }
            let fit = match pattern.map(|pattern| Url::parse_pattern(pattern.as_bstr())) {
                None => Some(Fit { host: 0, path: 0, user: false }),
                Some(Ok(pattern)) => fit(&pattern, url),
                Some(Err(_)) => None,
            };
            let Some(fit) = fit else { continue };
            let name: BString = [section, b".", found_key].concat().into();
            match best.iter_mut().find(|(known, ..)| *known == name) {
                // Of two that fit as well, the later one wins.
                Some((_, known, winner)) if fit.cmp(known) != Ordering::Less => {
                    (*known, *winner) = (fit, entry)
                }
                Some(_) => {}
                None => best.push((name, fit, entry)),
            }
        }
        best.sort_by(|a, b| a.0.cmp(&b.0));
        best.into_iter().map(|(name, _, entry)| (name, entry)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Origin, Scope};

    /// The pattern that fits best of those given; `base` for none.
    fn best(url: &str, patterns: &[&str]) -> Result<String, UrlError> {
        let mut text = "[h]\nk=base\n".to_owned();
        for pattern in patterns {
            text.push_str(&format!("[h \"{pattern}\"]\nk={pattern}\n"));
        }
        let mut config = Config::default();
        config.add_bytes(text.as_bytes(), Origin::StandardInput, Scope::Local).unwrap();
        let matches = config.url_matches(b"h", Some(b"k"), &Url::parse(url.into())?);
        Ok(matches[0].1.value.clone().unwrap().to_string())
    }

    #[test]
    fn the_best_pattern_wins() {
        for (url, patterns, expected) in [
            (
                "https://e.com/foo",
                &["https://e.com", "https://e.com/foo", "https://e.com/fo", "https://u@e.com"][..],
                1,
            ),
            ("https://u@e.com/foo", &["https://e.com/foo", "https://u@e.com"], 0),
            ("https://u@e.com/foo", &["https://u@e.com/foo", "https://e.com/foo/"], 0),
            ("https://a.b.e.com/", &["https://*.e.com", "https://*.*.e.com", "https://a.*.e.com"], 2),
            ("https://e.com:443/foo", &["https://e.com", "https://e.com:443/f"], 0),
            ("HTTPS://E.com/FOO", &["https://e.com/foo", "https://e.com/FOO"], 1),
            ("https://e.com/a%2fb/%7euser", &["https://e.com/a%2Fb/~user"], 0),
            ("https://e.com/a/../b/./c", &["https://e.com/b/c"], 0),
            ("file:///foo/bar", &["file:///foo", "file://"], 0),
            ("https://user:pass@e.com/", &["https://user@e.com", "https://user:x@e.com"], 1),
            ("https://[::1]/x", &["https://[::1]"], 0),
        ] {
            assert_eq!(best(url, patterns).unwrap(), patterns[expected], "{url}");
        }
        assert_eq!(best("http://e.com:8080/", &["http://e.com"]).unwrap(), "base");
        assert_eq!(best("https://e.com/x#frag", &["https://e.com/x"]).unwrap(), "base");
    }

    #[test]
    fn what_is_no_url() {
        for (url, error) in [
            ("e.com", UrlError::Scheme),
            ("1h://x", UrlError::Scheme),
            ("https://", UrlError::Host),
            ("https:///x", UrlError::Host),
            ("https://e.com:99999/", UrlError::Port),
            ("https://e.com:0/", UrlError::Port),
            ("https://e m.com/", UrlError::HostCharacters),
            ("https://*.com/", UrlError::HostCharacters),
            ("https://e.com/%zz", UrlError::Escape),
            ("https://e.com/a/../../b", UrlError::Parent),
        ] {
            assert_eq!(Url::parse(url.into()), Err(error), "{url}");
        }
    }
}
