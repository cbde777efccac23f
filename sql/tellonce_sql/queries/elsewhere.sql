-- name: read
-- $1 owner, $2 chat, $3 thread key, $4 external id of the message being answered, or null, $5 the time for which the
-- context is built, $6 for a reply thread, the external id of the message that started it, or null, $7 root thread of
-- the chat, $8 maximum messages of the thread that the reply came from, $9 maximum reply threads, $10 maximum other
-- chats, $11 the call's channel, $12 the lowest chat number of a conversation.
-- Returns recent messages from outside the thread. For a reply thread, these are messages of the thread that it came
-- from. For the root thread, these are messages of the reply threads. In both cases, each other chat of the owner adds
-- its newest exchange of the last day. Messages recorded after the one being answered are left out.
with asked as (
  select coalesce(min(id), 9223372036854775807) as id, coalesce(min(recorded_at), $5) as recorded_at
  from messages
  where owner_id = $1 and chat_id = $2 and ext_id = $4 and channel = $11
), replies as (
  select thread_key from thread_state
  where owner_id = $1 and chat_id = $2 and $3 = $7 and thread_key like 'reply:%'
  order by focus_id desc nulls last
  limit $9
), others as (
  select c.chat_id, c.channel, c.conversation, newest.id, newest.thread_key, newest.thread_no, newest.sent_at
  from chats c
  cross join lateral (
    select id, thread_key, thread_no, sent_at from messages
    where owner_id = $1 and chat_id = c.chat_id and routine is null and recorded_at <= (select recorded_at from asked)
      and (c.chat_id <> $2 or thread_key <> $3)
    order by id desc
    limit 1) newest
  -- If the chat is a conversation (its number is $12 or above), its other threads are included too, because each of
  -- them is a separate session.
  where c.owner_id = $1 and (c.chat_id <> $2 or c.chat_id >= $12)
    and newest.sent_at between $5::timestamptz - interval '1 day' and $5
  order by newest.sent_at desc
  limit $10
)
select
  array(
    select row(id, thread_no, role, content, routine, routine_summary, speaker, sent_at, utc_offset, tokens, ext_id,
      version, channel)
    from messages
    where owner_id = $1 and chat_id = $2 and $6::text is not null and id < (select id from asked) and sent_at <= $5
      and thread_key = coalesce(
        (select min(thread_key) from messages where owner_id = $1 and chat_id = $2 and ext_id = $6), $7)
    order by thread_no desc
    limit $8) as left_talk,
  array(
    select row(r.thread_key, m.id, m.thread_no, m.role, m.content, m.routine, m.routine_summary, m.speaker, m.sent_at,
      m.utc_offset, m.tokens, m.ext_id, m.version, m.channel)
    from replies r
    cross join lateral (
      select * from messages
      where owner_id = $1 and chat_id = $2 and thread_key = r.thread_key and id < (select id from asked) and sent_at <= $5
      order by thread_no desc
      limit 2) m
    order by m.id) as replies,
  array(
    select row(o.chat_id, o.channel, o.conversation, m.id, m.thread_no, m.role, m.content, m.routine, m.routine_summary,
      m.speaker, m.sent_at, m.utc_offset, m.tokens, m.ext_id, m.version, m.channel)
    from others o
    join messages m on m.owner_id = $1 and m.chat_id = o.chat_id and m.thread_key = o.thread_key
      and m.thread_no between o.thread_no - 1 and o.thread_no
    order by o.sent_at desc, m.thread_no) as others

-- name: answers_to_earlier
-- $1 owner, $2 chat, $3 thread key, $4 a message number: the messages after this number that answer messages before it
select id from messages
where owner_id = $1 and chat_id = $2 and thread_key = $3 and id > $4 and exchange_of < $4
