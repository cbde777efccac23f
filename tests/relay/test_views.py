"""The exact texts of the commands' views."""

from datetime import UTC, datetime, timedelta
from typing import get_args

import pytest

from tellonce import contract as c
from tellonce.server_text import ServerText
from tellonce_relay import views
from tellonce_relay.buttons import Action, CallbackData, encoded, read, uncertain_buttons, wipe_buttons
from tellonce_relay.catalogue import LANGUAGES, Language, phrase, use_language
from tellonce_relay.commands import forget_list
from tellonce_relay.commands.why_view import why_view
from tellonce_relay.turn.expectation import expected
from tests.relay.contract_samples import NOW, SINGAPORE, memory, profile, summary


def test_the_memory_view_has_all_its_parts_in_order() -> None:
    shown = views.memory_view(
        profile(
            narrative="Priya builds integrations.",
            facts=(memory("fact", "Works at GovTech"),),
            preferences=(memory("preference", "Short answers"),),
            goals=(memory("goal", "Launch SingPass", datetime(2026, 6, 29, 16, tzinfo=UTC)),),
            dates=(memory("date", "Team offsite", datetime(2026, 3, 14, 16, tzinfo=UTC)),),
        ),
        SINGAPORE,
    )
    assert shown == (
        "📋 YOUR PROFILE\nPriya builds integrations.\n\n"
        "👤 Personal Facts\n• Works at GovTech\n\n"
        "⚙️ Preferences\n• Short answers\n\n"
        "🎯 Active Goals\n• Launch SingPass (by Tue, Jun 30, 2026)\n\n"
        "📅 Important Dates\n• Team offsite (Sun, Mar 15, 2026)\n\n"
        "💬 Conversation: 47 messages (2 summaries, 20 verbatim)"
    )


def test_a_note_is_shown_as_the_users_own_words_with_their_day() -> None:
    note = memory("fact", "I moved to Lisbon last week", note=True)
    shown = views.memory_view(profile(facts=(note,)), SINGAPORE)
    assert "• “I moved to Lisbon last week” (said Mon, Feb 16, 2026)" in shown


def test_a_note_is_left_out_if_a_memory_repeats_its_words() -> None:
    said = "The locker code is due on Friday."
    note, other = memory("fact", said, note=True), memory("fact", "I moved to Lisbon", note=True)
    known = memory("date", "The locker code is due on Friday (2026-02-20).")
    doubted = memory("fact", "I moved to Lisbon")
    shown = views.memory_view(profile(facts=(note, other), dates=(known,), uncertain=(doubted,)), SINGAPORE)
    assert shown.count("locker") == 1
    assert "“I moved to Lisbon”" in shown
    assert "“The locker" in views.memory_view(profile(facts=(note, other)), SINGAPORE)
    later = memory("fact", "The locker code is due on Friday (2026-03-06).", note=True)
    assert "“The locker" in views.memory_view(profile(facts=(later,), dates=(known,)), SINGAPORE)


def test_an_empty_memory_says_what_will_appear_and_any_other_shows_the_lists_that_are_not_empty() -> None:
    empty = views.memory_view(profile())
    assert empty.startswith(f"📋 YOUR PROFILE\n\n{phrase('memory.soon')}\n\n💬 Conversation")
    shown = views.memory_view(profile(facts=(memory("fact", "Lives in Lisbon"),)))
    assert shown.startswith("📋 YOUR PROFILE\n\n👤 Personal Facts\n• Lives in Lisbon\n\n💬 Conversation")


def test_a_note_that_names_a_day_is_a_date_and_a_reminders_time_is_not_the_events() -> None:
    flight = "My flight leaves on 12 December at 7:40 (2026-12-12 07:40) from Changi (2026-12-12 06:40)"
    alarm = memory("date", flight, datetime(2026, 12, 12, 6, 40, tzinfo=SINGAPORE))
    when = c.When(start=datetime(2026, 12, 3, 10, tzinfo=SINGAPORE), precision="instant")
    note = memory("fact", "The dentist is on December 3", note=True).model_copy(update={"when": when})
    shown = views.memory_view(profile(facts=(note,), dates=(alarm,)), SINGAPORE)
    assert shown.split("\n\n")[1] == (
        "📅 Important Dates\n• “The dentist is on December 3” (on Thu, Dec 3, 2026, 10:00 AM)\n"
        "• My flight leaves on 12 December at 7:40 (Sat, Dec 12, 2026, 7:40 AM) from Changi (⏰ Sat, Dec 12, 2026, 6:40 AM)"
    )


