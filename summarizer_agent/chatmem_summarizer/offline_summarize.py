"""Summaries without a language model: the telling sentences, quoted with who said them and when; invents nothing."""

import re
from collections.abc import Iterable, Sequence
from datetime import datetime
from zoneinfo import ZoneInfo

from chatmem.work import ChunkInput, ErasureInput, SummaryBody, SummaryResult, WorkMessage
from chatmem_summarizer import validate
from chatmem_summarizer.frames import ENGLISH, Frame, day_in, frame_of, listed, told_of_user
from chatmem_summarizer.length import clip
from chatmem_summarizer.offline_extract import extract_from
from chatmem_summarizer.salience import Scored, alike, ranked, topics, words

_SENTENCES = 4
_SENTENCE_CHARACTERS = 200
_LINES = 6
_LINE_CHARACTERS = 160
_FIGURES = 3
_SETTLED = 0.5
_ROOT = 4
"""Letters by which the forms of a word are told to be of one."""
_CODE = re.compile(r"\w\(.*\)|[{}<>=]")
_NUMBER = re.compile(r"\d")
_SAME = 0.8
"""Share of common words from which two lines say the same."""

_I = re.IGNORECASE
_DECISION = re.compile(
    r"\b(?:(?:i|we)(?:'ve| have)? (?:\w+ )?(?:decided|agreed|chose|settled|picked|opted)|(?:let's|we'll|i'll|we will"
    r"|i will|i'm|we're) (?:go|going|use|using|stick) with"
    r"|decision is|final decision|approved|we(?:'re| are) going to use|let's use|let's do"
    r"|(?:haben|habe) (?:uns |mich )?(?:\w+ ){0,3}?(?:beschlossen|entschieden|vereinbart)|wir nehmen"
    r"|(?:hemos|he) decidido|decidimos|acordamos|(?:on a|nous avons|j'ai) (?:décidé|choisi|convenu)"
    r"|(?:мы |я )?решил[аи]?|договорились)\b|我们决定|决定了|我决定", _I)  # fmt: skip
_OUTCOME = re.compile(
    r"\b(?:tried|it works|works now|worked|doesn't work|didn't work|did not work|failed|fails|still (?:fails|failing"
    r"|broken|get)|fixed|solved|resolved|turned out|no luck|succeeded|finished|completed|done with|passed(?! away)|shipped"
    r"|deployed|launched|booked|unblocked|arranged|signed|paid|out works"
    r"|root cause"
    r"|(?:nicht )?geholfen|(?:hat|haben) (?:nicht )?(?:geklappt|funktioniert)|(?:habe|haben) [^.!?]{0,40}(?:probiert|versucht|gebucht|erledigt)|fertig"
    r"|(?:no )?funcion(?:a|ó)|(?:he|hemos) (?:probado|terminado|reservado)|falló|(?:ça|cela) (?:n'a pas )?march(?:e|é)|j'ai (?:essayé|fini|réservé)"
    r"|не (?:работает|помогло)|заработало|попробовал[аи]?|получилось|готово|забронировал[аи]?)\b|试过|不行|成功了|失败|已经订", _I)  # fmt: skip
_PENDING = re.compile(
    r"\b(?:i'll|i will|we'll|we will|todo|to-do|to do:|remind me|follow up|next steps?|i still (?:need|have) to|i "
    r"(?:need|have) to|waiting for|pending|action item|will send|get back to"
    r"|don't forget to|remember to|will (?:write|prepare|draft|deliver|review) "
    r"|(?:ich|wir) (?:muss|müssen|werde|werden) noch|noch (?:zu )?erledigen|erinner(?:e|n?) (?:mich|dich)"
    r"|(?:tengo|tenemos) que|falta|recuérdame|(?:je dois|il faut|nous devons) encore|rappelle-moi"
    r"|(?:мне |нам )?(?:ещё )?(?:нужно|надо)|напомни)\b|还要|需要我|提醒我|得去", _I)  # fmt: skip
_CHATTY_PENDING = re.compile(
    r"\b(?:i'll (?:be|try|let you|see|think)|i will (?:be|try|let you)|i need (?:your|you|help)|i'll help|i'll "
    r"explain|i'll walk)\b",
    _I,
)


_DONE = re.compile(
    r"\b(?:done|finished|completed|shipped|launched|deployed|solved|fixed|resolved|works now|passed|sent|submitted"
    r"|booked|paid|erledigt|gebucht|fertig)\b",
    _I,
)


