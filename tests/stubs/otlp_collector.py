"""An OTLP/HTTP collector on loopback. It keeps the spans that it receives."""

from contextlib import AsyncExitStack
from types import TracebackType
from typing import NamedTuple, Self

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from tests.stubs.loopback import served


class Span(NamedTuple):
    service: str
    name: str
    trace_id: str
    span_id: str
    parent_id: str


class OtlpCollector:
    """A collector. `url` is a value for OTEL_EXPORTER_OTLP_ENDPOINT."""

    def __init__(self) -> None:
        self.spans: list[Span] = []
        self.url = ""
        self._stack = AsyncExitStack()

    async def __aenter__(self) -> Self:
        app = Starlette(routes=[Route("/v1/traces", self._take, methods=["POST"])])
        self.url = await self._stack.enter_async_context(served(app))
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._stack.aclose()

    async def _take(self, request: Request) -> Response:
        sent = ExportTraceServiceRequest.FromString(await request.body())
        for of_process in sent.resource_spans:
            service = next(a.value.string_value for a in of_process.resource.attributes if a.key == "service.name")
            for of_library in of_process.scope_spans:
                for span in of_library.spans:
                    ids = (span.trace_id.hex(), span.span_id.hex(), span.parent_span_id.hex())
                    self.spans.append(Span(service, span.name, *ids))
        return Response(status_code=200, media_type="application/x-protobuf")
