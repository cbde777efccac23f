"""The commands that read and change memories, as a person does on the memory page."""

import re
from typing import Annotated, Any, Literal, get_args

import typer

from tellonce.contract_types import LISTED_KINDS, MemoryKind, MemoryStatus, PlainAction, ResultKind
from tellonce_cli.subcommand import Json, examples, run_module

memory_app = typer.Typer()


def _of_kind(kinds: tuple[str, ...]) -> Any:
    """Typer itself would need an enum for an option that can be repeated."""

    def known(said: str) -> str:
        if said not in kinds:
            raise typer.BadParameter(f"{said!r} is not one of {', '.join(kinds)}.")
        return said

    return typer.Option(
        "--kind",
        parser=known,
        metavar=f"[{'|'.join(kinds)}]",
        autocompletion=lambda: list(kinds),
        help="Only this kind; may be repeated.",
    )


def _placed(message: str) -> tuple[int | None, str]:
    """The chat and number in `42:7`. Any other name is a message in this terminal's chat."""
    named = re.fullmatch(r"(-?\d{1,18}):(\d{1,18})", message)
    return (int(named[1]), named[2]) if named else (None, message)


Where = Literal["all", "chat"]

Page = Annotated[int, typer.Option("--page", min=1, help="Which page of the list.")]


@memory_app.command(
    epilog=examples("memories", "memories --kind goal --kind date", "memories --status uncertain --json")
)
def memories(
    kind: Annotated[list[str] | None, _of_kind(LISTED_KINDS)] = None,
    status: Annotated[
        MemoryStatus | None, typer.Option("--status", help="Default: active and uncertain.", show_default=False)
    ] = None,
    page: Page = 1,
    limit: Annotated[int, typer.Option("--limit", min=1, max=1000, help="Memories on a page.")] = 50,
    _: Json = False,
) -> None:
    """List what is known about you by kind, the newest first."""
    run_module("memories", "list", {"kinds": kind, "status": status, "limit": limit}, page=page)


@memory_app.command(
    epilog=examples('search "red bicycle"', "search dentist --kind date", "search lisbon --since 2026-01-01")
)
def search(
    query: Annotated[str, typer.Argument(help="What to find, by meaning or in exact words.")],
    kind: Annotated[list[str] | None, _of_kind(get_args(ResultKind))] = None,
    where: Annotated[Where, typer.Option("--where", help="In every chat, or only in the terminal's chat.")] = "all",
    since: Annotated[str | None, typer.Option("--since", help="A day or moment, ISO 8601.")] = None,
    until: Annotated[str | None, typer.Option("--until", help="A day or moment, ISO 8601.")] = None,
    page: Page = 1,
    limit: Annotated[int, typer.Option("--limit", min=1, max=100, help="Results on a page.")] = 8,
    _: Json = False,
) -> None:
    """Find messages, summaries and memories."""
    arguments = {"query": query, "kinds": kind, "where": where, "since": since, "until": until, "limit": limit}
    run_module("memories", "search", arguments, page=page)


@memory_app.command(epilog=examples('remember "I live in Lisbon"', 'remember "I live in Porto" --replaces 12'))
def remember(
    text: Annotated[str, typer.Argument(help="One statement, in your own words.")],
    kind: Annotated[MemoryKind | None, typer.Option("--kind", help="Default: detected.", show_default=False)] = None,
    deadline: Annotated[
        str | None, typer.Option("--deadline", help="Deadline of a goal or time of a date, ISO 8601.")
    ] = None,
    pinned: Annotated[bool, typer.Option("--pin", help="Show it in every context.")] = False,
    replaces: Annotated[
        list[int] | None, typer.Option("--replaces", min=1, help="A memory that no longer holds; may be repeated.")
    ] = None,
    _: Json = False,
) -> None:
    """Remember a statement about you."""
    arguments = {"content": text, "kind": kind, "deadline": deadline, "pinned": pinned, "replaces": replaces or []}
    run_module("memories", "remember", arguments)


