-- Every assistant has a chat of its own. Until now everything that named no chat was in the user's private chat, which is
-- Telegram's: its messages of other channels move to their channels' chats, with what was made of them. Messages, summaries
-- and jobs keep their numbers there, so whatever names them still does; only places within a lane are counted afresh.
alter table chats add column conversation text;

-- The number of a conversation's chat, as `places.conversation` computes it; without a name it is the channel's own chat.
create function conversation_chat(owner_id bigint, channel text, conversation text) returns bigint
  language sql immutable parallel safe
  return 4503599627370496 + ('x' || left(encode(sha256(convert_to(
    owner_id || chr(10) || channel || chr(10) || coalesce(conversation, ''), 'UTF8')), 'hex'), 13))::bit(52)::bigint;

create function pg_temp.renamed(thread_key text, old_chat bigint, new_chat bigint) returns text
  language sql immutable
  return split_part(thread_key, ':', 1) || ':' || new_chat
    || substr(thread_key, length(split_part(thread_key, ':', 1)) + length(old_chat::text) + 2);

create function pg_temp.rescoped(tsv tsvector, old_chat bigint, new_chat bigint) returns tsvector
  language sql immutable
  return case when old_chat = new_chat then tsv
    else ts_delete(tsv, '@c' || old_chat) || array_to_tsvector(array['@c' || new_chat]) end;

-- Where each message of a lane goes that holds other channels' messages. Telegram's stay.
create temp table place on commit drop as
with lanes as (
  select distinct owner_id, chat_id, thread_key from messages
  where owner_id = chat_id and owner_id > 0 and channel <> 'telegram'
), targets as (
  select m.owner_id, m.chat_id, m.id, m.thread_key, m.lane_no, m.role, m.routine, m.tokens, m.sent_at, m.epoch, m.channel,
    case when m.channel = 'telegram' then m.chat_id else conversation_chat(m.owner_id, m.channel, null) end as to_chat
  from lanes l
  join messages m on m.owner_id = l.owner_id and m.chat_id = l.chat_id and m.thread_key = l.thread_key
)
select *,
  case when to_chat = chat_id then thread_key else pg_temp.renamed(thread_key, chat_id, to_chat) end as to_key,
  row_number() over (partition by owner_id, thread_key, to_chat order by lane_no) as to_no
from targets;
create unique index on place (owner_id, chat_id, id);
create index on place (owner_id, thread_key, lane_no);
analyze place;

-- The parts a lane falls into; `whole`: it moves as it is.
create temp table part on commit drop as
select owner_id, chat_id, thread_key, to_chat, to_key, max(to_no) as last_no,
  count(*) over (partition by owner_id, thread_key) = 1 as whole
from place
group by owner_id, chat_id, thread_key, to_chat, to_key;

-- Chats of which nothing stays, and where all of it goes.
create temp table emptied on commit drop as
select p.owner_id, p.chat_id, min(p.to_chat) as to_chat
from part p
group by p.owner_id, p.chat_id
having count(distinct p.to_chat) = 1 and min(p.to_chat) <> p.chat_id
  and not exists (
    select from messages m where m.owner_id = p.owner_id and m.chat_id = p.chat_id and m.channel = 'telegram');

insert into chats (owner_id, chat_id, channel, epoch, last_id, last_summary_id, last_job_id, exchanges, created_at)
select c.owner_id, p.to_chat, min(p.channel), c.epoch, c.last_id, c.last_summary_id, c.last_job_id,
  count(*) filter (where p.role = 'assistant' and p.routine is null), c.created_at
from place p
join chats c on c.owner_id = p.owner_id and c.chat_id = p.chat_id
where p.to_chat <> p.chat_id
group by c.owner_id, c.chat_id, p.to_chat;
update chats set channel = 'telegram' where chat_id < 4503599627370496;

alter table message_versions drop constraint message_versions_owner_id_chat_id_id_fkey;
alter table conversation_summaries drop constraint conversation_summaries_owner_id_chat_id_thread_key_prev_no_fkey;
alter table conversation_summaries drop constraint conversation_summaries_last_message;
alter table thread_state drop constraint thread_state_owner_id_chat_id_thread_key_covered_to_fkey;

-- Chunk summaries. One of messages of several channels stands in each of their chats until it is written anew there.
create temp table piece on commit drop as
select s.owner_id, s.chat_id, s.id, s.thread_key, p.to_chat, p.to_key, min(p.to_no) as from_no, max(p.to_no) as to_no,
  min(p.id) as from_id, max(p.id) as to_id, min(p.sent_at) as from_at, max(p.sent_at) as to_at, count(*)::int as count,
  count(*) = s.count as whole
