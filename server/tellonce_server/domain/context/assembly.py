"""Assembles one context within its budget: the order of the sections, and what is cut from a long context. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from tellonce.contract import Coverage, Focus, Section
from tellonce.contract_types import MEMORY_KINDS
from tellonce.server_text import ServerText
from tellonce_server.domain.context.budget import ELSEWHERE, TokenBudget, scaled
from tellonce_server.domain.context.canonical_summary import summary_text, unsaid
from tellonce_server.domain.context.draft import SECTIONS, SEPARATOR, Draft
from tellonce_server.domain.context.history import History
from tellonce_server.domain.context.log import fill_log
from tellonce_server.domain.context.material import Material
from tellonce_server.domain.context.memories_section import Memories, ranked_memories
from tellonce_server.domain.context.relevant_section import Relevant, unseen
from tellonce_server.domain.context.slots import find_focus
from tellonce_server.domain.retrieval.excerpt import LINE, excerpt
from tellonce_server.domain.retrieval.search_results import Result
from tellonce_server.store.context import Remembered
from tellonce_server.store.messages import Line
from tellonce_text.dates.readings import Said
from tellonce_text.dates.zones import region_of
from tellonce_text.fences import contained_text
from tellonce_text.tokens import clip, estimate

JOINT = 2
"""Maximum tokens of the separator between two sections, including the rounding of the estimates."""


@dataclass(frozen=True)
class Assembled:
    sections: Sequence[Section]
    tokens: int
    truncated: bool
    coverage: Coverage
    focus: Focus | None
    notices: Sequence[ServerText]
    included: dict[str, list[int]]
    left_out: list[str]

    @property
    def text(self) -> str:
        return SEPARATOR.join(section.text for section in self.sections)


STATED_PART = 12
"""For a question, the budget divided by this number is reserved for pins, preferences and matching memories.

