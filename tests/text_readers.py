"""The names of all public functions that read stored text, and hostile texts for them."""

import importlib
import inspect
import json
import pkgutil
import re
import tempfile
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import cast
from zoneinfo import ZoneInfo

import numpy as np

import tellonce_relay
import tellonce_server
import tellonce_summarizer
import tellonce_text
from tellonce import forget_contract, reasons, tag_form
from tellonce.contract import MAX_TEXT_BYTES, Role, SearchResult
from tellonce.contract_types import When
from tellonce.settings import Budgets
from tellonce.work import KnownMemory, NotableSentence, SummaryBody, WorkMessage
from tellonce_cli.importers import items as imported_items
from tellonce_relay import catalogue, incoming_message, views
from tellonce_relay import orders as orders_in_words
from tellonce_relay.commands import confirmations
from tellonce_relay.responders import follow_ups, offline, quotations, search_results, shared_words
from tellonce_relay.routines import texts
from tellonce_relay.telegram import markdown
from tellonce_relay.turn import expectation, model_call, reminders, tags
from tellonce_server.api import coercion
from tellonce_server.domain import tombstones
from tellonce_server.domain.context import canonical_summary, elsewhere_section, lines, slots, turn_index
from tellonce_server.domain.context.budget import TokenBudget
from tellonce_server.domain.context.draft import Draft
from tellonce_server.domain.context.material import Material
from tellonce_server.domain.erasure import edit_cascade, forget_query, previews, redaction, request, targets
from tellonce_server.domain.keep import choice
from tellonce_server.domain.keep import sentences as kept_sentences
from tellonce_server.domain.memory import calculation, check, dedup, literals, resolution, retraction, statements
from tellonce_server.domain.memory.resolution import following
from tellonce_server.domain.retrieval import (
    asked_times,
    excerpt,
    feedback,
    lexical,
    prompt_selection,
    question,
    signals,
)
from tellonce_server.domain.retrieval.search_results import Result
from tellonce_server.embedding.wordpiece import WordPiece
from tellonce_server.services import import_messages, record, unread_exchanges
from tellonce_server.services.chat_summary import gist
from tellonce_server.store.messages import Line
from tellonce_server.store.tombstones import Tombstone
from tellonce_summarizer.keep import lines as kept_lines
from tellonce_summarizer.keep import sentences as told_sentences
from tellonce_summarizer.models import answers
from tellonce_summarizer.tasks import exchange, items, local_answers, prompts, summaries
from tellonce_text import (
    changes,
    claims,
    fences,
    folding,
    importance,
    literal,
    own_words,
    secrets,
    sentences,
    stemming,
    tokens,
    told_secrets,
)
from tellonce_text.dates import (
    alarms,
    annotation,
    clock_phrases,
    han_words,
    intervals,
    meanings,
    resolver,
)
from tellonce_text.dates import tokens as date_tokens
from tellonce_text.dates.readings import Said

ZONE = ZoneInfo("Asia/Singapore")
NOW = datetime(2026, 2, 18, 15, 0, tzinfo=ZONE)
SPAN = (datetime(2026, 1, 1, tzinfo=UTC), datetime(2026, 2, 1, tzinfo=UTC))
SAID = Said(NOW, ZONE)
SENTENCE = "I live in Berlin with Ann and 3 cats since May"


def _line(text: str) -> Line:
    return Line(1, 1, "user", text, None, None, None, NOW, 480, None)


def _message(text: str) -> WorkMessage:
    return WorkMessage(id=1, role="user", at=NOW, text=text)


def _found(number: int, role: Role, text: str) -> Result:
    return Result("message", number, 1, None, text, role, None, NOW, 9, 1.0, None, [number], 1.0)


def _known(text: str) -> KnownMemory:
    return KnownMemory(id=1, kind="fact", text=text, since=NOW, status="active")


def _notable(text: str) -> NotableSentence:
    return NotableSentence(message_id=1, text=text, score=1.0, group="fact", shown=True)


def _quoted(text: str) -> check.Quoted:
    return check.Quoted(text, text, "user", NOW, ZONE)


STONES = tombstones.Tombstones(b"key")


def _stone() -> Tombstone:
    claim, words = STONES.mark(SENTENCE)
    return Tombstone(1, claim, words, NOW)


def _draft() -> Draft:
    """A draft of a context; the functions do not read its material."""
    draft = Draft(cast(Material, None), TokenBudget(100), Budgets())
    draft.say("log", SENTENCE)
    return draft


ENDED = retraction.Ended((SENTENCE,), "I live in Rome")
SOURCE = forget_query.Source("message", 1, 2)
STATED = forget_query.Stated(SENTENCE, 1, (SENTENCE,), frozenset({(1, 3)}))


def _literal(text: str) -> literal.Literal:
    found = literal.Literal.of(text)
    assert found is not None
    return found


QUERIES: dict[str, forget_query.ForgetQuery] = {
    "LiteralQuery": forget_query.LiteralQuery(_literal("4111 1111")),
    "TopicQuery": forget_query.TopicQuery("cats in Berlin", _literal("cats in Berlin")),
    "StatementQuery": forget_query.StatementQuery([STATED]),
    "RowQuery": forget_query.RowQuery([(1, 2)], [STATED]),
}


def _redact(text: str) -> object:
    return redaction.redact(text, lambda part: QUERIES["StatementQuery"].marks(part, SOURCE))


def _forgotten_as_topic(text: str) -> object:
    found = literal.Literal.of(text)
    return forget_query.TopicQuery(text, found).marks(SENTENCE, SOURCE) if found is not None else None


def _wanted_by(text: str) -> object:
    try:
        return reminders.wanted_by(text, NOW, ZONE)
    except reminders.NotSet:
        return None


@cache
def _wordpiece() -> WordPiece:
    vocabulary = {token: number for number, token in enumerate(["[UNK]", "[CLS]", "[SEP]", "a", "##a", "cat"])}
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "tokenizer.json"
        file.write_text(json.dumps({"model": {"type": "WordPiece", "vocab": vocabulary}}), "utf-8")
        return WordPiece(file, 256)


