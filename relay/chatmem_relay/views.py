"""What /memory, /summary, /status and /help show; pure."""

from collections.abc import Sequence

from chatmem.contract import ChatSummary, Memory, Profile

HELP = """\
Just talk to me; I remember what matters.
/memory – what I know about you
/remember text – keep something for good
/forget topic – erase something for good
/summary – what we talked about
/new – start a new conversation; memories stay
/status – what is waiting, and what it cost
/help – this list"""


def memory_view(profile: Profile) -> str:
    """`/memory`."""
    talk = profile.conversation
    parts = ["📋 YOUR PROFILE", profile.narrative]
    parts += [_block("👤 Personal Facts", profile.facts), _block("⚙️ Preferences", profile.preferences)]
    parts += [_block("🎯 Active Goals", profile.goals), _block("📅 Important Dates", profile.dates)]
    parts += [_block("❔ Not sure yet", profile.uncertain)] if profile.uncertain else []
    parts.append(f"💬 Conversation: {talk.messages} messages ({talk.summaries} summaries, {talk.verbatim} verbatim)")
    return "\n\n".join(part for part in parts if part)


def summary_view(summary: ChatSummary) -> str:
    """`/summary`."""
    parts = ["📜 CONVERSATION SUMMARY"]
    parts += [f"📅 {p.period.replace('–', '-')} ({p.count} messages): {p.text}" for p in summary.periods]
    now = summary.current_session
    parts.append(f"💬 Current session ({now.count} messages, ongoing): {now.text or '–'}")
    parts += [f"⏰ {r.name} at {r.time}: {r.summary}" for r in summary.routines_today]
    return "\n\n".join(parts)


def remembered_view(memory: Memory) -> str:
    return f"✓ Remembered: {memory.content}"


def _block(title: str, entries: Sequence[Memory]) -> str:
    lines = [f"• {m.content}" for m in entries] or ["• –"]
    return "\n".join([title, *lines])
