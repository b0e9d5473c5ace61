-- The deployment of this ledger.

-- name: create_deployment
-- The first process of a deployment writes the row; later ones leave it unchanged.
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
-- `TIMEZONE`: the view of daily totals uses its days.
-- params: timezone text
-- row:
update relais.deployment set timezone = $1 where timezone <> $1;

-- name: note_origin
-- params: system_id text, operation_oid int8
-- row:
update relais.deployment set system_id = $1, operation_oid = $2::int8::oid;

-- name: open_of_accounts
-- One pending operation of each of these accounts. `kind` and `state` are pairs of the states that are not final.
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

-- name: compare_witness
-- Lanes that are behind a witness as read before this statement. If there are none, `confirms`: the witness confirms
-- the ledger. An ended recovery has resolved the knowledge of earlier epochs. `over`: lanes that ended before the
-- oldest entry of the journal.
-- params: lane text[], counter int8[], lane_epoch int4[], highest int4, confirms bool
-- row: epoch int4, lost text[], known text[], over text[]
with told as (
  select k.lane, k.counter, k.epoch, coalesce(m.counter, r.counter, 0) as found,
    m.lane is null and r.at < now() - interval '72 hours' as over
  from unnest($1::text[], $2::int8[], $3::int4[]) as k(lane, counter, epoch)
  left join relais.mark m on m.lane = k.lane
  left join relais.retired_lane r on m.lane is null and r.lane = k.lane
),
lost as (
  select t.lane, t.counter from told t, relais.deployment d left join relais.recovery v on v.ended_at is null
  where t.epoch >= coalesce(v.epoch, d.epoch) and t.counter > greatest(t.found, 1)
),
confirmed as (
  update relais.deployment set unwitnessed_at = null, witnessed_at = now()
  where $5 and recovering_at is null and epoch >= $4 and not exists (select from lost)
)
select d.epoch, coalesce((select array_agg(lane order by lane) from lost), '{}') as lost,
  coalesce((select array_agg(counter::text order by lane) from lost), '{}') as known,
  coalesce((select array_agg(lane order by lane) from told where over), '{}') as over
from relais.deployment d;
