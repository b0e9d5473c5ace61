-- Diagnostics of PostgreSQL for doctor and metrics. Every statement works without extra privileges: values that the
-- role cannot see are null or omitted.

-- name: server_state
-- params:
-- row: version int4, standby bool, read_only bool, encoding text, fsync text, full_page_writes text, synchronous_commit text, parameters text, parameters_on_error text, error_verbosity text, logs_statements bool, role text, database text, connections int8, connections_most int4, at float8
select current_setting('server_version_num')::int4 as version, pg_is_in_recovery() as standby,
  current_setting('default_transaction_read_only')::bool as read_only,
  current_setting('server_encoding') as encoding, current_setting('fsync') as fsync,
  current_setting('full_page_writes') as full_page_writes, current_setting('synchronous_commit') as synchronous_commit,
  current_setting('log_parameter_max_length', true) as parameters,
  current_setting('log_parameter_max_length_on_error', true) as parameters_on_error,
  current_setting('log_error_verbosity') as error_verbosity,
  (current_setting('log_statement') <> 'none' or current_setting('log_min_duration_statement') <> '-1'
    or current_setting('log_duration') = 'on') as logs_statements, current_user::text as role, current_database()::text as database,
  (select count(*) from pg_stat_activity where backend_type = 'client backend') as connections,
  current_setting('max_connections')::int4 as connections_most, extract(epoch from clock_timestamp())::float8 * 1000 as at;

-- name: missing_rights
-- Tables of the schema that the role cannot read or write.
-- params: schema text
-- row: name text
select c.relname::text as name from pg_class c
where c.relnamespace = to_regnamespace($1::text) and c.relkind in ('r', 'p') and c.relname <> 'migration'
  and not (has_table_privilege(c.oid, 'select') and has_table_privilege(c.oid, 'insert') and has_table_privilege(c.oid, 'update')
    and has_table_privilege(c.oid, 'delete'))
order by c.relname;

-- name: oldest_snapshot
-- The transaction that has blocked the removal of dead rows for longest. No row: none is open.
-- params:
-- row: holder text, age_ms float8
select s.holder, s.age_ms from (
  select coalesce(nullif(a.application_name, ''), 'a session') || ' (pid ' || a.pid || ', user ' || coalesce(a.usename::text, '-')
      || ', ' || coalesce(a.state, '-') || ')' as holder, extract(epoch from clock_timestamp() - a.xact_start)::float8 * 1000 as age_ms
  from pg_stat_activity a
  where a.xact_start is not null and a.datname = current_database() and a.pid <> pg_backend_pid() and a.backend_type = 'client backend'
  union all
  select 'prepared transaction ' || p.gid, extract(epoch from clock_timestamp() - p.prepared)::float8 * 1000
  from pg_prepared_xacts p where p.database = current_database()
) s
order by s.age_ms desc limit 1;

-- name: dead_rows
-- Counted by autovacuum, without reading a table.
-- params: schema text
-- row: name text, dead int8, live int8
select t.relname::text as name, t.n_dead_tup as dead, t.n_live_tup as live
from pg_stat_user_tables t where t.schemaname = $1::text and t.n_dead_tup > 0 order by t.n_dead_tup desc, t.relname limit 10;

-- name: default_partitions
-- Default partitions of events and audit lines that have rows.
-- params:
-- row: name text
select 'event_rest' as name where exists (select from relais.event_rest)
union all select 'audit_line_rest' where exists (select from relais.audit_line_rest);

-- name: publishing_state
-- The publisher's backlog: rows without a position, quarantined rows, audit lines without a MAC.
-- params:
-- row: oldest_at timestamptz, quarantined int8, unsigned int8
select (select o.at from relais.outbox o where o.refused is null order by o.sequence limit 1) as oldest_at,
  (select count(*) from relais.outbox o where o.refused is not null) as quarantined,
  (select count(*) from relais.audit_line l where l.mac is null) as unsigned;
