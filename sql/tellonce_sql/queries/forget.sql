-- The statements that `forget` uses to find memories, to store previews and to lock what it erases. The statements that
-- find and clean texts are in texts.sql.

-- part: statement
select id, version, chat_id, kind, content, array(select q ->> 'text' from jsonb_array_elements(quotes) as q) as quotes,
  valid_from, source_chat_id, source_ids
from memories
-- end

-- name: commit_soon
-- The commit of this transaction does not wait for the disk. The next ordinary commit also makes this one durable.
select set_config('synchronous_commit', 'off', true)

-- name: memories
-- $1 owner, $2 ids: memories with their quotes and source messages
-- use: statement
where owner_id = $1 and id = any($2::bigint[])
order by id

-- name: memories_of
-- $1 owner, $2 chat or null for all, $3 since or null, $4 until or null: the memories that belong to the chat or were
-- learned in it
-- use: statement
where owner_id = $1 and ($2::bigint is null or chat_id = $2 or chat_id is null and source_chat_id = $2)
  and ($3::timestamptz is null or valid_from >= $3) and ($4::timestamptz is null or valid_from <= $4)
order by id

-- name: copies
-- $1 owner, $2 ids: other owners' copies of these memories and of their earlier forms. Each row has the number of the
-- memory, the owner of the copy and the number of the copy.
with recursive gone as (
  select id as memory, id, copies from memories where owner_id = $1 and id = any($2::bigint[])
  union
  select gone.memory, m.id, m.copies from memories m join gone on m.superseded_by = gone.id where m.owner_id = $1
)
select distinct memory, copies[n][1] as owner, copies[n][2] as id
from gone
cross join lateral generate_subscripts(copies, 1) as n
order by memory, owner, id

-- name: resting_on
-- $1 owner, $2 chats and $3 ids of messages, $4 memories to leave out, $5 how many: current memories that were learned
-- from these messages
-- use: statement
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
-- $1 owner, $2 id, $3 hash of the request, $4 hash of the selection. Binds the preview to the selection, unless the
-- preview is bound already.
update forget_previews set asked = case when asked = $3 then $3 || $4::bytea else asked end
where owner_id = $1 and id = $2
returning asked

-- name: follow_erasure
-- $1 owner, $2 id of a confirmed preview, $3 chats, $4 ids and $5 former versions of the messages that lost text to its
-- erasure, $6 now. Changes the owner's other previews, so that they name the next version of these messages. The next
-- version contains only text that the previews showed, because the erasure only removed text.
with gone as materialized (
  select chat_id, id, version from unnest($3::bigint[], $4::bigint[], $5::int[]) as g (chat_id, id, version)
)
update forget_previews p
set hits = (
  select jsonb_agg(case when g.id is null then h.hit else jsonb_set(h.hit, '{3}', to_jsonb(g.version + 1)) end order by h.n)
  from jsonb_array_elements(p.hits) with ordinality as h (hit, n)
  left join gone g on h.hit ->> 0 = 'message' and (h.hit ->> 1)::bigint = g.chat_id and (h.hit ->> 2)::bigint = g.id
    and (h.hit ->> 3)::int = g.version)
where owner_id = $1 and id <> $2 and until >= $6 and jsonb_array_length(hits) > 0

-- name: covering
-- $1 owner, $2 chats, $3 ids of messages: the chunk summaries that cover these messages
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
