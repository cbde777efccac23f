"""`tellonce status`: shows the running processes, the queue, the cost, and the contents of the memory."""

from collections import Counter
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

from tellonce import contract as c
from tellonce.client import MemoryClient, MemoryRefused, MemoryUnreachable
from tellonce.client_settings import RelaySettings, SummarizerSettings
from tellonce.connect import connect_http
from tellonce.plural import duration, quantity, singular
from tellonce.settings import ServerSettings, load
from tellonce.work import KEEP_MODEL, TRAITS, QueueStatus, ReadingStatus
from tellonce_cli.backup_age import last_backup
from tellonce_cli.memories import chats_of
from tellonce_cli.memory_server import health, running_token, why_none
from tellonce_cli.screen import CommandFailed, answer, console, with_doctor
from tellonce_llm.allowance import Allowance
from tellonce_relay.views import status_lines

_NO_QUEUE = "learning   this token may not see the queue and the cost; `tellonce status` on the server's machine does"


async def run() -> None:
    settings = load(RelaySettings)
    queue, profile, talks = await _read(settings)
    report = await health(settings.url)
    answer(_report(settings.url, report, profile, talks, queue))
    made = last_backup(load(ServerSettings), datetime.now(UTC))
    lines = [
        f"server     {settings.url}",
        *task_lines(report),
        _memory_line(profile),
        _talk_line(talks),
        *([f"backup     {made}"] if made else []),
        *(queue_lines(queue, ZoneInfo(settings.timezone)) if queue else [_NO_QUEUE]),
        *(_command_lines(load(SummarizerSettings)) if queue else []),
    ]
    console.print("\n".join(lines))


async def _read(settings: RelaySettings) -> tuple[QueueStatus | None, c.Profile, Mapping[str, int]]:
    """Raises CommandFailed if the server cannot be used."""
    async with (
        connect_http(settings.url, await running_token(settings, "agent"), attempts=1) as agent,
        connect_http(settings.url, await running_token(settings, "assistant"), attempts=1) as memory,
    ):
        try:
            profile = await memory.get_profile(c.GetProfileArgs(limit=1000))
            return await _queue_of(agent, settings), profile, await _talks(memory)
        except MemoryUnreachable as error:
            if (await health(settings.url)).get("ready"):
                raise CommandFailed(with_doctor(f"the server at {settings.url} cannot be used: {error}")) from error
            raise CommandFailed(await why_none(settings)) from error
        except MemoryRefused as error:
            raise CommandFailed(
                f"{settings.url} refuses: {error} Unset TELLONCE_TOKEN on the server's machine."
            ) from error


def _report(
    url: str, health: dict[str, Any], profile: c.Profile, talks: Mapping[str, int], queue: QueueStatus | None
) -> dict[str, Any]:
    known = {name: len(entries) for name, entries in profile.lists.items()}
    return {
        "server": url,
        "health": health,
        "memory": known | {"only_searched": profile.only_searched},
        "messages": dict(talks),
        "queue": queue.model_dump(mode="json") if queue is not None else None,
    }


async def _queue_of(agent: MemoryClient, settings: RelaySettings) -> QueueStatus | None:
    """None if a configured token, such as an assistant's, may not see the queue."""
    try:
        return await agent.queue_status()
    except MemoryRefused:
        if settings.token is None:
            raise
        return None


def task_lines(health: dict[str, Any]) -> list[str]:
    """Lines about failed background tasks and long computations. Empty without such problems."""
    failed = {name: task for name, task in health.get("tasks", {}).items() if task["failures"]}
    lines = [
        f"tasks      {name} failed {quantity(task['failures'], 'time')} ({task['error']}), "
        f"{'runs again' if task['running'] else 'starts again soon'}; the server's log says why"
        for name, task in failed.items()
    ]
    if health.get("blocked"):
        lines.append(
            f"delays     {quantity(health['blocked'], 'call')} computed for over 250 ms while all others waited; "
            "the server's log names them"
        )
    return lines


