-- Payments, direct credits, invoices, payment requests and single messages: one table, one life.
-- Each statement takes many rows at once. Rows are locked in the byte order of their ids, after `mark` and before `spent`.

-- name: accept
-- Records requests: identity, limits of the day, duplicate window, audit entry and first event in one transaction.
-- Raises RL100 with the name of the rule when a limit refuses one of them. The id of an event carries the epoch after a
-- recovery: a version may be used again then, with other content.
-- params: lane text, epoch int4, lanes text[], counters int8[], op uuid, schema_version int2, now timestamptz, id text[], kind text[], account text[], reference text[], idempotency_key text[], fingerprint bytea[], state text[], queue text[], amount int8[], beneficiary text[], request jsonb[], metadata jsonb[], payee_name text[], purpose text[], provider_id text[], not_before timestamptz[], batch text[], created_by text[], trace text[], due_at timestamptz[], day_limit int8[], beneficiary_limit int8[], twin_since timestamptz[], event jsonb[], act jsonb[], counted bool[]
-- row: id text, fresh bool, counter int8, at timestamptz
with mark as materialized (
  select relais.raise_mark($1, $2, $3, $4, true) as counter, coalesce($7, now()) as at
),
asked as materialized (
  select a.*, mark.at
  from mark, unnest(
    $8::text[], $9::text[], $10::text[], $11::text[], $12::text[], $13::bytea[], $14::text[], $15::text[], $16::int8[], $17::text[],
    $18::jsonb[], $19::jsonb[], $20::text[], $21::text[], $22::text[], $23::timestamptz[], $24::text[], $25::text[], $26::text[],
    $27::timestamptz[], $28::int8[], $29::int8[], $30::timestamptz[], $31::jsonb[], $32::jsonb[], $33::bool[]
  ) as a(
    id, kind, account, reference, idempotency_key, fingerprint, state, queue, amount, beneficiary, request, metadata, payee_name,
    purpose, provider_id, not_before, batch, created_by, trace, due_at, day_limit, beneficiary_limit, twin_since, event, act, counted
  )
  order by a.id collate "C"
),
fresh as (
  insert into relais.operation (
    id, kind, account, reference, idempotency_key, fingerprint, state, queue, amount, beneficiary, request, metadata, payee_name,
    purpose, provider_id, not_before, batch, created_by, trace, created_at, since, due_at, schema_version, op, counted_on
  )
  select
    a.id, a.kind, a.account, a.reference, a.idempotency_key, a.fingerprint, a.state, a.queue, a.amount, a.beneficiary, a.request,
    a.metadata, a.payee_name, a.purpose, a.provider_id, a.not_before, a.batch, a.created_by, a.trace, a.at, a.at,
    case when a.queue is not null then greatest(coalesce(a.due_at, a.at), a.not_before) end, $6, $5,
    case when a.counted then (a.at at time zone 'UTC')::date end
  from asked a
  where not exists (select from relais.tombstone t where t.id = a.id)
    and not exists (select from relais.tombstone t where t.account = a.account and t.kind = a.kind and t.reference = a.reference)
    and not exists (
      select from relais.tombstone t where t.account = a.account and t.kind = a.kind and t.idempotency_key = a.idempotency_key)
  order by a.id collate "C"
  on conflict do nothing
  returning id
),
new as materialized (select a.* from asked a join fresh using (id)),
own as (
  insert into relais.spent as s (day, account, xof)
  select (n.at at time zone 'UTC')::date, n.account, sum(n.amount) from new n
  where n.counted group by 1, 2 order by 1, n.account collate "C"
  on conflict (day, account, beneficiary) do update set xof = s.xof + excluded.xof
  returning account, xof
),
-- Just after midnight the row of the day before is locked too: whoever still asks for that day may be a twin.
theirs as (
  insert into relais.spent as s (day, account, beneficiary, xof)
  select d.day, n.account, n.beneficiary, sum(case when d.day = (n.at at time zone 'UTC')::date then n.amount else 0 end)
  from new n cross join lateral (
    select distinct (moment at time zone 'UTC')::date as day
    from unnest(array[n.at, n.at - case when n.twin_since is null then '0' else '5 minutes' end::interval]) as moment
  ) d
  where n.counted and n.beneficiary is not null and (n.beneficiary_limit is not null or n.twin_since is not null)
  group by 1, 2, 3 order by 1, n.account collate "C", n.beneficiary collate "C"
  on conflict (day, account, beneficiary) do update set xof = s.xof + excluded.xof
  returning day, account, beneficiary, xof
),
refused as materialized (
  select relais.refuse('MAX_PER_DAY') from own join new n using (account) where own.xof > n.day_limit
  union all
  select relais.refuse('MAX_PER_BENEFICIARY_DAY') from theirs join new n using (account, beneficiary)
  where theirs.xof > n.beneficiary_limit and theirs.day = (n.at at time zone 'UTC')::date
  union all
  select relais.refuse('DUPLICATE_WINDOW') from theirs join new n using (account, beneficiary)
  where n.twin_since is not null and relais.has_twin(n.id, n.account, n.kind, n.beneficiary, n.amount, n.twin_since)
),
acts as (
  insert into relais.audit (at, by, person, role, source, act, target, request_id, facts)
  select n.at, n.act ->> 'by', n.act ->> 'person', n.act ->> 'role', n.act ->> 'source', n.act ->> 'act', n.id,
    n.act ->> 'requestId', coalesce(n.act -> 'facts', '{}')
  from new n where n.act is not null
),
reported as (
  insert into relais.outbox (id, account, subject, type, data, at)
  select n.id || '.1' || case when $2 > 1 then '.' || $2 else '' end, n.account, n.id, n.event ->> 'type', n.event -> 'data', n.at from new n where n.event is not null
)
select a.id, f.id is not null as fresh, mark.counter, mark.at
from mark, asked a left join fresh f using (id)
where (select count(*) from refused) = 0;

