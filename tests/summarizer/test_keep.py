"""The memory without a model keeps the user's own sentences, verbatim and with their day. No sentence is reworded or
ended."""

from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from tellonce.journal import silent
from tellonce.work import (
    Canonical,
    ChunkText,
    ExchangeInput,
    ExchangeResult,
    NotableSentence,
    ProfileInput,
    ProfileResult,
    Quote,
    SummaryBody,
    SummaryResult,
    ThreadInput,
    WorkMessage,
)
from tellonce_summarizer.agent.agent import done
from tellonce_summarizer.models.fallback_chain import FallbackChain
from tellonce_text.tokens import estimate
from tests.summarizer.conversations import DEBUGGING, START, ZONE, chunk, exchange, known, messages, notable

pytestmark = pytest.mark.anyio

SAID = "I moved to Lisbon last week. It rains a lot. I love the trams."


async def kept(work: ExchangeInput) -> ExchangeResult:
    result = (await done(work, FallbackChain([]), silent)).result
    assert isinstance(result, ExchangeResult)
    return result


async def chunk_text(texts: tuple[str, ...] = DEBUGGING, *sentences: NotableSentence, **fields: Any) -> str:
    result = (await done(chunk(texts, notable=sentences, **fields), FallbackChain([]), silent)).result
    assert isinstance(result, SummaryResult)
    assert result.body == SummaryBody()
    return result.text


async def test_the_best_two_sentences_of_a_message_are_kept_word_for_word() -> None:
    found = (
        notable("I moved to Lisbon last week.", score=2.0),
        notable("It rains a lot.", score=-0.5, shown=False),
        notable("I love the trams.", score=0.4, group="wish"),
    )
    first, second = (await kept(exchange(SAID, notable=found))).items
    assert (first.text, first.kind, first.shown) == ("I moved to Lisbon last week.", "fact", True)
    assert first.quotes == (Quote(message_id=1, text="I moved to Lisbon last week."),)
    assert (second.text, second.kind) == ("I love the trams.", "preference")
    assert all(item.note and item.certain and item.about == "user" for item in (first, second))
    assert first.importance > second.importance
    assert not first.replaces + first.ends


async def test_a_sentence_that_dangles_is_kept_with_the_one_before_it() -> None:
    found = (notable("They make me sneeze.", before="I have two cats."),)
    (note,) = (await kept(exchange("I have two cats. They make me sneeze.", notable=found))).items
    assert note.text == "I have two cats. They make me sneeze."
    assert [quote.text for quote in note.quotes] == ["I have two cats.", "They make me sneeze."]


@pytest.mark.parametrize(
    ("said", "when"),
    [
        ("My dentist appointment is on Tuesday at 10.", ("2026-02-17T10:00:00+08:00", "instant")),
        ("I fly to Rome on Friday.", ("2026-02-20T00:00:00+08:00", "day")),
        ("We are in Crete from 5 to 15 March.", ("2026-03-05T00:00:00+08:00", "day")),
        ("I met Ann on Friday.", None),
        ("I run every Tuesday.", None),
    ],
)
async def test_a_note_has_the_day_that_it_says_is_coming(said: str, when: tuple[str, str] | None) -> None:
    (note,) = (await kept(exchange(said, notable=(notable(said),)))).items
    assert (note.when and (note.when.start and note.when.start.isoformat(), note.when.precision)) == when


async def test_a_note_of_several_days_has_their_end_and_one_of_a_day_has_none() -> None:
    said = "We are in Crete from 5 to 15 March."
    (note,) = (await kept(exchange(said, notable=(notable(said),)))).items
    (day,) = (await kept(exchange("I fly to Rome on Friday.", notable=(notable("I fly to Rome on Friday."),)))).items
    assert note.when is not None
    assert note.when.end is not None
    assert (note.when.end.isoformat(), day.when and day.when.end) == ("2026-03-15T23:59:59+08:00", None)


async def test_what_another_speaker_said_is_about_that_speaker_and_the_assistants_words_are_nobodys() -> None:
    ben = WorkMessage(id=7, role="user", speaker="Ben", at=START, text="I am a vet")
    said = (*exchange("Hello").messages, ben)
    found = (notable("I am a vet", 7), notable("Noted.", 2), notable("gone", 99))
    (note,) = (await kept(exchange("", messages=said, notable=found))).items
    assert (note.about, note.text) == ("Ben", "I am a vet")


async def test_without_a_scorer_no_notes_are_made_and_the_canonical_summary_stays() -> None:
    prior = Canonical(general_summary="Feb 14: They said hello.")
    assert await kept(exchange(SAID, canonical=prior)) == ExchangeResult(canonical=prior)


async def test_the_canonical_summary_keeps_what_a_model_wrote_and_adds_the_users_words() -> None:
    prior = Canonical(user_confirmed="- Ann sails", general_summary="Feb 14: They said hello.")
    found = (notable("I moved to Lisbon last week."), notable("It rains a lot.", shown=False))
    summary = (await kept(exchange(SAID, notable=found, canonical=prior))).canonical
    assert summary == prior.model_copy(
        update={"general_summary": "Feb 14: They said hello.\nUser: “I moved to Lisbon last week.” (2026-02-15)"}
    )


