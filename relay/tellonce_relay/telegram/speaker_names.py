"""The names under which the memory stores the people of a group. Two people with the same first name get different
names."""

import hashlib
from collections.abc import Iterator
from itertools import count

from telegram import User

from tellonce_relay.seen_store import SeenStore
from tellonce_text.fences import name_of

LONGEST = 128


class SpeakerNames:
    """Maps each name in a group to the person who wrote under this name first. The store contains a digest of the name,
    because what people are called belongs to the memory alone."""

    def __init__(self, seen_store: SeenStore | None = None) -> None:
        self._seen_store = seen_store or SeenStore()

    def of(self, chat_id: int, user: User) -> str:
        """The person's first name. If another person of the group has this name, the initial of the last name or the
        username is added. Empty if the person has no name."""
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
    first, last = name_of(user.first_name).strip()[:LONGEST], name_of(user.last_name or "").strip()
    yield first
    short = first[: LONGEST - 40]
    if last:
        yield f"{short} {last[0]}."
    if user.username:
        yield f"{short} @{user.username}"
    yield from (f"{short} {number}" for number in count(2))