-- name: identities
-- The holder of each identity: an operation, or the tombstone of an operation that retention removed.
-- params: id text[], kind text[], account text[], reference text[], idempotency_key text[]
-- row: asked text, id text, fingerprint bytea, state text, amount int8, finished_at timestamptz, buried bool
with asked as (
  select * from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[]) as a(id, kind, account, reference, idempotency_key)
)
select a.id as asked, o.id, o.fingerprint, o.state, o.amount, o.finished_at, false as buried
from asked a join relais.operation o
  on o.id = a.id
  or (o.account = a.account and o.kind = a.kind and o.reference = a.reference)
  or (o.account = a.account and o.kind = a.kind and o.idempotency_key = a.idempotency_key)
union all
select a.id, t.id, t.fingerprint, t.state, t.amount, t.finished_at, true
from asked a join relais.tombstone t
  on t.id = a.id
  or (t.account = a.account and t.kind = a.kind and t.reference = a.reference)
  or (t.account = a.account and t.kind = a.kind and t.idempotency_key = a.idempotency_key)
where not exists (select from relais.operation o where o.id = t.id);

-- name: claim
-- Leases what is due in a queue to one lane, accounts in turn. Changes the lease only: no index entry is written. Rows that
-- others hold are passed over before they count, so neither another claim nor a forgotten transaction hides those behind.
-- params: queue text, accounts text[], most int4, lease_ms float8, schema_version int2, now timestamptz, holder text
-- row: id text, kind text, account text, reference text, state text, amount int8, request jsonb, provider_id text, token text, transaction_id text, provider_ref text, facts jsonb, observations jsonb, reason text, sends int2, tries int2, token_at timestamptz, sent_at timestamptz, send_until timestamptz, quiet_until timestamptz, not_before timestamptz, batch text, trace text, created_at timestamptz, since timestamptz, version int4, due_at timestamptz, lease int8, lease_until timestamptz, at timestamptz
with due as materialized (
  select c.id
  from unnest($2::text[]) as account(name)
  cross join lateral (
    select o.id, o.due_at, row_number() over (order by o.due_at) as turn
    from (
      select o.id, o.due_at from relais.operation o
      where o.queue = $1 and o.account = account.name and o.due_at <= coalesce($6, now())
        and (o.lease_until is null or o.lease_until <= coalesce($6, now())) and o.schema_version <= $5
      order by o.due_at limit $3 for no key update of o skip locked
    ) o
  ) c
  where not exists (select from relais.switch s where s.name in ($1, account.name))
  order by c.turn, c.due_at limit $3
),
lease as materialized (select nextval('relais.lease_number') as number where exists (select from due))
update relais.operation o
set lease = lease.number, lease_until = coalesce($6, now()) + $4 * interval '1 ms', holder = $7, signalled = null
from due, lease where o.id = due.id
returning o.id, o.kind, o.account, o.reference, o.state, o.amount, o.request, o.provider_id, o.token, o.transaction_id,
  o.provider_ref, o.facts, o.observations, o.reason, o.sends, o.tries, o.token_at, o.sent_at, o.send_until, o.quiet_until,
  o.not_before, o.batch, o.trace, o.created_at, o.since, o.version, o.due_at, o.lease, o.lease_until, coalesce($6, now()) as at;

