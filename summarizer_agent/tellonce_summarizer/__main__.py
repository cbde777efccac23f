"""Runs the summarizer agent as a separate process: `python -m tellonce_summarizer [--worker NAME]`."""

import argparse
import asyncio
import logging
import os
import socket
import sys
from contextlib import AsyncExitStack

from tellonce import logs, shutdown
from tellonce.client_settings import SummarizerSettings
from tellonce.connect import connect_http
from tellonce.journal import journal
from tellonce.settings import SettingsError, load
from tellonce.shutdown import shutdown_requested
from tellonce.work import Tier
from tellonce_llm.allowance import Allowance
from tellonce_llm.batch import Batched
from tellonce_llm.breaker import Guarded
from tellonce_llm.claude_cli import ClaudeCli
from tellonce_llm.model import LanguageModel
from tellonce_llm.providers import learning_tiers, model_of
from tellonce_summarizer.agent.agent import Agent, AgentOptions
from tellonce_summarizer.models.fallback_chain import FallbackChain, Step

TOGETHER = 5
"""Maximum number of exchanges of one owner that share a call of the `claude` command."""


def main() -> None:
    """Read the settings and work until SIGTERM or SIGINT."""
    parser = argparse.ArgumentParser(prog="tellonce_summarizer", description=__doc__)
    parser.add_argument("--worker", default=f"{socket.gethostname()}-{os.getpid()}", help="worker name in the queue")
    worker = parser.parse_args().worker
    shutdown.watch_parent()
    logs.begin()
    try:
        settings = load(SummarizerSettings)
        logs.follow(settings, "summarizer")
        asyncio.run(serve(settings, worker))
    except SettingsError as error:
        sys.exit(str(error))


async def serve(settings: SummarizerSettings, worker: str, stop: asyncio.Event | None = None) -> None:
    """Work for the configured server until `stop` is set or a signal arrives."""
    stop = stop or shutdown_requested()
    # Up to TOGETHER exchanges can share a call of the `claude` command, but only if the agent works on that many jobs
    # at the same time.
    at_once = max(settings.concurrency, TOGETHER) if settings.asks_the_command else settings.concurrency
    options = AgentOptions(worker, at_once, settings.wait_seconds)
    async with AsyncExitStack() as stack:
        memory = await stack.enter_async_context(connect_http(settings.url, settings.bearer("agent")))
        agent = Agent(memory, FallbackChain(steps(settings)), options, journal("summarizer", settings))
        logging.getLogger(__name__).info("summarizer works for %s", settings.url)
        await agent.run(stop)


def steps(settings: SummarizerSettings) -> list[Step]:
    """The configured models, best first."""
    return [Step(Guarded(_model(tier, settings)), settings.seconds(tier)) for tier in learning_tiers(settings)]


def _model(tier: Tier, settings: SummarizerSettings) -> LanguageModel:
    if tier != "claude-cli":
        return model_of(tier, settings, settings.model)
    allowance = Allowance(settings.cli_calls, settings.cli_calls_hour, settings.cli_calls_day)
    return Batched(ClaudeCli(settings.claude_command, settings.model, allowance), most=TOGETHER)


if __name__ == "__main__":
    main()
