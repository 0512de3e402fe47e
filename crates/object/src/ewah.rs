//! EWAH bitmaps, as index files and pack bitmaps hold them: runs of equal words, and words as they are
//! (gitformat-bitmap, appendix A).

/// A compressed bitmap, read where it lies. What its runs claim costs no memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ewah<'a> {
    bits: u32,
    /// Big-endian words of eight bytes.
    words: &'a [u8],
}

/// A run of positions whose bits are set: `start..end`.
pub type Run = std::ops::Range<u32>;

impl<'a> Ewah<'a> {
    /// Reads a bitmap from the start of `bytes`; returns it and what follows. `None` when it is cut short.
    pub fn parse(bytes: &'a [u8]) -> Option<(Self, &'a [u8])> {
        let (bits, rest) = bytes.split_first_chunk::<4>()?;
        let (count, rest) = rest.split_first_chunk::<4>()?;
        let len = usize::try_from(u32::from_be_bytes(*count)).ok()?.checked_mul(8)?;
        let (words, rest) = rest.split_at_checked(len)?;
        let (_last_marker, rest) = rest.split_first_chunk::<4>()?;
        Some((Ewah { bits: u32::from_be_bytes(*bits), words }, rest))
    }

    /// How many bits the bitmap has; none at or past it is set.
    pub fn len(&self) -> u32 {
        self.bits
    }

    /// Whether it has no bits at all.
    pub fn is_empty(&self) -> bool {
        self.bits == 0
    }

    /// The positions of the bits that are set, in runs, ascending.
    pub fn runs(&self) -> Runs<'a> {
        Runs {
            words: self.words,
            at: 0,
            bits: u64::from(self.bits),
            zeros_or_ones: None,
            literals: 0,
            word: None,
        }
    }

    /// The positions of the bits that are set, ascending.
    pub fn ones(&self) -> impl Iterator<Item = u32> + use<'a> {
        self.runs().flatten()
    }
}

/// See [`Ewah::runs`].
#[derive(Debug, Clone)]
pub struct Runs<'a> {
    words: &'a [u8],
    /// The position of the first bit that has not been looked at.
    at: u64,
    bits: u64,
    /// A run of equal words that comes next: their bit, and how many.
    zeros_or_ones: Option<(bool, u64)>,
    /// How many words follow as they are.
    literals: u64,
    /// A word that is being taken apart, shifted so that its lowest bit is at `at`; and how many bits are left of it.
    word: Option<(u64, u32)>,
}

impl Runs<'_> {
    fn next_word(&mut self) -> Option<u64> {
        let (word, rest) = self.words.split_first_chunk::<8>()?;
        self.words = rest;
        Some(u64::from_be_bytes(*word))
    }

    /// The next run, which may be cut in two where words meet.
    fn next_piece(&mut self) -> Option<(u64, u64)> {
        while self.at < self.bits {
            if let Some((word, left)) = self.word {
                if word == 0 {
                    self.at += u64::from(left);
                    self.word = None;
                    continue;
                }
                let zeros = word.trailing_zeros();
                let ones = (!(word >> zeros)).trailing_zeros().min(left - zeros);
                let start = self.at + u64::from(zeros);
                self.at = start + u64::from(ones);
                let left = left - zeros - ones;
                self.word = (left > 0).then(|| (word >> zeros >> ones, left));
                return Some((start, self.at));
            }
            if let Some((ones, words)) = self.zeros_or_ones.take() {
                let start = self.at;
                self.at += words * 64;
                if ones && words > 0 {
                    return Some((start, self.at));
                }
                continue;
            }
            if self.literals > 0 {
                self.literals -= 1;
                self.word = Some((self.next_word()?, 64));
                continue;
            }
            let marker = self.next_word()?;
            self.zeros_or_ones = Some((marker & 1 == 1, marker >> 1 & 0xffff_ffff));
            self.literals = marker >> 33;
        }
        None
    }
}

impl Iterator for Runs<'_> {
    type Item = Run;

    fn next(&mut self) -> Option<Run> {
        let (start, mut end) = self.next_piece()?;
        // A piece that begins where this one ends belongs to it.
        loop {
            let before = self.clone();
            match self.next_piece() {
                Some((next, next_end)) if next == end => end = next_end,
                Some(_) => {
                    *self = before;
                    break;
                }
                None => break,
            }
        }
        let bound = |position: u64| u32::try_from(position.min(self.bits)).unwrap_or(u32::MAX);
        let run = bound(start)..bound(end);
        (!run.is_empty()).then_some(run)
    }
}

