//! The words in dates: months, days of the week, time zones.

/// Names of the months; three letters are enough.
pub(super) const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// Names of the days, in the plural as in `2 fridays ago`; three letters are enough.
pub(super) const WEEKDAYS: [&str; 7] =
    ["Sundays", "Mondays", "Tuesdays", "Wednesdays", "Thursdays", "Fridays", "Saturdays"];

/// Zones by name, and the minutes that they are ahead of UTC; the first that matches counts.
const ZONES: [(&str, i64); 45] = [
    ("Z", 0),
    ("UT", 0),
    ("UTC", 0),
    ("GMT", 0),
    ("WET", 0),
    ("BST", 60),
    ("WAT", -60),
    ("AST", -180),
    ("ADT", -120),
    ("EST", -300),
    ("EDT", -240),
    ("CST", -360),
    ("CDT", -300),
    ("MST", -420),
    ("MDT", -360),
    ("PST", -480),
    ("PDT", -420),
    ("YST", -540),
    ("YDT", -480),
    ("HST", -600),
    ("HDT", -540),
    ("CAT", -600),
    ("NT", -660),
    ("IDLW", -720),
    ("CET", 60),
    ("MET", 60),
    ("MEWT", 60),
    ("MEST", 120),
    ("MESZ", 120),
    ("CEST", 120),
    ("FWT", 60),
    ("FST", 120),
    ("EET", 120),
    ("EEST", 180),
    ("WAST", 420),
    ("WADT", 480),
    ("CCT", 480),
    ("JST", 540),
    ("EAST", 600),
    ("EADT", 660),
    ("GST", 600),
    ("NZT", 720),
    ("NZST", 720),
    ("NZDT", 780),
    ("IDLE", 720),
];

/// The letters and digits at the start of `text`: a name must be all of them.
pub(super) fn word(text: &[u8]) -> &[u8] {
    let len = text.iter().take_while(|b| b.is_ascii_alphanumeric()).count();
    &text[..len]
}

/// The letters at the start of `text`, which are passed over when they mean nothing.
pub(super) fn letters(text: &[u8]) -> usize {
    text.iter().take_while(|b| b.is_ascii_alphabetic()).count()
}

/// Whether `word` is the start of `name`, in any case, and at least `least` letters of it.
pub(super) fn abbreviates(word: &[u8], name: &str, least: usize) -> bool {
    word.len() >= least
        && name.as_bytes().get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word))
}

/// Which of `names` the word is short for.
pub(super) fn position(word: &[u8], names: &[&str]) -> Option<i64> {
    names.iter().zip(0..).find_map(|(name, index)| abbreviates(word, name, 3).then_some(index))
}

/// The offset in minutes of a zone by name.
pub(super) fn zone_offset(word: &[u8]) -> Option<i64> {
    ZONES.iter().find_map(|(name, minutes)| abbreviates(word, name, name.len().min(3)).then_some(*minutes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_known_by_three_letters() {
        assert_eq!(position(b"sept", &MONTHS), Some(8));
        assert_eq!(position(b"ju", &MONTHS), None);
        assert_eq!(position(word(b"jan1"), &MONTHS), None);
        assert_eq!(position(b"FRIDAY", &WEEKDAYS), Some(5));
        assert_eq!(zone_offset(b"z"), Some(0));
        assert_eq!(zone_offset(b"mes"), Some(120));
        assert_eq!(zone_offset(b"e"), None);
        assert_eq!(zone_offset(b"idle"), Some(720));
        assert_eq!(zone_offset(b"idl"), Some(-720));
    }
}
