//! The lines that start functions, classes, sections, ... in the languages that git knows.
//!
//! Each function here gets a line without its newline, and returns what a hunk header shows of it.

use super::scan::{Scan, is_blank, is_name, is_name_start, is_white};

/// Tells what is shown of a line that starts a function.
pub(super) type Language = fn(&[u8]) -> Option<&[u8]>;

/// The driver of each name.
pub(super) const ALL: &[(&str, Language)] = &[
    ("ada", ada),
    ("bash", bash),
    ("bibtex", bibtex),
    ("cpp", cpp),
    ("csharp", csharp),
    ("css", css),
    ("dts", dts),
    ("elixir", elixir),
    ("fortran", fortran),
    ("fountain", fountain),
    ("golang", golang),
    ("html", html),
    ("ini", ini),
    ("java", java),
    ("kotlin", kotlin),
    ("markdown", markdown),
    ("matlab", matlab),
    ("objc", objc),
    ("pascal", pascal),
    ("perl", perl),
    ("php", php),
    ("python", python),
    ("r", r),
    ("ruby", ruby),
    ("rust", rust),
    ("scheme", scheme),
    ("tex", tex),
];

/// Whether `line` holds these words one after the other, with blanks between them and around them.
fn has_words(line: &[u8], words: &[&str]) -> bool {
    (0..line.len()).filter(|&at| at == 0 || is_blank(line[at - 1])).any(|at| {
        let mut scan = Scan(&line[at..]);
        words.iter().enumerate().all(|(i, word)| (i == 0 || scan.blanks()) && scan.text(word))
            && (scan.0.is_empty() || scan.at(is_blank))
    })
}

fn ada(line: &[u8]) -> Option<&[u8]> {
    let lower = line.to_ascii_lowercase();
    let exceptions: [&[&str]; 3] = [&["is", "new"], &["renames"], &["is", "separate"]];
    let start = Scan::unindented(&lower);
    if exceptions.iter().any(|words| has_words(&lower, words)) || start.any_of(&["with"], is_blank) {
        return None;
    }
    let keywords = ["procedure", "function", "package", "protected", "task"];
    start.any_of(&keywords, is_blank).then(|| Scan::unindented(line).0)
}

fn bash(line: &[u8]) -> Option<&[u8]> {
    let start = Scan::unindented(line);
    let parentheses = |scan: &mut Scan<'_>| {
        scan.blanks();
        let open = scan.text("(");
        scan.blanks();
        open && scan.text(")")
    };
    let mut scan = start;
    if scan.name() && parentheses(&mut scan) {
        return Some(start.0);
    }
    let mut scan = start;
    if !(scan.text("function") && scan.blanks() && scan.name()) {
        return None;
    }
    (scan.at(is_blank) || parentheses(&mut scan)).then_some(start.0)
}

fn bibtex(line: &[u8]) -> Option<&[u8]> {
    let at = (0..line.len())
        .find(|&at| line[at] == b'@' && line.get(at + 1).is_some_and(u8::is_ascii_alphabetic))?;
    let mut scan = Scan(&line[at + 1..]);
    scan.skip(|b| b.is_ascii_alphabetic());
    scan.blanks();
    scan.text("{");
    scan.blanks();
    scan.skip(|b| !b" \t\"@',\\#}{~%".contains(&b));
    Some(&line[at..line.len() - scan.0.len()])
}

fn cpp(line: &[u8]) -> Option<&[u8]> {
    let mut label = Scan::unindented(line);
    if label.name() && label.text(":") {
        label.skip(is_white);
        if label.0.is_empty() || label.0.starts_with(b"//") || label.0.starts_with(b"/*") {
            return None;
        }
    }
    let mut scan = Scan(line);
    if scan.text("::") {
        scan.skip(is_white);
    }
    scan.at(is_name_start).then_some(line)
}

