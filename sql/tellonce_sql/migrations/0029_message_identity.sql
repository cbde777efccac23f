-- A channel numbers its messages itself: message 57 of Telegram and message 57 of another client are two messages. Owner and
-- chat stay apart, as in 0003: the planner must not take this index for as good as the primary key.
drop index messages_ext_id;
create unique index messages_ext_id on messages (owner_id, ext_id, chat_id, channel) where ext_id is not null;

-- What a model claims in an answer, or on its own, is its claim and not the user's word.
alter table memories drop constraint memories_origin_check;
alter table memories add constraint memories_origin_check
  check (origin in ('user', 'extracted', 'tag', 'import', 'model'));
