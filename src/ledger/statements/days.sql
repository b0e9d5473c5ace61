-- Daily totals for reports. The publisher writes them.

-- name: day_totals
-- The totals of a day, or of the last earlier day with totals.
-- params: day date
-- row: day text, account text, mode text, item text, count int8, xof int8
select t.day::text as day, t.account, t.mode, t.item, t.count, t.xof
from relais.day_total t
where t.day = (select max(l.day) from relais.day_total l where l.day <= $1::date)
order by t.account, t.mode, t.item;

-- name: open_day_now
-- params:
-- row: day text
select s.day::text as day from relais.stream s;

-- name: ledger_time
-- params: now timestamptz
-- row: at timestamptz
select coalesce($1::timestamptz, now()) as at;
