"""One turn: records the message, reads the context, asks the model, shows and records the answer."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Final, Protocol
from zoneinfo import ZoneInfo

from pydantic import ValidationError

from tellonce import contract as c
from tellonce import tracing
from tellonce.client import MemoryClient, MemoryRefused, MemoryUnreachable
from tellonce.journal import Emit, silent, timed
from tellonce.server_text import ServerText, invalid
from tellonce_llm.errors import Cause
from tellonce_llm.model import Answer
from tellonce_relay.catalogue import phrase, server_text
from tellonce_relay.incoming_message import Incoming
from tellonce_relay.memory_outage import SHORT, with_retries
from tellonce_relay.responders import prompt as prompts
from tellonce_relay.responders.responder import CannotAnswer, Responder
from tellonce_relay.turn import tag_effects
from tellonce_relay.turn.expectation import expected
from tellonce_relay.turn.model_call import (
    PATIENT,
    STOPPED_HERE,
    Persistence,
    Progress,
    joined,
    trouble,
    with_model_retries,
)
from tellonce_relay.turn.tag_effects import Done
from tellonce_relay.turn.tags import Parsed, Tag, finished, parse, repeatable_tags, shown_so_far

logger = logging.getLogger(__name__)

_SEEN: Final = "\n> "
"""Separates a file's caption from the model's description of the file."""


class NotShown(Exception):
    """The text could not be shown to the person; the exception's reason is for the log."""


class Surface(Protocol):
    """The place where the person reads the answer: a Telegram chat or a terminal."""

    async def typing(self) -> None:
        """Show the typing indicator until `send`."""
        ...

    async def show_partial(self, text: str) -> None:
        """Show the answer so far. Never raises."""
        ...

    async def send(self, text: str) -> list[str]:
        """Show a whole text, and return the ids of its messages in the channel. Raises NotShown."""
        ...


@dataclass(frozen=True)
class TurnOptions:
    """The options of a turn. `policy` is the agent's system prompt; `profile` is shown while the memory has no profile.

    While the memory is unreachable, its calls are retried for `patience` seconds. `persistence` says how a failing
    model is retried. `captions` is locked while a file's message is read and rewritten.
    """

    zone: ZoneInfo
    now: Callable[[], datetime]
    policy: str = ""
    profile: str = ""
    agent_id: str | None = None
    patience: float = SHORT
    emit: Emit = silent
    persistence: Persistence = PATIENT
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    captions: asyncio.Lock = field(default_factory=asyncio.Lock)


@dataclass(frozen=True)
class DraftAnswer:
    """The text for the person. With `claims`, it may include tags. With `failure`, it is not an answer, but says why
    there is none.

    `notices` are the memory's messages to the person. `heard` are the tags in the prompt, which a model may repeat.

    If the model gave no answer, `cause` is the reason, and `retry_after` is the pause in seconds that the provider
    requests. `stopped` means that the user ended the answer, or that an order replaced it.
    """

    said: str
    failure: bool = False
    cause: Cause | None = None
    retry_after: float | None = None
    stopped: bool = False
    notices: tuple[str, ...] = ()
    claims: bool = True
    heard: tuple[str, ...] = ()

    @property
    def owed(self) -> bool:
        """Whether the model can still answer later."""
        return self.cause is not None and self.cause != "refused"

    @property
    def parsed(self) -> Parsed:
        return parse(self.said, self.heard) if self.claims else Parsed(self.said, ())


@dataclass(frozen=True)
class Outcome:
    """The messages of an answer, and the effects of the answer's tags."""

    message_ids: tuple[str, ...] = ()
    effects: Done = field(default_factory=Done)


async def run_turn(
    memory: MemoryClient, responder: Responder, surface: Surface, incoming: Incoming, options: TurnOptions
) -> Outcome:
    """Run the whole turn and its trace, for a channel without storage; for Telegram, see `updates.bot`."""
    with tracing.traced("turn"):
        options.emit("message_received", chat=incoming.chat_id)
        try:
            if incoming.kept:
                with timed(options.emit, "message_recorded"):
                    await record_incoming(memory, incoming)
            progress = Progress()
            draft = await with_retries(
                lambda: draft_answer(memory, responder, surface, incoming, options, progress), options.patience
            )
            begun = parse(progress.said).visible if draft.cause is not None else ""
            if begun:  # unlike Telegram, this channel does not continue a partial answer later
                draft = replace(draft, said=f"{begun}\n\n{draft.said}")
        except MemoryUnreachable as error:
            draft = failure_draft(phrase("turn.memory_down"), error, options)
        except MemoryRefused as error:
            draft = failure_draft(phrase("turn.refused", reason=server_text(error.text)), error, options)
        return await deliver(memory, surface, incoming, draft, options)


async def record_incoming(memory: MemoryClient, incoming: Incoming) -> c.RecordedMessage:
    """Step one: record the message. Raises MemoryUnreachable and MemoryRefused."""
    try:
        args = _to_record(incoming)
    except ValidationError as error:
        raise MemoryRefused(invalid_text(error)) from None
    return await memory.record_message(args)