from conversation_summaries s
join place p on p.owner_id = s.owner_id and p.chat_id = s.chat_id and p.thread_key = s.thread_key
  and p.lane_no between s.from_no and s.to_no
where s.kind = 'chunk'
group by s.owner_id, s.chat_id, s.id, p.to_chat, p.to_key;

create temp table chunk on commit drop as
select s.* from conversation_summaries s
where exists (select from piece p where p.owner_id = s.owner_id and p.chat_id = s.chat_id and p.id = s.id);
delete from conversation_summaries s
using chunk c
where s.owner_id = c.owner_id and s.chat_id = c.chat_id and s.id = c.id;
insert into conversation_summaries (owner_id, chat_id, id, kind, thread_key, epoch, from_no, to_no, from_id, to_id, from_at,
  to_at, count, text, body, tokens, version, provisional, model, created_at, updated_at, embedding, tsv, folded_to)
select c.owner_id, p.to_chat, c.id, c.kind, p.to_key, c.epoch, p.from_no, p.to_no, p.from_id, p.to_id, p.from_at,
  p.to_at, p.count, c.text, c.body, c.tokens, c.version, c.provisional or not p.whole, c.model, c.created_at, c.updated_at,
  c.embedding, pg_temp.rescoped(c.tsv, c.chat_id, p.to_chat), c.folded_to
from chunk c
join piece p on p.owner_id = c.owner_id and p.chat_id = c.chat_id and p.id = c.id;
insert into text_versions
select v.owner_id, p.to_chat, v.subject, v.version, v.value, v.replaced_at, v.since
from piece p
join text_versions v on v.owner_id = p.owner_id and v.chat_id = p.chat_id and v.subject = 'chunk:' || p.id
where p.to_chat <> p.chat_id;
delete from text_versions v
using chunk c
where v.owner_id = c.owner_id and v.chat_id = c.chat_id and v.subject = 'chunk:' || c.id
  and not exists (
    select from piece p
    where p.owner_id = c.owner_id and p.chat_id = c.chat_id and p.id = c.id and p.to_chat = p.chat_id);
delete from spare_vectors v
using chunk c
where v.owner_id = c.owner_id and v.chat_id = c.chat_id and v.kind = 'summary' and v.id = c.id;

-- Rolling summaries and the canonical one move where all they tell of moves.
create temp table moving_text on commit drop as
select owner_id, chat_id, to_chat, 'thread' as kind, thread_key, to_key from part where whole and to_chat <> chat_id
union all
select owner_id, chat_id, to_chat, 'session', 'session:' || chat_id, 'session:' || to_chat from emptied;
update text_versions v
set chat_id = t.to_chat, subject = t.kind || ':' || t.to_key
from moving_text t
where v.owner_id = t.owner_id and v.chat_id = t.chat_id and v.subject = t.kind || ':' || t.thread_key;
delete from spare_vectors v
using conversation_summaries s, moving_text t
where v.owner_id = s.owner_id and v.chat_id = s.chat_id and v.kind = 'summary' and v.id = s.id
  and s.owner_id = t.owner_id and s.chat_id = t.chat_id and s.kind = t.kind and s.thread_key = t.thread_key;
update conversation_summaries s
set chat_id = t.to_chat, thread_key = t.to_key, tsv = pg_temp.rescoped(s.tsv, t.chat_id, t.to_chat)
from moving_text t
where s.owner_id = t.owner_id and s.chat_id = t.chat_id and s.kind = t.kind and s.thread_key = t.thread_key;
update text_versions v set chat_id = e.to_chat
from emptied e
where v.owner_id = e.owner_id and v.chat_id = e.chat_id and v.subject like 'canonical:%';
update chat_metadata m set chat_id = e.to_chat
from emptied e
where m.owner_id = e.owner_id and m.chat_id = e.chat_id;

