"""Runs the summarizer agent as a process of its own: `python -m chatmem_summarizer`."""

import asyncio
import importlib
import logging
import os
import socket
import sys
from contextlib import AsyncExitStack

from chatmem import lifeline, logs, tracing
from chatmem.connect import connect_http
from chatmem.ending import told_to_end
from chatmem.journal import journal
from chatmem.settings import SettingsError, SummarizerSettings, load
from chatmem_llm import Guarded, LanguageModel
from chatmem_summarizer.agent import Agent, Habits
from chatmem_summarizer.ladder import Ladder, Step


def main() -> None:
    """Reads the settings and works until SIGTERM or SIGINT."""
    lifeline.watch()
    logs.begin()
    try:
        settings = load(SummarizerSettings)
        tracing.export("summarizer", settings.otlp_endpoint)
        asyncio.run(serve(settings))
    except SettingsError as error:
        sys.exit(str(error))


async def serve(settings: SummarizerSettings, stop: asyncio.Event | None = None) -> None:
    """Works for the server of the settings until `stop` is set or the process is told to end."""
    stop = stop or told_to_end()
    habits = Habits(f"{socket.gethostname()}-{os.getpid()}", settings.concurrency, settings.wait_seconds)
    async with AsyncExitStack() as stack:
        place = await stack.enter_async_context(connect_http(settings.url, settings.bearer("agent")))
        agent = Agent(place, Ladder(steps(settings)), habits, journal("summarizer", settings))
        logging.getLogger(__name__).info("summarizer works for %s", settings.url)
        await agent.run(stop)


def steps(settings: SummarizerSettings) -> list[Step]:
    """The models that are configured, best first."""
    found: list[Step] = []
    if settings.anthropic_api_key is not None:
        key, url = settings.anthropic_api_key.get_secret_value(), settings.anthropic_base_url
        found.append(
            Step(Guarded(_made("claude", "Claude", key, settings.model, base_url=url)), settings.claude_seconds)
        )
    if settings.ollama_url:
        ollama = _made("ollama", "Ollama", settings.ollama_url, settings.ollama_model)
        found.append(Step(Guarded(ollama), settings.ollama_seconds))
    return found


def _made(module: str, name: str, *args: str, **options: str | None) -> LanguageModel:
    """A provider's client. Its SDK is imported only here, for an agent without that provider need not pay for it."""
    made: LanguageModel = getattr(importlib.import_module(f"chatmem_llm.{module}"), name)(*args, **options)
    return made


if __name__ == "__main__":
    main()
