-- What kind of thing a statement tells of, in general words ("sport"), so that a question for all of a kind finds its
-- members. `categories` are a model's words. Null: nobody named any, and the server has not looked for the nearest of its own
-- names yet, which it indexes without storing them as text.
alter table memories add column categories text[];

-- The lexemes under which a statement is a member of its categories.
create function category_lexemes(words text) returns text[]
  language sql immutable parallel safe
  return (
    select coalesce(array_agg('@k' || lexeme), '{}')
    from unnest(tsvector_to_array(to_tsvector('chatmem', words))) as found (lexeme));

create index memories_uncategorized on memories (owner_id, id) where categories is null and embedding is not null;
grant select (categories, tsv), update (categories, tsv) on memories to chatmem_worker;
