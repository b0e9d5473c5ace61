-- Erasure of personal data. Each scan reads a page of a table after a key, and returns the rows whose digits contain
-- `tail`; TypeScript decides which belong to the person. The first row has the end of the page and no value. Each
-- save compares, so that concurrent changes stay.

-- name: purge_operations
-- `people`: beneficiaries in canonical form, and numbers. `open`: includes operations that a beneficiary limit of
-- this day or the day before still counts.
-- params: after text, most int4, tail text, people text[], now timestamptz
-- row: last text, looked int8, key text, value jsonb, kind text, theirs bool, open bool, op uuid
with page as materialized (
  select o.* from relais.operation o where o.id > $1 order by o.id limit $2
),
found as (
  select p.id, p.kind, p.op, coalesce(p.beneficiary = any($4) or p.request ->> 'to' = any($4), false) as theirs,
    p.finished_at is null or p.lease is not null
      or (coalesce(p.counted_on >= (coalesce($5, now()) at time zone 'UTC')::date - 1, false) and exists (
        select from relais.spent s where s.day = p.counted_on and s.account = p.account and s.beneficiary = p.beneficiary
      )) as open,
    jsonb_build_object('request', p.request, 'metadata', p.metadata, 'facts', p.facts, 'evidence', to_jsonb(p.evidence),
      'payeeName', p.payee_name, 'purpose', p.purpose, 'beneficiary', p.beneficiary) as value
  from page p
)
select max(p.id) as last, count(*) as looked, null::text as key, null::jsonb as value, null::text as kind, null::bool as theirs,
  null::bool as open, null::uuid as op
from page p
union all
select null, null, f.id, f.value, f.kind, f.theirs, f.open, f.op from found f
where f.theirs or position($3 in regexp_replace(f.value::text, '[^0-9]', '', 'g')) > 0;

-- name: purge_operation
-- params: id text, op uuid, request jsonb, metadata jsonb, facts jsonb, evidence text[], payee_name text, purpose text, beneficiary text
-- row: id text
update relais.operation o set
  request = $3, metadata = $4, facts = $5, evidence = $6, payee_name = $7, purpose = $8, beneficiary = $9
where o.id = $1 and o.op = $2 and o.lease is null and o.finished_at is not null
returning o.id;

-- name: lock_campaigns_of_phones
-- Requests are taken under the lock of their campaign: none leaves while its recipients are erased.
-- params: phones int8[], most int4
-- row: number int8
select c.number from relais.campaign c
where c.number in (select r.campaign from relais.recipient r where r.phone = any($1) order by r.campaign limit $2)
order by c.number for no key update of c;

-- name: purge_recipients
-- Erases recipients of locked campaigns, unless their request is in flight or in doubt.
-- params: phones int8[], campaigns int8[], name text
-- row: campaign int8, n int4
with open as materialized (
  select r.campaign, r.n from relais.recipient r
  join relais.sms_request q on q.campaign = r.campaign and q.state in ('sending', 'refused', 'unknown')
    and (case when q.members is null then r.n / 50 = q.n else r.n = any(q.members) end)
  where r.phone = any($1) and r.campaign = any($2) and substr(coalesce(q.outcome, ''),
    case when q.members is null then r.n % 50 + 1 else array_position(q.members, r.n) end, 1) <> '-'
)
update relais.recipient r set phone = null, variables = $3, own = null
where r.phone = any($1) and r.campaign = any($2) and not exists (select from open o where o.campaign = r.campaign and o.n = r.n)
returning r.campaign, r.n;

-- name: count_recipients_of_phones
-- params: phones int8[]
-- row: recipients int8
select count(*) as recipients from relais.recipient r where r.phone = any($1);

-- name: purge_own_cells
-- params: after_campaign int8, after_n int4, most int4, tail text
-- row: campaign int8, n int4, looked int8, own text
with page as materialized (
  select r.campaign, r.n, r.own from relais.recipient r
  where (r.campaign, r.n) > ($1, $2) order by r.campaign, r.n limit $3
)
(select p.campaign, p.n, count(*) over () as looked, null::text as own from page p order by p.campaign desc, p.n desc limit 1)
union all
select p.campaign, p.n, null, p.own from page p
where p.own is not null and position($4 in regexp_replace(p.own, '[^0-9]', '', 'g')) > 0;

