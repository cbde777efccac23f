-- Whoever claims work asks first which chats have a job in work already: their further jobs need no look.
create index chat_context_queue_held on chat_context_queue (owner_id, chat_id)
  where state in ('pending_summarization', 'ready_to_write') and (state = 'ready_to_write' or lease_by is not null);
