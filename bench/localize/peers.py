"""The peers that install from npm, each as its own manual says a task is put to it.

    mkdir PEERS && cd PEERS && npm install @colbymchenry/codegraph@1.6.1 @optave/codegraph@3.11.2 gitnexus@1.6.12

Knows their command lines. They write their index into the checkout, so each gets a copy of its own.
"""

import os
import shutil
import subprocess
import time

ENV = {**os.environ, "DO_NOT_TRACK": "1", "CODEGRAPH_TELEMETRY": "0", "NO_COLOR": "1", "CI": "1"}


class Peer:
    """A command that indexes a folder, and one that answers."""

    def __init__(self, name, entry, work, index, ask):
        self.name, self.entry, self.work, self.index, self.ask = name, entry, work, index, ask

    def run(self, arguments, cwd, seconds):
        return subprocess.run(
            ["node", str(self.entry), *arguments], cwd=cwd, env=ENV, capture_output=True, text=True, errors="replace",
            timeout=seconds, stdin=subprocess.DEVNULL,
        )

    def place(self, task, root):
        return self.work / "state" / self.name / task.key / root.name

    def prepare(self, task, root):
        place = self.place(task, root)
        if place.with_name("ready").exists():
            return
        shutil.rmtree(place.parent, ignore_errors=True)
        shutil.copytree(root, place, symlinks=True)
        done = self.run(self.index, place, 900)
        if done.returncode != 0:
            raise RuntimeError(f"indexing: {(done.stderr or done.stdout)[-200:]}")
        place.with_name("ready").touch()

    def answer(self, task, root):
        place = self.place(task, root)
        start = time.perf_counter()
        done = self.run([*self.ask, task.text], place, 300)
        took = time.perf_counter() - start
        if done.returncode != 0:
            raise RuntimeError(f"asking: {(done.stderr or done.stdout)[-200:]}")
        shutil.rmtree(place.parent, ignore_errors=True)
        return done.stdout.replace(str(place) + "/", ""), took


# name, package, entry, how it indexes, how it is asked
KNOWN = [
    ("colbymchenry-explore", "@colbymchenry/codegraph/npm-shim.js", ["init", "."], ["explore"]),
    ("colbymchenry-context", "@colbymchenry/codegraph/npm-shim.js", ["init", "."], ["context"]),
    ("gitnexus", "gitnexus/dist/cli/index.js", ["analyze", "--skip-git", "."], ["query"]),
]


def installed(folder, work):
    """The peers that are there."""
    modules = folder.resolve() / "node_modules"
    return [Peer(name, modules / entry, work, index, ask) for name, entry, index, ask in KNOWN if (modules / entry).exists()]
