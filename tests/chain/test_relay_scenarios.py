"""Scenarios with the bot: real processes, an emulated Telegram, and a model that knows only its prompt.

The tests check the model's prompt and the database. All tests share the processes, and each uses a different person.
"""

import re
import signal
from datetime import timedelta
from typing import Any

import pytest

from tellonce import contract as c
from tellonce.connect import connect_stdio
from tests import fork_server
from tests.chain.conftest import GROUPS
from tests.chain.product import Whole, both
from tests.stubs.replies import Reply, Say, say_json
from tests.stubs.stub import Asked

pytestmark = pytest.mark.anyio

SECTIONS = (
    *("USER PROFILE", "CHAT SUMMARY", "FACTS, GOALS AND PINS", "CONVERSATION HISTORY"),
    *("RELEVANT CONTEXT", "QUOTED MESSAGE", "MEMORY MANAGEMENT"),
)
GREETING = "Good morning, Priya! Here is your briefing. "
CALM = "The markets were calm and little happened in the news today. "
FORECAST = "Today's weather forecast: hail over Changi at 4 PM. "
LAST = "The zebra crossing on Orchard Road is closed."
SHORT = "A calm morning with three meetings. Nothing urgent in the inbox."
BRIEFING = GREETING + CALM * 25 + FORECAST + CALM * 25 + LAST


async def send(life: Whole, user: int, routine: str, text: str, *, model: bool = True) -> list[dict[str, Any]]:
    """Run `tellonce send` as a script does, with or without a local model. Returns the messages that Telegram got."""
    before = len(life.messages(user))
    own = {"OLLAMA_HOST": life.ollama.url if model else "http://127.0.0.1:9"}
    life.ollama.script = lambda asked: Say(SHORT)
    await life.command("send", "--chat", str(user), "--routine", routine, told=text, own=own)
    return life.messages(user)[before:]


async def memories(life: Whole, user: int) -> list[Any]:
    return await life.rows("select * from memories where owner_id = $1 order by id", user)


def section(prompt: str, name: str) -> str:
    """The text under a heading, up to the next heading."""
    below = prompt.partition(f"\n{name}\n")[2]
    return min((below.partition(f"\n{other}\n")[0] for other in SECTIONS), key=len)


async def test_1_and_3_to_6_what_is_told_to_the_bot_is_learned_shown_and_in_its_next_prompts(life: Whole) -> None:
    user = 131
    await life.tell("My name is Priya and I'm working on a SingPass integration project", user)
    await life.turn("What project did I mention just now?", user)
    assert "SingPass integration project" in life.prompt("What project did I mention just now?")
    await life.tell("I work as a Solution Architect at GovTech, mainly doing AWS infrastructure", user)
    await life.tell("Please always give me concise responses with bullet points, I hate long paragraphs", user)
    await life.tell("I need to launch the SingPass API integration by Q2 2026", user)
    await life.tell("Don't forget my team offsite is on March 15", user)
    before = len(life.messages(user))
    await life.telegram.say("/memory", user)
    shown = (await life.heard(user, before + 1))[-1]["text"]
    personal, dates = shown.partition("⚙️ Preferences")[0], shown.partition("📅 Important Dates")[2]
    assert "Solution Architect at GovTech" in personal
    assert "bullet points" in shown.partition("⚙️ Preferences")[2].partition("🎯 Active Goals")[0]
    assert "Q2 2026" in shown.partition("🎯 Active Goals")[2].partition("📅 Important Dates")[0]
    assert "Mar 15, 2026" in dates
    for asked, known in (
        ("Where do I work?", "Solution Architect at GovTech"),
        ("Explain microservices to me", "bullet points"),
        ("When is my team offsite?", "March 15"),
        ("What are my current goals?", "launch the SingPass API integration by Q2 2026"),
    ):
        await life.turn(asked, user)
        assert known in section(life.prompt(asked), "FACTS, GOALS AND PINS")
    await life.tell("I finished the SingPass integration", user)
    await life.turn("What are my open goals?", user)
    assert "launch the SingPass" not in section(life.prompt("What are my open goals?"), "FACTS, GOALS AND PINS")


