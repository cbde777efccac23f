-- name: add_chunk
-- $1 owner, $2 chat, $3 thread key, $4 first and $5 last message number, $6 text, $7 body, $8 tokens, $9 provisional,
-- $10 model, $11 now, $12 text to index. The thread's `covered_to` is updated in the same statement,
-- so that a message leaves the window exactly when its summary is stored.
with run as (
  select min(thread_no) as from_no, max(thread_no) as to_no, min(sent_at) as from_at, max(sent_at) as to_at,
    count(*)::int as count, max(epoch) as epoch
  from messages
  where owner_id = $1 and chat_id = $2 and thread_key = $3 and id between $4 and $5
), chat as (
  update chats set last_summary_id = last_summary_id + 1
  where owner_id = $1 and chat_id = $2
  returning last_summary_id
), thread as (
  update thread_state t set covered_to = run.to_no
  from run, chat
  where t.owner_id = $1 and t.chat_id = $2 and t.thread_key = $3 and coalesce(t.covered_to, 0) = run.from_no - 1
  returning 1
)
insert into conversation_summaries (owner_id, chat_id, id, kind, thread_key, epoch, from_no, to_no, from_id, to_id,
  from_at, to_at, count, text, body, tokens, provisional, model, created_at, updated_at, tsv)
select $1, $2, chat.last_summary_id, 'chunk', $3, run.epoch, run.from_no, run.to_no, $4, $5,
  run.from_at, run.to_at, run.count, $6, $7, $8, $9, $10, $11, $11,
  to_tsvector('chatmem', $12) || array_to_tsvector(array['@o' || $1::bigint, '@c' || $2::bigint])
from run, chat, thread
returning id

-- name: rewrite_chunk
-- $1 owner, $2 chat, $3 thread key, $4 first message number, $5 text, $6 body, $7 tokens, $8 provisional, $9 model,
-- $10 now, $11 text to index. The former text is kept as a version.
with old as (
  insert into text_versions (owner_id, chat_id, subject, version, value, since, replaced_at)
  select $1, $2, 'chunk:' || id, version, jsonb_build_object('text', former_lines_of($1, text)), updated_at, $10
  from conversation_summaries
  where owner_id = $1 and chat_id = $2 and thread_key = $3 and kind = 'chunk' and from_id = $4
  on conflict do nothing
)
update conversation_summaries
set text = $5, body = $6, tokens = $7, provisional = $8, model = $9, updated_at = $10, version = version + 1,
  embedding = null, tsv = to_tsvector('chatmem', $11) || array_to_tsvector(array['@o' || $1::bigint, '@c' || $2::bigint])
where owner_id = $1 and chat_id = $2 and thread_key = $3 and kind = 'chunk' and from_id = $4
returning id

-- name: put_rolling
-- $1 owner, $2 chat, $3 kind (thread, session), $4 thread key, $5 text, $6 body, $7 tokens, $8 provisional, $9 model,
-- $10 now, $11 text to index. The summary covers all chunks of the current epoch, because later jobs
-- of the chat wait for this job. The former text is kept as a version.
with old as (
  insert into text_versions (owner_id, chat_id, subject, version, value, since, replaced_at)
  select $1, $2, kind || ':' || thread_key, version, jsonb_build_object('text', former_lines_of($1, text)), updated_at, $10
  from conversation_summaries
  where owner_id = $1 and chat_id = $2 and kind = $3 and thread_key = $4
  on conflict do nothing
), covered as (
  select min(from_id) as from_id, max(to_id) as to_id, min(from_at) as from_at, max(to_at) as to_at,
    sum(count)::int as count, max(epoch) as epoch, max(id) as folded_to
  from conversation_summaries
  where owner_id = $1 and chat_id = $2 and kind = 'chunk' and ($3 = 'session' or thread_key = $4)
    and from_id >= (select epoch_after from chats where owner_id = $1 and chat_id = $2)
), former as (
  select coalesce(max(version), 0) as version from text_versions
  where owner_id = $1 and chat_id = $2 and subject = $3 || ':' || $4
), chat as (
  update chats set last_summary_id = last_summary_id + 1
  where owner_id = $1 and chat_id = $2
  returning last_summary_id
)
insert into conversation_summaries as s (owner_id, chat_id, id, kind, thread_key, epoch, from_id, to_id, from_at, to_at,
  count, text, body, tokens, provisional, model, created_at, updated_at, tsv, folded_to, version)
