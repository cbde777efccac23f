"""Every public function that reads stored text, by its name, and hostile texts for them to read."""

import importlib
import inspect
import pkgutil
import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from types import ModuleType
from zoneinfo import ZoneInfo

from chatmem_summarizer.rules import rule

import chatmem_relay
import chatmem_server
import chatmem_summarizer
from chatmem import corrections
from chatmem.contract import MAX_TEXT_BYTES
from chatmem.work import KnownMemory, WorkMessage
from chatmem_cli.importers import fitting
from chatmem_relay import expectation, incoming, markdown, questions, split, tags, views
from chatmem_relay.responders import wording
from chatmem_relay.routines import short_form
from chatmem_server.context import lines, memory_order, slots
from chatmem_server.dates import date_mentions, dating, due, time_expressions
from chatmem_server.erasure import redaction, targets
from chatmem_server.memories import (
    attributes,
    categories,
    certainty,
    check,
    claims,
    dedup,
    dedup_guards,
    eligibility,
    evidence,
    literals,
    resolving,
    statements,
    values,
    whose,
)
from chatmem_server.retrieval import excerpt, lexical, question, signals
from chatmem_server.store.messages import Line
from chatmem_server.text import fences, importance, normalization, secrets, stemming, synonyms, tokens, word_forms
from chatmem_server.tools import storable
from chatmem_server.views import gist
from chatmem_summarizer import (
    answers,
    clauses,
    dates,
    frames,
    length,
    offline_canonical,
    offline_extract,
    offline_profile,
    offline_rolling,
    offline_summarize,
    own_words,
    quotes,
    restate,
    salience,
    transcript,
    validate,
)

ZONE = ZoneInfo("Asia/Singapore")
NOW = datetime(2026, 2, 18, 15, 0, tzinfo=ZONE)
SPAN = (datetime(2026, 1, 1, tzinfo=UTC), datetime(2026, 2, 1, tzinfo=UTC))
STATEMENT = 1_000
"""Characters of the longest memories that are compared word by word."""
SENTENCE = "I live in Berlin with Ann and 3 cats since May"


def _line(text: str) -> Line:
    return Line(1, 1, "user", text, None, None, None, NOW, 480, 10, None, 1)


def _message(text: str) -> WorkMessage:
    return WorkMessage(id=1, role="user", at=NOW, text=text)


def _known(text: str) -> KnownMemory:
    return KnownMemory(id=1, kind="fact", text=text, status="active")


def _source(text: str) -> evidence.Source:
    return evidence.Source(text, NOW, ZONE)


def _quoted(text: str) -> check.Quoted:
    return check.Quoted(text, text, "user", NOW, ZONE)


def _redact(text: str) -> object:
    return redaction.redact(text, targets.Sought([targets.Target.statement(SENTENCE)]))


def _read_answer(text: str) -> object:
    try:
        return answers.read(answers.ExtractionShape, text)
    except answers.UnacceptableAnswerError:
        return None


