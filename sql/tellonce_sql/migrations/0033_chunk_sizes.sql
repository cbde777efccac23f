-- Chunk summaries of a few messages, of which the rule of age once made many, become summaries of up to twenty: the texts
-- stand one after another until the summary is written anew from the messages.
alter table conversation_summaries drop constraint conversation_summaries_owner_id_chat_id_thread_key_prev_no_fkey;
alter table thread_state drop constraint thread_state_owner_id_chat_id_thread_key_covered_to_fkey;

create temp table merging on commit drop as
select owner_id, chat_id, id, thread_key, from_no, count, 0::bigint as part
from conversation_summaries where false;

do $$
declare
  chunk record;
  lane text;
  part bigint := 0;
  held int := 0;
begin
  for chunk in
    select owner_id, chat_id, id, thread_key, from_no, count from conversation_summaries
    where kind = 'chunk' order by owner_id, chat_id, thread_key, from_no
  loop
    if lane is distinct from chunk.owner_id || ' ' || chunk.chat_id || ' ' || chunk.thread_key
      -- A small one joins what is before it; so does any behind a small one, and a full one behind a single message.
      or not ((held + chunk.count <= 20 and (chunk.count < 10 or held < 10)) or (held = 1 and chunk.count = 20))
    then
      part := part + 1;
      held := 0;
    end if;
    held := held + chunk.count;
    insert into merging
    values (chunk.owner_id, chunk.chat_id, chunk.id, chunk.thread_key, chunk.from_no, chunk.count, part);
    lane := chunk.owner_id || ' ' || chunk.chat_id || ' ' || chunk.thread_key;
  end loop;
end
$$;
delete from merging m using (select part from merging group by part having count(*) = 1) alone
where m.part = alone.part;

-- The last row of each part stays and takes the others in: the lane's mark, and the next part, refer to its end.
create temp table merged on commit drop as
select m.owner_id, m.chat_id, m.thread_key, (array_agg(m.id order by m.from_no desc))[1] as id,
  array_agg(m.id) as ids, min(s.from_no) as from_no, min(s.from_id) as from_id, max(s.to_id) as to_id,
  min(s.from_at) as from_at, max(s.to_at) as to_at, sum(s.count)::int as count, sum(s.tokens)::int as tokens,
  string_agg(s.text, ' ' order by s.from_no) as text
from merging m
join conversation_summaries s on s.owner_id = m.owner_id and s.chat_id = m.chat_id and s.id = m.id
group by m.owner_id, m.chat_id, m.thread_key, m.part;

-- Their lists follow each other as their texts do.
create temp table bodies on commit drop as
select owner_id, chat_id, id, jsonb_object_agg(key, value) as body
from (
  select g.owner_id, g.chat_id, g.id, list.key, jsonb_agg(item.value order by s.from_no, item.n) as value
  from merged g
  join conversation_summaries s on s.owner_id = g.owner_id and s.chat_id = g.chat_id and s.id = any(g.ids)
  cross join lateral jsonb_each(s.body) as list
  cross join lateral jsonb_array_elements(
    case jsonb_typeof(list.value) when 'array' then list.value else '[]' end) with ordinality as item (value, n)
  group by g.owner_id, g.chat_id, g.id, list.key) lists
group by owner_id, chat_id, id;

-- What was to be done on a part is done on the whole.
update chat_context_queue q set provisional = false
from merged g
where q.owner_id = g.owner_id and q.chat_id = g.chat_id and q.thread_key = g.thread_key and q.state = 'complete'
  and q.kind in ('chunk_summary', 'erasure') and q.from_id between g.from_id and g.to_id;
delete from chat_context_queue q
using merged g
where q.owner_id = g.owner_id and q.chat_id = g.chat_id and q.thread_key = g.thread_key and q.state <> 'complete'
  and (q.kind = 'erasure' or q.kind = 'chunk_summary' and q.redo) and q.from_id between g.from_id and g.to_id;

delete from text_versions v
using merged g
where v.owner_id = g.owner_id and v.chat_id = g.chat_id
  and v.subject = any(select 'chunk:' || gone from unnest(g.ids) gone where gone <> g.id);
delete from spare_vectors v
using merged g
where v.owner_id = g.owner_id and v.chat_id = g.chat_id and v.kind = 'summary' and v.id = any(g.ids);
delete from conversation_summaries s
using merged g
where s.owner_id = g.owner_id and s.chat_id = g.chat_id and s.id = any(g.ids) and s.id <> g.id;
update conversation_summaries s
set from_no = g.from_no, from_id = g.from_id, from_at = g.from_at, count = g.count, text = g.text, tokens = g.tokens,
  body = coalesce(b.body, '{}'), provisional = true, version = s.version + 1, embedding = null,
  tsv = to_tsvector('chatmem', g.text) || array_to_tsvector(array['@o' || g.owner_id, '@c' || g.chat_id])
from merged g
left join bodies b on b.owner_id = g.owner_id and b.chat_id = g.chat_id and b.id = g.id
where s.owner_id = g.owner_id and s.chat_id = g.chat_id and s.id = g.id;

with numbered as (
  select *, row_number() over (partition by owner_id, chat_id order by from_id) as n from merged
), chat as (
  update chats c set last_job_id = c.last_job_id + w.jobs
  from (select owner_id, chat_id, count(*) as jobs from merged group by owner_id, chat_id) w
  where c.owner_id = w.owner_id and c.chat_id = w.chat_id
  returning c.owner_id, c.chat_id, c.last_job_id - w.jobs as base
)
insert into chat_context_queue (owner_id, chat_id, id, kind, thread_key, dedup_key, from_id, to_id, not_before, created_at, class)
select n.owner_id, n.chat_id, chat.base + n.n, 'erasure', n.thread_key, 'erasure:' || n.from_id, n.from_id, n.to_id, now(),
  now(), 'past'
from numbered n
join chat on chat.owner_id = n.owner_id and chat.chat_id = n.chat_id
on conflict do nothing;

alter table conversation_summaries add foreign key (owner_id, chat_id, thread_key, prev_no)
  references conversation_summaries (owner_id, chat_id, thread_key, to_no);
alter table thread_state add foreign key (owner_id, chat_id, thread_key, covered_to)
  references conversation_summaries (owner_id, chat_id, thread_key, to_no);
