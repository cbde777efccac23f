"""Formats the result of every tool as compact text with the same information as the structured content. Pure."""

from collections.abc import Sequence

from pydantic import BaseModel

from tellonce import contract as c
from tellonce.plural import messages, quantity, singular, summaries
from tellonce_server.domain.retrieval.lexical import shares_no_word
from tellonce_text.fences import contained, contained_text

ASKED = 20
"""Maximum number of matches that the client's form shows."""

COVERED = ("forget_here", "forget_whole")
"""The notes that say what `everything` covers. The form shows them, because the person may not have named a chat."""


def structured(_: BaseModel) -> str:
    """The text of a result for the memory page. The page reads only the structured content."""
    return "The result is the structured content."


def recorded(r: c.RecordedMessage) -> str:
    queued = ", ".join(r.queued) or "nothing"
    return (
        f"{r.outcome} message {r.id} in {r.thread_key} ({r.session_id}); "
        f"importance {r.importance}, {quantity(r.tokens, 'token')}; queued: {queued}"
    )


def context(r: c.Context) -> str:
    """Format a context: first its text, which the model reads, and then the counts."""
    body = r.context if r.context is not None else "\n\n".join(_section(s) for s in r.sections or ())
    cover = r.coverage
    lines = [
        f"tokens {r.tokens} of {r.token_budget}{', truncated' if r.truncated else ''}; thread {r.thread_key}; "
        f"session {r.session_id}; messages verbatim {cover.verbatim}, summarised {cover.summarised}, "
        f"pending {cover.pending}, gap {cover.gap}; receipt {r.receipt_id}"
    ]
    if r.focus is not None:
        focus = f"focus ({r.focus.source}, message {r.focus.message_id}, {r.focus.role}): {r.focus.text}"
        lines.append(contained(focus))
        lines += [contained(f"slot {r.focus.slot}: {r.focus.value}")] if r.focus.slot else []
    lines += [f"notice: {notice}" for notice in r.notices]
    return f"{body}\n\n---\n" + "\n".join(lines)


def _section(s: c.Section) -> str:
    return f"<{s.name} {s.title!r} {s.stability} {s.tokens}>\n{s.text}"


def search_remark(args: c.SearchMemoryArgs, r: c.SearchResults, everywhere: str = "where=all") -> str:
    """The sentence above the results of a search. It warns that nothing was found, or that no result contains a word of
    the query. `everywhere` is the argument or option that searches all chats."""
    if r.results:
        missing = args.cursor is None and shares_no_word(args.query, [x.text for x in r.results])
        return "No text contains these words. The nearest in meaning:" if missing else ""
    ways = ["other words"]
    ways += [everywhere] if args.where != "all" else []
    ways += ["a wider time span"] if args.since or args.until else []
    ways += ["other kinds"] if args.kinds else []
    listed = " or ".join(filter(None, (", ".join(ways[:-1]), ways[-1])))
    return f"Nothing found. Try {listed}."


def results(r: c.SearchResults) -> str:
    return "\n".join(map(_result, r.results)) + _cursor(r.next_cursor)


def _cursor(cursor: str | None) -> str:
    return f"\nnext_cursor: {cursor}" if cursor else ""


def _result(x: c.SearchResult) -> str:
    where = "all chats" if x.chat_id is None else f"chat {x.chat_id}"
    who = " ".join(part for part in (x.role, x.speaker) if part)
    thread = f", {x.thread_key}" if x.thread_key else ""
    sources = f", from {_numbers(x.sources)}" if x.sources else ""
    due = f", due {x.due.isoformat()}" if x.due else ""
    status = f", {x.status}" if x.status else ""
    about = f"{x.at.isoformat()}, {x.age}{due}{status}, {where}{thread}{sources}, score {x.score:.3f}"
    return contained(f"[{x.kind} {x.id} | {about}]{' ' + who if who else ''}: {x.text}")


