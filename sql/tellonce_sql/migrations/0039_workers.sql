-- The summarizers at work: when each last asked for work or extended a lease. A server reads here whether anybody learns.
-- Nothing is lost with these rows, so they are kept out of the write-ahead log.
create unlogged table workers (
  worker text primary key,
  seen_at timestamptz not null
);
grant select, insert, update, delete on workers to chatmem_worker;
