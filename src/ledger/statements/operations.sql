-- Payments, direct credits, invoices, payment requests and single messages: one table, one lifecycle. Each statement
-- takes many rows at once. Rows are locked in the byte order of their ids, after `mark` and before `spent`.

-- name: accept
-- plan: indexes
-- Records requests: identity, limits, approval, duplicate window, audit entry and first event in one transaction.
-- Raises RL100 with the name of a limit, and its value or the earlier payment, when it refuses one. `limits`: those
-- of the process, in the format of `limits_in_force`. `event`: reported if the recorded state is its `when`. `dry`:
-- raises RL100 with `DRY_RUN` and the state instead of recording. After a recovery the epoch is part of an event's
-- id: a version can then be used again with other content.
-- params: lane text, epoch int4, lanes text[], counters int8[], op uuid, schema_version int2, now timestamptz, limits jsonb, dry bool, id text[], kind text[], account text[], reference text[], idempotency_key text[], other_id text[], fingerprint bytea[], state text[], queue text[], amount int8[], counted bool[], beneficiary text[], meant_again bool[], approval text[], request jsonb[], facts jsonb[], metadata jsonb[], payee_name text[], purpose text[], provider_id text[], not_before timestamptz[], batch text[], created_by text[], approved_by text[], trace text[], due_ms float8[], event jsonb[], act jsonb[]
-- row: id text, fresh bool, state text, counter int8, at timestamptz
with mark as materialized (
  select relais.raise_mark($1, $2, $3, $4, true, false) as counter, date_trunc('milliseconds', coalesce($7, now())) as at
),
named as materialized (
  select a.*, mark.at
  from mark, unnest(
    $10::text[], $11::text[], $12::text[], $13::text[], $14::text[], $15::text[], $16::bytea[], $17::text[], $18::text[],
    $19::int8[], $20::bool[], $21::text[], $22::bool[], $23::text[], $24::jsonb[], $25::jsonb[], $26::jsonb[], $27::text[],
    $28::text[], $29::text[], $30::timestamptz[], $31::text[], $32::text[], $33::text[], $34::text[], $35::float8[],
    $36::jsonb[], $37::jsonb[]
  ) as a(
    id, kind, account, reference, idempotency_key, other_id, fingerprint, state, queue, amount, counted, beneficiary, meant_again,
    approval, request, facts, metadata, payee_name, purpose, provider_id, not_before, batch, created_by, approved_by, trace,
    due_ms, event, act
  )
),
limits as materialized (
  select d.account, l.*
  from (select distinct n.account from named n where n.counted) d
  cross join lateral relais.limits_in_force($8::jsonb, d.account) l
),
asked as materialized (
  select n.*, l.most, l.most_day, l.most_beneficiary, l.approval_above,
    case when not n.meant_again then n.at - l.window_ms * interval '1 ms' end as twin_since,
    coalesce(n.counted and n.amount > l.approval_above and n.approval is distinct from 'given', false) as needs_approval
  from named n left join limits l on n.counted and l.account = n.account
  order by n.id collate "C"
),
fresh as (
  insert into relais.operation (
    id, kind, account, reference, idempotency_key, fingerprint, state, queue, amount, beneficiary, request, facts, metadata,
    payee_name, purpose, provider_id, not_before, batch, created_by, approved_by, trace, created_at, updated_at, since, due_at,
    schema_version, op, counted_on
  )
  select
    a.id, a.kind, a.account, a.reference, a.idempotency_key, a.fingerprint,
    case when a.needs_approval and a.state = 'queued' then 'awaiting_approval' else a.state end,
    case when a.needs_approval and a.state = 'queued' then null else a.queue end,
    a.amount, a.beneficiary, a.request, a.facts, a.metadata, a.payee_name, a.purpose, a.provider_id, a.not_before, a.batch,
    a.created_by, a.approved_by, a.trace, a.at, a.at, a.at,
    case when a.queue is not null and not (a.needs_approval and a.state = 'queued')
      then greatest(a.at + a.due_ms * interval '1 ms', case when a.due_ms is not null then a.not_before end) end,
    $6, $5, case when a.counted then (a.at at time zone 'UTC')::date end
  from asked a
  where not exists (select from relais.tombstone t where t.id = a.id or t.id = a.other_id)
    and not exists (select from relais.tombstone t where t.account = a.account and t.kind = a.kind and t.reference = a.reference)
    and not exists (
      select from relais.tombstone t where t.account = a.account and t.kind = a.kind and t.idempotency_key = a.idempotency_key)
    and not exists (select from relais.operation o where o.id = a.other_id)
  order by a.id collate "C"
  on conflict do nothing
  returning id, state
),
new as materialized (select a.*, f.state as entered from asked a join fresh f using (id)),
own as (
  insert into relais.spent as s (day, account, xof)
  select (n.at at time zone 'UTC')::date, n.account, sum(n.amount) from new n
  where n.counted group by 1, 2 order by 1, n.account collate "C"
  on conflict (day, account, beneficiary) do update set xof = s.xof + excluded.xof
  returning account, xof
),
-- Just after midnight the row of the previous day is locked too: a request for that day may be a twin.
theirs as (
  insert into relais.spent as s (day, account, beneficiary, xof)
  select d.day, n.account, n.beneficiary, sum(case when d.day = (n.at at time zone 'UTC')::date then n.amount else 0 end)
  from new n cross join lateral (
    select distinct (moment at time zone 'UTC')::date as day
    from unnest(array[n.at, n.at - case when n.twin_since is null then '0' else '5 minutes' end::interval]) as moment
  ) d
  where n.counted and n.beneficiary is not null and (n.most_beneficiary is not null or n.twin_since is not null)
  group by 1, 2, 3 order by 1, n.account collate "C", n.beneficiary collate "C"
  on conflict (day, account, beneficiary) do update set xof = s.xof + excluded.xof
  returning day, account, beneficiary, xof
),
refused as materialized (
  select relais.refuse('MAX_DISBURSEMENT ' || n.most) from new n where n.counted and n.amount > n.most
  union all
  select relais.refuse('APPROVAL_ABOVE ' || n.approval_above) from new n where n.needs_approval and n.approval = 'impossible'
  union all
  select relais.refuse('MAX_PER_DAY ' || n.most_day) from own join new n using (account) where own.xof > n.most_day
  union all
  select relais.refuse('MAX_PER_BENEFICIARY_DAY ' || n.most_beneficiary) from theirs join new n using (account, beneficiary)
  where theirs.xof > n.most_beneficiary and theirs.day = (n.at at time zone 'UTC')::date
  union all
  select relais.refuse('DUPLICATE_WINDOW ' || twin.id) from theirs join new n using (account, beneficiary)
  cross join lateral relais.twin_of(n.id, n.account, n.beneficiary, n.amount, n.twin_since) as twin(id)
  where n.twin_since is not null and twin.id is not null
  union all
  select relais.refuse('DRY_RUN ' || n.entered) from new n where $9::bool
),
acts as (
  insert into relais.audit_line (at, by, person, role, source, act, target, request_id, facts)
  select n.at, n.act ->> 'by', n.act ->> 'person', n.act ->> 'role', n.act ->> 'source', n.act ->> 'act', n.id,
    n.act ->> 'requestId', coalesce(n.act -> 'facts', '{}') || jsonb_build_object('state', n.entered)
  from new n where n.act is not null and n.kind <> 'message'
  -- Messages of one request share a line.
  union all
  select min(n.at), n.act ->> 'by', n.act ->> 'person', n.act ->> 'role', n.act ->> 'source', n.act ->> 'act', min(n.id),
    n.act ->> 'requestId', coalesce(n.act -> 'facts', '{}') || jsonb_build_object('state', n.entered, 'messages', count(*))
  from new n where n.act is not null and n.kind = 'message' group by n.act, n.entered
),
reported as (
  insert into relais.outbox (id, account, subject, type, data, at)
  select n.id || '.1' || case when $2 > 1 then '.' || $2 else '' end, n.account, n.id, n.event ->> 'type', n.event -> 'data', n.at
  from new n where n.event is not null and n.event ->> 'when' = n.entered
),
-- One row for the whole statement: acceptance counts, with or without an event.
posted as (
  insert into relais.outbox (totals, at)
  select jsonb_object_agg(p.name, p.change), min(p.at)
  from (
    select t.name, sum(t.change) as change, min(n.at) as at
    from new n join relais.arrow w on w.kind = n.kind and w.was = '' and w.state = ''
    cross join lateral (
      select n.kind || '|' || n.account || '|' || coalesce(n.request ->> 'withdrawMode', '') || '|' || m.key || s.suffix as name,
        m.value::int8 * s.times as change
      from jsonb_each_text(w.totals) as m(key, value) cross join (values ('', 1::int8), ('Xof', n.amount)) as s(suffix, times)
    ) t
    where n.amount is not null group by t.name
  ) p having count(*) > 0
)
select a.id, f.id is not null as fresh, f.state, mark.counter, mark.at
from mark, asked a left join fresh f using (id)
where (select count(*) from refused) = 0;

