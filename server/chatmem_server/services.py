"""What every actor of the server is made with: settings, storage, time and the means to announce; no behaviour."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo

from chatmem.journal import Emit
from chatmem.settings import ServerSettings
from chatmem_server.embedding.protocol import Embedder
from chatmem_server.store.database import Database


@dataclass(frozen=True)
class Kit:
    """`announce(channel, payload)` tells other processes what was just committed, without waiting or failing.

    `traces` is a pool whose commits need not survive a power cut.
    """

    settings: ServerSettings
    database: Database
    traces: Database
    embedder: Embedder
    now: Callable[[], datetime]
    announce: Callable[[str, str], None]
    emit: Emit

    @property
    def zone(self) -> ZoneInfo:
        return ZoneInfo(self.settings.timezone)


WORK = "chatmem_work"
"""Channel on which new or newly claimable jobs are announced."""

CHANGES = "chatmem_changes"
"""Channel on which changed resources are announced, by URI."""
