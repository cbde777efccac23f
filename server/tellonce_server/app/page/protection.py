"""Accepts the page's cookie as a credential, and defines the headers of the page's responses."""

from http.cookies import CookieError, SimpleCookie
from urllib.parse import urlsplit

from mcp.server.auth.provider import AccessToken
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from tellonce.server_text import ServerText, TextCode, to_meta
from tellonce_server.app.storage import Storage
from tellonce_server.app.token_verifier import is_still_valid
from tellonce_server.services.page.sessions import PREFIX

SAFE_METHODS = ("GET", "HEAD")


def cookie_name(port: int) -> str:
    """The name contains the port, because browsers share cookies between the ports of one host."""
    return f"tellonce_{port}"


def with_cookie(app: ASGIApp, name: str) -> ASGIApp:
    """ASGI middleware that copies the page's session cookie into the header for bearer tokens. The browser's headers
    must show that the memory page made the request."""

    async def copying(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            headers = Headers(scope=scope)
            session = _session(headers, name)
            if session is not None and "authorization" not in headers and from_own_page(scope["method"], headers):
                scope["headers"] = [*scope["headers"], (b"authorization", f"Bearer {session}".encode())]
        await app(scope, receive, send)

    return copying


def _session(headers: Headers, name: str) -> str | None:
    try:
        found = SimpleCookie(headers.get("cookie", "")).get(name)
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
    """A sentence and its code. The page shows the sentence in the reader's language."""
    sent = {"error": sentence, "_meta": to_meta([ServerText(sentence, code)])}
    return JSONResponse(sent, status_code=status, headers=HEADERS)


async def bearer(storage: Storage, request: Request) -> tuple[str, AccessToken] | None:
    """The token of the request and its access; None if the request has no valid token."""
    kind, _, token = request.headers.get("authorization", "").partition(" ")
    access = await storage.verifier.verify_token(token) if kind.lower() == "bearer" else None
    return (token, access) if access is not None and await is_still_valid(access) else None
