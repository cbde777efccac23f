"""The write-ahead queue for workers: hands out jobs and takes their results."""

import asyncio
import logging
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from tellonce import work as w
from tellonce.contract import JobKind
from tellonce_server.core import errors
from tellonce_server.core.errors import Refused
from tellonce_server.domain.dependencies import Dependencies
from tellonce_server.domain.queue.job_kinds import JobKinds
from tellonce_server.store import chats, embeddings, ledger, queue
from tellonce_server.store.chats import Chat
from tellonce_server.store.database import Database, Transaction
from tellonce_server.store.ledger import PerExchange
from tellonce_server.store.queue import Job, JobKey, Reading

logger = logging.getLogger(__name__)

PAST_SHARE = 0.5
"""Maximum share of the monthly budget for reading imported messages and for repeating work with a better tier."""

BEST: w.Tier = w.TIERS[0]
BEST_FREE: w.Tier = next(tier for tier in w.TIERS if not w.TRAITS[tier].paid)
"""The best tier without paid calls. Calls of local models are not limited."""

REDONE_AT_ONCE = 4
FAILED_SHOWN = 20

MOST_LOST = 20
"""Maximum consecutive lost leases of a job. It is higher than the limit for failed attempts, because not every lost
lease is caused by the job."""

LATEST_START = timedelta(minutes=5)
"""Maximum delay of a queued job, including the clock difference between two servers."""


SILENT = timedelta(seconds=90)
"""A worker without requests for this long is disconnected. A claim waits at most 60 seconds, and a lease is extended
every 20 seconds."""
WORKER_KEPT = timedelta(days=1)
NOTE_SECONDS = 15.0
"""Minimum seconds between two database writes about one worker. An idle worker repeats its request without a pause."""


class ClaimLost(Refused):
    """The caller no longer holds the claim: its lease expired, or the job's messages changed. Discard the work."""


@dataclass(frozen=True)
class Allowed:
    """The best tier that a job may use, and whether a second reading (an independent check) is allowed."""

    best_tier: w.Tier
    second_reading: bool


def allowed(kind: JobKind, chat: Chat | None, *, spent: bool) -> Allowed:
    """The limits of a job. If the monthly budget is spent, only local models are allowed. Otherwise exchange jobs can
    use every tier. Other jobs can make as many paid calls as their chat has exchanges. Second readings have a limit of
    their own of the same size."""
    exchanges = max(1, chat.exchanges) if chat else 1
    if chat is not None and kind != "exchange":
        calls = chat.second_calls if kind == "second_reading" else chat.summary_calls
        spent = spent or calls >= exchanges
    if spent:
        return Allowed(BEST_FREE, second_reading=True)
    return Allowed(BEST, second_reading=chat is None or chat.second_calls < exchanges)


class Attendance:
    """Records which summarizers recently asked for work or extended a lease."""

    def __init__(self, deps: Dependencies) -> None:
        self._deps = deps
        self._noted: dict[str, float] = {}

    async def asks(self, worker: str) -> None:
        at = time.monotonic()
        if at - self._noted.get(worker, -NOTE_SECONDS) < NOTE_SECONDS:
            return
        self._noted = {name: noted for name, noted in self._noted.items() if at - noted < NOTE_SECONDS}
        self._noted[worker] = at
        now = self._deps.now()
        await queue.worker_seen(self._deps.database, worker, now, now - WORKER_KEPT)

    async def at_work(self, besides: str = "") -> bool:
        return await queue.any_at_work(self._deps.database, self._deps.now() - SILENT, besides)

    async def left(self, worker: str) -> None:
        """Record that the worker has ended, so that another may start at once."""
        await queue.worker_left(self._deps.database, worker)


