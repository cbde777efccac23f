"""Forgetting in three steps: a preview with a token, the erasure of what was shown, and a final search."""

import asyncio
import secrets
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property
from itertools import chain

from tellonce.contract import ForgetArgs, ForgetMatch, Forgotten
from tellonce.forget_contract import picked, selection
from tellonce.plural import quantity
from tellonce.server_text import ServerText
from tellonce_server.core.errors import Refused
from tellonce_server.core.scope import ChatScope
from tellonce_server.domain.dependencies import Dependencies
from tellonce_server.domain.erasure import deletion, derived_texts, previews
from tellonce_server.domain.erasure.deletion import Erased, Order, Report, unreported
from tellonce_server.domain.erasure.forget_query import Degree, ForgetQuery, Mark, SourceQuery, StatementQuery
from tellonce_server.domain.erasure.previews import GROUP, Copy, Match, Shown, is_own, related
from tellonce_server.domain.erasure.request import as_stored, query_of, reach, stated
from tellonce_server.domain.erasure.scan import (
    CONTENT,
    MatchingRow,
    known_again,
    message_names_again,
    names_again,
    scan,
)
from tellonce_server.domain.erasure.targets import Target
from tellonce_server.domain.erasure.text_places import PLACES, Cleaned
from tellonce_server.store import forget, memories
from tellonce_server.store.forget import Preview
from tellonce_server.store.uploads import Uploads
from tellonce_text import caches

CONFIRM_MINUTES = 15
MOST_WORDS = 6
"""If no text contains a whole topic, single words of the topic are searched for. This is the maximum number of these
words."""
EXTERNAL_NOTE = ServerText(
    "This is an external PostgreSQL. Its backups, write-ahead log archives and replicas may keep copies of the text.",
    "forget_external",
)
NOT_YET = ServerText(
    "Nothing is erased yet. Show the user the matches; then call forget with the same arguments and confirm, with `except` to keep ticked matches and `also` to erase unticked ones.",
    "forget_not_yet",
)
ONLY_HERE = ServerText(
    "This covers only this chat: its messages, and the memories learned in it. Without chat_id and conversation_id, "
    "everything covers the whole memory.",
    "forget_here",
)
ONLY_OFFERED = ServerText("No match is exact, so none is ticked: `also` names those to erase.", "forget_only_similar")


class ForgetRefused(Refused):
    """The erasure cannot be carried out as requested. The error text says what to do."""


@dataclass(frozen=True)
class _Confirmed:
    """`shown` are all matches of the preview. `chosen` are those that the user chose to erase."""

    shown: Sequence[Match]
    chosen: Sequence[Match]

    @cached_property
    def kept(self) -> list[Match]:
        chosen = frozenset(self.chosen)
        return [match for match in self.shown if match not in chosen]


