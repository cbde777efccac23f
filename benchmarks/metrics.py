"""Evidence recall by kind of question, as tables and JSON. The functions are pure."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

DEPTHS = (5, 10, 20, 50)


@dataclass
class Recalls:
    """The recalls of all questions. A key of `rows` is the method, the regime (the shape of the dialogue) and the kind
    of question. Its value has one list for each question, with one recall for each of DEPTHS."""

    rows: defaultdict[tuple[str, str, str], list[list[float]]] = field(default_factory=lambda: defaultdict(list))

    def add(self, method: str, regime: str, kind: str, ranked: Sequence[int], evidence: Sequence[int]) -> None:
        self.rows[method, regime, kind].append([recall(ranked[:depth], evidence) for depth in DEPTHS])

    def mean(self, method: str, regime: str, kind: str | None = None) -> list[float]:
        """Return the mean recall of one kind of question, or of all kinds except adversarial questions, which have no
        answer."""
        rows = [
            row
            for (m, r, k), found in self.rows.items()
            for row in found
            if m == method and r == regime and (k == kind or (kind is None and k != "adversarial"))
        ]
        return [round(sum(column) / len(rows), 4) for column in zip(*rows, strict=True)] if rows else []

    def names(self, place: int) -> list[str]:
        """The methods (`place` 0), regimes (1) or kinds (2) that have results, in the order of their first results."""
        return list(dict.fromkeys(key[place] for key in self.rows))


def recall(found: Sequence[int], evidence: Sequence[int]) -> float:
    return sum(turn in found for turn in evidence) / len(evidence)


def table(recalls: Recalls) -> str:
    lines: list[str] = []
    for regime in recalls.names(1):
        lines += [f"{regime:<44}" + "".join(f"  @{depth:<5}" for depth in DEPTHS)]
        for method in recalls.names(0):
            lines.append(_line(method, recalls.mean(method, regime)))
        ours = recalls.names(0)[-1]
        lines += [_line(f"  {ours}: {kind}", recalls.mean(ours, regime, kind)) for kind in recalls.names(2)]
    return "\n".join(line for line in lines if line)


def as_json(recalls: Recalls) -> Mapping[str, object]:
    return {
        regime: {
            method: {
                "all": recalls.mean(method, regime),
                **{kind: mean for kind in recalls.names(2) if (mean := recalls.mean(method, regime, kind))},
            }
            for method in recalls.names(0)
        }
        for regime in recalls.names(1)
    }


def _line(name: str, values: Sequence[float]) -> str:
    return f"{name:<44}" + "".join(f"  {value:.3f} " for value in values) if values else ""