-- name: identities
-- plan: indexes
-- The holder of each identity: an operation, or the tombstone of an operation that retention removed.
-- params: id text[], kind text[], account text[], reference text[], idempotency_key text[], other_id text[]
-- row: asked text, id text, fingerprint bytea, state text, amount int8, finished_at timestamptz, buried bool
with asked as (
  select * from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[])
    as a(id, kind, account, reference, idempotency_key, other_id)
)
select a.id as asked, o.id, o.fingerprint, o.state, o.amount, o.finished_at, false as buried
from asked a join relais.operation o
  on o.id = a.id or o.id = a.other_id
  or (o.account = a.account and o.kind = a.kind and o.reference = a.reference)
  or (o.account = a.account and o.kind = a.kind and o.idempotency_key = a.idempotency_key)
union all
select a.id, t.id, t.fingerprint, t.state, t.amount, t.finished_at, true
from asked a join relais.tombstone t
  on t.id = a.id or t.id = a.other_id
  or (t.account = a.account and t.kind = a.kind and t.reference = a.reference)
  or (t.account = a.account and t.kind = a.kind and t.idempotency_key = a.idempotency_key)
where not exists (select from relais.operation o where o.id = t.id);

-- name: claim
-- plan: indexes
-- Leases due operations of a queue to one lane, accounts in turn. Changes only the lease: no index entry is written.
-- Locked rows are skipped before they count, so neither another claim nor a forgotten transaction hides later rows.
-- Without the mark of its lane a process takes nothing: another process has taken over.
-- params: queue text, accounts text[], most int4, lease_ms float8, schema_version int2, now timestamptz, holder text, lane text
-- row: id text, kind text, account text, reference text, state text, amount int8, request jsonb, metadata jsonb, payee_name text, purpose text, provider_id text, token text, transaction_id text, provider_ref text, facts jsonb, evidence text[], evidence_total int4, reason text, sends int2, tries int2, token_at timestamptz, sent_at timestamptz, quiet_until timestamptz, not_before timestamptz, batch text, created_by text, approved_by text, approved_at timestamptz, rejected_by text, note text, trace text, created_at timestamptz, updated_at timestamptz, since timestamptz, version int4, send_until timestamptz, due_at timestamptz, lease int8, lease_until timestamptz, fingerprint bytea, at timestamptz
with due as materialized (
  select c.id
  from unnest($2::text[]) as account(name)
  cross join lateral (
    select o.id, o.due_at, row_number() over (order by o.due_at, o.id) as turn
    from (
      select o.id, o.due_at from relais.operation o
      where o.queue = $1 and o.account = account.name and o.due_at <= coalesce($6, now())
        and (o.lease_until is null or o.lease_until <= coalesce($6, now())) and o.schema_version <= $5
      order by o.due_at limit $3 for no key update of o skip locked
    ) o
  ) c
  where not exists (select from relais.switch s where s.name in ($1, account.name))
    and exists (select from relais.mark m where m.lane = $8 and not m.fenced)
    and ($1 = 'status-poll' or relais.is_compared())
  order by c.turn, c.due_at limit $3
),
lease as materialized (select nextval('relais.lease_number') as number where exists (select from due))
update relais.operation o
set lease = lease.number, lease_until = coalesce($6, now()) + $4 * interval '1 ms', holder = $7, signalled = null
from due, lease where o.id = due.id
returning o.id, o.kind, o.account, o.reference, o.state, o.amount, o.request, o.metadata, o.payee_name, o.purpose, o.provider_id,
  o.token, o.transaction_id, o.provider_ref, o.facts, o.evidence, o.evidence_total, o.reason, o.sends, o.tries, o.token_at, o.sent_at, o.quiet_until, o.not_before,
  o.batch, o.created_by, o.approved_by, o.approved_at, o.rejected_by, o.note, o.trace, o.created_at, o.updated_at, o.since,
  o.version, o.send_until, o.due_at, o.lease,
  o.lease_until, o.fingerprint, date_trunc('milliseconds', coalesce($6, now())) as at;

