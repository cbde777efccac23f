-- name: texts
-- $1 owner, $2 patterns: where any text of the owner still holds one of them, and how often; after forgetting, nowhere
select place, count(*) from (
  select 'messages' as place from messages
  where owner_id = $1 and (content ilike any($2::text[]) or routine_summary ilike any($2::text[]))
  union all
  select 'message_versions' from message_versions
  where owner_id = $1 and content ilike any($2::text[])
  union all
  select 'conversation_summaries' from conversation_summaries
  where owner_id = $1 and (text ilike any($2::text[]) or body::text ilike any($2::text[]))
  union all
  select 'text_versions' from text_versions
  where owner_id = $1 and value::text ilike any($2::text[])
  union all
  select 'chat_metadata' from chat_metadata
  where owner_id = $1 and (user_confirmed ilike any($2::text[]) or llm_inferred ilike any($2::text[])
    or general_summary ilike any($2::text[]))
  union all
  select 'memories' from memories
  where owner_id = $1 and (content ilike any($2::text[]) or quote ilike any($2::text[]))
  union all
  select 'memory_versions' from memory_versions
  where owner_id = $1 and content ilike any($2::text[])
  union all
  select 'user_profile' from user_profile
  where owner_id = $1 and (narrative ilike any($2::text[]) or raw_facts::text ilike any($2::text[])
    or raw_preferences::text ilike any($2::text[]) or raw_goals::text ilike any($2::text[])
    or raw_dates::text ilike any($2::text[]))
  union all
  select 'chat_context_queue' from chat_context_queue
  where owner_id = $1 and (result::text ilike any($2::text[]) or error ilike any($2::text[]))
  union all
  select 'context_receipts' from context_receipts
  where owner_id = $1 and (sections::text ilike any($2::text[]) or query ilike any($2::text[]))
  union all
  select 'thread_state' from thread_state
  where owner_id = $1 and slot::text ilike any($2::text[])
) found
group by place

-- name: lexemes
-- $1 owner, $2 tsquery text, $3 scope lexeme query: full-text rows that still hold all of the words
select
  (select count(*) from messages_with($3::tsquery && $2::tsquery))
  + (select count(*) from memories where owner_id = $1 and tsv @@ $2::tsquery)
  + (select count(*) from conversation_summaries where owner_id = $1 and tsv @@ $2::tsquery)

-- name: near
-- $1 owner, $2 vector, $3 cosine: memories whose meaning is that of what was forgotten
select count(*) from memories
where owner_id = $1 and embedding is not null and 1 - (embedding <=> $2::halfvec) >= $3
