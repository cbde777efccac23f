-- name: texts
-- $1 owner: every current text that was derived from messages, with the result columns of `forget.texts`
select 'summary' as place, chat_id, id, version, kind as subject, thread_key, updated_at as at, array[text] as texts, body
from conversation_summaries
where owner_id = $1
union all
select 'canonical', chat_id, epoch, version, 'live', '', updated_at, array[null::text],
  jsonb_build_object('user_confirmed', user_confirmed, 'llm_inferred', llm_inferred, 'general_summary', general_summary)
from chat_metadata
where owner_id = $1 and archived_at is null
union all
select 'profile', null, 0, version, '', '', coalesce(built_at, to_timestamp(0)), array[narrative],
  jsonb_build_object('facts', raw_facts, 'preferences', raw_preferences, 'goals', raw_goals, 'dates', raw_dates)
from user_profile
where owner_id = $1
union all
select 'message', chat_id, id, version, '', '', sent_at, array[routine_summary], '{}'::jsonb
from messages
where owner_id = $1 and routine_summary is not null
union all
select 'slot', chat_id, 0, 0, '', thread_key, coalesce(slot_until, to_timestamp(0)), array[null::text], slot - 'type'
from thread_state
where owner_id = $1 and slot is not null

-- name: set_summary
-- $1 owner, $2 chat, $3 number, $4 text, $5 body, $6 tokens, $7 text to index, $8 scope lexemes, $9 now. The former
-- text is kept as a version, for contexts of a past time.
with old as (
  insert into text_versions (owner_id, chat_id, subject, version, value, since, replaced_at)
  select $1, $2, kind || ':' || case kind when 'chunk' then id::text else thread_key end, version,
    jsonb_build_object('text', former_lines_of($1, text)), updated_at, $9
  from conversation_summaries
  where owner_id = $1 and chat_id = $2 and id = $3
  on conflict do nothing
)
update conversation_summaries
set text = $4, body = $5, tokens = $6, embedding = null, version = version + 1,
  updated_at = $9, tsv = to_tsvector('chatmem', $7) || array_to_tsvector($8::text[])
where owner_id = $1 and chat_id = $2 and id = $3

-- name: set_canonical
-- $1 owner, $2 chat, $3 epoch, $4 user confirmed, $5 inferred, $6 general, $7 tokens, $8 now
with old as (
  insert into text_versions (owner_id, chat_id, subject, version, value, since, replaced_at)
  select $1, $2, 'canonical:' || epoch, version,
    jsonb_build_object('user_confirmed', former_lines_of($1, user_confirmed),
      'llm_inferred', former_lines_of($1, llm_inferred), 'general_summary', former_lines_of($1, general_summary)),
    updated_at, $8
  from chat_metadata
  where owner_id = $1 and chat_id = $2 and epoch = $3
  on conflict do nothing
)
update chat_metadata
set user_confirmed = $4, llm_inferred = $5, general_summary = $6, tokens = $7, version = version + 1,
  updated_at = $8
where owner_id = $1 and chat_id = $2 and epoch = $3

-- name: set_profile
-- $1 owner, $2 narrative, $3 facts, $4 preferences, $5 goals, $6 dates, $7 now
with old as (
  insert into text_versions (owner_id, chat_id, subject, version, value, since, replaced_at)
  select $1, 0, 'profile', version, jsonb_build_object('narrative', former_lines_of($1, narrative)), built_at, $7
  from user_profile
  where owner_id = $1
  on conflict do nothing
)
update user_profile
set narrative = $2, raw_facts = $3, raw_preferences = $4, raw_goals = $5, raw_dates = $6, version = version + 1,
  built_at = $7
where owner_id = $1

-- name: set_routine
-- $1 owner, $2 chat, $3 message, $4 summary or null
update messages set routine_summary = $4
where owner_id = $1 and chat_id = $2 and id = $3

-- name: chunk_range
-- $1 owner, $2 chat, $3 summary number
select thread_key, from_id, to_id from conversation_summaries
where owner_id = $1 and chat_id = $2 and id = $3 and kind = 'chunk'

-- name: standing
-- $1 owner: the texts that describe the present: the profile, and the current canonical summary of each chat
select 'profile' as place, 0::bigint as chat_id, 0 as epoch, array[narrative] as parts, narrative as said,
  jsonb_build_array(raw_facts, raw_preferences, raw_goals, raw_dates) as lists
from user_profile
where owner_id = $1 and narrative <> ''
union all
select 'canonical', m.chat_id, m.epoch, array[m.user_confirmed, m.llm_inferred, m.general_summary],
  concat_ws(E'\n', m.user_confirmed, m.llm_inferred, m.general_summary), null
from chats c
join chat_metadata m on m.owner_id = $1 and m.chat_id = c.chat_id and m.epoch = c.epoch
where c.owner_id = $1 and m.tokens > 0