-- name: lease_operations
-- plan: indexes
-- Leases named operations, due or not, for attempts in these queues (`looked_at`: `,state,state,`). `known`: the
-- caller's existing lease. The due time is the end of the lease, so that another attempt follows a dead one. Rows
-- held by another attempt, or in another state, are omitted.
-- params: id text[], looked_at text[], lease_ms float8[], known int8[], schema_version int2, now timestamptz, holder text, lane text
-- row: id text, kind text, account text, reference text, state text, amount int8, request jsonb, metadata jsonb, payee_name text, purpose text, provider_id text, token text, transaction_id text, provider_ref text, facts jsonb, evidence text[], evidence_total int4, reason text, sends int2, tries int2, token_at timestamptz, sent_at timestamptz, quiet_until timestamptz, not_before timestamptz, batch text, created_by text, approved_by text, approved_at timestamptz, rejected_by text, note text, trace text, created_at timestamptz, updated_at timestamptz, since timestamptz, version int4, lease int8, at timestamptz
with asked as materialized (
  select a.*, coalesce($6, now()) as at
  from unnest($1::text[], $2::text[], $3::float8[], $4::int8[]) as a(id, looked_at, lease_ms, known)
  where exists (select from relais.mark m where m.lane = $8 and not m.fenced)
),
held as materialized (
  select o.id from relais.operation o join asked a using (id)
  where (o.lease_until is null or o.lease_until <= a.at or o.lease = a.known) and o.schema_version <= $5
    and position(',' || o.state || ',' in a.looked_at) > 0
  order by o.id for no key update of o
),
numbered as materialized (select held.id, nextval('relais.lease_number') as number from held)
update relais.operation o
set lease = n.number, lease_until = a.at + a.lease_ms * interval '1 ms', holder = $7, signalled = null,
  due_at = case when o.queue is not null then a.at + a.lease_ms * interval '1 ms' end
