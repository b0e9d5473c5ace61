-- Lines that an act adds in its own transaction: to the audit log, and to the events.

-- name: note_act
-- Adds a line to the audit log. The publisher signs it later.
-- params: by text, person text, role text, source text, act text, target text, request_id text, facts jsonb, now timestamptz, before jsonb
-- row:
insert into relais.audit_line (at, by, person, role, source, act, target, request_id, before, facts)
values (coalesce($9::timestamptz, now()), $1::text, $2::text, $3::text, $4::text, $5::text, $6::text, $7::text, $10::jsonb, coalesce($8::jsonb, '{}'));

-- name: report_event
-- Reports a change to callers. The publisher assigns the event's position.
-- params: id text, account text, subject text, type text, data jsonb, now timestamptz
-- row:
insert into relais.outbox (id, account, subject, type, data, at)
values ($1::text, $2::text, $3::text, $4::text, $5::jsonb, coalesce($6::timestamptz, now()));
