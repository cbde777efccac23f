-- name: held
-- $1 owner: how many rows of each kind the owner has. `kept` counts the rows that an import would not restore.
select (select count(*) from messages where owner_id = $1) as messages,
  (select count(*) from memories where owner_id = $1) as memories,
  (select count(*) from access_tokens where user_id = $1 and revoked_at is null) as tokens,
  (select count(*) from tombstones where owner_id = $1) + (select count(*) from model_calls where owner_id = $1)
    + (select count(*) from model_call_months where owner_id = $1) as kept

-- name: name
-- $1 the former owner, $2 the new owner. Stores the two owners until the transaction ends. The other statements of this
-- file read them.
select set_config('chatmem.move_from', $1::bigint::text, true), set_config('chatmem.move_to', $2::bigint::text, true)

-- name: prepare
-- Lists the chats whose numbers change: the private chat and the conversations. Foreign keys are checked at the end of the
-- transaction, so that the tables can be changed in any order.
do $$
declare
  former constant bigint := current_setting('chatmem.move_from');
  heir constant bigint := current_setting('chatmem.move_to');
begin
  create temp table moved_chat on commit drop as
  select former as old_id, heir as new_id
  union
  select chat_id, conversation_chat(heir, channel, conversation) from chats
  where owner_id = former and chat_id = conversation_chat(former, channel, conversation);

  create or replace function pg_temp.moved(chat bigint) returns bigint
    language sql stable
    as 'select coalesce((select new_id from moved_chat where old_id = chat), chat)';
  -- A thread's key consists of a kind, the chat's number and perhaps a name.
  create or replace function pg_temp.moved_key(key text) returns text
    language sql stable
    as $f$
      select case when key ~ '^[a-z]+:-?[0-9]+(:|$)'
        then split_part(key, ':', 1) || ':' || pg_temp.moved(split_part(key, ':', 2)::bigint)
          || substr(key, length(split_part(key, ':', 1)) + length(split_part(key, ':', 2)) + 2)
        else key end $f$;
  create or replace function pg_temp.moved_subject(subject text) returns text
    language sql stable
    as $f$
      select case when subject ~ '^(thread|session):'
        then split_part(subject, ':', 1) || ':' || pg_temp.moved_key(substr(subject, position(':' in subject) + 1))
        else subject end $f$;
  create or replace function pg_temp.moved_words(tsv tsvector, former bigint, heir bigint, chat bigint) returns tsvector
    language sql stable
    as $f$
      select ts_delete(tsv, array['@o' || former, '@c' || coalesce(chat, 0)]) || array_to_tsvector(array_remove(array[
        '@o' || heir,
        case when tsv @@ format('''@c%s''', chat)::tsquery then '@c' || pg_temp.moved(chat) end], null)) $f$;

  create or replace procedure pg_temp.set_foreign_keys(form text)
    language plpgsql
    as $f$
      declare
        command text;
      begin
        for command in
          select format('alter table %s alter constraint %I %s', conrelid::regclass, conname, form)
          from pg_constraint
          where contype = 'f' and connamespace = current_schema()::regnamespace
        loop
          execute command;
        end loop;
      end $f$;
  call pg_temp.set_foreign_keys('deferrable initially deferred');
end
$$

-- part: owned
-- The tables with an owner, from the catalog
select c.oid::regclass as name
from pg_class c
join pg_attribute owned on owned.attrelid = c.oid and owned.attname = 'owner_id'
where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r'
-- end

-- name: move
-- across owners: the rows of one owner become those of another.
-- In every table with an owner, this changes the columns that contain the owner or a chat.
do $$
declare
  former constant bigint := current_setting('chatmem.move_from');
  heir constant bigint := current_setting('chatmem.move_to');
  command text;
begin
  for command in
    select format('update %s set %s where owner_id = %s', owned.name,
      string_agg(format('%I = %s', changed.attname, case changed.attname
        when 'owner_id' then heir::text
        when 'thread_key' then 'pg_temp.moved_key(thread_key)'
        when 'dedup_key' then 'replace(dedup_key, thread_key, pg_temp.moved_key(thread_key))'
        when 'subject' then 'pg_temp.moved_subject(subject)'
        when 'tsv' then format('pg_temp.moved_words(tsv, %s, %s, chat_id)', former, heir)
        else format('pg_temp.moved(%I)', changed.attname) end), ', '),
      former)
    from (
      -- use: owned
    ) owned
    join pg_attribute changed on changed.attrelid = owned.name and changed.attname in
      ('owner_id', 'chat_id', 'source_chat_id', 'thread_key', 'dedup_key', 'subject', 'tsv')
    group by owned.name
  loop
    execute command;
  end loop;
  -- A preview of `forget` names rows by the former numbers of their chats, so it cannot be confirmed any more.
  delete from forget_previews where owner_id = heir;
  execute format('drop index if exists %I', 'messages_near_' || former);
end
$$

-- name: join
-- across owners: the rows of one owner become those of another.
-- Gives the tombstones and the model costs of the former owner to the new owner, because an import does not restore
-- these rows. Another statement removes the other rows.
do $$
declare
  former constant bigint := current_setting('chatmem.move_from');
  heir constant bigint := current_setting('chatmem.move_to');
begin
  -- The messages were imported with other numbers. A message without an external id got its former number as the id.
  insert into tombstones (owner_id, id, chat_id, message_id, claim, words, created_at, lifted_at)
  select heir, coalesce((select max(id) from tombstones where owner_id = heir), 0) + row_number() over (order by t.id),
    coalesce(h.chat_id, pg_temp.moved(t.chat_id)), h.id, t.claim, t.words, t.created_at, t.lifted_at
  from tombstones t
  left join messages f on f.owner_id = former and f.chat_id = t.chat_id and f.id = t.message_id
  left join lateral (
    select chat_id, id from messages
    where owner_id = heir and chat_id = pg_temp.moved(f.chat_id)
      and ext_id = coalesce(f.ext_id, f.chat_id || ':' || f.id) and channel = f.channel
    limit 1) h on true
  where t.owner_id = former and (t.message_id is null or h.id is not null);
  update model_calls set owner_id = heir, chat_id = pg_temp.moved(chat_id) where owner_id = former;
  insert into model_call_months as m (owner_id, month, kind, model, tier, calls, ok, input_tokens, output_tokens, seconds,
    price_usd)
  select heir, month, kind, model, tier, calls, ok, input_tokens, output_tokens, seconds, price_usd
  from model_call_months
  where owner_id = former
  on conflict (owner_id, month, kind, model, tier) do update
  set calls = m.calls + excluded.calls, ok = m.ok + excluded.ok, input_tokens = m.input_tokens + excluded.input_tokens,
    output_tokens = m.output_tokens + excluded.output_tokens, seconds = m.seconds + excluded.seconds,
    price_usd = m.price_usd + excluded.price_usd;
end
$$

-- name: clear
-- across owners: removes all rows of an owner.
-- $1 owner. Returns the statements that delete the rows, one for each table.
select format('delete from %s where owner_id = %s', owned.name, $1::bigint) as statement
from (
  -- use: owned
) owned

-- name: take_tokens
-- $1 the former owner, $2 the new owner: the access tokens of the former owner become tokens of the new owner
update access_tokens set user_id = $2 where user_id = $1

-- name: settle
-- Checks the foreign keys and makes them not deferrable again
do $$
begin
  set constraints all immediate;
  call pg_temp.set_foreign_keys('not deferrable');
end
$$
