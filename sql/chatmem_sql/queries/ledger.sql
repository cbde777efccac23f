-- name: add
-- $1 owner, $2 chat, $3 job, $4 kind, $5 model, $6 rung, $7 input and $8 output tokens, $9 seconds, $10 price, $11 ok,
-- $12 note, $13 now
insert into model_calls (owner_id, chat_id, job_id, kind, model, rung, input_tokens, output_tokens, seconds, price_usd,
  ok, note, at)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)

-- name: since
-- across owners: the operator's
-- $1 since
select count(*) as calls, coalesce(sum(input_tokens), 0)::bigint as input_tokens,
  coalesce(sum(output_tokens), 0)::bigint as output_tokens, coalesce(sum(price_usd), 0)::float8 as price_usd
from model_calls
where at >= $1

-- name: last_failure
-- across owners: the operator's
-- $1 since: the newest call of a paid or local model that failed after its last success
select max(at) filter (where not ok) as failed_at, max(at) filter (where ok) as ok_at
from model_calls
where at >= $1 and rung <> 'offline'