OCTOBER = datetime(2026, 10, 14, 10, tzinfo=SINGAPORE)


@pytest.mark.parametrize("days", [-400, -1, 0, 1])
def test_a_date_is_marked_as_past_from_the_day_after_it(days: int) -> None:
    now = OCTOBER + timedelta(days=days)
    when = c.When(start=OCTOBER, precision="instant")
    note = memory("fact", "The dentist is on October 14 at 10", note=True).model_copy(update={"when": when})
    told = memory("date", "The exam is on October 14 (2026-10-14)", OCTOBER.replace(hour=0))
    shown = views.memory_view(profile(facts=(note,), dates=(told,)), SINGAPORE, now=now)
    assert shown.count("(past: Wed, Oct 14, 2026") == (2 if days > 0 else 0)
    assert shown.count("Wed, Oct 14, 2026") == 2


@pytest.mark.parametrize(
    ("past", "expected"),
    [(False, "(Fri, Feb 5, 2027 – Mon, Feb 15, 2027)"), (True, "(past: Fri, Feb 5, 2027 – Mon, Feb 15, 2027)")],
)
def test_a_date_of_several_days_is_shown_with_its_first_and_its_last_day(past: bool, expected: str) -> None:
    start, end = datetime(2027, 2, 5, tzinfo=SINGAPORE), datetime(2027, 2, 15, 23, 59, 59, tzinfo=SINGAPORE)
    when = c.When(start=start, end=end)
    told = memory("date", "We are in Crete from 5 to 15 February (2027-02-05 to 2027-02-15)", end)
    learned = memory("date", "Trip to Crete", end).model_copy(update={"when": when})
    note = memory("fact", "We are in Crete from 5 to 15 February", note=True).model_copy(update={"when": when})
    now = end + timedelta(hours=1) if past else start + timedelta(days=3)
    for shown in (told, learned):
        assert views.dated(shown, SINGAPORE, now).endswith(expected)
    assert "2027-02-05" not in views.dated(told, SINGAPORE, now)
    assert views.dated(note, SINGAPORE, now).endswith(expected if past else f"(on {expected[1:]}")


@pytest.mark.parametrize("written", ["2027-02-31", "2027-99-99", "2027-02-15"])
def test_a_span_that_does_not_exist_is_shown_with_its_last_day(written: str) -> None:
    end = datetime(2027, 2, 15, 23, 59, 59, tzinfo=SINGAPORE)
    told = memory("date", f"We are in Crete ({written} to 2027-02-15)", end)
    assert views.dated(told, SINGAPORE) == "We are in Crete (Mon, Feb 15, 2027)"


def test_the_summary_view_has_periods_the_current_session_and_todays_routines() -> None:
    assert views.summary_view(summary()) == (
        "📜 CONVERSATION SUMMARY\n\n"
        "📅 Feb 15-16 (32 messages): SingPass was planned.\n\n"
        "💬 Current session (12 messages, ongoing): AWS costs.\n\n"
        "⏰ morning-summary at 07:02 AM: Two things are due."
    )


def test_the_status_view_tells_the_backlog_in_words() -> None:
    def shown(**backlog: object) -> str:
        known = summary(backlog=backlog) if backlog else summary()
        return views.status_view(known, None, "offline", SINGAPORE)

    assert shown() == "Answers: offline\nLearning is up to date."
    busy = shown(waiting=3, in_work=1, dead=2, oldest_seconds=300.0)
    assert "Learning: 3 jobs waiting, oldest 5 min, 1 in progress; 2 failed" in busy
    young = shown(waiting=3, in_work=1, dead=0, oldest_seconds=20.0)
    assert young.endswith("\nLearning: 3 jobs waiting, 1 in progress.")
    assert "1 job waiting, 0 in progress" in shown(waiting=1, in_work=0, dead=0, oldest_seconds=None)


