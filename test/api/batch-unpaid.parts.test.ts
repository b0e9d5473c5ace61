/** A batch with unpaid rows shows them everywhere, and only these rows are paid again. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Service, startService } from '../support/service.ts';
import { actsOn } from '../support/stored.ts';
import { BATCHES, deskOf } from './batch-desk.ts';

let service: Service;
beforeAll(async () => {
  service = await startService({ DUPLICATE_WINDOW: '1h' });
});
afterAll(() => service.stop());
const { send, approve, get } = deskOf(() => service);

const HEAD = 'Nom;reference;accountAlias;amount;withdrawMode';
/**
 * The provider fails the payment to Binta. Each test has other recipients: DUPLICATE_WINDOW refuses repeated
 * payments.
 */
const salaries = (tag: string, begins: string): string =>
  [
    HEAD,
    `Awa;${tag}-awa;${begins}0000000;1000;wallet-a-senegal`,
    `Binta;${tag}-binta;${begins}9999901;64000;wallet-a-senegal`,
    `Cheikh;${tag}-cheikh;${begins}0000002;3000;wallet-a-senegal`,
  ].join('\n');

async function finished(id: string, contentHash: string) {
  expect((await approve(id, contentHash)).status).toBe(200);
  return service.until(`${BATCHES}/${id}`, ({ state }) => state === 'finished');
}

const PAID = { count: 2, xof: 4_000 };
const NOT_PAID = { count: 1, xof: 64_000 };
const NOTHING = { count: 0, xof: 0 };
const OUTCOME = { paid: PAID, notPaid: NOT_PAID, uncertain: NOTHING, open: NOTHING, elsewhere: NOTHING };

test('the batch, its list, its event, its rows and its explanation agree on the paid rows', async () => {
  const uploaded = await send(salaries('agree', '77'), { query: '?name=salaires.csv' });
  expect(uploaded.body).toMatchObject({ fileName: 'salaires.csv', outcome: null });
  const { id, contentHash } = uploaded.body;
  const batch = await finished(id, contentHash);
  expect(batch).toMatchObject({ states: { succeeded: PAID, failed: NOT_PAID }, outcome: OUTCOME });

  const { body: list } = await service.call('GET', BATCHES);
  expect(list.items.find((one: { id: string }) => one.id === id).outcome).toEqual(OUTCOME);

  const { body: stream } = await service.published('/v1/events?types=batch.finished');
  const [{ data }] = stream.events.filter((one: { data: { id: string } }) => one.data.id === id);
  expect(data.states).toEqual({ succeeded: PAID, failed: NOT_PAID });

  const { items, next } = await get(`${id}/rows?limit=2`);
  expect(items.map(({ row, state, own }: any) => [row, state, own.Nom])).toEqual([
    [3, 'failed', 'Binta'],
    [2, 'succeeded', 'Awa'],
  ]);
  const last = await get(`${id}/rows?limit=2&after=${next}`);
  expect([last.items.map(({ row }: { row: number }) => row), last.next]).toEqual([[4], null]);
  expect((await get(`${id}/rows?outcome=notPaid`)).items).toHaveLength(1);

  const told = async (language: string) =>
    (await service.call('GET', `/v1/explain/${id}`, { headers: { 'accept-language': language } })).body;
  const english = await told('en');
  expect(english.summary).toMatch(/2 paid: 4\s000\sXOF\. 1 not paid: 64\s000\sXOF\./);
  expect(english.next).toContain(`relais disburse batch-retry ${id}`);
  expect((await told('fr')).summary).toMatch(/2 payés : 4\s000\sF\sCFA\. 1 non payé : 64\s000\sF\sCFA\./);
});

test('the unpaid rows are paid again as a new batch: new references, a new approval, and no recipient twice', async () => {
  const { body: first } = await send(salaries('again', '78'), { query: '?name=salaires.csv' });
  const early = await service.call('POST', `${BATCHES}/${first.id}/retry`);
  expect([early.status, early.body.state]).toEqual([409, 'awaiting_approval']);
  await finished(first.id, first.contentHash);

  const again = () => service.call('POST', `${BATCHES}/${first.id}/retry`);
  const { status, body: second } = await again();
  expect(status).toBe(201);
  expect(second).toMatchObject({
    state: 'awaiting_approval',
    totals: NOT_PAID,
    retryOf: first.id,
    fileName: 'salaires.csv',
    uploadedBy: 'maker',
  });
  expect(await actsOn(service, second.id)).toEqual(['batch.retry']);
  const pressed = await again();
  expect([pressed.body.id, pressed.headers['idempotency-replayed']]).toEqual([second.id, 'true']);
  const [row] = (await get(`${second.id}/rows`)).items;
  expect(row).toMatchObject({ row: 3, reference: 'again-binta~2', accountAlias: '789999901', own: { Nom: 'Binta' } });

  // The person who requested the new batch cannot approve it.
  expect((await approve(second.id, second.contentHash, 'maker-secret')).status).toBe(403);
  const retried = await finished(second.id, second.contentHash);
  expect(retried.outcome.notPaid).toEqual(NOT_PAID);
  const over = await again();
  expect([over.status, over.body.detail]).toEqual([409, expect.stringContaining('retried before')]);

  const { body: third } = await service.call('POST', `${BATCHES}/${second.id}/retry`);
  expect((await get(`${third.id}/rows`)).items[0].reference).toBe('again-binta~3');
  const books = await service.books('disbursements');
  expect(books.filter(({ effects }: { effects: number }) => effects > 1)).toEqual([]);
});

test('a retry that was cancelled makes room for another one', async () => {
  const { body: first } = await send(salaries('room', '76'));
  await finished(first.id, first.contentHash);
  const again = async () => (await service.call('POST', `${BATCHES}/${first.id}/retry`)).body;
  const second = await again();
  await service.call('POST', `${BATCHES}/${second.id}/cancel`);
  const third = await again();
  expect(third).toMatchObject({ state: 'awaiting_approval', totals: NOT_PAID });
  expect(third.id).not.toBe(second.id);
});

test('a batch of which every row was paid has nothing to be paid again', async () => {
  const { body } = await send(
    salaries('whole', '70')
      .split('\n')
      .filter((line) => !line.startsWith('Binta'))
      .join('\n'),
  );
  expect((await finished(body.id, body.contentHash)).outcome).toMatchObject({ paid: PAID, notPaid: NOTHING });
  const { status, body: refused } = await service.call('POST', `${BATCHES}/${body.id}/retry`);
  expect([status, refused.detail]).toEqual([409, expect.stringContaining('No row can be retried')]);
});

test('a batch that was cancelled after a partial payment still shows the paid rows', async () => {
  const { body } = await send(salaries('stopped', '75'));
  await finished(body.id, body.contentHash);
  // Cancelled by a user after a recovery, before its last row was accepted.
  await service.ledger.query('alter table relais.batch disable trigger batch_follows_arrows');
  await service.ledger.query(`update relais.batch set state = 'cancelled', fed = 2 where id = '${body.id}'`);
  await service.ledger.query(`delete from relais.operation where batch = '${body.id}' and amount = 3000`);
  expect(await get(body.id)).toMatchObject({
    states: { succeeded: { count: 1, xof: 1_000 }, failed: NOT_PAID, cancelled: { count: 1, xof: 3_000 } },
    outcome: { paid: { count: 1, xof: 1_000 }, notPaid: { count: 2, xof: 67_000 } },
  });
});
