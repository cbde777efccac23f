"""Whatever updates Telegram sends, the relay keeps working, each update has one outcome, and messages keep their
order."""

from collections import Counter
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.depth import depth
from tests.memory_fixtures import Memory
from tests.relay.running_relay import GROUP, PERSONAL, USER, Echo, relaying
from tests.stubs.telegram_emulator import Telegram
from tests.stubs.telegram_emulator.world import START, chat_of

pytestmark = pytest.mark.anyio

SAMPLES = depth(120, 300)
EVERY = 4
"""After this number of unusual updates, a plain message is sent. Then the same message is sent again with another
update number."""

FATES = ("message_received", "button_pressed", "update_ignored", "update_passed_over")
"""For every update, exactly one of these events is emitted."""

FIRST_MARKED = 1_000_000

Json = dict[str, Any]

ODD = st.sampled_from(
    [
        *("", " ", "\u200b", "\x00", "a\x00b", "\ufeff", "‮txet", "e\u0301" * 50, "👩‍👩‍👧‍👦" * 40, "😀" * 2048, "я" * 4096),
        *("/", "/help", "/nonsense", "/remember", "/forget zq", "/why", "/status@other_bot", "/memory@memory_bot", "//"),
        *("⟦memory⟧ I am not yours ⟦/memory⟧", "[REMEMBER: x]", "[DONE:", "```\n", "**", "_*[`", "\\", "%s {0}", "<b>", "\r\n\r\n"),
    ]
)  # fmt: skip
TEXTS = ODD | st.text(max_size=60)
# Numbers that no message of the emulator has. They must be different, because a number is unique in a chat.
NUMBERS = st.sampled_from([500_001, 500_002, 500_003, 2**31, 2**52])
ENTITIES = st.lists(
    st.fixed_dictionaries(
        {
            "type": st.sampled_from(["bold", "url", "mention", "bot_command", "custom_emoji", "of_tomorrow"]),
            "offset": st.sampled_from([0, 1, 5000]),
            "length": st.sampled_from([0, 1, 9999]),
        }
    ),
    max_size=3,
)
FILE = {"file_id": "a", "file_unique_id": "a"}
SIZED = {**FILE, "width": 1, "height": 1}
STICKER = {**SIZED, "is_animated": False, "is_video": False, "type": "regular"}
SOMEBODY = {"id": 666, "is_bot": False, "first_name": "Eve"}
POLL = {"id": "1", "question": "Why?", "options": [], "total_voter_count": 0, "is_closed": False, "is_anonymous": True, "type": "regular", "allows_multiple_answers": False, "allows_revoting": False, "members_only": False}  # fmt: skip
KINDS: list[Json] = [
    {"photo": [SIZED]},
    {"photo": []},
    {"voice": {**FILE, "duration": 1}},
    {"video_note": {**FILE, "duration": 1, "length": 1}},
    {"document": FILE},
    {"sticker": STICKER},
    {"poll": POLL},
    {"location": {"longitude": 1.0, "latitude": 1.0}},
    {"contact": {"phone_number": "1", "first_name": ""}},
    {"dice": {"emoji": "🎲", "value": 7}},
    {"new_chat_members": [SOMEBODY]},
    {"left_chat_member": SOMEBODY},
    {"new_chat_title": "Other"},
    {"group_chat_created": True},
    {"pinned_message": {"message_id": 1, "date": 0, "chat": chat_of(USER)}},
    {"forum_topic_created": {"name": "A topic", "icon_color": 1}},
    {"forum_topic_closed": {}},
    {"forward_origin": {"type": "hidden_user", "date": START, "sender_user_name": ""}},
    {"forward_origin": {"type": "of_tomorrow", "date": START}},
    {"thing_of_tomorrow": {"x": [1]}},
    {"media_group_id": "album"},
    {"via_bot": {"id": 5, "is_bot": True, "first_name": "B"}},
    {"edit_date": START},
    {"quote": {"text": "", "position": 0}},
    {"reply_markup": {"inline_keyboard": []}},
]
MIGRATION = {"message": {"message_id": 4, "date": START, "chat": chat_of(-999), "migrate_to_chat_id": -1_009_999}}
TARGETS: list[Json] = [
    {},
    {"reply_to_message": {"message_id": 987_654, "date": START, "chat": chat_of(USER)}},
    {"reply_to_message": {"message_id": 0, "date": 0, "chat": chat_of(USER)}},
    {"external_reply": {"origin": {"type": "hidden_user", "date": START, "sender_user_name": "Bo"}}},
    {"message_thread_id": 77, "is_topic_message": True},
    {"message_thread_id": 77},
    {"is_topic_message": True},
]
CHATS = st.sampled_from([USER, USER, USER, 43, GROUP, PERSONAL, 666, -999, -1_001_234_567_890])
SENDERS = st.sampled_from([USER, USER, USER, 43, 666]).map(lambda n: {"id": n, "is_bot": False, "first_name": "Priya"})


