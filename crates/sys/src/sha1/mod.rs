//! SHA-1 that notices when its input was made to collide, at the speed of the hardware.
//!
//! After Marc Stevens, 'Counter-cryptanalysis' (CRYPTO 2013): a block that is half of a collision betrays itself, since
//! the other half can be computed from it for each of the few disturbance vectors that attacks can use. Three things
//! make this cheap here:
//!
//! - the rounds run on the SHA instructions where there are any, and leave the expanded message behind;
//! - the conditions that a block must meet for a vector (`vectors`) are checked on eight blocks side by side;
//! - only for the one block in twenty that meets all conditions of some vector is the other half computed (`check`).

mod check;
mod rounds;
#[cfg(test)]
mod tests;
mod vectors;
#[cfg(all(target_arch = "x86_64", not(miri)))]
mod x86;

/// The five words that are carried from block to block.
type State = [u32; 5];
/// The expanded message of a block; word n is at [`word_at`]`(n)`.
type Schedule = [u32; 80];

/// How many blocks are checked side by side.
const LANES: usize = 8;
const BLOCK: usize = 64;
const START: State = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476, 0xc3d2_e1f0];

/// Where word `n` of the expanded message is: four by four highest first, as the SHA instructions have them.
const fn word_at(n: usize) -> usize {
    n ^ 3
}

/// A SHA-1 being computed.
#[derive(Clone)]
pub struct Sha1 {
    state: State,
    /// All bytes taken in.
    len: u64,
    /// The start of a block, `len % 64` bytes.
    partial: [u8; BLOCK],
    /// Blocks that are hashed but not yet checked.
    unchecked: Unchecked,
    collision: bool,
    machine: Machine,
}

/// The blocks that wait for a check, and the state before each.
#[derive(Clone)]
struct Unchecked {
    count: usize,
    before: [State; LANES],
    schedules: [Schedule; LANES],
}

/// What [`Sha1::finalize`] found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Digest {
    /// The SHA-1.
    pub bytes: [u8; 20],
    /// Whether the input holds a block that was made to collide.
    pub collision: bool,
}

/// What the machine can do.
#[derive(Debug, Clone, Copy)]
struct Machine {
    sha: bool,
    avx2: bool,
}

impl Machine {
    fn this() -> Self {
        #[cfg(all(target_arch = "x86_64", not(miri)))]
        return Machine { sha: x86::has_sha(), avx2: x86::has_avx2() };
        #[cfg(not(all(target_arch = "x86_64", not(miri))))]
        Machine::any()
    }

    #[cfg(any(test, miri, not(target_arch = "x86_64")))]
    fn any() -> Self {
        Machine { sha: false, avx2: false }
    }

    /// Takes blocks into `state`, and leaves of each the state before it and its expanded message.
    fn compress(
        self,
        state: &mut State,
        blocks: &[[u8; BLOCK]],
        before: &mut [State],
        schedules: &mut [Schedule],
    ) {
        #[cfg(all(target_arch = "x86_64", not(miri)))]
        if self.sha {
            #[expect(unsafe_code, reason = "instructions that not every machine has")]
            // SAFETY: `sha` says that this machine has them.
            return unsafe { x86::compress(state, blocks, before, schedules) };
        }
        for ((block, before), schedule) in blocks.iter().zip(before).zip(schedules) {
            *before = *state;
            rounds::compress(state, block, schedule);
        }
    }

    fn candidates(self, schedules: &[Schedule; LANES]) -> [u32; LANES] {
        #[cfg(all(target_arch = "x86_64", not(miri)))]
        if self.avx2 {
            #[expect(unsafe_code, reason = "instructions that not every machine has")]
            // SAFETY: `avx2` says that this machine has them.
            return unsafe { x86::candidates_avx2(schedules) };
        }
        check::candidates_portable(schedules)
    }
}

impl Sha1 {
    /// At the start, with nothing taken in.
    pub fn new() -> Self {
        Self::on(Machine::this())
    }

    fn on(machine: Machine) -> Self {
        Sha1 {
            state: START,
            len: 0,
            partial: [0; BLOCK],
            unchecked: Unchecked { count: 0, before: [[0; 5]; LANES], schedules: [[0; 80]; LANES] },
            collision: false,
            machine,
        }
    }

    /// Takes in the next bytes.
    pub fn update(&mut self, mut bytes: &[u8]) {
        let held = (self.len % BLOCK as u64) as usize;
        self.len = self.len.wrapping_add(bytes.len() as u64);
        if held > 0 {
            let (start, rest) = bytes.split_at(bytes.len().min(BLOCK - held));
            self.partial[held..held + start.len()].copy_from_slice(start);
            if held + start.len() < BLOCK {
                return;
            }
            let block = self.partial;
            self.blocks(&[block]);
            bytes = rest;
        }
        let (blocks, rest) = bytes.as_chunks();
        self.blocks(blocks);
        self.partial[..rest.len()].copy_from_slice(rest);
    }

    /// The SHA-1 of all bytes taken in, and whether they are part of a collision.
    pub fn finalize(mut self) -> Digest {
        let bits = self.len.wrapping_mul(8);
        let held = (self.len % BLOCK as u64) as usize;
        let mut end = [0; 2 * BLOCK];
        end[..held].copy_from_slice(&self.partial[..held]);
        end[held] = 0x80;
        let len = if held < BLOCK - 8 { BLOCK } else { 2 * BLOCK };
        end[len - 8..len].copy_from_slice(&bits.to_be_bytes());
        self.blocks(end[..len].as_chunks().0);
        self.check();
        let mut bytes = [0; 20];
        for (bytes, word) in bytes.as_chunks_mut::<4>().0.iter_mut().zip(self.state) {
            *bytes = word.to_be_bytes();
        }
        Digest { bytes, collision: self.collision }
    }

    fn blocks(&mut self, mut blocks: &[[u8; BLOCK]]) {
        while !blocks.is_empty() {
            let waiting = &mut self.unchecked;
            let (now, later) = blocks.split_at(blocks.len().min(LANES - waiting.count));
            let lanes = waiting.count..waiting.count + now.len();
            let (before, schedules) = (&mut waiting.before[lanes.clone()], &mut waiting.schedules[lanes]);
            self.machine.compress(&mut self.state, now, before, schedules);
            waiting.count += now.len();
            if waiting.count == LANES {
                self.check();
            }
            blocks = later;
        }
    }

    /// Checks the blocks that wait for it.
    fn check(&mut self) {
        let waiting = &mut self.unchecked;
        if waiting.count == 0 {
            return;
        }
        let candidates = self.machine.candidates(&waiting.schedules);
        for (n, &candidates) in candidates[..waiting.count].iter().enumerate() {
            if candidates != 0 {
                let after = if n + 1 < waiting.count { waiting.before[n + 1] } else { self.state };
                self.collision |=
                    check::collides(candidates, &waiting.schedules[n], waiting.before[n], after);
            }
        }
        waiting.count = 0;
    }
}

impl Default for Sha1 {
    fn default() -> Self {
        Self::new()
    }
}

impl std::fmt::Debug for Sha1 {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Sha1").field("len", &self.len).finish_non_exhaustive()
    }
}
