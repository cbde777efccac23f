-- Alarms of dated memories. The memory holds the words; an alarm goes off only while its memory is active, so what is
-- erased, rejected or done never rings. `repeats` is a cron expression on the user's clock; who delivers says when next.
create table reminders (
  owner_id bigint not null,
  memory_id bigint not null,
  chat_id bigint not null,
  message_thread_id bigint,
  due_at timestamptz not null,
  repeats text,
  done_at timestamptz,
  worker text,
  leased_until timestamptz,
  created_at timestamptz not null,
  primary key (owner_id, memory_id),
  foreign key (owner_id, memory_id) references memories on delete cascade,
  check ((worker is null) = (leased_until is null))
);
call guard_rows('reminders');
create index reminders_due on reminders (due_at) where done_at is null;

-- Whose alarms are due is asked across owners.
create policy everyone on reminders for select to chatmem_worker using (true);
grant select (owner_id, due_at, done_at) on reminders to chatmem_worker;
