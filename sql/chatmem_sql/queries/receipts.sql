-- name: add
-- $1 owner, $2 chat, $3 id, $4 thread key, $5 answered message, $6 query, $7 budget, $8 tokens, $9 truncated, $10 as of,
-- $11 sections, $12 included, $13 left out, $14 when its rows were read, $15 the owner's erasures then. What was read
-- before something was forgotten is not kept: it may hold it. The lock waits for an erasure under way.
with owner as materialized (
  select erasures from user_profile where owner_id = $1 for key share
)
insert into context_receipts (owner_id, chat_id, id, thread_key, message_id, query, token_budget, tokens, truncated,
  as_of, sections, included, left_out, created_at)
select $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14
where coalesce((select erasures from owner), 0) = $15

-- name: find
-- $1 owner, $2 id
select * from context_receipts
where owner_id = $1 and id = $2

-- name: of_message
-- the contexts made for a message; of an answer, those made for the message it answers
-- $1 owner, $2 chat, $3 message number
select id from context_receipts
where owner_id = $1 and chat_id = $2
  and message_id in ($3, (select exchange_of from messages where owner_id = $1 and chat_id = $2 and id = $3))
order by created_at

-- name: erase_all
-- $1 owner, $2 chat or null for all of the owner
delete from context_receipts
where owner_id = $1 and ($2::bigint is null or chat_id = $2)
returning id
