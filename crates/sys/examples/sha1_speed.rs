//! How fast this machine computes SHA-1 with collision detection: `cargo run --release --example sha1_speed [MIB]`.

#![allow(clippy::print_stdout)] // It is for people.

use std::time::Instant;

fn main() {
    let mib = std::env::args().nth(1).and_then(|arg| arg.parse().ok()).unwrap_or(512_usize);
    // Not zeros, which would trip every condition: a random-looking MiB.
    let mut seed = 1_u64;
    let data: Vec<u8> = (0..1 << 20)
        .map(|_| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 56) as u8
        })
        .collect();
    let start = Instant::now();
    let mut hasher = adit_sys::sha1::Sha1::new();
    for _ in 0..mib {
        hasher.update(&data);
    }
    let digest = hasher.finalize();
    let seconds = start.elapsed().as_secs_f64();
    println!("{mib} MiB in {seconds:.3} s: {:.0} MB/s ({digest:02x?})", (mib << 20) as f64 / seconds / 1e6);
}
