-- Partitions: events and audit lines by month in UTC, recipients and SMS requests by range of campaign numbers.

-- name: make_partition
-- params: parent text, part text, low text, high text, lock_ms int4
-- row: outcome text
select relais.make_partition($1, $2, $3, $4, $5) as outcome;

-- name: drop_partition
-- params: part text, lock_ms int4
-- row: dropped bool
select relais.drop_partition($1, $2) as dropped;

-- name: partitions
-- params:
-- row: parent name, part name
select p.relname as parent, c.relname as part
from pg_inherits i join pg_class p on p.oid = i.inhparent join pg_class c on c.oid = i.inhrelid
where i.inhparent in ('relais.event'::regclass, 'relais.audit_line'::regclass, 'relais.recipient'::regclass, 'relais.sms_request'::regclass)
order by p.relname, c.relname;
