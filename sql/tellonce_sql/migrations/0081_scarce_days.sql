-- Repeated reminders on a day that some months or years lack. As cron expressions, they skipped these months. As
-- intervals, they come on the last day of such a month, also if this is the next time. The clock of the newest message
-- says at which moment this day's time is.
with scarce as (
  select r.owner_id, r.memory_id, r.due_at, coming.at,
    format('R/2024-%s-%sT%s:%s/P%sM%s', case p[4] when '2' then '02' else '01' end, p[3], lpad(p[2], 2, '0'),
      lpad(p[1], 2, '0'), months, p[5]) as repeats
  from reminders r
  cross join lateral regexp_match(r.repeats, '^(\d{1,2}) (\d{1,2}) (29|30|31) (\*|2) \*( until .+)?$') p
  cross join lateral (select case p[4] when '2' then 12 else 1 end as months) every
  left join lateral (
    select make_interval(mins => utc_offset) as ahead from messages m
    where m.owner_id = r.owner_id and m.chat_id = r.chat_id order by id desc limit 1
  ) clock on true
  cross join lateral (
    select min(at) as at
    from generate_series(1, case months when 12 then 3 else 1 end) n
    cross join lateral (
      select date_trunc('month', r.due_at at time zone 'UTC' + ahead - interval '12 hours')
        - make_interval(months => n * months - 1) - interval '1 day' as last_day
    ) days
    cross join lateral (
      select (last_day + make_interval(hours => p[2]::int, mins => p[1]::int) - ahead) at time zone 'UTC' as at
    ) times
    where r.done_at is null and extract(day from last_day) < p[3]::int and at > now()
  ) coming
  where p[4] = '*' or p[3] = '29'
), changed as (
  update reminders r set repeats = s.repeats, due_at = coalesce(s.at, s.due_at)
  from scarce s where r.owner_id = s.owner_id and r.memory_id = s.memory_id
)
update memories m set deadline = s.at
from scarce s where m.owner_id = s.owner_id and m.id = s.memory_id and m.deadline = s.due_at and s.at is not null;
