"""`tellonce memories | search | remember | edit | why`: each command calls one tool and prints the result as text or
JSON."""

import json
from collections.abc import Awaitable, Callable, Iterable, Mapping
from datetime import tzinfo
from functools import partial
from typing import Any, Literal, TypeVar
from zoneinfo import ZoneInfo

from pydantic import BaseModel, Field, ValidationError

from tellonce import contract as c
from tellonce.client import MemoryClient, MemoryRefused, MemoryUnreachable
from tellonce.client_settings import RelaySettings
from tellonce.contract_types import NOT_A_TIME, ZONE
from tellonce.plural import quantity
from tellonce.settings import load
from tellonce_cli.memory_server import connected
from tellonce_cli.screen import CommandFailed, answer, console, hint
from tellonce_relay.views import dated, due_parts, short
from tellonce_server.api.text import search_remark

ModelT = TypeVar("ModelT", bound=BaseModel)
ResultT = TypeVar("ResultT")
Command = Literal["list", "search", "remember", "edit", "why"]


async def run(command: Command, arguments: Mapping[str, Any], *, page: int = 1) -> None:
    """Run the command. A hint about the next command is printed on standard error."""
    settings = load(RelaySettings)
    zone = ZoneInfo(settings.timezone)
    kind, tool, show = _COMMANDS[command]
    args = made(kind, arguments, zone)
    result = await called(settings, lambda memory: _page(tool(memory), args, page))
    answer(result.model_dump(mode="json"))
    lines, after = show(result, zone, page)
    remark = search_remark(args, result, "--where all") if isinstance(args, c.SearchMemoryArgs) else ""
    for line in filter(None, [remark, *lines]):
        console.print(line)
    hint(after)


def made(kind: type[ModelT], arguments: Mapping[str, Any], zone: tzinfo | None = None) -> ModelT:
    """Validate a tool's arguments. Times without an offset are in `zone`. Raises CommandFailed."""
    try:
        given = {name: value for name, value in arguments.items() if value is not None}
        return kind.model_validate(given, context={ZONE: zone})
    except ValidationError as error:
        found = error.errors(include_url=False, include_input=False, include_context=False)[0]
        name = ".".join(str(part) for part in found["loc"])
        wrong_time = found["type"].startswith(("datetime_", "date_"))
        sentence = NOT_A_TIME if wrong_time else found["msg"].removeprefix("Value error, ")
        joint = " " if sentence[:1].islower() else ": "
        raise CommandFailed(f"{name}{joint}{sentence}." if name else f"{sentence}.") from error


async def called(settings: RelaySettings, call: Callable[[MemoryClient], Awaitable[ResultT]]) -> ResultT:
    """The result of a call. Raises CommandFailed if the memory refuses it or cannot be reached."""
    async with connected(settings, "No server is running; this command opens the memory itself …") as memory:
        try:
            return await call(memory)
        except (MemoryRefused, MemoryUnreachable) as error:
            raise CommandFailed(str(error)) from error


async def _page(call: Callable[[Any], Awaitable[Any]], args: BaseModel, page: int) -> Any:
    """All earlier pages are read first, because a cursor leads only to the next page."""
    result = await call(args)
    for _ in range(1, page):
        if result.next_cursor is None:
            raise CommandFailed(f"there is no page {page}.")
        result = await call(args.model_copy(update={"cursor": result.next_cursor}))
    return result


Shown = tuple[list[str], str]
"""The lines for standard output, and a hint about the next command."""


def listing(profile: c.Profile, zone: tzinfo, page: int) -> Shown:
    """A page of memories by kind, the newest first."""
    found = {memory.id: memory for entries in profile.lists.values() for memory in entries}
    newest = sorted(found.values(), key=lambda m: (m.valid_from, m.id), reverse=True)
    lines = [_line(memory, zone) for memory in sorted(newest, key=lambda m: m.kind)]
    if all(memory.shown for memory in newest) and profile.only_searched:
        searched = quantity(profile.only_searched, "more note")
        lines.append(f"        … {searched}, only searched: tellonce memories --kind note")
    if not lines:
        return ["No memories to show."], 'Next: tellonce remember "…", or tellonce import FILE.'
    more = f" More: --page {page + 1}." if profile.next_cursor else ""
    return (
        lines,
        f'{quantity(len(newest), "memory")}.{more} Next: tellonce why N, tellonce edit N "…", tellonce forget --memory N.',
    )


def _line(memory: c.Memory, zone: tzinfo) -> str:
    named = {
        "note": memory.note,
        "only searched": not memory.shown,
        "imported": memory.origin == "import",
        "pinned": memory.pinned,
        memory.status: memory.status != "active",
    }
    marks = [name for name, on in named.items() if on]
    return f"{memory.id:>6}  {memory.kind:<10}  {dated(memory, zone)}" + (f"  [{', '.join(marks)}]" if marks else "")


class NamedResults(c.SearchResults):
    """Search results, and the names of their chats. Only people see these names."""

    chats: dict[int, str] = Field(default={}, exclude=True)


