"""Orders in plain words, recognized by how a message begins; pure. What the words are is the catalogue's data.

Only a bot without a language model reads messages so: what one means is a model's business.
"""

import re
from functools import cache
from typing import Final, Literal, NamedTuple, get_args

from tellonce_relay.catalogue import LANGUAGES, Language, entries, spoken, words

Kind = Literal[
    "remind", "remember", "forget", "help", "stop", "know", "reminders", "summary", "greeting", "nod", "task"
]
KINDS: Final[tuple[Kind, ...]] = get_args(Kind)

_COMMANDS: Final[dict[Kind, str]] = {
    "remind": "/remind",
    "remember": "/remember",
    "forget": "/forget",
    "help": "/help",
    "stop": "/stop",
    "know": "/memory",
    "reminders": "/reminders",
    "summary": "/summary",
}
_WITH_MORE: Final[frozenset[Kind]] = frozenset(("remind", "remember", "forget", "task", "summary"))
"""Orders that go on after their first words; of the others those are the whole message."""
_STATED: Final[frozenset[Kind]] = frozenset(("remember", "forget"))
"""What is asked with these first words ("remember the trip?") is a question."""
_BLANK: Final = " \t\n.,;:!?…¿¡-–—\"'“”„«»()"


class Order(NamedTuple):
    """`rest`: what follows the first words. `language`: whose words they are."""

    kind: Kind
    rest: str
    language: Language

    @property
    def command(self) -> str | None:
        """The command that does what is ordered; None where there is none."""
        if self.kind not in _COMMANDS or (self.kind in _STATED and not self.rest):
            return None
        return f"{_COMMANDS[self.kind]} {self.rest}".strip()


def order_of(text: str) -> Order | None:
    """The order a message is, in the person's language or in another one of the catalogue."""
    languages = dict.fromkeys((spoken(), *LANGUAGES))
    return next((found for language in languages if (found := _order_in(text, language)) is not None), None)


def is_command_in_words(text: str) -> bool:
    found = order_of(text)
    return found is not None and found.command is not None


def without_joint(text: str) -> str:
    """`to call mom` as `call mom`."""
    joints = "|".join(re.escape(word) for word in words("orders.joints"))
    return re.sub(rf"\A(?:{joints})\s+", "", text.strip(_BLANK), flags=re.IGNORECASE)


def _order_in(text: str, language: Language) -> Order | None:
    said = _ending(language).sub("", text.strip().lstrip(_BLANK))
    for kind, pattern in _patterns(language):
        found = pattern.match(said)
        if found is None:
            continue
        rest = said[found.end() :].strip()
        asks = kind in _STATED and rest.endswith("?")
        if not asks and (kind in _WITH_MORE or not rest.strip(_BLANK)):
            return Order(kind, rest.strip().lstrip(_BLANK), language)
    return None


@cache
def _ending(language: Language) -> re.Pattern[str]:
    """A polite word at the end. A run of blanks is tried at its first one alone."""
    return re.compile(rf"(?<![\s,])[\s,]+{_either(entries(language)['orders.polite'])}\W*\Z", re.I)


@cache
def _patterns(language: Language) -> tuple[tuple[Kind, re.Pattern[str]], ...]:
    """Of each kind: a polite word or two, then its first words, the longest first."""
    polite = _either(entries(language)["orders.polite"])
    return tuple(
        (kind, re.compile(rf"(?:{polite}[\s,]+){{0,2}}{_either(entries(language)[f'orders.{kind}'])}(?!\w)", re.I))
        for kind in KINDS
    )


def _either(openers: list[str]) -> str:
    longest = sorted(openers, key=len, reverse=True)
    return "(?:" + "|".join(r"\s+".join(map(re.escape, opener.split())) for opener in longest) + ")"
