-- name: enqueue
-- Queues a `NewJob`. If there is an unclaimed job with the same kind, class and dedup key, the new messages are added
-- to that job instead. Its `not_before` is then the earlier of the two values. For past work, it is the later value,
-- because an import delays its jobs until the import has ended.
with chat as (
  update chats set last_job_id = last_job_id + 1
  where owner_id = $owner_id and chat_id = $chat_id
  returning last_job_id
)
insert into chat_context_queue as q (owner_id, chat_id, id, kind, thread_key, dedup_key, from_id, to_id, exchanges,
  not_before, created_at, trace_id, class)
select $owner_id, $chat_id, chat.last_job_id, $kind, $thread_key, $dedup_key, $from_id, $to_id, $exchanges,
  $not_before, $now, $traceparent, $job_class from chat
on conflict (owner_id, chat_id, kind, class, dedup_key) where state = 'pending_summarization' and claims = 0 do update
  set from_id = least(q.from_id, excluded.from_id), to_id = greatest(q.to_id, excluded.to_id),
      exchanges = q.exchanges + excluded.exchanges,
      not_before = case when $job_class = 'past' then greatest(q.not_before, excluded.not_before)
        else least(q.not_before, excluded.not_before) end,
      trace_id = coalesce(excluded.trace_id, q.trace_id)
returning id

-- name: hold
-- $1 owner, $2 now, $3 a time: from this time on, workers may read the exchanges that an import has delayed
update chat_context_queue set not_before = $3
where owner_id = $1 and class = 'past' and kind = 'exchange' and state = 'pending_summarization' and claims = 0
  and not_before > $2

-- name: claim
-- across owners: workers serve all owners.
-- $1 worker, $2 now, $3 lease end, $4 kinds or null, $5 how many, $6 the latest date that a job or lease can get now,
-- $7 a limit (a job with this many lost leases is not claimed), $8 the track of past work to prefer. Each chat has
-- three tracks of jobs: live work, past exchanges and past summaries. This claims the first open job of each track, if
-- that job is due and not leased. Later jobs of the track wait for this job, so that results come in order. Live work
-- is claimed first, then past work, newest first. A job or lease with a date after $6 counts as due, because such a
-- date shows that the clock was set back. Each track needs only one step through the index, even if it has many jobs.
with recursive track as (
  (select owner_id, chat_id, track from chat_context_queue
   where state in ('pending_summarization', 'ready_to_write')
   order by owner_id, chat_id, track
   limit 1)
  union all
  select n.owner_id, n.chat_id, n.track
  from track t
  cross join lateral (
    select q.owner_id, q.chat_id, q.track from chat_context_queue q
    where q.state in ('pending_summarization', 'ready_to_write')
      and (q.owner_id, q.chat_id, q.track) > (t.owner_id, t.chat_id, t.track)
    order by q.owner_id, q.chat_id, q.track
    limit 1) n
), head as materialized (
  select h.owner_id, h.chat_id, h.id
  from track t
  cross join lateral (
    select q.owner_id, q.chat_id, q.id from chat_context_queue q
    where q.owner_id = t.owner_id and q.chat_id = t.chat_id and q.track = t.track
      and q.state in ('pending_summarization', 'ready_to_write')
    order by q.turn, q.id
    limit 1) h
)
update chat_context_queue q
set lease_by = $1, lease_until = $3, fence = q.fence + 1, claims = q.claims + 1,
    lost = q.lost + (q.lease_by is not null)::int
from (
  select j.owner_id, j.chat_id, j.id
  from head h
  join chat_context_queue j on j.owner_id = h.owner_id and j.chat_id = h.chat_id and j.id = h.id
  where j.state = 'pending_summarization' and (j.not_before <= $2 or j.not_before > $6)
    and (j.lease_until is null or j.lease_until <= $2 or j.lease_until > $6) and j.lost < $7
    and ($4::text[] is null or j.kind = any($4::text[]))
  order by j.track > 0, j.track = $8::smallint desc, case when j.track = 0 then j.not_before end, j.not_before desc,
    j.owner_id, j.chat_id, j.id
  limit $5
  for update of j skip locked
) due
where q.owner_id = due.owner_id and q.chat_id = due.chat_id and q.id = due.id
returning q.*

