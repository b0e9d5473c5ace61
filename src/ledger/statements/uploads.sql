-- Files of recipients: copied in parts while a process holds the lease of the campaign, then counted in one
-- transaction.

-- name: begin_upload
-- Takes the lease, including that of a dead process and those of `given_up`, which are tags. No row: the campaign
-- changed since it was read. Without `first_n`: another file is being copied. Rows of an earlier lease wait for
-- `sweep_upload`. `uploads`, `version`: as read.
-- params: id text, tag text, uploads int4, version int4, lease_ms int4, holder text, given_up text[], now timestamptz
-- row: number int8, first_n int4
with c as materialized (
  select c.number, c.recipients, coalesce($8, now()) as at from relais.campaign c
  where c.id = $1 and jsonb_array_length(c.uploads) = $3 and (c.state = 'ready' or (c.state = 'draft' and c.version = $4))
  for no key update
),
begun as (
  insert into relais.upload_in_progress as u (campaign, tag, first_n, holder, begun_at, lease_until)
  select c.number, $2, c.recipients, $6, c.at, c.at + $5::int4 * interval '1 ms' from c
  on conflict (campaign) do update set
    tag = excluded.tag, first_n = excluded.first_n, holder = excluded.holder, begun_at = excluded.begun_at, lease_until = excluded.lease_until
  where u.lease_until < excluded.begun_at or u.tag = any($7)
    or (u.holder is not null and not exists (select from relais.worker w where w.process = u.holder))
  returning u.first_n
)
select c.number, begun.first_n from c left join begun on true;

-- name: renew_upload
-- Locks the lease for the part that the transaction copies. No row: another process has it.
-- params: campaign int8, tag text, lease_ms int4, now timestamptz
-- row: campaign int8
update relais.upload_in_progress u set lease_until = coalesce($4, now()) + $3::int4 * interval '1 ms'
where u.campaign = $1 and u.tag = $2
returning u.campaign;

-- name: sweep_upload
-- Removes rows that no upload counts: of a dead process, or of this upload when it is abandoned.
-- params: campaign int8, tag text, whole bool, most int4
-- row: gone int8
with held as materialized (
  select u.campaign, u.first_n from relais.upload_in_progress u where u.campaign = $1 and u.tag = $2 for no key update
),
recipients as (
  delete from relais.recipient r using held
  where r.campaign = $1 and r.n = any(array(
    select x.n from relais.recipient x, held where x.campaign = $1 and x.n >= held.first_n order by x.n limit $4))
  returning r.n
),
rows as (
  delete from relais.left_out_row l using held
  where l.campaign = $1 and (l.tag, l.n) in (
    select x.tag, x.n from relais.left_out_row x, relais.campaign c
    where x.campaign = $1 and c.number = $1 and ($3 or x.tag <> $2)
      and not c.uploads @> jsonb_build_array(jsonb_build_object('tag', x.tag))
    limit $4)
  returning l.n
)
select (select count(*) from recipients) + (select count(*) from rows) as gone;

-- name: end_upload
-- params: campaign int8, tag text
-- row: campaign int8
delete from relais.upload_in_progress u where u.campaign = $1 and u.tag = $2 returning u.campaign;

-- name: count_upload
-- From now on the rows count. No row: the campaign changed since the upload began, or another process has the lease.
-- params: campaign int8, tag text, uploads int4, version int4, upload jsonb, recipients int4, left_out int4, segments int8, by text, now timestamptz
-- row: before int4, after int4
with c as materialized (
  select c.number, c.recipients, coalesce($10, now()) as at from relais.campaign c
  where c.number = $1 and jsonb_array_length(c.uploads) = $3 and (c.state = 'ready' or (c.state = 'draft' and c.version = $4))
  for no key update
),
held as (
  delete from relais.upload_in_progress u using c where u.campaign = c.number and u.tag = $2 and u.first_n = c.recipients
  returning c.number, c.recipients, c.at
)
update relais.campaign k set
  uploads = k.uploads || jsonb_build_array($5::jsonb), recipients = k.recipients + $6, left_out = k.left_out + $7,
  segments = k.segments + $8, version = k.version + 1, updated_at = held.at,
  hands = jsonb_build_object($9::text, floor(extract(epoch from held.at) * 1000)) || k.hands,
  -- Without recipients the text can still change.
  state = case when k.recipients + $6 > 0 then 'ready' else k.state end,
  since = case when k.state = 'draft' and k.recipients + $6 > 0 then held.at else k.since end
from held where k.number = held.number
returning held.recipients as before, k.recipients as after;

-- name: upload_counts
-- params: campaign int8, tag text
-- row: counts bool
select c.uploads @> jsonb_build_array(jsonb_build_object('tag', $2::text)) as counts
from relais.campaign c where c.number = $1;

-- name: uploads_of_campaign
-- params: id text
-- row: uploads jsonb
select c.uploads from relais.campaign c where c.id = $1;

-- name: uploads_in_progress
-- params:
-- row: campaign int8, tag text, begun_at timestamptz, lease_until timestamptz
select u.campaign, u.tag, u.begun_at, u.lease_until from relais.upload_in_progress u order by u.begun_at;

-- name: take_dead_upload
-- Takes the lease of a dead process's upload, to remove its rows.
-- params: campaign int8, tag text, lease_ms int4, now timestamptz
-- row: campaign int8
update relais.upload_in_progress u set tag = $2, lease_until = coalesce($4, now()) + $3::int4 * interval '1 ms'
where u.campaign = $1
  and (u.lease_until < coalesce($4, now())
    or (u.holder is not null and not exists (select from relais.worker w where w.process = u.holder)))
returning u.campaign;

-- name: numbers_of_campaign
-- params: id text, after int4, most int4
-- row: n int4, row int4, phone int8
select r.n, r.row, r.phone from relais.recipient r, relais.campaign c
where c.id = $1 and r.campaign = c.number and r.n > $2 and r.n < c.recipients and r.n <= $2 + $3
order by r.n;

-- name: open_stop_link
-- No row: the name exists.
-- params: name text, campaign text, tag text
-- row: name text
insert into relais.stop_link (name, campaign, tag) values ($1, $2, $3) on conflict (name) do nothing returning name;

-- name: close_stop_link
-- params: name text
-- row: name text
delete from relais.stop_link s where s.name = $1 returning s.name;

-- name: linked_recipient
-- The recipient at a position of the upload that a link names. No row: it is no longer stored, or its data was
-- erased.
-- params: name text, place int4
-- row: account text, campaign text, sender text, phone int8
with named as materialized (
  select c.number, c.account, c.id, c.options ->> 'from' as sender, c.recipients, u.place, u.tag, l.tag as own,
    sum((u.upload ->> 'recipients')::int) over (order by u.place) - (u.upload ->> 'recipients')::int as first_n,
    (u.upload ->> 'recipients')::int as count
  from relais.stop_link l join relais.campaign c on c.id = l.campaign
  cross join lateral (
    select e.value as upload, e.value ->> 'tag' as tag, e.ordinality as place
    from jsonb_array_elements(c.uploads) with ordinality e) u
  where l.name = $1
)
select n.account, n.id as campaign, n.sender, r.phone
from named n join relais.recipient r on r.campaign = n.number and r.n = n.first_n + $2
where n.tag = n.own and $2 < n.count and r.phone is not null;
