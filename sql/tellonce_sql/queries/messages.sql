-- part: words
-- The columns with a person's words. The content and the speaker are first. An erasure searches and cleans these
-- columns.
content, speaker, routine, agent_id, ext_id, reply_to
-- end

-- part: given
-- The columns that recorded and imported messages have in common: `columns` in store/messages.py
role, content, speaker, ext_id, reply_to, importance, tokens, sent_at, utc_offset
-- end

-- name: record
-- The parameters are the fields of `NewMessage`, of its arguments, of its scope, and of `FollowUp`. Without a
-- `FollowUp`, its fields are null and no job is queued. A forgotten name of the conversation is not stored again.
-- This is one statement, so that a message, its place in the thread, its full-text row and its job are stored together
-- or not at all. `before` is the time at which the thread's previous message was sent.
with owner as (
  insert into user_profile (owner_id) values ($owner_id)
  on conflict do nothing
), chat as (
  insert into chats as c (owner_id, chat_id, channel, conversation, last_id, exchanges, last_job_id, created_at)
  values ($owner_id, $chat_id, $home, $conversation, 1, $ends_exchange::boolean::int,
    ($kind::text is not null)::int, $now)
  on conflict (owner_id, chat_id) do update
    set conversation = case when c.conversation ^@ 'forgotten:' then c.conversation
          else coalesce($conversation, c.conversation) end,
        last_id = c.last_id + 1, exchanges = c.exchanges + $ends_exchange::boolean::int,
        last_job_id = c.last_job_id + ($kind::text is not null)::int
  returning last_id, epoch, last_job_id
), thread as (
  insert into thread_state as t (owner_id, chat_id, thread_key, last_no, open_tokens, focus_id, slot, slot_until)
  select $owner_id, $chat_id, $thread_key, 1, $tokens, case when $role = 'assistant' then last_id end, $slot, $slot_until
  from chat
  on conflict (owner_id, chat_id, thread_key) do update
    set last_no = t.last_no + 1,
        open_tokens = t.open_tokens + $tokens,
        focus_id = coalesce(excluded.focus_id, t.focus_id),
        slot = case when $role = 'assistant' and $routine::text is null then $slot else t.slot end,
        slot_until = case when $role = 'assistant' and $routine::text is null then $slot_until else t.slot_until end
  returning last_no, queued_to, open_tokens
), message as (
  insert into messages (owner_id, chat_id, id, thread_key, thread_no, epoch, recorded_at, channel, agent_id,
    routine, routine_summary, exchange_of,
    -- use: given
  )
  select $owner_id, $chat_id, chat.last_id, $thread_key, thread.last_no, chat.epoch, $now, $channel, $agent_id,
    $routine, $routine_summary, $exchange_of,
    -- values: given
  from chat, thread
  returning id
), fts as (
  insert into message_fts (owner_id, chat_id, id, tsv)
  select $owner_id, $chat_id, id, to_tsvector('chatmem', $index_text)
    || array_to_tsvector(array['@o' || $owner_id::bigint, '@c' || $chat_id::bigint])
  from message
), job as (
  -- As in `queue.enqueue`, the message is added to an existing job that is not claimed yet.
  insert into chat_context_queue as q (owner_id, chat_id, id, kind, thread_key, dedup_key, from_id, to_id, exchanges,
    not_before, created_at, trace_id)
  select $owner_id, $chat_id, chat.last_job_id, $kind, $thread_key,
    coalesce($key, $kind || ':' || message.id), coalesce($first, message.id), message.id,
    $ends_exchange::boolean::int, $not_before, $now, $traceparent
  from chat, message
  where $kind is not null
  on conflict (owner_id, chat_id, kind, class, dedup_key) where state = 'pending_summarization' and claims = 0 do update
    set from_id = least(q.from_id, excluded.from_id), to_id = greatest(q.to_id, excluded.to_id),
        exchanges = q.exchanges + excluded.exchanges, not_before = least(q.not_before, excluded.not_before),
        trace_id = coalesce(excluded.trace_id, q.trace_id)
)
select message.id, thread.last_no, thread.queued_to, thread.open_tokens,
  (select sent_at from messages
    where owner_id = $owner_id and chat_id = $chat_id and thread_key = $thread_key
      and thread_no = thread.last_no - 1) as before
from message, thread

-- name: add
-- Stores imported messages. owner_id, chat_id, epoch and now are single values. Each other parameter is an array with
-- the values of a column.
with input as (
  select * from unnest($id::bigint[], $thread_key::text[], $thread_no::bigint[], $channel::text[], $index_text::text[],
    $role::text[], $content::text[], $speaker::text[], $ext_id::text[], $reply_to::text[], $importance::real[],
    $tokens::int[], $sent_at::timestamptz[], $utc_offset::smallint[])
    as i (id, thread_key, thread_no, channel, index_text,
      -- use: given
    )
), fts as (
  insert into message_fts (owner_id, chat_id, id, tsv)
  select $owner_id, $chat_id, id, to_tsvector('chatmem', index_text)
    || array_to_tsvector(array['@o' || $owner_id::bigint, '@c' || $chat_id::bigint])
  from input
)
insert into messages (owner_id, chat_id, epoch, recorded_at, id, thread_key, thread_no, channel,
  -- use: given
)
select $owner_id, $chat_id, $epoch, $now, id, thread_key, thread_no, channel,
  -- use: given