-- name: change
-- Compares lease and state, and writes what an attempt found: fields, evidence, event, sums of the day. A row that another
-- attempt holds by now is left as it is, and is missing from the answer; without any row the answer has the counter alone. `keep_ms`: the attempt goes on under its lease.
-- params: lane text, epoch int4, lanes text[], counters int8[], op uuid, intends bool, now timestamptz, id text[], lease int8[], was text[], state text[], queue text[], due_ms float8[], keep_ms float8[], token text[], transaction_id text[], provider_ref text[], sends int2[], tries int2[], send_ms float8[], quiet_ms float8[], sent bool[], reason text[], observations jsonb[], facts jsonb[], line text[], event jsonb[], finished bool[]
-- row: id text, version int4, counter int8, at timestamptz
with mark as materialized (
  select relais.raise_mark($1, $2, $3, $4, $6) as counter, coalesce($7, now()) as at
),
asked as materialized (
  select c.*, mark.at
  from mark, unnest(
    $8::text[], $9::int8[], $10::text[], $11::text[], $12::text[], $13::float8[], $14::float8[], $15::text[], $16::text[],
    $17::text[], $18::int2[], $19::int2[], $20::float8[], $21::float8[], $22::bool[], $23::text[], $24::jsonb[], $25::jsonb[],
    $26::text[], $27::jsonb[], $28::bool[]
  ) as c(
    id, lease, was, state, queue, due_ms, keep_ms, token, transaction_id, provider_ref, sends, tries, send_ms, quiet_ms, sent,
    reason, observations, facts, line, event, finished
  )
),
held as materialized (
  select o.id, o.account, o.state as was, o.counted_on, o.amount, o.beneficiary
  from relais.operation o join asked a on a.id = o.id and a.lease = o.lease and a.was = o.state
  order by o.id for no key update of o
),
changed as (
  update relais.operation o set
    state = a.state, version = o.version + 1, op = $5,
    queue = coalesce(a.queue, case
      when a.keep_ms is not null then o.queue
      when coalesce(a.token, o.token) is not null then o.signalled end),
    since = case when a.state = o.state then o.since else a.at end,
    finished_at = case when a.finished then coalesce(o.finished_at, a.at) end,
    due_at = case
      when a.keep_ms is not null then o.due_at
      when a.due_ms is null then case
        when o.signalled is not null and coalesce(a.queue, a.token, o.token) is not null then greatest(a.at, o.not_before) end
      when o.signalled is not null then least(greatest(a.at, o.not_before), a.at + a.due_ms * interval '1 ms')
      else a.at + a.due_ms * interval '1 ms' end,
    signalled = case when a.keep_ms is not null then o.signalled end,
    lease = case when a.keep_ms is not null then o.lease end,
    lease_until = case when a.keep_ms is not null then a.at + a.keep_ms * interval '1 ms' end,
    token = coalesce(a.token, o.token), token_at = case when a.token is not null then a.at else o.token_at end,
    transaction_id = coalesce(a.transaction_id, o.transaction_id), provider_ref = coalesce(a.provider_ref, o.provider_ref),
    sends = coalesce(a.sends, o.sends), tries = coalesce(a.tries, o.tries),
    send_until = case when a.send_ms is not null then a.at + a.send_ms * interval '1 ms' else o.send_until end,
    quiet_until = case when a.quiet_ms is not null then a.at + a.quiet_ms * interval '1 ms' else o.quiet_until end,
    sent_at = case when a.sent then a.at else o.sent_at end,
    reason = a.reason, observations = coalesce(a.observations, o.observations), facts = o.facts || coalesce(a.facts, '{}'),
    evidence = case when a.line is null then o.evidence
      else (o.evidence || (to_char(a.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || ' ' || left(a.line, 1000)))[greatest(1, cardinality(o.evidence) - 48):] end
  from asked a, held h where o.id = a.id and h.id = o.id
  returning o.id, o.kind, o.account, o.state, o.version
),
recount as materialized (
  select h.counted_on, h.account, h.beneficiary, h.amount * w.recount as xof
  from held h join changed c using (id) join relais.arrow w on w.kind = c.kind and w.was = h.was and w.state = c.state
  where w.recount <> 0 and h.counted_on is not null
),
-- In the order of `accept`: sums of accounts before those of beneficiaries.
sums as materialized (
  select s.day, s.account, s.beneficiary, r.xof
  from relais.spent s join (
    select counted_on as day, account, '' as beneficiary, sum(xof) as xof from recount group by 1, 2
    union all
    select counted_on, account, beneficiary, sum(xof) from recount where beneficiary is not null group by 1, 2, 3
  ) r on s.day = r.day and s.account = r.account and s.beneficiary = r.beneficiary
  order by s.beneficiary <> '', s.day, s.account, s.beneficiary for no key update of s
),
counted as (
  update relais.spent s set xof = greatest(0, s.xof + r.xof)
  from sums r where s.day = r.day and s.account = r.account and s.beneficiary = r.beneficiary
),
reported as (
  insert into relais.outbox (id, account, subject, type, data, at)
  select c.id || '.' || c.version || case when $2 > 1 then '.' || $2 else '' end, c.account, c.id, a.event ->> 'type', a.event -> 'data', a.at
  from changed c join asked a using (id) where a.event is not null
)
select c.id, c.version, mark.counter, mark.at from mark left join changed c on true;

-- name: signal
-- A callback makes the next check due, at most once in five seconds, and is kept as evidence. It decides nothing, and makes
-- nothing leave before its time. At most 20 lines of evidence are callbacks. Each id is named once.
-- params: id text[], queue text[], line text[], now timestamptz
-- row: id text
with asked as materialized (
  select s.*, coalesce($4, now()) as at from unnest($1::text[], $2::text[], $3::text[]) as s(id, queue, line)
),
held as materialized (
  select o.id from relais.operation o join asked using (id) order by o.id for no key update of o
)
update relais.operation o set
  signalled = case when o.lease is not null then a.queue end,
  queue = coalesce(o.queue, a.queue),
  due_at = case
    when o.lease is not null then o.due_at
    when o.due_at is not null or o.token is not null
    then least(o.due_at, greatest(a.at, o.signal_after, o.not_before)) end,
  signal_after = case when o.signal_after > a.at then o.signal_after else a.at + interval '5 s' end,
  evidence = case
    when (select count(*) from unnest(o.evidence) as line where substr(line, 25, 10) = ' callback ') >= 20 then o.evidence
    else (o.evidence || (to_char(a.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || ' callback ' || left(a.line, 1000)))[greatest(1, cardinality(o.evidence) - 48):] end
from asked a, held h where o.id = a.id and h.id = o.id
returning o.id;

-- name: written_by
-- The rows that a statement wrote, when its answer was lost: asked on another connection, once the old one can commit no
-- more. It writes as well: when this commit is safe on the standbys, those before it are. No row: the lane is fenced, or
-- the ledger is behind what the process remembers of it (`known`).
-- params: lane text, known int8, op uuid
-- row: counter int8, id text
with mark as (
  update relais.mark set counter = counter + 1 where lane = $1 and counter >= $2 and not fenced returning counter
)
select mark.counter, o.id from mark left join relais.operation o on o.op = $3;

-- name: read
-- params: id text[]
-- row: id text, kind text, account text, reference text, idempotency_key text, state text, queue text, amount int8, beneficiary text, request jsonb, metadata jsonb, payee_name text, purpose text, provider_id text, token text, transaction_id text, provider_ref text, facts jsonb, observations jsonb, evidence text[], evidence_total int4, reason text, sends int2, tries int2, token_at timestamptz, sent_at timestamptz, quiet_until timestamptz, not_before timestamptz, batch text, created_by text, approved_by text, approved_at timestamptz, rejected_by text, note text, trace text, created_at timestamptz, updated_at timestamptz, since timestamptz, finished_at timestamptz, version int4, due_at timestamptz, lease_until timestamptz
select id, kind, account, reference, idempotency_key, state, queue, amount, beneficiary, request, metadata, payee_name, purpose,
  provider_id, token, transaction_id, provider_ref, facts, observations, evidence, evidence_total, reason, sends, tries, token_at,
  sent_at, quiet_until, not_before, batch, created_by, approved_by, approved_at, rejected_by, note, trace, created_at, updated_at, since,
  finished_at, version, due_at, lease_until
from relais.operation where id = any($1::text[]);
