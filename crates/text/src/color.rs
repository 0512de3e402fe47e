//! Colour settings: `bold red blue`, `#ff8800`, `no-reverse` and the escape sequences they stand for.
//!
//! The values are described under "color" in the "Values" section of git-config.

use std::fmt::Write;

/// The escape sequence that ends all colours and attributes.
pub const RESET: &str = "\x1b[m";

/// A value that names no colour.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("invalid color value: {0}")]
pub struct InvalidColor(pub String);

/// The escape sequence for a colour setting; empty when it changes nothing (`normal`, or an empty value).
pub fn parse(value: &str) -> Result<String, InvalidColor> {
    Setting::parse(value).map(|setting| setting.escape()).ok_or_else(|| InvalidColor(value.to_owned()))
}

/// `color.ui` and its kin: when to colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum When {
    /// Never.
    Never,
    /// Always.
    Always,
    /// When the output goes to a terminal that can.
    #[default]
    Auto,
}

impl When {
    /// Reads `never`, `always` or `auto`, in any case; other values are booleans, which the caller reads.
    pub fn parse(value: &str) -> Option<Self> {
        [("never", When::Never), ("always", When::Always), ("auto", When::Auto)]
            .into_iter()
            .find_map(|(name, when)| value.eq_ignore_ascii_case(name).then_some(when))
    }
}

#[derive(Default)]
struct Setting {
    reset: bool,
    /// A bit for each code of an attribute.
    attributes: u32,
    foreground: Option<Colour>,
    background: Option<Colour>,
}

#[derive(Clone, Copy)]
enum Colour {
    Normal,
    Default,
    /// One of the eight basic colours.
    Basic(u8),
    Bright(u8),
    Indexed(u8),
    Rgb(u8, u8, u8),
}

impl Setting {
    fn parse(value: &str) -> Option<Self> {
        let mut setting = Setting::default();
        for word in value.split([' ', '\t', '\n', '\r']).filter(|word| !word.is_empty()) {
            if word.eq_ignore_ascii_case("reset") {
                setting.reset = true;
            } else if let Some(colour) = Colour::parse(word) {
                match (&mut setting.foreground, &mut setting.background) {
                    (slot @ None, _) | (_, slot @ None) => *slot = Some(colour),
                    _ => return None,
                }
            } else {
                setting.attributes |= 1 << attribute_code(word)?;
            }
        }
        Some(setting)
    }

    fn escape(&self) -> String {
        let mut codes: Vec<String> = Vec::new();
        if self.reset {
            codes.push(String::new());
        }
        codes.extend((0..32).filter(|code| self.attributes & (1 << code) != 0).map(|code| code.to_string()));
        codes.extend(self.foreground.and_then(|colour| colour.code(0)));
        codes.extend(self.background.and_then(|colour| colour.code(10)));
        if codes.is_empty() { String::new() } else { format!("\x1b[{}m", codes.join(";")) }
    }
}

impl Colour {
    fn parse(word: &str) -> Option<Self> {
        let lower = word.to_ascii_lowercase();
        match lower.as_str() {
            "normal" => return Some(Colour::Normal),
            "default" => return Some(Colour::Default),
            _ => {}
        }
        if let Some(hex) = lower.strip_prefix('#') {
            return parse_rgb(hex);
        }
        if let Some(basic) = lower.strip_prefix("bright").and_then(basic_index) {
            return Some(Colour::Bright(basic));
        }
        if let Some(basic) = basic_index(&lower) {
            return Some(Colour::Basic(basic));
        }
        match lower.parse::<i64>().ok()? {
            -1 => Some(Colour::Normal),
            n @ 0..=7 => Some(Colour::Basic(n as u8)),
            n @ 8..=15 => Some(Colour::Bright(n as u8 - 8)),
            n @ 16..=255 => Some(Colour::Indexed(n as u8)),
            _ => None,
        }
    }

    /// The codes that select this colour; `shift` is 10 for a background.
    fn code(self, shift: u8) -> Option<String> {
        let mut code = String::new();
        // Writing into a string does not fail.
        let _ = match self {
            Colour::Normal => return None,
            Colour::Default => write!(code, "{}", 39 + shift),
            Colour::Basic(n) => write!(code, "{}", 30 + n + shift),
            Colour::Bright(n) => write!(code, "{}", 90 + n + shift),
            Colour::Indexed(n) => write!(code, "{};5;{n}", 38 + shift),
            Colour::Rgb(r, g, b) => write!(code, "{};2;{r};{g};{b}", 38 + shift),
        };
        Some(code)
    }
}

fn basic_index(name: &str) -> Option<u8> {
    const NAMES: [&str; 8] = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"];
    NAMES.iter().zip(0..).find_map(|(n, index)| (*n == name).then_some(index))
}

/// Reads the digits of `#rrggbb` or `#rgb`.
fn parse_rgb(hex: &str) -> Option<Colour> {
    let digits: Vec<u8> =
        hex.chars().map(|c| c.to_digit(16).map(|d| d as u8)).collect::<Option<Vec<u8>>>()?;
    match digits[..] {
        [r, g, b] => Some(Colour::Rgb(r * 17, g * 17, b * 17)),
        [r, s, g, h, b, c] => Some(Colour::Rgb(r * 16 + s, g * 16 + h, b * 16 + c)),
        _ => None,
    }
}

/// The code that switches an attribute on, or off with `no` or `no-` before it.
fn attribute_code(word: &str) -> Option<u32> {
    let (off, name) = match word.strip_prefix("no") {
        Some(rest) => (true, rest.strip_prefix('-').unwrap_or(rest)),
        None => (false, word),
    };
    let (on_code, off_code) = match name {
        "bold" => (1, 22),
        "dim" => (2, 22),
        "italic" => (3, 23),
        "ul" => (4, 24),
        "blink" => (5, 25),
        "reverse" => (7, 27),
        "strike" => (9, 29),
        _ => return None,
    };
    Some(if off { off_code } else { on_code })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_and_their_escapes() {
        for (value, codes) in [
            ("red", "31"),
            ("bold red blue", "1;31;44"),
            ("no-bold", "22"),
            ("default default", "39;49"),
            ("normal red", "41"),
            ("brightred brightblue", "91;104"),
            ("#ff0ab3", "38;2;255;10;179"),
            ("#f1b", "38;2;255;17;187"),
            ("12", "94"),
            ("200 3", "38;5;200;43"),
            ("green reset bold", ";1;32"),
            ("no-reverse strike blink reverse", "5;7;9;27"),
            ("RED", "31"),
            ("-1 255", "48;5;255"),
        ] {
            assert_eq!(parse(value), Ok(format!("\x1b[{codes}m")), "{value}");
        }
        assert_eq!(parse("reset"), Ok(RESET.to_owned()));
        assert_eq!(parse(" normal "), Ok(String::new()));
        assert_eq!(parse(""), Ok(String::new()));
    }

    #[test]
    fn bad_settings() {
        for value in ["256", "red blue green", "Bold", "#12345", "brightdefault", "0x10", "no-no-bold", "-2"]
        {
            assert_eq!(parse(value), Err(InvalidColor(value.to_owned())));
        }
    }
}
