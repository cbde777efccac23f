"""`python -m benchmarks.floor [--stdio] PORT`: starts a minimal server with the same SDK as ours. Its only tool looks
up a word in a dict.

Its calls take only the time of client, protocol and transport. This time is the minimum for any memory server over MCP
on this machine.
"""

import asyncio
import sys

import uvicorn
from mcp.server import MCPServer
from pydantic import BaseModel

_WORDS = {"tea": "Camellia sinensis", "coffee": "Coffea arabica"}


class Meaning(BaseModel):
    meaning: str


server = MCPServer("floor", log_level="WARNING")


@server.tool()
async def look_up(word: str) -> Meaning:
    """The meaning of a word."""
    return Meaning(meaning=_WORDS.get(word, ""))


def main() -> None:
    if "--stdio" in sys.argv:
        asyncio.run(server.run_stdio_async())
        return
    # The server runs like ours (`tellonce_server.app.http`), so that only the tool's work differs.
    app = server.streamable_http_app(streamable_http_path="/mcp", stateless_http=True)
    uvicorn.run(app, port=int(sys.argv[-1]), http="h11", timeout_keep_alive=75, access_log=False, log_level="warning")


if __name__ == "__main__":
    main()
