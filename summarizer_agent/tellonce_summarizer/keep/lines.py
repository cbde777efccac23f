"""Shortens texts and lists of lines to a given length. Lists keep their newest lines."""

from collections.abc import Iterable, Sequence

from tellonce.work import SummaryBody
from tellonce_text.sentences import sentence_ends, split_sentences
from tellonce_text.tokens import estimate

_FIELDS = tuple(SummaryBody.model_fields)
_LONGEST = 160
_OPEN = 3
"""Maximum number of open actions at the end of a rolling summary."""
MARK = "…"


def clip(text: str, characters: int) -> str:
    """The beginning: whole sentences if they fill half of `characters`, else words and an ellipsis."""
    text = text.strip()
    if len(text) <= characters:
        return text
    end = max((at for at in sentence_ends(text[: characters + 1]) if at <= characters), default=0)
    if end * 2 >= characters:
        return text[:end]
    head = text[: max(0, characters - len(MARK))]
    cut = head.rsplit(None, 1)[0] if " " in head.strip() else head
    return cut.rstrip(" ,;:–-") + MARK


def shrunk(lines: Sequence[str], budget: int) -> str:
    """The newest lines that fit into `budget` tokens, without repetitions."""
    kept: list[str] = []
    for line in reversed(list(dict.fromkeys(lines))):
        if kept and estimate("\n".join([line, *kept])) > budget:
            break
        kept.insert(0, line)
    text = "\n".join(kept)
    return text if estimate(text) <= budget else clip(text, max(1, budget * 2))


OPEN = "Open: "


def rolling_summary(said: Sequence[str], body: SummaryBody, budget: int, share: float = 1.0) -> tuple[str, SummaryBody]:
    """The text and body of a rolling summary. The text has the newest lines and a line of open actions. If there is
    only one line and it is too long, the text has the line's last sentences. `budget` is in tokens. The text gets at
    most `share` of the budget. The body gets the tokens that remain."""
    last = f"{OPEN}{'; '.join(body.pending[-_OPEN:])}" if body.pending else ""
    lines = [line for line in said if not line.startswith(OPEN)]
    room = max(1, int(budget * share) - estimate(last))
    if len(lines) == 1 and estimate(lines[0]) > room:
        lines = split_sentences(lines[0])
    text = shrunk(lines, room) if lines else ""
    whole = "\n".join(part for part in (text, last) if part)
    return whole, fitted(body, budget - estimate(whole))


def bounded(texts: Iterable[str], limit: int) -> tuple[str, ...]:
    """The last `limit` lines in order, clipped and without repetitions."""
    lines = dict.fromkeys(line for text in texts if (line := clip(" ".join(text.split()), _LONGEST)))
    return tuple(lines)[-limit:]


def joined(bodies: Iterable[SummaryBody], limit: int = 12) -> SummaryBody:
    """All lines without repetitions, oldest first, at most `limit` of each list."""
    all_bodies = list(bodies)
    return SummaryBody(
        **{name: bounded((line for body in all_bodies for line in getattr(body, name)), limit) for name in _FIELDS}
    )


def fitted(body: SummaryBody, budget: int) -> SummaryBody:
    """The body within `budget` tokens: the oldest line of the longest list is removed until the body fits."""
    fields = {name: list(getattr(body, name)) for name in _FIELDS}
    while any(fields.values()) and sum(estimate(line) for lines in fields.values() for line in lines) > budget:
        longest = max(_FIELDS, key=lambda name: len(fields[name]))
        fields[longest].pop(0)
    return SummaryBody(**{name: tuple(lines) for name, lines in fields.items()})
