-- Published events, read by position. Positions are dense, and each is lower than those published later.

-- name: stream_state
-- params:
-- row: epoch int4, position int8, trimmed int8, oldest int8
select d.epoch, s.position, s.trimmed,
  (select e.position from relais.event e where e.position > s.trimmed order by e.position limit 1) as oldest
from relais.stream s, relais.deployment d;

-- name: events_after
-- params: after int8, most int4
-- row: epoch int4, position int8, id text, account text, type text, data jsonb, at timestamptz
select d.epoch, e.position, e.id, e.account, e.type, e.data, e.at
from relais.deployment d, relais.stream s, relais.event e
where e.position > greatest($1::int8, s.trimmed) order by e.position limit $2::int4;

-- name: event_at
-- Includes the trace of its operation or campaign.
-- params: position int8
-- row: epoch int4, position int8, id text, account text, type text, data jsonb, at timestamptz, trace text
select d.epoch, e.position, e.id, e.account, e.type, e.data, e.at, coalesce(o.trace, c.trace) as trace
from relais.deployment d, relais.stream s, relais.event e left join relais.operation o on o.id = e.subject
left join relais.campaign c on c.id = e.subject
where e.position = $1::int8 and e.position > s.trimmed;

-- name: find_event
-- By the id of an event, among the newest so many.
-- params: subject text, id text, most int8
-- row: epoch int4, position int8, id text, account text, type text
select d.epoch, e.position, e.id, e.account, e.type
from relais.deployment d, relais.stream s, relais.event e
where e.subject = $1::text and e.id = $2::text and e.position > greatest(s.trimmed, s.position - $3::int8)
order by e.position desc limit 1;

-- name: position_before
-- The position of the newest event that was published before a time.
-- params: at timestamptz
-- row: epoch int4, position int8
select d.epoch, coalesce(
  (select e.position - 1 from relais.event e where e.published_at >= $1::timestamptz order by e.published_at, e.position limit 1),
  s.position) as position
from relais.deployment d, relais.stream s;

-- name: trim_events
-- Marks events as deleted that were published before a time and that no group, try or delivery still needs.
-- params: keep_ms float8, now timestamptz
-- row: trimmed int8
with old as materialized (
  select least(
    coalesce(
      (select e.position - 1 from relais.event e where e.published_at >= coalesce($2::timestamptz, now()) - $1::float8 * interval '1 ms'
       order by e.published_at, e.position limit 1),
      (select s.position from relais.stream s)),
    (select min(g.position) from relais.event_group g),
    (select min(t.position) - 1 from relais.event_try t),
    (select min(p.position) from relais.endpoint p where p.state = 'enabled'),
    (select min(d.position) - 1 from relais.delivery d where d.state = 'due')) as upto
)
update relais.stream s set trimmed = old.upto from old where s.is_only and old.upto > s.trimmed returning s.trimmed;

-- name: delete_trimmed
-- Deletes trimmed events that are in the default partition; partitions of whole months are dropped.
-- params: most int4
-- row: position int8
delete from relais.event_rest e using (
  select r.position, r.published_at from relais.event_rest r
  where r.position <= (select s.trimmed from relais.stream s) order by r.position limit $1::int4
) old where e.position = old.position and e.published_at = old.published_at returning e.position;

-- name: needed_events
-- Whether a partition (a month) still has events that are not trimmed.
-- params: from_at timestamptz, to_at timestamptz
-- row: needed bool
select exists (
  select from relais.event e, relais.stream s
  where e.published_at >= $1::timestamptz and e.published_at < $2::timestamptz and e.position > s.trimmed) as needed;
