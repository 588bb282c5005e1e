#!/usr/bin/env bash
# One row of the accuracy table: truth for a corpus, our edges, the comparison.
#
#   run.sh LANGUAGE CORPUS [compare.py options]
#
# LANGUAGE is python, typescript, rust, go, java, c or cpp. Truth and edges are written to $WORK (default /tmp/gortex-accuracy) and
# truth is made once: remove it there to make it again. See README.md for what each language needs.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
language=$1
corpus=$(cd "$2" && pwd)
shift 2
work=${WORK:-/tmp/gortex-accuracy}
mkdir -p "$work"
name=$(basename "$corpus")
truth=$work/$name.tsv
node=${SCIP_NODE:-$work/node_modules/.bin}
if [ ! -s "$truth" ]; then
  case $language in
    python) (cd "$corpus" && "$node/scip-python" index . --project-name "$name" --project-version 1 --output "$work/$name.scip") >&2 ;;
    typescript) (cd "$corpus" && "$node/scip-typescript" index --output "$work/$name.scip") >&2 ;;
    rust)
      echo '{"cargo":{"features":"all","cfgs":["debug_assertions"],"buildScripts":{"enable":true}}}' >"$work/rust-analyzer.json"
      (cd "$corpus" && CARGO_TARGET_DIR="$work/target-$name" rust-analyzer scip . --config-path "$work/rust-analyzer.json" \
        --output "$work/$name.scip") >&2
      ;;
    go) (cd "$here/gotruth" && go run . "$corpus") >"$truth" ;;
    java)
      mapfile -t folders < <(cd "$corpus" && find . -type d \( -path '*/src/main/java' -o -path '*/src/test/java' \) | sort)
      java "$here/JavaTruth.java" "$corpus" "${JAVA_SOURCES:-${folders[@]}}" >"$truth"
      ;;
    c | cpp) python3 "$here/clang_truth.py" "$corpus" ${CLANG_SOURCES:-.} -- ${CLANG_ARGUMENTS:-} >"$truth" ;;
    *) echo "no truth for $language" >&2 && exit 2 ;;
  esac
  case $language in
    python | typescript | rust) python3 "$here/scip_truth.py" "$work/$name.scip" "$corpus" >"$truth" ;;
  esac
fi
bench=${GORTEX_BENCH:-"cargo run --quiet --release --manifest-path $here/../../Cargo.toml -p gortex-bench --"}
$bench edges "$corpus" >"$work/$name.edges"
python3 "$here/compare.py" "$corpus" "$truth" "$work/$name.edges" "$@"
