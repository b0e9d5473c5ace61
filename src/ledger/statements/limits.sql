-- The money limits shared by all processes.

-- name: lock_limits
-- One change at a time.
-- params: now timestamptz
-- row: at timestamptz
select coalesce($1::timestamptz, clock_timestamp()) as at from relais.deployment for update;

-- name: limits
-- Values and proposals. A limit that has only a proposal has no `set_by`.
-- params:
-- row: name text, value int8, set_by text, set_at timestamptz, by_settings bool, op text, was int8, had_value bool, asked int8, asked_by text, asked_at timestamptz
select coalesce(v.name, p.name) as name, v.value, v.set_by, v.set_at, v.by_settings, v.op, v.was, v.had_value,
  p.value as asked, p.asked_by, p.asked_at
from (select * from relais.limit_value where account = '') v
full join (select * from relais.limit_proposal where account = '') p on p.name = v.name
order by 1;

-- name: put_limit
-- Ends a proposal of the limit.
-- params: name text, value int8, set_by text, set_at timestamptz, by_settings bool, op text, was int8, had_value bool
-- row:
with gone as (delete from relais.limit_proposal where account = '' and name = $1::text)
insert into relais.limit_value as l (name, value, set_by, set_at, by_settings, op, was, had_value)
values ($1, $2::int8, $3::text, $4::timestamptz, $5::bool, $6::text, $7::int8, $8::bool)
on conflict (account, name) do update set
  value = excluded.value, set_by = excluded.set_by, set_at = excluded.set_at, by_settings = excluded.by_settings,
  op = excluded.op, was = excluded.was, had_value = excluded.had_value;

-- name: propose_limit
-- params: name text, value int8, asked_by text, asked_at timestamptz
-- row:
insert into relais.limit_proposal (name, value, asked_by, asked_at) values ($1::text, $2::int8, $3::text, $4::timestamptz)
on conflict (account, name) do update set value = excluded.value, asked_by = excluded.asked_by, asked_at = excluded.asked_at;

-- name: withdraw_limit
-- params: name text
-- row:
delete from relais.limit_proposal where account = '' and name = $1::text;
