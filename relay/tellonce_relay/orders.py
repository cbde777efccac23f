"""Recognizes orders by the phrases of the catalogue. An order is a request to the bot in words, such as `show my
reminders`. If a language model is set up, the model recognizes orders instead. Pure."""

import re
from collections.abc import Iterator
from functools import cache
from typing import Final, Literal, NamedTuple, get_args

from tellonce_relay.catalogue import LANGUAGES, Language, current_language, entries, words
from tellonce_relay.command_table import BY_ORDER

Alone = Literal[
    "help", "stop", "know", "reminders", "greeting", "nod", "why", "wipe", "unsaid", "undo", "remember_this"
]
Listed = Literal[Alone, "unremind", "remind", "remember", "forget", "summary", "task"]
Kind = Literal[Listed, "off_record"]
KINDS: Final[tuple[Listed, ...]] = get_args(Listed)
"""The kinds of orders that have their own list of phrases. Orders that consist of a phrase alone come first. Otherwise,
"forget it" would forget every "it"."""

_WITH_MORE: Final[frozenset[Kind]] = frozenset(("unremind", "remind", "remember", "forget", "task", "summary"))
"""Orders that need more text after their phrase; others consist of the phrase alone."""
_STATED: Final[frozenset[Kind]] = frozenset(("remember", "forget"))
"""An order of these kinds is read as a question if it ends with a question mark ("remember the trip?")."""
_MENTION: Final = re.compile(r"\A\W*@\w*bot\b", re.IGNORECASE)
"""Matches a bot's name at the beginning of a message in a group. The names of all bots end like this."""
_GAP: Final = r"(\S[^\n]{0,300}?)"
"""The pattern for `…` in a phrase whose verb comes at the end of the sentence ("kannst du mich … erinnern")."""
_BLANK: Final = " \t\n.,;:!?…¿¡-–—\"'“”„«»()"


class Order(NamedTuple):
    """`rest` is the text after the order's phrase, or before a phrase at the end."""

    kind: Kind
    rest: str
    language: Language

    @property
    def command(self) -> str | None:
        """The command that carries out the order, or None."""
        if self.kind not in BY_ORDER or (self.kind in _STATED and not self.rest):
            return None
        rest = "" if self.kind == "unsaid" else self.rest
        return f"/{BY_ORDER[self.kind]} {rest}".strip()


def off_record(text: str) -> str | None:
    """`Off the record: I quit -> I quit`. None for a message without such a phrase."""
    said = _MENTION.sub("", text).strip().lstrip(_BLANK)
    for language in dict.fromkeys((current_language(), *LANGUAGES)):
        begun = _off_record(language).match(said)
        if begun is not None:
            return said[begun.end() :].strip()
        end = _end(language, "off_record").search(_ending(language).sub("", said))
        if end is not None:
            return said[: end.start()].strip()
    return None


def order_of(text: str) -> Order | None:
    """The request to the bot that a message contains, in any language of the catalogue; None if there is none. Emoji
    alone count as thanks."""
    private = off_record(text)
    if private:
        return Order("unsaid", private, current_language())
    text = _MENTION.sub("", text)
    if "?" not in text and text.strip() and not any(character.isalnum() for character in text):
        return Order("nod", "", current_language())
    languages = dict.fromkeys((current_language(), *LANGUAGES))
    found = next((found for language in languages if (found := _order_in(text, language)) is not None), None)
    return Order("off_record", "", current_language()) if found is None and private is not None else found


def asks_for_reminder(text: str) -> str:
    """Words such as `remind me` after the beginning of a message, in any language of the catalogue; empty if there are
    none."""
    languages = dict.fromkeys((current_language(), *LANGUAGES))
    return next((found[0] for language in languages if (found := _within(language).search(text)) is not None), "")


def without_mention(text: str) -> str:
    """The text without a bot's name at its beginning."""
    return _MENTION.sub("", text).lstrip(_BLANK) if _MENTION.match(text) else text


def without_polite(text: str) -> str:
    """The text without a polite word at its end."""
    return _ending(current_language()).sub("", text)


def without_joint(text: str) -> str:
    """The text without leading words such as `to`: `for to call mom` becomes `call mom`."""
    joints = "|".join(re.escape(word) for word in words("orders.joints"))
    return re.sub(rf"\A(?:(?:{joints})(?:\s+|\Z))+", "", text.strip(_BLANK), flags=re.IGNORECASE).lstrip(_BLANK)


