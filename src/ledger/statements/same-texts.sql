-- SMS with the same text and recipient: statistics cannot distinguish them.

-- name: campaign_texts_of_phones
-- Recipients of other campaigns of the account that may have been sent to since then, with the text of their SMS.
-- params: account text, phones int8[], campaign text, since timestamptz
-- row: phone int8, variables text, campaign text, body text, replace_costly bool
select r.phone, r.variables, c.id as campaign, c.body, coalesce(c.options ->> 'replaceCostly' in ('1', 'true'), false) as replace_costly
from relais.recipient r
join relais.campaign c on c.number = r.campaign and r.n < c.recipients
join lateral (select * from relais.recipient_status x where x.campaign = r.campaign and x.n = r.n) s on true
where r.phone = any($2) and c.account = $1 and c.id <> $3 and c.started_at is not null
  and (c.state not in ('finished', 'cancelled') or c.updated_at >= $4::timestamptz)
  and (s.letter in ('g', 's', 'u') or s.resent > 0);
