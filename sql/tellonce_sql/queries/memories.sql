-- part: stored
-- The columns of a new memory: the fields of `NewMemory` in store/memories.py
chat_id, kind, status, content, quotes, confidence, priority, importance, pinned, deadline, valid_from, valid_to, origin,
user_confirmed, source_chat_id, source_ids, model, about, reason, happens_from, happens_to, happens_precision, note, shown,
provisional, tier, intends, superseded_by, words_key, categories, user_name
-- end

-- name: add
-- index_text: the text to index; category_words: the words of its categories to index
with owner as (
  insert into user_profile as p (owner_id, last_memory_id, memories_changed_at) values ($owner_id, 1, $now)
  on conflict (owner_id) do update set last_memory_id = p.last_memory_id + 1, memories_changed_at = $now
  returning last_memory_id
)
insert into memories (owner_id, id, created_at, updated_at, tsv, embedding,
  -- use: stored
)
select $owner_id, owner.last_memory_id, $now, $now, to_tsvector('chatmem', $index_text)
    || array_to_tsvector(array['@o' || $owner_id::bigint] || category_lexemes($category_words)),
  case when may_write_vectors() then $embedding::halfvec end,
  -- values: stored
from owner
returning *

-- name: user_name
-- $1 owner, $2 chat. Returns the user's name from the newest current memory that is visible in the chat. The memory's
-- text must still contain this name.
select user_name from memories
where owner_id = $1 and (chat_id is null or chat_id = $2) and user_name is not null and status = 'active'
  and valid_to is null and position(lower(user_name) in lower(content)) > 0
order by valid_from desc, id desc
limit 1

-- name: by_id
-- $1 owner, $2 number
select * from memories
where owner_id = $1 and id = $2

-- name: by_ids
-- $1 owner, $2 ids
select * from memories
where owner_id = $1 and id = any($2::bigint[])
order by id

-- name: live
-- $1 owner, $2 chat, $3 statuses: the current memories visible in the chat, except those that are kept for search only
select * from memories
where owner_id = $1 and (chat_id is null or chat_id = $2) and valid_to is null and status = any($3::text[]) and shown
order by kind, priority, deadline nulls last, valid_from desc, id desc

-- name: page
-- $1 owner, $2 chat, $3 statuses, $4 kinds or null for all, $5 and $6 the time and number of the last memory already
-- listed, $7 how many: memories visible in the chat, newest first. The kind `note` lists every note. Otherwise, notes
-- that are kept for search only are not listed.
select * from memories
where owner_id = $1
  -- use: in_list
  and (valid_from, id) < ($5::timestamptz, $6::bigint)
  and (shown and ($4::text[] is null or kind = any($4)) or note and 'note' = any($4))
order by valid_from desc, id desc
limit $7

-- name: counts
-- $1 owner, $2 chat, $3 statuses: how many memories are kept for search only, and how many messages and summaries the
-- chat has
select
  (select count(*) from memories
    where owner_id = $1 and not shown
      -- use: in_list
  ) as only_searched,
  coalesce((select sum(last_no) from thread_state where owner_id = $1 and chat_id = $2), 0)::bigint as messages,
  (select count(*) from conversation_summaries where owner_id = $1 and chat_id = $2 and kind = 'chunk') as summaries,
  coalesce((select sum(last_no - coalesce(covered_to, 0)) from thread_state where owner_id = $1 and chat_id = $2), 0)::bigint
    as verbatim

-- part: in_list
-- $2 chat, $3 statuses. A memory that has ended is left out if its status is one of current memories.
  and (chat_id is null or chat_id = $2) and status = any($3::text[])
  and (valid_to is null or status not in {statuses.holds})
-- end

-- part: was_sure
-- The condition for a memory that is valid, or was valid until it ended. A rejected memory of high confidence was
-- active until an edit withdrew it
    (status in {statuses.sure} or status = 'rejected' and confidence > 0.5)
-- end

-- part: believed_until
-- When the user said that the memory `m` no longer holds; null if it still holds. This can be later than `valid_to`,
-- for example for "I moved last week".
    greatest(m.valid_to, (select s.valid_from from memories s where s.owner_id = $owner_id and s.id = m.superseded_by))
-- end

-- name: for_profile
-- $1 owner, $2 chat, $3 how many: the memories used to write the profile. Confirmed and pinned memories come first,
-- then the most important, then the newest. A repeated reminder has no deadline here, because the profile may be read
-- after its next time.
select id, kind, content as text, valid_from as since, status, user_confirmed, note,
  case when not exists (
    select from reminders r where r.owner_id = $1 and r.memory_id = m.id and r.repeats is not null) then deadline end
    as deadline