def invalid_text(error: ValidationError) -> ServerText:
    """Which part of a message the memory refused and why. Unlike the error, it does not quote this part."""
    text = "; ".join(_problem(str(e["loc"][0]) if e["loc"] else "", e["msg"]) for e in error.errors())
    return invalid(text, error, "message")


def _problem(field: str, message: str) -> str:
    said = message.removeprefix("Value error, ")
    return f"its {field} {said}" if field else said


def _to_record(incoming: Incoming) -> c.RecordMessageArgs:
    return c.RecordMessageArgs(
        role="user",
        content=incoming.text,
        **incoming.place,
        conversation_id=incoming.group,
        message_id=incoming.message_id,
        sent_at=incoming.sent_at,
        channel=incoming.channel,
        speaker=incoming.speaker,
        reply_to_message_id=incoming.reply_to_message_id,
    )


async def draft_answer(
    memory: MemoryClient,
    responder: Responder,
    surface: Surface,
    incoming: Incoming,
    options: TurnOptions,
    progress: Progress | None = None,
) -> DraftAnswer:
    """Step two: ask the model, which continues `progress`. Raises MemoryUnreachable and MemoryRefused."""
    with timed(options.emit, "context_received") as found:
        context = await _context(memory, incoming)
        found["tokens"] = context.tokens
    # The typing indicator starts only after the memory has returned the context, because an outage of the memory may
    # last for hours.
    await surface.typing()
    with timed(options.emit, "prompt_built"):
        prompt = _prompt(context, incoming, options)
    shown = DraftAnswer("", claims=responder.claims, heard=repeatable_tags(_shown(context, incoming)))
    request = _ModelRequest(memory, responder, surface, incoming, options, shown, progress or Progress())
    try:
        said = await with_model_retries(
            lambda: request.ask(prompt), options.persistence, request.report_retry, options.sleep
        )
    except CannotAnswer as error:
        return model_failure(error, options)
    return replace(shown, said=said, notices=tuple(map(server_text, context.notices)))


def _prompt(context: c.Context, incoming: Incoming, options: TurnOptions) -> prompts.Prompt:
    speaker = "User" if incoming.quotes_person else "Assistant"
    return prompts.build(
        context,
        incoming.text,
        policy=options.policy,
        user_name=incoming.user_name,
        now=options.now(),
        zone=options.zone,
        profile=options.profile,
        files=incoming.files,
        reply=prompts.Reply(incoming.quoted, speaker, incoming.selected),
    )


def _shown(context: c.Context, incoming: Incoming) -> list[str]:
    return [
        incoming.text,
        incoming.quoted,
        incoming.selected,
        context.context or "",
        *(section.text for section in context.sections or ()),
    ]


def failure_draft(sentence: str, error: Exception, options: TurnOptions) -> DraftAnswer:
    """A draft with the sentence that the person gets instead of an answer."""
    logger.warning("turn failed: %s", error)
    options.emit("turn_failed", reason=type(error).__name__)
    return DraftAnswer(sentence, failure=True)


def model_failure(error: CannotAnswer, options: TurnOptions) -> DraftAnswer:
    """The draft for a model that failed."""
    sentence = failure_draft(trouble(error.cause, owed=False), error, options)
    return replace(sentence, cause=error.cause, retry_after=error.retry_after)


async def deliver(
    memory: MemoryClient, surface: Surface, incoming: Incoming, draft: DraftAnswer, options: TurnOptions
) -> Outcome:
    """Step three: show the draft, record it, and carry out its tags. A repeated call does not show, record or carry out
    anything twice."""
    with timed(options.emit, "tags_parsed") as found:
        text, tags = visible_text(draft), draft.parsed.tags
        found |= {"tags": len(tags), "kinds": sorted({tag.kind for tag in tags})}
    try:
        with timed(options.emit, "reply_sent", failure=draft.failure) as found:
            ids = await surface.send(text)
            found["messages"] = len(ids)
    except NotShown as error:
        logger.warning("an answer could not be shown: %s", error)
        options.emit("reply_not_shown", reason=type(error).__name__)
        return Outcome()
    if draft.failure or not incoming.kept:
        return Outcome(tuple(ids))
    await _record_answer(memory, incoming, text + STOPPED_HERE if draft.stopped else text, ids, options)
    effects = await _carry_out(memory, incoming, tags, options)
    if draft.claims and not any(tag.kind == "remind" for tag in tags):
        await tag_effects.keep_order(memory, incoming, options.patience, effects)
    return Outcome(tuple(ids), effects)


def visible_text(draft: DraftAnswer) -> str:
    """Return the text to show, without tags; if nothing is left, return a short notice."""
    parsed = draft.parsed
    return parsed.visible or (phrase("turn.noted") if parsed.tags else phrase("turn.empty"))