def _order_in(text: str, language: Language) -> Order | None:
    said = text.strip().lstrip(_BLANK)
    # The second try keeps polite words at the end. In "was kannst du", the words "kannst du" belong to the order.
    found = _beginning(_ending(language).sub("", said), language) or _beginning(said, language)
    # In "Call the plumber tomorrow at 3, remind me", the task is the person's own.
    return found if found is not None and found.kind != "task" else _at_end(said, language) or found


def _at_end(said: str, language: Language) -> Order | None:
    """An order at the end of a message, such as `My code is 77, don't remember this` or `Dentist at 5, remind me`."""
    said = _ending(language).sub("", said)
    ends: tuple[Kind, ...] = ("unsaid", "remind")
    found: Iterator[tuple[Kind, re.Match[str] | None]] = ((kind, _end(language, kind).search(said)) for kind in ends)
    return next((Order(kind, said[: end.start()].strip(), language) for kind, end in found if end is not None), None)


def _beginning(said: str, language: Language) -> Order | None:
    for kind, pattern in _patterns(language):
        found = pattern.match(said)
        if found is None:
            continue
        within = next(filter(None, found.groups()), "")
        rest = f"{within} {said[found.end() :]}".strip()
        asks = kind in _STATED and rest.endswith("?")
        says_more = kind == "unremind" and within and _begins_with_noun(said[found.end() :], language)
        if not asks and not says_more and (kind in _WITH_MORE or not rest.strip(_BLANK)):
            return Order(kind, rest.strip().lstrip(_BLANK), language)
    return None


def _begins_with_noun(text: str, language: Language) -> bool:
    """Whether the words directly after `the old reminder` go on with its noun, as in `the old reminder app`."""
    joints = _either(entries(language)["orders.joints"])
    return re.match(rf"\s+(?!{joints}(?!\w))\w", text, re.I) is not None


@cache
def _ending(language: Language) -> re.Pattern[str]:
    """Only the first blank of a run can match, so that the search is linear."""
    return re.compile(rf"(?<![\s,])[\s,]+{_either(entries(language)['orders.polite'])}\W*\Z", re.I)


@cache
def _end(language: Language, kind: Kind) -> re.Pattern[str]:
    """The order follows a comma or another mark, so "I don't remember this" is not an order."""
    polite = _either(entries(language)["orders.polite"])
    return re.compile(
        rf"(?<=\w)[)\"'”»]?[,.;:!–—\n-]\s*(?:{polite}\s+)?{_either(entries(language)[f'orders.{kind}'])}[\s.!]*\Z", re.I
    )


@cache
def _off_record(language: Language) -> re.Pattern[str]:
    """A comma or another mark follows the request."""
    polite, phrases = _either(entries(language)["orders.polite"]), _either(entries(language)["orders.off_record"])
    return re.compile(rf"(?:{polite}[\s,]+)?{phrases}\s*(?:[,.:;!–—\n-]|\Z)", re.I)


@cache
def _within(language: Language) -> re.Pattern[str]:
    """The pattern of a request for a reminder in the middle of a message. Phrases that end in a noun are left out,
    because "I set a reminder" is not a request. A word is a noun if the catalogue lists it with a colon
    (`reminder:`)."""
    phrases = entries(language)["orders.remind"]
    nouns = tuple(one[:-1] for one in phrases if one.endswith(":"))
    asks = [one for one in phrases if "…" not in one and not one.endswith((*nouns, ":"))]
    return re.compile(rf"(?<=[\s,;.:–-]){_either(asks)}(?!\w)", re.I)


@cache
def _patterns(language: Language) -> tuple[tuple[Kind, re.Pattern[str]], ...]:
    """Each pattern contains polite words and a phrase. Longer phrases are tried first."""
    polite = _either(entries(language)["orders.polite"])
    return tuple(
        (kind, re.compile(rf"(?:{polite}[\s,]+){{0,2}}{_either(entries(language)[f'orders.{kind}'])}(?!\w)", re.I))
        for kind in KINDS
    )


def _either(openers: list[str]) -> str:
    longest = sorted(openers, key=len, reverse=True)
    patterns = (r"\s+".join(_GAP if word == "…" else re.escape(word) for word in opener.split()) for opener in longest)
    return f"(?:{'|'.join(patterns)})"
