-- Vectors of two models have nothing to do with each other. One model is active: its vectors are in the tables. A session
-- says with the setting chatmem.model who made the vectors it brings; those of any other model are taken for none.
create table embedding_models (
  only_row boolean primary key default true check (only_row),
  active text,
  former text,
  changed_at timestamptz
);
insert into embedding_models default values;
grant select on embedding_models to chatmem_server, chatmem_worker;
grant update (active, changed_at) on embedding_models to chatmem_server;

create function speaks_active() returns boolean
  language sql stable
  return (select active is null or active = current_setting('chatmem.model', true) from embedding_models);

create function of_active(vector halfvec) returns halfvec
  language sql stable
  return case when speaks_active() then vector end;

-- The same for writing: as things stand now, and they stand so until the writer's transaction ends.
create function may_write_vectors() returns boolean
  language sql volatile security definer
begin atomic
  select exists (
    select from embedding_models where active is null or active = current_setting('chatmem.model', true) for share);
end;
revoke execute on function may_write_vectors from public;
grant execute on function may_write_vectors to chatmem_server, chatmem_worker;

-- Vectors that wait for their model to become active, and those of the model that was it before.
create table spare_vectors (
  owner_id bigint not null,
  model text not null,
  kind text not null check (kind in ('message', 'memory', 'summary')),
  chat_id bigint not null,
  id bigint not null,
  version int not null,
  embedding halfvec(384) not null,
  ebits bit(384) not null,
  primary key (owner_id, model, kind, chat_id, id)
);
alter table spare_vectors alter column embedding set storage plain;
call guard_rows('spare_vectors');

-- What is forgotten or written anew leaves no vector of its former text behind.
create function drop_spare_vectors() returns trigger
  language plpgsql as $$
begin
  delete from spare_vectors
  where owner_id = old.owner_id and kind = tg_argv[0] and id = old.id
    and chat_id = case when tg_argv[0] = 'memory' then 0 else (to_jsonb(old) ->> 'chat_id')::bigint end;
  return null;
end
$$;
create trigger messages_spare_vectors after update of content or delete on messages
  for each row execute function drop_spare_vectors('message');
create trigger memories_spare_vectors after update of content or delete on memories
  for each row execute function drop_spare_vectors('memory');
create trigger summaries_spare_vectors after update of text or delete on conversation_summaries
  for each row execute function drop_spare_vectors('summary');