-- The messages themselves. Lane numbers are unique at every moment, so they are negative in between.
update message_versions v set chat_id = p.to_chat
from place p
where v.owner_id = p.owner_id and v.chat_id = p.chat_id and v.id = p.id and p.to_chat <> p.chat_id;
update message_fts f set chat_id = p.to_chat, tsv = pg_temp.rescoped(f.tsv, p.chat_id, p.to_chat)
from place p
where f.owner_id = p.owner_id and f.chat_id = p.chat_id and f.id = p.id and p.to_chat <> p.chat_id;
update spare_vectors v set chat_id = p.to_chat
from place p
where v.owner_id = p.owner_id and v.chat_id = p.chat_id and v.kind = 'message' and v.id = p.id and p.to_chat <> p.chat_id;
update context_receipts r set chat_id = p.to_chat, thread_key = p.to_key
from place p
where r.owner_id = p.owner_id and r.chat_id = p.chat_id and r.message_id = p.id and p.to_chat <> p.chat_id;
update messages m set chat_id = p.to_chat, thread_key = p.to_key, lane_no = -p.to_no
from place p
where m.owner_id = p.owner_id and m.chat_id = p.chat_id and m.id = p.id
  and (p.to_chat <> p.chat_id or p.to_no <> p.lane_no);
update messages set lane_no = -lane_no where lane_no < 0;

-- The lanes: what is covered and what is queued, in the new numbers.
create temp table lane on commit drop as
select t.* from thread_state t
where exists (
  select from part p where p.owner_id = t.owner_id and p.chat_id = t.chat_id and p.thread_key = t.thread_key);
delete from thread_state t
using lane l
where t.owner_id = l.owner_id and t.chat_id = l.chat_id and t.thread_key = l.thread_key;
insert into thread_state (owner_id, chat_id, thread_key, last_no, covered_to, queued_to, open_tokens, focus_id, slot, slot_until)
select p.owner_id, p.to_chat, p.to_key, p.last_no,
  (select max(c.to_no) from piece c
    where c.owner_id = p.owner_id and c.chat_id = p.chat_id and c.thread_key = p.thread_key and c.to_chat = p.to_chat),
  m.queued_to, m.open_tokens, m.focus_id,
  case when m.asked then l.slot end, case when m.asked then l.slot_until end
from part p
join lane l on l.owner_id = p.owner_id and l.chat_id = p.chat_id and l.thread_key = p.thread_key
cross join lateral (
  select coalesce(max(to_no) filter (where lane_no <= l.queued_to), 0) as queued_to,
    coalesce(sum(tokens) filter (where lane_no > l.queued_to), 0)::int as open_tokens,
    max(id) filter (where role = 'assistant') as focus_id,
    -- What is asked for is asked where the newest answer stands.
    coalesce(bool_or(id = l.focus_id), p.to_chat = p.chat_id) as asked
  from place
  where owner_id = p.owner_id and thread_key = p.thread_key and to_chat = p.to_chat) m;

-- Jobs: each chat keeps the part of a job that its messages are.
create temp table job on commit drop as
select q.owner_id, q.chat_id, q.id, q.kind, p.to_chat, p.to_key, min(p.id) as from_id, max(p.id) as to_id, min(p.to_no) as from_no,
  count(*) over (partition by q.owner_id, q.chat_id, q.id) = 1 as whole
from chat_context_queue q
join place p on p.owner_id = q.owner_id and p.chat_id = q.chat_id and p.thread_key = q.thread_key
  and p.id between q.from_id and q.to_id
where q.kind not in ('profile', 'thread_summary')
group by q.owner_id, q.chat_id, q.id, p.to_chat, p.to_key;
delete from job where whole and to_chat = chat_id and kind <> 'chunk_summary';
create temp table job_row on commit drop as
select q.* from chat_context_queue q
where exists (select from job j where j.owner_id = q.owner_id and j.chat_id = q.chat_id and j.id = q.id);
delete from chat_context_queue q
using job_row r
where q.owner_id = r.owner_id and q.chat_id = r.chat_id and q.id = r.id;
insert into chat_context_queue (owner_id, chat_id, id, kind, state, thread_key, dedup_key, from_id, to_id, exchanges, attempts,
  claims, fence, not_before, result, model, rung, provisional, error, trace_id, created_at, done_at, lost, class, redo, known_ids)
select r.owner_id, j.to_chat, r.id, r.kind,
  case when r.state = 'ready_to_write' and not j.whole then 'pending_summarization' else r.state end, j.to_key,
  case when r.kind = 'chunk_summary' and r.state = 'pending_summarization' then j.to_key || '#' || j.from_no
    when r.dedup_key like 'erasure:%' then 'erasure:' || j.from_id
    when r.dedup_key = r.thread_key then j.to_key
    else r.dedup_key end,
  j.from_id, j.to_id, r.exchanges, r.attempts,
  case when r.state = 'ready_to_write' and not j.whole then greatest(r.claims, 1) else r.claims end,
  case when j.whole then r.fence else r.fence + 1 end, r.not_before,
  case when j.whole then r.result end, r.model, r.rung, r.provisional, r.error, r.trace_id, r.created_at, r.done_at, r.lost,
  r.class, r.redo, r.known_ids
