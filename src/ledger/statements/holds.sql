-- Holds of accounts, and the series of failures that become holds. Each statement is one transaction: the hold, its
-- event and its audit entry.

-- name: hold_account
-- Begins a hold. `begun` is false if the account already has this hold; a newer unreadable answer is stored even
-- then.
-- params: account text, area text, reason text, unreadable jsonb, act jsonb, now timestamptz
-- row: begun bool
with held as (
  insert into relais.hold as h (account, area, reason, unreadable, since, trial_at)
  values ($1::text, $2::text, $3::text, $4::jsonb, coalesce($6::timestamptz, now()), coalesce($6, now()))
  on conflict (account, area, reason) do update set unreadable = excluded.unreadable where excluded.unreadable is not null
  returning h.account, h.area, h.reason, h.xmax = 0 as begun, coalesce($6, now()) as at
),
reported as (
  insert into relais.outbox (id, account, subject, type, data, at)
  select h.account || '.' || nextval('relais.account_event') || case when d.epoch > 1 then '.' || d.epoch else '' end,
    h.account, h.account, 'account.held', jsonb_build_object('id', h.account, 'area', h.area, 'reason', h.reason), h.at
  from held h, relais.deployment d where h.begun
),
noted as (
  insert into relais.audit_line (at, by, person, role, source, act, target, request_id, before, facts)
  select h.at, $5::jsonb ->> 'by', $5 ->> 'person', $5 ->> 'role', $5 ->> 'source', $5 ->> 'act', $5 ->> 'target',
    $5 ->> 'requestId', $5 -> 'before', coalesce($5 -> 'facts', '{}')
  from held h where h.begun and $5 is not null
)
select begun from held;

-- name: release_account
-- params: account text, area text, reason text, act jsonb, now timestamptz
-- row: area text
with released as (
  delete from relais.hold h where h.account = $1::text and h.area = $2::text and h.reason = $3::text
  returning h.account, h.area, h.reason, coalesce($5::timestamptz, now()) as at
),
reported as (
  insert into relais.outbox (id, account, subject, type, data, at)
  select r.account || '.' || nextval('relais.account_event') || case when d.epoch > 1 then '.' || d.epoch else '' end,
    r.account, r.account, 'account.released', jsonb_build_object('id', r.account, 'area', r.area, 'reason', r.reason), r.at
  from released r, relais.deployment d
),
noted as (
  insert into relais.audit_line (at, by, person, role, source, act, target, request_id, before, facts)
  select r.at, $4::jsonb ->> 'by', $4 ->> 'person', $4 ->> 'role', $4 ->> 'source', $4 ->> 'act', $4 ->> 'target',
    $4 ->> 'requestId', $4 -> 'before', coalesce($4 -> 'facts', '{}')
  from released r where $4 is not null
)
select area from released;

-- name: count_failure
-- A failure later than the window after the last one begins a new series.
-- params: account text, area text, reason text, window_ms int8, now timestamptz
-- row: length int4
insert into relais.failure_row as f (account, area, reason, length, last_at)
values ($1::text, $2::text, $3::text, 1, coalesce($5::timestamptz, now()))
on conflict (account, area, reason) do update set
  length = case when f.last_at >= excluded.last_at - $4::int8 * interval '1 ms' then f.length else 0 end + 1,
  last_at = greatest(f.last_at, excluded.last_at)
returning length;

-- name: end_row
-- params: account text, area text, reason text
-- row:
delete from relais.failure_row where account = $1::text and area = $2::text and reason = $3::text;

-- name: try_again
-- One operation per interval tests whether the condition has cleared. Also true if the account is not held.
-- params: account text, area text, reason text, every_ms int8, now timestamptz
-- row: may bool
with trial as (
  update relais.hold set trial_at = coalesce($5::timestamptz, now())
  where account = $1::text and area = $2::text and reason = $3::text and trial_at <= coalesce($5, now()) - $4::int8 * interval '1 ms'
  returning account
)
select exists (select from trial)
  or not exists (select from relais.hold h where h.account = $1 and h.area = $2 and h.reason = $3) as may;

-- name: standings
-- Holds and started series of failures, of one account or of all. `since` is null for a series.
-- params: account text
-- row: account text, area text, reason text, since timestamptz, trial_at timestamptz, unreadable jsonb
select account, area, reason, since, trial_at, unreadable from relais.hold where $1::text is null or account = $1
union all
select account, area, reason, null, null, null from relais.failure_row where $1 is null or account = $1
order by account, area, reason;
