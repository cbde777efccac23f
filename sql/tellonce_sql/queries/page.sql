-- name: memories
-- The memories that match the filters of `PageMemoriesArgs`. A filter that is null does not restrict the result. If
-- as_of is given, the memories that were valid at that time are returned, with their text of that time. A page is read
-- from an index in the order of the result. If `counted` is true, all matching memories are read.
-- `learned_since`: a time, or null.
-- `after_time`, `after_id`: the time and number of the last memory already listed. If none is listed, they are infinity
-- and the highest number.
-- `counted`: whether to count all.
with found as not materialized (
  select *
  from (
    select *, case when $as_of::timestamptz is null then content else coalesce((
      select v.content from memory_versions v
      where v.owner_id = $owner_id and v.id = m.id and v.replaced_at > $as_of
      order by v.version limit 1), content) end as words
    from memories m
    where owner_id = $owner_id) m
  where ($kinds::text[] is null or case when note then 'note' else kind end = any($kinds))
    and ($origins::text[] is null or origin = any($origins))
    and ($chat_id::bigint is null or chat_id = $chat_id or source_chat_id = $chat_id)
    and confidence >= $least_confidence::float4
    and ($about::text is null or about = $about)
    and ($learned_since::timestamptz is null or created_at >= $learned_since)
    and case when $as_of::timestamptz is null then status = any($statuses::text[])
      else
        -- use: memories.was_sure
        and valid_from <= $as_of and $as_of < coalesce(
          -- use: memories.believed_until
          , 'infinity') end
    and ($query::text is null or position(lower($query) in lower(words)) > 0)
)
select *, case when $counted::boolean then (select count(*) from found) end as total
from found
where (valid_from, id) < ($after_time, $after_id)
order by valid_from desc, id desc
limit $limit

-- name: dated
-- $1 owner, $2 the start of today, $3 a time: current dates and deadlines between $2 and $3, and overdue goals
select *, content as words from memories
where owner_id = $1 and valid_to is null and status = 'active'
  and ((coalesce(deadline, happens_from) between $2 and $3) or (kind = 'goal' and deadline < $2))
order by coalesce(deadline, happens_from), id
limit 100

-- name: told
-- $1 owner, $2 ids that the screen lists elsewhere, $3 how many: current memories, newest first, except those that are
-- kept for search only
select *, content as words from memories
where owner_id = $1 and valid_to is null and status = 'active' and shown and id <> all($2::bigint[])
order by valid_from desc, id desc
limit $3

-- name: totals
-- $1 owner
select (select count(*) from memories where owner_id = $1 and valid_to is null) as memories,
  (select count(*) from messages where owner_id = $1) as messages,
  (select count(*) from chats where owner_id = $1) as chats

-- name: answers
-- $1 owner, $2 a time, $3 a memory or null, $4 how many, $5 a receipt or null: contexts built before $2, newest first,
-- each with the message for which it was built. If $3 is not null, only contexts that showed this memory in any section
-- are returned. A context is sometimes built before the user's message is recorded, for example at the start of a
-- session. In this case, `question` is the user's next message in that thread within an hour, and `preceded` is true.
select r.id as receipt_id, r.chat_id, c.channel, r.created_at as at, r.tokens, r.token_budget, r.truncated,
  coalesce(m.content, n.content, '') as question, m.id is null and n.content is not null as preceded
from context_receipts r
join chats c on c.owner_id = $1 and c.chat_id = r.chat_id
left join messages m on m.owner_id = $1 and m.chat_id = r.chat_id and m.id = r.message_id
left join lateral (
  select content
  from messages
  where r.message_id is null and owner_id = $1 and thread_key = r.thread_key and chat_id = r.chat_id and role = 'user'
    and sent_at >= r.created_at and sent_at < r.created_at + interval '1 hour'
  order by thread_no
  limit 1) n on true
where r.owner_id = $1 and r.as_of is null and r.created_at < $2
  and ($5::text is null or r.id = $5)
  and ($3::bigint is null or exists (
    select from jsonb_each(r.included) part
    where part.key not in ('messages', 'summaries', 'relevant message', 'relevant summary')
      and part.value @> to_jsonb($3::bigint)))
order by r.created_at desc
limit $4

-- name: replies
-- $1 owner, $2 a receipt: the messages that answer the receipt's question, oldest first. Only the 999 message numbers
-- after the question are searched. The statement therefore needs no index of `exchange_of`.
select m.id, m.role, m.speaker, m.sent_at as at, m.content as text
from context_receipts r
join messages m on m.owner_id = $1 and m.chat_id = r.chat_id and m.exchange_of = r.message_id
  and m.id > r.message_id and m.id < r.message_id + 1000
where r.owner_id = $1 and r.id = $2
order by m.id

-- name: erased
-- $1 owner: whether the user has forgotten something, which erased the records of earlier answers
select coalesce((select erasures from user_profile where owner_id = $1), 0) > 0 as erased

