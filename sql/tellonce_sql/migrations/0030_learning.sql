-- Memories with whose they are, the words they rest on, when they hold, and why they are not certain. Without a language
-- model the user's own sentences are kept; what rules once made of them becomes such a sentence.

alter table memories
  add column about text not null default 'user',
  add column quotes jsonb not null default '[]',
  add column reason text,
  add column happens_from timestamptz,
  add column happens_to timestamptz,
  add column happens_precision text
    check (happens_precision in ('instant', 'day', 'month', 'year', 'ongoing')),
  add column note boolean not null default false,
  add column shown boolean not null default true,
  add column provisional boolean not null default false,
  add column rung text check (rung in ('claude', 'claude-cli', 'ollama', 'assistant', 'keep')),
  -- What an uncertain statement would replace and end, once it is confirmed: {"replaces": [12], "ends": [9]}.
  add column intends jsonb,
  -- When the user was asked about a goal that is long overdue.
  add column overdue_at timestamptz;

update memories set quotes = jsonb_build_array(jsonb_build_object('message_id', source_ids[1], 'text', quote))
where quote is not null;

-- A rule's reading of a sentence is no claim. What the user confirmed, pinned or put in other words stays as it is.
update memories m
set content = quote, note = true, provisional = true, rung = 'keep', embedding = null, updated_at = greatest(updated_at, now()),
  -- The server's own text search words, without the scope lexemes of attributes that are not used any more.
  tsv = to_tsvector('chatmem', quote) || array_to_tsvector(array['@o' || owner_id])
where origin = 'extracted' and model = 'deterministic' and not user_confirmed and not pinned
  and status in ('active', 'uncertain') and valid_to is null and version = 1 and coalesce(trim(quote), '') <> '';
update memories set status = 'active' where note and status = 'uncertain';
update memories
set rung = case when model = 'deterministic' then 'keep' when model like 'claude%' then 'claude' else 'ollama' end,
  provisional = model not like 'claude%'
where origin = 'extracted' and model is not null;
alter table memories drop column quote;

-- A note that a model did not bear out has no successor.
do $$
declare
  name text;
begin
  for name in
    select conname from pg_constraint
    where conrelid = 'memories'::regclass and contype = 'c'
      and (pg_get_constraintdef(oid) like '%superseded_by IS NOT NULL%' or pg_get_constraintdef(oid) like '%origin%')
  loop
    execute format('alter table memories drop constraint %I', name);
  end loop;
end
$$;
alter table memories
  add constraint memories_successor check (superseded_by is null or status = 'superseded'),
  add constraint memories_origin check (origin in ('user', 'extracted', 'model', 'tag', 'import'));

-- Sign codes, as messages have them: candidates by likeness without reading every vector.
alter table memories add column ebits bit(384)
  generated always as (binary_quantize(embedding)::bit(384)) stored;
create index memories_codes on memories (owner_id, id) include (chat_id, ebits) where valid_to is null and ebits is not null;
-- A key of a statement's words, in whatever order: those that say the same are found by it at once. The server adds it to
-- what was there before.
alter table memories add column words_key bigint;
create index memories_words on memories (owner_id, words_key) where valid_to is null;
create index memories_unkeyed on memories (owner_id, id) where words_key is null;
grant select (words_key), update (words_key) on memories to chatmem_worker;
create index memories_rejected on memories (owner_id, id) where status = 'rejected';
create index memories_learned on memories (owner_id, created_at desc) where valid_to is null;
create index memories_ending on memories (coalesce(happens_to, deadline))
  where valid_to is null and kind in ('date', 'goal') and coalesce(happens_to, deadline) is not null;

-- The queue: live work goes before past work, which is imports and what a better model reads again. Order holds within a
-- track of a chat: 0 live, 1 past exchanges, newest first, 2 past summaries.
alter table chat_context_queue drop constraint chat_context_queue_rung_check;
update chat_context_queue set rung = 'keep' where rung = 'offline';
update model_calls set rung = 'keep' where rung = 'offline';
alter table chat_context_queue
  add constraint chat_context_queue_rung_check check (rung in ('claude', 'claude-cli', 'ollama', 'assistant', 'keep')),
  add column class text not null default 'live' check (class in ('live', 'past')),
  add column redo boolean not null default false,
  -- The memories a worker was shown: the only ones its result may refer to.
  add column known_ids bigint[] not null default '{}',
  -- When the connected assistant was given the exchange to read.
  add column handed_at timestamptz;
