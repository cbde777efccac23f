"""The texts of /memory, /summary, /status and /forget. Pure."""

import re
from collections.abc import Sequence
from datetime import datetime, tzinfo

from tellonce.contract import ChatSummary, ForgetMatch, Forgotten, Memory, Profile, When
from tellonce.work import QueueStatus
from tellonce_relay.catalogue import clock, counted, day, from_english, number, phrase, server_text
from tellonce_text.dates.clock import STAMP, is_day

SHOWN = 5
LONGEST = 3500
"""Maximum number of characters of a view, so that the view always fits into one message."""
_QUOTE = 160
_TALLIED = {"memories": "memory", "sentences": "sentence"}
"""After an erasure, the counts of these tables are shown separately, because people understand them."""
_NOT_TEXTS = frozenset((*_TALLIED, "messages", "tombstones", "context_receipts"))
"""The number of other erased texts does not include the texts in these tables. The erased memories and sentences have
numbers of their own."""


def memory_view(
    profile: Profile,
    zone: tzinfo | None = None,
    most: int | None = None,
    searched: Sequence[Memory] = (),
    now: datetime | None = None,
    *,
    in_group: bool = False,
) -> str:
    """The text of `/memory`. In a group, it does not address one person. The days are in `zone`, or in the machine's time zone if `zone` is None. `most` limits
    the number of memories of each kind. `searched` are notes that only a search finds. They are listed below the total
    number of such notes. Days before `now` are marked as past."""
    talk = profile.conversation
    title, soon = ("memory.group_title", "memory.group_soon") if in_group else ("memory.profile_title", "memory.soon")
    lists = by_title(profile) | {"pins": tuple(m for m in profile.pins if m.kind == "pin")}
    counts = {"messages": counted("message", talk.messages), "summaries": counted("summary", talk.summaries)}
    blocks = [
        _block(f"memory.{name}", in_order(name, entries), zone, most, now) for name, entries in lists.items() if entries
    ]
    parts = [
        "\n".join(part for part in (phrase(title), _narrative(profile)) if part),
        *(blocks or [phrase(soon if talk.messages else "memory.nothing")]),
        "\n".join([phrase("memory.notes", n=profile.only_searched), *(f"• {dated(m, zone, now)}" for m in searched)])
        if profile.only_searched
        else "",
        phrase("memory.conversation", verbatim=talk.verbatim, **counts),
    ]
    return "\n\n".join(part for part in parts if part)


def in_order(name: str, entries: Sequence[Memory]) -> Sequence[Memory]:
    """Dates are sorted by their day; other lists are newest first."""
    return sorted(entries, key=lambda m: m.deadline or _named_day(m) or m.valid_from) if name == "dates" else entries


def by_title(profile: Profile) -> dict[str, tuple[Memory, ...]]:
    """The profile's lists by name. A note that names a day is listed as a date, because no model has given the note a
    kind. A date is left out if a reminder repeats its text, and a note if a memory repeats its words."""
    lists, moved = dict(profile.lists), tuple[Memory, ...]()
    stated = [m for name in lists.keys() - {"uncertain"} for m in lists[name] if not m.note]
    lists = {
        name: tuple(m for m in found if not m.note or not any(_repeats(m, one) for one in stated))
        for name, found in lists.items()
    }
    for name in lists.keys() - {"dates", "uncertain"}:
        moved += tuple(m for m in lists[name] if _is_dated_note(m))
        lists[name] = tuple(m for m in lists[name] if not _is_dated_note(m))
    dates = (*lists["dates"], *moved)
    return lists | {"dates": tuple(one for one in dates if not any(_reminds_of(other, one) for other in dates))}


def _repeats(note: Memory, other: Memory) -> bool:
    """Whether the memory has the note's words and, if both name days, the same days."""
    days, of_other = _STAMP.findall(note.content), _STAMP.findall(other.content)
    return _words(note) == _words(other) and (not days or not of_other or days == of_other)


def _words(memory: Memory) -> tuple[str, ...]:
    return tuple(re.findall(r"\w+", without_stamps(memory.content).casefold()))


def _is_dated_note(memory: Memory) -> bool:
    return memory.note and memory.shown and _named_day(memory) is not None


