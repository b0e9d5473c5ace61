-- The ledger: requests, their results, and the acts of users. Text in a key is collated "C": its order is the byte
-- order of TypeScript's sort, and no upgrade of a locale library can break an index. Days are UTC days. Amounts are
-- whole XOF.

-- 1. Deployment ---------------------------------------------------------------------------------------------------------

create table relais.deployment (
  is_only         boolean     primary key default true check (is_only),
  id              uuid        not null,                      -- of this ledger; a witness of another id is ignored
  environment     text        not null,
  mode            text        not null check (mode in ('test', 'live')),
  timezone        text        not null default 'UTC',        -- TIMEZONE: the days of `daily` are those of its clock
  fingerprint     text,                                      -- of provider, credentials and accounts
  epoch           int         not null default 1,            -- raised by a recovery; part of every cursor
  recovering_at   timestamptz,                               -- set: nothing is accepted and nothing leaves
  recovering_why  text,
  unwitnessed_at  timestamptz,                               -- set: no witness has confirmed this ledger, see ledger/life.ts
  witnessed_at    timestamptz,                               -- when a witness knew nothing that is missing here
  system_id       text,                                      -- PostgreSQL's own identifier, and the OID of `operation`:
  operation_oid   oid,                                       -- other values mean that this is a copy
  created_at      timestamptz not null default now()
);

-- One row per lane of a process. Every statement that accepts, intends or changes raises the counter of its lane and
-- requires that no counter is behind the memory of its process. This detects a ledger that was restored from a
-- backup.
create table relais.mark (
  lane            text        collate "C" primary key,
  counter         bigint      not null default 0,
  fenced          boolean     not null default false         -- its successor took over: the lane writes nothing more
) with (fillfactor = 50);

-- Ended lanes and processes. Their names are never reused, so a process that remembers a lane can distinguish its end
-- from a data loss.
create table relais.retired_lane (
  lane            text        collate "C" primary key,
  counter         bigint      not null,
  at              timestamptz not null default now()
);
create index retired_lane_at on relais.retired_lane (at);

create table relais.worker (
  process         text        collate "C" primary key,
  slot            text        collate "C" not null,
  boot_id         text        not null,
  pid_namespace   text        not null,
  pid             int         not null,
  pid_started     text        not null,
  version         text        not null,
  schema_version  int         not null,
  roles           text[]      not null,
  beat            bigint      not null default 0,            -- silent: an observer saw the same number twice, 10 s apart
  started_at      timestamptz not null default now(),
  beat_at         timestamptz not null default now(),
  compared        text                                       -- the run of the server that it has compared with what it remembers
) with (fillfactor = 50);

-- One run of PostgreSQL, from a start to a stop. A ledger is restored, or a standby promoted, only with another run.
create function relais.server_run() returns text language sql stable as $$
  select extract(epoch from pg_catalog.pg_postmaster_start_time())::text
$$;

-- Whether every process has compared this run of PostgreSQL with what it and its witnesses remember. Before that, a process
-- that remembers less than another one could repeat a payment that only the other one knows.
create function relais.is_compared() returns boolean language sql stable as $$
  select not exists (select from relais.worker w where w.compared is distinct from relais.server_run())
$$;

-- Whether a new request may leave: no recovery is in progress, and every process has compared.
create function relais.may_send() returns boolean language sql stable as $$
  select exists (select from relais.deployment d where d.recovering_at is null) and relais.is_compared()
$$;

-- One row for each detected or suspected restore. The newest one is running until `ended_at` is set.
create table relais.recovery (
  number          bigint      generated always as identity primary key,
  because         text        not null,
  since           timestamptz not null default now(),
  epoch           int         not null,                      -- of the copy
  last_beat       timestamptz not null,                      -- until when this copy is known to be complete
  marks           jsonb       not null,                      -- lane -> counter in the copy
  known           jsonb       not null default '{}',         -- lane -> counter that a process or a witness remembers
  before          jsonb,                                     -- what was open, for the report
  report          jsonb,
  confirmed_by    text,                                      -- the first of two persons who say that nothing was lost
  confirmed_at    timestamptz,
  ended_by        text,
  ended_at        timestamptz
);
create unique index recovery_under_way on relais.recovery ((true)) where ended_at is null;

create table relais.leader (
  name            text        collate "C" primary key,
  process         text        collate "C",
  lease_until     timestamptz
) with (fillfactor = 50);

create sequence relais.lease_number;

-- Every statement that accepts, intends or changes calls this first, with the remembered counters of all lanes. It
-- raises the counter of the lane, or an error that prevents any write:
--   RL001  a lane is behind what the process remembers: the ledger was restored to an earlier point
--   RL002  the lane is fenced, or gone: a successor has taken over its work
--   RL003  the ledger is recovering, and the statement would accept a request or let one leave
--   RL004  the epoch is another one: a recovery was completed
--   RL005  the lane has gone on without this statement: it comes late, or another process has the name of the lane
--   RL006  a process has not yet compared what it remembers with this run of PostgreSQL, and the statement would let one leave
create function relais.raise_mark(
  own_lane text, known_epoch int, lanes text[], counters bigint[], must_be_open boolean, leaves boolean
)
returns bigint language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  raised bigint;
  here record;
begin
  update relais.mark set counter = counter + 1 where lane = own_lane and not fenced returning counter into raised;
  if raised is null then
    raise exception 'the lane is fenced or gone' using errcode = 'RL002';
  end if;
  if exists (
    select from unnest(lanes, counters) as known(lane, counter)
    left join relais.mark m on m.lane = known.lane
    left join relais.retired_lane r on m.lane is null and r.lane = known.lane
    where coalesce(m.counter, r.counter, -1) < known.counter + (case when m.lane = own_lane then 1 else 0 end)
  ) then
    raise exception 'a lane is behind what this process remembers' using errcode = 'RL001';
  end if;
  if exists (select from unnest(lanes, counters) as known(lane, counter)
             where known.lane = own_lane and known.counter + 1 <> raised) then
    raise exception 'the lane has gone on without this statement' using errcode = 'RL005';
  end if;
  select d.epoch, d.recovering_at is not null as recovering into strict here from relais.deployment d;
  if here.epoch <> known_epoch then
    raise exception 'the epoch of the ledger is %, not %', here.epoch, known_epoch using errcode = 'RL004';
  end if;
  if must_be_open and here.recovering then
    raise exception 'the ledger is recovering' using errcode = 'RL003';
  end if;
  if leaves and not relais.is_compared() then
    raise exception 'not every process has compared what it remembers' using errcode = 'RL006';
  end if;
  return raised;
end $$;

-- Creates a lane, or raises the counter of an existing one. Null: the lane is fenced, or its process was retired. A
-- running takeover has locked the row of the process, so this waits before it reads the retired lanes. Otherwise a
-- lane that the takeover has ended would restart from 0, which every other process would see as a data loss.
create function relais.open_lane(own_lane text, known bigint) returns bigint language plpgsql
set search_path = pg_catalog, pg_temp as $$
declare
  raised bigint;
begin
  perform from relais.worker w where w.process = split_part(own_lane, '/', 1) for key share;
  if exists (select from relais.retired_lane r where r.lane in (own_lane, split_part(own_lane, '/', 1))) then
    return null;
  end if;
  insert into relais.mark as m (lane, counter) values (own_lane, case when known = 0 then 1 else 0 end)
  on conflict (lane) do update set counter = m.counter + case when m.counter < known then 0 else 1 end where not m.fenced
  returning m.counter into raised;
  return raised;
end $$;

-- Raises RL003 while the ledger is recovering. For accepting statements outside the lanes.
create function relais.require_open() returns boolean language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
begin
  if exists (select from relais.deployment d where d.recovering_at is not null) then
    raise exception 'the ledger is recovering' using errcode = 'RL003';
  end if;
  return true;
end $$;

-- The id of the event for this version of a subject. After a recovery a version can be used again with other content:
-- the epoch distinguishes the two.
create function relais.event_id(subject text, version int) returns text language sql stable
set search_path = pg_catalog, pg_temp as $$
  select subject || '.' || version || case when d.epoch > 1 then '.' || d.epoch else '' end from relais.deployment d
$$;

-- Ends a shared statement because of one request in it. The caller repeats the statement in halves until that request
-- is alone.
create function relais.refuse(rule text) returns boolean language plpgsql as $$
begin
  raise exception '%', rule using errcode = 'RL100';
end $$;

-- 2. Operations ---------------------------------------------------------------------------------------------------------

-- The lifecycles of src/kinds, as rows. `recount`: how a change affects the sums of the day: 1 counts the amount
-- again, -1 subtracts it.
create table relais.arrow (
  kind            text        collate "C" not null,
  was             text        collate "C" not null,
  state           text        collate "C" not null,
  recount         smallint    not null default 0,
  totals          jsonb       not null default '{}',         -- operations it adds to each measure of the day; acceptance: from '' to ''
  primary key (kind, was, state)
);

