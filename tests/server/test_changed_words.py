"""Words of the user that are no longer true. The messages stay unchanged. Every line that shows the old words also
refers to the memory with the current statement."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tellonce import contract as c
from tellonce.client import MemoryClient
from tellonce_server.services.page.reads import PageTimelineArgs, PageWordsArgs
from tellonce_text.changes import Change, MessageRange, marked, without_changed
from tests.memory_fixtures import USER, Clock, Memory

DENTIST = "My dentist appointment is on December 3rd at 10am"
MOVED = "My dentist appointment is on December 10th at 4pm"
NEVER = "never said"
SUMMARIZED = f"""
with chunk as (
  insert into conversation_summaries (owner_id, chat_id, id, kind, thread_key, epoch, from_no, to_no, from_id, to_id, from_at,
    to_at, count, text, body, tokens, provisional, model, created_at, updated_at, tsv)
  values ({USER}, {USER}, 1, 'chunk', 'root:{USER}', 0, 1, 2, 1, 2, now(), now(), 2, $1, '{{}}', 20, true, 'none', now(),
    now(), to_tsvector('chatmem', $1) || array_to_tsvector(array['@o{USER}', '@c{USER}']))
)
update thread_state set covered_to = 2, queued_to = 2 where owner_id = {USER}
"""


async def _said(client: MemoryClient, clock: Clock, text: str, number: str) -> None:
    clock.forward(minutes=5)
    await client.record_message(c.RecordMessageArgs(role="user", content=text, message_id=number))


async def _learned(
    client: MemoryClient, clock: Clock, text: str, number: str, replaces: tuple[int, ...] = (), scope: str = "global"
) -> int:
    clock.forward(minutes=1)
    one = {"content": text, "quote": text, "source_message_id": number, "replaces": replaces, "scope": scope}
    args = c.RememberArgs.model_validate({"statements": [one]})
    (result,) = (await client.remember(args)).results
    assert result.memory.status == "active"
    return result.memory.id


async def _lines(client: MemoryClient, **args: object) -> list[str]:
    built = await client.get_context(c.GetContextArgs.model_validate(args))
    return (built.context or "").splitlines()


def _one(lines: list[str], text: str) -> str:
    (line,) = [line for line in lines if "User: " in line and text in line]
    return line


@pytest.mark.anyio
async def test_words_whose_memory_was_corrected_or_replaced_are_marked_wherever_they_are_shown(
    memory: Memory, clock: Clock
) -> None:
    async with memory.client() as client:
        await _said(client, clock, f"{DENTIST}. The dentist is called Ruth.", "1")
        await _said(client, clock, "I live in Berlin", "2")
        before = clock.at
        dentist = await _learned(client, clock, DENTIST, "1")
        await _learned(client, clock, "The dentist is called Ruth", "1")
        berlin = await _learned(client, clock, "I live in Berlin", "2")
        await client.update_memory(c.UpdateMemoryArgs(memory_id=dentist, action="edit", content=MOVED))
        await _said(client, clock, "I live in Lisbon now", "3")
        lisbon = await _learned(client, clock, "I live in Lisbon now", "3", replaces=(berlin,))
        await _said(client, clock, MOVED, "4")
        await _learned(client, clock, MOVED, "4")
        for query in (None, "When is my dentist appointment, and where do I live?"):
            lines = await _lines(client, query=query)
            assert _one(lines, "3rd").endswith(f"{DENTIST} (since changed: #{dentist}). The dentist is called Ruth.")
            assert _one(lines, "Berlin").endswith(f"I live in Berlin (since changed: #{lisbon})")
            assert "changed" not in _one(lines, "Lisbon") + _one(lines, "December 10th")
            assert any(line.startswith(f"- #{dentist} {MOVED}") for line in lines)
        assert not any("since changed" in line for line in await _lines(client, as_of=before))
        found = await client.search_memory(c.SearchMemoryArgs(query="dentist December 3rd", kinds=("message",)))
        (said,) = [result.text for result in found.results if "3rd" in result.text]
        assert said == f"{DENTIST} (since changed: #{dentist} “{MOVED}”). The dentist is called Ruth."


@pytest.mark.anyio
async def test_a_change_that_belongs_to_one_chat_is_not_shown_in_another(memory: Memory, clock: Clock) -> None:
    async with memory.client() as client:
        await _said(client, clock, "The budget of this project is 4,000 euros", "1")
        former = await _learned(client, clock, "The budget of this project is 4,000 euros", "1", scope="chat")
        await client.update_memory(
            c.UpdateMemoryArgs(memory_id=former, action="edit", content="The budget of this project is 6,500 euros")
        )
        query = "What is the budget of this project?"
        assert "since changed" in _one(await _lines(client, query=query), "4,000")
        elsewhere = await _lines(client, query=query, conversation_id="other")
        found = await client.search_memory(c.SearchMemoryArgs(query=query, where="all", chat_id=USER))
        assert not any("6,500" in line or "since changed" in line for line in elsewhere)
        assert any("since changed" in result.text for result in found.results)


@pytest.mark.anyio
async def test_talks_elsewhere_and_summaries_that_repeat_changed_words_are_marked(memory: Memory, clock: Clock) -> None:
    async with memory.client() as client:
        await _said(client, clock, f"{DENTIST} in a street whose name I forgot", "1")
        dentist = await _learned(client, clock, DENTIST, "1")
        await client.update_memory(c.UpdateMemoryArgs(memory_id=dentist, action="edit", content=MOVED))
        (side,) = [x for x in await _lines(client, conversation_id="other") if "User: My dentist" in x]
        assert side.endswith(f"My dentist appointment is on December 3rd at… (since changed: #{dentist})")
        for number in range(2, 31):
            await _said(client, clock, f"Good point, number {number}", str(number))
        async with memory.tables() as tables:
            await tables.execute(SUMMARIZED, f"Paris was lovely. {DENTIST}. A street without a name.")
        lines = await _lines(client, include=("history",))
        assert [x for x in lines if "[Summary" in x and f"{DENTIST} (since changed: #{dentist}). A street" in x]
        found = await client.search_memory(c.SearchMemoryArgs(query="dentist December 3rd", kinds=("summary",)))
        assert [x.text.count("since changed: #") for x in found.results] == [1]


@pytest.mark.anyio
async def test_summaries_and_the_words_on_the_page_mark_what_changed(memory: Memory, clock: Clock) -> None:
    async with memory.client() as client:
        await _said(client, clock, "I live in Berlin with Tom", "1")
        await _said(client, clock, "It rains", "2")
        berlin = await _learned(client, clock, "I live in Berlin with Tom", "1")
        mark = f"I live in Berlin with Tom (since changed: #{berlin} “"
        await client.update_memory(c.UpdateMemoryArgs(memory_id=berlin, action="edit", content="I live in Rome now"))
        assert mark in (await client.summarize_chat(c.SummarizeChatArgs())).current_session.text
        async with memory.tables() as tables:
            await tables.execute(SUMMARIZED, "User: “I live in Berlin with Tom” (2026-11-28)")
            await tables.execute("update conversation_summaries set from_at = $1, to_at = $1", clock.at)
        (period,) = (await client.summarize_chat(c.SummarizeChatArgs())).periods
        assert mark in period.text
        reads = (await memory.storage.services()).page
        shown = await reads.timeline(USER, PageTimelineArgs())
        assert [mark in x.text for day in shown.days for talk in day.talks for x in talk.summaries] == [True]
        words = await reads.words(USER, PageWordsArgs(chat_id=USER, from_id=1, to_id=2))
        assert [mark in line.text for line in words.lines] == [True, False]


ONE, TWO = MessageRange(1, 1, 1), MessageRange(1, 1, 2)


@given(st.text(max_size=60), st.text(max_size=60), st.sampled_from([DENTIST, NEVER]), st.sampled_from([ONE, TWO]))
def test_a_mark_changes_nothing_else_in_a_text(before: str, after: str, former: str, place: MessageRange) -> None:
    text = f"{before} {DENTIST}. {after}"
    found = marked(text, place, {(1, 1): [Change(8, "It is “next” week. At four.", (former,))]})
    assert found.replace(' (since changed: #8 “It is "next" week. At four.”)', "") == text
    assert (found == text) == (former == NEVER and (place == TWO or "…" in text))
    kept, numbers = without_changed(found)
    assert list(numbers) == ([8] if found != text else [])
    assert former == NEVER or DENTIST not in kept


@pytest.mark.parametrize(
    ("text", "end"),
    [
        ("I said: the VET, is tomorrow! Really", "is tomorrow"),
        ("The vet (2026-02-17) is tomorrow (Feb 17, 2026), at 9. Good!", "(Feb 17, 2026)"),
        ("It is not the vet is tomorrowish. The vet is\n tomorrow. Good!", "\n tomorrow"),
        ("We go to Graz. So the vet is…", "…"),
        ("… So we go. Really, the vet is tomorrow. …", "tomorrow"),
    ],
)
def test_a_mark_follows_the_former_words_in_any_case_with_other_punctuation_and_dates(text: str, end: str) -> None:
    changes = {(1, 1): [Change(8, "x", ("I am tired. The vet is tomorrow.",))]}
    at = text.index(end) + len(end)
    assert marked(text, ONE, changes, {8}) == f"{text[:at]} (since changed: #8){text[at:]}"
    assert marked(text, TWO, changes, {8}) == marked(text, ONE, changes, {8})


@pytest.mark.parametrize(
    "text", ["The animal doctor comes tomorrow. Good!", "The vets are not. The vet is tomorrowish\n"]
)
def test_a_whole_message_without_the_former_words_is_marked_at_its_end_but_no_excerpt_or_summary(text: str) -> None:
    changes = {(1, 1): [Change(8, "x", ("The vet is tomorrow",))]}
    end = len(text.rstrip())
    assert marked(text, ONE, changes, {8}) == f"{text[:end]} (since changed: #8){text[end:]}"
    for excerpt in (f"… {text}", f"{text.rstrip()} …"):
        assert marked(excerpt, ONE, changes) == excerpt
    assert marked(text, TWO, changes) == text


@pytest.mark.anyio
async def test_the_answer_without_a_model_quotes_no_changed_words_from_a_message_of_several_sentences(
    memory: Memory, clock: Clock
) -> None:
    async with memory.client() as client:
        await _said(client, clock, "My  Dentist appointment is: on March 3. My dentist is called Ruth.", "1")
        one = {
            "content": "Dentist on March 3",
            "quote": "my dentist appointment is on march 3",
            "source_message_id": "1",
        }
        (result,) = (await client.remember(c.RememberArgs.model_validate({"statements": [one]}))).results
        edit = c.UpdateMemoryArgs(memory_id=result.memory.id, action="edit", content="Dentist on March 9")
        await client.update_memory(edit)
        found = await client.search_memory(c.SearchMemoryArgs(query="dentist", kinds=("message",)))
    assert [without_changed(shown.text) for shown in found.results] == [
        ("My dentist is called Ruth.", [result.memory.id])
    ]


@pytest.mark.anyio
async def test_a_clipped_talk_elsewhere_has_no_mark_for_words_that_it_does_not_show(
    memory: Memory, clock: Clock
) -> None:
    async with memory.client() as client:
        await _said(client, clock, f"It rains in our street today, and all the trees are wet and dark. {DENTIST}", "1")
        dentist = await _learned(client, clock, DENTIST, "1")
        await client.update_memory(c.UpdateMemoryArgs(memory_id=dentist, action="edit", content=MOVED))
        (side,) = [x for x in await _lines(client, conversation_id="other") if "User: It rains" in x]
    assert side.endswith("…")
