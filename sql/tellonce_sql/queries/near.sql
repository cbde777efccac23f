-- name: missing
-- across owners: the server's own background work.
-- $1 minimum number of messages. Selects the owners who have this many messages but no vector index. Returns two
-- statements for each of these owners: `clear` drops a half-built index, and `build` builds a new index.
select name, format('drop index concurrently if exists %I', name) as clear,
  format('create index concurrently %I on messages using hnsw (embedding halfvec_cosine_ops) where owner_id = %s',
    name, owner_id) as build
from (
  select owner_id, 'messages_near_' || owner_id as name
  from chats
  group by owner_id
  having sum(last_id) >= $1::bigint) large
where not exists (select from pg_index where indexrelid = to_regclass(format('%I', name)) and indisvalid)
order by owner_id

-- name: all_of_them
-- across owners: the operator's tasks drop these indexes for all owners.
-- The statements that drop every owner's vector index.
select format('drop index concurrently if exists %I', relname) as clear
from pg_class
where relkind = 'i' and relname like 'messages\_near\_%'
