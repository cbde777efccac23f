"""Which sentences of a message may make facts about its writer: their own plain statements.

Code, quotations, quoted speech and text recalled from memory are blanked out in place, so that offsets stay those of the
message; questions and what is only supposed are left out.  Whether a sentence is worth remembering is not decided here.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from chatmem_server.text.fences import FENCE_CLOSE, FENCE_OPEN


@dataclass(frozen=True, slots=True)
class Sentence:
    """`text` is what may be learned from; `start` and `end` are its place in the message."""

    text: str
    start: int
    end: int


def eligible_sentences(message: str) -> list[Sentence]:
    """The sentences of the message that may state facts, in order."""
    own = own_words(message)
    found: list[Sentence] = []
    for start, end in _paragraphs(own):
        found += _stated(own, start, end)
    return found


def own_words(message: str) -> str:
    """The message with everything that is not its writer's own voice blanked; every character keeps its place."""
    for pattern in _FOREIGN:
        message = pattern.sub(lambda match: _BLANK * len(match[0]), message)
    message = _RECORD.sub(_record, message)
    return _QUOTED.sub(_quoted_speech, message)


def _record(match: re.Match[str]) -> str:
    return _BLANK * len(match[0]) if not match["own"] and _OF_SOMEBODY.search(match["lines"]) else match[0]


_BLANK: Final = "\x1a"
_FOREIGN: Final = tuple(
    re.compile(pattern, re.DOTALL | re.MULTILINE)
    for pattern in (
        rf"{re.escape(FENCE_OPEN)}.*?(?:{re.escape(FENCE_CLOSE)}|\Z)",
        r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)",
        r"`[^`\n]+`",
        r"^[ \t]*(?:>|//|#(?=\s)|/\*|♪|♫)[^\n]*$",
        r"^(?: {4,}|\t)[^\n]*$",
        r"<(code|pre|blockquote|memory|quote)\b.*?(?:</\1>|\Z)",
        r"^On [^\n]{6,80} wrote:[ \t]*$.*\Z",
        r"^-{2,} ?(?:Forwarded|Original) [Mm]essage.*\Z",
        # A letter or mail: from the salutation of somebody to the name under its close; with headers, all of it.
        r"^(?:Dear|Hi|Hello|Hey|Hallo|Liebe[rs]?|Sehr geehrte[rs]?|Bonjour|Ch[eè]re?|Hola|Estimad[oa]) "
        r"(?!there|all|team|Claude|ChatGPT|assistant|bot)[A-ZÄÖÜ][^\n.!?]{0,40}\n.*?"
        r"^(?:(?:Best|Kind|Warm)(?: regards| wishes)?|Regards|Cheers|Sincerely|Yours[^\n]{0,20}|(?:Many )?[Tt]hanks"
        r"|Mit freundlichen Grüßen|(?:Viele|Liebe) Grüße|Cordialement|Bien à vous|Saludos|Un saludo)[,.!]?[ \t]*\n[^\n]{1,60}",
        r"^(?:(?:Subject|Betreff|Objet|Asunto): \S|(?i:From|To|Cc|Von|An): [^\n]*@).*\Z",
    )
)
# Lines of a file, form or record: `name: …` and `role: …` say of whom only where a line before does.
_RECORD = re.compile(
    r"(?P<own>^[^\n]{0,100}\b(?:my|me|mine|myself|i|our|us)\b[^\n]{0,100}:[ \t]*\n(?:[ \t]*\n)?)?"
    r"(?P<lines>(?:^[ \t]*(?:- )?[\w.-]{1,40}:(?:[ \t][^\n]*)?(?:\n|\Z)){2,})",
    re.MULTILINE | re.IGNORECASE,
)
_OF_SOMEBODY = re.compile(
    r"^[ \t]*(?:- )?(?:(?:user|first|last|full|display)?_?name|role|uid|id|user|email|host|version):",
    re.MULTILINE | re.IGNORECASE,
)
_QUOTED = re.compile(
    r"\"[^\"\n]*\"|“[^”\n]*”|«[^»\n]*»|„[^“”\n]*[“”]|「[^」\n]*」|(?<!\w)'[^'\n]{1,300}(?:'\w[^'\n]{0,300}){0,5}'(?!\w)|‘[^’\n]{1,300}(?:’\w[^’\n]{0,300}){0,5}’"
)
_SPEECH = re.compile(
    r"(?:\b(?:said|says?|told|tells?|asked|asks|wrote|writes|replied|shouted|goes|quote[ds]?|reads?)\b[^.!?]{0,20}|[:,])\s*$",
    re.I,
)