fn csharp(line: &[u8]) -> Option<&[u8]> {
    let statements = [
        "do", "while", "for", "foreach", "if", "else", "new", "default", "return", "switch", "case", "throw",
        "catch", "using", "lock", "fixed",
    ];
    let is_statement = |at: usize| {
        (at == 0 || is_blank(line[at - 1]))
            && statements.iter().any(|word| {
                let rest = line[at..].strip_prefix(word.as_bytes());
                rest.is_some_and(|rest| rest.first().is_none_or(|&b| is_blank(b) || b == b'('))
            })
    };
    if (0..line.len()).any(is_statement) {
        return None;
    }
    let start = Scan::unindented(line);
    let modifiers =
        ["public", "protected", "private", "internal", "static", "unsafe", "sealed", "abstract", "partial"];
    let mut scan = start;
    while scan.any_of(&modifiers, is_blank) {
        scan.skip(is_name);
        scan.blanks();
    }
    let kinds = ["class", "enum", "interface", "struct", "record"];
    if scan.any_of(&kinds, is_blank) || start.any_of(&["namespace"], is_blank) {
        return Some(start.0);
    }
    // A type, a name, and no sign of a statement.
    let is_type = |b: u8| is_name(b) || b"@.[]".contains(&b);
    let is_argument = |b: u8| is_name(b) || b"@[],<> \t".contains(&b);
    let found = scan_types(start, is_type, is_argument, |mut scan| {
        if !scan.at(is_type) {
            return false;
        }
        if !scan.0.iter().any(|b| b";=:,()".contains(b)) {
            return true;
        }
        // A method: the name may have type arguments too.
        scan.skip(is_type);
        let opens = |mut rest: Scan<'_>| {
            rest.blanks();
            rest.text("(") && !rest.contains(b';')
        };
        opens(scan) || type_arguments(scan, is_argument).any(opens)
    });
    found.then_some(start.0)
}

/// No declaration has more words before its name.
const MOST_WORDS: usize = 64;

/// Reads types, each with blanks after it, in every way that type arguments can be read; tells whether `found` is true
/// after any of them.
fn scan_types<'l>(
    start: Scan<'l>,
    is_type: impl Fn(u8) -> bool,
    is_argument: impl Fn(u8) -> bool + Copy,
    found: impl Fn(Scan<'l>) -> bool,
) -> bool {
    // Places where a type may start; the first has none before it.
    let mut places = vec![start];
    let mut next = 0;
    while let Some(&place) = places.get(next) {
        if next > 0 && found(place) {
            return true;
        }
        next += 1;
        let mut scan = place;
        if next > MOST_WORDS || scan.skip(&is_type) == 0 {
            continue;
        }
        for mut end in std::iter::once(scan).chain(type_arguments(scan, is_argument)) {
            let is_new = |place: &Scan<'_>| places.iter().all(|known| known.0.len() != place.0.len());
            if end.blanks() && is_new(&end) && places.len() <= MOST_WORDS {
                places.push(end);
            }
        }
    }
    false
}

/// Where a list of type arguments may end that starts here.
fn type_arguments<'l>(
    start: Scan<'l>,
    is_argument: impl Fn(u8) -> bool + Copy,
) -> impl Iterator<Item = Scan<'l>> {
    let mut scan = start;
    let reach = if scan.text("<") { scan.0.iter().take_while(|&&b| is_argument(b)).count() } else { 0 };
    memchr::memchr_iter(b'>', &scan.0[..reach]).map(move |at| Scan(&scan.0[at + 1..]))
}

fn css(line: &[u8]) -> Option<&[u8]> {
    let last = line.iter().rfind(|&&b| !is_white(b));
    if matches!(last, Some(b':' | b';')) {
        return None;
    }
    let mut scan = Scan(line);
    if scan.at(|b| b":[@.#".contains(&b)) {
        scan.0 = &scan.0[1..];
    }
    scan.at(is_name).then_some(line)
}

fn dts(line: &[u8]) -> Option<&[u8]> {
    let start = Scan::unindented(line);
    if start.contains(b';') || start.contains(b'=') {
        return None;
    }
    let mut scan = start;
    if scan.text("/") {
        scan.blanks();
        return scan.text("{").then_some(start.0);
    }
    scan.text("&");
    scan.at(is_name_start).then_some(start.0)
}

fn elixir(line: &[u8]) -> Option<&[u8]> {
    let start = Scan::unindented(line);
    let keywords = ["def", "defmacro", "defmodule", "defimpl", "defprotocol", "defp", "test"];
    start.any_of(&keywords, is_blank).then_some(start.0)
}

