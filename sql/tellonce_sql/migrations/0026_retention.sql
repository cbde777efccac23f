-- What nobody looks at any more goes: contexts' receipts, finished jobs, single model calls, of which monthly sums are kept.
create index context_receipts_age on context_receipts (created_at);
create index context_receipts_chat on context_receipts (owner_id, chat_id, created_at);
create index chat_context_queue_done on chat_context_queue (done_at) where state = 'complete' and not provisional;

create table model_call_months (
  owner_id bigint not null,
  month date not null,
  kind text not null,
  model text not null,
  rung text not null,
  calls bigint not null,
  ok bigint not null,
  input_tokens bigint not null,
  output_tokens bigint not null,
  seconds float8 not null,
  price_usd numeric(14, 6) not null,
  primary key (owner_id, month, kind, model, rung)
);
call guard_rows('model_call_months');

-- Of all owners, in small parts, and as the tables' owner: the worker's role may let these go but neither read nor change
-- them. Each gives how many rows went.
create function drop_old_receipts(before timestamptz, most int) returns int
  language sql volatile security definer
begin atomic
  with gone as (
    delete from context_receipts r
    using (select owner_id, chat_id, id from context_receipts where created_at < before order by created_at limit most) o
    where (r.owner_id, r.chat_id, r.id) = (o.owner_id, o.chat_id, o.id)
    returning 1)
  select count(*)::int from gone;
end;

create function drop_surplus_receipts(kept int, most int) returns int
  language sql volatile security definer
begin atomic
  with crowded as (
    select owner_id, chat_id from context_receipts group by owner_id, chat_id having count(*) > kept
  ), gone as (
    delete from context_receipts r
    using (
      select s.owner_id, s.chat_id, s.id
      from crowded c
      cross join lateral (
        select owner_id, chat_id, id from context_receipts
        where owner_id = c.owner_id and chat_id = c.chat_id
        order by created_at desc, id offset kept) s
      limit most) o
    where (r.owner_id, r.chat_id, r.id) = (o.owner_id, o.chat_id, o.id)
    returning 1)
  select count(*)::int from gone;
end;

-- A provisional result may be done again, so its job stays; and so does the last exchange a chat's summary tells of, by
-- which an older one knows that it is not the last.
create function drop_finished_jobs(before timestamptz, most int) returns int
  language sql volatile security definer
begin atomic
  with gone as (
    delete from chat_context_queue q
    using (
      select j.owner_id, j.chat_id, j.id
      from chat_context_queue j
      where j.state = 'complete' and not j.provisional and j.done_at < before
        and (j.kind <> 'exchange' or j.model = 'none' or exists (
          select from chat_context_queue l
          where l.owner_id = j.owner_id and l.chat_id = j.chat_id and l.id > j.id
            and l.kind = 'exchange' and l.state = 'complete' and l.model <> 'none'))
      order by j.done_at
      limit most
      for update skip locked) o
    where (q.owner_id, q.chat_id, q.id) = (o.owner_id, o.chat_id, o.id)
    returning 1)
  select count(*)::int from gone;
end;

create function fold_model_calls(before timestamptz, most int) returns int
  language sql volatile security definer
begin atomic
  with gone as (
    delete from model_calls c
    using (select owner_id, id from model_calls where at < before order by at limit most) o
    where (c.owner_id, c.id) = (o.owner_id, o.id)
    returning c.*
  ), sums as (
    insert into model_call_months as m
    select owner_id, date_trunc('month', at at time zone 'UTC')::date, kind, model, rung, count(*),
      count(*) filter (where ok), sum(input_tokens), sum(output_tokens), sum(seconds), sum(price_usd)
    from gone
    group by 1, 2, 3, 4, 5
    on conflict (owner_id, month, kind, model, rung) do update
    set calls = m.calls + excluded.calls, ok = m.ok + excluded.ok,
      input_tokens = m.input_tokens + excluded.input_tokens, output_tokens = m.output_tokens + excluded.output_tokens,
      seconds = m.seconds + excluded.seconds, price_usd = m.price_usd + excluded.price_usd
    returning 1)
  select count(*)::int from gone;
end;

revoke execute on function drop_old_receipts, drop_surplus_receipts, drop_finished_jobs, fold_model_calls from public;
grant execute on function drop_old_receipts, drop_surplus_receipts, drop_finished_jobs, fold_model_calls to chatmem_worker;
