-- Payment batches: an uploaded file that a different person approves as a whole.

-- name: accept_batch
-- Records a batch, or replaces the result of an invalid one. No row: its id, or its content, belongs to another
-- batch.
-- params: id text, account text, fingerprint bytea, content_hash text, file_name text, retry_of text, options jsonb, columns text[], state text, totals jsonb, problems jsonb, warnings jsonb, created_by text, due_ms float8, rows int4, xof int8, now timestamptz
-- row: id text, version int4, open bool
insert into relais.batch as b (
  id, account, fingerprint, content_hash, file_name, retry_of, options, columns, state, totals, problems, warnings, created_by,
  created_at, updated_at, since, due_at, rows, xof
)
select $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, a.at, a.at, a.at, a.at + $14 * interval '1 ms', $15, $16
from (select coalesce($17, now()) as at, relais.require_open()) a
on conflict (id) do update set
  file_name = excluded.file_name, options = excluded.options, columns = excluded.columns, state = excluded.state,
  totals = excluded.totals, problems = excluded.problems, warnings = excluded.warnings, created_by = excluded.created_by,
  rows = excluded.rows, xof = excluded.xof, updated_at = excluded.updated_at, since = excluded.since, due_at = excluded.due_at,
  version = b.version + 1
where b.state = 'invalid' and b.fingerprint = excluded.fingerprint
returning id, version, state <> 'invalid' as open;

-- name: add_batch_rows
-- params: batch text, n int4[], line int4[], operation text[], amount int8[], request jsonb[], cells jsonb[]
-- row:
insert into relais.batch_row (batch, n, line, operation, amount, request, cells)
select $1, r.n, r.line, r.operation, r.amount, r.request,
  case when r.cells is not null then array(select jsonb_array_elements_text(r.cells)) end
from unnest($2::int4[], $3::int4[], $4::text[], $5::int8[], $6::jsonb[], $7::jsonb[]) as r(n, line, operation, amount, request, cells);

-- name: batch_holders
-- The batch with this id, and the pending one with this content.
-- params: id text, account text, content_hash text
-- row: id text, fingerprint bytea, state text
select b.id, b.fingerprint, b.state from relais.batch b
where b.id = $1
  or (b.account = $2 and b.content_hash = $3 and b.state in ('awaiting_approval', 'running', 'needs_review'));

-- name: read_batches
-- params: id text[]
-- row: id text, account text, content_hash text, file_name text, retry_of text, options jsonb, columns text[], state text, reason text, totals jsonb, problems jsonb, warnings jsonb, fed int4, settled int4, tries int4, ended_as jsonb, created_by text, approved_by text, approved_at timestamptz, rejected_by text, note text, created_at timestamptz, updated_at timestamptz, since timestamptz, version int4, lease int8, at timestamptz
select b.id, b.account, b.content_hash, b.file_name, b.retry_of, b.options, b.columns, b.state, b.reason, b.totals, b.problems,
  b.warnings, b.fed, b.settled, b.tries, b.ended_as, b.created_by, b.approved_by, b.approved_at, b.rejected_by, b.note, b.created_at,
  b.updated_at, b.since, b.version, b.lease, now() as at
from relais.batch b where b.id = any($1::text[]);

-- name: batch_rows
-- params: batch text, start int4, most int4
-- row: n int4, line int4, operation text, request jsonb, cells text[], refused text
select r.n, r.line, r.operation, r.request, r.cells, r.refused from relais.batch_row r
where r.batch = $1 and r.n >= $2 order by r.n limit $3;

-- name: refused_rows
-- The rows of a batch that acceptance refused; `n` null: all.
-- params: batch text, n int4[]
-- row: n int4, refused text
select r.n, r.refused from relais.batch_row r
where r.batch = $1 and ($2::int4[] is null or r.n = any($2)) and r.refused is not null order by r.n;

-- name: refuse_rows
-- The first reason is permanent. Rows are locked in order.
-- params: batch text, n int4[], reason text[]
-- row:
with asked as materialized (
  select r.batch, r.n, a.reason from relais.batch_row r join unnest($2::int4[], $3::text[]) as a(n, reason) on a.n = r.n
  where r.batch = $1 order by r.n for no key update of r
)
update relais.batch_row r set refused = a.reason from asked a where r.batch = a.batch and r.n = a.n and r.refused is null;

