-- The statements with which `forget` reads and writes.

-- name: texts
-- $1 owner, $2 chat or null for all, $3 LIKE patterns, $4 whether to include messages and their versions: every row of
-- the owner with a text that may match. `texts` are the row's text columns, `body` is its JSON column.
select 'message' as place, chat_id, id, version, role as subject, thread_key, sent_at as at,
  array[content, speaker, routine, routine_summary, agent_id, ext_id, reply_to] as texts, null::jsonb as body
from messages
where owner_id = $1 and ($2::bigint is null or chat_id = $2) and $4::boolean
  and may_say(concat_ws(chr(10), content, speaker, routine, routine_summary, agent_id, ext_id, reply_to), $3)
union all
select 'message_version', chat_id, id, version, '', '', replaced_at, array[content], null
from message_versions
where owner_id = $1 and ($2::bigint is null or chat_id = $2) and $4::boolean and may_say(content, $3)
union all
select 'memory', chat_id, id, version, kind, '', valid_from,
  array[content, strings_of(quotes), reason, nullif(about, 'user'), array_to_string(categories, chr(10)), user_name], null
from memories
where owner_id = $1 and ($2::bigint is null or chat_id is null or chat_id = $2)
  and may_say(concat_ws(chr(10), content, strings_of(quotes), reason, nullif(about, 'user'),
    array_to_string(categories, chr(10)), user_name), $3)
union all
select 'memory_version', null, id, version, '', '', replaced_at, array[content], null
from memory_versions
where owner_id = $1 and may_say(content, $3)
union all
select 'summary', chat_id, id, version, kind, thread_key, updated_at, array[text], body
from conversation_summaries
where owner_id = $1 and ($2::bigint is null or chat_id = $2) and may_say(concat_ws(chr(10), text, strings_of(body)), $3)
union all
select 'canonical', chat_id, epoch, version, case when archived_at is null then 'live' else 'archived' end, '', updated_at,
  array[user_confirmed, llm_inferred, general_summary], null
from chat_metadata
where owner_id = $1 and ($2::bigint is null or chat_id = $2)
  and may_say(concat_ws(chr(10), user_confirmed, llm_inferred, general_summary), $3)
union all
select 'profile', null, 0, version, '', '', coalesce(built_at, to_timestamp(0)), array[narrative],
  jsonb_build_object('facts', raw_facts, 'preferences', raw_preferences, 'goals', raw_goals, 'dates', raw_dates)
from user_profile
where owner_id = $1 and may_say(concat_ws(chr(10), narrative, strings_of(raw_facts), strings_of(raw_preferences),
  strings_of(raw_goals), strings_of(raw_dates)), $3)
union all
select 'former', null, id, 0, '', '', to_timestamp(0), array[line], null
from former_lines
where owner_id = $1 and may_say(line, $3)
union all
select 'slot', chat_id, 0, 0, '', thread_key, coalesce(slot_until, to_timestamp(0)), array[]::text[], slot - 'type'
from thread_state
where owner_id = $1 and ($2::bigint is null or chat_id = $2) and slot is not null and may_say(strings_of(slot - 'type'), $3)
union all
select 'job', chat_id, id, 0, kind, thread_key, created_at, array[error], result
from chat_context_queue
where owner_id = $1 and ($2::bigint is null or chat_id = $2) and (error is not null or result is not null)
  and may_say(concat_ws(chr(10), error, strings_of(result)), $3)
union all
select 'model_call', chat_id, id, 0, kind, '', at, array[note], null
from model_calls
where owner_id = $1 and ($2::bigint is null or chat_id = $2) and note <> '' and may_say(note, $3)
union all
select 'chat', chat_id, 0, 0, '', '', created_at, array[conversation], null
from chats
where owner_id = $1 and ($2::bigint is null or chat_id = $2) and conversation is not null and may_say(conversation, $3)
union all
-- A thread's key consists of a kind, the chat's number and perhaps a name.
select 'thread', chat_id, 0, 0, '', thread_key, to_timestamp(0), array[substring(thread_key from '^[a-z]+:-?[0-9]+:(.*)$')], null
from thread_state
where owner_id = $1 and ($2::bigint is null or chat_id = $2)
  and may_say(substring(thread_key from '^[a-z]+:-?[0-9]+:(.*)$'), $3)

-- name: messages
-- $1 owner, $2 chats, $3 ids: these messages in their current version, with the result columns of the query `texts`
select 'message' as place, m.chat_id, m.id, m.version, m.role as subject, m.thread_key, m.sent_at as at,
  array[m.content, m.speaker, m.routine, m.routine_summary, m.agent_id, m.ext_id, m.reply_to] as texts,
  null::jsonb as body
