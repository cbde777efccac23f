-- Columns take the words of the contract: thread for lane, tier for rung. Nothing is rewritten.
alter table messages rename column lane_no to thread_no;
alter table messages rename constraint messages_lane to messages_thread;
alter table chat_context_queue rename column rung to tier;
alter table chat_context_queue rename constraint chat_context_queue_rung_check to chat_context_queue_tier_check;
alter table model_calls rename column rung to tier;
alter table model_call_months rename column rung to tier;
alter table memories rename column rung to tier;
