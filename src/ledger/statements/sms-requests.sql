-- Requests of campaigns: results, and the next requests. A step is one transaction of `settle_requests`,
-- `next_campaigns` and `take_requests`. A change of a request locks its campaign first, by number.

-- name: settle_requests
-- Writes results. A result counts only under the lease that sends or checks the request; of written letters only `u`
-- changes. Adds to the counts of its campaign, and finishes the campaign with its event when nothing is open.
-- `children` are new requests for some recipients of a parent, whose letters become -. `blameless`: not counted in
-- the failure judgement. Without results the answer has only the counter.
-- params: lane text, epoch int4, lanes text[], counters int8[], op uuid, now timestamptz, campaign int8[], n int4[], lease int8[], state text[], outcome text[], codes text[], countries text[], due_ms float8[], checks int2[], blameless bool[], sender text[], child_campaign int8[], child_parent int4[], child_members text[], child_before text[], child_part bool[], totals jsonb[]
-- row: campaign int8, n int4, state text, counter int8, at timestamptz
with mark as materialized (
  select relais.raise_mark($1, $2, $3, $4, false, false) as counter, coalesce($6, now()) as at
),
asked as materialized (
  select a.*, mark.at
  from mark, unnest($7::int8[], $8::int4[], $9::int8[], $10::text[], $11::text[], $12::text[], $13::text[], $14::float8[], $15::int2[], $16::bool[], $17::text[], $23::jsonb[])
    as a(campaign, n, lease, state, outcome, codes, countries, due_ms, checks, blameless, sender, totals)
),
locked as materialized (
  select c.number, c.state, c.requests, c.open from relais.campaign c
  where c.number in (select a.campaign from asked a) order by c.number for no key update of c
),
held as materialized (
  select q.campaign, q.n, q.size, q.before::text as before, q.state as was, q.outcome as old, q.countries is not null as placed, q.sends,
    q.sent_at, l.state = 'cancelled' as is_cancelled, l.requests
  from locked l join asked a on a.campaign = l.number
  join relais.sms_request q on q.campaign = a.campaign and q.n = a.n and q.lease = a.lease and q.state in ('sending', 'refused', 'unknown')
  order by q.campaign, q.n for no key update of q
),
changed as (
  update relais.sms_request q set
    state = case when a.state = 'queued' and h.is_cancelled then 'settled' else a.state end,
    outcome = case
      when a.state = 'queued' then case when h.is_cancelled then repeat(coalesce(h.before, 'c'), h.size) end
      when a.state = 'refused' then null
      else relais.merge_letters(h.old, a.outcome) end,
    codes = coalesce(a.codes, q.codes), countries = coalesce(a.countries, q.countries),
    sends = case when a.state = 'queued' then q.sends - 1 else q.sends end,
    checks = coalesce(a.checks, q.checks), due_at = a.at + a.due_ms * interval '1 ms',
    lease = null, lease_until = null, op = $5
  from asked a, held h
  where q.campaign = a.campaign and q.n = a.n and h.campaign = a.campaign and h.n = a.n
  returning q.campaign, q.n, q.state, q.outcome as new, q.countries
),
families as materialized (
  select c.campaign, c.parent, c.members::int[] as members, c.before, c.part,
    row_number() over (partition by c.campaign order by c.nth)::int - 1 as nth
  from unnest($18::int8[], $19::int4[], $20::text[], $21::text[], $22::bool[]) with ordinality as c(campaign, parent, members, before, part, nth)
  join changed on changed.campaign = c.campaign and changed.n = c.parent
),
born as (
  insert into relais.sms_request (campaign, n, size, members, before, part, state, outcome, sends, sent_at, op)
  select f.campaign, h.requests + f.nth, cardinality(f.members), f.members, coalesce(f.before, h.before)::"char", f.part,
    case when h.is_cancelled then 'settled' else 'queued' end,
    case when h.is_cancelled then repeat(coalesce(f.before, h.before, 'c'), cardinality(f.members)) end, h.sends, h.sent_at, $5
  from families f join held h on h.campaign = f.campaign and h.n = f.parent
  returning campaign, n, size, state, outcome as new, before = 'u' as again, part
),
moved as (
  select c.campaign, case when c.state = 'settled' then -1 else 0 end as open, h.old, c.new, 0 as born, 0 as part, 0 as resent,
    case when a.blameless then relais.count_letter(c.new, 'u') - relais.count_letter(h.old, 'u') else 0 end as blameless, a.sender
  from changed c join held h using (campaign, n) join asked a using (campaign, n)
  union all
  select b.campaign, case when b.state = 'queued' then 1 else 0 end, null, b.new, 1, case when b.part then 1 else 0 end,
    case when b.again and not b.part and b.state = 'queued' then b.size else 0 end, 0, null
  from born b
),
sums as (
  select campaign, sum(open)::int as open, sum(born)::int as born, sum(part)::int as part, sum(resent)::int as resent,
    sum(relais.count_letter(new, 's') - relais.count_letter(old, 's'))::int as sent,
    sum(relais.count_letter(new, 'f') - relais.count_letter(old, 'f'))::int as failed,
    sum(relais.count_letter(new, 'u') - relais.count_letter(old, 'u'))::int as unknown,
    sum(relais.count_letter(new, 'x') - relais.count_letter(old, 'x'))::int as skipped,
    sum(relais.count_letter(new, 'e') - relais.count_letter(old, 'e'))::int as expired,
    sum(relais.count_letter(new, 'c') - relais.count_letter(old, 'c'))::int as cancelled,
    sum(blameless)::int as blameless, max(sender) as sender
  from moved group by campaign
),
counted as (
  update relais.campaign c set
    open = c.open + s.open, requests = c.requests + s.born, extra = c.extra + s.part, resent = c.resent + s.resent,
    sent = c.sent + s.sent, failed = c.failed + s.failed, unknown = c.unknown + s.unknown,
    skipped = c.skipped + s.skipped, expired = c.expired + s.expired, cancelled = c.cancelled + s.cancelled,
    judged_over = c.judged_over + s.blameless, judged_unknown = c.judged_unknown + s.blameless,
    other_sender = coalesce(s.sender, c.other_sender),
    state = case when e.ends then 'finished' else c.state end, reason = case when e.ends then null else c.reason end,
    due_at = case when e.ends then null else c.due_at end, version = c.version + case when e.ends then 1 else 0 end,
    since = case when e.ends then mark.at else c.since end, finished_at = case when e.ends then mark.at else c.finished_at end,
    updated_at = mark.at
  from mark, sums s join locked l on l.number = s.campaign
  cross join lateral (select l.open + s.open = 0 and l.state in ('running', 'paused', 'held') as ends) e
  where c.number = s.campaign
  returning c.*, e.ends
),
places as (
  select p.campaign, p.country, sum(p.sent)::int as sent, sum(p.failed)::int as failed, sum(p.unknown)::int as unknown
  from (
    select c.campaign, c.countries as country,
      relais.count_letter(c.new, 's') - relais.count_letter(h.old, 's') as sent, relais.count_letter(c.new, 'f') - relais.count_letter(h.old, 'f') as failed,
      relais.count_letter(c.new, 'u') - relais.count_letter(h.old, 'u') as unknown
    from changed c join (select campaign, n, case when placed then old end as old from held) h using (campaign, n)
    where c.countries not like '% %'
    union all
    select c.campaign, l.country, (substr(c.new, l.nth::int, 1) = 's')::int - coalesce((substr(h.old, l.nth::int, 1) = 's')::int, 0),
      (substr(c.new, l.nth::int, 1) = 'f')::int - coalesce((substr(h.old, l.nth::int, 1) = 'f')::int, 0),
      (substr(c.new, l.nth::int, 1) = 'u')::int - coalesce((substr(h.old, l.nth::int, 1) = 'u')::int, 0)
    from changed c join (select campaign, n, case when placed then old end as old from held) h using (campaign, n)
    cross join lateral unnest(string_to_array(c.countries, ' ')) with ordinality as l(country, nth)
    where c.countries like '% %' and c.new is not null
  ) p
  group by 1, 2
),
placed as (
  insert into relais.campaign_country as l (campaign, country, sent, failed, unknown)
  select campaign, country, sent, failed, unknown from places where (sent, failed, unknown) <> (0, 0, 0) order by 1, 2
  on conflict (campaign, country) do update set
    sent = l.sent + excluded.sent, failed = l.failed + excluded.failed, unknown = l.unknown + excluded.unknown
),
-- One row for all results: the publisher adds it to the daily totals.
totalled as (
  insert into relais.outbox (totals, at)
  select jsonb_object_agg(t.name, t.change), max(mark.at)
  from mark, (
    select p.name, sum(p.change::int8) as change
    from changed c join asked a using (campaign, n) cross join lateral jsonb_each_text(a.totals) as p(name, change)
    group by p.name
  ) t
  having count(*) > 0
),
reported as (
  insert into relais.outbox (id, account, subject, type, data, at)
  select c.id || '.' || c.version || case when $2 > 1 then '.' || $2 else '' end, c.account, c.id, 'campaign.finished',
    jsonb_strip_nulls(jsonb_build_object(
      'id', c.id, 'state', 'finished', 'name', c.name, 'reference', c.reference, 'metadata', c.metadata,
      'retries', nullif(c.retries, 0),
      'totals', jsonb_build_object(
        'total', c.recipients + c.left_out, 'queued', 0, 'held', 0, 'sending', 0, 'sent', c.sent, 'failed', c.failed, 'unknown', c.unknown,
        'skipped', c.skipped + c.left_out, 'expired', c.expired, 'cancelled', c.cancelled))), c.updated_at
  from counted c where c.ends order by c.id
)
select c.campaign, c.n, c.state, mark.counter, mark.at from mark left join changed c on true;

