//! Shell scripts over several files: who calls what.

use super::tests::check;

const TOOL: &str = r#"
//- bin/tool.sh
source "$(dirname "$0")/../lib/log.sh"
. "${LIB}/net.sh"
main() {
  log_info hi
  fetch
  lonely
  twice
  name
  echo "$log_level"
}
name=1
main
//- lib/log.sh
log_level=1
log_info() { format "$1"; }
//- lib/net.sh
fetch() { log_info fetching; main; }
//- other/a.sh
lonely() { :; }
twice() { :; }
//- other/b.sh
twice() { :; }
log_info() { :; }
log_info
"#;

#[test]
fn sourced_files_share_their_names() {
    check(TOOL, "lib/log.sh::log_info", &["fetch:1 ~", "main:4"]);
    check(TOOL, "lib/net.sh::fetch", &["main:5"]);
    check(TOOL, "bin/tool.sh::main", &["fetch:1 ~", "tool.sh:12"]);
    check(TOOL, "other/b.sh::log_info", &["b.sh:3"]);
}

#[test]
fn a_name_that_is_there_once_is_inferred_and_one_that_is_there_twice_is_not() {
    check(TOOL, "other/a.sh::lonely", &["main:6 ~"]);
    check(TOOL, "other/a.sh::twice", &[]);
    check(TOOL, "other/b.sh::twice", &[]);
    // A variable is no command.
    check(TOOL, "bin/tool.sh::name", &[]);
}