def _reminds_of(reminder: Memory, date: Memory) -> bool:
    """Whether the reminder's text is the date's text and a time: `Dentist (2026-03-15 09:00)`."""
    return reminder.content.startswith(f"{date.content} (")


def _named_day(memory: Memory) -> datetime | None:
    return memory.when.start if memory.when is not None else None


def _narrative(profile: Profile) -> str:
    """Empty if the text only repeats the memories below, as it does without a model."""
    listed = (memory for name, entries in profile.lists.items() if name != "uncertain" for memory in entries)
    left = profile.narrative
    for content in sorted((memory.content for memory in listed), key=len, reverse=True):
        left = left.replace(content, "")
    return profile.narrative if any(character.isalpha() for character in left) else ""


def summary_view(summary: ChatSummary) -> str:
    """The text of `/summary`."""
    parts = [phrase("summary.title")]
    parts += [
        phrase("summary.period", period=_period(p.period), messages=counted("message", p.count), text=p.text)
        for p in summary.periods
    ]
    now = summary.current_session
    if not now.count and not summary.periods:
        return phrase("memory.nothing")
    parts.append(phrase("summary.session", messages=counted("message", now.count), text=now.text or "–"))
    parts += [
        phrase("summary.routine", name=r.name, time=from_english(r.time), text=r.summary)
        for r in summary.routines_today
    ]
    return "\n\n".join(parts)


_STAMP = re.compile(r" \((?P<by>by )?(?P<day>\d{4}-\d\d-\d\d)(?: (?P<time>\d\d:\d\d))?\)")
"""Matches the memory's own format of a day: ` (2026-03-15)`, ` (2026-03-15 09:00)` or ` (by 2026-03-15)`."""


def without_stamps(content: str) -> str:
    """The text without the days that the memory has added."""
    return _STAMP.sub("", content)


def in_days(content: str) -> str:
    """The text. Days that the memory has added, such as ` (2026-03-15)`, are put into the person's language."""
    return _STAMP.sub(_in_words, content)


def _in_words(found: re.Match[str]) -> str:
    try:
        at = datetime.fromisoformat(f"{found['day']}T{found['time'] or '00:00'}")
    except ValueError:  # the person wrote a day that does not exist
        return found[0]
    on = phrase("memory.by", day=long_day(at)) if found["by"] else long_day(at)
    return f" ({on}, {clock(at)})" if found["time"] else f" ({on})"


def saved_view(memory: Memory) -> str:
    """Return the sentence about a memory that an answer saved, or about a goal that an answer closed."""
    return phrase(
        "memory.saved_done" if memory.status == "completed" else "memory.saved", content=in_days(memory.content)
    )


def undone_view(memory: Memory, *, reopened: bool) -> str:
    """The sentence about a memory that was taken back, or about a goal or reminder that is open again."""
    return phrase("memory.reopened" if reopened else "memory.taken_back", content=without_stamps(memory.content))


def remembered_view(memory: Memory) -> str:
    return phrase("memory.remembered", content=in_days(memory.content))


def matches_view(preview: Forgotten, now: datetime) -> str:
    """Return a numbered list of the matches that would be forgotten. `now` is in the person's zone."""
    lines = [f"{'☑' if m.ticked else '☐'} {m.id}. {match_view(m, now)}" for m in preview.matches]
    lines += [phrase("forget.unlisted", count=preview.unlisted)] if preview.unlisted else []
    near = [f"  · {m.text[:_QUOTE]}" for m in preview.related[:SHOWN]]
    return "\n".join([*lines, *([phrase("forget.nearby"), *near] if near else [])])


def kept_view(done: Forgotten, now: datetime) -> str:
    """The matches that were not selected and stay; empty if there are none. `now` is in the person's zone."""
    shown = [f"  ☐ {match_view(match, now)}" for match in done.kept[:SHOWN]]
    more = len(done.kept) + done.unlisted - len(shown)
    return "\n".join([*shown, *(["  …"] if more else [])])