The reservation also applies without such memories. The messages for a question therefore have the same room before and
after the summarizer has run. Their order can change, because memories raise the messages from which they were learned.
"""


def assemble(m: Material) -> Assembled:
    """Fill the sections in order of priority. The section that is filled last is the first to be cut."""
    draft = Draft(m, TokenBudget(m.total), scaled(m.budgets, m.total))
    parts = _Parts(draft, History(draft), Memories(draft), Relevant(draft))
    draft.fill_now()
    parts.history.fill_newest()
    if m.asked:
        _for_question(parts)
    else:
        fill_log(draft)
        _for_talk(parts)
    parts.history.fill_summaries(parts.relevant.summaries)
    known = {*parts.memories.ids, *draft.included.get("log", ())}
    found = m.results_of(*MEMORY_KINDS) if m.asked else m.results_of(*MEMORY_KINDS, "summary")
    parts.relevant.fill([result for result in unseen(draft, found, (), known) if not draft.says(result.text)])
    draft.extend("quoted", m.total)
    draft.extend("elsewhere", ELSEWHERE)
    parts.relevant.remove_repeated()
    parts.relevant.write()
    parts.memories.fill_rest(parts.relevant.memories)
    parts.memories.write()
    return _finished(draft, parts.history.messages)


class _Parts(NamedTuple):
    draft: Draft
    history: History
    memories: Memories
    relevant: Relevant


def _for_question(parts: _Parts) -> None:
    draft, m = parts.draft, parts.draft.material
    found = [*(result.id for result in m.results_of(*MEMORY_KINDS)), *m.changed]
    first, others = ranked_memories(m.rows.memories, found, m.view.today, m.zone)
    draft.fill_texts()
    parts.history.fill_older()
    stated = draft.token_budget.set_aside(m.total // STATED_PART)
    parts.relevant.fill(unseen(draft, m.results_of("message"), parts.history.messages))
    fill_log(draft)
    draft.token_budget.left += stated
    parts.memories.fill_list([result for result in m.results_of(*MEMORY_KINDS) if result.listed])
    parts.memories.fill(first)
    parts.relevant.fill(_timeline(parts), draft.shares.summaries)
    _fill_stated(parts, others)


def _timeline(parts: _Parts) -> list[Result]:
    draft, m = parts.draft, parts.draft.material
    found = unseen(draft, m.results_of("summary"), ())
    added = (
        (result, excerpt(unsaid(result.text, draft.says), result.tokens, m.query or "", whole=LINE)) for result in found
    )
    return [result._replace(text=" ".join(text.split())) for result, text in added if text.strip()]


def _for_talk(parts: _Parts) -> None:
    draft, m = parts.draft, parts.draft.material
    first, others = ranked_memories(m.rows.memories, [], m.view.today, m.zone)
    parts.memories.fill(first)
    draft.fill_texts()
    _fill_stated(parts, others)
    parts.history.fill_older()
    parts.relevant.fill(unseen(draft, m.results_of("message"), parts.history.messages))
    # The profile and the summary were added before the messages that they may repeat.
    for name in ("profile", "summary"):
        draft.take_out(name)
    _fill_texts(draft)


def _fill_stated(parts: _Parts, others: Sequence[Remembered]) -> None:
    parts.memories.fill(others)
    _fill_texts(parts.draft)


def _fill_texts(draft: Draft) -> None:
    rows = draft.material.rows
    draft.fill("profile", contained_text(unsaid(rows.narrative, draft.says)), draft.shares.profile)
    draft.fill("summary", summary_text(rows, draft.shares.summary, draft.says), draft.shares.summary)


_REMOVED = [name for _, name in sorted((x.removed, name) for name, x in SECTIONS.items() if x.removed)]
"""The sections that may be removed, the least important first."""


def _finished(draft: Draft, messages: Sequence[Line]) -> Assembled:
    m, sections = draft.material, draft.sections()
    # The sum of the estimates can exceed the estimate of the whole text, because each estimate is rounded. If the sum
    # is over the budget, the least important sections are removed first.
    for name in _REMOVED:
        if _total(sections) <= m.total:
            break
        sections = [section for section in sections if section.name != name]
        draft.left_out.append(f"{name}: budget")
    if _total(sections) > m.total:
        sections = [_clipped(section, m.total) for section in sections]
        draft.truncated = True
    return Assembled(
        sections=sections,
        tokens=_total(sections),
        truncated=draft.truncated,
        coverage=_coverage(m, messages),
        focus=find_focus(m.rows, m.query, Said(m.now, m.zone, region_of(m.zone)), m.budgets.quoted),
        notices=_notices(m),
        included=draft.included,
        left_out=draft.left_out,
    )


def _total(sections: Sequence[Section]) -> int:
    """An upper bound of the tokens of the joined sections."""
    return sum(section.tokens for section in sections) + JOINT * max(0, len(sections) - 1)


def _clipped(section: Section, total: int) -> Section:
    text = clip(section.text, total)[0]
    return section.model_copy(update={"text": text, "tokens": estimate(text)})


def _coverage(m: Material, shown: Sequence[Line]) -> Coverage:
    rows = m.rows
    visible = {line.id for line in shown} | {x.id for x in rows.window if x.id == m.excluded}
    verbatim = sum(1 for x in rows.window if x.id in visible and x.thread_no > rows.thread.covered_to)
    return Coverage(
        verbatim=verbatim,
        summarised=rows.summarised,
        pending=rows.open - verbatim,
        gap=rows.thread.last_no - rows.summarised - rows.open,
    )


def _notices(m: Material) -> list[ServerText]:
    if m.rows.chat.tokens <= m.canonical_cap:
        return []
    text = (
        f"This chat's summary is full ({m.rows.chat.tokens:,} of {m.canonical_cap:,} tokens). "
        "Tell the user to start a new chat with /new; memories stay."
    )
    return [ServerText(text, "chat_full")]
