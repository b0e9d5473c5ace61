-- API keys that were created at run time, and digests of the provider's keys.

-- name: add_api_key
-- No row: there are `most` active keys already. Runs after `lock_deployment`.
-- params: id text, name text, hash bytea, roles text[], accounts text[], person text, service text, created_by text, created_at timestamptz, expires_at timestamptz, most int8
-- row: id text
insert into relais.api_key (id, name, hash, roles, accounts, person, service, created_by, created_at, expires_at)
select $1::text, $2::text, $3::bytea, $4::text[], $5::text[], $6::text, $7::text, $8::text, $9::timestamptz, $10::timestamptz
where (select count(*) from relais.api_key where revoked_at is null) < $11::int8
returning id;

-- name: revoke_api_key
-- No row: the key is unknown. `revoked` is false if it was revoked earlier.
-- params: id text, revoked_at timestamptz
-- row: id text, name text, roles text[], accounts text[], person text, service text, created_by text, created_at timestamptz, expires_at timestamptz, revoked_at timestamptz, revoked bool
with revoked as (
  update relais.api_key set revoked_at = $2::timestamptz, hash = null where id = $1::text and revoked_at is null returning *
)
select id, name, roles, accounts, person, service, created_by, created_at, expires_at, revoked_at, true as revoked from revoked
union all
select k.id, k.name, k.roles, k.accounts, k.person, k.service, k.created_by, k.created_at, k.expires_at, k.revoked_at, false
from relais.api_key k where k.id = $1 and not exists (select from revoked);

-- name: api_key_exists
-- params: id text
-- row: id text
select id from relais.api_key where id = $1::text;

-- name: api_keys
-- params:
-- row: id text, name text, hash bytea, roles text[], accounts text[], person text, service text, created_by text, created_at timestamptz, expires_at timestamptz, revoked_at timestamptz
select id, name, hash, roles, accounts, person, service, created_by, created_at, expires_at, revoked_at
from relais.api_key order by created_at desc, id;

-- name: note_provider_key
-- params: account text, fingerprint text, hash bytea
-- row:
insert into relais.provider_key_hash (account, fingerprint, hash) values ($1::text, $2::text, $3::bytea)
on conflict (account, fingerprint) do nothing;

-- name: provider_keys
-- params:
-- row: account text, fingerprint text, hash bytea
select account, fingerprint, hash from relais.provider_key_hash order by account, fingerprint;
