//! Runs every target for a while on changed good inputs: `smoke [SECONDS-FOR-EACH [TARGET]]`.
//!
//! The inputs follow from a seed, so that a run can be repeated. One that makes a target panic, or takes too long, is
//! written to `smoke-<target>.bin`, and the program fails.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use adit_fuzz::{Fixture, TARGETS, Target};

/// No input of a few kilobytes may take longer.
const PATIENCE: Duration = Duration::from_secs(5);

fn main() -> ExitCode {
    let mut args = std::env::args().skip(1);
    let seconds = args.next().map_or(3.0, |text| text.parse().expect("a number of seconds"));
    let wanted = args.next();
    let fixture = Fixture::new();
    let mut failed = false;
    for target in TARGETS.iter().filter(|target| wanted.as_ref().is_none_or(|name| name == target.name)) {
        match run(target, &fixture, Duration::from_secs_f64(seconds)) {
            Ok(count) => println!("{:14} {count} inputs", target.name),
            Err((what, input)) => {
                let path = format!("smoke-{}.bin", target.name);
                std::fs::write(&path, input).expect("a written file");
                println!("{:14} {what}: {path}", target.name);
                failed = true;
            }
        }
    }
    if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

fn run(target: &Target, fixture: &Fixture, time: Duration) -> Result<u64, (&'static str, Vec<u8>)> {
    let seeds = (target.seeds)(fixture);
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let start = Instant::now();
    let mut count = 0;
    while start.elapsed() < time {
        let mut input = random.pick(&seeds).clone();
        // Good inputs come first, as they are.
        if count >= seeds.len() as u64 {
            for _ in 0..1 + random.below(6) {
                change(&mut input, &seeds, &mut random);
            }
        }
        let began = Instant::now();
        if catch_unwind(AssertUnwindSafe(|| (target.run)(fixture, &input))).is_err() {
            return Err(("panics", input));
        }
        if began.elapsed() > PATIENCE {
            return Err(("takes long", input));
        }
        count += 1;
    }
    Ok(count)
}

/// Makes one change of the kind that finds faults in parsers.
fn change(input: &mut Vec<u8>, seeds: &[Vec<u8>], random: &mut Random) {
    const TELLING: [u64; 10] =
        [0, 1, 0x7f, 0x80, 0xff, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff, u64::MAX >> 1, u64::MAX];
    let at = random.below(input.len() + 1);
    let len = random.below(input.len() - at + 1).min(random.below(64) + 1);
    match random.below(8) {
        0 if at < input.len() => input[at] ^= 1 << random.below(8),
        1 if at < input.len() => input[at] = random.next() as u8,
        2 => {
            // A number of 1, 2, 4 or 8 bytes, where numbers tend to lie.
            let size = 1 << random.below(4);
            let at = at & !(size - 1);
            let number = random.pick(&TELLING).to_be_bytes();
            if let Some(place) = input.get_mut(at..at + size) {
                place.copy_from_slice(&number[8 - size..]);
            }
        }
        3 => drop(input.drain(at..at + len)),
        4 => {
            let copy = input[at..at + len].to_vec();
            let to = random.below(input.len() + 1);
            input.splice(to..to, copy);
        }
        5 => input.truncate(at),
        6 => {
            let bytes: Vec<u8> = (0..len).map(|_| random.next() as u8).collect();
            input.splice(at..at, bytes);
        }
        _ => {
            let other = random.pick(seeds);
            let from = random.below(other.len() + 1);
            let end = (from + len).min(other.len());
            input.splice(at..at, other[from..end].iter().copied());
        }
    }
}

struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 >> 8
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit.max(1) as u64) as usize
    }

    fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }
}
