"""ASGI middleware that lets the page's own requests carry their credential in a cookie."""

from http.cookies import CookieError, SimpleCookie
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from tellonce_server.services.page.sessions import PREFIX

SAFE_METHODS = ("GET", "HEAD")


def cookie_name(port: int) -> str:
    """Browsers do not keep cookies apart by port: two servers on one machine each have their own."""
    return f"tellonce_{port}"


class PageCookie:
    """Turns the session cookie of a request from the page itself into the bearer token the endpoints expect.

    A request that a page of another origin caused is not given the credential: a browser names the origin of every POST,
    and of a GET it says whether it came from the same origin.
    """

    def __init__(self, app: ASGIApp, name: str) -> None:
        self._app = app
        self._name = name

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            headers = Headers(scope=scope)
            session = self._session(headers)
            if session is not None and "authorization" not in headers and from_own_page(scope["method"], headers):
                scope["headers"] = [*scope["headers"], (b"authorization", f"Bearer {session}".encode())]
        await self._app(scope, receive, send)

    def _session(self, headers: Headers) -> str | None:
        try:
            found = SimpleCookie(headers.get("cookie", "")).get(self._name)
        except CookieError:
            return None
        return found.value if found is not None and found.value.startswith(PREFIX) else None


def from_own_page(method: str, headers: Headers) -> bool:
    """Whether the browser says that a page of this very origin (scheme, name and port) made the request."""
    origin = headers.get("origin")
    if origin is not None:
        return urlsplit(origin).netloc == headers.get("host")
    return method in SAFE_METHODS and headers.get("sec-fetch-site") == "same-origin"
