-- Figures of the whole ledger, for status and metrics. Pending operations are counted by index, finished ones when
-- they finish: the cost does not grow with the ledger.

-- name: count_states
-- Count of a kind by state; for unfinished ones also the sum. `sms_request`: unsettled requests of campaigns, and
-- single messages in doubt. `fold`: many counts wait to be folded.
-- params: kind text
-- row: state text, count int8, xof int8, fold bool
select c.state, sum(c.count)::int8 as count, sum(c.xof)::int8 as xof,
  exists (select from relais.final_change offset 10000) as fold
from (
  select o.state, count(*) as count, coalesce(sum(o.amount), 0) as xof from relais.operation o
  where o.kind = $1 and o.finished_at is null group by o.state
  union all select f.state, f.count, 0 from relais.final_count f where f.kind = $1
  union all select f.state, sum(f.change), 0 from relais.final_change f where f.kind = $1 group by f.state
  union all select c.state, count(*), 0 from relais.campaign c where $1 = 'campaign' group by c.state
  union all select b.state, count(*), sum(b.xof) from relais.batch b where $1 = 'batch' group by b.state
  union all (
    select r.state, count(*), 0 from relais.sms_request r
    where $1 = 'sms_request' and (r.state = 'queued' or r.state = 'sending' or r.state in ('refused', 'unknown')) group by r.state)
  union all
  select o.state, count(*), 0 from relais.operation o
  where $1 = 'sms_request' and o.kind = 'message' and o.state = 'unknown' and o.finished_at is null group by o.state
) c
group by c.state having sum(c.count) <> 0 order by c.state;

-- name: fold_counts
-- Folds newly finished operations into the counts. Concurrent runs divide the rows.
-- params:
-- row: folded int8
with taken as (
  delete from relais.final_change f where f.ctid in (
    select ctid from relais.final_change limit 100000 for update skip locked)
  returning f.kind, f.state, f.change
),
added as (
  insert into relais.final_count as c (kind, state, count)
  select t.kind, t.state, sum(t.change) from taken t group by t.kind, t.state order by t.kind, t.state
  on conflict (kind, state) do update set count = c.count + excluded.count
)
select count(*) as folded from taken;

-- name: oldest_in_state
-- When the oldest operation in a state entered it. `sms_request`: includes single messages in doubt.
-- params: kind text, state text
-- row: since timestamptz
select min(s.since) as since
from (
  (select o.since from relais.operation o
   where o.kind = $1 and o.state = $2 and o.finished_at is null order by o.since limit 1)
  union all select min(c.since) from relais.campaign c where $1 = 'campaign' and c.state = $2
  union all select min(b.since) from relais.batch b where $1 = 'batch' and b.state = $2
  union all select min(r.sent_at) from relais.sms_request r where $1 = 'sms_request' and $2 = 'sending' and r.state = 'sending'
  union all select min(r.sent_at) from relais.sms_request r where $1 = 'sms_request' and $2 = 'unknown' and r.state in ('refused', 'unknown')
  union all (
    select o.since from relais.operation o
    where $1 = 'sms_request' and $2 = 'unknown' and o.kind = 'message' and o.state = 'unknown' and o.finished_at is null
    order by o.since limit 1)
) s
having min(s.since) is not null;

-- name: ages_in_doubt
-- Count and sum of operations that may have been paid, by age: `age` is the index (from 0) of the first limit (ms)
-- that is not reached.
-- params: kinds text[], states text[], limits float8[], now timestamptz
-- row: age int4, count int8, xof int8
select width_bucket(extract(epoch from coalesce($4, now()) - o.since)::float8 * 1000, $3::float8[]) as age,
  count(*) as count, coalesce(sum(o.amount), 0)::int8 as xof
from unnest($1::text[], $2::text[]) as d(kind, state)
join relais.operation o on o.kind = d.kind and o.state = d.state and o.finished_at is null
group by 1 order by 1;

-- name: unsent
-- Waiting operations of each account, in these kinds and states.
-- params: kinds text[], states text[]
-- row: account text, kind text, count int8, xof int8
select o.account, o.kind, count(*) as count, coalesce(sum(o.amount), 0)::int8 as xof
from unnest($1::text[], $2::text[]) as d(kind, state)
join relais.operation o on o.kind = d.kind and o.state = d.state and o.finished_at is null
group by o.account, o.kind order by o.account, o.kind;

