"""Counts the right claims and the false claims that the check accepts as certain. The counts are separate for each kind
of claim, and for claims with and without a quote."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from tellonce.contract_types import When
from tellonce_server.domain.memory.check import Quoted, Verdict, check, check_claim
from tellonce_server.embedding.protocol import Similarity

ZONE = ZoneInfo("Europe/Berlin")
SAID_AT = datetime(2026, 11, 20, 10, tzinfo=ZONE)  # a Friday
SAID_AT_IN = {
    "claims4.jsonl": datetime(2026, 11, 23, 18, 40, tzinfo=ZoneInfo("Europe/Madrid")),
    "claims5.jsonl": datetime(2026, 11, 25, 8, 15, tzinfo=ZoneInfo("America/New_York")),
    "claims6.jsonl": datetime(2026, 11, 23, 18, 40, tzinfo=ZoneInfo("Europe/Madrid")),
    "claims7.jsonl": datetime(2026, 10, 22, 19, 40, tzinfo=ZoneInfo("Europe/Madrid")),
    "claims8.jsonl": datetime(2027, 2, 9, 8, 15, tzinfo=ZoneInfo("America/Chicago")),
    "claims9.jsonl": datetime(2027, 2, 8, 9, tzinfo=ZoneInfo("UTC")),
    "claims10.jsonl": datetime(2027, 4, 15, 10, tzinfo=ZoneInfo("UTC")),
    "claims11.jsonl": datetime(2026, 10, 14, 11, 20, tzinfo=ZoneInfo("Europe/Berlin")),
    "claims12.jsonl": datetime(2027, 3, 9, 20, 15, tzinfo=ZoneInfo("America/Chicago")),
    "claims13.jsonl": datetime(2027, 6, 17, 14, 10, tzinfo=ZoneInfo("Europe/London")),
}
"""The dates of messages, for the tables that do not use SAID_AT."""
TABLES = Path(__file__).parent


@dataclass(frozen=True)
class Case:
    """A claim with its expected verdict. For a false claim, `kind` names the error. Errors of the kind `meaning` cannot
    be found by comparing words. `shown` are other lines that the model saw. If the claim is not about the user, `about`
    is the person or thing that it is about."""

    right: bool
    kind: str
    said: str
    quote: str
    text: str
    role: str = "user"
    when: When | None = None
    deadline: datetime | None = None
    said_at: datetime = SAID_AT
    shown: Sequence[str] = ()
    about: str = ""


def cases(table: str = "claims.jsonl") -> list[Case]:
    """Read the claims of a table. `table` is the name of its file beside this module."""
    lines = (TABLES / table).read_text(encoding="utf-8").splitlines()
    return [_case(json.loads(line), SAID_AT_IN.get(table, SAID_AT)) for line in lines]


def _case(fields: dict[str, Any], said_at: datetime) -> Case:
    when, deadline, zone = fields.pop("when", None), fields.pop("deadline", None), fields.pop("zone", None)
    if zone is not None:
        said_at = datetime.fromisoformat(fields.pop("said_at")).replace(tzinfo=ZoneInfo(zone))
    return Case(
        **fields,
        when=_when(when, said_at) if when else None,
        deadline=_moment(deadline, said_at) if deadline else None,
        said_at=said_at,
    )


def _when(fields: dict[str, str], said_at: datetime) -> When:
    """The time of a claim. A day is represented by its first minute in the time zone of the message's sender."""
    here = {name: _moment(fields[name], said_at) for name in ("start", "end") if fields.get(name)}
    # A table may give the precision "season", which the contract does not have.
    return When.model_construct(precision=fields["precision"], **here)


def _moment(text: str, said_at: datetime) -> datetime:
    """Parse a time. A time without an offset is in the time zone of the message's sender."""
    at = datetime.fromisoformat(text)
    return at if at.tzinfo else at.replace(tzinfo=said_at.tzinfo)


def quoted(case: Case, similarity: Similarity | None = None) -> Verdict:
    """Check the claim together with its quote, like an item from the summarizer."""
    words = _words(case, case.quote)
    return check(
        case.text,
        [words],
        shown=case.shown,
        when=case.when,
        deadline=case.deadline,
        similarity=similarity,
        about=case.about,
        is_read_again=True,
    )


def unquoted(case: Case, similarity: Similarity | None = None) -> Verdict:
    """Check the claim against its whole message. A tag in an answer has no quote and is checked in the same way."""
    words = _words(case, case.said)
    return check_claim(
        case.text,
        [words],
        similarity,
        when=case.when,
        deadline=case.deadline,
    )


def _words(case: Case, quote: str) -> Quoted:
    zone = case.said_at.tzinfo
    assert isinstance(zone, ZoneInfo)
    return Quoted(quote, case.said, case.role, case.said_at, zone)


def wrong(verdicts: list[tuple[Case, Verdict]]) -> Iterator[tuple[Case, Verdict]]:
    """Yield the right claims that are not judged certain, and the false claims that are judged certain."""
    return ((case, verdict) for case, verdict in verdicts if case.right != verdict.certain)
