"""Forgetting erases the text that the user means, in every form and place, and no other text."""

import pytest

from tellonce import contract as c
from tellonce.client import MemoryClient, MemoryRefused
from tellonce_server.api.text import forget_question, forgotten
from tellonce_server.core.scope import ChatScope
from tellonce_server.store.forget import Statement
from tests.memory_fixtures import USER, Clock, Memory, forget
from tests.offline_worker import work_off

pytestmark = pytest.mark.anyio


async def said(client: MemoryClient, *texts: str, **more: object) -> None:
    for text in texts:
        await client.record_message(c.RecordMessageArgs.model_validate({"role": "user", "content": text, **more}))


async def texts(memory: Memory) -> str:
    """The text of every row in every table."""
    async with memory.tables() as tables:
        names = await tables.fetch("select tablename from pg_tables where schemaname = 'public'")
        rows = [await tables.fetchval(f'select string_agg(x::text, chr(10)) from "{name[0]}" x') for name in names]
    return "\n".join(row or "" for row in rows)


WALNUTS = ("I am allergic to walnuts", "I sell walnut furniture", "I like a walnut cake")


@pytest.mark.parametrize(
    ("chosen", "left"),
    [
        ({}, {WALNUTS[0]}),
        ({"except": [2]}, {WALNUTS[0], WALNUTS[1]}),
        ({"except": []}, {WALNUTS[0]}),
        ({"also": [1]}, set()),
        ({"except": [2], "also": [1]}, {WALNUTS[1]}),
        ({"except": [1], "also": [1]}, {WALNUTS[0]}),
    ],
)
async def test_an_unticked_match_stays_unless_the_caller_includes_it(
    memory: Memory, chosen: dict[str, list[int]], left: set[str]
) -> None:
    async with memory.client() as client:
        for content in WALNUTS:
            await client.remember(c.RememberArgs(content=content))
        preview = await client.forget(c.ForgetArgs(topic="walnut"))
        confirmed = {"topic": "walnut", "confirm": preview.confirm, **chosen}
        done = await client.forget(c.ForgetArgs.model_validate(confirmed))
        found = await client.search_memory(c.SearchMemoryArgs(query="walnut"))
    assert [match.ticked for match in preview.matches if match.ref] == [False, True, True]
    assert {result.text for result in found.results} == left
    assert {match.text for match in done.kept} == left
    assert [WALNUTS[match.id - 1] for match in done.kept] == [match.text for match in done.kept]
    assert (done.erased["memories"], done.traces_left) == (len(WALNUTS) - len(left), 0)


