-- The lanes of processes: who writes, and what everybody has written so far.

-- name: open_lane
-- params: lane text
-- row: counter int8, epoch int4, pid int4, started timestamptz
with lane as (
  insert into relais.mark as m (lane) values ($1) on conflict (lane) do update set counter = m.counter where not m.fenced
  returning m.counter
)
select lane.counter, d.epoch, pg_backend_pid() as pid, a.backend_start as started
from lane, relais.deployment d, pg_stat_activity a where a.pid = pg_backend_pid();

-- name: backend
-- Whether the server process of a broken connection is still there: until it is gone it may commit.
-- params: pid int4, started timestamptz
-- row: alive bool
select exists (select from pg_stat_activity a where a.pid = $1 and a.backend_start = $2) as alive;

-- name: marks
-- params:
-- row: lane text, counter int8
select lane, counter from relais.mark;

-- name: fence
-- A successor takes over: the lane writes nothing more.
-- params: lane text[]
-- row: lane text
update relais.mark set fenced = true where lane = any($1::text[]) and not fenced returning lane;
