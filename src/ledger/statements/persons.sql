-- People who sign in with an identity provider, and sessions of the console.

-- name: person_of
-- params: issuer text, subject text
-- row: name text
select name from relais.person where issuer = $1::text and subject = $2::text;

-- name: bind_person
-- The first name that no other subject of the issuer has; otherwise the last one. Runs after `lock_deployment`.
-- params: issuer text, subject text, names text[]
-- row: name text
insert into relais.person (issuer, subject, name)
select $1::text, $2::text, n.name
from unnest($3::text[]) with ordinality as n(name, nth)
where n.nth = cardinality($3) or not exists (select from relais.person p where p.issuer = $1 and p.name = n.name)
order by n.nth limit 1
on conflict (issuer, subject) do nothing
returning name;

-- name: note_address
-- params: name text, address text
-- row:
insert into relais.person_address (name, address) values ($1::text, $2::text) on conflict (name, address) do nothing;

-- name: addresses
-- params:
-- row: name text, address text
select name, address from relais.person_address order by name, address;

-- name: begin_session
-- Ends the browser's previous session, and removes expired ones.
-- params: hash bytea, key text, bound bytea, provider jsonb, started_at timestamptz, confirmed_at timestamptz, expires_at timestamptz, before bytea
-- row: hash bytea
with gone as (delete from relais.session where hash = $8::bytea or expires_at <= $5::timestamptz)
insert into relais.session (hash, key, bound, provider, epoch, started_at, used_at, confirmed_at, expires_at)
select $1::bytea, $2::text, $3::bytea, $4::jsonb, d.epoch, $5, $5, $6::timestamptz, $7::timestamptz from relais.deployment d
returning hash;

-- name: find_session
-- params: hash bytea, now timestamptz
-- row: key text, bound bytea, provider jsonb, started_at timestamptz, used_at timestamptz, confirmed_at timestamptz
select s.key, s.bound, s.provider, s.started_at, s.used_at, s.confirmed_at
from relais.session s join relais.deployment d on d.epoch = s.epoch
where s.hash = $1::bytea and s.expires_at > $2::timestamptz;

-- name: extend_session
-- `confirmed_at` null: the session was used, not confirmed.
-- params: hash bytea, now timestamptz, idle_ms int8, longest_ms int8, confirmed_at timestamptz
-- row: key text, bound bytea, provider jsonb, started_at timestamptz, used_at timestamptz, confirmed_at timestamptz
update relais.session s set
  used_at = greatest(s.used_at, $2::timestamptz), confirmed_at = greatest(s.confirmed_at, $5::timestamptz),
  expires_at = least(greatest(s.used_at, $2) + $3::int8 * interval '1 ms', s.started_at + $4::int8 * interval '1 ms')
from relais.deployment d
where s.hash = $1::bytea and s.expires_at > $2 and d.epoch = s.epoch
returning s.key, s.bound, s.provider, s.started_at, s.used_at, s.confirmed_at;

-- name: end_session
-- params: hash bytea
-- row: hash bytea
delete from relais.session where hash = $1::bytea returning hash;
