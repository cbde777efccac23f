-- Every table a person's memory needs. The tenant (owner_id) leads every key; message, summary and job numbers are
-- taken from the chat's row, memory numbers from the owner's, so that order is serial and a tenant can move as a whole.

-- English and Cyrillic words are stemmed, every other script is matched as written.
create text search configuration chatmem (copy = pg_catalog.russian);

create table user_profile (
  owner_id bigint primary key,
  narrative text not null default '',
  raw_facts jsonb not null default '[]',
  raw_preferences jsonb not null default '[]',
  raw_goals jsonb not null default '[]',
  raw_dates jsonb not null default '[]',
  version int not null default 0,
  model text,
  provisional boolean not null default false,
  built_at timestamptz,
  memories_changed_at timestamptz,
  exchanges_since int not null default 0,
  last_memory_id bigint not null default 0
) with (fillfactor = 70);

create table chats (
  owner_id bigint not null,
  chat_id bigint not null,
  channel text not null default 'telegram',
  epoch int not null default 0,
  last_id bigint not null default 0,
  last_summary_id bigint not null default 0,
  last_job_id bigint not null default 0,
  exchanges bigint not null default 0,
  model_calls bigint not null default 0,
  created_at timestamptz not null,
  primary key (owner_id, chat_id)
) with (fillfactor = 70);

-- One row an epoch: the canonical summary. The chat's current epoch is live, the others are archived.
create table chat_metadata (
  owner_id bigint not null,
  chat_id bigint not null,
  epoch int not null,
  user_confirmed text not null default '',
  llm_inferred text not null default '',
  general_summary text not null default '',
  tokens int not null default 0,
  version int not null default 0,
  model text,
  provisional boolean not null default false,
  updated_at timestamptz not null,
  archived_at timestamptz,
  primary key (owner_id, chat_id, epoch),
  foreign key (owner_id, chat_id) references chats
);

create table messages (
  owner_id bigint not null,
  chat_id bigint not null,
  id bigint not null,
  thread_key text not null,
  lane_no bigint not null,
  epoch int not null,
  role text not null check (role in ('user', 'assistant')),
  content text not null,
  channel text not null,
  speaker text,
  ext_id text,
  reply_to text,
  agent_id text,
  routine text,
  routine_summary text,
  exchange_of bigint,
  importance real not null,
  tokens int not null,
  sent_at timestamptz not null,
  utc_offset smallint not null,
  recorded_at timestamptz not null,
  version int not null default 1,
  embedding halfvec(384),
  ebits bit(384),
  primary key (owner_id, chat_id, id) include (ebits),
  unique (owner_id, chat_id, thread_key, lane_no),
  foreign key (owner_id, chat_id) references chats
) with (autovacuum_vacuum_insert_threshold = 1000, autovacuum_vacuum_insert_scale_factor = 0.005);
-- halfvec(384) is 776 bytes: kept in the row, a vector is one read.
alter table messages alter column embedding set storage plain;
create unique index messages_ext_id on messages (owner_id, chat_id, ext_id) where ext_id is not null;
create index messages_unembedded on messages (owner_id, chat_id, id) where embedding is null;
create index messages_routine on messages (owner_id, chat_id, sent_at) where routine is not null;
create index messages_sent_at on messages (owner_id, chat_id, sent_at);

create table message_versions (
  owner_id bigint not null,
  chat_id bigint not null,
  id bigint not null,
  version int not null,
  content text not null,
  replaced_at timestamptz not null,
  primary key (owner_id, chat_id, id, version),
  foreign key (owner_id, chat_id, id) references messages
);

-- Apart from the messages, and keyed id first: beside a b-tree that begins with the owner the planner would not take
-- the GIN index. The lexemes @c<chat> and @o<owner> scope a search inside the index.
create table message_fts (
  owner_id bigint not null,
  chat_id bigint not null,
  id bigint not null,
  tsv tsvector not null,
  primary key (id, chat_id, owner_id)
);
create index message_fts_tsv on message_fts using gin (tsv) with (fastupdate = off);

