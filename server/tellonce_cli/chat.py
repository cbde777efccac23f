"""`tellonce chat`: a conversation in the terminal over the same memory."""

import asyncio
import secrets
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Literal
from zoneinfo import ZoneInfo

from rich.live import Live
from rich.markdown import Markdown

from tellonce import contract as c
from tellonce.client import MemoryClient, MemoryRefused, MemoryUnreachable
from tellonce.client_settings import RelaySettings
from tellonce.settings import load
from tellonce.shutdown import ended
from tellonce_cli import forget
from tellonce_cli.chat_reminders import ChatReminders, terminal_delivers
from tellonce_cli.keyboard import Keyboard, terminal_as_found
from tellonce_cli.memory_server import CHANNEL, connected
from tellonce_cli.screen import console
from tellonce_relay import views
from tellonce_relay.catalogue import phrase
from tellonce_relay.commands.answers import TEXT_ANSWERS, CommandContext, answer
from tellonce_relay.incoming_message import Incoming, command_of, is_command
from tellonce_relay.orders import off_record
from tellonce_relay.responders.offline import OfflineResponder
from tellonce_relay.responders.responder import Responder
from tellonce_relay.responders.selection import choose
from tellonce_relay.turn.reminder_requests import asks_in_vain, offered, order_in, question
from tellonce_relay.turn.reminders import Wanted, cancelled_reply, set_reply
from tellonce_relay.turn.tag_effects import Done, Saved
from tellonce_relay.turn.turn import TurnOptions, record_incoming, run_turn
from tellonce_text.sentences import is_question

_STARTS_ONE = "No server is running, so this chat starts one. It stops when the chat ends."
_LEAVING = frozenset({"exit", "quit", "exit()", "quit()", ":q"})
_HELP = """\
/cancel 1 – cancel a reminder by its number in /reminders
/undo – take back what my last answer or your last /remember saved
/yes, /no – confirm or reject what my last answer asked about
/exit – end the chat"""

_NOTHING_SAVED = "My last answer saved nothing. To remove sentences of yours that I kept, use /forget."


class Terminal:
    """Shows answers while they are being written; a pipe gets only the final text."""

    def __init__(self) -> None:
        self._live: Live | None = None

    async def typing(self) -> None:
        if console.is_terminal and self._live is None:
            self._live = Live("…", console=console, refresh_per_second=12, transient=True)
            self._live.start()

    async def show_partial(self, text: str) -> None:
        if self._live is not None:
            self._live.update(_page(text))

    async def send(self, text: str) -> list[str]:
        self.close()
        console.print(_page(text) if console.is_terminal else text)
        return [f"{CHANNEL}:{secrets.token_hex(8)}"]

    def close(self) -> None:
        """Remove the partial answer and show the cursor again, because a turn may end without an answer."""
        if self._live is not None:
            self._live.stop()
            self._live = None


def _page(text: str) -> Markdown:
    """Render Markdown, but keep the line breaks, because lists and addresses depend on them."""
    page = Markdown(text)
    for token in page.parsed:
        for piece in token.children or ():
            piece.type = "hardbreak" if piece.type == "softbreak" else piece.type
    return page


async def run() -> None:
    settings, keyboard = load(RelaySettings), Keyboard()
    responder = choose(settings)
    with terminal_as_found():
        async with connected(settings, _STARTS_ONE) as memory:
            talk = Talk(memory, responder, settings, keyboard)
            if keyboard.interactive:
                console.print(f"{_who(responder)} /help lists commands, exit or Ctrl-D ends.")
            reminding = asyncio.create_task(talk.reminders.keep())
            try:
                while (line := await keyboard.line("you › ")) is not None and not _ends(line):
                    if line.strip():
                        await talk.hear(line.strip())
            finally:
                await ended(reminding)


def _ends(line: str) -> bool:
    """Whether the line is only a word with which people leave other programs."""
    return line.strip().removeprefix("/").casefold() in _LEAVING


def _who(responder: Responder) -> str:
    if isinstance(responder, OfflineResponder):
        return "No model is set up: the memory answers without one."
    return f"You are talking with {responder.name}."


@dataclass(frozen=True)
class _Given:
    """A command; `text` is the text after the command. `recorded` means that the user requested the command in words
    and that these words are recorded."""

    incoming: Incoming
    text: str
    recorded: bool


