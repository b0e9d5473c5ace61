/**
 * Enqueue from SQL on real PostgreSQL: callers' transactions, refusals, two workers that die, and the list of
 * refusals.
 */
import { readFileSync } from 'node:fs';
import { Client } from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { derivedId } from '../../src/lib/ids.ts';
import { type Enqueued, Intake } from '../../src/ledger/intake.ts';
import { LedgerClosed } from '../../src/ledger/errors.ts';
import { Database } from '../../src/ledger/pool.ts';
import { Rejections } from '../../src/ledger/rejections.ts';
import { operations } from '../../src/kinds/index.ts';
import { type FreshLedger, freshLedger } from '../support/fresh-ledger.ts';
import { message as said } from '../../src/messages/message.ts';

const PASSWORD = 'shop';
const LEASE_MS = 60_000;

let ledger: FreshLedger;
let database: Database;
let rejections: Rejections;
let shop: Client;
let role: string;
/** Accepted requests by id: the future operations. */
let accepted: Map<string, string>;
let errors: unknown[];
let made = 0;

const payment = (over: object = {}) => ({
  reference: `order-${(made += 1)}`,
  accountAlias: '771234567',
  amount: 25_000,
  withdrawMode: 'wallet-a-senegal',
  ...over,
});
const idOf = (reference: string): string => derivedId('dsb', 'default', 'main', 'disbursement', reference);

async function connect(as = role): Promise<Client> {
  const url = new URL(ledger.url);
  Object.assign(url, { username: as, password: PASSWORD });
  const client = new Client({ connectionString: url.href });
  await client.connect();
  return client;
}
async function login(name: string): Promise<void> {
  await ledger.query(`create role ${name} login password '${PASSWORD}'`);
  await ledger.query(`grant ${role}_enqueue to ${name}`);
}
async function enqueue(
  request: object,
  kind = 'disbursement',
  key: string | null = null,
  by = shop,
): Promise<string> {
  const { rows } = await by.query<{ id: string }>('select relais.enqueue($1, $2, $3) as id', [kind, request, key]);
  return rows[0]?.id ?? '';
}
const mine = async (id: string, by = shop) =>
  (
    await by.query(`select state, problems, existing_id from relais.my_intake where id = $1 order by created_at`, [
      id,
    ])
  ).rows;

/**
 * Like acceptance: the same identity with another request is a conflict, and an amount above a million is invalid.
 */
async function accept(request: unknown, { idempotencyKey, by }: Enqueued) {
  const { reference, account, amount } = request as { reference?: string; account: string; amount: number };
  expect(by).toBe(`sql:${role}`);
  const id = derivedId('dsb', 'default', account, 'disbursement', idempotencyKey ?? reference ?? '');
  if (amount > 1_000_000)
    return {
      outcome: 'invalid',
      problems: [{ pointer: '/amount', message: said('other', { text: 'is too large' }) }],
    } as const;
  const known = accepted.get(id);
  accepted.set(id, known ?? JSON.stringify(request));
  if (known === undefined) return { outcome: 'accepted', id } as const;
  if (known === JSON.stringify(request)) return { outcome: 'duplicate', id } as const;
  return { outcome: 'conflict', existingId: id, differs: ['/amount'] } as const;
}
const worker = (judge: typeof accept = accept): Intake =>
  new Intake({
    database,
    environment: 'default',
    accept: Object.fromEntries(Object.keys(operations).map((kind) => [kind, judge])) as never,
    leaseMs: LEASE_MS,
    onError: (error) => errors.push(error),
  });
const later = (): Date => new Date(Date.now() + LEASE_MS + 1_000);
async function judgeAll(): Promise<void> {
  while ((await worker().run(200, later())) > 0);
}

beforeAll(async () => {
  ledger = await freshLedger();
  database = new Database({ url: ledger.url, schema: ledger.schema });
  rejections = new Rejections({ database });
  role = `shop_${process.pid}_${Date.now()}`;
  // All schemas of a server share the names of roles.
  const roles = readFileSync(new URL('../../src/ledger/roles.sql', import.meta.url), 'utf8');
  await ledger.query(roles.replaceAll('relais_enqueue', `${role}_enqueue`));
  await login(role);
  await ledger.query(`select relais.enqueue_grant('${role}', 'main', '{disbursement,message}', 2000000)`);
  shop = await connect();
});
afterAll(async () => {
  await shop?.end();
  await database?.close();
  await ledger?.query(`drop owned by ${role}_enqueue`);
  await ledger?.query(`drop role ${role}, ${role}_enqueue`);
  await ledger?.close();
});
beforeEach(() => {
  accepted = new Map();
  errors = [];
});

