-- part: receipt
owner_id, chat_id, id, thread_key, message_id, token_budget, tokens, truncated, as_of, sections, included, left_out,
created_at
-- end

-- name: add
-- erasures: the owner's count of erasures when the context was read. If text was erased since then, the receipt is not
-- stored, because it may contain that text. The lock waits for an erasure in progress. The column `query` stays empty. The
-- commit does not wait for the disk: a power failure may lose the newest receipts.
with quickly as materialized (
  select set_config('synchronous_commit', 'off', true)
),
owner as materialized (
  select erasures from user_profile where owner_id = $owner_id for key share
)
insert into context_receipts (
  -- use: receipt
)
select
  -- values: receipt
where coalesce((select erasures from owner), 0) = $erasures and exists (select from quickly)

-- name: find
-- $1 owner, $2 id
select
  -- use: receipt
from context_receipts
where owner_id = $1 and id = $2

-- name: of_message
-- $1 owner, $2 chat, $3 message number: the contexts built for the message. If the message is an answer, the result
-- includes the contexts of the answered message.
select id from context_receipts
where owner_id = $1 and chat_id = $2
  and message_id in ($3, (select exchange_of from messages where owner_id = $1 and chat_id = $2 and id = $3))
order by created_at

-- name: erase_all
-- $1 owner
delete from context_receipts
where owner_id = $1
