-- Recipients of campaigns with their statuses. Letters are those of `recipient_status`.

-- name: recipient_outside
-- A recipient of the campaign with any other number.
-- params: id text, phones int8[]
-- row: n int4
with c as materialized (select c.number, c.recipients from relais.campaign c where c.id = $1::text)
select r.n from relais.recipient r
where r.campaign = (select number from c) and r.n < (select recipients from c) and r.phone <> all($2::int8[]) limit 1;

-- name: recipients_page
-- Recipients between two numbers; without a request all columns are null.
-- params: id text, after int4, until int4
-- row: n int4, row int4, phone int8, variables text, own text, request int4, letter text, code text, sent_at timestamptz, resent int4
with c as materialized (select c.number, c.recipients from relais.campaign c where c.id = $1),
later as materialized (
  select m.n, q.n as request, q.state, q.outcome, m.place::int as place, q.codes, q.sent_at, q.before = 'u' and not q.part as again
  from relais.sms_request q cross join lateral unnest(q.members) with ordinality as m(n, place)
  where q.campaign = (select c.number from c) and q.members is not null and q.members[1] < $3 and q.members[q.size] > $2
    and m.n > $2 and m.n < $3
),
standing as materialized (
  select 50 * q.n + g.place - 1 as n, q.n as request, q.state, q.outcome, g.place, q.codes, q.sent_at
  from relais.sms_request q cross join lateral generate_series(1, q.size) as g(place)
  where q.campaign = (select c.number from c) and q.members is null and q.n between ($2 + 1) / 50 and ($3 - 1) / 50
    and (q.outcome is null or substr(q.outcome, g.place, 1) <> '-')
  union all
  select l.n, l.request, l.state, l.outcome, l.place, l.codes, l.sent_at from later l
  where l.outcome is null or substr(l.outcome, l.place, 1) <> '-'
)
select r.n, r.row, r.phone, r.variables, r.own, s.request,
  coalesce(substr(s.outcome, s.place, 1), case s.state when 'queued' then 'q' when 'sending' then 'g' when 'refused' then 'g' end) as letter,
  case when s.codes like '% %' then split_part(s.codes, ' ', s.place) else s.codes end as code, s.sent_at,
  (select count(*)::int from later l where l.again and l.n = r.n) as resent
from relais.recipient r left join standing s on s.n = r.n
where r.campaign = (select c.number from c) and r.n > $2 and r.n < least($3, (select c.recipients from c))
order by r.n;

-- name: recipients_with_letters
-- Numbers, between two, of the recipients with one of these letters. q includes recipients without a request.
-- params: id text, after int4, until int4, letters text, most int4
-- row: n int4
with c as materialized (select c.number, c.recipients, c.requests from relais.campaign c where c.id = $1),
standing as (
  select 50 * q.n + g.place - 1 as n, coalesce(substr(q.outcome, g.place, 1), case q.state when 'queued' then 'q' else 'g' end) as letter
  from relais.sms_request q cross join lateral generate_series(1, q.size) as g(place)
  where q.campaign = (select c.number from c) and q.members is null and q.n between ($2 + 1) / 50 and ($3 - 1) / 50
    and (q.outcome is null or q.outcome ~ ('[' || $4 || ']'))
  union all
  select m.n, coalesce(substr(q.outcome, m.place::int, 1), case q.state when 'queued' then 'q' else 'g' end)
  from relais.sms_request q cross join lateral unnest(q.members) with ordinality as m(n, place)
  where q.campaign = (select c.number from c) and q.members is not null and q.members[1] < $3 and q.members[q.size] > $2
    and (q.outcome is null or q.outcome ~ ('[' || $4 || ']'))
  union all
  select g.n, 'q' from c cross join lateral generate_series($2 + 1, least($3, c.recipients) - 1) as g(n) where c.requests = 0
)
select s.n from standing s where position(s.letter in $4) > 0 and s.n > $2 and s.n < $3 order by s.n limit $5;

-- name: recipients_by_phone
-- Recipients with these phone numbers, newest campaign first. `campaign`, `accounts` null: all.
-- params: phones int8[], campaign text, accounts text[], before_at timestamptz, before_id text, before_n int4, most int4
-- row: campaign text, created_at timestamptz, n int4, row int4, phone int8, variables text, own text, request int4, letter text, code text, sent_at timestamptz, resent int4
select c.id as campaign, c.created_at, r.n, r.row, r.phone, r.variables, r.own, s.request, s.letter, s.code, s.sent_at, s.resent
from relais.recipient r
join relais.campaign c on c.number = r.campaign and r.n < c.recipients
left join lateral (select * from relais.recipient_status x where x.campaign = r.campaign and x.n = r.n) s on true
where r.phone = any($1) and ($2::text is null or c.id = $2) and ($3::text[] is null or c.account = any($3))
  -- A cursor has milliseconds.
  and ($4::timestamptz is null or (date_trunc('milliseconds', c.created_at), c.id, r.n) < ($4, $5, $6))
order by date_trunc('milliseconds', c.created_at) desc, c.id desc, r.n desc limit $7;

-- name: left_out_rows
-- params: id text, tag text, from int4, most int4
-- row: row int4, written text, reason text, own text
select l.row, l.written, l.reason, l.own from relais.left_out_row l
where l.campaign = (select c.number from relais.campaign c where c.id = $1) and l.tag = $2 and l.n >= $3
order by l.n limit $4;