class Forgetter:
    def __init__(self, deps: Dependencies, key: bytes) -> None:
        self._deps = deps
        self._key = key

    async def preview(self, scope: ChatScope, args: ForgetArgs) -> Forgotten:
        """The matches, and the token that confirms their erasure. Raises NothingNamed if the text is empty or a number
        is unknown."""
        query, found = await self._searched(scope, args)
        now = self._deps.now()
        copies = await self._copies_of(scope, [matching.row.id for matching in found if matching.row.place == "memory"])
        shown, listed, tally, sealed = await asyncio.to_thread(_seen, found, now, query, copies)
        if not shown:
            return Forgotten(notes=await self._words_apart(scope, args))
        near = await related(self._deps.database, scope, shown) if args.include_messages else []
        return Forgotten(
            matches=listed,
            related=previews.listed_related(near, now, len(shown) + 1),
            unlisted=len(shown) - len(listed),
            would_erase=tally,
            confirm=await self._seal(scope, args, sealed),
            notes=(
                *((NOT_YET,) if tally else (NOT_YET, ONLY_OFFERED)),
                *_covered(scope, args, shown),
                *await self._shared(dict.fromkeys(chain.from_iterable(copies.values()))),
                *self._notes(),
            ),
        )

    async def erase(self, scope: ChatScope, args: ForgetArgs, report: Report = unreported) -> Forgotten:
        """Erase the matches that the preview ticked or that are in `also`, without those in `except`. A row that
        changed after the preview stays. All uploaded files are deleted, because they can contain the text. A
        confirmation may be repeated with the same selection.

        Raises ForgetRefused if the token belongs to another preview, has expired, or was used with another selection.
        """
        confirmed = await self._opened(scope, args)
        await self._bind(scope, args)
        copies = await self._shared(await self._chosen_copies(scope, confirmed.chosen))
        Uploads(self._deps.settings.data_dir).clear()
        query, _ = await self._searched(scope, args, confirmed.shown)
        kept: frozenset[Degree] = frozenset(match.degree for match in confirmed.kept if match.kind == GROUP)
        order = Order(
            scope, reach(scope, args), query, confirmed.chosen, kept, args.include_messages, report, confirmed.shown
        )
        statements_gone = await self._statements_gone(scope, args)
        erased = await deletion.erase(self._deps, order)
        caches.clear()
        await forget.follow_erasure(
            self._deps.database, scope.owner_id, args.confirm or "", erased.redacted, self._deps.now()
        )
        left = await asyncio.to_thread(_left, erased, order, confirmed)
        if statements_gone:
            left += await self._unread(scope, confirmed.chosen)
        receipt = f"f{secrets.token_hex(8)}"
        self._announce(scope, confirmed, erased, receipt, len(left))
        now = self._deps.now()
        listed = await asyncio.to_thread(lambda: previews.listed(previews.matches(left), now))
        stay = await asyncio.to_thread(previews.kept, confirmed.shown, confirmed.chosen, erased.left, now)
        return Forgotten(
            erased=erased.counts,
            traces_left=len(left),
            left=listed,
            kept=stay[: previews.MOST_LISTED],
            unlisted=max(0, len(stay) - previews.MOST_LISTED),
            receipt=receipt,
            notes=(*_erased_notes(left, erased, confirmed), *copies, *self._notes()),
        )

    async def erase_picked(
        self, scope: ChatScope, args: ForgetArgs, which: str, report: Report = unreported
    ) -> Forgotten:
        """Erase the matches that a person picked by number, or the ticked ones. Raises ForgetRefused."""
        if not which:
            return await self.erase(scope, args, report)
        shown = (await self._opened(scope, args)).shown
        count, numbers = len(shown), picked(which, len(shown))
        if numbers is None:
            text = f"Nothing was erased: “{which[:40]}” is not a list of match numbers from 1 to {count}."
            raise ForgetRefused(text, "forget_match", n=count)
        ticked = frozenset(number for number, match in enumerate(shown, 1) if match.ticked)
        return await self.erase(scope, args.model_copy(update=selection(numbers, ticked)), report)

    async def forget_again(self, owner_id: int) -> int:
        """Erase again the forgotten texts that a restored backup brought back. Returns the number of erased memories
        and messages."""
        scope, database = ChatScope(owner_id, owner_id), self._deps.database
        names = await names_again(database, self._deps.tombstones, owner_id)
        await derived_texts.clean(self._deps, owner_id, names, StatementQuery(()), frozenset(), Cleaned())
        beside = SourceQuery(await message_names_again(database, self._deps.tombstones, owner_id))
        renamed = await self._erase_all(scope, beside) if beside.patterns else 0
        ids, parts = await known_again(database, self._deps.tombstones, owner_id)
        if not ids and not parts:
            return renamed
        statements = [*stated(await forget.memories(database, owner_id, ids)), *parts]
        query = await asyncio.to_thread(StatementQuery, statements)
        return renamed + await self._erase_all(scope, query)

    async def _erase_all(self, scope: ChatScope, query: ForgetQuery) -> int:
        """Erase all exact matches. Returns the number of erased memories and messages."""
        owner_id, database = scope.owner_id, self._deps.database
        shown = previews.matches(await scan(database, owner_id, None, query, messages=True))
        chosen = [each.match for each in shown if each.match.ticked]
        order = Order(scope, None, query, chosen, frozenset(), messages=True)
        erased = await deletion.erase(self._deps, order)
        caches.clear()
        return erased.counts["memories"] + erased.counts["messages"]

    async def _statements_gone(self, scope: ChatScope, args: ForgetArgs) -> bool:
        """Whether one of the memories that the call names was erased after the preview."""
        ids = frozenset(args.memory_ids or ())
        return len(await forget.memories(self._deps.database, scope.owner_id, list(ids))) < len(ids)

    async def _unread(self, scope: ChatScope, chosen: Sequence[Match]) -> list[MatchingRow]:
        """The chosen messages that have not changed since the preview. The statement of the memory is gone, so it is
        unknown which sentences of the messages match."""
        rows = await previews.unchanged(self._deps.database, scope.owner_id, chosen)
        return [MatchingRow(row, match.degree, (CONTENT,), Mark(0, 0, match.degree)) for row, match in rows]

    async def _words_apart(self, scope: ChatScope, args: ForgetArgs) -> tuple[ServerText, ...]:
        """If no text contains the whole topic, return a note that lists the words of the topic. For each word, the note
        gives the number of texts that contain the word."""
        target = await asyncio.to_thread(Target.topic, args.topic) if args.topic is not None else None
        words = target.topic_words if target is not None else ()
        counts: dict[str, int] = {}
        for word in words[:MOST_WORDS] if len(words) > 1 else ():
            alone = args.model_copy(update={"topic": word})
            matching_rows = await self._scan(scope, await query_of(self._deps.database, scope, alone), alone)
            counts[word] = len({matching.key for matching in matching_rows if is_own(matching)})
        return _single_words({word: count for word, count in counts.items() if count})

    async def _copies_of(self, scope: ChatScope, ids: Sequence[int]) -> dict[int, list[Copy]]:
        """The copies of these memories that other owners have, by the id of the memory."""
        made: dict[int, list[Copy]] = {}
        for memory, *copy in await forget.copies(self._deps.database, scope.owner_id, ids):
            made.setdefault(memory, []).append((copy[0], copy[1]))
        return made

    async def _chosen_copies(self, scope: ChatScope, chosen: Sequence[Match]) -> Iterable[Copy]:
        """The copies of the chosen memories: the copies that the preview stored, and the copies that exist now. The
        preview stores copies because a repeated confirmation no longer finds the memories."""
        since = await self._copies_of(scope, [match.ref for match in chosen if match.kind == "memory"])
        return dict.fromkeys(
            (*(copy for match in chosen for copy in match.copies), *chain.from_iterable(since.values()))
        )

    async def _shared(self, copies: Iterable[Copy]) -> tuple[ServerText, ...]:
        """A note about the copies that other owners still have. A copy belongs to its owner, so it is not erased."""
        found = [await memories.by_id(self._deps.database, *copy) for copy in copies]
        stay = [copy for copy in found if copy is not None]
        if not stay:
            return ()
        text = f"Copies that were shared stay: {', '.join(f'memory {m.id} in chat {m.chat_id}' for m in stay)}. "
        chats = ", ".join(dict.fromkeys(str(m.chat_id) for m in stay))
        return (ServerText(text + "Forget them in that chat.", "forget_shared", n=len(stay), chats=chats),)

    async def _searched(
        self, scope: ChatScope, args: ForgetArgs, sealed: Sequence[Match] | None = None
    ) -> tuple[ForgetQuery, list[MatchingRow]]:
        """The query and its matches. If no text contains a line that the user copied as displayed, its possible stored
        forms are searched for. A confirmation needs the matches only to see which of these forms the preview used."""
        query = await query_of(self._deps.database, scope, args, sealed)
        forms = [args.model_copy(update=form) for form in _stored_forms(args)]
        found = await self._scan(scope, query, args) if sealed is None or forms else []
        for form in forms:
            if found:
                break
            query = await query_of(self._deps.database, scope, form, sealed)
            found = await self._scan(scope, query, form)
        return query, found

    async def _scan(self, scope: ChatScope, query: ForgetQuery, args: ForgetArgs) -> list[MatchingRow]:
        return await scan(
            self._deps.database, scope.owner_id, reach(scope, args), query, messages=args.include_messages
        )

    def _announce(self, scope: ChatScope, confirmed: _Confirmed, erased: Erased, receipt: str, left: int) -> None:
        chats = {scope.chat_id, *(match.chat_id for match in confirmed.chosen if match.kind == "message")}
        changed = (f"memory://chat/{chat}/messages" for chat in sorted(chats))
        self._deps.tell_subscribers(scope.owner_id, "memory://profile", *changed)
        self._deps.tell_workers()
        self._deps.emit("forgotten", receipt=receipt, traces_left=left, **erased.counts)

    def _notes(self) -> tuple[ServerText, ...]:
        return (EXTERNAL_NOTE,) if self._deps.settings.database_url is not None else ()

    async def _seal(self, scope: ChatScope, args: ForgetArgs, hits: str) -> str:
        token, now = secrets.token_urlsafe(12), self._deps.now()
        until = now + timedelta(minutes=CONFIRM_MINUTES)
        preview = Preview(scope.chat_id, until, previews.asked(args, self._key), hits)
        await forget.add_preview(self._deps.database, scope.owner_id, token, preview, now)
        return token

    async def _opened(self, scope: ChatScope, args: ForgetArgs) -> _Confirmed:
        preview = await forget.preview(self._deps.database, scope.owner_id, args.confirm or "")
        if preview is None:
            raise ForgetRefused("That is no confirm token; call forget without confirm to get one.", "forget_outdated")
        if preview.until < self._deps.now():
            raise ForgetRefused("That confirm token is too old; call forget without confirm again.", "forget_outdated")
        if preview.chat_id != scope.chat_id or not preview.asked.startswith(previews.asked(args, self._key)):
            text = "These arguments differ from those of the preview; call forget without confirm again."
            raise ForgetRefused(text, "forget_outdated")
        shown = await asyncio.to_thread(previews.unpacked, preview.hits)
        unknown = [number for number in (*(args.except_ or ()), *(args.also or ())) if number > len(shown)]
        if unknown:
            text = f"There is no match {unknown[0]} in that preview; it has {quantity(len(shown), 'match')}."
            raise ForgetRefused(text, "forget_match", n=len(shown))
        return _Confirmed(shown, previews.chosen(shown, args))

    async def _bind(self, scope: ChatScope, args: ForgetArgs) -> None:
        asked, selected = previews.asked(args, self._key), previews.selected(args, self._key)
        if not await forget.bind_preview(self._deps.database, scope.owner_id, args.confirm or "", asked, selected):
            text = "That preview was already confirmed with another selection; call forget without confirm again."
            raise ForgetRefused(text, "forget_outdated")


