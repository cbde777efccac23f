"""Moves the data folder of older releases, which were named chatmem, to its new name when a server starts."""

import os
from pathlib import Path

from platformdirs import user_data_path

from tellonce.former_name import FORMER_NAME, NAME
from tellonce_server.store.postgres.file_lock import is_held


def move_former_folder() -> str | None:
    """Move the former folder if the new folder does not exist and no server uses the former one.

    Returns: A sentence for the person, or None if there was nothing to move.
    """
    folder, former = user_data_path(NAME, appauthor=False), user_data_path(FORMER_NAME, appauthor=False)
    if folder.exists() or not former.is_dir():
        return None
    if _in_use(former):
        return f"The memory in {former} is in use by a server of the former name, and is moved to {folder} when that has ended."
    os.rename(former, folder)
    return f"The memory was moved from {former} to {folder}."


def _in_use(folder: Path) -> bool:
    return any((folder / lock).exists() and is_held(folder / lock) for lock in (".use", ".watch"))
