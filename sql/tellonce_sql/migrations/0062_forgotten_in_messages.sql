-- The tombstone of a forgotten text in a message names the message, so the text's hash need not contain the message's place.
-- The tombstone therefore still matches after the memory has moved to another user, where the chat has another number.
-- Earlier tombstones name no message; their hashes contain the place.
alter table tombstones add column message_id bigint;
create index tombstones_claim on tombstones (owner_id, claim);
