"""What /memory, /summary, /why, /status and /help show; pure."""

from collections.abc import Sequence
from datetime import datetime, tzinfo

from tellonce.contract import ChatSummary, Explanation, ForgetMatch, Forgotten, Memory, Profile
from tellonce.counted import counted, messages, singular, summaries
from tellonce.work import QueueStatus

HELP = """\
Just talk to me; I remember what matters.
/memory – what I know about you
/remember text – keep something for good
/forget topic – erase something for good; without a topic: this chat's memories
/summary – what we talked about
/new – start a new conversation; memories stay
/why – in reply to an answer: what it was based on
/status – what is waiting, and what it cost
/help – this list"""

UNKNOWN_COMMAND = "I don't know that command; /help lists them."
CHAT_FULL = "This conversation's summary is full. /new starts a fresh one; your memories stay."

TAKEN_BACK = "↩ Taken back"
NO_RECORD = "I keep no record of what that was based on."
NOTHING_TO_FORGET = "Nothing matches; nothing to forget."
_UNSAID = frozenset(("messages", "tombstones", "context_receipts"))
"""What an erasure counts beside what a person said: of messages their sentences are told."""
_SHOWN = 5
_QUOTE = 160


def memory_view(profile: Profile, zone: tzinfo | None = None) -> str:
    """`/memory`. Days are those of `zone`, by default the machine's."""
    talk = profile.conversation
    pins = [m for m in profile.pins if m.kind == "pin"]
    parts = [
        "\n".join(part for part in ("📋 YOUR PROFILE", profile.narrative) if part),
        _block("👤 Personal Facts", profile.facts, zone),
        _block("⚙️ Preferences", profile.preferences, zone),
        _block("🎯 Active Goals", profile.goals, zone),
        _block("📅 Important Dates", profile.dates, zone),
        _block("📌 Pinned", pins, zone) if pins else "",
        _block("❔ Not sure yet", profile.uncertain, zone) if profile.uncertain else "",
        f"💬 Conversation: {messages(talk.messages)} ({summaries(talk.summaries)}, {talk.verbatim} verbatim)",
    ]
    return "\n\n".join(part for part in parts if part)


def summary_view(summary: ChatSummary) -> str:
    """`/summary`."""
    parts = ["📜 CONVERSATION SUMMARY"]
    parts += [f"📅 {p.period.replace('–', '-')} ({messages(p.count)}): {p.text}" for p in summary.periods]
    now = summary.current_session
    parts.append(f"💬 Current session ({messages(now.count)}, ongoing): {now.text or '–'}")
    parts += [f"⏰ {r.name} at {r.time}: {r.summary}" for r in summary.routines_today]
    return "\n\n".join(parts)


def saved_view(memory: Memory) -> str:
    """What an answer saved, or which goal it closed."""
    return f"💾 Done: {memory.content}" if memory.status == "completed" else f"💾 {memory.content}"


def remembered_view(memory: Memory) -> str:
    return f"✓ Remembered: {memory.content}"


def matches_view(preview: Forgotten, zone: tzinfo | None = None) -> str:
    """What would be forgotten, numbered."""
    lines = [f"{'☑' if m.ticked else '☐'} {m.id}. {match_view(m, zone)}" for m in preview.matches]
    lines += (
        [f"… and {preview.unlisted} more; those that match exactly go with the others."] if preview.unlisted else []
    )
    near = [f"  · {m.text[:_QUOTE]}" for m in preview.related[:_SHOWN]]
    return "\n".join([*lines, *(["Said nearby, not erased:", *near] if near else [])])


def match_view(match: ForgetMatch, zone: tzinfo | None = None) -> str:
    """One match: what it is, of which day, how it matches if not exactly, and its text on one line."""
    form = {"exact": "", "number": ", other digits", "form": ", other form"}[match.match]
    day = match.at.astimezone(zone)
    flat = " ".join(match.text.split())
    return f"[{match.kind}, {day.day} {day:%b}{form}] {flat if len(flat) <= _QUOTE else flat[: _QUOTE - 1] + '…'}"


