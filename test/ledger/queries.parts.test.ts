/** Reads of the ledger: by name, by filter, as sums, as reviews, and as figures. */
import { beforeEach, describe, expect, test } from 'vitest';
import { Figures } from '../../src/ledger/figures.ts';
import { Queries } from '../../src/ledger/queries.ts';
import { Status } from '../../src/ledger/status.ts';
import { NoSuchPlace } from '../../src/operations/review.ts';
import { insertOperations } from '../support/ledger-rows.ts';
import { ledgerOfThisFile } from '../support/ledger-of-file.ts';

const ledger = ledgerOfThisFile('operation', 'final_change', 'final_count', 'callback', 'tombstone', 'event_count');
const queries = (): Queries => new Queries({ database: ledger.database });

const idsOf = ({ items }: { readonly items: readonly { readonly id: string }[] }) => items.map(({ id }) => id);
const minute = (at: number): string => new Date(Date.UTC(2026, 10, 22, 12, at)).toISOString();
const move = (id: string, more: string) => ledger.query(`update relais.operation set ${more} where id = '${id}'`);

/** Pages of this size, until there is none. */
async function turned(page: Omit<Parameters<Queries['page']>[1], 'after' | 'limit'>, limit: number) {
  const ids: string[] = [];
  for (let after: string | undefined, pages = 0; pages < 40; pages += 1) {
    const read = await queries().page('disbursement', { ...page, after, limit });
    ids.push(...idsOf(read));
    if (read.next === undefined) return ids;
    after = read.next;
  }
  throw new Error(`the list does not end: ${ids.join(' ')}`);
}

/** Twelve payments, a minute apart: three accounts, two people, three states, two batches. */
async function twelve(): Promise<void> {
  await insertOperations(
    ledger,
    Array.from({ length: 12 }, (_, n) => ({
      id: `dsb_${String.fromCharCode(97 + n)}`,
      account: `a${n % 3}`,
      reference: `order-${n}`,
      state: ['queued', 'held', 'pending'][Math.floor(n / 4)] ?? 'queued',
      amount: (n + 1) * 100,
      beneficiary: `SN 77000000${n % 2}`,
      ...(n % 2 === 0 ? { batch: n < 6 ? 'bat_1' : 'bat_2' } : {}),
      token: `token-${n}`,
      transaction_id: `TX-${n}`,
      provider_ref: `ref-${n % 6}`,
      provider_id: `id-${n}`,
      metadata: n < 3 ? { orderId: `${n}`, shop: 'dakar' } : { shop: 'dakar' },
      facts: n === 4 ? { disburseTxId: 'DTX-4' } : {},
      created_at: minute(n),
    })),
  );
}

type Filters = Parameters<typeof turned>[0];
const cases: readonly (readonly [string, Filters, string])[] = [
  ['nothing', {}, 'lkjihgfedcba'],
  ['one account', { accounts: ['a0'] }, 'jgda'],
  ['no account', { accounts: [] }, ''],
  ['states of all accounts', { states: ['pending', 'queued'] }, 'lkjidcba'],
  ['accounts and states', { accounts: ['a0', 'a1'], states: ['held'] }, 'hge'],
  ['a state twice', { states: ['held', 'held'] }, 'hgfe'],
  ['times, with both ends', { createdFrom: Date.parse(minute(2)), createdTo: Date.parse(minute(4)) }, 'edc'],
  ['amounts', { amountMin: 300, amountMax: 500 }, 'edc'],
  ['an amount in an account', { accounts: ['a1'], amountMin: 800 }, 'kh'],
  ['a token', { named: [['token', 'token-3']] }, 'd'],
  ['a transaction', { named: [['transactionId', 'TX-4']] }, 'e'],
  ['the transaction of the submit', { named: [['transactionId', 'DTX-4']] }, 'e'],
  ['a reference of the provider', { named: [['providerRef', 'ref-1']] }, 'hb'],
  ['an id of the provider, in another account', { accounts: ['a0'], named: [['disburseId', 'id-1']] }, ''],
  ['a batch', { named: [['batch', 'bat_1']] }, 'eca'],
  ['a person', { named: [['phone', 'SN 770000001']] }, 'ljhfdb'],
  ['a person in a state', { named: [['phone', 'SN 770000001']], states: ['held'] }, 'hf'],
  [
    'a batch and a person',
    {
      named: [
        ['batch', 'bat_1'],
        ['phone', 'SN 770000001'],
      ],
    },
    '',
  ],
  [
    'two persons at once',
    {
      named: [
        ['phone', 'SN 770000001'],
        ['phone', 'SN 770000000'],
      ],
    },
    '',
  ],
  ['rare metadata', { metadata: { orderId: '1' } }, 'b'],
  ['metadata of a person and an account', { metadata: { shop: 'dakar' }, accounts: ['a0'], amountMax: 400 }, 'da'],
];

