-- name: messages
-- $1 owner, $2 chat or null for all of the owner, $3 vector or null, $4 code or null, $5 query lexemes as tsquery text,
-- $6 scope lexeme query, $7 numbers below this one ($2 given), $8 dense candidates to re-rank, $9 how many of each kind,
-- $10 since, $11 until, $12 thread key or null, $13 the query's lexemes. Candidates with the signals a ranker
-- needs; dense ones come from an index-only Hamming scan and are measured exactly.
with dense as materialized (
  select c.chat_id, c.id, x.cosine
  from (
    select chat_id, id from messages
    where $4::bit(384) is not null and owner_id = $1 and ($2::bigint is null or chat_id = $2) and id < $7
      and ebits is not null
    order by ebits <~> $4::bit(384)
    limit $8) c
  cross join lateral (
    select 1 - (m.embedding <=> $3::halfvec) as cosine from messages m
    where m.owner_id = $1 and m.chat_id = c.chat_id and m.id = c.id offset 0) x
  order by x.cosine desc
  limit $9
), lexical as materialized (
  select chat_id, id, ts_rank(tsv, $5::tsquery) as rank, length(tsv) as words
  from (
    select chat_id, id, tsv from message_fts
    where owner_id = $1 and tsv @@ ($6::tsquery && $5::tsquery) offset 0) f
  where ($2::bigint is null or chat_id = $2) and id < $7
  order by 3 desc, id desc
  limit $9
), dated as materialized (
  select chat_id, id from messages
  where $10::timestamptz is not null and owner_id = $1 and chat_id = $2 and id < $7
    and sent_at >= $10 and sent_at < $11
  order by id desc
  limit $9
), hits as materialized (
  select chat_id, id from dense union select chat_id, id from lexical union select chat_id, id from dated
)
select m.chat_id, m.id, m.thread_key, m.lane_no, m.role, m.content, m.routine, m.speaker, m.sent_at, m.utc_offset,
  m.tokens, dense.cosine, lexical.rank, array(
    select lexeme from message_fts f, unnest(f.tsv)
    where f.owner_id = $1 and f.chat_id = h.chat_id and f.id = h.id and lexeme = any($13::text[])) as matched
from hits h
cross join lateral (
  select * from messages m where m.owner_id = $1 and m.chat_id = h.chat_id and m.id = h.id offset 0) m
left join dense on dense.chat_id = h.chat_id and dense.id = h.id
left join lexical on lexical.chat_id = h.chat_id and lexical.id = h.id
where $12::text is null or m.thread_key = $12

-- name: memories
-- $1 owner, $2 chat or null for all of the owner, $3 vector or null, $4 query lexemes as tsquery text, $5 scope lexeme
-- query, $6 how many of each kind, $7 statuses
with dense as materialized (
  select id, 1 - (embedding <=> $3::halfvec) as cosine
  from memories
  where $3::halfvec is not null and owner_id = $1 and embedding is not null and status = any($7::text[])
    and ($2::bigint is null or chat_id is null or chat_id = $2)
  order by embedding <=> $3::halfvec
  limit $6
), lexical as materialized (
  select id, ts_rank(tsv, $4::tsquery) as rank
  from (
    select id, chat_id, status, tsv from memories
    where owner_id = $1 and tsv @@ ($5::tsquery && $4::tsquery) offset 0) f
  where status = any($7::text[]) and ($2::bigint is null or chat_id is null or chat_id = $2)
  order by 2 desc, id desc
  limit $6
)
select m.*, dense.cosine, lexical.rank
from (select id from dense union select id from lexical) h
cross join lateral (select * from memories m where m.owner_id = $1 and m.id = h.id offset 0) m
left join dense on dense.id = h.id
left join lexical on lexical.id = h.id

-- name: summaries
-- $1 owner, $2 chat or null for all of the owner, $3 vector or null, $4 query lexemes as tsquery text, $5 scope lexeme
-- query, $6 how many of each kind
with dense as materialized (
  select chat_id, id, 1 - (embedding <=> $3::halfvec) as cosine
  from conversation_summaries
  where $3::halfvec is not null and owner_id = $1 and embedding is not null and kind = 'chunk'
    and ($2::bigint is null or chat_id = $2)
  order by embedding <=> $3::halfvec
  limit $6
), lexical as materialized (
  select chat_id, id, ts_rank(tsv, $4::tsquery) as rank
  from (
    select chat_id, id, kind, tsv from conversation_summaries
    where owner_id = $1 and tsv @@ ($5::tsquery && $4::tsquery) offset 0) f
  where kind = 'chunk' and ($2::bigint is null or chat_id = $2)
  order by 3 desc, id desc
  limit $6
)
select s.chat_id, s.id, s.thread_key, s.from_id, s.to_id, s.from_at, s.to_at, s.count, s.text, s.tokens,
  dense.cosine, lexical.rank
from (select chat_id, id from dense union select chat_id, id from lexical) h
cross join lateral (
  select * from conversation_summaries s
  where s.owner_id = $1 and s.chat_id = h.chat_id and s.id = h.id offset 0) s
left join dense on dense.chat_id = h.chat_id and dense.id = h.id
left join lexical on lexical.chat_id = h.chat_id and lexical.id = h.id

-- name: query_lexemes
-- $1 text: its lexemes, stop words gone
select tsvector_to_array(to_tsvector('chatmem', $1))

-- name: document_frequencies
-- How common the commonest lexemes of messages are, from the planner's statistics; empty before the first analyze
select unnest(most_common_elems::text::text[]) as lexeme, unnest(most_common_elem_freqs[1:array_length(most_common_elems::text::text[], 1)]) as frequency
from pg_stats
where tablename = 'message_fts' and attname = 'tsv'