from input
order by id

-- name: by_ext_id
-- $1 owner, $2 chat, $3 external id, $4 channel: the channel's message with this id, or else the chat's only message
-- with this id
select id, thread_key, thread_no, role, content, sent_at, version, channel, speaker
from messages
where owner_id = $1 and chat_id = $2 and ext_id = $3
  and (channel = $4 or (select count(*) from messages where owner_id = $1 and chat_id = $2 and ext_id = $3) = 1)

-- name: by_id
-- $1 owner, $2 chat, $3 number
select id, thread_key, thread_no, role, content, sent_at, version, channel, speaker
from messages
where owner_id = $1 and chat_id = $2 and id = $3

-- name: edit
-- $1 owner, $2 chat, $3 number, $4 the version that the message must still have, $5 new text, $6 importance, $7 tokens,
-- $8 text to index, $9 now. Keeps the old text as a version.
with old as (
  select content, tokens, thread_key, thread_no
  from messages
  where owner_id = $1 and chat_id = $2 and id = $3 and version = $4
  for update
), kept as (
  insert into message_versions (owner_id, chat_id, id, version, content, replaced_at)
  select $1, $2, $3, $4, content, $9 from old
), thread as (
  update thread_state t set open_tokens = greatest(0, t.open_tokens + $7 - old.tokens)
  from old
  where t.owner_id = $1 and t.chat_id = $2 and t.thread_key = old.thread_key and old.thread_no > t.queued_to
), fts as (
  update message_fts set tsv = to_tsvector('chatmem', $8) || array_to_tsvector(array['@o' || $1::bigint, '@c' || $2::bigint])
  where owner_id = $1 and chat_id = $2 and id = $3 and exists (select from old)
)
update messages m
set content = $5, importance = $6, tokens = $7, version = $4 + 1, embedding = null, ebits = null
from old
where m.owner_id = $1 and m.chat_id = $2 and m.id = $3
returning m.id

-- name: versions
-- $1 owner, $2 chat, $3 number
select version, content, replaced_at
from message_versions
where owner_id = $1 and chat_id = $2 and id = $3
order by version

-- part: line
-- A message `m` as `Line` in store/messages.py
m.id, m.thread_no, m.role, m.content,
-- use: line_after_text
-- end

-- part: lines
select
  -- use: line
from messages m
-- end

-- part: line_after_text
m.routine, m.routine_summary, m.speaker, m.sent_at, m.utc_offset, m.ext_id, m.channel
-- end

-- name: id_range
-- $1 owner, $2 chat, $3 thread key, $4 first and $5 last number, $6 how many at most
-- use: lines
where owner_id = $1 and chat_id = $2 and thread_key = $3 and id between $4 and $5
order by id
limit $6

-- name: last_of_range
-- $1 owner, $2 chat, $3 thread key, $4 first and $5 last number, $6 how many at most: the last messages of the range
select * from (
  -- use: lines
  where owner_id = $1 and chat_id = $2 and thread_key = $3 and id between $4 and $5
  order by id desc
  limit $6) l
order by id

-- name: before_in_thread
-- $1 owner, $2 chat, $3 thread key, $4 number, $5 how many: the last messages before message $4, oldest first
select * from (
  -- use: lines
  where owner_id = $1 and chat_id = $2 and thread_key = $3 and id < $4
  order by thread_no desc
  limit $5) l
order by thread_no

-- name: by_ids
-- $1 owner, $2 chat, $3 ids
-- use: lines
where owner_id = $1 and chat_id = $2 and id = any($3::bigint[])
order by id

-- name: page
-- $1 owner, $2 chat, $3 a number, $4 how many: messages with numbers below $3, newest first
-- use: lines
where owner_id = $1 and chat_id = $2 and id < $3
order by id desc
limit $4

-- name: set_routine_summary
-- $1 owner, $2 chat, $3 number, $4 summary
update messages set routine_summary = $4
where owner_id = $1 and chat_id = $2 and id = $3 and routine is not null

-- name: routines_since
-- $1 owner, $2 chat, $3 since
select routine as name, coalesce(routine_summary, content) as summary, sent_at
from messages
where owner_id = $1 and chat_id = $2 and routine is not null and sent_at >= $3
order by sent_at

-- name: unembedded
-- across owners: the server's own background work.
-- $1 owner, $2 chat and $3 number of the last row already read, $4 how many. Returns the messages without a vector, in
-- key order.
select owner_id, chat_id, id, version, coalesce(speaker, role) || ': ' || content as text
from messages
where embedding is null and (owner_id, chat_id, id) > ($1, $2, $3)
order by owner_id, chat_id, id
limit $4

-- name: set_embeddings
-- across owners: the server runs this in the background for all owners; each row of the arguments contains its owner.
-- $1 owners, $2 chats, $3 ids, $4 versions, $5 vectors, $6 codes. A vector is stored only if the message still has
-- the version that was embedded.
update messages m
set embedding = e.embedding, ebits = e.ebits::bit(384)
from unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::int[], $5::halfvec[], $6::varbit[])
  as e (owner_id, chat_id, id, version, embedding, ebits)
where m.owner_id = e.owner_id and m.chat_id = e.chat_id and m.id = e.id and m.version = e.version
  and (select may_write_vectors())