async def _record_answer(
    memory: MemoryClient, incoming: Incoming, text: str, ids: list[str], options: TurnOptions
) -> None:
    args = c.RecordMessageArgs(
        role="assistant",
        content=text,
        **incoming.place,
        message_id=ids[0] if ids else None,
        sent_at=options.now().astimezone(options.zone),
        channel=incoming.channel,
        agent_id=options.agent_id,
        reply_to_message_id=incoming.reply_to_message_id,
        exchange_of=incoming.message_id,
        expects=expected(text),
    )
    try:
        with timed(options.emit, "reply_recorded"):
            await with_retries(lambda: memory.record_message(args), options.patience)
    except (MemoryUnreachable, MemoryRefused) as error:
        logger.warning("the answer was sent but not recorded: %s", error)
        options.emit("reply_unrecorded", reason=type(error).__name__)


async def _context(memory: MemoryClient, incoming: Incoming) -> c.Context:
    args = c.GetContextArgs(
        **incoming.place,
        reply_to_message_id=incoming.reply_to_message_id,
        query=incoming.text if incoming.kept else None,  # a receipt contains the query
        exclude_message_id=incoming.message_id,
        detail="sections",
    )
    return await memory.get_context(args)


@dataclass
class _ModelRequest:
    """`shown` is an empty draft. Its `claims` and `heard` decide which tags are carried out."""

    memory: MemoryClient
    responder: Responder
    surface: Surface
    incoming: Incoming
    options: TurnOptions
    shown: DraftAnswer
    progress: Progress
    _more: str = ""

    async def ask(self, prompt: prompts.Prompt) -> str:
        """The whole answer. Raises CannotAnswer; the partial answer is then in `progress`."""
        begun, self._more = self.progress.said, ""
        used: Answer | None = None
        self.options.emit("model_start", model=self.responder.name, continues=bool(begun))
        with timed(self.options.emit, "model_complete") as found:
            try:
                async for piece in self.responder.answer(replace(prompt, begun=begun), self.incoming, self.memory):
                    used = piece if isinstance(piece, Answer) else used
                    if isinstance(piece, str):
                        await self._add(piece, begun)
            except CannotAnswer:
                self.progress.broke_off()
                raise
            found |= _usage(self.responder, used)
        said = self.progress.said.replace("\x00", "")  # the memory does not accept NUL
        return finished(said) + phrase("turn.cut") if used is not None and used.truncated else said

    def report_retry(self, error: CannotAnswer, pause: float) -> None:
        """Report that the model is asked again."""
        logger.info("the model failed and is asked again in %.1f s: %s", pause, error)
        self.options.emit("model_retry", cause=error.cause, seconds=round(pause, 1))

    async def _add(self, piece: str, begun: str) -> None:
        self._more += piece
        self.progress.said = said = joined(begun, self._more)
        await self.surface.show_partial(shown_so_far(said, self.shown.heard) if self.shown.claims else said)


def _usage(responder: Responder, used: Answer | None) -> dict[str, object]:
    if used is None:
        return {"model": responder.name}
    return {
        "model": used.model,
        "input_tokens": used.input_tokens,
        "output_tokens": used.output_tokens,
        "cache_read_tokens": used.cache_read_tokens,
        "price_usd": used.price_usd,
    }


async def _carry_out(memory: MemoryClient, incoming: Incoming, tags: tuple[Tag, ...], options: TurnOptions) -> Done:
    if not tags:
        return Done()
    await _describe(memory, incoming, tags, options)
    with timed(options.emit, "tags_applied") as found:
        done = await tag_effects.apply(memory, incoming, tags, options.patience)
        found |= done.counts()
    return done


async def _describe(memory: MemoryClient, incoming: Incoming, tags: tuple[Tag, ...], options: TurnOptions) -> None:
    """The description is a quotation. The stored text is read first, because it may have been edited."""
    seen = next((tag.text for tag in tags if tag.kind == "seen"), "")
    message = next((part for part in incoming.messages if part.shows_file), None)
    if not seen or message is None:
        return
    try:
        async with options.captions:
            known = await with_retries(lambda: _known(memory, message), options.patience)
            caption = (known or message.text).removesuffix(_SEEN + seen)
            described = replace(message, text=f"{caption}{_SEEN}{seen}")
            with timed(options.emit, "file_described"):
                await with_retries(lambda: record_incoming(memory, described), options.patience)
    except (MemoryUnreachable, MemoryRefused) as error:
        logger.warning("the description of a file was not recorded: %s", error)


async def record_edit(memory: MemoryClient, edited: Incoming, options: TurnOptions) -> None:
    """Record an edit, and keep the description of its file. Raises MemoryUnreachable and MemoryRefused."""
    if not edited.shows_file:
        await record_incoming(memory, edited)
        return
    async with options.captions:
        _, quoted, seen = (await _known(memory, edited)).rpartition(_SEEN)
        described = quoted and "\n" not in seen and not edited.text.endswith(quoted + seen)
        await record_incoming(memory, replace(edited, text=edited.text + quoted + seen) if described else edited)


async def _known(memory: MemoryClient, message: Incoming) -> str:
    """The stored text; empty if the memory does not have the message."""
    try:
        return (await memory.explain(c.ExplainArgs(message_id=message.message_id, chat_id=message.chat_id))).text
    except MemoryRefused:
        return ""