-- name: next_campaigns
-- Running campaigns in turn, locked: those locked by another step are skipped. Their turn advances.
-- params: accounts text[], most int4, now timestamptz
-- row: number int8, id text, account text, version int4, recipients int4, extra int4, sent int4, failed int4, unknown int4, judged_over int4, judged_failed int4, judged_unknown int4, canary int4, canary_over bool, canary_open int8, canary_letters text, canary_codes text, other_sender text, opted_out bool, at timestamptz
with next as materialized (
  select c.number from relais.campaign c
  where c.state = 'running' and c.account = any($1::text[])
    and (c.pace_at is null or c.pace_at <= coalesce($3, now()) + interval '1 s')
    and exists (select from relais.sms_request q where q.campaign = c.number and q.state = 'queued')
    and relais.may_send()
    and not exists (select from relais.switch s where s.name in ('campaign', 'sms-batch', c.account))
  order by c.turn, c.number limit $2 for no key update of c skip locked
),
turned as (
  update relais.campaign c set turn = nextval('relais.campaign_turn') from next
  where c.number = next.number and (select count(*) from next) > 1
  returning c.number
)
select c.number, c.id, c.account, c.version, c.recipients, c.extra, c.sent, c.failed, c.unknown, c.judged_over, c.judged_failed,
  c.judged_unknown, c.canary, c.canary_over, first.open as canary_open, first.letters as canary_letters, first.codes as canary_codes,
  c.other_sender, exists (select from relais.opt_out o where o.account = c.account) as opted_out, coalesce($3, now()) as at
