/** Recipients for readers: their letters, also after a split or a resend. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Database } from '../../src/ledger/pool.ts';
import { Recipients } from '../../src/ledger/recipients.ts';
import { type FreshLedger, freshLedger } from '../support/fresh-ledger.ts';
import { madeCampaign } from '../support/ledger-campaign.ts';

let ledger: FreshLedger;
let database: Database;
let recipients: Recipients;
beforeAll(async () => {
  ledger = await freshLedger();
  database = new Database(ledger);
  recipients = new Recipients({ database });
});
afterAll(async () => {
  await database?.close();
  await ledger?.close();
});

async function filled(id: string, count: number, more: Parameters<typeof madeCampaign>[2] = {}): Promise<string> {
  await madeCampaign(ledger, id, more);
  const [{ number } = { number: '' }] = await ledger.query<{ number: string }>(
    `update relais.campaign set recipients = ${count} where id = '${id}' returning number`,
  );
  await ledger.query(
    `insert into relais.recipient (campaign, n, row, phone, variables)
     select ${number}, n, n + 2, 221770000000 + n, 'Awa ' || n from generate_series(0, ${count + 4}) n`,
  );
  return number;
}

interface Request {
  readonly n: number;
  readonly members?: readonly number[];
  readonly size?: number;
  readonly state?: string;
  readonly outcome?: string;
  readonly codes?: string;
  readonly before?: string;
}

async function requests(number: string, all: readonly Request[]): Promise<void> {
  await ledger.query(`update relais.campaign set requests = ${all.length} where number = ${number}`);
  for (const { n, members, size = members?.length ?? 50, state = 'settled', outcome, codes, before } of all) {
    const text = (value: string | undefined) => (value === undefined ? 'null' : `'${value}'`);
    await ledger.query(
      `insert into relais.sms_request (campaign, n, size, members, state, outcome, codes, before, sent_at)
       values (${number}, ${n}, ${size}, ${members ? `'{${members.join(',')}}'` : 'null'}, '${state}', ${text(outcome)},
         ${text(codes)}, ${text(before)}, '2026-11-28T10:00:0${n}Z')`,
    );
  }
}

const seen = async (id: string, asked: Partial<Parameters<Recipients['page']>[1]> = {}) =>
  (await recipients.page(id, { from: 0, limit: 1_000, ...asked })).items;

test('each recipient has the letter of its newest request, its code, its time, and how often it was sent again', async () => {
  const number = await filled('cmp_letters', 105);
  await requests(number, [
    { n: 0, outcome: `s-f-${'s'.repeat(46)}`, codes: ['00', '-', 'E1', '-', ...Array(46).fill('00')].join(' ') },
    { n: 1, outcome: 'x'.repeat(50) },
    { n: 2, size: 5, state: 'queued' },
    { n: 3, members: [1, 3], outcome: '-u', codes: '-', before: 'u' },
    { n: 4, members: [1], state: 'sending', before: 'u' },
  ]);
  const items = await seen('cmp_letters');
  expect(items.slice(0, 5).map(({ state, code, request, resent }) => [state, code, request, resent])).toEqual([
    ['sent', '00', 0, undefined],
    ['sending', undefined, 4, 2],
    ['failed', 'E1', 0, undefined],
    ['unknown', undefined, 3, 1],
    ['sent', '00', 0, undefined],
  ]);
  expect(items[1]?.sentAt).toEqual(new Date('2026-11-28T10:00:04Z'));
  expect(items.slice(50, 100).every(({ state, sentAt }) => state === 'skipped' && sentAt === undefined)).toBe(true);
  expect(items.slice(100).map(({ n, state, to, values }) => [n, state, to, values])).toEqual(
    [100, 101, 102, 103, 104].map((n) => [n, 'queued', `+${221770000000 + n}`, [`Awa ${n}`]]),
  );
  expect((await seen('cmp_letters', { states: ['unknown', 'sending'] })).map(({ n }) => n)).toEqual([1, 3]);
  expect((await seen('cmp_letters', { states: ['queued'] })).map(({ n }) => n)).toEqual([100, 101, 102, 103, 104]);
  const view = await ledger.query<{ letter: string }>(
    `select coalesce(letter, 'q') as letter from relais.recipient_status where campaign = ${number} and n < 105 order by n`,
  );
  const letters = { sent: 's', sending: 'g', failed: 'f', unknown: 'u', skipped: 'x', queued: 'q' } as const;
  expect(view.map(({ letter }) => letter)).toEqual(items.map(({ state }) => letters[state as keyof typeof letters]));
});

test('pages follow one another without a gap, with and without a filter, and end', async () => {
  const number = await filled('cmp_pages', 130_000);
  await ledger.query(
    `insert into relais.sms_request (campaign, n, size, state, outcome)
     select ${number}, n, 50, 'settled', case when n % 500 = 499 then 'f' || repeat('s', 49) else repeat('s', 50) end
     from generate_series(0, 2599) n`,
  );
  await ledger.query(`update relais.campaign set requests = 2600 where number = ${number}`);
  const walked: number[] = [];
  let pages = 0;
  for (let from: number | undefined = 0; from !== undefined; pages += 1) {
    const page: Awaited<ReturnType<Recipients['page']>> = await recipients.page('cmp_pages', { from, limit: 1_000 });
    walked.push(...page.items.map(({ n }) => n));
    from = page.next;
  }
  expect([pages, walked.length, new Set(walked).size, walked.at(-1)]).toEqual([130, 130_000, 130_000, 129_999]);
  const failed = await recipients.page('cmp_pages', { from: 0, limit: 3, states: ['failed'] });
  expect([failed.items.map(({ n }) => n), failed.next]).toEqual([[24_950, 49_950, 74_950], 99_950]);
  const rest = await recipients.page('cmp_pages', { from: failed.next ?? 0, limit: 3, states: ['failed'] });
  expect([rest.items.map(({ n }) => n), rest.next]).toEqual([[99_950, 124_950], undefined]);
  const sent = await recipients.page('cmp_pages', { from: 99_949, limit: 3, states: ['sent'] });
  expect([sent.items.map(({ n }) => n), sent.next]).toEqual([[99_949, 99_951, 99_952], 99_953]);
  expect(await recipients.page('cmp_pages', { from: 0, limit: 3, states: ['unknown'] })).toEqual({ items: [] });
  expect(await recipients.page('cmp_nowhere', { from: 0, limit: 3 })).toEqual({ items: [] });
});

test('a phone number finds its recipient in a campaign, and those of all campaigns, the newest first', async () => {
  await filled('cmp_old', 10, { createdAt: '2026-11-01T00:00:00Z' });
  await filled('cmp_new', 20, { createdAt: '2026-11-20T00:00:00Z', account: 'other' });
  expect((await seen('cmp_old', { phones: ['+221770000003', '+221780000000'] })).map(({ n }) => n)).toEqual([3]);
  expect(await seen('cmp_old', { phones: ['+221770000003'], states: ['sent'] })).toEqual([]);
  // Number 12 of cmp_old belongs to an upload that does not count.
  const phones = ['+221770000003', '+221770000012'];
  const accounts = ['main', 'other'];
  const found = await recipients.ofPhones({ phones, accounts, limit: 10 });
  const own = found.filter(({ campaign }) => campaign === 'cmp_old' || campaign === 'cmp_new');
  expect(own.map(({ campaign, n }) => [campaign, n])).toEqual([
    ['cmp_new', 12],
    ['cmp_new', 3],
    ['cmp_old', 3],
  ]);
  const [first] = own;
  const rest = await recipients.ofPhones({ phones, accounts, after: first, limit: 1 });
  expect(rest.map(({ campaign, n }) => [campaign, n])).toEqual([['cmp_new', 3]]);
  expect(await recipients.ofPhones({ phones, accounts: ['nobody'], limit: 10 })).toEqual([]);
});

test('a recipient whose data was erased has neither number nor values', async () => {
  const number = await filled('cmp_erased', 2);
  await ledger.query(
    `update relais.recipient set phone = null, variables = 'purged-1' where campaign = ${number} and n = 0`,
  );
  expect((await seen('cmp_erased', { states: ['queued'] })).map(({ n }) => n)).toEqual([0, 1]);
  const [erased, other] = await seen('cmp_erased');
  expect(erased).toEqual({ n: 0, row: 2, to: 'purged-1', erased: true, values: [], own: '', state: 'queued' });
  expect(other?.to).toBe('+221770000001');
});
