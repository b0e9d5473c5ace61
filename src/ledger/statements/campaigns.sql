-- Campaigns: content, state, and the requests for their recipients. A change of a campaign locks its row first, then
-- its requests by number.

-- name: accept_campaign
-- Records a draft. No row: the identity exists, or retention removed it, or the ledger is recovering.
-- params: id text, account text, reference text, idempotency_key text, fingerprint bytea, name text, body text, options jsonb, metadata jsonb, per_second int4, starts_at timestamptz, created_by text, trace text, now timestamptz
-- row: id text, created_at timestamptz
insert into relais.campaign (
  id, account, reference, idempotency_key, fingerprint, name, body, options, metadata, per_second, starts_at, created_by, trace,
  state, hands, created_at, updated_at, since
)
select $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, 'draft',
  jsonb_build_object($12::text, floor(extract(epoch from t.at) * 1000)), t.at, t.at, t.at
from (select coalesce($14, now()) as at) t
where exists (select from relais.deployment d where d.recovering_at is null)
  and not exists (
    select from relais.tombstone t where t.id = $1 or (t.account = $2 and t.kind = 'campaign' and t.reference = $3)
      or (t.account = $2 and t.kind = 'campaign' and t.idempotency_key = $4))
on conflict do nothing
returning id, created_at;

-- name: campaign_identity
-- The holder of an identity, the one with the same id first.
-- params: id text, account text, reference text, idempotency_key text
-- row: id text, fingerprint bytea, state text, buried bool
select h.id, h.fingerprint, h.state, h.buried
from (
  select c.id, c.fingerprint, c.state, false as buried from relais.campaign c
  where c.id = $1 or (c.account = $2 and c.reference = $3) or (c.account = $2 and c.idempotency_key = $4)
  union all
  select t.id, t.fingerprint, t.state, true from relais.tombstone t
  where t.id = $1 or (t.account = $2 and t.kind = 'campaign' and t.reference = $3)
    or (t.account = $2 and t.kind = 'campaign' and t.idempotency_key = $4)
) h
order by h.id <> $1, h.buried limit 1;

-- name: read_campaigns
-- params: id text[]
-- row: campaign jsonb, sending int8, countries jsonb, at timestamptz, recovering bool
select to_jsonb(c) - 'fingerprint' as campaign,
  (select coalesce(sum(q.size), 0) from relais.sms_request q where q.campaign = c.number and q.state in ('sending', 'refused')) as sending,
  (select jsonb_object_agg(l.country, jsonb_build_object('sent', l.sent, 'failed', l.failed, 'unknown', l.unknown))
   from relais.campaign_country l where l.campaign = c.number) as countries,
  now() as at, d.recovering_at is not null as recovering
from relais.campaign c, relais.deployment d where c.id = any($1::text[]);

-- name: lock_campaign
-- Locks the row until the transaction of an act ends.
-- params: id text, now timestamptz
-- row: campaign jsonb, at timestamptz, recovering bool
select to_jsonb(c) - 'fingerprint' as campaign, coalesce($2, now()) as at,
  (select d.recovering_at is not null from relais.deployment d) as recovering
from relais.campaign c where c.id = $1 for no key update of c;

-- name: amend_campaign
-- Content of a locked campaign.
-- params: id text, name text, body text, options jsonb, per_second int4, starts_at timestamptz, by text, now timestamptz
-- row: version int4
update relais.campaign c set
  name = $2, body = $3, options = $4, per_second = $5, starts_at = $6,
  -- A slow pace had moved the next recipient far into the future.
  pace_at = case when c.per_second is distinct from $5 then null else c.pace_at end,
  due_at = case when c.state = 'scheduled' then coalesce($6, $8, now()) when c.state = 'held' then coalesce($8, now()) else c.due_at end,
  hands = jsonb_build_object($7::text, floor(extract(epoch from coalesce($8, now())) * 1000)) || c.hands,
  version = c.version + 1, updated_at = coalesce($8, now())
where c.id = $1
returning c.version;