class Talk:
    """One conversation. Each input line is a command or a turn."""

    def __init__(self, memory: MemoryClient, responder: Responder, settings: RelaySettings, keyboard: Keyboard) -> None:
        zone = ZoneInfo(settings.timezone)
        self._context = CommandContext(memory, responder, zone)
        self.reminders = ChatReminders(memory, zone, keyboard.show, _now, terminal_delivers(settings), _now())
        self._settings = settings
        self._keyboard = keyboard
        self._last_answer: str | None = None
        self._offer: tuple[Incoming, Sequence[Wanted]] | None = None
        self._effects = Done()
        self._answers: Mapping[str, Callable[[_Given], Awaitable[str]]] = {
            "remember": self._remember,
            "remind": self._remind,
            "reminders": lambda given: self.reminders.listed(given.incoming),
            "cancel": lambda given: self.reminders.cancel(given.text),
            "forget": self._forget,
            "why": self._why,
            "undo": self._undo,
            "yes": lambda _: self._agree("confirm"),
            "no": lambda _: self._agree("reject"),
            "help": self._help,
        }

    async def hear(self, line: str) -> None:
        if not is_command(line):
            self._offer = None
        if off_record(line):
            await self._hear_privately(line)
            return
        ordered = self._order_in(line)
        incoming = _incoming(self._settings, ordered or line)
        recorded = ordered is not None and command_of(ordered)[0] == "/remind"
        try:
            if recorded:
                await record_incoming(self._context.memory, replace(incoming, text=line))
            if is_command(incoming.text):
                console.print(await self._command(incoming, recorded=recorded))
            else:
                await self._turn(incoming)
        except (MemoryRefused, MemoryUnreachable) as error:
            console.print(str(error))

    async def _hear_privately(self, line: str) -> None:
        """Answer a line that asks not to be stored; without a model, there is nothing to answer."""
        if isinstance(self._context.responder, OfflineResponder):
            console.print(phrase("memory.rejected"))
            return
        await self._turn(replace(_incoming(self._settings, line), kept=False))
        console.print(phrase("turn.unsaid"))

    def _order_in(self, line: str) -> str | None:
        """The command that the user requests in words; None if there is no such request, or if there is a model. A
        request to stop is ignored, because there is nothing to stop in the terminal."""
        if is_command(line) or not isinstance(self._context.responder, OfflineResponder):
            return None
        order = order_in(line, _now().astimezone(self._context.zone), self._context.zone)
        return order.command if order is not None and order.kind != "stop" else None

    async def _turn(self, incoming: Incoming) -> None:
        context, terminal, file = self._context, Terminal(), self._settings.config_dir / "profile.md"
        options = TurnOptions(context.zone, now=_now, profile=file.read_text() if file.exists() else "")
        try:
            outcome = await run_turn(context.memory, context.responder, terminal, incoming, options)
        finally:
            terminal.close()
        self._last_answer = next(iter(outcome.message_ids), None)
        self._effects = outcome.effects
        self.reminders.changed.set()
        for line in [*self._effect_lines(outcome.effects), *self._offer_lines(incoming)]:
            console.print(line, markup=False)

    def _offer_lines(self, incoming: Incoming) -> list[str]:
        """Without a model, the line that offers a reminder for a day in the statement. If the user asked for a reminder
        and none was set, the line says this."""
        if self._context.responder.claims or is_question(incoming.text):
            return []
        asked = (incoming.text, incoming.sent_at, self._context.zone)
        if offer := offered(*asked):
            self._offer = (incoming, offer)
            return [f"{question(offer, incoming.sent_at, self._context.zone)}  [✓ /yes]"]
        return [phrase("reminder.unset", example=phrase("reminder.example"))] if asks_in_vain(*asked) else []

    def _effect_lines(self, effects: Done) -> list[str]:
        return [
            *(f"{_saved_line(one, self._context.zone)}  [/undo]" for one in effects.saved),
            *effects.unset,
            *(f"❔ Is this right? {memory.content}  [✓ /yes] [✗ /no]" for memory in effects.uncertain),
            *(f"❔ Is it done? {memory.content}  [✓ /yes] [✗ /no]" for memory in effects.unclosed),
        ]

    async def _command(self, incoming: Incoming, *, recorded: bool) -> str:
        name, text = command_of(incoming.text)
        own = self._answers.get(name.removeprefix("/"))
        if own is not None:
            return await own(_Given(incoming, text, recorded))
        return await answer(self._context, incoming) or phrase("help.unknown_command")

    async def _help(self, _: _Given) -> str:
        """The bot's help for the terminal. It lists only the commands that the terminal has, and adds the terminal's
        own commands."""
        known = {f"/{name}" for name in (*self._answers, *TEXT_ANSWERS)}
        lines = phrase("help.text").splitlines()
        return "\n".join([*(line for line in lines if line[:1] != "/" or line.split()[0] in known), _HELP])

    async def _why(self, given: _Given) -> str:
        if self._last_answer is None:
            return "Ask me something first; /why then says what my answer was based on."
        # In the terminal, the user cannot reply to an older message, so the command always refers to the last answer.
        about = replace(given.incoming, reply_to_message_id=self._last_answer)
        return await TEXT_ANSWERS["why"](self._context, about, given.text)

    async def _remind(self, given: _Given) -> str:
        if not given.text:
            return await self.reminders.listed(given.incoming)
        said, made = await self.reminders.set(given.incoming, given.text, recorded=given.recorded)
        self._effects = Done(saved=[Saved(one.memory, "reject", one) for one in made])
        return f"{said}  [/undo]" if made else said

    async def _agree(self, action: Literal["confirm", "reject"]) -> str:
        """Accept or reject the offered reminder. If no reminder was offered, `_decide` handles the action."""
        if self._offer is None:
            return await self._decide(action)
        (about, offer), self._offer = self._offer, None
        if action == "reject":
            return "✗ Not set"
        said, made = await self.reminders.accept(about, offer)
        self._effects = Done(saved=[Saved(one.memory, "reject", one) for one in made])
        return f"{said}  [/undo]"

    async def _remember(self, given: _Given) -> str:
        """Store the text as a memory. If the statement was already stored, /undo does not remove it."""
        if not given.text:
            return await TEXT_ANSWERS["remember"](self._context, given.incoming, given.text)
        done = await self._context.memory.remember(c.RememberArgs(content=given.text, **given.incoming.place))
        assert done.memory is not None  # one statement was sent
        self._effects = Done(saved=[] if done.outcome == "duplicate" else [Saved(done.memory, "reject")])
        return views.remembered_view(done.memory)

    async def _undo(self, _: _Given) -> str:
        """Undo what the last answer or command saved, and say what that was."""
        saved, self._effects.saved = self._effects.saved, []
        for one in saved:
            if one.undo == "restore":
                await self.reminders.restore(one.memory.id)
            elif one.reminder is not None:
                await self.reminders.take_back(one.memory.id)
            else:
                await self._change(one.memory.id, one.undo)
        lines = [views.undone_view(one.memory, reopened=one.undo != "reject") for one in saved]
        return "\n".join(lines) or _NOTHING_SAVED

    async def _decide(self, action: c.MemoryAction) -> str:
        """Confirm or reject the uncertain memories of the last answer, and close the goals about which the answer
        asked."""
        uncertain, self._effects.uncertain = self._effects.uncertain, []
        unclosed, self._effects.unclosed = self._effects.unclosed, []
        for memory in uncertain:
            await self._change(memory.id, action)
        for memory in unclosed if action == "confirm" else ():
            await self._change(memory.id, "complete")
        if unclosed and not uncertain:
            return "✓ Done" if action == "confirm" else "Left open"
        return ("✓ Kept" if action == "confirm" else "✗ Not kept") if uncertain else "My last answer asked nothing."

    async def _change(self, memory_id: int, action: c.MemoryAction) -> None:
        await self._context.memory.update_memory(c.UpdateMemoryArgs(memory_id=memory_id, action=action))

    async def _forget(self, given: _Given) -> str:
        target = c.ForgetArgs(topic=given.text) if given.text else c.ForgetArgs(everything=True)
        return await forget.asked(self._context.memory, target, self._context.zone, self._keyboard)


def _saved_line(one: Saved, zone: ZoneInfo) -> str:
    if one.reminder is not None and one.undo == "restore":
        return cancelled_reply(one.reminder).text
    if one.reminder is not None:
        return set_reply([one.reminder], _now(), zone).text
    return views.saved_view(one.memory)


def _now() -> datetime:
    return datetime.now(UTC)


def _incoming(settings: RelaySettings, line: str) -> Incoming:
    return Incoming(
        text=line,
        chat_id=None,
        message_id=f"{CHANNEL}:{secrets.token_hex(8)}",
        sent_at=datetime.now(ZoneInfo(settings.timezone)),
        channel=CHANNEL,
        user_name=settings.user_name,
    )
