"""Builds contexts for tests: their inputs, and whole contexts in the form that the server returns."""

from collections.abc import Sequence
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from tellonce import contract as c
from tellonce.settings import Budgets
from tellonce_server.domain.context.material import Material
from tellonce_server.store.context import ChatHead, ContextRows, ThreadHead
from tellonce_server.store.messages import Line

EMPTY = c.Context(
    sections=(),
    tokens=1,
    token_budget=4300,
    truncated=False,
    thread_key="root:42",
    session_id="telegram:chat:42",
    focus=None,
    notices=(),
    coverage=c.Coverage(verbatim=0, summarised=0, pending=0, gap=0),
    receipt_id="r",
)


def of_sections(*sections: c.Section) -> c.Context:
    """A context as `detail="sections"` returns it."""
    return EMPTY.model_copy(update={"sections": sections})


def rows_of(window: Sequence[Line] = (), *, covered: int = 0, **more: object) -> ContextRows:
    """The rows of a thread whose last messages are `window`. The thread's first `covered` messages are summarized.
    `more` sets further fields."""
    last = window[-1].thread_no if window else 0
    rows: dict[str, object] = {
        "erasures": 0,
        "chat": ChatHead("", "", "", 0, "telegram"),
        "thread": ThreadHead(last, covered, None, None, None),
        "narrative": "",
        "thread_summary": "",
        "window": window,
        "open": last - covered,
        "summarised": covered,
        "chunks": [],
        "memories": [],
        "quoted": None,
    }
    return ContextRows(**{**rows, **more})


def material_of(rows: ContextRows, **more: object) -> Material:
    """The input of a context with these rows and without search results. The budget is the one in docs/CONTRACT.md,
    section 4. `more` sets further fields."""
    material: dict[str, object] = {
        "rows": rows,
        "results": [],
        "around": [],
        "excluded": None,
        "query": None,
        "thread_key": "root:1",
        "now": datetime(2026, 3, 8, 12, tzinfo=UTC),
        "zone": ZoneInfo("UTC"),
        "total": 4300,
        "budgets": Budgets(),
        "canonical_cap": 2000,
    }
    return Material(**{**material, **more})
