-- Webhook endpoints and their deliveries. The row of an endpoint is locked before those of its deliveries.

-- name: add_endpoint
-- It receives the events that are published from now on. No row: there are `most` endpoints already. Idempotent.
-- params: id text, owner text, url text, types text[], accounts text[], headers text, header_names text[], secret text, most int4, now timestamptz
-- row: fresh bool
with guard as materialized (select pg_advisory_xact_lock(hashtextextended('relais endpoints', 0))),
added as (
  insert into relais.endpoint (id, owner, url, types, accounts, headers, header_names, secret, registered_at_position, position, created_at)
  select $1::text, $2::text, $3::text, $4::text[], $5::text[], $6::text, $7::text[], $8::text, s.position, s.position,
    coalesce($10::timestamptz, now())
  from guard, relais.stream s where (select count(*) from relais.endpoint) < $9::int4
  on conflict (id) do nothing
  returning id
)
select true as fresh from added
union all
select false from relais.endpoint where id = $1::text;

-- name: remove_endpoint
-- With its deliveries and its log.
-- params: id text
-- row: state text
delete from relais.endpoint where id = $1::text returning state;

-- name: rotate_secret
-- The previous secret also signs for a while, as does the first of those replaced in that time: receivers may know no
-- other. No row: the secret is the current one, or there is no such endpoint.
-- params: id text, secret text, both_ms float8, now timestamptz
-- row: id text
update relais.endpoint p set
  secret = $2::text, old_secret = p.secret, old_until = t.at + $3::float8 * interval '1 ms',
  older_secret = case
    when p.older_until > t.at then p.older_secret
    when p.old_until > t.at then p.old_secret end,
  older_until = case
    when p.older_until > t.at then p.older_until
    when p.old_until > t.at then p.old_until end
from (select coalesce($4::timestamptz, now()) as at) t
where p.id = $1::text and p.secret <> $2::text
returning p.id;

-- name: reseal_endpoint
-- Replaces the encrypted secrets. No row: the secrets have changed since they were read.
-- params: id text, kept text[], again text[], kept_headers text, headers text
-- row: id text
update relais.endpoint p set
  secret = ($3::text[])[1],
  old_secret = case when p.old_secret is not null then ($3::text[])[2] end,
  older_secret = case when p.older_secret is not null then ($3::text[])[cardinality($3::text[])] end,
  headers = coalesce($5::text, p.headers)
where p.id = $1::text and ($4::text is null or p.headers = $4::text)
  and array_remove(array[p.secret, p.old_secret, p.older_secret], null) = $2::text[]
returning p.id;

-- name: endpoints
-- All of them, or one.
-- params: id text
-- row: id text, owner text, url text, types text[], accounts text[], headers text, header_names text[], secret text, old_secret text, older_secret text, state text, reason text, registered_at_position int8, created_at timestamptz, delivered_at timestamptz, failing_since timestamptz, epoch int4
select p.id, p.owner, p.url, p.types, p.accounts, p.headers, p.header_names, p.secret, p.old_secret, p.older_secret, p.state,
  p.reason, p.registered_at_position, p.created_at, p.delivered_at, p.failing_since, d.epoch
from relais.endpoint p, relais.deployment d
where $1::text is null or p.id = $1::text order by p.created_at, p.id;

-- name: dispatch_events
-- Dispatches events to subscribed endpoints, at most so many to each. Endpoints locked by another process are
-- skipped.
-- params: most int4, now timestamptz
-- row: id text, position int8, added int4, more bool
with behind as materialized (
  -- The last of so many events: positions have a gap after each recovery.
  select p.id, p.types, p.accounts, p.position, s.position as head,
    coalesce((
      select e.position from relais.event e
      where e.position > p.position and e.position <= s.position
      order by e.position offset $1::int4 - 1 limit 1
    ), s.position) as upto
  from relais.endpoint p, relais.stream s
  where p.state = 'enabled' and p.position < s.position
  order by p.id for no key update of p skip locked
),
handed as (
  insert into relais.delivery (endpoint, position, due_at)
  select b.id, e.position, coalesce($2::timestamptz, now())
  from behind b join relais.event e on e.position > b.position and e.position <= b.upto
  where (b.types = '{}' or e.type = any(b.types)) and (b.accounts = '{}' or e.account = any(b.accounts))
  on conflict (endpoint, position) do nothing
  returning endpoint
)
update relais.endpoint p set position = b.upto
from behind b where p.id = b.id
returning p.id, p.position, (select count(*) from handed h where h.endpoint = p.id)::int4 as added, b.upto < b.head as more;

-- name: due_endpoints
-- Endpoints that can receive deliveries now.
-- params: most int4, now timestamptz
-- row: id text
select p.id from relais.endpoint p
where p.state = 'enabled'
  and (p.lease_until is null or p.lease_until <= coalesce($2::timestamptz, now()))
  and (p.rest_until is null or p.rest_until <= coalesce($2::timestamptz, now()))
  and exists (
    select from relais.delivery d
    where d.endpoint = p.id and d.state = 'due' and d.due_at <= coalesce($2::timestamptz, now()))
order by p.id limit $1::int4;

-- name: lock_endpoint
-- params: id text, now timestamptz
-- row: at timestamptz, epoch int4, url text, headers text, secret text, old_secret text, old_until timestamptz, older_secret text, older_until timestamptz, state text, accounts text[], lease text, lease_until timestamptz, rest_until timestamptz, failures int4, failing_since timestamptz, version int4
select coalesce($2::timestamptz, now()) as at, d.epoch, p.url, p.headers, p.secret, p.old_secret, p.old_until, p.older_secret,
  p.older_until, p.state, p.accounts, p.lease, p.lease_until, p.rest_until, p.failures, p.failing_since, p.version
