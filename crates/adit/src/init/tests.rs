use super::*;

fn options(git_dir: PathBuf) -> InitOptions {
    InitOptions {
        git_dir,
        separate: None,
        bare: false,
        work_tree: None,
        template: Template::BuiltIn,
        object_format: None,
        ref_storage: None,
        sharing: None,
        initial_branch: Some("main".into()),
    }
}

fn environment(dir: &Path) -> Environment {
    let mut env = Environment::empty(dir);
    env.set("GIT_CONFIG_NOSYSTEM", "1");
    env
}

fn folder(path: PathBuf) -> Template {
    Template::Folder { shown: path.clone(), path }
}

#[test]
fn what_is_made_is_a_repository_and_stays_one() {
    let dir = tempfile::tempdir().unwrap();
    let top = fs::canonicalize(dir.path()).unwrap();
    let env = environment(&top);
    let mut wanted = options(top.join(".git"));
    wanted.object_format = Some(ObjectFormat::Sha256);
    let mut notices = Vec::new();
    let made = init(&env, &wanted, &mut |notice| notices.push(notice)).unwrap();
    assert!(!made.was_there && notices.is_empty());
    let repo = crate::Repository::open(&top).unwrap();
    assert_eq!(repo.object_format(), ObjectFormat::Sha256);
    assert_eq!(fs::read(top.join(".git/HEAD")).unwrap(), b"ref: refs/heads/main\n");

    let config = fs::read(top.join(".git/config")).unwrap();
    wanted.initial_branch = Some("other".into());
    let again = init(&env, &wanted, &mut |notice| notices.push(notice)).unwrap();
    assert!(again.was_there);
    assert_eq!(notices, [Notice::BranchIgnored("other".into())]);
    assert_eq!(fs::read(top.join(".git/config")).unwrap(), config);

    wanted.object_format = Some(ObjectFormat::Sha1);
    assert!(matches!(init(&env, &wanted, &mut |_| ()), Err(InitError::DifferentHash)));
}

#[test]
fn a_template_is_copied_but_for_hidden_files() {
    let dir = tempfile::tempdir().unwrap();
    let top = fs::canonicalize(dir.path()).unwrap();
    let template = top.join("template");
    fs::create_dir_all(template.join("sub")).unwrap();
    for name in ["a", ".hidden", "sub/b"] {
        fs::write(template.join(name), name).unwrap();
    }
    let mut wanted = options(top.join("x.git"));
    (wanted.bare, wanted.template) = (true, folder(template));
    init(&environment(&top), &wanted, &mut |_| ()).unwrap();
    assert_eq!(fs::read(top.join("x.git/sub/b")).unwrap(), b"sub/b");
    assert!(!top.join("x.git/.hidden").exists() && !top.join("x.git/info").exists());
    wanted.template = folder(top.join("none"));
    let mut notices = Vec::new();
    init(&environment(&top), &wanted, &mut |notice| notices.push(notice)).unwrap();
    assert_eq!(notices[0], Notice::NoTemplates(top.join("none")));
}