-- name: batch_rows_now
-- Rows with the state of their payments.
-- params: batch text, start int4, most int4
-- row: n int4, line int4, operation text, request jsonb, cells text[], state text, reason text, found bool, found_in text, provider_id text, token text, transaction_id text, provider_ref text
select r.n, r.line, r.operation, r.request, r.cells, r.state, r.reason, r.found, r.found_in, r.provider_id, r.token,
  r.transaction_id, r.provider_ref
from relais.batch_row_now r where r.batch = $1 and r.n >= $2 order by r.n limit $3;

-- name: batch_rows_page
-- A page of rows with the state of their payments, lowest rank first. States without a rank are omitted.
-- params: batch text, state text[], rank int4[], after_rank int4, after_n int4, most int4
-- row: n int4, line int4, operation text, request jsonb, cells text[], state text, reason text, found bool, found_in text, provider_id text, token text, transaction_id text, provider_ref text, rank int4
select r.n, r.line, r.operation, r.request, r.cells, r.state, r.reason, r.found, r.found_in, r.provider_id, r.token,
  r.transaction_id, r.provider_ref, s.rank
from relais.batch_row_now r join unnest($2::text[], $3::int4[]) as s(state, rank) on s.state = r.state
where r.batch = $1 and (s.rank, r.n) > ($4, $5) order by s.rank, r.n limit $6;

-- name: batch_states
-- Count and sum of rows by state.
-- params: batch text
-- row: state text, count int8, xof int8
select r.state, count(*) as count, sum(r.amount)::int8 as xof from relais.batch_row_now r where r.batch = $1 group by r.state;

-- name: standing_requests
-- For each request the payment with its id or its reference; a tombstone has no request.
-- params: account text, id text[], reference text[]
-- row: asked text, id text, fingerprint bytea, reference text, request jsonb, not_before timestamptz, payee_name text, purpose text, metadata jsonb
with asked as (select * from unnest($2::text[], $3::text[]) as a(id, reference))
select a.id as asked, o.id, o.fingerprint, o.reference, o.request, o.not_before, o.payee_name, o.purpose, o.metadata
from asked a join relais.operation o on o.id = a.id
union all
select a.id, o.id, o.fingerprint, o.reference, o.request, o.not_before, o.payee_name, o.purpose, o.metadata
from asked a join relais.operation o on o.account = $1 and o.kind = 'disbursement' and o.reference = a.reference and o.id <> a.id
union all
select a.id, t.id, t.fingerprint, t.reference, null, null, null, null, null from asked a join relais.tombstone t on t.id = a.id
union all
select a.id, t.id, t.fingerprint, t.reference, null, null, null, null, null
from asked a join relais.tombstone t on t.account = $1 and t.kind = 'disbursement' and t.reference = a.reference and t.id <> a.id;

-- name: spent_on
-- params: account text, day date
-- row: xof int8
select s.xof from relais.spent s where s.account = $1 and s.day = $2 and s.beneficiary = '';

-- name: approve_batch
-- Only this content, by a different person, in time. No row: a condition is not met.
-- params: id text, content_hash text, approved_by text, within_ms float8, now timestamptz
-- row: id text, version int4
with open as materialized (select coalesce($5, now()) as at, relais.require_open())
update relais.batch b set
  state = 'running', since = open.at, updated_at = open.at, approved_by = $3, approved_at = open.at, reason = null, due_at = open.at,
  tries = 0, version = b.version + 1, lease = null, lease_until = null
from open
where b.id = $1 and b.content_hash = $2 and b.created_by <> $3
  and (b.state = 'needs_review' or (b.state = 'awaiting_approval' and b.since > open.at - $4 * interval '1 ms'))
returning b.id, b.version;

-- name: cancel_batch
-- Cancels a batch whose rows are not being paid, and reports it. With `rejected_by`: a person rejected it. No row:
-- its state does not allow it.
-- params: id text, state text[], rejected_by text, note text, now timestamptz
-- row: id text, version int4
with cancelled as (
  update relais.batch b set
    state = 'cancelled', since = coalesce($5, now()), updated_at = coalesce($5, now()), finished_at = coalesce($5, now()),
    due_at = null, lease = null, lease_until = null, version = b.version + 1, rejected_by = $3::text, note = $4,
    reason = case when $3::text is not null then 'not_approved' else b.reason end
  where b.id = $1 and b.state = any($2::text[])
  returning b.*
),
reported as (
  insert into relais.outbox (id, account, subject, type, data, at)
  select relais.event_id(b.id, b.version), b.account, b.id, 'batch.cancelled', jsonb_strip_nulls(jsonb_build_object(
    'id', b.id, 'state', b.state, 'contentHash', b.content_hash, 'by', b.created_by,
    'totals', jsonb_build_object('count', b.rows, 'xof', b.xof), 'reason', b.reason, 'note', b.note, 'rejectedBy', b.rejected_by
  )), b.since
  from cancelled b
)
select b.id, b.version from cancelled b;

