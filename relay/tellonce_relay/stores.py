"""The small stores of the relay. Each is in a file of the relay's folder, so that it survives restarts."""

from pathlib import Path

from tellonce_relay.seen_store import SeenStore
from tellonce_relay.telegram.moved_groups import MovedGroups
from tellonce_relay.telegram.speaker_names import SpeakerNames

CONTESTED = "contested"
"""The entry of `Stores.polling` with the time at which Telegram last said that another program fetches the bot's
updates."""


class Stores:
    """The stores in `folder`, which the relay and `tellonce send` share. Without a folder, they are lost when the process
    ends.

    `newest` contains the highest message id of each chat. `parts` maps each further part of a long message
    (`chat:message`) to the id of the message's first part, because the memory knows only this id. `asked` contains the
    memories about which the person was asked. `told` contains the sentences that are said only once. `languages`
    contains the language of each chat, and `alarms` the state of each reminder. `unfinished` contains each thread's
    request for a reminder whose time is missing. `routines` contains the id of the last message of each `chat:routine`.
    `scripts` contains the messages of `tellonce send`. `polling` contains what `tellonce doctor` must know about fetching
    updates.
    """

    def __init__(self, folder: Path | None = None) -> None:
        def store(name: str, most: int = 500) -> SeenStore:
            return SeenStore(folder / f"{name}.json" if folder is not None else None, most)

        self.moved = MovedGroups(store("moved_groups"))
        self.speakers = SpeakerNames(store("speakers", most=5000))
        self.newest = store("newest")
        self.parts = store("parts")
        self.asked = store("asked")
        self.told = store("told")
        self.languages = store("languages")
        self.alarms = store("alarms")
        self.unfinished = store("unfinished")
        self.routines = store("routines")
        self.scripts = store("scripts")
        self.polling = store("polling")
