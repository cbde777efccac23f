"""Every public function that reads stored text, by its name, and hostile texts for them to read."""

import importlib
import inspect
import pkgutil
import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from types import ModuleType
from zoneinfo import ZoneInfo

import chatmem_relay
import chatmem_server
import chatmem_summarizer
import chatmem_text
from chatmem import choices, tag_form
from chatmem.contract import MAX_TEXT_BYTES
from chatmem.work import KnownMemory, NotableSentence, WorkMessage
from chatmem_cli.importers import fitting
from chatmem_relay import expectation, incoming, markdown, questions, split, tags, views
from chatmem_relay.responders import wording
from chatmem_relay.routines import short_form
from chatmem_server import learning_prompt
from chatmem_server.context import lines, memory_order, slots
from chatmem_server.dates import date_mentions
from chatmem_server.erasure import forget_query, previews, redaction, targets, word_forms
from chatmem_server.keep import features, orders, own_speech
from chatmem_server.keep import sentences as kept_sentences
from chatmem_server.memories import check, claims, dedup, importance, literals, resolving, striking
from chatmem_server.memories.said_numbers import numbers_following
from chatmem_server.retrieval import excerpt, lexical, question, signals
from chatmem_server.store.messages import Line
from chatmem_server.text import fences, folding, normalization, secrets, stemming, tokens
from chatmem_server.text import importance as message_importance
from chatmem_server.tools import coercion, storable
from chatmem_server.views import gist
from chatmem_summarizer import answers, exchange, length, moments, quotes, transcript, validate
from chatmem_summarizer.keep import lines as kept_lines
from chatmem_summarizer.keep import sentences as told_sentences
from chatmem_summarizer.keep import summaries
from chatmem_text.dates import admission, annotation, deadlines, resolver, spans
from chatmem_text.dates import tokens as date_tokens
from chatmem_text.dates.readings import Said

ZONE = ZoneInfo("Asia/Singapore")
NOW = datetime(2026, 2, 18, 15, 0, tzinfo=ZONE)
SPAN = (datetime(2026, 1, 1, tzinfo=UTC), datetime(2026, 2, 1, tzinfo=UTC))
SAID = Said(NOW, ZONE)
SENTENCE = "I live in Berlin with Ann and 3 cats since May"


def _line(text: str) -> Line:
    return Line(1, 1, "user", text, None, None, None, NOW, 480, 10, None, 1)


def _message(text: str) -> WorkMessage:
    return WorkMessage(id=1, role="user", at=NOW, text=text)


def _known(text: str) -> KnownMemory:
    return KnownMemory(id=1, kind="fact", text=text, since=NOW, status="active")


def _notable(text: str) -> NotableSentence:
    return NotableSentence(message_id=1, text=text, score=1.0, group="fact", shown=True)


def _quoted(text: str) -> check.Quoted:
    return check.Quoted(text, text, "user", NOW, ZONE)


NO_COSINES = striking.Cosines({})
ENDED = striking.Ended((SENTENCE,), "I live in Rome")
SOURCE = forget_query.Source("message", 1, 2)
STATED = forget_query.Stated(SENTENCE, 1, (SENTENCE,), frozenset({(1, 3)}))


def _literal(text: str) -> folding.Literal:
    found = folding.Literal.of(text)
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


def _read_answer(text: str) -> object:
    try:
        return answers.read(answers.ExchangeShape, text)
    except answers.UnacceptableAnswerError:
        return None