test.for(cases)('a list of %s has the same rows for any page size', async ([_name, filters, letters]) => {
  await twelve();
  const expected = letters.split('').map((letter) => `dsb_${letter}`);
  for (const limit of [1, 2, 5, 50]) expect(await turned(filters, limit)).toEqual(expected);
});

describe('among thousands', () => {
  const T0 = Date.UTC(2026, 10, 22, 12);
  /**
   * One a second: every second one of another shop, every tenth of another account, a rare amount in three of them.
   */
  beforeEach(() =>
    ledger.query(`insert into relais.operation (id, kind, account, fingerprint, state, amount, request, metadata, created_by, schema_version, op, created_at, provider_id)
      select 'dsb_' || lpad(n::text, 5, '0'), 'disbursement', case n % 10 when 0 then 'other' else 'main' end, '', 'queued',
        case when n in (20, 41, 6990) then 2 else 1 end, '{"accountAlias": "1", "withdrawMode": "m"}',
        jsonb_build_object('shop', case n % 2 when 0 then 'dakar' else 'abidjan' end), 'x', 1, gen_random_uuid(),
        '${new Date(T0).toISOString()}'::timestamptz + n * interval '1 s', n::text from generate_series(1, 7000) n`),
  );

  test('metadata that many operations have are found page by page', async () => {
    const first = await queries().page('disbursement', { metadata: { shop: 'dakar' }, limit: 2 });
    expect(idsOf(first)).toEqual(['dsb_07000', 'dsb_06998']);
    const second = await queries().page('disbursement', { metadata: { shop: 'dakar' }, limit: 2, after: first.next });
    expect(idsOf(second)).toEqual(['dsb_06996', 'dsb_06994']);
  });

  test('metadata that a few old operations have are all on the first page', async () => {
    await ledger.query(
      `update relais.operation set metadata = metadata || '{"order": "7"}' where id in ('dsb_00020', 'dsb_00041')`,
    );
    const page = await queries().page('disbursement', { metadata: { order: '7' }, limit: 50 });
    expect([idsOf(page), page.next]).toEqual([['dsb_00041', 'dsb_00020'], undefined]);
  });

  test.for<readonly [string, Filters, readonly string[]]>([
    ['in any account', {}, ['dsb_06990', 'dsb_00041', 'dsb_00020']],
    ['in both accounts', { accounts: ['main', 'other'] }, ['dsb_06990', 'dsb_00041', 'dsb_00020']],
    ['in one account', { accounts: ['main'] }, ['dsb_00041']],
    ['with metadata', { metadata: { shop: 'dakar' } }, ['dsb_06990', 'dsb_00020']],
  ])('a page that finds little ends, and the next ones find the rest in order: %s', async ([_name, filters, ids]) => {
    const asked = { ...filters, states: ['queued'], amountMin: 2 };
    const first = await queries().page('disbursement', { ...asked, limit: 3 });
    expect(first.items.length).toBeLessThan(ids.length);
    expect(await turned(asked, 3)).toEqual(ids);
    expect(await turned(asked, 1)).toEqual(ids);
  });
});

