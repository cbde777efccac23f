-- name: add
-- $1 owner, $2 chat or null, $3 kind, $4 status, $5 content, $6 quote, $7 confidence, $8 priority, $9 importance,
-- $10 pinned, $11 deadline, $12 valid from, $13 origin, $14 user confirmed, $15 source chat, $16 source messages, $17 model,
-- $18 now, $19 text to index, $20 scope lexemes, $21 vector or null
with owner as (
  insert into user_profile as p (owner_id, last_memory_id, memories_changed_at) values ($1, 1, $18)
  on conflict (owner_id) do update set last_memory_id = p.last_memory_id + 1, memories_changed_at = $18
  returning last_memory_id
)
insert into memories (owner_id, id, chat_id, kind, status, content, quote, confidence, priority, importance, pinned,
  deadline, valid_from, origin, user_confirmed, source_chat_id, source_ids, model, created_at, updated_at, tsv, embedding)
select $1, owner.last_memory_id, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $18,
  to_tsvector('chatmem', $19) || array_to_tsvector($20::text[]), case when may_write_vectors() then $21::halfvec end
from owner
returning *

-- name: by_id
-- $1 owner, $2 number
select * from memories
where owner_id = $1 and id = $2

-- name: live
-- $1 owner, $2 chat, $3 statuses: what may be seen in the chat
select * from memories
where owner_id = $1 and (chat_id is null or chat_id = $2) and valid_to is null and status = any($3::text[])
order by kind, priority, deadline nulls last, valid_from desc, id desc

-- name: known
-- $1 owner, $2 chat, $3 statuses, $4 how many or null for all, newest first: what a worker is told of them
select id, kind, content, status, user_confirmed, pinned
from memories
where owner_id = $1 and (chat_id is null or chat_id = $2) and valid_to is null and status = any($3::text[])
order by valid_from desc, id desc
limit $4

-- name: all_of_owner
-- $1 owner
select * from memories
where owner_id = $1
order by id

-- name: from_message
-- $1 owner, $2 chat, $3 message number
select * from memories
where owner_id = $1 and source_chat_id = $2 and source_ids @> array[$3::bigint]
order by id

-- name: similar
-- $1 owner, $2 chat, $3 vector or null, $4 query text of lexemes, $5 of attributes, $6 scope lexeme query, $7 how many,
-- $8 how many of the newest. Active and uncertain statements that may say the same or the contrary: the nearest, those that
-- share words, those that give a value of the same attribute, often in other words ("lives in …", "moved to …"), the newest.
with asked as materialized (
  select of_active($3::halfvec) as vector
), dense as (
  select id, 1 - (embedding <=> (select vector from asked)) as cosine
  from memories
  where (select vector from asked) is not null and owner_id = $1 and valid_to is null and embedding is not null
    and (chat_id is null or chat_id = $2)
  order by embedding <=> (select vector from asked)
  limit $7
), found as materialized (
  select asked.sort, m.id, m.valid_from, f.tsv
  from (values ('words', $4::tsquery), ('attributes', $5::tsquery)) asked (sort, lexemes)
  cross join lateral memories_with($6::tsquery && asked.lexemes) f
  cross join lateral (select * from memories m where m.owner_id = $1 and m.id = f.id offset 0) m
  where m.valid_to is null and (m.chat_id is null or m.chat_id = $2)
), lexical as (
  select id from found where sort = 'words' order by ts_rank(tsv, $4::tsquery) desc, id desc limit $7
), alike as (
  select id from found where sort = 'attributes' order by valid_from desc, id desc limit $7
)
select m.*, dense.cosine
from memories m
left join dense on dense.id = m.id
where m.owner_id = $1 and m.id in (
  select id from dense
  union select id from lexical
  union select id from alike
  union select id from (
    select id from memories
    where owner_id = $1 and valid_to is null and (chat_id is null or chat_id = $2)
    order by valid_from desc, id desc
    limit $8) newest)

-- name: set_status
-- $1 owner, $2 number, $3 status, $4 valid to or null, $5 user confirmed, $6 superseded by or null, $7 now
with changed as (
  update user_profile set memories_changed_at = $7 where owner_id = $1
)
update memories
set status = $3, valid_to = $4, user_confirmed = user_confirmed or $5, superseded_by = $6, updated_at = $7
where owner_id = $1 and id = $2
returning *

