-- name: count_left
-- across owners: the server's own background work.
-- The number of texts that have no vector yet
select (select count(*) from messages where embedding is null)
  + (select count(*) from memories where embedding is null)
  + (select count(*) from conversation_summaries where embedding is null)

-- name: drop_all
-- across owners: the operator has all vectors computed again.
with of_messages as (
  update messages set embedding = null, ebits = null where embedding is not null
), of_memories as (
  update memories set embedding = null where embedding is not null
)
update conversation_summaries set embedding = null where embedding is not null
