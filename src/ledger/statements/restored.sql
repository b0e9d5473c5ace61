-- Open work of a restored ledger that may have left in the data-loss window: held, in doubt, or checked.

-- name: restorable
-- The next operations in these states, locked. Operations raised by the journal wait for their checks. Of the
-- cancelled ones: those that left according to the journal. `only`: among these; null: all.
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
    evidence = relais.add_evidence(o.evidence, coalesce($7, now()), 'restored|' || o.state || '||'),
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
-- Makes their status checks due at once.
-- params: kind text[], state text[], now timestamptz
-- row: id text
with held as materialized (
  select o.id from relais.operation o join unnest($1::text[], $2::text[]) as open(kind, state) using (kind, state)
  where o.due_at > coalesce($3, now()) order by o.id for no key update of o
)
update relais.operation o set due_at = coalesce($3, now()) from held where o.id = held.id returning o.id;

-- name: doubt_messages
-- These messages may have left, so they are in doubt, and an earlier refusal no longer allows a resend. Null: all
-- refused messages.
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
  evidence = relais.add_evidence(o.evidence, coalesce($3, now()), 'restored|' || o.state || '||'),
  evidence_total = o.evidence_total + 1, op = gen_random_uuid()
from held h where o.id = h.id
returning o.id;

-- name: doubt_reports
-- SMS to payees that were recorded during the recovery: each may have been sent in the data-loss window. The last step of a recovery
-- that proves nothing, when no other can be recorded.
-- params: settle_ms float8, now timestamptz
-- row: id text
with held as materialized (
  select o.id from relais.operation o
  where o.kind = 'message' and o.state = 'queued' and o.finished_at is null and o.request ? 'disbursement'
    and o.created_at >= (select r.since from relais.recovery r where r.ended_at is null)
  order by o.id for no key update
)
update relais.operation o set state = 'unknown', queue = 'status-poll', due_at = coalesce($2, now()) + $1 * interval '1 ms',
  reason = 'restored', sends = greatest(o.sends, 1::int2), version = o.version + 1, since = coalesce($2, now()),
  updated_at = coalesce($2, now()), lease = null, lease_until = null, holder = null,
  evidence = relais.add_evidence(o.evidence, coalesce($2, now()), 'restored|' || o.state || '||'),
  evidence_total = o.evidence_total + 1, op = gen_random_uuid()
from held h where o.id = h.id
returning o.id;

-- name: hold_restored_campaigns
-- A campaign shown here as not started may have been sent since the backup: an operator decides.
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
-- Requests of started campaigns may have left in the data-loss window: they are unknown and never resent. `only`:
-- those in the journal, as `campaign number/request`. Null: all.
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
-- Campaigns with requests in the journal that are missing here, locked: they were started, split or retried in the
-- data-loss window. `requests`: `campaign number/request`.
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
-- Holds these locked campaigns for an operator, and ends drafts. Their failed recipients may have been sent to again,
-- so they are in doubt: no retry takes them automatically.
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

-- name: reject_restored_intake
-- Requests that SQL clients enqueued before the loss was detected, and that wait here, may have been accepted and
-- sent since the backup. Each is rejected and reported, so that its caller decides. `id`: null: all.
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
