"""openai-agents with strict schemas. The model must give every argument. It gives null for an unused argument."""

import asyncio
import json
import sys

from agents import Agent, RunContextWrapper
from agents.mcp import MCPServerStreamableHttp, MCPUtil
from agents.tool_context import ToolContext


async def main(url: str, token: str) -> None:
    params = {"url": url, "headers": {"Authorization": f"Bearer {token}"}}
    async with MCPServerStreamableHttp(params=params) as server:
        agent = Agent(name="a", mcp_servers=[server])
        tools = await MCPUtil.get_function_tools(server, True, RunContextWrapper(None), agent)
        assert all(tool.strict_json_schema for tool in tools), [t.name for t in tools if not t.strict_json_schema]
        by_name = {tool.name: tool for tool in tools}
        await call(by_name["remember"], content="I keep bees on the roof")
        answer = await call(by_name["search_memory"], query="bees")
    print(json.dumps({"tools": list(by_name), "answer": str(answer)}))


async def call(tool: object, **given: object) -> object:
    """Call the tool with all properties that the strict schema requires. Properties that are not given are null."""
    arguments = json.dumps({**dict.fromkeys(tool.params_json_schema["required"]), **given})
    context = ToolContext(None, tool_name=tool.name, tool_call_id="1", tool_arguments=arguments)
    return await tool.on_invoke_tool(context, arguments)


asyncio.run(main(*sys.argv[1:]))