-- name: bury
-- across owners: workers serve all owners.
-- $1 now, $2 a number of lost leases: marks a job as failed if its workers died that many times in a row, because the
-- job may be the cause
update chat_context_queue
set state = 'dead', error = 'its worker ended ' || lost || ' times without a result', lease_by = null,
    lease_until = null, done_at = $1
where state = 'pending_summarization' and lost >= $2 and (lease_until is null or lease_until <= $1)

-- name: narrow
-- $1 owner, $2 chat, $3 job, $4 fence, $5 first and $6 last message, $7 exchanges: limits the job to these messages
update chat_context_queue set from_id = $5, to_id = $6, exchanges = $7
where owner_id = $1 and chat_id = $2 and id = $3 and fence = $4 and state = 'pending_summarization'

-- name: show
-- $1 owner, $2 chat, $3 job, $4 fence, $5 memories: stores which memories the job's worker receives
update chat_context_queue set known_ids = $5
where owner_id = $1 and chat_id = $2 and id = $3 and fence = $4 and state = 'pending_summarization'

-- name: extend
-- $1 owner, $2 chat, $3 job, $4 fence, $5 lease end
update chat_context_queue set lease_until = $5
where owner_id = $1 and chat_id = $2 and id = $3 and fence = $4 and lease_by is not null
returning lease_until

-- name: submit
-- $1 owner, $2 chat, $3 job, $4 fence, $5 result, $6 model, $7 provisional, $8 tier, $9 whether a better tier gave an
-- unusable answer. This is the first of two steps: the result is stored before it is applied. After a second unusable
-- answer, the result is no longer provisional, so that the job is not done a third time.
update chat_context_queue
set state = 'ready_to_write', result = $5, model = $6, provisional = $7 and not ($9 and redo),
    tier = $8, lease_by = null, lease_until = null
where owner_id = $1 and chat_id = $2 and id = $3 and fence = $4 and state = 'pending_summarization'
  and lease_by is not null
returning *

-- name: finish_empty
-- $1 owner, $2 chat, $3 job, $4 fence, $5 now: without a worker, completes a job that has nothing to summarize or learn
update chat_context_queue
set state = 'complete', model = 'none', tier = 'keep', lease_by = null, lease_until = null, done_at = $5, error = null
where owner_id = $1 and chat_id = $2 and id = $3 and fence = $4 and state = 'pending_summarization'

-- name: find
-- $1 owner, $2 chat, $3 job
select * from chat_context_queue
where owner_id = $1 and chat_id = $2 and id = $3

-- name: lock_ready
-- $1 owner, $2 chat: locks the first job with a stored result that may be applied now. Live jobs and summaries are
-- applied in order. Past exchanges are applied in any order.
select * from chat_context_queue q
where owner_id = $1 and chat_id = $2 and state = 'ready_to_write'
  and (track = 1 or not exists (
    select from chat_context_queue e
    where e.owner_id = $1 and e.chat_id = $2 and e.track = q.track and (e.turn, e.id) < (q.turn, q.id)
      and e.state = 'pending_summarization'))
order by track, turn, id
limit 1
for update

-- name: complete
-- $1 owner, $2 chat, $3 job, $4 now. This is the second of two steps (`submit` is the first): after the result
-- was applied, this statement marks the job as complete and deletes the result's text.
update chat_context_queue set state = 'complete', result = null, done_at = $4, error = null
where owner_id = $1 and chat_id = $2 and id = $3 and state = 'ready_to_write'

