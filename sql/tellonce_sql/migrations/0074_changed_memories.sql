-- Finds the memories that were reworded or replaced last, whose former wordings are marked in every text.
create index memories_changed on memories (owner_id, updated_at desc) where superseded_by is not null or version > 1;