_SAYING = re.compile(r"\b(?:i|i['’]\w+|my|me|we|we['’]\w+|our|you|your|is|are|was)\b", re.IGNORECASE)


def _quoted_speech(match: re.Match[str]) -> str:
    """A quoted name or title of a word or two stays; a quoted sentence is somebody's speech."""
    spoken = _SAYING.search(match[0]) or _SPEECH.search(match.string, max(0, match.start() - 60), match.start())
    speech = len(match[0].split()) > 3 or bool(spoken) or match[0][0] == "「"
    return _BLANK * len(match[0]) if speech else match[0]


_PARAGRAPH = re.compile(r"[^\n]+(?:\n(?![ \t]*\n)[^\n]+)*")
_SENTENCE = re.compile(r"[^.!?。！？\n]+(?:[.!?](?=\w)[^.!?。！？\n]*)*[.!?。！？]*[\"')\]]*")
_ABBREVIATION = re.compile(
    r"(?:\b(?:Dr|Mr|Mrs|Ms|St|Prof|No|vs|e\.g|i\.e|etc|approx|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)|\b[A-Z])\.$"
)


def _paragraphs(text: str) -> Iterator[tuple[int, int]]:
    return ((match.start(), match.end()) for match in _PARAGRAPH.finditer(text))


def _stated(text: str, start: int, end: int) -> Iterator[Sentence]:
    """The plain statements of one paragraph; a scene that is set ("Imagine …") lasts until it ends or is left."""
    supposed = False
    for first, last in _sentence_spans(text, start, end):
        sentence = text[first:last]
        supposed = (supposed or bool(_SCENE.search(sentence))) and not _BACK_TO_FACT.search(sentence)
        joke = _JOKE.search(sentence) or _NEXT_TAKES_BACK.match(text, last, end)
        if supposed or joke or _HYPOTHETICAL.search(sentence) or _TASK.search(sentence):
            continue
        last = first + len(_before_question(sentence)) if _is_question(sentence) else last
        if stated := _sentence(text, first, last):
            yield stated