-- name: chats_with_ready
-- across owners: the server applies the results of all owners.
-- The chats with a stored result that is not applied yet.
select distinct owner_id, chat_id
from chat_context_queue
where state = 'ready_to_write'

-- name: fail
-- $1 owner, $2 chat, $3 job, $4 fence, $5 reason, $6 whether the failure counts as an attempt, $7 attempts allowed,
-- $8 not before, $9 now
update chat_context_queue
set attempts = attempts + $6::boolean::int, lost = 0,
    state = case when attempts + $6::boolean::int >= $7 then 'dead' else state end,
    error = $5, not_before = $8, lease_by = null, lease_until = null,
    done_at = case when attempts + $6::boolean::int >= $7 then $9::timestamptz end
where owner_id = $1 and chat_id = $2 and id = $3 and fence = $4 and state = 'pending_summarization'
  and lease_by is not null
returning state, attempts, case when state <> 'dead' then not_before end as retry_at

-- name: refuse
-- $1 owner, $2 chat, $3 job, $4 reason, $5 attempts allowed, $6 not before, $7 now: puts a job back into the queue
-- because its stored result cannot be applied. The refusal counts as a failed attempt.
update chat_context_queue
set attempts = attempts + 1, state = case when attempts + 1 >= $5 then 'dead' else 'pending_summarization' end,
    result = null, error = $4, not_before = $6, done_at = case when attempts + 1 >= $5 then $7::timestamptz end
where owner_id = $1 and chat_id = $2 and id = $3 and state = 'ready_to_write'
returning state

-- name: void_claims
-- $1 owner: invalidates all claims, because their workers may have read the text that is being erased. The results of
-- these workers will be refused. Unclaimed jobs are updated too, so that no worker can claim a job and read its input
-- before this transaction ends.
update chat_context_queue
set fence = fence + 1, lease_by = null, lease_until = null, state = 'pending_summarization', result = null
where owner_id = $1 and state in ('pending_summarization', 'ready_to_write')

-- name: void_readers
-- $1 owner, $2 chat, $3 edited message, $4 its thread, $5 the chat's session thread: invalidates the claims of jobs
-- that may have read the former text of the message. These jobs are done again. Unclaimed jobs are updated too, so that
-- no worker can claim a job and read its input before this transaction ends. A job of another chat continues if it did
-- not read anything that was learned from the message.
update chat_context_queue q
set fence = fence + 1, lease_by = null, lease_until = null, state = 'pending_summarization', result = null
where q.owner_id = $1 and q.state in ('pending_summarization', 'ready_to_write')
  and case
    when q.kind in {kinds.reads_memories} then exists (
      select from memories m where m.owner_id = $1 and m.source_chat_id = $2 and $3 = any(m.source_ids))
    when q.kind in {kinds.reads_chat} then q.chat_id = $2 and q.to_id >= $3
    when q.kind in {kinds.reads_statements} then q.chat_id = $2
    when q.kind in {kinds.reads_summaries} then q.chat_id = $2 and q.thread_key in ($4, $5)
    else q.chat_id = $2 and q.thread_key = $4 and $3 between q.from_id and q.to_id
  end

-- name: replay
-- across owners: the operator retries failed jobs.
-- $1 owner or null for all, $2 now: makes failed jobs pending again
update chat_context_queue
set state = 'pending_summarization', attempts = 0, lost = 0, claims = claims + 1, not_before = $2, done_at = null
where state = 'dead' and ($1::bigint is null or owner_id = $1)
returning owner_id, chat_id, id

-- name: settle
-- $1 owner, $2 chat, $3 job: marks the results of earlier jobs as final if this job has replaced their texts, so that
-- those jobs are not done again
update chat_context_queue q set provisional = false
from chat_context_queue j
where j.owner_id = $1 and j.chat_id = $2 and j.id = $3
  and q.owner_id = $1 and q.state = 'complete' and q.provisional and (q.chat_id, q.id) <> ($2, $3)
  and case
    when j.kind in {kinds.replaces_owner} then q.kind = j.kind
    when j.kind in {kinds.replaces_thread} then q.chat_id = $2 and q.kind = j.kind and q.thread_key = j.thread_key
    when j.kind in {kinds.replaces_messages} then q.chat_id = $2 and q.kind in {kinds.replaces_messages}
      and q.thread_key = j.thread_key and q.from_id = j.from_id
  end