fn fortran(line: &[u8]) -> Option<&[u8]> {
    let start = Scan::unindented(line);
    let lower = start.0.to_ascii_lowercase();
    if line.first().is_some_and(|b| b"Cc*".contains(b)) || start.at(|b| b == b'!') {
        return None;
    }
    let names_something = |mut scan: Scan<'_>| scan.blanks() && scan.at(|b| b.is_ascii_alphabetic());
    let after = |mut scan: Scan<'_>, words: &[&str]| {
        let all = words.iter().enumerate().all(|(i, word)| (i == 0 || scan.blanks()) && scan.text(word));
        all && names_something(scan)
    };
    let mut scan = Scan(&lower);
    let mut procedure = scan;
    if procedure.text("module") && procedure.blanks() && procedure.text("procedure") && procedure.at(is_blank)
    {
        return None;
    }
    if scan.any_of(&["end"], is_blank) {
        let mut unit = scan;
        unit.text("end");
        unit.blanks();
        if [&["program"][..], &["module"], &["block", "data"]].iter().any(|words| after(unit, words)) {
            return Some(start.0);
        }
    }
    if [&["program"][..], &["module"], &["block", "data"]].iter().any(|words| after(scan, words)) {
        return Some(start.0);
    }
    let is_prefix = |b: u8| !b"!'\" \t".contains(&b);
    let found =
        scan.after_words(is_prefix, |scan| after(scan, &["subroutine"]) || after(scan, &["function"]));
    found.then_some(start.0)
}

fn fountain(line: &[u8]) -> Option<&[u8]> {
    if line.first() == Some(&b'.') {
        return line.get(1).is_some_and(|&b| b != b'.').then_some(line);
    }
    let lower = line.to_ascii_lowercase();
    let places = ["int", "ext", "est", "int./ext", "int/ext", "i/e"];
    Scan(&lower).any_of(&places, |b| b". ".contains(&b)).then_some(line)
}

fn golang(line: &[u8]) -> Option<&[u8]> {
    let start = Scan::unindented(line);
    if start.0.starts_with(b"func") {
        return Some(start.0);
    }
    if !start.any_of(&["type"], is_blank) {
        return None;
    }
    // The name ends with the last of these words, and a brace right after it.
    let ends =
        |word: &str| memchr::memmem::rfind(&start.0[5..], word.as_bytes()).map(|at| 5 + at + word.len());
    let end = ends("struct").max(ends("interface"))?;
    let mut scan = Scan(&start.0[end..]);
    scan.blanks();
    if scan.text("{") {
        scan.blanks();
    }
    Some(&start.0[..start.0.len() - scan.0.len()])
}

fn html(line: &[u8]) -> Option<&[u8]> {
    let start = Scan::unindented(line);
    let mut scan = start;
    if !(scan.text("<h") || scan.text("<H")) || scan.skip(|b| (b'1'..=b'6').contains(&b)) != 1 {
        return None;
    }
    (scan.at(|b| b == b'>') || (scan.blanks() && scan.contains(b'>'))).then_some(start.0)
}

fn ini(line: &[u8]) -> Option<&[u8]> {
    let mut scan = Scan::unindented(line);
    if !scan.text("[") || scan.skip(|b| b != b']') == 0 || !scan.text("]") {
        return None;
    }
    Some(&line[..line.len() - scan.0.len()])
}

fn java(line: &[u8]) -> Option<&[u8]> {
    let start = Scan::unindented(line);
    let statements = ["catch", "do", "for", "if", "instanceof", "new", "return", "switch", "throw", "while"];
    if statements.iter().any(|word| start.0.starts_with(word.as_bytes())) {
        return None;
    }
    let kinds = ["class", "enum", "interface", "record"];
    let mut scan = start;
    if scan.after_words(|b| b.is_ascii_lowercase() || b == b'-', |scan| scan.any_of(&kinds, is_blank)) {
        return Some(start.0);
    }
    // A method: types, a name, a parenthesis, and no semicolon.
    let is_type = |b: u8| is_name(b) || b"[]?&<>.,".contains(&b);
    let mut scan = start;
    loop {
        if !scan.at(|b| is_name_start(b) || b"&<>".contains(&b)) || scan.skip(is_type) == 0 || !scan.blanks()
        {
            return None;
        }
        let mut name = scan;
        if name.name() {
            name.blanks();
            if name.text("(") && !name.contains(b';') {
                return Some(start.0);
            }
        }
    }
}

