//! The operating system's own words for an error.

use std::io;

/// What the system says of `error`, as C programs print it: Rust adds ` (os error 2)`, which git does not.
pub fn os_error(error: &io::Error) -> String {
    let text = error.to_string();
    match (error.raw_os_error(), text.rfind(" (os error ")) {
        (Some(_), Some(at)) => text[..at].to_owned(),
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_is_left_out() {
        assert_eq!(os_error(&io::Error::from_raw_os_error(2)), "No such file or directory");
        assert_eq!(os_error(&io::Error::other("x (os error y")), "x (os error y");
    }
}