-- name: carries_canonical
-- Whether the exchange job updates the canonical summary. The job does so if the chat has no summary yet. It also does
-- so if the summary is provisional and the chat has no later exchange job, open or completed. Failed jobs, and jobs that
-- had nothing to learn, are ignored.
-- $1 owner, $2 chat, $3 exchange job
select not exists (
    select from chats c
    join chat_metadata m on m.owner_id = $1 and m.chat_id = $2 and m.epoch = c.epoch
    where c.owner_id = $1 and c.chat_id = $2 and m.tokens > 0)
  or exists (
    select from chats c
    join chat_metadata m on m.owner_id = $1 and m.chat_id = $2 and m.epoch = c.epoch
    where c.owner_id = $1 and c.chat_id = $2 and m.provisional)
  and not exists (
    select from chat_context_queue l
    join chat_context_queue j on j.owner_id = $1 and j.chat_id = $2 and j.id = $3
    where l.owner_id = $1 and l.chat_id = $2 and l.id <> $3 and l.to_id > j.to_id and l.kind = 'exchange'
      and l.state <> 'dead' and l.model is distinct from 'none')

-- name: redo_provisional
-- across owners: workers serve all owners.
-- $1 how many, $2 now, $3 the tiers below the available tier, $4 the available tier, $5 whether it is the best of all,
-- $6 whether its calls are counted: queues jobs again, newest first. These are the jobs that a lower tier did.
-- Exchanges without a second reading are also queued, if their chat's allowance permits a second reading. Thread
-- summaries and profiles wait until the chat's chunk summaries have been redone and no job of the chat is open. All
-- summaries also wait until the allowance permits a call to a paid model. A job that was redone without success waits
-- ten minutes, because otherwise it would be redone endlessly.
update chat_context_queue q
set state = 'pending_summarization', attempts = 0, claims = claims + 1, not_before = $2, done_at = null,
    provisional = false, redo = true, class = 'past', handed_at = null
from (
  select j.owner_id, j.chat_id, j.id
  from unnest($3::text[] || $4::text) r (tier)
  cross join lateral (
    select j.* from chat_context_queue j
    join chats c on c.owner_id = j.owner_id and c.chat_id = j.chat_id
    where j.state = 'complete' and j.provisional and j.tier = r.tier
      and (r.tier <> $4 or $5::boolean and not j.redo and j.kind = 'exchange' and c.second_calls < c.exchanges)
      and (j.kind = 'exchange' or not $6::boolean or greatest(c.exchanges, 1) >
        case j.kind when 'second_reading' then c.second_calls else c.summary_calls end)
      and (not j.redo or j.done_at <= $2::timestamptz - interval '10 minutes')
      and (not (j.kind in {kinds.reads_summaries} or j.kind in {kinds.reads_memories}) or not exists (
        select from chat_context_queue e
        where e.owner_id = j.owner_id and e.chat_id = j.chat_id
          and (e.state in ('pending_summarization', 'ready_to_write')
            or e.state = 'complete' and e.provisional and e.tier = any($3::text[])
              and e.kind in {kinds.replaces_messages})))
    order by j.created_at desc
    limit $1) l
  join chat_context_queue j on j.owner_id = l.owner_id and j.chat_id = l.chat_id and j.id = l.id
  where j.state = 'complete' and j.provisional
  order by j.created_at desc
  limit $1
  for update of j skip locked
) p
where q.owner_id = p.owner_id and q.chat_id = p.chat_id and q.id = p.id
returning q.owner_id, q.chat_id, q.id

