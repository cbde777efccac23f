-- A second line behind the owner predicate of every statement. The server works as roles that own nothing:
--   chatmem_server sees the rows of one owner, named by the setting chatmem.owner; without it, none;
--   chatmem_worker serves all owners, but only what the queue, the embedder and the cost ledger need.
-- Whoever logs in owns the tables and takes one of the two roles with each connection.

do $$
declare
  name text;
begin
  foreach name in array array['chatmem_server', 'chatmem_worker'] loop
    begin
      if to_regrole(name) is null then
        execute format('create role %I nologin', name);
      end if;
      execute format('grant %I to %I', name, current_user);
    exception
      when duplicate_object or unique_violation then
        null;  -- another database of this server was first
      when insufficient_privilege then
        if to_regrole(name) is null or not pg_has_role(current_user, name, 'member') then
          raise insufficient_privilege using message = format(
            'this login cannot make or take the role %1$s: have an administrator run `create role %1$s nologin; grant %1$s to %2$I`, '
            'and start again', name, current_user);
        end if;
    end;
  end loop;
  execute format('grant usage on schema %I to chatmem_server, chatmem_worker', current_schema());
end
$$;

-- Whose rows a session of chatmem_server may see.
create function current_owner() returns bigint
  language sql stable parallel safe
  return nullif(current_setting('chatmem.owner', true), '')::bigint;

-- For this and every later migration: the rows of a table are their owner's alone. The subselect makes the setting be
-- read once a statement, not once a row.
create procedure guard_rows(guarded regclass)
  language plpgsql as $$
begin
  execute format('alter table %s enable row level security', guarded);
  execute format('create policy own on %s to chatmem_server using (owner_id = (select current_owner()))', guarded);
  execute format('grant select, insert, update, delete on %s to chatmem_server', guarded);
end
$$;

call guard_rows('user_profile');
call guard_rows('chats');
call guard_rows('chat_metadata');
call guard_rows('messages');
call guard_rows('message_versions');
call guard_rows('message_fts');
call guard_rows('conversation_summaries');
call guard_rows('text_versions');
call guard_rows('thread_state');
call guard_rows('memories');
call guard_rows('memory_versions');
call guard_rows('chat_context_queue');
call guard_rows('context_receipts');
call guard_rows('tombstones');
call guard_rows('model_calls');

-- The server's own tables hold no owner's words.
grant select, insert, update on access_tokens, server_keys, scrubs to chatmem_server;

-- Under row-level security a full-text condition cannot use its index, for `@@` is not leakproof (measured: ten times
-- slower). These run as the tables' owner, see the current owner's rows alone, and keep the index.
create function messages_with(words tsquery) returns table (chat_id bigint, id bigint, tsv tsvector)
  language sql stable security definer rows 200
begin atomic
  select f.chat_id, f.id, f.tsv from message_fts f
  where f.tsv @@ words and f.owner_id = current_owner();
end;

create function memories_with(words tsquery) returns table (id bigint, tsv tsvector)
  language sql stable security definer rows 50
begin atomic
  select m.id, m.tsv from memories m
  where m.tsv @@ words and m.owner_id = current_owner();
end;

create function summaries_with(words tsquery) returns table (chat_id bigint, id bigint, tsv tsvector)
  language sql stable security definer rows 50
begin atomic
  select s.chat_id, s.id, s.tsv from conversation_summaries s
  where s.tsv @@ words and s.owner_id = current_owner();
end;

-- The planner's statistics of a guarded table are hidden from who is subject to its policy.
create function lexeme_frequencies() returns table (lexeme text, frequency real)
  language sql stable security definer
begin atomic
  select unnest(most_common_elems::text::text[]),
    unnest(most_common_elem_freqs[1:array_length(most_common_elems::text::text[], 1)])
  from pg_catalog.pg_stats
  where tablename = 'message_fts' and attname = 'tsv';
end;

revoke execute on function messages_with, memories_with, summaries_with, lexeme_frequencies from public;
grant execute on function messages_with, memories_with, summaries_with, lexeme_frequencies to chatmem_server;

-- Work of all owners: the queue, embeddings and costs. No text but what is embedded, and none of it can be changed.
create policy everyone on chat_context_queue to chatmem_worker using (true);
create policy everyone on chats for select to chatmem_worker using (true);
create policy everyone on model_calls for select to chatmem_worker using (true);
create policy everyone on messages to chatmem_worker using (true);
create policy everyone on memories to chatmem_worker using (true);
create policy everyone on conversation_summaries to chatmem_worker using (true);
grant select, update on chat_context_queue to chatmem_worker;
grant select on chats, model_calls to chatmem_worker;
grant select (owner_id, chat_id, id, speaker, role, content, version, embedding, ebits), update (embedding, ebits)
  on messages to chatmem_worker;
grant select (owner_id, id, content, version, embedding), update (embedding) on memories to chatmem_worker;
grant select (owner_id, chat_id, id, text, version, embedding), update (embedding)
  on conversation_summaries to chatmem_worker;

-- Message numbers begin at 1 in every chat, so this index found the sources of all owners together; the owner's own
-- key is the shorter way.
drop index memories_sources;
create index memories_source on memories (owner_id, source_chat_id) where source_chat_id is not null;