/// Appends the bitmap in which the bits at `ones`, which ascend, are set; it has no bit after the last of them.
pub fn append_ewah(ones: impl IntoIterator<Item = u32>, out: &mut Vec<u8>) {
    let mut writer = Writer { words: vec![0], marker: 0 };
    let (mut bits, mut word, mut word_number) = (0, 0_u64, 0_u32);
    for one in ones {
        bits = one + 1;
        if one / 64 != word_number {
            writer.push(word, 1);
            writer.push(0, u64::from(one / 64 - word_number - 1));
            (word, word_number) = (0, one / 64);
        }
        word |= 1 << (one % 64);
    }
    if bits > 0 {
        writer.push(word, 1);
    }
    out.extend_from_slice(&bits.to_be_bytes());
    out.extend_from_slice(&u32::try_from(writer.words.len()).unwrap_or(u32::MAX).to_be_bytes());
    writer.words.iter().for_each(|word| out.extend_from_slice(&word.to_be_bytes()));
    out.extend_from_slice(&u32::try_from(writer.marker).unwrap_or(u32::MAX).to_be_bytes());
}

/// Compresses words as they come.
struct Writer {
    words: Vec<u64>,
    /// Where the marker of the chunk lies that is being written.
    marker: usize,
}

const MAX_RUN: u64 = 0xffff_ffff;
const MAX_LITERALS: u64 = (1 << 31) - 1;

impl Writer {
    fn push(&mut self, word: u64, times: u64) {
        for _ in 0..(if word == 0 || word == u64::MAX { 0 } else { times }) {
            self.literal(word);
        }
        if word == 0 || word == u64::MAX {
            self.run(word & 1, times);
        }
    }

    fn literal(&mut self, word: u64) {
        if self.words[self.marker] >> 33 == MAX_LITERALS {
            self.start_chunk();
        }
        self.words[self.marker] += 1 << 33;
        self.words.push(word);
    }

    fn run(&mut self, bit: u64, mut times: u64) {
        while times > 0 {
            let marker = self.words[self.marker];
            let length = marker >> 1 & MAX_RUN;
            let fits = marker >> 33 == 0 && (length == 0 || marker & 1 == bit) && length < MAX_RUN;
            if !fits {
                self.start_chunk();
                continue;
            }
            let added = times.min(MAX_RUN - length);
            self.words[self.marker] = (length + added) << 1 | bit;
            times -= added;
        }
    }

    fn start_chunk(&mut self) {
        self.marker = self.words.len();
        self.words.push(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round_trip(ones: &[u32]) {
        let mut bytes = Vec::new();
        append_ewah(ones.iter().copied(), &mut bytes);
        bytes.push(7);
        let (ewah, rest) = Ewah::parse(&bytes).unwrap();
        assert_eq!(rest, [7]);
        assert_eq!(ewah.ones().collect::<Vec<_>>(), ones);
        assert_eq!(ewah.len(), ones.last().map_or(0, |last| last + 1));
        assert_eq!(ewah.is_empty(), ones.is_empty());
        for run in ewah.runs() {
            assert!(!ones.contains(&run.end), "runs are as long as they can be");
        }
        for cut in 0..bytes.len() - 1 {
            assert!(Ewah::parse(&bytes[..cut]).is_none());
        }
    }

    #[test]
    fn what_is_written_is_read() {
        round_trip(&[]);
        round_trip(&[0]);
        round_trip(&[63, 64, 65, 1000, 100_000]);
        round_trip(&(0..64).collect::<Vec<_>>());
        round_trip(&(0..640).collect::<Vec<_>>());
        round_trip(&(60..700).chain(5000..5003).collect::<Vec<_>>());
        let mut seed = 1_u32;
        for _ in 0..50 {
            let ones = (0..2000).filter(|_| {
                seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                seed >> 28 > 3
            });
            round_trip(&ones.collect::<Vec<_>>());
        }
    }

    #[test]
    fn absurd_runs_cost_nothing() {
        let mut bytes = Vec::new();
        for part in [&u32::MAX.to_be_bytes()[..], &1_u32.to_be_bytes(), &u64::MAX.to_be_bytes(), &[0; 4]] {
            bytes.extend_from_slice(part);
        }
        let (ewah, _) = Ewah::parse(&bytes).unwrap();
        let mut runs = ewah.runs();
        assert_eq!((runs.next(), runs.next()), (Some(0..u32::MAX), None));
    }
}