-- name: switch_campaign
-- The state of a locked campaign, with its event. `goes_on`: it sends from now on, and earlier failures no longer
-- count. Without `hand` no user acted.
-- params: id text, state text, reason text, due_at timestamptz, goes_on bool, canary_over bool, hand text, approved_by text, rejected_by text, note text, trace text, event text, data jsonb, now timestamptz
-- row: version int4
with t as (select coalesce($14, now()) as at),
changed as (
  update relais.campaign c set
    state = $2, reason = $3, due_at = $4, since = t.at, updated_at = t.at, version = c.version + 1,
    started_at = case when $2 = 'running' then coalesce(c.started_at, t.at) else c.started_at end,
    finished_at = case when $2 = 'cancelled' then t.at else c.finished_at end,
    canary_over = c.canary_over or $6,
    judged_over = case when $5 then c.sent + c.failed + c.unknown else c.judged_over end,
    judged_failed = case when $5 then c.failed else c.judged_failed end,
    judged_unknown = case when $5 then c.unknown else c.judged_unknown end,
    turn = case when $2 = 'running' then nextval('relais.campaign_turn') else c.turn end,
    hands = case when $7::text is null then c.hands
      else jsonb_build_object($7::text, floor(extract(epoch from t.at) * 1000)) || c.hands end,
    approved_by = coalesce($8, c.approved_by), approved_at = case when $8::text is null then c.approved_at else t.at end,
    rejected_by = coalesce($9, c.rejected_by), note = coalesce($10, c.note), trace = coalesce($11, c.trace)
  from t where c.id = $1
  returning c.id, c.account, c.version, c.updated_at as at
),
reported as (
  insert into relais.outbox (id, account, subject, type, data, at)
  select c.id || '.' || c.version || case when d.epoch > 1 then '.' || d.epoch else '' end, c.account, c.id, $12, $13, c.at
  from changed c, relais.deployment d where $12::text is not null
)
select version from changed;

-- name: make_requests
-- Creates the requests of a locked campaign: 50 recipients each, in order. Called once per campaign. `canary`:
-- recipients.
-- params: campaign int8, canary int4
-- row: open int4
with made as (
  insert into relais.sms_request (campaign, n, size)
  select c.number, g.n, least(50, c.recipients - 50 * g.n)
  from relais.campaign c cross join lateral generate_series(0, (c.recipients - 1) / 50) as g(n)
  where c.number = $1 and c.requests = 0 and c.recipients > 0
  returning n
)
update relais.campaign c set requests = made.count, open = made.count, canary = least(made.count, ($2 + 49) / 50)
from (select count(*)::int as count from made) made
where c.number = $1 and made.count > 0
returning c.open;

-- name: cancel_requests
-- Unsent recipients of a locked campaign. Recipients of a retry get back their earlier status.
-- params: campaign int8
-- row: cancelled int4
with held as materialized (
  select q.n from relais.sms_request q where q.campaign = $1 and q.state = 'queued' order by q.n for no key update
),
ended as (
  update relais.sms_request q set state = 'settled', outcome = repeat(coalesce(q.before::text, 'c'), q.size), lease = null, lease_until = null
  from held where q.campaign = $1 and q.n = held.n
  returning q.size, q.before
),
sums as (
  select count(*)::int as requests, coalesce(sum(size) filter (where before is null), 0)::int as cancelled,
    coalesce(sum(size) filter (where before = 'f'), 0)::int as failed, coalesce(sum(size) filter (where before = 'u'), 0)::int as unknown
  from ended
)
update relais.campaign c set
  open = c.open - sums.requests, failed = c.failed + sums.failed, unknown = c.unknown + sums.unknown,
  cancelled = case when c.requests = 0 then c.recipients else c.cancelled + sums.cancelled end
from sums where c.number = $1
returning c.cancelled;

-- name: due_campaigns
-- Campaigns whose scheduled start is due, or whose hold is due for a check.
-- params: most int4, now timestamptz
-- row: id text
select c.id from relais.campaign c where c.due_at <= coalesce($2, now()) order by c.due_at limit $1;

