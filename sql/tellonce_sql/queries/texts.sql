-- The statements that find and clean the texts of an owner. Each place that contains texts has one part of `find` and
-- one statement `clean_<place>`, and is declared in domain/erasure/text_places.py. All rows that are read have the same
-- columns: `texts` are the row's text columns, `body` is its JSON column.
--
-- The statements `clean_…` have the parameters $1 owner and $2 rows with their new texts. A row that no longer has the
-- given version is not changed. If a row has a time `replaced_at`, its former text is kept as a version, for contexts
-- of a past time.

-- part: message
select 'message' as place, m.chat_id, m.id, m.version, m.role as subject, m.thread_key, m.sent_at as at,
  array[
    -- use: messages.words
  ] as texts, null::jsonb as body
-- end

-- part: given
with given as materialized (
  select * from jsonb_to_recordset($2) as g (chat_id bigint, id bigint, version int, thread_key text, texts text[],
    body jsonb, tokens int, words text, replaced_at timestamptz)
)
-- end

-- name: find
-- $1 owner, $2 chat or null for all, $3 LIKE patterns, $4 places: every row of the owner in these places with a text that
-- may match
-- use: message
from messages m
where 'message' = any($4::text[]) and owner_id = $1 and ($2::bigint is null or chat_id = $2)
  and may_say(concat_ws(chr(10),
    -- use: messages.words
  ), $3)
union all
select 'message_version', chat_id, id, version, '', '', replaced_at, array[content], null
from message_versions
where 'message_version' = any($4::text[]) and owner_id = $1 and ($2::bigint is null or chat_id = $2)
  and may_say(content, $3)
union all
select 'memory', chat_id, id, version, kind, '', valid_from,
  array[content, strings_of(quotes), reason, nullif(about, 'user'), array_to_string(categories, chr(10)), user_name], null
from memories
where 'memory' = any($4::text[]) and owner_id = $1 and ($2::bigint is null or chat_id is null or chat_id = $2)
  and may_say(concat_ws(chr(10), content, strings_of(quotes), reason, nullif(about, 'user'),
    array_to_string(categories, chr(10)), user_name), $3)
union all
select 'memory_version', null, id, version, '', '', replaced_at, array[content], null
from memory_versions
where 'memory_version' = any($4::text[]) and owner_id = $1 and may_say(content, $3)
union all
select 'summary', chat_id, id, version, kind, thread_key, updated_at, array[text], body
from conversation_summaries
where 'summary' = any($4::text[]) and owner_id = $1 and ($2::bigint is null or chat_id = $2)
  and may_say(concat_ws(chr(10), text, strings_of(body)), $3)
union all
select 'canonical', chat_id, epoch, version, case when archived_at is null then 'live' else 'archived' end, '', updated_at,
  array[user_confirmed, llm_inferred, general_summary], null
from chat_metadata
where 'canonical' = any($4::text[]) and owner_id = $1 and ($2::bigint is null or chat_id = $2)
  and may_say(concat_ws(chr(10), user_confirmed, llm_inferred, general_summary), $3)
union all
select 'profile', null, 0, version, '', '', coalesce(built_at, to_timestamp(0)), array[narrative],
  jsonb_build_object('facts', raw_facts, 'preferences', raw_preferences, 'goals', raw_goals, 'dates', raw_dates)
from user_profile
where 'profile' = any($4::text[]) and owner_id = $1 and may_say(concat_ws(chr(10), narrative, strings_of(raw_facts),
  strings_of(raw_preferences), strings_of(raw_goals), strings_of(raw_dates)), $3)
union all
select 'routine', chat_id, id, version, '', thread_key, sent_at, array[routine_summary], null
from messages
where 'routine' = any($4::text[]) and owner_id = $1 and ($2::bigint is null or chat_id = $2)
  and routine_summary is not null and may_say(routine_summary, $3)
union all
select 'former', null, id, 0, '', '', to_timestamp(0), array[line], null
from former_lines
where 'former' = any($4::text[]) and owner_id = $1 and may_say(line, $3)
union all
select 'slot', chat_id, 0, 0, '', thread_key, coalesce(slot_until, to_timestamp(0)), array[]::text[], slot - 'type'
from thread_state
where 'slot' = any($4::text[]) and owner_id = $1 and ($2::bigint is null or chat_id = $2) and slot is not null
  and may_say(strings_of(slot - 'type'), $3)
