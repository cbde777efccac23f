-- name: add
-- $1 owner, $2 chat or null, $3 claim hashes, $4 word hashes of each as json, $5 now
insert into tombstones (owner_id, id, chat_id, claim, words, created_at)
select $1, coalesce((select max(id) from tombstones where owner_id = $1), 0) + t.n, $2, t.claim,
  array(select jsonb_array_elements_text(t.words)::bigint), $5
from unnest($3::bytea[], $4::jsonb[]) with ordinality as t (claim, words, n)

-- name: standing
-- $1 owner
select id, claim, words, created_at
from tombstones
where owner_id = $1 and lifted_at is null

-- name: lift
-- $1 owner, $2 numbers, $3 now
update tombstones set lifted_at = $3
where owner_id = $1 and id = any($2::bigint[])
