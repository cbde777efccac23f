-- The time zone in which the stored whole days begin. Null until the server first starts with this version.
create table calendar (zone text);
insert into calendar default values;
grant select on calendar to chatmem_server, chatmem_worker;

-- Whether the deadline, and the time when the statement holds or happens, are whole days instead of moments.
alter table memories
  add column deadline_is_day boolean not null default false,
  add column happens_on_days boolean not null default false;

-- Whether a moment is midnight in the zone, or in the last minute of a day, which stands for the end of the day.
create function is_day(at timestamptz, zone text) returns boolean
  language sql stable parallel safe
  return (at at time zone zone)::time = '00:00' or (at at time zone zone)::time >= '23:59'
    or at = date_trunc('day', at at time zone zone) at time zone zone;

-- The whole day of a moment in the zone `former`, as a moment in `zone`.
create function same_day(at timestamptz, former text, zone text) returns timestamptz
  language sql stable parallel safe
  return case when (at at time zone former)::time >= '23:59' then at at time zone former
    else date_trunc('day', at at time zone former) end at time zone zone;

create function mark_days() returns trigger
  language plpgsql as $$
declare
  here text := (select zone from calendar);
begin
  if tg_op = 'INSERT' or new.deadline is distinct from old.deadline then
    new.deadline_is_day := coalesce(is_day(new.deadline, here), false);
  end if;
  if tg_op = 'INSERT' or (new.happens_from, new.happens_to) is distinct from (old.happens_from, old.happens_to) then
    new.happens_on_days := new.happens_precision is distinct from 'instant'
      and coalesce(is_day(coalesce(new.happens_from, new.happens_to), here), false)
      and coalesce(is_day(coalesce(new.happens_to, new.happens_from), here), false);
  end if;
  return new;
end
$$;
create trigger memories_mark_days before insert or update of deadline, happens_from, happens_to, happens_precision on memories
  for each row execute function mark_days();
