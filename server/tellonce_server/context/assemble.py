"""One context within its budget: which section is filled when, and what goes if the whole is still too long; pure."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from tellonce.contract import Coverage, Focus, Section
from tellonce_server.context import lines as form
from tellonce_server.context.budget import DEFAULT_TOTAL, Purse, scaled, take
from tellonce_server.context.draft import SEPARATOR, Draft
from tellonce_server.context.elsewhere import FRAME, MOST, elsewhere_text
from tellonce_server.context.focus import find_focus
from tellonce_server.context.history import History
from tellonce_server.context.material import Material
from tellonce_server.context.memories import Memories
from tellonce_server.context.memory_order import ranked_memories
from tellonce_server.retrieval.hits import Hit
from tellonce_server.store.messages import Line
from tellonce_server.text.fences import contained, contained_text
from tellonce_server.text.tokens import clip, estimate

JOINT = 2
"""Tokens a separator and the rounding of two estimates may add."""


@dataclass(frozen=True)
class Assembled:
    sections: Sequence[Section]
    tokens: int
    truncated: bool
    coverage: Coverage
    focus: Focus | None
    notices: Sequence[str]
    included: dict[str, list[int]]
    left_out: list[str]

    @property
    def text(self) -> str:
        return SEPARATOR.join(section.text for section in self.sections)


def assemble(m: Material) -> Assembled:
    """Fill the sections in keep order, so that what is cut first is what is filled last."""
    draft = Draft(m, Purse(m.total), scaled(m.budgets, m.total))
    history, memories = History(draft), Memories(draft)
    pins, others = ranked_memories(m.rows.memories)
    history.fill_newest()
    memories.fill(pins)
    draft.fill("quoted", _quoted_text(m), draft.shares.quoted)
    draft.fill("elsewhere", elsewhere_text(m), (MOST - FRAME) * min(m.total, DEFAULT_TOTAL) // DEFAULT_TOTAL)
    draft.fill("profile", contained_text(m.rows.narrative.strip()), draft.shares.profile)
    draft.fill("summary", _summary_text(m), draft.shares.summary)
    memories.fill(others)
    history.fill_older()
    _fill_relevant(draft, _unseen(draft, history.messages, memories.ids))
    memories.write()
    return _finished(draft, history.messages)


def _quoted_text(m: Material) -> str:
    if m.rows.quoted is None:
        return ""
    quoted, *around = (form.quoted_line(line, m.view) for line in (m.rows.quoted, *m.around))
    return "\n".join([quoted, "Around it:", *around]) if around else quoted


def _summary_text(m: Material) -> str:
    chat = m.rows.chat
    parts = (
        ("Confirmed by the user", chat.user_confirmed),
        ("Inferred", chat.llm_inferred),
        ("Summary", chat.general_summary),
        ("This thread", m.rows.thread_summary),
    )
    return "\n".join(contained(f"{title}: {text.strip()}") for title, text in parts if text.strip())


def _unseen(draft: Draft, messages: Sequence[Line], memories: Collection[int]) -> list[Hit]:
    """Hits that are not shown above: a routine stands above only by its summary, so its full text is not seen yet."""
    seen = {
        "message": {line.id for line in messages if line.routine is None},
        "summary": set(draft.included.get("summaries", ())),
    }
    of_memories = set(memories)
    return [hit for hit in draft.material.hits if hit.id not in seen.get(hit.kind, of_memories)]


def _fill_relevant(draft: Draft, hits: Sequence[Hit]) -> None:
    """What fits of these, which stand in rank order; shown in the order of time."""
    if not hits or not draft.opens("relevant"):
        return
    view = draft.material.view
    # Shares nobody used flow on to what answers the question.
    room = draft.purse.left
    taken = take(hits, lambda hit: form.hit_line(hit, view), room, draft.purse, dense=True, least=form.least_cost)
    kept = zip(taken.kept, taken.texts, strict=True)
    draft.bodies["relevant"] = "\n".join(text for _, text in sorted(kept, key=lambda pair: hits[pair[0]].at))
    for index in taken.kept:
        draft.note(f"relevant {hits[index].kind}", [hits[index].id])
    for index in taken.left:
        draft.omit(hits[index].kind, [hits[index].id], "relevant budget")


def _finished(draft: Draft, messages: Sequence[Line]) -> Assembled:
    m, sections = draft.material, draft.sections()
    # Estimates of parts may exceed the estimate of the whole by rounding only; should the whole still be over, the
    # least needed sections go first.
    for name in ("elsewhere", "relevant", "summary", "profile", "memories", "quoted"):
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
        focus=find_focus(m.rows, m.query, m.now, m.budgets.quoted),
        notices=_notices(m),
        included=draft.included,
        left_out=draft.left_out,
    )


def _total(sections: Sequence[Section]) -> int:
    """An upper bound of the joined text's estimate, without pricing all of it once more."""
    return sum(section.tokens for section in sections) + JOINT * max(0, len(sections) - 1)


def _clipped(section: Section, total: int) -> Section:
    text = clip(section.text, total)[0]
    return section.model_copy(update={"text": text, "tokens": estimate(text)})


def _coverage(m: Material, shown: Sequence[Line]) -> Coverage:
    rows = m.rows
    visible = {line.id for line in shown} | {x.id for x in rows.window if x.id == m.excluded}
    verbatim = sum(1 for x in rows.window if x.id in visible and x.lane_no > rows.lane.covered_to)
    return Coverage(
        verbatim=verbatim,
        summarised=rows.summarised,
        pending=rows.open - verbatim,
        gap=rows.lane.last_no - rows.summarised - rows.open,
    )


def _notices(m: Material) -> list[str]:
    if m.rows.chat.tokens <= m.canonical_cap:
        return []
    return [
        f"This chat's summary is full ({m.rows.chat.tokens:,} of {m.canonical_cap:,} tokens). "
        "Tell the user to start a new chat with /new; memories stay."
    ]
