-- The searches for candidates share the names of their parameters:
-- `owner_id`; `chat_id`: null for all chats of the owner; `thread_key`, `since`, `ends`: null for no limit.
-- `below`: only messages with a lower number are searched.
-- `vector`, `code`: two forms of the question's vector, or null.
-- `terms`: the lexemes of the question as tsquery texts. `rarest`: the rarest of them. `rarer_half`: the rarer half of
-- `rarest`.
-- `scope`: lexeme query of the searched chat or owner.
-- `reranked`: the number of nearest codes whose exact vectors are compared.
-- `of_each_kind`: maximum number of candidates of each kind.
-- `neighbored`: the number of best candidates whose neighbors also become candidates.
-- `time_terms`: lexeme query of the times that the question names.
-- `all_words`: whether the full-text index is searched for all lexemes. Even then, only lexemes of `rarest` make a
-- message a candidate.

-- name: scope_facts
-- The lexemes of three texts, the recent speakers, the number of messages, and whether any message was sent in the span.
-- $1 owner, $2 chat, or null for all chats of the owner, $3 text without exact times, $4 the words of the exact times,
-- $5 the names of times, $6 and $7 a span of time or null
with recent as materialized (
  (select speaker, sent_at from messages
   where $2::bigint is not null and owner_id = $1 and chat_id = $2
   order by owner_id desc, chat_id desc, id desc limit 200)
  union all
  (select speaker, sent_at from messages
   where $2::bigint is null and owner_id = $1
   order by owner_id desc, chat_id desc, id desc limit 200)
), size as (
  select coalesce(sum(last_id), 0)::bigint as size, coalesce(max(last_id), 0) as last_id
  from chats
  where owner_id = $1 and ($2::bigint is null or chat_id = $2)
)
select tsvector_to_array(to_tsvector('chatmem', $3)) as lexemes,
  tsvector_to_array(to_tsvector('chatmem', $4)) as exact_lexemes,
  tsvector_to_array(to_tsvector('chatmem', $5)) as name_lexemes,
  array(select distinct speaker from recent where speaker is not null) as speakers,
  (select max(sent_at) from recent) as last_at,
  $6::timestamptz is not null and exists (
    select from messages
    where owner_id = $1 and ($2::bigint is null or chat_id = $2) and sent_at >= $6 and sent_at < $7) as span_holds,
  exists (select from pg_index
    where indexrelid = to_regclass(format('%I', 'messages_near_' || $1::bigint)) and indisvalid) as near_index,
  size.size, size.last_id
from size

-- part: message_for_ranking
-- The ranker's data for a message `m`, compared with `asked`. `f` is from `words_of_message`.
m.chat_id, m.id, m.thread_key, m.thread_no, m.role, m.speaker, m.sent_at, m.tokens, m.routine,
  case when m.role <> 'user' and m.tokens >= 150 then ''
    when octet_length(m.content) <= 600 then m.content
    else left(m.content, 600) end as head,
  octet_length(m.content) > 600 as clipped, 1 - (m.embedding <=> (select vector from asked)) as cosine, f.ranks
-- end

-- part: ranked_columns
chat_id, id, thread_key, thread_no, role, speaker, sent_at, tokens, routine, content, embedding
-- end

-- part: words_of_message
-- The ranks of `terms` in a message `m`, or null if the message contains none of the terms. The words of a message are
-- read only if the message is in `worded`, or if `worded` does not cover all words of the query (`any_term.covered` is
-- not true). Other messages do not contain the words.
left join lateral (
  select case when ts_rank(tsv, (select term from any_term)) > 0
    then array(select ts_rank(tsv, term) from terms) end as ranks
  from message_fts f
  where f.owner_id = $owner_id and f.chat_id = m.chat_id and f.id = m.id
    and ((select covered from any_term) is not true or (m.chat_id, m.id) in (select chat_id, id from worded))
  offset 0) f on true
-- end

-- part: messages_of_hits
-- The ranker's data for the messages in `hits`. The messages of one chat are read with an
-- array of numbers, so that the index is searched only once.
select
-- use: message_for_ranking
from (
  select
    -- use: ranked_columns
  from messages
  where $chat_id::bigint is not null and owner_id = $owner_id and chat_id = $chat_id
    and id = any(array(select id from hits))
  union all
  select m.* from hits h
  cross join lateral (
    select
      -- use: ranked_columns
    from messages m where m.owner_id = $owner_id and m.chat_id = h.chat_id and m.id = h.id offset 0) m
  where $chat_id::bigint is null) m
