"""Accepts the page's cookie as a credential, and defines the headers of the page's responses."""

from http.cookies import CookieError, SimpleCookie
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from tellonce.server_text import ServerText, TextCode, to_meta
from tellonce_server.services.page.sessions import PREFIX

SAFE_METHODS = ("GET", "HEAD")


def cookie_name(port: int) -> str:
    """The cookie's name. The name contains the port, because browsers share cookies between the ports of one host."""
    return f"tellonce_{port}"


class PageCookie:
    """ASGI middleware that copies the page's session cookie into the header for bearer tokens. It copies the cookie
    only if the request's headers show that the memory page made the request. The browser sets these headers."""

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
    """Whether a page of this host and port made the request, according to headers that the browser sets."""
    origin = headers.get("origin")
    if origin is not None:
        return urlsplit(origin).netloc == headers.get("host")
    return method in SAFE_METHODS and headers.get("sec-fetch-site") == "same-origin"


CSP = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": CSP,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cache-Control": "no-cache",
}


def refused(status: int, sentence: str, code: TextCode = "page_request") -> JSONResponse:
    """A response with one sentence and the sentence's code. The page uses the code to show the sentence in the reader's
    language."""
    sent = {"error": sentence, "_meta": to_meta([ServerText(sentence, code)])}
    return JSONResponse(sent, status_code=status, headers=HEADERS)
