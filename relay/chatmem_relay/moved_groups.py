"""Groups that became supergroups: Telegram gives them a new id and new message numbers, the memory keeps the old id."""

import json
from pathlib import Path


class MovedGroups:
    """Remembered in a file; without one, until the process ends."""

    def __init__(self, file: Path | None) -> None:
        self._file = file
        self._old: dict[int, int] = _read(file)

    def moved(self, old: int, new: int) -> None:
        """Note a move. Telegram tells of it twice, once in each group."""
        if self._old.get(new) == self.memory_chat(old):
            return
        self._old[new] = self.memory_chat(old)
        if self._file is not None:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            self._file.write_text(json.dumps({str(key): value for key, value in self._old.items()}))

    def memory_chat(self, chat_id: int) -> int:
        """The chat's id in the memory and in the settings."""
        return self._old.get(chat_id, chat_id)

    def telegram_chat(self, chat_id: int) -> int:
        """The chat's newest id at Telegram."""
        return next((new for new, old in reversed(self._old.items()) if old == chat_id), chat_id)

    def external_id(self, chat_id: int, message_id: int) -> str:
        """The message's id in the memory: numbers begin anew in the new group, so they carry its id there."""
        return f"{chat_id}:{message_id}" if chat_id in self._old else str(message_id)


def _read(file: Path | None) -> dict[int, int]:
    if file is None or not file.exists():
        return {}
    return {int(new): int(old) for new, old in json.loads(file.read_text()).items()}
