-- Leases of a job that ended without a word from its worker: a job that kills its workers must not do so for ever.
alter table chat_context_queue add column lost int not null default 0;

-- Calls that found no provider, apart from those it answered badly: an outage is told from them.
alter table model_calls add column down boolean not null default false;

-- How often something of the owner's was erased: a context that was being read meanwhile leaves no receipt.
alter table user_profile add column erasures bigint not null default 0;