-- One row a chunk, one a lane (thread), one a chat (session). A lane's chunks tile it without gap or overlap: each
-- begins where another one ends, which the foreign key on prev_no holds.
create table conversation_summaries (
  owner_id bigint not null,
  chat_id bigint not null,
  id bigint not null,
  kind text not null check (kind in ('chunk', 'thread', 'session')),
  thread_key text not null,
  epoch int not null,
  from_no bigint,
  to_no bigint,
  prev_no bigint generated always as (nullif(from_no - 1, 0)) stored,
  from_id bigint not null,
  to_id bigint not null,
  from_at timestamptz not null,
  to_at timestamptz not null,
  count int not null check (count > 0),
  text text not null,
  body jsonb not null,
  tokens int not null,
  version int not null default 1,
  provisional boolean not null,
  model text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  embedding halfvec(384),
  tsv tsvector not null,
  primary key (owner_id, chat_id, id),
  unique (owner_id, chat_id, thread_key, to_no),
  unique (owner_id, chat_id, thread_key, from_no),
  foreign key (owner_id, chat_id) references chats,
  foreign key (owner_id, chat_id, thread_key, prev_no)
    references conversation_summaries (owner_id, chat_id, thread_key, to_no),
  foreign key (owner_id, chat_id, thread_key, to_no) references messages (owner_id, chat_id, thread_key, lane_no),
  check ((kind = 'chunk') = (from_no is not null)),
  check ((from_no is null) = (to_no is null)),
  check (from_no is null or count = to_no - from_no + 1)
);
alter table conversation_summaries alter column embedding set storage plain;
create unique index conversation_summaries_rolling
  on conversation_summaries (owner_id, chat_id, kind, thread_key) where kind <> 'chunk';
create index conversation_summaries_tsv on conversation_summaries using gin (tsv) with (fastupdate = off);
create index conversation_summaries_unembedded
  on conversation_summaries (owner_id, chat_id, id) where embedding is null;

-- What derived texts (canonical, thread, session, profile) said before, for as_of.
create table text_versions (
  owner_id bigint not null,
  chat_id bigint not null,
  subject text not null,
  version int not null,
  value jsonb not null,
  replaced_at timestamptz not null,
  primary key (owner_id, chat_id, subject, version)
);

create table thread_state (
  owner_id bigint not null,
  chat_id bigint not null,
  thread_key text not null,
  last_no bigint not null default 0,
  covered_to bigint,
  queued_to bigint not null default 0,
  open_tokens int not null default 0,
  focus_id bigint,
  slot jsonb,
  slot_until timestamptz,
  primary key (owner_id, chat_id, thread_key),
  foreign key (owner_id, chat_id) references chats,
  foreign key (owner_id, chat_id, thread_key, covered_to)
    references conversation_summaries (owner_id, chat_id, thread_key, to_no),
  check (coalesce(covered_to, 0) <= queued_to),
  check (queued_to <= last_no)
) with (fillfactor = 70);

create table memories (
  owner_id bigint not null,
  id bigint not null,
  chat_id bigint,
  kind text not null check (kind in ('fact', 'preference', 'goal', 'date', 'outcome', 'pin')),
  status text not null check (status in ('active', 'uncertain', 'completed', 'superseded', 'rejected')),
  content text not null,
  quote text,
  confidence real not null,
  priority smallint not null,
  importance real not null,
  pinned boolean not null,
  deadline timestamptz,
  valid_from timestamptz not null,
  valid_to timestamptz,
  origin text not null check (origin in ('user', 'extracted', 'tag', 'import')),
  user_confirmed boolean not null,
  source_chat_id bigint,
  source_ids bigint[] not null default '{}',
  superseded_by bigint,
  model text,
  version int not null default 1,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  asked_at timestamptz,
  embedding halfvec(384),
  tsv tsvector not null,
  primary key (owner_id, id),
  foreign key (owner_id) references user_profile,
  foreign key (owner_id, superseded_by) references memories,
  check ((status = 'superseded') = (superseded_by is not null)),
  check (status not in ('superseded', 'rejected') or valid_to is not null)
);
alter table memories alter column embedding set storage plain;
create index memories_live on memories (owner_id, kind, valid_from desc) where valid_to is null;
create index memories_tsv on memories using gin (tsv) with (fastupdate = off);
create index memories_unembedded on memories (owner_id, id) where embedding is null;
create index memories_sources on memories using gin (source_ids);

