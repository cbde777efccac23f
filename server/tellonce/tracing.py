"""Passes one trace id through all processes of a turn, in the format of W3C trace context.

MCP sends the current context in the `_meta` of each request (`traceparent`). Inside a tool, `trace_id()` therefore
returns the id of the turn. Without opentelemetry-sdk, only the ids are passed on, and no spans are recorded.
"""

import importlib
import logging
import secrets
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

from opentelemetry import trace
from opentelemetry.trace import NonRecordingSpan, SpanContext, TraceFlags
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

logger = logging.getLogger(__name__)

_tracer = trace.get_tracer("tellonce")
_w3c = TraceContextTextMapPropagator()


@contextmanager
def traced(name: str, traceparent: str | None = None) -> Generator[None]:
    """A span around the block. It belongs to the trace of `traceparent`. Without `traceparent`, it belongs to the
    current trace or starts a new trace. An exception's text is not recorded, because it may quote a message."""
    span = _tracer.start_span(name, context=_w3c.extract({"traceparent": traceparent}) if traceparent else None)
    if not span.get_span_context().is_valid:
        span = NonRecordingSpan(_new_context())
    with trace.use_span(span, end_on_exit=True, record_exception=False, set_status_on_exception=False):
        yield


def trace_id() -> str | None:
    """The id of the current trace, 32 hexadecimal digits. None outside a trace."""
    current = trace.get_current_span().get_span_context()
    return trace.format_trace_id(current.trace_id) if current.is_valid else None


def traceparent() -> str | None:
    """The current trace and span in W3C form, to be passed to work that runs later or in another process."""
    carrier: dict[str, str] = {}
    _w3c.inject(carrier)
    return carrier.get("traceparent")


def export(process: str, endpoint: str | None) -> None:
    """Send this process's spans to an OTLP/HTTP collector such as `http://127.0.0.1:4318`. With None, do nothing."""
    if endpoint is None:
        return
    try:
        # The SDK is an optional extra, so it is imported only when a collector is set.
        sdk: Any = importlib.import_module("opentelemetry.sdk.trace")
        exporting: Any = importlib.import_module("opentelemetry.sdk.trace.export")
        resources: Any = importlib.import_module("opentelemetry.sdk.resources")
        otlp: Any = importlib.import_module("opentelemetry.exporter.otlp.proto.http.trace_exporter")
    except ImportError:
        logger.warning("OTEL_EXPORTER_OTLP_ENDPOINT is set, but spans need: pip install 'tellonce[otel]'")
        return
    provider = sdk.TracerProvider(resource=resources.Resource.create({"service.name": f"tellonce-{process}"}))
    exporter = otlp.OTLPSpanExporter(endpoint=f"{endpoint.rstrip('/')}/v1/traces")
    provider.add_span_processor(exporting.BatchSpanProcessor(exporter))
    trace.set_tracer_provider(provider)


def _new_context() -> SpanContext:
    """The ids are marked as sampled, so that processes with the SDK record their spans."""
    return SpanContext(
        secrets.randbits(128) or 1,
        secrets.randbits(64) or 1,
        is_remote=False,
        trace_flags=TraceFlags(TraceFlags.SAMPLED),
    )