@pytest.mark.parametrize("action", get_args(Action))
def test_a_buttons_data_comes_back_as_it_went_and_fits(action: str) -> None:
    callback = CallbackData(action, 2**62, 9_999)
    assert read(encoded(callback)) == callback
    assert len(encoded(callback).encode()) <= 64


@pytest.mark.parametrize("text", ["", "k", "k:", "z:1", "k:-1", "k:1.5", "k:" + "9" * 30, "k:١", "k:1:2:3", "k:1:x"])
def test_data_that_is_none_of_ours_is_nothing(text: str) -> None:
    assert read(text) is None


def test_the_buttons_are_labelled_as_promised() -> None:
    assert [b.text for row in wipe_buttons().inline_keyboard for b in row] == ["Forget everything", "Keep"]
    assert [b.text for row in uncertain_buttons(1).inline_keyboard for b in row] == ["✓", "✗", "✎ Edit"]


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        ("Sure. Which date works for you?", "date"),
        ("When is the offsite?", "date"),
        ("At what time shall I call?", "time"),
        ("How many people come?", "number"),
        ("What is your email address?", "email"),
        ("Shall I book it?", "yes_no"),
        ("Would you like tea or coffee?", "choice"),
        ("It is done.", None),
        ("What do you think about it?", None),
        ("Is it? Yes, it is.", None),
    ],
)
def test_only_a_clear_question_at_the_end_waits_for_a_value(answer: str, kind: str | None) -> None:
    waits = expected(answer)
    assert (waits.type if waits else None) == kind


def test_a_choice_knows_its_choices() -> None:
    waits = expected("Would you like green tea or coffee?")
    assert waits is not None
    assert waits.choices == ("green tea", "coffee")


def test_a_day_stands_once_beside_words_that_name_it_already() -> None:
    offsite = memory("date", "Team offsite is on March 15 (2026-03-15)", datetime(2026, 3, 14, 16, tzinfo=UTC))
    shown = views.memory_view(profile(dates=(offsite,)), SINGAPORE)
    assert "• Team offsite is on March 15 (Sun, Mar 15, 2026)\n" in shown


@pytest.mark.parametrize(
    ("kind", "content", "shown"),
    [
        ("date", "Visa appointment", "Visa appointment (Fri, May 1, 2026, 9:00 AM)"),
        ("goal", "Hand it in (by 2026-05-01)", "Hand it in (by Fri, May 1, 2026, 9:00 AM)"),
        ("date", "Pills (every day at 9)", "Pills (every day at 9) (Fri, May 1, 2026, 9:00 AM)"),
        ("date", "Call mom (2026-05-01 09:00)", "Call mom (⏰ Fri, May 1, 2026, 9:00 AM)"),
    ],
)
def test_a_due_time_is_shown_once(kind: c.MemoryKind, content: str, shown: str) -> None:
    due = datetime(2026, 5, 1, 9, tzinfo=SINGAPORE)
    assert views.dated(memory(kind, content, due), SINGAPORE) == shown


@pytest.mark.parametrize(("hour", "minute"), [(0, 0), (23, 59)])
def test_a_whole_day_has_no_time(hour: int, minute: int) -> None:
    due = datetime(2026, 5, 1, hour, minute, tzinfo=SINGAPORE)
    assert views.dated(memory("date", "Passport expires", due), SINGAPORE) == "Passport expires (Fri, May 1, 2026)"


def test_goals_have_their_day_once_and_dates_are_in_the_order_of_their_days() -> None:
    later, sooner = (memory("date", text, NOW + timedelta(days=days)) for text, days in (("fair", 9), ("offsite", 2)))
    goal = memory("goal", "Run a marathon (by 2026-05-01)", datetime(2026, 5, 1, 15, 59, tzinfo=UTC))
    shown = views.memory_view(profile(dates=(later, sooner), goals=(goal,)), SINGAPORE)
    assert shown.index("offsite") < shown.index("fair")
    assert "• Run a marathon (by Fri, May 1, 2026)\n" in shown


