-- After which message, and when, a chat was begun anew: what was said before is not shown as its history.
alter table chats
  add column epoch_after bigint not null default 0,
  add column epoch_began timestamptz;
update chats c
set epoch_began = coalesce(
    (select max(m.archived_at) from chat_metadata m where m.owner_id = c.owner_id and m.chat_id = c.chat_id), c.created_at),
  epoch_after = coalesce(
    (select max(m.id) from messages m
      where m.owner_id = c.owner_id and m.chat_id = c.chat_id and m.epoch < c.epoch), 0)
where c.epoch > 0;
