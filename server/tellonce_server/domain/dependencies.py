"""What the server passes to every service: settings, storage, clock, notices and announcements."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from zoneinfo import ZoneInfo

from tellonce.journal import Emit
from tellonce.server_text import ServerText
from tellonce.settings import ServerSettings
from tellonce_server.domain.tombstones import Tombstones
from tellonce_server.embedding.protocol import Embedder
from tellonce_server.store.database import Database


@dataclass(frozen=True)
class Dependencies:
    """The objects that every service needs. `announce(channel, payload)` notifies all server processes. Call it after a
    commit. `announce` returns at once and raises no errors. A notification can be lost."""

    settings: ServerSettings
    database: Database
    embedder: Embedder
    tombstones: Tombstones
    now: Callable[[], datetime]
    announce: Callable[[str, str], None]
    emit: Emit
    notices: list[ServerText] = field(default_factory=list)
    """Notices that this process adds to every context, such as that nothing is learned at present."""

    @property
    def zone(self) -> ZoneInfo:
        return ZoneInfo(self.settings.timezone)

    def tell_workers(self) -> None:
        """Announce that there may be a job to claim."""
        self.announce(WORK, "")

    def tell_subscribers(self, owner_id: int, *uris: str) -> None:
        """Announce that these resources of the owner have changed."""
        for uri in uris:
            self.announce(CHANGES, f"{owner_id} {uri}")


WORK = "tellonce_work"
"""The channel that announces jobs to claim."""

FORGOTTEN = "tellonce_forgotten"
"""The channel that announces a committed erasure. Processes then clear their caches of texts."""

CHANGES = "tellonce_changes"
"""The channel that announces changed resources. The payload is the owner, a space and the URI."""
