"""The small stores of the relay. Each is in a file of the relay's folder, so that it survives restarts."""

import hashlib
from collections.abc import Iterator
from itertools import count
from pathlib import Path

from telegram import User

from tellonce_relay.seen_store import SeenStore
from tellonce_text.fences import name_of

CONTESTED = "contested"
"""The entry of `Stores.polling` about other programs that fetch the bot's updates. It contains the time of Telegram's
last report of such a program."""
_LONGEST_NAME = 128


class MovedGroups:
    """A group that becomes a supergroup gets a new id at Telegram. The memory keeps the old id."""

    def __init__(self, seen_store: SeenStore | None = None) -> None:
        self._seen_store = seen_store or SeenStore()

    def moved(self, old: int, new: int) -> None:
        """Record a move. Telegram reports a move twice, once in each group."""
        self._seen_store.put(str(new), str(self.memory_chat(old)))

    def memory_chat(self, chat_id: int) -> int:
        """The chat's id in the memory and in the settings."""
        return int(self._seen_store.get(str(chat_id)) or chat_id)

    def telegram_chat(self, chat_id: int) -> int:
        """The chat's newest id at Telegram."""
        return next((int(new) for new, old in reversed(self._seen_store.items()) if old == str(chat_id)), chat_id)

    def external_id(self, chat_id: int, number: int) -> str:
        """The message's id in the memory. Message numbers restart in a supergroup, so its id is a prefix."""
        return f"{chat_id}:{number}" if self._seen_store.get(str(chat_id)) is not None else str(number)

    def sent_id(self, chat_id: int, number: int) -> str:
        """The id of a message just sent to the chat. If the group moved meanwhile, the message is in the new group."""
        return self.external_id(self.telegram_chat(self.memory_chat(chat_id)), number)


class SpeakerNames:
    """Gives people of a group different names. Only the memory stores names, so this stores digests."""

    def __init__(self, seen_store: SeenStore | None = None) -> None:
        self._seen_store = seen_store or SeenStore()

    def of(self, chat_id: int, user: User) -> str:
        """The person's first name, with an addition if another person of the group has it."""
        return next(name for name in _candidates(user) if not name or self._is_theirs(chat_id, name, user.id))

    def _is_theirs(self, chat_id: int, name: str, user_id: int) -> bool:
        """Whether nobody else has the name. The person has it from now on."""
        key = f"{chat_id}:{hashlib.sha256(f'{chat_id} {name.casefold()}'.encode()).hexdigest()[:16]}"
        owner = self._seen_store.get(key)
        if owner is None:
            self._seen_store.put(key, str(user_id))
        return owner in (None, str(user_id))


def _candidates(user: User) -> Iterator[str]:
    """The person's possible names, the preferred name first."""
    first, last = name_of(user.first_name).strip()[:_LONGEST_NAME], name_of(user.last_name or "").strip()
    yield first
    short = first[: _LONGEST_NAME - 40]
    if last:
        yield f"{short} {last[0]}."
    if user.username:
        yield f"{short} @{user.username}"
    yield from (f"{short} {number}" for number in count(2))


class Stores:
    """The stores in `folder`, which the relay and `tellonce send` share. Without a folder, they are lost when the process
    ends.

    `newest` contains the highest message id of each chat. `parts` is for messages that were sent in several parts. It
    maps each later part (`chat:message`) to the id of the first part, because the memory knows only the first part.
    `asked` contains the memories about which the person was asked. `said_once` contains the sentences that are said
    only once. `languages` contains the language of each chat, and `alarms` the state of each reminder. `scripts`
    contains the messages of `tellonce send`. `polling` contains what `tellonce
    doctor` must know about fetching updates.
    """

    def __init__(self, folder: Path | None = None) -> None:
        def store(name: str, most: int = 500) -> SeenStore:
            return SeenStore(folder / f"{name}.json" if folder is not None else None, most)

        self.moved = MovedGroups(store("moved_groups"))
        self.speakers = SpeakerNames(store("speakers", most=5000))
        self.newest = store("newest")
        self.parts = store("parts")
        self.asked = store("asked")
        self.said_once = store("told")
        self.languages = store("languages")
        self.alarms = store("alarms")
        self.scripts = store("scripts")
        self.polling = store("polling")