async def test_13_a_number_is_in_the_bots_prompt_after_sixty_other_messages(life: Whole) -> None:
    user = 132
    await life.tell("My AWS account number is 123456789012 for the dev environment", user)
    async with life.client() as other:
        for n in range(60):
            args = {"role": "user", "content": f"The weather on day {n} was fine.", "chat_id": user}
            await other.record_message(c.RecordMessageArgs.model_validate(args | {"channel": "telegram"}))
    await life.turn("What's my AWS dev account number?", user)
    assert "123456789012" in life.prompt("What's my AWS dev account number?")


async def test_7_a_routine_is_sent_whole_and_kept_with_a_summary(life: Whole) -> None:
    sent = await send(life, 107, "morning-summary", BRIEFING)
    plain = await send(life, 107, "night-summary", BRIEFING, model=False)
    rows = await life.rows("select * from messages where chat_id = 107 order by id")
    assert " ".join(message["text"] for message in sent) == BRIEFING.strip()
    assert all(len(message["text"]) <= 4096 for message in (*sent, *plain))
    assert [(row["role"], row["content"], row["routine"]) for row in rows] == [
        ("assistant", BRIEFING.strip(), "morning-summary"),
        ("assistant", BRIEFING.strip(), "night-summary"),
    ]
    assert rows[0]["routine_summary"] == SHORT
    assert not BRIEFING.startswith(SHORT)
    assert rows[1]["routine_summary"] == BRIEFING[:300]


async def test_7b_a_reply_to_a_routine_sees_its_summary_and_the_quotation(life: Whole) -> None:
    text = "Time for your check-in, Priya. " + "Drink some water and stretch a little. " * 40 + LAST
    sent = await send(life, 108, "smart-checkin", text)
    await life.tell("All fine, thank you", 108, reply_to=sent[0]["message_id"])
    prompt = life.prompt("All fine, thank you")
    assert re.search(r"\[smart-checkin \| \d\d:\d\d [AP]M, just now\]: " + re.escape(SHORT), prompt)
    assert "QUOTED MESSAGE" in prompt
    assert "zebra crossing" not in prompt, "the window shows the summary, not the text"
    assert prompt.splitlines()[-1].endswith("] All fine, thank you"), "the quotation is no part of the user's words"


async def test_7c_and_7d_the_text_of_a_routine_and_one_detail_of_it_are_recalled(life: Whole) -> None:
    await send(life, 109, "morning-summary", BRIEFING)
    await life.tell("What was today's weather forecast in the briefing?", 109)
    detail = life.prompt("What was today's weather forecast in the briefing?")
    answer = await life.tell("What exactly did you say in the briefing about the zebra crossing?", 109)
    exact = life.prompt("What exactly did you say in the briefing about the zebra crossing?")
    assert "hail over Changi at 4 PM" in section(detail, "RELEVANT CONTEXT")
    assert "hail" not in section(detail, "CONVERSATION HISTORY"), "the summary lacks it"
    assert "Orchard Road is closed" in section(exact, "RELEVANT CONTEXT")
    assert "Orchard Road" in answer


async def test_9_forgetting_by_buttons_leaves_no_trace_until_it_is_said_again(life: Whole) -> None:
    user = 110
    await life.tell("I need to launch the SingPass API integration by Q2 2026", user)
    await life.tell("I like tea", user)
    await life.tell("The SingPass sandbox is up", user)
    assert "SingPass" in await life.everywhere(user)
    before = len(life.messages(user))
    await life.telegram.say("/forget SingPass", user)
    question = (await life.heard(user, before + 1))[before]
    assert "SingPass" in question["text"]
    assert labels(question)[-2:] == ["Forget", "Cancel"]
    await life.telegram.press(question, "Forget", user)
    await life.seen(lambda: question["text"].startswith("✓ Forgotten"))
    await life.settled(user)
    assert "ingpass" not in (await life.everywhere(user)).lower()
    await life.tell("What are my current goals?", user)
    prompt = life.prompt("What are my current goals?")
    assert "ingpass" not in prompt.lower()
    assert "tea" in prompt
    await life.telegram.say("/summary", user)
    assert "ingpass" not in (await life.heard(user, before + 3))[-1]["text"].lower()
    await life.tell("I want to restart the SingPass project by Q3 2026", user)
    assert any("SingPass" in memory["content"] for memory in await memories(life, user))
    await life.telegram.say("/forget", user)
    asked = (await life.heard(user, before + 5))[-1]
    assert labels(asked) == ["Forget everything", "Keep"]
    await life.telegram.press(asked, "Keep", user)
    await life.seen(lambda: asked["text"] == "Kept")
    assert any("SingPass" in memory["content"] for memory in await memories(life, user))


