-- name: add
-- $1 hash, $2 name, $3 user or null, $4 scopes, $5 now. A token of the same name is replaced.
insert into access_tokens (token_hash, name, user_id, scopes, created_at) values ($1, $2, $3, $4, $5)
on conflict (name) do update set token_hash = $1, user_id = $3, scopes = $4, created_at = $5, revoked_at = null

-- name: find
-- $1 hashes
select token_hash, name, user_id, scopes from access_tokens
where token_hash = any($1::bytea[]) and revoked_at is null

-- name: all
select name, user_id, scopes, created_at, revoked_at from access_tokens
order by name

-- name: revoke
-- $1 name, $2 now
update access_tokens set revoked_at = $2
where name = $1 and revoked_at is null
returning name
