//! The atoms of a format: what stands between `%(` and `)`.

use adit_object::{ObjectFormat, ObjectKind};
use adit_text::date::DateFormat;
use bstr::{BStr, BString, ByteSlice};

use crate::error::Error;
use crate::format::pretty::{DescribeStyle, TrailerStyle};

/// One atom.
#[derive(Debug, Clone, PartialEq)]
pub struct Atom {
    /// What it stands for.
    pub field: Field,
    /// Whether it is asked of the object behind a tag (`%(*...)`).
    pub behind: bool,
    /// The text it was read from.
    pub text: BString,
}

/// How an object id is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IdForm {
    /// In full.
    Full,
    /// As short as it can be.
    Short,
    /// With at least so many digits.
    AtLeast(usize),
}

/// How a reference's name is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NameForm {
    /// In full.
    Full,
    /// As short as is not ambiguous.
    Short,
    /// Without so many parts at its start; all but so many when negative.
    StripStart(i64),
    /// The same at its end.
    StripEnd(i64),
}

/// What is shown of the reference that another one is set up against.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TrackForm {
    /// Its name.
    Name(NameForm),
    /// `[ahead 1, behind 2]`, in brackets or without.
    Track {
        /// Whether there are brackets.
        brackets: bool,
    },
    /// `>`, `<`, `<>` or `=`.
    Short,
    /// The remote.
    RemoteName,
    /// The reference at the remote.
    RemoteRef,
}

/// Whose name, address and date.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Who {
    /// The author.
    Author,
    /// The committer.
    Committer,
    /// The tagger.
    Tagger,
    /// The committer or the tagger, whichever there is.
    Creator,
}

/// Which part of a name, address and date.
#[derive(Debug, Clone, PartialEq)]
pub enum PersonPart {
    /// The whole line.
    Whole,
    /// The name.
    Name {
        /// After the mailmap.
        mapped: bool,
    },
    /// The address.
    Email {
        /// After the mailmap.
        mapped: bool,
        /// Without the brackets.
        trim: bool,
        /// Only what is before the `@`.
        local: bool,
    },
    /// The date; `None` in git's default form, sorted by time.
    Date(Option<DateFormat>),
}

/// Which part of a message.
#[derive(Debug, Clone, PartialEq)]
pub enum Part {
    /// All of it.
    Whole,
    /// Its length.
    Size,
    /// The first paragraph on one line.
    Subject,
    /// The same as a file could be called.
    SanitizedSubject,
    /// What follows the subject, a signature included.
    BodyAndSignature,
    /// What follows the subject.
    Body,
    /// The signature.
    Signature,
    /// The first lines.
    Lines(usize),
    /// The trailers.
    Trailers(TrailerStyle),
}

/// A condition of `%(if)`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Condition {
    /// There is anything but white space.
    Any,
    /// It is this.
    Equals(BString),
    /// It is not this.
    Differs(BString),
}

/// On which side text is filled up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// On the right: the text is on the left.
    Left,
    /// On both.
    Middle,
    /// On the left: the text is on the right.
    Right,
}

/// What an atom stands for.
#[derive(Debug, Clone, PartialEq)]
pub enum Field {
    /// The reference's name.
    RefName(NameForm),
    /// The name of the reference that a symbolic one leads to.
    SymRef(NameForm),
    /// The object's kind.
    ObjectType,
    /// The object's size.
    ObjectSize,
    /// Its size on disk.
    DiskSize,
    /// Its id.
    ObjectName(IdForm),
    /// What it is stored as a delta against.
    DeltaBase,
    /// The tree of a commit.
    Tree(IdForm),
    /// The parents of a commit.
    Parent(IdForm),
    /// How many parents a commit has.
    ParentCount,
    /// What a tag tags.
    Object,
    /// The kind of what a tag tags.
    Type,
    /// A tag's own name.
    Tag,
    /// Someone's name, address and date.
    Person(Who, PersonPart),
    /// A part of the message.
    Message(Part),
    /// Always empty.
    Nothing,
    /// The object's content.
    Raw,
    /// The length of the object's content.
    RawSize,
    /// The upstream.
    Upstream(TrackForm),
    /// Where it is pushed to.
    Push(TrackForm),
    /// Whether it is symbolic or packed.
    Flag,
    /// `*` for the branch that is checked out.
    Head,
    /// An escape sequence; empty without colours.
    Color(String),
    /// The working tree that the branch is checked out in.
    WorktreePath,
    /// Starts text that is filled up to a width.
    Align(usize, Side),
    /// Starts a condition.
    If(Condition),
    /// Starts what is printed when it holds.
    Then,
    /// Starts what is printed when it does not.
    Else,
    /// Ends either.
    End,
    /// How many commits ahead and behind of this one.
    AheadBehind(BString),
    /// Whether it is the likely base of this one.
    IsBase(BString),
    /// As `describe` calls the commit.
    Describe(DescribeStyle),
}