from memories m
where owner_id = $1 and (chat_id is null or chat_id = $2) and valid_to is null and status = 'active' and shown
order by user_confirmed or pinned desc, importance desc, valid_from desc, id desc
limit $3

-- name: known_for
-- $1 owner, $2 chat, $3 vectors, $4 query text of the rarest lexemes, $5 scope lexeme query, $6 maximum number of
-- memories from each of the searches below, $7 maximum number of memories in all, $8 a time, $9 maximum number of
-- rejected memories. Returns the memories for a worker. These are pinned memories, memories that were learned since $8,
-- and the memories that are most similar in meaning or in words to the texts that the worker reads. The rejected
-- statements that are most similar to these texts are included, too. Otherwise, the worker could learn them again in
-- other words. The newest memories fill the remaining places, because a statement may end a memory that is not similar
-- to it ("I moved to Lisbon" ends "lives in Singapore"). Each of these searches reads an index. Only the search for
-- rejected memories compares all of them, because there are few. The search by meaning selects the memories with the
-- nearest binary codes, and then compares their exact vectors. Only the best matches by words are read, because a
-- common word occurs in thousands of memories.
with asked as materialized (
  select n, vector, binary_quantize(vector)::bit(384) as code
  from unnest($3::halfvec[]) with ordinality v (vector, n)
  where speaks_active()
), dense as materialized (
  select c.id, min(x.distance) as distance
  from asked
  cross join lateral (
    select m.id, m.ebits <~> asked.code as apart from memories m
    where m.owner_id = $1 and m.valid_to is null and m.ebits is not null and (m.chat_id is null or m.chat_id = $2)
    order by apart
    limit 2 * $6::int) c
  cross join lateral (
    select m.embedding <=> asked.vector as distance from memories m
    where m.owner_id = $1 and m.id = c.id offset 0) x
  group by c.id
  order by distance
  limit 2 * $6::int
), lexical as materialized (
  select f.id, f.rank
  from (
    select id, ts_rank(tsv, $4::tsquery) as rank from memories_with($5::tsquery && $4::tsquery)
    order by rank desc, id desc
    limit 8 * $6::int) f
  cross join lateral (
    select chat_id, valid_to from memories m where m.owner_id = $1 and m.id = f.id offset 0) m
  where m.valid_to is null and (m.chat_id is null or m.chat_id = $2)
  order by f.rank desc, f.id desc
  limit $6
), pins as (
  select id from memories
  where owner_id = $1 and valid_to is null and (pinned or kind = 'pin') and (chat_id is null or chat_id = $2)
  order by importance desc, id desc
  limit $6
), learned as (
  select id from memories
  where owner_id = $1 and valid_to is null and created_at >= $8 and (chat_id is null or chat_id = $2)
  order by created_at desc
  limit $6
), denied as (
  select m.id from memories m
  where m.owner_id = $1 and m.status = 'rejected' and m.user_confirmed and (m.chat_id is null or m.chat_id = $2)
  order by (select min(m.embedding <=> asked.vector) from asked) nulls last, m.id desc
  limit $9
), newest as (
  select id from memories
  where owner_id = $1 and valid_to is null and (chat_id is null or chat_id = $2)
  order by id desc
  limit $7
), candidates as (
  select id, min(place) as place
  from (
    select id, row_number() over (order by distance) as place from dense
    union all select id, row_number() over (order by rank desc) from lexical
    union all select id, row_number() over () from learned
    union all select id, 500 + row_number() over () from denied
    union all select id, 1000 + row_number() over () from pins
    union all select id, 2000 + row_number() over () from newest) c
  group by id
)
select m.id, m.kind, m.content as text, m.valid_from as since, m.status, m.user_confirmed, m.note
from candidates c
join memories m on m.owner_id = $1 and m.id = c.id
where m.id in (select id from denied) or m.status in {statuses.holds}
order by c.place, m.id
limit $7

-- name: read_by
-- $1 owner, $2 chat, $3 messages, $4 tiers: memories that these tiers learned from these messages alone, and that the
-- user has neither confirmed nor pinned
select * from memories
where owner_id = $1 and source_chat_id = $2 and source_ids && $3::bigint[] and source_ids <@ $3::bigint[]
  and valid_to is null and provisional and not user_confirmed and not pinned and origin = 'extracted'
  and tier = any($4::text[])
