-- The name the user gave as theirs in the words of this memory, which its content repeats; null in all others.
alter table memories add column user_name text;
create index memories_user_name on memories (owner_id, valid_from desc) where user_name is not null;
