-- Consumer groups of `onEvent`: a group receives each event, its consumers share them. A row of `event_try` is an
-- event that a consumer holds, or that waits for its next try.

-- name: join_group
-- `from_now`: a new group starts after the newest event, otherwise with the oldest stored one.
-- params: name text, from_now bool
-- row: position int8
with made as (
  insert into relais.event_group (name, position)
  select $1::text, case when $2::bool then s.position else s.trimmed end from relais.stream s
  on conflict (name) do nothing
  returning position
)
select position from made
union all
select g.position from relais.event_group g where g.name = $1::text
limit 1;

-- name: take_event
-- Gives a consumer the next event of its group: a due retry, or a new one. Events of other types are skipped.
-- params: name text, consumer text, types text[], lease_ms float8, now timestamptz
-- row: epoch int4, position int8, id text, account text, type text, data jsonb, at timestamptz, tries int2
with clock as (select coalesce($5::timestamptz, now()) as at),
overdue as materialized (
  select t.event_group, t.position from relais.event_try t, clock
  where t.event_group = $1::text and t.due_at <= clock.at order by t.due_at, t.position limit 1 for update of t skip locked
),
again as (
  update relais.event_try t
  set tries = t.tries + 1, consumer = $2::text, due_at = clock.at + $4::float8 * interval '1 ms'
  from overdue o, clock where t.event_group = o.event_group and t.position = o.position
  returning t.position, t.tries
),
own as materialized (
  select g.name, g.position from relais.event_group g
  where g.name = $1::text and not exists (select from overdue) for no key update
),
head as materialized (select s.position, s.trimmed from relais.stream s),
next as materialized (
  select n.position from own, head cross join lateral (
    select e.position from relais.event e
    where e.position > greatest(own.position, head.trimmed) and e.position <= head.position
      and ($3::text[] is null or e.type = any($3::text[]))
    order by e.position limit 1
  ) n
),
moved as (
  update relais.event_group g
  set position = greatest(g.position, coalesce((select position from next), head.position)), seen_at = clock.at
  from own, head, clock where g.name = own.name
    and (g.position < coalesce((select position from next), head.position) or g.seen_at < clock.at - interval '1 minute')
),
taken as (
  insert into relais.event_try (event_group, position, consumer, due_at)
  select $1::text, next.position, $2::text, clock.at + $4::float8 * interval '1 ms' from next, clock
  returning position, tries
)
select d.epoch, e.position, e.id, e.account, e.type, e.data, e.at, t.tries
from (select * from again union all select * from taken) t
join relais.event e on e.position = t.position, relais.deployment d;

-- name: renew_event
-- No row: another consumer took it.
-- params: name text, position int8, consumer text, lease_ms float8, now timestamptz
-- row: position int8
update relais.event_try t set due_at = coalesce($5::timestamptz, now()) + $4::float8 * interval '1 ms'
where t.event_group = $1::text and t.position = $2::int8 and t.consumer = $3::text returning t.position;

-- name: finish_event
-- params: name text, position int8, consumer text
-- row: position int8
delete from relais.event_try t
where t.event_group = $1::text and t.position = $2::int8 and t.consumer = $3::text returning t.position;

-- name: postpone_event
-- The handler failed: any consumer tries again later.
-- params: name text, position int8, consumer text, wait_ms float8, now timestamptz
-- row: position int8
update relais.event_try t set due_at = coalesce($5::timestamptz, now()) + $4::float8 * interval '1 ms', consumer = null
where t.event_group = $1::text and t.position = $2::int8 and t.consumer = $3::text returning t.position;

-- name: release_events
-- Releases the events of a consumer that stops.
-- params: name text, consumer text, now timestamptz
-- row: position int8
update relais.event_try t set due_at = coalesce($3::timestamptz, now()), consumer = null, tries = t.tries - 1
where t.event_group = $1::text and t.consumer = $2::text returning t.position;

-- name: bury_event
-- Moves an event that its group cannot handle to the dead letters: it is in exactly one of the two tables.
-- params: name text, position int8, consumer text, error text, most int4
-- row: position int8
with ended as (
  delete from relais.event_try t
  where t.event_group = $1::text and t.position = $2::int8 and t.consumer = $3::text
  returning t.position, t.tries
),
old as (
  delete from relais.dead_letter d using (
    select position from relais.dead_letter where event_group = $1::text order by position desc offset $5::int4
  ) o where d.event_group = $1::text and d.position = o.position
)
insert into relais.dead_letter (event_group, position, id, type, account, data, tries, error)
select $1::text, e.position, e.id, e.type, e.account, e.data, ended.tries, $4::text
from ended join relais.event e on e.position = ended.position
on conflict (event_group, position) do update set tries = excluded.tries, error = excluded.error, at = now()
returning position;

-- name: dead_letters
-- params: name text, after int8, most int4
-- row: position int8, id text, type text, account text, data jsonb, tries int2, error text, at timestamptz
select d.position, d.id, d.type, d.account, d.data, d.tries, d.error, d.at
from relais.dead_letter d where d.event_group = $1::text and d.position > $2::int8 order by d.position limit $3::int4;

-- name: replay_dead_letters
-- Lets a group retry its dead letters, or one of them.
-- params: name text, position int8, now timestamptz
-- row: position int8
with back as (
  delete from relais.dead_letter d using relais.event e, relais.stream s
  where d.event_group = $1::text and ($2::int8 is null or d.position = $2::int8) and e.position = d.position and e.position > s.trimmed
  returning d.position
)
insert into relais.event_try (event_group, position, tries, due_at)
select $1::text, position, 0, coalesce($3::timestamptz, now()) from back
on conflict (event_group, position) do nothing
returning position;

-- name: groups
-- Includes the number of unhandled events of each.
-- params:
-- row: name text, position int8, behind int8, trying int8, dead int8, seen_at timestamptz
select g.name, g.position, s.position - g.position as behind,
  (select count(*) from relais.event_try t where t.event_group = g.name) as trying,
  (select count(*) from relais.dead_letter d where d.event_group = g.name) as dead, g.seen_at
from relais.event_group g, relais.stream s order by g.name;

-- name: remove_group
-- An abandoned group prevents retention of events.
-- params: name text
-- row: name text
delete from relais.event_group where name = $1::text returning name;