order by id

-- name: to_read_again
-- $1 owner, $2 chat, $3 how many: the connected assistant's active statements in the chat, oldest first, with the texts
-- of the memories that they replaced. Statements that the user or a second reading has confirmed are left out.
-- Reminders are left out too, because the person relies on them. A statement that names no source is read with the
-- user's last message before the statement. If the statement was repeated, the user's last message before the
-- repetition is read, too.
select m.id as memory_id, m.content as text, m.quotes, m.deadline,
  case when m.source_ids <> '{}' then m.source_ids else array(
    select distinct last.id
    from unnest(array[m.created_at, m.updated_at]) as made (at)
    cross join lateral (
      select id from messages
      where owner_id = $1 and chat_id = $2 and role = 'user' and recorded_at <= made.at
      order by id desc
      limit 1) last)
  end as source_ids,
  array(select content from memories o where o.owner_id = $1 and o.superseded_by = m.id order by o.id) as over
from memories m
where m.owner_id = $1 and m.source_chat_id = $2 and m.provisional and m.tier = 'assistant' and m.status = 'active'
  and not m.user_confirmed
  and not exists (select from reminders r where r.owner_id = $1 and r.memory_id = m.id)
order by m.id
limit $3

-- name: all_of_owner
-- $1 owner
select * from memories
where owner_id = $1
order by id

-- name: from_message
-- $1 owner, $2 chat, $3 message number
select * from memories
where owner_id = $1 and source_chat_id = $2 and source_ids @> array[$3::bigint]
order by id

-- name: lock
-- $1 owner, $2 hashes of the sorted words of statements. Other transactions that take one of these locks wait until this
-- transaction ends. Two calls that store the same statement at the same time would otherwise both find that it is new.
-- The order prevents deadlocks.
select pg_advisory_xact_lock(key) from (
  select hashtextextended($1::bigint || ' ' || words, 0) as key from unnest($2::bigint[]) words order by key) keys

-- name: same_words
-- $1 owner, $2 chat, $3 hash of the sorted words: current statements with the same words in any order
select * from memories
where owner_id = $1 and words_key = $3 and valid_to is null and (chat_id is null or chat_id = $2)
order by user_confirmed desc, id

-- name: rejected_near
-- $1 owner, $2 chat, $3 vector or null, $4 hash of the sorted words, $5 how many: the statements rejected by the user,
-- most similar first. An owner has only a few rejected statements.
with asked as materialized (
  select of_active($3::halfvec) as vector
)
select m.*, 1 - (m.embedding <=> (select vector from asked)) as cosine
from memories m
where m.owner_id = $1 and m.status = 'rejected' and m.user_confirmed and (m.chat_id is null or m.chat_id = $2)
order by m.words_key = $4 desc nulls last, cosine desc nulls last, m.id desc
limit $5

-- name: show_later_notes
-- $1 owner, $2 number of a new note, $3 minimum similarity, $4 now. Some notes are kept for search only. Such a note is
-- shown after all if it is newer than a shown statement on the same subject, because it may contradict this statement.
-- The new note is either the hidden note or the shown statement.
with new as (
  select id, valid_from, embedding, shown from memories
  where owner_id = $1 and id = $2 and note and status = 'active' and valid_to is null
)
update memories m set shown = true, updated_at = $4
from new
where m.owner_id = $1 and m.note and not m.shown and m.status = 'active' and m.valid_to is null
  and (new.shown or m.id = new.id)
  and exists (
    select from memories former
    where former.owner_id = $1 and former.shown and former.status = 'active' and former.valid_to is null
      and (not new.shown or former.id = new.id)
      and (former.chat_id is null or former.chat_id = m.chat_id)
      and former.valid_from <= m.valid_from and 1 - (former.embedding <=> m.embedding) > $3)

-- name: unkeyed
-- across owners: the server's own background work.
-- $1 how many. Returns the memories without a word key. They were stored before word keys existed.
select owner_id, id, content, version from memories
where words_key is null
limit $1

-- name: set_keys
-- across owners: the server runs this in the background for all owners; each row of the arguments contains its owner.
-- $1 owners, $2 ids, $3 versions, $4 keys
update memories m set words_key = k.words_key
from unnest($1::bigint[], $2::bigint[], $3::int[], $4::bigint[]) as k (owner_id, id, version, words_key)
where m.owner_id = k.owner_id and m.id = k.id and m.version = k.version

