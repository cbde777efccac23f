"""The log of a process on stderr: the type of an error and where it occurred, but never a person's text.

The message of an error may quote a person's text: a unique violation names the key, and a validation error shows its
input. So messages are shown only for our own errors. Error classes with `may_quote` are excepted.
"""

import json
import logging
import re
import sys
import threading
import traceback
from collections.abc import Iterator
from datetime import UTC, datetime
from types import TracebackType

from tellonce import tracing
from tellonce.settings import Settings

FORMAT = "%(asctime)s %(levelname)s %(name)s: %(message)s"
_INPUT = re.compile(r"input_value=.*?, input_type", re.DOTALL)

logger = logging.getLogger(__name__)


def begin(level: int = logging.WARNING) -> None:
    """Start logging to stderr. An exception that ends the process or one of its threads is logged, too."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(Discreet(FORMAT))
    logging.basicConfig(level=level, handlers=[handler])
    # asyncpg.pool logs every failed connection with its stack. We silence this logger, because we log each outage once.
    logging.getLogger("asyncpg.pool").setLevel(logging.ERROR)
    sys.excepthook = _died
    threading.excepthook = lambda args: _died(args.exc_type, args.exc_value, args.exc_traceback)


def follow(settings: Settings, process: str) -> None:
    """Apply the settings of logs and spans. A process calls this as soon as it has read its settings."""
    for handler in logging.getLogger().handlers:
        handler.setFormatter(DiscreetJson() if settings.log_format == "json" else Discreet(FORMAT))
    tracing.export(process, settings.otlp_endpoint)


def _died(kind: type[BaseException], error: BaseException | None, trace: TracebackType | None) -> None:
    if not issubclass(kind, (KeyboardInterrupt, SystemExit)):
        logger.critical("not caught", exc_info=(kind, error or kind(), trace))


class Discreet(logging.Formatter):
    """Formats lines for people: the time in UTC, the level, the logger and the message."""

    def formatTime(self, record: logging.LogRecord, datefmt: str | None = None) -> str:  # noqa: N802  # logging's name
        return datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")

    def format(self, record: logging.LogRecord) -> str:
        args = record.args
        if isinstance(args, tuple):
            record.args = tuple(described(value) if isinstance(value, BaseException) else value for value in args)
        # Another handler may have cached its formatted traceback here. This traceback contains the error's message.
        record.exc_text = None
        return _INPUT.sub("input_value=…, input_type", super().format(record))

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802  # logging's name
        if record.name == "asyncio" and record.exc_info:
            # The lines after the first show a task and its error. The error's message must not be logged.
            record.message = record.message.partition("\n")[0]
        return super().formatMessage(record)

    def formatException(self, ei: object) -> str:  # noqa: N802  # logging's name
        error = ei[1] if isinstance(ei, tuple) else None
        return "\n".join(_lines(error)) if isinstance(error, BaseException) else ""


class DiscreetJson(Discreet):
    """Formats one JSON object per line for programs. `error` holds the stack."""

    def format(self, record: logging.LogRecord) -> str:
        message, _, stack = super().format(record).partition("\n")
        line = {
            "at": self.formatTime(record),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": message,
            "traceId": tracing.trace_id(),
            **({"error": stack} if stack else {}),
        }
        return json.dumps(line, ensure_ascii=False)

    def __init__(self) -> None:
        super().__init__("%(message)s")


def described(error: BaseException) -> str:
    """The text of an error for the log: the message of our own errors, the type of any other."""
    if type(error).__module__.partition(".")[0].startswith("tellonce") and not getattr(error, "may_quote", False):
        return str(error)
    if isinstance(error, OSError) and error.strerror:
        return f"{type(error).__name__}: {error.strerror}"
    code = getattr(error, "sqlstate", None)
    return f"{type(error).__name__} {code}" if code else type(error).__name__


def _lines(error: BaseException) -> Iterator[str]:
    """The stacks of an error and of its causes, oldest first."""
    before = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    if before is not None:
        yield from _lines(before)
        yield "which led to:"
    yield from (line.rstrip("\n") for line in traceback.format_tb(error.__traceback__))
    yield described(error)
    if isinstance(error, BaseExceptionGroup):
        for part in error.exceptions:
            yield from (f"  | {line}" for line in _lines(part))
