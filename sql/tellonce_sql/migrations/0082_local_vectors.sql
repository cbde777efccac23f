-- The local model computes all vectors. Vectors of any other model are deleted, and the server computes them again. Until
-- then, searches find these texts by their words.
drop trigger messages_spare_vectors on messages;
drop trigger memories_spare_vectors on memories;
drop trigger summaries_spare_vectors on conversation_summaries;
drop function drop_spare_vectors;
drop table spare_vectors;

do $$
declare
  near_index text;
begin
  if (select active <> 'all-minilm-l6-v2-int8' from embedding_models) then
    update messages set embedding = null, ebits = null where embedding is not null;
    update memories set embedding = null where embedding is not null;
    update conversation_summaries set embedding = null where embedding is not null;
    -- The server builds these indexes again. Until they are vacuumed, they would only lead to deleted vectors.
    for near_index in select relname from pg_class where relkind = 'i' and relname like 'messages\_near\_%' loop
      execute format('drop index %I', near_index);
    end loop;
  end if;
end
$$;

update embedding_models set active = 'all-minilm-l6-v2-int8';
revoke update (active, changed_at) on embedding_models from chatmem_server;
alter table embedding_models
  alter column active set not null,
  drop column former,
  drop column changed_at;
