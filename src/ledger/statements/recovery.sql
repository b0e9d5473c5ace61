-- A ledger that was restored to an earlier point: noticed, examined, and continued under another epoch.

-- name: enter_recovery
-- Nothing is accepted and nothing leaves from now on, and the epoch is another one: no id of an event is used twice. What
-- was known already stays, and the higher counters count.
-- `epoch`: the highest that a process or witness remembers. No row: the epoch is above `at_most`, so the loss was dealt with meanwhile.
-- What was done since a witness last confirmed the ledger may be missing, and so may lanes that have ended since.
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
-- The recovery that is under way.
-- params:
-- row: number int8, because text, since timestamptz, last_beat timestamptz, marks jsonb, known jsonb, before jsonb, confirmed_by text, confirmed_at timestamptz, copied int4, epoch int4, deployment uuid
select r.number, r.because, r.since, r.last_beat, r.marks, r.known, r.before, r.confirmed_by, r.confirmed_at, r.epoch as copied, d.epoch,
  d.id as deployment
from relais.recovery r, relais.deployment d where r.ended_at is null;

-- name: raise_sequences
-- No number is given twice: what any lost time has used lies below.
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

-- name: replay_operations
-- Records operations again that the journal knows and this ledger does not.
-- params: id text[], kind text[], account text[], reference text[], idempotency_key text[], fingerprint bytea[], state text[], queue text[], amount int8[], beneficiary text[], request jsonb[], facts jsonb[], metadata jsonb[], payee_name text[], purpose text[], provider_id text[], token text[], batch text[], created_by text[], created_at timestamptz[], send_until timestamptz[], quiet_until timestamptz[], counted bool[], schema_version int2, now timestamptz
-- row: id text, kind text
with asked as materialized (
  select a.* from unnest(
    $1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::bytea[], $7::text[], $8::text[], $9::int8[], $10::text[], $11::jsonb[],
    $12::jsonb[], $13::jsonb[], $14::text[], $15::text[], $16::text[], $17::text[], $18::text[], $19::text[], $20::timestamptz[],
    $21::timestamptz[], $22::timestamptz[], $23::bool[]
  ) as a(
    id, kind, account, reference, idempotency_key, fingerprint, state, queue, amount, beneficiary, request, facts, metadata, payee_name,
    purpose, provider_id, token, batch, created_by, created_at, send_until, quiet_until, counted
  )
  where not exists (select from relais.tombstone t where t.id = a.id)
  order by a.id collate "C"
),
added as (
  insert into relais.operation (
    id, kind, account, reference, idempotency_key, fingerprint, state, queue, amount, beneficiary, request, facts, metadata, payee_name,
    purpose, provider_id, token, token_at, sent_at, send_until, quiet_until, batch, created_by, created_at, reason, sends, due_at,
    counted_on, schema_version, op, evidence, evidence_total
  )
  select id, kind, account, reference, idempotency_key, fingerprint, state, queue, amount, beneficiary, request, facts, metadata, payee_name,
    purpose, provider_id, token, case when token is not null then created_at end, coalesce($25, now()), send_until, quiet_until, batch,
    created_by, created_at, 'restored', 1, case when queue is not null then coalesce($25, now()) end,
    case when counted then (created_at at time zone 'UTC')::date end, $24, gen_random_uuid(),
    array[to_char(coalesce($25, now()) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || ' restored|journal||']
      || case when token is not null then array[to_char(coalesce($25, now()) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || ' submit|intended||send 1'] else '{}' end,
    case when token is not null then 2 else 1 end
  from asked order by id collate "C"
  on conflict do nothing
  returning id, kind, account, beneficiary, amount, counted_on, request ->> 'withdrawMode' as place, state
),
-- Accepted again, and at once in the state that they have.
posted as (
  insert into relais.outbox (totals, at)
  select p.totals, coalesce($25, now())
  from added a cross join lateral (values
    (relais.totals_of(a.kind, a.account, a.place, '', '', a.amount)),
    (relais.totals_of(a.kind, a.account, a.place, 'queued', a.state, a.amount))
  ) as p(totals)
  where a.amount is not null and p.totals is not null order by a.id
),
counted as (
  insert into relais.spent as s (day, account, beneficiary, xof)
  select c.counted_on, c.account, c.beneficiary, sum(c.amount)
  from (
    select counted_on, account, '' as beneficiary, amount from added
    union all
    select counted_on, account, beneficiary, amount from added where beneficiary is not null
  ) c
  where c.counted_on is not null group by 1, 2, 3 order by c.beneficiary <> '', 1, 2, 3
  on conflict (day, account, beneficiary) do update set xof = s.xof + excluded.xof
)
select id, kind from added;

-- name: replay_intents
-- Raises payments to the intent that the journal knows, which is their evidence from here on. A later state is never moved back. One that a person cancelled
-- is asked about by its token: during the recovery it stays with a person, before it is led to one by `restorable`.
-- params: id text[], token text[], send_until timestamptz[], quiet_until timestamptz[], now timestamptz
-- row: id text
with held as materialized (
  select o.id, o.state as was from relais.operation o
  where o.id = any($1::text[])
    and (o.state in ('queued', 'held', 'created', 'cancelled') or (o.state = 'needs_review' and o.reason = 'restored' and o.token is null))
  order by o.id for no key update
),
raised as (
  update relais.operation o set state = case when o.state in ('needs_review', 'cancelled') then o.state else 'submitting' end, queue = 'status-poll',
    due_at = coalesce($5, now()), reason = 'restored', token = coalesce(a.token, o.token), token_at = coalesce(o.token_at, $5, now()), sent_at = coalesce(o.sent_at, $5, now()),
    send_until = a.send_until, quiet_until = a.quiet_until, sends = greatest(o.sends, 1::int2), version = o.version + 1, since = coalesce($5, now()),
    updated_at = coalesce($5, now()), lease = null, lease_until = null, holder = null, op = gen_random_uuid(),
    evidence = (o.evidence || (to_char(coalesce($5, now()) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || ' submit|intended||send ' || greatest(o.sends, 1)))[greatest(1, cardinality(o.evidence) - 48):],
    evidence_total = o.evidence_total + 1
  from held h join unnest($1::text[], $2::text[], $3::timestamptz[], $4::timestamptz[]) as a(id, token, send_until, quiet_until) using (id)
  where o.id = h.id
  returning o.id, o.kind, o.account, o.request ->> 'withdrawMode' as place, h.was, o.state, o.amount
),
posted as (
  insert into relais.outbox (totals, at)
  select p.totals, coalesce($5, now())
  from raised r cross join lateral (select relais.totals_of(r.kind, r.account, r.place, r.was, r.state, r.amount) as totals) p
  where p.totals is not null order by r.id
)
select id from raised;

-- name: doubt_messages
-- These messages may have left, so they are in doubt, and none is sent again because it was refused before. Null: all that
-- were refused.
-- params: id text[], settle_ms float8, now timestamptz
-- row: id text
with held as materialized (
  select o.id from relais.operation o
  where o.kind = 'message' and case when $1::text[] is null then o.state = 'unknown' and o.facts ? 'refused'
    else o.id = any($1) and (o.state in ('queued', 'sending') or (o.state = 'unknown' and o.reason is distinct from 'restored')) end
    and o.finished_at is null
  order by o.id for no key update
)
update relais.operation o set state = 'unknown', queue = 'status-poll', due_at = coalesce($3, now()) + $2 * interval '1 ms',
  reason = 'restored', facts = o.facts - 'refused' - 'looks', sends = greatest(o.sends, 1::int2), version = o.version + 1,
  since = coalesce($3, now()), updated_at = coalesce($3, now()), lease = null, lease_until = null, holder = null,
  evidence = (o.evidence || (to_char(coalesce($3, now()) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || ' restored|' || o.state || '||'))[greatest(1, cardinality(o.evidence) - 48):],
  evidence_total = o.evidence_total + 1, op = gen_random_uuid()
from held h where o.id = h.id
returning o.id;

-- name: approve_replayed
-- They were approved in the lost time, since they left.
-- params: id text[]
-- row: id text
with held as materialized (
  select o.id from relais.operation o where o.id = any($1::text[]) and o.state = 'awaiting_approval' order by o.id for no key update
)
update relais.operation o set state = 'queued', version = o.version + 1 from held h where o.id = h.id returning o.id;

-- name: restorable
-- The next operations in these states, locked. Those that the journal has raised are left to their checks. Of those that
-- were cancelled: the ones of which the journal knows that they left. `only`: among these; null: all.
-- params: kind text[], state text[], most int4, only text[]
-- row: id text, kind text, account text, reference text, idempotency_key text, state text, queue text, amount int8, beneficiary text, request jsonb, metadata jsonb, payee_name text, purpose text, provider_id text, token text, transaction_id text, provider_ref text, facts jsonb, evidence text[], evidence_total int4, reason text, sends int2, tries int2, token_at timestamptz, sent_at timestamptz, quiet_until timestamptz, not_before timestamptz, batch text, created_by text, approved_by text, approved_at timestamptz, rejected_by text, note text, trace text, created_at timestamptz, updated_at timestamptz, since timestamptz, version int4
with next as materialized (
  select o.id from unnest($1::text[], $2::text[]) as open(kind, state)
  cross join lateral (
    select o.id from relais.operation o
    where $4::text[] is null
      and o.kind = open.kind and o.state = open.state and not (o.state = 'submitting' and o.reason is not distinct from 'restored')
      and (o.state <> 'cancelled' or (o.reason is not distinct from 'restored' and o.token is not null and o.due_at is not null))
    limit $3
  ) o
  union all
  select o.id from relais.operation o join unnest($1::text[], $2::text[]) as open(kind, state) using (kind, state) where o.id = any($4)
  limit $3
)
select o.id, o.kind, o.account, o.reference, o.idempotency_key, o.state, o.queue, o.amount, o.beneficiary, o.request, o.metadata,
  o.payee_name, o.purpose, o.provider_id, o.token, o.transaction_id, o.provider_ref, o.facts, o.evidence,
  o.evidence_total, o.reason, o.sends, o.tries, o.token_at, o.sent_at, o.quiet_until, o.not_before, o.batch, o.created_by,
  o.approved_by, o.approved_at, o.rejected_by, o.note, o.trace, o.created_at, o.updated_at, o.since, o.version
from relais.operation o join next using (id) order by o.id for no key update of o;

-- name: restore_operations
-- params: id text[], state text[], queue text[], due_ms float8[], quiet_ms float8[], event jsonb[], now timestamptz
-- row: id text
with held as materialized (
  select o.id, o.state as was from relais.operation o where o.id = any($1::text[]) order by o.id for no key update
),
changed as (
  update relais.operation o set state = a.state, queue = a.queue, reason = 'restored',
    due_at = case when a.queue is not null then coalesce($7, now()) + a.due_ms * interval '1 ms' end,
    quiet_until = case when a.quiet_ms is null then o.quiet_until else coalesce($7, now()) + a.quiet_ms * interval '1 ms' end,
    version = o.version + 1, since = coalesce($7, now()), updated_at = coalesce($7, now()), lease = null, lease_until = null, holder = null,
    evidence = (o.evidence || (to_char(coalesce($7, now()) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || ' restored|' || o.state || '||'))[greatest(1, cardinality(o.evidence) - 48):],
    evidence_total = o.evidence_total + 1, op = gen_random_uuid()
  from held join unnest($1::text[], $2::text[], $3::text[], $4::float8[], $5::float8[]) as a(id, state, queue, due_ms, quiet_ms) using (id)
  where o.id = held.id
  returning o.id, o.account, o.version, relais.totals_of(o.kind, o.account, o.request ->> 'withdrawMode', held.was, o.state, o.amount) as totals
),
reported as (
  insert into relais.outbox (id, account, subject, type, data, totals, at)
  select c.id || '.' || c.version || '.' || d.epoch, c.account, c.id, e.event ->> 'type', e.event -> 'data', c.totals, coalesce($7, now())
  from changed c join unnest($1::text[], $6::jsonb[]) as e(id, event) using (id), relais.deployment d
  where e.event is not null or c.totals is not null order by c.id
)
select id from changed;

-- name: check_restored
-- Asks about these again at once.
-- params: kind text[], state text[], now timestamptz
-- row: id text
with held as materialized (
  select o.id from relais.operation o join unnest($1::text[], $2::text[]) as open(kind, state) using (kind, state)
  where o.due_at > coalesce($3, now()) order by o.id for no key update of o
)
update relais.operation o set due_at = coalesce($3, now()) from held where o.id = held.id returning o.id;

-- name: hold_restored_campaigns
-- A campaign that this copy shows as not started may have been sent since: a person decides.
-- params: state text[], now timestamptz
-- row: id text, name text
with held as materialized (
  select c.number from relais.campaign c where c.state = any($1::text[]) and c.started_at is null order by c.number for no key update
)
update relais.campaign c set state = 'held', reason = 'restored', due_at = null, version = c.version + 1, since = coalesce($2, now()),
  updated_at = coalesce($2, now())
from held where c.number = held.number
returning c.id, c.name;

-- name: doubt_requests
-- Requests of started campaigns may have left in the lost time: they are unknown, and none is sent again. `only`: those that
-- the journal names, as `campaign number/request`. Null: all.
-- params: settle_ms float8, most int4, only text[], now timestamptz
-- row: campaign int8, n int4
with next as materialized (
  select q.campaign, q.n from relais.campaign c join relais.sms_request q on q.campaign = c.number
  where q.state in ('queued', 'sending', 'refused')
    and case when $3::text[] is null then c.started_at is not null and c.state not in ('finished', 'cancelled')
      else q.campaign || '/' || q.n = any($3) end
  limit $2
),
locked as materialized (
  select c.number from relais.campaign c where c.number in (select campaign from next) order by c.number for no key update of c
),
held as materialized (
  select q.campaign, q.n from locked l join next on next.campaign = l.number
  join relais.sms_request q on q.campaign = next.campaign and q.n = next.n and q.state in ('queued', 'sending', 'refused')
  order by q.campaign, q.n for no key update of q
),
doubted as (
  update relais.sms_request q set state = 'unknown', outcome = repeat('u', q.size), lease = null, lease_until = null,
    sent_at = coalesce(q.sent_at, (select r.last_beat from relais.recovery r where r.ended_at is null), $4, now()),
    due_at = coalesce($4, now()) + $1 * interval '1 ms'
  from held h where q.campaign = h.campaign and q.n = h.n
  returning q.campaign, q.n, q.size
),
counted as (
  update relais.campaign c set unknown = c.unknown + s.size, judged_over = c.judged_over + s.size, judged_unknown = c.judged_unknown + s.size,
    updated_at = coalesce($4, now())
  from (select campaign, sum(size)::int as size from doubted group by campaign) s where c.number = s.campaign
)
select campaign, n from doubted;

-- name: lost_campaigns
-- Campaigns of which the journal names requests that the copy does not have, locked: they were started, split or retried in
-- the lost time. `requests`: `campaign number/request`.
-- params: requests text[]
-- row: number int8, id text, name text, requests int4, state text, refused text[]
with named as materialized (
  select distinct split_part(r, '/', 1)::int8 as campaign, split_part(r, '/', 2)::int4 as n from unnest($1::text[]) as r
),
locked as materialized (
  select c.* from relais.campaign c
  where c.number in (
    select n.campaign from named n where not exists (select from relais.sms_request q where q.campaign = n.campaign and q.n = n.n))
  order by c.number for no key update of c
)
select c.number, c.id, c.name, c.requests, c.state, coalesce((
    select array_agg(q.campaign || '/' || q.n order by q.n) from relais.sms_request q where q.campaign = c.number and q.state = 'refused'), '{}') as refused
from locked c order by c.number;

-- name: hold_lost_campaigns
-- These locked campaigns wait for a person, and a draft is over. Their failed recipients may have been sent to again, so they
-- are in doubt: no retry takes them by itself.
-- params: campaign int8[], now timestamptz
-- row: number int8
with failed as materialized (
  select q.campaign, q.n, q.outcome, q.countries, relais.count_letter(q.outcome, 'f') as count
  from relais.sms_request q where q.campaign = any($1::int8[]) and q.state = 'settled' and q.outcome like '%f%'
  order by q.campaign, q.n for no key update of q
),
doubted as (
  update relais.sms_request q set outcome = translate(q.outcome, 'f', 'u') from failed f where q.campaign = f.campaign and q.n = f.n
),
placed as (
  update relais.campaign_country l set failed = l.failed - p.count, unknown = l.unknown + p.count
  from (
    select f.campaign, case when f.countries like '% %' then split_part(f.countries, ' ', i) else f.countries end as country,
      count(*)::int as count
    from failed f cross join lateral generate_series(1, length(f.outcome)) as i where substr(f.outcome, i, 1) = 'f' group by 1, 2
  ) p
  where l.campaign = p.campaign and l.country = p.country
),
sums as (select campaign, sum(count)::int as count from failed group by campaign)
update relais.campaign c set
  failed = c.failed - coalesce(s.count, 0), unknown = c.unknown + coalesce(s.count, 0),
  judged_failed = greatest(0, c.judged_failed - coalesce(s.count, 0)), judged_unknown = c.judged_unknown + coalesce(s.count, 0),
  state = case c.state when 'draft' then 'cancelled' when 'finished' then c.state when 'cancelled' then c.state else 'held' end,
  cancelled = case when c.state = 'draft' then c.recipients else c.cancelled end,
  finished_at = case when c.state = 'draft' then coalesce($2, now()) else c.finished_at end,
  reason = 'restored', due_at = null, version = c.version + 1, since = coalesce($2, now()), updated_at = coalesce($2, now())
from relais.campaign w left join sums s on s.campaign = w.number
where w.number = any($1) and c.number = w.number and (c.reason is distinct from 'restored' or s.count > 0)
returning c.number;

-- name: bury_lost
-- Operations and campaigns of the lost time that this ledger does not have and must not have again: a repeated request finds
-- them. Without a fingerprint they are recognised by their identity alone.
-- params: id text[], kind text[], account text[], state text[], now timestamptz
-- row: id text
insert into relais.tombstone (id, kind, account, fingerprint, state, finished_at, pending)
select a.id, a.kind, a.account, '', a.state, coalesce($5, now()), false
from unnest($1::text[], $2::text[], $3::text[], $4::text[]) as a(id, kind, account, state)
where a.kind <> '' and not exists (select from relais.operation o where o.id = a.id)
  and not exists (select from relais.campaign c where c.id = a.id)
order by a.id collate "C"
on conflict do nothing
returning id;

-- name: reject_restored_intake
-- Requests that SQL clients enqueued before the loss was noticed, and that this copy shows as waiting, may have been accepted
-- and sent since. Each is rejected and reported, so that its caller decides. `id`: null: all.
-- params: id text[], problems jsonb, now timestamptz
-- row: number int8
with held as materialized (
  select i.number from relais.intake i
  where i.state = 'queued' and i.created_at < (select r.since from relais.recovery r where r.ended_at is null)
    and ($1::text[] is null or i.id = any($1))
  order by i.number for no key update of i
),
rejected as (
  update relais.intake i set
    state = 'rejected', decided_at = coalesce($3, now()), request = null, lease_until = null, problems = $2
  from held where i.number = held.number
  returning i.*
),
reported as (
  insert into relais.outbox (id, account, subject, type, data, at)
  select 'rej_restored.' || r.number || '.' || d.epoch, r.account, r.id, 'intake.rejected', jsonb_strip_nulls(jsonb_build_object(
    'id', r.id, 'kind', r.kind, 'problems', r.problems)), r.decided_at
  from rejected r, relais.deployment d order by r.number
)
select number from rejected;

-- name: restore_batches
-- params: state text[], now timestamptz
-- row: id text
with held as materialized (
  select b.id from relais.batch b where b.state = any($1::text[]) order by b.id for no key update
)
update relais.batch b set state = 'needs_review', reason = 'restored', due_at = null, version = b.version + 1, since = coalesce($2, now())
from held where b.id = held.id
returning b.id;

-- name: recovery_standings
-- How much of everything there is, by kind and state.
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
-- What was known of lanes is known to this ledger from now on: they are no loss any more. Living processes go on with the
-- counters that the copy had, and reopen lanes that it does not have.
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
-- A first person says that nothing was lost; the second one within a day ends it.
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

-- name: replay_revoked_key
-- params: id text, at timestamptz
-- row: id text
update relais.api_key set revoked_at = coalesce(revoked_at, $2), hash = null where id = $1 returning id;

-- name: replay_hold
-- params: account text, area text, reason text
-- row: account text
insert into relais.hold (account, area, reason, trial_at) values ($1, $2, $3, now())
on conflict (account, area, reason) do update set trial_at = excluded.trial_at returning account;

-- name: replay_limit
-- The stricter value counts: the longer window, otherwise the lower value.
-- params: name text, value int8, by text
-- row: name text
insert into relais.limit_value as l (name, value, set_by, op, had_value) values ($1, $2, $3, 'restored', false)
on conflict (account, name) do update set
  value = case when l.name = 'DUPLICATE_WINDOW' then greatest(l.value, excluded.value) else least(l.value, excluded.value) end,
  set_by = excluded.set_by, set_at = now(), op = 'restored'
returning name;

-- name: replay_switch
-- params: name text, by text
-- row: name text
insert into relais.switch (name, set_by) values ($1, $2) on conflict (name) do update set set_by = relais.switch.set_by returning name;

-- name: replay_cancelled
-- Of what never had a token; with one a person decides. Each event is for one of the two.
-- params: id text, cancelled jsonb, review jsonb, now timestamptz
-- row: id text, state text
with held as materialized (
  select o.id, o.state as was from relais.operation o
  where o.id = $1 and o.state in ('awaiting_approval', 'queued', 'held', 'created') and o.kind <> 'direct_credit' for no key update
),
changed as (
  update relais.operation o set
    state = case when o.token is null then 'cancelled' else 'needs_review' end, reason = 'restored', queue = null, due_at = null,
    lease = null, lease_until = null, holder = null, version = o.version + 1, since = coalesce($4, now()), updated_at = coalesce($4, now()),
    finished_at = case when o.token is null then coalesce($4, now()) end, op = gen_random_uuid()
  from held where o.id = held.id
  returning o.id, o.kind, o.account, o.beneficiary, o.amount, o.counted_on, held.was, o.state, o.version,
    relais.totals_of(o.kind, o.account, o.request ->> 'withdrawMode', held.was, o.state, o.amount) as totals
),
-- What no longer counts towards the limits of its day.
sums as materialized (
  select s.day, s.account, s.beneficiary, c.amount * w.recount as xof
  from changed c join relais.arrow w on w.kind = c.kind and w.was = c.was and w.state = c.state and w.recount <> 0
  join relais.spent s on s.day = c.counted_on and s.account = c.account and s.beneficiary in ('', c.beneficiary)
  order by s.beneficiary <> '', s.day, s.account, s.beneficiary for no key update of s
),
counted as (
  update relais.spent s set xof = greatest(0, s.xof + r.xof)
  from sums r where s.day = r.day and s.account = r.account and s.beneficiary = r.beneficiary
),
reported as (
  insert into relais.outbox (id, account, subject, type, data, totals, at)
  select c.id || '.' || c.version || '.' || d.epoch, c.account, c.id, e.event ->> 'type', e.event -> 'data', c.totals, coalesce($4, now())
  from changed c cross join lateral (select case when c.state = 'cancelled' then $2::jsonb else $3::jsonb end as event) e,
    relais.deployment d
  where e.event is not null or c.totals is not null
)
select id, state from changed;