-- use: words_of_message
-- end

-- part: asked
asked as materialized (
  select $vector::halfvec as vector, $code::bit(384) as code where speaks_active()
), terms as materialized (
  select term::tsquery as term from unnest($terms::text[]) as t (term)
), any_term as materialized (
  select string_agg(term, ' | ')::tsquery as term, $all_words::boolean as covered
  from unnest($terms::text[]) as t (term)
)
-- end

-- part: searched
  and owner_id = $owner_id and ($chat_id::bigint is null or chat_id = $chat_id) and id < $below
-- end

-- part: best
worded as materialized (
  select chat_id, id, ts_rank(tsv, $rarest::tsquery) + ts_rank(tsv, $rarer_half::tsquery) as rank
  from messages_with($scope::tsquery && case when $all_words then (select term from any_term) else $rarest::tsquery end)
  where ($chat_id::bigint is null or chat_id = $chat_id) and id < $below
), lexical as materialized (
  select chat_id, id from worded
  where rank > 0
  order by rank desc, id desc
  limit $of_each_kind
), best as materialized (
  (select chat_id, id from dense limit $neighbored)
  union
  (select chat_id, id from lexical limit $neighbored)
)
-- end

-- name: messages_of_chat
-- Like `messages`, but only for the usual case: the question is about one chat, names no span of time and does not
-- include routine messages, and the owner has no vector index of its own. This statement exists because `messages`
-- spends a quarter of its time on preparing the parts that only other questions need.
with
-- use: asked
, dense as materialized (
  select chat_id, id from messages
  where owner_id = $owner_id and chat_id = $chat_id and id = any(array(
    select id from messages
    where (select code from asked) is not null and owner_id = $owner_id and chat_id = $chat_id and id < $below
      and ebits is not null
    order by ebits <~> (select code from asked)
    limit $reranked))
  order by embedding <=> (select vector from asked)
  limit $of_each_kind
),
-- use: best
, hits as materialized (
  select id from dense
  union select id from lexical
  union select id - 1 from best
  union select id + 1 from best where id + 1 < $below
)
select
-- use: message_for_ranking
from (
  select
    -- use: ranked_columns
  from messages
  where owner_id = $owner_id and chat_id = $chat_id and id = any(array(select id from hits))) m
-- use: words_of_message

-- name: messages
-- Candidates by similarity, by words and by time, with the ranker's data for each. The search by similarity uses the
-- owner's own vector index if `near_index` is true. Otherwise, an index-only scan compares the codes by Hamming
-- distance, and the exact vectors of the nearest messages are compared. The search by time selects messages of the
-- span. It prefers the speakers in `named`, and then the most similar messages. `ranks` is null if a message has none
-- of the lexemes, which is usual for candidates by similarity. The scan is written twice, for one chat and for all
-- chats. With one condition for both cases, the planner would read the table instead of only the index.
-- `span_start`, `span_end`: a span of time, or null. `span_late`: the latest time of a message that may refer to the
-- span.
-- `of_a_span`: maximum number of messages of the span. `named`: speakers who are preferred within the span.
-- `asks_routine`: whether to include the latest routine messages.
-- `near_index`: whether to use the owner's own vector index.
with
-- use: asked
, dense as materialized (
  select chat_id, id, embedding <=> (select vector from asked) as distance
  from messages
  where $chat_id::bigint is not null and owner_id = $owner_id and chat_id = $chat_id and id = any(array(
    select id from messages
    where (select code from asked) is not null and not $near_index::boolean
      and owner_id = $owner_id and chat_id = $chat_id and id < $below and ebits is not null
    order by ebits <~> (select code from asked)
    limit $reranked))
  union all
  select c.chat_id, c.id, x.distance
  from (
    select chat_id, id from messages
    where $chat_id::bigint is null and (select code from asked) is not null and not $near_index::boolean
      and owner_id = $owner_id and ebits is not null
    order by ebits <~> (select code from asked)
    limit $reranked) c
  cross join lateral (
    select m.embedding <=> (select vector from asked) as distance from messages m
    where m.owner_id = $owner_id and m.chat_id = c.chat_id and m.id = c.id offset 0) x
  union all
  select chat_id, id, distance
  from messages_near($owner_id, $chat_id, $below, (select vector from asked), least($of_each_kind::int, 80))
  where $near_index::boolean and (select vector from asked) is not null
  order by distance
  limit $of_each_kind
),
-- use: best
, dated as materialized (
  select chat_id, id
  from (
    select chat_id, id, speaker, ebits, sent_at from messages
    where $span_start::timestamptz is not null and sent_at >= $span_start and sent_at < $span_late
      -- use: searched
    order by sent_at
    limit $of_a_span) d
  order by sent_at >= $span_end, coalesce(speaker = any($named::text[]), false) desc,
    ebits <~> (select code from asked), sent_at desc
  limit $of_each_kind
), routine as materialized (
  select chat_id, id from messages
  where $asks_routine::boolean and routine is not null
    -- use: searched
  order by sent_at desc
  limit 5
), mentioning as materialized (
  -- messages with the words of the question's times
  select chat_id, id
  from messages_with($scope::tsquery && $time_terms::tsquery)
  where ($chat_id::bigint is null or chat_id = $chat_id) and id < $below
  order by ts_rank(tsv, $time_terms::tsquery) desc, id desc
  limit $neighbored
), hits as materialized (
  select chat_id, id from dense
  union select chat_id, id from lexical
  union select chat_id, id from mentioning
  union select chat_id, id from dated
  union select chat_id, id from routine
  union select chat_id, id - 1 from best
  union select chat_id, id + 1 from best where id + 1 < $below
)
-- use: messages_of_hits

