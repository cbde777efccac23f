"""pydantic-ai: a whole agent run. The model is a function that calls a tool and then answers."""

import asyncio
import json
import sys

from pydantic_ai import Agent
from pydantic_ai.mcp import MCPToolset
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import FunctionModel

CALLS = [("remember", {"content": "I keep bees on the roof"}), ("search_memory", {"query": "bees"})]


async def main(url: str, token: str) -> None:
    listed: list[str] = []

    def model(messages: list[object], info: object) -> ModelResponse:
        listed[:] = [tool.name for tool in info.function_tools]
        step = sum(isinstance(message, ModelResponse) for message in messages)
        if step < len(CALLS):
            return ModelResponse(parts=[ToolCallPart(*CALLS[step])])
        return ModelResponse(parts=[TextPart(str(messages[-1]))])

    server = MCPToolset(url, headers={"Authorization": f"Bearer {token}"})
    agent = Agent(FunctionModel(model), toolsets=[server])
    async with agent:
        result = await agent.run("What do I keep?")
    print(json.dumps({"tools": listed, "answer": result.output}))


asyncio.run(main(*sys.argv[1:]))