-- name: in_flight
-- XOF of an account's payments that are queued or in flight.
-- params: account text, states text[]
-- row: mode text, xof int8
select o.request ->> 'withdrawMode' as mode, sum(o.amount)::int8 as xof
from relais.operation o
where o.account = $1 and o.kind = 'disbursement' and o.state = any($2::text[])
group by 1 order by 1;

-- name: due_at
-- When an operation is due in this queue. No row: not due.
-- params: queue text, id text
-- row: due_at timestamptz
select o.due_at from relais.operation o where o.id = $2 and o.queue = $1 and o.due_at is not null
union all select c.due_at from relais.campaign c where $1 = 'campaign' and c.id = $2 and c.due_at is not null
union all select b.due_at from relais.batch b where $1 = 'batch' and b.id = $2 and b.due_at is not null;

-- name: due_by_account
-- Due operations by queue and account, those due later, and the earliest due time; `queue` null: all queues.
-- params: queue text, now timestamptz
-- row: queue text, account text, due int8, later int8, oldest_at timestamptz
select d.queue, d.account, count(*) filter (where d.due_at <= coalesce($2, now())) as due,
  count(*) filter (where d.due_at > coalesce($2, now())) as later, min(d.due_at) as oldest_at
from (
  select o.queue, o.account, o.due_at from relais.operation o where $1::text is null and o.due_at is not null
  union all select o.queue, o.account, o.due_at from relais.operation o where o.queue = $1 and o.due_at is not null
  union all
  select 'campaign', c.account, c.due_at from relais.campaign c where coalesce($1, 'campaign') = 'campaign' and c.due_at is not null
  union all
  select 'batch', b.account, b.due_at from relais.batch b where coalesce($1, 'batch') = 'batch' and b.due_at is not null
  union all
  select 'sms-batch', c.account, greatest(c.since, c.pace_at) from relais.campaign c
  join relais.sms_request r on r.campaign = c.number and r.state = 'queued'
  where coalesce($1, 'sms-batch') = 'sms-batch' and c.state = 'running'
  union all
  select 'sms-batch', c.account, r.due_at from relais.sms_request r join relais.campaign c on c.number = r.campaign
  where coalesce($1, 'sms-batch') = 'sms-batch' and r.state in ('refused', 'unknown') and r.due_at is not null
  union all
  select 'event-delivery', '', e.due_at from relais.delivery e
  where coalesce($1, 'event-delivery') = 'event-delivery' and e.state = 'due'
) d
group by d.queue, d.account order by d.queue, d.account;

-- name: count_outcomes
-- Number of recipients and messages by final outcome. Never decreases.
-- params:
-- row: outcome text, count int8
select o.outcome, sum(o.count)::int8 as count
from (
  select l.outcome, sum(l.count) as count from relais.campaign c
  cross join lateral (values ('sent', c.sent), ('failed', c.failed), ('unknown', c.unknown), ('expired', c.expired)) as l(outcome, count)
  group by l.outcome
  union all select f.state, f.count from relais.final_count f where f.kind in ('message', 'outcome')
  union all select f.state, sum(f.change) from relais.final_change f where f.kind in ('message', 'outcome') group by f.state
  union all select o.state, count(*) from relais.operation o where o.kind = 'message' and o.state = 'unknown' and o.finished_at is null group by o.state
) o
where o.outcome in ('sent', 'failed', 'unknown', 'expired') group by o.outcome order by o.outcome;

-- name: last_callback
-- Stored for 30 days.
-- params: id text, now timestamptz
-- row: body text
select c.body from relais.callback c where c.id = $1 and c.at >= coalesce($2, now()) - interval '30 days';

-- name: remove_callbacks
-- Existing rows among these operations, and expired ones.
-- params: id text[], now timestamptz
-- row:
delete from relais.callback c where c.id = any($1::text[]) or c.at < coalesce($2, now()) - interval '30 days';

-- name: count_events
-- params:
-- row: type text, count int8
select c.type, c.count from relais.event_count c order by c.type;

-- name: count_uploads
-- Uploads that were started and do not count yet.
-- params:
-- row: count int8
select count(*) as count from relais.upload_in_progress;