-- name: claim_batches
-- Leases due batches; `id` not null: only these.
-- params: id text[], most int4, lease_ms float8, now timestamptz
-- row: id text
with due as materialized (
  select b.id from relais.batch b
  where b.due_at <= coalesce($4, now()) and (b.lease_until is null or b.lease_until <= coalesce($4, now()))
    and ($1::text[] is null or b.id = any($1))
  order by b.due_at limit $2 for no key update of b skip locked
)
update relais.batch b set lease = nextval('relais.lease_number'), lease_until = coalesce($4, now()) + $3 * interval '1 ms'
from due where b.id = due.id returning b.id;

-- name: continue_batch
-- Ends an attempt at a batch. No row: another attempt has the lease, or the state was changed.
-- params: id text, lease int8, due_ms float8, fed int4, settled int4, tries int4, now timestamptz
-- row: id text
update relais.batch b set
  due_at = coalesce($7, now()) + $3 * interval '1 ms', fed = greatest(b.fed, $4), settled = $5, tries = $6, lease = null,
  lease_until = null
where b.id = $1 and b.lease = $2 and b.due_at is not null
returning b.id;

-- name: expire_batch
-- The approval time has passed. No row: it was approved, or another attempt has the lease.
-- params: id text, lease int8, now timestamptz
-- row: id text
update relais.batch b set
  state = 'expired', since = coalesce($3, now()), updated_at = coalesce($3, now()), finished_at = coalesce($3, now()),
  due_at = null, lease = null, lease_until = null, version = b.version + 1
where b.id = $1 and b.lease = $2 and b.state = 'awaiting_approval' and relais.require_open()
returning b.id;

-- name: finish_batch
-- Finishes a batch and reports it after all of its rows are settled. One statement: sums, state and event are
-- consistent, and only one attempt can write them. `finished` false: a row is not settled. No row: it is no longer
-- running.
-- params: id text, settled text[], now timestamptz
-- row: finished bool, settled int4
with running as materialized (
  select b.* from relais.batch b where b.id = $1 and b.state = 'running' for no key update of b
),
sums as materialized (
  select r.state, count(*) as count, sum(r.amount) as xof from relais.batch_row_now r where r.batch = $1 group by r.state
),
states as materialized (
  select coalesce(jsonb_object_agg(s.state, jsonb_build_object('count', s.count, 'xof', s.xof)), '{}') as states,
    coalesce(bool_and(s.state = any($2::text[])), true) as all_settled,
    coalesce(sum(s.count) filter (where s.state = any($2)), 0)::int4 as settled
  from sums s
),
finished as (
  update relais.batch b set
    state = 'finished', since = coalesce($3, now()), updated_at = coalesce($3, now()), finished_at = coalesce($3, now()),
    ended_as = states.states, settled = states.settled, fed = b.rows, due_at = null, lease = null, lease_until = null, version = b.version + 1
  from running, states where b.id = running.id and states.all_settled
  returning b.*
),
reported as (
  insert into relais.outbox (id, account, subject, type, data, at)
  select relais.event_id(b.id, b.version), b.account, b.id, 'batch.finished', jsonb_strip_nulls(jsonb_build_object(
    'id', b.id, 'state', b.state, 'contentHash', b.content_hash, 'by', b.created_by, 'approvedBy', b.approved_by,
    'totals', jsonb_build_object('count', b.rows, 'xof', b.xof), 'states', b.ended_as
  )), b.since
  from finished b
)
select b.id is not null as finished, states.settled from running cross join states left join finished b using (id);

-- name: report_batch
-- params: id text, version int4, account text, type text, data jsonb, now timestamptz
-- row:
insert into relais.outbox (id, account, subject, type, data, at)
values (relais.event_id($1, $2), $3, $1, $4, $5, coalesce($6, now()));
