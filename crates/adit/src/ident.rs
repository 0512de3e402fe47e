//! Who the user is: the names and addresses that commits and tags are signed with (git, "Git Commits"; git-config,
//! `user.*`).

use adit_config::Config;
use adit_text::date::{self, Clock, LocalZone};
use bstr::{BString, ByteSlice};

use crate::{Environment, OpenError};

/// What someone does to a commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Writes it.
    Author,
    /// Records it.
    Committer,
}

/// Why it cannot be told who the user is.
#[derive(Debug, thiserror::Error)]
pub enum IdentError {
    /// No address is set, and none is made up.
    #[error("unable to auto-detect email address")]
    NoEmail,
    /// No name is set.
    #[error("empty ident name (for <{email}>) not allowed")]
    EmptyName {
        /// The address.
        email: BString,
    },
    /// Nothing is left of the name without the characters that it cannot have.
    #[error("name consists only of disallowed characters: {name}")]
    BadName {
        /// The name as it was given.
        name: BString,
    },
    /// The date cannot be read.
    #[error("invalid date format: {date}")]
    BadDate {
        /// The date as it was given.
        date: BString,
    },
    /// The configuration cannot be used.
    #[error(transparent)]
    Config(#[from] OpenError),
}

impl Role {
    /// The line `name <email> seconds zone` for the user in this role, now or at the time that the environment tells.
    ///
    /// # Errors
    /// When the name or the address is not known, or the date cannot be read.
    pub fn ident(self, env: &Environment, config: &Config) -> Result<BString, IdentError> {
        let (variable, section) = match self {
            Role::Author => ("GIT_AUTHOR", "author"),
            Role::Committer => ("GIT_COMMITTER", "committer"),
        };
        let configured = |key: &str| {
            let own = config.last(format!("{section}.{key}").as_bytes());
            own.or_else(|| config.last(format!("user.{key}").as_bytes()))
                .and_then(|entry| entry.value.clone())
        };
        let told = |what: &str| env.var(&format!("{variable}_{what}")).map(ToOwned::to_owned);
        let email = told("EMAIL")
            .filter(|email| !email.is_empty())
            .or_else(|| configured("email"))
            .or_else(|| env.var_non_empty("EMAIL").map(ToOwned::to_owned))
            .ok_or(IdentError::NoEmail)?;
        let name = told("NAME").or_else(|| configured("name")).unwrap_or_default();
        let email = without_crud(&email);
        if name.is_empty() {
            return Err(IdentError::EmptyName { email });
        }
        let clean = without_crud(&name);
        if clean.is_empty() {
            return Err(IdentError::BadName { name });
        }
        let date = date(env, told("DATE"))?;
        Ok([clean.as_slice(), b" <", &email, b"> ", date.as_bytes()].concat().into())
    }

    /// Like [`Role::ident`], for a log, which is better kept by somebody unknown than not at all: what is not set is
    /// made up of what the system knows, and a date that cannot be read is now.
    pub fn log_ident(self, env: &Environment, config: &Config) -> BString {
        let set = |name: &str, value: Option<&[u8]>, env: &mut Environment| match value {
            Some(value) => env.set(name, value),
            None => env.unset(name),
        };
        match self.ident(env, config) {
            Ok(ident) => ident,
            Err(_) => {
                let variable = if self == Role::Author { "GIT_AUTHOR" } else { "GIT_COMMITTER" };
                let mut env = env.clone();
                let id = adit_sys::effective_user_id();
                let login = adit_sys::login_name(id).unwrap_or_else(|| b"unknown".to_vec());
                let name = adit_sys::full_name(id).filter(|name| !without_crud(name).is_empty());
                let email = [login.as_slice(), b"@", &adit_sys::host_name(), b".(none)"].concat();
                let knows = |env: &Environment| !matches!(self.ident(env, config), Err(IdentError::NoEmail));
                if !knows(&env) {
                    set(&format!("{variable}_EMAIL"), Some(&email), &mut env);
                }
                if matches!(
                    self.ident(&env, config),
                    Err(IdentError::EmptyName { .. } | IdentError::BadName { .. })
                ) {
                    set(&format!("{variable}_NAME"), Some(name.as_ref().unwrap_or(&login)), &mut env);
                }
                if matches!(self.ident(&env, config), Err(IdentError::BadDate { .. })) {
                    set(&format!("{variable}_DATE"), None, &mut env);
                }
                self.ident(&env, config).unwrap_or_default()
            }
        }
    }
}

fn date(env: &Environment, told: Option<BString>) -> Result<String, IdentError> {
    let tz = env.var("TZ").map(|tz| tz.to_str_lossy().into_owned());
    let zone = LocalZone::from_tz(tz.as_deref());
    let now = env.now();
    let (seconds, hhmm) = match told.filter(|date| !date.is_empty()) {
        Some(text) => {
            let parsed = date::parse(&text, Clock { now, zone: &zone });
            let parsed = parsed.ok_or(IdentError::BadDate { date: text })?;
            (parsed.seconds, parsed.zone)
        }
        None => (u64::try_from(now).unwrap_or(0), date::zone_from_minutes(zone.offset_at(now) / 60)),
    };
    Ok(format!("{seconds} {hhmm:+05}"))
}

/// A name or an address without the characters that would confuse the line it goes into, and without punctuation around
/// it.
fn without_crud(text: &[u8]) -> BString {
    let is_crud = |c: char| c <= ' ' || ".,:;<>\"\\'".contains(c);
    let trimmed = text.trim_with(is_crud);
    trimmed.iter().copied().filter(|b| !matches!(b, b'<' | b'>' | b'\n')).collect::<Vec<u8>>().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_environment_comes_before_the_configuration() {
        let mut config = Config::default();
        let text = b"[user]\nname= .A, \"<U> Thor\";\nemail=a@example.com\n[committer]\nname=C\n";
        config.add_bytes(text, adit_config::Origin::StandardInput, adit_config::Scope::Local).unwrap();
        let mut env = Environment::empty("/");
        env.set("GIT_TEST_DATE_NOW", "1000000000");
        env.set("TZ", "UTC");
        let ident = |env: &Environment, role: Role| role.ident(env, &config).unwrap().to_string();
        assert_eq!(ident(&env, Role::Author), "A, U Thor <a@example.com> 1000000000 +0000");
        assert_eq!(ident(&env, Role::Committer), "C <a@example.com> 1000000000 +0000");
        env.set("GIT_AUTHOR_NAME", "Env");
        env.set("GIT_AUTHOR_DATE", "2005-04-07 22:13:13 +0200");
        assert_eq!(ident(&env, Role::Author), "Env <a@example.com> 1112904793 +0200");
        env.set("GIT_AUTHOR_NAME", "");
        assert!(matches!(Role::Author.ident(&env, &config), Err(IdentError::EmptyName { .. })));
        assert!(matches!(Role::Author.ident(&env, &Config::default()), Err(IdentError::NoEmail)));
    }
}
