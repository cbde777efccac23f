-- part: other_threads
-- $10 the time for which the context is built
-- $11 the call's channel
-- $12 external id of the answered message or null
-- $13 external id of the message that started the reply thread or null
-- $14 root thread of the chat
-- $15 maximum number of messages of the parent thread
-- $16 maximum number of reply threads
-- $17 maximum number of other chats
-- $18 the smallest chat number of a conversation
-- $19 whether messages from outside the thread are read.
-- For a reply thread, messages of its parent thread are returned. The parent thread is the thread from which the reply
-- thread branched. For the root thread, messages of the reply threads are returned. For both, the newest exchange of the
-- last day from each of the owner's other chats is returned too. Messages that were recorded after the answered message
-- are left out.
asked as (
  select coalesce(min(id), 9223372036854775807) as id, coalesce(min(recorded_at), $10) as recorded_at
  from messages
  where owner_id = $1 and chat_id = $2 and ext_id = $12 and channel = $11
), replies as (
  select thread_key from thread_state
  where $19::boolean and owner_id = $1 and chat_id = $2 and $3 = $14 and thread_key like 'reply:%'
  order by focus_id desc nulls last
  limit $16
), others as (
  select c.chat_id, c.channel, c.conversation, newest.id, newest.thread_key, newest.thread_no, newest.sent_at
  from chats c
  cross join lateral (
    select id, thread_key, thread_no, sent_at from messages
    where owner_id = $1 and chat_id = c.chat_id and routine is null and recorded_at <= (select recorded_at from asked)
      and (c.chat_id <> $2 or thread_key <> $3 and thread_key not like 'reply:%')
    order by id desc
    limit 1) newest
  -- A conversation is a chat with a number of $18 or above. Its other threads are included too, because each of them is
  -- a separate session. Reply threads are left out, because left_talk and replies contain them.
  where $19 and c.owner_id = $1 and (c.chat_id <> $2 or c.chat_id >= $18 and $3 not like 'reply:%')
    and newest.sent_at between $10::timestamptz - interval '1 day' and $10
  order by newest.sent_at desc
  limit $17
)
-- end

-- part: messages_of_other_threads
  exists (select from chats where owner_id = $1 and chat_id <> $2 and last_id > 0) as has_others,
  array(
    select row(
      -- use: messages.line
    )
    from messages m
    where $19 and owner_id = $1 and chat_id = $2 and $13::text is not null and id < (select id from asked)
      and sent_at <= $10
      and thread_key = coalesce(
        (select min(thread_key) from messages where owner_id = $1 and chat_id = $2 and ext_id = $13), $14)
    order by thread_no desc
    limit $15) as left_talk,
  array(
    select row(r.thread_key,
      -- use: messages.line
    )
    from replies r
    cross join lateral (
      select * from messages
      where owner_id = $1 and chat_id = $2 and thread_key = r.thread_key and id < (select id from asked)
        and sent_at <= $10
      order by thread_no desc
      limit 2) m
    order by m.id) as replies,
  array(
    select row(o.chat_id, o.channel, o.conversation,
      -- use: messages.line
    )
    from others o
    join messages m on m.owner_id = $1 and m.chat_id = o.chat_id and m.thread_key = o.thread_key
      and m.thread_no between o.thread_no - 1 and o.thread_no
    order by o.sent_at desc, m.thread_no) as others
-- end