fn kotlin(line: &[u8]) -> Option<&[u8]> {
    let start = Scan::unindented(line);
    let keywords = ["fun", "class", "interface"];
    let mut scan = start;
    scan.after_words(|b| b.is_ascii_lowercase(), |scan| scan.any_of(&keywords, is_blank)).then_some(start.0)
}

fn markdown(line: &[u8]) -> Option<&[u8]> {
    let mut scan = Scan(line);
    let indent = scan.skip(|b| b == b' ');
    let level = scan.skip(|b| b == b'#');
    (indent < 4 && (1..7).contains(&level) && scan.blanks()).then_some(line)
}

fn matlab(line: &[u8]) -> Option<&[u8]> {
    let mut scan = Scan(line);
    scan.skip(is_white);
    if scan.any_of(&["classdef", "function"], is_white) {
        return Some(scan.0);
    }
    Scan(line).any_of(&["%%", "%%%", "##"], is_white).then_some(line)
}

fn objc(line: &[u8]) -> Option<&[u8]> {
    let start = Scan::unindented(line);
    let statements = ["do", "for", "if", "else", "return", "switch", "while"];
    if statements.iter().any(|word| start.0.starts_with(word.as_bytes())) {
        return None;
    }
    if Scan(line).any_of(&["@implementation", "@interface", "@protocol"], is_blank) {
        return Some(line);
    }
    let mut method = start;
    if method.skip(|b| b == b'-' || b == b'+') == 1 {
        method.blanks();
        let open = method.text("(");
        method.blanks();
        let typed = open && method.at(is_name_start);
        method.skip(|b| is_name(b) || b"* \t".contains(&b));
        let closed = typed && method.text(")");
        method.blanks();
        return (closed && method.at(is_name_start)).then_some(start.0);
    }
    // A C function: two words or more, then an opening parenthesis, and no semicolon.
    let mut scan = start;
    let mut words = 0;
    while scan.name() {
        words += 1;
        if !scan.blanks() {
            break;
        }
    }
    (words > 1 && scan.text("(") && !scan.contains(b';')).then_some(start.0)
}

fn pascal(line: &[u8]) -> Option<&[u8]> {
    let mut scan = Scan(line);
    if scan.any_of(&["class"], is_blank) {
        scan.text("class");
        scan.blanks();
    }
    let routines = ["procedure", "function"];
    let others =
        ["constructor", "destructor", "interface", "implementation", "initialization", "finalization"];
    if routines.iter().any(|word| scan.0.starts_with(word.as_bytes()))
        || others.iter().any(|word| line.starts_with(word.as_bytes()))
    {
        return Some(line);
    }
    let declares = |at: usize| {
        let mut scan = Scan(&line[at + 1..]);
        scan.blanks();
        scan.0.starts_with(b"class") || scan.0.starts_with(b"record")
    };
    memchr::memchr_iter(b'=', line).any(declares).then_some(line)
}

fn perl(line: &[u8]) -> Option<&[u8]> {
    let mut scan = Scan(line);
    if scan.text("package ") {
        return Some(line);
    }
    if scan.text("=head") {
        return (scan.skip(|b| b.is_ascii_digit()) == 1 && scan.text(" ")).then_some(line);
    }
    if scan.text("sub ") {
        return perl_sub(line, scan);
    }
    let blocks = ["BEGIN", "END", "INIT", "CHECK", "UNITCHECK", "AUTOLOAD", "DESTROY"];
    blocks.iter().find_map(|block| {
        let rest = line.strip_prefix(block.as_bytes())?;
        perl_block_opens(Scan(rest)).then(|| &line[..block.len()])
    })
}

