/** Each program of examples/transaction enqueues a payment in its own transaction, against a whole relais. */
import { readFileSync } from 'node:fs';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { languagesOfTransactions, runProgram } from '../support/languages.ts';
import { type Service, startService } from '../support/service.ts';

const PASSWORD = 'secret';
const role = `shop_${process.pid}_${Date.now()}`;
let service: Service;
let url: string;

beforeAll(async () => {
  service = await startService();
  const { ledger } = service;
  // All schemas of a server share the names of roles.
  const roles = readFileSync(new URL('../../src/ledger/roles.sql', import.meta.url), 'utf8');
  await ledger.query(roles.replaceAll('relais_enqueue', `${role}_enqueue`));
  await ledger.query(`create role ${role} login password '${PASSWORD}' in role ${role}_enqueue`);
  await ledger.query(`select relais.enqueue_grant('${role}', 'main', '{disbursement}')`);
  await ledger.query('create table orders (id bigint primary key)');
  await ledger.query('create table refunds (order_id bigint primary key references orders, amount bigint not null)');
  await ledger.query(`grant select, insert on orders, refunds to ${role}`);
  url = Object.assign(new URL(service.databaseUrl), { username: role, password: PASSWORD }).href;
});
afterAll(async () => {
  await service?.drain();
  await service?.ledger.query(`drop owned by ${role}, ${role}_enqueue`);
  await service?.ledger.query(`drop role ${role}, ${role}_enqueue`);
  await service?.stop();
});

/** JDBC takes user and password as parameters, and psql its variables before the file. */
function environment(): Readonly<Record<string, string>> {
  const { host, pathname, username, password } = new URL(url);
  return {
    DATABASE_URL: url,
    JDBC_URL: `jdbc:postgresql://${host}${pathname}?user=${username}&password=${password}`,
  };
}
const given = (name: string, order: number, amount: number): readonly string[] =>
  name === 'SQL' ? ['-v', `order=${order}`, '-v', `amount=${amount}`, url] : [String(order), String(amount)];

const rows = (order: number) =>
  service.ledger.query<{ id: string; state: string }>(
    `select id, state from relais.intake where reference = 'order-${order}' order by created_at`,
  );
const paid = async (reference: string) => {
  const { body } = await service.call('GET', `/v1/disbursements?reference=${reference}`);
  return body.items as readonly { readonly id: string; readonly amount: number }[];
};

describe.for(languagesOfTransactions().map((language, at) => ({ ...language, order: 1_000 + at })))(
  '$name',
  ({ order, ...language }) => {
    const refund = (amount: number) =>
      runProgram(language, given(language.name, order, amount), { env: environment() });

    test('a transaction that is rolled back pays nothing', async (context) => {
      if (language.missing !== undefined) context.skip(language.missing);
      // There is no such order, so the refund fails after the payment was enqueued.
      expect(await refund(25_000)).toMatchObject({ errors: expect.stringMatching(/refunds_order_id_fkey/) });
      expect(await rows(order)).toEqual([]);
      await service.ledger.query(`insert into orders values (${order})`);
    });

    test('a transaction that is committed pays, and the same one again pays nothing more', async (context) => {
      if (language.missing !== undefined) context.skip(language.missing);
      const { status, said: id, errors } = await refund(25_000);
      expect([status, errors]).toEqual([0, '']);
      expect(id).toMatch(/^dsb_\w+$/);
      await service.until(`/v1/disbursements/${id}`, ({ state }) => state === 'succeeded');
      expect((await refund(25_000)).said).toBe(id);
      expect(await paid(`order-${order}`)).toMatchObject([{ id, amount: 25_000 }]);
      expect(await rows(order)).toMatchObject([{ id, state: 'accepted' }]);
    });

    test('another amount under the same reference is reported as a conflict, and pays nothing', async (context) => {
      if (language.missing !== undefined) context.skip(language.missing);
      const { said: id } = await refund(30_000);
      await service.until('/v1/intake?state=rejected', ({ items }) =>
        items.some((item: { existingId?: string }) => item.existingId === id),
      );
      expect(await paid(`order-${order}`)).toMatchObject([{ id, amount: 25_000 }]);
    });
  },
);

test('PHP reads an address without a password, such as the one of `relais dev`', async (context) => {
  const php = languagesOfTransactions().find(({ name }) => name === 'PHP');
  if (php === undefined || php.missing !== undefined) return context.skip(php?.missing);
  await service.ledger.query('insert into orders values (2000)');
  const address = Object.assign(new URL(url), { password: '' }).href;
  const { said, errors } = await runProgram(php, ['2000', '25000'], { env: { DATABASE_URL: address } });
  expect(errors).toBe('');
  expect(said).toMatch(/^dsb_\w+$/);
});

test('a transaction of a caller that stays open holds back neither payments nor events of others', async () => {
  const request = (reference: string) => ({
    reference,
    accountAlias: '771234567',
    amount: 4_000,
    withdrawMode: 'wallet-a-senegal',
  });
  const enqueue = async (client: Client, reference: string): Promise<string> => {
    const { rows: found } = await client.query<{ id: string }>("select relais.enqueue('disbursement', $1) as id", [
      request(reference),
    ]);
    return found[0]?.id ?? '';
  };
  const [slow, quick] = [new Client({ connectionString: url }), new Client({ connectionString: url })];
  await Promise.all([slow.connect(), quick.connect()]);
  try {
    await slow.query('begin');
    const waiting = await enqueue(slow, 'slow');
    const ids = [await enqueue(quick, 'quick')];
    ids.push(
      (await service.call('POST', '/v1/disbursements', { body: { ...request('http'), amount: 5_000 } })).body.id,
    );
    for (const id of ids) await service.until(`/v1/disbursements/${id}`, ({ state }) => state === 'succeeded');
    const { body } = await service.published('/v1/events?types=disbursement.succeeded&limit=1000');
    const reported = body.events.map(({ data }: { data: { id: string } }) => data.id);
    expect(reported).toEqual(expect.arrayContaining(ids));
    expect((await service.call('GET', `/v1/disbursements/${waiting}`)).status).toBe(404);
    await slow.query('commit');
    await service.until(`/v1/disbursements/${waiting}`, ({ state }) => state === 'succeeded');
  } finally {
    await Promise.all([slow.end(), quick.end()]);
  }
});
