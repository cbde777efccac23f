"""LangChain's MCP adapters: the server's tools as LangChain tools."""

import asyncio
import json
import sys

from langchain_mcp_adapters.client import MultiServerMCPClient


async def main(url: str, token: str) -> None:
    headers = {"Authorization": f"Bearer {token}"}
    client = MultiServerMCPClient({"memory": {"transport": "streamable_http", "url": url, "headers": headers}})
    tools = {tool.name: tool for tool in await client.get_tools()}
    await tools["remember"].ainvoke({"content": "I keep bees on the roof"})
    answer = await tools["search_memory"].ainvoke({"query": "bees"})
    print(json.dumps({"tools": list(tools), "answer": str(answer)}))


asyncio.run(main(*sys.argv[1:]))
