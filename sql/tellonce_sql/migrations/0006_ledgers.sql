-- From when to when a former text held, and which chunk summaries a rolling summary has taken in.

-- `as_of` must not show a text before it was written; null for versions kept before this column was there.
alter table text_versions add column since timestamptz;

-- The number of the newest chunk summary a thread or session summary holds. Message numbers cannot say it: a lane that
-- was silent for long is summarised after lanes with later messages.
alter table conversation_summaries add column folded_to bigint;
update conversation_summaries r
set folded_to = (
  select max(c.id) from conversation_summaries c
  where c.owner_id = r.owner_id and c.chat_id = r.chat_id and c.kind = 'chunk' and c.to_id <= r.to_id
    and (r.kind = 'session' or c.thread_key = r.thread_key))
where r.kind <> 'chunk';