-- name: purge_own_cell
-- params: campaign int8, n int4, was text, own text
-- row: n int4
update relais.recipient r set own = $4 where r.campaign = $1 and r.n = $2 and r.own = $3 returning r.n;

-- name: purge_left_out
-- params: after_campaign int8, after_tag text, after_n int4, most int4, tail text
-- row: campaign int8, tag text, n int4, looked int8, written text, own text
with page as materialized (
  select l.campaign, l.tag, l.n, l.written, l.own from relais.left_out_row l
  where (l.campaign, l.tag, l.n) > ($1, $2, $3) order by l.campaign, l.tag, l.n limit $4
)
(select p.campaign, p.tag, p.n, count(*) over () as looked, null::text as written, null::text as own from page p
 order by p.campaign desc, p.tag desc, p.n desc limit 1)
union all
select p.campaign, p.tag, p.n, null, p.written, p.own from page p
where position($5 in regexp_replace(p.written || ' ' || coalesce(p.own, ''), '[^0-9]', '', 'g')) > 0;

-- name: purge_left_out_row
-- params: campaign int8, tag text, n int4, written text, own text
-- row: n int4
update relais.left_out_row l set written = $4, own = $5 where l.campaign = $1 and l.tag = $2 and l.n = $3 returning l.n;

-- name: purge_batch_rows
-- params: after_batch text, after_n int4, most int4, tail text
-- row: batch text, n int4, looked int8, value jsonb, open bool
with page as materialized (
  select r.batch, r.n, r.request, r.cells from relais.batch_row r
  where (r.batch, r.n) > ($1, $2) order by r.batch, r.n limit $3
)
(select p.batch, p.n, count(*) over () as looked, null::jsonb as value, null::bool as open from page p order by p.batch desc, p.n desc limit 1)
union all
select p.batch, p.n, null, jsonb_build_object('request', p.request, 'cells', to_jsonb(p.cells)), b.finished_at is null and b.state <> 'cancelled'
from page p join relais.batch b on b.id = p.batch
where position($4 in regexp_replace(p.request::text || coalesce(p.cells::text, ''), '[^0-9]', '', 'g')) > 0;

-- name: purge_batch_row
-- params: batch text, n int4, request jsonb, cells text[]
-- row: n int4
update relais.batch_row r set request = $3, cells = $4 where r.batch = $1 and r.n = $2 returning r.n;

-- name: purge_events
-- params: after text, most int4, tail text
-- row: last text, looked int8, key text, value jsonb
with page as materialized (
  select e.position, e.data from relais.event e where e.position > coalesce(nullif($1::text, ''), '-1')::int8 order by e.position limit $2
)
select max(p.position)::text as last, count(*) as looked, null::text as key, null::jsonb as value from page p
union all
select null, null, p.position::text, p.data from page p where position($3 in regexp_replace(p.data::text, '[^0-9]', '', 'g')) > 0;

-- name: purge_event
-- params: key text, was jsonb, value jsonb
-- row: key text
update relais.event e set data = $3 where e.position = $1::text::int8 and e.data = $2 returning $1 as key;

-- name: purge_said
-- Removes payee, payer, purpose and data of the caller from the events of these operations.
-- params: subjects text[]
-- row: key text
with said as (select array['payeeName', 'purpose', 'metadata', 'customer', 'customData'] as names),
published as (
  update relais.event e set data = e.data - said.names from said
  where e.subject = any($1) and e.data ?| said.names returning e.id
),
waiting as (
  update relais.outbox o set data = o.data - said.names from said
  where o.subject = any($1) and o.data ?| said.names returning o.id
),
dead as (
  update relais.dead_letter d set data = d.data - said.names from said
  where d.data ->> 'id' = any($1) and d.data ?| said.names returning d.position::text as id
)
select id as key from published union all select id from waiting union all select id from dead;

-- name: purge_outbox
-- params: after text, most int4, tail text
-- row: last text, looked int8, key text, value jsonb
with page as materialized (
  select o.sequence, o.data from relais.outbox o where o.sequence > coalesce(nullif($1::text, ''), '-1')::int8 order by o.sequence limit $2
)
select max(p.sequence)::text as last, count(*) as looked, null::text as key, null::jsonb as value from page p
union all
select null, null, p.sequence::text, p.data from page p where position($3 in regexp_replace(p.data::text, '[^0-9]', '', 'g')) > 0;

