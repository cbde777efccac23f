"""Processes attachments once per turn: a voice message becomes text, and a file is shown to the model."""

from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from dataclasses import replace
from typing import Any

from tellonce_llm.model import FileKind
from tellonce_relay.catalogue import phrase
from tellonce_relay.orders import off_record
from tellonce_relay.telegram.attachment_reader import UnusableAttachment
from tellonce_relay.telegram.attachments import Attachment, attachment_of
from tellonce_relay.telegram.messages import text_of, words_of
from tellonce_relay.turn import turn
from tellonce_relay.updates.case import Case
from tellonce_relay.updates.dependencies import Dependencies
from tellonce_relay.updates.open_turn import OpenTurn

WithNotice = Callable[[Case, Callable[[], Awaitable[Any]]], Awaitable[Any]]


class TurnAttachments:
    def __init__(self, dependencies: Dependencies) -> None:
        self._e = dependencies

    async def process(self, opened: OpenTurn, place: int, reads: frozenset[FileKind], with_notice: WithNotice) -> None:
        """Process the attachment of one of the turn's messages, unless that was done or tried before."""
        case = opened.cases[place]
        attachment = self.attachment(case)
        if attachment is None or case.update_id in opened.files:
            return
        try:
            if attachment.kind == "voice":
                opened.cases[place] = await self._transcribed(case, attachment, with_notice)
                opened.files[case.update_id] = ()
            else:
                opened.files[case.update_id] = (await self._e.attachment_reader.file(attachment, reads),)
        except UnusableAttachment as problem:
            opened.files[case.update_id] = ()
            opened.problems.append(problem)

    def attachment(self, case: Case) -> Attachment | None:
        """The file of a message, or of the message to which it replies."""
        return attachment_of(case.message) or self._quoted(case)

    def new_problems(self, opened: OpenTurn) -> str:
        """The sentences about unusable attachments that the person has not seen yet."""
        chat = opened.head.chat_id
        return _sentences(
            p
            for p in opened.problems
            if not p.once or self._e.stores.said_once.get(f"{chat}:{p.sentence[:40]}") is None
        )

    def problems(self, opened: OpenTurn) -> str:
        """The sentences for a turn that has nothing else. They are said each time."""
        return _sentences(opened.problems)

    def mark_said(self, opened: OpenTurn) -> None:
        """Record that the person has seen the sentences that `new_problems` returned."""
        for problem in opened.problems:
            if problem.once:
                self._e.stores.said_once.put(f"{opened.head.chat_id}:{problem.sentence[:40]}", "told")

    def _quoted(self, case: Case) -> Attachment | None:
        """A reply to an attachment is often a question about it. The memory has the transcripts of voices."""
        target = case.message.reply_to_message
        attachment = attachment_of(target) if target is not None else None
        return attachment if attachment is not None and attachment.kind != "voice" else None

    async def _transcribed(self, case: Case, voice: Attachment, with_notice: WithNotice) -> Case:
        """An earlier process may have made the transcript."""
        transcript = case.entry.transcript or await self._e.attachment_reader.transcript(voice)
        case.entry.transcript = transcript
        self._e.inbox.put(case.update_id, case.entry)
        kept = not off_record(words_of(case.message, transcript))
        said = replace(case.incoming, text=text_of(case.message, self._e.zone, transcript), shows_file=False, kept=kept)
        spoken = replace(case, incoming=said)
        if kept:
            await with_notice(spoken, lambda: turn.record_incoming(self._e.command_context.memory, spoken.incoming))
        shown = phrase("senses.heard", text=transcript)
        with suppress(turn.NotShown):
            await case.tell("heard", shown)
        return spoken


def _sentences(problems: Iterable[UnusableAttachment]) -> str:
    return "\n".join(dict.fromkeys(problem.sentence for problem in problems))
