//! `--bisect-vars`: what halving a range has found out, for a shell.

use std::io::Write;

use adit_revision::Bisection;

use crate::context::Context;
use crate::error::Error;

/// Writes the variables.
pub(super) fn write_vars(ctx: &mut Context<'_>, bisection: &Bisection) -> Result<(), Error> {
    let Some(best) = bisection.best else { return Ok(()) };
    let (all, reached) = (i128::from(bisection.all), i128::from(bisection.reached));
    let left = (all - reached).max(reached) - 1;
    let out = &mut ctx.streams.out;
    writeln!(out, "bisect_rev='{best}'\nbisect_nr={left}\nbisect_good={}", all - reached - 1)?;
    writeln!(out, "bisect_bad={}\nbisect_all={all}\nbisect_steps={}", reached - 1, steps(bisection.all))?;
    Ok(())
}

/// About how many tests are left once the next has been made.
fn steps(all: u64) -> u32 {
    if all < 3 {
        return 0;
    }
    // A range of 2^n + x commits takes n tests, or n - 1 with luck, which is likelier than not below 2^n * 3/2.
    let n = all.ilog2();
    let (power, rest) = (1u64 << n, all - (1u64 << n));
    if power < 3 * rest { n } else { n - 1 }
}
