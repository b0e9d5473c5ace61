-- Roles of the ledger. Run it as the owner of the schema, with the right to create roles; it is idempotent.
-- `relais_app` runs relais with MIGRATE=off, `relais_reader` reads the views of finance, `relais_enqueue` can
-- enqueue. None can log in: give each a password, or grant it to a role that logs in.
do $$
declare
  name text;
begin
  foreach name in array array['relais_app', 'relais_reader', 'relais_enqueue'] loop
    if not exists (select from pg_roles where rolname = name) then
      execute format('create role %I nologin', name);
    end if;
    execute format('grant usage on schema relais to %I', name);
  end loop;
  -- Behind a pooler sessions do not keep settings, so the role has them.
  execute format('alter role relais_app in database %I set lock_timeout = %L', current_database(), '1s');
  execute format('alter role relais_app in database %I set statement_timeout = %L', current_database(), '10s');
  execute format('alter role relais_app in database %I set idle_in_transaction_session_timeout = %L', current_database(), '60s');
  execute format('alter role relais_app in database %I set timezone = %L', current_database(), 'UTC');
  execute format('alter role relais_app in database %I set datestyle = %L', current_database(), 'ISO');
  execute format('alter role relais_app in database %I set default_transaction_isolation = %L', current_database(), 'read committed');
  execute format('alter role relais_app in database %I set standard_conforming_strings = on', current_database());
end $$;
grant select, insert, update, delete on all tables in schema relais to relais_app;
grant usage, select, update on all sequences in schema relais to relais_app;
grant execute on all functions in schema relais to relais_app;
alter default privileges in schema relais grant select, insert, update, delete on tables to relais_app;
alter default privileges in schema relais grant usage, select, update on sequences to relais_app;
alter default privileges in schema relais grant execute on functions to relais_app;
grant select on relais.disbursements, relais.recipients, relais.events, relais.audit, relais.balances, relais.in_doubt, relais.daily
  to relais_reader;
grant execute on function relais.enqueue(text, jsonb, text) to relais_enqueue;
grant select on relais.my_intake to relais_enqueue;
