//! One target under libFuzzer: `ADIT_FUZZ=pack cargo +nightly fuzz run --features libfuzzer one`.

#![no_main]

use std::cell::OnceCell;

use adit_fuzz::{Fixture, TARGETS, Target};

thread_local! {
    static STATE: OnceCell<(Fixture, &'static Target)> = const { OnceCell::new() };
}

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    STATE.with(|state| {
        let (fixture, target) = state.get_or_init(|| {
            let name = std::env::var("ADIT_FUZZ").expect("ADIT_FUZZ names a target");
            let target = TARGETS.iter().find(|target| target.name == name).expect("a target of that name");
            (Fixture::new(), target)
        });
        (target.run)(fixture, data);
    });
});