class WorkQueue:
    def __init__(self, deps: Dependencies, kinds: JobKinds) -> None:
        self._deps = deps
        self._kinds = kinds
        self.attendance = Attendance(deps)
        self._wake = asyncio.Event()
        self._prefer = queue.PAST_SUMMARIES

    def wake(self) -> None:
        """Wake up the claims that wait for a job."""
        self._wake.set()

    async def claim(self, args: w.ClaimWorkArgs) -> w.ClaimedWork:
        """Hand out due jobs. If none is due, wait up to `wait_seconds` for one."""
        deadline = asyncio.get_running_loop().time() + args.wait_seconds
        await self.attendance.asks(args.worker)
        while True:
            self._wake.clear()
            items = await self._claim_now(args)
            left = deadline - asyncio.get_running_loop().time()
            if items or left <= 0:
                return w.ClaimedWork(jobs=tuple(items))
            await self._wait(min(left, self._deps.settings.queue.poll_seconds))

    async def extend(self, args: w.ExtendWorkArgs) -> w.Extended:
        """Extend a lease. Raises ClaimLost."""
        now, key = self._deps.now(), JobKey.parse(args.job_id)
        extended = await queue.extend(self._deps.database, *key, args.fence, now + self._deps.settings.queue.lease)
        if extended is None:
            raise ClaimLost(f"Job {args.job_id} is no longer yours; drop it.", "call")
        await queue.holder_seen(self._deps.database, *key, args.fence, now)
        return w.Extended(lease_until=extended)

    async def submit(self, args: w.SubmitWorkArgs) -> w.Submitted:
        """Store the result first, then apply the stored result. Raises ClaimLost."""
        key = JobKey.parse(args.job_id)
        result = args.result.model_dump(mode="json")
        async with self._deps.database.transaction() as t:
            await chats.lock(t, *key.chat)
            job = await queue.submit(
                *(t, key, args.fence, result, args.model, args.provisional or args.tier != BEST, args.tier),
                answered_badly=any(not call.ok and not call.down for call in args.calls),
            )
            if job is not None:
                await self._charge(t, job, args.calls)
        await self._kinds.prepare(job or await self._handed_in(key, args.fence), args.result)
        stored = await self._kinds.apply_ready(*key.chat)
        after = await queue.find(self._deps.database, *key)
        self._deps.tell_workers()
        state = after.state if after else "complete"
        return w.Submitted(job_id=args.job_id, state=state, stored=stored.get(key, {}))

    async def fail(self, args: w.FailWorkArgs) -> w.Failed:
        """Return a job to the queue. The failure counts as an attempt unless the provider is unreachable. Raises
        ClaimLost."""
        key, now = JobKey.parse(args.job_id), self._deps.now()
        async with self._deps.database.transaction() as t:
            await chats.lock(t, *key.chat)
            job = await queue.find(t, *key)
            most = self._deps.settings.queue.max_attempts if args.retryable else 1
            later = now + self._deps.settings.queue.retry_delay(job.attempts if job is not None else 0)
            counted = not args.provider_down
            failure = await queue.fail(t, *key, args.fence, args.reason, counted, most, later, now)
            if job is None or failure is None:
                raise ClaimLost(f"Job {args.job_id} is no longer yours; drop it.", "call")
            await self._charge(t, job, args.calls)
        self._deps.emit("work_failed", job=str(key), kind=job.kind, state=failure.state, attempts=failure.attempts)
        return failure

    async def status(self) -> w.QueueStatus:
        now = self._deps.now()
        kinds, oldest = await queue.status(self._deps.database, now)
        month = month_start(now)
        spent = await ledger.since(self._deps.database, month)
        down = await ledger.down(self._deps.database, month)
        reading = await read_status(self._deps.database, now, month)
        embeds = self._deps.settings.embeddings != "none"
        without_vector = await embeddings.count_left(self._deps.database) if embeds else 0
        return w.QueueStatus(
            kinds=tuple(kinds),
            oldest_seconds=(now - oldest).total_seconds() if oldest else None,
            dead_letters=tuple(await queue.failed_jobs(self._deps.database, FAILED_SHOWN)),
            providers_down=tuple(down),
            reading=reading,
            without_vector=without_vector,
            cost=w.CostSummary(
                calls=spent.calls,
                input_tokens=spent.input_tokens,
                output_tokens=spent.output_tokens,
                price_usd=spent.price_usd,
                cap_usd=self._deps.settings.monthly_cap_usd,
            ),
        )

    async def replay(self, owner_id: int | None = None) -> int:
        """Retry failed jobs and return their number."""
        count = await queue.replay(self._deps.database, owner_id, self._deps.now())
        self._deps.tell_workers()
        return count

    async def tidy(self) -> None:
        """Apply the results that a killed server process left, and fail jobs whose leases keep expiring."""
        await queue.bury(self._deps.database, self._deps.now(), MOST_LOST)
        for owner_id, chat_id in await queue.chats_with_ready(self._deps.database):
            await self._kinds.apply_ready(owner_id, chat_id)

    async def _claim_now(self, args: w.ClaimWorkArgs) -> list[w.WorkItem]:
        while jobs := await self._lease(args):
            items = [item for job in jobs if (item := await self._item(job)) is not None]
            if items:
                return items
        lower = w.TIERS[w.TIERS.index(args.best_tier) + 1 :]
        is_paid = w.TRAITS[args.best_tier].paid
        # Jobs are repeated only with a better tier. If the budget is spent, a worker with a paid best tier cannot use
        # that tier. It would repeat the job with a lower tier.
        if lower and not (is_paid and await self._is_spent(past=True)):
            await queue.redo_provisional(
                *(self._deps.database, REDONE_AT_ONCE, lower, args.best_tier, self._deps.now()),
                is_best=args.best_tier == BEST,
                is_paid=is_paid,
            )
        return []

    async def _lease(self, args: w.ClaimWorkArgs) -> list[Job]:
        now, policy = self._deps.now(), self._deps.settings.queue
        # Jobs of past exchanges and jobs of past summaries alternate. No kind therefore waits until all jobs of the
        # other kind are done.
        self._prefer = queue.PAST_EXCHANGES + queue.PAST_SUMMARIES - self._prefer
        longest = max(2 * policy.lease, timedelta(seconds=policy.backoff_cap_seconds))
        wanted = (args.kinds or None, args.limit, now + longest + LATEST_START, MOST_LOST, self._prefer)
        return await queue.claim(self._deps.database, args.worker, now, now + policy.lease, *wanted)

    async def _item(self, job: Job) -> w.WorkItem | None:
        """The worker's input; None if nothing is left to do or the input cannot be read."""
        try:
            work = await self._kinds.read(job)
        except errors.TEMPORARY_FAILURES:
            raise
        except Exception as error:
            # Any error ends only the claimed job. The worker can therefore still get other jobs.
            logger.exception("the input of job %s cannot be read", job.key)
            await self._unreadable(job, error)
            return None
        if work is None:
            await queue.finish_empty(self._deps.database, *job.key, job.fence, self._deps.now())
            return None
        chat = await chats.find(self._deps.database, *job.key.chat)
        limits = allowed(job.kind, chat, spent=await self._is_spent(past=job.past))
        return w.WorkItem(
            job_id=str(job.key),
            kind=job.kind,
            fence=job.fence,
            attempt=job.attempts + 1,
            lease_seconds=self._deps.settings.queue.lease_seconds,
            best_tier=limits.best_tier,
            second_reading=limits.second_reading,
            traceparent=job.traceparent,
            input=work,
        )

    async def _unreadable(self, job: Job, error: Exception) -> None:
        reason = f"its input cannot be read: {type(error).__name__}"
        args = w.FailWorkArgs(job_id=str(job.key), fence=job.fence, reason=reason)
        with suppress(ClaimLost):
            await self.fail(args)

    async def _handed_in(self, key: JobKey, fence: int) -> Job:
        """The job, if the result of this claim is already stored. The worker then only missed the response. Raises
        ClaimLost."""
        job = await queue.find(self._deps.database, *key)
        if job is None or job.fence != fence or job.state not in ("ready_to_write", "complete"):
            raise ClaimLost(f"Job {key} is no longer yours; drop its result.", "call")
        return job

    async def _is_spent(self, *, past: bool) -> bool:
        """Whether the monthly budget is spent. For past work, also whether past work has spent its own share of the
        budget."""
        cap = self._deps.settings.monthly_cap_usd
        if cap is None:
            return False
        spent = await ledger.since(self._deps.database, month_start(self._deps.now()))
        return spent.price_usd >= cap or (past and spent.past_usd >= PAST_SHARE * cap)

    async def _charge(self, t: Transaction, job: Job, calls: Sequence[w.ModelCall]) -> None:
        """Record the model calls in the ledger, and count the chat's paid calls. The caller holds the lock of the
        chat's row."""
        for call in calls:
            await ledger.add(t, job, call, self._deps.now())
        paid = sum(call.ok and w.TRAITS[call.tier].paid for call in calls)
        if paid:
            learning = 1 if job.kind == "exchange" else 0
            second = paid - learning if job.kind in ("exchange", "second_reading") else 0
            place = job.key.chat
            await chats.charge(t, *place, learning=learning, summary=paid - learning - second, second=second)

    async def _wait(self, seconds: float) -> None:
        try:
            async with asyncio.timeout(seconds):
                await self._wake.wait()
        except TimeoutError:
            return