union all
select 'job', chat_id, id, 0, kind, thread_key, created_at, array[error], result
from chat_context_queue
where 'job' = any($4::text[]) and owner_id = $1 and ($2::bigint is null or chat_id = $2)
  and (error is not null or result is not null) and may_say(concat_ws(chr(10), error, strings_of(result)), $3)
union all
select 'model_call', chat_id, id, 0, kind, '', at, array[note], null
from model_calls
where 'model_call' = any($4::text[]) and owner_id = $1 and ($2::bigint is null or chat_id = $2) and note <> ''
  and may_say(note, $3)
union all
select 'chat', chat_id, 0, 0, '', '', created_at, array[conversation], null
from chats
where 'chat' = any($4::text[]) and owner_id = $1 and ($2::bigint is null or chat_id = $2) and conversation is not null
  and may_say(conversation, $3)
union all
-- A thread's key consists of a kind, the chat's number and perhaps a name.
select 'thread', chat_id, 0, 0, '', thread_key, to_timestamp(0), array[substring(thread_key from '^[a-z]+:-?[0-9]+:(.*)$')], null
from thread_state
where 'thread' = any($4::text[]) and owner_id = $1 and ($2::bigint is null or chat_id = $2)
  and may_say(substring(thread_key from '^[a-z]+:-?[0-9]+:(.*)$'), $3)
union all
select 'channel', chat_id, 0, 0, '', channel, to_timestamp(0), array[channel], null
from (
  select chat_id, channel from chats where owner_id = $1
  union
  select chat_id, channel from messages where owner_id = $1) c
where 'channel' = any($4::text[]) and ($2::bigint is null or chat_id = $2) and may_say(channel, $3)

-- name: messages
-- $1 owner, $2 chats, $3 ids: these messages in their current version
-- use: message
from unnest($2::bigint[], $3::bigint[]) as asked (chat_id, id)
join messages m on m.owner_id = $1 and m.chat_id = asked.chat_id and m.id = asked.id
order by m.chat_id, m.id

-- name: messages_between
-- $1 owner, $2 chat or null for all, $3 since or null, $4 until or null: the messages sent in this period
-- use: message
from messages m
where owner_id = $1 and ($2::bigint is null or chat_id = $2)
  and ($3::timestamptz is null or sent_at >= $3) and ($4::timestamptz is null or sent_at <= $4)
order by chat_id, id

-- name: neighbors
-- $1 owner, $2 chats and $3 ids of messages, $4 maximum number of rows in all: the messages directly before and after
-- each given message in its thread, and messages up to three places away if they were sent within a minute of the given
-- message. The given messages are left out. The join is lateral, because a direct join would compare every message of
-- the owner with every given message.
-- use: message
from (
  select distinct on (b.chat_id, b.id) b.*
  from unnest($2::bigint[], $3::bigint[]) as asked (chat_id, id)
  join messages h on h.owner_id = $1 and h.chat_id = asked.chat_id and h.id = asked.id
  cross join lateral (
    select n.* from messages n
    where n.owner_id = $1 and n.chat_id = h.chat_id and n.thread_key = h.thread_key
      and n.thread_no between h.thread_no - 3 and h.thread_no + 3
      and (abs(n.thread_no - h.thread_no) = 1
        or n.sent_at between h.sent_at - interval '1 minute' and h.sent_at + interval '1 minute')
    offset 0) as b
  where not exists (
    select from unnest($2::bigint[], $3::bigint[]) as hit (chat_id, id) where hit.chat_id = b.chat_id and hit.id = b.id)
  order by b.chat_id, b.id
  limit $4) as m
order by m.chat_id, m.id

