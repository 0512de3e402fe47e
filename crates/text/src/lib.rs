//! Text as git reads and writes it: quoting, globs, dates, encodings, display width.
