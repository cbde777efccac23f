-- A search also finds words in which markup, a link or an entity stands, as in `**Sar**ah`, which is shown as "Sarah".
create or replace function may_say(said text, patterns text[]) returns boolean
  language sql immutable parallel safe
  return octet_length(said) <> length(said) or lower(said collate "C") like any(patterns)
    or translate(lower(said collate "C"), '*~\-_`', '') like any(patterns) or said like '%](%' or said like '%&%;%';
