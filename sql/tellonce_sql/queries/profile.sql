-- name: find
-- $1 owner
select narrative, version, model
from user_profile
where owner_id = $1

-- name: put
-- $1 owner, $2 narrative, $3 facts, $4 preferences, $5 goals, $6 dates, $7 model, $8 provisional, $9 now, $10 the time
-- at which the profile's job was queued
with old as (
  insert into text_versions (owner_id, chat_id, subject, version, value, since, replaced_at)
  select owner_id, 0, 'profile', version, jsonb_build_object('narrative', former_lines_of($1, narrative)), built_at, $9
  from user_profile where owner_id = $1
  on conflict do nothing
)
update user_profile
set narrative = $2, raw_facts = $3, raw_preferences = $4, raw_goals = $5, raw_dates = $6, model = $7, provisional = $8,
  built_at = $9, queued_at = $10, version = version + 1, exchanges_since = 0
where owner_id = $1

-- name: begin_erasure
-- $1 owner. Adds one to the owner's count of erasures. A receipt is stored only if this count has not changed since its
-- context was read. The row is locked `for update`. A new receipt takes a `key share` lock on this row. Only a
-- `for update` lock makes the receipt wait.
with owner as materialized (
  select owner_id from user_profile where owner_id = $1 for update
)
update user_profile set erasures = erasures + 1
where owner_id = $1 and exists (select from owner)

-- name: count_exchange
-- $1 owner: counts one more exchange since the profile was built. Returns whether memories changed since the profile's
-- job was queued, and whether some of them ended, were reworded or became uncertain.
update user_profile p set exchanges_since = exchanges_since + 1
where owner_id = $1
returning exchanges_since, built_at is null as first,
  memories_changed_at is not null and (queued_at is null or memories_changed_at > queued_at) as stale,
  exists (
    select from memories m
    where m.owner_id = $1 and (m.valid_to is not null or m.version > 1 or m.overdue_at is not null)
      and m.updated_at > p.queued_at) as wrong
