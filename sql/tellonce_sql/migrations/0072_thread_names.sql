-- The key of a thread contains a hash in place of a name that a client chose, as `Tombstones.thread_key` computes it. So
-- no name of a session must be searched for and erased, and a `forget` need not change each message of a session.
create function pg_temp.padded(key bytea, pad int) returns bytea
  language plpgsql immutable as $$
declare
  block bytea := decode(repeat('00', 64), 'hex');
begin
  for at in 0..63 loop
    block := set_byte(block, at, (case when at < length(key) then get_byte(key, at) else 0 end) # pad);
  end loop;
  return block;
end $$;

create function pg_temp.hashed(key bytea, name text) returns text
  language sql immutable
  return encode(substr(
    sha256(pg_temp.padded(key, 92) || sha256(pg_temp.padded(key, 54) || convert_to('n:' || name, 'UTF8'))), 1, 8), 'hex');

create function pg_temp.in_key(key bytea, name text) returns text
  language sql immutable
  return case
    when name ~ '^forgotten:[0-9a-f]{16}(-[0-9]+)?$' then 'name:' || substr(name, length('forgotten:') + 1)
    when name in ('telegram', 'mcp', 'terminal', 'notes', 'chatgpt', 'claude', 'claude-ai', 'claude-code')
      or name ~ '^name:[0-9a-f]{16}(-[0-9]+)?$' or name ~ '^[0-9a-fA-F-]{12,}$'
      or name ~ '^((telegram|mcp|terminal|notes|chatgpt|claude|claude-ai|claude-code):)?-?[0-9]+(:-?[0-9]+)*$' then name
    else 'name:' || pg_temp.hashed(key, name) end;

create temp table named on commit drop as
with keys as (
  select owner_id, chat_id, thread_key from messages
  union
  select owner_id, chat_id, thread_key from thread_state
  union
  select owner_id, chat_id, thread_key from conversation_summaries
  union
  select owner_id, chat_id, thread_key from chat_context_queue
  union
  select owner_id, chat_id, thread_key from context_receipts
), hashed as (
  select owner_id, chat_id, thread_key as old, substring(thread_key from '^[a-z]+:-?[0-9]+:') || (
    select string_agg(pg_temp.in_key(coalesce((select key from server_keys where name = 'memory'), ''), p.part), '/' order by p.n)
    from string_to_table(substring(thread_key from '^[a-z]+:-?[0-9]+:(.*)$'), '/') with ordinality as p (part, n)) as fresh
  from keys
  where thread_key ~ '^[a-z]+:-?[0-9]+:'
), numbered as (
  select owner_id, chat_id, old, fresh, row_number() over (partition by owner_id, chat_id, fresh order by old <> fresh, old) as n
  from hashed
)
select owner_id, chat_id, old, fresh || case when n > 1 then '-' || n else '' end as fresh
from numbered
where fresh <> old;
create index on named (owner_id, chat_id, old);
analyze named;

-- One statement, because the foreign keys of these tables contain the thread's key and are checked at its end.
with state as (
  update thread_state t set thread_key = n.fresh
  from named n
  where t.owner_id = n.owner_id and t.chat_id = n.chat_id and t.thread_key = n.old
), said as (
  update messages m set thread_key = n.fresh
  from named n
  where m.owner_id = n.owner_id and m.chat_id = n.chat_id and m.thread_key = n.old
), summed as (
  update conversation_summaries s set thread_key = n.fresh
  from named n
  where s.owner_id = n.owner_id and s.chat_id = n.chat_id and s.thread_key = n.old
), former as (
  update text_versions v set subject = 'thread:' || n.fresh
  from named n
  where v.owner_id = n.owner_id and v.chat_id = n.chat_id and v.subject = 'thread:' || n.old
), queued as (
  update chat_context_queue j set thread_key = n.fresh, dedup_key = replace(j.dedup_key, n.old, n.fresh)
  from named n
  where j.owner_id = n.owner_id and j.chat_id = n.chat_id and j.thread_key = n.old
)
update context_receipts r set thread_key = n.fresh
from named n
where r.owner_id = n.owner_id and r.chat_id = n.chat_id and r.thread_key = n.old;