-- name: months
-- $1 owner, $2 time zone: the number of messages in each month, newest first. Each month is counted by a range scan of
-- an index.
select to_char(month, 'YYYY-MM') as month, messages
from (
  select date_trunc('month', min(sent_at) at time zone $2::text) as first, max(sent_at) at time zone $2 as last
  from messages
  where owner_id = $1) span
cross join generate_series(first, last, interval '1 month') month
cross join lateral (
  select count(*) as messages
  from messages
  where owner_id = $1 and sent_at >= month at time zone $2 and sent_at < (month + interval '1 month') at time zone $2) held
where messages > 0
order by 1 desc

-- name: days
-- $1 owner, $2 time zone, $3 from and $4 to: the conversations within these times. A conversation is one chat's
-- messages of one day. `begins` is the beginning of the user's first message. If the user wrote none, it is the
-- beginning of the first message.
select d.day, d.chat_id, d.channel, d.messages, d.from_id, d.to_id, d.from_at, d.to_at, left(f.content, 160) as begins
from (
  select to_char(sent_at at time zone $2::text, 'YYYY-MM-DD') as day, m.chat_id, c.channel, count(*) as messages,
    min(m.id) as from_id, max(m.id) as to_id, min(sent_at) as from_at, max(sent_at) as to_at,
    min(m.id) filter (where role = 'user' and speaker is null) as own_id
  from messages m
  join chats c on c.owner_id = $1 and c.chat_id = m.chat_id
  where m.owner_id = $1 and sent_at >= $3 and sent_at < $4
  group by 1, 2, 3) d
join messages f on f.owner_id = $1 and f.chat_id = d.chat_id and f.id = coalesce(d.own_id, d.from_id)
order by d.day desc, d.from_at

-- name: summaries
-- $1 owner, $2 from and $3 to: the summaries of messages within these times
select chat_id, from_id, to_id, from_at, to_at, count, text
from conversation_summaries
where owner_id = $1 and kind = 'chunk' and to_at >= $2 and from_at < $3
order by from_at, id

-- name: words
-- $1 owner, $2 chat, $3 first and $4 last message, $5 how many at most: the messages from $3 to $4, oldest first
select id, role, speaker, sent_at as at, content as text
from messages
where owner_id = $1 and chat_id = $2 and id between $3 and $4
order by id
limit $5

-- name: names
-- $1 owner, $2 how many: the people and things that current memories are about, most frequent first
select about as name, count(*) as memories
from memories
where owner_id = $1 and valid_to is null and about <> 'user' and status in {statuses.holds}
group by about
order by 2 desc, 1
limit $2

-- name: links
-- $1 owner, $2 names: for each pair of names, the number of memories that mention both
with named as (
  select m.id, n.name
  from memories m
  join unnest($2::text[]) n (name) on m.about = n.name or position(lower(n.name) in lower(m.content)) > 0
  where m.owner_id = $1 and m.valid_to is null and m.status in {statuses.holds}
)
select a.name as one, b.name as other, count(*) as memories
from named a
join named b on a.id = b.id and a.name < b.name
group by 1, 2
order by 3 desc, 1, 2
limit 200

-- name: restore
-- $1 owner, $2 number, $3 its former status, $4 whether the user had confirmed it, $5 whether it was pinned, $6 now,
-- $7 a time: restores the former state of a memory that was changed since $7
with changed as (
  update user_profile set memories_changed_at = $6 where owner_id = $1
)
update memories
set status = $3, user_confirmed = $4, pinned = $5, updated_at = $6, superseded_by = null,
  valid_to = case when $3::text not in {statuses.holds} then coalesce(valid_to, $6) end
where owner_id = $1 and id = $2 and updated_at >= $7
returning id

-- name: revive
-- $1 owner, $2 a memory, $3 now, $4 a time: reactivates the memories that this memory replaced or ended since $4
update memories
set status = 'active', valid_to = null, superseded_by = null, updated_at = $3
where owner_id = $1 and superseded_by = $2 and updated_at >= $4

-- name: withdraw
-- $1 owner, $2 a memory, $3 the memory that it had replaced or null, $4 now, $5 a time: ends memory $2 if it was created since
-- $5, and marks it as superseded by $3 and as taken back
update memories
set status = 'superseded', superseded_by = $3, valid_to = $4, updated_at = $4, reason = 'taken back'
where owner_id = $1 and id = $2 and created_at >= $5
returning id

-- name: unshare
-- $1 owner, $2 numbers of copies that were shared with this owner, $3 a time: erases those that were created since $3
-- and not changed. A copy of a statement that the owner already had is older, so it stays.
delete from memories m
where m.owner_id = $1 and m.id = any($2::bigint[]) and m.created_at >= $3
  and not exists (select from memory_versions v where v.owner_id = $1 and v.id = m.id)
  and not exists (select from memories o where o.owner_id = $1 and o.superseded_by = m.id)
