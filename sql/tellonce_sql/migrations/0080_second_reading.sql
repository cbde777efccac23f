-- Jobs that read the connected assistant's statements a second time.
alter table chat_context_queue drop constraint chat_context_queue_kind_check;
alter table chat_context_queue add constraint chat_context_queue_kind_check check (kind in
  ('exchange', 'second_reading', 'chunk_summary', 'thread_summary', 'profile', 'routine_summary', 'erasure'));
create index memories_to_read_again on memories (owner_id, source_chat_id, id)
  where provisional and tier = 'assistant' and status = 'active' and not user_confirmed;
