-- Whose ledger this is.

-- name: create_deployment
-- The first process of a deployment writes the row; another one leaves it as it is.
-- params: id uuid, environment text, mode text
-- row:
insert into relais.deployment (id, environment, mode) values ($1, $2, $3) on conflict do nothing;

-- name: lock_deployment
-- One process at a time compares and changes the row.
-- params:
-- row: id uuid, environment text, mode text, fingerprint text, epoch int4, recovering_at timestamptz, recovering_why text, system_id text, operation_oid int8
select id, environment, mode, fingerprint, epoch, recovering_at, recovering_why, system_id, operation_oid::int8
from relais.deployment for update;

-- name: read_deployment
-- params:
-- row: id uuid, environment text, mode text, fingerprint text, epoch int4, recovering_at timestamptz, recovering_why text, system_id text, operation_oid int8
select id, environment, mode, fingerprint, epoch, recovering_at, recovering_why, system_id, operation_oid::int8
from relais.deployment;

-- name: read_standing
-- params:
-- row: recovering_at timestamptz, recovering_why text, unwitnessed_at timestamptz
select recovering_at, recovering_why, unwitnessed_at from relais.deployment;

-- name: stamp_deployment
-- params: mode text, fingerprint text
-- row:
update relais.deployment set mode = $1, fingerprint = $2;

-- name: set_timezone
-- `TIMEZONE`: daily totals of the view are those of its clock.
-- params: timezone text
-- row:
update relais.deployment set timezone = $1 where timezone <> $1;

-- name: note_origin
-- params: system_id text, operation_oid int8
-- row:
update relais.deployment set system_id = $1, operation_oid = $2::int8::oid;

-- name: open_of_accounts
-- One pending operation of each of these accounts. `kind` and `state` name, in pairs, the states that are not final.
-- params: account text[], kind text[], state text[]
-- row: account text, id text
select distinct on (o.account) o.account, o.id
from relais.operation o join unnest($2::text[], $3::text[]) as open(kind, state) using (kind, state)
where o.account = any($1::text[]) order by o.account, o.created_at;

-- name: note_unwitnessed
-- params: now timestamptz
-- row:
update relais.deployment set unwitnessed_at = coalesce($1, now()) where unwitnessed_at is null;

-- name: note_witnessed
-- params:
-- row:
update relais.deployment set unwitnessed_at = null where unwitnessed_at is not null;
