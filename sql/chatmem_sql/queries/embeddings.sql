-- name: messages
-- across owners: the operator's
-- Forget every message's vector, so that it is computed again
update messages set embedding = null, ebits = null
where embedding is not null

-- name: memories
-- across owners: the operator's
-- Forget every memory's vector
update memories set embedding = null
where embedding is not null

-- name: summaries
-- across owners: the operator's
-- Forget every summary's vector
update conversation_summaries set embedding = null
where embedding is not null
