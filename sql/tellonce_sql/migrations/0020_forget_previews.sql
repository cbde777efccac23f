-- What a preview of `forget` showed, as numbers: a token confirms exactly these rows in these versions. It holds no text;
-- what was asked for is a keyed hash.
create table forget_previews (
  owner_id bigint not null,
  id text not null,
  chat_id bigint not null,
  until timestamptz not null,
  asked bytea not null,
  hits jsonb not null,
  primary key (owner_id, id)
);
call guard_rows('forget_previews');

-- Whether a text may match one of the patterns, which are of ASCII letters in lower case. A text with other characters may:
-- folding it is not the database's work.
create function may_say(said text, patterns text[]) returns boolean
  language sql immutable parallel safe
  return octet_length(said) <> length(said) or lower(said collate "C") like any(patterns);
