-- A ledger restored from a backup: detected, examined, and continued under another epoch.

-- name: enter_recovery
-- From now on nothing is accepted or sent. The epoch changes, so that no event id is used twice. Existing evidence
-- stays, and the higher counters win. `epoch`: the highest that a process or witness remembers. No row: the epoch is
-- above `at_most`, so the loss was resolved meanwhile. Acts since a witness last confirmed the ledger may be missing,
-- as may lanes that have ended since.
-- params: because text, known jsonb, now timestamptz, epoch int4, at_most int4
-- row: number int8, fresh bool
with entered as (
  update relais.deployment d set recovering_at = coalesce($3, now()), recovering_why = $1, epoch = greatest(d.epoch, $4) + 1
  from (select epoch, coalesce(witnessed_at, created_at) as complete_at from relais.deployment for update) before
  where d.recovering_at is null and d.epoch <= coalesce($5, d.epoch)
  returning d.recovering_at, d.epoch, before.epoch as copied, before.complete_at
),
begun as (
  insert into relais.recovery (because, since, epoch, last_beat, marks, known)
  select $1, e.recovering_at, e.copied, e.complete_at,
    coalesce((
      select jsonb_object_agg(lane, counter) from (
        select lane, counter from relais.mark
        union all
        select lane, counter from relais.retired_lane where at >= e.complete_at and lane like '%/%'
      ) lanes
    ), '{}'),
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
  select 'system.' || 2 * b.number - 1 || '.' || e.epoch, '', 'system', 'system.recovering',
    jsonb_build_object('id', 'system', 'state', 'recovering', 'because', $1), coalesce($3, now())
  from begun b, entered e
)
select number, true as fresh from begun union all select number, false from more;

-- name: recovery
-- The running recovery.
-- params:
-- row: number int8, because text, since timestamptz, last_beat timestamptz, marks jsonb, known jsonb, before jsonb, confirmed_by text, confirmed_at timestamptz, copied int4, epoch int4, deployment uuid
select r.number, r.because, r.since, r.last_beat, r.marks, r.known, r.before, r.confirmed_by, r.confirmed_at, r.epoch as copied, d.epoch,
  d.id as deployment
from relais.recovery r, relais.deployment d where r.ended_at is null;

-- name: raise_sequences
-- No number is used twice: all numbers of any data-loss window are lower.
-- params:
-- row: position int8
with step as materialized (select 10000000000 * d.epoch as wide, 1000000 * d.epoch::int8 as narrow from relais.deployment d),
raised as materialized (
  select setval('relais.outbox_sequence_seq', (select last_value + wide from relais.outbox_sequence_seq)),
    setval('relais.audit_line_sequence_seq', (select last_value + wide from relais.audit_line_sequence_seq)),
    setval('relais.lease_number', (select last_value + wide from relais.lease_number)),
    setval('relais.campaign_number_seq', (select last_value + narrow from relais.campaign_number_seq)),
    setval('relais.account_event', (select last_value + narrow from relais.account_event)),
    setval('relais.campaign_turn', (select last_value + wide from relais.campaign_turn))
  from step
)
update relais.stream s set position = s.position + d.epoch * 1000000000::int8 from raised, relais.deployment d returning s.position;

-- name: ended_lanes
-- Lanes that had ended when the ledger was last known to be complete.
-- params: complete_at timestamptz
-- row: lane text
select lane from relais.retired_lane where at < $1;

-- name: recovery_standings
-- Counts by kind and state.
-- params:
-- row: kind text, state text, count int8, xof int8
select kind, state, count(*) as count, sum(amount)::int8 as xof from relais.operation group by kind, state
union all
select 'batch', state, count(*), sum(xof)::int8 from relais.batch group by state
union all
select 'campaign', state, count(*), null from relais.campaign group by state
union all
select 'recipient', case when q.state in ('queued', 'sending') then q.state else 'unknown' end, sum(q.size), null
from relais.sms_request q where q.state <> 'settled' group by 2;

-- name: note_before
-- params: before jsonb
-- row: before jsonb
update relais.recovery set before = coalesce(before, $1) where ended_at is null returning before;

-- name: settle_lanes
-- The ledger now includes the remembered counters: they are no longer a loss. Living processes continue with the
-- counters of the backup, and reopen missing lanes.
-- params: lane text[], counter int8[]
-- row: lane text
with known as (
  select k.lane, k.counter from unnest($1::text[], $2::int8[]) as k(lane, counter)
),
held as materialized (
  select m.lane from relais.mark m join known k using (lane)
  where not exists (select from relais.worker w where w.process = split_part(m.lane, '/', 1)) order by m.lane for no key update of m
),
raised as (
  update relais.mark m set counter = greatest(m.counter, k.counter) from known k, held h where m.lane = h.lane and k.lane = h.lane
)
insert into relais.retired_lane as r (lane, counter)
select k.lane, k.counter from known k
where not exists (select from relais.mark m where m.lane = k.lane)
  and not exists (select from relais.worker w where w.process = split_part(k.lane, '/', 1))
order by k.lane
on conflict (lane) do update set counter = greatest(r.counter, excluded.counter)
returning r.lane;

-- name: leave_recovery
-- params: by text, report jsonb, now timestamptz
-- row: because text
with ended as (
  update relais.recovery set ended_at = coalesce($3, now()), ended_by = $1, report = $2 where ended_at is null
  returning number, because
),
opened as (
  update relais.deployment d set recovering_at = null, recovering_why = null, unwitnessed_at = null, system_id = null, operation_oid = null
  from ended returning d.epoch
),
reported as (
  insert into relais.outbox (id, account, subject, type, data, at)
  select 'system.' || 2 * e.number || '.' || o.epoch, '', 'system', 'system.recovered',
    jsonb_build_object('id', 'system', 'state', 'recovered', 'because', e.because, 'by', $1), coalesce($3, now())
  from ended e, opened o
)
select because from ended;

-- name: confirm_recovery
-- A first person confirms that nothing was lost; a second one within a day ends the recovery.
-- params: by text, now timestamptz
-- row: confirmed_by text
update relais.recovery set
  confirmed_by = case when confirmed_at > coalesce($2, now()) - interval '1 day' then confirmed_by else $1 end,
  confirmed_at = case when confirmed_at > coalesce($2, now()) - interval '1 day' then confirmed_at else coalesce($2, now()) end
where ended_at is null
returning confirmed_by;

-- name: last_report
-- params:
-- row: report jsonb
select report from relais.recovery where ended_at is not null and report is not null order by number desc limit 1;
