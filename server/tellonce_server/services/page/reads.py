"""Reads the data that the page's screens show for one owner. This module changes nothing in the memory."""

from collections.abc import Sequence
from datetime import datetime, time, timedelta
from typing import Annotated, Final, get_args
from zoneinfo import ZoneInfo

from pydantic import AwareDatetime, Field

from tellonce.contract import ExplainArgs, Explanation, Memory, MemoryOrigin, MemoryStatus
from tellonce.contract_types import CURRENT, LISTED_KINDS, STATUSES, Bigint, Contract, Instant, RowId, Text
from tellonce.work import KEEP_MODEL, CostSummary, ReadingStatus
from tellonce_server.core.scope import ChatScope
from tellonce_server.domain.context.draft import section_shares
from tellonce_server.domain.dependencies import Dependencies
from tellonce_server.domain.memory.changed_words import marked_texts
from tellonce_server.domain.queue.work import WorkQueue
from tellonce_server.services.explain import Explainer, NothingToExplain
from tellonce_server.services.page.answer_summary import PageAnswer, answer_summary
from tellonce_server.store import chats, memories, page, profile
from tellonce_server.store.chats import ChatEntry
from tellonce_server.store.page import cursor_of, position_of
from tellonce_text.changes import MessageRange
from tellonce_text.dates.clock import local, local_day

COMING_DAYS = 60
LEARNED_HOURS = 24
SAID_DAYS = 7
"""Maximum age in days of a statement that the screen lists as recently learned. Imported statements are older."""

CARDS = 30
WISHES = ("preference", "goal")
NEIGHBORS = 2
"""Messages shown before and after a memory's source."""


Limit = Annotated[int, Field(ge=1, le=200, strict=True)]


class PageMemoriesArgs(page.MemoryFilter):
    cursor: Text | None = None
    limit: Limit = 100


class PageGroup(Contract):
    chat_id: int
    name: str | None = Field(description="Null before the bot has seen a message in the group.")


class PageGroups(Contract):
    """The groups with which the caller may share a memory."""

    groups: tuple[PageGroup, ...]


FILTERS: Final[dict[str, tuple[str, ...]]] = {
    "kind": ("", *LISTED_KINDS),
    "status": ("live", *(status for status in STATUSES if status not in CURRENT)),
    "origin": ("", *get_args(MemoryOrigin)),
}
"""The values of the filters of the list. An empty text stands for all values. `live` stands for the default
statuses."""


class PageMemories(Contract):
    filters: dict[str, tuple[str, ...]] | None = Field(description="Only on the first page.")
    entries: tuple[page.PageEntry, ...]
    chats: tuple[ChatEntry, ...] = Field(description="All chats of the owner, for a filter; only on the first page.")
    total: int | None = Field(description="The number of matches; only on the first page.")
    next_cursor: str | None


class NoArgs(Contract):
    """The arguments of a tool that has none."""


class PageToday(Contract):
    """Today's overview. `reading` is shown only to the operator of the memory."""

    narrative: str = Field(description="Empty unless a language model wrote the profile.")
    uncertain: tuple[page.PageEntry, ...]
    overdue: tuple[page.PageEntry, ...]
    coming: tuple[page.PageEntry, ...]
    learned: tuple[page.PageEntry, ...]
    told: tuple[page.PageEntry, ...] = Field(
        description="Shown instead of the narrative: memories that are in no other list."
    )
    wishes: tuple[page.PageEntry, ...] = Field(description="The preferences and goals among these memories.")
    memories: int
    messages: int
    chats: int
    reading: ReadingStatus | None = None
    cost: CostSummary | None = None


class PageMemoryArgs(Contract):
    memory_id: RowId


class SourceTalk(Contract):
    chat_id: int
    lines: tuple[page.SaidLine, ...]


class PageMemory(Contract):
    explanation: Explanation
    talks: tuple[SourceTalk, ...]
    answers: tuple[page.AnswerEntry, ...]


class PageTimelineArgs(Contract):
    month: Annotated[str, Field(pattern=r"^[0-9]{4}-(0[1-9]|1[0-2])$")] | None = None


class DayEntry(Contract):
    day: str
    talks: tuple[page.TalkEntry, ...]


class PageTimeline(Contract):
    """All months, and the days of the requested month. By default, the requested month is the newest."""

    today: str = Field(description="The day in the memory's time zone.")
    months: tuple[page.MonthEntry, ...]
    month: str | None
    days: tuple[DayEntry, ...]


class PageWordsArgs(Contract):
    chat_id: Bigint
    from_id: RowId
    to_id: RowId
    limit: Limit = 100


class PageWords(Contract):
    lines: tuple[page.SaidLine, ...]
    next_id: int | None


class PageAnswersArgs(Contract):
    before: Instant | None = None
    limit: Limit = 30


class PageAnswers(Contract):
    """The newest answers. `erased` means that the records of earlier answers were erased, because something was
    forgotten."""

    answers: tuple[page.AnswerEntry, ...]
    next_before: AwareDatetime | None
    erased: bool = False


class PageAnswerArgs(Contract):
    receipt_id: Text
    chat_id: Bigint | None = None