READERS: dict[str, Callable[[str], object]] = {
    "chatmem.corrections.corrects": corrections.corrects,
    "chatmem.corrections.settled": corrections.settled,
    "chatmem_cli.importers.fitting.clean": fitting.clean,
    "chatmem_cli.importers.fitting.pieces": lambda text: list(fitting.pieces(text)),
    "chatmem_relay.expectation.expected": expectation.expected,
    "chatmem_relay.incoming.command_of": incoming.command_of,
    "chatmem_relay.incoming.is_command": incoming.is_command,
    "chatmem_relay.markdown.cut_out": lambda text: markdown.cut_out(markdown.Marked(text), 0, text),
    "chatmem_relay.markdown.rendered": markdown.rendered,
    "chatmem_relay.markdown.units": markdown.units,
    "chatmem_relay.questions.topic_of": questions.topic_of,
    "chatmem_relay.questions.forget_topic": lambda text: questions.forget_topic(text, 1, 1),
    "chatmem_relay.questions.right_wording": lambda text: questions.right_wording(text, 1),
    "chatmem_relay.responders.wording.best_sentences": lambda text: wording.best_sentences(text, SENTENCE),
    "chatmem_relay.responders.wording.content_words": wording.content_words,
    "chatmem_relay.responders.wording.is_question": wording.is_question,
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
    "chatmem_server.dates.dating.with_dates": lambda text: dating.with_dates(text, NOW),
    "chatmem_server.dates.due.due_date": lambda text: due.due_date(text, NOW, ZONE),
    "chatmem_server.dates.due.speaks_of_time": due.speaks_of_time,
    "chatmem_server.dates.time_expressions.direction_of": time_expressions.direction_of,
    "chatmem_server.dates.time_expressions.directions_of": time_expressions.directions_of,
    "chatmem_server.dates.time_expressions.spans_in_message": lambda text: time_expressions.spans_in_message(
        text, NOW, ZONE
    ),
    "chatmem_server.dates.time_expressions.spans_in_plan": lambda text: time_expressions.spans_in_plan(text, NOW, ZONE),
    "chatmem_server.dates.time_expressions.spans_in_query": lambda text: time_expressions.spans_in_query(
        text, NOW, ZONE
    ),
    "chatmem_server.erasure.redaction.redact": _redact,
    "chatmem_server.erasure.targets.sentences": targets.sentences,
    "chatmem_server.memories.attributes.attributes": attributes.attributes,
    "chatmem_server.memories.categories.detect": categories.detect,
    "chatmem_server.memories.categories.pin_importance": categories.pin_importance,
    "chatmem_server.memories.categories.pin_reason": categories.pin_reason,
    "chatmem_server.memories.categories.priority": categories.priority,
    "chatmem_server.memories.categories.tells_who": categories.tells_who,
    "chatmem_server.memories.certainty.hedged": lambda text: certainty.hedged(SENTENCE, text),
    "chatmem_server.memories.certainty.unrealised": lambda text: certainty.unrealised(SENTENCE, text),
    "chatmem_server.memories.check.check": lambda text: check.check(text, [_quoted(text)], shown=[text]),
    "chatmem_server.memories.check.check_claim": lambda text: check.check_claim(text, [_quoted(text)]),
    "chatmem_server.memories.check.contains_quote": lambda text: check.contains_quote(text, text[1:]),
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
    "chatmem_server.memories.resolving.admits": lambda text: resolving.admits(text, NOW, ZONE, NOW.date()),
    "chatmem_server.memories.claims.claims": claims.claims,
    "chatmem_server.memories.claims.content_stems": claims.content_stems,
    "chatmem_server.memories.claims.plain": claims.plain,
    "chatmem_server.memories.claims.tokens_of": claims.tokens_of,
    "chatmem_server.memories.claims.undated_text": claims.undated_text,
    "chatmem_server.memories.dedup.contradiction": lambda text: dedup.contradiction(text, SENTENCE),
    "chatmem_server.memories.dedup.decide": lambda text: dedup.decide(
        dedup.Statement(text + "x"), [(dedup.Statement(text), 0.95)]
    ),
    "chatmem_server.memories.dedup.is_duplicate": lambda text: dedup.is_duplicate(text + "x", text, 0.95),
    "chatmem_server.memories.dedup.is_retold": lambda text: dedup.is_retold(text + "x", text),
    "chatmem_server.memories.dedup.lexical_similarity": lambda text: dedup.lexical_similarity(
        text[:STATEMENT], text[1:STATEMENT]
    ),
    "chatmem_server.memories.dedup.telling": dedup.telling,
    "chatmem_server.memories.dedup_guards.at_odds": lambda text: dedup_guards.at_odds(
        text[:STATEMENT], text[1:STATEMENT]
    ),
    "chatmem_server.memories.dedup_guards.disagreement": lambda text: dedup_guards.disagreement(
        text[:STATEMENT], text[1:STATEMENT]
    ),
    "chatmem_server.memories.dedup_guards.read": dedup_guards.read,
    "chatmem_server.memories.eligibility.eligible_sentences": eligibility.eligible_sentences,
    "chatmem_server.memories.eligibility.own_words": eligibility.own_words,
    "chatmem_server.memories.evidence.check": lambda text: evidence.check(text[:600], text[:100], [_source(text)]),
    "chatmem_server.memories.evidence.contains_quote": lambda text: evidence.contains_quote(text, text[:600]),
    "chatmem_server.memories.evidence.stated": lambda text: evidence.stated(SENTENCE, SENTENCE, [text]),
    "chatmem_server.memories.evidence.supported": lambda text: evidence.supported(SENTENCE, text),
    "chatmem_server.memories.statements.memory_lexemes": lambda text: statements.memory_lexemes(1, text),
    "chatmem_server.memories.values.chooses": values.chooses,
    "chatmem_server.memories.values.employs": values.employs,
    "chatmem_server.memories.values.is_favoured": values.is_favoured,
    "chatmem_server.memories.values.is_job": values.is_job,
    "chatmem_server.memories.values.measures": values.measures,
    "chatmem_server.memories.values.names": values.names,
    "chatmem_server.memories.whose.attributed": lambda text: whose.attributed(SENTENCE, text, text),
    "chatmem_server.memories.whose.closest_clause": lambda text: whose.closest_clause(SENTENCE, text),
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
    "chatmem_server.text.importance.message_importance": lambda text: importance.message_importance("user", text),
    "chatmem_server.text.normalization.nfkc": normalization.nfkc,
    "chatmem_server.text.secrets.mask": secrets.mask,
    "chatmem_server.text.secrets.may_hold": secrets.may_hold,
    "chatmem_server.text.stemming.stem": stemming.stem,
    "chatmem_server.text.synonyms.canonical": synonyms.canonical,
    "chatmem_server.text.synonyms.same_phrases": synonyms.same_phrases,
    "chatmem_server.text.tokens.clip": lambda text: tokens.clip(text, 500),
    "chatmem_server.text.tokens.estimate": tokens.estimate,
    "chatmem_server.text.word_forms.beginnings": word_forms.beginnings,
    "chatmem_server.text.word_forms.irregular_forms": word_forms.irregular_forms,
    "chatmem_server.text.word_forms.is_english": lambda text: word_forms.is_english((text,)),
    "chatmem_server.text.word_forms.is_spaceless": word_forms.is_spaceless,
    "chatmem_server.text.word_forms.roots": word_forms.roots,
    "chatmem_server.tools.storable.unstorable": lambda text: storable.unstorable({"content": text}),
    "chatmem_server.views.gist": lambda text: gist([_line(text)]),
    "chatmem_summarizer.answers.read": _read_answer,
    "chatmem_summarizer.clauses.is_question": clauses.is_question,
    "chatmem_summarizer.clauses.states_something": clauses.states_something,
    "chatmem_summarizer.dates.clock_in": dates.clock_in,
    "chatmem_summarizer.dates.find": lambda text: dates.find(text, NOW),
    "chatmem_summarizer.frames.frame_of": lambda text: frames.frame_of([text]),
    "chatmem_summarizer.frames.told_of_user": frames.told_of_user,
    "chatmem_summarizer.length.clip": lambda text: length.clip(text, 500),
    "chatmem_summarizer.length.head_and_tail": lambda text: length.head_and_tail(text, 500),
    "chatmem_summarizer.length.tokens": length.tokens,
    "chatmem_summarizer.offline_canonical.exchange_line": lambda text: offline_canonical.exchange_line(
        [_message(text)], ZONE
    ),
    "chatmem_summarizer.offline_canonical.newest": lambda text: offline_canonical.newest([text], 500),
    "chatmem_summarizer.offline_extract.drafts": lambda text: list(offline_extract.drafts(_message(text), ZONE)),
    "chatmem_summarizer.offline_extract.extract_from": lambda text: offline_extract.extract_from(
        [_message(text)], ZONE
    ),
    "chatmem_summarizer.offline_profile.narrative": lambda text: offline_profile.narrative([_known(text)]),
    "chatmem_summarizer.offline_rolling.shrunk": lambda text: offline_rolling.shrunk([text], 500),
    "chatmem_summarizer.offline_summarize.body": lambda text: offline_summarize.body([_message(text)], ZONE),
    "chatmem_summarizer.offline_summarize.lines": lambda text: offline_summarize.lines([text]),
    "chatmem_summarizer.offline_summarize.paragraph": lambda text: offline_summarize.paragraph([_message(text)], ZONE),
    "chatmem_summarizer.offline_summarize.settled": lambda text: offline_summarize.settled(text, [SENTENCE]),
    "chatmem_summarizer.own_words.blanked": own_words.blanked,
    "chatmem_summarizer.own_words.sentences": own_words.sentences,
    "chatmem_summarizer.quotes.due": lambda text: quotes.due(text, ZONE, end_of_day=True),
    "chatmem_summarizer.quotes.verbatim": lambda text: quotes.verbatim(text[:600], text),
    "chatmem_summarizer.restate.capitalised": restate.capitalised,
    "chatmem_summarizer.restate.inner": restate.inner,
    "chatmem_summarizer.restate.singular": restate.singular,
    "chatmem_summarizer.restate.third_person": restate.third_person,
    "chatmem_summarizer.restate.without_my": restate.without_my,
    "chatmem_summarizer.rules.rule.dated": lambda text: rule.dated(text, text, rule.Scene(NOW)),
    "chatmem_summarizer.rules.rule.first_date": lambda text: rule.first_date(text, rule.Scene(NOW)),
    "chatmem_summarizer.rules.rule.in_the_past": rule.in_the_past,
    "chatmem_summarizer.salience.alike": lambda text: salience.alike(text + "x", text),
    "chatmem_summarizer.salience.ranked": lambda text: salience.ranked([_message(text)]),
    "chatmem_summarizer.salience.topics": lambda text: salience.topics([_message(text)]),
    "chatmem_summarizer.salience.words": salience.words,
    "chatmem_summarizer.transcript.plain": lambda text: transcript.plain([_message(text)], 1_800),
    "chatmem_summarizer.transcript.transcript": lambda text: transcript.transcript([_message(text)], ZONE),
    "chatmem_summarizer.validate.complaint": lambda text: validate.complaint(text[:2_000], text),
    "chatmem_summarizer.validate.fallback": lambda text: validate.fallback([_message(text)]),
    "chatmem_summarizer.validate.overlap": lambda text: validate.overlap(text, text),
}
"""Each reads one text of any content and length."""