def chunk_summary(work: ChunkInput | ErasureInput) -> SummaryResult:
    """The summary of one run of messages."""
    zone = ZoneInfo(work.timezone)
    return SummaryResult(text=paragraph(work.messages, zone), body=body(work.messages, zone))


def paragraph(messages: Sequence[WorkMessage], zone: ZoneInfo, *, lead: str = "") -> str:
    """Three to five sentences: what it is about and when, then the telling ones in the order said.

    The last decision, outcome and task are among them: a reader wants to know how it ended.
    """
    best = ranked(messages)
    chosen = _chosen(best, _SENTENCES, first=_endings(best))
    frame = frame_of(message.text for message in messages)
    if not chosen:
        return lead or _small_talk(messages) or validate.fallback(messages)
    days = len({message.at.astimezone(zone).date() for message in messages}) > 1
    said = [narrated(scored, zone, frame, dated=days) for scored in chosen]
    return " ".join([lead or _opening(messages, zone, frame), *said]).strip()


def _endings(best: Sequence[Scored]) -> list[Scored]:
    """The newest decision, outcome and pending task."""
    found = [[s for s in best if cue.search(s.text) and not s.asks] for cue in (_DECISION, _OUTCOME, _PENDING)]
    newest = [max(hits, key=lambda scored: scored.order) for hits in found if hits]
    return [scored for scored in newest if scored.message.role == "user" and not _CHATTY_PENDING.search(scored.text)]


def _small_talk(messages: Sequence[WorkMessage]) -> str:
    """Where no sentence tells anything: what the user said, in brief."""
    said = [clip(" ".join(message.text.split()), 60) for message in messages if message.role == "user"]
    return (
        clip(f"{len(messages)} short messages; the user said: {'; '.join(said)}", 2 * validate.LONGEST) if said else ""
    )


def body(messages: Sequence[WorkMessage], zone: ZoneInfo) -> SummaryBody:
    """The structured part: every line is somebody's sentence or an extracted statement, oldest first."""
    found = extract_from(messages, zone)
    in_order = sorted(ranked(messages), key=lambda scored: scored.order)
    facts = [item.text for kind in ("facts", "preferences", "dates") for item in getattr(found.certain, kind)]
    decisions = _lines(in_order, _DECISION, zone)
    outcomes = [line for line in _lines(in_order, _OUTCOME, zone) if line not in decisions]
    goals = [item.text for item in found.certain.goals if not settled(item.text, outcomes)]
    pending = [line for line in _lines(in_order, _PENDING, zone, no=_CHATTY_PENDING) if not _told_by(line, goals)]
    pending = [line for line in pending if line not in outcomes and line not in decisions]
    told = [*facts, *decisions, *outcomes, *goals, *pending]
    figures = [line for line in _figures(in_order, zone) if not _told_by(line, told)]
    return SummaryBody(
        goals=lines([*goals, *_open_questions(messages)]),
        decisions=lines(decisions),
        facts=lines([*(fact for fact in facts if not _told_by(fact, decisions)), *figures]),
        outcomes=lines(outcomes),
        pending=lines(pending),
    )


def settled(line: str, done: Iterable[str]) -> bool:
    """Whether one of the lines tells that it was done."""
    return any(_DONE.search(outcome) and _of_one_thing(line, outcome) for outcome in done)


def _of_one_thing(task: str, outcome: str) -> bool:
    """Half of the task's telling words are in the outcome, in whatever form: book the flights, flights are booked."""
    wanted, told = ({word[:_ROOT] for word in words(text)} for text in (task, outcome))
    return len(wanted & told) >= _SETTLED * min(len(wanted), len(told)) > 0


def _figures(in_order: Sequence[Scored], zone: ZoneInfo) -> list[str]:
    """The best sentences that give a number: prices, sizes, times."""
    with_number = [s for s in in_order if _NUMBER.search(s.text) and not s.asks and not _CODE.search(s.text)]
    best = sorted(with_number, key=lambda scored: -scored.score)[:_FIGURES]
    return [attributed(scored, zone, dated=True) for scored in sorted(best, key=lambda scored: scored.order)]


def lines(texts: Iterable[str], limit: int = _LINES) -> tuple[str, ...]:
    """The last `limit` different lines, clipped, in their order."""
    kept: list[str] = []
    for text in reversed([*texts]):
        line = clip(text, _LINE_CHARACTERS)
        if len(kept) == limit:
            break
        if line and not any(alike(line, other) >= _SAME and _same_numbers(line, other) for other in kept):
            kept.append(line)
    return tuple(reversed(kept))


