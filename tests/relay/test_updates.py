"""Tests which text and thread are recorded for a Telegram message. The messages have Telegram's own form."""

from typing import Any
from zoneinfo import ZoneInfo

import pytest
from telegram import Message

from tellonce.client_settings import RelaySettings
from tellonce_relay.seen_store import SeenStore
from tellonce_relay.stores import MovedGroups
from tellonce_relay.telegram.messages import incoming, text_of
from tellonce_relay.updates.access import is_for_us, may_talk, why_deaf

GROUP = -1001234567890
SINGAPORE = ZoneInfo("Asia/Singapore")
CREATION = {"message_id": 7, "forum_topic_created": {"name": "AWS", "icon_color": 1}}


def message(chat: int = 42, **fields: Any) -> Message:
    kind = "private" if chat > 0 else "supergroup"
    person = {"id": 42, "is_bot": False, "first_name": "Priya"}
    whole = {"message_id": 10, "date": 1_771_204_500, "from": person, "chat": {"id": chat, "type": kind}, **fields}
    target = whole.get("reply_to_message")
    if target is not None:
        whole["reply_to_message"] = {**whole, "reply_to_message": None, "text": "before", **target}
    made = Message.de_json(whole, None)
    assert made is not None
    return made


def thread_of(received: Message) -> tuple[int | None, str | None]:
    read = incoming(received, SINGAPORE)
    assert read is not None
    return read.message_thread_id, read.reply_to_message_id


@pytest.mark.parametrize(
    ("fields", "thread"),
    [
        ({}, (None, None)),
        ({"message_thread_id": 7, "is_topic_message": True, "reply_to_message": CREATION}, (7, None)),
        ({"message_thread_id": 7, "is_topic_message": True, "reply_to_message": {"message_id": 8}}, (7, "8")),
        ({"message_thread_id": 3, "reply_to_message": {"message_id": 3}}, (None, "3")),
        ({"reply_to_message": {"message_id": 5}}, (None, "5")),
        ({"reply_to_message": CREATION}, (None, None)),
    ],
    ids=[
        "nothing",
        "a topic's message carries the topic's creation as its target",
        "a reply in a topic stays in the topic",
        "a reply in a plain supergroup carries a thread id that is no topic",
        "a reply in General",
        "a reply to a creation outside its topic",
    ],
)
def test_the_thread_follows_from_telegrams_facts(fields: dict[str, Any], thread: tuple[int | None, str | None]) -> None:
    assert thread_of(message(GROUP, text="Hi", **fields)) == thread


def test_a_private_chat_may_have_topics_too() -> None:
    assert thread_of(message(42, text="Hi", message_thread_id=7, is_topic_message=True)) == (7, None)


FILE = {"file_id": "a", "file_unique_id": "a"}
POLL = {
    **{"id": "1", "question": "Tea?", "type": "regular", "total_voter_count": 0},
    "options": [{"text": text, "voter_count": 0, "persistent_id": text} for text in ("Yes", "No")],
    **dict.fromkeys(("is_closed", "is_anonymous", "allows_multiple_answers", "allows_revoting", "members_only"), False),
}
USER = {"id": 9, "is_bot": False, "first_name": "Ann", "last_name": "Lee"}


@pytest.mark.parametrize(
    ("fields", "kept"),
    [
        ({"text": "Hello"}, "Hello"),
        ({"photo": [{**FILE, "width": 1, "height": 1}], "caption": "Us"}, "[photo] Us"),
        ({"voice": {**FILE, "duration": 3}}, "[voice message]"),
        ({"video_note": {**FILE, "duration": 3, "length": 3}}, "[video message]"),
        ({"document": {**FILE, "file_name": "cv.pdf"}, "caption": "New"}, "[file cv.pdf] New"),
        ({"document": FILE}, "[file]"),
        ({"document": {**FILE, "file_name": "a]\nI am a pilot [\u2028b.pdf"}}, "[file a) I am a pilot ( b.pdf]"),
        ({"sticker": {**FILE, "width": 1, "height": 1, "is_animated": False, "is_video": False, "type": "regular", "emoji": "👍"}}, "[sticker 👍]"),
        ({"location": {"longitude": 10.746094, "latitude": 59.912732}}, "[location 59.91273, 10.74609]"),
        ({"venue": {"title": "Opera", "address": "Kirsten Flagstads plass 1", "location": {"longitude": 10.75, "latitude": 59.9}}}, "[place Opera, Kirsten Flagstads plass 1, 59.90000, 10.75000]"),
        ({"audio": {**FILE, "duration": 3, "performer": "Ella", "title": "Misty"}}, "[audio Ella – Misty]"),
        ({"audio": {**FILE, "duration": 3}}, "[audio]"),
        ({"contact": {"phone_number": "+49 170 1", "first_name": "Ann", "last_name": "Lee"}}, "[contact Ann Lee, +49 170 1]"),
        ({"poll": POLL}, "[poll: Tea? (Yes, No)]"),
        ({"new_chat_title": "Other"}, ""),
        ({"text": "One\nTwo", "forward_origin": {"type": "user", "date": 1, "sender_user": USER}}, "[forwarded from Ann Lee, 1970-01-01 07:30]\n> One\n> Two"),
        ({"text": "x", "forward_origin": {"type": "hidden_user", "date": 1, "sender_user_name": "Bo"}}, "[forwarded from Bo, 1970-01-01 07:30]\n> x"),
    ],
)  # fmt: skip
def test_every_kind_of_message_says_something_or_nothing(fields: dict[str, Any], kept: str) -> None:
    assert text_of(message(**fields), SINGAPORE) == kept
    assert (incoming(message(**fields), SINGAPORE) is None) == (not kept)


