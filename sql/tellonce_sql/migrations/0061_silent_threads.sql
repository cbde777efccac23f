-- The server's own clock compacts a thread that has fallen silent, not only the thread's next message: whose threads these are
-- is asked across owners.
create policy everyone on thread_state for select to chatmem_worker using (true);
grant select (owner_id, chat_id, thread_key, last_no, queued_to) on thread_state to chatmem_worker;
grant select (thread_key, thread_no, sent_at) on messages to chatmem_worker;
