-- An owner with very many messages gets an index of vectors of its own, partial by owner, built beside the running server
-- (queries/near.sql). For the planner to see that such an index serves, the owner must stand in the statement as a number:
-- so it is planned at every call here, apart from the statement of the search. Sorting is switched off, because by the
-- planner's estimate of a guarded table an owner has few rows, which it would rather sort.
-- Loads the extension's library, which declares the settings named below.
select '[1]'::vector;

create function messages_near(owner bigint, chat bigint, below bigint, vector halfvec, most int)
  returns table (chat_id bigint, id bigint, distance double precision)
  language plpgsql stable rows 100
  set enable_sort = off
  set hnsw.ef_search = 100
  set hnsw.iterative_scan = relaxed_order
as $$
begin
  return query execute format(
    'select m.chat_id, m.id, m.embedding <=> $1 from messages m where m.owner_id = %s %s and m.id < $2 '
    'order by m.embedding <=> $1 limit $3',
    owner, case when chat is not null then format('and m.chat_id = %s', chat) end)
    using vector, below, most;
end
$$;
revoke execute on function messages_near from public;
grant execute on function messages_near to chatmem_server;
