"""Finds the passwords and PINs that people tell in ordinary sentences, such as "the wifi password is still Cat99".

The file `secret_words.toml` lists the words for secrets, and the small words around them. This module contains the
rules for what stands between such a word and the value. It knows nothing about masks or about other kinds of secrets.
"""

import re
import tomllib
from collections.abc import Iterator, Sequence
from importlib.resources import files
from itertools import islice, zip_longest
from typing import Final, Literal, NamedTuple

Kind = Literal["password", "key", "pin", "code", "login"]
_Announced = Literal["no", "as a value", "as any word"]
"""What the words before a token announce: nothing, a word that looks like a value, or any word as the value."""

_LISTS: Final[dict[str, dict[str, str]]] = tomllib.loads(
    (files("tellonce_text") / "secret_words.toml").read_text(encoding="utf-8")
)


def _list(name: str) -> frozenset[str]:
    return frozenset(word for of_language in _LISTS[name].values() for word in of_language.split())


_ELSEWHERE: Final = _list("elsewhere")
ORDINARY: Final = _list("ordinary") | _ELSEWHERE
"""Words that are no passwords, although they follow "the password is": `wrong`, `abgelaufen`."""

_COPULA, _ADVERB, _HEAD, _CHANGE, _GUARDED = map(_list, ("copula", "adverb", "head", "change", "guarded"))
_BECOMING, _AS = _list("becoming"), _list("as")
_FROM_VALUE = _COPULA | _AS
_OPENED, _OTHER_PIN, _OTHER_CODE = _list("opened"), _list("other_pin"), _list("other_code")
_PREPOSITION, _DETERMINER = _list("preposition"), _list("determiner")
_LINK: Final = _PREPOSITION | _DETERMINER

_KINDS: Final[dict[str, Kind]] = {
    **dict.fromkeys(_list("login"), "login"),
    **dict.fromkeys(_list("code"), "code"),
    **dict.fromkeys(_list("key"), "key"),
    **dict.fromkeys(_list("compound"), "pin"),
    **dict.fromkeys(_list("pin"), "pin"),
    **dict.fromkeys(_list("password"), "password"),
}
_LONG: Final = 6
"""A word for a secret that has at least this many letters may also end a compound: `Netflixpasswort`."""


def _either(words: Iterator[str]) -> str:
    return "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))


COUNT: Final = re.compile(
    rf"\d{{1,3}}[^\S\n]{{1,3}}(?!(?:{_either(iter(_LINK | _ADVERB | _COPULA))})\b)[^\W\d_]|\d+[^\S\n](?:{_either(iter(_list('unit')))})\b",
    re.IGNORECASE,
)
"""Matches a number that counts the word after it: `12 characters`, `1500 g`. Such a number is not a secret."""

_WORD: Final = re.compile(
    rf"(?:(?<![^\W_])(?:{_either(word for word in _KINDS)})"
    rf"|(?<!\d)(?:{_either(word for word, kind in _KINDS.items() if kind == 'password' and len(word) >= _LONG)}))(?![\w/]|-\w)",
    re.IGNORECASE,
)
HINTS: Final = frozenset(_KINDS)
"""Words in lower case. This module finds a secret only in a text that contains one of these words."""

_MARKS: Final = r"[:=：]+>?|->|→|[—–-]+(?=\s)"
_SHORT_IS: Final = ("'s", "’s")
"""Stands for "is" directly after a word for a secret: "the PIN's 4711"."""
_TOKEN: Final = re.compile(rf"(?<=\w)['’]s\b|{_MARKS}|[\"“„«`][^\"“”„«»`\n]+[\"”“»`]|[^\s:=：]+(?:[:=][^\s:=]+)*")
_MARK: Final = re.compile(_MARKS)
_DASHES: Final = frozenset("-–—")
_MARK_STARTS: Final = ":=：-—–→"
_STOP: Final = re.compile(r"(?<![:=])[^\S\n]*\n|(?<![:=])[.!?…;]+(?=[\s\"'”»)\]}])|[\"”»'],")
"""Matches the end of the sentence or of the line in which a secret's value is expected."""
_CLOSED: Final = re.compile(r"(?!'s\b)[\"'`”»)\]}*]|,\s*+(?:[\d\"'(\[{]|\w+[.(=])")
_AHEAD, _BACK = 160, 60
"""Characters after and before a word such as "password" in which its value is looked for."""
_MOST_TOKENS: Final = 12
_MOST_BESIDE: Final = 5
"""Maximum distance in tokens between a word for a secret and its value, if neither a verb nor a mark announces the
value."""