describe('a transaction of the caller', () => {
  test('that is rolled back enqueues nothing', async () => {
    const request = payment();
    await shop.query('begin');
    const id = await enqueue(request);
    await shop.query('rollback');
    await judgeAll();
    expect([await mine(id), accepted.size]).toEqual([[], 0]);
  });

  test('that is committed is accepted once, under the id that TypeScript derives', async () => {
    const request = payment();
    await shop.query('begin');
    const id = await enqueue(request);
    expect(await worker().run(10)).toBe(0);
    await shop.query('commit');
    expect(id).toBe(idOf(request.reference));
    await judgeAll();
    expect([...accepted.keys()]).toEqual([id]);
    expect(await mine(id)).toMatchObject([{ state: 'accepted' }]);
    expect(await ledger.query(`select request from relais.intake where id = '${id}'`)).toEqual([{ request: null }]);
  });

  test('twice is one request, before and after it was accepted', async () => {
    const request = payment();
    const id = await enqueue(request);
    expect(await enqueue({ ...request })).toBe(id);
    await judgeAll();
    expect(await enqueue(request)).toBe(id);
    expect(await worker().run(10)).toBe(0);
    expect(await mine(id)).toHaveLength(1);
  });

  test('with another request under the same identity ends as a conflict, with its event', async () => {
    const request = payment();
    const id = await enqueue(request);
    await judgeAll();
    expect(await enqueue({ ...request, amount: 9 })).toBe(id);
    await judgeAll();
    const message = expect.stringContaining('conflict: already used by another request');
    expect(await mine(id)).toMatchObject([
      { state: 'accepted' },
      { state: 'rejected', existing_id: id, problems: [{ pointer: '/reference', message }] },
    ]);
    const events = `select subject, data from relais.outbox where type = 'intake.rejected' and subject = '${id}'`;
    expect(await ledger.query(events)).toMatchObject([
      { subject: id, data: { id, kind: 'disbursement', reference: request.reference, existingId: id } },
    ]);
  });

  test('that stays open for long holds back no other request', async () => {
    const slow = await connect();
    await slow.query('begin');
    const waiting = await enqueue(payment(), 'disbursement', null, slow);
    const id = await enqueue(payment());
    await judgeAll();
    expect([...accepted.keys()]).toEqual([id]);
    await slow.query('commit');
    await slow.end();
    await judgeAll();
    expect(await mine(waiting)).toMatchObject([{ state: 'accepted' }]);
  });

  test('can enqueue a rejected request again, which is judged and reported again', async () => {
    const request = payment({ amount: 1_500_000 });
    const id = await enqueue(request);
    await judgeAll();
    expect(await mine(id)).toMatchObject([{ state: 'rejected' }]);
    await enqueue(request);
    expect(await mine(id)).toMatchObject([{ state: 'queued', problems: null }]);
    await judgeAll();
    const events = await ledger.query<{ id: string }>(`select id from relais.outbox where subject = '${id}'`);
    expect(new Set(events.map((event) => event.id)).size).toBe(2);
  });
});

