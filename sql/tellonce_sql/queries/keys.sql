-- name: obtain
-- $1 name, $2 a new key, $3 now: returns the stored key of that name. If there is none, the new key is stored and
-- returned.
with new as (
  insert into server_keys (name, key, created_at) values ($1, $2, $3)
  on conflict (name) do nothing
  returning key
)
select key from new
union all
select key from server_keys where name = $1
limit 1
