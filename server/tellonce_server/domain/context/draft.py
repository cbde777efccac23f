"""A context under construction: its sections, the remaining tokens, and what was left out. Pure."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache
from typing import Final, NamedTuple

from tellonce.contract import Section, SectionName, ShownName, Stability
from tellonce.settings import Budgets
from tellonce_server.domain.context.budget import TokenBudget, cost, elsewhere_share, log_share, scaled
from tellonce_server.domain.context.canonical_summary import LEAST, statement
from tellonce_server.domain.context.elsewhere_section import elsewhere_text, whole_lines
from tellonce_server.domain.context.lines import KIND_TITLES, SOME, quoted_line
from tellonce_server.domain.context.material import Material
from tellonce_text.caches import of_texts
from tellonce_text.dates.clock import local_day, moment_line
from tellonce_text.fences import contained, fenced
from tellonce_text.tokens import clip, estimate

SEPARATOR = "\n\n"
"""The text between two sections."""


TELLING = 12
"""A text of at least this many characters is not shown twice. People often repeat shorter texts, such as "yes"."""

HEADINGS = sum(cost(title) for title in (SOME, *KIND_TITLES.values()))
"""The tokens of all headings in the section of memories."""


class Layout(NamedTuple):
    """How a section is shown.

    - `share`: the section's tokens, including title and fences, from the scaled budgets and the total.
    - `removed`: if the context is too long, the section with the lowest number is removed first.
    - `text`: the content of a section that consists of one text.
    - `cut`: shortens this text to a number of tokens, and returns whether it was too long.
    """

    title: str
    stability: Stability
    share: Callable[[Budgets, int], int] | None
    fenced: bool = False
    removed: int | None = None
    text: Callable[[Material], str] | None = None
    cut: Callable[[str, int], tuple[str, bool]] = clip


def _quoted_text(m: Material) -> str:
    if m.rows.quoted is None:
        return ""
    quoted, *around = (quoted_line(line, m.view) for line in (m.rows.quoted, *m.around))
    return "\n".join([quoted, "Around it:", *around]) if around else quoted


SECTIONS: Final[dict[ShownName, Layout]] = {
    "log": Layout("LOG", "append", lambda _, total: log_share(total), fenced=True, removed=1),
    "profile": Layout("USER PROFILE", "stable", lambda b, _: b.profile + frame("profile"), fenced=True, removed=5),
    "summary": Layout("CHAT SUMMARY", "stable", lambda b, _: b.summary + frame("summary"), fenced=True, removed=4),
    "memories": Layout(
        *("FACTS, GOALS AND PINS", "slow", lambda b, _: b.memories + frame("memories") + HEADINGS),
        fenced=True,
        removed=6,
    ),
    "history": Layout("CONVERSATION HISTORY", "append", lambda b, _: b.summaries + b.history),
    "elsewhere": Layout(
        *("ELSEWHERE", "volatile", lambda _, total: elsewhere_share(total) + frame("elsewhere")),
        fenced=True,
        removed=2,
        text=elsewhere_text,
        cut=whole_lines,
    ),
    "relevant": Layout("RELEVANT CONTEXT", "volatile", lambda b, _: b.relevant, fenced=True, removed=3),
    "quoted": Layout(
        "QUOTED MESSAGE", "volatile", lambda b, _: b.quoted + frame("quoted"), removed=7, text=_quoted_text
    ),
    "now": Layout("Now", "volatile", None),
}
"""Every section, in display order."""

AT_SESSION_START: Final[tuple[SectionName, ...]] = ("profile", "summary", "memories", "elsewhere")
"""The sections that a coding assistant gets at the start of a session."""


def section_shares(budgets: Budgets, total: int) -> dict[ShownName, int]:
    """The tokens that each section may use, including its title, fences and headings.

    Unused tokens of other sections go first to search results, then to a quoted message, then to memories. The history
    always shows its last messages.
    """
    parts = scaled(budgets, total)
    return {name: layout.share(parts, total) for name, layout in SECTIONS.items() if layout.share is not None}


@dataclass
class Draft:
    """A context under construction. `included` and `left_out` are stored in the receipt."""

    material: Material
    token_budget: TokenBudget
    shares: Budgets
    bodies: dict[ShownName, str] = field(default_factory=dict)
    included: dict[str, list[int]] = field(default_factory=dict)
    left_out: list[str] = field(default_factory=list)
    truncated: bool = False
    _said: dict[SectionName, str] = field(default_factory=dict)
    _told: dict[str, list[tuple[datetime, datetime]]] = field(default_factory=dict)
    _opened: set[SectionName] = field(default_factory=set)

    def say(self, name: SectionName, text: str) -> None:
        """Remember that the section shows this text, so that no other section repeats it."""
        self._said[name] = f"{self._said.get(name, '')}{statement(text, quoted=False)}\n"

    def says(self, line: str, besides: SectionName | None = None) -> bool:
        """Whether a section other than `besides` already shows the statement of this line."""
        made = _shown_statement(line)
        return bool(made) and any(made in said for name, said in self._said.items() if name != besides)

    def tell(self, text: str, start: datetime, end: datetime) -> None:
        """Record that the context shows these words of the user in full, and when the user said them."""
        self._told.setdefault(statement(text), []).append((start, end))

    def tells(self, text: str, at: datetime) -> bool:
        """Whether the context already shows these words as said on this day."""
        made = statement(text, quoted=False)
        spans = self._told.get(made)
        if spans is None or len(made) < TELLING:
            return False
        zone = self.material.zone
        day = local_day(at, zone)
        return any(local_day(start, zone) <= day <= local_day(end, zone) for start, end in spans)

    def fill_now(self) -> None:
        """Add the current time for a reader without a clock. It comes first, because all dates depend on it."""
        m = self.material
        line = moment_line(m.now, m.zone)
        if m.clock and self.token_budget.pay(estimate(_framed("now", line)) + cost(SEPARATOR)):
            self.bodies["now"] = line

    def wants(self, name: SectionName) -> bool:
        return self.material.include is None or name in self.material.include

    def opens(self, name: SectionName) -> bool:
        """Whether the section is wanted, and its title and fences fit. Their cost is paid once."""
        if name in self._opened:
            return True
        if not self.wants(name):
            return False
        if not self.token_budget.pay(frame(name) + cost(SEPARATOR)):
            self.left_out.append(f"{name}: budget")
            return False
        self._opened.add(name)
        return True

    def fill(self, name: SectionName, text: str, share: int) -> None:
        """Add a section that consists of one text, clipped to `share` tokens."""
        if not text or not self.opens(name):
            return
        room = min(share, self.token_budget.left)
        body, cut = SECTIONS[name].cut(text, max(0, room - 1))
        if not body or (cut and room < LEAST):
            self.left_out.append(f"{name}: budget")
            return
        self.token_budget.pay(cost(body))
        self.bodies[name] = body
        self.say(name, body)
        if cut:
            self.left_out.append(f"{name}: clipped to {room} tokens")

    def take_out(self, name: SectionName) -> None:
        """Remove the text of a section, and give its tokens back."""
        self.left_out = [note for note in self.left_out if not note.startswith(f"{name}: ")]
        self._said.pop(name, None)
        if name in self.bodies:
            self.token_budget.left += cost(self.bodies.pop(name))

    def fill_texts(self) -> None:
        """Fill the sections that consist of one text. The section with the highest `removed` number comes first."""
        for name, text in _OF_ONE_TEXT.items():
            self.fill(name, text(self.material), self.room_for(name))

    def room_for(self, name: ShownName) -> int:
        """The tokens for a section's text, without its title and fences."""
        share = SECTIONS[name].share
        return share(self.shares, self.material.total) - frame(name) if share else 0

    def texts_cost(self) -> tuple[int, int]:
        """The tokens that the sections with one text use, and the tokens reserved for them."""
        used = sum(cost(self.bodies[name]) for name in _OF_ONE_TEXT if name in self.bodies)
        return used, sum(map(self.room_for, _OF_ONE_TEXT))

    def extend(self, name: SectionName, most: int) -> None:
        """Show more of a section that was cut, up to `most` tokens. This uses only the tokens that are still free."""
        cut, text = [note for note in self.left_out if note.startswith(f"{name}: ")], SECTIONS[name].text
        if not cut or text is None or self.token_budget.left <= 0:
            return
        self.take_out(name)
        self.fill(name, text(self.material), min(most, self.token_budget.left))

    def note(self, kind: str, ids: Sequence[int]) -> None:
        """Record in the receipt that these items are shown."""
        if ids:
            self.included.setdefault(kind, []).extend(ids)

    def omit(self, kind: str, ids: Sequence[int], why: str) -> None:
        """Record in the receipt that these items are omitted or clipped."""
        self.left_out += [f"{kind} {i}: {why}" for i in ids]

    def sections(self) -> list[Section]:
        """The sections that have content, in display order."""
        out: list[Section] = []
        for name, layout in SECTIONS.items():
            if body := self.bodies.get(name):
                text, (title, stability, *_) = _framed(name, body), layout
                out.append(Section(name=name, title=title, text=text, tokens=estimate(text), stability=stability))
        return out


_OF_ONE_TEXT: Final[dict[SectionName, Callable[[Material], str]]] = {
    name: layout.text
    for name, layout in sorted(SECTIONS.items(), key=lambda item: -(item[1].removed or 0))
    if layout.text is not None and name != "now"
}
"""The sections that consist of one text, in the order in which they are filled."""


@of_texts
@lru_cache(4_096)
def _shown_statement(line: str) -> str:
    """The statement of a line as a context shows it. Cached, because every context compares the same lines."""
    return statement(contained(line))


def frame(name: ShownName) -> int:
    """The tokens of a section's title and fences."""
    return estimate(_framed(name, ""))


def _framed(name: ShownName, body: str) -> str:
    if name == "now":
        return f"Now: {body}"
    layout = SECTIONS[name]
    return f"{layout.title}\n{fenced(body) if layout.fenced else body}"