-- name: messages_within
-- Candidates by similarity and by words from one thread or one span of time. The messages of the thread or span are
-- selected first, and only these are compared. For a span of time and a question without words, the newest messages of
-- the span are candidates, too. The newest messages of the time that the question names are candidates, too.
-- `scanned`: maximum number of messages that are read. The newest are preferred.
-- `all_rarest`: whether `rarest` has all lexemes.
with asked as materialized (
  select $vector::halfvec as vector where speaks_active()
), terms as materialized (
  select term::tsquery as term from unnest($terms::text[]) as t (term)
), any_term as materialized (
  select string_agg(term, ' | ')::tsquery as term, $all_rarest::boolean as covered
  from unnest($terms::text[]) as t (term)
), scope as materialized (
  select chat_id, id, embedding, sent_at from messages
  where ($thread_key::text is null or thread_key = $thread_key)
    and sent_at >= coalesce($since::timestamptz, '-infinity') and sent_at < coalesce($ends::timestamptz, 'infinity')
    -- use: searched
  order by sent_at desc
  limit $scanned
), dense as materialized (
  select chat_id, id from scope
  where (select vector from asked) is not null and embedding is not null
  order by embedding <=> (select vector from asked)
  limit $of_each_kind
), worded as materialized (
  select f.chat_id, f.id, ts_rank(f.tsv, $rarest::tsquery) + ts_rank(f.tsv, $rarer_half::tsquery) as rank
  from messages_with($scope::tsquery && $rarest::tsquery) f
  where (f.chat_id, f.id) in (select chat_id, id from scope)
), lexical as materialized (
  select chat_id, id from worded
  order by rank desc, id desc
  limit $of_each_kind
), spanned as materialized (
  select chat_id, id from scope
  where cardinality($terms::text[]) = 0 and coalesce($since::timestamptz, $ends::timestamptz) is not null
  order by sent_at desc, id desc
  limit $of_each_kind
), dated as materialized (
  select chat_id, id from messages
  where $span_start::timestamptz is not null and ($thread_key::text is null or thread_key = $thread_key)
    and sent_at >= greatest($span_start, $since::timestamptz) and sent_at < least($span_end, $ends::timestamptz)
    -- use: searched
  order by sent_at desc, id desc
  limit $of_each_kind
), mentioning as materialized (
  select f.chat_id, f.id
  from messages_with($scope::tsquery && $time_terms::tsquery) f
  where (f.chat_id, f.id) in (select chat_id, id from scope)
  order by ts_rank(f.tsv, $time_terms::tsquery) desc, f.id desc
  limit $neighbored
), hits as materialized (
  select chat_id, id from dense union select chat_id, id from lexical union select chat_id, id from spanned
  union select chat_id, id from dated union select chat_id, id from mentioning
)
-- use: messages_of_hits