def match_view(match: ForgetMatch, now: datetime) -> str:
    """A match on one line: kind, day, how it was found, and text. A match for several texts has the number of these
    texts and no day. If only a part of a text would be erased, a second line gives this part. If the memory's other
    sentences would be erased, too, a further line gives these sentences."""
    forms = {"number": phrase("forget.other_digits"), "form": phrase("forget.other_form")}
    form = forms.get(match.match or "", "")
    said = f", {day(match.at.astimezone(now.tzinfo), now)}" if match.ref else ""
    part = f"\n    {phrase('forget.goes', text=short(' … '.join(match.goes)))}" if match.goes else ""
    part += f"\n    {phrase('forget.beside', text=short(' … '.join(match.beside)))}" if match.beside else ""
    kind = counted("text", sum(match.others.values())) if match.others else phrase(f"kind.{match.kind}")
    return f"[{kind}{said}{form}] {short(match.text)}{part}"


def nothing_view(preview: Forgotten) -> str:
    """The text for a preview without matches, with the memory's hints."""
    return "\n".join((phrase("forget.nothing"), *map(server_text, preview.notes)))


def forgotten_view(done: Forgotten) -> str:
    """The text about the result of a `/forget`. It says "forgotten" only if nothing is left."""
    tally, kept = ", ".join(_tallied(done)), len(done.kept) + done.unlisted
    if not done.traces_left:
        if not tally:
            return phrase("forget.nothing_erased")
        return phrase("forget.rest_kept" if kept else "forget.done", tally=tally, kept=counted("kept", kept))
    places = counted("place", done.traces_left)
    left = [f"• {match.text[:_QUOTE]}" for match in done.left[:SHOWN]]
    head = phrase("forget.not_yet", tally=tally or phrase("forget.erased_nothing"), places=places)
    return "\n".join([head, *left, *map(server_text, done.notes)])


def _tallied(done: Forgotten) -> list[str]:
    counts = {noun: done.erased.get(name, 0) for name, noun in _TALLIED.items()}
    counts["text"] = sum(count for name, count in done.erased.items() if name not in _NOT_TEXTS)
    return [counted(noun, count) for noun, count in counts.items() if count]


def status_view(summary: ChatSummary, queue: QueueStatus | None, responder: str, zone: tzinfo) -> str:
    """The text of `/status`: the backlog and, if the chat may see it, the month's cost. Times are in `zone`."""
    lines = [phrase("status.answers", responder=responder), _backlog(summary)]
    lines += status_lines(queue, zone) if queue is not None else []
    return "\n".join(lines)


def status_lines(queue: QueueStatus, zone: tzinfo | None) -> list[str]:
    """The month's cost and the models that do not answer, also for `tellonce status`."""
    lines = [_cost(queue)]
    for down in queue.providers_down:
        at = down.since.astimezone(zone)
        since = phrase("reminder.at", day=day(at, at), time=clock(at))
        lines.append(phrase("status.down", model=down.model, since=since))
    return lines


def dated(memory: Memory, zone: tzinfo | None, now: datetime | None = None) -> str:
    """A memory with its day and year, because its words may lack the day, or give it as `(2026-03-15)`. A span has its
    first and last day. A date before the day of `now` is marked as past. A note is the user's own sentence and is in
    quotation marks. It is followed by the days that it names (`on …`), or else by the day on which it was said (`said
    …`). The time of a reminder is marked if the words contain it, because the words may also name the time of the
    event."""
    if memory.note and memory.when is not None and memory.when.start is not None:
        named = memory.when.start.astimezone(zone)
        last = (memory.when.end or memory.when.start).astimezone(zone)
        at = f", {clock(named)}" if memory.when.precision == "instant" else ""
        key = "memory.past" if _is_past(last, now) else "memory.on"
        return f"{phrase('offline.quote', text=memory.content)} ({phrase(key, day=_days(named, last))}{at})"
    if memory.note:
        said = long_day(memory.valid_from.astimezone(zone))
        return f"{phrase('offline.quote', text=memory.content)} ({phrase('memory.said', day=said)})"
    if memory.deadline is None or memory.kind not in ("goal", "date"):
        return in_days(memory.content)
    due = memory.deadline.astimezone(zone)
    return "{} ({})".format(*due_parts(memory.content, due, memory.kind, memory.when, now))