-- name: read
-- $1 owner, $2 chat, $3 thread key, $4 window size, $5 maximum number of facts, $6 of goals, $7 of chunk summaries, $8
-- external id of the message to which the user replied, $9 maximum number of messages shown, $10 to $19 as in
-- `other_threads`. Reads everything for a context except search results, in one round trip.
with thread as materialized (
  select last_no, coalesce(covered_to, 0) as covered_to, focus_id, slot, slot_until
  from thread_state
  where owner_id = $1 and chat_id = $2 and thread_key = $3
), live as materialized (
  select id, kind, content, chat_id, priority, importance, pinned, deadline, valid_from, user_confirmed, note, about,
    happens_from
  from memories
  where owner_id = $1 and valid_to is null and status = 'active' and shown and (chat_id is null or chat_id = $2)
),
-- use: other_threads
select
  coalesce((select erasures from user_profile where owner_id = $1), 0) as erasures,
  (select count(*) from (
    select from chat_context_queue
    where owner_id = $1 and chat_id = $2 and state = 'complete' and provisional and kind = 'exchange' and tier = 'keep'
    limit 100) n) as unread,
  (select row(coalesce(m.user_confirmed, ''), coalesce(m.llm_inferred, ''),
      coalesce(m.general_summary, ''), coalesce(m.tokens, 0), c.channel)
    from chats c
    left join chat_metadata m on m.owner_id = $1 and m.chat_id = $2 and m.epoch = c.epoch
    where c.owner_id = $1 and c.chat_id = $2) as chat,
  (select row(last_no, covered_to, focus_id, slot::text, slot_until) from thread) as thread,
  (select narrative from user_profile where owner_id = $1) as narrative,
  (select text from conversation_summaries
    where owner_id = $1 and chat_id = $2 and kind = 'thread' and thread_key = $3) as thread_summary,
  -- Messages from before the last /new are not part of the history.
  array(
    select row(
      -- use: messages.line
    )
    from messages m
    where owner_id = $1 and chat_id = $2 and thread_key = $3
      and id > coalesce((select epoch_after from chats where owner_id = $1 and chat_id = $2), 0)
      and thread_no > (select greatest(least(covered_to, last_no - $4::int), last_no - $9::int) from thread)
    order by thread_no) as window,
  (select count(*) from messages
    where owner_id = $1 and chat_id = $2 and thread_key = $3 and thread_no > (select covered_to from thread)) as open,
  (select coalesce(sum(count), 0)::bigint from conversation_summaries
    where owner_id = $1 and chat_id = $2 and thread_key = $3 and from_no is not null) as summarised,
  array(
    select row(id, from_id, to_id, from_at, to_at, text)
    from conversation_summaries
    where owner_id = $1 and chat_id = $2 and thread_key = $3 and kind = 'chunk'
      and from_id >= coalesce((select epoch_after from chats where owner_id = $1 and chat_id = $2), 0)
    order by to_no desc
    limit $7) as chunks,
  array(
    select row(id, kind, content, chat_id, priority, importance, pinned, deadline, valid_from, user_confirmed, note, about,
      happens_from)
    from live
    where id in (
      (select id from live where kind not in ('goal', 'pin') order by valid_from desc, id desc limit $5)
      union all
      (select id from live where kind = 'goal' order by priority, deadline nulls last, id limit $6)
      union all
      (select id from live where pinned or kind = 'pin' order by importance desc, id limit $5)
      union all
      (select id from live
        where deadline between $10::timestamptz - interval '1 day' and $10 + interval '15 days'
          or happens_from between $10 - interval '1 day' and $10 + interval '15 days'
        order by coalesce(deadline, happens_from), id limit $5))
    order by id) as memories,
  (select row(
    -- use: messages.line
  )
    from messages m
    where owner_id = $1 and chat_id = $2 and ext_id = $8
      and (channel = $11
        or (select count(*) from messages where owner_id = $1 and chat_id = $2 and ext_id = $8) = 1)) as quoted,
  -- use: messages_of_other_threads

-- name: read_as_of
-- Like `read`, but $10 is a past time. Returns the rows as they were at that time.
with thread as materialized (
  select count(*) as last_no,
    coalesce((select max(to_no) from conversation_summaries
      where owner_id = $1 and chat_id = $2 and thread_key = $3 and kind = 'chunk' and created_at <= $10), 0) as covered_to
  from messages
  where owner_id = $1 and chat_id = $2 and thread_key = $3 and sent_at <= $10
), begun as materialized (
  select coalesce(max(epoch_after), 0) as after from chats
  where owner_id = $1 and chat_id = $2 and epoch_began <= $10
), said as not materialized (
  select m.thread_key, m.id, m.thread_no, m.role, coalesce(v.content, m.content) as content,
    -- use: messages.line_after_text
  from messages m
  left join lateral (
    select content from message_versions v
    where v.owner_id = $1 and v.chat_id = $2 and v.id = m.id and v.replaced_at > $10
    order by v.version limit 1) v on true
  where owner_id = $1 and chat_id = $2 and sent_at <= $10
),
-- use: other_threads
select
  coalesce((select erasures from user_profile where owner_id = $1), 0) as erasures,
  0 as unread,
  (select row(coalesce(m.user_confirmed, ''), coalesce(m.llm_inferred, ''),
      coalesce(m.general_summary, ''), 0, c.channel)
    from chats c
    left join lateral (
      select user_confirmed, llm_inferred, general_summary from chat_metadata
      where owner_id = $1 and chat_id = $2 and updated_at <= $10 and (archived_at is null or archived_at > $10)
      union all
      select former_text($1, value -> 'user_confirmed'), former_text($1, value -> 'llm_inferred'),
        former_text($1, value -> 'general_summary')
      from text_versions
      where owner_id = $1 and chat_id = $2 and subject like 'canonical:%' and replaced_at > $10
        and coalesce(since, '-infinity') <= $10
      limit 1) m on true
    where c.owner_id = $1 and c.chat_id = $2) as chat,
  (select row(last_no, covered_to, null::bigint, null::text, null::timestamptz) from thread) as thread,
  coalesce(
    (select former_text($1, value -> 'narrative') from text_versions
      where owner_id = $1 and chat_id = 0 and subject = 'profile' and replaced_at > $10
        and coalesce(since, '-infinity') <= $10
      order by replaced_at limit 1),
    (select narrative from user_profile where owner_id = $1 and built_at <= $10), '') as narrative,
  coalesce(
    (select former_text($1, value -> 'text') from text_versions
      where owner_id = $1 and chat_id = $2 and subject = 'thread:' || $3 and replaced_at > $10
        and coalesce(since, '-infinity') <= $10
      order by replaced_at limit 1),
    (select text from conversation_summaries
      where owner_id = $1 and chat_id = $2 and kind = 'thread' and thread_key = $3 and updated_at <= $10),
    '') as thread_summary,
  array(
    select row(
      -- use: messages.line
    )
    from said m
    where thread_key = $3 and thread_no > (select greatest(least(covered_to, last_no - $4::int), last_no - $9::int) from thread)
      and id > (select after from begun)
    order by thread_no) as window,
  (select count(*) from messages
    where owner_id = $1 and chat_id = $2 and thread_key = $3 and sent_at <= $10
      and thread_no > (select covered_to from thread)) as open,
  (select coalesce(sum(count), 0)::bigint from conversation_summaries
    where owner_id = $1 and chat_id = $2 and thread_key = $3 and kind = 'chunk' and created_at <= $10) as summarised,
  array(
    select row(s.id, from_id, to_id, from_at, to_at, coalesce(v.text, s.text))
    from conversation_summaries s
    left join lateral (
      select former_text($1, value -> 'text') as text from text_versions v
      where v.owner_id = $1 and v.chat_id = $2 and v.subject = 'chunk:' || s.id and v.replaced_at > $10
      order by v.version limit 1) v on true
    where owner_id = $1 and chat_id = $2 and thread_key = $3 and kind = 'chunk' and created_at <= $10
      and from_id >= (select after from begun)
    order by to_no desc
    limit $7) as chunks,
  array(
    select row(m.id, kind, coalesce(v.content, m.content), chat_id, priority, importance, pinned, deadline, valid_from,
      user_confirmed, note, about, happens_from)
    from memories m
    left join lateral (
      select content from memory_versions v
      where v.owner_id = $1 and v.id = m.id and v.replaced_at > $10
      order by v.version limit 1) v on true
    -- An overdue goal was active until the user was asked about it.
    where owner_id = $1 and (chat_id is null or chat_id = $2) and shown
      and (status = 'uncertain' and overdue_at > $10 or
        -- use: memories.was_sure
      )
      and valid_from <= $10 and $10 < coalesce(
        -- as in memories.believed_until
        greatest(m.valid_to, (select s.valid_from from memories s where s.owner_id = $1 and s.id = m.superseded_by)),
        'infinity')
    order by coalesce(deadline between $10 - interval '1 day' and $10 + interval '15 days'
        or happens_from between $10 - interval '1 day' and $10 + interval '15 days', false) desc,
      valid_from desc, m.id desc
    limit $5::int + $6::int) as memories,
  (select row(
    -- use: messages.line
  )
    from said m where ext_id = $8
      and (channel = $11 or (select count(*) from said where ext_id = $8) = 1)) as quoted,
  -- use: messages_of_other_threads

