//! What is read from shell scripts.

use crate::facts::testing::{check_facts, shown};
use crate::facts::walker::{ExtractLimits, extract};
use crate::lang::Lang;

#[test]
fn functions_variables_and_commands() {
    check_facts(
        "bash",
        "
source \"$DIR/lib.sh\"
#      ^ import $DIR/lib.sh||
#        ^ value DIR
. ./other.sh
# ^ import ./other.sh||
NAME=$(compute 1)
#<- def variable NAME
#      ^ call compute
readonly LIMIT=3
#        ^ def constant LIMIT
export PATH=$NAME:$PATH
#      ^ def variable PATH
#            ^ value NAME
#                  ^ value PATH
# Starts.
start() {
#<- def function start
  local name=$1 other
  other=2
  NAME=$name
# ^ write NAME
  helper \"$name\" | filter
# ^ call helper
  #                ^ call filter
  \"$name\" run
  trap cleanup EXIT
# ^ call trap
  #    ^ call cleanup
  FOO=1 launch
  #     ^ call launch
  echo \"${LIMIT} $(inner)\"
# ^ call echo
  #       ^ value LIMIT
  #                ^ call inner
  cat <<EOF
# ^ call cat
$(heredoc_call) text
# ^ call heredoc_call
EOF
}
function stop { start; }
#        ^ def function stop
#               ^ call start
alias ll='ls -l'
#     ^ def function ll
for item in a b; do use \"$item\"; done
#                   ^ call use
./script.sh
",
    );
}

#[test]
fn tests_of_bats() {
    check_facts(
        "bash",
        "
load test_helper
#<- call load
#    ^ import test_helper.bash||
setup() { prepare; }
#<- def function setup
#         ^ call prepare
@test \"adds\" {
#     ^ def function adds
  run compute 1
# ^ call run
  #   ^ call compute
  [ \"$status\" -eq 0 ]
  #   ^ value status
}
@test \"fails\" {
#     ^ def function fails
  compute
# ^ call compute
}
",
    );
}

#[test]
fn broken_and_deep_source_is_survived() {
    crate::lang::common::with_stack(|| {
        let bash = Lang::named("bash").expect("bash").compiled();
        for source in ["foo() {", "@test \"x\" {", "source", "alias =", "local", "x=$(", "case x in"] {
            extract(bash, source.as_bytes(), ExtractLimits::default());
        }
        let deep = format!("x={}1{}", "$(f ".repeat(5_000), ")".repeat(5_000));
        extract(bash, deep.as_bytes(), ExtractLimits::default());
        assert!(!shown(&extract(bash, b"a() { b; }", ExtractLimits::default()).view()).is_empty());
    });
}
