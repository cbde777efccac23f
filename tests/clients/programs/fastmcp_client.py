"""fastmcp: connect, list, call."""

import asyncio
import json
import sys

from fastmcp import Client
from fastmcp.client.transports import StreamableHttpTransport


async def main(url: str, token: str) -> None:
    async with Client(StreamableHttpTransport(url, headers={"Authorization": f"Bearer {token}"})) as client:
        tools = [tool.name for tool in await client.list_tools()]
        await client.call_tool("remember", {"content": "I keep bees on the roof"})
        found = await client.call_tool("search_memory", {"query": "bees"})
    print(json.dumps({"tools": tools, "answer": "".join(block.text for block in found.content)}))


asyncio.run(main(*sys.argv[1:]))