def labels(message: dict[str, Any]) -> list[str]:
    rows = message.get("reply_markup", {}).get("inline_keyboard", [])
    return [button["text"] for row in rows for button in row]


async def test_10_the_summary_shows_periods_the_session_and_todays_routines(life: Whole) -> None:
    user = 111
    async with life.client() as other:
        for number in range(44):
            said = c.RecordMessageArgs(
                role="user", content=f"Point {number} of the garden plan", chat_id=user, message_id=f"import:{number}"
            )
            await other.record_message(said)
    await send(life, user, "morning-summary", BRIEFING)
    await life.tell("And point 44 of the garden plan", user)
    before = len(life.messages(user))
    await life.telegram.say("/summary", user)
    shown = (await life.heard(user, before + 1))[-1]["text"]
    async with life.client() as other:
        summary = await other.summarize_chat(c.SummarizeChatArgs(chat_id=user))
    assert shown.startswith("📜 CONVERSATION SUMMARY")
    periods = re.findall(r"📅 \w{3} \d+(?:-\d+)? \((\d+) messages\): (.+)", shown)
    assert [int(count) for count, _ in periods] == [period.count for period in summary.periods]
    assert "garden plan" in periods[0][1]
    assert f"💬 Current session ({summary.current_session.count} messages, ongoing): " in shown
    assert re.search(rf"⏰ morning-summary at .+: {re.escape(SHORT)}", shown)
    assert summary.coverage.gap == 0
    assert summary.coverage.verbatim + summary.coverage.summarised + summary.coverage.pending == 47


async def test_12_the_memory_view_has_every_section_and_right_counts(life: Whole) -> None:
    user = 112
    await life.tell("I live in Singapore", user)
    await life.tell("Please always give me concise responses", user)
    await life.tell("I need to launch the SingPass API integration by Q2 2026", user)
    await life.tell("Don't forget my team offsite is on March 15", user)
    before = len(life.messages(user))
    await life.telegram.say("/memory", user)
    shown = (await life.heard(user, before + 1))[-1]["text"]
    assert re.findall(r"^(?:📋|👤|⚙️|🎯|📅|💬).*$", shown, re.MULTILINE) == [
        *("📋 YOUR PROFILE", "👤 Personal Facts", "⚙️ Preferences", "🎯 Active Goals", "📅 Important Dates"),
        "💬 Conversation: 8 messages (0 summaries, 8 verbatim)",
    ]
    for title, text in (
        ("👤 Personal Facts", "Singapore"),
        ("⚙️ Preferences", "concise"),
        ("🎯 Active Goals", "SingPass"),
        ("📅 Important Dates", "March 15"),
    ):
        assert text in shown.split(title)[1].split("\n\n")[0]


async def test_14_every_client_shares_the_one_memory(life: Whole) -> None:
    user = 42
    await life.tell("I work as a Solution Architect at GovTech", user)
    args = ["-m", "tellonce_server", "--stdio"]
    async with (
        connect_stdio(fork_server.python(), args, life.environment) as desktop,
        life.client("assistant") as inspector,
    ):
        query = c.SearchMemoryArgs(query="Where does the user work?")
        found = [await client.search_memory(query) for client in (desktop, inspector)]
        await desktop.remember(c.RememberArgs(content="I prefer window seats on trains"))
    await life.tell("Which seats do I prefer?", user)
    assert all(any("GovTech" in hit.text for hit in results.results) for results in found)
    assert "window seats" in section(life.prompt("Which seats do I prefer?"), "FACTS, GOALS AND PINS")


