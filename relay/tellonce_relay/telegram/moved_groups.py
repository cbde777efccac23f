"""Maps the ids of groups that became supergroups. Telegram gives such a group a new id and new message numbers, but the
memory keeps the old id."""

from tellonce_relay.seen_store import SeenStore


class MovedGroups:
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
        """The message's id in the memory. Message numbers restart in the new group, so they are prefixed with the new
        group's id."""
        return f"{chat_id}:{number}" if self._seen_store.get(str(chat_id)) is not None else str(number)

    def sent_id(self, chat_id: int, number: int) -> str:
        """The id of a message just sent to the chat. If the group moved meanwhile, the message is in the new group."""
        return self.external_id(self.telegram_chat(self.memory_chat(chat_id)), number)
