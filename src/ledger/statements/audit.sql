-- The audit log: signing, verifying, reading. `note_act` writes a line; signing numbers it.

-- name: unsigned_lines
-- The oldest unsigned lines. The time is text in microseconds and the facts are text: both are part of the MAC.
-- params: most int4
-- row: sequence int8, at text, by text, person text, role text, source text, act text, target text, request_id text, before text, facts text
select a.sequence, to_char(a.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as at, a.by, a.person, a.role, a.source,
  a.act, a.target, a.request_id, a.before::text as before, a.facts::text as facts
from relais.audit_line a where a.mac is null order by a.sequence limit $1 for update skip locked;

-- name: sign_lines
-- params: sequence int8[], number int8[], mac bytea[]
-- row: sequence int8
update relais.audit_line a set number = s.number, mac = s.mac
from unnest($1::int8[], $2::int8[], $3::bytea[]) as s(sequence, number, mac)
where a.sequence = s.sequence and a.mac is null
returning a.sequence;

-- name: checkpoints
-- params:
-- row: name text, number int8, digest bytea, at timestamptz, mac bytea
select c.name, c.number, c.digest, c.at, c.mac from relais.audit_chain c;

-- name: set_checkpoint
-- A checkpoint never goes back.
-- params: name text, number int8, digest bytea, at timestamptz, mac bytea
-- row: name text
insert into relais.audit_chain as c (name, number, digest, at, mac) values ($1, $2, $3, $4, $5)
on conflict (name) do update set number = excluded.number, digest = excluded.digest, at = excluded.at, mac = excluded.mac
where c.number <= excluded.number
returning c.name;

-- name: signed_lines
-- Signed lines after a number, oldest first. A duplicate number is returned twice.
-- params: after int8, upto int8, most int4
-- row: id text, sequence int8, number int8, mac bytea, at text, by text, person text, role text, source text, act text, target text, request_id text, before text, facts text
select relais.audit_id(a.sequence, a.at) as id, a.sequence, a.number, a.mac, to_char(a.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as at, a.by, a.person,
  a.role, a.source, a.act, a.target, a.request_id, a.before::text as before, a.facts::text as facts
from relais.audit_line a where a.number > $1 and a.number <= $2 order by a.number, a.sequence limit $3;

-- name: count_lines
-- The stored and the expected number of signed lines after the first checkpoint.
-- params:
-- row: stored int8, expected int8
select
  (select count(*) from relais.audit_line a where a.number > coalesce(f.number, 0) and a.number <= l.number) as stored,
  l.number - coalesce(f.number, 0) as expected
from relais.audit_chain l left join relais.audit_chain f on f.name = 'first' where l.name = 'last';

-- name: audit_lines
-- A page of the audit log, newest first. `before`: the sequence of the last line of the previous page. Lines up to
-- the first checkpoint are being removed.
-- params: before int8, person text, act text, target text, day_from timestamptz, day_to timestamptz, most int4
-- row: sequence int8, at timestamptz, by text, person text, role text, source text, act text, target text, request_id text, before jsonb, facts jsonb, number int8, mac bytea
select a.sequence, a.at, a.by, a.person, a.role, a.source, a.act, a.target, a.request_id, a.before, a.facts, a.number, a.mac
from relais.audit_line a
where ($1::int8 is null or (a.at, a.sequence) < (select b.at, b.sequence from relais.audit_line b where b.sequence = $1))
  and (a.number is null or a.number > coalesce((select c.number from relais.audit_chain c where c.name = 'first'), 0))
  and ($2::text is null or a.person = $2)
  and ($3::text is null or a.act = $3)
  and ($4::text is null or a.target = $4)
  and ($5::timestamptz is null or a.at >= $5)
  and ($6::timestamptz is null or a.at < $6)
order by a.at desc, a.sequence desc limit $7;

-- name: newest_line
-- params:
-- row: sequence int8, at timestamptz, mac bytea
select a.sequence, a.at, a.mac from relais.audit_line a order by a.at desc, a.sequence desc limit 1;

-- name: audit_ends
-- First and last verifiable line, and lines outside the chain: `stray` is beyond the last checkpoint, `late` is
-- unsigned although older than `sign_ms`.
-- params: sign_ms float8, now timestamptz
-- row: first_id text, last_id text, stray_id text, late_id text
select
  (select relais.audit_id(a.sequence, a.at) from relais.audit_line a where a.number > e.first order by a.number limit 1) as first_id,
  (select relais.audit_id(a.sequence, a.at) from relais.audit_line a where a.number <= e.last order by a.number desc limit 1) as last_id,
  (select relais.audit_id(a.sequence, a.at) from relais.audit_line a where a.number > e.last order by a.number limit 1) as stray_id,
  (select relais.audit_id(a.sequence, a.at) from relais.audit_line a
   where a.mac is null and a.at < coalesce($2::timestamptz, now()) - $1::float8 * interval '1 ms' order by a.sequence limit 1) as late_id
from (
  select coalesce(max(number) filter (where name = 'first'), 0) as first, coalesce(max(number) filter (where name = 'last'), 0) as last
  from relais.audit_chain
) e;

-- name: lock_checkpoints
-- params:
-- row: name text, number int8, digest bytea, at timestamptz, mac bytea
select c.name, c.number, c.digest, c.at, c.mac from relais.audit_chain c order by c.name for update;

-- name: resign_lines
-- params: sequence int8[], mac bytea[], was bytea[]
-- row: sequence int8
update relais.audit_line a set mac = s.mac
from unnest($1::int8[], $2::bytea[], $3::bytea[]) as s(sequence, mac, was)
where a.sequence = s.sequence and a.mac = s.was
returning a.sequence;

-- name: verified
-- params: now timestamptz
-- row: at timestamptz, lines int8, fault_id text, fault_why text, now timestamptz
select v.at, v.lines, v.fault_id, v.fault_why, coalesce($1, now()) as now from relais.audit_verified v;

-- name: begin_verification
-- One process at a time verifies all lines; a process that dies during it blocks the others for `turn_ms`.
-- params: turn_ms float8, now timestamptz
-- row: begun bool
update relais.audit_verified v set turn_until = coalesce($2, now()) + $1 * interval '1 ms'
where v.turn_until is null or v.turn_until <= coalesce($2, now())
returning true as begun;

-- name: end_verification
-- params: at timestamptz, lines int8, fault_id text, fault_why text
-- row:
update relais.audit_verified set at = $1, lines = $2, fault_id = $3, fault_why = $4, turn_until = null;

-- name: lines_to_forget
-- The number of the newest signed line that can be removed: every line up to it is older than the time.
-- params: before_at timestamptz
-- row: number int8
select coalesce(
  (select min(a.number) - 1 from relais.audit_line a where a.at >= $1 and a.number is not null),
  (select max(a.number) from relais.audit_line a)) as number;

-- name: forget_lines
-- Deletes lines up to the first checkpoint that are in the default partition; partitions of whole months are dropped.
-- params: most int4
-- row: sequence int8
delete from relais.audit_line_rest a using (
  select b.sequence, b.at from relais.audit_line_rest b
  where b.number <= (select c.number from relais.audit_chain c where c.name = 'first') order by b.number limit $1::int4
) old where a.sequence = old.sequence and a.at = old.at returning a.sequence;

-- name: needed_lines
-- Whether a partition (a month) still has lines after the first checkpoint.
-- params: from_at timestamptz, to_at timestamptz
-- row: needed bool
select exists (
  select from relais.audit_line a
  where a.at >= $1::timestamptz and a.at < $2::timestamptz
    and (a.number is null or a.number > coalesce((select c.number from relais.audit_chain c where c.name = 'first'), 0))
) as needed;
