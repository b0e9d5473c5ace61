-- The publisher: one process at a time assigns positions to the events of the outbox. All statements of a publication
-- are one transaction, which alone renews the lease.

-- name: publisher_work
-- Whether this process has anything to publish: it leads, or the lease is free. Read-only.
-- params: process text, signs bool, now timestamptz
-- row: events bool, lines bool, day text, at timestamptz
select
  exists (select from relais.outbox where refused is null) as events,
  $2 and exists (select from relais.audit_line where mac is null) as lines,
  s.day::text as day, coalesce($3, now()) as at
from relais.stream s, relais.leader l
where l.name = 'publisher' and (l.process = $1 or l.lease_until is null or l.lease_until <= coalesce($3, now()));

-- name: lead_publisher
-- Takes or renews the lease, and locks its row until the transaction ends. No row: another process leads. PostgreSQL
-- disconnects a process that stops midway, so that it locks the row no longer than the lease.
-- params: process text, lease_ms float8, now timestamptz
-- row: at timestamptz, day text, idle_timeout text
with free as materialized (
  select l.name from relais.leader l
  where l.name = 'publisher' and (l.process = $1 or l.lease_until is null or l.lease_until <= coalesce($3, now()))
  for no key update skip locked
)
update relais.leader l
set process = $1, lease_until = coalesce($3, now()) + $2 * interval '1 ms'
from free, relais.stream s
where l.name = free.name
returning coalesce($3, now()) as at, s.day::text as day,
  set_config('idle_in_transaction_session_timeout', ceil($2)::int::text, true) as idle_timeout;

-- name: resign_publisher
-- Ends the lease of a process that stops, so that the next one need not wait.
-- params: process text
-- row:
update relais.leader set process = null, lease_until = null where name = 'publisher' and process = $1;

-- name: open_day
-- Closes the open day and days without activity, and opens another. Figures of state (`=`) are carried over, and
-- their values at the start of the day are stored (`<`). A closed day is never opened again.
-- params: day date, keep_days int4, now timestamptz
-- row: day text
with old as materialized (
  select s.day, s.position from relais.stream s where s.day is null or s.day < $1::date for no key update
),
closed as (
  insert into relais.closed_day (day, position, closed_at)
  select d.day::date, old.position, coalesce($3, now())
  from old, generate_series(old.day, $1::date - 1, interval '1 day') as d(day)
  on conflict do nothing
),
standing as materialized (
  select t.account, t.mode, t.item, t.count, t.xof
  from old join relais.day_total t on t.day = old.day
  where t.item like '%.=%' and (t.count <> 0 or t.xof <> 0)
),
carried as (
  insert into relais.day_total (day, account, mode, item, count, xof)
  select $1::date, account, mode, item, count, xof from standing
  union all
  select $1::date, account, mode, replace(item, '.=', '.<'), count, xof from standing
),
forgotten as (delete from relais.day_total t using old where t.day < $1::date - $2::int4),
reopened as (delete from relais.closed_day c using old where c.day < $1::date - $2::int4)
update relais.stream s set day = $1::date from old where s.is_only
returning s.day::text as day;

-- name: publish_events
-- Assigns positions to the oldest rows of the outbox, and adds their totals to the day. Rows locked by another
-- session wait. `only`: one row. Totals are numbers by name: kind|account|place|measure, in XOF if the measure ends
-- in `Xof`.
-- params: most int4, day date, now timestamptz, only int8
-- row: taken int4, published int4, position int8
with taken as materialized (
  select o.sequence, o.id, o.account, o.subject, o.type, o.data, o.totals, o.at
  from relais.outbox o where o.refused is null and ($4::int8 is null or o.sequence = $4)
  order by o.sequence limit $1 for update skip locked
),
head as materialized (select s.position, greatest(s.day, $2::date) as day from relais.stream s for no key update),
gone as (delete from relais.outbox o using taken t where o.sequence = t.sequence),
published as (
  insert into relais.event (position, id, account, subject, type, data, at, published_at)
  select head.position + row_number() over (order by t.sequence), t.id, t.account, t.subject, t.type, t.data, t.at,
    coalesce($3, now())
  from taken t, head where t.type is not null
  returning position
),
named as (
  select string_to_array(p.name, '|') as name, sum(p.change::bigint) as change
  from taken t, jsonb_each_text(t.totals) as p(name, change) where t.totals is not null group by p.name
),
sums as materialized (
  select name[2] as account, name[3] as mode, name[1] || '.' || regexp_replace(name[4], 'Xof$', '') as item,
    coalesce(sum(change) filter (where name[4] not like '%Xof'), 0) as count,
    coalesce(sum(change) filter (where name[4] like '%Xof'), 0) as xof
  from named group by 1, 2, 3
),
counted as (
  insert into relais.event_count as c (type, count)
  select t.type, count(*) from taken t where t.type is not null group by t.type order by t.type
  on conflict (type) do update set count = c.count + excluded.count
),
added as (
  insert into relais.day_total as d (day, account, mode, item, count, xof)
  select head.day, s.account, s.mode, s.item, s.count, s.xof from sums s, head order by s.account collate "C", s.mode collate "C", s.item collate "C"
  on conflict (day, account, mode, item) do update set count = d.count + excluded.count, xof = d.xof + excluded.xof
)
update relais.stream s
set position = head.position + (select count(*) from published)
from head where s.is_only
returning (select count(*) from taken)::int4 as taken, (select count(*) from published)::int4 as published, s.position;

-- name: oldest_waiting
-- params:
-- row: sequence int8
select o.sequence from relais.outbox o where o.refused is null order by o.sequence limit 1 for update skip locked;

-- name: refuse_row
-- Quarantines an outbox row that cannot be published. Other rows continue.
-- params: sequence int8, reason text
-- row: sequence int8, id text
update relais.outbox o set refused = $2 where o.sequence = $1 and o.refused is null returning o.sequence, o.id;

-- name: release_refused
-- Lets the publisher retry quarantined rows.
-- params:
-- row: sequence int8
update relais.outbox set refused = null where refused is not null returning sequence;

-- name: publisher_figures
-- params: now timestamptz
-- row: waiting int8, oldest_at timestamptz, refused int8, unsigned int8, oldest_unsigned_at timestamptz, position int8, at timestamptz
select
  (select count(*) from relais.outbox where refused is null) as waiting,
  (select o.at from relais.outbox o where o.refused is null order by o.sequence limit 1) as oldest_at,
  (select count(*) from relais.outbox where refused is not null) as refused,
  (select count(*) from relais.audit_line where mac is null) as unsigned,
  (select a.at from relais.audit_line a where a.mac is null order by a.sequence limit 1) as oldest_unsigned_at,
  s.position, coalesce($1, now()) as at
from relais.stream s;