-- name: log
-- $1 owner, $2 chat, $3 thread key, $4 maximum number of memories, $5 maximum number of chunk summaries. Returns the
-- memories, each with its last source message in this chat, and the thread's chunk summaries since the last /new. Ended
-- memories are included. However, a memory is left out if it ended because a better tier read its messages again.
with learned as not materialized (
  select id, kind, content, valid_from, status, note, about,
    case when source_chat_id = $2 then (select max(s) from unnest(source_ids) s) end as last_source
  from memories
  where owner_id = $1 and (chat_id is null or chat_id = $2) and shown and not pinned and kind <> 'pin'
    and status in {statuses.sure} and (status <> 'superseded' or superseded_by is not null)
), happened as not materialized (
  select from_at, to_at, text, body, to_no
  from conversation_summaries
  where owner_id = $1 and chat_id = $2 and thread_key = $3 and kind = 'chunk'
    and from_id >= coalesce((select epoch_after from chats where owner_id = $1 and chat_id = $2), 0)
)
select
  greatest(0, (select count(*) from learned) - $4::int) + greatest(0, (select count(*) from happened) - $5::int) as omitted,
  array(select row(id, kind, content, valid_from, status, note, about, last_source)
    from learned order by valid_from desc, id desc limit $4) as learned,
  array(select row(from_at, to_at, text, body::text) from happened order by to_no desc limit $5) as happened

-- name: around
-- $1 owner, $2 chat, $3 message number, $4 how many on each side, $5 a past time or null for now. Returns the messages
-- around a quoted message in its thread.
select m.id, m.thread_no, m.role, coalesce(v.content, m.content) as content,
  -- use: messages.line_after_text
from messages m
left join lateral (
  select content from message_versions v
  where v.owner_id = $1 and v.chat_id = $2 and v.id = m.id and v.replaced_at > $5::timestamptz
  order by v.version limit 1) v on true
where owner_id = $1 and chat_id = $2 and m.id between $3::bigint - $4::int and $3::bigint + $4::int and m.id <> $3
  and ($5::timestamptz is null or sent_at <= $5::timestamptz)
  and thread_key = (select thread_key from messages where owner_id = $1 and chat_id = $2 and id = $3)
order by m.id

-- name: answers_to_earlier
-- $1 owner, $2 chat, $3 thread key, $4 a message number. Returns the messages after this number that answer messages
-- before this number.
select id from messages
where owner_id = $1 and chat_id = $2 and thread_key = $3 and id > $4 and exchange_of < $4
