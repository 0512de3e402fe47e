//! Links the program at a fixed address where that makes it start faster.
//!
//! A position-independent program is relocated at each start: every pointer in its tables of options and messages is
//! rewritten, and each page that holds one is copied. On Linux that took 0.12 ms, an eighth of what git needs for a short
//! command, and it grows with every table. The stack, the heap and the libraries still get random addresses. Whoever wants a
//! random address for the program's own code too builds with the feature `pie`.

#![expect(clippy::disallowed_methods, reason = "cargo tells a build script its target in the environment")]

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let target = |what: &str| std::env::var(format!("CARGO_CFG_TARGET_{what}")).unwrap_or_default();
    let is_static = target("FEATURE").split(',').any(|feature| feature == "crt-static");
    let wants_pie = std::env::var_os("CARGO_FEATURE_PIE").is_some();
    if target("OS") == "linux" && target("ENV") == "gnu" && !is_static && !wants_pie {
        println!("cargo::rustc-link-arg-bin=adit=-no-pie");
    }
}
