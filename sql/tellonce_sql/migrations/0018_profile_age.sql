-- Whether a profile is stale was asked of the moment it was stored; but it knows nothing that changed after its job was queued.
alter table user_profile add column queued_at timestamptz;
update user_profile set queued_at = built_at;
