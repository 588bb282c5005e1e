"""The one MCP client of the benchmarks: a child that speaks line-delimited JSON-RPC."""

import json
import subprocess


class Mcp:
    """A child that has shaken hands."""

    def __init__(self, command, cwd, env):
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL, "text": True}
        self.child = subprocess.Popen(command, cwd=cwd, env=env, **pipes)
        self.next = 0
        client = {"name": "bench", "version": "1"}
        self.ask("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client})
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def send(self, message):
        self.child.stdin.write(json.dumps(message) + "\n")
        self.child.stdin.flush()

    def ask(self, method, params):
        self.next += 1
        self.send({"jsonrpc": "2.0", "id": self.next, "method": method, "params": params})
        while True:
            line = self.child.stdout.readline()
            if not line:
                raise RuntimeError("the server ended")
            try:
                message = json.loads(line)
            except ValueError:
                continue
            if message.get("id") == self.next and "method" not in message:
                return message

    def text(self, tool, arguments):
        """The text of a tool's answer."""
        reply = self.ask("tools/call", {"name": tool, "arguments": arguments})
        blocks = reply.get("result", {}).get("content", [])
        return "".join(block.get("text", "") for block in blocks)

    def close(self):
        try:
            self.child.stdin.close()
            self.child.wait(10)
        except (OSError, subprocess.TimeoutExpired):
            self.child.kill()
            self.child.wait()
