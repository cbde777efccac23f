-- name: send
-- $1 channel, $2 payload
select pg_notify($1, $2)