def with_day(memory: Memory, now: datetime, zone: tzinfo) -> str:
    """A memory with its due time or, without a due time, with the day on which it was said."""
    if memory.kind in ("goal", "date") and memory.deadline is not None:
        return dated(memory, zone, now)
    return f"{memory.content} ({day(memory.valid_from, now)})"


def due_parts(
    content: str, due: datetime, kind: str, when: When | None = None, now: datetime | None = None
) -> tuple[str, str]:
    """The words without the due time, and the due time, such as `by Fri, May 1, 2026`. `due` is in the zone."""
    words, at = without_due(content, due)
    if kind == "goal":
        on = phrase("memory.by", day=long_day(due))
    else:
        on = _days(_first_day(content, when, due), due)
        on = phrase("memory.past", day=on) if _is_past(due, now) else on
    return in_days(words), f"{'⏰ ' if _stamp(due) in content else ''}{on}{at}"


def _first_day(content: str, when: When | None, due: datetime) -> datetime:
    written = re.search(rf" \((\d{{4}}-\d\d-\d\d) to {due.date()}\)", content)
    if written is not None:
        try:
            return datetime.fromisoformat(written[1]).replace(tzinfo=due.tzinfo)
        except ValueError:  # the person wrote a day that does not exist
            return due
    if when is None or when.start is None or when.end is None:
        return due
    return when.start.astimezone(due.tzinfo)


def _is_past(last: datetime, now: datetime | None) -> bool:
    return now is not None and last.date() < now.astimezone(last.tzinfo).date()


def _days(first: datetime, last: datetime) -> str:
    return long_day(last) if first.date() >= last.date() else f"{long_day(first)} – {long_day(last)}"


def without_due(content: str, due: datetime) -> tuple[str, str]:
    """A memory's words, and its time of day. For example, `Dentist (2026-03-15 09:00)` gives `("Dentist", ", 9:00
    AM")`. The words do not include the due time, or the span that ends at the due time. The time of day is empty if the
    memory is due on a whole day and its words contain no time."""
    on = due.date().isoformat()
    words = re.sub(rf" \((?:\d{{4}}-\d\d-\d\d to |by )?{on}\)", "", content).replace(_stamp(due), "")
    return words, "" if is_day(due) and _stamp(due) not in content else f", {clock(due)}"


def _stamp(due: datetime) -> str:
    return f" ({due:{STAMP}})"


def flat(text: str) -> str:
    """The text on one line."""
    return " ".join(text.split())


def short(text: str, longest: int = _QUOTE) -> str:
    """The text on one line, with at most `longest` characters."""
    line = flat(text)
    return line if len(line) <= longest else line[: longest - 1] + "…"


def _period(english: str) -> str:
    return from_english(english.replace("–", "-"))


def _backlog(summary: ChatSummary) -> str:
    b = summary.backlog
    if not b.waiting and not b.in_work and not b.dead:
        return phrase("status.up_to_date")
    minutes = int((b.oldest_seconds or 0) // 60)
    oldest = phrase("status.oldest", minutes=minutes) if minutes else ""
    failed = phrase("status.failed", count=b.dead) if b.dead else ""
    return phrase("status.waiting", jobs=counted("job", b.waiting), oldest=oldest, running=b.in_work, failed=failed)


def _cost(queue: QueueStatus) -> str:
    cost, capped = queue.cost, queue.cost.cap_usd is not None
    return phrase(
        "status.cost_capped" if capped else "status.cost",
        calls=counted("call", cost.calls),
        tokens=number(cost.input_tokens + cost.output_tokens),
        price=number(cost.price_usd, 2),
        cap=number(cost.cap_usd or 0, 2),
    )


def _block(title: str, entries: Sequence[Memory], zone: tzinfo | None, most: int | None, now: datetime | None) -> str:
    lines = [f"• {dated(m, zone, now)}" for m in entries[:most]]
    more = [phrase("memory.more", count=len(entries) - most)] if most is not None and len(entries) > most else []
    return "\n".join([phrase(title), *lines, *more])


def long_day(at: datetime) -> str:
    """A day with its year, even if this is the current year."""
    return day(at, at.replace(year=at.year - 1, day=1), weekday=True)