test('sums are those of the list, by state', async () => {
  await twelve();
  for (const [name, filters, letters] of cases) {
    const { count, xof, isWhole } = await queries().sum('disbursement', filters);
    const amounts = letters.split('').map((letter) => (letter.charCodeAt(0) - 96) * 100);
    expect([name, count, xof, isWhole]).toEqual([
      name,
      letters.length,
      amounts.reduce((all, one) => all + one, 0),
      true,
    ]);
  }
  expect(await queries().sum('disbursement', { accounts: ['a0'] })).toMatchObject({
    states: [
      { state: 'held', count: 1, xof: 700 },
      { state: 'pending', count: 1, xof: 1_000 },
      { state: 'queued', count: 2, xof: 500 },
    ],
  });
});

test('one search term finds an operation of any account by any of its names', async () => {
  await twelve();
  const found = async (word: string, phone?: string, accounts?: readonly string[]) =>
    idsOf(
      await queries().sought(
        { word, ids: [], named: phone === undefined ? [] : [['phone', phone]] },
        { accounts, limit: 3 },
      ),
    );
  for (const word of ['dsb_e', 'order-4', 'token-4', 'TX-4', 'DTX-4', 'id-4'])
    expect(await found(word)).toEqual(['dsb_e']);
  expect(await found('ref-4')).toEqual(['dsb_k', 'dsb_e']);
  expect(await found('77', 'SN 770000000')).toEqual(['dsb_k', 'dsb_i', 'dsb_g']);
  expect(await found('77', 'SN 770000000', ['a0'])).toEqual(['dsb_g', 'dsb_a']);
  expect(await found('order-4', undefined, ['a0'])).toEqual([]);
  expect(await found('nothing')).toEqual([]);
});

test('a reference finds one operation in each account, and filters hold', async () => {
  await insertOperations(ledger, [
    { id: 'dsb_a', account: 'a', reference: 'same', created_at: minute(1) },
    { id: 'dsb_b', account: 'b', reference: 'same', created_at: minute(2), amount: 900 },
    { id: 'inv_b', account: 'b', reference: 'same', kind: 'invoice', state: 'pending' },
  ]);
  const asked = { reference: 'same' };
  expect(idsOf(await queries().referred('disbursement', [], asked))).toEqual(['dsb_b', 'dsb_a']);
  expect(idsOf(await queries().referred('disbursement', ['dsb_a'], { ...asked, accounts: ['a'] }))).toEqual([
    'dsb_a',
  ]);
  expect(idsOf(await queries().referred('disbursement', [], { ...asked, amountMin: 600 }))).toEqual(['dsb_b']);
  expect(await queries().idOfReference('disbursement', 'b', 'same')).toBe('dsb_b');
  expect(await queries().idOfReference('disbursement', 'c', 'same')).toBeUndefined();
  expect(await queries().accounts()).toEqual(['a', 'b']);
  expect(await queries().kindOf('inv_b')).toBe('invoice');
  expect(await queries().kindOf('inv_c')).toBeUndefined();
  expect(await queries().read('disbursement', 'inv_b')).toBeUndefined();
});

test('review goes from the longest waiting on, through all kinds, and on after a decision', async () => {
  const waits = (id: string, kind: string, since: number, account = 'main') => ({
    id,
    kind,
    account,
    since: minute(since),
    state: 'needs_review',
    request: { accountAlias: 'x', withdrawMode: 'm' },
  });
  await insertOperations(ledger, [
    waits('dsb_2', 'disbursement', 2),
    waits('dcr_1', 'direct_credit', 1),
    waits('dsb_3', 'disbursement', 3, 'other'),
    waits('inv_2', 'invoice', 2),
    { id: 'dsb_9', state: 'pending' },
  ]);
  const first = await queries().review({ limit: 2 });
  expect(idsOf(first)).toEqual(['dcr_1', 'dsb_2']);
  await move('dsb_2', "state = 'failed', finished_at = now()");
  expect(idsOf(await queries().review({ limit: 2, after: first.next }))).toEqual(['inv_2', 'dsb_3']);
  expect(idsOf(await queries().review({ limit: 9, after: 'inv_2' }))).toEqual(['dsb_3']);
  expect(idsOf(await queries().review({ limit: 9, accounts: ['other'] }))).toEqual(['dsb_3']);
  expect(idsOf(await queries().review({ limit: 9, kind: 'direct_credit' }))).toEqual(['dcr_1']);
  await expect(queries().review({ limit: 9, after: 'dsb_9' })).rejects.toThrow(NoSuchPlace);
});