-- name: set_status
-- $1 owner, $2 number, $3 status, $4 end of validity, $5 user confirmed, $6 number of the memory that replaces it, $7
-- now, $8 the reason. $4, $6 and $8 may be null.
with changed as (
  update user_profile set memories_changed_at = $7 where owner_id = $1
)
update memories
set status = $3, valid_to = $4, user_confirmed = user_confirmed or $5, superseded_by = $6, updated_at = $7,
  reason = $8, intends = case when $3 = 'active' then null else intends end
where owner_id = $1 and id = $2
returning *

-- name: hold
-- $1 owner, $2 memory: a second reading has confirmed the statement
update memories set provisional = false
where owner_id = $1 and id = $2

-- name: mark_uncertain
-- $1 owner, $2 memory, $3 confidence, $4 the memory that it replaces if the user confirms it, or null. Marks a memory
-- whose statement a second reading has not confirmed.
update memories set provisional = false, pinned = false, confidence = $3, intends = $4
where owner_id = $1 and id = $2

-- name: rewrite
-- $1 owner, $2 number, $3 content, $4 now, $5 text to index, $6 vector or null, $7 deadline,
-- $8 key of the words
with changed as (
  update user_profile set memories_changed_at = $4 where owner_id = $1
), kept as (
  insert into memory_versions (owner_id, id, version, content, replaced_at)
  select owner_id, id, version, content, $4 from memories where owner_id = $1 and id = $2
)
update memories
set content = $3, deadline = $7, version = version + 1, updated_at = $4, words_key = $8, note = false, shown = true,
  categories = null,
  embedding = case when may_write_vectors() then $6::halfvec end,
  tsv = to_tsvector('chatmem', $5) || array_to_tsvector(array['@o' || $1::bigint])
where owner_id = $1 and id = $2
returning *

-- name: take_back_edit
-- $1 owner, $2 number, $3 the newest former version, $4 whether that version was a note, $5 the deadline of that
-- version or null, $6 text to index, $7 key of the words. Restores the former text under a new version number. A
-- preview of the edited text therefore becomes invalid.
with former as (
  delete from memory_versions where owner_id = $1 and id = $2 and version = $3
  returning content
)
update memories m
set content = former.content, version = m.version + 1, note = $4, deadline = $5, words_key = $7, categories = null, embedding = null,
  tsv = to_tsvector('chatmem', $6) || array_to_tsvector(array['@o' || $1::bigint])
from former
where m.owner_id = $1 and m.id = $2

-- name: set_pinned
-- $1 owner, $2 number, $3 pinned, $4 now. Pinning also shows a note that was kept for search only.
update memories set pinned = $3, shown = shown or $3, updated_at = $4
where owner_id = $1 and id = $2
returning *

-- name: make_global
-- $1 owner, $2 number, $3 now
update memories
set chat_id = null, updated_at = $3
where owner_id = $1 and id = $2
returning *

-- name: add_copy
-- $1 owner, $2 number, $3 the other owner with whom the memory was shared, $4 the copy's number
update memories set copies = copies || array[array[$3::bigint, $4::bigint]]
where owner_id = $1 and id = $2 and not exists (
  select from generate_subscripts(copies, 1) as n where copies[n][1] = $3 and copies[n][2] = $4)

-- name: support
-- $1 owner, $2 number, $3 further source messages, $4 now, $5 whether the user said or confirmed it, $6 pinned,
-- $7 importance, $8 deadline or null, $9 chat of these messages, $10 further quotes. If a statement is repeated, its
-- memory gets further sources instead of a duplicate. Sources of another chat are not added, because each chat numbers
-- its messages separately.
update memories
set source_ids = case when source_chat_id = $9
    then array(select distinct s from unnest(source_ids || $3::bigint[]) s order by s) else source_ids end,
  quotes = case when source_chat_id = $9 and not quotes @> $10::jsonb then quotes || $10::jsonb else quotes end,
  updated_at = $4, user_confirmed = user_confirmed or $5, pinned = pinned or $6, importance = greatest(importance, $7),
  deadline = coalesce(deadline, $8), confidence = least(1, confidence + 0.02),
  provisional = provisional or tier = 'assistant' and status = 'uncertain' and not $5
where owner_id = $1 and id = $2
returning *