def _memory_line(profile: c.Profile) -> str:
    kinds = {name: len(entries) for name, entries in profile.lists.items() if name not in ("pins", "uncertain")}
    known = ", ".join(quantity(count, singular(name)) for name, count in kinds.items())
    notes = quantity(profile.only_searched, "more note")
    return f"memory     {known}, {len(profile.uncertain)} uncertain; {notes} of your own words, found by search"


async def _talks(memory: MemoryClient) -> Mapping[str, int]:
    found: Counter[str] = Counter()
    for chat in await chats_of(memory):
        found[chat["channel"]] += chat["messages"]
    return found


def _talk_line(talks: Mapping[str, int]) -> str:
    parts = ", ".join(f"{count} in {channel}" for channel, count in sorted(talks.items()) if count)
    return f"messages   {sum(talks.values())}" + (f" ({parts})" if parts else "")


def reading_lines(reading: ReadingStatus) -> list[str]:
    """Lines about the exchanges: how many each tier has read, how many are still to be read, and what was dropped."""
    read = ", ".join(f"{by.exchanges} by {TRAITS[by.tier].title}" for by in reading.read_by if by.exchanges)
    lines = (
        [f"learned    from {quantity(sum(by.exchanges for by in reading.read_by), 'exchange')}: {read}"] if read else []
    )
    if reading.waiting:
        left = "" if reading.to_read_again else _estimate(reading)
        lines.append(f"waiting    {quantity(reading.waiting, 'exchange')} to learn from{left}")
    if reading.to_read_again:
        lines.append(f"later      {_again(reading)}")
    if reading.dropped:
        reasons = ", ".join(f"{count} ({reason})" for reason, count in sorted(reading.dropped.items()))
        lines.append(f"dropped    {reasons} this month")
    return lines


def _again(reading: ReadingStatus) -> str:
    """If no model has read anything yet, every model counts as better."""
    by_model = any(by.exchanges and by.tier != KEEP_MODEL for by in reading.read_by)
    so_far, better = ("by a weaker model or none", "a better model") if by_model else ("without a model", "a model")
    return (
        f"{quantity(reading.to_read_again, 'exchange')} read {so_far}, to be read again once {better} is set up"
        f"{_estimate(reading)}; a connected assistant can do it, too, with its prompt `learn`"
    )


def _estimate(reading: ReadingStatus) -> str:
    parts = [f"about ${reading.estimate_usd:.2f}"] if reading.estimate_usd is not None else []
    parts += [duration(reading.estimate_seconds)] if reading.estimate_seconds is not None else []
    return f": {', '.join(parts)}" if parts else ""


def _command_lines(settings: SummarizerSettings) -> list[str]:
    """The calls of the `claude` command count against the user's subscription."""
    used = Allowance(settings.cli_calls, settings.cli_calls_hour, settings.cli_calls_day).used()
    if not settings.asks_the_command and not used.day:
        return []
    state = "" if settings.asks_the_command else "; now off"
    hour, day = f"{used.hour} of {settings.cli_calls_hour}", f"{used.day} of {settings.cli_calls_day}"
    return [f"claude -p  {hour} calls this hour, {day} within a day{state}"]


def queue_lines(queue: QueueStatus, zone: ZoneInfo) -> list[str]:
    """Lines about the cost, the exchanges, the models that do not answer, and the jobs by kind. Times are in `zone`."""
    cost, *down = status_lines(queue, zone)
    jobs = [
        f"{k.kind}: {k.pending} waiting, {k.claimed} in work, {k.ready} ready, {k.dead} failed" for k in queue.kinds
    ] or ["empty"]
    jobs += [f"the oldest job is {queue.oldest_seconds:.0f} s old"] if queue.oldest_seconds is not None else []
    texts = quantity(queue.without_vector, "text")
    failed = [
        f"{letter.kind} {letter.job_id} after {quantity(letter.attempts, 'attempt')}: {letter.error}"
        for letter in queue.dead_letters
    ]
    return [
        f"learning   {cost}",
        *reading_lines(queue.reading),
        *(f"models     {line}" for line in down),
        *([f"embeddings {texts} to embed; search finds them by their words"] if queue.without_vector else []),
        *(f"queue      {line}" for line in jobs),
        *(f"failed     {line}" for line in failed),
        *(["`tellonce replay` retries them."] if failed else []),
    ]