NOT_READERS = frozenset(
    """
    chatmem_relay.access.is_for_us chatmem_relay.buttons.read chatmem_relay.config_file.read chatmem_relay.notebook.write
    chatmem_relay.polling.readable chatmem_relay.prompt.build
    chatmem_relay.routines.cron.check chatmem_relay.routines.cron.next_due chatmem_relay.routines.sending.send_once
    chatmem_relay.telegram_bot.make_bot chatmem_relay.turn.failed chatmem_relay.updates.incoming
    chatmem_relay.views.status_view chatmem_relay.webhook.application chatmem_server.auth.digest
    chatmem_server.context.budget.cost chatmem_server.context.budget.take chatmem_server.context.focus.find_focus
    chatmem_server.context.lines.speaker chatmem_server.context.slots.pending
    chatmem_server.embedding.choose.embedder_named chatmem_server.embedding.codes.halfvec
    chatmem_server.memories.assistant_statements.newest_words chatmem_server.places.channel_of
    chatmem_server.memories.learning.may_tell chatmem_server.memories.learning.states chatmem_server.oauth.granted
    chatmem_server.oauth.is_jwt chatmem_server.places.reply_lane chatmem_server.places.session_id
    chatmem_server.postgres.migrate.missing chatmem_server.postgres.migrate.statements
    chatmem_server.queue.work_inputs.sender_time
    chatmem_server.resources.chat_number chatmem_server.resources.row_number chatmem_server.retrieval.cursor.read
    chatmem_server.retrieval.found.hit chatmem_server.retrieval.prompting.choose
    chatmem_server.retrieval.question.weight chatmem_server.store.bulk.by_number chatmem_server.store.messages.of_lane
    chatmem_server.text.tsquery.all_of chatmem_server.text.tsquery.any_of chatmem_server.text.tsquery.beginning_with
    chatmem_server.text.tsquery.quoted chatmem_server.text.word_lists.words_of chatmem_server.tools.schema.compact
    chatmem_server.tools.schema.compact_result chatmem_server.tools.strict.explained
    chatmem_server.tools.strict.strict_tool chatmem_summarizer.frames.listed chatmem_summarizer.quotes.grounded
    chatmem_summarizer.rules.rule.owns chatmem_summarizer.rules.rule.states
    """.split()
)
"""They take names, settings, numbers as text or single words; or hand whole texts to the readers and no more."""