describe('SQL refuses', () => {
  const refusalOf = (request: unknown, kind = 'disbursement', key: string | null = null) =>
    shop.query('select relais.enqueue($1, $2, $3)', [kind, JSON.stringify(request), key]).catch((error: unknown) => {
      const { code, detail } = error as { code: string; detail: string };
      return { code, problems: JSON.parse(detail) };
    });
  const pointers = (...all: string[]) => ({
    code: '22023',
    problems: all.map((pointer) => ({ pointer, message: expect.any(String) })),
  });

  test.for([
    ['no object', [], pointers('')],
    ['more than 32 kB', payment({ note: 'x'.repeat(32_768) }), pointers('')],
    ['no identity', payment({ reference: undefined }), pointers('/reference')],
    ['an empty identity', payment({ reference: ' \u00a0' }), pointers('/reference')],
    ['an account without a grant', payment({ account: 'other' }), pointers('/account')],
    ['an amount above the grant', payment({ amount: 2_000_001 }), pointers('/amount')],
    ['several at once', { amount: 3e6 }, pointers('/amount', '/reference')],
  ] as const)('%s, with pointers', async ([, request, refusal]) => {
    expect(await refusalOf(request)).toEqual(refusal);
  });

  test('a kind that was not granted', async () => {
    expect(await refusalOf(payment(), 'campaign')).toEqual(pointers('/kind'));
    expect(await refusalOf(payment(), 'nothing')).toEqual(pointers('/kind'));
  });

  test('a role without a grant, and everything but the function and the view', async () => {
    const name = `${role}_other`;
    await login(name);
    const other = await connect(name);
    await expect(enqueue(payment(), 'disbursement', null, other)).rejects.toMatchObject({ code: '42501' });
    for (const sql of [
      'select * from relais.intake',
      'select * from relais.operation',
      'delete from relais.enqueue_grant',
      `select relais.enqueue_grant('${name}', 'main', '{disbursement}')`,
    ]) {
      await expect(other.query(sql), sql).rejects.toMatchObject({ code: '42501' });
    }
    const id = await enqueue(payment());
    expect(await mine(id, other)).toEqual([]);
    await other.end();
    await ledger.query(`drop role ${name}`);
  });

  test('a client that has ten thousand requests waiting, but not a repeated request', async () => {
    const known = payment();
    const id = await enqueue(known);
    await ledger.query(`insert into relais.intake (id, digest, kind, account, request, client)
      select 'full_' || n, '', 'disbursement', 'main', '{}', 'sql:${role}' from generate_series(1, 9999) n`);
    expect(await refusalOf(payment())).toEqual(pointers(''));
    expect(await enqueue(known)).toBe(id);
    await ledger.query(`delete from relais.intake where id like 'full_%'`);
    expect(await enqueue(payment())).toMatch(/^dsb_/);
  });
});

describe('identities', () => {
  test.for([
    ['order-1'],
    ['\u00e9te\u0301 2026'],
    ['\u2003 caf\u00e9 \ufeff'],
    ['\u0395\u03bb\u03bb\u03ac\u03b4\u03b1 \u2014 \u4e2d\u6587'],
    ['\u{1f600} emoji'],
    ['a'.repeat(128)],
  ])('%j give the same id in SQL and in TypeScript', async ([reference = '']) => {
    const id = await enqueue(payment({ reference }));
    expect(id).toBe(idOf(reference.trim().normalize('NFC')));
    await judgeAll();
    expect(await mine(id)).toMatchObject([{ state: 'accepted' }]);
  });

  test('of every kind have the prefix that the kind declares', async () => {
    const asked = Object.entries(operations).filter(([, kind]) => 'request' in kind);
    await ledger.query(
      `select relais.enqueue_grant('${role}', 'main', '{${asked.map(([kind]) => kind).join(',')}}', 2000000)`,
    );
    for (const [kind, { prefix }] of asked) {
      expect(await enqueue(payment({ reference: 'each' }), kind)).toBe(
        derivedId(prefix, 'default', 'main', kind, 'each'),
      );
    }
    await ledger.query(`delete from relais.intake where reference = 'each'`);
  });

  test('are the idempotency key where there is one', async () => {
    const id = await enqueue(payment({ reference: undefined }), 'disbursement', 'key-1');
    expect(id).toBe(idOf('key-1'));
    await judgeAll();
    expect([...accepted.keys()]).toEqual([id]);
  });

  test('that TypeScript refuses or spells otherwise are rejected, never accepted under another id', async () => {
    const id = await enqueue(payment({ reference: 'a\u200bb' }));
    await judgeAll();
    expect(await mine(id)).toMatchObject([{ state: 'rejected', problems: [{ pointer: '/reference' }] }]);
    expect(accepted.size).toBe(0);
  });
});

