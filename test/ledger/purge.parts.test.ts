/** Erasing one person covers every table of the ledger that can contain the number, and no operation in flight. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { KeptFiles } from '../../src/ledger/kept-files.ts';
import { systemRandom } from '../../src/lib/random.ts';
import { Database } from '../../src/ledger/pool.ts';
import { type PurgePage, Purge } from '../../src/ledger/purge.ts';
import { type FreshLedger, freshLedger } from '../support/fresh-ledger.ts';
import { madeCampaign } from '../support/ledger-campaign.ts';

let ledger: FreshLedger;
let database: Database;
let purge: Purge;
beforeAll(async () => {
  ledger = await freshLedger();
  database = new Database(ledger);
  purge = new Purge({ database });
});
afterAll(async () => {
  await database?.close();
  await ledger?.close();
});
beforeEach(() =>
  ledger.query(
    `truncate relais.operation, relais.campaign, relais.campaign_country, relais.recipient, relais.sms_request, relais.left_out_row,
       relais.batch, relais.batch_row, relais.event, relais.outbox, relais.intake, relais.callback, relais.audit_line, relais.spent,
       relais.kept_file, relais.kept_file_piece, relais.event_group, relais.dead_letter restart identity cascade`,
  ),
);

const AWA = '+2250707080910';
const who = {
  phone: AWA,
  beneficiary: 'CI 0707080910',
  reads: (written: string) => written.replaceAll(/\D/g, '').endsWith('07080910'),
  act: (facts: object) => ({
    by: 'operator',
    person: '',
    role: 'operate',
    source: 'api' as const,
    requestId: '1',
    act: 'person.purge',
    target: '+22507•••0910',
    facts: { ...facts },
  }),
};

/** Calls until the end, and adds up. */
async function walked(of = purge): Promise<Record<string, number>> {
  const sum: Record<string, number> = {};
  let after: string | undefined;
  do {
    const { next, ...page }: PurgePage = await of.page(who, after);
    for (const [name, count] of Object.entries(page)) sum[name] = (sum[name] ?? 0) + count;
    after = next;
  } while (after !== undefined);
  return sum;
}

interface Made {
  readonly kind?: string;
  readonly beneficiary?: string;
  readonly request?: object;
  readonly metadata?: object;
  readonly finished?: boolean;
  readonly more?: string;
}

async function operation(id: string, made: Made): Promise<void> {
  const { kind = 'disbursement', beneficiary, request = {}, metadata, finished = true } = made;
  const json = (value: object | undefined) => (value === undefined ? 'null' : `'${JSON.stringify(value)}'`);
  await ledger.query(
    `insert into relais.operation (id, kind, account, fingerprint, state, amount, beneficiary, request, metadata, payee_name,
       purpose, evidence, facts, finished_at, created_by, schema_version, op, counted_on)
     values ('${id}', '${kind}', 'main', '\\x00', 'sent', 100, ${beneficiary === undefined ? 'null' : `'${beneficiary}'`},
       ${json(request)}, ${json(metadata)}, 'Awa Ba', 'salary', '{"2026-11-01T10:00:00.000Z submit|00|200|to 2250707080910"}',
       '{"customer": {"name": "Awa"}}', ${finished ? 'now()' : 'null'}, 'k', 1, '${randomUUID()}', ${made.more ?? 'null'})`,
  );
}

const all = async (table: string): Promise<string> =>
  JSON.stringify(await ledger.query(`select * from relais.${table}`));

