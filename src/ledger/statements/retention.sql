-- Retention. A tombstone is committed ten minutes before its row is removed in another transaction: a repeated
-- request finds one of them. A row that changed since gets a new tombstone, and a reopened one has none.

-- name: bury_operations
-- One page of operations of a kind in order of creation. `before`: finished before it.
-- params: kind text, before timestamptz, after_at timestamptz, after_id text, most int4, now timestamptz
-- row: looked int8, buried int8, last_at timestamptz, last_id text
with old as materialized (
  select o.* from relais.operation o
  where o.kind = $1 and o.created_at < $2 and (o.created_at, o.id) > ($3, $4)
  order by o.created_at, o.id limit $5
),
buried as (
  insert into relais.tombstone (id, kind, account, reference, idempotency_key, fingerprint, state, amount, finished_at, buried_at)
  select o.id, o.kind, o.account, o.reference, o.idempotency_key, o.fingerprint, o.state, o.amount, o.finished_at, coalesce($6, now())
  from old o where o.finished_at < $2 and o.lease is null
    and not exists (select from relais.batch b where b.id = o.batch and b.finished_at is null)
  order by o.id on conflict do nothing
  returning id
)
select (select count(*) from old) as looked, (select count(*) from buried) as buried, l.created_at::timestamptz as last_at, l.id as last_id
from (select 1) one left join (select o.created_at, o.id from old o order by o.created_at desc, o.id desc limit 1) l on true;

-- name: due_tombstones
-- params: kind text, buried_before timestamptz, most int4
-- row: id text
select t.id from relais.tombstone t
where t.pending and t.kind = $1 and t.buried_at <= $2 order by t.buried_at limit $3 for update skip locked;

-- name: remove_operations
-- Operations unchanged since their tombstones.
-- params: id text[]
-- row: id text
delete from relais.operation o using relais.tombstone t
where o.id = any($1) and t.id = o.id and t.state = o.state and o.finished_at is not null and o.lease is null
returning o.id;

-- name: unbury_operations
-- Operations that are open again.
-- params: id text[]
-- row: id text
delete from relais.tombstone t using relais.operation o
where t.id = any($1) and o.id = t.id and o.finished_at is null
returning t.id;

-- name: rebury_operations
-- Operations that changed and are finished: their rows wait again.
-- params: id text[], now timestamptz
-- row: id text
update relais.tombstone t set state = o.state, finished_at = o.finished_at, buried_at = coalesce($2, now())
from relais.operation o where t.id = any($1) and o.id = t.id
returning t.id;

-- name: settle_tombstones
-- params: id text[]
-- row: id text
update relais.tombstone t set pending = false
where t.id = any($1) and not exists (select from relais.operation o where o.id = t.id)
returning t.id;

-- name: bury_campaigns
-- params: before timestamptz, most int4, now timestamptz
-- row: id text
insert into relais.tombstone (id, kind, account, reference, idempotency_key, fingerprint, state, finished_at, buried_at)
select c.id, 'campaign', c.account, c.reference, c.idempotency_key, c.fingerprint, c.state, c.finished_at, coalesce($3, now())
from relais.campaign c
where c.state in ('finished', 'cancelled') and c.finished_at < $1
  and not exists (select from relais.tombstone t where t.id = c.id)
order by c.id limit $2 on conflict do nothing
returning id;

-- name: unbury_campaigns
-- A retry has opened them again.
-- params:
-- row: id text
delete from relais.tombstone t using relais.campaign c
where t.kind = 'campaign' and t.pending and c.id = t.id and c.state not in ('finished', 'cancelled')
returning t.id;

-- name: campaigns_to_remove
-- params: buried_before timestamptz, most int4
-- row: number int8, id text
select c.number, c.id from relais.tombstone t join relais.campaign c on c.id = t.id
where t.kind = 'campaign' and t.pending and t.buried_at <= $1 and c.state in ('finished', 'cancelled')
order by c.number limit $2;

-- name: lock_campaigns_between
-- Campaigns in a range of numbers, locked: whether each can be removed now.
-- params: low int8, high int8, buried_before timestamptz
-- row: number int8, removable bool
select c.number,
  c.state in ('finished', 'cancelled') and exists (
    select from relais.tombstone t where t.id = c.id and t.kind = 'campaign' and t.pending and t.buried_at <= $3) as removable
from relais.campaign c where c.number >= $1 and c.number < $2 order by c.number for no key update of c;

-- name: newest_campaign
-- Ranges of lower numbers get no further campaign.
-- params:
-- row: number int8
select max(c.number) as number from relais.campaign c;

-- name: remove_campaign_rows
-- params: campaign int8, most int4
-- row: removed int8
with recipients as (
  delete from relais.recipient r where r.campaign = $1 and r.n in (
    select x.n from relais.recipient x where x.campaign = $1 order by x.n limit $2)
  returning r.n
),
requests as (
  delete from relais.sms_request q where q.campaign = $1 and q.n in (
    select x.n from relais.sms_request x where x.campaign = $1 order by x.n limit $2)
  returning q.n
),
rows as (
  delete from relais.left_out_row l where l.campaign = $1 and (l.tag, l.n) in (
    select x.tag, x.n from relais.left_out_row x where x.campaign = $1 order by x.tag, x.n limit $2)
  returning l.n
)
select (select count(*) from recipients) + (select count(*) from requests) + (select count(*) from rows) as removed;

-- name: remove_campaign
-- A campaign whose rows are removed.
-- params: campaign int8
-- row: id text
with gone as (delete from relais.campaign c where c.number = $1 returning c.id, c.number),
files as (delete from relais.kept_file f using gone g where f.campaign = g.id),
uploads as (delete from relais.upload_in_progress u using gone g where u.campaign = g.number)
update relais.tombstone t set pending = false from gone g where t.id = g.id returning t.id;

-- name: bury_batches
-- params: before timestamptz, most int4, now timestamptz
-- row: id text
insert into relais.tombstone (id, kind, account, fingerprint, state, amount, finished_at, buried_at)
select b.id, 'batch', b.account, b.fingerprint, b.state, nullif(b.xof, 0), b.finished_at, coalesce($3, now())
from relais.batch b
where b.finished_at < $1 and not exists (select from relais.tombstone t where t.id = b.id)
  and not exists (select from relais.operation o where o.batch = b.id)
order by b.id limit $2 on conflict do nothing
returning id;

-- name: remove_batches
-- params: buried_before timestamptz, most int4
-- row: id text
with due as materialized (
  select t.id from relais.tombstone t where t.pending and t.kind = 'batch' and t.buried_at <= $1
  order by t.buried_at limit $2 for update skip locked
),
gone as (delete from relais.batch b using due d where b.id = d.id)
update relais.tombstone t set pending = false from due d where t.id = d.id returning t.id;

-- name: forget_tombstones
-- params: before timestamptz, most int4
-- row: id text
delete from relais.tombstone t where t.id in (
  select x.id from relais.tombstone x where not x.pending and x.buried_at < $1 order by x.buried_at limit $2)
returning t.id;

-- name: time
-- params: now timestamptz
-- row: at timestamptz
select coalesce($1, now()) as at;