_OUTSIDE: Final = "\"'`“”„«»()[]{}<>,"
_OUTSIDE_END: Final = f"{_OUTSIDE}.;:?…"
_NUMBER: Final = re.compile(r"(?:\d{3,8}[A-Z#*]?|\d{1,2}(?:-\d{1,2}){2,3})\Z")
_CODE: Final = re.compile(r"(?=[^\d]*\d)[\d#*-]{3,8}\Z")
_YEAR: Final = re.compile(r"(?:19|20)\d\d\Z")
_MEASURE: Final = re.compile(
    r"\d+(?:[.,:/-]\d+)*[-.]?[^\W\d_]{0,5}|\d+(?:[.:/-]\w+)+|[^\W\d_]{1,2}\d{1,2}|[A-Z]{1,2}-?\d{1,5}|[A-Z]\d-\d{4}"
)
"""Matches a number with a unit, a date, a time, or the short name of a thing: `5th`, `20mg`, `10:30pm`, `S23`, `LH1234`,
`Q4-2025`."""
_ADDRESS: Final = re.compile(
    r"[\w.+-]+@[\w-]+\.\w|://|\Awww\.|\A[/@#~]|\w[(\[{]|[\\/]\w+[\\/]|\.\w{2,4}\Z", re.IGNORECASE
)
_SPECIAL: Final = re.compile(r"\w[!#$%&*^~?+§€]+\w")
_IN_VALUE: Final = re.compile(r"\d|[!#$%&*^~?+§€]\w")
"""Matches in every value that looks like a PIN or a password."""


class Found(NamedTuple):
    """The place of a secret's value in the text."""

    start: int
    end: int
    kind: Literal["password", "pin"]


class _Token(NamedTuple):
    start: int
    end: int
    value: str
    word: str

    @property
    def is_mark(self) -> bool:
        return self.value[0] in _MARK_STARTS and _MARK.fullmatch(self.value) is not None


def told(text: str) -> Iterator[Found]:
    """The values of the passwords and PINs in the text, in their order. The values do not overlap."""
    at = 0
    matches = list(_WORD.finditer(text))
    for match, following in zip_longest(matches, matches[1:]):
        kind = _kind(text, match)
        if match.start() < at or kind is None:
            continue
        after = _after(text, match.end(), following.start() if following else len(text), kind)
        value = _following(text, match, after, kind) or _preceding(text, at, match, after, kind)
        if value is not None:
            at = max(value.end, match.end())
            yield Found(value.start, value.end, "pin" if kind in ("pin", "code") else "password")


def _kind(text: str, match: re.Match[str]) -> Kind | None:
    """None if the words beside it give the word another meaning."""
    kind = _KINDS.get(match[0].lower(), "password")
    before = text[max(0, match.start() - 40) : match.start()].split()[-3:]
    after = [_bare(word) for word in text[match.end() : match.end() + 60].split()[:6]]
    if kind == "code":
        means_secret = _is_guarded(before, after)
    elif kind == "pin":
        means_secret = _OTHER_PIN.isdisjoint((*map(_bare, before), *after))
    else:
        means_secret = kind != "key" or _begins_name(before)
    return kind if means_secret else None


def _bare(word: str) -> str:
    return word.strip(f"{_OUTSIDE_END}-").lower().removesuffix("'s")


