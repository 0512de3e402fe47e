//! One module a command: its option table, and a thin `run`.

mod diff_no_index;

pub mod branch;
pub mod cat_file;
pub mod check_attr;
pub mod check_ignore;
pub mod check_ref_format;
pub mod column;
pub mod config;
pub mod count_objects;
pub mod describe;
pub mod diff;
pub mod diff_tree;
pub mod for_each_ref;
pub mod hash_object;
pub mod help;
pub mod init;
pub mod log;
pub mod ls_tree;
pub mod merge_base;
pub mod name_rev;
pub mod pack_refs;
pub mod reflog;
pub mod rev_list;
pub mod rev_parse;
pub mod shortlog;
pub mod show;
pub mod show_index;
pub mod show_ref;
pub mod stripspace;
pub mod symbolic_ref;
pub mod tag;
pub mod update_ref;
pub mod var;
pub mod verify_pack;
pub mod version;
pub mod whatchanged;
