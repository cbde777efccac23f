"""The sign-in of a browser. The browser sends a one-time code and receives a sealed cookie. The code is valid for a
minute.

The cookie contains the hash of an access token, so revoking the token ends the session. The cookie is sealed with the
server's key, so it needs no storage and remains valid after a restart.
"""

import base64
import hashlib
import hmac
import secrets
import time
from collections.abc import Callable
from datetime import datetime, timedelta

CODE_SECONDS = 60.0
MOST_CODES = 100
SESSION_DAYS = 30
PREFIX = "page:"
"""The prefix that distinguishes a session from a bearer token, which contains no colon."""

_HASH = 32
_TIME = 8


class Codes:
    """One-time codes of this process. Each code is stored with a value, such as the hash of the access token that was
    used to request the code."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._open: dict[bytes, tuple[bytes, float]] = {}

    def new(self, value: bytes) -> str:
        """A fresh code. If there are too many codes, the oldest code is deleted."""
        self._open = {code: entry for code, entry in self._open.items() if entry[1] > self._clock()}
        if len(self._open) >= MOST_CODES:
            self._open.pop(next(iter(self._open)))
        code = secrets.token_urlsafe(24)
        self._open[_digest(code)] = (value, self._clock() + CODE_SECONDS)
        return code

    def take(self, code: str) -> bytes | None:
        """Return the value of the code, or None for an unknown, used or expired code. Each code works only once."""
        entry = self._open.pop(_digest(code), None)
        return entry[0] if entry is not None and entry[1] > self._clock() else None


class Seal:
    """Seals a token's hash into a session and opens sessions."""

    def __init__(self, key: bytes) -> None:
        self._key = hmac.digest(key, b"memory page session", "sha256")

    def session(self, token_hash: bytes, now: datetime) -> str:
        """A session that is valid for `SESSION_DAYS`."""
        until = int((now + timedelta(days=SESSION_DAYS)).timestamp())
        body = until.to_bytes(_TIME, "big") + token_hash
        return PREFIX + base64.urlsafe_b64encode(body + self._mac(body)).decode().rstrip("=")

    def token_hash(self, session: str, now: datetime) -> bytes | None:
        """The hash sealed in a session; None if the session was not sealed with this key or has expired."""
        try:
            raw = base64.urlsafe_b64decode(session.removeprefix(PREFIX) + "==")
        except ValueError:
            return None
        body, mac = raw[: _TIME + _HASH], raw[_TIME + _HASH :]
        if not hmac.compare_digest(mac, self._mac(body)):
            return None
        return body[_TIME:] if int.from_bytes(body[:_TIME], "big") > now.timestamp() else None

    def _mac(self, body: bytes) -> bytes:
        return hmac.digest(self._key, body, "sha256")


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode()).digest()