def _is_guarded(before: Sequence[str], after: Sequence[str]) -> bool:
    """Whether a code opens something that must stay closed: "alarm code", "code of the safe"."""
    if before and _bare(before[-1]) in _GUARDED:
        return True
    if before and _bare(before[-1]) in _OTHER_CODE:
        return False
    return next((word in _GUARDED for word in after[:4] if word not in _LINK), False)


def _begins_name(before: Sequence[str]) -> bool:
    """Whether the word after `before` is not the end of a compound such as "boarding pass"."""
    if not before or _bare(before[-1]) in _LINK or before[-1][-1] in f"{_OUTSIDE_END}/|":
        return True
    return any(_bare(word) in _OPENED for word in before[-2:])


def _before(text: str, least: int, end: int) -> list[_Token]:
    start = max(least, end - _BACK)
    stops = [stop.end() for stop in _STOP.finditer(text, start, end)]
    return list(_tokens(text, stops[-1] if stops else start, end))


def _after(text: str, start: int, end: int, kind: Kind) -> list[_Token]:
    """Empty if the word ends a quotation or an item of a list, as in `"pin", 4`."""
    end = min(end, start + _AHEAD)
    if _CLOSED.match(text, start) or (kind != "password" and not _IN_VALUE.search(text, start, end)):
        return []
    stop = _STOP.search(text, start, end)
    return list(islice(_tokens(text, start, stop.end() if stop else end), _MOST_TOKENS))


def _tokens(text: str, start: int, end: int) -> Iterator[_Token]:
    for match in _TOKEN.finditer(text, start, end):
        raw, begun = match[0], match.start()
        if raw in _SHORT_IS or (raw[0] in _MARK_STARTS and _MARK.fullmatch(raw)):
            yield _Token(begun, match.end(), raw, raw)
            continue
        raw = raw.split("</")[0]
        value = raw.lstrip(_OUTSIDE)
        begun += len(raw) - len(value)
        value = value.rstrip(_OUTSIDE_END)
        if value:
            yield _Token(begun, begun + len(value), value, value.rstrip("!").lower())


def _following(text: str, match: re.Match[str], after: Sequence[_Token], kind: Kind) -> _Token | None:
    if not after or after[0].word in _HEAD:
        return None
    announced: _Announced = "no"
    gap: list[_Token] = []
    for index, token in enumerate(after):
        if token.is_mark or token.word in _COPULA:
            announced = _announced_by(gap, token, kind)
        elif token.word in _SHORT_IS or (announced != "no" and token.word in _DETERMINER):
            announced = "as a value"
        elif token.word in _BECOMING and _changes(text, match, after, index):
            return after[index + 1]
        elif token.word in _ADVERB:
            continue
        elif announced != "no" and token.word in _ELSEWHERE:
            return None
        elif COUNT.match(text, token.start):
            announced = "no"
            gap.append(token)
        elif announced != "no" and kind == "login":
            return _of_login(after[index:])
        elif _is_announced(token, kind, announced) or (announced == "no" and _stands_beside(gap, after[index:], kind)):
            return token
        else:
            announced = "no"
            gap.append(token)
    return None


def _announced_by(gap: Sequence[_Token], link: _Token, kind: Kind) -> _Announced:
    """`gap` contains the tokens before the link (a verb or a mark)."""
    if kind == "key" and gap and not any(token.word in _OPENED for token in gap):
        return "no"
    return "as any word" if _may_be_word(gap, link, kind) else "as a value"


def _is_announced(token: _Token, kind: Kind, announced: _Announced) -> bool:
    if announced == "as any word" and token.word not in ORDINARY:
        return True
    return announced != "no" and _is_value(token, kind, announced=True)


def _may_be_word(gap: Sequence[_Token], link: _Token, kind: Kind) -> bool:
    """True for "the password for the wifi is sunshine", not for "the password manager is Bitwarden"."""
    if kind != "password" or link.value == "-":
        return False
    if any(token.word in ORDINARY and token.word not in _LINK for token in gap):
        return False
    return not gap or gap[0].word in _LINK or (link.is_mark and len(gap) <= 2)