async def test_a_full_canonical_summary_loses_its_oldest_lines() -> None:
    prior = Canonical(general_summary="\n".join(f"Feb {n}: a long line of talk about boats" for n in range(60)))
    found = (notable("I moved to Lisbon last week."),)
    summary = (await kept(exchange(SAID, notable=found, canonical=prior, canonical_cap_tokens=300))).canonical
    assert summary.general_summary.endswith("User: “I moved to Lisbon last week.” (2026-02-15)")
    assert estimate(summary.general_summary) <= 330
    assert "Feb 1:" not in summary.general_summary


async def test_a_chunk_is_its_most_telling_sentences_in_the_order_said_with_speaker_and_day() -> None:
    found = [notable(DEBUGGING[number], number + 1, score=float(number)) for number in (6, 0, 2, 4)]
    found += [notable("How do we rotate the signing keys?", 9, score=9.0, shown=False)]
    found += [notable("Thanks!", 9, score=-1.0, shown=False)]
    lines = (await chunk_text(DEBUGGING, *found)).splitlines()
    assert lines[0].startswith("User: “Hi! I'm working on the SingPass integration")
    assert lines[-1] == "User: “How do we rotate the signing keys?” (2026-02-16)"
    assert len(lines) == 5


async def test_relative_times_are_resolved_beside_the_words_where_they_are_sure() -> None:
    text = await chunk_text(("I moved to Lisbon yesterday. It rains.",), notable("I moved to Lisbon yesterday."))
    assert text == "User: “I moved to Lisbon yesterday (2026-02-14).” (2026-02-15)"


async def test_without_a_scorer_a_chunk_is_the_first_sentence_of_each_of_the_newest_messages() -> None:
    text = await chunk_text()
    assert text.splitlines()[-1] == "User: “Thanks!” (2026-02-16)"
    assert len(text.splitlines()) == 5
    assert "Certainly" not in text
    only_routines = tuple(m.model_copy(update={"role": "assistant"}) for m in messages(("Good morning. Rain.",)))
    work = chunk().model_copy(update={"messages": only_routines})
    result = (await done(work, FallbackChain([]), silent)).result
    assert isinstance(result, SummaryResult)
    assert result.text == "Assistant: “Good morning.” (2026-02-15)"


async def test_a_thread_keeps_its_newest_lines_within_its_cap() -> None:
    chunks = tuple(
        ChunkText(
            text=f"User: “We chose vendor number {n} for the bread” (2026-02-{n:02})",
            body=SummaryBody(pending=(f"Call vendor {n}",)),
            from_at=START,
            to_at=START + timedelta(days=1),
            count=20,
        )
        for n in range(10, 25)
    )
    work = ThreadInput(
        timezone=ZONE,
        level="thread",
        prior_text="User: “Hello” (2026-02-01)",
        prior_body=SummaryBody(goals=("Open a bakery",)),
        chunks=chunks,
        cap_tokens=200,
    )
    result = (await done(work, FallbackChain([]), silent)).result
    assert isinstance(result, SummaryResult)
    told, is_open = result.text.rsplit("\n", 1)
    assert told.endswith("vendor number 24 for the bread” (2026-02-24)")
    assert is_open == "Open: Call vendor 22; Call vendor 23; Call vendor 24"
    folded = work.model_copy(update={"prior_text": result.text, "prior_body": result.body, "chunks": chunks[:1]})
    again = (await done(folded, FallbackChain([]), silent)).result
    assert isinstance(again, SummaryResult)
    assert again.text.count("Open: ") == 1
    assert "Hello" not in result.text
    assert estimate(result.text) + sum(estimate(line) for _, lines in result.body for line in lines) <= 200
    assert result.body.pending[-1] == "Call vendor 24"


async def test_a_profile_is_what_was_told_and_wished_newest_first_with_days() -> None:
    work = ProfileInput(
        timezone=ZONE,
        memories=(
            known(1, "Ann sails today (2026-02-06 09:00)", kind="date", since=START - timedelta(days=8)),
            known(2, "I moved to Lisbon last week", note=True, since=START),
            known(3, "I love trams", kind="preference", note=True, since=START),
            known(4, "Might move to Mars", status="uncertain"),
        ),
        cap_tokens=500,
    )
    result = (await done(work, FallbackChain([]), silent)).result
    assert isinstance(result, ProfileResult)
    assert result.narrative == (
        "“I moved to Lisbon last week” (2026-02-15)\nAnn sails today (2026-02-06 09:00)\n“I love trams” (2026-02-15)"
    )
    short = (await done(work.model_copy(update={"cap_tokens": 30}), FallbackChain([]), silent)).result
    assert isinstance(short, ProfileResult)
    assert "Ann sails" not in short.narrative
    assert estimate(short.narrative) <= 30


async def test_a_profile_gives_the_day_on_which_a_date_or_goal_is_due() -> None:
    due = datetime(2027, 5, 1, tzinfo=ZoneInfo(ZONE))
    work = ProfileInput(
        timezone=ZONE,
        memories=(
            known(1, "Passport expires", kind="date", deadline=due, since=START),
            known(2, "Renew the passport", kind="goal", deadline=due, since=START),
            known(3, "Hand it in (by 2027-05-01)", kind="goal", deadline=due, since=START),
            known(4, "Moved house", deadline=due, since=START),
        ),
        cap_tokens=500,
    )
    result = (await done(work, FallbackChain([]), silent)).result
    assert isinstance(result, ProfileResult)
    assert result.narrative == (
        "Passport expires (2027-05-01)\nMoved house (2026-02-15)\n"
        "Renew the passport (by 2027-05-01)\nHand it in (by 2027-05-01)"
    )
