use super::check::candidates_portable;
use super::vectors::{FIRST_WORD, RELATIONS, VECTORS};
use super::*;

// The published collision: https://shattered.io, Stevens, Bursztein, Karpman, Albertini, Markov: 'The first collision
// for full SHA-1' (CRYPTO 2017). What both files start with, and the two blocks of each in which they differ.
const PREFIX: &str = "\
    255044462d312e330a25e2e3cfd30a0a0a312030206f626a0a3c3c2f57696474682032203020522f4865696768742033\
    203020522f547970652034203020522f537562747970652035203020522f46696c7465722036203020522f436f6c6f72\
    53706163652037203020522f4c656e6774682038203020522f42697473506572436f6d706f6e656e7420383e3e0a7374\
    7265616d0affd8fffe00245348412d3120697320646561642121212121852fec092339759c39b1a1c63c4c97e1fffe01";
const ONE: &str = "\
    7346dc9166b67e118f029ab621b2560ff9ca67cca8c7f85ba84c79030c2b3de218f86db3a90901d5df45c14f26fedfb3\
    dc38e96ac22fe7bd728f0e45bce046d23c570feb141398bb552ef5a0a82be331fea48037b8b5d71f0e332edf93ac3500\
    eb4ddc0decc1a864790c782c76215660dd309791d06bd0af3f98cda4bc4629b1";
const OTHER: &str = "\
    7f46dc93a6b67e013b029aaa1db2560b45ca67d688c7f84b8c4c791fe02b3df614f86db1690901c56b45c1530afedfb7\
    6038e972722fe7ad728f0e4904e046c230570fe9d41398abe12ef5bc942be33542a4802d98b5d70f2a332ec37fac3514\
    e74ddc0f2cc1a874cd0c78305a21566461309789606bd0bf3f98cda8044629a1";

fn bytes(hex: &str) -> Vec<u8> {
    hex.as_bytes()
        .chunks(2)
        .map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap())
        .collect()
}

fn hex(digest: Digest) -> String {
    digest.bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Every mix of what machines can do and this one can.
fn machines() -> Vec<Machine> {
    let this = Machine::this();
    let mut machines = vec![Machine::any(), this];
    if this.sha && this.avx2 {
        machines.extend([Machine { avx2: false, ..this }, Machine { sha: false, ..this }]);
    }
    machines
}

fn digest(machine: Machine, data: &[u8]) -> Digest {
    let mut sha1 = Sha1::on(machine);
    sha1.update(data);
    sha1.finalize()
}

/// Words without a pattern, for a test.
struct Noise(u64);

impl Noise {
    fn word(&mut self) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 32) as u32
    }

    fn schedules(&mut self) -> [Schedule; LANES] {
        std::array::from_fn(|_| std::array::from_fn(|_| self.word()))
    }
}

#[test]
fn the_examples_of_the_standard() {
    for machine in machines() {
        for (data, expected) in [
            (&b""[..], "da39a3ee5e6b4b0d3255bfef95601890afd80709"),
            (b"abc", "a9993e364706816aba3e25717850c26c9cd0d89d"),
            (
                b"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "84983e441c3bd26ebaae4aa1f95129e5e54670f1",
            ),
        ] {
            let digest = digest(machine, data);
            assert_eq!((hex(digest).as_str(), digest.collision), (expected, false));
        }
    }
}

#[test]
fn all_machines_and_all_pieces_agree() {
    let mut noise = Noise(1);
    let data: Vec<u8> = (0..if cfg!(miri) { 300 } else { 3000 }).map(|_| noise.word() as u8).collect();
    for len in [0, 1, 55, 56, 63, 64, 65, 119, 120, 128, data.len()] {
        let data = &data[..len.min(data.len())];
        let expected = digest(Machine::any(), data);
        for machine in machines() {
            assert_eq!(digest(machine, data), expected);
            for piece in [1, 7, 64, 65, 600] {
                let mut sha1 = Sha1::on(machine);
                data.chunks(piece).for_each(|piece| sha1.update(piece));
                assert_eq!(sha1.finalize(), expected, "{len} bytes in pieces of {piece}");
            }
        }
    }
}

#[test]
fn the_published_collision_is_noticed() {
    let [prefix, one, other] = [PREFIX, ONE, OTHER].map(bytes);
    for machine in machines() {
        let both = [&one, &other].map(|blocks| digest(machine, &[&prefix[..], &blocks[..]].concat()));
        assert_eq!(both[0], both[1]);
        assert!(both[0].collision);
        assert_eq!(hex(both[0]), "f92d74e3874587aaf443d1db961d4e26dde13e9c");
        // Whatever follows does not make it good, wherever the blocks lie among those checked together.
        for more in 0..10 {
            let data = [&prefix[..], &one, &vec![0; more * 61]].concat();
            assert!(digest(machine, &data).collision);
        }
        // Without the state before them, or with one bit changed, the same blocks collide with nothing.
        assert!(!digest(machine, &one).collision);
        let mut changed = [&prefix[..], &one].concat();
        changed[319] ^= 1;
        assert!(!digest(machine, &changed).collision);
    }
}

#[test]
fn a_block_that_meets_a_vector_s_conditions_is_a_candidate() {
    let mut noise = Noise(2);
    for vector in 0..VECTORS.len() {
        let mut schedules = noise.schedules();
        let relations: Vec<_> = RELATIONS.iter().filter(|r| r.vectors >> vector & 1 == 1).collect();
        assert!(relations.len() >= 7);
        let lane = vector % LANES;
        let holds = |schedule: &Schedule, r: &super::vectors::Relation| {
            let bit = schedule[word_at(FIRST_WORD + r.word)] >> r.bit;
            let other = schedule[word_at(FIRST_WORD + r.other_word)] >> r.other_bit;
            ((bit ^ other) & 1 == 1) == r.differ
        };
        // Each relation is made to hold in turn, by either of its bits, until all do.
        while !relations.iter().all(|r| holds(&schedules[lane], r)) {
            for r in &relations {
                if !holds(&schedules[lane], r) {
                    let (word, bit) =
                        if noise.word() & 1 == 0 { (r.word, r.bit) } else { (r.other_word, r.other_bit) };
                    schedules[lane][word_at(FIRST_WORD + word)] ^= 1 << bit;
                }
            }
        }
        for machine in machines() {
            assert_eq!(machine.candidates(&schedules)[lane] >> vector & 1, 1);
        }
        for r in &relations {
            let mut broken = schedules;
            broken[lane][word_at(FIRST_WORD + r.word)] ^= 1 << r.bit;
            for machine in machines() {
                assert_eq!(machine.candidates(&broken)[lane] >> vector & 1, 0, "{r:?}");
            }
        }
    }
}

#[test]
fn candidates_agree_on_all_machines() {
    let mut noise = Noise(3);
    for _ in 0..if cfg!(miri) { 2 } else { 2000 } {
        let schedules = noise.schedules();
        let expected = candidates_portable(&schedules);
        for machine in machines() {
            assert_eq!(machine.candidates(&schedules), expected);
        }
    }
}

#[test]
fn every_vector_obeys_the_message_expansion() {
    for vector in &VECTORS {
        let word = |n: usize| vector.difference[word_at(n)];
        for n in 16..80 {
            assert_eq!(word(n), (word(n - 3) ^ word(n - 8) ^ word(n - 14) ^ word(n - 16)).rotate_left(1));
        }
        // No difference enters where the two messages' states meet.
        assert!((vector.meets_at - 6..vector.meets_at).all(|n| word(n) == 0));
    }
}