def memory(m: c.Memory) -> str:
    marks = [m.kind, m.status, m.scope if m.chat_id is None else f"chat {m.chat_id}", m.origin]
    marks += ["pinned"] if m.pinned else []
    marks += [f"{'denied' if m.status == 'rejected' else 'confirmed'} by the user"] if m.user_confirmed else []
    marks += [f"due {m.deadline.isoformat()}"] if m.deadline else []
    marks += [f"since {m.valid_from.isoformat()}"]
    marks += [f"until {m.valid_to.isoformat()}"] if m.valid_to else []
    marks += [f"superseded by {m.superseded_by}"] if m.superseded_by else []
    marks += [f"confidence {m.confidence:g}, importance {m.importance:g}, priority {m.priority}"]
    marks += [f"about {m.about}"] if m.about != "user" else []
    marks += [_when(m.when)] if m.when else []
    marks += [f"from {_numbers(m.sources)}"] if m.sources else []
    marks += ["the user's own words"] if m.note else []
    marks += ["found by search only"] if not m.shown else []
    marks += [f"because: {m.reason}"] if m.reason else []
    said = f"“{m.content}”" if m.note else m.content
    return contained(f"memory {m.id}: {said} ({'; '.join(marks)})")


def _when(when: c.When) -> str:
    start, end = (moment.isoformat() if moment else "…" for moment in (when.start, when.end))
    return f"when {start}" if when.end is None else f"when {start} to {end}"


def remembered(r: c.Remembered) -> str:
    if r.memory is None:
        return "\n".join(_remembered(one.outcome, one.memory, one.superseded) for one in r.results)
    return _remembered(r.outcome or "stored", r.memory, r.superseded)


def _remembered(outcome: str, stored: c.Memory, before: c.Memory | None) -> str:
    return f"{outcome}: {memory(stored)}" + (f"\nsuperseded: {memory(before)}" if before else "")


def forget_question(preview: c.Forgotten) -> str:
    shown = [f"{'☑' if match.ticked else '☐'} {match.id}. {_shown(match)}" for match in preview.matches[:ASKED]]
    more = len(preview.matches) - ASKED
    shown += [f"… and {more} more"] if more > 0 else []
    near = [f"- {match.text}" for match in preview.related[:5]]
    beside = ["Said nearby, not erased:", *near] if near else []
    covered = [note for note in preview.notes if note.code in COVERED]
    return "\n".join([f"Erase this for good? ({_counts(preview.would_erase)})", *covered, *shown, *beside])


def forgotten(r: c.Forgotten) -> str:
    if r.receipt is not None:
        left = [f"traces left: {r.traces_left}", *map(_match, r.left)]
        left += ["not selected, not erased:", *map(_match, r.kept)] if r.kept else []
        left += [f"and {r.unlisted} more"] if r.unlisted else []
        return "\n".join([f"erased: {_counts(r.erased)}", *left, f"receipt: {r.receipt}", *r.notes])
    if r.confirm is None:
        return "\n".join(r.notes) or "Nothing matches; nothing to forget."
    related = [f"and {r.unlisted} more"] if r.unlisted else []
    related += ["related, not erased:", *map(_match, r.related)] if r.related else []
    call = f"would erase: {_counts(r.would_erase)}; confirm={r.confirm}"
    return "\n".join([*map(_match, r.matches), *related, call, *r.notes])


def _match(m: c.ForgetMatch) -> str:
    where = "all chats" if m.chat_id is None else f"chat {m.chat_id}"
    about = f"{m.kind} {m.ref}, {where}, {m.at.isoformat()}{f', {m.match}' if m.match else ''}"
    return contained(f"{'☑' if m.ticked else '☐'} {m.id} [{about}]: {_shown(m)}")


def _shown(m: c.ForgetMatch) -> str:
    """The text of a match, and what else is erased with it."""
    part = f" (only this goes: {' … '.join(m.goes)})" if m.goes else ""
    part += f" (all of it goes, also: {' … '.join(m.beside)})" if m.beside else ""
    return f"sentences in {_counts(m.others)}, such as: {m.text}" if m.others else f"{m.text}{part}"