select $1, $2, chat.last_summary_id, $3, $4, covered.epoch, covered.from_id, covered.to_id, covered.from_at,
  covered.to_at, covered.count, $5, $6, $7, $8, $9, $10, $10,
  to_tsvector('chatmem', $11) || array_to_tsvector(array['@o' || $1::bigint, '@c' || $2::bigint]), covered.folded_to, former.version + 1
from covered, chat, former
where covered.count is not null
on conflict (owner_id, chat_id, kind, thread_key) where kind <> 'chunk' do update
  set text = $5, body = $6, tokens = $7, provisional = $8, model = $9, updated_at = $10, version = s.version + 1,
      to_id = excluded.to_id, to_at = excluded.to_at, count = excluded.count, embedding = null, tsv = excluded.tsv,
      folded_to = excluded.folded_to
returning id

-- part: summary
-- Summaries as `Summary` in store/summaries.py
select id, thread_key, from_id, to_id, from_at, to_at, count, text, body, provisional, folded_to
from conversation_summaries
-- end

-- name: rolling
-- $1 owner, $2 chat, $3 kind, $4 thread key
-- use: summary
where owner_id = $1 and chat_id = $2 and kind = $3 and thread_key = $4

-- name: chunks_after
-- $1 owner, $2 chat, $3 thread key or null for all threads, $4 summary number, $5 how many: the newest chunks after
-- that number, in the order of their messages
select * from (
  -- use: summary
  where owner_id = $1 and chat_id = $2 and kind = 'chunk' and ($3::text is null or thread_key = $3) and id > $4
    and from_id >= (select epoch_after from chats where owner_id = $1 and chat_id = $2)
  order by to_id desc
  limit $5) newest
order by to_id

-- name: chunks
-- $1 owner, $2 chat
-- use: summary
where owner_id = $1 and chat_id = $2 and kind = 'chunk'
order by from_at, id

-- name: chunk_page
-- $1 owner, $2 chat, $3 and $4 the time and number of the last chunk already listed, $5 how many: chunk summaries,
-- newest first
-- use: summary
where owner_id = $1 and chat_id = $2 and kind = 'chunk' and (from_at, id) < ($3::timestamptz, $4::bigint)
order by from_at desc, id desc
limit $5

-- name: of_message
-- $1 owner, $2 chat, $3 thread key, $4 thread number
-- use: summary
where owner_id = $1 and chat_id = $2 and thread_key = $3 and kind = 'chunk' and $4 between from_no and to_no

-- name: unembedded
-- across owners: the server's own background work.
-- Like messages.unembedded, for summaries
select owner_id, chat_id, id, version, text
from conversation_summaries
where embedding is null and (owner_id, chat_id, id) > ($1, $2, $3)
order by owner_id, chat_id, id
limit $4

-- name: set_embeddings
-- across owners: the server runs this in the background for all owners; each row of the arguments contains its owner.
-- Like messages.set_embeddings, for summaries. The codes are not used.
update conversation_summaries s set embedding = e.embedding
from unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::int[], $5::halfvec[], $6::varbit[])
  as e (owner_id, chat_id, id, version, embedding, ebits)
where s.owner_id = e.owner_id and s.chat_id = e.chat_id and s.id = e.id and s.version = e.version
  and (select may_write_vectors())

-- name: chunk_range
-- $1 owner, $2 chat, $3 summary number
select thread_key, from_id, to_id from conversation_summaries
where owner_id = $1 and chat_id = $2 and id = $3 and kind = 'chunk'