create table relais.operation (
  id              text        collate "C" primary key,       -- derived from the identity of the request
  kind            text        collate "C" not null,
  account         text        collate "C" not null,
  reference       text        collate "C",
  idempotency_key text        collate "C",
  fingerprint     bytea       not null,                      -- the same identity with another one is a conflict
  state           text        collate "C" not null,
  queue           text        collate "C",                   -- null: nothing is ever due
  amount          bigint      check (amount > 0),
  beneficiary     text        collate "C",                   -- canonical, for limits and search; null once erased
  request         jsonb       not null,                      -- as asked; only an erasure changes it
  metadata        jsonb       check (jsonb_typeof(metadata) = 'object'),
  payee_name      text,
  purpose         text,
  provider_id     text        collate "C",                   -- disburse_id: the same for every submit
  token           text        collate "C",
  transaction_id  text        collate "C",
  provider_ref    text        collate "C",
  facts           jsonb       not null default '{}',         -- what only this kind has: URL, payer, fees, decision
  evidence        text[]      not null default '{}',         -- `time operation|code|http status|detail`, 50 lines at most
  evidence_total  int         not null default 0,            -- lines in all, also those that are no longer stored
  reason          text,
  sends           smallint    not null default 0,
  tries           smallint    not null default 0,
  token_at        timestamptz,
  sent_at         timestamptz,
  send_until      timestamptz,                               -- the deadline of the intent: no byte leaves after it
  quiet_until     timestamptz,
  not_before      timestamptz,
  batch           text        collate "C",
  created_by      text        not null,
  approved_by     text,
  approved_at     timestamptz,
  rejected_by     text,
  note            text,
  trace           text,
  created_at      timestamptz(3) not null default now(),     -- cursors of lists count milliseconds
  updated_at      timestamptz(3) not null default now(),
  since           timestamptz(3) not null default now(),     -- of its state
  finished_at     timestamptz,
  paid_at         timestamptz,                               -- or collected
  came_back_at    timestamptz,
  counted_on      date,                                      -- the day whose sums hold its amount
  version         int         not null default 1,
  schema_version  smallint    not null,
  due_at          timestamptz,
  lease           bigint,
  lease_until     timestamptz,
  holder          text        collate "C",                   -- the process that took the lease
  last_lease      bigint,                                    -- of the attempt that ended last: its change is known again
  signalled       text        collate "C",                   -- callbacks came since the lease; `,a,b,`: states that say as much
  op              uuid        not null,                      -- the statement that wrote it last: settles a lost answer
  constraint operation_due_has_queue check (due_at is null or queue is not null),
  constraint operation_lease_ends check ((lease is null) = (lease_until is null)),
  constraint operation_evidence_is_bounded check (cardinality(evidence) <= 50)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.01);

create unique index operation_reference   on relais.operation (reference, account, kind) where reference is not null;
create unique index operation_key         on relais.operation (account, kind, idempotency_key) where idempotency_key is not null;
create unique index operation_token       on relais.operation (token, account) where token is not null;
create unique index operation_transaction on relais.operation (transaction_id, account) where transaction_id is not null;
create unique index operation_request_ref on relais.operation (provider_ref, account) where kind = 'payment_request' and provider_ref is not null;
create        index operation_due         on relais.operation (queue, account, due_at) where due_at is not null;
create        index operation_open        on relais.operation (kind, state, since, id) include (account, amount) where finished_at is null;
-- Lists read these backwards. The amount is included because lists filter and sum it.
create        index operation_list        on relais.operation (account, kind, state, created_at, id) include (amount);
create        index operation_new         on relais.operation (kind, created_at, id);
create        index operation_beneficiary on relais.operation (beneficiary, created_at, id) where beneficiary is not null;
create        index operation_batch       on relais.operation (batch, created_at, id) where batch is not null;
create        index operation_provider_id on relais.operation (provider_id) where provider_id is not null;
create        index operation_provider_ref on relais.operation (provider_ref) where provider_ref is not null;
create        index operation_disburse_tx on relais.operation (((facts ->> 'disburseTxId') collate "C")) where facts ->> 'disburseTxId' is not null;
create        index operation_metadata    on relais.operation using gin (metadata jsonb_path_ops) where metadata is not null;

-- Refuses a change of a campaign or batch without an arrow. Their kind is the argument of the trigger.
create function relais.check_arrow() returns trigger language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  if not exists (select from relais.arrow a where a.kind = tg_argv[0] and a.was = old.state and a.state = new.state) then
    raise exception 'no arrow of % leads from % to %', tg_argv[0], old.state, new.state using errcode = 'P0001';
  end if;
  return new;
end $$;

-- Finished operations by state. `outcome`: recipients and messages that changed their outcome or were removed, so
-- that outcome metrics never decrease. Each change adds a row to `final_change`, so that writers do not wait for one
-- counter row; `fold_counts` moves them into `final_count`.
create table relais.final_change (
  kind            text        collate "C" not null,
  state           text        collate "C" not null,
  change          bigint      not null
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);
create table relais.final_count (
  kind            text        collate "C" not null,
  state           text        collate "C" not null,
  count           bigint      not null,
  primary key (kind, state)
) with (fillfactor = 50);

-- Every state change of an operation, by any statement: the arrow, the times for finance, and the counts of finished
-- operations. A payment that failed after all was never paid.
create function relais.enter_state() returns trigger language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  if new.state <> old.state and not exists (
    select from relais.arrow a where a.kind = new.kind and a.was = old.state and a.state = new.state
  ) then
    raise exception 'no arrow of % leads from % to %', new.kind, old.state, new.state using errcode = 'P0001';
  end if;
  if old.state = 'awaiting_approval' and new.approved_by is not null then
    new.approved_at := coalesce(new.approved_at, new.since);
  end if;
  if new.state in ('succeeded', 'completed', 'reversed') then
    new.paid_at := coalesce(new.paid_at, new.since);
  elsif new.finished_at is not null then
    new.paid_at := null;
  end if;
  if new.state = 'reversed' then
    new.came_back_at := coalesce(new.came_back_at, new.since);
  end if;
  if old.finished_at is not null then
    insert into relais.final_change values (old.kind, old.state, -1);
  end if;
  if new.finished_at is not null then
    insert into relais.final_change values (new.kind, new.state, 1);
  end if;
  if old.kind = 'message' and old.state in ('sent', 'failed', 'unknown', 'expired') and new.state <> old.state then
    insert into relais.final_change values ('outcome', old.state, 1);
  end if;
  return new;
end $$;
create trigger operation_enters_state before update of state, finished_at on relais.operation
  for each row when (old.state <> new.state or (old.finished_at is null) <> (new.finished_at is null))
  execute function relais.enter_state();

-- Records the SMS to the payee of a payment that enters a state of its `notify`, in the transaction of that state, whichever
-- statement makes it. Its id is derived from payment and state: there is one at most. If a ledger was restored without proof of
-- what left since, the SMS of an older payment may have been sent: it is in doubt. So is that of a payment whose disburse_id was
-- used in the data-loss window. While no witness has confirmed the ledger, the SMS counts as old as its payment, so it waits.
create function relais.notify_payee() returns trigger language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  said constant text := new.request -> 'notify' -> 'texts' ->> new.state;
begin
  if said is null then
    return new;
  end if;
  -- Until the recovery ends, its last step waits for this transaction, and doubts the SMS with all others.
  perform from relais.deployment d where d.recovering_at is not null for share;
  insert into relais.operation (
    id, kind, account, fingerprint, state, queue, beneficiary, request, reason, sends, created_by, trace, created_at, updated_at,
    since, due_at, schema_version, op
  )
  select m.id, 'message', new.account, ''::bytea, case when r.doubted then 'unknown' else 'queued' end,
    case when r.doubted then 'status-poll' else 'sms-batch' end, new.request -> 'notify' ->> 'payee',
    jsonb_build_object('to', new.request -> 'notify' ->> 'phone', 'text', said, 'lane', 'normal', 'disbursement', new.id,
      'tells', new.state),
    case when r.doubted then 'restored' end, case when r.doubted then 1 else 0 end, new.created_by, new.trace,
    case when d.unwitnessed_at > new.created_at then new.created_at else new.since end, new.since, new.since, new.since,
    new.schema_version, new.op
  from relais.deployment d
  cross join lateral (select relais.derived_id('msg', d.environment, new.id, new.state) as id) m
  cross join lateral (
    select exists (
      select from relais.recovery r where r.ended_at is not null and r.report ? 'broken' and (r.since >= new.created_at or new.facts ? 'idUsed')
    ) as doubted
  ) r
  where not exists (select from relais.tombstone t where t.id = m.id)
  on conflict do nothing;
  return new;
end $$;
create trigger operation_notifies_payee before update of state on relais.operation
  for each row when (old.state <> new.state and new.kind = 'disbursement' and new.request ? 'notify')
  execute function relais.notify_payee();

-- Retention removes finished operations; a recovery may restore one.
create function relais.count_row() returns trigger language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  if tg_op = 'DELETE' then
    insert into relais.final_change values (old.kind, old.state, -1);
    if old.kind = 'message' and old.state in ('sent', 'failed', 'expired') then
      insert into relais.final_change values ('outcome', old.state, 1);
    end if;
  else
    insert into relais.final_change values (new.kind, new.state, 1);
  end if;
  return null;
end $$;
create trigger operation_is_removed after delete on relais.operation
  for each row when (old.finished_at is not null) execute function relais.count_row();
create trigger operation_is_born_finished after insert on relais.operation
  for each row when (new.finished_at is not null) execute function relais.count_row();

