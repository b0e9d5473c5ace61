-- A ledger that was restored to an earlier point: noticed, examined, and continued under another epoch.

-- name: enter_recovery
-- Nothing is accepted and nothing leaves from now on. What was known already stays, and the higher counters count.
-- params: because text, known jsonb, now timestamptz
-- row: number int8, fresh bool
with entered as (
  update relais.deployment set recovering_at = coalesce($3, now()), recovering_why = $1 where recovering_at is null
  returning recovering_at
),
begun as (
  insert into relais.recovery (because, since, last_beat, marks, known)
  select $1, e.recovering_at,
    coalesce((select max(beat_at) from relais.worker), (select max(at) from relais.retired_lane)),
    coalesce((select jsonb_object_agg(lane, counter) from (
      select lane, counter from relais.mark union all select lane, counter from relais.retired_lane
    ) m), '{}'),
    $2
  from entered e
  returning number
),
more as (
  update relais.recovery r set known = (
    select coalesce(jsonb_object_agg(lane, greatest((r.known ->> lane)::int8, ($2 ->> lane)::int8)), '{}')
    from jsonb_object_keys(r.known || $2) as lane)
  where r.ended_at is null and not exists (select from entered)
  returning number
),
reported as (
  insert into relais.outbox (id, account, subject, type, data, at)
  select 'system.recovering.' || b.number || '.' || d.epoch, '', 'system', 'system.recovering',
    jsonb_build_object('id', 'system', 'because', $1), coalesce($3, now())
  from begun b, relais.deployment d
)
select number, true as fresh from begun union all select number, false from more;

-- name: recovery
-- The recovery that is under way.
-- params:
-- row: number int8, because text, since timestamptz, last_beat timestamptz, marks jsonb, known jsonb, before jsonb, confirmed_by text, confirmed_at timestamptz, epoch int4, deployment uuid
select r.number, r.because, r.since, r.last_beat, r.marks, r.known, r.before, r.confirmed_by, r.confirmed_at, d.epoch,
  d.id as deployment
from relais.recovery r, relais.deployment d where r.ended_at is null;