test('a message loses number, SMS and metadata; a payment keeps its account and loses everything else', async () => {
  await operation('msg_1', {
    kind: 'message',
    beneficiary: 'CI 0707080910',
    request: { to: AWA, text: 'Bonjour Awa' },
  });
  await operation('dsb_1', {
    beneficiary: 'CI 0707080910',
    request: { accountAlias: '0707080910', amount: 100, payeeName: 'Awa Ba', purpose: 'salary' },
    metadata: { note: 'x' },
  });
  await operation('dsb_2', {
    beneficiary: 'SN 771234567',
    request: { accountAlias: '771234567' },
    metadata: { for: 'call 07 07 08 09 10 or +225 07 07 08 09 10' },
  });
  const found = await walked();
  expect(found).toMatchObject({ messages: 1, payments: 2, open: 0 });
  const [first, second, other] = await ledger.query<Record<string, unknown>>(
    `select request, metadata, beneficiary, payee_name, purpose, facts, evidence from relais.operation order by id desc`,
  );
  const name = expect.stringMatching(/^purged-/);
  const gone = { metadata: null, beneficiary: null, payee_name: null, purpose: null, facts: {} };
  expect(first).toEqual({
    ...gone,
    request: { to: name, text: '' },
    evidence: [expect.not.stringContaining('080910')],
  });
  expect(other).toEqual({
    ...gone,
    request: { accountAlias: '0707080910', amount: 100 },
    evidence: [expect.not.stringContaining('080910')],
  });
  expect(second).toMatchObject({ beneficiary: 'SN 771234567', payee_name: 'Awa Ba' });
  expect(JSON.stringify(second?.['metadata'])).not.toContain('+225 07');
  expect(await walked()).toMatchObject({ messages: 0, payments: 0, open: 0 });
});

test('an invoice loses its payer and the data of the caller, and another payer keeps theirs', async () => {
  const facts = (phone: string) =>
    JSON.stringify({ customer: { name: 'Awa', phone }, customData: { seat: '12A' }, fees: 150 });
  for (const [id, phone] of [
    ['inv_1', '07 07 08 09 10'],
    ['inv_2', '0505050505'],
  ] as const) {
    await operation(id, { kind: 'invoice', metadata: { seat: '12A' } });
    await ledger.query(
      `update relais.operation set facts = '${facts(phone)}', payee_name = null, purpose = null, evidence = '{}' where id = '${id}'`,
    );
  }
  const data = `'{"id": "inv_1", "customer": {"name": "Awa"}, "customData": {"seat": "12A"}, "metadata": {"seat": "12A"}, "fees": 150}'`;
  await ledger.query(
    `insert into relais.event (position, id, account, subject, type, data, at)
     values (900002, 'inv_1.2', 'main', 'inv_1', 'invoice.completed', ${data}, now())`,
  );
  expect(await walked()).toMatchObject({ payments: 1, events: 1 });
  const rows = await ledger.query(`select facts, metadata from relais.operation order by id`);
  expect(rows).toEqual([
    { facts: { fees: 150 }, metadata: null },
    { facts: JSON.parse(facts('0505050505')) as object, metadata: { seat: '12A' } },
  ]);
  const [event] = await ledger.query(`select data from relais.event where subject = 'inv_1'`);
  expect(event).toEqual({ data: { id: 'inv_1', fees: 150 } });
});

test('the SMS to a payee goes with the payee, and with the owner of another number that gets it', async () => {
  const notify = { phone: AWA, payee: who.beneficiary, texts: { succeeded: 'Bonjour Awa' } };
  await operation('dsb_own', { beneficiary: who.beneficiary, request: { accountAlias: '0707080910', notify } });
  await operation('dsb_other', { beneficiary: 'SN 771234567', request: { accountAlias: '771234567', notify } });
  await walked();
  const rows = await ledger.query<object>(`select request from relais.operation order by id desc`);
  expect(rows).toEqual([{ request: { accountAlias: '0707080910' } }, { request: { accountAlias: '771234567' } }]);
});

test('events, dead letters and unpublished events of a payment lose the person’s descriptions', async () => {
  await operation('dsb_said', { beneficiary: who.beneficiary, request: { accountAlias: '0707080910' } });
  const data = `'{"id": "dsb_said", "state": "succeeded", "payeeName": "Awa Ba", "purpose": "salary", "metadata": {"a": "b"}}'`;
  const event = `'dsb_said.2', 'main', 'dsb_said', 'disbursement.succeeded', ${data}, now()`;
  await ledger.query(
    `insert into relais.event (position, id, account, subject, type, data, at) values (900001, ${event})`,
  );
  await ledger.query(`insert into relais.outbox (id, account, subject, type, data, at) values (${event})`);
  await ledger.query(`insert into relais.event_group (name) values ('said')`);
  await ledger.query(
    `insert into relais.dead_letter (event_group, position, id, type, account, data, tries, error)
     values ('said', 1, 'dsb_said.2', 'disbursement.succeeded', 'main', ${data}, 3, 'x')`,
  );
  expect(await walked()).toMatchObject({ payments: 1 });
  for (const table of ['event', 'outbox', 'dead_letter']) {
    const [row] = await ledger.query(`select data from relais.${table} where data ->> 'id' = 'dsb_said'`);
    expect(row).toEqual({ data: { id: 'dsb_said', state: 'succeeded' } });
  }
});