from numbered n join asked a using (id) where o.id = n.id
returning o.id, o.kind, o.account, o.reference, o.state, o.amount, o.request, o.metadata, o.payee_name, o.purpose, o.provider_id,
  o.token, o.transaction_id, o.provider_ref, o.facts, o.evidence, o.evidence_total, o.reason, o.sends, o.tries, o.token_at, o.sent_at, o.quiet_until, o.not_before,
  o.batch, o.created_by, o.approved_by, o.approved_at, o.rejected_by, o.note, o.trace, o.created_at, o.updated_at, o.since,
  o.version, o.lease, date_trunc('milliseconds', a.at) as at;

-- name: release_leases
-- Releases unused leases. `is_over`: nothing is due any more.
-- params: id text[], lease int8[], is_over bool[]
-- row: id text
with asked as materialized (
  select * from unnest($1::text[], $2::int8[], $3::bool[]) as a(id, lease, is_over)
),
held as materialized (
  select o.id from relais.operation o join asked a on a.id = o.id and a.lease = o.lease order by o.id for no key update of o
)
update relais.operation o
set lease = null, lease_until = null, due_at = case when not a.is_over then o.due_at end
from asked a, held h where o.id = a.id and h.id = o.id
returning o.id;

-- name: hand_out
-- Due ids, for one job each: their due time moves, so that no other process returns them meanwhile.
-- params: queue text, most int4, push_ms float8, schema_version int2, now timestamptz
-- row: id text, version int4, was_due timestamptz
with due as materialized (
  select o.id, o.due_at from relais.operation o
  where o.queue = $1 and o.due_at <= coalesce($5, now()) and (o.lease_until is null or o.lease_until <= coalesce($5, now()))
    and o.schema_version <= $4
  order by o.due_at limit $2 for no key update of o skip locked
)
update relais.operation o set due_at = coalesce($5, now()) + $3 * interval '1 ms'
from due where o.id = due.id
returning o.id, o.version, due.due_at as was_due;