-- name: contents
-- $1 owner, $2 chats, $3 ids: the whole texts of these messages; `messages` returns only the beginning of each text
select m.chat_id, m.id, m.content
from unnest($2::bigint[], $3::bigint[]) as w (chat_id, id)
cross join lateral (
  select m.chat_id, m.id, m.content from messages m
  where m.owner_id = $1 and m.chat_id = w.chat_id and m.id = w.id offset 0) m

-- name: contents_as_of
-- $1 owner, $2 chats, $3 ids, $4 a time: the texts that the messages had at that time, only for messages that were
-- edited since
select w.chat_id, w.id, v.content
from unnest($2::bigint[], $3::bigint[]) as w (chat_id, id)
cross join lateral (
  select v.content from message_versions v
  where v.owner_id = $1 and v.chat_id = w.chat_id and v.id = w.id and v.replaced_at > $4
  order by v.version limit 1) v

-- part: memory_in_scope
-- The condition for a memory `m` that the search may find
    (chat_id is null or chat_id = $asked_in)
    and (status = any($statuses::text[]) or ($memories_as_of::timestamptz is not null and
      -- use: memories.was_sure
      and $memories_as_of <
        -- use: memories.believed_until
    ))
    and valid_from <= coalesce($memories_as_of, 'infinity')
    and valid_from >= coalesce($since::timestamptz, '-infinity') and valid_from < coalesce($ends::timestamptz, 'infinity')
-- end

-- part: summary_in_scope
    ($chat_id::bigint is null or chat_id = $chat_id) and kind = 'chunk'
    and ($thread_key::text is null or thread_key = $thread_key)
    and to_at >= coalesce($since::timestamptz, '-infinity') and from_at < coalesce($ends::timestamptz, 'infinity')
    and updated_at <= coalesce($as_of::timestamptz, 'infinity')
-- end

