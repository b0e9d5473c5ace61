-- What each role of a schema may do. `relais migrate --roles` runs it, or prints it, with the name of the schema in place of
-- `relais`; it can be run again at any time.

-- Enqueues requests from SQL, and reads its own. A login that belongs to it needs a grant as well:
--   select relais.enqueue_grant('shop', 'main', '{disbursement,message}');
do $$ begin
  create role relais_enqueue nologin;
exception when duplicate_object or unique_violation then null;
end $$;
grant usage on schema relais to relais_enqueue;
grant execute on function relais.enqueue(text, jsonb, text) to relais_enqueue;
grant select on relais.my_intake to relais_enqueue;
