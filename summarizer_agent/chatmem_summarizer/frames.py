"""How a summary without a model says who said what and when, in the language of the talk; adds no word of its own to a fact."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from chatmem_summarizer.restate import inner, third_person


@dataclass(frozen=True, slots=True)
class Frame:
    """`about` has places for a period and topics; `day` is a strftime form without zero padding (`{m}`, `{d}`, `{month}`)."""

    about: str
    day: str
    user: str
    assistant: str
    conjunction: str
    telling: frozenset[str]


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


ENGLISH = Frame("On {period} they talked about {topics}.", "{month} {d}", "User", "Assistant", " and ", frozenset())
FRAMES = (
    Frame(
        *("Am {period} ging es um {topics}.", "{d}.{m}.", "Nutzer", "Assistent", " und "),
        _words("ich und der die das ist nicht ein eine mit wir habe haben auch zu den dem von wie für auf mein meine"),
    ),
    Frame(
        *("El {period} hablaron de {topics}.", "{d}/{m}", "Usuario", "Asistente", " y "),
        _words("el la los que de en es un una por con para mi yo está muy pero como tengo se del al"),
    ),
    Frame(
        *("Le {period}, il a été question de {topics}.", "{d}/{m}", "Utilisateur", "Assistant", " et "),
        _words("le la les est une et pour dans je nous pas mon ma mes avec sur qui au du des ce j'ai c'est"),
    ),
    Frame(
        *("{period} речь шла о: {topics}.", "{d}.{m}", "Пользователь", "Ассистент", ", "),
        _words("и в на я не что мы с по это у мой моя как но за к для из от он она есть"),
    ),
    Frame("{period}谈到:{topics}。", "{m}月{d}日", "用户", "助手", "、", frozenset()),
)
_HAN = re.compile(r"[\u4e00-\u9fff]")
_KANA = re.compile(r"[\u3040-\u30ff]")
_WORD = re.compile(r"[^\W\d_][\w'’]*")
_ENGLISH = _words("the and is my i to of in it we you that for with have be on at this what are was do can")


def frame_of(texts: Iterable[str]) -> Frame:
    """The frame in the language most of the words are of; English where none is known."""
    text = " ".join(texts)
    if len(_HAN.findall(text)) * 3 > len(text.strip()) and not _KANA.search(text):
        return FRAMES[-1]
    said = [word.lower() for word in _WORD.findall(text)]
    counts = [sum(word in frame.telling for word in said) for frame in FRAMES]
    best = max(range(len(FRAMES)), key=counts.__getitem__)
    return FRAMES[best] if counts[best] > sum(word in _ENGLISH for word in said) else ENGLISH


def day_in(frame: Frame, local: datetime) -> str:
    """The day of a moment that is in the user's zone already: `Feb 15`, `15.2.`."""
    return frame.day.format(month=f"{local:%b}", m=local.month, d=local.day)


def listed(frame: Frame, names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])}{frame.conjunction}{names[-1]}"


_LEADS = re.compile(
    r"^(?:(?:yes|yep|yeah|ok|okay|no|sure|please|well|so|and|but|oh|hey|hi|hello|thanks|also|btw|anyway|actually)\b[, ]*)+",
    re.IGNORECASE,
)
_SELF = re.compile(r"^(?:i|we|i'm|we're|i've|we've|i'll|we'll|i'd|we'd)\b", re.IGNORECASE)
_OWN = re.compile(r"^(?:my|our)\b", re.IGNORECASE)


def told_of_user(text: str) -> str:
    """`yes, I need to book flights` becomes `The user needs to book flights`; what is not about themselves is quoted."""
    bare = _LEADS.sub("", text.replace("’", "'")).strip()
    if _SELF.match(bare):
        return f"The user {_lowered(third_person(bare))}"
    if _OWN.match(bare):
        return f"The user said their {inner(_OWN.sub('', bare, count=1).strip())}"
    return f"The user said: {text}"


def _lowered(text: str) -> str:
    return text[:1].lower() + text[1:]
