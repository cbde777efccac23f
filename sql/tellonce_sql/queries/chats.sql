-- name: find
-- $1 owner, $2 chat
select c.chat_id, c.channel, c.conversation, c.epoch_after, c.exchanges, c.summary_calls, c.second_calls,
  coalesce(m.user_confirmed, '') as user_confirmed, coalesce(m.llm_inferred, '') as llm_inferred,
  coalesce(m.general_summary, '') as general_summary, coalesce(m.tokens, 0) as tokens, coalesce(m.version, 0) as version
from chats c
left join chat_metadata m on m.owner_id = $1 and m.chat_id = $2 and m.epoch = c.epoch
where c.owner_id = $1 and c.chat_id = $2

-- name: open
-- $1 owner, $2 chat, $3 channel, $4 the client's name of the chat or null, $5 now: adds a chat without messages if the
-- chat does not exist yet. A conversation can be named by its number only if it is in this table.
insert into chats (owner_id, chat_id, channel, conversation, created_at)
values ($1, $2, $3, $4, $5)
on conflict do nothing

-- name: of_owner
-- $1 owner
select chat_id, channel, conversation, last_id, created_at
from chats
where owner_id = $1
order by chat_id

-- name: set_canonical
-- $1 owner, $2 chat, $3 user confirmed, $4 inferred, $5 general, $6 tokens, $7 model, $8 provisional, $9 now, $10 the
-- newest message that the summary covers. The former text is kept as a version, for contexts of a past time. Nothing
-- changes if a new epoch has begun since message $10, because that message belongs to the archived summary.
with chat as (
  select epoch from chats
  where owner_id = $1 and chat_id = $2
    and epoch = (select epoch from messages where owner_id = $1 and chat_id = $2 and id = $10)
), old as (
  insert into text_versions (owner_id, chat_id, subject, version, value, since, replaced_at)
  select $1, $2, 'canonical:' || m.epoch, m.version,
    jsonb_build_object('user_confirmed', former_lines_of($1, m.user_confirmed),
      'llm_inferred', former_lines_of($1, m.llm_inferred), 'general_summary', former_lines_of($1, m.general_summary)),
    m.updated_at, $9
  from chat_metadata m
  join chat on chat.epoch = m.epoch
  where m.owner_id = $1 and m.chat_id = $2
  on conflict do nothing
)
insert into chat_metadata as m (owner_id, chat_id, epoch, user_confirmed, llm_inferred, general_summary, tokens,
  version, model, provisional, updated_at)
select $1, $2, epoch, $3, $4, $5, $6, 1, $7, $8, $9 from chat
on conflict (owner_id, chat_id, epoch) do update
  set user_confirmed = $3, llm_inferred = $4, general_summary = $5, tokens = $6, version = m.version + 1,
      model = $7, provisional = $8, updated_at = $9

-- name: new_epoch
-- $1 owner, $2 chat, $3 now. Starts a new epoch, archives the canonical summary and the rolling summaries, and clears
-- the slots of threads (the values that the assistant has asked for). New summaries begin with the next message.
with chat as (
  update chats set epoch = epoch + 1, epoch_after = last_id, epoch_began = $3
  where owner_id = $1 and chat_id = $2
  returning epoch
), rolling as (
  delete from conversation_summaries
  where owner_id = $1 and chat_id = $2 and kind <> 'chunk' and exists (select from chat)
  returning kind, thread_key, version, text, updated_at
), put_away as (
  insert into text_versions (owner_id, chat_id, subject, version, value, since, replaced_at)
  select $1, $2, kind || ':' || thread_key, version, jsonb_build_object('text', former_lines_of($1, text)), updated_at, $3
  from rolling
  on conflict do nothing
), unasked as (
  update thread_state set slot = null, slot_until = null
  where owner_id = $1 and chat_id = $2 and slot is not null and exists (select from chat)
), archived as (
  update chat_metadata set archived_at = $3
  where owner_id = $1 and chat_id = $2 and epoch = (select epoch - 1 from chat)
  returning tokens
)
select epoch, exists (select from archived where tokens > 0) as archived from chat

-- name: lock
-- $1 owner, $2 chat. Every transaction that writes to a chat takes this lock first.
select 1 from chats
where owner_id = $1 and chat_id = $2
for no key update

-- name: charge
-- $1 owner, $2 chat, and how many model calls to add to the chat's counts: $3 for learning, $4 for summaries, $5 for
-- second readings
update chats
set learning_calls = learning_calls + $3, summary_calls = summary_calls + $4, second_calls = second_calls + $5
where owner_id = $1 and chat_id = $2