-- name: learned
-- Memories and chunk summaries by similarity and by words. If `memories_as_of` is a past time, memories that ended
-- later are included, too, with the text that they had at that time. This rule does not add memories that are
-- uncertain, or that were uncertain when the user rejected them. Summaries that were written or changed after `as_of`
-- are left out, because they can contain facts that were not known at that time.
-- `asked_starts`, `asked_ends`: the periods that the question names. Three things match: the memories that were learned
-- from words of these periods, the memories whose date is in these periods, and the summaries of these periods.
-- `most_memories`, `most_summaries`: maximum number of each kind of match, or 0 for none. `statuses`: the statuses of
-- the memories.
-- `owner_scope`: lexeme query of memories. `asked_in`: the chat of the call. Memories of `chat` scope are found in
-- their own chat only, even if all chats are searched.
-- `category_terms`: lexemes that may name a category. `categories`: words of the requested categories. `most_listed`:
-- maximum number of memories of these categories (`listed`). `named`: whether a model named the memory's categories.
-- `since`: the start of a summary's period.
with
-- use: asked
, alike as materialized (
  select id from memories m
  where $most_memories > 0 and (select vector from asked) is not null and owner_id = $owner_id
    and embedding is not null
    and
    -- use: memory_in_scope
  order by embedding <=> (select vector from asked)
  limit $most_memories::int
), worded as materialized (
  select id
  from (
    select m.id, m.chat_id, m.status, m.confidence, m.valid_from, m.valid_to, m.superseded_by, f.tsv
    from memories_with($owner_scope::tsquery && $rarest::tsquery) f
    cross join lateral (select * from memories m where m.owner_id = $owner_id and m.id = f.id offset 0) m
    where $most_memories > 0) m
  where
    -- use: memory_in_scope
  order by ts_rank(tsv, $rarest::tsquery) desc, id desc
  limit $most_memories
), kinds as materialized (
  select string_agg(quote_literal(lexeme), ' | ')::tsquery as term
  from unnest($category_terms::text[] || category_lexemes($categories)) as k (lexeme)
), listed as materialized (
  select id
  from (
    select m.id, m.chat_id, m.status, m.confidence, m.valid_from, m.valid_to, m.superseded_by
    from memories_with($owner_scope::tsquery && (select term from kinds)) f
    cross join lateral (select * from memories m where m.owner_id = $owner_id and m.id = f.id offset 0) m
    where $most_memories > 0) m
  where
    -- use: memory_in_scope
  order by valid_from desc, id desc
  limit $most_listed::int
), periods as materialized (
  select period_start, period_end
  from unnest($asked_starts::timestamptz[], $asked_ends::timestamptz[]) as p (period_start, period_end)
), dated as materialized (
  select id from memories m
  where $most_memories > 0 and cardinality($asked_starts) > 0 and owner_id = $owner_id
    and exists (
      select from periods
      where (valid_from >= period_start and valid_from < period_end)
        or (deadline < period_end and coalesce(happens_to, deadline) >= period_start))
    and
    -- use: memory_in_scope
  order by valid_from desc, id desc
  limit $most_memories
), dated_summaries as materialized (
  select chat_id, id from conversation_summaries
  where $most_summaries > 0 and cardinality($asked_starts) > 0 and owner_id = $owner_id
    and exists (select from periods where from_at < period_end and to_at >= period_start)
    and
    -- use: summary_in_scope
  order by to_at desc, id desc
  limit $most_summaries
), alike_summaries as materialized (
  select chat_id, id from conversation_summaries
  where $most_summaries > 0 and (select vector from asked) is not null and owner_id = $owner_id
    and embedding is not null
    and
    -- use: summary_in_scope
  order by embedding <=> (select vector from asked)
  limit $most_summaries::int
), worded_summaries as materialized (
  select chat_id, id
  from (
    select s.chat_id, s.id, s.kind, s.thread_key, s.from_at, s.to_at, s.updated_at, f.tsv
    from summaries_with($scope::tsquery && $rarest::tsquery) f
    cross join lateral (
      select * from conversation_summaries s
      where s.owner_id = $owner_id and s.chat_id = f.chat_id and s.id = f.id offset 0) s
    where $most_summaries > 0) found
  where
    -- use: summary_in_scope
  order by ts_rank(tsv, $rarest::tsquery) desc, id desc
  limit $most_summaries
)
select m.kind, m.id, m.chat_id, null as thread_key, coalesce(v.content, m.content) as text, m.valid_from as at,
  null::int as tokens, m.source_chat_id, m.source_ids,
  case when $memories_as_of is not null and $memories_as_of < coalesce(
      -- use: memories.believed_until
      , 'infinity') then 'active' else m.status end as status, m.note,
  1 - (m.embedding <=> (select vector from asked)) as cosine,
  case when ts_rank(m.tsv, (select term from any_term)) > 0
    then array(select ts_rank(m.tsv, term) from terms) end as ranks,
  m.id in (select id from listed) as listed, coalesce(cardinality(m.categories) > 0, false) as named,
  null::timestamptz as since, case when m.kind in ('goal', 'date') then m.deadline end as due,
  m.deadline as starts, coalesce(m.happens_to, m.deadline) as ends
from (
  select id from alike union select id from worded union select id from listed union select id from dated) h
cross join lateral (select * from memories m where m.owner_id = $owner_id and m.id = h.id offset 0) m
left join lateral (
  select content from memory_versions v
  where $memories_as_of is not null and v.owner_id = $owner_id and v.id = m.id and v.replaced_at > $memories_as_of
  order by v.version limit 1) v on true
union all
select 'summary', s.id, s.chat_id, s.thread_key, s.text, s.to_at, s.tokens, s.chat_id, array[s.from_id, s.to_id], null,
  false,
  1 - (s.embedding <=> (select vector from asked)),
  case when ts_rank(s.tsv, (select term from any_term)) > 0
    then array(select ts_rank(s.tsv, term) from terms) end,
  false, false, s.from_at, null, s.from_at, s.to_at
from (
  select chat_id, id from alike_summaries union select chat_id, id from worded_summaries
  union select chat_id, id from dated_summaries) h
cross join lateral (
  select * from conversation_summaries s
  where s.owner_id = $owner_id and s.chat_id = h.chat_id and s.id = h.id offset 0) s

-- name: query_lexemes
-- $1 text: its lexemes without stop words
select tsvector_to_array(to_tsvector('chatmem', $1))

-- name: document_frequencies
-- The frequencies of the most common lexemes of messages, from the planner's statistics. The result is empty before the
-- first `analyze`.
select lexeme, frequency from lexeme_frequencies()