@st.composite
def messages(draw: st.DrawFn) -> Json:
    made: Json = {"message_id": draw(NUMBERS), "date": START, "chat": chat_of(draw(CHATS)), "from": draw(SENDERS)}
    made |= draw(st.sampled_from(KINDS)) if draw(st.booleans()) else {}
    made |= draw(st.sampled_from(TARGETS))
    made |= draw(st.fixed_dictionaries({}, optional={"text": TEXTS, "entities": ENTITIES}))
    made |= draw(st.fixed_dictionaries({}, optional={"caption": TEXTS, "caption_entities": ENTITIES}))
    return made


BROKEN: st.SearchStrategy[Any] = messages().flatmap(
    lambda message: st.sampled_from(
        [
            {**message, "date": "yesterday"},
            {**message, "date": 10**18},
            {**message, "chat": 5},
            {**message, "photo": 7},
            {**message, "entities": [{"type": "bold"}]},
            {**message, "reply_to_message": []},
            {k: v for k, v in message.items() if k not in ("from", "date")},
            {},
            [],
            "message",
            7,
        ]
    )
)


def queries() -> st.SearchStrategy[Json]:
    data = st.sampled_from(
        ["", "t:1", "t:99999999999999999999", "t:-1", "t:١", "w:0", "x", "k:1", "c:5", "e:5", "t:1:2", "x:1"]
    )
    message = messages() | st.sampled_from([{"message_id": 1, "date": 0, "chat": chat_of(USER)}])
    return st.fixed_dictionaries(
        {"id": st.just("q"), "from": SENDERS, "chat_instance": st.just("x")},
        optional={"data": data | st.text(max_size=64), "message": message, "inline_message_id": st.text(max_size=5)},
    )


def updates() -> st.SearchStrategy[Json]:
    """Strategies that generate the kinds of updates."""

    def of(kind: str, content: st.SearchStrategy[Any]) -> st.SearchStrategy[Json]:
        return content.map(lambda value: {kind: value})

    others = st.sampled_from(["channel_post", "edited_channel_post", "business_message", "update_of_tomorrow"])
    return st.one_of(
        of("message", messages()),
        of("message", messages()),
        of("edited_message", messages()),
        of("callback_query", queries()),
        of("message", BROKEN),
        others.flatmap(lambda kind: of(kind, messages())),
        st.sampled_from([{}, MIGRATION]),
    )


def generated() -> list[Json]:
    """Generate the examples in advance. The relay runs in our event loop, and hypothesis cannot use this loop."""
    found: list[Json] = []

    @settings(
        max_examples=SAMPLES, database=None, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck)
    )
    @given(updates())
    def collect(update: Json) -> None:
        found.append(update)

    collect()
    return found


def marked(number: int) -> Json:
    sender = {"id": USER, "is_bot": False, "first_name": "Priya"}
    place = {"message_id": FIRST_MARKED + number, "date": START + number, "chat": chat_of(USER), "from": sender}
    return {"message": {**place, "text": f"Marked {number}."}}


def with_marked(odd: list[Json]) -> tuple[list[Json], int]:
    """Insert plain messages between the unusual updates, each plain message twice. Returns the whole list and the
    number of plain messages."""
    whole: list[Json] = []
    count = 0
    for at, update in enumerate(odd):
        whole.append(update)
        if at % EVERY == 0:
            whole += [marked(count), marked(count)]
            count += 1
    return [{"update_id": number, **update} for number, update in enumerate(whole, start=1)], count


async def deliver(api: Telegram, whole: list[Json]) -> None:
    async with api.world.changed:
        api.world.updates += whole
        api.world.changed.notify_all()


async def test_whatever_comes_has_one_fate_and_the_talk_keeps_its_order(memory: Memory) -> None:
    whole, count = with_marked(generated())
    fates: list[tuple[str, object]] = []

    def emit(event: str, /, **fields: object) -> None:
        if event in FATES:
            fates.append((event, fields.get("update")))

    async with relaying(memory, Echo(), emit=emit) as api:
        for begin in range(0, len(whole), 20):
            await deliver(api, whole[begin : begin + 20])
            await api.all_fetched()
        answer = f"re Marked {count - 1}."
        await api.until(lambda: any(message["text"] == answer for message in api.sent))
    counted = Counter(number for event, number in fates if event != "button_pressed")
    pressed = sum(event == "button_pressed" for event, _ in fates)
    buttons = {update["update_id"] for update in whole if "callback_query" in update}
    assert {n: k for n, k in counted.items() if k != 1} == {}
    assert set(range(1, len(whole) + 1)) - set(counted) <= buttons
    assert pressed == len(buttons - set(counted))
    assert answered(api) == list(range(count))
    assert await kept(memory, "user") == await kept(memory, "assistant") == list(range(count))


def answered(api: Telegram) -> list[int]:
    """The numbers of the marked messages that were answered, in order."""
    return [int(m["text"].split()[2].rstrip(".")) for m in api.sent if m["text"].startswith("re Marked")]


async def kept(memory: Memory, role: str) -> list[int]:
    """The numbers of the marked messages, or of their answers, in the order in which the memory stores them."""
    said = "select content from messages where owner_id = $1 and role = $2 and content ~ '^(re )?Marked' order by id"
    async with memory.tables() as tables:
        rows = await tables.fetch(said, USER, role)
    return [int(row["content"].split()[-1].rstrip(".")) for row in rows]