class PageNamesArgs(Contract):
    limit: Limit = 60


class PageNames(Contract):
    names: tuple[page.NameEntry, ...]
    links: tuple[page.NameLink, ...]


class PageReads:
    def __init__(self, deps: Dependencies, explainer: Explainer, work: WorkQueue) -> None:
        self._deps = deps
        self._explainer = explainer
        self._work = work

    async def memories(self, owner_id: int, args: PageMemoriesArgs) -> PageMemories:
        """A page of memories. Raises Refused for an invalid cursor."""
        first, limit = args.cursor is None, args.limit + 1
        after = position_of(args.cursor)
        found, total = await page.filtered_memories(
            self._deps.database, owner_id, args, after, limit=limit, counted=first
        )
        shown = found[: args.limit]
        of_owner = await chats.of_owner(self._deps.database, owner_id) if first else ()
        return PageMemories(
            filters=FILTERS if first else None,
            entries=tuple(shown),
            chats=tuple(of_owner),
            total=total if first else None,
            next_cursor=cursor_of(shown[-1].memory.valid_from, shown[-1].memory.id)
            if len(found) > args.limit
            else None,
        )

    async def groups(self, numbers: Sequence[int]) -> PageGroups:
        """The shared groups with these numbers. Each group is its own owner."""
        found = [(number, await chats.find(self._deps.database, number, number)) for number in numbers]
        return PageGroups(
            groups=tuple(PageGroup(chat_id=x, name=chat.conversation if chat else None) for x, chat in found)
        )

    async def today(self, owner_id: int, args: NoArgs) -> PageToday:
        database, now = self._deps.database, self._deps.now()
        stored = await profile.find(database, owner_id)
        zone = self._deps.zone
        midnight = datetime.combine(local_day(now, zone), time(), zone)
        dated = await page.dated(database, owner_id, midnight, now + timedelta(days=COMING_DAYS))
        status = await self._work.status() if owner_id == self._deps.settings.default_user else None
        recent = await self._newest(owner_id, ("active",), now - timedelta(hours=LEARNED_HOURS))
        with_a_day = {x.memory.id for x in dated}
        since = now - timedelta(days=SAID_DAYS)
        learned = tuple(x for x in recent if x.memory.id not in with_a_day and x.memory.valid_from >= since)
        narrative = stored.narrative if stored and stored.model != KEEP_MODEL else ""
        listed = [*with_a_day, *(x.memory.id for x in learned)]
        told = await page.told(database, owner_id, listed, CARDS) if not narrative else []
        return PageToday(
            narrative=narrative,
            uncertain=await self._newest(owner_id, ("uncertain",), None),
            overdue=tuple(x for x in dated if x.memory.kind == "goal" and _is_over(x.memory, now, zone)),
            coming=tuple(x for x in dated if not _is_over(x.memory, now, zone)),
            learned=learned,
            told=tuple(x for x in told if x.memory.kind not in WISHES),
            wishes=tuple(x for x in told if x.memory.kind in WISHES),
            **await page.totals(database, owner_id),
            reading=status.reading if status else None,
            cost=status.cost if status else None,
        )

    async def memory(self, owner_id: int, args: PageMemoryArgs) -> PageMemory:
        """Show one memory. Raises NothingToExplain."""
        database = self._deps.database
        found = await memories.by_id(database, owner_id, args.memory_id)
        if found is None:
            text = f"There is no memory {args.memory_id}; it may have been forgotten."
            raise NothingToExplain(text, "no_memory", id=args.memory_id)
        # On the page, owners may see all of their chats. The explanation is therefore requested from the memory's own
        # chat.
        scope = ChatScope(owner_id, found.chat_id or owner_id)
        explanation = await self._explainer.explain(scope, ExplainArgs(memory_id=args.memory_id))
        origin = await memories.provenance(database, owner_id, args.memory_id)
        shown_to = await page.answers(database, owner_id, CARDS, shown=args.memory_id)
        return PageMemory(
            explanation=explanation,
            talks=await self._talks(owner_id, origin.source_chat_id, found.sources),
            answers=self._answers(shown_to),
        )

    async def timeline(self, owner_id: int, args: PageTimelineArgs) -> PageTimeline:
        database, zone = self._deps.database, self._deps.zone
        months = await page.months(database, owner_id, zone.key)
        month = args.month or (months[0].month if months else None)
        span = month_span(month, zone) if month else None
        return PageTimeline(
            today=f"{self._deps.now().astimezone(zone):%Y-%m-%d}",
            months=tuple(months),
            month=month,
            days=await self._days(owner_id, *span) if span else (),
        )

    async def words(self, owner_id: int, args: PageWordsArgs) -> PageWords:
        lines = await page.words(self._deps.database, owner_id, args.chat_id, args.from_id, args.to_id, args.limit + 1)
        more, shown = len(lines) > args.limit, lines[: args.limit]
        said = [(MessageRange(args.chat_id, x.id, x.id), x.text) for x in shown]
        texts = await marked_texts(self._deps.database, owner_id, said, None)
        return PageWords(
            lines=tuple(x.model_copy(update={"text": text}) for x, text in zip(shown, texts, strict=True)),
            next_id=lines[args.limit].id if more else None,
        )

    async def answers(self, owner_id: int, args: PageAnswersArgs) -> PageAnswers:
        found = await page.answers(self._deps.database, owner_id, args.limit, before=args.before)
        return PageAnswers(
            answers=self._answers(found),
            next_before=found[-1].at if len(found) == args.limit else None,
            erased=await page.erased(self._deps.database, owner_id),
        )

    async def answer(self, owner_id: int, args: PageAnswerArgs) -> PageAnswer:
        """Show the material on which one answer was based. Raises NothingToExplain."""
        scope = ChatScope(owner_id, args.chat_id or owner_id)
        receipt = await self._explainer.explain(scope, ExplainArgs(receipt_id=args.receipt_id))
        found = self._answers(await page.answers(self._deps.database, owner_id, 1, receipt_id=args.receipt_id))
        summary = answer_summary(receipt, found[0] if found else None)
        replies = await page.replies(self._deps.database, owner_id, args.receipt_id)
        return summary.model_copy(update={"replies": tuple(line.text for line in replies)})

    async def names(self, owner_id: int, args: PageNamesArgs) -> PageNames:
        found = await page.names(self._deps.database, owner_id, args.limit)
        links = await page.links(self._deps.database, owner_id, [x.name for x in found])
        return PageNames(names=tuple(found), links=tuple(links))

    def _answers(self, found: Sequence[page.AnswerEntry]) -> tuple[page.AnswerEntry, ...]:
        return tuple(
            x.model_copy(update={"budgets": section_shares(self._deps.settings.budgets, x.token_budget)}) for x in found
        )

    async def _newest(
        self, owner_id: int, statuses: tuple[MemoryStatus, ...], since: datetime | None
    ) -> tuple[page.PageEntry, ...]:
        wanted = page.MemoryFilter(statuses=statuses)
        found, _ = await page.filtered_memories(self._deps.database, owner_id, wanted, limit=CARDS, learned_since=since)
        return tuple(found)

    async def _talks(self, owner_id: int, chat_id: int | None, sources: Sequence[int]) -> tuple[SourceTalk, ...]:
        """Each source message with its neighbors. Source messages that are close together share one excerpt."""
        if chat_id is None or await chats.find(self._deps.database, owner_id, chat_id) is None:
            return ()
        talks: list[SourceTalk] = []
        shown: set[int] = set()
        for source in sorted(sources)[-5:]:
            if source not in shown:
                span = (max(1, source - NEIGHBORS), source + NEIGHBORS)
                lines = await page.words(self._deps.database, owner_id, chat_id, *span, 2 * NEIGHBORS + 1)
                shown |= {line.id for line in lines}
                talks.append(SourceTalk(chat_id=chat_id, lines=_lines(lines, sources)))
        return tuple(talks)

    async def _days(self, owner_id: int, start: datetime, end: datetime) -> tuple[DayEntry, ...]:
        zone = self._deps.zone.key
        talks = await page.days(self._deps.database, owner_id, zone, start, end)
        found = await page.summaries(self._deps.database, owner_id, start, end)
        shown = [(MessageRange(x.chat_id, x.from_id, x.to_id), x.text) for x in found]
        texts = await marked_texts(self._deps.database, owner_id, shown, None)
        summaries = [x.model_copy(update={"text": text}) for x, text in zip(found, texts, strict=True)]
        by_day: dict[str, list[page.TalkEntry]] = {}
        for day, talk in talks:
            by_day.setdefault(day, []).append(_with_summaries(talk, summaries))
        return tuple(DayEntry(day=day, talks=tuple(found)) for day, found in by_day.items())