from next join relais.campaign c using (number)
left join lateral (
  select count(*) filter (where q.state <> 'settled') as open, string_agg(q.outcome, '') as letters, string_agg(q.codes, ' ') as codes
  from relais.sms_request q
  where not c.canary_over and q.campaign = c.number and (q.n < c.canary or q.n >= (c.recipients + 49) / 50)
) first on true;

-- name: may_leave
-- Whether a request that was taken earlier may still leave. No row: its campaign was stopped meanwhile.
-- params: campaign int8
-- row: number int8
select c.number from relais.campaign c
where c.number = $1::int8 and c.state = 'running'
  and relais.may_send()
  and not exists (select from relais.switch s where s.name in ('campaign', 'sms-batch', c.account));

-- name: note_judged
-- The start of the next failure judgement of a locked campaign, and its canary. Null: unchanged.
-- params: campaign int8, over int4, failed int4, unknown int4, canary int4, canary_over bool
-- row:
update relais.campaign c set
  judged_over = coalesce($2, c.judged_over), judged_failed = coalesce($3, c.judged_failed),
  judged_unknown = coalesce($4, c.judged_unknown), canary = coalesce($5, c.canary), canary_over = c.canary_over or $6
where c.number = $1;

-- name: take_requests
-- Takes the next requests of locked campaigns with their intents, campaigns in turn, at their pace. `alone`: only the
-- canary. `share`: maximum for all campaigns of the account. A recipient is a line of phone, tab, values; the phone
-- of an erased one is empty.
-- params: op uuid, most int4, lease_ms float8, send_ms float8, now timestamptz, campaign int8[], room int4[], alone bool[], holder text, share int4[]
-- row: campaign int8, n int4, size int2, members int4[], before text, part bool, sends int2, lease int8, recipients text
with allowed as (
  select c.number, c.account, c.per_second, greatest(c.pace_at, coalesce($5, now())) as pace_at, a.room, a.alone, a.share, a.nth, c.canary,
    (c.recipients + 49) / 50 as base
  from unnest($6::int8[], $7::int4[], $8::bool[], $10::int4[]) with ordinality as a(campaign, room, alone, share, nth)
  join relais.campaign c on c.number = a.campaign and c.state = 'running'
  where relais.may_send()
),
due as materialized (
  select a.number as campaign, q.n, q.size, row_number() over (order by q.turn, a.nth) as place,
    row_number() over (partition by a.account order by q.turn, a.nth) <= a.share as has_share,
    sum(q.size) over (partition by a.number order by q.n) - q.size as ahead, a.per_second, a.pace_at
  from allowed a cross join lateral (
    select q.n, q.size, row_number() over (order by q.n) as turn from relais.sms_request q
    where q.campaign = a.number and q.state = 'queued' and (not a.alone or q.n < a.canary or q.n >= a.base)
    order by q.n limit a.room
  ) q
),
chosen as materialized (
  select q.campaign, q.n from due d join relais.sms_request q on q.campaign = d.campaign and q.n = d.n and q.state = 'queued'
  where d.place <= $2 and d.has_share
    and (d.per_second is null or d.pace_at + d.ahead * interval '1 s' / d.per_second <= coalesce($5, now()) + interval '1 s')
  order by q.campaign, q.n for no key update of q
),
lease as materialized (select nextval('relais.lease_number') as number where exists (select from chosen)),
taken as (
  update relais.sms_request q set
    state = 'sending', lease = lease.number, lease_until = coalesce($5, now()) + $3 * interval '1 ms',
    send_until = coalesce($5, now()) + $4 * interval '1 ms', sends = q.sends + 1, sent_at = coalesce(q.sent_at, $5, now()), holder = $9, op = $1
  from chosen, lease where q.campaign = chosen.campaign and q.n = chosen.n
  returning q.campaign, q.n, q.size, q.members, q.before::text as before, q.part, q.sends, q.lease
),
paced as (
  update relais.campaign c set pace_at = a.pace_at + t.recipients * interval '1 s' / c.per_second
  from allowed a, (select campaign, sum(size) as recipients from taken group by campaign) t
  where c.number = a.number and t.campaign = a.number and c.per_second is not null
)
select t.*, r.recipients
from taken t cross join lateral (
  select string_agg(coalesce(r.phone::text, '') || E'\t' || coalesce(r.variables, ''), E'\n' order by r.n) as recipients
  from relais.recipient r
  where r.campaign = t.campaign and t.members is null and r.n between 50 * t.n and 50 * t.n + t.size - 1
  union all
  select string_agg(coalesce(r.phone::text, '') || E'\t' || coalesce(r.variables, ''), E'\n' order by r.n)
  from relais.recipient r where r.campaign = t.campaign and r.n = any(t.members)
) r
where r.recipients is not null
order by t.campaign, t.n;