-- name: change
-- plan: indexes
-- Compares lease and state, and writes the result of an attempt: fields, evidence, event, audit entry, sums of the
-- day. Rows held by another attempt are unchanged and omitted; without rows the answer has only the counter. No
-- lease: a user's act. `keep_ms`: the attempt keeps its lease. `nudge_ms`: when a check is due after a callback that
-- arrived meanwhile. `cleared`: columns to empty, as `,a,b,`. `more`: rarely set columns. `erased`: names to remove
-- from the request. `lines`: evidence, one a line. `totals`: added to the daily totals besides the arrow's.
-- params: lane text, epoch int4, lanes text[], counters int8[], op uuid, intends bool, now timestamptz, id text[], lease int8[], was text[], state text[], rev int4[], in_recovery bool[], unless_held text[], queue text[], due_ms float8[], keep_ms float8[], nudge_ms float8[], send_ms float8[], token text[], transaction_id text[], provider_ref text[], sends int2[], tries int2[], reason text[], token_ms float8[], sent_ms float8[], quiet_ms float8[], cleared text[], more jsonb[], facts jsonb[], fact_times jsonb[], erased text[], lines text[], event jsonb[], act jsonb[], finished bool[], forgets bool[], totals jsonb[]
-- row: id text, version int4, counter int8, at timestamptz
with mark as materialized (
  select relais.raise_mark($1, $2, $3, $4, $6, $6) as counter, date_trunc('milliseconds', coalesce($7, now())) as at
),
moment as materialized (
  select at, (extract(epoch from at) * 1000)::int8 as ms, to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z" ') as stamp
  from mark
),
asked as materialized (
  select c.*, m.at, m.ms, string_to_array(m.stamp || replace(left(c.lines, 10000), E'\n', E'\n' || m.stamp), E'\n') as said
  from moment m, unnest(
    $8::text[], $9::int8[], $10::text[], $11::text[], $12::int4[], $13::bool[], $14::text[], $15::text[], $16::float8[],
    $17::float8[], $18::float8[], $19::float8[], $20::text[], $21::text[], $22::text[], $23::int2[], $24::int2[], $25::text[],
    $26::float8[], $27::float8[], $28::float8[], $29::text[], $30::jsonb[], $31::jsonb[], $32::jsonb[], $33::text[], $34::text[],
    $35::jsonb[], $36::jsonb[], $37::bool[], $38::bool[], $39::jsonb[]
  ) as c(
    id, lease, was, state, rev, in_recovery, unless_held, queue, due_ms, keep_ms, nudge_ms, send_ms, token, transaction_id,
    provider_ref, sends, tries, reason, token_ms, sent_ms, quiet_ms, cleared, more, facts, fact_times, erased, lines, event, act,
    finished, forgets, totals
  )
),
-- Read once for all rows, after the mark: holds that were committed while this statement waited count.
holds as materialized (select h.account, h.held from relais.holds_now() h),
held as materialized (
  select a.*, o.counted_on, o.amount, o.beneficiary,
    coalesce(position(',' || a.state || ',' in o.signalled) = 0, false) and a.keep_ms is null as unheard,
    coalesce(position(',' || a.state || ',' in o.signalled) > 0, true) as agrees
  from relais.operation o join asked a on a.id = o.id and (a.lease is null or a.lease = o.lease) and a.was = o.state
  where (a.rev is null or a.rev = o.version)
    and (a.unless_held is null
      or not exists (select from holds h where h.account = o.account and h.held = a.unless_held))
    and (not a.in_recovery or exists (select from relais.deployment d where d.recovering_at is not null))
  order by o.id for no key update of o
),
changed as (
  update relais.operation o set
    state = a.state, version = o.version + 1, op = $5, updated_at = a.at,
    queue = a.queue,
    since = case when a.state = o.state then o.since else a.at end,
    finished_at = case when a.finished then coalesce(o.finished_at, a.at) end,
    due_at = case
      when a.queue is null then null
      when a.keep_ms is not null then case when o.due_at <= a.at then o.due_at else a.at + coalesce(a.due_ms, a.keep_ms) * interval '1 ms' end
      when a.due_ms is not null and o.signalled is not null then a.at + least(a.due_ms, a.nudge_ms) * interval '1 ms'
      when a.due_ms is not null then a.at + a.due_ms * interval '1 ms'
      when a.unheard and a.nudge_ms > 0 then a.at + a.nudge_ms * interval '1 ms' end,
    signalled = case when a.keep_ms is not null then o.signalled end,
    lease = case when a.keep_ms is not null then o.lease end,
    lease_until = case when a.keep_ms is not null and o.lease is not null then a.at + a.keep_ms * interval '1 ms' end,
    last_lease = case when a.keep_ms is null then a.lease else o.last_lease end,
    token = case when a.token is not null then a.token when a.cleared like '%,token,%' then null else o.token end,
    transaction_id = case when a.transaction_id is not null then a.transaction_id
      when a.cleared like '%,transaction_id,%' then null else o.transaction_id end,
    provider_ref = case when a.provider_ref is not null then a.provider_ref
      when a.cleared like '%,provider_ref,%' then null else o.provider_ref end,
    sends = coalesce(a.sends, o.sends),
    tries = case when a.tries is not null then a.tries when a.state <> o.state or a.cleared like '%,tries,%' then 0 else o.tries end,
    reason = case when a.reason is not null then a.reason when a.cleared like '%,reason,%' then null else o.reason end,
    token_at = case when a.token_ms is not null then a.at + a.token_ms * interval '1 ms'
      when a.cleared like '%,token_at,%' then null else o.token_at end,
    sent_at = case when a.sent_ms is not null then a.at + a.sent_ms * interval '1 ms'
      when a.cleared like '%,sent_at,%' then null else o.sent_at end,
    quiet_until = case when a.quiet_ms is not null then a.at + a.quiet_ms * interval '1 ms'
      when a.cleared like '%,quiet_until,%' then null else o.quiet_until end,
    send_until = case when a.send_ms is not null then a.at + a.send_ms * interval '1 ms' else o.send_until end,
    note = case when a.more ? 'note' then a.more ->> 'note' else o.note end,
    trace = case when a.more ? 'trace' then a.more ->> 'trace' else o.trace end,
    approved_by = case when a.more ? 'approved_by' then a.more ->> 'approved_by' else o.approved_by end,
    rejected_by = case when a.more ? 'rejected_by' then a.more ->> 'rejected_by' else o.rejected_by end,
    approved_at = case when a.more ? 'approved_ms' then a.at + (a.more ->> 'approved_ms')::float8 * interval '1 ms' else o.approved_at end,
    request = case when o.request ?| string_to_array(a.erased, ',') then o.request - string_to_array(a.erased, ',') else o.request end,
    facts = case
      when a.facts is null and a.fact_times is null and not (a.unheard and a.nudge_ms > 0) then o.facts
      else jsonb_strip_nulls(o.facts || coalesce(a.facts, '{}')
        || case when a.fact_times is null then '{}'
           else (select jsonb_object_agg(t.key, a.ms + t.value::int8) from jsonb_each_text(a.fact_times) t) end
        || case when a.unheard and a.nudge_ms > 0 then jsonb_build_object('hintedAt', a.ms) else '{}' end) end,
    evidence = case
      when a.said is null then o.evidence
      when cardinality(o.evidence) + cardinality(a.said) <= 50 then o.evidence || a.said
      else relais.bound_evidence(o.evidence || a.said) end,
    evidence_total = o.evidence_total + coalesce(cardinality(a.said), 0)
  from held a where o.id = a.id
  returning o.id, o.kind, o.account, o.state, o.version, a.was, a.at, a.counted_on, a.amount, a.beneficiary, a.event, a.act, a.totals,
    a.forgets and a.agrees as forgets, o.request ->> 'withdrawMode' as place,
    nullif(o.facts ->> 'amountPaid', '') as paid
),
recount as materialized (
  select c.counted_on, c.account, c.beneficiary, c.amount * w.recount as xof
  from changed c join relais.arrow w on w.kind = c.kind and w.was = c.was and w.state = c.state
  where w.recount <> 0 and c.counted_on is not null
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
forgotten as (
  delete from relais.callback k using changed c where c.forgets and k.id = c.id
),
acts as (
  insert into relais.audit_line (at, by, person, role, source, act, target, request_id, before, facts)
  select c.at, c.act ->> 'by', c.act ->> 'person', c.act ->> 'role', c.act ->> 'source', c.act ->> 'act', c.act ->> 'target',
    c.act ->> 'requestId', c.act -> 'before', coalesce(c.act -> 'facts', '{}')
  from changed c where c.act is not null
),
-- Inlined `day_totals`, which would be called for each row.
posts as materialized (
  select c.id, c.at, c.event is null as is_silent,
    c.kind || '|' || c.account || '|' || coalesce(c.place, '') || '|' || m.key || s.suffix as name, m.value::int8 * s.times as change
  from changed c
  join relais.arrow w on w.kind = c.kind and w.was = c.was and w.state = c.state and w.totals <> '{}'
  cross join lateral jsonb_each_text(w.totals) as m(key, value)
  cross join lateral (values ('', 1::int8), ('Xof', coalesce(c.paid::int8, c.amount, 0))) as s(suffix, times)
  union all
  select c.id, c.at, c.event is null, t.name, t.change::int8
  from changed c cross join lateral jsonb_each_text(c.totals) as t(name, change) where c.totals is not null
),
reported as (
  insert into relais.outbox (id, account, subject, type, data, totals, at)
  select c.id || '.' || c.version || case when $2 > 1 then '.' || $2 else '' end, c.account, c.id, c.event ->> 'type', c.event -> 'data',
    p.totals, c.at
  from changed c
  left join (select id, jsonb_object_agg(name, change) as totals from posts group by id) p using (id)
  where c.event is not null
),
-- Changes without an event share one row.
posted as (
  insert into relais.outbox (totals, at)
  select jsonb_object_agg(p.name, p.change), min(p.at)
  from (
    select p.name, sum(p.change) as change, min(p.at) as at from posts p where p.is_silent group by p.name
  ) p having count(*) > 0
)
select c.id, c.version, mark.counter, mark.at from mark left join changed c on true;

-- name: signal
-- plan: indexes
-- A callback makes the next check due, at most once per interval, and is stored as evidence. It decides nothing.
-- `looked_at`: states that are checked in `queue`; `agrees`: states that already cover the callback; both as `,a,b,`.
-- At most 20 lines of evidence are callbacks. `posted`: the body, without personal data. Each id occurs once.
-- params: id text[], queue text[], looked_at text[], agrees text[], line text[], posted text[], interval_ms float8[], now timestamptz
-- row: id text, state text, looks bool, trace text
with asked as materialized (
  select s.*, m.at, m.stamp || left(s.line, 1000) as said
  from (select date_trunc('milliseconds', coalesce($8, now())) as at) n
  cross join lateral (select n.at, to_char(n.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z" ') as stamp) m
  cross join unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::float8[])
    as s(id, queue, looked_at, agrees, line, posted, interval_ms)
),
locked as materialized (
  select o.id, o.state, o.signalled, o.due_at, o.trace, coalesce(o.lease_until > a.at, false) as leased,
    (o.facts ->> 'hintedAt')::float8 as hinted_ms,
    position(',' || o.state || ',' in a.agrees) > 0 as told,
    position(',' || o.state || ',' in a.looked_at) > 0 and position(',' || o.state || ',' in a.agrees) = 0 as looked
  from relais.operation o join asked a using (id) order by o.id for no key update of o
),
held as materialized (
  select l.*, d.due, l.looked and not l.leased and coalesce(l.due_at > d.due, true) as sooner
  from locked l join asked a using (id)
  cross join lateral (
    select greatest(a.at, 'epoch'::timestamptz + (l.hinted_ms + a.interval_ms) * interval '1 ms') as due
  ) d
),
stored as (
  insert into relais.callback as k (id, at, body)
  select a.id, a.at, a.posted from asked a left join locked l using (id) where a.posted <> '' and not coalesce(l.told, false)
  order by a.id collate "C"
  on conflict (id) do update set at = excluded.at, body = excluded.body
),
signalled as (
  update relais.operation o set
    signalled = ',' || coalesce((
      select string_agg(s.name, ',') || ',' from unnest(string_to_array(trim(both ',' from a.agrees), ',')) as s(name)
      where a.posted <> '' and s.name <> '' and (o.signalled is null or position(',' || s.name || ',' in o.signalled) > 0)), ''),
    queue = case when h.sooner then a.queue else o.queue end,
    due_at = case when h.sooner then h.due else o.due_at end,
    facts = case
      when h.looked and (extract(epoch from case when h.sooner then h.due else a.at end) * 1000) > coalesce(h.hinted_ms, 0)
      then o.facts || jsonb_build_object('hintedAt', (extract(epoch from case when h.sooner then h.due else a.at end) * 1000)::int8)
      else o.facts end,
    evidence = case
      when (select count(*) from unnest(o.evidence) as line where substr(line, 26, 9) = 'callback|') >= 20 then o.evidence
      when cardinality(o.evidence) < 50 then o.evidence || a.said
      else relais.bound_evidence(o.evidence || a.said) end,
    evidence_total = o.evidence_total + 1
  from asked a, held h where o.id = a.id and h.id = o.id
  returning o.id
)
select h.id, h.state, h.sooner and h.due = a.at as looks, h.trace
from held h join asked a using (id) join signalled s using (id);

-- name: append_evidence
-- Adds lines of evidence, whichever attempt holds the operation.
-- params: id text, lines text, now timestamptz
-- row: id text
with moment as (
  select to_char(coalesce($3, now()) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z" ') as stamp
),
said as (
  select string_to_array(stamp || replace($2::text, E'\n', E'\n' || stamp), E'\n') as lines from moment
)
update relais.operation o set
  evidence = case
    when cardinality(o.evidence) + cardinality(said.lines) <= 50 then o.evidence || said.lines
    else relais.bound_evidence(o.evidence || said.lines) end,
  evidence_total = o.evidence_total + cardinality(said.lines)
from said where o.id = $1
returning o.id;

-- name: named_as
-- The operation of an account with this token or transaction at the provider, or a payment request with this
-- reference.
-- params: account text, token text, transaction_id text, provider_ref text
-- row: id text
select o.id from relais.operation o
where o.account = $1 and (o.token = $2 or o.transaction_id = $3 or (o.provider_ref = $4 and o.kind = 'payment_request')) limit 1;

-- name: written_by
-- Rows that a statement whose answer was lost had among these ids. Runs on another connection, when the old one can no longer commit. It
-- also writes: when this commit is safe on the standbys, earlier ones are too. No row: the lane is fenced, or the
-- ledger is behind the memory of the process (`known`).
-- params: lane text, known int8, op uuid, id text[]
-- row: counter int8, id text, state text, created_at timestamptz
with mark as (
  update relais.mark set counter = counter + 1 where lane = $1 and counter >= $2 and not fenced returning counter
)
select mark.counter, o.id, o.state, o.created_at from mark left join relais.operation o on o.id = any($4::text[]) and o.op = $3;

-- name: read
-- params: id text[]
-- row: id text, kind text, account text, reference text, idempotency_key text, state text, queue text, amount int8, beneficiary text, request jsonb, metadata jsonb, payee_name text, purpose text, provider_id text, token text, transaction_id text, provider_ref text, facts jsonb, evidence text[], evidence_total int4, reason text, sends int2, tries int2, token_at timestamptz, sent_at timestamptz, quiet_until timestamptz, not_before timestamptz, batch text, created_by text, approved_by text, approved_at timestamptz, rejected_by text, note text, trace text, created_at timestamptz, updated_at timestamptz, since timestamptz, finished_at timestamptz, version int4, due_at timestamptz, lease int8, lease_until timestamptz, last_lease int8, schema_version int2
select id, kind, account, reference, idempotency_key, state, queue, amount, beneficiary, request, metadata, payee_name, purpose,
  provider_id, token, transaction_id, provider_ref, facts, evidence, evidence_total, reason, sends, tries, token_at,
  sent_at, quiet_until, not_before, batch, created_by, approved_by, approved_at, rejected_by, note, trace, created_at, updated_at, since,
  finished_at, version, due_at, lease, lease_until, last_lease, schema_version
from relais.operation where id = any($1::text[]);