-- name: redact_messages
-- $1 owner, $2 rows with the new texts, $3 chats, $4 ids and $5 hashes of the removed sentences, $6 now. A message that
-- no longer has the given version is not changed. The former texts are not kept as versions.
-- use: given
, old as materialized (
  select g.*, m.thread_no, m.tokens as old_tokens,
    m.content <> g.texts[1] or m.speaker is distinct from g.texts[2] as reworded
  from given g
  join messages m on m.owner_id = $1 and m.chat_id = g.chat_id and m.id = g.id and m.version = g.version
), gone as (
  delete from message_versions v using old o
  where v.owner_id = $1 and v.chat_id = o.chat_id and v.id = o.id
), threads as (
  update thread_state t set open_tokens = greatest(0, t.open_tokens + d.more)
  from (
    select o.chat_id, o.thread_key, sum(o.tokens - o.old_tokens) as more
    from old o
    join thread_state s on s.owner_id = $1 and s.chat_id = o.chat_id and s.thread_key = o.thread_key
    where o.thread_no > s.queued_to
    group by o.chat_id, o.thread_key) d
  where t.owner_id = $1 and t.chat_id = d.chat_id and t.thread_key = d.thread_key
), fts as (
  update message_fts f set tsv = to_tsvector('chatmem', o.words) || array_to_tsvector(array['@o' || $1, '@c' || o.chat_id])
  from old o
  where o.reworded and f.owner_id = $1 and f.chat_id = o.chat_id and f.id = o.id
), done as (
  update messages m
  set (
    -- use: messages.words
    ) = row(o.texts[1], o.texts[2], o.texts[3], o.texts[4], o.texts[5], o.texts[6]), tokens = o.tokens, version = m.version + 1,
    embedding = case when not o.reworded then m.embedding end, ebits = case when not o.reworded then m.ebits end
  from old o
  where m.owner_id = $1 and m.chat_id = o.chat_id and m.id = o.id
  returning m.chat_id, m.id
), marked as (
  insert into tombstones (owner_id, id, chat_id, message_id, claim, words, created_at)
  select $1, coalesce((select max(t.id) from tombstones t where t.owner_id = $1), 0) + row_number() over (), k.chat_id, k.id,
    k.claim, '{}', $6
  from unnest($3::bigint[], $4::bigint[], $5::bytea[]) as k (chat_id, id, claim)
  join done d on d.chat_id = k.chat_id and d.id = k.id
)
select chat_id, id from done

-- name: clean_summary
-- use: given
, former as (
  insert into text_versions (owner_id, chat_id, subject, version, value, since, replaced_at)
  select $1, s.chat_id, s.kind || ':' || case s.kind when 'chunk' then s.id::text else s.thread_key end, s.version,
    jsonb_build_object('text', former_lines_of($1, s.text)), s.updated_at, g.replaced_at
  from given g
  join conversation_summaries s on s.owner_id = $1 and s.chat_id = g.chat_id and s.id = g.id and s.version = g.version
  where g.replaced_at is not null
  on conflict do nothing
)
update conversation_summaries s
set text = g.texts[1], body = g.body, tokens = g.tokens, embedding = null, version = s.version + 1,
  updated_at = coalesce(g.replaced_at, s.updated_at),
  tsv = to_tsvector('chatmem', g.words) || array_to_tsvector(array['@o' || $1, '@c' || g.chat_id])
from given g
where s.owner_id = $1 and s.chat_id = g.chat_id and s.id = g.id and s.version = g.version

-- name: clean_canonical
-- use: given
, former as (
  insert into text_versions (owner_id, chat_id, subject, version, value, since, replaced_at)
  select $1, m.chat_id, 'canonical:' || m.epoch, m.version,
    jsonb_build_object('user_confirmed', former_lines_of($1, m.user_confirmed),
      'llm_inferred', former_lines_of($1, m.llm_inferred), 'general_summary', former_lines_of($1, m.general_summary)),
    m.updated_at, g.replaced_at
  from given g
  join chat_metadata m on m.owner_id = $1 and m.chat_id = g.chat_id and m.epoch = g.id and m.version = g.version
  where g.replaced_at is not null
  on conflict do nothing
)
update chat_metadata m
set user_confirmed = g.texts[1], llm_inferred = g.texts[2], general_summary = g.texts[3], tokens = g.tokens,
  version = m.version + 1, updated_at = coalesce(g.replaced_at, m.updated_at)
from given g
where m.owner_id = $1 and m.chat_id = g.chat_id and m.epoch = g.id and m.version = g.version

-- name: clean_profile
-- use: given
, former as (
  insert into text_versions (owner_id, chat_id, subject, version, value, since, replaced_at)
  select $1, 0, 'profile', p.version, jsonb_build_object('narrative', former_lines_of($1, p.narrative)), p.built_at,
    g.replaced_at
  from given g
  join user_profile p on p.owner_id = $1 and p.version = g.version
  where g.replaced_at is not null
  on conflict do nothing
)
update user_profile p
set narrative = g.texts[1], raw_facts = g.body -> 'facts', raw_preferences = g.body -> 'preferences',
  raw_goals = g.body -> 'goals', raw_dates = g.body -> 'dates', version = p.version + 1,
  built_at = coalesce(g.replaced_at, p.built_at)
