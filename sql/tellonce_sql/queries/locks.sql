-- Session locks for work that only one process of a memory may do at a time

-- name: take
-- $1 lock: whether this session has it now; never waited for
select pg_try_advisory_lock($1)

-- name: release
-- $1 lock
select pg_advisory_unlock($1)