async def _search(memory: MemoryClient, args: c.SearchMemoryArgs) -> NamedResults:
    found = await memory.search_memory(args)
    return NamedResults(**dict(found), chats=chat_names(await chats_of(memory)))


async def chats_of(memory: MemoryClient) -> list[dict[str, Any]]:
    """The entries of the resource `memory://chats`: all chats of the user."""
    (content, *_) = (await memory.mcp.read_resource("memory://chats")).contents
    found: list[dict[str, Any]] = json.loads(getattr(content, "text", "[]"))
    return found


def chat_names(chats: Iterable[Mapping[str, Any]]) -> dict[int, str]:
    """For each chat, its channel and, if it has one, its name."""
    return {
        chat["chat_id"]: " ".join(filter(None, (chat["channel"], chat.get("conversation_id") or chat.get("name"))))
        for chat in chats
    }


def _results(found: NamedResults, zone: tzinfo, page: int) -> Shown:
    if not found.results:
        return [], "Next: tellonce memories shows what is known."
    more = f" More: --page {page + 1}." if found.next_cursor else ""
    lines = [_result(one, zone, found.chats) for one in found.results]
    return (
        lines,
        f"{quantity(len(lines), 'result')}.{more} Next: tellonce why N, or why --message with the numbers in brackets.",
    )


def _result(one: c.SearchResult, zone: tzinfo, chats: Mapping[int, str]) -> str:
    """A message ends with its chat and number, because the number of a chat may have 16 digits."""
    is_memory = one.kind not in ("summary", "message")
    who = "" if one.role is None else f"{one.speaker or {'user': 'you', 'assistant': 'assistant'}[one.role]}"
    where = chats.get(one.chat_id or 0, "") if one.kind == "message" else ""
    said = ", ".join(filter(None, (who, where, one.status)))
    name = f"  [{one.chat_id}:{one.id}]" if one.kind == "message" else ""
    text = one.text if one.due is None else "{} ({})".format(*due_parts(one.text, one.due.astimezone(zone), one.kind))
    words = f"{said}: {short(text)}" if said else short(text)
    return f"{one.id if is_memory else '':>6}  {one.kind:<10}  {one.at.astimezone(zone):%Y-%m-%d}  {words}{name}"


def _remembered(done: c.Remembered, zone: tzinfo, _: int) -> Shown:
    assert done.memory is not None  # one statement was sent
    words = {"stored": "Remembered", "duplicate": "Known already", "superseded": "Remembered, in place of another"}
    lines = [f"{words[done.outcome or 'stored']}:", _line(done.memory, zone)]
    return lines, f"Next: tellonce why {done.memory.id}."


def _edited(memory: c.Memory, zone: tzinfo, _: int) -> Shown:
    return ["Changed:", _line(memory, zone)], f"Next: tellonce why {memory.id} shows its former text."


def _wording(found: c.Explanation) -> str:
    """The page shows the same words."""
    if found.model:
        return f"worded by {found.model}"
    if found.versions:
        return "corrected by you"
    imported = found.memory is not None and found.memory.origin == "import"
    return "imported from another program" if imported else "in your own words"


def _explained(found: c.Explanation, zone: tzinfo, _: int) -> Shown:
    day = f"{found.at.astimezone(zone):%Y-%m-%d %H:%M}"
    lines = [f"{found.subject} {found.id}, {day}:", found.text if found.subject == "receipt" else short(found.text)]
    if found.subject == "memory":
        lines.append(_wording(found))
    lines += [f"reason: {found.reason}"] if found.reason else []
    lines += [f"your words: “{short(quote)}”" for quote in found.quotes]
    lines += [
        f"source: {s.at.astimezone(zone):%Y-%m-%d} {s.role}, message {s.id}: {short(s.text)}" for s in found.sources
    ]
    lines += [f"before {v.at.astimezone(zone):%Y-%m-%d}: {short(v.text)}" for v in found.versions]
    lines += [f"learned from it: {memory.id}. {short(memory.content)}" for memory in found.memories]
    lines += [f"receipt: {receipt}" for receipt in found.receipts]
    return lines, _next_of(found)


def _next_of(found: c.Explanation) -> str:
    if found.subject == "memory":
        return f'Next: tellonce edit {found.id} "…", or tellonce forget --memory {found.id}.'
    return "Next: tellonce why N for a memory it names, tellonce why --receipt ID for the context of an answer."


_COMMANDS: dict[
    Command, tuple[type[BaseModel], Callable[[MemoryClient], Callable[[Any], Awaitable[Any]]], Callable[..., Shown]]
] = {
    "list": (c.GetProfileArgs, lambda memory: memory.get_profile, listing),
    "search": (c.SearchMemoryArgs, lambda memory: partial(_search, memory), _results),
    "remember": (c.RememberArgs, lambda memory: memory.remember, _remembered),
    "edit": (c.UpdateMemoryArgs, lambda memory: memory.update_memory, _edited),
    "why": (c.ExplainArgs, lambda memory: memory.explain, _explained),
}
