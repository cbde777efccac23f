-- name: zone
-- The time zone in which the stored whole days begin; null before the first start. The row stays locked until the end of
-- the transaction.
select zone from calendar for update

-- name: present
-- The time zone in which the stored whole days begin; null before the first start
select zone from calendar

-- name: fresh
-- across owners: the time zone belongs to the whole database.
-- Whether the database has neither a time zone nor a memory.
select zone is null and not exists (select from memories) from calendar

-- name: set_zone
-- $1 a time zone
update calendar set zone = $1

-- name: mark_days
-- across owners: the time zone belongs to the whole database.
-- $1 the time zone. Marks stored times that are whole days. They were stored before the database knew its time zone.
update memories
set deadline_is_day = coalesce(is_day(deadline, $1), false),
  happens_on_days = coalesce(happens_precision <> 'instant' and is_day(coalesce(happens_from, happens_to), $1)
    and is_day(coalesce(happens_to, happens_from), $1), false)
where is_day(deadline, $1) or is_day(coalesce(happens_from, happens_to), $1)

-- name: move_days
-- across owners: the time zone belongs to the whole database.
-- $1 the former time zone, $2 the new one. Every whole day stays the same day. The end of a statement is a whole day in
-- two cases: it is at midnight, or the statement ends with its deadline or event, and this is a whole day. The time of
-- a reminder is a moment, even at midnight.
update memories m
set deadline = case when deadline_is_day then same_day(deadline, $1, $2) else deadline end,
  happens_from = case when happens_on_days then same_day(happens_from, $1, $2) else happens_from end,
  happens_to = case when happens_on_days then same_day(happens_to, $1, $2) else happens_to end,
  valid_from = case when (valid_from at time zone $1)::time = '00:00' then same_day(valid_from, $1, $2) else valid_from end,
  valid_to = case
    when (valid_to at time zone $1)::time = '00:00' or case when happens_to is null then deadline_is_day and valid_to = deadline
      else happens_on_days and valid_to = happens_to end
    then same_day(valid_to, $1, $2) else valid_to end
where (deadline_is_day or happens_on_days or (valid_from at time zone $1)::time = '00:00' or (valid_to at time zone $1)::time = '00:00')
  and not exists (select from reminders r where r.owner_id = m.owner_id and r.memory_id = m.id)

-- name: move_repeated
-- across owners: the time zone belongs to the whole database.
-- $1 the former time zone, $2 the new one, $3 now. Moves the repeated reminders that have a time of day. In the new
-- zone, such a reminder is due at the same time of the same day. So it comes once on each day. Reminders every few
-- minutes or hours keep their next moment. A reminder that a worker is delivering is left alone, so that it is not
-- delivered again.
with moved as (
  update reminders
  set due_at = (due_at at time zone $1) at time zone $2
  where done_at is null and (leased_until is null or leased_until < $3) and repeats ~ '^(\S+ [\d,]+ |R/\S+/P\d+[DM])'
  returning owner_id, memory_id, due_at
)
update memories m set deadline = moved.due_at
from moved
where m.owner_id = moved.owner_id and m.id = moved.memory_id

-- name: restamp
-- across owners: the time zone belongs to the whole database.
-- $1 the former time zone, $2 the new one. The text of a single reminder ends with its time. Rewrites this time for the
-- new zone. The moment stays. The server computes the vector and the word key again.
update memories m
set content = left(content, -length(stamp.former)) || stamp.present, version = version + 1, words_key = null,
  embedding = null, tsv = tsv || to_tsvector('chatmem', stamp.present)
from reminders r
cross join lateral (
  select to_char(x.deadline at time zone $1, '" ("YYYY-MM-DD HH24:MI")"') as former,
    to_char(x.deadline at time zone $2, '" ("YYYY-MM-DD HH24:MI")"') as present
  from memories x where x.owner_id = r.owner_id and x.id = r.memory_id
) stamp
where r.repeats is null and m.owner_id = r.owner_id and m.id = r.memory_id
  and right(m.content, length(stamp.former)) = stamp.former and stamp.former <> stamp.present

-- name: narrated
-- across owners: the time zone belongs to the whole database.
-- The owners who have a profile text
select owner_id from user_profile where narrative <> ''