update chat_context_queue set redo = true, class = 'past', dedup_key = substr(dedup_key, 6)
where dedup_key like 'redo:%';
-- A result in the form that exchanges had before cannot be applied: the exchange is read again.
update chat_context_queue
set state = 'pending_summarization', claims = greatest(claims, 1), result = null, model = null, rung = null
where state = 'ready_to_write' and kind = 'exchange';
alter table chat_context_queue
  add column track smallint generated always as (
    case when class = 'live' then 0 when kind = 'exchange' then 1 else 2 end) stored,
  add column turn bigint generated always as (
    case when class = 'past' and kind = 'exchange' then -to_id else id end) stored;
drop index chat_context_queue_open;
drop index chat_context_queue_due;
drop index chat_context_queue_coalesce;
drop index chat_context_queue_provisional;
create index chat_context_queue_open on chat_context_queue (owner_id, chat_id, track, turn, id)
  where state in ('pending_summarization', 'ready_to_write');
create unique index chat_context_queue_coalesce on chat_context_queue (owner_id, chat_id, kind, class, dedup_key)
  where state = 'pending_summarization' and claims = 0;
create index chat_context_queue_provisional on chat_context_queue (rung, created_at desc)
  where state = 'complete' and provisional;
create index chat_context_queue_unread on chat_context_queue (owner_id, chat_id, created_at desc)
  where state = 'complete' and provisional and kind = 'exchange' and rung = 'keep';
create index chat_context_queue_handed on chat_context_queue (owner_id, chat_id) where handed_at is not null;

-- Everything a rule or a lower model did is provisional, also where no better one was configured. Of texts that are
-- replaced as a whole only the newest is written again.
update chat_context_queue q set provisional = true
where state = 'complete' and rung <> 'claude' and model is distinct from 'none' and not provisional
  and (kind in ('exchange', 'routine_summary') or not exists (
    select from chat_context_queue n
    where n.owner_id = q.owner_id and n.state = 'complete' and (n.chat_id, n.id) > (q.chat_id, q.id)
      and case
        when q.kind = 'profile' then n.kind = 'profile'
        when q.kind = 'thread_summary' then n.chat_id = q.chat_id and n.kind = 'thread_summary' and n.thread_key = q.thread_key
        else n.chat_id = q.chat_id and n.kind in ('chunk_summary', 'erasure') and n.thread_key = q.thread_key
          and n.from_id = q.from_id
      end));

-- Calls by purpose: learning is never short of them, the others have an allowance each.
alter table chats
  add column learning_calls bigint not null default 0,
  add column summary_calls bigint not null default 0,
  add column second_calls bigint not null default 0;
update chats c set learning_calls = m.learning, summary_calls = m.summary
from (
  select owner_id, chat_id, count(*) filter (where kind = 'exchange') as learning,
    count(*) filter (where kind <> 'exchange') as summary
  from model_calls
  where ok and rung in ('claude', 'claude-cli')
  group by owner_id, chat_id) m
where c.owner_id = m.owner_id and c.chat_id = m.chat_id;
alter table chats drop column model_calls;
alter table model_calls add column past boolean not null default false;

-- How many items a worker handed in that were not stored, by month and reason; no text.
create table dropped_items (
  owner_id bigint not null,
  month date not null,
  reason text not null,
  items bigint not null,
  primary key (owner_id, month, reason)
);
call guard_rows('dropped_items');
create policy everyone on dropped_items for select to chatmem_worker using (true);
grant select on dropped_items to chatmem_worker;

-- The server's own tidying asks whose dates and goals lie behind us.
grant select (kind, valid_to, deadline, happens_to) on memories to chatmem_worker;
