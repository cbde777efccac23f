"""The operator's pages `/health`, `/ready` and `/metrics`. None of the pages shows a stored text."""

import asyncio

from prometheus_client import CONTENT_TYPE_LATEST
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from tellonce_server.app.metrics import Metrics
from tellonce_server.app.server import VERSION, MemoryServer
from tellonce_server.app.storage import Storage
from tellonce_server.core.errors import AWAY, StorageUnavailable

FIGURES = "/metrics"
READY_SECONDS = 2.0
"""Maximum seconds that `/ready` waits for the database."""


def add_operator_pages(server: MemoryServer, storage: Storage) -> None:
    metrics = Metrics(storage)
    storage.on_call(metrics.called)

    async def health(_: Request) -> Response:
        """Answer 200 if storage is open, otherwise 503 with the reason. This page never waits."""
        state = await storage.health()
        return JSONResponse({**state, "version": VERSION}, status_code=200 if state["ready"] else 503)

    async def ready(_: Request) -> Response:
        """Answer 200 if the database answers now, otherwise 503 with the reason."""
        reason = await _hindrance(storage)
        return JSONResponse({"ready": reason is None, "reason": reason}, status_code=503 if reason else 200)

    async def figures(_: Request) -> Response:
        return Response(await metrics.text(), media_type=CONTENT_TYPE_LATEST)

    for path, page in (("/health", health), ("/ready", ready), (FIGURES, figures)):
        server.custom_route(path, methods=["GET"])(page)


async def _hindrance(storage: Storage) -> str | None:
    """The reason why calls cannot be answered now; None if they can be answered."""
    try:
        async with asyncio.timeout(READY_SECONDS):
            services = await storage.services()
            await services.work.attendance.at_work()
    except TimeoutError:
        return "the database does not answer in time"
    except (StorageUnavailable, *AWAY) as error:
        return "the database cannot be reached" if not isinstance(error, StorageUnavailable) else str(error)
    return None