/// What atoms are read for.
#[derive(Debug, Clone, Copy)]
pub struct Rules {
    /// The hash of the repository.
    pub format: ObjectFormat,
    /// Whether colours are printed.
    pub color: bool,
    /// Whether output goes to a terminal, for dates.
    pub to_terminal: bool,
}

impl Rules {
    /// The rules for a command's output.
    pub fn new(repo: &adit::Repository, color: bool, to_terminal: bool) -> Self {
        Rules { format: repo.object_format(), color, to_terminal }
    }
}

impl Atom {
    /// Reads an atom.
    ///
    /// # Errors
    /// When there is none of that name, or its argument is none it takes.
    pub fn parse(text: &[u8], rules: Rules) -> Result<Self, Error> {
        let (behind, rest) = match text.strip_prefix(b"*") {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        if rest.is_empty() {
            return Err(Error::fatal(format!("malformed field name: {}", text.as_bstr())));
        }
        let (name, argument) = match rest.find_byte(b':') {
            Some(colon) => (&rest[..colon], Some(rest[colon + 1..].as_bstr())),
            None => (rest, None),
        };
        // An empty argument is none, but for dates.
        let plain = argument.filter(|argument| !argument.is_empty());
        let reader = Reader { name: name.as_bstr(), text: rest.as_bstr(), argument: plain };
        let field = match reader.field(argument, rules)? {
            Some(field) => field,
            None => return Err(Error::fatal(format!("unknown field name: {}", text.as_bstr()))),
        };
        Ok(Atom { field, behind, text: text.into() })
    }

    /// Whether its values sort as numbers.
    pub fn is_number(&self) -> bool {
        matches!(
            self.field,
            Field::ObjectSize
                | Field::DiskSize
                | Field::ParentCount
                | Field::RawSize
                | Field::Message(Part::Size)
                | Field::Person(_, PersonPart::Date(None))
        )
    }
}

struct Reader<'a> {
    name: &'a BStr,
    /// The atom without its star.
    text: &'a BStr,
    argument: Option<&'a BStr>,
}