from given g
where p.owner_id = $1 and p.version = g.version

-- name: clean_routine
-- use: given
update messages m set routine_summary = nullif(g.texts[1], '')
from given g
where m.owner_id = $1 and m.chat_id = g.chat_id and m.id = g.id and m.version = g.version

-- name: clean_former
-- A line with no remaining text is deleted.
-- use: given
, gone as (
  delete from former_lines f using given g
  where f.owner_id = $1 and f.id = g.id and g.texts[1] = ''
)
update former_lines f set line = g.texts[1]
from given g
where f.owner_id = $1 and f.id = g.id and g.texts[1] <> ''

-- name: clean_slot
-- use: given
update thread_state t set slot = null, slot_until = null
from given g
where t.owner_id = $1 and t.chat_id = g.chat_id and t.thread_key = g.thread_key

-- name: clean_job
-- The jobs' results are removed by `queue.void_claims`.
-- use: given
update chat_context_queue j set error = null
from given g
where j.owner_id = $1 and j.chat_id = g.chat_id and j.id = g.id

-- name: clean_model_call
-- use: given
update model_calls c set note = ''
from given g
where c.owner_id = $1 and c.id = g.id

-- name: clean_chat
-- Replaces the client's names of conversations. Every new name is different. Otherwise, an import of an export would
-- merge the conversations.
-- use: given
update chats c set conversation = 'forgotten:' || c.chat_id
from given g
where c.owner_id = $1 and c.chat_id = g.chat_id

-- name: clean_thread
-- Renames threads in every table. The first text is the new key. This is one statement, because the foreign keys of
-- these tables contain the thread's key and are checked at the end of each statement. If another thread has the new key
-- already, a number is added to the new key.
-- use: given
, taken as (
  select g.chat_id, g.thread_key as old, g.texts[1] as fresh, count(t.thread_key) as same
  from given g
  left join thread_state t on t.owner_id = $1 and t.chat_id = g.chat_id and starts_with(t.thread_key, g.texts[1])
  group by g.chat_id, g.thread_key, g.texts[1]
), named as materialized (
  select chat_id, old, fresh || case when same > 0 then '-' || same else '' end as fresh from taken
), state as (
  update thread_state t set thread_key = g.fresh
  from named g
  where t.owner_id = $1 and t.chat_id = g.chat_id and t.thread_key = g.old
), said as (
  update messages m set thread_key = g.fresh
  from named g
  where m.owner_id = $1 and m.chat_id = g.chat_id and m.thread_key = g.old
), summed as (
  update conversation_summaries s set thread_key = g.fresh
  from named g
  where s.owner_id = $1 and s.chat_id = g.chat_id and s.thread_key = g.old
), former as (
  update text_versions v set subject = 'thread:' || g.fresh
  from named g
  where v.owner_id = $1 and v.chat_id = g.chat_id and v.subject = 'thread:' || g.old
), queued as (
  update chat_context_queue j
  set thread_key = g.fresh, dedup_key = replace(j.dedup_key, g.old, g.fresh)
  from named g
  where j.owner_id = $1 and j.chat_id = g.chat_id and j.thread_key = g.old
)
update context_receipts r set thread_key = g.fresh
from named g
where r.owner_id = $1 and r.chat_id = g.chat_id and r.thread_key = g.old

-- name: clean_channel
-- Replaces the names of channels. The first text is the new name.
-- use: given
, of_chats as (
  update chats c set channel = g.texts[1]
  from given g
  where c.owner_id = $1 and c.chat_id = g.chat_id and c.channel = g.thread_key
)
update messages m set channel = g.texts[1]
from given g
where m.owner_id = $1 and m.chat_id = g.chat_id and m.channel = g.thread_key

-- name: clean_message_version
-- use: given
delete from message_versions v using given g
where v.owner_id = $1 and v.chat_id = g.chat_id and v.id = g.id and v.version = g.version

-- name: clean_memory_version
-- use: given
delete from memory_versions v using given g
where v.owner_id = $1 and v.id = g.id and v.version = g.version

-- name: clean_memory
-- Removes the quotes, reasons, subjects, categories and user names of memories that are kept. Their content stays.
-- use: given
update memories m set quotes = '[]', reason = null, about = 'user', categories = null, user_name = null,
  tsv = ts_delete(tsv, category_lexemes(array_to_string(categories, ' ')))
from given g
where m.owner_id = $1 and m.id = g.id
