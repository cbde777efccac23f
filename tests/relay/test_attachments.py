"""Pictures, documents and voice messages: what the model gets, what is stored, and what the person is told."""

import asyncio
import base64
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import pytest
from telegram import Bot

from tellonce import contract as c
from tellonce_llm.claude import Claude
from tellonce_llm.ollama import Ollama
from tellonce_relay.catalogue import phrase
from tellonce_relay.responders.model import ModelResponder
from tellonce_relay.telegram.attachment_reader import AttachmentReader, UnusableAttachment
from tellonce_relay.telegram.attachments import Attachment
from tests.memory_fixtures import Memory
from tests.relay.running_relay import GROUP, Echo, Scripted, relaying, texts
from tests.stubs.anthropic_stub import AnthropicStub
from tests.stubs.ollama_stub import OllamaStub
from tests.stubs.replies import Fail, Reply, Say
from tests.stubs.stub import Asked
from tests.stubs.telegram_emulator import DropBefore, Telegram, telegram
from tests.stubs.telegram_emulator.people import PIXEL
from tests.stubs.transcription_stub import TranscriptionStub

pytestmark = pytest.mark.anyio

CANOE = "A red canoe. [SEEN: two people in a red canoe on a lake]"


@asynccontextmanager
async def claude(reply: Reply) -> AsyncIterator[tuple[ModelResponder, AnthropicStub]]:
    async with AnthropicStub(reply) as stub:
        model = Claude("key", "claude-sonnet-5-5", base_url=stub.url)
        try:
            yield ModelResponder(model, 20), stub
        finally:
            await model.aclose()


@asynccontextmanager
async def ollama(*capabilities: str) -> AsyncIterator[tuple[ModelResponder, OllamaStub]]:
    async with OllamaStub(Say("I see."), capabilities=capabilities) as stub:
        model = Ollama(stub.url, "llama3.2")
        try:
            yield ModelResponder(model, 20), stub
        finally:
            await model.aclose()


async def kept(memory: Memory, number: int) -> str:
    async with memory.client() as client:
        return (await client.explain(c.ExplainArgs(message_id=str(number)))).text


def downloads(api: Telegram) -> int:
    return len(api.api.of("file"))


async def test_a_picture_is_shown_to_the_model_and_found_by_what_it_shows(memory: Memory, tmp_path: Path) -> None:
    async with telegram() as api, claude(Say(CANOE)) as (responder, stub):
        async with relaying(memory, responder, api=api, state=tmp_path, killed=True):
            number = await api.photo(caption="Our trip")
            await api.replies(1)
            await api.all_fetched()
        async with relaying(memory, responder, api=api, state=tmp_path):
            # Telegram delivers the update again. The recorded description must stay.
            api.world.updates.insert(0, {"update_id": 1, "message": api.world.messages[42, number]})
            await api.all_fetched()
    assert texts(api) == ["A red canoe."]
    assert downloads(api) == 1
    image, words = stub.asked[0].messages[0]["content"]
    assert (image["type"], base64.b64decode(image["source"]["data"])) == ("image", PIXEL)
    assert words["text"].endswith("[photo] Our trip")
    assert "[SEEN:" in stub.asked[0].system
    assert await kept(memory, number) == "[photo] Our trip\n> two people in a red canoe on a lake"
    async with memory.client() as client:
        found = (await client.search_memory(c.SearchMemoryArgs(query="canoe on a lake"))).results
        assert any("red canoe" in result.text for result in found)
        asked = c.ForgetArgs(topic="red canoe")
        done = await client.forget(asked.model_copy(update={"confirm": (await client.forget(asked)).confirm}))
        assert done.traces_left == 0
    assert "canoe" not in await kept(memory, number)


async def test_an_album_and_the_reply_that_asks_about_a_picture_are_one_turn_each(memory: Memory) -> None:
    async with claude(Say("Lovely.")) as (responder, stub), relaying(memory, responder) as api:
        first, _ = await api.album("Our trip", "")
        await api.replies(1)
        await api.ask("What is on it?", reply_to=first, replies=2)
        await api.document("notes.md", "# Grüße".encode(), "text/markdown")
        await api.document("cv.pdf", b"%PDF-1.7", "application/pdf")
        await api.replies(4)
    kinds = [[block["type"] for block in asked.messages[0]["content"]] for asked in stub.asked]
    assert kinds == [["image", "image", "text"], ["image", "text"], ["document", "text"], ["document", "text"]]
    text, pdf = (asked.messages[0]["content"][0]["source"] for asked in stub.asked[2:])
    assert text == {"type": "text", "media_type": "text/plain", "data": "# Grüße"}
    assert (pdf["media_type"], base64.b64decode(pdf["data"])) == ("application/pdf", b"%PDF-1.7")