def month_start(now: datetime) -> datetime:
    return now.astimezone(UTC).replace(day=1, hour=0, minute=0, second=0, microsecond=0)


async def read_status(database: Database, now: datetime, month: datetime) -> w.ReadingStatus:
    found = await queue.reading(database)
    cost = await _cost(database, month)
    return status(found, cost, await queue.dropped(database, now))


def status(found: list[Reading], cost: PerExchange, dropped: dict[str, int]) -> w.ReadingStatus:
    """The status from the counts. Pure."""
    by_tier = {x.tier: x.exchanges for x in found if x.tier is not None}
    waiting = sum(x.exchanges for x in found if x.tier is None and not x.again)
    again = sum(x.provisional or 0 for x in found) + sum(x.exchanges for x in found if x.again)
    left = waiting + again
    return w.ReadingStatus(
        read_by=tuple(w.ReadBy(tier=tier, exchanges=by_tier[tier]) for tier in w.TIERS if tier in by_tier),
        waiting=waiting,
        to_read_again=again,
        estimate_usd=round(cost.price_usd * left, 4) if cost.price_usd is not None else None,
        estimate_seconds=round(cost.seconds * left, 1) if cost.seconds is not None else None,
        dropped=dropped,
    )


async def _cost(database: Database, month: datetime) -> PerExchange:
    """The cost and time per exchange this month, for the best tier that has read an exchange."""
    for tier in w.TIERS:
        cost = await ledger.per_exchange(database, month, tier)
        if cost.seconds is not None:
            return cost
    return PerExchange(None, None)
