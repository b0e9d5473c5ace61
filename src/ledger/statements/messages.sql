-- Single messages, in addition to the statements of every operation.

-- name: cancel_message
-- Cancels a message that waits, even if a worker has claimed it: the intent compares the lease. A message that may
-- have been sent earlier is reported as unknown. The text of a one-time password is erased. No row: it is no message,
-- or no longer waits.
-- params: id text, now timestamptz
-- row: id text, account text, state text, version int4
with ended as (
  update relais.operation o set
    state = case when o.facts ? 'mayHaveLeft' then 'unknown' else 'cancelled' end, queue = null, due_at = null, lease = null,
    lease_until = null, holder = null, since = coalesce($2::timestamptz, now()), updated_at = coalesce($2::timestamptz, now()),
    finished_at = coalesce($2::timestamptz, now()), version = o.version + 1, op = gen_random_uuid(),
    request = case when o.request ->> 'lane' = 'otp' then o.request - 'text' else o.request end,
    facts = case when o.request ->> 'lane' = 'otp' then o.facts || '{"text": ""}' else o.facts end
  where o.id = $1 and o.kind = 'message' and o.state = 'queued'
  returning o.id, o.account, o.reference, o.metadata, o.request ->> 'disbursement' as disbursement, o.state, o.version, o.since
),
reported as (
  insert into relais.outbox (id, account, subject, type, data, at)
  select relais.event_id(e.id, e.version), e.account, e.id, 'message.' || e.state,
    jsonb_strip_nulls(jsonb_build_object('id', e.id, 'state', e.state, 'reference', e.reference, 'metadata', e.metadata,
      'disbursement', e.disbursement)), e.since
  from ended e
)
select e.id, e.account, e.state, e.version from ended e;

-- name: open_alike
-- Messages whose text to the same recipient is also in flight or in doubt in another message: statistics could not
-- distinguish them.
-- params: account text, id text[], beneficiary text[], text text[], since timestamptz
-- row: id text
select a.id from unnest($2::text[], $3::text[], $4::text[]) as a(id, beneficiary, text)
where exists (
  select from relais.operation o
  where o.beneficiary = a.beneficiary and o.created_at >= $5::timestamptz and o.account = $1 and o.kind = 'message'
    and o.id <> a.id and o.request ->> 'text' = a.text and (o.state = 'sending' or (o.state = 'unknown' and o.due_at is not null)));

-- name: counted_alike
-- Other messages with the same text and recipient that may have been sent, with the provider's code of each.
-- params: account text, id text[], beneficiary text[], text text[], since timestamptz
-- row: asked text, state text, code text
select a.id as asked, o.state, o.facts ->> 'code' as code
from unnest($2::text[], $3::text[], $4::text[]) as a(id, beneficiary, text)
join relais.operation o on o.beneficiary = a.beneficiary and o.created_at >= $5::timestamptz and o.account = $1
  and o.kind = 'message' and o.id <> a.id and o.request ->> 'text' = a.text and o.state in ('sending', 'unknown', 'sent');

-- name: campaigns_of_phones
-- Numbers among these to which a campaign of the account may have sent an SMS since then.
-- params: account text, phone int8[], since timestamptz
-- row: phone int8
select distinct r.phone
from relais.recipient r join relais.campaign c on c.number = r.campaign
where r.phone = any($2::int8[]) and c.account = $1 and c.started_at is not null
  and (c.finished_at is null or c.finished_at >= $3::timestamptz);