-- name: restore_versions
-- $1 owner, $2 number of a new memory, $3 its former texts, oldest first, $4 the times when they were replaced
with former as (
  insert into memory_versions (owner_id, id, version, content, replaced_at)
  select $1, $2, n, content, at from unnest($3::text[], $4::timestamptz[]) with ordinality f (content, at, n)
)
update memories set version = cardinality($3::text[]) + 1
where owner_id = $1 and id = $2

-- name: versions
-- $1 owner, $2 number
select version, content, replaced_at
from memory_versions
where owner_id = $1 and id = $2
order by version

-- name: provenance
-- $1 owner, $2 number: the model that worded the memory (null for the user's own words), the chat of its sources, its
-- quotes, the memories that its confirmation replaces or ends, and the time when it became uncertain as an overdue goal
select model, source_chat_id, quotes, intends, overdue_at from memories
where owner_id = $1 and id = $2

-- name: owners_with_endings
-- across owners: the server's own background work.
-- $1 now: the owners with a date or goal that was due before $1 and is not marked as ended
select distinct owner_id from memories
where valid_to is null and kind in ('date', 'goal') and coalesce(happens_to, deadline) < $1

-- name: passed_dates
-- $1 owner, $2 now, $3 the user's time zone: completes past dates that are not pinned, except dates with an alarm that
-- is not delivered yet. A date that the user gave without a time of day (a day begins at 0:00, and a span ends at
-- 23:59:59) is not completed, because it can be a birthday.
update memories m
set status = 'completed', valid_to = coalesce(happens_to, deadline), updated_at = $2, reason = 'the day has passed'
where not exists (
    select from reminders r where r.owner_id = $1 and r.memory_id = m.id and r.done_at is null)
  and owner_id = $1 and valid_to is null and status = 'active' and kind = 'date'
  and coalesce(happens_to, deadline) < $2::timestamptz - interval '1 day'
  and not pinned and happens_precision is distinct from 'ongoing'
  and (origin <> 'user' or (coalesce(happens_to, deadline) at time zone $3)::time not in ('00:00', '23:59', '23:59:59'))
  and coalesce(happens_to, deadline) > valid_from

-- name: overdue_goals
-- $1 owner, $2 now, $3 a time: marks goals with a deadline before $3 as uncertain, so that the user is asked about
-- them. Each goal is marked only once.
update memories
set status = 'uncertain', overdue_at = $2, updated_at = $2, reason = 'its deadline passed long ago: is it still a goal?'
where owner_id = $1 and valid_to is null and status = 'active' and kind = 'goal' and coalesce(happens_to, deadline) < $3
  and overdue_at is null

-- name: closed_goals
-- $1 owner, $2 now, $3 a time: closes overdue goals that became uncertain before $3 and that the user did not confirm
update memories
set status = 'completed', valid_to = greatest(valid_from, coalesce(happens_to, deadline)), updated_at = $2,
  reason = 'closed: its deadline passed, and nobody said that it is still a goal'
where owner_id = $1 and valid_to is null and status = 'uncertain' and kind = 'goal' and overdue_at < $3

-- name: predecessors
-- $1 owner, $2 number: the memories that this memory superseded
select * from memories
where owner_id = $1 and superseded_by = $2
order by id

-- name: unembedded
-- across owners: the server's own background work.
-- Like messages.unembedded, for memories. The chat is always 0.
select owner_id, 0::bigint as chat_id, id, version, content as text
from memories
where embedding is null and (owner_id, id) > ($1, $3) and $2::bigint is not null
order by owner_id, id
limit $4

-- name: categorize
-- across owners: the server's own background work.
-- $1 words of categories to index, $2 their vectors, $3 minimum similarity, $4 maximum number of categories of a
-- memory, $5 how many memories. Assigns the nearest categories to memories that have no categories yet.
update memories m
set categories = '{}', tsv = m.tsv || array_to_tsvector(n.lexemes)
from (
  select owner_id, id, embedding from memories
  where categories is null and embedding is not null
  limit $5) w
cross join lateral (
  select coalesce(array_agg(distinct lexeme), '{}') as lexemes
  from (
    select words from unnest($1::text[], $2::halfvec[]) as c (words, vector)
    where 1 - (vector <=> w.embedding) >= $3
    order by vector <=> w.embedding, words
    limit $4) nearest
  cross join lateral unnest(category_lexemes(words)) as lexeme) n
where m.owner_id = w.owner_id and m.id = w.id and speaks_active()

-- name: set_embeddings
-- across owners: the server runs this in the background for all owners; each row of the arguments contains its owner.
-- Like messages.set_embeddings, for memories. The chats and codes are not used.
update memories m set embedding = e.embedding
from unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::int[], $5::halfvec[], $6::varbit[])
  as e (owner_id, chat_id, id, version, embedding, ebits)