def test_why_quotes_an_answer_without_its_marks() -> None:
    said = "**Here:**\n\n| City | Days |\n|---|---|\n| Lisbon | 3 |"
    answer = c.Explanation(subject="message", id="7", at=NOW, text=said)
    assert why_view(answer).splitlines()[0] == "I answered: “Here: City Days Lisbon 3”"


def test_why_shows_a_message_of_several_lines_as_one_entry() -> None:
    text = "RELEVANT CONTEXT\n[Feb 15, 1 day ago | 09:15 AM] User: I like tea\nand coffee\n[Feb 14 | 09:00 AM] User: Hi"
    section = c.Section(name="relevant", title="", text=text, tokens=9, stability="volatile")
    receipt = c.Explanation(subject="receipt", id="r1", at=NOW, text="", sections=(section,))
    shown = why_view(c.Explanation(subject="message", id="7", at=NOW, text="Yes."), receipt).splitlines()
    assert shown[-2:] == ["• You told me on Feb 15: “I like tea and coffee”", "• You told me on Feb 14: “Hi”"]


def test_a_narrative_that_only_repeats_the_memories_below_it_is_left_out() -> None:
    tea = memory("preference", "The user likes tea")
    repeated, told = "The user likes tea (2026-02-15)", "A tea lover. The user likes tea."
    shown = [views.memory_view(profile(preferences=(tea,), narrative=text)) for text in (repeated, told)]
    assert [text.startswith("📋 YOUR PROFILE\n\n⚙️") for text in shown] == [True, False]


def test_why_gives_the_days_of_memories_in_the_persons_language() -> None:
    lines = "MEMORIES\nIMPORTANT DATES\n- #3 Call mom (2026-12-01 09:00) (Nov 23, on Dec 1)\nGOALS\n- #4 Launch it (Feb 15, due Mar 1, 2027)"
    section = c.Section(name="memories", title="", text=lines, tokens=9, stability="slow")
    receipt = c.Explanation(subject="receipt", id="r1", at=NOW, text="", sections=(section,))
    answer = c.Explanation(subject="message", id="7", at=NOW, text="Gern.")
    with use_language("de"):
        shown = why_view(answer, receipt)
    assert "• Call mom (Di., 1. Dez. 2026, 09:00) (23. Nov.)\n• Launch it (15. Feb., bis 1. März 2027)" in shown


@pytest.mark.parametrize("language", LANGUAGES)
def test_why_shows_of_an_answer_without_a_model_what_it_quotes(language: Language) -> None:
    with use_language(language):
        told = phrase("offline.told", day="5", quote=phrase("offline.quote", text="I moved to Berlin: yesterday"))
        kept = phrase("offline.memory", text="Likes tea", day="7")
        answer = c.Explanation(subject="message", id="7", at=NOW, text=f"{phrase('offline.nearest')}\n{told}\n{kept}")
        receipt = c.Explanation(subject="receipt", id="r1", at=NOW, text="", included={"messages": (1, 2)})
        assert why_view(answer, receipt).splitlines() == [phrase("why.quoted"), f"• {told}", f"• {kept}"]
        bare = answer.model_copy(update={"text": phrase("offline.kept")})
        assert why_view(bare, receipt).splitlines()[1:] == [phrase("why.from_nothing")]
        written = answer.model_copy(update={"text": "• Tea\n• Coffee"})
        assert phrase("why.quoted") not in why_view(written, receipt)


def test_why_quotes_what_we_wrote_without_the_days_that_the_memory_added() -> None:
    text = (
        "RELEVANT CONTEXT\n[Feb 15 | 09:15 AM] Assistant: I remember: call mom (2026-11-26 09:00) (Nov 25 (2026-11-25))"
    )
    section = c.Section(name="relevant", title="", text=text, tokens=9, stability="volatile")
    receipt = c.Explanation(subject="receipt", id="r1", at=NOW, text="", sections=(section,))
    shown = why_view(c.Explanation(subject="message", id="7", at=NOW, text="Yes."), receipt).splitlines()
    assert shown[-1] == "• I wrote on Feb 15: “I remember: call mom (Nov 25)”"


