"""The metrics at `/metrics`, in Prometheus' text format, without any stored text or user's id."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from tellonce.work import QueueStatus
from tellonce_server.app.storage import Storage
from tellonce_server.core.errors import TEMPORARY_FAILURES

if TYPE_CHECKING:
    from tellonce_server.services.services import Services
    from tellonce_server.store.pools import PoolUse

BUCKETS = (0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10)
"""Upper bounds in the histogram of tool durations, in seconds. A context of a large memory takes 0.02 s."""


class Metrics:
    """Counts tool calls when they end. All other figures are read when the page is requested."""

    def __init__(self, storage: Storage) -> None:
        self._storage = storage
        self._registry = CollectorRegistry()
        self._calls = Counter(
            "tellonce_tool_calls", "Tool calls that ended.", ["tool", "outcome"], registry=self._registry
        )
        self._seconds = Histogram(
            "tellonce_tool_seconds",
            "Duration of tool calls in seconds.",
            ["tool"],
            buckets=BUCKETS,
            registry=self._registry,
        )

    def called(self, tool: str, seconds: float, ok: bool) -> None:
        self._calls.labels(tool, "ok" if ok else "error").inc()
        self._seconds.labels(tool).observe(seconds)

    async def text(self) -> bytes:
        """The metrics in Prometheus' text format; during a database outage, only the metrics of the process itself."""
        health = await self._storage.health()
        families = [*_process(health)]
        try:
            if health["ready"]:
                families += await _memory(await self._storage.services())
        except TEMPORARY_FAILURES:
            families.append(_gauge("tellonce_database_up", "Whether the database answers.", 0))
        return generate_latest(self._registry) + generate_latest(_Read(families))


class _Read(Collector):
    def __init__(self, families: Iterable[Metric]) -> None:
        self._families = families

    def collect(self) -> Iterable[Metric]:
        return self._families


def _process(health: dict[str, Any]) -> Iterable[Metric]:
    yield _gauge("tellonce_ready", "Whether calls are answered.", health["ready"])
    yield _gauge("tellonce_embeddings_ready", "Whether texts are embedded.", health["embeddings"]["ready"])
    running = GaugeMetricFamily("tellonce_side_task_running", "Whether a side task runs now.", labels=["task"])
    failures = CounterMetricFamily("tellonce_side_task_failures", "How often a side task failed.", labels=["task"])
    for name, task in health["tasks"].items():
        running.add_metric([name], task["running"])
        failures.add_metric([name], task["failures"])
    yield from (running, failures)
    if health["blocked"] is not None:
        blocked = "How often a call computed on the event loop for more than 250 ms."
        yield CounterMetricFamily("tellonce_event_loop_blocked", blocked, value=health["blocked"])


async def _memory(services: "Services") -> list[Metric]:
    status = await services.work.status()
    learning = await services.work.attendance.at_work()
    return [
        _gauge("tellonce_database_up", "Whether the database answers.", 1),
        _gauge("tellonce_summarizer_at_work", "Whether a summarizer has recently asked for work.", learning),
        *_queue(status),
        *_models(status),
        _pools(services.deps.database.use()),
    ]


def _queue(status: QueueStatus) -> Iterable[Metric]:
    jobs = GaugeMetricFamily("tellonce_queue_jobs", "Jobs of the queue.", labels=["kind", "state"])
    for kind in status.kinds:
        for state in ("pending", "claimed", "ready", "dead"):
            jobs.add_metric([kind.kind, state], getattr(kind, state))
    yield jobs
    yield _gauge("tellonce_queue_oldest_seconds", "Age of the oldest open job.", status.oldest_seconds or 0)


def _models(status: QueueStatus) -> Iterable[Metric]:
    cost = status.cost
    yield _gauge("tellonce_model_calls_month", "Model calls for learning this month.", cost.calls)
    tokens = GaugeMetricFamily("tellonce_model_tokens_month", "Tokens of these calls.", labels=["direction"])
    tokens.add_metric(["input"], cost.input_tokens)
    tokens.add_metric(["output"], cost.output_tokens)
    yield tokens
    yield _gauge("tellonce_model_dollars_month", "Cost of these calls in US dollars.", cost.price_usd)
    yield _gauge("tellonce_models_unreachable", "Models that no call can reach now.", len(status.providers_down))


def _pools(use: "dict[str, PoolUse]") -> Metric:
    pool = GaugeMetricFamily("tellonce_pool_connections", "Connections to the database.", labels=["pool", "state"])
    for name, found in use.items():
        pool.add_metric([name, "open"], found.size)
        pool.add_metric([name, "busy"], found.busy)
    return pool


def _gauge(name: str, help_text: str, value: float) -> Metric:
    return GaugeMetricFamily(name, help_text, value=float(value))