READERS: dict[str, Callable[[str], object]] = {
    "chatmem.choices.picked": lambda text: choices.picked(text, 30),
    "chatmem.tag_form.OPENING": lambda text: [
        pattern.search(text)
        for pattern in (tag_form.OPENING, tag_form.SHOWN, tag_form.MAY_OPEN, tag_form.DEADLINE_MARK)
    ],
    "chatmem.tag_form.name_of": tag_form.name_of,
    "chatmem_cli.importers.fitting.clean": fitting.clean,
    "chatmem_cli.importers.fitting.pieces": lambda text: list(fitting.pieces(text)),
    "chatmem_relay.expectation.expected": expectation.expected,
    "chatmem_relay.incoming.command_of": incoming.command_of,
    "chatmem_relay.incoming.is_command": incoming.is_command,
    "chatmem_relay.markdown.cut_out": lambda text: markdown.cut_out(markdown.Marked(text), 0, text),
    "chatmem_relay.markdown.rendered": markdown.rendered,
    "chatmem_relay.markdown.units": markdown.units,
    "chatmem_relay.questions.right_wording": lambda text: questions.right_wording(text, 1),
    "chatmem_relay.responders.wording.best_sentences": lambda text: wording.best_sentences(text, SENTENCE),
    "chatmem_relay.responders.wording.content_words": wording.content_words,
    "chatmem_relay.responders.wording.is_question": wording.is_question,
    "chatmem_relay.responders.wording.told_sentences": wording.told_sentences,
    "chatmem_relay.responders.wording.wish": wording.wish,
    "chatmem_relay.routines.short_form.usable": lambda text: short_form.usable(text, text),
    "chatmem_relay.split.split": lambda text: split.split(markdown.Marked(text)),
    "chatmem_relay.tags.finished": tags.finished,
    "chatmem_relay.tags.heard": lambda text: tags.heard([text]),
    "chatmem_relay.tags.parse": tags.parse,
    "chatmem_relay.tags.shown_so_far": tags.shown_so_far,
    "chatmem_relay.views.notice_view": views.notice_view,
    "chatmem_server.context.lines.body": lines.body,
    "chatmem_server.context.lines.quoted_line": lambda text: lines.quoted_line(
        _line(text), lines.View(NOW, ZONE, "root:1")
    ),
    "chatmem_server.context.lines.shown": lambda text: lines.shown(_line(text), lines.View(NOW, ZONE, "root:1")),
    "chatmem_server.context.lines.with_days": lambda text: lines.with_days(text, NOW, ZONE),
    "chatmem_server.context.memory_order.worth_showing": memory_order.worth_showing,
    "chatmem_server.context.slots.fill": lambda text: [
        slots.fill(kind, text, ("red", "blue"))
        for kind in ("text", "yes_no", "number", "date", "time", "email", "url", "choice")
    ],
    "chatmem_server.dates.date_mentions.find": date_mentions.find,
    "chatmem_server.erasure.forget_query.LiteralQuery.marks": lambda text: QUERIES["LiteralQuery"].marks(text, SOURCE),
    "chatmem_server.erasure.forget_query.RowQuery.marks": lambda text: QUERIES["RowQuery"].marks(text, SOURCE),
    "chatmem_server.erasure.forget_query.StatementQuery.marks": lambda text: QUERIES["StatementQuery"].marks(
        text, SOURCE
    ),
    "chatmem_server.erasure.forget_query.TopicQuery.marks": lambda text: QUERIES["TopicQuery"].marks(text, SOURCE),
    "chatmem_server.erasure.previews.clipped": lambda text: previews.clipped(text, 9),
    "chatmem_server.erasure.redaction.redact": _redact,
    "chatmem_server.erasure.redaction.redact_all": lambda text: redaction.redact_all(
        {"said": [text]}, lambda part: QUERIES["TopicQuery"].marks(part, SOURCE)
    ),
    "chatmem_server.erasure.targets.placed_sentences": lambda text: list(targets.placed_sentences(text)),
    "chatmem_server.erasure.targets.sentences": targets.sentences,
    "chatmem_server.erasure.word_forms.irregular_forms": word_forms.irregular_forms,
    "chatmem_server.erasure.word_forms.is_english": lambda text: word_forms.is_english((text,)),
    "chatmem_server.erasure.word_forms.is_spaceless": word_forms.is_spaceless,
    "chatmem_server.erasure.word_forms.roots": word_forms.roots,
    "chatmem_server.keep.features.features": lambda text: features.features(kept_sentences.Sentence(text)),
    "chatmem_server.keep.orders.is_order": orders.is_order,
    "chatmem_server.keep.own_speech.own_lines": own_speech.own_lines,
    "chatmem_server.keep.sentences.sentences": kept_sentences.sentences,
    "chatmem_server.learning_prompt.learning_prompt": lambda text: learning_prompt.learning_prompt(
        [[_line(text)]], [_known(text)], ZONE
    ),
    "chatmem_server.memories.check.check": lambda text: check.check(
        SENTENCE, [_quoted(text)], shown=[text], admits=resolving.admits, when=check.When(NOW.date())
    ),
    "chatmem_server.memories.check.check_claim": lambda text: check.check_claim(
        SENTENCE, [_quoted(text)], admits=resolving.admits, when=check.When(NOW.date())
    ),
    "chatmem_server.memories.check.contains_quote": lambda text: check.contains_quote(text, text[1:]),
    "chatmem_server.memories.claims.claims": claims.claims,
    "chatmem_server.memories.claims.content_stems": claims.content_stems,
    "chatmem_server.memories.claims.plain": claims.plain,
    "chatmem_server.memories.claims.tokens_of": claims.tokens_of,
    "chatmem_server.memories.dedup.is_denied": lambda text: dedup.is_denied(
        text, text[1:], 0.95, same_source=False, certain=True
    ),
    "chatmem_server.memories.dedup.is_retold": lambda text: dedup.is_retold(text + "x", text),
    "chatmem_server.memories.dedup.key": dedup.key,
    "chatmem_server.memories.dedup.same": lambda text: dedup.same(text, text[1:]),
    "chatmem_server.memories.importance.importance_of": lambda text: importance.importance_of(text, 0.5),
    "chatmem_server.memories.literals.asks": literals.asks,
    "chatmem_server.memories.literals.content": literals.content,
    "chatmem_server.memories.literals.names": literals.names,
    "chatmem_server.memories.literals.numbers": literals.numbers,
    "chatmem_server.memories.literals.phrase": literals.phrase,
    "chatmem_server.memories.literals.plain": literals.plain,
    "chatmem_server.memories.literals.said_numbers": literals.said_numbers,
    "chatmem_server.memories.literals.sentences": literals.sentences,
    "chatmem_server.memories.literals.tokens": lambda text: list(literals.tokens(text)),
    "chatmem_server.memories.literals.words": literals.words,
    "chatmem_server.memories.said_numbers.numbers_following": lambda text: numbers_following(text, NOW, ZONE),
    "chatmem_server.memories.resolving.admits": lambda text: resolving.admits(text, NOW, ZONE, NOW.date()),
    "chatmem_server.memories.striking.carries": lambda text: striking.carries(text, ENDED, NO_COSINES),
    "chatmem_server.memories.striking.struck": lambda text: striking.struck(text, [ENDED], NO_COSINES),
    "chatmem_server.retrieval.excerpt.excerpt": lambda text: excerpt.excerpt(text, 9_999, SENTENCE, routine=False),
    "chatmem_server.retrieval.lexical.index_text": lambda text: lexical.index_text(text, "Ann"),
    "chatmem_server.retrieval.lexical.normal": lexical.normal,
    "chatmem_server.retrieval.question.asks": question.asks,
    "chatmem_server.retrieval.question.names_in": lambda text: question.names_in(text, ("Ann", "Will Smith")),
    "chatmem_server.retrieval.question.question": lambda text: question.question(
        text, question.Setting((), ("Ann",), 9, 9, NOW, False), {}, ()
    ),
    "chatmem_server.retrieval.question.spans_of": lambda text: question.spans_of(text, NOW, ZONE),
    "chatmem_server.retrieval.question.spans_seen_from": lambda text: question.spans_seen_from(text, NOW, ZONE),
    "chatmem_server.retrieval.question.without_names": lambda text: question.without_names(
        text, frozenset(("Ann", "Will Smith"))
    ),
    "chatmem_server.retrieval.signals.amounts": signals.amounts,
    "chatmem_server.retrieval.signals.asking": signals.asking,
    "chatmem_server.retrieval.signals.first_person": signals.first_person,
    "chatmem_server.retrieval.signals.names_routine": lambda text: signals.names_routine(text, "morning-summary"),
    "chatmem_server.retrieval.signals.numbers": signals.numbers,
    "chatmem_server.retrieval.signals.tastes": signals.tastes,
    "chatmem_server.retrieval.signals.tells_of": lambda text: signals.tells_of(text, NOW, [SPAN], ZONE),
    "chatmem_server.retrieval.signals.time_words": signals.time_words,
    "chatmem_server.text.fences.contained": fences.contained,
    "chatmem_server.text.fences.contained_text": fences.contained_text,
    "chatmem_server.text.fences.fenced": fences.fenced,
    "chatmem_server.text.fences.name_of": fences.name_of,
    "chatmem_server.text.fences.without_recalled": fences.without_recalled,
    "chatmem_server.text.folding.Literal.of": lambda text: folding.Literal.of(text),
    "chatmem_server.text.folding.Literal.spans": lambda text: [
        _literal(said).spans(text) for said in ("4111 1111", SENTENCE)
    ],
    "chatmem_server.text.folding.fold": folding.fold,
    "chatmem_server.text.importance.message_importance": lambda text: message_importance.message_importance(
        "user", text
    ),
    "chatmem_server.text.normalization.nfkc": normalization.nfkc,
    "chatmem_server.text.secrets.mask": secrets.mask,
    "chatmem_server.text.secrets.may_hold": secrets.may_hold,
    "chatmem_server.text.stemming.stem": stemming.stem,
    "chatmem_server.text.tokens.clip": lambda text: tokens.clip(text, 500),
    "chatmem_server.text.tokens.estimate": tokens.estimate,
    "chatmem_server.tools.coercion.coerced": lambda text: coercion.coerced(
        {"ids": text}, {"properties": {"ids": {"type": "array", "items": {"type": "integer"}}}}
    ),
    "chatmem_server.tools.storable.unstorable": lambda text: storable.unstorable({"content": text}),
    "chatmem_server.views.gist": lambda text: gist([_line(text)]),
    "chatmem_summarizer.answers.read": _read_answer,
    "chatmem_summarizer.exchange.known_lines": lambda text: exchange.known_lines((_known(text),), ZONE),
    "chatmem_summarizer.keep.lines.bounded": lambda text: kept_lines.bounded([text], 9),
    "chatmem_summarizer.keep.lines.shrunk": lambda text: kept_lines.shrunk(text.splitlines(), 500),
    "chatmem_summarizer.keep.sentences.dated": lambda text: told_sentences.dated(
        told_sentences.Said(_message(text), text), ZONE
    ),
    "chatmem_summarizer.keep.sentences.telling": lambda text: (
        told_sentences.telling([_message(text)], [_notable(text)], 5) + told_sentences.telling([_message(text)], (), 5)
    ),
    "chatmem_summarizer.keep.summaries.shown_memories": lambda text: summaries.shown_memories([_known(text)], ZONE),
    "chatmem_summarizer.length.clip": lambda text: length.clip(text, 500),
    "chatmem_summarizer.length.head_and_tail": lambda text: length.head_and_tail(text, 500),
    "chatmem_summarizer.length.tokens": length.tokens,
    "chatmem_summarizer.moments.first_moment": lambda text: moments.first_moment(text, ZONE),
    "chatmem_summarizer.moments.last_moment": lambda text: moments.last_moment(text, ZONE),
    "chatmem_summarizer.quotes.placed": lambda text: quotes.placed(text[:600], 1, [_message(text)]),
    "chatmem_summarizer.quotes.verbatim": lambda text: quotes.verbatim(text[:600], text),
    "chatmem_summarizer.transcript.plain": lambda text: transcript.plain([_message(text)], 1_800),
    "chatmem_summarizer.transcript.transcript": lambda text: transcript.transcript([_message(text)], ZONE),
    "chatmem_summarizer.validate.complaint": lambda text: validate.complaint(text[:2_000], text),
    "chatmem_summarizer.validate.overlap": lambda text: validate.overlap(text, text),
    "chatmem_text.dates.admission.admits": lambda text: admission.admits(text, NOW.date(), SAID),
    "chatmem_text.dates.annotation.annotated": lambda text: annotation.annotated(text, SAID),
    "chatmem_text.dates.deadlines.appointment": lambda text: deadlines.appointment(text, NOW, ZONE),
    "chatmem_text.dates.deadlines.due_date": lambda text: deadlines.due_date(text, NOW, ZONE),
    "chatmem_text.dates.resolver.expressions": lambda text: resolver.expressions(text, SAID),
    "chatmem_text.dates.spans.message_spans": lambda text: spans.message_spans(text, NOW, ZONE),
    "chatmem_text.dates.spans.query_spans": lambda text: spans.query_spans(text, NOW, ZONE),
    "chatmem_text.dates.tokens.line_of": date_tokens.line_of,
}
"""Each reads one text of any content and length."""

