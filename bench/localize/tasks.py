"""Tasks from git history: which commits become a task, what its text is, which files are its answer.

Knows git and the selection rule; knows no tool that is asked. The rule is in README.md and looks at nothing but the
commit: no task is taken or left because of what a tool answers to it.
"""

import hashlib
import json
import re
import shutil
import subprocess
from dataclasses import asdict, dataclass
from pathlib import Path

# name: (GitHub address, tasks wanted). The first group is split in a tuning and a held-out half. The second was not looked
# at while the first ranking was made, but its misses were before the second; the third was chosen after that ranking's
# weights were, and neither its tasks nor its code took part in anything.
SPLIT = {
    "gin": ("gin-gonic/gin", 20),
    "flask": ("pallets/flask", 20),
    "ripgrep": ("BurntSushi/ripgrep", 20),
    "express": ("expressjs/express", 20),
    "tokio": ("tokio-rs/tokio", 20),
    "redis": ("redis/redis", 20),
}
UNSEEN = {
    "gson": ("google/gson", 10),
    "sinatra": ("sinatra/sinatra", 10),
    "hono": ("honojs/hono", 10),
    "requests": ("psf/requests", 10),
    "cobra": ("spf13/cobra", 10),
    "okio": ("square/okio", 10),
}

FRESH = {
    "click": ("pallets/click", 10),
    "serde-json": ("serde-rs/json", 10),
    "axios": ("axios/axios", 10),
    "spdlog": ("gabime/spdlog", 10),
    "chi": ("go-chi/chi", 10),
    "moshi": ("square/moshi", 10),
    "guzzle": ("guzzle/guzzle", 10),
    "polly": ("App-vNext/Polly", 10),
}
# More languages to choose weights on: all of it is tuning.
WIDER = {
    "zod": ("colinhacks/zod", 10),
    "fmt": ("fmtlib/fmt", 10),
    "cjson": ("DaveGamble/cJSON", 10),
    "slim": ("slimphp/Slim", 10),
    "plug": ("elixir-plug/plug", 10),
    "http": ("dart-lang/http", 10),
    "luarocks": ("luarocks/luarocks", 10),
    "alamofire": ("Alamofire/Alamofire", 10),
    "scala-xml": ("scala/scala-xml", 10),
    "zustand": ("pmndrs/zustand", 10),
    "zls": ("zigtools/zls", 10),
}
GROUPS = ((SPLIT, ""), (UNSEEN, "unseen"), (FRESH, "fresh"), (WIDER, "wider"))

NEWEST = 1500
MOST_FILES = 8
LEAST_WORDS = 4

SOURCE = set(
    "c h cc cpp cxx hpp hh cs go rs py pyi js cjs mjs jsx ts tsx mts cts java kt kts rb php swift scala lua ex exs sh "
    "dart zig ml mli hs".split()
)
TEST = re.compile(
    r"(^|/)(tests?|__tests__|spec|testdata|fixtures|testing|jvmTest|commonTest|[a-z-]*tests)(/|$)"
    r"|(^|/)test_[^/]*$|[._-](test|tests|spec|bench)\.[a-z]+$|(Test|Tests|Spec)\.[a-z]+$|(^|/)(test|tests)\.[a-z]+$",
    re.ASCII,
)
ASIDE = re.compile(r"(^|/)(docs?|examples?|samples?|bench(es|marks?)?|vendor|third_party|deps|node_modules|\.github)(/|$)")
LEFT_OUT = re.compile(
    r"^(merge|revert|release|bump|update (version|changelog|history|authors|readme|dependenc)|version|prepare|changelog|typo|"
    r"(docs?|ci|build|chore|style|test|tests|deps|release|pkg|changelog|readme|benchmarks?)\b[^:]{0,24}:|v?\d+\.\d+|deps\b|\W*$)"
    r"|\btypos?\b|\bbump\b|\bchangelog\b|\breadme\b|\bgofmt\b|\brustfmt\b|\bclippy\b|\blint(er|ing|s)?\b|\bformatting\b"
    r"|\bspelling\b|\bstyle\b|\bci skip\b|^document\b|\bunit tests?\b|\bversion to\b|\bprepare\b|\bcopyright\b|\bcomments?\b|\bdocs?\b|\bdocumentation\b|\bupgrade\b|\brelease\b",
    re.I,
)