def _sentence_spans(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    first = start
    for match in _SENTENCE.finditer(text, start, end):
        if not _ABBREVIATION.search(match[0]):
            yield first, match.end()
            first = match.end()
    if first < end:
        yield first, end


def _sentence(text: str, start: int, end: int) -> Sentence | None:
    """Trimmed of white space, bullets and blanks; None where no word is left."""
    part = text[start:end]
    left = len(part) - len(part.lstrip(_TRIM))
    right = len(part.rstrip(" \t\n" + _BLANK))
    words = _LEFT_OUT.sub(" … ", part[left:right])
    return Sentence(words, start + left, start + right) if sum(c.isalnum() for c in words) >= 2 else None


# `(?<!\s)`: a run of blanks is tried from its first one only.
_LEFT_OUT: Final = re.compile(rf"(?<!\s)\s*+{_BLANK}+\s*")
_TRIM: Final = " \t\n\r-*•·–—" + _BLANK
_SCENE = re.compile(
    r"\b(?:imagine|suppose|supposing|pretend|let['’]?s (?:say|assume|pretend|imagine)|let us (?:say|assume|suppose)|hypothetically"
    r"|assum(?:e|ing) (?:that|i|we|you|the)|for the sake of argument|role-?play|in this scenario|act as|a game (?:where|in which)|(?:for|about) my (?:[\w&]+ ){0,3}character|my character(?: is|['’]s| was| has| lives)|in (?:my|our|this|the) (?:novel|story|dream|film|movie|comic|script|campaign|fan ?fiction)(?=,)|in another life|stell dir vor|angenommen"
    r"|imagina|supongamos|imaginons|supposons|представь|предположим|допустим)\b|假设|如果我是|想象",
    re.IGNORECASE,
)
_JOKE = re.compile(
    r"\b(?:(?:only|just) joking|i['’]?m joking|(?<!not )(?<!no )kidding|jk|said no one ever)\b", re.IGNORECASE
)
_NEXT_TAKES_BACK = re.compile(
    r"\W{0,8}(?:(?:only |just |i['’]?m )?(?:joking|kidding)|jk|not really|said no one ever)\b", re.IGNORECASE
)
_BACK_TO_FACT = re.compile(
    r"\b(?:actually|in reality|in fact|in real life|for real|seriously though|anyway)\b", re.IGNORECASE
)
_HYPOTHETICAL = re.compile(
    r"\b(?:(?<!sure )(?<!know )(?<!wonder )(?<!remember )(?<!prefer )(?<!prefer it )(?<!like it )(?<!appreciate it )(?<!better )if (?:i|we|you|my|it|someone|the user)\b(?!['’]m not mistaken| remember| recall)|what if\b"
    r"|^\W*(?:(?:oh|yeah|haha?|lol)[, ]+)+(?:sure|right|great|yes|totally)\b|were i\b|i wish\b|if only\b|i (?:would|could|might|should) have\b|as if\b|say i\b|for (?:example|instance), (?:i|if)\b"
    r"|would (?:i|it) be|i (?:told (?:my )?(?!you\b)\w+|lied|joked|claimed|pretend(?:ed)?)(?: that)? (?:i|i['’]m|my)|wenn ich|si j[e']|si (?:yo|fuera|tuviera)|если бы)\b",
    re.IGNORECASE,
)
_TASK = re.compile(
    r"^\W*(?:please\s+)?(?:translate|proof-?read|rewrite|rephrase|paraphrase|summari[sz]e|write (?:a|an|me a|me an)|draft|compose|correct|fix)\b"
    r"[^.!?\n]*(?::|\b(?:story|poem|song|letter|email|mail|essay|text|sentence|paragraph|dialogue|speech)\b)",
    re.IGNORECASE,
)
_ASKS = re.compile(
    r"^\W*(?:(?:so|and|but|ok|okay|hey|well|also|btw)[, ]+)*(?:(?:what|who|whom|whose|where|why|how|when|which)(?:['’]?s|['’]re)?\s+"
    r"(?:is|are|am|do|does|did|can|could|should|shall|would|will|was|were|has|have|had|many|much|long|old|far|often|about|time|kind)\b"
    r"|(?:what|who|where|how|when)['’]s\b"
    r"|(?:do|does|did|can|could|will|would|should|shall|is|are|am|was|were|have|has|may|isn['’]t|aren['’]t|don['’]t|doesn['’]t|didn['’]t|won['’]t)"
    r"\s+(?:i|you|we|he|she|they|it|there|my|your|the|this|that|these|anyone|someone|everyone)\b"
    r"|(?:was|wer|wo|wann|warum|wie|welche[rs]?) (?:ist|sind|war|hat|habe|kann|soll|heißt|viel)\b)",
    re.IGNORECASE,
)
_ASKING_PART = re.compile(
    r"[,;:–—-]\s*(?=(?:so |and |but )?(?:what|who|where|why|how|when|which|do|does|did|can|could|will|would|should|is|are|am|any|have|has|got|right|ok|okay|correct)\b)"
    r"|(?<!\s)\s+(?=(?:so|and|but) (?:what|who|where|why|how|when|which|do|does|did|can|could|will|would|should|is|are)\b)",
    re.IGNORECASE,
)
_OWN_CLAUSE = re.compile(
    r"^\W*(?:(?:so|and|but|hi|hey|hello|well|since|as|because)[, ]+)*(?:i|i['’](?:m|ve|d|ll)|my|we|our|we['’](?:re|ve)"
    r"|as an? (?!(?:example|reminder|rule|test|joke|result|matter)\b)[\w-]+(?=,))\b",
    re.IGNORECASE,
)
_REQUEST = re.compile(
    r"\b(?:can|could|would|will) you\b.{0,40}\b(?:always|never|from now on|going forward|in future|every time|whenever"
    r"|remember|note|keep in mind|make a note|don['’]t forget)\b",
    re.IGNORECASE,
)


def _is_question(sentence: str) -> bool:
    """By its mark or its opening; a standing request in the form of a question is none."""
    if _REQUEST.search(sentence):
        return False
    return (
        bool(re.search(r"[?？][\s\"')\]]*$", sentence))
        or bool(_ASKS.search(sentence))
        or sentence.rstrip("。 ").endswith(("吗", "か"))
    )


def _before_question(sentence: str) -> str:
    """What a question states before it asks: "I'm vegetarian, what can I cook?"."""
    match = _ASKING_PART.search(sentence)
    return sentence[: match.start()] if match and _OWN_CLAUSE.search(sentence) else ""