-- name: purge_outbox_row
-- params: key text, was jsonb, value jsonb
-- row: key text
update relais.outbox o set data = $3 where o.sequence = $1::text::int8 and o.data = $2 returning $1 as key;

-- name: purge_dead_letters
-- params: after text, most int4, tail text
-- row: last text, looked int8, key text, value jsonb
with page as materialized (
  select d.event_group || ' ' || d.position as id, jsonb_build_object('data', d.data, 'error', d.error) as value from relais.dead_letter d
  where d.event_group || ' ' || d.position > $1 order by 1 limit $2
)
select max(p.id) as last, count(*) as looked, null::text as key, null::jsonb as value from page p
union all
select null, null, p.id, p.value from page p where position($3 in regexp_replace(p.value::text, '[^0-9]', '', 'g')) > 0;

-- name: purge_dead_letter
-- params: key text, was jsonb, value jsonb
-- row: key text
update relais.dead_letter d set data = $3::jsonb -> 'data', error = $3::jsonb ->> 'error'
where d.event_group || ' ' || d.position = $1 and jsonb_build_object('data', d.data, 'error', d.error) = $2 returning $1 as key;

-- name: purge_callbacks
-- params: after text, most int4, tail text
-- row: last text, looked int8, key text, value jsonb
with page as materialized (select c.id, c.body from relais.callback c where c.id > $1 order by c.id limit $2)
select max(p.id) as last, count(*) as looked, null::text as key, null::jsonb as value from page p
union all
select null, null, p.id, to_jsonb(p.body) from page p where position($3 in regexp_replace(p.body, '[^0-9]', '', 'g')) > 0;

-- name: purge_callback
-- params: key text, was jsonb, value jsonb
-- row: key text
update relais.callback c set body = $3::jsonb #>> '{}' where c.id = $1 and to_jsonb(c.body) = $2 returning c.id as key;

-- name: purge_delivery_logs
-- params: after text, most int4, tail text
-- row: last text, looked int8, key text, value jsonb
with page as materialized (
  select d.endpoint || ' ' || d.n as id, d.answer from relais.delivery_log d where d.endpoint || ' ' || d.n > $1 order by 1 limit $2
)
select max(p.id) as last, count(*) as looked, null::text as key, null::jsonb as value from page p
union all
select null, null, p.id, to_jsonb(p.answer) from page p where position($3 in regexp_replace(p.answer, '[^0-9]', '', 'g')) > 0;

-- name: purge_delivery_log
-- params: key text, was jsonb, value jsonb
-- row: key text
update relais.delivery_log d set answer = $3::jsonb #>> '{}'
where d.endpoint || ' ' || d.n = $1 and to_jsonb(d.answer) = $2 returning $1 as key;

-- name: purge_intake
-- params: after text, most int4, tail text
-- row: last text, looked int8, key text, value jsonb, open bool
with page as materialized (
  select i.number, i.request, i.problems, i.state from relais.intake i
  where i.number > coalesce(nullif($1::text, ''), '-1')::int8 order by i.number limit $2
)
select max(p.number)::text as last, count(*) as looked, null::text as key, null::jsonb as value, null::bool as open from page p
union all
select null, null, p.number::text, jsonb_build_object('request', p.request, 'problems', p.problems), p.state = 'queued' from page p
where position($3 in regexp_replace(coalesce(p.request::text, '') || coalesce(p.problems::text, ''), '[^0-9]', '', 'g')) > 0;

-- name: purge_intake_row
-- params: key text, was jsonb, value jsonb
-- row: key text
update relais.intake i set request = nullif($3::jsonb -> 'request', 'null'), problems = nullif($3::jsonb -> 'problems', 'null')
where i.number = $1::text::int8 and i.state <> 'queued' and jsonb_build_object('request', i.request, 'problems', i.problems) = $2
returning $1 as key;

-- name: purge_spent
-- Sums of past days keep their amounts under the person's opaque name.
-- params: people text[], name text, now timestamptz
-- row: day date
update relais.spent s set beneficiary = $2
where s.beneficiary = any($1) and s.day < (coalesce($3, now()) at time zone 'UTC')::date - 1
  and not exists (select from relais.spent x where x.day = s.day and x.account = s.account and x.beneficiary = $2)
returning s.day;

-- name: purge_file
-- params: id uuid
-- row: id uuid
delete from relais.kept_file f where f.id = $1 returning f.id;
