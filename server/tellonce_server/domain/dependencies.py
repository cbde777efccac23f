"""What every actor of the server is made with: settings, storage, time, its standing notices and the means to announce."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from zoneinfo import ZoneInfo

from tellonce.journal import Emit
from tellonce.settings import ServerSettings
from tellonce_server.embedding.protocol import Embedder
from tellonce_server.store.database import Database


@dataclass(frozen=True)
class Dependencies:
    """`announce(channel, payload)` reaches all server processes; call it after the commit. It never waits and never fails.

    `traces` is a pool whose commits need not survive a power cut.
    """

    settings: ServerSettings
    database: Database
    traces: Database
    embedder: Embedder
    now: Callable[[], datetime]
    announce: Callable[[str, str], None]
    emit: Emit
    notices: list[str] = field(default_factory=list)
    """What this process has to say with every context: nobody learns beside it."""

    @property
    def zone(self) -> ZoneInfo:
        return ZoneInfo(self.settings.timezone)

    def tell_workers(self) -> None:
        """There may be a job to claim."""
        self.announce(WORK, "")

    def tell_subscribers(self, owner_id: int, *uris: str) -> None:
        """These resources of the owner have changed."""
        for uri in uris:
            self.announce(CHANGES, f"{owner_id} {uri}")


WORK = "tellonce_work"
"""Channel on which new or newly claimable jobs are announced."""

FORGOTTEN = "tellonce_forgotten"
"""Channel on which every erasure is announced, with its commit: each server process empties its caches of texts."""

CHANGES = "tellonce_changes"
"""Channel on which changed resources are announced: the owner, a blank, the URI."""