def test_why_counts_one_as_one() -> None:
    held = {"messages": (7,), "memories": (1, 2), "relevant summary": (3, 4), "relevant message": (5,)}
    answer = c.Explanation(subject="message", id="7", at=NOW, text="In Lisbon")
    left = ("message 3: history budget", "message 2: before the last 20, which are enough for a question")
    receipt = c.Explanation(subject="receipt", id="r1", at=NOW, text="", included=held, left_out=left)
    assert why_view(answer, receipt) == (
        "I answered: “In Lisbon”\nI looked at 2 messages, 2 memories, 2 summaries."
        "\nI left out 1 message for lack of room."
    )


def match(number: int, *, ticked: bool = True) -> c.ForgetMatch:
    text = f"Vuxley number {number} " + "and so on " * 40
    return c.ForgetMatch(
        id=number, kind="message", chat_id=42, ref=number, text=text, at=NOW, match="exact", ticked=ticked
    )


def test_what_would_be_erased_has_its_year_unless_it_is_of_this_year() -> None:
    old = match(1).model_copy(update={"at": NOW.replace(year=2024)})
    shown = views.matches_view(c.Forgotten(matches=(old, match(2))), NOW)
    assert [line.split("]")[0] for line in shown.splitlines()] == [
        "☑ 1. [message, Feb 16, 2024",
        "☑ 2. [message, Feb 16",
    ]


def listed(count: int) -> forget_list.ForgetList:
    matches = tuple(match(n, ticked=n % 2 == 1) for n in range(1, count + 1))
    shown = forget_list.list_of("Vuxley", c.ForgetArgs(topic="Vuxley"), c.Forgotten(matches=matches, confirm="t"))
    assert shown is not None
    return shown


def test_a_list_of_many_matches_has_pages_that_fit_a_message_and_shows_each_once() -> None:
    shown, labels = listed(301), []
    for page in range(shown.pages):
        turned = forget_list.after(shown, CallbackData("page", 1, page))
        text = forget_list.text(turned, NOW.astimezone(SINGAPORE))
        assert len(text.encode("utf-16-le")) // 2 <= 4096
        buttons = [b for row in forget_list.markup(2**40, turned).inline_keyboard for b in row]
        assert len(buttons) <= 100
        assert all(len(str(b.callback_data).encode()) <= 64 for b in buttons)
        labels += [b.text for b in buttons if b.text[0] in "☑☐"]
    assert labels == [f"{'☑' if n % 2 else '☐'} {n}" for n in range(1, 302)]


def test_what_is_not_ticked_is_kept() -> None:
    shown = listed(4)
    for action, item in (("tick", 2), ("tick", 1), ("tick", 99)):
        shown = forget_list.after(shown, CallbackData(action, 1, item))
    assert (shown.confirmation.except_, shown.confirmation.also) == ((1,), (2,))
    assert forget_list.after(shown, CallbackData("none", 1)).ticked == frozenset()
    assert forget_list.after(shown, CallbackData("all", 1)).confirmation.also == (2, 4)


def test_forgotten_is_never_said_while_something_still_says_it() -> None:
    rows = {"memories": 1, "messages": 2, "sentences": 2, "user_profile": 1, "former_lines": 3, "context_receipts": 9}
    done = c.Forgotten(erased=rows, traces_left=0, receipt="f1")
    assert views.forgotten_view(done) == "✓ Forgotten (1 memory, 2 sentences, 4 other texts)"
    assert (
        views.forgotten_view(c.Forgotten(erased={"memories": 0}, traces_left=0, receipt="f1")) == "Nothing was erased."
    )
    some = done.model_copy(update={"kept": (match(1), match(2))})
    assert "(1 memory, 2 sentences, 4 other texts). 2 matches were not ticked" in views.forgotten_view(some)
    left = done.model_copy(
        update={"traces_left": 1, "left": (match(7),), "notes": (ServerText("1 more since the preview."),)}
    )
    told = views.forgotten_view(left)
    assert "✓" not in told
    assert "1 text still says it:\n• Vuxley number 7" in told
    assert told.endswith("1 more since the preview.")
