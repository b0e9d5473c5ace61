-- Numbers that opted out of SMS, by account and sender ID. `sender` is normalised; '' is every sender ID.

-- name: add_opt_outs
-- Returns the numbers that were not listed before. An erased person is listed again.
-- params: account text, sender text, phones int8[], subscribers int8[], hashes bytea[], now timestamptz
-- row: phone int8
with asked as (
  select distinct on (a.subscriber) a.* from unnest($3::int8[], $4::int8[], $5::bytea[]) as a(phone, subscriber, hash)
  order by a.subscriber
),
forgotten as (
  delete from relais.opt_out o using asked a where o.account = $1 and o.sender = $2 and o.hash = a.hash
)
insert into relais.opt_out (account, sender, subscriber, phone, at)
select $1, $2, a.subscriber, a.phone, coalesce($6, now()) from asked a order by a.subscriber
on conflict (account, sender, subscriber) where subscriber is not null do nothing
returning phone;

-- name: remove_opt_outs
-- One row for each entry that was removed, including erased people.
-- params: account text, sender text, subscribers int8[], hashes bytea[]
-- row: person text
delete from relais.opt_out o
where o.account = $1 and o.sender = $2 and (o.subscriber = any($3) or o.hash = any($4))
returning coalesce(o.subscriber::text, encode(o.hash, 'hex')) as person;

-- name: opt_outs_page
-- params: account text, sender text, after int8, most int4
-- row: phone int8
select o.phone from relais.opt_out o
where o.account = $1 and o.sender = $2 and o.phone > $3
order by o.phone limit $4;

-- name: count_opt_outs
-- params: account text, sender text
-- row: listed int8, forgotten int8
select count(*) filter (where o.phone is not null and o.sender = $2) as listed,
  count(*) filter (where o.hash is not null) as forgotten
from relais.opt_out o where o.account = $1;

-- name: opted_out_among
-- Positions of the people in a list of every sender ID, or in one of theirs.
-- params: account text, places int4[], senders text[], subscribers int8[], hashes bytea[]
-- row: place int4
select distinct a.place from unnest($2::int4[], $3::text[], $4::int8[], $5::bytea[]) as a(place, sender, subscriber, hash)
join relais.opt_out o on o.account = $1 and o.sender = a.sender and (o.subscriber = a.subscriber or o.hash = a.hash);

-- name: opt_outs_of_person
-- params: subscriber int8
-- row: account text, sender text
select o.account, o.sender from relais.opt_out o where o.subscriber = $1 order by o.account, o.sender for update;

-- name: forget_opt_out
-- Replaces the number with a hash.
-- params: account text, sender text, subscriber int8, hash bytea
-- row: account text
with listed as (
  delete from relais.opt_out o where o.account = $1 and o.sender = $2 and o.subscriber = $3 returning o.at
),
kept as (
  insert into relais.opt_out (account, sender, hash, at) select $1, $2, $4, l.at from listed l
  on conflict (account, sender, hash) where hash is not null do nothing
)
select $1 as account from listed;