def profile(p: c.Profile) -> str:
    parts = [contained_text(p.narrative) or "No narrative yet.", f"version {p.version}"]
    parts += [contained(f"the user's name: {p.user_name}")] if p.user_name else []
    parts += [_block(title, entries) for title, entries in p.lists.items() if entries]
    talk = p.conversation
    parts += [f"{quantity(p.only_searched, 'note')} found by search only"] if p.only_searched else []
    parts.append(f"conversation: {messages(talk.messages)}, {summaries(talk.summaries)}, {talk.verbatim} verbatim")
    return "\n".join(parts) + _cursor(p.next_cursor)


def _block(title: str, entries: Sequence[c.Memory]) -> str:
    return "\n".join([f"{title}:", *(f"- {memory(m)}" for m in entries)])


def chat_summary(s: c.ChatSummary) -> str:
    lines = [
        contained(
            f"{p.period} ({messages(p.count)}, {p.thread_key}, summary {p.id}, {p.from_at.isoformat()} to "
            f"{p.to_at.isoformat()}{', provisional' if p.provisional else ''}): {p.text}"
        )
        for p in s.periods
    ]
    since = f" since {s.current_session.since.isoformat()}" if s.current_session.since else ""
    lines.append(contained(f"current session ({messages(s.current_session.count)}{since}): {s.current_session.text}"))
    lines += [contained(f"thread: {s.thread_summary}")] if s.thread_summary else []
    lines += [contained(f"session: {s.session_summary}")] if s.session_summary else []
    k = s.canonical
    lines.append(f"canonical (version {k.version}, {quantity(k.tokens, 'token')}):")
    lines += [contained(f"- {name}: {value}") for name, value in _canonical(k) if value]
    lines += [contained(f"routine {r.name} at {r.time}: {r.summary}") for r in s.routines_today]
    b, v = s.backlog, s.coverage
    oldest = f", oldest {b.oldest_seconds:.0f} s" if b.oldest_seconds is not None else ""
    lines.append(f"backlog: {b.waiting} waiting, {b.in_work} in work, {b.dead} failed{oldest}")
    lines.append(f"coverage: {v.verbatim} verbatim, {v.summarised} summarised, {v.pending} pending, gap {v.gap}")
    lines += [f"queued: {', '.join(s.queued)}"] if s.queued else []
    return "\n".join(lines) + _cursor(s.next_cursor)


def _canonical(k: c.CanonicalSummary) -> tuple[tuple[str, str], ...]:
    return (("confirmed by the user", k.user_confirmed), ("inferred", k.llm_inferred), ("general", k.general_summary))


def explanation(e: c.Explanation) -> str:
    lines = [f"{e.subject} {e.id} ({e.at.isoformat()}){f', by {e.model}' if e.model else ''}:", e.text]
    lines += [memory(e.memory)] if e.memory else []
    lines += [contained(f"source message {s.id} ({s.role}, {s.at.isoformat()}): {s.text}") for s in e.sources]
    lines += [contained(f"the user's words: {quote}") for quote in e.quotes]
    lines += [f"once confirmed it replaces or ends: {_numbers(e.would_replace)}"] if e.would_replace else []
    lines += [contained(f"before {v.at.isoformat()}: {v.text}") for v in e.versions]
    lines += [f"related {memory(m)}" for m in e.memories]
    lines += [f"section {s.name}: {quantity(s.tokens, 'token')}, {s.stability}" for s in e.sections]
    lines += [f"included {kind}: {_numbers(ids)}" for kind, ids in e.included.items()]
    lines += [f"left out: {item}" for item in e.left_out]
    lines += [f"shown in context {receipt}" for receipt in e.receipts]
    return "\n".join(lines)


def new_chat(r: c.NewChat) -> str:
    archived = "the old summary is archived" if r.archived else "there was no summary to archive"
    return f"conversation {r.epoch} begins; {archived}; memories stay"


def _counts(counts: dict[str, int]) -> str:
    named = ((name.replace("_", " "), count) for name, count in counts.items())
    return ", ".join(f"{count} {singular(name) if count == 1 else name}" for name, count in named) or "nothing"


def _numbers(ids: Sequence[int]) -> str:
    return ", ".join(str(i) for i in ids)