NOT_READERS = frozenset(
    """
    chatmem_relay.access.is_for_us chatmem_relay.buttons.read chatmem_relay.config_file.read
    chatmem_relay.forget_list.list_of chatmem_relay.notebook.write chatmem_relay.polling.readable
    chatmem_relay.prompt.build chatmem_relay.routines.cron.check chatmem_relay.routines.cron.next_due
    chatmem_relay.routines.sending.send_once chatmem_relay.telegram_bot.make_bot chatmem_relay.turn.failed
    chatmem_relay.updates.incoming chatmem_relay.views.status_view chatmem_relay.webhook.application
    chatmem_server.auth.digest chatmem_server.context.budget.cost chatmem_server.context.budget.take
    chatmem_server.context.focus.find_focus chatmem_server.context.lines.speaker
    chatmem_server.context.slots.pending chatmem_server.embedding.choose.embedder_named
    chatmem_server.embedding.codes.halfvec chatmem_server.keep.heads.read
    chatmem_server.memories.assistant_statements.newest_words chatmem_server.memories.results.may_tell
    chatmem_server.oauth.granted chatmem_server.oauth.is_jwt chatmem_server.places.channel_of
    chatmem_server.places.reply_lane chatmem_server.places.session_id chatmem_server.postgres.migrate.missing
    chatmem_server.postgres.migrate.statements chatmem_server.queue.reading_status.status
    chatmem_server.queue.work_inputs.sender_time chatmem_server.resources.chat_number
    chatmem_server.resources.row_number chatmem_server.retrieval.cursor.read chatmem_server.retrieval.found.hit
    chatmem_server.retrieval.prompting.choose chatmem_server.retrieval.question.weight
    chatmem_server.store.bulk.by_number chatmem_server.store.database.as_login chatmem_server.store.forget.texts
    chatmem_server.store.messages.of_lane chatmem_server.store.route.unpooled chatmem_server.text.tsquery.any_of
    chatmem_server.text.tsquery.quoted chatmem_server.text.word_lists.words_of chatmem_server.tools.schema.compact
    chatmem_server.tools.schema.compact_result chatmem_server.tools.strict.explained
    chatmem_server.tools.strict.strict_tool chatmem_summarizer.canonical.extended chatmem_summarizer.items.items
    chatmem_summarizer.quotes.own chatmem_summarizer.transcript.speaker
    chatmem_text.dates.clock_phrases.hour_in_part chatmem_text.dates.counted_phrases.exactly_from
    chatmem_text.dates.day_arithmetic.counted_day chatmem_text.dates.day_arithmetic.unit_days
    chatmem_text.dates.feasts.feast_day chatmem_text.dates.feasts.is_local chatmem_text.dates.lexicon.lexicon
    chatmem_text.dates.phrases.skip
    """.split()
)
"""They take names, settings, numbers as text or single words; or hand whole texts to the readers and no more."""