where m.owner_id = e.owner_id and m.id = e.id and m.version = e.version and (select may_write_vectors())

-- name: erase
-- $1 owner, $2 ids. Memories that were superseded by the given memories are erased too, because they are earlier forms
-- of the same statement.
with recursive gone as (
  select id from memories where owner_id = $1 and id = any($2::bigint[])
  union
  select m.id from memories m join gone on m.superseded_by = gone.id where m.owner_id = $1
), versions as (
  delete from memory_versions where owner_id = $1 and id in (select id from gone)
)
delete from memories where owner_id = $1 and id in (select id from gone)
returning content

-- name: changes
-- $1 owner, $2 chats, $3 numbers of the first messages, $4 numbers of the last messages (each of these arrays is passed
-- as one string), $5 the chat in which the result is shown, or null for all. Returns, for each message, the memories
-- that were learned from the message and were reworded or replaced later. Each row has the former words and the current
-- memory of the fact. A replaced memory is left out if the current memory was learned from the same message. Every join
-- finds its rows by key. PostgreSQL cannot estimate the rows of the common table expressions. Without keys, it would
-- compare all these rows with each other.
with recursive places as materialized (
  select chat_id, range_agg(int8range(first, last, '[]')) as ids
  from unnest($2::text::bigint[], $3::text::bigint[], $4::text::bigint[]) as w (chat_id, first, last)
  where first <= last
  group by chat_id
), chain (chat_id, message_id, sent_at, origin, id, following) as (
  select m.source_chat_id, s.id, said.sent_at, m.id, m.id, m.superseded_by
  from places p
  join memories m on m.owner_id = $1 and m.source_chat_id = p.chat_id and (m.superseded_by is not null or m.version > 1)
  cross join lateral unnest(m.source_ids) as s (id)
  cross join lateral (
    select sent_at from messages
    where owner_id = $1 and chat_id = m.source_chat_id and id = s.id offset 0) said
  where s.id <@ p.ids
  union
  select c.chat_id, c.message_id, c.sent_at, c.origin, m.id, m.superseded_by
  from chain c
  join memories m on m.owner_id = $1 and m.id = c.following
)
select c.chat_id, c.message_id, now.id, now.content, learned.quotes,
  case when now.id = learned.id then former.contents else array[learned.content] end as former
from chain c
join memories learned on learned.owner_id = $1 and learned.id = c.origin
join memories now on now.owner_id = $1 and now.id = c.id
left join lateral (
  select array_agg(v.content order by v.version) as contents, max(v.replaced_at) as replaced_at
  from memory_versions v
  where v.owner_id = $1 and v.id = learned.id) former on true
where c.following is null and now.status in {statuses.sure} and now.status <> 'superseded'
  and ($5::bigint is null or now.chat_id is null or now.chat_id = $5)
  and case when now.id = learned.id then c.sent_at <= former.replaced_at
    else not (now.source_chat_id is not distinct from c.chat_id and c.message_id = any(now.source_ids)) end
order by c.chat_id, c.message_id, now.id

-- name: ended
-- $1 owner, $2 chat, $3 messages. Returns the memories that were learned from these messages, and were later completed,
-- replaced, reworded, or rejected by the user. Each row has the former text and the time of this change. Memories that
-- ended only because a better tier read their messages again are left out. Memories that an edit withdrew are left out
-- too, because the edited message shows the new text. The reminders that were set from these messages are included,
-- without a time.
select content, valid_to as ended_at, status = 'rejected' as rejected from memories
where owner_id = $1 and source_chat_id = $2 and source_ids && $3::bigint[] and valid_to is not null
  and (status <> 'superseded' or superseded_by is not null)
  and (status <> 'rejected' or user_confirmed)
union all
select v.content, v.replaced_at, false
from memories m
join memory_versions v on v.owner_id = $1 and v.id = m.id
where m.owner_id = $1 and m.source_chat_id = $2 and m.source_ids && $3::bigint[]
union all
select m.content, null, false
from memories m
join reminders r on r.owner_id = $1 and r.memory_id = m.id
where m.owner_id = $1 and m.source_chat_id = $2 and m.source_ids && $3::bigint[] and m.status = 'active'