async def test_a_local_model_that_sees_is_shown_pictures(memory: Memory) -> None:
    async with ollama("completion", "vision") as (responder, stub), relaying(memory, responder) as api:
        await api.photo(caption="Us")
        await api.replies(1)
        await api.document("notes.txt", b"Buy oats", "text/plain", caption="What is left to do?")
        await api.replies(2)
    assert [base64.b64decode(image) for image in stub.asked[0].messages[-1]["images"]] == [PIXEL]
    assert "notes.txt:\nBuy oats" in stub.asked[1].user


async def test_where_nobody_can_see_the_person_is_told_once(memory: Memory, tmp_path: Path) -> None:
    async with telegram() as api, ollama("completion") as (responder, stub):
        async with relaying(memory, responder, api=api, state=tmp_path):
            first = await api.photo()
            await api.until(lambda: texts(api) == [phrase("senses.cannot_see")])
            await api.document("a.zip", b"PK", "application/zip", caption="Keep this")
            await api.until(lambda: texts(api)[1:] == [phrase("senses.cannot_read"), "I see."])
        async with relaying(memory, responder, api=api, state=tmp_path):
            await api.photo(caption="And this?")
            await api.replies(4)
    assert texts(api)[3:] == ["I see."]
    assert downloads(api) == 0
    assert "images" not in stub.asked[-1].messages[-1]
    assert await kept(memory, first) == "[photo]"


async def test_a_document_that_the_model_does_not_accept_is_named_and_the_words_are_answered(memory: Memory) -> None:
    def reads(asked: Asked) -> Reply:
        return (
            Fail(400, "A maximum of 100 PDF pages", "invalid_request_error")
            if "application/pdf" in str(asked.body)
            else Say("Ok.")
        )

    async with claude(Say("")) as (responder, stub), relaying(memory, responder) as api:
        stub.script = reads
        await api.document("lease.pdf", b"%PDF-1.7", "application/pdf", caption="What does it say?")
        await api.until(lambda: texts(api) == [phrase("senses.not_accepted"), "Ok."])
        await api.document("scan.pdf", b"%PDF-1.7", "application/pdf")
        await api.until(lambda: texts(api)[2:] == [phrase("senses.not_accepted")])


async def test_without_a_model_a_poll_is_no_question_and_a_picture_is_not_answered_from_other_messages(
    memory: Memory,
) -> None:
    options = [{"text": text, "voter_count": 0, "persistent_id": text} for text in ("Pizza", "Sushi")]
    poll = {"id": "1", "question": "Pizza or sushi?", "options": options, "total_voter_count": 0, "type": "regular"}
    flags = ("is_closed", "is_anonymous", "allows_multiple_answers", "allows_revoting", "members_only")
    async with relaying(memory) as api:
        await api.show(poll=poll | dict.fromkeys(flags, False))
        await api.ask("What was the poll about?", replies=2)
        await api.photo(caption="What was the poll on this picture?")
        shown = await api.replies(3)
    assert shown[0] == phrase("offline.kept")
    assert shown[1].endswith("“[poll: Pizza or sushi? (Pizza, Sushi)]”")
    assert shown[2:] == [phrase("senses.cannot_see")]


async def test_a_file_that_is_too_large_or_does_not_come_is_named_as_such(memory: Memory) -> None:
    seeing = Scripted("Fine.")
    seeing.kinds = frozenset(("image", "pdf"))
    async with relaying(memory, seeing) as api:
        await api.photo(b"x" * 5_000_001)
        await api.until(lambda: texts(api) == [phrase("senses.too_large", megabytes=5)])
        api.faults["file"] = [DropBefore()]
        await api.photo(caption="A picture")
        await api.replies(2)
        api.world.files.clear()
        await api.document("gone.pdf", b"%PDF", "application/pdf")
        api.world.files.clear()
        await api.until(lambda: texts(api)[1:] in (["Fine.", phrase("senses.not_fetched")], ["Fine.", "Fine."]))
    assert [file.data for file in seeing.prompts[0].files] == [PIXEL]


