-- A memory is rejected by the user, or by an edit that took its message back. Only the user's word keeps it from being
-- learned again, so from now on their word is noted on it; what was rejected before counts as rejected by them, as it did.
update memories set user_confirmed = true where status = 'rejected';