def _is_over(memory: Memory, now: datetime, zone: ZoneInfo) -> bool:
    """Whether the memory's due time has passed. A due time at midnight is a whole day, which has not passed before its
    end."""
    due = memory.deadline or (memory.when.start if memory.when else None)
    if due is None:
        return False
    whole = local(due, zone).time() == time()
    return local_day(due, zone) < local_day(now, zone) if whole else due < now


def _lines(lines: Sequence[page.SaidLine], sources: Sequence[int]) -> tuple[page.SaidLine, ...]:
    return tuple(line.model_copy(update={"source": line.id in sources}) for line in lines)


def _with_summaries(talk: page.TalkEntry, summaries: Sequence[page.SpanSummary]) -> page.TalkEntry:
    """One chat's messages of one day, with the summaries that cover at least one of these messages. `begins` is empty
    if there are summaries."""
    held = [s for s in summaries if s.chat_id == talk.chat_id and s.from_id <= talk.to_id and s.to_id >= talk.from_id]
    return talk.model_copy(update={"summaries": tuple(held), "begins": "" if held else talk.begins})


def month_span(month: str, zone: ZoneInfo) -> tuple[datetime, datetime]:
    """The start and end of a month such as `2026-03` in the zone."""
    year, number = (int(part) for part in month.split("-"))
    following = (year + 1, 1) if number == 12 else (year, number + 1)
    return datetime(year, number, 1, tzinfo=zone), datetime(*following, 1, tzinfo=zone)