async def test_15_topics_and_reply_chains_never_mix(life: Whole) -> None:
    user, group = 113, GROUPS[0]
    garden, sailing = life.telegram.open_topic(group, "Garden"), life.telegram.open_topic(group, "Sailing")
    await life.turn("The greenhouse needs new glass panes", user, chat=group, topic=garden)
    await life.turn("The sailing boat is called Albatross", user, chat=group, topic=sailing)
    await life.turn("We meet on the pier", user, chat=group)
    head = next(m for m in life.messages(group) if m.get("reply_to_message", {}).get("text") == "We meet on the pier")
    await life.turn("Which pier?", user, chat=group, reply_to=head["message_id"])
    await life.turn("What is the sailing boat called?", user, chat=group, topic=garden)
    await life.turn("What does the greenhouse need?", user, chat=group, topic=sailing)
    named = life.prompt("What is the sailing boat called?")
    other = life.prompt("What does the greenhouse need?")
    assert "Albatross" not in section(named, "CONVERSATION HISTORY")
    assert "greenhouse needs" in section(named, "CONVERSATION HISTORY")
    assert "glass panes" not in section(other, "CONVERSATION HISTORY")
    assert "Albatross" in section(other, "CONVERSATION HISTORY")
    hit = next(line for line in section(named, "RELEVANT CONTEXT").splitlines() if "Albatross" in line)
    assert f"topic:{group}:{sailing}" in hit, "what comes from another thread says so"
    threads = await life.rows("select thread_key, role from messages where chat_id = $1 order by id", group)
    assert {row["thread_key"] for row in threads} == {
        *(f"topic:{group}:{garden}", f"topic:{group}:{sailing}", f"root:{group}"),
        f"reply:{group}:{head['message_id']}",
    }
    assert len(threads) == 12
    assert not await life.rows("select * from messages where owner_id <> $1 and chat_id = $1", group)


async def test_16_a_question_waits_for_an_answer_that_fits_it_for_an_hour(life: Whole) -> None:
    user = 114
    await life.turn("Plan my offsite", user)
    async with life.client() as other:

        async def slot(said: str) -> str | None:
            focus = (await other.get_context(c.GetContextArgs(chat_id=user, query=said))).focus
            return focus.value if focus is not None and focus.slot is not None else None

        jazz, date = await slot("Play some jazz"), await slot("March 3")
        await life.rows(
            "update thread_state set slot_until = slot_until - interval '61 minutes' where owner_id = $1", user
        )
        late = await slot("March 3")
    assert (jazz, date, late) == (None, "March 3", None)


async def test_17_confirmations_are_answered_by_buttons_and_not_asked_again(life: Whole) -> None:
    user = 115
    await life.tell("I might move to Berlin next year, not sure", user)
    before = len(life.messages(user))
    await life.tell("Hello again", user)
    doubt = (await life.heard(user, before + 2))[-1]
    assert "Berlin" in doubt["text"]
    assert labels(doubt) == ["✓", "✗", "✎ Edit"]
    assert "Berlin" not in section(life.prompt("Hello again"), "FACTS, GOALS AND PINS")
    await life.telegram.press(doubt, "✓", user)
    await life.seen(lambda: doubt["text"].startswith("✓ "))
    berlin = (await memories(life, user))[0]
    assert (berlin["status"], berlin["user_confirmed"]) == ("active", True)
    await life.tell("Maybe I'll learn the cello, not sure", user)
    before = len(life.messages(user))
    await life.tell("Hello once more", user)
    cello = (await life.heard(user, before + 2))[-1]
    assert "cello" in cello["text"]
    await life.telegram.press(cello, "✗", user)
    await life.seen(lambda: cello["text"] == "✗ Not kept")
    await life.tell("Maybe I'll learn the cello, not sure", user)
    before = len(life.messages(user))
    await life.tell("Hello a last time", user)
    assert len(life.messages(user)) == before + 1, "nobody is asked what was answered"
    statuses = {row["content"]: row["status"] for row in await memories(life, user)}
    assert [status for text, status in statuses.items() if "cello" in text] == ["rejected"]


async def test_18_a_move_supersedes_the_old_home_and_keeps_its_history(life: Whole) -> None:
    user = 116
    await life.tell("I live in Singapore", user)
    await life.tell("I moved to Lisbon last week", user)
    await life.tell("Where did I live before?", user)
    found = {row["content"]: row for row in await memories(life, user)}
    lisbon = next(row for text, row in found.items() if "Lisbon" in text)
    singapore = next(row for text, row in found.items() if "Singapore" in text)
    assert (lisbon["status"], singapore["status"]) == ("active", "superseded")
    assert singapore["superseded_by"] == lisbon["id"]
    assert singapore["valid_from"] < singapore["valid_to"]
    prompt = life.prompt("Where did I live before?")
    facts = section(prompt, "FACTS, GOALS AND PINS")
    assert "Lisbon" in facts
    assert "Singapore" not in facts
    assert "Singapore" in prompt
    async with life.client() as other:
        then = await other.get_context(
            c.GetContextArgs(chat_id=user, as_of=singapore["valid_to"] - timedelta(seconds=1), include=("memories",))
        )
    assert "Singapore" in (then.context or "")
    assert "Lisbon" not in (then.context or "")


