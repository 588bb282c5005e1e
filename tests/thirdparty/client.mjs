// One session of `@modelcontextprotocol/sdk` against a Gortex server, over stdio, the daemon's proxy, or Streamable HTTP.
//
// Usage: node client.mjs GORTEX REPO stdio|proxy|http URL?
//
// The same script as client.py; prints one line of JSON with what was checked.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const [program, repo, road, url] = process.argv.slice(2);
const said = (result) => JSON.parse(result.content[0].text);
const transport =
  road === "http"
    ? new StreamableHTTPClientTransport(new URL(url))
    : new StdioClientTransport({
        command: program,
        args: road === "stdio" ? ["mcp"] : ["mcp", "--proxy"],
        cwd: repo,
        env: { ...process.env, GORTEX_DAEMON: road === "stdio" ? "off" : "on" },
      });

const client = new Client({ name: "typescript-sdk", version: "1" });
await client.connect(transport);
const checked = ["initialize"];
assert.equal(client.getServerVersion().name, "gortex");
assert.ok(client.getInstructions());

const names = (await client.listTools()).tools.map((tool) => tool.name);
assert.equal(names.length, 21);
assert.deepEqual(names, [...names].sort());
checked.push("list_tools");

const call = (name, args) => client.callTool({ name, arguments: args });
await call("workspace_admin", { operation: "track", arguments: { path: repo } });
assert.match(JSON.stringify(said(await call("search", { operation: "symbols", query: "leaf" }))), /leaf/);
checked.push("search");

const before = said(await call("read", { target: { file: "b.py" } }));
const edit = await call("edit", {
  target: { file: "b.py" },
  match: "return 3",
  replacement: "return leaf()",
  guard: { base_sha: before.base_sha },
});
assert.ok(!edit.isError, JSON.stringify(edit));
assert.match(readFileSync(join(repo, "b.py"), "utf8"), /return leaf\(\)/);
const callers = said(await call("relations", { operation: "callers", target: { symbol: "leaf" } }));
assert.match(JSON.stringify(callers.edges), /b\.py::other/);
checked.push("edit");

const refused = await call("relations", { operation: "callerz" });
assert.ok(refused.isError);
assert.equal(said(refused).error_code, "invalid_argument");
checked.push("refusal");

const several = await Promise.all(Array.from({ length: 8 }, () => call("search", { operation: "symbols", query: "root" })));
assert.equal(new Set(several.map((result) => result.content[0].text)).size, 1);
checked.push("concurrent");

const aborted = new AbortController();
const late = client.callTool({ name: "explore", arguments: { operation: "task", task: "leaf" } }, undefined, {
  signal: aborted.signal,
});
aborted.abort("changed my mind");
await late.then(
  () => {},
  () => {},
);
await client.ping();
checked.push("cancel", "ping");
await client.close();
console.log(JSON.stringify({ client: "@modelcontextprotocol/sdk", road, checked }));