-- List filters that the index does not cover. Null: no filter.
create function relais.is_listed(
  o relais.operation, kind text, accounts text[], states text[], amount_min bigint, amount_max bigint, beneficiary text,
  batch text, token text, transaction_id text, provider_ref text, provider_id text, metadata jsonb
) returns boolean language sql immutable as $$
  select o.kind = is_listed.kind
    and (accounts is null or o.account = any(accounts)) and (states is null or o.state = any(states))
    and (amount_min is null or coalesce(o.amount >= amount_min, false))
    and (amount_max is null or coalesce(o.amount <= amount_max, false))
    and (is_listed.beneficiary is null or coalesce(o.beneficiary = is_listed.beneficiary, false))
    and (is_listed.batch is null or coalesce(o.batch = is_listed.batch, false))
    and (is_listed.token is null or coalesce(o.token = is_listed.token, false))
    and (is_listed.transaction_id is null or coalesce(o.transaction_id = is_listed.transaction_id, false)
      or coalesce(o.facts ->> 'disburseTxId' = is_listed.transaction_id, false))
    and (is_listed.provider_ref is null or coalesce(o.provider_ref = is_listed.provider_ref, false))
    and (is_listed.provider_id is null or coalesce(o.provider_id = is_listed.provider_id, false))
    and (is_listed.metadata is null or coalesce(o.metadata @> is_listed.metadata, false))
$$;

-- Ids of operations with these metadata, unordered. Without the setting, a generic plan reads the whole table.
create function relais.ids_with_metadata(wanted jsonb, most int) returns setof text
language sql stable set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
  select o.id from relais.operation o where o.metadata @> wanted limit most
$$;

-- An operation with the same beneficiary and amount that was accepted since a moment. Called after the row of `spent`
-- is locked, and volatile, so that it sees commits made while the caller waited for that lock.
create function relais.twin_of(own_id text, own_account text, own_beneficiary text, own_amount bigint, earliest timestamptz)
returns text language sql volatile set search_path = pg_catalog, pg_temp as $$
  select o.id from relais.operation o
  where o.beneficiary = own_beneficiary and o.created_at >= earliest and o.account = own_account
    and o.amount = own_amount and o.id <> own_id and o.state not in ('rejected', 'cancelled', 'failed', 'reversed')
  order by o.created_at desc, o.id desc limit 1
$$;

-- The first 12 lines of evidence, the newest 26, and the newest 12 intents between them: a reviewer first needs the
-- requests and their times.
create function relais.bound_evidence(lines text[]) returns text[] language sql immutable set search_path = pg_catalog, pg_temp as $$
  with numbered as (
    select line, n, n <= 12 or n > cardinality(lines) - 26 as stays from unnest(lines) with ordinality as u(line, n)
  ),
  intents as (
    select n from numbered where not stays and substr(line, 26) like '%|intended%' order by n desc limit 12
  )
  select array(select line from numbered where stays or n in (select n from intents) order by n)
$$;