test('open, leased or counted operations are unchanged, and counted as open', async () => {
  await operation('msg_1', {
    kind: 'message',
    beneficiary: who.beneficiary,
    request: { to: AWA, text: 't' },
    finished: false,
  });
  await operation('dsb_1', { beneficiary: who.beneficiary, more: `(now() at time zone 'UTC')::date` });
  await ledger.query(
    `insert into relais.spent (day, account, beneficiary, xof) select counted_on, account, beneficiary, 100 from relais.operation where id = 'dsb_1'`,
  );
  await operation('dsb_2', { beneficiary: who.beneficiary });
  await operation('dsb_3', { beneficiary: who.beneficiary, more: `(now() at time zone 'UTC')::date` });
  await ledger.query("update relais.operation set account = 'unlimited' where id = 'dsb_3'");
  await ledger.query(
    `update relais.operation set lease = 1, lease_until = now() + interval '1 minute' where id = 'dsb_2'`,
  );
  expect(await walked()).toMatchObject({ messages: 0, payments: 1, open: 3 });
  expect(await all('operation')).toContain(AWA);
  const later = new Purge({ database, now: () => new Date(Date.now() + 3 * 86_400_000) });
  expect(await walked(later)).toMatchObject({ payments: 1, open: 2 });
});

test('recipients lose everything by either form of the number, but not while their request is on its way', async () => {
  await madeCampaign(ledger, 'cmp_1');
  await ledger.query(`update relais.campaign set recipients = 150, requests = 3`);
  await ledger.query(
    `insert into relais.recipient (campaign, n, row, phone, variables, own)
     select 1, n, n, case n when 3 then 2250707080910 when 60 then 22507080910 when 120 then 2250707080910 else 221770000000 + n end,
       'Awa', case n when 4 then 'call 0707080910' || E'\\t' || 'Dakar' when 3 then 'secret' end from generate_series(0, 149) n`,
  );
  await ledger.query(
    `insert into relais.sms_request (campaign, n, size, state, outcome) values
       (1, 0, 50, 'settled', repeat('s', 50)), (1, 1, 50, 'sending', null), (1, 2, 50, 'queued', null)`,
  );
  expect(await walked()).toMatchObject({ recipients: 2, rows: 1, open: 1 });
  const rows = await ledger.query<{ n: number; phone: string | null; variables: string; own: string | null }>(
    `select n, phone, variables, own from relais.recipient where n in (3, 4, 60, 120) order by n`,
  );
  const erased = { phone: null, variables: expect.stringMatching(/^purged-/), own: null };
  expect(rows).toEqual([
    { n: 3, ...erased },
    { n: 4, phone: '221770000004', variables: 'Awa', own: '\tDakar' },
    { n: 60, phone: '22507080910', variables: 'Awa', own: null },
    { n: 120, ...erased },
  ]);
  expect(rows[0]?.variables).toBe(rows[3]?.variables);
  await ledger.query(`update relais.sms_request set state = 'settled', outcome = repeat('u', 50) where n = 1`);
  expect(await walked()).toMatchObject({ recipients: 1, open: 0 });
});

