-- The lanes of processes: their writers, and the counters of all writes.

-- name: open_lane
-- Waits for the end of a statement that an earlier connection of the lane left, and raises the counter, so that a
-- late one is refused. A ledger behind the memory of the process (`known`) stays unchanged: the next write detects
-- it. No row: the lane is fenced, or the process was retired.
-- params: lane text, known int8
-- row: counter int8, epoch int4
select l.counter, d.epoch from relais.open_lane($1, $2::int8) as l(counter), relais.deployment d where l.counter is not null;

-- name: marks
-- params:
-- row: lane text, counter int8
select lane, counter from relais.mark;

-- name: raise_lane
-- Counts an effect without an intent.
-- params: lane text, epoch int4, lanes text[], counters int8[]
-- row: counter int8
select relais.raise_mark($1, $2, $3, $4, true, true) as counter;
