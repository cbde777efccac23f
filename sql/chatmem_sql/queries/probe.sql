-- name: texts
-- $1 owner, $2 patterns: every text of the owner that matches one of them, of JSON its strings; whether it states what was
-- forgotten is for the caller to judge
select content as text from messages
where owner_id = $1 and content ilike any($2::text[])
union all
select routine_summary from messages
where owner_id = $1 and routine_summary ilike any($2::text[])
union all
select t.text from conversation_summaries s
cross join lateral (select concat_ws(chr(10), s.text, strings_of(s.body)) as text offset 0) t
where s.owner_id = $1 and t.text ilike any($2::text[])
union all
select line from former_lines
where owner_id = $1 and line ilike any($2::text[])
union all
select concat_ws(chr(10), user_confirmed, llm_inferred, general_summary) from chat_metadata
where owner_id = $1 and concat_ws(chr(10), user_confirmed, llm_inferred, general_summary) ilike any($2::text[])
union all
select t.text from memories m
cross join lateral (select concat_ws(chr(10), m.content, strings_of(m.quotes), m.about, m.reason) as text offset 0) t
where m.owner_id = $1 and t.text ilike any($2::text[])
union all
select t.text from user_profile p
cross join lateral (select concat_ws(chr(10), p.narrative, strings_of(p.raw_facts), strings_of(p.raw_preferences),
  strings_of(p.raw_goals), strings_of(p.raw_dates)) as text offset 0) t
where p.owner_id = $1 and t.text ilike any($2::text[])
union all
select t.text from chat_context_queue j
cross join lateral (select concat_ws(chr(10), strings_of(j.result), j.error) as text offset 0) t
where j.owner_id = $1 and t.text ilike any($2::text[])
union all
select t.text from context_receipts r
cross join lateral (select concat_ws(chr(10), strings_of(r.sections), r.query) as text offset 0) t
where r.owner_id = $1 and t.text ilike any($2::text[])
union all
select t.text from thread_state s cross join lateral (select strings_of(s.slot - 'type') as text offset 0) t
where s.owner_id = $1 and t.text ilike any($2::text[])

-- name: lexemes
-- $1 owner, $2 tsquery text, $3 scope lexeme query: texts whose full-text row holds all of the words
select m.content as text from messages_with($3::tsquery && $2::tsquery) f
join messages m on m.owner_id = $1 and m.chat_id = f.chat_id and m.id = f.id
union all
select m.content from memories_with($3::tsquery && $2::tsquery) f
join memories m on m.owner_id = $1 and m.id = f.id
union all
select concat_ws(chr(10), s.text, strings_of(s.body)) from summaries_with($3::tsquery && $2::tsquery) f
join conversation_summaries s on s.owner_id = $1 and s.chat_id = f.chat_id and s.id = f.id

-- name: near
-- $1 owner, $2 vector, $3 cosine: memories whose meaning is that of what was forgotten
select count(*) from memories
where owner_id = $1 and embedding is not null and 1 - (embedding <=> (select of_active($2::halfvec))) >= $3