-- name: reading
-- across owners: the operator sees the queue of all owners.
-- The number of exchanges that each tier has read. Exchanges in the queue have no tier. `again` is true for exchanges
-- that were read before and wait for a better tier.
select case when state = 'complete' then tier end as tier, redo and state <> 'complete' as again,
  sum(greatest(exchanges, 1))::bigint as exchanges,
  sum(greatest(exchanges, 1)) filter (where state = 'complete' and provisional)::bigint as provisional
from chat_context_queue
where kind = 'exchange' and (state in ('pending_summarization', 'ready_to_write')
  or state = 'complete' and model is distinct from 'none')
group by 1, 2
order by 1, 2

-- name: dropped
-- across owners: the operator sees the sums of all owners.
-- $1 a day of the month. Returns the number of items that were dropped in that month, by reason.
select reason, sum(items)::bigint as items
from dropped_items
where month = date_trunc('month', $1::date)::date
group by reason
order by reason

-- name: count_dropped
-- $1 owner, $2 a day of the month, $3 reason, $4 how many
insert into dropped_items as d (owner_id, month, reason, items)
values ($1, date_trunc('month', $2::date)::date, $3, $4)
on conflict (owner_id, month, reason) do update set items = d.items + excluded.items

-- name: hand_out
-- $1 owner, $2 chat, $3 now, $4 how many, $5 a time: gives the connected assistant the newest exchanges that no
-- language model has read and that were not given to it since $5
update chat_context_queue q set handed_at = $3
from (
  select id from chat_context_queue
  where owner_id = $1 and chat_id = $2 and state = 'complete' and provisional and kind = 'exchange' and tier = 'keep'
    and coalesce(handed_at, '-infinity') < $5
  order by created_at desc, id desc
  limit $4) n
where q.owner_id = $1 and q.chat_id = $2 and q.id = n.id
returning q.*

-- name: read_by_assistant
-- $1 owner, $2 chat, $3 a time, $4 messages. Marks exchanges as read by the connected assistant: the exchanges that
-- were given to the assistant after $3, and the exchanges that contain one of the messages.
update chat_context_queue set tier = 'assistant', model = 'assistant', handed_at = null
where owner_id = $1 and chat_id = $2 and state = 'complete' and provisional and kind = 'exchange' and tier = 'keep'
  and (handed_at > $3 or exists (select from unnest($4::bigint[]) s where s between from_id and to_id))
returning *

-- name: status
-- across owners: the operator sees the queue of all owners.
-- $1 now
select kind,
  count(*) filter (where state = 'pending_summarization' and (lease_until is null or lease_until <= $1)) as pending,
  count(*) filter (where state = 'pending_summarization' and lease_until > $1) as claimed,
  count(*) filter (where state = 'ready_to_write') as ready,
  count(*) filter (where state = 'dead') as dead,
  min(created_at) filter (where state in ('pending_summarization', 'ready_to_write')) as oldest
from chat_context_queue
where state <> 'complete'
group by kind
order by kind

-- name: failed_jobs
-- across owners: the operator sees the queue of all owners.
-- $1 how many
select concat_ws(':', owner_id, chat_id, id) as job_id, kind, attempts, coalesce(error, '') as error, done_at as at
from chat_context_queue
where state = 'dead'
order by done_at desc
limit $1

-- name: backlog
-- $1 owner, $2 chat, $3 now
select
  count(*) filter (where state = 'ready_to_write' or state = 'pending_summarization'
                   and (lease_until is null or lease_until <= $3)) as waiting,
  count(*) filter (where state = 'pending_summarization' and lease_until > $3) as in_work,
  count(*) filter (where state = 'dead') as dead,
  extract(epoch from $3 - min(least(created_at, $3)) filter (
    where state in ('pending_summarization', 'ready_to_write')))::float8 as oldest_seconds
from chat_context_queue
where owner_id = $1 and chat_id = $2 and state <> 'complete'
