-- A search also finds words in which markup stands, as in `**Sar**ah`, which is shown as "Sarah". The patterns contain none
-- of the characters that are left out here.
create or replace function may_say(said text, patterns text[]) returns boolean
  language sql immutable parallel safe
  return octet_length(said) <> length(said) or translate(lower(said collate "C"), '*~\-_`', '') like any(patterns);
