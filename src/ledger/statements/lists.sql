-- Lists, newest first. Statements named `places_…` return the positions of rows; `read` and similar ones read them.
-- Each walks one index downwards from a position (`before`, `before_id`) and reads at most `scan` rows of it. It
-- returns matching rows and the last row read, where the next page continues. Every value is given, or null in a
-- filter without an index: no plan depends on the filters.

-- name: places_by_state
-- The newest of each account and state; `scan` applies to each pair. The index covers all filters.
-- params: kind text, accounts text[], states text[], amount_min int8, amount_max int8, from timestamptz, before timestamptz, before_id text, scan int4, most int4
-- row: id text, at timestamptz, meant bool, last bool
select p.id, p.created_at as at, p.meant, p.last
from unnest($2::text[]) as a(account) cross join unnest($3::text[]) as s(state)
cross join lateral (
  select w.id, w.created_at, w.meant, row_number() over (order by w.created_at desc, w.id desc) = $9 as last
  from (
    select o.id, o.created_at, ($4::int8 is null or coalesce(o.amount >= $4, false)) and ($5::int8 is null or coalesce(o.amount <= $5, false)) as meant
    from relais.operation o
    where o.account = a.account and o.kind = $1 and o.state = s.state
      and (o.created_at, o.id) < ($7::timestamptz, $8::text) and o.created_at >= $6
    order by o.created_at desc, o.id desc limit $9
  ) w
) p
where p.meant or p.last
order by p.created_at desc, p.id desc limit $10;

-- name: places_by_kind
-- params: kind text, accounts text[], states text[], amount_min int8, amount_max int8, beneficiary text, batch text, token text, transaction_id text, provider_ref text, provider_id text, metadata jsonb, from timestamptz, before timestamptz, before_id text, scan int4, most int4
-- row: id text, at timestamptz, meant bool, last bool
select p.id, p.created_at as at, p.meant, p.last
from (
  select w.id, w.created_at, w.meant, row_number() over (order by w.created_at desc, w.id desc) = $16 as last
  from (
    select o.id, o.created_at, relais.is_listed(o, $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) as meant
    from relais.operation o
    where o.kind = $1 and (o.created_at, o.id) < ($14::timestamptz, $15::text) and o.created_at >= $13
    order by o.created_at desc, o.id desc limit $16
  ) w
) p
where p.meant or p.last order by p.created_at desc, p.id desc limit $17;

-- name: places_by_beneficiary
-- params: kind text, accounts text[], states text[], amount_min int8, amount_max int8, beneficiary text, batch text, token text, transaction_id text, provider_ref text, provider_id text, metadata jsonb, from timestamptz, before timestamptz, before_id text, scan int4, most int4
-- row: id text, at timestamptz, meant bool, last bool
select p.id, p.created_at as at, p.meant, p.last
from (
  select w.id, w.created_at, w.meant, row_number() over (order by w.created_at desc, w.id desc) = $16 as last
  from (
    select o.id, o.created_at, relais.is_listed(o, $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) as meant
    from relais.operation o
    where o.beneficiary = $6 and (o.created_at, o.id) < ($14::timestamptz, $15::text) and o.created_at >= $13
    order by o.created_at desc, o.id desc limit $16
  ) w
) p
where p.meant or p.last order by p.created_at desc, p.id desc limit $17;

-- name: places_by_batch
-- params: kind text, accounts text[], states text[], amount_min int8, amount_max int8, beneficiary text, batch text, token text, transaction_id text, provider_ref text, provider_id text, metadata jsonb, from timestamptz, before timestamptz, before_id text, scan int4, most int4
-- row: id text, at timestamptz, meant bool, last bool
select p.id, p.created_at as at, p.meant, p.last
from (
  select w.id, w.created_at, w.meant, row_number() over (order by w.created_at desc, w.id desc) = $16 as last
  from (
    select o.id, o.created_at, relais.is_listed(o, $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) as meant
    from relais.operation o
    where o.batch = $7 and (o.created_at, o.id) < ($14::timestamptz, $15::text) and o.created_at >= $13
    order by o.created_at desc, o.id desc limit $16
  ) w
) p
where p.meant or p.last order by p.created_at desc, p.id desc limit $17;