-- name: requests_written_by
-- The requests of a step whose answer was lost, see `written_by`. Rows without a lease were settled by it.
-- params: lane text, known int8, op uuid
-- row: counter int8, campaign int8, n int4, size int2, members int4[], before text, part bool, sends int2, lease int8, recipients text
with mark as (
  update relais.mark set counter = counter + 1 where lane = $1 and counter >= $2 and not fenced returning counter
)
select mark.counter, q.campaign, q.n, q.size, q.members, q.before::text as before, q.part, q.sends,
  case when q.state = 'sending' then q.lease end as lease, r.recipients
from mark left join relais.sms_request q on q.op = $3
left join lateral (
  select string_agg(coalesce(r.phone::text, '') || E'\t' || coalesce(r.variables, ''), E'\n' order by r.n) as recipients
  from relais.recipient r
  where q.state = 'sending' and r.campaign = q.campaign
    and (case when q.members is null then r.n between 50 * q.n and 50 * q.n + q.size - 1 else r.n = any(q.members) end)
) r on true;

-- name: campaign_texts
-- Text and options of campaigns that a worker has not cached in this version.
-- params: campaign int8[]
-- row: number int8, id text, account text, version int4, body text, options jsonb, state text, trace text
select number, id, account, version, body, options, state, trace from relais.campaign where number = any($1::int8[]);

