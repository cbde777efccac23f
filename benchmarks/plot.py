"""Charts as SVG files, without a plotting library: medians and 95th percentiles as bars, recall by depth as lines."""

from collections.abc import Sequence
from html import escape
from typing import Any

from benchmarks.metrics import DEPTHS, Recalls

WIDTH, LABEL, BAR = 900, 420, 16


def bars(rows: Sequence[dict[str, Any]]) -> str:
    """Draw one bar per row. The bar ends at the median; a thin line extends to the 95th percentile."""
    longest = max((row["p95_ms"] for row in rows), default=1.0) or 1.0
    parts = [_line(number, row, (WIDTH - LABEL - 80) / longest) for number, row in enumerate(rows)]
    height = BAR * (len(rows) + 2)
    head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" font-family="sans-serif" font-size="11">'
    note = (
        f'<text x="4" y="12">milliseconds: bar to the median, line to the 95th percentile; longest {longest:g}</text>'
    )
    return "\n".join([head, note, *parts, "</svg>\n"])


def _line(number: int, row: dict[str, Any], scale: float) -> str:
    y = BAR * (number + 2)
    name = escape(f"{row['transport']} ×{row['clients']} {row['messages']} {row['tool']}")
    middle, far = LABEL + row["p50_ms"] * scale, LABEL + row["p95_ms"] * scale
    return (
        f'<text x="4" y="{y}">{name}</text>'
        f'<rect x="{LABEL}" y="{y - 9}" width="{middle - LABEL:.1f}" height="10" fill="#4878a8"/>'
        f'<line x1="{middle:.1f}" x2="{far:.1f}" y1="{y - 4}" y2="{y - 4}" stroke="#4878a8"/>'
        f'<text x="{far + 4:.1f}" y="{y}">{row["p50_ms"]:g} / {row["p95_ms"]:g}</text>'
    )


PANEL, HEIGHT, LEFT, TOP, KEY = 300, 260, 40, 30, 18
COLOURS = ("#bbbbbb", "#999966", "#b07030", "#7099c0", "#305080", "#30a060", "#c02030")


def curves(recalls: Recalls) -> str:
    shapes, methods = recalls.names(1), recalls.names(0)
    width, height = LEFT + PANEL * len(shapes), TOP + HEIGHT + KEY * (len(methods) + 2)
    parts = [_panel(recalls, shape, place) for place, shape in enumerate(shapes)]
    key = [_key(method, place) for place, method in enumerate(methods)]
    head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" font-family="sans-serif" font-size="12">'
    return "\n".join([head, '<rect width="100%" height="100%" fill="white"/>', *parts, *key, "</svg>\n"])


def _panel(recalls: Recalls, shape: str, place: int) -> str:
    left = LEFT + place * PANEL
    depths = "".join(
        f'<text x="{_x(left, i)}" y="{TOP + HEIGHT + 14}">@{depth}</text>' for i, depth in enumerate(DEPTHS)
    )
    levels = "".join(_level(left, tenth / 10) for tenth in range(0, 11, 2))
    lines = "".join(
        _curve(left, recalls.mean(method, shape), colour)
        for method, colour in zip(recalls.names(0), COLOURS, strict=False)
    )
    return f'<text x="{left}" y="{TOP - 12}" font-weight="bold">{escape(shape)}</text>{levels}{depths}{lines}'


def _level(left: int, value: float) -> str:
    y = _y(value)
    return (
        f'<line x1="{left}" x2="{left + PANEL - 40}" y1="{y}" y2="{y}" stroke="#eeeeee"/>'
        f'<text x="{left - 26}" y="{y + 4}">{value:g}</text>'
    )


def _curve(left: int, values: Sequence[float], colour: str) -> str:
    points = " ".join(f"{_x(left, i)},{_y(value)}" for i, value in enumerate(values))
    return f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>'


def _key(method: str, place: int) -> str:
    y, colour = TOP + HEIGHT + KEY * (place + 2), COLOURS[place % len(COLOURS)]
    return f'<rect x="{LEFT}" y="{y - 9}" width="14" height="6" fill="{colour}"/><text x="{LEFT + 22}" y="{y}">{escape(method)}</text>'


def _x(left: int, place: int) -> float:
    return left + place * (PANEL - 60) / (len(DEPTHS) - 1)


def _y(value: float) -> float:
    return round(TOP + HEIGHT * (1 - value), 1)