-- name: places_by_name
-- By a name of one or few operations: a token, a transaction, or another provider reference.
-- params: kind text, accounts text[], states text[], amount_min int8, amount_max int8, beneficiary text, batch text, token text, transaction_id text, provider_ref text, provider_id text, metadata jsonb, from timestamptz, before timestamptz, before_id text, scan int4, most int4
-- row: id text, at timestamptz, meant bool, last bool
select o.id, o.created_at as at, true as meant, false as last
from relais.operation o
where o.id in (
    select n.id from relais.operation n where n.token = $8
    union all select n.id from relais.operation n where n.transaction_id = $9
    union all (select n.id from relais.operation n where (n.facts ->> 'disburseTxId') collate "C" = $9 limit $16)
    union all (select n.id from relais.operation n where n.provider_ref = $10 limit $16)
    union all (select n.id from relais.operation n where n.provider_id = $11 limit $16)
  )
  and (o.created_at, o.id) < ($14::timestamptz, $15::text) and o.created_at >= $13
  and relais.is_listed(o, $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
order by o.created_at desc, o.id desc limit $17;

-- name: places_by_reference
-- By a reference, or by the ids derived from it. There is one in each account.
-- params: kind text, accounts text[], states text[], amount_min int8, amount_max int8, beneficiary text, batch text, token text, transaction_id text, provider_ref text, provider_id text, metadata jsonb, from timestamptz, before timestamptz, before_id text, scan int4, most int4, reference text, ids text[]
-- row: id text, at timestamptz, meant bool, last bool
select o.id, o.created_at as at, true as meant, false as last
from relais.operation o
where o.id in (
    (select n.id from relais.operation n where n.reference = $18 and n.kind = $1 limit $16)
    union all select i.id from unnest($19::text[]) as i(id)
  )
  and (o.created_at, o.id) < ($14::timestamptz, $15::text) and o.created_at >= $13
  and relais.is_listed(o, $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
order by o.created_at desc, o.id desc limit $17;

-- name: places_by_metadata
-- All operations with these metadata, if they are fewer than `scan`. Otherwise the last row indicates it: then
-- `places_by_kind` finds them soon. `offset 0` keeps PostgreSQL from joining with the whole table.
-- params: kind text, accounts text[], states text[], amount_min int8, amount_max int8, beneficiary text, batch text, token text, transaction_id text, provider_ref text, provider_id text, metadata jsonb, from timestamptz, before timestamptz, before_id text, scan int4, most int4
-- row: id text, at timestamptz, meant bool, last bool
with hit as materialized (select h.id, row_number() over () = $16 as last from relais.ids_with_metadata($12, $16) as h(id)),
meant as (
  select o.id, o.created_at
  from hit cross join lateral (
    select o.id, o.created_at, relais.is_listed(o, $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) as meant
    from relais.operation o where o.id = hit.id offset 0
  ) o
  where o.meant and (o.created_at, o.id) < ($14::timestamptz, $15::text) and o.created_at >= $13
  order by o.created_at desc, o.id desc limit $17
)
select m.id, m.created_at as at, true as meant, false as last from meant m
union all select hit.id, null, false, true from hit where hit.last
order by 2 desc nulls first, 1 desc;

-- name: sum_operations
-- Count and sum of a list by state, with the list's index (`by`): state, kind, name, beneficiary, batch, metadata.
-- Reads at most `scan` rows of each index; `whole`: these were all.
-- params: kind text, accounts text[], states text[], amount_min int8, amount_max int8, beneficiary text, batch text, token text, transaction_id text, provider_ref text, provider_id text, metadata jsonb, from timestamptz, before timestamptz, scan int4, by text
-- row: state text, count int8, xof int8, whole bool
with read as (
  select s.state, w.amount, w.meant
  from unnest($2::text[]) as a(account) cross join unnest($3::text[]) as s(state)
  cross join lateral (
    select o.amount, ($4::int8 is null or coalesce(o.amount >= $4, false)) and ($5::int8 is null or coalesce(o.amount <= $5, false)) as meant
    from relais.operation o
    where o.account = a.account and o.kind = $1 and o.state = s.state and o.created_at >= $13 and o.created_at < $14
    limit $15::int4
  ) w
  where $16 = 'state'
  union all (
    select o.state, o.amount, relais.is_listed(o, $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
    from relais.operation o
    where $16 = 'kind' and o.kind = $1 and o.created_at >= $13 and o.created_at < $14
    order by o.created_at desc limit $15
  )
  union all (
    select o.state, o.amount, relais.is_listed(o, $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
    from relais.operation o
    where $16 = 'beneficiary' and o.beneficiary = $6 and o.created_at >= $13 and o.created_at < $14
    order by o.created_at desc limit $15
  )
  union all (
    select o.state, o.amount, relais.is_listed(o, $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
    from relais.operation o
    where $16 = 'batch' and o.batch = $7 and o.created_at >= $13 and o.created_at < $14
    order by o.created_at desc limit $15
  )
  union all (
    select m.state, m.amount, m.meant
    from relais.ids_with_metadata($12, $15::int) as h(id) cross join lateral (
      select o.state, o.amount, o.created_at >= $13 and o.created_at < $14
        and relais.is_listed(o, $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) as meant
      from relais.operation o where o.id = h.id offset 0
    ) m
    where $16 = 'metadata'
  )
  union all (
    select o.state, o.amount, o.created_at >= $13 and o.created_at < $14
      and relais.is_listed(o, $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
    from relais.operation o
    where $16 = 'name' and o.id in (
      select n.id from relais.operation n where n.token = $8
      union all select n.id from relais.operation n where n.transaction_id = $9
      union all (select n.id from relais.operation n where (n.facts ->> 'disburseTxId') collate "C" = $9 limit $15)
      union all (select n.id from relais.operation n where n.provider_ref = $10 limit $15)
      union all (select n.id from relais.operation n where n.provider_id = $11 limit $15))
  )
)
select r.state, count(*) filter (where r.meant) as count, coalesce(sum(r.amount) filter (where r.meant), 0)::int8 as xof,
  sum(count(*)) over () < $15 as whole
from read r group by r.state order by r.state;

-- name: places_of_campaigns
-- params: accounts text[], states text[], metadata jsonb, from timestamptz, before timestamptz, before_id text, scan int4, most int4
-- row: id text, at timestamptz, meant bool, last bool
select p.id, p.created_at as at, p.meant, p.last
from unnest($1::text[]) as a(account) cross join unnest($2::text[]) as s(state)
cross join lateral (
  select w.id, w.created_at, w.meant, row_number() over (order by w.created_at desc, w.id desc) = $7 as last
  from (
    select c.id, c.created_at, ($3::jsonb is null or coalesce(c.metadata @> $3, false)) as meant
    from relais.campaign c
    where c.account = a.account and c.state = s.state and (c.created_at, c.id) < ($5::timestamptz, $6::text) and c.created_at >= $4
    order by c.created_at desc, c.id desc limit $7
  ) w
) p
where p.meant or p.last order by p.created_at desc, p.id desc limit $8;

-- name: places_of_batches
-- params: accounts text[], states text[], from timestamptz, before timestamptz, before_id text, scan int4, most int4
-- row: id text, at timestamptz, meant bool, last bool
select p.id, p.created_at as at, true as meant, p.last
from unnest($1::text[]) as a(account) cross join unnest($2::text[]) as s(state)
cross join lateral (
  select w.id, w.created_at, row_number() over (order by w.created_at desc, w.id desc) = $6 as last
  from (
    select b.id, b.created_at
    from relais.batch b
    where b.account = a.account and b.state = s.state and (b.created_at, b.id) < ($4::timestamptz, $5::text) and b.created_at >= $3
    order by b.created_at desc, b.id desc limit $6
  ) w
) p
order by p.created_at desc, p.id desc limit $7;

-- name: places_in_review
-- Operations that need review, of every kind, longest waiting first.
-- params: kinds text[], accounts text[], since timestamptz, after text, most int4
-- row: kind text, id text, since timestamptz
select w.kind, w.id, w.since
from (
  select o.kind, o.id, o.since
  from unnest($1::text[]) as k(kind) cross join lateral (
    select o.kind, o.id, o.since from relais.operation o
    where o.kind = k.kind and o.state = 'needs_review' and o.finished_at is null and (o.since, o.id) > ($3::timestamptz, $4::text)
      and ($2::text[] is null or o.account = any($2))
    order by o.since, o.id limit $5
  ) o
  union all
  select 'batch', b.id, b.since from relais.batch b
  where b.state = 'needs_review' and 'batch' = any($1) and (b.since, b.id) > ($3::timestamptz, $4::text)
    and ($2::text[] is null or b.account = any($2))
) w
order by w.since, w.id limit $5;

-- name: review_since
-- Since when an operation or a batch needs review. No row: it does not.
-- params: id text
-- row: since timestamptz
select o.since from relais.operation o where o.id = $1 and o.state = 'needs_review'
union all select b.since from relais.batch b where b.id = $1 and b.state = 'needs_review';

-- name: find_operations
-- All matches of one search term, newest first: an id, a reference, a provider reference, or beneficiaries.
-- params: word text, beneficiaries text[], accounts text[], most int4
-- row: kind text, id text
with hit as (
  select o.kind, o.id, o.account, o.created_at from relais.operation o where o.id = $1
  union select o.kind, o.id, o.account, o.created_at from relais.operation o where o.reference = $1
  union select o.kind, o.id, o.account, o.created_at from relais.operation o where o.token = $1
  union select o.kind, o.id, o.account, o.created_at from relais.operation o where o.transaction_id = $1
  union select o.kind, o.id, o.account, o.created_at from relais.operation o where (o.facts ->> 'disburseTxId') collate "C" = $1
  union select o.kind, o.id, o.account, o.created_at from relais.operation o where o.provider_ref = $1
  union select o.kind, o.id, o.account, o.created_at from relais.operation o where o.provider_id = $1
  union select p.kind, p.id, p.account, p.created_at
  from unnest($2::text[]) as b(name) cross join lateral (
    select o.kind, o.id, o.account, o.created_at from relais.operation o
    where o.beneficiary = b.name and ($3::text[] is null or o.account = any($3))
    order by o.created_at desc, o.id desc limit $4
  ) p
  union select 'campaign', c.id, c.account, c.created_at from relais.campaign c where c.id = $1
  union select 'campaign', c.id, c.account, c.created_at from relais.campaign c where c.reference = $1
  union select 'batch', b.id, b.account, b.created_at from relais.batch b where b.id = $1
)
select h.kind, h.id from hit h where $3::text[] is null or h.account = any($3)
order by h.created_at desc, h.id desc limit $4;

-- name: ids_of_reference
-- Operations with a reference: one in each account.
-- params: kind text, reference text, accounts text[]
-- row: id text
select o.id from relais.operation o
where o.reference = $2 and o.kind = $1 and ($3::text[] is null or o.account = any($3))
union all
select c.id from relais.campaign c where $1 = 'campaign' and c.reference = $2 and ($3::text[] is null or c.account = any($3));

-- name: kind_of
-- params: id text
-- row: kind text
select o.kind from relais.operation o where o.id = $1
union all select 'campaign' from relais.campaign c where c.id = $1
union all select 'batch' from relais.batch b where b.id = $1;

-- name: accounts_asked
-- Every account with any operation.
-- params:
-- row: account text
with recursive account(name) as (
  select relais.next_account('')
  union all select relais.next_account(a.name) from account a where a.name is not null
)
select a.name as account from account a where a.name is not null;

-- name: find_tombstone
-- The tombstone of an operation that retention has removed.
-- params: id text
-- row: kind text, account text, state text, amount int8, finished_at timestamptz
select t.kind, t.account, t.state, t.amount, t.finished_at from relais.tombstone t
where t.id = $1 and not exists (select from relais.operation o where o.id = t.id);

-- name: recent_payments
-- Payments to each beneficiary since then, outside this batch: at most a hundred each.
-- params: beneficiaries text[], accounts text[], states text[], since timestamptz, batch text
-- row: beneficiary text, count int8, xof int8, last_id text, last_amount int8, last_state text, last_at timestamptz
select b.name as beneficiary, count(*) as count, sum(p.amount)::int8 as xof,
  (array_agg(p.id order by p.created_at desc, p.id desc))[1] as last_id,
  (array_agg(p.amount order by p.created_at desc, p.id desc))[1] as last_amount,
  (array_agg(p.state order by p.created_at desc, p.id desc))[1] as last_state,
  max(p.created_at) as last_at
from unnest($1::text[]) as b(name)
cross join lateral (
  select o.id, o.amount, o.state, o.created_at from relais.operation o
  where o.beneficiary = b.name and o.created_at >= $4 and o.kind = 'disbursement' and o.state = any($3::text[])
    and o.batch is distinct from $5 and ($2::text[] is null or o.account = any($2))
  order by o.created_at desc, o.id desc limit 100
) p
group by b.name;
