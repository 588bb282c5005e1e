"""The tools that are asked, each behind the same face: a task and a checkout in, the text of an answer out.

An answer is judged as an agent reads it: files in the order in which the text first names them by their whole path. How
a tool marks or words them does not matter.
"""

import math
import os
import re
import shutil
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from mcp_client import Mcp  # noqa: E402

TOKEN = re.compile(r"[^\s`'\"(),;:<>\[\]{}|=]+")

STOP = set(
    "a an and are as at be by do does for from has have if in into is it its no not of on only or so than that the their "
    "then there this to was when where which will with without use used using add added adds fix fixed fixes make makes "
    "set support remove removed instead allow new should can could don doesn".split()
)


def named_files(text, known, root):
    """Files of the checkout in the order of their first mention."""
    found, prefix = [], str(root) + "/"
    seen = set()
    for match in TOKEN.finditer(text.replace("\\/", "/").replace("\\n", "\n").replace(prefix, "")):
        word = match.group().lstrip("./").rstrip(".")
        if word not in known and "#" in word:
            word = word.split("#")[0]
        if word in known and word not in seen:
            seen.add(word)
            found.append(word)
    return found


def files_of(root):
    rows = subprocess.run(
        ["rg", "--files", "--hidden", "--no-ignore"], cwd=root, capture_output=True, text=True, check=True
    ).stdout.splitlines()
    return set(rows)


class Gortex:
    """`explore` of our own server, as an agent calls it: the task and nothing else."""

    name = "gortex"

    def __init__(self, binary, work):
        self.binary, self.work = binary, work

    def start(self, task, root):
        home = self.work / "state" / self.name / task.key
        home.mkdir(parents=True, exist_ok=True)
        env = {key: value for key, value in os.environ.items() if key != "GORTEX_TOOLS"}
        env["GORTEX_DAEMON"] = "off"
        for key in ("HOME", "GORTEX_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"):
            env[key] = str(home)
        return Mcp([self.binary, "mcp", "--index", str(root)], home, env)

    def prepare(self, task, root):
        pass

    def answer(self, task, root):
        server = self.start(task, root)
        try:
            server.text("workspace", {"operation": "index"})
            # On a busy machine the first index may take longer than a call waits for it: then it is asked again.
            for _ in range(30):
                start = time.perf_counter()
                text = server.text("explore", {"task": task.text})
                took = time.perf_counter() - start
                if '"condition":"index_not_ready"' not in text and '"error_code":"timeout"' not in text:
                    return text, took
            raise RuntimeError("the index was never ready")
        finally:
            server.close()


class Floor:
    """Plain ripgrep: words of the task by their rarity over files, ten paths given back.

    `counted` weighs how often a word occurs and how long the file is, as BM25 does; `code` leaves tests, prose and data
    out. The plainest is the floor; the others show what it could be at most.
    """

    def __init__(self, name, counted, code):
        self.name, self.counted, self.code = name, counted, code

    def prepare(self, task, root):
        pass

    def answer(self, task, root):
        from tasks import is_source

        start = time.perf_counter()
        files = [path for path in files_of(root) if not self.code or is_source(path)]
        words = []
        for word in re.findall(r"[A-Za-z][A-Za-z0-9_]+", task.text):
            if word.lower() not in STOP and len(word) > 2 and word.lower() not in words:
                words.append(word.lower())
        wanted, scores = set(files), Counter()
        size = {path: (root / path).stat().st_size if (root / path).is_file() else 0 for path in files}
        average = sum(size.values()) / max(len(files), 1)
        for word in words:
            run = subprocess.run(
                ["rg", "-iF", "--hidden", "--no-ignore", "--count-matches", "-0", "--", word, "."],
                cwd=root, capture_output=True, text=True, errors="replace",
            )
            counts = {}
            for row in run.stdout.splitlines():
                path, _, count = row.partition("\0")
                path = path[2:]
                if path in wanted:
                    counts[path] = int(count)
            for path in files:
                if word in path.lower():
                    counts[path] = counts.get(path, 0) + 1
            rarity = math.log(1 + len(files) / (1 + len(counts)))
            for path, count in counts.items():
                long = 0.25 + 0.75 * size[path] / max(average, 1)
                scores[path] += rarity * (count * 2.2 / (count + 1.2 * long) if self.counted else 1.0)
        best = sorted(scores.items(), key=lambda row: (-row[1], row[0]))[:10]
        return "\n".join(path for path, _ in best), time.perf_counter() - start
