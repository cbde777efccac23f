-- name: request
-- $1 now. Stores the time of the latest erasure.
update scrubs set requested_at = $1

-- name: due
-- $1 a time. Returns true if text was erased since the last scrub, and that scrub was not after $1.
select requested_at is not null and (done_at is null or (done_at < requested_at and done_at <= $1)) from scrubs

-- name: done
-- $1 when the scrub began. If text was erased later, the scrub does not cover this text, and another scrub stays
-- requested.
update scrubs
set done_at = $1, requested_at = case when requested_at > $1 then requested_at end

-- name: rewrites
-- The tables of owners, found in the catalog, and the statements that rewrite them. The second statement marks the new
-- pages as visible to all; `vacuum full` does not mark them. Without these marks, index-only scans read every row from
-- the table.
select c.relname::text as name,
  array[format('vacuum (full, analyze) %s', c.oid::regclass), format('vacuum (index_cleanup off) %s', c.oid::regclass)]
    as statements
from pg_class c
join pg_attribute owned on owned.attrelid = c.oid and owned.attname = 'owner_id'
where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r'
order by c.relname

-- name: rewrite_statistics
-- The planner's statistics contain words of texts. Only a superuser may run this statement.
vacuum full pg_catalog.pg_statistic

-- name: wait_shortly
-- A session that waits for a table lock makes all later sessions wait too, so such a session must give up soon.
select set_config('lock_timeout', '400ms', false)

-- name: longest_wait
-- $1 a server process: the longest time, in seconds, that another session has waited behind this process. A session
-- waits behind the process if the process holds the lock or requested it earlier.
select coalesce(max(extract(epoch from clock_timestamp() - waitstart)), 0)::float8
from pg_locks
where not granted and $1 = any(pg_blocking_pids(pid))

-- name: cancel
-- $1 a server process of the same login: cancels its statement
select pg_cancel_backend($1)

-- name: checkpoint
-- Writes all changed data from memory to the files, and removes log segments that are no longer needed
checkpoint

-- name: switch_log
-- Closes the current log segment, so that the next checkpoint can remove it
select pg_switch_wal()