async def test_19_an_edited_message_changes_all_that_was_learned_from_it(life: Whole) -> None:
    user = 117
    number = await life.telegram.say("My team offsite is on March 15", user)
    await life.heard(user, 1)
    await life.settled(user)
    assert ["March 15" in row["content"] for row in await memories(life, user)] == [True]
    await life.telegram.edit(number, "My team offsite is on March 22", user)
    version = "select version from messages where chat_id = $1 and ext_id = $2"

    async def edited() -> bool:
        return bool(await life.value(version, user, str(number)) == 2)

    await life.until(edited)
    await life.settled(user)
    await life.tell("When is my team offsite?", user)
    prompt = life.prompt("When is my team offsite?")
    assert "March 22" in prompt
    assert "March 15" not in prompt
    current = "select string_agg(t, ' ') from (select m::text as t from chat_metadata m where chat_id = $1 union all "
    current += "select narrative || raw_dates::text from user_profile where owner_id = $1) x"
    assert "March 15" not in str(await life.value(current, user))
    live = [row["content"] for row in await memories(life, user) if row["status"] == "active"]
    assert ["March 22" in text for text in live] == [True]
    kept = await life.rows("select content from message_versions where chat_id = $1", user)
    assert [row["content"] for row in kept] == ["My team offsite is on March 15"]


async def test_20_a_full_chat_says_so_once_and_a_new_one_keeps_the_memories(life: Whole) -> None:
    user = 118

    def verbose(asked: Asked) -> Reply:
        reply = both(asked)
        if "items" not in ((asked.schema or {}).get("properties") or {}) or "vendors of region" not in asked.user:
            return reply
        known = [
            f"They agreed that vendor {n} brings fresh vegetables and bread to the northern market" for n in range(150)
        ]
        canonical = {"llm_inferred": "", "general_summary": "\n".join(known)}
        return say_json({"items": [], "canonical": canonical})

    await life.tell("I live in Singapore", user)
    life.model.script = verbose
    try:
        await life.tell("Let us list all vendors of region after region", user)
    finally:
        life.model.script = both
    epochs = "select tokens, archived_at is not null as archived from chat_metadata where chat_id = $1 order by epoch"
    assert [row["tokens"] > 2000 for row in await life.rows(epochs, user)] == [True]
    before = len(life.messages(user))
    for said in ("What next?", "And then?"):
        await life.tell(said, user)
    told = [message["text"] for message in (await life.heard(user, before + 3))[before:]]
    assert sum("/new" in text for text in told) == 1
    assert len(told) == 3
    await life.telegram.say("/new", user)
    await life.heard(user, before + 3)
    await life.tell("Where do I live?", user)
    prompt = life.prompt("Where do I live?")
    assert "fresh vegetables" not in prompt
    assert "lives in Singapore" in section(prompt, "FACTS, GOALS AND PINS")
    assert [row["archived"] for row in await life.rows(epochs, user)] == [True, False]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
async def test_11_what_is_known_outlives_the_processes(life: Whole, number: signal.Signals) -> None:
    user = 119 if number is signal.SIGTERM else 120
    await life.tell("My name is Priya", user)
    await life.tell("I work as a Solution Architect at GovTech", user)
    before = [(row["kind"], row["content"], row["status"]) for row in await memories(life, user)]
    for name in ("relay", "summarizer", "server"):
        await (life.stop(name) if number is signal.SIGTERM else life.kill(name))
    unanswered = await life.telegram.say("What do you know about me?", user)
    await life.start()
    answers = await life.heard(user, 3)
    prompt = life.prompt("What do you know about me?")
    assert before
    assert [(row["kind"], row["content"], row["status"]) for row in await memories(life, user)] == before
    assert all(text in prompt for _, text, _ in before)
    assert len(answers) == 3, f"message {unanswered}, written while nothing ran, is answered once"
