-- The processes of a deployment: which are alive, and which takes over the work of a dead one. Lock order: `worker`,
-- `mark`, `operation`.

-- name: register_process
-- A process that joins others delays no other process: it remembers nothing of its own yet.
-- params: process text, slot text, boot_id text, pid_namespace text, pid int4, pid_started text, version text, schema_version int4, roles text[]
-- row: deployment uuid
with added as (
  insert into relais.worker (process, slot, boot_id, pid_namespace, pid, pid_started, version, schema_version, roles, compared)
  select $1, $2, $3, $4, $5, $6, $7, $8, $9,
    case when exists (select from relais.worker) and relais.is_compared() then relais.server_run() end
  returning process
)
select d.id as deployment from relais.deployment d, added;

-- name: beat
-- Records that a process is alive, and reads the counter of every lane. No row: another process has taken over its
-- work.
-- params: process text
-- row: beat int8, deployment uuid, epoch int4, recovering_at timestamptz, recovering_why text, unwitnessed_at timestamptz, lanes text[], counters int8[], run text, compared text, at timestamptz
with own as (
  update relais.worker set beat = beat + 1, beat_at = now() where process = $1 returning beat, compared
),
marks as (
  select array_agg(lane) as lanes, array_agg(counter) as counters from relais.mark
)
select own.beat, d.id as deployment, d.epoch, d.recovering_at, d.recovering_why, d.unwitnessed_at,
  coalesce(marks.lanes, '{}') as lanes, coalesce(marks.counters, '{}') as counters, relais.server_run() as run, own.compared,
  clock_timestamp() as at
from own, relais.deployment d, marks;

-- name: note_compared
-- This process has compared what it and its witnesses remember with this run of PostgreSQL, and found no loss, or declared it.
-- params: process text, run text
-- row:
update relais.worker set compared = $2 where process = $1;

-- name: processes
-- params:
-- row: process text, slot text, boot_id text, pid_namespace text, pid int4, pid_started text, version text, schema_version int4, roles text[], beat int8, compared text, started_at timestamptz
select process, slot, boot_id, pid_namespace, pid, pid_started, version, schema_version, roles, beat, compared, started_at
from relais.worker order by process;

-- name: lock_processes
-- Those processes that have not beaten since: they cannot beat until the transaction ends.
-- params: process text[], beat int8[]
-- row: process text
select w.process from relais.worker w join unnest($1::text[], $2::int8[]) as seen(process, beat) using (process, beat)
order by w.process for update of w;

-- name: retire_processes
-- Ends the lanes of processes permanently: running and later statements of theirs write nothing. Names and counters
-- are retained for 60 days, so that a process that remembers a lane can distinguish its end from a data loss.
-- params: process text[], now timestamptz
-- row: lane text, counter int8
with held as materialized (
  select lane from relais.mark where split_part(lane, '/', 1) = any($1::text[]) order by lane for update
),
ended as (
  delete from relais.mark m using held where m.lane = held.lane returning m.lane, m.counter
),
forgotten as (
  delete from relais.retired_lane where at < coalesce($2, now()) - interval '60 days'
),
gone as (
  delete from relais.worker where process = any($1::text[])
)
insert into relais.retired_lane (lane, counter, at)
select lane, counter, coalesce($2, now()) from ended
union all
select process, 0, coalesce($2, now()) from unnest($1::text[]) as p(process)
on conflict (lane) do nothing
returning lane, counter;

-- name: retired
-- params: lane text[]
-- row: lane text, counter int8
select lane, counter from relais.retired_lane where lane = any($1::text[]);

-- name: break_leases
-- Releases the leases of these processes. Status checks can run at once; other operations that may still leave wait
-- for the deadline of their intent.
-- params: process text[], now timestamptz
-- row: id text
with held as materialized (
  select id from relais.operation
  where holder = any($1::text[]) and due_at is not null and lease_until > coalesce($2, now())
  order by id for no key update
),
freed as (
  update relais.operation o set
    lease = case when o.send_until > coalesce($2, now()) and o.queue <> 'status-poll' then o.lease end,
    lease_until = case when o.send_until > coalesce($2, now()) and o.queue <> 'status-poll' then least(o.lease_until, o.send_until) end,
    holder = case when o.send_until > coalesce($2, now()) and o.queue <> 'status-poll' then o.holder end
  from held where o.id = held.id
  returning o.id, o.lease
)
select id from freed where lease is null;

-- name: used_before
-- Whether ended processes wrote anything here.
-- params:
-- row: used bool
select exists (select from relais.retired_lane where counter > 1) as used;
