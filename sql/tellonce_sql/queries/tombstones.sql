-- name: add
-- $1 owner, $2 claim hashes, $3 the word hashes of each claim, as one json array of arrays, $4 now
insert into tombstones (owner_id, id, claim, words, created_at)
select $1, coalesce((select max(id) from tombstones where owner_id = $1), 0) + c.n, c.claim,
  array(select jsonb_array_elements_text(w.words)::bigint), $4
from unnest($2::bytea[]) with ordinality as c (claim, n)
join jsonb_array_elements($3::jsonb) with ordinality as w (words, n) on w.n = c.n

-- name: standing
-- $1 owner: the tombstones of statements, except lifted tombstones. Tombstones of messages and of their sentences have
-- no word hashes and are left out.
select id, claim, words, created_at
from tombstones
where owner_id = $1 and lifted_at is null and words <> '{}'

-- name: of_messages
-- $1 owner. Returns the claim hashes of tombstones without word hashes. These are the tombstones of messages, of their
-- sentences and of names.
select claim, chat_id, message_id from tombstones
where owner_id = $1 and words = '{}'

-- name: of_texts
-- $1 owner: the claim hash of each forgotten message or sentence, and when it was last forgotten
select claim, max(created_at) as forgotten_at from tombstones
where owner_id = $1 and words = '{}'
group by claim

-- name: newest
-- $1 owner: the highest number of a tombstone, or 0
select coalesce(max(id), 0) from tombstones where owner_id = $1

-- name: known
-- $1 owner, $2 claim hashes, $3 chat and $4 number of a message, or null: the given hashes that have a tombstone, even a
-- lifted tombstone. A tombstone that belongs to another message does not count.
select claim from tombstones
where owner_id = $1 and claim = any($2::bytea[])
  and (message_id is null or (chat_id = $3::bigint and message_id = $4::bigint))

-- name: in_message
-- $1 owner, $2 chat, $3 number of a message: whether a part of this message was forgotten
select exists (select from tombstones where owner_id = $1 and chat_id = $2 and message_id = $3)

-- name: lift
-- $1 owner, $2 ids, $3 now
update tombstones set lifted_at = $3
where owner_id = $1 and id = any($2::bigint[])