from unnest($2::bigint[], $3::bigint[]) as asked (chat_id, id)
join messages m on m.owner_id = $1 and m.chat_id = asked.chat_id and m.id = asked.id
order by m.chat_id, m.id

-- name: messages_between
-- $1 owner, $2 chat or null for all, $3 since or null, $4 until or null: the messages sent in this period, with the
-- result columns of the query `texts`
select 'message' as place, chat_id, id, version, role as subject, thread_key, sent_at as at,
  array[content, speaker, routine, routine_summary, agent_id, ext_id, reply_to] as texts, null::jsonb as body
from messages
where owner_id = $1 and ($2::bigint is null or chat_id = $2)
  and ($3::timestamptz is null or sent_at >= $3) and ($4::timestamptz is null or sent_at <= $4)
order by chat_id, id

-- name: memories
-- $1 owner, $2 ids: memories with their quotes and source messages
select id, version, chat_id, kind, content, array(select q ->> 'text' from jsonb_array_elements(quotes) as q) as quotes,
  valid_from, source_chat_id, source_ids
from memories
where owner_id = $1 and id = any($2::bigint[])
order by id

-- name: memories_of
-- $1 owner, $2 chat, $3 whether to include memories that belong to no chat, $4 since or null, $5 until or null
select id, version, chat_id, kind, content, array(select q ->> 'text' from jsonb_array_elements(quotes) as q) as quotes,
  valid_from, source_chat_id, source_ids
from memories
where owner_id = $1 and (chat_id = $2 or chat_id is null and $3::boolean)
  and ($4::timestamptz is null or valid_from >= $4) and ($5::timestamptz is null or valid_from <= $5)
order by id

-- name: neighbors
-- $1 owner, $2 chats and $3 ids of messages, $4 maximum rows in all: the messages directly before and after each given
-- message in its thread, and messages up to three places away if they were sent within a minute of it. The given
-- messages are left out. The result columns are those of the query `texts`. The join is lateral, because a direct join
-- would compare every message of the owner with every given message.
select distinct on (m.chat_id, m.id) 'message' as place, m.chat_id, m.id, m.version, m.role as subject, m.thread_key,
  m.sent_at as at, array[m.content] as texts, null::jsonb as body
from unnest($2::bigint[], $3::bigint[]) as asked (chat_id, id)
join messages h on h.owner_id = $1 and h.chat_id = asked.chat_id and h.id = asked.id
cross join lateral (
  select b.* from messages b
  where b.owner_id = $1 and b.chat_id = h.chat_id and b.thread_key = h.thread_key
    and b.thread_no between h.thread_no - 3 and h.thread_no + 3
    and (abs(b.thread_no - h.thread_no) = 1 or b.sent_at between h.sent_at - interval '1 minute' and h.sent_at + interval '1 minute')
  offset 0) as m
where not exists (
  select from unnest($2::bigint[], $3::bigint[]) as hit (chat_id, id) where hit.chat_id = m.chat_id and hit.id = m.id)
order by m.chat_id, m.id
limit $4

-- name: resting_on
-- $1 owner, $2 chats and $3 ids of messages, $4 memories to leave out, $5 how many: current memories learned from
-- these messages
select id, version, chat_id, kind, content, array(select q ->> 'text' from jsonb_array_elements(quotes) as q) as quotes,
  valid_from, source_chat_id, source_ids
from memories
where owner_id = $1 and valid_to is null and id <> all($4::bigint[]) and exists (
  select from unnest($2::bigint[], $3::bigint[]) as asked (chat_id, id)
  where source_chat_id = asked.chat_id and source_ids @> array[asked.id])
order by id
limit $5

-- name: add_preview
-- $1 owner, $2 id, $3 chat, $4 until, $5 hash of the request, $6 matches as JSON, $7 now. Adds a preview and deletes
-- expired previews.
with old as (
  delete from forget_previews where owner_id = $1 and until < $7
)
insert into forget_previews (owner_id, id, chat_id, until, asked, hits) values ($1, $2, $3, $4, $5, $6::text::jsonb)

-- name: preview
-- $1 owner, $2 id
select chat_id, until, asked, hits::text as hits from forget_previews
where owner_id = $1 and id = $2

-- name: bind_preview
-- $1 owner, $2 id, $3 hash of the request, $4 hash of the selection. Binds the preview to the selection. If it is bound
-- already, nothing changes.
update forget_previews set asked = case when asked = $3 then $3 || $4::bytea else asked end
where owner_id = $1 and id = $2
returning asked

