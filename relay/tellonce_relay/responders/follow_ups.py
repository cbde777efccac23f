"""Finds the short message that a person sent directly after another message and that is about it, such as `no, sorry, on
Thursday`. It often does not name the subject, so a search for the subject does not find it. Pure."""

import math
from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Final

from tellonce import contract as c
from tellonce_relay.catalogue import in_every_language
from tellonce_relay.responders.search_results import LABEL, is_said

FOLLOWING: Final = timedelta(minutes=10)
"""Maximum time between a message and a follow-up."""
_LONGEST: Final = 10
"""Maximum number of words of a follow-up. A longer message usually names its subject."""


def follow_up(
    told: c.SearchResult, later: Sequence[c.SearchResult], is_statement: Callable[[str], bool]
) -> c.SearchResult | None:
    """The person's next statement after `told`, or None if it is not about `told`. `later` contains the messages of the
    time FOLLOWING after `told`, from a search for the question and the text of `told`.

    The bot's acknowledgement is the same for every subject. A statement is about `told` if it has a higher score than
    the acknowledgements. Nothing but acknowledgements may be between the two messages, because a message after anything
    else can be about another subject. Of the 54 corrections and 54 unrelated messages in
    `tests/relay/test_offline_follow_ups.toml`, this rule takes 45 and 11.
    """
    place = (told.chat_id, told.thread_key)
    here = [r for r in later if (r.chat_id, r.thread_key) == place]
    unrelated = max((r.score for r in here if _is_acknowledgement(r)), default=math.inf)
    following = min((r for r in here if not _is_acknowledgement(r)), key=lambda r: r.id, default=None)
    if following is None or not is_said(following) or following.speaker != told.speaker:
        return None
    is_about = _is_short(following.text) and following.score > unrelated and is_statement(following.text)
    return following if is_about else None


def _is_acknowledgement(result: c.SearchResult) -> bool:
    return result.role == "assistant" and result.text in in_every_language("offline.kept")


def _is_short(text: str) -> bool:
    return len(text.split()) <= _LONGEST and not LABEL.fullmatch(text)
