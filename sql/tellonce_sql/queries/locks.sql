-- Session locks. They protect work that only one process of a memory is allowed to do at a time.

-- name: take
-- $1 lock: takes the lock if it is free, without waiting. Returns whether this session has the lock now.
select pg_try_advisory_lock($1)

-- name: release
-- $1 lock
select pg_advisory_unlock($1)
