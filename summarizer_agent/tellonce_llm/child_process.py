"""Commands that run as child processes, such as `claude`: the environment of such a command, and how it is ended."""

import asyncio
import os
import signal
from collections.abc import Mapping, Sequence
from contextlib import suppress

QUIET = dict.fromkeys(
    (
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC",
        "DISABLE_AUTOUPDATER",
        "DISABLE_TELEMETRY",
        "DISABLE_ERROR_REPORTING",
        "DISABLE_BUG_COMMAND",
        "CLAUDE_CODE_MAX_RETRIES",
    ),
    "1",
)
"""The environment in which `claude` sends no telemetry, does not update itself, and repeats a failed request once. By
default it repeats the request ten times within minutes, even if the key is wrong, and only then reports the failure."""
OUR_OWN = ("TELEGRAM_", "TELLONCE_", "DATABASE_URL", "SUMMARIZER_")
STOP_SECONDS = 3.0

_NEEDED = ("PATH", "HOME", "USER", "LOGNAME", "SHELL", "TMPDIR", "LANG", "SYSTEMROOT", "APPDATA", "LOCALAPPDATA")
_NEEDED_STARTS = ("LC_", "XDG_", "ANTHROPIC_", "CLAUDE_", "AWS_", "GOOGLE_", "CLOUD_ML_", "SSL_", "NODE_EXTRA_CA_CERTS")
_PROXIES = ("http_proxy", "https_proxy", "no_proxy", "all_proxy")


def all_but_ours() -> dict[str, str]:
    """The environment without our own settings, because the command must not see the bot's token or the database."""
    return {name: value for name, value in os.environ.items() if not name.startswith(OUR_OWN)} | QUIET


def only_its_own() -> dict[str, str]:
    """Only the variables that the command needs to run, to sign in and to reach its provider."""
    return {
        name: value
        for name, value in os.environ.items()
        if name in _NEEDED or name.startswith(_NEEDED_STARTS) or name.lower() in _PROXIES
    } | QUIET


async def output(
    command: Sequence[str], seconds: float, env: Mapping[str, str] | None = None
) -> tuple[int, bytes, bytes]:
    """Run a command without input. Returns its exit code, output and errors. Raises TimeoutError after `seconds`, and
    OSError if it cannot be run. When the command ends, the programs that it has started are ended, too."""
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(
        *command, stdin=asyncio.subprocess.DEVNULL, stdout=pipe, stderr=pipe, env=env, start_new_session=True
    )
    try:
        async with asyncio.timeout(seconds):
            out, errors = await process.communicate()
    except TimeoutError:
        _end_group(process.pid)
        raise
    finally:
        await ended(process)
    return process.returncode or 0, out, errors


def _end_group(number: int) -> None:
    """Kill the command and the programs that it has started. Windows has no process groups."""
    if os.name == "posix":
        with suppress(ProcessLookupError):
            os.killpg(number, signal.SIGKILL)


async def ended(process: asyncio.subprocess.Process) -> None:
    """End a command after its answer has arrived or is no longer wanted."""
    if process.returncode is None:
        with suppress(ProcessLookupError):
            process.terminate()
    try:
        async with asyncio.timeout(STOP_SECONDS):
            await process.wait()
    except TimeoutError:
        process.kill()
        await process.wait()
