-- name: add
-- $1 owner, $2 chat, $3 id, $4 thread key, $5 answered message, $6 budget, $7 tokens, $8 truncated, $9 as of,
-- $10 sections, $11 included, $12 left out, $13 when the context was read, $14 the owner's count of erasures at that
-- time. If text was erased since the context was read, the receipt is not stored, because it may contain that text. The
-- lock waits for an erasure in progress. The column `query` stays empty.
with owner as materialized (
  select erasures from user_profile where owner_id = $1 for key share
)
insert into context_receipts (owner_id, chat_id, id, thread_key, message_id, token_budget, tokens, truncated, as_of,
  sections, included, left_out, created_at)
select $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13
where coalesce((select erasures from owner), 0) = $14

-- name: find
-- $1 owner, $2 id
select owner_id, chat_id, id, thread_key, message_id, token_budget, tokens, truncated, as_of, sections, included, left_out,
  created_at
from context_receipts
where owner_id = $1 and id = $2

-- name: of_message
-- $1 owner, $2 chat, $3 message number: the contexts built for the message. For an answer, the result includes the
-- contexts of the message that it answers.
select id from context_receipts
where owner_id = $1 and chat_id = $2
  and message_id in ($3, (select exchange_of from messages where owner_id = $1 and chat_id = $2 and id = $3))
order by created_at

-- name: erase_all
-- $1 owner
delete from context_receipts
where owner_id = $1