-- name: rewrite
-- $1 owner, $2 number, $3 content, $4 now, $5 text to index, $6 scope lexemes, $7 vector or null, $8 kind, $9 deadline
with changed as (
  update user_profile set memories_changed_at = $4 where owner_id = $1
), kept as (
  insert into memory_versions (owner_id, id, version, content, replaced_at)
  select owner_id, id, version, content, $4 from memories where owner_id = $1 and id = $2
)
update memories
set content = $3, kind = $8, deadline = $9, version = version + 1, updated_at = $4, embedding = case when may_write_vectors() then $7::halfvec end,
  tsv = to_tsvector('chatmem', $5) || array_to_tsvector($6::text[])
where owner_id = $1 and id = $2
returning *

-- name: set_pinned
-- $1 owner, $2 number, $3 pinned, $4 now
update memories set pinned = $3, updated_at = $4
where owner_id = $1 and id = $2
returning *

-- name: make_global
-- $1 owner, $2 number, $3 now
update memories
set chat_id = null, updated_at = $3
where owner_id = $1 and id = $2
returning *

-- name: support
-- $1 owner, $2 number, $3 further source messages, $4 now, $5 whether the user said or confirmed it, $6 pinned,
-- $7 importance, $8 deadline or null, $9 chat of these messages: said again, a statement gains sources and is not stored
-- twice. All its sources are of one chat, for a message's number is its chat's.
update memories
set source_ids = case when source_chat_id = $9
    then array(select distinct s from unnest(source_ids || $3::bigint[]) s order by s) else source_ids end,
  updated_at = $4, user_confirmed = user_confirmed or $5, pinned = pinned or $6, importance = greatest(importance, $7),
  deadline = coalesce(deadline, $8)
where owner_id = $1 and id = $2
returning *

-- name: mark_asked
-- $1 owner, $2 numbers, $3 now
update memories set asked_at = $3
where owner_id = $1 and id = any($2::bigint[])

-- name: versions
-- $1 owner, $2 number
select version, content, replaced_at
from memory_versions
where owner_id = $1 and id = $2
order by version

-- name: provenance
-- $1 owner, $2 number: the model that worded it, null for the user's own words; and the chat its sources are in
select model, source_chat_id from memories
where owner_id = $1 and id = $2

-- name: predecessors
-- $1 owner, $2 number: what this memory superseded
select * from memories
where owner_id = $1 and superseded_by = $2
order by id

-- name: unembedded
-- across owners: the server's own background work
-- $1 owner and $2 number to continue after, $3 how many
select owner_id, id, content, version
from memories
where embedding is null and (owner_id, id) > ($1, $2)
order by owner_id, id
limit $3

-- name: set_embeddings
-- across owners: the server's own background work, owner by owner from unnest
-- $1 owners, $2 numbers, $3 versions, $4 vectors
update memories m set embedding = e.embedding
from unnest($1::bigint[], $2::bigint[], $3::int[], $4::halfvec[]) as e (owner_id, id, version, embedding)
where m.owner_id = e.owner_id and m.id = e.id and m.version = e.version and (select may_write_vectors())

-- name: erase
-- $1 owner, $2 numbers. What they superseded goes too, being the same statement's history.
with recursive gone as (
  select id from memories where owner_id = $1 and id = any($2::bigint[])
  union
  select m.id from memories m join gone on m.superseded_by = gone.id where m.owner_id = $1
), versions as (
  delete from memory_versions where owner_id = $1 and id in (select id from gone)
)
delete from memories where owner_id = $1 and id in (select id from gone)
returning content

-- name: rejections
-- $1 owner, $2 chat: what the user said no to; not what an edit of its message took back
select content from memories
where owner_id = $1 and status = 'rejected' and user_confirmed and (chat_id is null or chat_id = $2)

-- name: ended
-- $1 owner, $2 chat, $3 messages: what was learned from them and holds no more, or not in these words: done, replaced, denied
-- or put right by the user; and since when. Of what an edit took back the message itself tells whether it holds.
select content, valid_to as ended_at from memories
where owner_id = $1 and source_chat_id = $2 and source_ids && $3::bigint[] and valid_to is not null
  and (status <> 'rejected' or user_confirmed)
union all
select v.content, v.replaced_at
from memories m
join memory_versions v on v.owner_id = $1 and v.id = m.id
where m.owner_id = $1 and m.source_chat_id = $2 and m.source_ids && $3::bigint[]
