"""Runs the localization benchmark and prints its tables in Markdown.

    python3 bench/localize/run.py --gortex target/release/gortex [--peers DIR] [--only tuning,held-out,unseen] [--tools ...]

Answers are kept as files below the work folder and asked again only with `--fresh`; that of a peer takes minutes to make.
"""

import argparse
import json
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import tasks as task_list
import tools

RANKS = (1, 5, 10)


def judge(task, root, text):
    """Shares of the changed files among the first files that the answer names."""
    files = tools.named_files(text, tools.files_of(root), root)
    truth = set(task.truth)
    row = {f"r{at}": len(truth & set(files[:at])) / len(truth) for at in RANKS}
    row |= {f"h{at}": float(bool(truth & set(files[:at]))) for at in RANKS}
    # What could be reached at best: a task that changed seven files can't be whole within five.
    row |= {f"c{at}": min(at, len(truth)) / len(truth) for at in RANKS}
    row["files"] = files[:10]
    return row


def ask(tool, task, work, mirrors, fresh):
    kept = work / "answers" / tool.name / f"{task.key}.json"
    if kept.exists() and not fresh:
        return json.loads(kept.read_text())
    root = task_list.tree(task, work, mirrors)
    try:
        tool.prepare(task, root)
        text, took = tool.answer(task, root)
        error = ""
    except Exception as problem:  # a peer that fails has given no answer, and that is counted
        text, took, error = "", 0.0, repr(problem)[:300]
    row = judge(task, root, text)
    row |= {"bytes": len(text.encode()), "ms": took * 1e3, "error": error}
    kept.parent.mkdir(parents=True, exist_ok=True)
    kept.write_text(json.dumps(row))
    kept.with_suffix(".txt").write_text(text)
    return row


def mean(values):
    values = list(values)
    return sum(values) / len(values) if values else float("nan")


def table(title, rows_by_tool):
    print(f"\n**{title}**\n")
    print("| tool | tasks | recall@1 | recall@5 | recall@10 | any file in 5 | bytes, mean (p95) | tokens, about | ms p50 | no answer |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    for name, rows in rows_by_tool.items():
        sizes = sorted(row["bytes"] for row in rows)
        times = sorted(row["ms"] for row in rows)
        print(
            f"| {name} | {len(rows)} | {mean(r['r1'] for r in rows):.2f} | **{mean(r['r5'] for r in rows):.3f}** | "
            f"{mean(r['r10'] for r in rows):.2f} | {mean(r['h5'] for r in rows):.2f} | {mean(sizes):.0f} "
            f"({sizes[min(len(sizes) - 1, len(sizes) * 95 // 100)]}) | {mean(sizes) / 4:.0f} | {times[len(times) // 2]:.0f} | "
            f"{sum(bool(r['error']) or not r['bytes'] for r in rows)} |"
        )


def main():
    parse = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parse.add_argument("--gortex", default="target/release/gortex")
    parse.add_argument("--peers", help="folder whose node_modules holds the peers")
    parse.add_argument("--work", default="/tmp/gortex-localize")
    parse.add_argument("--mirrors", help="folder of bare repositories; cloned into the work folder when not given")
    parse.add_argument("--only", help="splits or repositories, separated by commas")
    parse.add_argument("--tools", help="tools to ask, separated by commas; all that are there when not given")
    parse.add_argument("--fresh", help="tools whose kept answers are thrown away, separated by commas")
    parse.add_argument("--detail", action="store_true", help="a line per task and tool on stderr")
    args = parse.parse_args()
    work = Path(args.work)
    mirrors = Path(args.mirrors) if args.mirrors else work / "mirrors"
    asked = [
        tools.Gortex(str(Path(args.gortex).resolve()), work),
        tools.Floor("ripgrep", counted=False, code=False),
        tools.Floor("ripgrep-code", counted=False, code=True),
        tools.Floor("ripgrep-bm25-code", counted=True, code=True),
    ]
    if args.peers:
        import peers

        asked += peers.installed(Path(args.peers), work)
    if args.tools:
        asked = [tool for tool in asked if tool.name in args.tools.split(",")]
    fresh = (args.fresh or "").split(",")
    chosen = task_list.load(work, mirrors, args.only.split(",") if args.only else None)
    groups = {}
    for tool in asked:
        for task in chosen:
            row = ask(tool, task, work, mirrors, tool.name in fresh)
            groups.setdefault(task.split, {}).setdefault(tool.name, []).append(row)
            groups.setdefault(f"{task.repo}", {}).setdefault(tool.name, []).append(row)
            if args.detail:
                print(f"{tool.name}\t{task.split}\t{task.repo}\t{row['r5']:.2f}\t{task.text}\t{task.truth}\t{row['files'][:5]} {row['error']}",
                      file=sys.stderr)
    print(f"{len(chosen)} tasks; {time.strftime('%Y-%m-%d')}")
    for split in ("tuning", "held-out", "unseen", "fresh"):
        if split in groups:
            table(split, groups.pop(split))
    for name, rows in groups.items():
        table(name, rows)


if __name__ == "__main__":
    main()