SLOW = frozenset(
    """
    chatmem_server.context.lines.with_days chatmem_server.dates.date_mentions.find
    chatmem_server.erasure.forget_query.StatementQuery.marks chatmem_server.erasure.redaction.redact
    chatmem_server.memories.check.check chatmem_server.memories.check.check_claim
    chatmem_server.memories.check.contains_quote chatmem_server.memories.claims.claims
    chatmem_server.memories.dedup.is_denied chatmem_server.memories.dedup.is_retold
    chatmem_server.memories.dedup.same chatmem_server.memories.literals.names
    chatmem_server.memories.literals.numbers chatmem_server.memories.literals.said_numbers
    chatmem_server.memories.literals.tokens chatmem_server.memories.resolving.admits
    chatmem_server.memories.striking.carries chatmem_server.memories.striking.struck
    chatmem_server.retrieval.question.spans_of chatmem_server.retrieval.question.spans_seen_from
    chatmem_server.retrieval.signals.tells_of chatmem_text.dates.admission.admits
    chatmem_text.dates.annotation.annotated chatmem_text.dates.deadlines.appointment
    chatmem_text.dates.deadlines.due_date chatmem_text.dates.resolver.expressions
    chatmem_text.dates.spans.message_spans chatmem_text.dates.spans.query_spans chatmem_text.dates.tokens.line_of
    """.split()
)
"""Linear too, but they take each word apart: .1 to .8 s for a text as long as any may be, in a thread of the server's."""


