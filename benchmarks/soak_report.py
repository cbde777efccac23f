"""Evaluates a soak run: the measured series, the slope of each series, and whether the series are flat. Pure."""

from collections.abc import Mapping, Sequence
from math import sqrt
from statistics import linear_regression, mean, quantiles
from typing import NamedTuple

from pydantic import BaseModel

SLICE = 5
"""Minutes per slice, because one minute has too few calls for a meaningful 95th percentile."""

FLAT = 10.0
"""Maximum change of a series over the run, in percent of its mean, in either direction."""

PROCESSES = ("server", "summarizer", "PostgreSQL")
"""The processes whose own memory is judged."""
JUDGED = ("record_message", "get_context", "search_memory")
"""The tools whose latency is judged. Other tools are called rarely, and the duration of `forget` grows with the
memory."""

Figures = tuple[int, float, float]
"""The number of calls, and p50 and p95 in milliseconds."""


class Minute(BaseModel):
    """The state at the end of a minute: MiB of each process and of PostgreSQL's shared buffers, and the database's
    connections and open jobs."""

    memory: dict[str, float]
    connections: int
    open_jobs: int
    load: float


class Soak(BaseModel):
    """A run. `tools` are the latencies of each slice. `paces` are the median milliseconds of a fixed computation in
    each slice. They are recorded because a shared machine is at times only half as fast. The first `warm_up` minutes
    and their slices are shown, but not judged."""

    warm_up: int
    minutes: list[Minute] = []
    tools: list[dict[str, Figures]] = []
    paces: list[float] = []

    def series(self) -> dict[str, list[float]]:
        """The judged series after the warm-up, with latencies adjusted to the machine's mean speed."""
        first = -(-self.warm_up // SLICE)
        minutes, slices, paces = self.minutes[self.warm_up :], self.tools[first:], self.paces[first:]
        memory = {f"{name}, MiB": [m.memory[name] for m in minutes] for name in PROCESSES}
        latency = {
            f"{tool} {name}, ms": [
                part[tool][place] * mean(paces) / pace for part, pace in zip(slices, paces, strict=True) if tool in part
            ]
            for tool in JUDGED
            for name, place in (("p50", 1), ("p95", 2))
        }
        return {**memory, "connections": [float(m.connections) for m in minutes], **latency}


def figures(times: Sequence[float]) -> Figures:
    cuts = quantiles(times, n=20) if len(times) > 1 else [times[0]] * 19
    return len(times), round(cuts[9], 1), round(cuts[18], 1)


class Slope(NamedTuple):
    """The change along a fitted line from the first value to the last value, with the standard error of the change.
    Both are in percent of the mean."""

    change: float
    error: float

    @property
    def is_steep(self) -> bool:
        """Whether the change exceeds FLAT by more than its standard error. The 95th percentile of a hundred calls
        varies by a fifth, so without this tolerance a flat series would often seem steep."""
        return abs(self.change) - self.error > FLAT


def slope(values: Sequence[float]) -> Slope:
    places = range(len(values))
    line = linear_regression(places, values)
    off = sum((value - line.intercept - line.slope * x) ** 2 for x, value in zip(places, values, strict=True))
    spread = sum((x - mean(places)) ** 2 for x in places)
    error = sqrt(off / (len(values) - 2) / spread) if len(values) > 2 else 0.0
    scale = 100 * (len(values) - 1) / mean(values)
    return Slope(line.slope * scale, error * scale)


def slopes(series: Mapping[str, Sequence[float]]) -> dict[str, Slope]:
    """The slopes of all series that are long enough."""
    return {name: slope(values) for name, values in series.items() if len(values) > 1 and mean(values) > 0}


def verdict(soak: Soak) -> tuple[bool, str]:
    """Return whether all judged series are flat, and a sentence that names the series that are not flat."""
    found = slopes(soak.series())
    if len(found) < len(PROCESSES) + 1 + 2 * len(JUDGED):
        return False, f"No verdict: the run ended too soon after its warm-up of {soak.warm_up} minutes."
    steep = [f"{name} ({line.change:+.1f} %)" for name, line in found.items() if line.is_steep]
    if steep:
        return False, f"Not flat (±{FLAT:.0f} %): {', '.join(steep)}."
    return True, f"Flat: no series leaves ±{FLAT:.0f} % by more than its standard error after the warm-up."


def table(soak: Soak) -> str:
    """Two tables: the judged series with their mean, first value, last value and slope, and the latencies of each
    slice."""
    series = soak.series()
    rows = [
        f"| {name} | {mean(series[name]):.1f} | {series[name][0]:.1f} | {series[name][-1]:.1f} | {change:+.1f} ± {error:.1f} % |"
        for name, (change, error) in slopes(series).items()
    ]
    judged = [f"| after {soak.warm_up} minutes | mean | first | last | slope |", "|---|--:|--:|--:|--:|", *rows]
    tools = sorted({tool for part in soak.tools for tool in part})
    heads = [
        "| minutes | fixed computation | " + " | ".join(f"{tool} p50 / p95" for tool in tools) + " |",
        "|---|--:" + "|--:" * len(tools) + "|",
    ]
    parts = enumerate(zip(soak.tools, soak.paces, strict=True))
    return "\n".join([*judged, "", *heads, *(_slice(n, part, pace, tools) for n, (part, pace) in parts)])


def _slice(number: int, part: Mapping[str, Figures], pace: float, tools: Sequence[str]) -> str:
    cells = (f"{part[tool][1]} / {part[tool][2]} ms" if tool in part else "–" for tool in tools)
    return f"| {number * SLICE}–{(number + 1) * SLICE} | {pace:.2f} ms | " + " | ".join(cells) + " |"
