-- All strings of a JSON document, a line each, as they were before they became JSON: with their own quotes and line ends.
create function strings_of(document jsonb) returns text
  language sql immutable parallel safe
  return (
    select string_agg(found #>> '{}', chr(10))
    from jsonb_path_query(document, 'strict $.** ? (@.type() == "string")') as found);
