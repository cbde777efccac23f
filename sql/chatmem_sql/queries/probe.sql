-- name: texts
-- $1 owner, $2 patterns: every text in use of the owner that matches one of them; whether it states what was forgotten
-- is for the caller to judge
select content as text from messages
where owner_id = $1 and content ilike any($2::text[])
union all
select routine_summary from messages
where owner_id = $1 and routine_summary ilike any($2::text[])
union all
select text || chr(10) || body::text from conversation_summaries
where owner_id = $1 and (text ilike any($2::text[]) or body::text ilike any($2::text[]))
union all
select value::text from text_versions
where owner_id = $1 and value::text ilike any($2::text[])
union all
select concat_ws(chr(10), user_confirmed, llm_inferred, general_summary) from chat_metadata
where owner_id = $1 and concat_ws(chr(10), user_confirmed, llm_inferred, general_summary) ilike any($2::text[])
union all
select concat_ws(chr(10), content, quote) from memories
where owner_id = $1 and (content ilike any($2::text[]) or quote ilike any($2::text[]))
union all
select concat_ws(chr(10), narrative, raw_facts, raw_preferences, raw_goals, raw_dates) from user_profile
where owner_id = $1
  and concat_ws(chr(10), narrative, raw_facts, raw_preferences, raw_goals, raw_dates) ilike any($2::text[])
union all
select concat_ws(chr(10), result, error) from chat_context_queue
where owner_id = $1 and (result::text ilike any($2::text[]) or error ilike any($2::text[]))
union all
select concat_ws(chr(10), sections, query) from context_receipts
where owner_id = $1 and (sections::text ilike any($2::text[]) or query ilike any($2::text[]))
union all
select slot::text from thread_state
where owner_id = $1 and slot::text ilike any($2::text[])

-- name: lexemes
-- $1 owner, $2 tsquery text, $3 scope lexeme query: texts whose full-text row holds all of the words
select m.content as text from messages_with($3::tsquery && $2::tsquery) f
join messages m on m.owner_id = $1 and m.chat_id = f.chat_id and m.id = f.id
union all
select m.content from memories_with($3::tsquery && $2::tsquery) f
join memories m on m.owner_id = $1 and m.id = f.id
union all
select s.text || chr(10) || s.body::text from summaries_with($3::tsquery && $2::tsquery) f
join conversation_summaries s on s.owner_id = $1 and s.chat_id = f.chat_id and s.id = f.id

-- name: near
-- $1 owner, $2 vector, $3 cosine: memories whose meaning is that of what was forgotten
select count(*) from memories
where owner_id = $1 and embedding is not null and 1 - (embedding <=> (select of_active($2::halfvec))) >= $3
