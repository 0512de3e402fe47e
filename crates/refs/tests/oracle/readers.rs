//! Readers beside a writer that packs, removes and makes references again: what exists is never missed.

use std::sync::atomic::{AtomicBool, Ordering};

use adit_refs::{Edit, NoHook, PackOptions, WriteOptions};
use adit_testkit::Repo;

use super::open;

#[test]
fn what_exists_is_never_missed() {
    const STAYING: usize = 30;
    let repo = Repo::new("sha1");
    repo.commit("one").commit("two");
    let git_dir = repo.git_dir();
    let store = || open(&git_dir, &git_dir, "sha1");
    let [a, b] = ["HEAD", "HEAD~1"].map(|name| {
        let hex = repo.git(&["rev-parse", name]);
        adit_object::ObjectId::from_hex(adit_object::ObjectFormat::Sha1, hex.trim().as_bytes()).unwrap()
    });
    let options = WriteOptions::new("A <a@b> 1 +0000");
    let change = |edits: &mut dyn Iterator<Item = Edit>| {
        let store = store();
        let mut transaction = store.transaction(&options);
        edits.for_each(|edit| transaction.add(edit));
        transaction.commit(&mut NoHook).unwrap();
    };
    let staying = |n: usize| format!("refs/tags/stays/{n}");
    change(&mut (0..STAYING).map(|n| Edit::set(staying(n), a)));
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let readers: Vec<_> = (0..2)
            .map(|_| {
                scope.spawn(|| {
                    let store = store();
                    let mut rounds = 0;
                    while !done.load(Ordering::Relaxed) || rounds == 0 {
                        let listed = store.iter(b"refs/tags/stays/").unwrap().map(|found| found.unwrap());
                        assert_eq!(listed.count(), STAYING);
                        for n in 0..STAYING {
                            let found = store.resolve(staying(n).as_bytes()).unwrap();
                            let found = found.unwrap_or_else(|| panic!("{} is missing", staying(n)));
                            assert!(found.id == a || found.id == b);
                        }
                        rounds += 1;
                    }
                })
            })
            .collect();
        // Should the writer fail, the readers end too.
        let finish = Finish(&done);
        for round in 0..40 {
            let id = if round % 2 == 0 { b } else { a };
            change(&mut (0..STAYING).filter(|n| n % 3 == round % 3).map(|n| Edit::set(staying(n), id)));
            change(&mut (0..10).map(|n| Edit::set(format!("refs/tags/goes/{n}"), id)));
            let all = PackOptions { all: true, ..PackOptions::default() };
            let report = store().pack(&all, &options).unwrap();
            assert!(report.kept.is_empty() && report.missing.is_empty());
            change(&mut (0..10).map(|n| Edit::delete(format!("refs/tags/goes/{n}"))));
        }
        drop(finish);
        readers.into_iter().for_each(|reader| reader.join().unwrap());
    });
}

struct Finish<'d>(&'d AtomicBool);

impl Drop for Finish<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}
