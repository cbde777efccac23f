-- name: texts
-- across owners: whether a restore would overwrite anything
-- How many messages and memories there are
select (select count(*) from messages) + (select count(*) from memories)

-- name: sessions
-- How many other sessions the programs of this memory hold
select count(*) from pg_stat_activity
where datname = current_database() and application_name = 'chatmem' and pid <> pg_backend_pid()

-- name: key
-- $1 name: the secret tombstones are hashed with, to tell whether two memories understand each other's
select key from server_keys where name = $1

-- name: tombstones
-- across owners: what was forgotten since a backup is forgotten again after its restore
select owner_id, chat_id, claim, words, created_at, lifted_at from tombstones

-- name: keep_tombstones
-- across owners: what was forgotten since a backup
-- $1 owners, $2 chats, $3 claim hashes, $4 words of each as a json array, $5 when set, $6 when lifted
insert into tombstones (owner_id, id, chat_id, claim, words, created_at, lifted_at)
select t.owner_id,
  coalesce((select max(o.id) from tombstones o where o.owner_id = t.owner_id), 0) + row_number() over (partition by t.owner_id),
  t.chat_id, t.claim, array(select jsonb_array_elements_text(t.words)::bigint), t.created_at, t.lifted_at
from unnest($1::bigint[], $2::bigint[], $3::bytea[], $4::jsonb[], $5::timestamptz[], $6::timestamptz[])
  as t (owner_id, chat_id, claim, words, created_at, lifted_at)
where not exists (select from tombstones o where o.owner_id = t.owner_id and o.claim = t.claim and o.created_at = t.created_at)

-- name: tokens
-- Who is let in, and who no more
select token_hash, name, user_id, scopes, created_at, revoked_at from access_tokens

-- name: clear_tokens
-- Those of a backup give way to those there were
delete from access_tokens

-- name: keep_token
-- $1 hash, $2 name, $3 user or null, $4 scopes, $5 when it was made, $6 when it was revoked or null
insert into access_tokens (token_hash, name, user_id, scopes, created_at, revoked_at) values ($1, $2, $3, $4, $5, $6)

-- name: clear
-- Everything of ours goes, so that a backup of any version finds an empty place. What belongs to an extension stays.
do $$
declare
  command text;
  -- All of them first: the catalogue changes with every drop.
  commands text[] := array(
    select format('drop table if exists %s cascade', c.oid::regclass)
    from pg_class c where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p')
      and not exists (select from pg_depend d where d.objid = c.oid and d.deptype = 'e')
    union all
    select format('drop routine if exists %s cascade', p.oid::regprocedure)
    from pg_proc p where p.pronamespace = current_schema()::regnamespace
      and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e')
    union all
    select format('drop text search configuration if exists %s cascade', t.oid::regconfig)
    from pg_ts_config t where t.cfgnamespace = current_schema()::regnamespace);
begin
  foreach command in array commands loop
    execute command;
  end loop;
end
$$
