"""Us, the peers and `ctags -R` on the same folders, side by side in one run; prints tables in Markdown.

    python3 bench/peers/run.py --gortex target/release/gortex --peers DIR CORPUS...

A CORPUS is a folder of sources. Each tool gets a copy of it, because some write their index into the checkout. CPU time is
user and system time of a process and of all it waited for, as the kernel accounts it (`wait4`); wall times of a busy machine
say little, so the CPU time is the figure to trust. Peers: `npm install @optave/codegraph@3.11.2 @colbymchenry/codegraph@1.6.1`.

Knows command lines and MCP tools of the peers; knows nothing of how they work.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from mcp_client import Mcp  # noqa: E402

ENV = {**os.environ, "DO_NOT_TRACK": "1", "CODEGRAPH_TELEMETRY": "0", "NO_COLOR": "1", "CI": "1", "GORTEX_DAEMON": "off"}


class Cost:
    """What a process cost: CPU seconds, wall seconds, the largest resident memory in MiB."""

    def __init__(self, cpu, wall, peak, code=0):
        self.cpu, self.wall, self.peak, self.code = cpu, wall, peak, code


def finish(child, start):
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    return Cost(usage.ru_utime + usage.ru_stime, time.perf_counter() - start, usage.ru_maxrss / 1024, child.returncode)


def run(command, cwd, env=None):
    start = time.perf_counter()
    quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    return finish(subprocess.Popen(command, cwd=cwd, env=env or ENV, **quiet), start)


class Timed(Mcp):
    """A client that measures what it asks and what its server cost."""

    def __init__(self, command, cwd, env):
        self.start = time.perf_counter()
        super().__init__(command, cwd, env)

    def call(self, tool, arguments):
        """Milliseconds until the answer, and its bytes."""
        start = time.perf_counter()
        text = self.text(tool, arguments)
        return (time.perf_counter() - start) * 1e3, len(text.encode())

    def memory(self):
        status = Path(f"/proc/{self.child.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+)", status).group(1)) / 1024

    def close(self):
        self.child.stdin.close()
        return finish(self.child, self.start)


class Gortex:
    name = "gortex"
    questions = {
        "callers": ("relations", lambda s: {"operation": "callers", "target": {"symbol": s["id"]}}),
        "impact": ("change", lambda s: {"operation": "impact", "target": {"symbol": s["id"]}}),
        "search": ("search", lambda s: {"operation": "symbols", "query": s["name"]}),
    }

    def __init__(self, binary):
        self.binary = binary

    def server(self, place):
        home = place.parent / "home"
        home.mkdir(exist_ok=True)
        keys = ("HOME", "GORTEX_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME")
        return Timed([self.binary, "mcp", "--index", str(place)], home, ENV | {key: str(home) for key in keys})

    def index(self, place):
        server = self.server(place)
        server.call("workspace", {"operation": "graph"})
        return server.close()

    update = index

    def disk(self, place):
        return size(place.parent / "home")


class Npm:
    """A peer that runs on node and keeps its index in the checkout."""

    def __init__(self, name, entry, index, update, serve, questions):
        self.name, self.entry, self.serve, self.questions = name, entry, serve, questions
        self.commands = (index, update)

    def index(self, place):
        return run(["node", self.entry, *self.commands[0]], place)

    def update(self, place):
        return run(["node", self.entry, *self.commands[1]], place)

    def server(self, place):
        return Timed(["node", self.entry, *self.serve], place, ENV)

    def disk(self, place):
        return size(place / ".codegraph")


class Ctags:
    name, questions = "ctags -R", {}

    def index(self, place):
        return run(["ctags", "-R", "-f", "tags", "."], place)

    def update(self, place):
        return self.index(place)

    def disk(self, place):
        return size(place / "tags")


def size(path):
    if path.is_file():
        return path.stat().st_size / 2**20
    return sum(file.stat().st_size for file in path.rglob("*") if file.is_file()) / 2**20


def tools(gortex, peers):
    found = [Gortex(str(Path(gortex).resolve())), Ctags()]
    modules = Path(peers).resolve() / "node_modules" if peers else None
    known = [
        ("optave", "@optave/codegraph/dist/cli.js", ["build", "."], ["build", "."], ["mcp"], {
            "callers": ("query", lambda s: {"name": s["name"], "depth": 1}),
            "impact": ("fn_impact", lambda s: {"name": s["name"]}),
            "search": ("where", lambda s: {"target": s["name"]}),
        }),
        ("colbymchenry", "@colbymchenry/codegraph/npm-shim.js", ["init", "."], ["sync", "."], ["serve", "--mcp"], {
            "search": ("codegraph_explore", lambda s: {"query": s["name"]}),
        }),
    ]
    for name, entry, *rest in known:
        if modules and (modules / entry).exists():
            found.append(Npm(name, str(modules / entry), *rest))
    return found


def samples(gortex, place, wanted):
    """Symbols that are asked about, chosen from ctags so that no tool's own view decides: functions spread over the corpus."""
    rows = subprocess.run(
        ["ctags", "-R", "-f", "-", "--output-format=json", "--fields=+n", "."], cwd=place, capture_output=True, text=True,
        errors="replace", check=True,
    ).stdout.splitlines()
    functions, seen = [], set()
    for row in map(json.loads, rows):
        plain = row.get("kind") in ("function", "func", "method", "member") and re.fullmatch(r"\w{4,}", row["name"])
        if plain and row["name"] not in seen:
            seen.add(row["name"])
            functions.append({"name": row["name"], "file": row["path"].removeprefix("./")})
    functions.sort(key=lambda row: (row["file"], row["name"]))
    step = max(len(functions) // wanted, 1)
    picked = functions[::step][:wanted]
    for row in picked:
        row["id"] = row["name"]
    return picked


def percentile(values, percent):
    values = sorted(values)
    return values[min(len(values) - 1, len(values) * percent // 100)] if values else float("nan")


def edited(place, sample):
    """One more function at the end of a file."""
    path = place / sample["file"]
    text = "\ndef bench_added():\n    return 1\n" if path.suffix == ".py" else "\nfunc benchAdded() int { return 1 }\n"
    with path.open("a") as file:
        file.write(text)


def measure(tool, corpus, work, asked):
    place = work / tool.name.split()[0] / corpus.name
    shutil.rmtree(place.parent, ignore_errors=True)
    shutil.copytree(corpus, place, symlinks=True)
    cold = tool.index(place)
    row = {"cold": cold, "disk": tool.disk(place), "first": float("nan"), "memory": float("nan"), "asked": {}}
    if tool.questions:
        server = tool.server(place)
        first = True
        for word, (name, arguments) in tool.questions.items():
            times, sizes = [], []
            for sample in asked:
                took, count = server.call(name, arguments(sample))
                if first:
                    row["first"], first = (time.perf_counter() - server.start) * 1e3, False
                times.append(took)
                sizes.append(count)
            row["asked"][word] = (percentile(times, 95), percentile(sizes, 50))
        row["memory"] = server.memory()
        server.close()
    row["idle"] = tool.update(place)
    edited(place, asked[0])
    row["edit"] = tool.update(place)
    shutil.rmtree(place.parent, ignore_errors=True)
    return row


def table(corpus, rows):
    print(f"\n**{corpus.name}**\n")
    print("| tool | cold CPU s | × gortex | peak MiB | index MiB | unchanged CPU s | one edit CPU s | first answer ms | callers p95 ms | impact p95 ms | "
          "search p95 ms | MiB answering |")
    print("|" + "---|" * 12)
    base = rows["gortex"]["cold"].cpu if "gortex" in rows else float("nan")
    for name, row in rows.items():
        times = " | ".join(f"{row['asked'][word][0]:.1f}" if word in row["asked"] else "–" for word in ("callers", "impact", "search"))
        number = lambda value, digits=0: "–" if value != value else f"{value:.{digits}f}"
        failed = " (failed)" if row["cold"].code else ""
        print(
            f"| {name}{failed} | {row['cold'].cpu:.2f} | {row['cold'].cpu / base:.2f} | {row['cold'].peak:.0f} | {row['disk']:.1f} | "
            f"{row['idle'].cpu:.2f} | {row['edit'].cpu:.2f} | {number(row['first'])} | {times} | {number(row['memory'])} |"
        )


def main():
    parse = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parse.add_argument("corpora", nargs="+", type=Path)
    parse.add_argument("--gortex", default="target/release/gortex")
    parse.add_argument("--peers", help="folder whose node_modules holds the peers")
    parse.add_argument("--work", default="/tmp/gortex-peers", type=Path)
    parse.add_argument("--samples", default=30, type=int)
    parse.add_argument("--tools", help="tools to measure, separated by commas")
    args = parse.parse_args()
    print(f"{time.strftime('%Y-%m-%d')}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} at the start")
    for corpus in args.corpora:
        asked = samples(args.gortex, corpus, args.samples)
        rows = {}
        for tool in tools(args.gortex, args.peers):
            if args.tools and tool.name not in args.tools.split(","):
                continue
            try:
                rows[tool.name] = measure(tool, corpus, args.work, asked)
            except (RuntimeError, OSError) as problem:
                print(f"{tool.name} on {corpus.name}: {problem}", file=sys.stderr)
        table(corpus, rows)


if __name__ == "__main__":
    main()