test('rows that were left out, batches, drafts, events, requests, callbacks, dead letters and sums lose the number', async () => {
  await ledger.query(
    `insert into relais.left_out_row (campaign, tag, n, row, written, reason, own) values
       (1, 'a', 0, 2, '07 07 08 09 10', 'duplicate', 'Awa'), (1, 'a', 1, 3, 'nobody', 'not_a_number', E'x\\t0707080910')`,
  );
  await ledger.query(
    `insert into relais.batch (id, account, fingerprint, content_hash, state, rows, xof, totals, problems, warnings, created_by, finished_at)
     values ('bat_1', 'main', '\\x00', 'h', 'finished', 2, 2, '{}', '{}', '{}', 'k', now())`,
  );
  await ledger.query(
    `insert into relais.batch_row (batch, n, line, operation, amount, request, cells) values
       ('bat_1', 0, 2, 'dsb_1', 1, '{"accountAlias": "0707080910", "payeeName": "Awa"}', '{Awa}'),
       ('bat_1', 1, 3, 'dsb_2', 1, '{"accountAlias": "771234567"}', '{"0707080910",b}')`,
  );
  const data = JSON.stringify({ reference: 'pay +225 0707080910', amount: 100 });
  await ledger.query(
    `insert into relais.event (position, id, account, subject, type, data, at) values (1, 'e', 'main', 's', 't', '${data}', now())`,
  );
  await ledger.query(
    `insert into relais.outbox (id, account, subject, type, data) values ('o', 'main', 's', 't', '${data}')`,
  );
  await ledger.query(`insert into relais.event_group (name) values ('g')`);
  await ledger.query(
    `insert into relais.dead_letter (event_group, position, id, type, account, data, tries, error)
     values ('g', 1, 'e', 't', 'main', '${data}', 1, 'failed for ${AWA}')`,
  );
  await ledger.query(`insert into relais.callback (id, body) values ('c', '{"msisdn":"${AWA}"}')`);
  await ledger.query(
    `insert into relais.intake (id, digest, kind, account, client, state, decided_at, problems) values
       ('i', '\\x00', 'message', 'main', 'bullmq', 'rejected', now(), '[{"message": "${AWA} is not allowed"}]')`,
  );
  await ledger.query(
    `insert into relais.spent (day, account, beneficiary, xof) values
       ('2026-01-01', 'main', 'CI 0707080910', 5), ((now() at time zone 'UTC')::date, 'main', 'CI 0707080910', 7)`,
  );
  const files = new KeptFiles({ database, random: systemRandom });
  async function* file(text: string): AsyncGenerator<Uint8Array> {
    yield Buffer.from(text);
  }
  const about = { name: 'f.csv', type: 'text/csv', at: 1, most: 1_000 };
  await files.keep('cmp_1', file('numero;prenom\n0707080910;Awa'), about);
  await files.keep('cmp_2', file('numero;prenom\n771234567;Ali'), about);
  expect(await walked()).toMatchObject({ rows: 4, files: 1, events: 4, intake: 1, open: 0 });
  for (const table of ['left_out_row', 'event', 'outbox', 'dead_letter', 'callback', 'intake'])
    expect(await all(table)).not.toContain('7080910');
  expect(await ledger.query(`select request, cells from relais.batch_row order by n`)).toEqual([
    { request: { accountAlias: '0707080910' }, cells: null },
    { request: { accountAlias: '771234567' }, cells: ['', 'b'] },
  ]);
  expect([await files.find('cmp_1'), (await files.find('cmp_2'))?.name]).toEqual([undefined, 'f.csv']);
  expect(await ledger.query(`select beneficiary, xof from relais.spent order by day`)).toEqual([
    { beneficiary: expect.stringMatching(/^purged-/), xof: '5' },
    { beneficiary: 'CI 0707080910', xof: '7' },
  ]);
  const [{ acts } = { acts: 0 }] = await ledger.query<{ acts: number }>(
    `select count(*)::int as acts from relais.audit_line where act = 'person.purge'`,
  );
  expect(acts).toBeGreaterThan(5);
  expect(await all('audit_line')).not.toContain('7080910');
  expect(await walked()).toMatchObject({ rows: 0, files: 0, events: 0, intake: 0, open: 0 });
});

test('a walk over many rows ends, and a call with an unknown position starts again', async () => {
  await ledger.query(
    `insert into relais.operation (id, kind, account, fingerprint, state, request, created_by, schema_version, op, finished_at)
     select 'msg_' || n, 'message', 'main', '\\x00', 'sent', jsonb_build_object('to', case when n % 1000 = 0 then '${AWA}' else '+221770000000' end),
       'k', 1, gen_random_uuid(), now() from generate_series(1, 15000) n`,
  );
  const first = await purge.page(who, 'unnamed-4711');
  const rest = await purge.page(who, first.next);
  expect([first.looked, first.messages + rest.messages]).toEqual([10_000, 15]);
});