@dataclass
class Task:
    repo: str
    commit: str
    parent: str
    text: str
    truth: list
    tests: list
    split: str

    @property
    def key(self):
        return f"{self.repo}-{self.commit[:10]}"


def git(folder, *args):
    return subprocess.run(
        ["git", f"--git-dir={folder}", *args], check=True, capture_output=True, text=True, errors="replace"
    ).stdout


def is_test(path):
    return bool(TEST.search(path))


def is_source(path):
    return path.rsplit(".", 1)[-1] in SOURCE and not is_test(path) and not ASIDE.search(path)


def subject_text(subject):
    """The subject without references to issues: a number names nothing in the code."""
    return re.sub(r"\s*\(?#\d+\)?", "", subject).strip()


def changed(folder, commit):
    """Paths of the parent that the commit changes or removes, and how many files it touches in all."""
    rows = git(folder, "diff-tree", "-r", "-M", "--no-commit-id", "--name-status", "-z", commit).split("\0")
    before, total, at = [], 0, 0
    while at + 1 < len(rows):
        status = rows[at]
        total += 1
        if status[0] in "RC":
            before.append(rows[at + 1])
            at += 3
        else:
            if status[0] in "MDT":
                before.append(rows[at + 1])
            at += 2
    return before, total


def select(name, folder, wanted, split, newest):
    """The tasks of one repository, by the rule."""
    lines = git(folder, "log", "--no-merges", f"-n{NEWEST}", "--format=%H%x09%P%x09%s", newest).splitlines()
    lines.sort(key=lambda line: hashlib.sha256(line[:40].encode()).hexdigest())
    tasks = []
    for line in lines:
        if len(tasks) == wanted:
            break
        commit, parents, subject = line.split("\t", 2)
        text = subject_text(subject)
        if " " in parents or not parents or LEFT_OUT.search(text) or len(text.split()) < LEAST_WORDS:
            continue
        before, total = changed(folder, commit)
        truth = sorted(path for path in before if is_source(path))
        if not truth or total > MOST_FILES:
            continue
        half = split or ("tuning" if int(commit[-1], 16) % 2 == 0 else "held-out")
        tests = sorted(path for path in before if is_test(path))
        tasks.append(Task(name, commit, parents, text, truth, tests, half))
    return tasks


def mirror(address, mirrors):
    """A bare repository that is there, or a clone."""
    known = mirrors / address.replace("/", "+") / "repo"
    if known.exists():
        return known
    mine = mirrors / (address.replace("/", "+") + ".git")
    if not mine.exists():
        mirrors.mkdir(parents=True, exist_ok=True)
        subprocess.run(["git", "clone", "--quiet", "--bare", f"https://github.com/{address}", str(mine)], check=True)
    return mine


def load(work, mirrors, only=None):
    """All tasks, from `tasks.json` beside this file: what the rule chose, pinned so that a later run asks the same.

    A repository that the file does not know yet is added; what it knows stays as it is.
    """
    path = Path(__file__).with_name("tasks.json")
    tasks = [Task(**row) for row in json.loads(path.read_text())] if path.exists() else []
    known = {task.repo for task in tasks}
    missing = [(name, *row, split) for group, split in GROUPS for name, row in group.items() if name not in known]
    for name, address, wanted, split in missing:
        tasks += select(name, mirror(address, mirrors), wanted, split, "HEAD")
    if missing:
        path.write_text(json.dumps([asdict(task) for task in tasks], indent=1, ensure_ascii=False) + "\n")
    return [task for task in tasks if only is None or task.split in only or task.repo in only]


def tree(task, work, mirrors):
    """The files at the task's parent, laid out without their history."""
    address = next(group[task.repo][0] for group, _ in GROUPS if task.repo in group)
    place = work / "trees" / task.key / task.repo
    if not place.exists():
        part = place.with_name("part")
        shutil.rmtree(part, ignore_errors=True)
        part.mkdir(parents=True)
        archive = subprocess.Popen(
            ["git", f"--git-dir={mirror(address, mirrors)}", "archive", task.parent], stdout=subprocess.PIPE
        )
        subprocess.run(["tar", "-x", "-C", str(part)], stdin=archive.stdout, check=True)
        if archive.wait() != 0:
            raise RuntimeError(f"no archive of {task.parent} of {address}")
        part.rename(place)
    return place
