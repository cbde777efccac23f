"""What /memory, /summary, /status and /help show; pure."""

from collections.abc import Sequence

from chatmem.contract import ChatSummary, Explanation, Memory, Profile

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


def why_view(why: Explanation) -> str:
    """`/why`: what an answer was based on."""
    lines = [f"“{why.text[:200]}”"]
    lines += [f"• from memory {m.id}: {m.content}" for m in why.memories]
    lines += [f"• shown context {receipt}" for receipt in why.receipts]
    return "\n".join(lines) if len(lines) > 1 else "That answer rests on our recent talk only."


def status_view(summary: ChatSummary) -> str:
    """`/status`: the backlog in words."""
    b = summary.backlog
    if not b.waiting and not b.in_work and not b.dead:
        return "Everything is up to date."
    oldest = f", oldest {b.oldest_seconds / 60:.0f} min" if b.oldest_seconds is not None else ""
    dead = f"; {b.dead} gave up (`chatmem replay` starts them anew)" if b.dead else ""
    return f"{b.waiting} summaries waiting{oldest}, {b.in_work} in work{dead}."
