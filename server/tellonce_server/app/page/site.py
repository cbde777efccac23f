"""Serves the memory page over HTTP: its files, and the sign-in with a one-time code. For everything else, the page uses
MCP."""

from dataclasses import dataclass
from urllib.parse import urlsplit

from mcp.server import MCPServer
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from tellonce_server.api.page.app_bundle import static_files
from tellonce_server.app.access_tokens import digest
from tellonce_server.app.page.protection import HEADERS, bearer, cookie_name, from_own_page, refused
from tellonce_server.app.page.uploads import Transfers
from tellonce_server.app.storage import Storage
from tellonce_server.services.page.sessions import CODE_SECONDS, SESSION_DAYS, Codes

TYPES = {
    "html": "text/html; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "json": "application/json",
    "svg": "image/svg+xml",
}
OWN_PAGE = "Only the memory page itself may request this."
CODE_BYTES = 4096
"""Maximum bytes of a sign-in request; a code has 32 characters."""


def add_page(server: "MCPServer[None]", storage: Storage) -> None:
    site, transfers = _Site(storage, Codes()), Transfers(storage)
    routes = (
        ("/", "GET", _file),
        ("/page/code", "POST", site.code),
        ("/page/session", "POST", site.session),
        ("/page/end", "POST", site.end),
        ("/page/upload", "POST", transfers.for_operator(transfers.upload)),
        ("/page/discard", "POST", transfers.for_operator(transfers.discard)),
        ("/page/export", "GET", transfers.for_operator(transfers.export)),
        ("/page/ticket", "POST", transfers.for_operator(transfers.ticket)),
        ("/page/backup/{ticket}", "GET", transfers.backup),
        ("/page/{file:path}", "GET", _file),
    )
    for path, method, answer in routes:
        server.custom_route(path, methods=[method])(answer)


@dataclass(frozen=True)
class _Site:
    storage: Storage
    codes: Codes

    async def code(self, request: Request) -> Response:
        """Return a one-time code to the holder of an access token. `tellonce open` requests the code."""
        token, grant = await bearer(self.storage, request) or ("", None)
        if grant is None or grant.subject is None or "assistant" not in grant.scopes:
            return refused(401, "This needs an access token with the scope assistant.")
        return JSONResponse({"code": self.codes.new(digest(token)), "seconds": CODE_SECONDS}, headers=HEADERS)

    async def session(self, request: Request) -> Response:
        """Exchange a one-time code for the session cookie."""
        if not from_own_page(request.method, Headers(scope=request.scope)):
            return refused(403, OWN_PAGE)
        body = b""
        async for part in request.stream():
            body += part
            if len(body) > CODE_BYTES:
                return refused(413, "The request is too long; a code has 32 characters.")
        token_hash = self.codes.take(body.decode("ascii", "replace"))
        if token_hash is None:
            text = "This code was used, or it is older than a minute. Run `tellonce open` again."
            return refused(403, text, "code_used")
        services = await self.storage.services()
        response = JSONResponse({}, headers=HEADERS)
        self._set(response, request, services.seal.session(token_hash, services.deps.now()), SESSION_DAYS * 86_400)
        return response

    async def end(self, request: Request) -> Response:
        """Sign out: delete the session cookie."""
        if not from_own_page(request.method, Headers(scope=request.scope)):
            return refused(403, OWN_PAGE)
        response = JSONResponse({}, headers=HEADERS)
        self._set(response, request, "", 0)
        return response

    def _set(self, response: Response, request: Request, value: str, seconds: int) -> None:
        public = urlsplit(self.storage.settings.remote.url)
        response.set_cookie(
            cookie_name(self.storage.settings.port),
            value,
            max_age=seconds,
            path="/",
            httponly=True,
            samesite="strict",
            secure=public.scheme == "https" and request.url.hostname == public.hostname,
        )


async def _file(request: Request) -> Response:
    name = request.path_params.get("file", "index.html")
    content = static_files().get(name)
    kind = TYPES.get(name.rpartition(".")[2])
    if content is None or kind is None:
        return refused(404, "There is no such file.")
    return Response(content, headers={**HEADERS, "Content-Type": kind})
