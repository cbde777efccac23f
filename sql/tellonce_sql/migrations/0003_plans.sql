-- Of the messages' indexes only the primary key holds both owner and chat ahead of what tells rows apart. A private chat
-- has its owner's number, which the planner cannot know: it takes owner and chat together for one row, and any index with
-- both for as good as the primary key (since PostgreSQL 18 it skips columns between them, too). Under another index a
-- look-up by number read the whole chat, for every candidate of a search.
alter table conversation_summaries drop constraint conversation_summaries_owner_id_chat_id_thread_key_to_no_fkey;
alter table messages drop constraint messages_owner_id_chat_id_thread_key_lane_no_key;
alter table messages add constraint messages_lane unique (owner_id, thread_key, chat_id, lane_no);
alter table conversation_summaries add constraint conversation_summaries_last_message
  foreign key (owner_id, chat_id, thread_key, to_no) references messages (owner_id, chat_id, thread_key, lane_no);
drop index messages_sent_at;
create index messages_sent_at on messages (owner_id, sent_at);
drop index messages_ext_id;
create unique index messages_ext_id on messages (owner_id, ext_id, chat_id) where ext_id is not null;

-- How many messages a lane's chunks cover is read from this index alone, at every turn.
alter table conversation_summaries
  drop constraint conversation_summaries_owner_id_chat_id_thread_key_from_no_key;
alter table conversation_summaries
  add constraint conversation_summaries_chunk unique (owner_id, chat_id, thread_key, from_no) include (count);

-- The same knowledge for the estimates themselves.
create statistics messages_place (dependencies, ndistinct) on owner_id, chat_id from messages;
create statistics conversation_summaries_place (dependencies, ndistinct) on owner_id, chat_id
  from conversation_summaries;
analyze messages (owner_id, chat_id);
analyze conversation_summaries (owner_id, chat_id);