def _of_length(seed: str) -> str:
    """The seed again and again, as much of it as one message may hold."""
    text = seed * (MAX_TEXT_BYTES // len(seed.encode()) + 1)
    return text.encode()[:MAX_TEXT_BYTES].decode(errors="ignore")


_SEEDS = {
    "blanks": " ", "tabs": "\t", "line breaks": "\n", "no-break spaces": "\u00a0", "brackets": "[", "pairs of brackets": "[(<⟦", "parentheses": "(",
    "digits": "1", "numbers": "1 ", "amounts": "1,000,", "ranges": "1-", "cards": "4111 ", "marks": "\u0315\u0300", "phrase ligatures": "\ufdfa",
    "letters": "a", "capitals": "A", "one-letter words": "a ", "names": "Ab ", "Chinese": "你", "Cyrillic": "привет ", "Hangul": "한", "emoji": "😀",
    "joiners": "\u200d", "quotation marks": '"', "apostrophes": "'a ", "stars": "*", "fences": "⟦memory⟧", "code": "```", "quotes": "> ", "rules": "- ",
    "short lines": "a: b\n", "section titles": "AB ", "full stops": ".", "sentences": "A. ", "questions": "is it? ", "dates": "March 3 ", "times": "at 7",
    "e-mails": "x@y.z ", "addresses": "://a:b", "passwords": "password is ", "tokens": "eyJ", "keys": "sk-", "secrets": "secret ", "tags": "[REMEMBER: a",
    "possessives": "my the our ", "reasons": "because i like ", "conditions": "if I ", "owners": "a's b's ", "corrections": "no wait, 3 ", "not": "not 3, ",
    "number words": "one hundred and ", "roles": "I'm a ", "debts": "Tom owes me ", "goals": "I need to x by ", "places": "I live in ", "slashes": "/", "colons": "user:",
    "underscores": "_", "hyphens": "a-", "commas": "a, ", "ands": "a and ", "plain text": SENTENCE + ". ",
}  # fmt: skip
_MIXED = {
    "blanks, a word": ("x\n", " ", "z"),
    "capitals, blanks": ("x\nAB", " ", ":z"),
    "a bracket, blanks": ("[", " ", "x"),
    "marks out of order": ("a", "\u0315", "\u0300" * 9_000),
    "stars, blanks": ("x\n", "* ", "z"),
    "memory, digits": ("x\nmemory ", "1", "z"),
    "a long word": ("I love ", "b", " very much"),
}


def hostile_texts() -> dict[str, str]:
    """Texts as long as one message may be, by what they are full of."""
    whole = {name: _of_length(seed) for name, seed in _SEEDS.items()}
    for name, (head, middle, tail) in _MIXED.items():
        whole[name] = head + _of_length(middle)[: -len((head + tail).encode())] + tail
    return whole


def _modules() -> Iterator[ModuleType]:
    for package in (chatmem_server, chatmem_relay, chatmem_summarizer, chatmem_text):
        for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if not found.name.endswith("__main__"):
                yield importlib.import_module(found.name)
    yield from (choices, tag_form, fitting)


def public_readers() -> Iterator[str]:
    """Names of all public plain functions to which a text can be given."""
    for module in _modules():
        for name, found in vars(module).items():
            function = inspect.unwrap(found) if callable(found) else None
            if (
                not name.startswith("_")
                and inspect.isfunction(function)
                and found.__module__ == module.__name__
                and not inspect.iscoroutinefunction(function)
                and _takes_text(function)
            ):
                yield f"{module.__name__}.{name}"


def _takes_text(function: Callable[..., object]) -> bool:
    parameters = str(inspect.signature(function)).split(" -> ")[0]
    return re.search(r"\bstr\b|messages\.Line\b|WorkMessage|KnownMemory", parameters) is not None