-- name: redact_messages
-- $1 owner, $2 chats, $3 ids, $4 the versions that the messages must still have, $5 texts without the forgotten
-- sentences, $6 tokens, $7 texts to index, $8 speakers, $9 routines, $10 routine summaries, $11 agents, $12 external
-- ids, $13 reply targets, $14 the owner's scope lexeme, $15 the chats' scope lexemes, $16 chats, $17 ids and $18 hashes
-- of the removed sentences, $19 now. The former texts are not kept as versions.
with given as (
  select * from unnest($2::bigint[], $3::bigint[], $4::int[], $5::text[], $6::int[], $7::text[], $8::text[], $9::text[],
    $10::text[], $11::text[], $12::text[], $13::text[], $15::text[])
    as g (chat_id, id, version, content, tokens, words, speaker, routine, routine_summary, agent_id, ext_id, reply_to, chat)
), old as materialized (
  select g.*, m.thread_key, m.thread_no, m.tokens as old_tokens,
    m.content <> g.content or m.speaker is distinct from g.speaker as reworded
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
  update message_fts f set tsv = to_tsvector('chatmem', o.words) || array_to_tsvector(array[$14, o.chat])
  from old o
  where o.reworded and f.owner_id = $1 and f.chat_id = o.chat_id and f.id = o.id
), done as (
  update messages m
  set content = o.content, tokens = o.tokens, speaker = o.speaker, routine = o.routine, routine_summary = o.routine_summary,
    agent_id = o.agent_id, ext_id = o.ext_id, reply_to = o.reply_to, version = m.version + 1,
    embedding = case when not o.reworded then m.embedding end, ebits = case when not o.reworded then m.ebits end
  from old o
  where m.owner_id = $1 and m.chat_id = o.chat_id and m.id = o.id
  returning m.chat_id, m.id
), marked as (
  insert into tombstones (owner_id, id, chat_id, message_id, claim, words, created_at)
  select $1, coalesce((select max(t.id) from tombstones t where t.owner_id = $1), 0) + row_number() over (), k.chat_id, k.id,
    k.claim, '{}', $19
  from unnest($16::bigint[], $17::bigint[], $18::bytea[]) as k (chat_id, id, claim)
  join done d on d.chat_id = k.chat_id and d.id = k.id
)
select chat_id, id from done

-- name: drop_message_versions
-- $1 owner, $2 chats, $3 ids, $4 versions
delete from message_versions v using unnest($2::bigint[], $3::bigint[], $4::int[]) as g (chat_id, id, version)
where v.owner_id = $1 and v.chat_id = g.chat_id and v.id = g.id and v.version = g.version

-- name: drop_memory_versions
-- $1 owner, $2 ids, $3 versions
delete from memory_versions v using unnest($2::bigint[], $3::int[]) as g (id, version)
where v.owner_id = $1 and v.id = g.id and v.version = g.version

-- name: drop_details
-- $1 owner, $2 ids of memories that are kept: removes their quotes, reasons, subjects, categories and user names
update memories set quotes = '[]', reason = null, about = 'user', categories = null, user_name = null,
  tsv = ts_delete(tsv, category_lexemes(array_to_string(categories, ' ')))
where owner_id = $1 and id = any($2::bigint[])

-- name: set_summaries
-- $1 owner, $2 chats, $3 ids, $4 the versions that the summaries must still have, $5 texts, $6 bodies as one JSON
-- array, $7 tokens, $8 texts to index, $9 the owner's scope lexeme, $10 the chats' scope lexemes
update conversation_summaries s
set text = g.text, body = b.body, tokens = g.tokens, embedding = null, version = s.version + 1,
  tsv = to_tsvector('chatmem', g.words) || array_to_tsvector(array[$9, g.chat])
from unnest($2::bigint[], $3::bigint[], $4::int[], $5::text[], $7::int[], $8::text[], $10::text[]) with ordinality
  as g (chat_id, id, version, text, tokens, words, chat, n)
join jsonb_array_elements($6::jsonb) with ordinality as b (body, n) on b.n = g.n
where s.owner_id = $1 and s.chat_id = g.chat_id and s.id = g.id and s.version = g.version

-- name: set_canonical
-- $1 owner, $2 chat, $3 epoch, $4 the version that the summary must still have, $5 user confirmed, $6 inferred, $7
-- general, $8 tokens
update chat_metadata
set user_confirmed = $5, llm_inferred = $6, general_summary = $7, tokens = $8, version = version + 1
where owner_id = $1 and chat_id = $2 and epoch = $3 and version = $4