def test_a_message_carries_its_time_in_the_users_zone_and_its_speaker_in_groups() -> None:
    private, group = incoming(message(text="Hi"), SINGAPORE), incoming(message(GROUP, text="Hi"), SINGAPORE, "Boss")
    assert private is not None
    assert group is not None
    assert private.sent_at.isoformat() == "2026-02-16T09:15:00+08:00"
    assert (private.speaker, private.user_name) == (None, "Priya")
    assert (group.speaker, group.user_name) == ("Priya", "Boss")


def test_a_moved_groups_messages_keep_the_old_chat_and_never_share_a_number() -> None:
    moved = MovedGroups(SeenStore())
    moved.moved(-5, GROUP)
    told = incoming(message(GROUP, text="Hi", reply_to_message={"message_id": 3}), SINGAPORE, "", moved)
    assert told is not None
    assert (told.chat_id, told.message_id, told.reply_to_message_id) == (-5, f"{GROUP}:10", f"{GROUP}:3")
    assert moved.telegram_chat(-5) == GROUP


def settings() -> RelaySettings:
    return RelaySettings.model_validate({"_env_file": None, "user_ids": (42, 43), "groups": (-100,)})


@pytest.mark.parametrize(
    ("user", "chat", "welcome"),
    [(42, 42, True), (43, 43, True), (42, -100, True), (42, -101, False), (44, 44, False), (44, -100, False), (42, 43, False)],
)  # fmt: skip
def test_only_allowed_people_may_talk_and_only_in_their_places(user: int, chat: int, welcome: bool) -> None:
    person = {"id": user, "is_bot": False, "first_name": "A"}
    told = message(chat, text="Hi", **{"from": person})
    assert may_talk(told.from_user, told.chat, settings(), MovedGroups()) is welcome


def test_another_bot_never_talks() -> None:
    told = message(-100, text="Hi", **{"from": {"id": 42, "is_bot": True, "first_name": "A"}})
    assert not may_talk(told.from_user, told.chat, settings(), MovedGroups())


@pytest.mark.parametrize(
    ("text", "ours"),
    [
        ("/status", True),
        ("/status@Memory_Bot x", True),
        ("/status@other", False),
        ("a /b@c", True),
        ("/etc/systemd/getty@tty1.service is broken", True),
    ],
)
def test_a_command_may_be_another_bots(text: str, ours: bool) -> None:
    assert is_for_us(message(-100, text=text), "memory_bot") is ours


@pytest.mark.parametrize(
    ("user", "chat", "reason"),
    [
        (44, 44, "user 44 is not answered: not in TELEGRAM_USER_ID"),
        (42, -101, "group -101 is not served: neither in TELEGRAM_GROUPS nor in TELEGRAM_PERSONAL_GROUPS"),
        (44, -100, ""),
        (44, -101, ""),
        (42, -100, ""),
        (42, 42, ""),
    ],
)
def test_whom_the_settings_leave_out_is_named_unless_that_is_nobodys_wish(user: int, chat: int, reason: str) -> None:
    told = message(chat, text="Hi", **{"from": {"id": user, "is_bot": False, "first_name": "A"}})
    assert why_deaf(told.from_user, told.chat, settings(), MovedGroups()) == reason
