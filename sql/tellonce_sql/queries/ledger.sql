-- name: add
-- $1 owner, $2 chat, $3 job, $4 kind, $5 model, $6 tier, $7 input and $8 output tokens, $9 seconds, $10 price, $11 ok,
-- $12 note, $13 now, $14 whether the provider could not be reached, $15 whether the job was past work (an import, or
-- work done again)
insert into model_calls (owner_id, chat_id, job_id, kind, model, tier, input_tokens, output_tokens, seconds, price_usd,
  ok, note, at, down, past)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)

-- name: since
-- across owners: these figures are of all owners together.
-- $1 since
select count(*) as calls, coalesce(sum(input_tokens), 0)::bigint as input_tokens,
  coalesce(sum(output_tokens), 0)::bigint as output_tokens, coalesce(sum(price_usd), 0)::float8 as price_usd,
  coalesce(sum(price_usd) filter (where past), 0)::float8 as past_usd
from model_calls
where at >= $1

-- name: months
-- across owners: these figures are of all owners together.
select to_char(date_trunc('month', at at time zone 'UTC'), 'YYYY-MM') as month, count(*) as calls,
  coalesce(sum(price_usd), 0)::float8 as price_usd
from model_calls
group by 1
order by 1 desc
limit 24

-- name: per_exchange
-- across owners: these figures are of all owners together.
-- $1 since, $2 tier. Returns the mean dollars and seconds that this tier needs to read one exchange. They are null if
-- the tier has read no exchange.
select (sum(price_usd) / nullif(count(distinct (owner_id, chat_id, job_id)), 0))::float8 as price_usd,
  (sum(seconds) / nullif(count(distinct (owner_id, chat_id, job_id)), 0))::float8 as seconds
from model_calls
where at >= $1 and kind = 'exchange' and ok and tier = $2

-- name: down
-- across owners: all owners use the same providers.
-- $1 since. Returns the tiers whose provider is unreachable, with the newest reason. A provider is unreachable if every
-- call since its last answer failed to reach it.
select c.tier, max(c.model) as model, min(c.at) as since, (array_agg(c.note order by c.at desc))[1] as reason
from model_calls c
where c.down and c.at > coalesce(
  (select max(o.at) from model_calls o where o.tier = c.tier and not o.down and o.at >= $1), $1)
group by c.tier
order by since
