"""One session of the Python `mcp` package against a Gortex server, over stdio, the daemon's proxy, or Streamable HTTP.

Usage: client.py GORTEX REPO stdio|proxy|http URL?

Reads, searches, edits a file and sees the graph follow, gets a structured refusal, lists twice and compares. Prints one line
of JSON: what was checked. Any surprise is an exception and so a failure.
"""

import asyncio
import json
import os
import sys

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

try:
    from mcp.client.streamable_http import streamable_http_client as http_client
except ImportError:
    from mcp.client.streamable_http import streamablehttp_client as http_client


def said(result):
    """The text block of an answer, as data."""
    assert result.content and result.content[0].type == "text", result
    return json.loads(result.content[0].text)


async def script(session, repo):
    checked = []
    hello = await session.initialize()
    info = getattr(hello, "serverInfo", None) or hello.server_info
    assert info.name == "gortex", hello
    assert hello.instructions, hello
    checked.append("initialize")

    tools = (await session.list_tools()).tools
    names = [tool.name for tool in tools]
    assert len(names) == 21 and names == sorted(names), names
    again = (await session.list_tools()).tools
    assert [tool.model_dump() for tool in tools] == [tool.model_dump() for tool in again]
    checked.append("list_tools")

    await session.call_tool("workspace_admin", {"operation": "track", "arguments": {"path": repo}})
    found = said(await session.call_tool("search", {"operation": "symbols", "query": "leaf"}))
    assert "leaf" in json.dumps(found), found
    checked.append("search")

    before = said(await session.call_tool("read", {"target": {"file": "a.py"}}))
    edit = await session.call_tool(
        "edit",
        {
            "target": {"file": "a.py"},
            "match": "return 2",
            "replacement": "return leaf()",
            "guard": {"base_sha": before["base_sha"]},
        },
    )
    assert not getattr(edit, "isError", getattr(edit, "is_error", False)), edit
    with open(os.path.join(repo, "a.py"), encoding="utf-8") as file:
        assert "return leaf()" in file.read()
    callers = said(await session.call_tool("relations", {"operation": "callers", "target": {"symbol": "leaf"}}))
    assert callers["edges"][0]["from"].endswith("a.py::root"), callers
    checked.append("edit")

    refused = await session.call_tool("relations", {"operation": "callerz"})
    assert getattr(refused, "isError", getattr(refused, "is_error", False)), refused
    error = said(refused)
    assert error["error_code"] == "invalid_argument" and "callers" in error["data"]["valid_operations"], error
    checked.append("refusal")

    several = await asyncio.gather(
        *(session.call_tool("search", {"operation": "symbols", "query": "root"}) for _ in range(8))
    )
    assert len({result.content[0].text for result in several}) == 1
    checked.append("concurrent")

    await session.send_ping()
    checked.append("ping")
    return checked


async def main():
    program, repo, road = sys.argv[1:4]
    if road == "http":
        async with http_client(sys.argv[4]) as streams:
            async with ClientSession(streams[0], streams[1]) as session:
                checked = await script(session, repo)
    else:
        environment = dict(os.environ, GORTEX_DAEMON="off" if road == "stdio" else "on")
        arguments = ["mcp"] if road == "stdio" else ["mcp", "--proxy"]
        parameters = StdioServerParameters(command=program, args=arguments, cwd=repo, env=environment)
        async with stdio_client(parameters) as streams:
            async with ClientSession(streams[0], streams[1]) as session:
                checked = await script(session, repo)
    print(json.dumps({"client": "python mcp", "road": road, "checked": checked}))


asyncio.run(main())
