-- The copies of a memory that its user shared with other owners, as pairs of the other owner and the copy's number.
-- An erasure tells its user which copies stay.
alter table memories add column copies bigint[] not null default '{}';

-- Until now, a copy was linked to nothing. A statement that a user told a group directly looks the same and stays there,
-- too, so it counts as a copy.
update memories m
set copies = c.made
from (
  select content, array_agg(array[owner_id, id] order by owner_id, id) as made from memories
  where owner_id < 0 and origin = 'user' and user_confirmed and source_ids = '{}'
  group by content) c
where m.owner_id > 0 and m.content = c.content;
