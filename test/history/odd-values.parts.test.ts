/** Whatever a caller or the service calls something, and whatever time they name, history has it, and the rest waits for none of it. */
import { expect, test } from 'vitest';
import { HistoryReader } from '../../src/history/reader.ts';
import { copyOf } from '../../src/history/rows.ts';
import { HistoryStore } from '../../src/history/store.ts';
import { recipientTable } from '../../src/kinds/tables.ts';
import { systemRandom } from '../../src/lib/random.ts';
import { keys } from '../../src/operations/keys.ts';
import { Queries } from '../../src/operations/queries.ts';
import { storeOfThisFile } from '../support/fresh-redis.ts';
import { historyOfThisFile, PAID } from './history-world.ts';

const NOON = Date.parse('2026-11-22T12:00:00Z');
const store = storeOfThisFile();
const history = historyOfThisFile(store, NOON);

async function paidAs(disburseId: string): Promise<void> {
  const fields = { amount: 5, accountAlias: '771000000', disburseId, withdrawMode: 'wallet-a-senegal' };
  await history.world.ask('dsb_odd', { fields });
  await history.world.go('dsb_odd', ...PAID);
  await history.pass();
}

const namesOf = async (id: string): Promise<readonly string[]> =>
  (await history.database.query<{ names: string[] }>(`select names from relais.disbursements where id = '${id}'`))[0]
    ?.names ?? [];

/** What JavaScript takes for a space and PostgreSQL does not, what PostgreSQL sets between quotes, and what it cannot hold. */
test.each([
  ['a space that does not break', 'T\u00a01'],
  ['a narrow one', 'T\u202f1'],
  ['a mark of byte order', 'T\ufeff1'],
  ['a separator of lines', 'T\u20281'],
  ['a tab of lines', 'T\v1'],
  ['quotes and brackets', 'T"1\\{2},'],
  ['the word null', 'NuLl'],
])('what the service calls by %s is in history under that name', async (_, name) => {
  await paidAs(name);
  expect(await namesOf('dsb_odd')).toContain(`d:${name}`);
  expect(await store.redis.zcard(keys.historyWaiting)).toBe(0);
});

test('a name longer than any that can be asked for keeps nothing from history', async () => {
  // Of chance: what repeats itself PostgreSQL makes short enough for its index.
  const name = systemRandom.hex(4_000);
  await paidAs(name);
  expect(await namesOf('dsb_odd')).toEqual(['p:SN 771000000']);
  const [row] = await history.database.query<{ disburse_id: string }>('select disburse_id from relais.disbursements');
  expect(row?.disburse_id).toBe(name);
});

test.each([
  '0000-01-01T00:00:00+14:00',
  '0000-12-31T23:59:59.500Z',
  '0001-01-01T00:00:00Z',
  '9999-12-31T23:59:59-12:00',
])('the time %s is in history as it was named', async (time) => {
  const options = { url: history.database.url, newName: () => 'store', timezone: 'UTC' };
  const opened = await HistoryStore.open(options, () => undefined);
  const person = {
    slice: 'cmp_1.0',
    place: 0,
    rev: 1,
    campaign: 'cmp_1',
    account: 'main',
    row: 2,
    to: '+221771000000',
  };
  const rows = [{ ...person, state: 'sent', sentAt: Date.parse(time), createdAt: NOON }];
  try {
    await opened.write([copyOf(recipientTable, rows)]);
    await opened.compare([copyOf(recipientTable, rows)]);
  } finally {
    await opened.close();
  }
  const [row] = await history.database.query<{ ms: string }>(
    'select (extract(epoch from sent_at) * 1000)::bigint::text as ms from relais.recipients',
  );
  expect(Number(row?.ms)).toBe(Date.parse(time));
});

/** What is there was accepted in a lost time too, and that was written last. */
const acceptedBefore = () =>
  history.database.query(
    `create temporary table earlier as select * from relais.disbursements;
     update earlier set created_at = created_at - interval '1 hour', state = 'failed';
     insert into relais.disbursements select * from earlier`,
  );

test('of two rows of one revision the later one comes back when it is heard of, as it left', async () => {
  await history.world.accept('dsb_again');
  await history.world.go('dsb_again', ...PAID);
  await history.pass();
  history.turnTo(NOON + 8 * 86_400_000);
  await history.pass();
  await acceptedBefore();
  const said = { operation: 'callback', code: 'failed' } as const;
  await history.world.operations.nudge('disbursement', 'dsb_again', said, 5_000);
  await history.pass();
  const back = await new Queries(store.redis).read('disbursement', 'dsb_again');
  expect(back).toMatchObject({ state: 'succeeded', createdAt: NOON });
});

test('of two rows of one revision a list and the one that is asked for by its id are the same', async () => {
  await history.world.accept('dsb_again');
  await history.world.go('dsb_again', ...PAID);
  await history.pass();
  await acceptedBefore();
  const reader = new HistoryReader(history.database.url, () => undefined);
  try {
    const listed = await reader.page('disbursement', { limit: 5 });
    const all = await reader.recordsOf('disbursement', ['dsb_again']);
    const states = [await reader.fieldsOf('dsb_again'), all.get('dsb_again')].map((fields) => fields?.['state']);
    expect([listed.find(({ isOlder }) => !isOlder)?.fields['state'], ...states]).toEqual(Array(3).fill('succeeded'));
  } finally {
    await reader.close();
  }
});
