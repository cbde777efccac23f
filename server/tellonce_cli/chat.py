"""`tellonce chat`: a conversation in the terminal over the same memory."""

import secrets
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

from rich.live import Live
from rich.markdown import Markdown

from tellonce import contract as c
from tellonce.client import MemoryClient, MemoryRefused, MemoryUnreachable
from tellonce.client_settings import RelaySettings
from tellonce.reminders import ChangeReminderArgs, Reminder
from tellonce.settings import load
from tellonce_cli import forget
from tellonce_cli.hosts import LOOPBACK
from tellonce_cli.keyboard import Keyboard
from tellonce_cli.memory_server import CHANNEL, connected
from tellonce_cli.screen import console
from tellonce_relay import views
from tellonce_relay.catalogue import phrase
from tellonce_relay.commands.answers import TEXT_ANSWERS, CommandContext
from tellonce_relay.incoming_message import Incoming, command_of, is_command
from tellonce_relay.orders import off_record, order_of
from tellonce_relay.responders.offline import OfflineResponder
from tellonce_relay.responders.responder import Responder
from tellonce_relay.responders.selection import choose
from tellonce_relay.turn import reminders
from tellonce_relay.turn.tag_effects import Done, Saved
from tellonce_relay.turn.turn import TurnOptions, record_incoming, run_turn

_STARTS_ONE = "No server is running, so this chat starts one. It stops when the chat ends."
_LEAVING = frozenset({"exit", "quit", "exit()", "quit()", ":q"})
_HELP = """\
/cancel 1 – cancel a reminder by its number in /reminders
tellonce edit – change a memory; type this command outside of the chat
/exit – end the chat"""

_NO_BOT = "No Telegram bot is set up to deliver it; /reminders lists it."


class Terminal:
    """Shows answers while they are being written. A pipe gets only the final text."""

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
    async with connected(settings, _STARTS_ONE) as memory:
        talk = Talk(memory, responder, settings, keyboard)
        if keyboard.interactive:
            console.print(f"{_who(responder)} /help lists commands, exit or Ctrl-D ends.")
        while (line := keyboard.line("you › ")) is not None and not _ends(line):
            if line.strip():
                await talk.hear(line.strip())


def _ends(line: str) -> bool:
    return line.strip().removeprefix("/").casefold() in _LEAVING


def _who(responder: Responder) -> str:
    if isinstance(responder, OfflineResponder):
        return "No model is set up: the memory answers without one."
    return f"You are talking with {responder.name}."


