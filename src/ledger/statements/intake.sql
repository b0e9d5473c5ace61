-- Requests that SQL clients enqueued, and refused requests of the queue `intake`.

-- name: take_intake
-- Leases waiting requests, clients in turn. Rows locked by another transaction are skipped. While the ledger is
-- recovering, every request waits.
-- params: most int4, lease_ms float8, now timestamptz
-- row: number int8, id text, kind text, account text, idempotency_key text, request jsonb, client text, version int4
with recursive client(name) as (
  select min(i.client) from relais.intake i where i.state = 'queued'
  union all
  select (select min(i.client) from relais.intake i where i.state = 'queued' and i.client > client.name)
  from client where client.name is not null
),
due as materialized (
  select c.number
  from client cross join lateral (
    select i.number, row_number() over (order by i.number) as turn
    from (
      select i.number from relais.intake i
      where i.state = 'queued' and i.client = client.name
        and (i.lease_until is null or i.lease_until <= coalesce($3::timestamptz, now()))
      order by i.number limit $1 for no key update of i skip locked
    ) i
  ) c
  where not exists (select from relais.deployment d where d.recovering_at is not null)
  order by c.turn, c.number limit $1
)
update relais.intake i set lease_until = coalesce($3::timestamptz, now()) + $2 * interval '1 ms'
from due where i.number = due.number
returning i.number, i.id, i.kind, i.account, i.idempotency_key, i.request, i.client, i.version;

-- name: accept_intake
-- Marks requests as accepted, and erases them: they may contain a one-time password.
-- params: number int8[], now timestamptz
-- row: number int8
with asked as materialized (
  select i.number from relais.intake i where i.number = any($1::int8[]) and i.state = 'queued'
  order by i.number for no key update of i
)
update relais.intake i
set state = 'accepted', decided_at = coalesce($2::timestamptz, now()), request = null, lease_until = null
from asked where i.number = asked.number
returning i.number;

-- name: reject_intake
-- Marks a request as rejected, and reports it. No row: already decided.
-- params: number int8, version int4, event text, reference text, existing_id text, problems jsonb, now timestamptz
-- row: number int8
with rejected as (
  update relais.intake i set
    state = 'rejected', decided_at = coalesce($7::timestamptz, now()), request = null, lease_until = null, problems = $6,
    existing_id = $5::text
  where i.number = $1 and i.version = $2 and i.state = 'queued'
  returning i.*
),
reported as (
  insert into relais.outbox (id, account, subject, type, data, at)
  select $3, r.account, r.id, 'intake.rejected', jsonb_strip_nulls(jsonb_build_object(
    'id', r.id, 'kind', r.kind, 'reference', $4::text, 'existingId', r.existing_id, 'problems', r.problems)), r.decided_at
  from rejected r
)
select r.number from rejected r;

-- name: add_rejection
-- Records a refused job of the queue `intake`, and reports it. No row: already reported.
-- params: id text, kind text, account text, reference text, job_id text, existing_id text, problems jsonb, data jsonb, now timestamptz
-- row: number int8
with added as (
  insert into relais.intake (
    id, digest, kind, account, reference, client, job_id, existing_id, state, problems, created_at, decided_at
  )
  select $1, '', $2, $3, $4, 'bullmq', $5, $6, 'rejected', $7, coalesce($9::timestamptz, now()), coalesce($9::timestamptz, now())
  on conflict (id, digest) do nothing
  returning number, id, account, decided_at
),
reported as (
  insert into relais.outbox (id, account, subject, type, data, at)
  select a.id, a.account, a.id, 'intake.rejected', $8, a.decided_at from added a
)
select a.number from added a;

-- name: rejections
-- Refused requests, newest first, from a position on.
-- params: before timestamptz, before_number int8, most int4
-- row: number int8, id text, kind text, account text, reference text, client text, job_id text, existing_id text, problems jsonb, decided_at timestamptz
select i.number, i.id, i.kind, i.account, i.reference, i.client, i.job_id, i.existing_id, i.problems, i.decided_at
from relais.intake i
where i.state = 'rejected' and ($1::timestamptz is null or (i.decided_at, i.number) < ($1, $2::int8))
order by i.decided_at desc, i.number desc limit $3;

-- name: forget_intake
-- Deletes requests that were decided before a moment: a limited number, so that no transaction is long.
-- params: before timestamptz, most int4
-- row: number int8
with old as materialized (
  select i.number from relais.intake i where i.state <> 'queued' and i.decided_at < $1
  order by i.decided_at limit $2 for update of i skip locked
)
delete from relais.intake i using old where i.number = old.number returning i.number;