def _covered(scope: ChatScope, args: ForgetArgs, shown: Sequence[Shown]) -> tuple[ServerText, ...]:
    """The note that says what `everything` covers. A shared group gets no note, because `everything` can only mean the
    group itself."""
    if not args.everything or scope.shared:
        return ()
    if reach(scope, args) is not None:
        return (ONLY_HERE,)
    chats = len({matching.row.chat_id for each in shown for matching in each.rows if matching.row.chat_id is not None})
    text = f"This covers the whole memory: all memories, and the messages of {quantity(chats, 'chat')}. "
    return (
        ServerText(text + "To forget only one conversation, name it with conversation_id.", "forget_whole", n=chats),
    )


def _stored_forms(args: ForgetArgs) -> list[dict[str, str]]:
    if args.topic is not None:
        return [{"topic": form} for form in as_stored(args.topic)]
    return [{"literal": form} for form in as_stored(args.literal)] if args.literal is not None else []


def _left(erased: Erased, order: Order, confirmed: _Confirmed) -> list[MatchingRow]:
    """The texts that the final search found, except the matches that the user chose to keep."""
    stay = {(match.key, match.degree) for match in confirmed.kept if match.kind != GROUP}
    whole = {match.key for match in confirmed.kept} - {match.key for match in confirmed.chosen}
    found = [matching for matching in erased.left if matching.degree in order.degrees]
    left = [
        matching
        for matching in found
        if (
            matching.degree not in order.kept
            if not is_own(matching)
            else matching.key not in whole and (matching.key, matching.degree) not in stay
        )
    ]
    return list({id(matching.row): matching for matching in reversed(left)}.values())[::-1]


