#!/bin/sh
# End to end with clients that others wrote: the Python `mcp` package and `@modelcontextprotocol/sdk`.
#
#   tests/thirdparty/run.sh GORTEX
#
# Each client that is installed works a whole session over stdio, the daemon's proxy and Streamable HTTP. One that is not
# installed is skipped, and that is said. `pip install mcp` and `npm install @modelcontextprotocol/sdk` (here) install them.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
program=$(realpath "$1")
top=$(mktemp -d)
export GORTEX_HOME="$top/home"
trap '"$program" daemon stop >/dev/null 2>&1 || true; rm -rf "$top"' EXIT INT TERM

fresh() {
  rm -rf "$top/repo"
  mkdir -p "$top/repo"
  printf 'def leaf():\n    return 1\n\ndef root():\n    return 2\n' > "$top/repo/a.py"
  printf 'from a import leaf\n\ndef other():\n    return 3\n' > "$top/repo/b.py"
  : > "$top/repo/pyproject.toml"
}

url() {
  fresh
  "$program" daemon stop >/dev/null 2>&1 || true
  (cd "$top/repo" && "$program" daemon start --detach --http-addr 127.0.0.1:0 2>/dev/null)
  "$program" daemon status --json | sed 's/.*"http":"\([^"]*\)".*/http:\/\/\1\/mcp/'
}

python=${PYTHON:-python3}
if "$python" -c 'import mcp' 2>/dev/null; then
  for road in stdio proxy; do
    fresh
    "$python" "$here/client.py" "$program" "$top/repo" "$road"
  done
  "$python" "$here/client.py" "$program" "$top/repo" http "$(url)"
else
  echo "skipped: the Python package \`mcp\` is not installed"
fi

if command -v node >/dev/null && (cd "$here" && node -e 'import("@modelcontextprotocol/sdk/client/index.js").catch(() => process.exit(1))' 2>/dev/null); then
  for road in stdio proxy; do
    fresh
    node "$here/client.mjs" "$program" "$top/repo" "$road"
  done
  node "$here/client.mjs" "$program" "$top/repo" http "$(url)"
else
  echo "skipped: the package \`@modelcontextprotocol/sdk\` is not installed in $here"
fi
