"""What in a message the writer says themselves: code, quotations, recalled and pasted text are blanked out.

Blanked text keeps its length, so that a place found in it is a place in the original.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from chatmem.corrections import corrects

BLANK = "\x1a"
"""Stands for one foreign character; no rule may match across it."""

LETTER = (
    r"^(?:Dear|Hi|Hello|Hey|Hallo|Liebe[rs]?|Sehr geehrte[rs]?|Bonjour|Ch[eè]re?|Hola|Estimad[oa]) "
    r"(?!there|all|team|Claude|ChatGPT|assistant|bot)[A-ZÄÖÜ][^\n.!?]{0,40}\n.*?"
    r"^(?:(?:Best|Kind|Warm)(?: regards| wishes)?|Regards|Cheers|Sincerely|Yours[^\n]{0,20}|(?:Many )?[Tt]hanks"
    r"|Mit freundlichen Grüßen|(?:Viele|Liebe) Grüße|Cordialement|Bien à vous|Saludos|Un saludo)[,.!]?[ \t]*\n[^\n]{1,60}"
)
"""A letter or mail in the message, from its salutation of somebody to the name under its close."""

_FOREIGN = tuple(
    re.compile(pattern, flags)
    for pattern, flags in (
        (r"⟦memory⟧.*?(?:⟦/memory⟧|\Z)", re.DOTALL),
        (r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)", re.DOTALL),
        (r"<(recalled|memory|context|quote)\b[^>]*>.*?(?:</\1>|\Z)", re.DOTALL | re.IGNORECASE),
        (r"\[(recalled|memory|quote)\b[^\]]*\].*?\[/\1\]", re.DOTALL | re.IGNORECASE),
        (r"^[ \t]*(?:>|//|/\*).*$", re.MULTILINE),
        (r"^(?: {4,}|\t)\S.*$", re.MULTILINE),
        (r"^On .{6,80} wrote:[ \t]*$.*\Z", re.MULTILINE | re.DOTALL),
        (r"^-{2,} ?(?:Forwarded|Original) [Mm]essage.*\Z", re.MULTILINE | re.DOTALL),
        (LETTER, re.MULTILINE | re.DOTALL),
        (r"^(?:(?:Subject|Betreff|Objet|Asunto): \S|(?i:From|To|Cc|Von|An): [^\n]*@).*\Z", re.MULTILINE | re.DOTALL),
        (r"`[^`\n]*[^\w\s`\-./][^`\n]*`|`(?:[^`\s]+\s+){3,}[^`\n]*`", 0),
        (r"\"[^\"\n]*\"|“[^”\n]*”|«[^»\n]*»|„[^“”\n]*[“”]", 0),
        (r"(?<![\w])'(?:[^'\n]|(?<=\w)'(?=\w))*'(?![\w])|‘[^’\n]*’(?!\w)", 0),
    )
)
_SHORT_QUOTE = re.compile(r"^\W?[\w.&/+#'’-]+(?: [\w.&/+#'’-]+){0,2}\W?$")
_SPEECH_BEFORE = re.compile(
    r"(?:\b(?:said|says|say|told|asked|wrote|replied|shouted|whispered|like|goes)|[:,])\s*$", re.I
)

# "Translate this: …", "Fix my text below": what follows is material to work on, not talk.
_MATERIAL = re.compile(
    r"\b(?:translate|proof-?read|rewrite|rephrase|paraphrase|summari[sz]e|correct|fix|edit|polish|improve|shorten"
    r"|review"
    r"|analy[sz]e|check|grade|reply to|respond to|what does)\b[^.!?\n]{0,80}"
    r"(?::\s*|\b(?:below|following|this)\b[^.!?\n]{0,30}[.!?]?\s*\n\s*|\bfollowing\b[^.!?\n]{0,30}[.!?]\s)",
    re.I,
)
_MAIL_HEADER = re.compile(r"^(?:From|To|Cc|Subject|Sent|Date|Von|An|Betreff): .+$", re.MULTILINE)
_LOG_LINE = re.compile(
    r"^(?:thread '.*' panicked at .*(?:\n.+)?|\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d.*|[ \t]*at .+\(.+:\d+\).*|Traceback .*|[ \t]*File \".+\", line \d+.*"
    r"|(?:INFO|WARN|WARNING|ERROR|DEBUG|FATAL)\b.*|[$#>%] \S.*|[ \t]*[{}\[\]|].*|.*[;{}][ \t]*|#{1,6} .*)$",
    re.MULTILINE,
)
# Instructions for an assistant: whoever says "I" or "my" in them is not the user.
_PERSONA = re.compile(
    r"\b(?:I am|I'm|You are|You're|Your name is) (?:now )?(?:an? )?(?:\w+ ){0,3}(?:AI|A\.I\.|assistant|chat ?bot|language model|agent)\b"
    r"|\bsystem prompt\b|^(?:System|Assistant|Human|User): ",
    re.MULTILINE,
)
_APOSTROPHES = str.maketrans({"’": "'", "‘": "'", "ʼ": "'", "´": "'"})


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of the original text: `text` is blanked and has straight apostrophes, `quote` is verbatim."""

    text: str
    quote: str
    start: int


