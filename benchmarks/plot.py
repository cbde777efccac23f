"""A bar chart of medians and 95th percentiles as one SVG file, without a plotting library."""

from collections.abc import Sequence
from html import escape
from typing import Any

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