describe('workers', () => {
  test('that are two take every request once', async () => {
    const asked: string[] = [];
    for (let left = 60; left > 0; left -= 1) asked.push(await enqueue(payment()));
    const judged: string[] = [];
    const counting: typeof accept = async (request, by) => {
      judged.push(JSON.stringify(request));
      return accept(request, by);
    };
    await Promise.all([1, 2, 3, 4].map(() => worker(counting).run(20)));
    expect(judged).toHaveLength(60);
    expect([...accepted.keys()].toSorted()).toEqual(asked.toSorted());
  });

  test('that die after the acceptance leave a request that is found, not accepted twice', async () => {
    const id = await enqueue(payment());
    const dying: typeof accept = async (request, by) => {
      await accept(request, by);
      throw new Error('killed');
    };
    await worker(dying).run(10);
    expect(errors).toMatchObject([{ message: 'killed' }]);
    expect(await worker().run(10)).toBe(0);
    await judgeAll();
    expect([accepted.size, await mine(id)]).toMatchObject([1, [{ state: 'accepted' }]]);
  });

  test('are not stopped by one request that fails', async () => {
    const [bad, good] = [await enqueue(payment({ amount: 13 })), await enqueue(payment())];
    const failing: typeof accept = async (request, by) => {
      if ((request as { amount: number }).amount === 13) throw new Error('broken');
      return accept(request, by);
    };
    await worker(failing).run(10);
    expect([await mine(good), await mine(bad)]).toMatchObject([[{ state: 'accepted' }], [{ state: 'queued' }]]);
    await judgeAll();
  });

  test('leave every request where it is while the ledger is recovering', async () => {
    const id = await enqueue(payment());
    await ledger.query(`update relais.deployment set recovering_at = now()`);
    expect(await worker().run(10)).toBe(0);
    const noticed: typeof accept = () => Promise.reject(new LedgerClosed('recovering'));
    await ledger.query(`update relais.deployment set recovering_at = null`);
    await worker(noticed).run(10);
    expect([errors, await mine(id)]).toMatchObject([[], [{ state: 'queued' }]]);
    await judgeAll();
    expect(await mine(id)).toMatchObject([{ state: 'accepted' }]);
  });

  test('give each client its turn', async () => {
    await ledger.query(`insert into relais.intake (id, digest, kind, account, request, client)
      select 'many_' || n, '', 'disbursement', 'main', '{}', 'sql:a' from generate_series(1, 50) n`);
    const id = await enqueue(payment());
    const taken = await database.run<{ id: string }>('take_intake', [2, LEASE_MS, null]);
    expect(taken.map((one) => one.id)).toContain(id);
    await ledger.query(`delete from relais.intake where id like 'many_%' or id = '${id}'`);
  });
});

describe('the list of refused requests', () => {
  const rejection = (id: string, account = 'main') => ({
    id,
    jobId: '17',
    kind: 'disbursement',
    account,
    reference: 'order-1',
    problems: [{ pointer: '/amount', message: 'is required' }],
  });

  test('has a job once, with one event', async () => {
    expect(await rejections.add(rejection('rej_once'))).toBe(true);
    expect(await rejections.add(rejection('rej_once'))).toBe(false);
    const { account: _account, ...data } = rejection('rej_once');
    expect(await ledger.query(`select data from relais.outbox where id = 'rej_once'`)).toEqual([{ data }]);
  });

  test('is read page by page, the newest first, for the accounts that a key may use', async () => {
    await ledger.query(`delete from relais.intake`);
    for (let at = 0; at < 7; at += 1) await rejections.add(rejection(`rej_${at}`, at === 3 ? 'other' : 'main'));
    const seen: string[] = [];
    let before: string | undefined;
    do {
      const page = await rejections.page({ before, limit: 2, isMeant: (account) => account === 'main' });
      seen.push(...page.items.map(({ id }) => id));
      before = page.next ?? undefined;
    } while (before !== undefined);
    expect(seen).toEqual(['rej_6', 'rej_5', 'rej_4', 'rej_2', 'rej_1', 'rej_0']);
  });

  test('removes requests that were decided more than thirty days ago', async () => {
    await ledger.query(`update relais.intake set decided_at = now() - interval '31 days' where id = 'rej_0'`);
    expect([await rejections.forget(new Date()), await rejections.forget(new Date())]).toEqual([1, 0]);
  });
});