class Talk:
    """One conversation. Each line is a command, a request for a command in words, or a turn."""

    def __init__(self, memory: MemoryClient, responder: Responder, settings: RelaySettings, keyboard: Keyboard) -> None:
        self._context = CommandContext(memory, responder, ZoneInfo(settings.timezone))
        self._settings = settings
        self._keyboard = keyboard
        self._last_answer: str | None = None
        self._listed: tuple[Reminder, ...] = ()
        self._own: Mapping[str, Callable[[Incoming, str], Awaitable[str]]] = {
            "remind": self._remind,
            "reminders": self._list_reminders,
            "cancel": self._cancel_reminder,
            "forget": self._forget,
            "why": self._why,
            "help": self._help,
        }

    async def hear(self, line: str) -> None:
        incoming = self._incoming(line)
        command = line if is_command(line) else self._order_in(incoming)
        try:
            if not incoming.kept and self._is_offline:
                console.print(phrase("memory.rejected" if off_record(line) else "turn.unsaid_how"))  # as the bot
            elif command is None:
                await self._turn(incoming)
            else:
                console.print(await self._answer(incoming, *command_of(command)))
        except (MemoryRefused, MemoryUnreachable) as error:
            console.print(str(error))

    @property
    def _is_offline(self) -> bool:
        return isinstance(self._context.responder, OfflineResponder)

    def _incoming(self, line: str) -> Incoming:
        return Incoming(
            text=line,
            chat_id=None,
            message_id=f"{CHANNEL}:{secrets.token_hex(8)}",
            sent_at=datetime.now(self._context.zone),
            channel=CHANNEL,
            user_name=self._settings.user_name,
            kept=off_record(line) is None,
        )

    def _order_in(self, incoming: Incoming) -> str | None:
        """The command that the user requests in words. With a model, the model understands such requests."""
        if not incoming.kept or not self._is_offline:
            return None
        order = order_of(incoming.text)
        # In the terminal, there is no running answer to stop, and no earlier message to reply to.
        return order.command if order is not None and order.kind not in ("stop", "unsaid") else None

    async def _turn(self, incoming: Incoming) -> None:
        context, terminal, file = self._context, Terminal(), self._settings.config_dir / "profile.md"
        profile = file.read_text() if file.exists() else ""
        options = TurnOptions(context.zone, now=lambda: datetime.now(UTC), profile=profile)
        try:
            outcome = await run_turn(context.memory, context.responder, terminal, incoming, options)
        finally:
            terminal.close()
        self._last_answer = next(iter(outcome.message_ids), None)
        for line in self._effect_lines(outcome.effects):
            console.print(line, markup=False)
        if not incoming.kept:
            console.print(phrase("turn.unsaid"))

    def _effect_lines(self, effects: Done) -> list[str]:
        return [
            *map(self._saved_line, effects.saved),
            *effects.unset,
            *(f"❔ Is this right? {m.content}  {_commands(m, 'confirm', 'reject')}" for m in effects.uncertain),
            *(f"❔ Is this right? {self._doubt(one)}" for one in effects.doubtful),
            *(f"❔ Is it done? {m.content}  {_commands(m, 'complete')}" for m in effects.unclosed),
        ]

    def _doubt(self, one: Reminder) -> str:
        said = reminders.with_times(one, datetime.now(UTC), self._context.zone)
        return f"{said}  {_commands(one.memory, 'confirm', 'reject')}"

    def _saved_line(self, one: Saved) -> str:
        if one.reminder is None:
            return f"{views.saved_view(one.memory)}  {_commands(one.memory, one.undo)}"
        if one.undo == "restore":
            return reminders.cancelled_reply(one.reminder).text
        return self._set_text(one.reminder)

    async def _answer(self, incoming: Incoming, name: str, text: str) -> str:
        name = name.removeprefix("/")
        if own := self._own.get(name):
            return await own(incoming, text)
        shared = TEXT_ANSWERS.get(name)
        return await shared(self._context, incoming, text) if shared else phrase("help.unknown_command")

    async def _help(self, _: Incoming, __: str) -> str:
        """The bot's help, without buttons, and limited to the commands of the terminal."""
        known = {f"/{name}" for name in (*self._own, *TEXT_ANSWERS)}
        lines = phrase("help.text").splitlines()
        return "\n".join([*(line for line in lines if line[:1] not in ("/", "✎") or line.split()[0] in known), _HELP])

    async def _why(self, incoming: Incoming, text: str) -> str:
        if self._last_answer is None:
            return "Ask me something first; /why then says what my answer was based on."
        about = replace(incoming, reply_to_message_id=self._last_answer)
        return await TEXT_ANSWERS["why"](self._context, about, text)

    async def _remind(self, incoming: Incoming, text: str) -> str:
        if not text:
            return await self._list_reminders(incoming, text)
        memory, in_words = self._context.memory, not is_command(incoming.text)
        if in_words:
            await record_incoming(memory, incoming)
        try:
            made = await reminders.set_by(memory, self._context.zone, incoming, text, recorded=in_words)
        except reminders.NotSet as reason:
            return str(reason)
        return self._set_text(made)

    def _set_text(self, made: Reminder) -> str:
        said = reminders.set_reply(made, datetime.now(UTC), self._context.zone).text
        # The bot of a remote memory has its token on the remote machine.
        no_bot = self._settings.bot_token is None and urlsplit(self._settings.url).hostname in LOOPBACK
        return f"{said}\n{_NO_BOT}" if no_bot else said

    async def _list_reminders(self, incoming: Incoming, _: str) -> str:
        self._listed = (await reminders.coming(self._context.memory, incoming))[: reminders.MOST_LISTED]
        return reminders.list_reply(self._listed, incoming.sent_at, self._context.zone).text

    async def _cancel_reminder(self, _: Incoming, number: str) -> str:
        place = int(number) if number.isascii() and number.isdecimal() else 0
        if not 0 < place <= len(self._listed):
            return "Which one? /reminders lists them; /cancel 1 cancels the first."
        args = ChangeReminderArgs(memory_id=self._listed[place - 1].memory.id, action="cancel")
        return reminders.cancelled_reply(await self._context.memory.change_reminder(args)).text

    async def _forget(self, _: Incoming, topic: str) -> str:
        target = c.ForgetArgs(topic=topic) if topic else c.ForgetArgs(everything=True)
        return await forget.asked(self._context.memory, target, self._context.zone, self._keyboard)


def _commands(memory: c.Memory, *actions: str) -> str:
    return f"[{' or '.join(f'tellonce edit {memory.id} --do {action}' for action in actions)}]"