def _read_answer(text: str) -> object:
    try:
        return answers.read(answers.ExchangeShape, text)
    except answers.UnacceptableAnswerError:
        return None


def _in_german(text: str) -> str:
    with catalogue.use_language("de"):
        return catalogue.from_english(text)


def _summary(text: str) -> SearchResult:
    shared = {"role": None, "speaker": None, "age": "", "chat_id": 1, "thread_key": None, "score": 1.0, "sources": ()}
    return SearchResult.model_validate({"id": 1, "kind": "summary", "text": text, "at": NOW, **shared})


READERS: dict[str, Callable[[str], object]] = {
    "tellonce.forget_contract.picked": lambda text: forget_contract.picked(text, 30),
    "tellonce.reasons.codes": reasons.codes,
    "tellonce.tag_form.OPENING": lambda text: [
        pattern.search(text)
        for pattern in (tag_form.OPENING, tag_form.SHOWN, tag_form.MAY_OPEN, tag_form.DEADLINE_MARK)
    ],
    "tellonce.tag_form.name_of": tag_form.name_of,
    "tellonce_server.services.import_messages.clean": import_messages.clean,
    "tellonce_cli.importers.items.pieces": lambda text: list(imported_items.pieces(text)),
    "tellonce_cli.importers.items.without_private": imported_items.without_private,
    "tellonce_cli.importers.items.memory_about": lambda text: imported_items.memory_about("Ann", text, None),
    "tellonce_relay.turn.expectation.expected": expectation.expected,
    "tellonce_relay.catalogue.from_english": _in_german,
    "tellonce_relay.incoming_message.command_of": incoming_message.command_of,
    "tellonce_relay.incoming_message.is_command": incoming_message.is_command,
    "tellonce_relay.telegram.markdown.cut_out": lambda text: markdown.cut_out(markdown.Marked(text), 0, text),
    "tellonce_relay.telegram.markdown.rendered": lambda text: markdown.rendered(text[: markdown.LONGEST]),
    "tellonce_relay.telegram.markdown.units": markdown.units,
    "tellonce_relay.orders.off_record": orders_in_words.off_record,
    "tellonce_relay.orders.order_of": orders_in_words.order_of,
    "tellonce_relay.orders.without_joint": orders_in_words.without_joint,
    "tellonce_relay.commands.confirmations.right_wording": lambda text: confirmations.right_wording(text, 1),
    "tellonce_relay.responders.offline.best_sentences": lambda text: offline.best_sentences(text, SENTENCE),
    "tellonce_relay.responders.shared_words.content_words": shared_words.content_words,
    "tellonce_relay.responders.shared_words.common": lambda text: shared_words.common(text, text),
    "tellonce_relay.responders.shared_words.shared": lambda text: shared_words.shared({text}, text),
    "tellonce_relay.routines.texts.usable": lambda text: texts.usable(text, text),
    "tellonce_relay.telegram.markdown.split_marked": lambda text: markdown.split_marked(markdown.Marked(text)),
    "tellonce_relay.turn.tags.finished": tags.finished,
    "tellonce_relay.turn.tags.repeatable_tags": lambda text: tags.repeatable_tags([text]),
    "tellonce_relay.turn.tags.parse": tags.parse,
    "tellonce_relay.turn.tags.shown_so_far": tags.shown_so_far,
    "tellonce_relay.incoming_message.is_split": incoming_message.is_split,
    "tellonce_relay.turn.model_call.joined": lambda text: model_call.joined(text, text),
    "tellonce_relay.turn.model_call.whole_words": model_call.whole_words,
    "tellonce_relay.orders.without_polite": orders_in_words.without_polite,
    "tellonce_relay.views.in_days": views.in_days,
    "tellonce_relay.views.without_stamps": views.without_stamps,
    "tellonce_relay.turn.reminders.asks_in_vain": lambda text: reminders.asks_in_vain(text, NOW, ZONE),
    "tellonce_relay.turn.reminders.is_unfit": lambda text: reminders.is_unfit(text, NOW, ZONE),
    "tellonce_relay.orders.asks_for_reminder": orders_in_words.asks_for_reminder,
    "tellonce_relay.orders.without_mention": orders_in_words.without_mention,
    "tellonce_relay.responders.offline.is_said_to_us": offline.is_said_to_us,
    "tellonce_relay.responders.search_results.with_lines": lambda text: search_results.with_lines(_summary(text), bool),
    "tellonce_relay.responders.follow_ups.follow_up": lambda text: follow_ups.follow_up(
        _summary(text), [_summary(text).model_copy(update={"kind": "message", "role": "user"})], bool
    ),
    "tellonce_relay.responders.offline.quotes_in": offline.quotes_in,
    "tellonce_relay.responders.quotations.quoted": lambda text: quotations.quoted(text, NOW, NOW, ZONE),
    "tellonce_relay.responders.offline.quotes_nothing": offline.quotes_nothing,
    "tellonce_text.dates.intervals.Interval.read": intervals.Interval.read,
    "tellonce_server.embedding.wordpiece.WordPiece.ids": lambda text: _wordpiece().ids(text),
    "tellonce_relay.views.without_due": lambda text: views.without_due(text, NOW),
    "tellonce_relay.views.due_parts": lambda text: views.due_parts(text, NOW, "date"),
    "tellonce_relay.turn.reminders.is_plain_order": lambda text: reminders.is_plain_order(text, NOW, ZONE),
    "tellonce_relay.turn.reminders.wanted_by": _wanted_by,
    "tellonce_relay.views.flat": views.flat,
    "tellonce_relay.views.short": views.short,
    "tellonce_server.domain.context.canonical_summary.statement": canonical_summary.statement,
    "tellonce_server.domain.context.canonical_summary.unsaid": lambda text: canonical_summary.unsaid(
        text, lambda _: False
    ),
    "tellonce_server.domain.context.turn_index.session_index": lambda text: turn_index.session_index(text, text),
    "tellonce_server.domain.context.turn_index.short": turn_index.short,
    "tellonce_server.domain.retrieval.prompt_selection.without_copies": lambda text: prompt_selection.without_copies(
        [_found(1, "user", text), _found(2, "assistant", f"{text} And {SENTENCE}")], text
    ),
    "tellonce_server.domain.context.elsewhere_section.whole_lines": lambda text: elsewhere_section.whole_lines(
        text, 300
    ),
    "tellonce_server.domain.context.lines.body": lines.body,
    "tellonce_server.domain.context.lines.is_whole": lambda text: lines.is_whole(_line(text)._replace(routine="r")),
    "tellonce_server.domain.context.lines.period_line": lambda text: lines.period_line(
        text, NOW, NOW, lines.View(NOW, ZONE, "root:1")
    ),
    "tellonce_server.domain.context.lines.quoted_line": lambda text: lines.quoted_line(
        _line(text), lines.View(NOW, ZONE, "root:1")
    ),
    "tellonce_server.domain.context.lines.clipped_line": lambda text: lines.clipped_line(
        _line(text), lines.View(NOW, ZONE, "root:1"), 500
    ),
    "tellonce_server.domain.context.lines.clipped_text": lambda text: lines.clipped_text(
        _line(text), lines.View(NOW, ZONE, "root:1"), 1, 500
    ),
    "tellonce_server.domain.context.lines.shown": lambda text: lines.shown(
        _line(text), lines.View(NOW, ZONE, "root:1")
    ),
    "tellonce_server.domain.context.lines.with_days": lambda text: lines.with_days(text, NOW, ZONE),
    "tellonce_server.domain.memory.statements.worth_showing": statements.worth_showing,
    "tellonce_server.domain.context.slots.fill": lambda text: [
        slots.fill(kind, text, SAID, ("red", "blue"))
        for kind in ("text", "yes_no", "number", "date", "time", "email", "url", "choice")
    ],
    "tellonce_server.domain.erasure.forget_query.LiteralQuery.marks": lambda text: QUERIES["LiteralQuery"].marks(
        text, SOURCE
    ),
    "tellonce_server.domain.erasure.forget_query.RowQuery.marks": lambda text: QUERIES["RowQuery"].marks(text, SOURCE),
    "tellonce_server.domain.erasure.forget_query.StatementQuery.marks": lambda text: QUERIES["StatementQuery"].marks(
        text, SOURCE
    ),
    "tellonce_server.domain.erasure.forget_query.TopicQuery.marks": lambda text: QUERIES["TopicQuery"].marks(
        text, SOURCE
    ),
    "tellonce_server.domain.erasure.forget_query.EverythingQuery.marks": lambda text: forget_query.EverythingQuery(
        [(7, 1)], [1]
    ).marks(text, SOURCE),
    "tellonce_server.domain.erasure.forget_query.SourceQuery.marks": lambda text: forget_query.SourceQuery(
        [SOURCE]
    ).marks(text, SOURCE),
    "tellonce_server.domain.erasure.forget_query.TopicQuery": _forgotten_as_topic,
    "tellonce_server.domain.erasure.forget_query.StatementQuery": lambda text: forget_query.StatementQuery(
        [forget_query.Stated(text)]
    ).marks(SENTENCE, SOURCE),
    "tellonce_server.domain.erasure.targets.Target.topic": lambda text: targets.Target.topic(text).stated_in(
        targets.Sentence(SENTENCE)
    ),
    "tellonce_server.domain.erasure.targets.Target.statement": lambda text: targets.Target.statement(text).stated_in(
        targets.Sentence(text)
    ),
    "tellonce_server.domain.tombstones.Tombstones.mark": STONES.mark,
    "tellonce_server.domain.tombstones.Tombstones.covering": lambda text: STONES.covering([_stone()], text),
    "tellonce_server.domain.tombstones.Tombstones.message_claims": lambda text: STONES.message_claims(text, [text]),
    "tellonce_server.domain.tombstones.Tombstones.without_later_forgotten": (
        lambda text: STONES.without_later_forgotten(text, NOW, {b"": NOW})
    ),
    "tellonce_server.domain.tombstones.Tombstones.forgotten_in": lambda text: STONES.forgotten_in(
        1, 2, text, {None: frozenset((b"",))}
    ),
    "tellonce_server.domain.context.draft.Draft.say": lambda text: _draft().say("log", text),
    "tellonce_server.domain.context.draft.Draft.tell": lambda text: _draft().tell(text, NOW, NOW),
    "tellonce_server.domain.context.draft.Draft.tells": lambda text: _draft().tells(text, NOW),
    "tellonce_server.domain.context.draft.Draft.says": lambda text: _draft().says(text),
    "tellonce_server.domain.context.lines.View.current": lambda text: lines.View(
        NOW, ZONE, "root:1", changes={(1, 1): [changes.Change(8, SENTENCE, (text,))]}
    ).current(text, changes.MessageRange(1, 1, 1)),
    "tellonce_server.domain.erasure.edit_cascade.taken_back": lambda text: edit_cascade.taken_back(text, text[1:]),
    "tellonce_server.domain.memory.check.quotes_in": lambda text: check.quotes_in(text)(text[1:]),
    "tellonce_server.domain.erasure.previews.clipped": lambda text: previews.clipped(text, 9),
    "tellonce_server.domain.erasure.redaction.redact": _redact,
    "tellonce_server.domain.erasure.redaction.redact_derived": lambda text: redaction.redact_derived(
        text, lambda part: QUERIES["StatementQuery"].marks(part, SOURCE)
    ),
    "tellonce_server.domain.erasure.request.as_stored": request.as_stored,
    "tellonce_server.domain.erasure.redaction.redact_all": lambda text: redaction.redact_all(
        {"said": [text]}, lambda part: QUERIES["TopicQuery"].marks(part, SOURCE)
    ),
    "tellonce_text.sentences.placed_sentences": lambda text: list(sentences.placed_sentences(text)),
    "tellonce_text.sentences.placed_runs": lambda text: list(sentences.placed_runs(text)),
    "tellonce_text.sentences.whole_sentences": lambda text: list(sentences.whole_sentences(text)),
    "tellonce_text.sentences.goes_on": lambda text: sentences.goes_on(text, len(text) // 2),
    "tellonce_text.changes.marked": lambda text: changes.marked(
        text, changes.MessageRange(1, 1, 1), {(1, 1): [changes.Change(8, SENTENCE, ("a a", "7 7", SENTENCE))]}
    ),
    "tellonce_text.changes.without_changed": changes.without_changed,
    "tellonce_text.sentences.sentences": sentences.sentences,
    "tellonce_text.sentences.split_sentences": sentences.split_sentences,
    "tellonce_text.sentences.sentence_ends": lambda text: list(sentences.sentence_ends(text)),
    "tellonce_text.sentences.ends_as_question": sentences.ends_as_question,
    "tellonce_text.sentences.is_question": sentences.is_question,
    "tellonce_server.domain.erasure.targets.irregular_forms": targets.irregular_forms,
    "tellonce_server.domain.erasure.targets.is_spaceless": targets.is_spaceless,
    "tellonce_server.domain.erasure.targets.roots": targets.roots,
    "tellonce_server.domain.keep.sentences.features": lambda text: kept_sentences.features(
        kept_sentences.Sentence(text)
    ),
    "tellonce_server.domain.keep.choice.is_order": choice.is_order,
    "tellonce_server.domain.keep.sentences.own_lines": kept_sentences.own_lines,
    "tellonce_server.domain.keep.sentences.sentences": kept_sentences.sentences,
    "tellonce_server.services.record.message_text": lambda text: record.message_text("user", text, text),
    "tellonce_server.services.unread_exchanges.learning_prompt": lambda text: unread_exchanges.learning_prompt(
        [[_line(text)]], [_known(text)], ZONE
    ),
    "tellonce_server.domain.memory.check.check": lambda text: check.check(
        SENTENCE, [_quoted(text)], shown=[text], when=When(start=NOW)
    ),
    "tellonce_server.domain.memory.check.check_claim": lambda text: check.check_claim(
        SENTENCE, [_quoted(text)], when=When(start=NOW)
    ),
    "tellonce_server.domain.memory.check.unsupported": lambda text: check.unsupported([SENTENCE], [_quoted(text)]),
    "tellonce_server.domain.memory.check.contains_quote": lambda text: check.contains_quote(text, text[1:]),
    "tellonce_text.claims.claims": claims.claims,
    "tellonce_text.claims.content_stems": claims.content_stems,
    "tellonce_text.claims.plain": claims.plain,
    "tellonce_text.claims.tokens_of": claims.tokens_of,
    "tellonce_server.domain.memory.dedup.is_denied": lambda text: dedup.is_denied(
        text, text[1:], 0.95, same_source=False, certain=True
    ),
    "tellonce_server.domain.memory.dedup.is_restated": lambda text: dedup.is_restated(text + "x", text),
    "tellonce_server.domain.memory.dedup.key": dedup.key,
    "tellonce_server.domain.memory.dedup.same": lambda text: dedup.same(text, text[1:]),
    "tellonce_server.domain.memory.literals.content": literals.content,
    "tellonce_server.domain.memory.literals.names": literals.names,
    "tellonce_server.domain.memory.literals.numbers": literals.numbers,
    "tellonce_server.domain.memory.literals.phrase": literals.phrase,
    "tellonce_server.domain.memory.literals.plain": literals.plain,
    "tellonce_server.domain.memory.literals.said_numbers": literals.said_numbers,
    "tellonce_server.domain.memory.literals.Spoken": lambda text: literals.Spoken(text).words,
    "tellonce_server.domain.memory.literals.words": literals.words,
    "tellonce_server.domain.memory.resolution.calendar_names": resolution.calendar_names,
    "tellonce_server.domain.memory.calculation.changed_units": lambda text: calculation.changed_units(text, (text,)),
    "tellonce_server.domain.memory.resolution.timed_numbers": resolution.timed_numbers,
    "tellonce_server.domain.memory.resolution.in_digits": resolution.in_digits,
    "tellonce_text.dates.clock_phrases.clocks": clock_phrases.clocks,
    "tellonce_server.domain.memory.resolution.following": lambda text: following(text, NOW, ZONE),
    "tellonce_server.domain.memory.resolution.admits": lambda text: resolution.admits(text, NOW, ZONE, NOW.date()),
    "tellonce_server.domain.memory.retraction.carries": lambda text: retraction.carries(
        text, ENDED, lambda one, other: 0.0
    ),
    "tellonce_server.domain.memory.retraction.struck": lambda text: retraction.struck(
        text, [ENDED], lambda one, other: 0.0
    ),
    "tellonce_server.domain.retrieval.excerpt.excerpt": lambda text: excerpt.excerpt(text, 9_999, SENTENCE),
    "tellonce_server.domain.retrieval.feedback.feedback": lambda text: feedback.feedback(
        text, [text] * feedback.FEWEST, np.arange(float(feedback.FEWEST))
    ),
    "tellonce_server.domain.retrieval.lexical.index_text": lambda text: lexical.index_text(text, "Ann"),
    "tellonce_server.domain.retrieval.lexical.normal": lexical.normal,
    "tellonce_server.domain.retrieval.question.asks": question.asks,
    "tellonce_server.domain.retrieval.question.names_in": lambda text: question.names_in(text, ("Ann", "Will Smith")),
    "tellonce_server.domain.retrieval.question.question": lambda text: question.question(
        text, question.ScopeFacts((), ("Ann",), 9, 9, NOW, False), {}, asked_times.AskedTimes(rest=text)
    ),
    "tellonce_server.domain.retrieval.lexical.shares_no_word": lambda text: lexical.shares_no_word(text, [text]),
    "tellonce_server.domain.retrieval.asked_times.asked_times": lambda text: asked_times.asked_times(text, NOW, ZONE),
    "tellonce_server.domain.retrieval.asked_times.seen_from": lambda text: asked_times.seen_from(
        asked_times.AskedTimes(), text, NOW, ZONE
    ),
    "tellonce_server.domain.retrieval.question.without_names": lambda text: question.without_names(
        text, frozenset(("Ann", "Will Smith"))
    ),
    "tellonce_server.domain.retrieval.signals.amounts": signals.amounts,
    "tellonce_server.domain.retrieval.signals.asking": signals.asking,
    "tellonce_server.domain.retrieval.signals.first_person": signals.first_person,
    "tellonce_server.domain.retrieval.signals.names_routine": lambda text: signals.names_routine(
        text, "morning-summary"
    ),
    "tellonce_server.domain.retrieval.signals.numbers": signals.numbers,
    "tellonce_server.domain.retrieval.signals.tastes": signals.tastes,
    "tellonce_server.domain.retrieval.signals.mentions": lambda text: signals.mentions(text, NOW, [SPAN], ZONE),
    "tellonce_server.domain.retrieval.signals.time_words": signals.time_words,
    "tellonce_text.fences.contained": fences.contained,
    "tellonce_text.fences.contained_text": fences.contained_text,
    "tellonce_text.fences.fenced": fences.fenced,
    "tellonce_text.fences.name_of": fences.name_of,
    "tellonce_text.fences.without_recalled": fences.without_recalled,
    "tellonce_text.own_words.forwarded": lambda text: own_words.forwarded(text, text),
    "tellonce_text.own_words.is_forwarded": own_words.is_forwarded,
    "tellonce_text.own_words.forwarded_words": lambda text: own_words.forwarded_words(f"[forwarded from Eve]\n{text}"),
    "tellonce_text.own_words.written_at": lambda text: own_words.written_at(f"[forwarded from {text}", NOW, ZONE),
    "tellonce_text.own_words.quotations": lambda text: own_words.quotations(text, 12),
    "tellonce_text.own_words.label": lambda text: own_words.label("file", text),
    "tellonce_text.own_words.own_words": own_words.own_words,
    "tellonce_text.literal.Literal.of": lambda text: literal.Literal.of(text),
    "tellonce_text.literal.Literal.spans": lambda text: [
        _literal(said).spans(text) for said in ("4111 1111", SENTENCE)
    ],
    "tellonce_text.folding.fold": folding.fold,
    "tellonce_text.importance.message_importance": lambda text: importance.message_importance("user", text),
    "tellonce_text.importance.statement_importance": lambda text: importance.statement_importance(text, 0.5),
    "tellonce_text.folding.nfkc": folding.nfkc,
    "tellonce_text.secrets.mask": secrets.mask,
    "tellonce_text.told_secrets.told": lambda text: list(told_secrets.told(text)),
    "tellonce_text.secrets.may_hold": secrets.may_hold,
    "tellonce_text.stemming.stem": stemming.stem,
    "tellonce_text.tokens.clip": lambda text: tokens.clip(text, 500),
    "tellonce_text.tokens.estimate": tokens.estimate,
    "tellonce_server.api.coercion.coerced": lambda text: coercion.coerced(
        {"ids": text}, {"properties": {"ids": {"type": "array", "items": {"type": "integer"}}}}
    ),
    "tellonce_server.api.coercion.unstorable": lambda text: coercion.unstorable({"content": text}),
    "tellonce_server.services.chat_summary.gist": lambda text: gist([_line(text)]),
    "tellonce_summarizer.models.answers.read": _read_answer,
    "tellonce_summarizer.tasks.exchange.known_lines": lambda text: exchange.known_lines((_known(text),), ZONE),
    "tellonce_summarizer.keep.lines.rolling_summary": lambda text: kept_lines.rolling_summary(
        [text], SummaryBody(), 500
    ),
    "tellonce_summarizer.keep.lines.bounded": lambda text: kept_lines.bounded([text], 9),
    "tellonce_summarizer.keep.lines.shrunk": lambda text: kept_lines.shrunk(text.splitlines(), 500),
    "tellonce_summarizer.keep.sentences.dated": lambda text: told_sentences.dated(
        told_sentences.Said(_message(text), text), ZONE
    ),
    "tellonce_summarizer.keep.sentences.best_sentences": lambda text: (
        told_sentences.best_sentences([_message(text)], [_notable(text)], 5)
        + told_sentences.best_sentences([_message(text)], (), 5)
    ),
    "tellonce_summarizer.tasks.summaries.shown_memories": lambda text: summaries.shown_memories([_known(text)], ZONE),
    "tellonce_summarizer.keep.lines.clip": lambda text: kept_lines.clip(text, 500),
    "tellonce_text.tokens.head_and_tail": lambda text: tokens.head_and_tail(text, 500),
    "tellonce_summarizer.tasks.items.first_moment": lambda text: items.first_moment(text, ZONE),
    "tellonce_summarizer.tasks.items.last_moment": lambda text: items.last_moment(text, ZONE),
    "tellonce_summarizer.tasks.items.placed": lambda text: items.placed(text[:600], 1, [_message(text)]),
    "tellonce_summarizer.tasks.items.verbatim": lambda text: items.verbatim(text[:600], text),
    "tellonce_summarizer.tasks.prompts.plain": lambda text: prompts.plain([_message(text)], 1_800),
    "tellonce_summarizer.tasks.prompts.transcript": lambda text: prompts.transcript([_message(text)], ZONE),
    "tellonce_summarizer.tasks.local_answers.complaint": lambda text: local_answers.complaint(text[:2_000], text),
    "tellonce_summarizer.tasks.local_answers.overlap": lambda text: local_answers.overlap(text, text),
    "tellonce_text.dates.meanings.admits": lambda text: meanings.admits(text, NOW.date(), SAID),
    "tellonce_text.dates.alarms.alarm": lambda text: alarms.alarm(text, SAID),
    "tellonce_text.dates.alarms.rings": lambda text: alarms.rings(text, SAID, NOW),
    "tellonce_text.dates.annotation.annotated": lambda text: annotation.annotated(text, SAID),
    "tellonce_text.dates.meanings.event_due": lambda text: meanings.event_due(text, NOW, ZONE),
    "tellonce_text.dates.meanings.coming_day": lambda text: meanings.coming_day(text, NOW, ZONE),
    "tellonce_text.dates.meanings.names_day": lambda text: meanings.names_day(text, NOW, ZONE),
    "tellonce_text.dates.meanings.due_date": lambda text: meanings.due_date(text, NOW, ZONE),
    "tellonce_text.dates.resolver.expressions": lambda text: resolver.expressions(text, SAID),
    "tellonce_text.dates.meanings.message_spans": lambda text: meanings.message_spans(text, NOW, ZONE),
    "tellonce_text.dates.meanings.query_times": lambda text: meanings.query_times(text, NOW, ZONE),
    "tellonce_text.dates.han_words.is_whole": lambda text: han_words.is_whole(text, len(text) // 2, len(text), "day"),
    "tellonce_text.dates.han_words.is_date": lambda text: han_words.is_date(text, len(text) // 2, len(text), bare=True),
    "tellonce_text.dates.han_words.is_repeated": lambda text: han_words.is_repeated(text, len(text)),
    "tellonce_text.dates.han_words.is_alternative": lambda text: han_words.is_alternative(text, 0, len(text)),
    "tellonce_text.dates.han_words.weekday_after": lambda text: han_words.weekday_after(text, len(text) // 2),
    "tellonce_text.dates.han_words.is_weekday": lambda text: han_words.is_weekday(text, 0, len(text)),
    "tellonce_text.dates.quotations.openings": lambda text: (line := date_tokens.line_of(text)) and line.openings,
    "tellonce_text.dates.tokens.is_read": date_tokens.is_read,
    "tellonce_text.dates.tokens.language_of": date_tokens.language_of,
    "tellonce_text.dates.tokens.line_of": date_tokens.line_of,
}
"""Functions that read one text of any content and length."""

NOT_READERS = frozenset(
    """
    tellonce_server.domain.memory.calculation.values
    tellonce_text.dates.items.Item.in_part tellonce_text.dates.phrases.day_phrase tellonce_text.dates.phrases.days_phrase
    tellonce_text.dates.lexicon.endings tellonce_text.dates.lexicon.is_determiner tellonce_text.dates.lexicon.is_time_noun
    tellonce_server.api.strict_tool.failed
    tellonce_server.api.page.tools.page_tool tellonce_server.api.spec.tool tellonce_server.store.named_queries.column
    tellonce_server.services.export.place_of tellonce_server.services.export.external_id
    tellonce_server.domain.erasure.previews.unpacked
    tellonce_cli.importers.items.thread_number tellonce_cli.importers.items.tolerant
    tellonce_cli.importers.items.message_in tellonce_cli.importers.items.left_out
    tellonce_relay.updates.conversations.Conversations.note_text
    tellonce_relay.buttons.button tellonce_relay.catalogue.counted tellonce_relay.catalogue.command_description
    tellonce_relay.catalogue.in_every_language tellonce_server.api.page.app_bundle.page_texts
    tellonce_relay.catalogue.language_of tellonce_relay.catalogue.phrase tellonce_relay.catalogue.words
    tellonce_relay.updates.access.is_for_us tellonce_relay.buttons.read tellonce_relay.config_file.read
    tellonce_relay.commands.forget_list.list_of tellonce_relay.seen_store.append tellonce_relay.seen_store.write tellonce_relay.updates.polling.readable
    tellonce_relay.responders.prompt.build tellonce_relay.cron.check tellonce_relay.cron.is_too_frequent tellonce_relay.cron.next_due
    tellonce_relay.routines.delivery.send_once tellonce_relay.telegram.bot_client.make_bot tellonce_relay.turn.turn.failure_draft
    tellonce_relay.telegram.messages.incoming tellonce_relay.views.status_view tellonce_relay.updates.webhook.application
    tellonce_server.app.access_tokens.digest tellonce_server.domain.context.budget.cost tellonce_server.domain.context.budget.take
    tellonce_server.domain.context.slots.find_focus tellonce_server.domain.context.lines.speaker tellonce_server.domain.context.lines.chat_name
    tellonce_server.embedding.onnx_format.constant tellonce_server.embedding.onnx_format.graph
    tellonce_server.embedding.onnx_format.node tellonce_server.embedding.onnx_format.value
    tellonce_server.domain.keep.heads.read
    tellonce_server.services.assistant_statements.newest_words tellonce_server.domain.memory.extraction_results.is_evidence
    tellonce_server.app.oauth.scopes_of tellonce_server.app.oauth.is_jwt tellonce_server.core.scope.channel_of
    tellonce_server.store.database.one_transaction
    tellonce_server.app.bootstrap.open_in_one_transaction tellonce_server.core.scope.reply_thread tellonce_server.core.scope.session_id tellonce_server.postgres.migrations.missing
    tellonce_server.postgres.migrations.statements tellonce_server.domain.queue.work.status
    tellonce_server.domain.queue.job_type.sender_time tellonce_server.domain.queue.job_type.shown
    tellonce_server.app.page.commands.failed tellonce_server.api.resources.chat_number
    tellonce_server.api.resources.row_number tellonce_server.domain.retrieval.search.read_cursor tellonce_server.domain.retrieval.scored_results.shown
    tellonce_server.domain.retrieval.prompt_selection.choose tellonce_server.domain.retrieval.prompt_selection.with_other_chats tellonce_server.domain.retrieval.question.weight
    tellonce_server.backup.archive.in_order tellonce_server.backup.dump.without_password
    tellonce_server.postgres.connection.connected
    tellonce_server.store.bulk.by_number tellonce_server.store.database.as_login tellonce_server.store.texts.find
    tellonce_server.store.messages.of_thread tellonce_server.postgres.route.unpooled tellonce_server.domain.retrieval.lexical.any_of
    tellonce_server.domain.retrieval.lexical.quoted tellonce_server.api.schema.compact tellonce_server.api.text.search_remark
    tellonce_server.api.schema.compact_arguments
    tellonce_server.api.schema.compact_result tellonce_server.api.strict_tool.explained
    tellonce_server.api.strict_tool.strict_tool tellonce_summarizer.tasks.exchange.extended tellonce_summarizer.tasks.items.items
    tellonce_summarizer.keep.sentences.user_messages tellonce_summarizer.tasks.prompts.speaker tellonce_summarizer.tasks.local_answers.checked

    tellonce_text.dates.clock_phrases.in_part tellonce_text.dates.counted_phrases.exactly_from
    tellonce_text.dates.neighbor_phrases.counted_beside tellonce_text.dates.neighbor_phrases.unit_beside tellonce_text.dates.day_arithmetic.counted_day tellonce_text.dates.day_arithmetic.unit_days
tellonce_relay.telegram.messages.text_of tellonce_relay.telegram.messages.words_of tellonce_relay.turn.reminders.timed tellonce_relay.turn.reminders.by_rule tellonce_relay.turn.reminders.set_reply
    tellonce_relay.views.in_order tellonce_server.app.access_tokens.granted
    tellonce_server.app.page.commands.running tellonce_server.app.page.commands.entries
    tellonce_server.app.page.protection.from_own_page tellonce_server.app.page.protection.refused
    tellonce_server.app.authorization.authorized tellonce_server.app.authorization.confirmed
    tellonce_server.app.middleware.completed tellonce_server.app.middleware.known_hosts
    tellonce_server.app.middleware.unavailable tellonce_server.app.page.protection.with_cookie
    tellonce_server.app.page.uploads.Transfers.for_operator
    tellonce_server.app.middleware.later tellonce_server.core.scope.conversation tellonce_server.core.scope.topic_thread tellonce_server.core.scope.replaced_channel tellonce_server.core.scope.thread_name tellonce_server.core.scope.renamed_thread
    tellonce_server.domain.context.relevant_section.unseen tellonce_server.store.page.position_of tellonce_server.domain.context.canonical_summary.summary_text
    tellonce_server.services.page.reads.month_span tellonce_text.dates.resolver.resolved
    tellonce_text.dates.feasts.feast_day tellonce_text.dates.feasts.feast_in tellonce_text.dates.lexicon.lexicon tellonce_text.dates.lexicon.tables
    tellonce_text.dates.phrases.skip tellonce_server.domain.memory.resolution.equal_lengths
    tellonce_server.app.metrics.Metrics.called tellonce_server.app.storage.Storage.on_call tellonce_server.app.storage.Storage.observe
    tellonce_server.core.limits.RateLimit.wait tellonce_server.domain.context.draft.Draft.fill
    tellonce_server.domain.context.draft.Draft.note tellonce_server.domain.context.draft.Draft.omit
    tellonce_server.domain.dependencies.Dependencies.tell_subscribers
    tellonce_server.domain.erasure.forget_query.ForgetQuery.marks tellonce_server.domain.erasure.targets.Target.most_in
    tellonce_server.domain.erasure.targets.Target.is_all_of tellonce_server.domain.memory.literals.Words.have
    tellonce_server.domain.queue.exchange_job.ExchangeJob.changes
    tellonce_server.domain.queue.second_reading_job.SecondReadingJob.changes tellonce_relay.responders.offline.attributed
    tellonce_server.domain.queue.summary_jobs.ProfileJob.changes tellonce_server.domain.queue.job_type.JobType.changes
    tellonce_server.domain.tombstones.Tombstones.replacement tellonce_server.domain.tombstones.Tombstones.forgotten_at
    tellonce_server.embedding.onnx_session.Session.vector
    tellonce_server.embedding.onnx_session.Session.layers
    tellonce_server.embedding.question_cache.Foresight.expect tellonce_server.embedding.question_cache.VectorCache.get
    tellonce_server.embedding.question_cache.VectorCache.keep tellonce_server.services.page.sessions.Codes.take
    tellonce_server.services.page.sessions.Seal.token_hash tellonce_server.backup.dump.Target.program
    tellonce_server.store.database.Queries.statement tellonce_server.store.database.Transaction.statement
    tellonce_server.store.database.Transaction.pages tellonce_server.store.database.Database.statement
    tellonce_server.store.pools.OwnedConnection.adopt tellonce_server.store.pools.Pool.statement
    tellonce_server.store.pools.SessionPool.statement tellonce_server.store.pools.BorrowedPool.statement
    tellonce_server.store.pools.SinglePool.statement tellonce_server.postgres.embedded_server.EmbeddedPostgres.dsn
    tellonce_server.store.queue.JobKey.parse tellonce_server.store.uploads.Uploads.path
    tellonce_relay.routines.delivery.DeliveryContext.emit tellonce_relay.seen_store.SeenStore.get
    tellonce_relay.seen_store.SeenStore.put tellonce_relay.turn.agents.Agents.named
    tellonce_relay.turn.turn.TurnOptions.emit tellonce_relay.updates.dependencies.Dependencies.emit
    tellonce_text.dates.tokens.Token.has tellonce_text.dates.tokens.Token.get
    """.split()
)
"""Functions that do not read long texts. Some of them take names, settings, single words or numbers as text. The others
only pass texts on to the functions in READERS."""

SLOW = frozenset(
    """
    tellonce_relay.responders.quotations.quoted
    tellonce_server.domain.erasure.targets.Target.topic tellonce_server.domain.erasure.targets.Target.statement
    tellonce_server.domain.tombstones.Tombstones.mark tellonce_server.domain.tombstones.Tombstones.covering
    tellonce_relay.telegram.markdown.rendered tellonce_relay.turn.reminders.is_plain_order
    tellonce_relay.turn.reminders.wanted_by
    tellonce_relay.turn.reminders.is_unfit tellonce_relay.turn.reminders.asks_in_vain
    tellonce_server.domain.context.lines.with_days
    tellonce_server.domain.erasure.forget_query.TopicQuery tellonce_server.domain.erasure.forget_query.StatementQuery
    tellonce_server.domain.erasure.forget_query.StatementQuery.marks tellonce_server.domain.erasure.redaction.redact
    tellonce_server.domain.erasure.redaction.redact_derived
    tellonce_server.domain.memory.check.check tellonce_server.domain.memory.check.check_claim tellonce_server.domain.memory.check.unsupported
    tellonce_text.claims.claims tellonce_text.dates.alarms.alarm tellonce_text.dates.alarms.rings
    tellonce_text.dates.clock_phrases.clocks
    tellonce_server.domain.memory.resolution.admits tellonce_server.domain.memory.resolution.following
    tellonce_server.domain.retrieval.asked_times.asked_times tellonce_server.domain.retrieval.asked_times.seen_from
    tellonce_server.domain.retrieval.signals.mentions tellonce_text.dates.meanings.admits
    tellonce_text.dates.annotation.annotated tellonce_text.dates.meanings.event_due
    tellonce_text.dates.meanings.coming_day tellonce_text.dates.meanings.names_day tellonce_text.dates.meanings.due_date tellonce_text.dates.resolver.expressions
    tellonce_text.dates.meanings.message_spans
    tellonce_text.dates.meanings.query_times
    """.split()
)
"""Functions that find the dates in a text. For the worst text of maximum length, these functions take 50 to 200 ms.
They run in a thread."""


def _of_length(seed: str, length: int) -> str:
    text = seed * (length // len(seed.encode()) + 1)
    return text.encode()[:length].decode(errors="ignore")


_SEEDS = {
    "blanks": " ", "tabs": "\t", "line breaks": "\n", "no-break spaces": "\u00a0", "brackets": "[", "pairs of brackets": "[(<⟦", "parentheses": "(",
    "digits": "1", "numbers": "1 ", "amounts": "1,000,", "ranges": "1-", "cards": "4111 ", "marks": "\u0315\u0300", "phrase ligatures": "\ufdfa",
    "letters": "a", "capitals": "A", "one-letter words": "a ", "names": "Ab ", "Chinese": "你", "Cyrillic": "привет ", "Hangul": "한", "emoji": "😀",
    "joiners": "\u200d", "quotation marks": '"', "apostrophes": "'a ", "stars": "*", "fences": "⟦memory⟧", "code": "```", "quotes": "> ", "rules": "- ",
    "short lines": "a: b\n", "section titles": "AB ", "full stops": ".", "initials": "a.b.", "sentences": "A. ", "questions": "is it? ", "dates": "March 3 ", "times": "at 7",
    "e-mails": "x@y.z ", "addresses": "://a:b", "passwords": "password is ", "PINs": "I said that my pin of a card is 4821 and the pw Cat99x ", "tokens": "eyJ", "keys": "sk-", "secrets": "secret ", "tags": "[REMEMBER: a",
    "possessives": "my the our ", "reasons": "because i like ", "conditions": "if I ", "owners": "a's b's ", "corrections": "no wait, 3 ", "not": "not 3, ",
    "number words": "one hundred and ", "roles": "I'm a ", "debts": "Tom owes me ", "goals": "I need to x by ", "places": "I live in ", "slashes": "/", "colons": "user:", "images": "![", "marks in turn": "*_",
    "underscores": "_", "hyphens": "a-", "commas": "a, ", "ands": "a and ", "plain text": SENTENCE + ". ",
}  # fmt: skip
_MIXED = {
    "blanks, a word": ("x\n", " ", "z"),
    "capitals, blanks": ("x\nAB", " ", ":z"),
    "a bracket, blanks": ("[", " ", "x"),
    "stars, blanks": ("x\n", "* ", "z"),
    "memory, digits": ("x\nmemory ", "1", "z"),
    "a long word": ("I love ", "b", " very much"),
}


def hostile_texts(length: int = MAX_TEXT_BYTES) -> dict[str, str]:
    """Texts of `length` bytes. The key of a text describes its content."""
    whole = {name: _of_length(seed, length) for name, seed in _SEEDS.items()}
    for name, (head, middle, tail) in _MIXED.items():
        whole[name] = head + _of_length(middle, length - len((head + tail).encode())) + tail
    whole["marks out of order"] = "a" + _of_length("\u0315", length * 3 // 4) + _of_length("\u0300", length // 4 - 1)
    return whole


def _modules() -> Iterator[ModuleType]:
    for package in (tellonce_server, tellonce_relay, tellonce_summarizer, tellonce_text):
        for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if not found.name.endswith("__main__"):
                yield importlib.import_module(found.name)
    yield from (forget_contract, tag_form, imported_items)


def public_readers() -> Iterator[str]:
    """The names of all public functions, and methods of public classes, that accept a text."""
    for module in _modules():
        for name, found in vars(module).items():
            if name.startswith("_") or getattr(found, "__module__", None) != module.__name__:
                continue
            inner = vars(found) if inspect.isclass(found) else {}
            for called, function in {"": found, **inner}.items():
                if not called.startswith("_") and _takes_text(function):
                    yield ".".join(filter(None, (module.__name__, name, called)))


def _takes_text(found: object) -> bool:
    method = found.__func__ if isinstance(found, classmethod | staticmethod) else found
    function = inspect.unwrap(method) if callable(method) else None
    if not inspect.isfunction(function) or inspect.iscoroutinefunction(function):
        return False
    parameters = str(inspect.signature(function)).split(" -> ")[0]
    return re.search(r"\bstr\b|messages\.Line\b|WorkMessage|KnownMemory", parameters) is not None