def _same_numbers(one: str, other: str) -> bool:
    return set(re.findall(r"\d+", one)) == set(re.findall(r"\d+", other))


def _told_by(line: str, others: Iterable[str]) -> bool:
    return any(alike(line, other) >= _SAME for other in others)


def attributed(scored: Scored, zone: ZoneInfo, *, frame: Frame = ENGLISH, dated: bool = False) -> str:
    """`User: …` or, where the summary spans days, `User (Feb 15): …`, as a sentence of its own."""
    who = _speaker(scored, frame)
    day = f" ({day_in(frame, scored.message.at.astimezone(zone))})" if dated else ""
    text = clip(" ".join(scored.text.split()), _SENTENCE_CHARACTERS)
    return f"{who}{day}: {text}" + ("" if text[-1:] in ".!?…。！？" else ".")


def day_of(at: datetime, zone: ZoneInfo) -> str:
    """`Feb 15`, in the user's zone."""
    local = at.astimezone(zone)
    return f"{local:%b} {local.day}"


def period(first: datetime, last: datetime, zone: ZoneInfo) -> str:
    """`Feb 15`, `Feb 15–16` or `Feb 28–Mar 2`."""
    begin, end = first.astimezone(zone), last.astimezone(zone)
    if begin.date() == end.date():
        return day_of(first, zone)
    if (begin.year, begin.month) == (end.year, end.month):
        return f"{day_of(first, zone)}–{end.day}"
    return f"{day_of(first, zone)}–{day_of(last, zone)}"


def narrated(scored: Scored, zone: ZoneInfo, frame: Frame, *, dated: bool) -> str:
    """The sentence as a summary tells it: of the user in the third person, where that can be done."""
    if frame is not ENGLISH:
        return attributed(scored, zone, frame=frame, dated=dated)
    text = clip(" ".join(scored.text.split()), _SENTENCE_CHARACTERS).rstrip(".")
    text = told_of_user(text) if scored.message.role == "user" else f"{_speaker(scored, frame)}: {text}"
    day = f" ({day_in(frame, scored.message.at.astimezone(zone))})" if dated else ""
    return f"{text}{day}" + ("" if text[-1:] in "!?…" and not day else ".")


def _speaker(scored: Scored, frame: Frame) -> str:
    if scored.message.routine:
        return f"Routine {scored.message.routine}"
    return frame.user if scored.message.role == "user" else frame.assistant


def _opening(messages: Sequence[WorkMessage], zone: ZoneInfo, frame: Frame) -> str:
    about = topics(messages)
    if not about or not messages:
        return ""
    # Of an imported history the later message may be the older one.
    ends = min(message.at for message in messages), max(message.at for message in messages)
    if frame is ENGLISH:
        when = period(*ends, zone)
    else:
        first, last = (day_in(frame, at.astimezone(zone)) for at in ends)
        when = first if first == last else f"{first}–{last}"
    return frame.about.format(period=when, topics=listed(frame, about))


def _chosen(best: Sequence[Scored], limit: int, first: Sequence[Scored] = ()) -> list[Scored]:
    """The best sentences that do not repeat each other, from as many messages as there are, in the order said."""
    chosen: list[Scored] = []
    for per_message in (1, 2):
        for scored in (*first, *best):
            same_message = sum(other.message.id == scored.message.id for other in chosen)
            told = any(alike(scored.text, other.text) >= _SAME for other in chosen)
            if len(chosen) < limit and same_message < per_message and not told:
                chosen.append(scored)
    return sorted(chosen, key=lambda scored: scored.order)


def _lines(
    in_order: Iterable[Scored], cue: re.Pattern[str], zone: ZoneInfo, no: re.Pattern[str] | None = None
) -> list[str]:
    hits = (s for s in in_order if cue.search(s.text) and not s.asks and not (no and no.search(s.text)))
    return [attributed(scored, zone, dated=True) for scored in hits]


def _open_questions(messages: Sequence[WorkMessage]) -> list[str]:
    """The user's last question, when nobody answered it in these messages."""
    if not messages or messages[-1].role != "user":
        return []
    questions = [scored.text for scored in ranked(messages[-1:]) if scored.asks]
    return [f"Open question: {questions[0]}"] if questions else []