def forgotten_view(done: Forgotten) -> str:
    """What became of a `/forget`. It is forgotten only when nothing still says it."""
    gone = {name: count for name, count in done.erased.items() if count and name not in _UNSAID}
    tally = ", ".join(counted(count, singular(name.replace("_", " "))) for name, count in gone.items())
    if not done.traces_left:
        return f"✓ Forgotten ({tally})" if tally else "Nothing was erased."
    left = [f"• {match.text[:_QUOTE]}" for match in done.left[:_SHOWN]]
    more = f"{counted(done.traces_left, 'place')} still {'says' if done.traces_left == 1 else 'say'} it:"
    return "\n".join([f"Erased: {tally or 'nothing'}. Not forgotten yet: {more}", *left, *done.notes])


def notice_view(notice: str) -> str:
    """A notice of the memory, which is worded for a model, as the person reads it."""
    return CHAT_FULL if "/new" in notice else notice


def why_view(message: Explanation, receipt: Explanation | None = None) -> str:
    """`/why`: the answer, then what the context held that it was made from, by its receipt."""
    lines = [f"“{_short(message.text)}”"]
    lines += _held(receipt) if receipt is not None else []
    lines += [f"• learned from it: {m.content}" for m in message.memories]
    if len(lines) == 1:
        return f"{lines[0]}\n{NO_RECORD}"
    return "\n".join(lines)


def status_view(summary: ChatSummary, queue: QueueStatus | None = None, responder: str = "") -> str:
    """`/status`: the backlog in words, and what the models cost this month where that may be known."""
    lines = [f"Answers: {responder}"] if responder else []
    lines.append(_backlog(summary))
    if queue is not None:
        cap = f" of ${queue.cost.cap_usd:.2f}" if queue.cost.cap_usd is not None else ""
        lines.append(
            f"This month's learning: {counted(queue.cost.calls, 'model call')}, {queue.cost.input_tokens + queue.cost.output_tokens:,} tokens, "
            f"${queue.cost.price_usd:.2f}{cap}"
        )
        lines += [
            f"{down.model} does not answer since {down.since:%Y-%m-%d %H:%M %Z}; summaries go on without it."
            for down in queue.providers_down
        ]
    return "\n".join(lines)


def _backlog(summary: ChatSummary) -> str:
    b = summary.backlog
    if not b.waiting and not b.in_work and not b.dead:
        return "Everything is up to date."
    minutes = int((b.oldest_seconds or 0) // 60)
    oldest = f", oldest {minutes} min" if minutes else ""
    dead = f"; {b.dead} gave up (`tellonce replay` starts them anew)" if b.dead else ""
    return f"{counted(b.waiting, 'job')} waiting{oldest}, {b.in_work} in work{dead}."


def _block(title: str, entries: Sequence[Memory], zone: tzinfo | None) -> str:
    lines = [f"• {_dated(m, zone)}" for m in entries] or ["• –"]
    return "\n".join([title, *lines])


def _dated(memory: Memory, zone: tzinfo | None) -> str:
    """With the day and its year, which the words often leave out, or name as `(2026-03-15)`.

    A note is the user's own sentence, so it stands in quotation marks, with the day it was said.
    """
    if memory.note:
        return f"“{memory.content}” ({memory.valid_from.astimezone(zone).date().isoformat()})"
    if memory.deadline is None or memory.kind not in ("goal", "date"):
        return memory.content
    due = memory.deadline.astimezone(zone)
    words = memory.content.replace(f" ({due.date().isoformat()})", "")
    return f"{words} ({'by ' if memory.kind == 'goal' else ''}{_day(due)})"


def _day(at: datetime) -> str:
    return f"{at:%a}, {at.day} {at:%B} {at.year}"


def _held(receipt: Explanation) -> list[str]:
    """The kinds and numbers of what the context held, and the lines of its memories and finds."""
    # A receipt names what was shown in the plural, what was found in the singular.
    counts = ", ".join(counted(len(ids), singular(kind)) for kind, ids in receipt.included.items() if ids)
    lines = [f"Based on {counts}." if counts else "Based on our recent talk only."]
    for section in receipt.sections:
        if section.name in ("memories", "relevant"):
            lines += [f"• {_short(line.lstrip('- '))}" for line in _body(section.text)[:_SHOWN]]
    lines += [f"Left out: {counted(len(receipt.left_out), 'thing')} that did not fit."] if receipt.left_out else []
    return lines


def _body(text: str) -> list[str]:
    """The lines of a section that state something: neither title nor fence."""
    return [line for line in text.split("\n")[1:] if line and not line.startswith("⟦") and not line.isupper()]


def _short(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= _QUOTE else flat[: _QUOTE - 1] + "…"