def _stands_beside(gap: Sequence[_Token], rest: Sequence[_Token], kind: Kind) -> bool:
    """A value that nothing announces: "пароль от почты Kotik777"."""
    token, followers = rest[0], rest[1:]
    if len(gap) >= _MOST_BESIDE or kind in ("login", "key") or (gap and gap[-1].word in _LINK):
        return False
    if gap and kind != "password" and gap[0].word not in _LINK | _OPENED | _GUARDED | _DASHES:
        return False
    if len(followers) > 1 and (followers[0].is_mark or followers[0].word in _COPULA):
        return False
    ends = len(followers) == 1 and followers[0].word in _COPULA | _ADVERB
    if gap and token.value.isdigit() and followers and followers[0].value[0].islower() and not ends:
        return False
    return _is_value(token, kind, announced=False, first=not gap)


def _changes(text: str, match: re.Match[str], after: Sequence[_Token], index: int) -> bool:
    """For example, "I set the password to Cat99"."""
    if not any(_looks_random(token.value) or _NUMBER.match(token.value) for token in after[index + 1 : index + 2]):
        return False
    return any(token.word in _CHANGE for token in (*after, *_before(text, 0, match.start())))


def _preceding(text: str, least: int, match: re.Match[str], after: Sequence[_Token], kind: Kind) -> _Token | None:
    """For example, "Sonne77 ist mein Passwort"."""
    if kind in ("login", "code") or _IN_VALUE.search(text, max(least, match.start() - _BACK), match.start()) is None:
        return None
    before = _before(text, least, match.start())
    for index in range(len(before) - 1, max(0, len(before) - 6), -1):
        token = before[index]
        if token.word in _FROM_VALUE or token.value in "—–":
            owned = index + 1 == len(before) or before[index + 1].word in _DETERMINER
            named = bool(after) and after[0].word in _HEAD
            if owned and not named and _is_value(before[index - 1], kind, announced=False):
                return before[index - 1]
        if token.word in _PREPOSITION:
            return None
    return None


def _of_login(told: Sequence[_Token]) -> _Token | None:
    """`ann / Cat99`, `ann:Cat99`"""
    glued = re.search(r"[/:|]", told[0].value)
    if glued is not None and _looks_random(told[0].value[glued.end() :]):
        start = told[0].start + glued.end()
        return _Token(start, told[0].end, told[0].value[glued.end() :], told[0].word)
    parted = len(told) > 2 and (told[1].is_mark or told[1].value in _DASHES | {"/", "|"})
    value = told[2] if parted else told[-1]
    named = told[0].word not in _LINK | ORDINARY and (parted or len(told) == 2)
    return value if named and _looks_random(value.value) else None


def _is_value(token: _Token, kind: Kind, *, announced: bool, first: bool = False) -> bool:
    """A number of fewer than four digits counts only if it is announced or if it is the first token. A year is a PIN
    only if announced."""
    if kind in ("pin", "code"):
        number = (_CODE if kind == "code" else _NUMBER).match(token.value) is not None
        beside = (first or len(token.value) >= 4) and _YEAR.match(token.value) is None
        return (announced and kind == "pin" and _looks_random(token.value)) or (number and (announced or beside))
    if _looks_random(token.value) or (announced and kind == "password" and " " in token.value):
        return True
    return announced and token.value.isdigit() and len(token.value) >= (6 if kind == "key" else 4)


def _looks_random(value: str) -> bool:
    """Whether a word looks like a password: it has letters and digits, or a special sign between letters."""
    if len(value) < 5 or " " in value or _MEASURE.fullmatch(value) or _ADDRESS.search(value) or _WORD.search(value):
        return False
    letters, digits = any(map(str.isalpha, value)), any(map(str.isdigit, value))
    return letters and (digits or _SPECIAL.search(value) is not None)
