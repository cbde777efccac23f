-- The server looks tokens up. It neither makes nor ends one, and reads no key: those are made and read by the login that
-- owns the tables, when the server starts and from the command line. Whoever talks the server into a statement of their
-- own lets nobody in, and signs nothing.
revoke all on access_tokens, server_keys from chatmem_server;
grant select (token_hash, name, user_id, scopes, revoked_at) on access_tokens to chatmem_server;