async def test_memories_to_erase_are_not_compared_with_each_other(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A comparison of thousands of memories with each other would block the server for seconds."""
    compared: list[object] = []

    def equal(one: Statement, other: object) -> bool:
        compared.append(other)
        return one is other

    monkeypatch.setattr(Statement, "__eq__", equal)
    async with memory.client() as client:
        for content in WALNUTS:
            await client.remember(c.RememberArgs(content=content))
        done = await forget(client, (), topic="walnut")
    assert (done.erased["memories"], compared) == (len(WALNUTS), [])


async def test_a_preview_names_the_other_sentences_of_a_memory_which_go_with_it(memory: Memory) -> None:
    both, alone = "I own a Quokkazeppelin. My dentist is Dr. Hollerbusch.", "I fly a Quokkazeppelin."
    async with memory.client() as client:
        for content in (both, alone):
            await client.remember(c.RememberArgs(content=content))
        preview = await client.forget(c.ForgetArgs(topic="Quokkazeppelin"))
    dentist = "My dentist is Dr. Hollerbusch."
    assert {match.text: match.beside for match in preview.matches} == {both: (dentist,), alone: ()}
    assert f"(all of it goes, also: {dentist})" in forgotten(preview)


async def test_a_profile_written_while_its_memory_goes_does_not_keep_it(memory: Memory) -> None:
    """A worker can read the memory before the erasure and submit the profile after the derived texts were cleaned."""
    async with memory.client() as client:
        await client.remember(c.RememberArgs(content="I take my coffee without sugar", kind="preference"))
        preview = await client.forget(c.ForgetArgs(topic="coffee"))
    forgetter = (await memory.storage.services()).forgetter

    async def report(done: float, total: float, doing: str) -> None:
        if doing == "Texts made from the messages are clean.":
            async with memory.tables() as tables:
                await tables.execute("update user_profile set narrative = 'Likes coffee without sugar.'")

    args = c.ForgetArgs.model_validate({"topic": "coffee", "chat_id": USER, "confirm": preview.confirm, "except": ()})
    result = await forgetter.erase(ChatScope(USER, USER), args, report)
    assert result.erased["memories"] == 1
    assert result.traces_left == 0
    assert "coffee" not in await texts(memory)


@pytest.mark.parametrize(
    ("topic", "stating", "other"),
    [
        ("Katze", "Meine Katzen heißen Mio und Lea.", "Ich mag Tee."),
        ("Haus", "Wir haben zwei Häuser in Bremen.", "Ich arbeite hausgemacht gern."),
        ("кошка", "У меня две кошки.", "Я люблю чай."),
        ("переезд в Берлин", "Мы планируем переезда в Берлин.", "Берлин большой."),
        ("cheval", "J'ai deux chevaux noirs.", "J'aime le thé vert."),
        ("mouse", "I keep two white mice.", "I like mountains."),
        ("mice", "My mouse is white.", "I like mountains."),
        ("gato", "Tengo dos gatos negros.", "Me gusta el gateo."),
        ("猫", "我有一只猫。", "我喜欢茶。"),
        ("東京", "私は東京に住んでいます。", "お茶が好きです。"),
        ("art", "I collect modern art.", "The party starts at nine."),
        ("plan", "My plans are secret.", "The plane to Rome is late."),
        ("the move to Berlin", "We move to Berlin in May.", "Berlin is big and I like it."),
        ("March 15", "The offsite is on March 15.", "The review is on March 16."),
        ("C++", "I write C++ at work.", "I write letters at home."),
    ],
)
async def test_a_topic_goes_in_every_form_and_leaves_its_neighbours(
    memory: Memory, topic: str, stating: str, other: str
) -> None:
    async with memory.client() as client:
        await said(client, f"{stating} {other}")
        await client.remember(c.RememberArgs(content=stating))
        preview = await client.forget(c.ForgetArgs(topic=topic))
        done = await forget(client, (), topic=topic)
        context = (await client.get_context(c.GetContextArgs())).context or ""
    assert [match.goes for match in preview.matches if match.ref] == [(), (stating,)]
    assert f"only this goes: {stating}" in forgotten(preview)
    assert (done.erased["memories"], done.erased["sentences"], done.traces_left) == (1, 1, 0)
    assert stating not in await texts(memory)
    assert other in context


async def test_what_was_learned_between_preview_and_confirmation_goes_with_its_sentence(memory: Memory) -> None:
    async with memory.client() as client:
        await said(client, "My neighbour Gretl plays the viola. I like tea.")
        preview = await client.forget(c.ForgetArgs(topic="Gretl"))
        for words, quote in (
            ("Gretl plays the viola", "My neighbour Gretl plays the viola."),
            ("Likes tea", "I like tea."),
        ):
            learned = c.QuotedStatement(content=words, quote=quote)
            await client.remember(c.RememberArgs(statements=(learned,)))
        await client.remember(c.RememberArgs(content="Gretl is my aunt"))
        done = await client.forget(c.ForgetArgs(topic="Gretl", confirm=preview.confirm))
        profile = await client.get_profile(c.GetProfileArgs())
    assert sorted(m.content for m in profile.facts + profile.preferences) == ["Gretl is my aunt", "Likes tea"]
    assert "viola" not in await texts(memory)
    assert done.erased["memories"] == 1
    assert done.traces_left == len(done.left) == 1


async def test_the_days_beside_a_quotation_go_with_it(memory: Memory) -> None:
    answer = (
        "You told me on Nov 24: “I like tea. My cardiologist comes on Friday.” (Friday: Fri, Nov 27)\nYou like tea."
    )
    async with memory.client() as client:
        await client.record_message(c.RecordMessageArgs(role="assistant", content=answer))
        await said(client, "“Anna's cardiologist is nice.” She said it on Monday.")
        done = await forget(client, (), topic="cardiologist")
        left = await texts(memory)
    assert done.traces_left == 0
    assert "Nov 27" not in left
    assert "You told me on Nov 24: “I like tea." in left
    assert "You like tea." in left
    assert "She said it on Monday." in left


async def test_forgetting_everything_erases_the_messages_and_names_of_all_conversations(memory: Memory) -> None:
    async with memory.client() as client:
        await said(client, "I live in Oslo.", "Where do I live?")
        place = {"conversation_id": "~/shop", "channel": "claude-code", "message_id": "Ann's note"}
        await said(client, "We chose Kafka.", speaker="Dr. Vuxley", **place)
        await client.remember(c.RememberArgs(content="I like tea"))
        done = await forget(client, (), everything=True)
        again = await client.forget(c.ForgetArgs(everything=True))
        sent_again = c.RecordMessageArgs.model_validate({"role": "user", "content": "We chose Kafka.", **place})
        assert (await client.record_message(sent_again)).outcome == "duplicate"
        left = await texts(memory)
    assert (done.erased["messages"], done.erased["memories"], done.traces_left) == (3, 1, 0)
    assert again.confirm is None
    assert not [word for word in ("Oslo", "Where do I", "Kafka", "tea", "shop", "Vuxley", "Ann's") if word in left]


async def test_everything_of_a_named_conversation_leaves_the_rest_of_the_memory(memory: Memory) -> None:
    """A model that works in a project may want to erase only the project's memory when it asks to forget everything."""
    shop, other = {"conversation_id": "~/shop"}, {"conversation_id": "~/blog"}
    async with memory.client() as client:
        await said(client, "I live in Oslo.")
        await said(client, "We chose Kafka.", channel="mcp", message_id="1", **shop)
        await said(client, "The blog runs on Hugo.", channel="mcp", **other)
        for content, scope, place in (
            ("The shop sells zithers", "chat", shop),
            ("I play the zither", "global", shop),
            ("The blog is yellow", "chat", other),
            ("I like tea", "global", {}),
        ):
            await client.remember(c.RememberArgs.model_validate({"content": content, "scope": scope, **place}))
        chat = next(m.chat_id for m in (await client.forget(c.ForgetArgs(topic="Kafka"))).matches if m.ref)
        for named in (shop, {"chat_id": chat}):
            preview = await client.forget(c.ForgetArgs.model_validate({"everything": True, **named}))
            assert {m.text for m in preview.matches if m.ref} == {
                *("We chose Kafka.", "The shop sells zithers", "I play the zither"),
            }
            assert "forget_here" in [note.code for note in preview.notes]
        done = await forget(client, (), everything=True, **shop)
        again = await client.forget(c.ForgetArgs.model_validate({"everything": True, **shop}))
        left = await texts(memory)
        rest = await client.forget(c.ForgetArgs(everything=True))
    assert (done.erased["messages"], done.erased["memories"], done.traces_left) == (1, 2, 0)
    assert again.confirm is None
    assert not [word for word in ("Kafka", "zither", "shop") if word in left]
    assert {m.text for m in rest.matches if m.ref} == {
        *("I live in Oslo.", "The blog runs on Hugo.", "The blog is yellow", "I like tea"),
    }


async def test_the_profile_keeps_what_a_kept_memory_of_the_conversation_states(memory: Memory) -> None:
    shop = {"conversation_id": "~/shop"}
    async with memory.client() as client, memory.tables() as tables:
        await said(client, "We chose Kafka.", channel="mcp", message_id="1", **shop)
        for content in ("I play the concert zither", "I keep a parrot named Rio"):
            await client.remember(c.RememberArgs.model_validate({"content": content, **shop}))
        await client.get_profile(c.GetProfileArgs())
        narrative = "The user plays the concert zither. The user keeps a parrot named Rio."
        await tables.execute("update user_profile set narrative = $1, built_at = now()", narrative)
        preview = await client.forget(c.ForgetArgs.model_validate({"everything": True, **shop}))
        kept = [m.id for m in preview.matches if m.ref and "parrot" in m.text]
        confirmed = {"everything": True, "confirm": preview.confirm, "except": kept, **shop}
        await client.forget(c.ForgetArgs.model_validate(confirmed))
        left = str(await tables.fetchval("select narrative from user_profile"))
    assert ("parrot" in left, "zither" in left) == (True, False)


@pytest.mark.parametrize("place", [{}, {"chat_id": USER}])
async def test_everything_without_a_conversation_says_that_it_is_the_whole_memory(
    memory: Memory, place: dict[str, int]
) -> None:
    async with memory.client() as client:
        await said(client, "I live in Oslo.")
        await said(client, "We chose Kafka.", channel="mcp", conversation_id="~/shop")
        kept_there = {"content": "The shop sells zithers", "scope": "chat", "conversation_id": "~/shop"}
        await client.remember(c.RememberArgs.model_validate(kept_there))
        preview = await client.forget(c.ForgetArgs.model_validate({"everything": True, **place}))
        done = await forget(client, (), everything=True, **place)
        left = await texts(memory)
    whole = next(note for note in preview.notes if note.code == "forget_whole")
    assert whole.values == {"n": 2}
    assert "conversation_id" in whole
    assert whole in forget_question(preview)
    assert (done.erased["messages"], done.erased["memories"], done.traces_left) == (2, 1, 0)
    assert not [word for word in ("Oslo", "Kafka", "zither", "shop") if word in left]


PECANS = "I adore pecans."
PIE = "A pecan pie is in the oven until noon today."


@pytest.mark.parametrize(
    ("chosen", "gone"),
    [
        ({}, (PIE,)),
        ({"also": [2]}, (PECANS, PIE)),
        ({"except": [1], "also": [2]}, (PECANS,)),
        ({"except": [1]}, ()),
    ],
)
async def test_each_form_of_the_words_in_one_message_is_a_match_of_its_own(
    memory: Memory, chosen: dict[str, list[int]], gone: tuple[str, ...]
) -> None:
    async with memory.client() as client:
        await said(client, f"{PECANS} {PIE}")
        preview = await client.forget(c.ForgetArgs(topic="pecan"))
        done = await client.forget(
            c.ForgetArgs.model_validate({"topic": "pecan", "confirm": preview.confirm, **chosen})
        )
        left = await texts(memory)
    shown = [m for m in preview.matches if m.ref]
    assert [(m.match, m.ticked, m.goes) for m in shown] == [("exact", True, (PIE,)), ("form", False, (PECANS,))]
    assert preview.would_erase["messages"] == 1
    assert [part for part in (PECANS, PIE) if part not in left] == [part for part in (PECANS, PIE) if part in gone]
    assert [m.id for m in done.kept if m.ref] == [m.id for m in shown if m.goes[0] not in gone]
    assert done.traces_left == 0
    assert (done.erased["messages"], done.erased["sentences"]) == (min(1, len(gone)), len(gone))


async def test_a_summary_with_the_word_and_another_form_of_it_is_never_called_forgotten_while_one_stays(
    memory: Memory,
) -> None:
    async with memory.client() as client:
        await said(client, "I like tea.")
        async with memory.tables() as tables:
            await tables.execute("update user_profile set narrative = $1", f"{PECANS} {PIE}")
        preview = await client.forget(c.ForgetArgs(topic="pecan"))
        token = preview.confirm
        both = await client.forget(c.ForgetArgs(topic="pecan"))
        done = await client.forget(c.ForgetArgs(topic="pecan", confirm=token))
        kept = await texts(memory)
        await client.forget(c.ForgetArgs(topic="pecan", confirm=both.confirm, also=(2,)))
        left = await texts(memory)
    assert [(m.match, m.ticked) for m in preview.matches] == [("exact", True), ("form", False)]
    assert [m.id for m in done.kept] == [2]
    assert PECANS in kept
    assert "ecan" not in left


@pytest.mark.parametrize(
    ("number", "elsewhere", "match"),
    [
        ("47", "4-7", "number"),
        ("4711", "47-11", "number"),
        ("47112", "471-12", "exact"),
        ("471122", "47 1122", "exact"),
    ],
)
async def test_a_number_of_five_digits_is_exact_with_any_separators(
    memory: Memory, number: str, elsewhere: str, match: str
) -> None:
    async with memory.client() as client:
        await said(client, f"The shelf is {elsewhere} there.")
        preview = await client.forget(c.ForgetArgs(literal=number))
    assert [(m.match, m.ticked) for m in preview.matches] == [(match, match == "exact")]


async def test_a_number_and_the_same_digits_with_other_separators_are_two_matches(memory: Memory) -> None:
    async with memory.client() as client:
        await said(client, "My code is 4711. The old one was 47-11.")
        preview = await client.forget(c.ForgetArgs(literal="4711"))
        done = await client.forget(c.ForgetArgs(literal="4711", confirm=preview.confirm))
    assert [(m.match, m.ticked) for m in preview.matches if m.ref] == [("exact", True), ("number", False)]
    assert [m.text for m in done.kept] == ["The old one was 47-11."]


@pytest.mark.parametrize("said_", ["\u200b", "\u0301", "\u200d \u200d"])
@pytest.mark.parametrize("field", ["topic", "literal"])
async def test_only_what_folds_to_nothing_is_refused(memory: Memory, field: str, said_: str) -> None:
    async with memory.client() as client:
        with pytest.raises(MemoryRefused, match="at least one specific word"):
            await client.forget(c.ForgetArgs.model_validate({field: said_}))


async def test_forgetting_everything_is_of_this_chat_alone(memory: Memory) -> None:
    async with memory.relay() as client:
        for chat, text in ((USER, "I like tea"), (-200, "I like skiing"), (-100, "I like chess")):
            await client.remember(c.RememberArgs(content=text, chat_id=chat, scope="chat"))
        preview = await client.forget(c.ForgetArgs(everything=True, chat_id=-200))
        await client.forget(c.ForgetArgs(everything=True, chat_id=-200, confirm=preview.confirm))
        left = {chat: await client.get_profile(c.GetProfileArgs(chat_id=chat)) for chat in (USER, -200, -100)}
    assert [m.text for m in preview.matches] == ["I like skiing"]
    assert {chat: len(p.facts) for chat, p in left.items()} == {USER: 1, -200: 0, -100: 1}


async def test_what_a_memory_said_before_it_was_changed_is_forgotten_too(memory: Memory) -> None:
    async with memory.client() as client:
        stored = await client.remember(c.RememberArgs(content="My dog is called Zorblax"))
        edit = c.UpdateMemoryArgs(memory_id=stored.memory.id, action="edit", content="My dog is called Rex")
        await client.update_memory(edit)
        await said(client, "Zorblax was a dog")
        done = await forget(client, (), topic="Zorblax")
        profile = await client.get_profile(c.GetProfileArgs())
    assert done.traces_left == 0
    assert "orblax" not in await texts(memory)
    assert [m.content for m in profile.facts] == ["My dog is called Rex"]


@pytest.mark.parametrize(
    ("topic", "former"),
    [
        ("Zorblax", "My dog is Zorblax"),
        ("city", "Orblaxia has two cities"),
        ("knife", "The knives are by Orblax"),
        ("3 May", "Orblax comes on May 3"),
        ("fifty guests", "50 guests come to Orblax"),
    ],
)
async def test_what_only_a_former_version_of_a_message_says_is_found_and_forgotten(
    memory: Memory, topic: str, former: str
) -> None:
    async with memory.client() as client:
        for text in (former, "My dog is Rex"):
            await client.record_message(c.RecordMessageArgs(role="user", content=text, message_id="7"))
        preview = await client.forget(c.ForgetArgs(topic=topic))
        done = await forget(client, (), topic=topic)
    assert preview.would_erase == ({"message_versions": 1} if preview.matches[0].ticked else {})
    assert f"confirm={preview.confirm}" in forgotten(preview)
    assert done.erased["message_versions"] == 1
    assert "orblax" not in (await texts(memory)).lower()


async def test_words_of_a_topic_that_stand_in_different_lines_of_a_receipt_are_no_trace_of_it(memory: Memory) -> None:
    async with memory.client() as client:
        await said(client, "I like red apples", "The sky is blue")
        await client.get_context(c.GetContextArgs())
        preview = await client.forget(c.ForgetArgs(topic="red sky"))
    assert preview == c.Forgotten(notes=preview.notes)
    assert "“red” (1 text), “sky” (1 text)" in preview.notes[0]


async def test_a_memory_much_like_the_forgotten_one_is_no_trace_of_it(memory: Memory) -> None:
    async with memory.client() as client:
        for number in (21, 22):
            await client.remember(c.RememberArgs(content=f"Shelf {number} in my hall holds the lamp"))
        done = await forget(client, (), topic="shelf 21")
        profile = await client.get_profile(c.GetProfileArgs())
    assert (done.erased["memories"], done.traces_left) == (1, 0)
    assert [m.content for m in profile.facts] == ["Shelf 22 in my hall holds the lamp"]


async def test_former_versions_are_cleaned_however_many_there_are(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tellonce_server.domain.erasure.derived_texts.BATCH", 2)
    subjects = [f"{kind}:{n}" for kind in ("canonical", "chunk", "thread") for n in range(3)]
    async with memory.client() as client, memory.tables() as tables:
        await said(client, "My dog is Zorblax")
        for version, subject in enumerate(subjects):
            await tables.execute(
                "insert into text_versions (owner_id, chat_id, subject, version, value, replaced_at)"
                " values ($1, $1, $2, $3, jsonb_build_object('text', former_lines_of($1, $4)), now())",
                *(
                    USER,
                    subject,
                    version,
                    f"Zorblax barks.\nThe dog is Zorblax. Tea number {version} is liked.\nIt rains.",
                ),
            )
        lines = await tables.fetchval("select count(*) from former_lines where owner_id = $1", USER)
        done = await forget(client, (), topic="Zorblax")
        left = await tables.fetch(
            "select former_text(owner_id, value -> 'text') as text from text_versions order by version"
        )
    assert lines == 11, "what the versions share is kept once"
    assert (done.erased["former_lines"], done.traces_left) == (10, 0)
    assert [row["text"] for row in left] == [f"Tea number {n} is liked.\nIt rains." for n in range(9)]


async def test_a_message_sent_once_more_brings_nothing_forgotten_back(memory: Memory) -> None:
    message = c.RecordMessageArgs(role="user", content="My dog is Zorblax. It rains.", message_id="7")
    async with memory.client() as client:
        await client.record_message(message)
        await forget(client, (), topic="Zorblax")
        again = await client.record_message(message)
    assert again.outcome == "duplicate"
    assert "orblax" not in await texts(memory)


async def test_an_answer_to_a_message_that_was_forgotten_meanwhile_does_not_repeat_it(memory: Memory) -> None:
    answer = {"role": "assistant", "content": "I noted that your dog is Zorblax.", "exchange_of": "7"}
    async with memory.client() as client:
        await said(client, "Where were we?", message_id="6")
        await said(client, "My dog is Zorblax. It rains.", message_id="7")
        await forget(client, (), topic="Zorblax")
        for number in ("8", "8"):
            await client.record_message(c.RecordMessageArgs.model_validate({**answer, "message_id": number}))
        other = {"role": "assistant", "content": "At the rain.", "exchange_of": "6", "message_id": "9"}
        await client.record_message(c.RecordMessageArgs.model_validate(other))
        kept = [(await client.explain(c.ExplainArgs(message_id=number))).text for number in ("8", "9")]
    assert kept == ["[forgotten]", "At the rain."]
    assert "orblax" not in await texts(memory)


@pytest.mark.parametrize(
    ("shown", "asked"),
    [
        ({"topic": "chess"}, {"topic": "bees"}),
        ({"topic": "bees", "include_messages": False}, {"topic": "bees"}),
    ],
)
async def test_a_token_confirms_what_its_preview_showed_and_nothing_else(
    memory: Memory, shown: dict[str, object], asked: dict[str, object]
) -> None:
    async with memory.client() as client:
        await said(client, "I play chess on Fridays", "I keep bees on the roof")
        if "include_messages" in shown:
            await client.remember(c.RememberArgs(content="I keep bees on the roof"))
        preview = await client.forget(c.ForgetArgs.model_validate(shown))
        with pytest.raises(MemoryRefused, match="differ from those of the preview"):
            await client.forget(c.ForgetArgs.model_validate({**asked, "confirm": preview.confirm}))
        context = (await client.get_context(c.GetContextArgs())).context or ""
    assert "bees" in context


async def test_what_was_kept_at_the_confirmation_stays_when_the_token_comes_again(memory: Memory) -> None:
    async with memory.client() as client:
        for content in ("I keep a kayak in the shed", "My kayak is red"):
            await client.remember(c.RememberArgs(content=content))
        preview = await client.forget(c.ForgetArgs(topic="kayak"))
        kept = next(match.id for match in preview.matches if match.kind != "message" and "shed" in match.text)
        confirmed = {"topic": "kayak", "confirm": preview.confirm}
        first = c.ForgetArgs.model_validate({**confirmed, "except": [kept]})
        assert (await client.forget(first)).erased["memories"] == 1
        with pytest.raises(MemoryRefused, match="another selection"):
            await client.forget(c.ForgetArgs.model_validate(confirmed))
        again = await client.forget(first)
        assert again.erased.get("memories", 0) == 0
        assert "shed" in (await client.search_memory(c.SearchMemoryArgs(query="kayak"))).results[0].text


@pytest.mark.parametrize("topic", ["Weber", "Tolkien", "Weber fills my teeth"])
async def test_a_title_or_an_initial_goes_with_its_sentence(memory: Memory, topic: str) -> None:
    stating = "My dentist is Dr. Weber. " if "Weber" in topic else "I read J. R. R. Tolkien at night. "
    stating = "I hear that Dr. Weber fills my teeth. " if "teeth" in topic else stating
    async with memory.client() as client:
        await said(client, f"I live in Leipzig. {stating}I take the tram.")
        result = await forget(client, (), topic=topic)
        known = await client.explain(c.ExplainArgs(message_id="1"))
    assert result.traces_left == 0
    assert known.text == "I live in Leipzig. I take the tram."


async def test_a_value_the_assistant_asked_for_is_forgotten_too(memory: Memory) -> None:
    asked = c.Expects(slot="When is Zorblax coming", type="date")
    async with memory.client() as client:
        question = c.RecordMessageArgs(role="assistant", content="When is Zorblax coming?", expects=asked)
        await client.record_message(question)
        done = await forget(client, (), topic="Zorblax")
    assert done.traces_left == 0
    assert "orblax" not in await texts(memory)


async def test_an_edit_of_a_message_does_not_bring_its_forgotten_sentence_back(memory: Memory) -> None:
    async with memory.client() as client:
        for text in ("My dog is Zorblax. It rains.", None, "My  dog is Zórblax. It snows.", "my dog is Zorblax."):
            if text is None:
                await forget(client, (), topic="Zorblax")
            else:
                last = await client.record_message(c.RecordMessageArgs(role="user", content=text, message_id="7"))
        seen = (await client.explain(c.ExplainArgs(message_id="7"))).text
    assert last.outcome == "duplicate"
    assert seen == "It snows."
    assert "orblax" not in await texts(memory)


@pytest.mark.parametrize(
    ("sentence", "literal", "added", "left"),
    [
        ("Ich traf Dr. Zorblax am 24.12.", "Zorblax", " Anna kam auch.", "Anna kam auch."),
        ("I saw Dr. Zorblax at 5 p.m.", "Zorblax", " it was bad.", "it was bad."),
        ("I hid the Zorblax with Ann B.", "Zorblax", " Thanks!", "Thanks!"),
    ],
)
async def test_an_edit_that_joins_words_to_a_forgotten_sentence_does_not_bring_the_sentence_back(
    memory: Memory, sentence: str, literal: str, added: str, left: str
) -> None:
    async with memory.client() as client:
        await said(client, f"Hi. {sentence}", message_id="7")
        await forget(client, (), literal=literal)
        await said(client, f"Hi. {sentence}{added}", message_id="7")
        seen = (await client.explain(c.ExplainArgs(message_id="7"))).text
    assert seen == f"Hi. {left}"
    assert "orblax" not in await texts(memory)


@pytest.mark.parametrize(
    ("text", "literal", "left"),
    [
        ("The total was 3.10. Bob paid it.", "Bob", "The total was 3.10."),
        ("I live on Main St. Peter lives there too.", "Peter", "I live on Main St."),
        ("The party is in May. 20 people came.", "people", "The party is in May."),
        ("He is 12. May I come?", "He is", "May I come?"),
    ],
)
async def test_a_sentence_after_a_number_or_an_abbreviation_is_forgotten_without_its_neighbor(
    memory: Memory, text: str, literal: str, left: str
) -> None:
    async with memory.client() as client:
        await said(client, text, message_id="7")
        await forget(client, (), literal=literal)
        seen = (await client.explain(c.ExplainArgs(message_id="7"))).text
    assert seen == left


async def test_summaries_stay_without_it_where_the_messages_were_to_stay(memory: Memory, clock: Clock) -> None:
    async with memory.client() as client, memory.agent() as agent:
        for number in range(24):
            await said(client, f"Item {number}: we decided to ask the Zorblax team about vendor {number}. Tea is fine.")
            clock.forward(minutes=2)
        await client.remember(c.RememberArgs(content="I work with the Zorblax team"))
        await work_off(agent)
        await client.summarize_chat(c.SummarizeChatArgs(now=True))
        await work_off(agent)
        before = await client.summarize_chat(c.SummarizeChatArgs())
        await forget(client, (), topic="Zorblax", include_messages=False)
        await work_off(agent)
        after = await client.summarize_chat(c.SummarizeChatArgs())
        found = await client.search_memory(c.SearchMemoryArgs(query="Zorblax", kinds=("message",)))
    told = [
        "".join((*(period.text for period in view.periods), view.thread_summary, view.session_summary))
        for view in (before, after)
    ]
    assert ["orblax" in text for text in told] == [True, False]
    assert found.results


async def test_an_external_database_says_what_it_cannot_reach(memory: Memory) -> None:
    async with memory.client() as client:
        await client.remember(c.RememberArgs(content="I like tea"))
        done = await forget(client, (), topic="tea")
    assert "backups" in done.notes[0]
    assert "archives" in done.notes[0]


async def test_summaries_are_redacted_at_once_and_rewritten_by_the_next_worker(memory: Memory, clock: Clock) -> None:
    async with memory.client() as client, memory.agent() as agent:
        for number in range(24):
            await said(client, f"Item {number}: we decided to ask the Zorblax team about vendor {number}. Tea is fine.")
            clock.forward(minutes=2)
        await work_off(agent)
        before = await client.summarize_chat(c.SummarizeChatArgs(now=True))
        await work_off(agent)
        await forget(client, (), topic="Zorblax")
        after = await client.summarize_chat(c.SummarizeChatArgs())
        kinds = await work_off(agent)
        anew = await client.summarize_chat(c.SummarizeChatArgs())
    assert "orblax" in before.model_dump_json() + (await texts(memory)) or before.periods == ()
    assert "orblax" not in after.model_dump_json()
    assert "orblax" not in await texts(memory)
    assert {"erasure", "thread_summary"} <= set(kinds)
    assert anew.thread_summary
    assert anew.session_summary


async def test_an_answer_under_way_does_not_remember_what_was_forgotten_meanwhile(memory: Memory, clock: Clock) -> None:
    statement, other = "The safe opens with tulip", "Likes green tea"

    async def heard(message_id: str, content: str) -> None:
        await client.record_message(c.RecordMessageArgs(role="user", content=content, message_id=message_id))
        clock.forward(seconds=1)

    async def keep(message_id: str, content: str) -> c.Remembered:
        return await client.remember(c.RememberArgs(content=content, source_message_id=message_id))

    async with memory.client() as client:
        await heard("u1", f"{statement}. I like green tea")
        await heard("u2", "My cat is called Miso")
        await client.remember(c.RememberArgs(content=statement))
        await forget(client, (), topic="safe")
        await forget(client, (), topic="Miso")
        for message_id, gone in (
            ("u1", statement),
            ("u1", "Opens the safe with tulip"),
            ("u2", "Has a cat called Miso"),
        ):
            with pytest.raises(MemoryRefused, match="asked to forget that after this message"):
                await keep(message_id, gone)
        profile = await client.get_profile(c.GetProfileArgs())
        kept = await keep("u1", other)
        clock.forward(seconds=1)
        await heard("u3", statement)
        again = await keep("u3", statement)
    assert profile.facts == ()
    assert [m.outcome for m in (kept, again)] == ["stored", "stored"]


async def test_an_erasure_names_the_shared_copies_until_they_are_erased(memory: Memory) -> None:
    note = "Copies that were shared stay: memory 1 in chat -100. Forget them in that chat."
    async with memory.relay() as client:
        for text in ("My locker code is Zorblax", "I like chess"):
            await client.remember(c.RememberArgs(content=text, chat_id=USER))
        kept = c.UpdateMemoryArgs(memory_id=1, action="share", to_chat_id=-100, chat_id=USER)
        copy = await client.update_memory(kept)
        await client.update_memory(kept)
        edit = c.UpdateMemoryArgs(memory_id=1, action="edit", content="The locker code is Zorblax now", chat_id=USER)
        await client.update_memory(edit)
        chess = await client.forget(c.ForgetArgs(topic="chess", chat_id=USER))
        preview = await client.forget(c.ForgetArgs(topic="Zorblax", chat_id=USER))
        confirmed = c.ForgetArgs(topic="Zorblax", chat_id=USER, confirm=preview.confirm)
        done, again = [await client.forget(confirmed) for _ in range(2)]
        left = await client.get_profile(c.GetProfileArgs(chat_id=-100))
    assert copy.id == 1
    assert note not in chess.notes
    assert note in preview.notes
    assert (done.erased["memories"], done.traces_left, note in done.notes) == (1, 0, True)
    assert note in again.notes, "a client repeats the confirmation if the answer was lost"
    assert [fact.content for fact in left.facts] == ["My locker code is Zorblax"], "it belongs to the group"


async def test_an_erasure_does_not_name_a_copy_that_was_forgotten_in_its_chat(memory: Memory) -> None:
    async with memory.relay() as client:
        await client.remember(c.RememberArgs(content="My locker code is Zorblax", chat_id=USER))
        await client.update_memory(c.UpdateMemoryArgs(memory_id=1, action="share", to_chat_id=-100, chat_id=USER))
        await forget(client, (), topic="Zorblax", chat_id=-100)
        done = await forget(client, (), topic="Zorblax", chat_id=USER)
    assert (done.erased["memories"], [note for note in done.notes if "shared" in note]) == (1, [])
