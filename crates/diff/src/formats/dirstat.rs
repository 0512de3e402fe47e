//! `--dirstat`: the share of the changes that lies in each folder.

use bstr::{BStr, BString, ByteSlice};

use crate::formats::Names;

/// What is counted for a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Damage {
    /// Bytes that were removed or added, wherever they stand.
    #[default]
    Changes,
    /// Changed lines.
    Lines,
    /// One for every file.
    Files,
}

/// The parameters of `--dirstat`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DirstatOptions {
    /// What is counted.
    pub damage: Damage,
    /// Count what is in a folder for the folders above it too.
    pub cumulative: bool,
    /// Folders below this share, in thousandths, are not shown.
    pub permille: u32,
}

impl Default for DirstatOptions {
    fn default() -> Self {
        DirstatOptions { damage: Damage::Changes, cumulative: false, permille: 30 }
    }
}

impl DirstatOptions {
    /// Applies comma-separated parameters. Those that are not understood come back, each as git complains of it; the
    /// others count.
    pub fn apply(&mut self, parameters: &[u8]) -> Vec<String> {
        let mut complaints = Vec::new();
        for parameter in parameters.split_str(",").filter(|_| !parameters.is_empty()) {
            match parameter {
                b"changes" => self.damage = Damage::Changes,
                b"lines" => self.damage = Damage::Lines,
                b"files" => self.damage = Damage::Files,
                b"noncumulative" => self.cumulative = false,
                b"cumulative" => self.cumulative = true,
                _ if parameter.first().is_some_and(u8::is_ascii_digit) => match permille(parameter) {
                    Some(permille) => self.permille = permille,
                    None => complaints.push(format!(
                        "  Failed to parse dirstat cut-off percentage '{}'\n",
                        parameter.as_bstr()
                    )),
                },
                _ => complaints.push(format!("  Unknown dirstat parameter '{}'\n", parameter.as_bstr())),
            }
        }
        complaints
    }
}

/// Reads a percentage with at most one decimal that counts.
fn permille(text: &[u8]) -> Option<u32> {
    let (whole, decimals) = text.split_once_str(".").map_or((text, None), |(a, b)| (a, Some(b)));
    let whole: u32 = whole.to_str().ok()?.parse().ok()?;
    let tenths = match decimals {
        None => 0,
        Some(decimals) if decimals.iter().all(u8::is_ascii_digit) => {
            decimals.first().map(|digit| u32::from(digit - b'0'))?
        }
        Some(_) => return None,
    };
    whole.checked_mul(10)?.checked_add(tenths)
}

/// A file and how much was done to it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct FileDamage {
    /// The path that is shown.
    pub path: BString,
    /// How much.
    pub damage: u64,
}

/// Appends one line for each folder that has its share.
pub fn dirstat(mut files: Vec<FileDamage>, options: &DirstatOptions, names: &Names, out: &mut Vec<u8>) {
    let total: u64 = files.iter().map(|file| file.damage).sum();
    if total == 0 {
        return;
    }
    files.sort();
    // The folders around the current file, innermost last; the first is the top, which is not shown.
    let mut open = vec![Folder::default()];
    for file in &files {
        let path = names.shown(file.path.as_bstr());
        while open.last().is_some_and(|folder| !path.starts_with(&folder.path)) {
            close(&mut open, total, options, out);
        }
        let mut at = open.last().map_or(0, |folder| folder.path.len());
        while let Some(slash) = path[at..].find_byte(b'/') {
            at += slash + 1;
            open.push(Folder { path: path[..at].into(), ..Folder::default() });
        }
        if let Some(folder) = open.last_mut() {
            folder.damage += file.damage;
            folder.sources += 2;
        }
    }
    while open.len() > 1 {
        close(&mut open, total, options, out);
    }
}

#[derive(Default)]
struct Folder {
    path: BString,
    damage: u64,
    /// A file counts two and a folder one: a folder that holds one folder only is not shown.
    sources: u32,
}

/// Shows the innermost folder if it has its share, and adds it to the one around it.
fn close(open: &mut Vec<Folder>, total: u64, options: &DirstatOptions, out: &mut Vec<u8>) {
    let Some(folder) = open.pop() else { return };
    let mut damage = folder.damage;
    if folder.sources != 1 && damage > 0 {
        let permille = (u128::from(damage) * 1000 / u128::from(total)) as u32;
        if permille >= options.permille {
            line(permille, folder.path.as_bstr(), out);
            if !options.cumulative {
                damage = 0;
            }
        }
    }
    if let Some(outer) = open.last_mut() {
        outer.damage += damage;
        outer.sources += 1;
    }
}

fn line(permille: u32, path: &BStr, out: &mut Vec<u8>) {
    out.extend_from_slice(format!("{:4}.{}% ", permille / 10, permille % 10).as_bytes());
    out.extend_from_slice(path);
    out.push(b'\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(files: &[(&str, u64)], options: &DirstatOptions) -> String {
        let files = files.iter().map(|&(path, damage)| FileDamage { path: path.into(), damage }).collect();
        let mut out = Vec::new();
        dirstat(files, options, &Names::default(), &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn folders_have_their_share() {
        let files = [("a/b/x", 1), ("a/c", 1), ("d/e/f", 2), ("top", 4)];
        let options = DirstatOptions::default();
        assert_eq!(lines(&files, &options), "  12.5% a/b/\n  12.5% a/\n  25.0% d/e/\n");
        let cumulative = DirstatOptions { cumulative: true, ..options };
        assert_eq!(lines(&files, &cumulative), "  12.5% a/b/\n  25.0% a/\n  25.0% d/e/\n");
        let cut = DirstatOptions { permille: 200, ..options };
        assert_eq!(lines(&files, &cut), "  25.0% a/\n  25.0% d/e/\n");
        assert_eq!(lines(&[("a/b", 0)], &options), "");
    }

    #[test]
    fn parameters_are_read_and_complained_of() {
        let mut options = DirstatOptions::default();
        assert!(options.apply(b"files,10.5,cumulative").is_empty());
        let expected = DirstatOptions { damage: Damage::Files, cumulative: true, permille: 105 };
        assert_eq!(options, expected);
        assert_eq!(options.apply(b"foo,1x").len(), 2);
    }
}
