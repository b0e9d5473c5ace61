-- Observations: balances of accounts, running workers, SMS cost of an account, paused queues.

-- name: take_turn
-- One process at a time runs periodic work. No row: another process has run it.
-- params: name text, every_ms int8, now timestamptz
-- row: name text
insert into relais.leader as l (name, lease_until) values ($1::text, coalesce($3::timestamptz, now()) + $2::int8 * interval '1 ms')
on conflict (name) do update set lease_until = excluded.lease_until where l.lease_until <= coalesce($3, now())
returning name;

-- name: note_balances
-- After 35 days, only the last balance of each day is retained.
-- params: account text, at timestamptz, country text[], xof int8[]
-- row:
with old as (
  delete from relais.balance b
  where b.account = $1::text and b.at < $2::timestamptz - interval '35 days' and b.at >= $2 - interval '40 days' and exists (
    select from relais.balance later
    where later.account = b.account and later.at > b.at
      and later.at < (date_trunc('day', b.at at time zone 'UTC') + interval '1 day') at time zone 'UTC')
)
insert into relais.balance (account, at, country, xof)
select $1, $2, country, xof from unnest($3::text[], $4::int8[]) as seen(country, xof)
on conflict (account, at, country) do nothing;

-- name: latest_balances
-- params: accounts text[]
-- row: account text, at timestamptz, balances jsonb
select a.account, l.at, l.balances from unnest($1::text[]) as a(account) cross join lateral (
  select b.at, jsonb_object_agg(b.country, b.xof) as balances from relais.balance b
  where b.account = a.account and b.at = (select max(at) from relais.balance where account = a.account) group by b.at
) l;

-- name: balances
-- Newest first; balances of one moment ordered by account.
-- params: accounts text[], from timestamptz, upto timestamptz, before_at timestamptz, before_account text, most int4
-- row: account text, at timestamptz, balances jsonb
select a.account, l.at, l.balances from unnest($1::text[]) as a(account) cross join lateral (
  select b.at, jsonb_object_agg(b.country, b.xof) as balances from relais.balance b
  where b.account = a.account and ($2::timestamptz is null or b.at >= $2) and ($3::timestamptz is null or b.at <= $3)
    and ($4::timestamptz is null or b.at < $4 or (b.at = $4 and b.account > $5::text))
  group by b.at order by b.at desc limit $6::int4
) l
order by l.at desc, a.account collate "C" limit $6;

-- name: say_present
-- Removes silent workers. Returns the slots of all running workers.
-- params: name text, slots int4, silent_ms int8, now timestamptz
-- row: slots int8
with own as (
  insert into relais.presence (name, slots, seen_at) values ($1::text, $2::int4, coalesce($4::timestamptz, now()))
  on conflict (name) do update set slots = excluded.slots, seen_at = excluded.seen_at
),
gone as (
  delete from relais.presence where name <> $1 and seen_at <= coalesce($4, now()) - $3::int8 * interval '1 ms'
)
select $2 + coalesce(sum(p.slots), 0) as slots from relais.presence p
where p.name <> $1 and p.seen_at > coalesce($4, now()) - $3 * interval '1 ms';

-- name: leave
-- params: name text
-- row:
delete from relais.presence where name = $1::text;

-- name: present
-- params: silent_ms int8, now timestamptz
-- row: name text, slots int4
select name, slots from relais.presence where seen_at > coalesce($2::timestamptz, now()) - $1::int8 * interval '1 ms' order by name;

-- name: sms_budgets
-- Limits of SMS cost and the amount used in their periods, in hundredths of XOF.
-- params: account text, day text, month text
-- row: name text, is_set bool, value int8, cents int8
select b.name, l.name is not null as is_set, l.value, coalesce(c.cents, 0) as cents
from (values ('SMS_BUDGET_DAY', $2::text), ('SMS_BUDGET_MONTH', $3::text)) as b(name, period)
left join relais.limit_value l on l.account = '' and l.name = b.name
left join relais.sms_cost c on c.account = $1::text and c.period = b.period
order by b.name;

-- name: pause_queue
-- No row: it is paused already.
-- params: name text, by text
-- row: name text
insert into relais.switch (name, set_by) values ($1::text, $2::text) on conflict (name) do nothing returning name;

-- name: resume_queue
-- params: name text
-- row: name text
delete from relais.switch where name = $1::text returning name;

-- name: paused_queues
-- params:
-- row: name text
select name from relais.switch order by name;