/// What is shown of a line that goes on with `scan` after `sub`: its prototype, if it has one.
fn perl_sub<'l>(line: &'l [u8], mut scan: Scan<'l>) -> Option<&'l [u8]> {
    let name = scan;
    let length = scan.skip(|b| is_name(b) || b"':".contains(&b));
    if length == 0 {
        return None;
    }
    let mut shown = line;
    let after_name = scan;
    scan.blanks();
    let mut is_whole = true;
    let start = scan;
    if scan.text("(") {
        scan.skip(|b| b != b')');
        is_whole = scan.text(")");
        shown = &start.0[..start.0.len() - scan.0.len()];
        scan.blanks();
    }
    if is_whole && perl_attributes_end(scan) {
        return Some(shown);
    }
    // The colon of attributes may touch the name.
    let colon = name.0[..length].iter().skip(1).position(|&b| b == b':');
    let attributes = colon.map_or(after_name, |at| Scan(&name.0[at + 1..]));
    perl_attributes_end(attributes).then_some(line)
}

fn perl_attributes_end(mut scan: Scan<'_>) -> bool {
    if scan.text(":") {
        scan.skip(|b| !b";#".contains(&b));
    }
    perl_block_opens(scan)
}

fn perl_block_opens(mut scan: Scan<'_>) -> bool {
    scan.blanks();
    if scan.text("{") {
        scan.blanks();
    }
    scan.0.is_empty() || scan.at(|b| b == b'#')
}

fn php(line: &[u8]) -> Option<&[u8]> {
    let start = Scan::unindented(line);
    let modifiers = ["public", "protected", "private", "static", "abstract", "final"];
    let mut scan = start;
    while scan.any_of(&modifiers, is_blank) {
        scan.skip(is_name);
        scan.blanks();
    }
    if scan.0.starts_with(b"function") {
        return Some(start.0);
    }
    let mut class = start;
    if class.any_of(&["final", "abstract"], is_blank) {
        class.skip(is_name);
        class.blanks();
    }
    let kinds = ["enum", "interface", "trait"];
    let declares =
        class.0.starts_with(b"class") || kinds.iter().any(|kind| start.0.starts_with(kind.as_bytes()));
    declares.then_some(start.0)
}

fn python(line: &[u8]) -> Option<&[u8]> {
    let start = Scan::unindented(line);
    let mut scan = start;
    if scan.any_of(&["async"], is_blank) {
        scan.text("async");
        scan.blanks();
        return scan.any_of(&["def"], is_blank).then_some(start.0);
    }
    scan.any_of(&["class", "def"], is_blank).then_some(start.0)
}

fn r(line: &[u8]) -> Option<&[u8]> {
    let start = Scan::unindented(line);
    let mut scan = start;
    // From A to z, with all that lies between.
    if !scan.at(|b| (b'A'..=b'z').contains(&b)) {
        return None;
    }
    scan.0 = &scan.0[1..];
    scan.skip(|b| is_name(b) || b == b'.');
    scan.blanks();
    if !(scan.text("<-") || scan.text("=")) {
        return None;
    }
    scan.blanks();
    scan.0.starts_with(b"function").then_some(start.0)
}

fn ruby(line: &[u8]) -> Option<&[u8]> {
    let start = Scan::unindented(line);
    start.any_of(&["class", "module", "def"], is_blank).then_some(start.0)
}

fn rust(line: &[u8]) -> Option<&[u8]> {
    let start = Scan::unindented(line);
    let mut scan = start;
    if scan.text("pub") {
        if scan.text("(") && (scan.skip(|b| b != b')') == 0 || !scan.text(")")) {
            return None;
        }
        if !scan.blanks() {
            return None;
        }
    }
    if scan.any_of(&["async", "const", "unsafe"], is_blank) {
        scan.skip(is_name);
        scan.blanks();
    } else if scan.any_of(&["extern"], is_blank) {
        scan.text("extern");
        scan.blanks();
        let quoted = scan.text("\"") && scan.skip(|b| b != b'"') > 0 && scan.text("\"");
        if !quoted || !scan.blanks() {
            return None;
        }
    }
    let items = ["struct", "enum", "union", "mod", "trait", "fn", "impl", "macro_rules!"];
    (scan.any_of(&items, |b| b"< \t".contains(&b)) && !scan.contains(b';')).then_some(start.0)
}

