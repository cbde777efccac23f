-- The order in which the memory page lists memories.
create index memories_listed on memories (owner_id, valid_from desc, id desc);