from relais.endpoint p, relais.deployment d where p.id = $1::text for no key update of p;

-- name: due_deliveries
-- params: endpoint text, most int4, at timestamptz
-- row: position int8, tries int2
select d.position, d.tries from relais.delivery d
where d.endpoint = $1::text and d.state = 'due' and d.due_at <= $3::timestamptz order by d.due_at, d.position limit $2::int4;

-- name: lease_endpoint
-- params: id text, lease text, until timestamptz
-- row:
update relais.endpoint set lease = $2::text, lease_until = $3::timestamptz where id = $1::text;

-- name: settle_deliveries
-- params: endpoint text, at timestamptz, position int8[], outcome text[], wait_ms float8[]
-- row: position int8
with settled as materialized (
  select r.position, r.outcome, $2::timestamptz + r.wait_ms * interval '1 ms' as due_at
  from unnest($3::int8[], $4::text[], $5::float8[]) as r(position, outcome, wait_ms)
),
delivered as (
  delete from relais.delivery d using settled r
  where d.endpoint = $1::text and d.position = r.position and r.outcome = 'delivered'
)
update relais.delivery d set
  state = case when r.outcome = 'undelivered' then 'dead' else 'due' end,
  tries = d.tries + 1, due_at = case when r.outcome = 'retried' then r.due_at else d.due_at end
from settled r where d.endpoint = $1::text and d.position = r.position and r.outcome <> 'delivered'
returning d.position;

-- name: log_deliveries
-- Keeps the newest lines of an endpoint.
-- params: endpoint text, at timestamptz, event text[], outcome text[], answer text[], tries int4[], most int4
-- row:
with old as (
  delete from relais.delivery_log l using (
    select n from relais.delivery_log where endpoint = $1::text order by n desc
    offset greatest(0, $7::int4 - cardinality($3::text[]))
  ) o where l.endpoint = $1::text and l.n = o.n
)
insert into relais.delivery_log (endpoint, at, event, outcome, answer, tries)
select $1::text, $2::timestamptz, r.event, r.outcome, r.answer, r.tries
from unnest($3::text[], $4::text[], $5::text[], $6::int4[]) as r(event, outcome, answer, tries);

-- name: next_delivery
-- params: endpoint text
-- row: due_at timestamptz
select d.due_at from relais.delivery d
where d.endpoint = $1::text and d.state = 'due' order by d.due_at, d.position limit 1;

-- name: update_endpoint
-- After a settlement; the lease ends.
-- params: id text, delivered_at timestamptz, failures int4, failing_since timestamptz, rest_until timestamptz
-- row: revision int8
update relais.endpoint set
  lease = null, lease_until = null, revision = revision + 1, delivered_at = coalesce($2::timestamptz, delivered_at),
  failures = $3::int4, failing_since = $4::timestamptz, rest_until = $5::timestamptz
where id = $1::text returning revision;

-- name: disable_endpoint
-- Its deliveries are no longer tried.
-- params: id text, at timestamptz, reason text
-- row: version int4
with dead as (update relais.delivery set state = 'dead' where endpoint = $1::text and state = 'due')
update relais.endpoint set state = 'disabled', disabled_at = $2::timestamptz, reason = $3::text, version = version + 1
where id = $1::text returning version;

-- name: forget_undelivered
-- Keeps the newest dead-lettered events of an endpoint.
-- params: endpoint text, most int4
-- row:
delete from relais.delivery d using (
  select position from relais.delivery where endpoint = $1::text and state = 'dead' order by position desc offset $2::int4
) o where d.endpoint = $1::text and d.position = o.position;

-- name: enable_endpoint
-- A re-enabled endpoint continues with events published from now on. `frees`: the running try no longer counts.
-- params: id text, frees bool
-- row: state text
update relais.endpoint p set
  state = 'enabled', reason = null, disabled_at = null, failures = 0, failing_since = null, rest_until = null,
  position = case when p.state = 'enabled' then p.position else s.position end,
  lease = case when $2::bool then null else p.lease end, lease_until = case when $2::bool then null else p.lease_until end
from relais.stream s where p.id = $1::text returning p.state;

-- name: replay_deliveries
-- Makes events due again. `waited`: one of them was due already.
-- params: endpoint text, position int8[], now timestamptz
-- row: waited bool
with before as materialized (
  select count(*) as waiting from relais.delivery d
  where d.endpoint = $1::text and d.state = 'due' and d.position = any($2::int8[])
),
due as (
  insert into relais.delivery as d (endpoint, position, due_at)
  select $1::text, p.position, coalesce($3::timestamptz, now()) from unnest($2::int8[]) as p(position)
  on conflict (endpoint, position) do update set state = 'due', tries = 0, due_at = excluded.due_at
)
select waiting > 0 as waited from before;

-- name: delivery_progress
-- params: endpoint text
-- row: waiting int8, undelivered int8
select count(*) filter (where state = 'due') as waiting, count(*) filter (where state = 'dead') as undelivered
from relais.delivery where endpoint = $1::text;

-- name: delivery_lines
-- params: endpoint text
-- row: at timestamptz, event text, outcome text, answer text, tries int4
select at, event, outcome, answer, tries from relais.delivery_log where endpoint = $1::text order by n desc;