test('recent payments of many people come in one answer, without those of the batch itself', async () => {
  await insertOperations(ledger, [
    { id: 'dsb_a', beneficiary: 'SN 1', amount: 100, state: 'succeeded', created_at: minute(1) },
    { id: 'dsb_b', beneficiary: 'SN 1', amount: 200, state: 'needs_review', created_at: minute(2) },
    { id: 'dsb_c', beneficiary: 'SN 1', amount: 400, state: 'failed', created_at: minute(3) },
    { id: 'dsb_d', beneficiary: 'SN 1', amount: 800, state: 'succeeded', batch: 'bat_own', created_at: minute(3) },
    { id: 'dsb_e', beneficiary: 'SN 2', amount: 1_600, state: 'succeeded', account: 'other', created_at: minute(4) },
    { id: 'dsb_f', beneficiary: 'SN 1', amount: 3_200, state: 'succeeded', created_at: minute(-99) },
  ]);
  const asked = {
    phones: ['SN 1', 'SN 2', 'SN 3'],
    states: ['succeeded', 'needs_review'],
    since: Date.parse(minute(0)),
    batch: 'bat_own',
  };
  const last = { id: 'dsb_b', amount: 200, state: 'needs_review', createdAt: Date.parse(minute(2)) };
  const all = await queries().recentPayments({ ...asked, accounts: undefined });
  expect([...all.keys()].toSorted()).toEqual(['SN 1', 'SN 2']);
  expect(all.get('SN 1')).toEqual({ count: 2, xof: 300, last });
  expect([...(await queries().recentPayments({ ...asked, accounts: ['main'] })).keys()]).toEqual(['SN 1']);
});

test('finished operations stay counted through late changes, removal and folding', async () => {
  await insertOperations(ledger, [
    { id: 'dsb_a', state: 'pending' },
    { id: 'dsb_b', state: 'pending', amount: 700 },
  ]);
  const counts = () => queries().counts('disbursement');
  expect(await counts()).toEqual({ count: { pending: 2 }, xof: { pending: 1_200 } });
  await move('dsb_a', "state = 'succeeded', finished_at = now()");
  await move('dsb_b', "state = 'failed', finished_at = now()");
  expect((await counts()).count).toEqual({ succeeded: 1, failed: 1 });
  expect(await new Figures(ledger.database).fold()).toBe(2);
  await move('dsb_a', "state = 'reversed'");
  expect((await counts()).count).toEqual({ reversed: 1, failed: 1 });
  await move('dsb_b', "state = 'needs_review', finished_at = null");
  expect((await counts()).count).toEqual({ reversed: 1, needs_review: 1 });
  await ledger.query(`delete from relais.operation where id = 'dsb_a'`);
  await new Figures(ledger.database).fold();
  expect((await counts()).count).toEqual({ needs_review: 1 });
});

test('the times that finance asks for follow the state, whichever statement changes it', async () => {
  const since = (at: number) => `since = '${minute(at)}'`;
  const times = async () =>
    (await ledger.query(`select approved_at, paid_at, came_back_at from relais.operation where id = 'dsb_a'`))[0];
  await insertOperations(ledger, [{ id: 'dsb_a', state: 'awaiting_approval' }]);
  await move('dsb_a', `state = 'queued', approved_by = 'checker', ${since(1)}`);
  expect(await times()).toEqual({ approved_at: new Date(minute(1)), paid_at: null, came_back_at: null });
  for (const state of ['submitting', 'pending']) await move('dsb_a', `state = '${state}', ${since(2)}`);
  await move('dsb_a', `state = 'succeeded', finished_at = now(), ${since(3)}`);
  expect(await times()).toMatchObject({ paid_at: new Date(minute(3)), came_back_at: null });
  await move('dsb_a', `state = 'needs_review', finished_at = null, ${since(4)}`);
  expect(await times()).toMatchObject({ paid_at: new Date(minute(3)) });
  await move('dsb_a', `state = 'reversed', finished_at = now(), ${since(5)}`);
  expect(await times()).toMatchObject({ paid_at: new Date(minute(3)), came_back_at: new Date(minute(5)) });

  await insertOperations(ledger, [{ id: 'dsb_b', state: 'needs_review' }]);
  await ledger.query(`update relais.operation set paid_at = now() where id = 'dsb_b'`);
  await move('dsb_b', `state = 'failed', finished_at = now()`);
  expect(await ledger.query(`select paid_at from relais.operation where id = 'dsb_b'`)).toEqual([{ paid_at: null }]);
});