-- The evidence with one more line, at the current time.
create function relais.add_evidence(lines text[], at timestamptz, line text) returns text[] language sql stable
set search_path = pg_catalog, pg_temp as $$
  select case when cardinality(lines) < 50 then said.lines else relais.bound_evidence(said.lines) end
  from (select lines || (to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z" ') || line) as lines) said
$$;

-- The last callback that contradicts an operation, without secrets; also for an unknown id.
create table relais.callback (
  id              text        collate "C" primary key,
  body            text        not null,
  at              timestamptz not null default now()
);
create index callback_at on relais.callback (at);

-- What an arrow adds to the daily totals, by name: operations, and their XOF.
create function relais.day_totals(kind text, account text, place text, measures jsonb, xof bigint)
returns table (name text, change bigint) language sql immutable set search_path = pg_catalog, pg_temp as $$
  select kind || '|' || account || '|' || coalesce(place, '') || '|' || m.key || s.suffix, m.value::bigint * s.times
  from jsonb_each_text(measures) as m(key, value)
  cross join lateral (values ('', 1::bigint), ('Xof', xof)) as s(suffix, times)
$$;

-- What a state change adds to the daily totals, as stored in the outbox; null: nothing.
create function relais.totals_of(kind text, account text, place text, was text, state text, xof bigint)
returns jsonb language sql stable set search_path = pg_catalog, pg_temp as $$
  select jsonb_object_agg(t.name, t.change)
  from relais.arrow w cross join lateral relais.day_totals($1, $2, $3, w.totals, coalesce($6, 0)) as t
  where w.kind = $1 and w.was = $4 and w.state = $5
$$;

-- Tombstones of operations that retention removed. A repeated request gets an answer and is never executed again.
create table relais.tombstone (
  id              text        collate "C" primary key,
  kind            text        collate "C" not null,
  account         text        collate "C" not null,
  reference       text        collate "C",
  idempotency_key text        collate "C",
  fingerprint     bytea       not null,
  state           text        collate "C" not null,
  amount          bigint,
  finished_at     timestamptz not null,
  buried_at       timestamptz not null default now(),        -- its row goes ten minutes later, in another transaction
  pending         boolean     not null default true          -- its row is still there
);
create        index tombstone_pending   on relais.tombstone (kind, buried_at) where pending;
create        index tombstone_age       on relais.tombstone (buried_at) where not pending;
create unique index tombstone_reference on relais.tombstone (account, kind, reference) where reference is not null;
create unique index tombstone_key       on relais.tombstone (account, kind, idempotency_key) where idempotency_key is not null;

-- 3. Campaigns ----------------------------------------------------------------------------------------------------------

create table relais.campaign (
  number          bigint      generated always as identity primary key,
  id              text        collate "C" not null unique,
  account         text        collate "C" not null,
  reference       text        collate "C",
  idempotency_key text        collate "C",
  fingerprint     bytea       not null,
  name            text        not null,
  body            text        not null,                      -- '': a draft without a text yet
  options         jsonb       not null default '{}',         -- sender, country, quiet hours, canary, failure limit
  metadata        jsonb       check (jsonb_typeof(metadata) = 'object'),
  uploads         jsonb       not null default '[]',         -- the files of its recipients, in order
  hands           jsonb       not null default '{}',         -- {person: since}: who prepared it; none of them approves it
  state           text        collate "C" not null,
  reason          text,
  left_out        int         not null default 0,            -- rows of its files that are no recipients
  recipients      int         not null default 0,            -- rows of `recipient` that count: their n is below it
  requests        int         not null default 0,            -- so many exist: the number of the next one
  open            int         not null default 0,            -- requests that are not settled
  sent            int         not null default 0,
  failed          int         not null default 0,
  unknown         int         not null default 0,
  skipped         int         not null default 0,
  expired         int         not null default 0,
  cancelled       int         not null default 0,
  resent          int         not null default 0,            -- recipients that were sent to again after a doubt
  segments        bigint      not null default 0,            -- estimated by the uploads
  extra           int         not null default 0,            -- requests that splits cost
  canary          int         not null default 0,            -- so many requests go first, alone
  canary_over     boolean     not null default false,
  other_sender    text,                                      -- that the provider used instead of the one asked for
  judged_over     int         not null default 0,            -- recipients with a letter when failures were last judged
  judged_failed   int         not null default 0,
  judged_unknown  int         not null default 0,
  retries         int         not null default 0,
  retry_unknown   boolean     not null default false,
  retry_keys      text[]      collate "C" not null default '{}',
  per_second      int         check (per_second > 0),
  pace_at         timestamptz,                               -- when the next recipient may leave at this pace
  starts_at       timestamptz,
  due_at          timestamptz,                               -- it starts by itself, or its hold is checked
  created_by      text        not null,
  approved_by     text,
  approved_at     timestamptz,
  rejected_by     text,
  note            text,
  trace           text,
  created_at      timestamptz(3) not null default now(),
  updated_at      timestamptz not null default now(),
  started_at      timestamptz,
  since           timestamptz(3) not null default now(),
  finished_at     timestamptz,
  turn            bigint      not null default 0,            -- campaigns take turns: the smallest is next
  version         int         not null default 1,            -- of its state and content; counts do not raise it
  constraint campaign_adds_up check (
    state <> 'finished' or sent + failed + unknown + skipped + expired + cancelled = recipients)
) with (fillfactor = 50);
create unique index campaign_reference on relais.campaign (reference, account) where reference is not null;
create unique index campaign_key       on relais.campaign (account, idempotency_key) where idempotency_key is not null;
create        index campaign_running   on relais.campaign (turn, number) where state = 'running';
create        index campaign_due       on relais.campaign (due_at) where due_at is not null;
create        index campaign_list      on relais.campaign (account, state, created_at, id);
create        index campaign_new       on relais.campaign (created_at, id);
create        index campaign_metadata  on relais.campaign using gin (metadata jsonb_path_ops) where metadata is not null;
create trigger campaign_follows_arrows before update of state on relais.campaign
  for each row when (old.state is distinct from new.state) execute function relais.check_arrow('campaign');
create sequence relais.campaign_turn;

create function relais.keep_outcomes() returns trigger language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  if tg_op = 'DELETE' then
    insert into relais.final_change
    select 'outcome', o.outcome, o.count
    from (values ('sent', old.sent), ('failed', old.failed), ('unknown', old.unknown), ('expired', old.expired)) as o(outcome, count)
    where o.count > 0;
  else
    insert into relais.final_change
    select 'outcome', o.outcome, o.count
    from (values ('sent', old.sent - new.sent), ('failed', old.failed - new.failed), ('unknown', old.unknown - new.unknown),
      ('expired', old.expired - new.expired)) as o(outcome, count)
    where o.count > 0;
  end if;
  return null;
end $$;
create trigger campaign_outcomes_shrink after update of sent, failed, unknown, expired on relais.campaign
  for each row when (new.sent < old.sent or new.failed < old.failed or new.unknown < old.unknown or new.expired < old.expired)
  execute function relais.keep_outcomes();
create trigger campaign_is_removed after delete on relais.campaign for each row execute function relais.keep_outcomes();

-- Up to 50 recipients in one request to the provider. `outcome` has one letter per recipient: s sent, f failed, u
-- unknown, x skipped, e expired, c cancelled, and - if a newer request has the recipient (after a split, a retry or a
-- resend). So each recipient has a letter other than - in exactly one request. Without `outcome` the request is
-- queued or sending.
create table relais.sms_request (
  campaign        bigint      not null,
  n               int         not null,
  size            smallint    not null check (size between 1 and 50),
  members         int[],                                     -- null: consecutive recipients, from 50 * n
  before          "char"      check (before in ('f', 'u')),  -- what its recipients were before a retry or resend
  part            boolean     not null default false,        -- made by a split
  state           text        collate "C" not null default 'queued' check (state in ('queued', 'sending', 'refused', 'unknown', 'settled')),
  outcome         text        collate "C" check (length(outcome) = size and outcome ~ '^[sfuxec-]+$'),
  codes           text,                                      -- of the provider: one for all, or one each, separated by spaces
  countries       text,                                      -- of its recipients, in the same way
  sends           smallint    not null default 0,
  checks          smallint    not null default 0,            -- in the statistics of the provider
  lease           bigint,
  lease_until     timestamptz,
  holder          text        collate "C",                   -- the process that took the lease
  send_until      timestamptz,                               -- the deadline of the intent: no byte leaves after it
  sent_at         timestamptz,
  due_at          timestamptz,                               -- of its next status check
  op              uuid,
  primary key (campaign, n),
  constraint sms_request_members_fit check (members is null or cardinality(members) = size),
  constraint sms_request_ends_with_letters check (outcome is not null or state not in ('unknown', 'settled'))
) partition by range (campaign);
create table relais.sms_request_rest partition of relais.sms_request default;
create index sms_request_queued  on relais.sms_request (campaign, n) where state = 'queued';
create index sms_request_sending on relais.sms_request (lease_until) where state = 'sending';
create index sms_request_unknown on relais.sms_request (due_at) where state in ('refused', 'unknown');
create index sms_request_members on relais.sms_request (campaign, n) where members is not null;
create index sms_request_op      on relais.sms_request (op) where op is not null;

-- Letters after a second answer to a request: only a `u` changes.
create function relais.merge_letters(was text, letters text) returns text language sql immutable
set search_path = pg_catalog, pg_temp as $$
  select case when was is null then letters when letters is null then was else (
    select string_agg(case when substr(was, i, 1) = 'u' then substr(letters, i, 1) else substr(was, i, 1) end, '' order by i)
    from generate_series(1, length(was)) as i) end
$$;

-- The number of occurrences of a letter; 0 without letters.
create function relais.count_letter(letters text, letter text) returns int language sql immutable as $$
  select coalesce(length(letters) - length(replace(letters, letter, '')), 0)
$$;

-- Results of a campaign's recipients so far, by country.
create table relais.campaign_country (
  campaign        bigint      not null references relais.campaign on delete cascade,
  country         text        collate "C" not null,
  sent            int         not null default 0,
  failed          int         not null default 0,
  unknown         int         not null default 0,
  primary key (campaign, country)
) with (fillfactor = 50);

-- SMS cost of an account in a day or a month (`2026-11-28`, `2026-11`), in hundredths of XOF.
create table relais.sms_cost (
  account         text        collate "C" not null,
  period          text        collate "C" not null,
  cents           bigint      not null check (cents >= 0),
  primary key (account, period)
) with (fillfactor = 50);

-- Rows are inserted once and numbered from 0 in their campaign. An erasure sets phone, variables and own to null;
-- nothing else changes a row. Rows from `campaign.recipients` on belong to an upload that is still being copied.
create table relais.recipient (
  campaign        bigint      not null,
  n               int         not null,
  row             int         not null,                      -- of the file
  phone           bigint,                                    -- E.164 without the plus sign
  variables       text,                                      -- values of the text's variables, in order, see lib/packed-values.ts
  own             text,                                      -- the other cells of the row, in the same form
  primary key (campaign, n)
) partition by range (campaign);
create table relais.recipient_rest partition of relais.recipient default;
create index recipient_phone on relais.recipient (phone) where phone is not null;

-- The status of each recipient: the letter other than -, or q (queued) or g (sending) while its request has none.
-- Without a request all columns are null.
create view relais.recipient_status as
select r.campaign, r.n, s.request, s.letter, s.code, s.sent_at,
  (select count(*)::int from relais.sms_request m
   where m.campaign = r.campaign and m.members is not null and m.before = 'u' and not m.part and r.n = any(m.members)) as resent
from relais.recipient r
left join lateral (
  select q.n as request, coalesce(substr(q.outcome, q.place, 1), case q.state when 'queued' then 'q' else 'g' end) as letter,
    case when q.codes like '% %' then split_part(q.codes, ' ', q.place) else q.codes end as code, q.sent_at
  from (
    select b.n, b.state, b.outcome, b.codes, b.sent_at, r.n - 50 * b.n + 1 as place
    from relais.sms_request b where b.campaign = r.campaign and b.n = r.n / 50 and b.members is null
    union all
    select m.n, m.state, m.outcome, m.codes, m.sent_at, array_position(m.members, r.n)
    from relais.sms_request m
    where m.campaign = r.campaign and m.members is not null and m.members[1] <= r.n and m.members[m.size] >= r.n
      and r.n = any(m.members)
  ) q
  where q.outcome is null or substr(q.outcome, q.place, 1) <> '-'
  limit 1
) s on true;

-- A file that is being copied into `recipient`: its rows do not count yet, and its process holds the lease.
create table relais.upload_in_progress (
  campaign        bigint      primary key,
  tag             text        collate "C" not null,
  first_n         int         not null,
  holder          text        collate "C",                   -- its process; null: of a program with the library
  begun_at        timestamptz not null default now(),
  lease_until     timestamptz not null
);

-- Rows of files that are not recipients, for the report.
create table relais.left_out_row (
  campaign        bigint      not null,
  tag             text        collate "C" not null,
  n               int         not null,
  row             int         not null,
  written         text        not null,                      -- the phone number as written
  reason          text        not null,
  own             text,
  primary key (campaign, tag, n)
);

-- Names of uploads in stop links. A name is never reused: an old link must not lead to another recipient.
create table relais.stop_link (
  name            text        collate "C" primary key,
  campaign        text        collate "C" not null,
  tag             text        collate "C" not null
);

-- One row for each phone number and list. An erasure leaves only a hash of the number.
create table relais.opt_out (
  account         text        collate "C" not null,
  sender          text        collate "C" not null default '',   -- in the form that is compared; '': every sender
  subscriber      bigint,                                    -- the same for every number of one person
  phone           bigint,                                    -- as it was asked for
  hash            bytea,
  at              timestamptz not null default now(),
  constraint opt_out_is_listed_or_erased check (num_nonnulls(subscriber, hash) = 1 and (phone is null) = (subscriber is null))
);
create unique index opt_out_person on relais.opt_out (account, sender, subscriber) where subscriber is not null;
create unique index opt_out_erased on relais.opt_out (account, sender, hash) where hash is not null;
create        index opt_out_phone  on relais.opt_out (account, sender, phone) where phone is not null;

-- 4. Guards -------------------------------------------------------------------------------------------------------------

create table relais.spent (
  day             date        not null,
  account         text        collate "C" not null,
  beneficiary     text        collate "C" not null default '',   -- '': the whole account
  xof             bigint      not null check (xof >= 0),
  primary key (day, account, beneficiary)
) with (fillfactor = 50);

create table relais.limit_value (
  account         text        collate "C" not null default '',   -- '': every account
  name            text        collate "C" not null,
  value           bigint      check (value >= 0),            -- null: off
  set_by          text        not null,
  set_at          timestamptz not null default now(),
  by_settings     boolean     not null default false,        -- only settings of processes have set it so far
  op              text        not null,                      -- of the last change: a repeated call is answered like the first
  was             bigint,                                    -- before the last change; `had_value` false: there was none
  had_value       boolean     not null,
  primary key (account, name)
);

-- A looser value waits for a different person.
create table relais.limit_proposal (
  account         text        collate "C" not null default '',
  name            text        collate "C" not null,
  value           bigint      check (value >= 0),
  asked_by        text        not null,
  asked_at        timestamptz not null,
  primary key (account, name)
);

-- The strictest of the shared limits, the account's limits and those of a process (`own`). Null is `off`, the
-- loosest; an unset limit has its default, if there is one (`fallback`).
create function relais.limits_in_force(asked jsonb, for_account text)
returns table (most bigint, most_day bigint, most_beneficiary bigint, window_ms bigint, approval_above bigint)
language sql stable set search_path = pg_catalog, pg_temp as $$
  with named as (
    select l.name, l.value from relais.limit_value l
    where l.account in ('', for_account)
      and l.name in ('MAX_DISBURSEMENT', 'MAX_PER_DAY', 'MAX_PER_BENEFICIARY_DAY', 'DUPLICATE_WINDOW', 'APPROVAL_ABOVE')
    union all
    select o.key, o.value::bigint from jsonb_each_text(asked -> 'own') o
  ),
  held as (
    select n.name, case when n.name = 'DUPLICATE_WINDOW' then max(n.value) else min(n.value) end as value
    from named n group by n.name
    union all
    select f.key, f.value::bigint from jsonb_each_text(asked -> 'fallback') f
    where not exists (select from named n where n.name = f.key)
  )
  select max(value) filter (where name = 'MAX_DISBURSEMENT'), max(value) filter (where name = 'MAX_PER_DAY'),
    max(value) filter (where name = 'MAX_PER_BENEFICIARY_DAY'), max(value) filter (where name = 'DUPLICATE_WINDOW'),
    max(value) filter (where name = 'APPROVAL_ABOVE')
  from held
$$;

-- The circuit breaker of an account and area, one row per open reason.
create table relais.hold (
  account         text        collate "C" not null,
  area            text        collate "C" not null check (area in ('payments', 'messaging', 'direct_credit')),
  reason          text        collate "C" not null,
  unreadable      jsonb,                                     -- {operation, came}: the answer that could not be read
  since           timestamptz not null default now(),
  trial_at        timestamptz not null,                      -- the last time that one operation tried again
  primary key (account, area, reason)
);

-- Failures that are harmless alone; enough of them in a row start a hold.
create table relais.failure_row (
  account         text        collate "C" not null,
  area            text        collate "C" not null,
  reason          text        collate "C" not null,
  length          int         not null,
  last_at         timestamptz not null,
  primary key (account, area, reason)
) with (fillfactor = 50);

-- Numbers the events of accounts.
create sequence relais.account_event;

-- Volatile: it sees holds that were committed while the calling statement waited for a lock.
create function relais.holds_now() returns table (account text, held text) language sql volatile
set search_path = pg_catalog, pg_temp as $$
  select h.account, h.area || '.' || h.reason from relais.hold h
$$;

-- Paused queues: nothing is claimed from them.
create table relais.switch (
  name            text        collate "C" primary key,
  set_by          text        not null,
  set_at          timestamptz not null default now()
);

-- Running workers, which share a rate or the work among them.
create table relais.presence (
  name            text        collate "C" primary key,
  slots           int         not null check (slots > 0),
  seen_at         timestamptz not null
) with (fillfactor = 50);

-- Permits for requests to the provider (a generic cell rate algorithm): when the bucket of each urgency is full
-- again.
create table relais.rate (
  account         text        collate "C" not null,
  area            text        collate "C" not null,
  all_at          timestamptz not null default '-infinity',
  look_at         timestamptz not null default '-infinity',  -- requests that only ask: half of the rate
  paused_until    timestamptz,
  primary key (account, area)
) with (fillfactor = 50);

-- Takes up to `demand` permits that are free within `longest_ms`, and further ones, up to `wanted`, that are free
-- within `ahead_ms`. The i-th permit is free at `all_ms + i * every_ms`, for status checks not before `look_ms + i *
-- 2 * every_ms`, and never before `pause_ms`. All times are in ms from now.
create function relais.take_permits(
  its_account text, its_area text, is_look boolean, every_ms float8, burst int, demand int, wanted int, longest_ms float8,
  ahead_ms float8, at timestamptz, out taken int, out all_ms float8, out look_ms float8, out pause_ms float8)
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  here relais.rate;
  -- Beyond any possible reservation: written by a clock that was ahead.
  furthest float8 := 2 * (longest_ms + greatest(burst, 1) * every_ms * 2) + 1000;
begin
  insert into relais.rate (account, area) values (its_account, its_area) on conflict do nothing;
  select * into here from relais.rate r where r.account = its_account and r.area = its_area for update;
  pause_ms := greatest(0, coalesce(extract(epoch from here.paused_until - at) * 1000, 0));
  all_ms := relais.ms_until(here.all_at, at, furthest, pause_ms);
  look_ms := relais.ms_until(here.look_at, at, furthest, pause_ms);
  taken := greatest(
    least(demand, relais.permits_within(longest_ms, is_look, every_ms, burst, all_ms, look_ms, pause_ms)),
    least(wanted, relais.permits_within(ahead_ms, is_look, every_ms, burst, all_ms, look_ms, pause_ms)));
  if taken > 0 then
    update relais.rate r set
      all_at = at + (all_ms + taken * every_ms) * interval '1 ms',
      look_at = case when is_look then at + (look_ms + taken * 2 * every_ms) * interval '1 ms' else r.look_at end
    where r.account = its_account and r.area = its_area;
  end if;
  all_ms := all_ms - burst * every_ms;
  look_ms := case when is_look then look_ms - burst * 2 * every_ms end;
end $$;

create function relais.ms_until(full_at timestamptz, at timestamptz, furthest float8, pause_ms float8) returns float8
language sql immutable set search_path = pg_catalog, pg_temp as $$
  select greatest(pause_ms, case
    when full_at <= at or full_at > at + furthest * interval '1 ms' then 0
    else extract(epoch from full_at - at) * 1000 end)
$$;

create function relais.permits_within(
  limit_ms float8, is_look boolean, every_ms float8, burst int, all_ms float8, look_ms float8, pause_ms float8)
returns int language sql immutable set search_path = pg_catalog, pg_temp as $$
  select case when pause_ms > limit_ms then 0 else greatest(0, least(1000000,
    floor((limit_ms - all_ms) / every_ms + 0.000001) + burst,
    case when is_look then floor((limit_ms - look_ms) / (2 * every_ms) + 0.000001) + burst end))::int end
$$;

-- The SMS token of an account. Changed credentials start a new row.
create table relais.sms_token (
  account         text        collate "C" not null,
  credentials     text        collate "C" not null,          -- a digest
  sealed          text,                                      -- the token, encrypted with the secret key of the account
  generation      int         not null default 0,
  usable_ms       float8,                                    -- its life when it was stored
  usable_until    timestamptz,
  login_by        text,                                      -- the process that logs in
  login_until     timestamptz,
  paused_why      text,                                      -- nobody logs in for a while
  paused_until    timestamptz,
  refusals        int         not null default 0,            -- failed logins in a row
  refusals_until  timestamptz,
  young           int[]       not null default '{}',         -- generations that were refused soon after their login
  young_until     timestamptz,
  forced_until    timestamptz,                               -- no refusal costs a login before
  encoding        text,                                      -- how a login was understood
  encoding_until  timestamptz,
  primary key (account, credentials)
) with (fillfactor = 50);

-- 5. Reports ------------------------------------------------------------------------------------------------------------

-- Written with the change that it reports. The publisher assigns a position and removes the row, in one transaction.
create table relais.outbox (
  sequence        bigint      generated always as identity primary key,
  id              text        collate "C",                   -- stable: the same event keeps it for ever
  account         text        collate "C",
  subject         text        collate "C",
  type            text        collate "C",                   -- null: totals without an event
  data            jsonb,
  totals          jsonb,                                     -- {"kind|account|place|measure": change} of the totals of the day
  at              timestamptz not null default now(),
  refused         text,                                      -- quarantined by the publisher, with the reason
  constraint outbox_has_content check (
    case when type is null then totals is not null and jsonb_typeof(totals) = 'object'
    else id is not null and account is not null and subject is not null and data is not null end)
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);
create index outbox_refused on relais.outbox (sequence) where refused is not null;

-- The position of the stream. Only the publishing transaction changes position and day.
create table relais.stream (
  is_only         boolean     primary key default true check (is_only),
  position        bigint      not null default 0,            -- of the newest event
  trimmed         bigint      not null default 0,            -- retention has removed the events up to here
  day             date                                       -- the open day; it never goes back
) with (fillfactor = 50);
insert into relais.stream default values;
insert into relais.leader (name) values ('publisher');

create table relais.event (
  position        bigint      not null,
  id              text        collate "C" not null,
  account         text        collate "C" not null,
  subject         text        collate "C" not null,
  type            text        collate "C" not null,
  data            jsonb       not null,
  at              timestamptz not null,
  published_at    timestamptz not null default now(),
  primary key (position, published_at)
) partition by range (published_at);
create table relais.event_rest partition of relais.event default;
create index event_subject on relais.event (subject, position);
create index event_published on relais.event (published_at, position);


-- Number of events ever published, by type: retention does not reduce it.
create table relais.event_count (
  type            text        collate "C" primary key,
  count           bigint      not null
) with (fillfactor = 50);

create table relais.day_total (
  day             date        not null,
  account         text        collate "C" not null,
  mode            text        collate "C" not null,          -- withdraw mode, or the country of an SMS
  item            text        collate "C" not null,          -- kind.measure; `=`: at the end of the day, `<`: at its beginning
  count           bigint      not null,
  xof             bigint      not null,
  primary key (day, account, mode, item)
) with (fillfactor = 50);

create table relais.closed_day (
  day             date        primary key,
  position        bigint      not null,                      -- the last event that counts towards it
  closed_at       timestamptz not null default now()
);

create table relais.audit_line (
  sequence        bigint      generated always as identity,
  at              timestamptz not null default now(),
  by              text        not null,
  person          text        collate "C",
  role            text,
  source          text        not null,
  act             text        collate "C" not null,
  target          text        collate "C",
  request_id      text,
  before          jsonb,                                     -- state before the act
  facts           jsonb       not null default '{}',         -- state after the act, and facts of the entry point
  number          bigint,                                    -- dense, in the order of signing; null: not signed yet
  mac             bytea,                                     -- of this line and all lines before it: the publisher signs
  primary key (sequence, at),
  constraint audit_is_signed_whole check ((number is null) = (mac is null))
) partition by range (at);
create table relais.audit_line_rest partition of relais.audit_line default;
create index audit_target   on relais.audit_line (target, at, sequence) where target is not null;
create index audit_person   on relais.audit_line (person, at, sequence) where person <> '';
create index audit_act      on relais.audit_line (act, at, sequence);
create index audit_new      on relais.audit_line (at, sequence);
create index audit_number   on relais.audit_line (number);
create index audit_unsigned on relais.audit_line (sequence) where mac is null;

-- Public id of a line: milliseconds and sequence.
create function relais.audit_id(sequence bigint, at timestamptz) returns text language sql immutable set search_path = pg_catalog, pg_temp as $$
  select floor(extract(epoch from at) * 1000)::bigint || '-' || sequence
$$;

-- Signed checkpoints: `first` is the last line that retention removed, `last` the newest signed line.
create table relais.audit_chain (
  name            text        collate "C" primary key check (name in ('first', 'last')),
  number          bigint      not null,
  digest          bytea       not null,                      -- of all lines up to this one
  at              timestamptz not null,
  mac             bytea       not null
) with (fillfactor = 50);

-- The last verification of all lines, and the last new line verified since.
create table relais.audit_verified (
  is_only         boolean     primary key default true check (is_only),
  at              timestamptz,
  lines           bigint      not null default 0,
  fault_id        text,
  fault_why       text,
  turn_until      timestamptz                                -- a process verifies; the others wait until then
) with (fillfactor = 50);
insert into relais.audit_verified default values;

-- 6. Access and delivery --------------------------------------------------------------------------------------------------

create table relais.api_key (
  id              text        collate "C" primary key,
  name            text        collate "C" not null,          -- two keys of one person may share it during a rotation
  hash            bytea       unique,                        -- null once revoked
  roles           text[]      not null,
  accounts        text[],
  person          text,
  service         text,
  created_by      text        not null,
  created_at      timestamptz not null default now(),
  expires_at      timestamptz,
  revoked_at      timestamptz,
  constraint api_key_revoked_has_no_hash check ((hash is null) = (revoked_at is not null))
);

-- A person who signs in with an identity provider keeps one name, even if their address changes.
create table relais.person (
  issuer          text        collate "C" not null,
  subject         text        collate "C" not null,          -- never changes; an address can
  name            text        collate "C" not null,
  bound_at        timestamptz not null default now(),
  primary key (issuer, subject)
);
create index person_name on relais.person (issuer, name);

create table relais.person_address (
  name            text        collate "C" not null,
  address         text        collate "C" not null,          -- other than the name
  primary key (name, address)
);

-- SHA-256 of the SHA-512 of a master key: callbacks sent with an earlier key come from the provider too.
create table relais.provider_key_hash (
  account         text        collate "C" not null,
  fingerprint     text        collate "C" not null,
  hash            bytea       not null,
  primary key (account, fingerprint)
);

create table relais.session (
  hash            bytea       primary key,                   -- SHA-256 of the id, which only the browser has
  key             text        collate "C" not null,          -- name of the API key or of the person
  bound           bytea       not null,                      -- HMAC of the key's hash under the id
  provider        jsonb,                                     -- {person, group, subject}: signed in with an identity provider
  epoch           int         not null,                      -- a recovery ends the sessions of before
  started_at      timestamptz not null,
  used_at         timestamptz not null,
  confirmed_at    timestamptz not null,
  expires_at      timestamptz not null
);
create index session_expires on relais.session (expires_at);

create table relais.endpoint (
  id              text        collate "C" primary key,
  owner           text        not null,
  url             text        not null,
  types           text[]      not null default '{}',         -- empty: all
  accounts        text[]      not null default '{}',         -- empty: all
  headers         text,                                      -- names and values, encrypted
  header_names    text[]      not null default '{}',         -- shown to its owner
  secret          text        not null,                      -- encrypted
  old_secret      text,                                      -- signs too until then, and so does the one before it
  old_until       timestamptz,
  older_secret    text,
  older_until     timestamptz,
  state           text        collate "C" not null default 'enabled' check (state in ('enabled', 'disabled')),
  reason          text,
  registered_at_position bigint not null,                    -- it gets the events after this one
  position        bigint      not null,                      -- events up to here were handed to `delivery`
  lease           text,
  lease_until     timestamptz,
  failures        int         not null default 0,
  failing_since   timestamptz,
  rest_until      timestamptz,
  delivered_at    timestamptz,
  disabled_at     timestamptz,
  version         int         not null default 0,            -- of its events
  revision        bigint      not null default 0,            -- raised by each settlement
  created_at      timestamptz not null default now(),
  constraint endpoint_lease_ends check ((lease is null) = (lease_until is null))
) with (fillfactor = 50);

create table relais.delivery (
  endpoint        text        collate "C" not null references relais.endpoint on delete cascade,
  position        bigint      not null,
  state           text        collate "C" not null default 'due' check (state in ('due', 'dead')),
  tries           smallint    not null default 0,
  due_at          timestamptz not null default now(),
  primary key (endpoint, position)
) with (fillfactor = 70);
create index delivery_due  on relais.delivery (endpoint, due_at, position) where state = 'due';
create index delivery_dead on relais.delivery (endpoint, position) where state = 'dead';
create index delivery_held on relais.delivery (position) where state = 'due';

-- The newest deliveries of each endpoint, for its owner.
create table relais.delivery_log (
  endpoint        text        collate "C" not null references relais.endpoint on delete cascade,
  n               bigint      generated always as identity,
  at              timestamptz not null,
  event           text        not null,
  outcome         text        not null,
  answer          text        not null,
  tries           int         not null,
  primary key (endpoint, n)
);

create table relais.event_group (
  name            text        collate "C" primary key,
  position        bigint      not null default 0,            -- events up to here were taken by a consumer
  seen_at         timestamptz not null default now()         -- when a consumer last asked
) with (fillfactor = 50);

-- Events that a consumer of a group holds, or that wait for their next try.
create table relais.event_try (
  event_group     text        collate "C" not null references relais.event_group on delete cascade,
  position        bigint      not null,
  tries           smallint    not null default 1,
  consumer        text        collate "C",
  due_at          timestamptz not null,                      -- the end of the lease of its consumer, or the time of the next try
  primary key (event_group, position)
) with (fillfactor = 50);
create index event_try_due on relais.event_try (event_group, due_at);

-- Includes the event itself, which retention removes from the stream.
create table relais.dead_letter (
  event_group     text        collate "C" not null references relais.event_group on delete cascade,
  position        bigint      not null,
  id              text        collate "C" not null,
  type            text        collate "C" not null,
  account         text        collate "C" not null,
  data            jsonb       not null,
  tries           smallint    not null,
  error           text        not null,
  at              timestamptz not null default now(),
  primary key (event_group, position)
);

-- Requests that SQL clients enqueued, and refused requests of the queue `intake`.
create table relais.intake (
  number          bigint      generated always as identity primary key,
  id              text        collate "C" not null,          -- of the operation that the request becomes; bullmq: of the report
  digest          bytea       not null,                      -- of kind, account, identity and request
  kind            text        collate "C" not null,
  account         text        collate "C" not null,
  reference       text        collate "C",
  idempotency_key text        collate "C",
  request         jsonb,                                     -- at most 32 kB; null once it is decided
  client          text        collate "C" not null,          -- sql:<session user>, bullmq
  job_id          text,
  existing_id     text        collate "C",                   -- a conflict: the operation that has this identity
  state           text        collate "C" not null default 'queued' check (state in ('queued', 'accepted', 'rejected')),
  problems        jsonb,
  version         int         not null default 1,            -- a rejected request may be enqueued again
  created_at      timestamptz(3) not null default now(),
  decided_at      timestamptz(3),
  lease_until     timestamptz,
  constraint intake_is_decided check ((state = 'queued') = (decided_at is null))
) with (fillfactor = 70);
-- A repeated request is one row. Another request with the same identity is another row, which ends as a conflict.
create unique index intake_request  on relais.intake (id, digest);
create        index intake_queued   on relais.intake (client, number) where state = 'queued';
create        index intake_rejected on relais.intake (decided_at, number) where state = 'rejected';
create        index intake_decided  on relais.intake (decided_at) where state <> 'queued';

create table relais.enqueue_grant (
  role            text        collate "C" not null,          -- the session user, not a role that it belongs to
  account         text        collate "C" not null,
  kinds           text[]      not null,
  max_amount      bigint      check (max_amount > 0),        -- of each request, XOF; null: no limit of its own
  primary key (role, account)
);

-- The id that src/lib/ids.ts derives from the same parts: 130 bits of SHA-256 in 26 digits.
create function relais.derived_id(prefix text, variadic parts text[]) returns text
language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
declare
  hashed bytea;
  digits text := '';
  whole text := '';
  part text;
  at int;
begin
  foreach part in array prefix || parts loop
    whole := whole || octet_length(convert_to(part, 'UTF8')) || ':' || part;
  end loop;
  hashed := sha256(convert_to(whole, 'UTF8'));
  -- The first six of 136 bits are unused.
  for digit in 0..25 loop
    at := 6 + 5 * digit;
    digits := digits || substr('0123456789abcdefghjkmnpqrstvwxyz',
      ((get_byte(hashed, at / 8) * 256 + get_byte(hashed, at / 8 + 1)) >> (11 - at % 8) & 31) + 1, 1);
  end loop;
  return prefix || '_' || digits;
end $$;

-- Allows a role to enqueue requests of these kinds for an account, and replaces its earlier grant. No kinds: the
-- grant is removed.
create function relais.enqueue_grant(role text, account text, kinds text[], max_amount bigint default null) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  delete from relais.enqueue_grant g where g.role = enqueue_grant.role and g.account = enqueue_grant.account;
  if cardinality(kinds) > 0 then
    insert into relais.enqueue_grant values (enqueue_grant.role, enqueue_grant.account, kinds, max_amount);
  end if;
  insert into relais.audit_line (by, source, act, target, facts)
  values ('sql:' || session_user, 'sql', 'enqueue.grant', 'sql:' || role,
    jsonb_build_object('account', account, 'kinds', kinds, 'maxAmount', max_amount));
end $$;
revoke all on function relais.enqueue_grant(text, text, text[], bigint) from public;

-- Enqueues a request in the caller's transaction and returns the id of the future operation. The grant of the session
-- user sets account, kinds and maximum amount. A worker judges the request after the commit.
create function relais.enqueue(kind text, request jsonb, idempotency_key text default null) returns text
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  -- The characters that JavaScript trims.
  spaces constant text := E'\t\n\u000b\u000c\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff';
  sender constant text := 'sql:' || session_user;
  most_open constant int := 10000;
  most_bytes constant int := 32768;
  allowed relais.enqueue_grant;
  problems jsonb := '[]';
  prefix text;
  named text;
  identity text;
  own_id text;
  own_digest bytea;
  found_state text;
begin
  if not exists (select from relais.enqueue_grant g where g.role = session_user) then
    raise exception 'nothing was enqueued: the role % has no grant', session_user
      using errcode = '42501', hint = 'An operator calls enqueue_grant(role, account, kinds).';
  end if;
  if jsonb_typeof(request) is distinct from 'object' then
    problems := problems || jsonb_build_object('pointer', '', 'message', 'must be an object');
  elsif octet_length(request::text) > most_bytes then
    problems := problems || jsonb_build_object('pointer', '', 'message', 'must have at most ' || most_bytes || ' bytes');
  else
    select g.* into allowed from relais.enqueue_grant g
    where g.role = session_user and (g.account = request ->> 'account' or not request ? 'account')
    order by g.account <> 'main' limit 1;
    if allowed.role is null then
      problems := problems || jsonb_build_object('pointer', '/account', 'message', 'must be an account that was granted to this role');
    elsif not coalesce(kind = any(allowed.kinds), false) then
      problems := problems || jsonb_build_object('pointer', '/kind',
        'message', 'must be one of ' || array_to_string(allowed.kinds, ', '));
    end if;
    if jsonb_typeof(request -> 'amount') = 'number' and (request ->> 'amount')::numeric > allowed.max_amount then
      problems := problems || jsonb_build_object('pointer', '/amount', 'message', 'must be at most ' || allowed.max_amount);
    end if;
    if jsonb_typeof(request -> 'reference') = 'string' then
      named := nullif(normalize(btrim(request ->> 'reference', spaces), NFC), '');
    end if;
    identity := case when idempotency_key is null then named else normalize(btrim(idempotency_key, spaces), NFC) end;
    if identity is null then
      problems := problems || jsonb_build_object('pointer', '/reference', 'message', 'is required (or an idempotency key)');
    elsif identity = '' or octet_length(identity) > 1200 then
      problems := problems || jsonb_build_object('pointer', '/Idempotency-Key', 'message', 'must have 1 to 300 characters');
    end if;
  end if;
  if problems <> '[]' then
    raise exception 'nothing was enqueued: %', (
        select string_agg(coalesce(nullif(p ->> 'pointer', ''), 'the request') || ' ' || (p ->> 'message'), '; ')
        from jsonb_array_elements(problems) p)
      using errcode = '22023', detail = problems::text;
  end if;
  prefix := case kind
    when 'disbursement' then 'dsb' when 'message' then 'msg' when 'campaign' then 'cmp' when 'invoice' then 'inv'
    when 'payment_request' then 'prq' when 'direct_credit' then 'dcr' end;
  select relais.derived_id(prefix, d.environment, allowed.account, kind, identity) into strict own_id from relais.deployment d;
  own_digest := sha256(convert_to(jsonb_build_array(kind, allowed.account, idempotency_key, request)::text, 'UTF8'));
  select i.state into found_state from relais.intake i where i.id = own_id and i.digest = own_digest;
  if found_state in ('queued', 'accepted') then
    return own_id;
  end if;
  if exists (select from relais.intake i where i.client = sender and i.state = 'queued' offset most_open - 1) then
    raise exception 'nothing was enqueued: % requests of this role wait', most_open using errcode = '22023',
      detail = jsonb_build_array(jsonb_build_object('pointer', '', 'message', 'too many requests of this role wait'))::text;
  end if;
  insert into relais.intake as i (id, digest, kind, account, reference, idempotency_key, request, client)
  values (own_id, own_digest, enqueue.kind, allowed.account, named, enqueue.idempotency_key, enqueue.request, sender)
  on conflict (id, digest) do update set
    state = 'queued', request = excluded.request, client = excluded.client, problems = null, existing_id = null, decided_at = null,
    lease_until = null, version = i.version + 1
  where i.state = 'rejected';
  return own_id;
end $$;
revoke all on function relais.enqueue(text, jsonb, text) from public;

-- The requests that the session user enqueued.
create view relais.my_intake with (security_barrier) as
select i.id, i.kind, i.account, i.reference, i.idempotency_key, i.state, i.problems, i.existing_id, i.created_at, i.decided_at
from relais.intake i where i.client = 'sql:' || session_user;

create table relais.batch (
  id              text        collate "C" primary key,       -- derived from the idempotency key, or from the content
  account         text        collate "C" not null,
  fingerprint     bytea       not null,
  content_hash    text        collate "C" not null,          -- of the bytes and these options: what is approved
  file_name       text,
  retry_of        text        collate "C",
  options         jsonb       not null default '{}',         -- notBefore, notify
  columns         text[]      not null default '{}',         -- headings of the file's own columns
  state           text        collate "C" not null,
  reason          text,
  rows            int         not null,
  xof             bigint      not null,
  totals          jsonb       not null,
  problems        jsonb       not null,
  warnings        jsonb       not null,
  fed             int         not null default 0,            -- rows before this one were handed to acceptance
  settled         int         not null default 0,            -- rows that were settled at the last check
  tries           int         not null default 0,            -- checks since a row last moved
  ended_as        jsonb,                                     -- {<state>: {count, xof}} when it finished
  created_by      text        not null,
  approved_by     text,
  approved_at     timestamptz,
  rejected_by     text,
  note            text,
  created_at      timestamptz(3) not null default now(),
  updated_at      timestamptz(3) not null default now(),
  since           timestamptz(3) not null default now(),     -- of its state
  finished_at     timestamptz,
  version         int         not null default 1,
  due_at          timestamptz,
  lease           bigint,
  lease_until     timestamptz,
  constraint batch_lease_ends check ((lease is null) = (lease_until is null))
) with (fillfactor = 70);
-- The same content is never pending twice under two names.
create unique index batch_pending on relais.batch (account, content_hash)
  where state in ('awaiting_approval', 'running', 'needs_review');
create        index batch_list    on relais.batch (account, state, created_at, id);
create        index batch_new     on relais.batch (created_at, id);
create        index batch_due     on relais.batch (due_at) where due_at is not null;
create trigger batch_follows_arrows before update of state on relais.batch
  for each row when (old.state is distinct from new.state) execute function relais.check_arrow('batch');

create table relais.batch_row (
  batch           text        collate "C" not null references relais.batch on delete cascade,
  n               int         not null,                      -- place in the file, from 0
  line            int         not null,                      -- as a spreadsheet numbers it
  operation       text        collate "C" not null,          -- id of the payment that the row becomes
  amount          bigint      not null,
  request         jsonb       not null,
  cells           text[],                                    -- the file's own columns; null once erased
  refused         text,                                      -- why acceptance refused it; the first reason stays
  primary key (batch, n)
);
create index batch_row_operation on relais.batch_row (operation);

-- Each row with the state of its payment. `waiting`: not accepted yet; `rejected`: acceptance refused it;
-- `elsewhere`: its payment was accepted alone or in another batch. A payment of this batch counts even if a slower
-- attempt refused it.
create view relais.batch_row_now as
select r.batch, r.n, r.line, r.operation, r.amount, r.request, r.cells, o.batch as found_in, o.provider_id, o.token,
  o.transaction_id, o.provider_ref,
  -- A refused row never shows the payment with its id, which belongs to another request.
  coalesce(o.batch = r.batch, false) or (coalesce(o.id, t.id) is not null and r.refused is null and r.n < b.fed) as found,
  case
    when o.batch = r.batch then o.state
    when r.refused is not null then 'rejected'
    when r.n >= b.fed then 'waiting'
    when o.id is not null then 'elsewhere'
    else coalesce(t.state, 'waiting')
  end as state,
  case when o.batch = r.batch then o.reason else r.refused end as reason
from relais.batch_row r
join relais.batch b on b.id = r.batch
left join relais.operation o on o.id = r.operation
left join relais.tombstone t on t.id = r.operation and o.id is null;

-- The file of a draft until its recipients are added. Written in pieces, and visible when it is complete.
create table relais.kept_file (
  id              uuid        primary key,
  campaign        text        collate "C" not null,
  name            text        not null,
  type            text        not null,
  bytes           bigint      not null default 0,
  kept_at         timestamptz not null,
  expires_at      timestamptz not null,
  complete        boolean     not null default false,
  options         jsonb,                                     -- how it was read at its last check
  report          jsonb
);
create unique index kept_file_campaign on relais.kept_file (campaign) where complete;
create        index kept_file_expires  on relais.kept_file (expires_at);

create table relais.kept_file_piece (
  file            uuid        not null references relais.kept_file on delete cascade,
  n               int         not null,
  bytes           bytea       not null,
  primary key (file, n)
);

-- Each reading of an account's balances; null: the balance of this country was unreadable.
create table relais.balance (
  account         text        collate "C" not null,
  country         text        collate "C" not null,
  at              timestamptz not null,
  xof             bigint,
  primary key (account, at, country)
);

-- 7. Partitions ---------------------------------------------------------------------------------------------------------

-- Creates a partition of one of the four large tables. `there`: it exists. `taken`: the default partition has rows of
-- the range, which stay there, or is too large to scan without blocking others. `busy`: a lock was not free in time,
-- so nothing was created. Never fails the caller, who needs no right to create tables.
create function relais.make_partition(parent text, part text, low text, high text, lock_ms int) returns text
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  if parent not in ('event', 'audit_line', 'recipient', 'sms_request') or part not like parent || '\_%' then
    raise exception '% is no partition of %', part, parent using errcode = '22023';
  end if;
  if to_regclass(format('relais.%I', part)) is not null then return 'there'; end if;
  if pg_relation_size(to_regclass(format('relais.%I', parent || '_rest'))) > 268435456 then return 'taken'; end if;
  if not pg_try_advisory_xact_lock(hashtextextended('relais.' || parent, 0)) then return 'busy'; end if;
  perform set_config('lock_timeout', lock_ms::text, true);
  execute format('create table relais.%I (like relais.%I including all excluding identity)', part, parent);
  execute format('alter table relais.%I attach partition relais.%I for values from (%L) to (%L)', parent, part, low, high);
  return 'made';
exception
  when check_violation then return 'taken';
  when lock_not_available or duplicate_table then return 'busy';
end $$;
revoke all on function relais.make_partition(text, text, text, text, int) from public;

-- Drops a partition, never a default one. False: a lock was not free in time, or it is no partition.
create function relais.drop_partition(part text, lock_ms int) returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  if part like '%\_rest' or not exists (
    select from pg_inherits i
    where i.inhrelid = to_regclass(format('relais.%I', part))
      and i.inhparent in ('relais.event'::regclass, 'relais.audit_line'::regclass, 'relais.recipient'::regclass, 'relais.sms_request'::regclass)
  ) then return false; end if;
  perform set_config('lock_timeout', lock_ms::text, true);
  execute format('drop table relais.%I', part);
  return true;
exception when lock_not_available then return false;
end $$;
revoke all on function relais.drop_partition(text, int) from public;

-- 8. Lists and reports ------------------------------------------------------------------------------------------------

-- The first account after this one with any operation; null: there is none. Jumps through the list indexes and reads
-- no account completely.
create function relais.next_account(after text) returns text language sql stable set search_path = pg_catalog, pg_temp as $$
  select least(
    (select o.account from relais.operation o where o.account > after order by o.account limit 1),
    (select c.account from relais.campaign c where c.account > after order by c.account limit 1),
    (select b.account from relais.batch b where b.account > after order by b.account limit 1))
$$;

-- Views for finance and for programs in other languages. Their columns are stable; new ones are added at the end.
-- `names`: lookup keys of an operation. p: phone number, t: token, x: transaction, r: provider reference, d:
-- disburse_id, b: batch.

create view relais.disbursements as
select o.id, o.version as rev, o.state, o.account, o.reference, o.created_at, o.updated_at, o.since, o.amount,
  o.request ->> 'accountAlias' as account_alias, o.request ->> 'withdrawMode' as withdraw_mode, o.provider_id as disburse_id,
  o.token, o.transaction_id, o.provider_ref, o.reason, coalesce((o.facts ->> 'late')::numeric > 0, false) as late, o.batch,
  o.approved_by, o.facts ->> 'resolvedBy' as resolved_by, o.note,
  array_remove(array['p:' || o.beneficiary, 't:' || o.token, 'x:' || o.transaction_id, 'x:' || (o.facts ->> 'disburseTxId'),
    'r:' || o.provider_ref, 'd:' || o.provider_id, 'b:' || o.batch], null) as names,
  o.request || o.facts as record,
  o.approved_at, o.paid_at, o.came_back_at, o.finished_at, o.beneficiary, o.payee_name, o.purpose, o.metadata, o.created_by,
  o.rejected_by
from relais.operation o where o.kind = 'disbursement';

-- The values of one line of `recipient`, packed by lib/packed-values.ts.
create function relais.unpack_values(line text) returns json language sql immutable set search_path = pg_catalog, pg_temp as $$
  select json_agg(replace(replace(replace(replace(v.value, '\\', chr(1)), '\t', chr(9)), '\n', chr(10)), chr(1), '\') order by v.place)
  from regexp_split_to_table(line, chr(9)) with ordinality as v(value, place)
$$;

-- Recipients with a status, and the file rows without a recipient. The country follows from the dialling code.
create view relais.recipients as
select c.id || '.' || s.request as slice, r.n::bigint as place, c.version as rev, c.id as campaign, c.account,
  r.row::bigint as row_number, coalesce('+' || r.phone, 'purged') as phone,
  case left(r.phone::text, 3) when '221' then 'SN' when '225' then 'CI' when '229' then 'BJ' when '228' then 'TG' when '223' then 'ML'
    when '226' then 'BF' end as country,
  case s.letter when 's' then 'sent' when 'f' then 'failed' when 'u' then 'unknown' when 'x' then 'skipped' when 'e' then 'expired'
    when 'c' then 'cancelled' end as state,
  s.code, s.sent_at, relais.unpack_values(r.variables) as column_values, null::text as reason, nullif(s.resent, 0)::bigint as resent,
  relais.unpack_values(r.own) as own, c.created_at
from relais.campaign c
join relais.recipient r on r.campaign = c.number and r.n < c.recipients
join relais.recipient_status s on s.campaign = r.campaign and s.n = r.n
where s.letter in ('s', 'f', 'u', 'x', 'e', 'c')
union all
select c.id || '.' || l.tag, l.n, c.version, c.id, c.account, l.row, l.written, null, 'skipped', null, null, null, l.reason, null,
  relais.unpack_values(l.own), c.created_at
from relais.campaign c join relais.left_out_row l on l.campaign = c.number;

create view relais.events as
select e.position, e.id, e.type, e.account, e.at, e.data, e.subject as operation, e.published_at, e.position::text as place,
  split_part(substr(e.id, length(e.subject) + 2), '.', 1) as sequence, e.at as created_at
from relais.event e;

-- The columns of `audit_line` are also available by their own names.
create view relais.audit as
select a.sequence, a.at, a.by, a.person, a.role, a.source, a.act, a.target, a.request_id, a.before, a.facts, a.number, a.mac,
  a.number as place, a.by as by_key, a.source as door, a.facts as after, encode(a.mac, 'hex') as hash, a.at as created_at
from relais.audit_line a;

create view relais.balances as
select b.account, b.country, b.xof, b.at as created_at from relais.balance b;

-- Operations that may stay unknown or need review.
create view relais.in_doubt as
select o.kind, o.id, o.state, o.account, o.reference, case when o.kind <> 'message' then o.amount end as xof, o.created_at, o.since
from relais.operation o
where o.finished_at is null and (o.state = 'needs_review' or (o.kind = 'message' and o.state = 'unknown'));

-- Each day computed from the operations alone. Closed days in `day_total` stay as reported, so the two check each
-- other. A returned payment was paid on its day.
create view relais.daily as
select m.day, o.account, case when o.kind = 'disbursement' then o.request ->> 'withdrawMode' end as withdraw_mode,
  count(*) filter (where m.measure = 'accepted') as accepted_count,
  coalesce(sum(o.amount) filter (where m.measure = 'accepted'), 0)::bigint as accepted_xof,
  count(*) filter (where m.measure = 'succeeded') as succeeded_count,
  coalesce(sum(o.amount) filter (where m.measure = 'succeeded'), 0)::bigint as succeeded_xof,
  count(*) filter (where m.measure = 'failed') as failed_count,
  coalesce(sum(o.amount) filter (where m.measure = 'failed'), 0)::bigint as failed_xof,
  count(*) filter (where m.measure = 'reversed') as reversed_count,
  coalesce(sum(o.amount) filter (where m.measure = 'reversed'), 0)::bigint as reversed_xof,
  count(*) filter (where m.measure = 'rejected') as rejected_count,
  coalesce(sum(o.amount) filter (where m.measure = 'rejected'), 0)::bigint as rejected_xof,
  count(*) filter (where m.measure = 'cancelled') as cancelled_count,
  coalesce(sum(o.amount) filter (where m.measure = 'cancelled'), 0)::bigint as cancelled_xof,
  count(*) filter (where m.measure = 'collected') as collected_count,
  coalesce(sum(coalesce((o.facts ->> 'amountPaid')::bigint, o.amount)) filter (where m.measure = 'collected'), 0)::bigint as collected_xof,
  count(*) filter (where m.measure = 'credited') as credited_count,
  coalesce(sum(o.amount) filter (where m.measure = 'credited'), 0)::bigint as credited_xof
from relais.operation o
cross join (select d.timezone from relais.deployment d) zone
cross join lateral (
  select (t.at at time zone zone.timezone)::date as day, t.measure
  from (values
    ('accepted', case when o.kind = 'disbursement' then o.created_at end),
    ('succeeded', case when o.kind = 'disbursement' then o.paid_at end),
    ('reversed', case when o.kind = 'disbursement' then o.came_back_at end),
    (o.state, case when o.kind = 'disbursement' and o.state in ('failed', 'rejected', 'cancelled') then o.since end),
    ('collected', case when o.kind in ('invoice', 'payment_request') then o.paid_at end),
    ('credited', case when o.kind = 'direct_credit' then o.paid_at end)
  ) as t(measure, at)
  where t.at is not null
) m
where o.kind in ('disbursement', 'invoice', 'payment_request', 'direct_credit')
group by m.day, o.account, 3;
