/** `notify`: the payee of a payment gets an SMS about its end, by every way in, and the read of the payment names it. */
import { Queue } from 'bullmq';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Service, startService } from '../support/service.ts';
import { BATCHES, deskOf } from './batch-desk.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());
const { send, approve, get } = deskOf(() => service);

const payment = (reference: string, accountAlias: string, notify?: object) => ({
  reference,
  accountAlias,
  amount: 5_000,
  withdrawMode: 'wallet-a-senegal',
  ...(notify && { notify }),
});
const pay = async (body: object) => service.call('POST', '/v1/disbursements', { body });
const told = (id: string) =>
  service.until(`/v1/disbursements/${id}`, ({ notify }) => notify?.messages?.[0]?.state === 'sent');

/** SMS that the provider sent to a number. */
async function smsTo(number: string): Promise<readonly string[]> {
  const books = await service.books('messages');
  const items: { to: string; text: string; times: number }[] = Array.isArray(books) ? books : books.items;
  return items
    .filter(({ to }) => to === number)
    .flatMap(({ text, times }) => Array.from({ length: times }, () => text));
}

const NOTIFY = {
  text: 'Vous avez recu {{amount}} F',
  failedText: 'Echec de {{reference}}',
  on: ['succeeded', 'failed'],
};

test('a payee is told of the success, and the read of the payment names the message', async () => {
  const asked = await pay(payment('n1', '770000011', NOTIFY));
  expect(asked).toMatchObject({
    status: 202,
    body: { notify: { phone: '+221770000011', on: ['succeeded', 'failed'] } },
  });
  const { id, notify } = await told(asked.body.id);
  expect(notify.messages).toMatchObject([{ on: 'succeeded', state: 'sent' }]);
  expect(await smsTo('+221770000011')).toEqual(['Vous avez recu 5000 F']);
  const { body: message } = await service.call('GET', `/v1/messages/${notify.messages[0].id}`);
  expect(message).toMatchObject({ to: '+221770000011', disbursement: id, reference: null });
});

test('a payee is told of the failure in its own words, and not of a success', async () => {
  const { body } = await pay(payment('n2', '779999901', { ...NOTIFY, phone: '+221770000012' }));
  const { notify } = await told(body.id);
  expect(notify.messages).toMatchObject([{ on: 'failed', state: 'sent' }]);
  expect(await smsTo('+221770000012')).toEqual(['Echec de n2']);
});

test('an opt-out does not stop it, since it is no advertising', async () => {
  await service.call('POST', '/v1/opt-outs', { body: { phones: ['+221770000013'] } });
  const { body } = await pay(payment('n3', '770000013', { text: 'Paye' }));
  await told(body.id);
  expect(await smsTo('+221770000013')).toEqual(['Paye']);
});

test('the same reference with another text is a conflict that names the place', async () => {
  await pay(payment('n4', '770000014', { text: 'Paye' }));
  const { status, body } = await pay(payment('n4', '770000014', { text: 'Recu' }));
  expect([status, body.differs]).toEqual([409, ['/notify']]);
  const without = await pay(payment('n4', '770000014'));
  expect([without.status, without.body.differs]).toEqual([409, ['/notify']]);
});

test('a dry run warns of one text for both ends, and writes nothing', async () => {
  const body = payment('n5', '770000015', { text: 'Fini', on: ['failed', 'succeeded'] });
  const dry = await service.call('POST', '/v1/disbursements?dryRun=true', { body });
  expect(dry.body.warnings).toEqual([
    'says the same whether a payment succeeded or failed; a text for `failed` can be given besides',
  ]);
});

test('SQL and a job of the queue intake take it too, and a refusal of it names its place', async () => {
  await service.ledger.query(`select relais.enqueue_grant('postgres', 'main', '{disbursement}')`);
  const asked = JSON.stringify(payment('n6', '770000016', { text: 'Par SQL' }));
  const [{ id } = { id: '' }] = await service.ledger.query<{ id: string }>(
    `select relais.enqueue('disbursement', '${asked}') as id`,
  );
  const queue = new Queue('intake', { connection: { url: service.redisUrl }, prefix: '{relais}' });
  await queue.add('disbursement', { kind: 'disbursement', ...payment('n7', '770000017', { text: '{{nom}}' }) });
  await queue.close();
  const { items } = await service.until('/v1/intake?state=rejected', (page) => page.items.length > 0);
  expect(items[0].problems).toMatchObject([{ pointer: '/notify/text' }]);
  await service.until(
    `/v1/messages?phone=${encodeURIComponent('+221770000016')}`,
    (page) => page.items[0]?.state === 'sent',
  );
  expect((await get(`../disbursements/${id}`)).notify.messages).toMatchObject([{ on: 'succeeded' }]);
});

const FILE = [
  'prenom;reference;accountAlias;amount;withdrawMode',
  'Awa;nb-1;770000021;1000;wallet-a-senegal',
  'Koffi;nb-2;779999909;2000;wallet-a-senegal',
].join('\n');
const asQuery = (options: Readonly<Record<string, string>>) => `?${new URLSearchParams(options).toString()}`;

test('each payee of a batch gets the text with the columns of the row; the approved hash covers it', async () => {
  const options = {
    notify: 'Bonjour {{prenom}}, {{amount}} F',
    notifyOn: 'succeeded,failed',
    notifyFailedText: 'Non {{Prénom}}',
  };
  const plain = await send(FILE, { query: asQuery({ dryRun: 'true' }) });
  const { body } = await send(FILE, { query: asQuery(options) });
  expect(body).toMatchObject({
    state: 'awaiting_approval',
    notify: { text: options.notify, failedText: options.notifyFailedText, on: ['succeeded', 'failed'] },
  });
  expect(body.contentHash).not.toBe(plain.body.contentHash);
  expect((await approve(body.id, body.contentHash)).status).toBe(200);
  await service.until(`${BATCHES}/${body.id}`, ({ state }) => state === 'finished');
  const { items } = await get(`${body.id}/rows`);
  for (const { id } of items) await told(id);
  expect(await smsTo('+221770000021')).toEqual(['Bonjour Awa, 1000 F']);
  expect(await smsTo('+221779999909')).toEqual(['Non Koffi']);
});

test('a text that no column fills is one problem of the file, and a row without the value is one of its row', async () => {
  const judged = async (file: string, text: string) =>
    (await send(file, { query: asQuery({ dryRun: 'true', notify: text }) })).body.problems;
  const file = FILE.replaceAll('nb-', 'nd-');
  expect(await judged(file, 'Bonjour {{nom}}')).toMatchObject([{ row: null, column: 'notify.text' }]);
  expect(await judged(file.replace('Koffi', ''), 'Bonjour {{prenom}}')).toMatchObject([
    { row: 3, column: 'notify.text' },
  ]);
  const alone = await send(file, { query: asQuery({ notifyOn: 'failed' }) });
  expect([alone.status, alone.body.problems]).toMatchObject([422, [{ pointer: '/notify' }]]);
});

test('the unpaid rows of a batch are paid again with the same SMS', async () => {
  const file = FILE.replace('nb-1', 'nr-1').replace('nb-2', 'nr-2').replace('770000021', '770000022');
  const { body } = await send(file, { query: asQuery({ notify: 'Bonjour {{prenom}}' }) });
  await approve(body.id, body.contentHash);
  await service.until(`${BATCHES}/${body.id}`, ({ state }) => state === 'finished');
  const again = await service.call('POST', `${BATCHES}/${body.id}/retry`);
  expect(again.body).toMatchObject({ state: 'awaiting_approval', notify: { text: 'Bonjour {{prenom}}' } });
});
