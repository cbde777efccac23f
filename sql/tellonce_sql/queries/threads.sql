-- name: find
-- $1 owner, $2 chat, $3 thread key
select thread_key, last_no, coalesce(covered_to, 0) as covered_to, queued_to
from thread_state
where owner_id = $1 and chat_id = $2 and thread_key = $3

-- name: of_chat
-- $1 owner, $2 chat
select thread_key, last_no, coalesce(covered_to, 0) as covered_to, queued_to
from thread_state
where owner_id = $1 and chat_id = $2
order by thread_key

-- name: in_order
-- $1 owner, $2 chat: the chat's threads, ordered by their first message
select t.thread_key
from thread_state t
cross join lateral (
  select id from messages
  where owner_id = $1 and chat_id = $2 and thread_key = t.thread_key
  order by thread_no
  limit 1) first
where t.owner_id = $1 and t.chat_id = $2
order by first.id

-- name: open_run
-- $1 owner, $2 chat, $3 thread key: the messages that no chunk job covers yet, oldest first
select m.id, m.thread_no, m.tokens, m.sent_at, m.epoch
from thread_state t
join messages m on m.owner_id = $1 and m.chat_id = $2 and m.thread_key = $3 and m.thread_no > t.queued_to
where t.owner_id = $1 and t.chat_id = $2 and t.thread_key = $3
order by m.thread_no

-- name: silent
-- across owners: the server's own background work.
-- $1 a time, $2 a number: threads without a message since $1. A thread is returned only if it has at least $2 messages
-- that no chunk job covers.
select t.owner_id, t.chat_id, t.thread_key
from thread_state t
join messages m on m.owner_id = t.owner_id and m.chat_id = t.chat_id and m.thread_key = t.thread_key
  and m.thread_no = t.last_no
where t.last_no - t.queued_to >= $2 and m.sent_at < $1
order by t.owner_id, t.chat_id, t.thread_key

-- name: queue_chunks
-- $1 owner, $2 chat, $3 thread key, $4 the value that queued_to must still have, $5 first and $6 last thread numbers,
-- $7 first and $8 last message numbers, $9 tokens of all these messages, $10 now, $11 trace, $12 live or past. Jobs and
-- `queued_to` change in one statement, so that every message is queued exactly once. The chunks of a thread are made in
-- order. While past chunks of the thread are open, live chunks are therefore also queued as past.
with chat as (
  update chats set last_job_id = last_job_id + cardinality($5::bigint[])
  where owner_id = $1 and chat_id = $2
  returning last_job_id - cardinality($5::bigint[]) as base
), thread as (
  -- The order of locks is chat, thread, queue.
  update thread_state t
  set queued_to = (select max(n) from unnest($6::bigint[]) n), open_tokens = greatest(0, open_tokens - $9)
  from chat
  where t.owner_id = $1 and t.chat_id = $2 and t.thread_key = $3 and t.queued_to = $4
  returning chat.base
)
insert into chat_context_queue (owner_id, chat_id, id, kind, thread_key, dedup_key, from_id, to_id, not_before,
  created_at, trace_id, class)
select $1, $2, thread.base + r.n, 'chunk_summary', $3, $3 || '#' || r.from_no, r.from_id, r.to_id, $10, $10, $11,
  case when exists (
    select from chat_context_queue e
    where e.owner_id = $1 and e.chat_id = $2 and e.track = 2 and e.kind = 'chunk_summary' and e.thread_key = $3
      and not e.redo and e.state in ('pending_summarization', 'ready_to_write')) then 'past' else $12 end
from thread, unnest($5::bigint[], $6::bigint[], $7::bigint[], $8::bigint[]) with ordinality
  as r (from_no, to_no, from_id, to_id, n)
returning id

-- name: gaps
-- $1 owner: threads with counters that do not match their chunk summaries and open messages. The result must be empty.
select t.last_no, coalesce(t.covered_to, 0) as covered_to, m.open, s.covered
from thread_state t
cross join lateral (
  select count(*) as open from messages m
  where m.owner_id = $1 and m.chat_id = t.chat_id and m.thread_key = t.thread_key
    and m.thread_no > coalesce(t.covered_to, 0)) m
cross join lateral (
  select coalesce(sum(count), 0) as covered from conversation_summaries s
  where s.owner_id = $1 and s.chat_id = t.chat_id and s.thread_key = t.thread_key and s.kind = 'chunk') s
where t.owner_id = $1
  and (t.last_no - coalesce(t.covered_to, 0) <> m.open or coalesce(t.covered_to, 0) <> s.covered)
