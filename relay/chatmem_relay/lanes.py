"""Which thread of talk a Telegram message belongs to, by Telegram's own facts; pure."""

from dataclasses import dataclass

from telegram import Message


@dataclass(frozen=True)
class LaneFacts:
    """What the server derives the lane from."""

    message_thread_id: int | None
    reply_to: int | None


def lane_facts(message: Message) -> LaneFacts:
    """A topic message, a reply, or neither.

    In a topic every message that replies to nothing carries the topic's creation as its reply target. In a plain
    supergroup a reply carries a thread id that is no topic; sending into it fails.
    """
    target = message.reply_to_message
    reply_to = target.message_id if target is not None and target.forum_topic_created is None else None
    if message.is_topic_message and message.message_thread_id is not None:
        return LaneFacts(message.message_thread_id, reply_to)
    return LaneFacts(None, reply_to)
