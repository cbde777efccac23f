-- name: seen
-- across owners: a worker serves all owners.
-- $1 worker, $2 now, $3 a time. Stores $2 as the time when the worker was last seen, and deletes workers last seen
-- before $3.
with dropped as (
  delete from workers where seen_at < $3 and worker <> $1
)
insert into workers (worker, seen_at) values ($1, $2)
on conflict (worker) do update set seen_at = excluded.seen_at

-- name: holder_seen
-- across owners: a worker serves all owners.
-- $1 owner, $2 chat, $3 job, $4 the job's fence, $5 now. Stores $5 as the time when the worker that holds the job was
-- last seen.
insert into workers (worker, seen_at)
select q.lease_by, $5 from chat_context_queue q
where q.owner_id = $1 and q.chat_id = $2 and q.id = $3 and q.fence = $4 and q.lease_by is not null
on conflict (worker) do update set seen_at = excluded.seen_at

-- name: at_work
-- across owners: a worker serves all owners.
-- $1 a time, $2 a worker to ignore. Whether any other worker was seen since $1.
select exists (select from workers where seen_at >= $1 and worker <> $2)

-- name: left
-- across owners: a worker serves all owners.
-- $1 a worker that stopped.
delete from workers where worker = $1
