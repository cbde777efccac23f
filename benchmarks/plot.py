"""Draws recall by depth as an SVG file, without a plotting library."""

from collections.abc import Sequence
from html import escape

from benchmarks.metrics import DEPTHS, Recalls

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