fn scheme(line: &[u8]) -> Option<&[u8]> {
    let start = Scan::unindented(line);
    let lower = start.0.to_ascii_lowercase();
    let mut scan = Scan(&lower);
    if !scan.text("(") {
        return None;
    }
    // What opens in the first column is a definition, whatever it is called, and so is any `def...` near to it.
    let indent = line.len() - start.0.len();
    let shallow = indent < 3 && !line[..indent].contains(&b'\t');
    if indent == 0 || (shallow && scan.0.starts_with(b"def")) {
        return Some(start.0);
    }
    let definitions = [
        "define",
        "def",
        "defstruct",
        "defsyntax",
        "defclass",
        "defmethod",
        "defrules",
        "defrecord",
        "defproto",
        "defalias",
    ];
    let forms = ["library", "module", "struct", "class"];
    (scan.any_of(&definitions, |b| b"-*/ \t".contains(&b)) || scan.any_of(&forms, |b| b"*+ \t".contains(&b)))
        .then_some(start.0)
}

fn tex(line: &[u8]) -> Option<&[u8]> {
    let mut scan = Scan(line);
    if !scan.text("\\") {
        return None;
    }
    if !scan.text("chapter") && !scan.text("part") {
        while scan.text("sub") {}
        if !scan.text("section") {
            return None;
        }
    }
    scan.text("*");
    scan.text("{").then_some(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(name: &str, line: &str) -> Option<String> {
        let (_, language) = ALL.iter().find(|(known, _)| *known == name).unwrap();
        language(line.as_bytes()).map(|shown| String::from_utf8_lossy(shown).into_owned())
    }

    /// Each line with what git shows of it.
    #[test]
    fn lines_that_start_functions() {
        for (name, line, expected) in [
            ("ada", "  Procedure P is", "Procedure P is"),
            ("bash", "  f ( ) {", "f ( ) {"),
            ("bash", "function f", ""),
            ("bash", "function f {", "function f {"),
            ("bibtex", "x @book{key,", "@book{key"),
            ("cpp", "label: // here", ""),
            ("cpp", ":: f()", ":: f()"),
            ("csharp", "  x<a, b> y<c>(d)", "x<a, b> y<c>(d)"),
            ("csharp", "x if y(a)", ""),
            ("csharp", "a b class x;", ""),
            ("csharp", "public static class x;", "public static class x;"),
            ("css", "a:hover,", "a:hover,"),
            ("css", "color: red;", ""),
            ("elixir", "  defp f(x) do", "defp f(x) do"),
            ("fortran", "  real function f(x)", "real function f(x)"),
            ("fortran", "c subroutine f", ""),
            ("fountain", "INT. HOUSE", "INT. HOUSE"),
            ("golang", "type T struct { // x", "type T struct { "),
            ("html", "  <h2 class=x>Title</h2>", "<h2 class=x>Title</h2>"),
            ("ini", "  [section \"x\"] ; x", "  [section \"x\"]"),
            ("java", "  <T extends A & B> x y(a)", "<T extends A & B> x y(a)"),
            ("java", "do x(y)", ""),
            ("kotlin", "  private fun f() {", "private fun f() {"),
            ("markdown", "   ### Title", "   ### Title"),
            ("matlab", " function f", "function f"),
            ("objc", "- (void) f:(int)x", "- (void) f:(int)x"),
            ("pascal", "class function F: T;", "class function F: T;"),
            ("perl", "sub f ($) { # x", "($)"),
            ("perl", "sub f: lvalue {", "sub f: lvalue {"),
            ("perl", "sub f;", ""),
            ("php", "  final class C", "final class C"),
            ("python", "  async def f():", "async def f():"),
            ("r", " f.x <- function(a)", "f.x <- function(a)"),
            ("ruby", "  def f", "def f"),
            ("rust", "  pub(crate) unsafe fn f()", "pub(crate) unsafe fn f()"),
            ("rust", "mod x;", ""),
            ("scheme", "   (defun f", ""),
            ("scheme", "  (defun f", "(defun f"),
            ("tex", "\\subsubsection*{X}", "\\subsubsection*{X}"),
        ] {
            assert_eq!(shown(name, line).unwrap_or_default(), expected, "{name}: {line}");
        }
    }

    #[test]
    fn long_lines_do_not_take_long() {
        let line = "x<a> ".repeat(100_000);
        for (name, _) in ALL {
            shown(name, &line);
        }
    }
}