impl Reader<'_> {
    fn unrecognized(&self, argument: &BStr) -> Error {
        Error::fatal(format!("unrecognized %({}) argument: {argument}", self.name))
    }

    fn no_argument(&self, field: Field) -> Result<Field, Error> {
        match self.argument {
            None => Ok(field),
            Some(_) => Err(Error::fatal(format!("%({}) does not take arguments", self.name))),
        }
    }

    /// One of two fields, by whether the argument is there; any other is an error.
    fn either(&self, without: Field, word: &str, with: Field) -> Result<Field, Error> {
        match self.argument {
            None => Ok(without),
            Some(argument) if argument == word => Ok(with),
            Some(argument) => Err(self.unrecognized(argument)),
        }
    }

    fn field(&self, dated: Option<&BStr>, rules: Rules) -> Result<Option<Field>, Error> {
        Ok(Some(match self.name.as_bytes() {
            b"refname" => Field::RefName(self.name_form(self.argument)?),
            b"symref" => Field::SymRef(self.name_form(self.argument)?),
            b"objecttype" => self.no_argument(Field::ObjectType)?,
            b"objectsize" => self.either(Field::ObjectSize, "disk", Field::DiskSize)?,
            b"objectname" => Field::ObjectName(self.id_form(rules.format)?),
            b"deltabase" => self.no_argument(Field::DeltaBase)?,
            b"tree" => Field::Tree(self.id_form(rules.format)?),
            b"parent" => Field::Parent(self.id_form(rules.format)?),
            b"numparent" => Field::ParentCount,
            b"object" => Field::Object,
            b"type" => Field::Type,
            b"tag" => Field::Tag,
            b"subject" => self.either(
                Field::Message(Part::Subject),
                "sanitize",
                Field::Message(Part::SanitizedSubject),
            )?,
            b"body" => self.no_argument(Field::Message(Part::BodyAndSignature))?,
            b"trailers" => Field::Message(Part::Trailers(trailers(self.argument)?)),
            b"contents" => Field::Message(self.contents()?),
            b"raw" => self.either(Field::Raw, "size", Field::RawSize)?,
            b"upstream" => Field::Upstream(self.track_form()?),
            b"push" => Field::Push(self.track_form()?),
            b"flag" => Field::Flag,
            b"HEAD" => self.no_argument(Field::Head)?,
            b"color" => self.color(rules.color)?,
            b"worktreepath" => Field::WorktreePath,
            b"align" => self.align()?,
            b"if" => Field::If(self.condition()?),
            b"then" => Field::Then,
            b"else" => Field::Else,
            b"end" => Field::End,
            b"rest" => {
                self.no_argument(Field::Flag)?;
                return Err(Error::fatal("this command reject atom %(rest)"));
            }
            b"ahead-behind" => Field::AheadBehind(self.committish()?),
            b"is-base" => Field::IsBase(self.committish()?),
            b"describe" => Field::Describe(self.describe()?),
            b"signature" => {
                return Err(Error::unsupported("checking the signature of a commit (%(signature))"));
            }
            _ => return self.person(dated, rules.to_terminal),
        }))
    }

    fn person(&self, dated: Option<&BStr>, to_terminal: bool) -> Result<Option<Field>, Error> {
        const PEOPLE: [(&[u8], Who); 4] = [
            (b"author", Who::Author),
            (b"committer", Who::Committer),
            (b"tagger", Who::Tagger),
            (b"creator", Who::Creator),
        ];
        let found = PEOPLE.iter().find_map(|(name, who)| Some((self.name.strip_prefix(*name)?, *who)));
        let Some((rest, who)) = found else { return Ok(None) };
        let part = match rest {
            // Git takes the argument, and has no value then.
            b"" if self.argument.is_some() && who != Who::Creator => return Ok(Some(Field::Nothing)),
            b"" => PersonPart::Whole,
            b"date" => {
                let parse = |format: &BStr| DateFormat::parse(&format.to_str_lossy(), to_terminal);
                PersonPart::Date(
                    dated.map(parse).transpose().map_err(|error| Error::fatal(error.to_string()))?,
                )
            }
            b"name" if who != Who::Creator => match self.argument.map(|argument| argument.as_bytes()) {
                None => PersonPart::Name { mapped: false },
                Some(b"mailmap") => PersonPart::Name { mapped: true },
                Some(other) => return Err(self.unrecognized(other.as_bstr())),
            },
            b"email" if who != Who::Creator => self.email()?,
            _ => return Ok(None),
        };
        Ok(Some(Field::Person(who, part)))
    }

    fn email(&self) -> Result<PersonPart, Error> {
        let (mut mapped, mut trim, mut local) = (false, false, false);
        let Some(argument) = self.argument else { return Ok(PersonPart::Email { mapped, trim, local }) };
        let mut rest = argument.as_bytes();
        loop {
            let words = [(&b"mailmap"[..], &mut mapped), (b"trim", &mut trim), (b"localpart", &mut local)];
            let Some((after, said)) =
                words.into_iter().find_map(|(word, said)| Some((rest.strip_prefix(word)?, said)))
            else {
                return Err(self.unrecognized(rest.as_bstr()));
            };
            *said = true;
            match after.strip_prefix(b",") {
                Some(next) => rest = next,
                None if after.is_empty() => return Ok(PersonPart::Email { mapped, trim, local }),
                None => return Err(self.unrecognized(after.as_bstr())),
            }
        }
    }

    fn name_form(&self, argument: Option<&BStr>) -> Result<NameForm, Error> {
        let Some(argument) = argument else { return Ok(NameForm::Full) };
        let number = |digits: &[u8]| -> Result<i64, Error> {
            let parsed = digits.to_str().ok().and_then(|digits| digits.parse::<i32>().ok());
            parsed.map(i64::from).ok_or_else(|| Error::fatal(format!("Integer value expected {}", self.text)))
        };
        if argument == "short" {
            Ok(NameForm::Short)
        } else if let Some(digits) =
            argument.strip_prefix(b"lstrip=").or_else(|| argument.strip_prefix(b"strip="))
        {
            number(digits).map(NameForm::StripStart)
        } else if let Some(digits) = argument.strip_prefix(b"rstrip=") {
            number(digits).map(NameForm::StripEnd)
        } else {
            Err(self.unrecognized(argument))
        }
    }

    fn id_form(&self, format: ObjectFormat) -> Result<IdForm, Error> {
        let Some(argument) = self.argument else { return Ok(IdForm::Full) };
        if argument == "short" {
            return Ok(IdForm::Short);
        }
        let Some(digits) = argument.strip_prefix(b"short=") else { return Err(self.unrecognized(argument)) };
        let number: Option<usize> = digits.to_str().ok().and_then(|digits| digits.parse().ok());
        match number.filter(|&number| number > 0) {
            Some(number) => Ok(IdForm::AtLeast(number.clamp(adit::MIN_ABBREV, format.hex_len()))),
            None => Err(Error::fatal(format!(
                "positive value expected '{}' in %({})",
                digits.as_bstr(),
                self.text
            ))),
        }
    }

    fn track_form(&self) -> Result<TrackForm, Error> {
        let Some(argument) = self.argument else { return Ok(TrackForm::Name(NameForm::Full)) };
        let mut form = TrackForm::Name(NameForm::Full);
        let mut brackets = true;
        for word in argument.split(|&b| b == b',') {
            match word {
                b"track" => form = TrackForm::Track { brackets: true },
                b"trackshort" => form = TrackForm::Short,
                b"nobracket" => brackets = false,
                b"remotename" => form = TrackForm::RemoteName,
                b"remoteref" => form = TrackForm::RemoteRef,
                // The whole argument is named in the error.
                _ => form = TrackForm::Name(self.name_form(Some(argument))?),
            }
        }
        Ok(match form {
            TrackForm::Track { .. } => TrackForm::Track { brackets },
            other => other,
        })
    }

    fn contents(&self) -> Result<Part, Error> {
        let Some(argument) = self.argument else { return Ok(Part::Whole) };
        Ok(match argument.as_bytes() {
            b"size" => Part::Size,
            b"subject" => Part::Subject,
            b"body" => Part::Body,
            b"signature" => Part::Signature,
            b"trailers" => Part::Trailers(TrailerStyle::default()),
            other => {
                if let Some(options) = other.strip_prefix(b"trailers:") {
                    Part::Trailers(trailers(Some(options.as_bstr()))?)
                } else if let Some(digits) = other.strip_prefix(b"lines=") {
                    let number = digits.to_str().ok().and_then(|digits| digits.parse().ok());
                    let text = self.text;
                    Part::Lines(
                        number.ok_or_else(|| Error::fatal(format!("positive value expected {text}")))?,
                    )
                } else {
                    return Err(self.unrecognized(argument));
                }
            }
        })
    }

    fn color(&self, wanted: bool) -> Result<Field, Error> {
        let expected = || Error::fatal("expected format: %(color:<color>)");
        let value = self.argument.ok_or_else(expected)?.to_str_lossy();
        let sequence = adit_text::color::parse(&value)
            .map_err(|_| Error::fatal(format!("unrecognized color: %(color:{value})")))?;
        Ok(Field::Color(if wanted { sequence } else { String::new() }))
    }

    fn align(&self) -> Result<Field, Error> {
        let expected = || Error::fatal("expected format: %(align:<width>,<position>)");
        let (mut width, mut side) = (None, Side::Left);
        for word in self.argument.ok_or_else(expected)?.split(|&b| b == b',') {
            let position = word.strip_prefix(b"position=");
            let number = word.strip_prefix(b"width=");
            let digits = number.unwrap_or(word);
            let parsed = digits.to_str().ok().and_then(|digits| digits.parse::<u32>().ok());
            match (position.unwrap_or(word), parsed) {
                (b"left", _) if number.is_none() => side = Side::Left,
                (b"middle", _) if number.is_none() => side = Side::Middle,
                (b"right", _) if number.is_none() => side = Side::Right,
                (_, Some(parsed)) if position.is_none() => width = Some(parsed as usize),
                _ => return Err(self.unrecognized(word.as_bstr())),
            }
        }
        match width {
            Some(width) => Ok(Field::Align(width, side)),
            None => Err(Error::fatal("positive width expected with the %(align) atom")),
        }
    }

    fn condition(&self) -> Result<Condition, Error> {
        let Some(argument) = self.argument else { return Ok(Condition::Any) };
        if let Some(text) = argument.strip_prefix(b"equals=") {
            Ok(Condition::Equals(text.into()))
        } else if let Some(text) = argument.strip_prefix(b"notequals=") {
            Ok(Condition::Differs(text.into()))
        } else {
            Err(self.unrecognized(argument))
        }
    }

    fn committish(&self) -> Result<BString, Error> {
        let expected = || Error::fatal(format!("expected format: %({}:<committish>)", self.name));
        Ok(self.argument.ok_or_else(expected)?.to_owned())
    }

    fn describe(&self) -> Result<DescribeStyle, Error> {
        let Some(argument) = self.argument else { return Ok(DescribeStyle::default()) };
        let mut rest = argument.as_bytes();
        for word in argument.split(|&b| b == b',') {
            let from_here = rest.as_bstr();
            rest = rest.get(word.len() + 1..).unwrap_or_default();
            let (key, value) =
                word.split_once_str("=").map_or((word, None), |(key, value)| (key, Some(value)));
            let word = word.as_bstr();
            match (key, value) {
                (b"tags", None) => {}
                (b"tags", Some(value)) if adit_config::value::boolean_word(value.as_bstr()).is_some() => {}
                (b"abbrev", Some(digits)) => {
                    if digits.is_empty() {
                        return Err(Error::fatal("positive value expected describe:abbrev="));
                    }
                    if digits.to_str().ok().and_then(|digits| digits.parse::<i32>().ok()).is_none() {
                        return Err(Error::fatal(format!("cannot fully parse describe:{word}")));
                    }
                }
                (b"match" | b"exclude", Some(pattern)) if !pattern.is_empty() => {}
                (b"match" | b"exclude", _) => {
                    return Err(Error::fatal(format!("value expected describe:{}=", key.as_bstr())));
                }
                _ => return Err(self.unrecognized(from_here)),
            }
        }
        DescribeStyle::parse(argument).ok_or_else(|| self.unrecognized(argument))
    }
}

fn trailers(argument: Option<&BStr>) -> Result<TrailerStyle, Error> {
    let Some(argument) = argument else { return Ok(TrailerStyle::default()) };
    TrailerStyle::parse(argument).ok_or_else(|| {
        const KNOWN: [&[u8]; 7] =
            [b"key", b"only", b"unfold", b"keyonly", b"valueonly", b"separator", b"key_value_separator"];
        let words = argument.split(|&b| b == b',');
        let named = |word: &[u8]| word.split_once_str("=").map_or(word.to_vec(), |(key, _)| key.to_vec());
        let bad = words.clone().find(|word| !KNOWN.contains(&named(word).as_slice()));
        if bad.is_none() && words.clone().any(|word| word == b"key") {
            return Error::fatal("expected %(trailers:key=<value>)");
        }
        Error::fatal(format!("unknown %(trailers) argument: {}", bad.unwrap_or(argument).as_bstr()))
    })
}

/// The kinds of object that have a field.
pub(super) fn has_message(kind: ObjectKind) -> bool {
    matches!(kind, ObjectKind::Commit | ObjectKind::Tag)
}