def _seen(
    found: Sequence[MatchingRow], now: datetime, query: ForgetQuery, copies: Mapping[int, Sequence[Copy]]
) -> tuple[Sequence[Shown], tuple[ForgetMatch, ...], dict[str, int], str]:
    """All matches, the first MOST_LISTED of them in the form of the contract, the number of rows of each table that
    would be erased or changed, and all matches as JSON for the token."""
    shown = previews.with_answers(previews.matches(found, copies))
    going = {id(matching.row): matching for each in shown if each.match.ticked for matching in each.rows}
    tally = Counter(
        "memories" if matching.row.place == "memory" and is_own(matching) else PLACES[matching.row.place].counted
        for matching in going.values()
    )
    sealed = previews.packed([each.match for each in shown])
    return shown, previews.listed(shown, now, query=query), tally, sealed


def _single_words(counts: Mapping[str, int]) -> tuple[ServerText, ...]:
    """The note that lists the words, each with the number of texts that contain it. Empty if there are no words."""
    if not counts:
        return ()
    found = ", ".join(f"“{word}” ({quantity(count, 'text')})" for word, count in counts.items())
    text = f"No text contains all of these words. I find these single words: {found}. Forget one of them alone."
    return (ServerText(text, "forget_words", words=", ".join(f"{word} ({count})" for word, count in counts.items())),)


def _erased_notes(left: Sequence[MatchingRow], erased: Erased, confirmed: _Confirmed) -> list[ServerText]:
    known = {match.key for match in confirmed.shown}
    since = sum(is_own(matching) and (matching.key not in known or matching.key in erased.changed) for matching in left)
    notes: list[ServerText] = []
    if not confirmed.chosen:
        notes.append(ServerText("Nothing was erased: no match was ticked.", "forget_none_ticked"))
    if since:
        text = f"New or changed since the preview, so not erased: {quantity(since, 'match')}."
        notes.append(ServerText(text, "forget_new", n=since))
    if remaining := len(left) - since:
        text = f"It is not forgotten yet: {quantity(remaining, 'text')} still left. Forget it again."
        notes.append(ServerText(text, "forget_left", n=remaining))
    return notes