SLOW = frozenset(
    """
    chatmem_server.context.lines.with_days chatmem_server.dates.date_mentions.find chatmem_server.dates.due.due_date
    chatmem_server.dates.time_expressions.spans_in_message chatmem_server.dates.time_expressions.spans_in_plan
    chatmem_server.dates.time_expressions.spans_in_query chatmem_server.erasure.redaction.redact
    chatmem_server.memories.categories.detect chatmem_server.memories.certainty.hedged
    chatmem_server.memories.check.check chatmem_server.memories.check.check_claim
    chatmem_server.memories.literals.numbers chatmem_server.memories.literals.said_numbers
    chatmem_server.memories.resolving.admits chatmem_server.memories.certainty.unrealised chatmem_server.memories.claims.claims
    chatmem_server.memories.claims.undated_text chatmem_server.memories.dedup_guards.read
    chatmem_server.memories.eligibility.eligible_sentences chatmem_server.memories.evidence.check
    chatmem_server.memories.evidence.stated chatmem_server.memories.evidence.supported
    chatmem_server.memories.values.chooses chatmem_server.memories.values.measures chatmem_server.memories.values.names
    chatmem_server.memories.whose.attributed chatmem_server.memories.whose.closest_clause
    chatmem_server.retrieval.question.spans_of chatmem_server.retrieval.question.spans_seen_from
    chatmem_server.retrieval.signals.tells_of chatmem_summarizer.offline_canonical.exchange_line
    chatmem_summarizer.dates.find chatmem_summarizer.rules.rule.dated chatmem_summarizer.rules.rule.first_date
    chatmem_summarizer.offline_extract.drafts chatmem_summarizer.offline_extract.extract_from
    chatmem_summarizer.offline_summarize.body chatmem_summarizer.offline_summarize.paragraph
    chatmem_summarizer.own_words.sentences chatmem_summarizer.salience.ranked
    """.split()
)
"""Linear too, but they take each word apart: .1 to 1.4 s for a text as long as any may be, in a thread of the server's."""


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
    for package in (chatmem_server, chatmem_relay, chatmem_summarizer):
        for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if not found.name.endswith("__main__"):
                yield importlib.import_module(found.name)
    yield from (corrections, fitting)


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
    return re.search(r"\bstr\b|\bLine\b|WorkMessage|KnownMemory|Statement\b|Source\b", parameters) is not None
