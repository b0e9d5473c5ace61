-- Repeats the entries of the journal on a restored ledger.

-- name: replay_operations
-- Records operations again that are in the journal and missing here.
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
    case when token is null then e.restored else relais.add_evidence(e.restored, e.at, 'submit|intended||send 1') end,
    case when token is not null then 2 else 1 end
  from asked cross join lateral (select coalesce($25, now()) as at, relais.add_evidence('{}', coalesce($25, now()), 'restored|journal||') as restored) e
  order by id collate "C"
  on conflict do nothing
  returning id, kind, account, beneficiary, amount, counted_on, request ->> 'withdrawMode' as place, state
),
-- Accepted again, directly in their final replay state.
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
-- Raises payments to the intent in the journal, which becomes their evidence. A later state is never moved back. A
-- cancelled payment can be checked by its token: it needs review during the recovery, before `restorable` includes
-- it.
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
    evidence = relais.add_evidence(o.evidence, coalesce($5, now()), 'submit|intended||send ' || greatest(o.sends, 1)),
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

-- name: approve_replayed
-- They were approved in the data-loss window, since they left.
-- params: id text[]
-- row: id text
with held as materialized (
  select o.id from relais.operation o where o.id = any($1::text[]) and o.state = 'awaiting_approval' order by o.id for no key update
)
update relais.operation o set state = 'queued', version = o.version + 1 from held h where o.id = h.id returning o.id;

-- name: replay_cancelled
-- For operations that never had a token; with a token a user decides. Each event is for one of the two.
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
-- Amounts that no longer count towards the limits of their day.
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

-- name: bury_lost
-- Operations and campaigns of the data-loss window that are missing here and must not return: a repeated request
-- finds them. Without a fingerprint they are recognised by their identity alone.
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
-- The stricter value wins: the longer window, otherwise the lower value.
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
