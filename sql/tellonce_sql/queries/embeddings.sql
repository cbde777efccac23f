-- name: models
-- The active model and the former model. Vectors of models that are not active are stored as spare vectors.
select active, former from embedding_models

-- name: settle
-- $1 model, $2 now: makes the model the active one if there is none yet
update embedding_models set active = $1, changed_at = $2
where active is null

-- name: messages_left
-- across owners: the operator changes the model for all owners
-- $1 model, $2 owner, $3 chat and $4 number of the last row already read, $5 how many: the messages without a spare
-- vector of this model
select m.owner_id, m.chat_id, m.id, m.version, coalesce(m.speaker, m.role) || ': ' || m.content as text
from messages m
where (m.owner_id, m.chat_id, m.id) > ($2, $3, $4)
  and not exists (select from spare_vectors s
    where s.owner_id = m.owner_id and s.model = $1 and s.kind = 'message' and s.chat_id = m.chat_id and s.id = m.id
      and s.version = m.version)
order by m.owner_id, m.chat_id, m.id
limit $5

-- name: memories_left
-- across owners: the operator changes the model for all owners
-- Like messages_left, for memories. The column for the chat is always 0.
select m.owner_id, 0::bigint as chat_id, m.id, m.version, m.content as text
from memories m
where (m.owner_id, 0::bigint, m.id) > ($2, $3, $4)
  and not exists (select from spare_vectors s
    where s.owner_id = m.owner_id and s.model = $1 and s.kind = 'memory' and s.chat_id = 0 and s.id = m.id
      and s.version = m.version)
order by m.owner_id, m.id
limit $5

-- name: summaries_left
-- across owners: the operator changes the model for all owners
-- Like messages_left, for summaries
select m.owner_id, m.chat_id, m.id, m.version, m.text
from conversation_summaries m
where (m.owner_id, m.chat_id, m.id) > ($2, $3, $4)
  and not exists (select from spare_vectors s
    where s.owner_id = m.owner_id and s.model = $1 and s.kind = 'summary' and s.chat_id = m.chat_id and s.id = m.id
      and s.version = m.version)
order by m.owner_id, m.chat_id, m.id
limit $5

-- name: keep
-- across owners: the operator changes the model for all owners
-- $1 model, $2 kind, and one array for each column: $3 owners, $4 chats, $5 ids, $6 versions, $7 vectors, $8 codes
insert into spare_vectors (owner_id, model, kind, chat_id, id, version, embedding, ebits)
select owner_id, $1, $2, chat_id, id, version, embedding, ebits::bit(384)
from unnest($3::bigint[], $4::bigint[], $5::bigint[], $6::int[], $7::halfvec[], $8::varbit[])
  as v (owner_id, chat_id, id, version, embedding, ebits)
on conflict (owner_id, model, kind, chat_id, id) do update
set version = excluded.version, embedding = excluded.embedding, ebits = excluded.ebits

-- name: drop_others
-- across owners: the operator changes the model for all owners
-- $1 model: deletes the spare vectors of all other models
delete from spare_vectors where model <> $1

-- name: drop_taken
-- across owners: the operator changes the model for all owners
-- $1 model: deletes the spare vectors of this model, which the take_ statements have copied to the tables
delete from spare_vectors where model = $1

-- name: put_away_messages
-- across owners: the operator changes the model for all owners
-- $1 the active model: copies this model's vectors of messages to `spare_vectors`, so that the
-- change of model can be undone
insert into spare_vectors (owner_id, model, kind, chat_id, id, version, embedding, ebits)
select owner_id, $1, 'message', chat_id, id, version, embedding, ebits from messages where embedding is not null
on conflict (owner_id, model, kind, chat_id, id) do update
set version = excluded.version, embedding = excluded.embedding, ebits = excluded.ebits

-- name: put_away_memories
-- across owners: the operator changes the model for all owners
-- $1 the active model: like put_away_messages, for memories. The table `memories` computes the codes of
-- memories from their vectors, so zeros are stored here.
insert into spare_vectors (owner_id, model, kind, chat_id, id, version, embedding, ebits)
select owner_id, $1, 'memory', 0, id, version, embedding, repeat('0', 384)::bit(384)
from memories where embedding is not null
on conflict (owner_id, model, kind, chat_id, id) do update set version = excluded.version, embedding = excluded.embedding

-- name: put_away_summaries
-- across owners: the operator changes the model for all owners
-- $1 the active model: like put_away_messages, for summaries. Summaries have no codes, so zeros are
-- stored.
insert into spare_vectors (owner_id, model, kind, chat_id, id, version, embedding, ebits)
select owner_id, $1, 'summary', chat_id, id, version, embedding, repeat('0', 384)::bit(384)
from conversation_summaries where embedding is not null
on conflict (owner_id, model, kind, chat_id, id) do update set version = excluded.version, embedding = excluded.embedding

-- name: take_messages
-- across owners: the operator changes the model for all owners
-- $1 the new model. The spare vectors of this model become the vectors of the messages. A message gets null if its
-- current version has no spare vector.
update messages m
set embedding = n.embedding, ebits = n.ebits
from messages k
left join spare_vectors n on n.owner_id = k.owner_id and n.model = $1 and n.kind = 'message' and n.chat_id = k.chat_id
  and n.id = k.id and n.version = k.version
where m.owner_id = k.owner_id and m.chat_id = k.chat_id and m.id = k.id
  and (m.embedding is not null or n.embedding is not null)

-- name: take_memories
-- across owners: the operator changes the model for all owners
-- $1 the new model: like take_messages, for memories
update memories m
set embedding = n.embedding
from memories k
left join spare_vectors n on n.owner_id = k.owner_id and n.model = $1 and n.kind = 'memory' and n.chat_id = 0
  and n.id = k.id and n.version = k.version
where m.owner_id = k.owner_id and m.id = k.id and (m.embedding is not null or n.embedding is not null)

-- name: take_summaries
-- across owners: the operator changes the model for all owners
-- $1 the new model: like take_messages, for summaries
update conversation_summaries m
set embedding = n.embedding
from conversation_summaries k
left join spare_vectors n on n.owner_id = k.owner_id and n.model = $1 and n.kind = 'summary' and n.chat_id = k.chat_id
  and n.id = k.id and n.version = k.version
where m.owner_id = k.owner_id and m.chat_id = k.chat_id and m.id = k.id
  and (m.embedding is not null or n.embedding is not null)

-- name: activate
-- $1 model, $2 now. A switch of models runs this statement first. Other sessions that write vectors wait until the
-- switch is committed. After that, they see the new model.
update embedding_models set former = active, active = $1, changed_at = $2