-- name: sending_accounts
-- Accounts with a running campaign that has unsent requests.
-- params: now timestamptz
-- row: account text
select distinct c.account from relais.campaign c
where c.state = 'running' and (c.pace_at is null or c.pace_at <= coalesce($1, now()) + interval '1 s')
  and exists (select from relais.sms_request q where q.campaign = c.number and q.state = 'queued');

-- name: rescue_requests
-- Requests whose lease ended without an answer may have left: they become unknown, and none is resent. The lease
-- stays, so that a late answer still counts. The failure judgement ignores them.
-- params: lane text, epoch int4, lanes text[], counters int8[], settle_ms float8, most int4, now timestamptz
-- row: campaign int8, n int4, counter int8
with mark as materialized (
  select relais.raise_mark($1, $2, $3, $4, false, false) as counter, coalesce($7, now()) as at
),
late as materialized (
  select q.campaign, q.n from mark, relais.sms_request q
  where q.state = 'sending'
    -- A dead process sends nothing more, and no byte leaves after the deadline.
    and (q.lease_until <= mark.at or (q.send_until <= mark.at and not exists (select from relais.worker w where w.process = q.holder)))
  order by q.lease_until limit $6
),
locked as materialized (
  select c.number from relais.campaign c where c.number in (select campaign from late) order by c.number for no key update of c
),
held as materialized (
  select q.campaign, q.n from mark, locked l join late on late.campaign = l.number
  join relais.sms_request q on q.campaign = late.campaign and q.n = late.n and q.state = 'sending'
  where least(q.lease_until, q.send_until) <= mark.at
  order by q.campaign, q.n for no key update of q
),
doubted as (
  update relais.sms_request q set state = 'unknown', outcome = repeat('u', q.size), lease_until = null, due_at = mark.at + $5 * interval '1 ms'
  from mark, held h where q.campaign = h.campaign and q.n = h.n
  returning q.campaign, q.n, q.size
),
counted as (
  update relais.campaign c set unknown = c.unknown + s.size, judged_over = c.judged_over + s.size, judged_unknown = c.judged_unknown + s.size,
    updated_at = mark.at
  from mark, (select campaign, sum(size)::int as size from doubted group by campaign) s where c.number = s.campaign
)
select d.campaign, d.n, mark.counter from mark left join doubted d on true;

-- name: claim_checks
-- Leases requests whose recipients are due for a check in the provider's statistics.
-- params: accounts text[], most int4, lease_ms float8, now timestamptz
-- row: campaign int8, n int4, size int2, members int4[], before text, part bool, sends int2, lease int8, state text, outcome text, codes text, countries text, checks int2, sent_at timestamptz, at timestamptz, recipients text
with due as materialized (
  select q.campaign, q.n from relais.sms_request q join relais.campaign c on c.number = q.campaign and c.account = any($1::text[])
  where q.state in ('refused', 'unknown') and q.due_at <= coalesce($4, now())
    and (q.lease_until is null or q.lease_until <= coalesce($4, now()))
  order by q.due_at limit $2 for no key update of q skip locked
),
lease as materialized (select nextval('relais.lease_number') as number where exists (select from due)),
leased as (
  update relais.sms_request q set lease = lease.number, lease_until = coalesce($4, now()) + $3 * interval '1 ms'
  from due, lease where q.campaign = due.campaign and q.n = due.n
  returning q.campaign, q.n, q.size, q.members, q.before::text as before, q.part, q.sends, q.lease, q.state, q.outcome, q.codes,
    q.countries, q.checks, q.sent_at, coalesce($4, now()) as at
)
select t.*, r.recipients
from leased t cross join lateral (
  select string_agg(coalesce(r.phone::text, '') || E'\t' || coalesce(r.variables, ''), E'\n' order by r.n) as recipients
  from relais.recipient r
  where r.campaign = t.campaign
    and (case when t.members is null then r.n between 50 * t.n and 50 * t.n + t.size - 1 else r.n = any(t.members) end)
) r;

-- name: hold_sms_cost
-- Locks the SMS cost of an account in a day and a month.
-- params: account text, day text, month text
-- row: period text, cents int8
insert into relais.sms_cost as s (account, period, cents) values ($1, $3, 0), ($1, $2, 0)
on conflict (account, period) do update set cents = s.cents
returning s.period, s.cents;

-- name: add_sms_cost
-- params: account text, day text, month text, cents int8
-- row: period text
update relais.sms_cost s set cents = greatest(0, s.cents + $4) where s.account = $1 and s.period in ($2, $3) returning s.period;
