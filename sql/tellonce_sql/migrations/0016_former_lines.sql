-- What derived texts said before, a line once: a chat's summary has a version for every exchange, and one differs from the
-- next by a line or two. A version holds the numbers of its lines; what is forgotten goes from the line, so from all.
create table former_lines (
  owner_id bigint not null,
  id bigint generated always as identity,
  line text not null,
  primary key (owner_id, id)
);
-- By hash: a line may be longer than an index entry. Not unique: two that become the same when something is forgotten stay two.
create index former_lines_line on former_lines (owner_id, md5(line));
call guard_rows('former_lines');

-- The numbers of a text's lines, in order; those that are new are kept.
create function former_lines_of(owner bigint, said text) returns jsonb
  language plpgsql volatile as $$
begin
  insert into former_lines (owner_id, line)
  select distinct owner, l.line
  from string_to_table(said, chr(10)) as l (line)
  where not exists (
    select from former_lines f where f.owner_id = owner and md5(f.line) = md5(l.line) and f.line = l.line);
  return (
    select coalesce(jsonb_agg(kept.id order by l.place), '[]')
    from string_to_table(said, chr(10)) with ordinality as l (line, place)
    cross join lateral (
      select min(f.id) as id from former_lines f
      where f.owner_id = owner and md5(f.line) = md5(l.line) and f.line = l.line) kept);
end
$$;

-- The text of these lines as they are now.
create function former_text(owner bigint, lines jsonb) returns text
  language sql stable
  return (
    select string_agg(f.line, chr(10) order by l.place)
    from jsonb_array_elements(lines) with ordinality as l (id, place)
    join former_lines f on f.owner_id = owner and f.id = l.id::bigint);

-- Only the texts of a version are ever shown again, so only they are kept.
update text_versions v
set value = (
  select coalesce(jsonb_object_agg(part.key, former_lines_of(v.owner_id, part.value #>> '{}')), '{}')
  from jsonb_each(v.value) as part
  where jsonb_typeof(part.value) = 'string');