@dataclass
class Endless:
    """Takes the place of a bot and of its only file. The file has the given size, and its download never ends."""

    file_size: int

    async def get_file(self, file_id: str) -> "Endless":
        return self

    async def download_as_bytearray(self) -> bytearray:
        await asyncio.Event().wait()
        raise AssertionError("it never ends")


@pytest.mark.parametrize(
    ("size", "sentence"),
    [(5_000_001, phrase("senses.too_large", megabytes=5)), (0, phrase("senses.not_fetched"))],
)
async def test_a_file_of_unknown_size_is_fetched_within_limits(size: int, sentence: str) -> None:
    reader = AttachmentReader(cast("Bot", Endless(size)), seconds=0.01)
    photo = Attachment("image", "1", 0, "image/jpeg", "photo.jpg")
    with pytest.raises(UnusableAttachment) as caught:
        await reader.file(photo, frozenset(("image",)))
    assert caught.value.sentence == sentence


async def test_a_voice_is_the_message_it_says(memory: Memory, tmp_path: Path) -> None:
    said = "I moved to Oslo\nlast week."
    async with telegram() as api, TranscriptionStub([said]) as ear:
        own = {"transcribe": {"url": ear.url}}
        async with relaying(memory, Echo(), api=api, state=tmp_path, own=own, killed=True):
            number = await api.voice(b"OggS-voice")
            await api.replies(2)
            await api.all_fetched()
        async with relaying(memory, Echo(), api=api, state=tmp_path, own=own):
            api.world.updates.insert(0, {"update_id": 1, "message": api.world.messages[42, number]})
            await api.all_fetched()
    heard = "I moved to Oslo last week."
    assert texts(api) == [phrase("senses.heard", text=heard), f"re {heard}"]
    assert ear.files == [("voice.ogg", b"OggS-voice", "whisper-1")]
    assert await kept(memory, number) == heard
    async with memory.client() as client:
        asked = c.ForgetArgs(topic="Oslo")
        done = await client.forget(asked.model_copy(update={"confirm": (await client.forget(asked)).confirm}))
        assert done.traces_left == 0
    assert not [file for file in tmp_path.rglob("*") if file.is_file() and "Oslo" in file.read_text(errors="replace")]


async def test_a_command_listens_too_and_where_nobody_does_the_person_is_told(memory: Memory, tmp_path: Path) -> None:
    file = tmp_path / "listen.py"
    file.write_text("import sys, pathlib\nprint(pathlib.Path(sys.argv[1]).read_bytes().decode().upper())")
    own = {"transcribe": {"command": f"{sys.executable} {file}"}}
    async with telegram() as api, TranscriptionStub([500, ""]) as ear:
        async with relaying(memory, Echo(), api=api, own=own):
            await api.voice(b"buy oats")
            assert await api.replies(2) == [phrase("senses.heard", text="BUY OATS"), "re BUY OATS"]
        async with relaying(memory, Echo(), api=api, own={"transcribe": {"url": ear.url}}):
            await api.voice()
            await api.voice()
            assert (await api.replies(4))[2:] == [phrase("senses.not_heard"), phrase("senses.not_heard")]
        async with relaying(memory, Echo(), api=api):
            await api.voice()
            await api.replies(5)
            await api.voice()
            assert (await api.replies(6))[4:] == [phrase("senses.cannot_hear")] * 2, "there is nothing to answer"


async def test_a_voice_in_a_group_is_heard_where_the_bot_is_spoken_to(memory: Memory) -> None:
    async with TranscriptionStub(["What is left?"]) as ear:
        own = {"transcribe": {"url": ear.url}, "always_groups": ()}
        async with relaying(memory, Echo(), own=own) as api:
            await api.voice(chat=GROUP)
            await api.ask("@memory_bot hello", chat=GROUP, replies=1)
            answer = dict(api.sent[0])
            await api.voice(chat=GROUP, reply_to_message=answer)
            await api.replies(3)
    assert len(ear.files) == 1
    assert texts(api)[1:] == [phrase("senses.heard", text="What is left?"), "re What is left?"]