@memory_app.command(epilog=examples("why 12", "why --message 42:7", "why 12 --json"))
def why(
    number: Annotated[int | None, typer.Argument(min=1, help="The memory's number.", show_default=False)] = None,
    message: Annotated[
        str | None, typer.Option("--message", help="Explain a message instead, by its chat and number, as in 42:7.")
    ] = None,
    receipt: Annotated[str | None, typer.Option("--receipt", help="Explain the context of an answer instead.")] = None,
    _: Json = False,
) -> None:
    """Show why something is known.

    Lists the sources of the memory, your words and the former versions. If the memory is uncertain, the reason is
    listed, too.
    """
    if sum(value is not None for value in (number, message, receipt)) != 1:
        raise typer.BadParameter("name one memory, one --message or one --receipt")
    chat, said = _placed(message) if message is not None else (None, None)
    arguments = {"memory_id": number, "message_id": said, "chat_id": chat, "receipt_id": receipt}
    run_module("memories", "why", arguments)


@memory_app.command(epilog=examples('edit 12 "I live in Porto"', "edit 12 --do confirm", "edit 12 --do unpin --json"))
def edit(
    number: Annotated[int, typer.Argument(min=1, help="The memory's number; `tellonce memories` shows it.")],
    text: Annotated[str | None, typer.Argument(help="The new text.", show_default=False)] = None,
    action: Annotated[
        PlainAction | None, typer.Option("--do", help="An action instead of a new text.", show_default=False)
    ] = None,
    _: Json = False,
) -> None:
    """Change one memory.

    Give the new text of the memory, or an action with --do.
    """
    if (text is None) == (action is None):
        raise typer.BadParameter("give either a new text or --do")
    arguments = {"memory_id": number, "action": action or "edit", "content": text}
    run_module("memories", "edit", arguments)


@memory_app.command(epilog=examples("forget dentist", "forget --memory 12 --yes", "forget dentist --json"))
def forget(
    topic: Annotated[str | None, typer.Argument(help="A name or subject.", show_default=False)] = None,
    literal: Annotated[str | None, typer.Option("--literal", help="Exact characters, anywhere.")] = None,
    memory: Annotated[list[int] | None, typer.Option("--memory", min=1, help="A memory; may be repeated.")] = None,
    message: Annotated[
        list[str] | None,
        typer.Option("--message", help="A message by its chat and number, as in 42:7; may be repeated."),
    ] = None,
    everything: Annotated[
        bool, typer.Option("--everything", help="All memories and messages, of all your conversations with assistants.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Erase what is marked ☑ without asking.")] = False,
    confirm: Annotated[
        str | None, typer.Option("--confirm", help="Erase what an earlier `forget --json` found: its token.")
    ] = None,
    keep: Annotated[list[int] | None, typer.Option("--keep", help="With --confirm: a ticked match to keep.")] = None,
    also: Annotated[
        list[int] | None, typer.Option("--also", help="With --confirm: an unticked match to erase too.")
    ] = None,
    _: Json = False,
) -> None:
    """Erase something for good, everywhere.

    Shows what would be erased and asks. You can select matches one by one. ☑ marks exact matches. ☐ marks matches that
    are kept unless you select them: other forms of the words ("walnuts" for "walnut") and numbers of two to four digits
    with other separators. Longer numbers are exact with any separators. With --json, it only returns a preview, unless
    you give --yes or the token of a preview.
    """
    if sum((topic is not None, literal is not None, bool(memory), bool(message), everything)) != 1:
        raise typer.BadParameter("name one topic, --literal, --memory, --message or --everything")
    chats, messages = zip(*map(_placed, message), strict=True) if message else ((None,), None)
    if len(set(chats)) > 1:
        raise typer.BadParameter("name messages of one chat at a time")
    target = {"topic": topic, "literal": literal, "memory_ids": memory or None, "everything": everything}
    if not all(number.isdecimal() for number in messages or ()):
        raise typer.BadParameter("name a message by its chat and number, as in 42:7")
    target |= {"message_ids": [int(number) for number in messages] if messages else None, "chat_id": chats[0]}
    run_module("forget", target, confirm, keep or None, also or None, yes=yes)