-- name: set_profile
-- $1 owner, $2 the version that the profile must still have, $3 narrative, $4 facts, $5 preferences, $6 goals, $7 dates
update user_profile
set narrative = $3, raw_facts = $4, raw_preferences = $5, raw_goals = $6, raw_dates = $7, version = version + 1
where owner_id = $1 and version = $2

-- name: set_former_lines
-- $1 owner, $2 ids, $3 the remaining texts of these lines. A line with no remaining text is deleted.
with gone as (
  delete from former_lines f using unnest($2::bigint[], $3::text[]) as g (id, line)
  where f.owner_id = $1 and f.id = g.id and g.line = ''
)
update former_lines f set line = g.line
from unnest($2::bigint[], $3::text[]) as g (id, line)
where f.owner_id = $1 and f.id = g.id and g.line <> ''

-- name: clear_errors
-- $1 owner, $2 chats, $3 ids: clears the errors of these jobs. The jobs' results are removed by
-- `queue.void_claims`.
update chat_context_queue j set error = null
from unnest($2::bigint[], $3::bigint[]) as g (chat_id, id)
where j.owner_id = $1 and j.chat_id = g.chat_id and j.id = g.id

-- name: clear_notes
-- $1 owner, $2 ids
update model_calls set note = ''
where owner_id = $1 and id = any($2::bigint[])

-- name: clear_names
-- $1 owner, $2 chats: replaces the client's names of these conversations. Every new name is different, so that an
-- import of an export keeps the conversations apart.
update chats set conversation = 'forgotten:' || chat_id
where owner_id = $1 and chat_id = any($2::bigint[])

-- name: rename_threads
-- $1 owner, $2 chats, $3 keys of threads, $4 the new keys: renames the threads in every table. This is one statement,
-- because the foreign keys of these tables contain the thread's key and are checked at its end. If a thread has the new
-- key already, a number is added to it.
with taken as (
  select g.chat_id, g.old, count(t.thread_key) as same, g.fresh
  from unnest($2::bigint[], $3::text[], $4::text[]) as g (chat_id, old, fresh)
  left join thread_state t on t.owner_id = $1 and t.chat_id = g.chat_id and starts_with(t.thread_key, g.fresh)
  group by g.chat_id, g.old, g.fresh
), given as materialized (
  select chat_id, old, fresh || case when same > 0 then '-' || same else '' end as fresh from taken
), state as (
  update thread_state t set thread_key = g.fresh
  from given g
  where t.owner_id = $1 and t.chat_id = g.chat_id and t.thread_key = g.old
), said as (
  update messages m set thread_key = g.fresh
  from given g
  where m.owner_id = $1 and m.chat_id = g.chat_id and m.thread_key = g.old
), summed as (
  update conversation_summaries s set thread_key = g.fresh
  from given g
  where s.owner_id = $1 and s.chat_id = g.chat_id and s.thread_key = g.old
), former as (
  update text_versions v set subject = 'thread:' || g.fresh
  from given g
  where v.owner_id = $1 and v.chat_id = g.chat_id and v.subject = 'thread:' || g.old
), queued as (
  update chat_context_queue j
  set thread_key = g.fresh,
    dedup_key = case when starts_with(j.dedup_key, g.old) then g.fresh || substr(j.dedup_key, length(g.old) + 1) else j.dedup_key end
  from given g
  where j.owner_id = $1 and j.chat_id = g.chat_id and j.thread_key = g.old
)
update context_receipts r set thread_key = g.fresh
from given g
where r.owner_id = $1 and r.chat_id = g.chat_id and r.thread_key = g.old

-- name: covering
-- $1 owner, $2 chats, $3 ids of messages: the chunk summaries that cover them
select distinct s.chat_id, s.thread_key, s.from_id, s.to_id
from unnest($2::bigint[], $3::bigint[]) as g (chat_id, id)
join messages m on m.owner_id = $1 and m.chat_id = g.chat_id and m.id = g.id
join conversation_summaries s on s.owner_id = $1 and s.chat_id = m.chat_id and s.thread_key = m.thread_key
  and s.kind = 'chunk' and m.thread_no between s.from_no and s.to_no

-- name: lock
-- $1 owner, $2 chats: locks the chats in order, then the owner. New tombstones are numbered after the highest existing
-- number, so only one erasure at a time may add tombstones.
with chat as materialized (
  select chat_id from chats
  where owner_id = $1 and chat_id = any($2::bigint[])
  order by chat_id
  for no key update
)
select 1 from user_profile
where owner_id = $1 and (select count(*) from chat) >= 0
for no key update
