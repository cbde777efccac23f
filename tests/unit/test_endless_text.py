"""No text, however long and odd, costs more than time in proportion to its length."""

import time
from collections.abc import Callable
from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from chatmem.corrections import settled
from chatmem_server.memories.categories import detect, pin_reason, priority
from chatmem_server.memories.claims import claims
from chatmem_server.memories.dedup import Statement, decide
from chatmem_server.memories.eligibility import eligible_sentences
from chatmem_server.memories.evidence import Source, check
from chatmem_server.text.importance import message_importance
from chatmem_server.text.secrets import mask
from chatmem_server.text.tokens import clip, estimate
from chatmem_text.dates.spans import query_spans

NOW = datetime(2026, 2, 18, 15, 0, tzinfo=ZoneInfo("Asia/Singapore"))
LENGTH = 32_768

READERS: dict[str, Callable[[str], object]] = {
    "claims": claims,
    "dedup": lambda text: decide(Statement(text + "x"), [(Statement(text), 0.95)]),
    "evidence": lambda text: check(text[:600], text[:100], [Source(text, NOW, NOW.tzinfo)]),  # type: ignore[arg-type]  # a ZoneInfo
    "eligibility": eligible_sentences,
    "corrections": settled,
    "secrets": mask,
    "categories": lambda text: (detect(text), pin_reason(text), priority(text)),
    "time": lambda text: query_spans(text, NOW, NOW.tzinfo),  # type: ignore[arg-type]  # a ZoneInfo
    "tokens": lambda text: (estimate(text), clip(text, 500)),
    "importance": lambda text: message_importance("user", text),
}
SEEDS = [
    *("March 3 ", "my the our ", "1 ", "'a ", "(", "because i like ", "#", "a", "Ab ", "password is ", "secret ", "- ", "\n", " ", "my a b c d e f "),
    *("I need to x by ", "1-", "4111 ", "1,000,", "at 7", '"', "```", "> ", "if I ", "a's b's ", "x@y.z ", "://a:b", "eyJ", "sk-", "A.", "...", "my ", "a: b\n"),
    *("no wait, 3 ", "a b no, ", "not 3, ", "from 3 to 4 ", "isn't 3 but ", "Tom owes me "),
    *("one hundred and ", "twenty-", "not ", "I'm a ", "é", "你", "⟦memory⟧", "😀", "I live in "),
]  # fmt: skip


@pytest.mark.parametrize("reader", READERS)
def test_endless_text_costs_no_endless_time(reader: str) -> None:
    slowest = max((_seconds(READERS[reader], seed), seed) for seed in SEEDS)
    print(f"{reader}: {slowest[0]:.2f} s for {LENGTH} characters of {slowest[1]!r}")
    assert slowest[0] < 4


def _seconds(read: Callable[[str], object], seed: str) -> float:
    text = (seed * LENGTH)[:LENGTH]
    begun = time.process_time()
    read(text)
    return time.process_time() - begun