def sentences(message: str) -> list[Sentence]:
    """The sentences a message says in its writer's own voice, in order."""
    own = blanked(message)
    found = (_sentence(message, own, start, end) for start, end in _spans(own))
    return [sentence for sentence in found if sentence.text.strip(BLANK + " ")]


def blanked(message: str) -> str:
    """The message, as long as before, with everything that is not the writer's own voice blanked out."""
    own = message.translate(_APOSTROPHES)
    if len(_MAIL_HEADER.findall(message)) >= 2 or _PERSONA.search(message):
        return BLANK * len(message)
    for pattern in (*_FOREIGN, _LOG_LINE):
        own = pattern.sub(_blank_unless_short, own)
    material = _MATERIAL.search(own)
    if material and own[material.end() :].strip():
        own = own[: material.end()] + BLANK * (len(own) - material.end())
    return own


def _blank_unless_short(match: re.Match[str]) -> str:
    text = match.group()
    quoted = text[:1] in "\"“«„'‘"
    if quoted and _SHORT_QUOTE.match(text) and not _ends_with(_SPEECH_BEFORE, match.string, match.start()):
        return text  # a name in quotes is a name, not speech
    return BLANK * len(text)


def _ends_with(pattern: re.Pattern[str], text: str, end: int) -> bool:
    """Whether `pattern`, which ends in `$`, matches what stands just before `end`."""
    return pattern.search(text, max(0, end - _LONGEST_BEFORE), end) is not None


_LONGEST_BEFORE = 40
"""Characters; a look back over a whole message at each of its sentences would be quadratic."""

_END = re.compile(
    r"[.!?…。！？]+[\"')\]”’]*(?=\s|$)|\n+|;\s|(?<=\s)[—–-]{1,2}(?=\s)"
    # A colon ends a sentence after an announcement, not after `Lyrics:` or somebody's name.
    r"|\b(?:news|update|about me|facts?|info|context|background|situation|plan|reminder|btw|fyi|thing is|intro|know|remember"
    r"|note|important|case|today|heads up|question|confession|preferences?):\s",
    re.I,
)
_ABBREVIATION = re.compile(
    r"(?:^|[\s(])(?:[A-Za-z]|(?i:dr|mr|mrs|ms|prof)|St|Sr|Jr|No|Nr|vs|etc|approx|e\.g|i\.e|a\.m|p\.m|U\.S|Jan|Feb|Mar|Apr"
    r"|Jun"
    r"|Jul|Aug|Sept?|Oct|Nov|Dec|Inc|Ltd|Co|Ave|Rd|z\.B|bzw)\.$"
)


# "am 3. März": no sentence ends there.
_LONGEST_CORRECTION = 60
_ORDINAL = re.compile(r"(?<!\d)\d{1,2}\.$")
_MONTH_AHEAD = re.compile(r" (?:Jan|Feb|Mär|Apr|Mai|Jun|Jul|Aug|Sep|Okt|Nov|Dez)")


def _spans(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    for match in _END.finditer(text):
        end = match.end()
        if corrects(text[end : end + _LONGEST_CORRECTION].lstrip()):
            continue  # "… on Thursday. No wait, Friday." says one thing
        if _ends_with(_ORDINAL, text, end) and _MONTH_AHEAD.match(text, end):
            continue
        if (
            match.group() == "."
            and _ABBREVIATION.search(text[max(start, end - 12) : end])
            and not _new_start(text, end)
        ):
            continue
        yield start, end
        start = end
    yield start, len(text)


def _new_start(text: str, end: int) -> bool:
    """Whether what follows an abbreviation's full stop plainly begins a sentence."""
    return _STARTS_ANEW.match(text, end) is not None


_STARTS_ANEW = re.compile(r"\s+(?:I|I'm|My|We|The|It|And|But|Please)\b")


_BULLET = re.compile(r"\s*(?:[-*•–—]\s+|\d{1,2}[.)]\s+|[a-z]\)\s+)?")


def _sentence(message: str, own: str, start: int, end: int) -> Sentence:
    bullet = _BULLET.match(own, start, end)
    start = bullet.end() if bullet else start
    quote = message[start:end].rstrip()
    return Sentence(own[start : start + len(quote)], quote, start)