-- name: put_off_campaign
-- Postpones the check of a campaign's hold. `version`: as read.
-- params: id text, version int4, due_at timestamptz
-- row: id text
update relais.campaign c set due_at = $3 where c.id = $1 and c.version = $2 returning c.id;

-- name: retry_campaign
-- Creates requests for the failed recipients of a locked, finished campaign, and for the unknown ones if requested.
-- Erased recipients stay unchanged.
-- params: campaign int8, unknown bool, key text, keys_most int4
-- row: requests int4
with old as (
  select q.n, i as at, coalesce(q.members[i], 50 * q.n + i - 1) as recipient, substr(q.outcome, i, 1) as letter
  from relais.sms_request q cross join lateral generate_series(1, q.size) as i
  where q.campaign = $1 and q.outcome ~ case when $2 then '[fu]' else 'f' end
    and substr(q.outcome, i, 1) = any(case when $2 then array['f', 'u'] else array['f'] end)
),
again as materialized (
  select o.*, (row_number() over (partition by o.letter order by o.recipient) - 1) / 50 as part
  from old o join relais.recipient r on r.campaign = $1 and r.n = o.recipient and r.phone is not null
),
left_behind as (
  update relais.sms_request q set outcome = o.outcome
  from (
    select q.n, string_agg(case when a.at is null then substr(q.outcome, i, 1) else '-' end, '' order by i) as outcome
    from (select distinct n from again) moved join relais.sms_request q on q.campaign = $1 and q.n = moved.n
    cross join lateral generate_series(1, q.size) as i
    left join again a on a.n = q.n and a.at = i
    group by q.n
  ) o
  where q.campaign = $1 and q.n = o.n
  returning q.n
),
made as (
  insert into relais.sms_request (campaign, n, size, members, before)
  select $1, c.requests + row_number() over (order by g.letter, g.part) - 1, g.size, g.members, g.letter::"char"
  from relais.campaign c, (
    select letter, part, count(*) as size, array_agg(recipient order by recipient) as members from again group by letter, part
  ) g
  where c.number = $1
  returning size, before
),
placed as (
  update relais.campaign_country l set failed = l.failed - p.failed, unknown = l.unknown - p.unknown
  from (
    select case when q.countries like '% %' then split_part(q.countries, ' ', a.at) else q.countries end as country,
      count(*) filter (where a.letter = 'f') as failed, count(*) filter (where a.letter = 'u') as unknown
    from again a join relais.sms_request q on q.campaign = $1 and q.n = a.n group by 1
  ) p
  where l.campaign = $1 and l.country = p.country
),
sums as (
  select count(*)::int as requests, coalesce(sum(size) filter (where before = 'f'), 0)::int as failed,
    coalesce(sum(size) filter (where before = 'u'), 0)::int as unknown
  from made
)
update relais.campaign c set
  requests = c.requests + sums.requests, open = c.open + sums.requests, failed = c.failed - sums.failed, unknown = c.unknown - sums.unknown,
  resent = c.resent + sums.unknown, retries = c.retries + 1, retry_unknown = $2, extra = 0, finished_at = null,
  judged_over = c.sent + c.failed - sums.failed + c.unknown - sums.unknown,
  judged_failed = c.failed - sums.failed, judged_unknown = c.unknown - sums.unknown,
  retry_keys = case when $3::text is null then c.retry_keys
    else (c.retry_keys || $3)[greatest(1, cardinality(c.retry_keys) + 2 - $4):] end
from sums
where c.number = $1 and sums.requests > 0 and (select count(*) from left_behind) >= 0
returning sums.requests;

-- name: keep_retry_key
-- An answered key begins no retry later.
-- params: campaign int8, key text, keys_most int4
-- row: number int8
update relais.campaign c set retry_keys = (c.retry_keys || $2::text)[greatest(1, cardinality(c.retry_keys) + 2 - $3):]
where c.number = $1 returning c.number;