create table memory_versions (
  owner_id bigint not null,
  id bigint not null,
  version int not null,
  content text not null,
  replaced_at timestamptz not null,
  primary key (owner_id, id, version),
  foreign key (owner_id, id) references memories
);

-- The write-ahead queue. A job names its messages by number and holds no text but the worker's result, which is
-- emptied when it has been applied.
create table chat_context_queue (
  owner_id bigint not null,
  chat_id bigint not null,
  id bigint not null,
  kind text not null check (kind in
    ('exchange', 'chunk_summary', 'thread_summary', 'profile', 'routine_summary', 'erasure')),
  state text not null default 'pending_summarization' check (state in
    ('pending_summarization', 'ready_to_write', 'complete', 'dead')),
  thread_key text not null,
  dedup_key text not null,
  from_id bigint not null,
  to_id bigint not null,
  exchanges int not null default 0,
  attempts int not null default 0,
  claims int not null default 0,
  fence bigint not null default 0,
  lease_by text,
  lease_until timestamptz,
  not_before timestamptz not null,
  result jsonb,
  model text,
  rung text check (rung in ('offline', 'ollama', 'claude')),
  provisional boolean not null default false,
  error text,
  trace_id text,
  created_at timestamptz not null,
  done_at timestamptz,
  primary key (owner_id, chat_id, id),
  foreign key (owner_id, chat_id) references chats,
  check ((state = 'ready_to_write') = (result is not null)),
  check ((lease_by is null) = (lease_until is null)),
  check (lease_by is null or state = 'pending_summarization')
);
create index chat_context_queue_open on chat_context_queue (owner_id, chat_id, id)
  where state in ('pending_summarization', 'ready_to_write');
create index chat_context_queue_due on chat_context_queue (not_before, owner_id, chat_id, id)
  where state = 'pending_summarization';
create index chat_context_queue_dead on chat_context_queue (owner_id, chat_id, id) where state = 'dead';
create index chat_context_queue_provisional on chat_context_queue (owner_id, chat_id, id)
  where state = 'complete' and provisional;
-- While nobody has claimed a job, a further one of the same subject joins it.
create unique index chat_context_queue_coalesce on chat_context_queue (owner_id, chat_id, kind, dedup_key)
  where state = 'pending_summarization' and claims = 0;

create table context_receipts (
  owner_id bigint not null,
  chat_id bigint not null,
  id text not null,
  thread_key text not null,
  message_id bigint,
  query text,
  token_budget int not null,
  tokens int not null,
  truncated boolean not null,
  as_of timestamptz,
  sections jsonb not null,
  included jsonb not null,
  left_out jsonb not null,
  created_at timestamptz not null,
  primary key (owner_id, chat_id, id)
);
create index context_receipts_message on context_receipts (owner_id, chat_id, message_id);

-- What must not be learned again from old material: keyed hashes, no text.
create table tombstones (
  owner_id bigint not null,
  id bigint not null,
  chat_id bigint,
  claim bytea not null,
  words bigint[] not null,
  sketch bit(384),
  created_at timestamptz not null,
  lifted_at timestamptz,
  primary key (owner_id, id)
);

-- Whether something was erased since the files were last rewritten; one row.
create table scrubs (
  only_row boolean primary key default true check (only_row),
  requested_at timestamptz,
  done_at timestamptz
);
insert into scrubs default values;

-- The keys of tombstones and of confirm tokens.
create table server_keys (
  name text primary key,
  key bytea not null,
  created_at timestamptz not null
);

create table access_tokens (
  token_hash bytea primary key,
  name text not null unique,
  user_id bigint,
  scopes text[] not null,
  created_at timestamptz not null,
  revoked_at timestamptz
);

create table model_calls (
  owner_id bigint not null,
  id bigint generated always as identity,
  chat_id bigint not null,
  job_id bigint not null,
  kind text not null,
  model text not null,
  rung text not null,
  input_tokens int not null,
  output_tokens int not null,
  seconds real not null,
  price_usd numeric(12, 6) not null,
  ok boolean not null,
  note text not null,
  at timestamptz not null,
  primary key (owner_id, id)
);
create index model_calls_at on model_calls (at);
