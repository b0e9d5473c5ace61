-- Provider state shared by all processes: permits for requests, and the SMS token.

-- name: take_permits
-- params: account text, area text, is_look bool, every_ms float8, burst int4, demand int4, wanted int4, longest_ms float8, ahead_ms float8, now timestamptz
-- row: taken int4, all_ms float8, look_ms float8, pause_ms float8
select taken, all_ms, look_ms, pause_ms
from relais.take_permits($1::text, $2::text, $3::bool, $4::float8, $5::int4, $6::int4, $7::int4, $8::float8, $9::float8, coalesce($10::timestamptz, clock_timestamp()));

-- name: pause_provider
-- A shorter pause never replaces a longer one.
-- params: account text, area text, for_ms float8, now timestamptz
-- row:
insert into relais.rate as r (account, area, paused_until) values ($1::text, $2::text, coalesce($4::timestamptz, now()) + $3::float8 * interval '1 ms')
on conflict (account, area) do update set paused_until = greatest(r.paused_until, excluded.paused_until);

-- name: provider_pause
-- params: account text, area text, now timestamptz
-- row: pause_ms float8
select greatest(0, extract(epoch from paused_until - coalesce($3::timestamptz, now())) * 1000)::float8 as pause_ms
from relais.rate where account = $1::text and area = $2::text and paused_until > coalesce($3, now());

-- name: look_up_token
-- params: account text, credentials text, now timestamptz
-- row: generation int4, sealed text, usable_ms float8, remaining_ms float8, paused_why text, paused_ms float8, encoding text
select generation, sealed, usable_ms, (extract(epoch from usable_until - coalesce($3::timestamptz, now())) * 1000)::float8 as remaining_ms,
  paused_why, (extract(epoch from paused_until - coalesce($3, now())) * 1000)::float8 as paused_ms,
  case when encoding_until > coalesce($3, now()) then encoding end as encoding
from relais.sms_token where account = $1::text and credentials = $2::text;

-- name: lock_login
-- No row: another process logs in.
-- params: account text, credentials text, owner text, for_ms float8, now timestamptz
-- row: login_by text
insert into relais.sms_token as t (account, credentials, login_by, login_until)
values ($1::text, $2::text, $3::text, coalesce($5::timestamptz, now()) + $4::float8 * interval '1 ms')
on conflict (account, credentials) do update set login_by = excluded.login_by, login_until = excluded.login_until
where t.login_until is null or t.login_until <= coalesce($5, now())
returning login_by;

-- name: unlock_login
-- params: account text, credentials text, owner text
-- row:
update relais.sms_token set login_by = null, login_until = null where account = $1::text and credentials = $2::text and login_by = $3::text;

-- name: store_token
-- No row: the lease of the login was lost, and a newer token may be stored.
-- params: account text, credentials text, owner text, sealed text, usable_ms float8, now timestamptz
-- row: generation int4
update relais.sms_token set
  sealed = $4::text, generation = generation + 1, usable_ms = $5::float8, usable_until = coalesce($6::timestamptz, now()) + $5 * interval '1 ms',
  login_by = null, login_until = null, paused_why = null, paused_until = null, refusals = 0, refusals_until = null
where account = $1::text and credentials = $2::text and login_by = $3::text and login_until > coalesce($6, now())
returning generation;

-- name: pause_logins
-- Doubles with every failure in a row. Ends the lease of the owner.
-- params: account text, credentials text, owner text, why text, first_ms float8, most_ms float8, now timestamptz
-- row: pause_ms float8
update relais.sms_token t set
  refusals = f.failures, refusals_until = f.at + $6::float8 * 4 * interval '1 ms',
  paused_why = $4::text, paused_until = f.at + f.pause_ms * interval '1 ms',
  login_by = nullif(t.login_by, $3::text), login_until = case when t.login_by <> $3 then t.login_until end
from (
  select b.account, b.credentials, b.failures, b.at, floor(least($5::float8 * 2 ^ least(b.failures - 1, 20), $6)) as pause_ms
  from (
    select account, credentials, coalesce($7::timestamptz, now()) as at,
      case when refusals_until > coalesce($7, now()) then refusals else 0 end + 1 as failures
    from relais.sms_token where account = $1::text and credentials = $2::text for no key update
  ) b
) f
where t.account = f.account and t.credentials = f.credentials
returning f.pause_ms;

-- name: token_to_refuse
-- params: account text, credentials text, now timestamptz
-- row: generation int4, age_ms float8, young int4[], forced_ms float8
select generation, (usable_ms - extract(epoch from usable_until - coalesce($3::timestamptz, now())) * 1000)::float8 as age_ms,
  case when young_until > coalesce($3, now()) then young else '{}' end as young,
  greatest(0, extract(epoch from forced_until - coalesce($3, now())) * 1000)::float8 as forced_ms
from relais.sms_token where account = $1::text and credentials = $2::text and sealed is not null and usable_until > coalesce($3, now())
for no key update;

-- name: note_young_token
-- params: account text, credentials text, young int4[], young_ms float8, now timestamptz
-- row:
update relais.sms_token set young = $3::int4[], young_until = coalesce($5::timestamptz, now()) + $4::float8 * interval '1 ms'
where account = $1::text and credentials = $2::text;

-- name: remove_token
-- `forced_ms`: no refusal triggers another login before. `pause_ms`: no login before.
-- params: account text, credentials text, forced_ms float8, why text, pause_ms float8, now timestamptz
-- row:
update relais.sms_token set
  sealed = null, usable_until = null,
  forced_until = coalesce(coalesce($6::timestamptz, now()) + $3::float8 * interval '1 ms', forced_until),
  young = case when $4::text is null then young else '{}' end,
  paused_why = coalesce($4, paused_why), paused_until = coalesce(coalesce($6, now()) + $5::float8 * interval '1 ms', paused_until)
where account = $1::text and credentials = $2::text;

-- name: remember_encoding
-- params: account text, credentials text, encoding text, for_ms float8, now timestamptz
-- row:
update relais.sms_token set encoding = $3::text, encoding_until = coalesce($5::timestamptz, now()) + $4::float8 * interval '1 ms'
where account = $1::text and credentials = $2::text;