test('status and metrics count what is due, in doubt, unsent and in flight', async () => {
  const now = Date.parse(minute(0));
  const ago = (ms: number): string => new Date(now - ms).toISOString();
  await insertOperations(ledger, [
    { id: 'dsb_a', state: 'queued', queue: 'disbursement', due_at: ago(60_000) },
    { id: 'dsb_b', state: 'held', account: 'other', queue: 'disbursement', due_at: ago(-60_000) },
    { id: 'dsb_c', state: 'unknown', since: ago(3_600_000), queue: 'status-poll', due_at: ago(1_000) },
    { id: 'dsb_d', state: 'pending', since: ago(599_999), amount: 900 },
    { id: 'dcr_a', kind: 'direct_credit', state: 'needs_review', since: ago(86_400_001), amount: 40 },
  ]);
  const asked = queries();
  const status = new Status({ database: ledger.database, queries: asked });
  expect(await asked.dueIn('disbursement', now)).toEqual({ now: 1, later: 1, oldestAt: now - 60_000 });
  expect(await asked.dueIn('direct-credit', now)).toEqual({ now: 0, later: 0 });
  const backlog = await asked.backlog();
  expect(backlog.find(({ queue }) => queue === 'disbursement')).toMatchObject({ due: 2, oldestDueAt: now - 60_000 });
  expect(await asked.due()).toContainEqual(
    expect.objectContaining({ queue: 'disbursement', account: 'other', oldestAt: now + 60_000 }),
  );
  expect(await asked.dueAt('status-poll', 'dsb_c')).toBe(now - 1_000);
  expect(await asked.dueAt('disbursement', 'dsb_c')).toBeUndefined();
  expect(await asked.oldestIn('disbursement', 'pending')).toBe(now - 599_999);
  expect(await asked.oldestIn('disbursement', 'created')).toBeUndefined();
  expect(await asked.inFlight('main')).toEqual({ 'wallet-a-senegal': 1_900 });
  expect(await status.inDoubt(now)).toEqual([
    { age: '<10m', count: 1, xof: 900 },
    { age: '<1h', count: 0, xof: 0 },
    { age: '<1d', count: 1, xof: 500 },
    { age: '>=1d', count: 1, xof: 40 },
  ]);
  expect(await status.waiting()).toEqual([{ kind: 'direct_credit', state: 'needs_review', count: 1, xof: 40 }]);
  const hold = { account: 'other', area: 'payments', reason: 'funds', since: 5 } as const;
  expect(await status.holds({ allHolds: async () => [hold] })).toEqual([{ ...hold, count: 1, xof: 500 }]);
  expect((await status.operations())['disbursement']).toEqual({ held: 1, pending: 1, queued: 1, unknown: 1 });
});

test('a callback is stored for 30 days, and a removed operation is known by its tombstone', async () => {
  await ledger.query(`insert into relais.callback (id, body, at) values ('dsb_a', 'two', now())`);
  expect(await queries().lastCallback('dsb_a')).toBe('two');
  await ledger.database.run('remove_callbacks', [[], new Date(Date.now() + 31 * 86_400_000)]);
  expect(await queries().lastCallback('dsb_a')).toBeUndefined();
  await ledger.query(`insert into relais.tombstone (id, kind, account, fingerprint, state, amount, finished_at)
    values ('dsb_a', 'disbursement', 'main', '', 'succeeded', 500, '${minute(0)}')`);
  const known = { kind: 'disbursement', account: 'main', state: 'succeeded', amount: 500 };
  expect(await queries().buried('dsb_a')).toEqual({ ...known, finishedAt: Date.parse(minute(0)) });
  expect(await queries().buried('dsb_b')).toBeUndefined();
});
