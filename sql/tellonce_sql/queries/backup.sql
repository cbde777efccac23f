-- name: texts
-- across owners: a restore would overwrite the texts of all owners.
-- The number of messages and of memories of each owner.
select owner_id, count(*) filter (where said) as messages, count(*) filter (where not said) as memories
from (select owner_id, true as said from messages union all select owner_id, false from memories) held
group by owner_id

-- name: newer
-- across owners: a restore would overwrite the texts of all owners.
-- $1 the time of a backup. The number of messages and of memories that were stored after this time.
select (select count(*) from messages where recorded_at > $1) as messages,
  (select count(*) from memories where created_at > $1) as memories

-- name: sessions
-- The number of other database sessions that tellonce processes have
select count(*) from pg_stat_activity
where datname = current_database() and application_name = 'tellonce' and pid <> pg_backend_pid()

-- name: key
-- $1 name: the key that hashes tombstones. Two databases with the same key are copies of one memory.
select key from server_keys where name = $1

-- name: tombstones
-- across owners: tombstones added since a backup are kept when it is restored.
select owner_id, chat_id, message_id, claim, words, created_at, lifted_at from tombstones

-- name: keep_tombstones
-- across owners: tombstones added since a backup are kept when it is restored.
-- Adds the tombstones that the database does not have yet. $1 owners, $2 chats, $3 messages, $4 claim hashes, $5 the
-- word hashes of each claim as a json array, $6 when each tombstone was set, $7 when each was lifted, or null
insert into tombstones (owner_id, id, chat_id, message_id, claim, words, created_at, lifted_at)
select t.owner_id,
  coalesce((select max(o.id) from tombstones o where o.owner_id = t.owner_id), 0) + row_number() over (partition by t.owner_id),
  t.chat_id, t.message_id, t.claim, array(select jsonb_array_elements_text(t.words)::bigint), t.created_at, t.lifted_at
from unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bytea[], $5::jsonb[], $6::timestamptz[], $7::timestamptz[])
  as t (owner_id, chat_id, message_id, claim, words, created_at, lifted_at)
where not exists (
  select from tombstones o
  where o.owner_id = t.owner_id and o.claim = t.claim and o.created_at = t.created_at
    and o.chat_id is not distinct from t.chat_id and o.message_id is not distinct from t.message_id)

-- name: tokens
-- All access tokens, including revoked ones, as a json array
select coalesce(jsonb_agg(to_jsonb(t)), '[]') from access_tokens t

-- name: clear_tokens
-- Deletes the tokens that came with the backup. The current tokens are stored again after this.
delete from access_tokens

-- name: keep_tokens
-- $1 access tokens as a json array of whole rows, so that every column is kept
insert into access_tokens
select * from jsonb_populate_recordset(null::access_tokens, $1::jsonb)

-- name: clear
-- Drops all of our objects, so that a backup of any version can be restored. Objects of extensions stay.
do $$
declare
  command text;
  -- The names are collected first, because the catalog changes with every drop.
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

-- name: formats
-- Sets the text formats of values for the transaction, independent of the server's settings
select set_config('datestyle', 'ISO, YMD', true), set_config('intervalstyle', 'postgres', true),
  set_config('timezone', 'UTC', true), set_config('extra_float_digits', '1', true)

-- name: applied
-- The migrations that ran
select version, sha256 from schema_migration order by version

-- name: note_applied
-- $1 version, $2 name, $3 sha256: records a migration that ran during a restore
insert into schema_migration (version, name, sha256, seconds) values ($1, $2, $3, 0)

-- name: tables
-- Our tables with their columns, except generated columns
select c.relname::text as name,
  array_agg(a.attname::text order by a.attnum) as columns
from pg_class c
join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r'
  and not exists (select from pg_depend d where d.objid = c.oid and d.deptype = 'e')
group by c.relname

-- name: references
-- The foreign keys between our tables
select distinct r.relname::text as referrer, t.relname::text as referred
from pg_constraint k
join pg_class r on r.oid = k.conrelid
join pg_class t on t.oid = k.confrelid
where k.contype = 'f' and k.connamespace = current_schema()::regnamespace

-- name: indexes
-- The indexes that belong to no constraint, with the statements that drop and create them
select format('drop index %s', i.indexrelid::regclass) as clear, pg_get_indexdef(i.indexrelid) as build
from pg_index i
join pg_class c on c.oid = i.indrelid
where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r'
  and not exists (select from pg_constraint k where k.conindid = i.indexrelid)
  and not exists (select from pg_depend d where d.objid = c.oid and d.deptype = 'e')
order by i.indexrelid

-- name: triggers
-- Statements for all triggers that change rows when the rows are stored. $1 the action, enable or disable. A backup
-- contains the rows as they were stored, so a restore does not run these triggers.
select format('alter table %s %s trigger %I', t.tgrelid::regclass, $1::text, t.tgname)
from pg_trigger t
join pg_class c on c.oid = t.tgrelid
where c.relnamespace = current_schema()::regnamespace and not t.tgisinternal and t.tgtype & 2 = 2

-- name: numbers
-- Makes identity columns continue after their highest number
do $$
declare
  numbered record;
begin
  for numbered in
    select a.attrelid::regclass as owner, a.attname as name
    from pg_attribute a
    join pg_class c on c.oid = a.attrelid
    where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r' and a.attidentity <> ''
  loop
    execute format('select setval(pg_get_serial_sequence(%L, %L), coalesce(max(%I), 0) + 1, false) from %s',
      numbered.owner, numbered.name, numbered.name, numbered.owner);
  end loop;
end
$$

-- name: empty
-- Empties all our tables except `schema_migration`
do $$
begin
  execute (
    select 'truncate ' || string_agg(c.oid::regclass::text, ', ')
    from pg_class c
    where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r' and c.relname <> 'schema_migration'
      and not exists (select from pg_depend d where d.objid = c.oid and d.deptype = 'e'));
end
$$
