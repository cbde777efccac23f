-- name: known
-- The given messages that are already stored. $1 owner, $2 chat.
-- Messages with an external id: $3 external ids, $6 channels, $7 times.
-- Messages without an external id: $4 ids, $5 times.
-- An export identifies a message without an external id by its message id. The message's time must match too, because
-- in an export from another database the same id may belong to another message. For an external id, either the channel
-- or the time must match, because exports of older versions may contain the wrong channel.
select n.channel, m.ext_id, null::bigint as id, m.thread_key
from unnest($3::text[], $6::text[], $7::timestamptz[]) as n (ext_id, channel, sent_at)
join messages m on m.owner_id = $1 and m.chat_id = $2 and m.ext_id = n.ext_id
  and (m.channel = n.channel or m.sent_at = n.sent_at)
union all
select null, null, m.id, m.thread_key
from unnest($4::bigint[], $5::timestamptz[]) as n (id, sent_at)
cross join lateral (
  select id, thread_key from messages m
  where m.owner_id = $1 and m.chat_id = $2 and m.id = n.id and m.ext_id is null and m.sent_at = n.sent_at offset 0) m

-- name: reserve
-- $1 owner, $2 chat, $3 the chat's home channel, $4 how many messages, $5 how many exchanges, $6 now, $7 the chat's
-- conversation. Reserves message numbers and returns the last number before the reserved numbers.
with owner as (
  insert into user_profile (owner_id) values ($1)
  on conflict do nothing
)
insert into chats as c (owner_id, chat_id, channel, conversation, last_id, exchanges, created_at)
values ($1, $2, $3, $7, $4, $5, $6)
on conflict (owner_id, chat_id) do update
  set last_id = c.last_id + excluded.last_id, exchanges = c.exchanges + excluded.exchanges
returning last_id - $4::int as before, epoch

-- name: extend_thread
-- $1 owner, $2 chat, $3 thread key, $4 how many messages, $5 their tokens, $6 newest assistant message or null.
-- Reserves thread numbers for the messages and returns the last number before the reserved numbers.
insert into thread_state as t (owner_id, chat_id, thread_key, last_no, open_tokens, focus_id)
values ($1, $2, $3, $4, $5, $6)
on conflict (owner_id, chat_id, thread_key) do update
  set last_no = t.last_no + excluded.last_no, open_tokens = t.open_tokens + excluded.open_tokens,
      focus_id = coalesce(excluded.focus_id, t.focus_id)
returning last_no - $4::int

-- name: exported
-- $1 owner, $2 a memory number, $3 how many: the memories after this number in order, each with its former texts, its
-- alarm (null if it has none) and its source messages
select m.*, r.due_at, r.repeats, r.chat_id as alarm_chat_id, r.message_thread_id, r.done_at,
  array(
    select row(v.version, v.content, v.replaced_at) from memory_versions v
    where v.owner_id = $1 and v.id = m.id
    order by v.version) as versions,
  array(
    select row(s.id, s.ext_id, s.channel) from messages s
    where s.owner_id = $1 and s.chat_id = m.source_chat_id and s.id = any(m.source_ids)
    order by s.id) as said
from memories m
left join reminders r on r.owner_id = $1 and r.memory_id = m.id
where m.owner_id = $1 and m.id > $2
order by m.id
limit $3