from job_row r
join job j on j.owner_id = r.owner_id and j.chat_id = r.chat_id and j.id = r.id;
update chat_context_queue q
set chat_id = t.to_chat, thread_key = t.to_key,
  dedup_key = case when q.dedup_key like 'anew:%' then 'anew:' || t.to_key
    when q.dedup_key = q.thread_key then t.to_key else q.dedup_key end
from moving_text t
where q.owner_id = t.owner_id and q.chat_id = t.chat_id and q.thread_key = t.thread_key and q.kind = 'thread_summary';

-- Summaries of what was said in several channels are written anew from what is left to each, chunks first.
with wanted as (
  select owner_id, to_chat as chat_id, to_key as thread_key, 'erasure' as kind, 'erasure:' || from_id as dedup_key,
    from_id, to_id
  from piece where not whole
  union all
  select s.owner_id, s.chat_id, s.thread_key, 'thread_summary', 'anew:' || s.thread_key, 0, 0
  from conversation_summaries s
  where s.kind <> 'chunk' and exists (
    select from piece p
    where p.owner_id = s.owner_id and p.chat_id = s.chat_id and p.to_chat <> p.chat_id
      and (s.kind = 'session' or p.thread_key = s.thread_key))
), numbered as (
  select *, row_number() over (partition by owner_id, chat_id order by kind, from_id, thread_key) as n from wanted
), chat as (
  update chats c set last_job_id = c.last_job_id + w.jobs
  from (select owner_id, chat_id, count(*) as jobs from numbered group by owner_id, chat_id) w
  where c.owner_id = w.owner_id and c.chat_id = w.chat_id
  returning c.owner_id, c.chat_id, c.last_job_id - w.jobs as base
)
insert into chat_context_queue (owner_id, chat_id, id, kind, thread_key, dedup_key, from_id, to_id, not_before, created_at, class)
select n.owner_id, n.chat_id, chat.base + n.n, n.kind, n.thread_key, n.dedup_key, n.from_id, n.to_id, now(), now(), 'past'
from numbered n
join chat on chat.owner_id = n.owner_id and chat.chat_id = n.chat_id
on conflict do nothing;

alter table message_versions add foreign key (owner_id, chat_id, id) references messages;
alter table conversation_summaries
  add foreign key (owner_id, chat_id, thread_key, prev_no)
    references conversation_summaries (owner_id, chat_id, thread_key, to_no),
  add constraint conversation_summaries_last_message
    foreign key (owner_id, chat_id, thread_key, to_no) references messages (owner_id, chat_id, thread_key, lane_no);
alter table thread_state
  add foreign key (owner_id, chat_id, thread_key, covered_to)
    references conversation_summaries (owner_id, chat_id, thread_key, to_no);

-- A memory rests on messages of one chat: on those that stay, else on those of the chat most of them went to.
with moved as (
  select m.owner_id, m.id, coalesce(p.to_chat, m.source_chat_id) as chat_id, array_agg(s.id order by s.n) as source_ids,
    row_number() over (partition by m.owner_id, m.id
      order by coalesce(p.to_chat, m.source_chat_id) <> m.source_chat_id, count(*) desc, min(s.n)) as rank
  from memories m
  cross join lateral unnest(m.source_ids) with ordinality as s (id, n)
  left join place p on p.owner_id = m.owner_id and p.chat_id = m.source_chat_id and p.id = s.id
  where m.source_chat_id = m.owner_id
  group by m.owner_id, m.id, coalesce(p.to_chat, m.source_chat_id)
)
update memories m
set source_chat_id = moved.chat_id, source_ids = moved.source_ids,
  chat_id = case when m.chat_id = m.source_chat_id then moved.chat_id else m.chat_id end
from moved
where m.owner_id = moved.owner_id and m.id = moved.id and moved.rank = 1
  and (m.source_chat_id <> moved.chat_id or m.source_ids <> moved.source_ids);

-- What was learned of a person in private is known in all their conversations. What they asked to be kept in one chat stays.
update memories set chat_id = null
where owner_id > 0 and origin in ('extracted', 'import') and (chat_id = owner_id or chat_id >= 4503599627370496);

-- Tokens that confirm rows by numbers of the former chats.
delete from forget_previews v
where exists (select from place p where p.owner_id = v.owner_id);

drop function pg_temp.renamed;
drop function pg_temp.rescoped;
