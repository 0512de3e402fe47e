//! Hints that help along, until they are switched off (git-config, `advice.*`).

use std::io::Write;

use adit::Environment;
use adit_config::Config;
use adit_text::color::RESET;

use crate::context::Context;
use crate::error::Error;
use crate::format::color;

const YELLOW: &str = "\x1b[33m";

impl Context<'_> {
    /// Prints the lines of `text` as hints on standard error, unless `advice.<key>` or `GIT_ADVICE` forbids it. Where the
    /// setting is not made, the hints end with how to make it.
    ///
    /// # Errors
    /// When a setting makes no sense.
    pub fn advise(&mut self, config: &Config, key: &str, text: &str) -> Result<(), Error> {
        let Some(set) = wanted(&self.env, config, key)? else { return Ok(()) };
        let terminal =
            self.streams.err_is_terminal && self.env.var("TERM").is_some_and(|term| term != "dumb");
        let (start, end) = match color::wanted(config, None, "color.advice", terminal)? {
            true => (color::slot(config, "color.advice.hint", YELLOW)?, RESET),
            false => (String::new(), ""),
        };
        let last = format!("Disable this message with \"git config set advice.{key} false\"");
        let last = (!set).then_some(last);
        for line in text.lines().chain(last.as_deref()) {
            let space = if line.is_empty() { "" } else { " " };
            // A hint that cannot be written must not end the command.
            let _ = writeln!(self.streams.err, "{start}hint:{space}{line}{end}");
        }
        Ok(())
    }

    /// The end of a command, with hints behind its last words.
    ///
    /// # Errors
    /// When a setting makes no sense.
    pub fn fatal_with_advice(
        &mut self,
        config: &Config,
        message: impl std::fmt::Display,
        key: &str,
        text: &str,
    ) -> Result<Error, Error> {
        writeln!(self.streams.err, "fatal: {message}")?;
        self.advise(config, key, text)?;
        Ok(Error::Exit(128))
    }
}

/// Whether a hint is given: `None` when it is not, else whether that was asked for.
fn wanted(env: &Environment, config: &Config, key: &str) -> Result<Option<bool>, Error> {
    if !env.bool("GIT_ADVICE", true)? {
        return Ok(None);
    }
    let set = config.bool(&format!("advice.{}", key.to_ascii_lowercase()))?;
    Ok(if set == Some(false) { None } else { Some(set.is_some()) })
}
