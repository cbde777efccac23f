"""Refuses HTTP requests with an unknown Host or Origin header, on every path. This prevents DNS rebinding."""

from collections.abc import Sequence

from mcp.server.transport_security import TransportSecurityMiddleware, TransportSecuritySettings
from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send


class KnownHosts:
    """The outermost middleware, so that it also covers redirects and errors. The paths in `private` are served only for
    the hosts in `own`, which do not include the public address."""

    def __init__(
        self,
        app: ASGIApp,
        public: TransportSecuritySettings,
        own: TransportSecuritySettings,
        private: Sequence[str],
    ) -> None:
        self._app = app
        self._public, self._own = TransportSecurityMiddleware(public), TransportSecurityMiddleware(own)
        self._private = private

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            security = self._own if scope["path"].rstrip("/") in self._private else self._public
            refusal = await security.validate_request(Request(scope))
            if refusal is not None:
                await refusal(scope, receive, send)
                return
        await self._app(scope, receive, send)
