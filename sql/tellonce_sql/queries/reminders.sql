-- name: set
-- $1 owner, $2 memory, $3 chat, $4 topic or null, $5 due at, $6 repetition or null, $7 now, $8 time of the delivery or
-- null. If the memory has an alarm already, nothing changes, even if that alarm was delivered.
insert into reminders (owner_id, memory_id, chat_id, message_thread_id, due_at, repeats, created_at, done_at)
values ($1, $2, $3, $4, $5, $6, $7, $8)
on conflict (owner_id, memory_id) do nothing

-- part: columns
m.*, r.due_at, r.repeats, r.message_thread_id, r.chat_id as alarm_chat_id
-- end

-- part: reminder
select
  -- use: columns
from reminders r
join memories m on m.owner_id = $1 and m.id = r.memory_id
-- end

-- name: one
-- $1 owner, $2 memory
-- use: reminder
where r.owner_id = $1 and r.memory_id = $2

-- name: delivered
-- $1 owner, $2 chat, $3 a memory's text, $4 a due time: the delivered reminder with this text and time, if any
-- use: reminder
where r.owner_id = $1 and r.chat_id = $2 and m.content = $3 and r.due_at = $4 and r.done_at is not null
limit 1

-- name: pending
-- $1 owner, $2 chat: upcoming reminders, the next one first
-- use: reminder
where r.owner_id = $1 and r.chat_id = $2 and r.done_at is null and m.status = 'active' and m.valid_to is null
order by r.due_at, m.id

-- name: owners
-- across owners: a relay delivers the alarms of all owners.
-- $1 now. Returns each owner with undelivered alarms, with the times of the oldest due alarm and of the next alarm.
select owner_id, min(due_at) filter (where due_at <= $1) as due_at, min(due_at) filter (where due_at > $1) as next_at
from reminders
where done_at is null
group by owner_id

-- name: claim
-- $1 owner, $2 now, $3 worker, $4 end of the lease, $5 chat or null for all: claims due reminders that no other worker
-- has claimed. A worker that was restarted gets its own claims back at once.
update reminders r
set worker = $3, leased_until = $4
from memories m
where r.owner_id = $1 and r.done_at is null and r.due_at <= $2 and ($5::bigint is null or r.chat_id = $5)
  and (r.worker = $3 or r.leased_until is null or r.leased_until < $2)
  and m.owner_id = $1 and m.id = r.memory_id and m.status = 'active' and m.valid_to is null
returning
  -- use: columns

-- name: finish
-- $1 owner, $2 memory, $3 the time at which the reminder was due, $4 the next time or null, $5 now: finishes one
-- delivery. A repeated call has no effect. If $4 is null, the memory is completed.
with finished as (
  update reminders
  set due_at = coalesce($4, due_at), done_at = case when $4::timestamptz is null then $5::timestamptz end, worker = null,
    leased_until = null
  where owner_id = $1 and memory_id = $2 and due_at = $3 and done_at is null
  returning memory_id
), changed as (
  update user_profile set memories_changed_at = $5 where owner_id = $1
)
update memories
set deadline = coalesce($4, deadline), updated_at = $5,
  status = case when $4::timestamptz is null then 'completed' else status end,
  valid_to = case when $4::timestamptz is null then greatest($3::timestamptz, valid_from) end,
  reason = case when $4::timestamptz is null then 'the reminder was delivered' end
where owner_id = $1 and id in (select memory_id from finished)
returning id

-- name: move
-- $1 owner, $2 memory, $3 the new time, or null to keep the current time, $4 now. A delivered alarm becomes pending
-- again only if its time is in the future. The memory is due at the same time.
with moved as (
  update reminders
  set due_at = coalesce($3, due_at), done_at = case when coalesce($3, due_at) > $4 then null else done_at end, worker = null,
    leased_until = null
  where owner_id = $1 and memory_id = $2
  returning memory_id, due_at
)
update memories m
set deadline = moved.due_at
from moved
where m.owner_id = $1 and m.id = moved.memory_id
returning m.id
