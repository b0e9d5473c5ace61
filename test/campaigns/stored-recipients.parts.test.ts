/** The report of a campaign in the ledger: every row of its files, with the other cells, and by phone number. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { recipientsCsv, recipientsPage } from '../../src/campaigns/recipients.ts';
import { textedPage } from '../../src/campaigns/texted.ts';
import { uploadRecipients } from '../../src/campaigns/upload.ts';
import { Partitions } from '../../src/ledger/partitions.ts';
import { Database } from '../../src/ledger/pool.ts';
import { Recipients } from '../../src/ledger/recipients.ts';
import { Uploads } from '../../src/ledger/uploads.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { systemRandom } from '../../src/lib/random.ts';
import { type FreshLedger, freshLedger } from '../support/fresh-ledger.ts';
import { madeCampaign, readCampaign } from '../support/ledger-campaign.ts';

let ledger: FreshLedger;
let database: Database;
let recipients: Recipients;
beforeAll(async () => {
  ledger = await freshLedger();
  database = new Database(ledger);
  recipients = new Recipients({ database });
  const store = new Uploads({
    database,
    partitions: new Partitions({ database }),
    random: systemRandom,
    clock: systemClock,
  });
  await madeCampaign(ledger, 'cmp_1');
  for (const lines of [
    ['numero;prenom;ville', '771000001;Awa;Dakar', 'nobody;Ali;Thies', '771000002;Binta;'],
    ['numero;prenom;note', '771000003;Codou;vip', '771000001;Awa;again', '771000004;Demba;'],
  ]) {
    async function* file(): AsyncGenerator<Uint8Array> {
      yield Buffer.from(lines.join('\n'));
    }
    await uploadRecipients(await readCampaign(ledger, 'cmp_1'), file(), { store });
  }
});
afterAll(async () => {
  await database?.close();
  await ledger?.close();
});

/** All pages: one ends with each file that has skipped rows. */
async function walked(asked: Omit<Parameters<typeof recipientsPage>[2], 'after' | 'limit'>) {
  const rows: (readonly [to: string, state: string])[] = [];
  let after: string | undefined;
  do {
    const page = await recipientsPage(await record(), recipients, { ...asked, limit: 10, after });
    rows.push(...page.items.map(({ to, state }) => [to, state] as const));
    after = page.next;
  } while (after !== undefined);
  return rows;
}

const record = () => readCampaign(ledger, 'cmp_1');

test('pages lead through the recipients of both files and then the rows that were left out', async () => {
  const rows: object[] = [];
  const cursors: (string | undefined)[] = [];
  let after: string | undefined;
  do {
    const page = await recipientsPage(await record(), recipients, { limit: 2, after });
    rows.push(...page.items.map(({ to, row, state, reason, own }) => ({ to, row, state, reason, own })));
    expect(page.columns).toEqual(['prenom', 'ville', 'note']);
    after = page.next;
    cursors.push(after);
  } while (after !== undefined);
  const queued = { state: 'queued', reason: undefined };
  expect(rows).toEqual([
    { to: '+221771000001', row: 2, own: { prenom: 'Awa', ville: 'Dakar' }, ...queued },
    { to: '+221771000002', row: 4, own: { prenom: 'Binta' }, ...queued },
    { to: '+221771000003', row: 2, own: { prenom: 'Codou', note: 'vip' }, ...queued },
    { to: '+221771000004', row: 4, own: { prenom: 'Demba' }, ...queued },
    { to: 'nobody', row: 3, state: 'skipped', reason: 'not_a_number', own: { prenom: 'Ali', ville: 'Thies' } },
    {
      to: '771000001',
      row: 3,
      state: 'skipped',
      reason: 'already_in_campaign',
      own: { prenom: 'Awa', note: 'again' },
    },
  ]);
  expect(cursors).toEqual(['c.2.0', 's.0.0', 's.1.0', undefined]);
});

test('a filter shows the skipped rows alone, and a cancelled campaign has no queued recipients', async () => {
  const campaign = await record();
  expect((await walked({ state: 'skipped' })).map(([to]) => to)).toEqual(['nobody', '771000001']);
  expect(await recipientsPage(campaign, recipients, { limit: 10, state: 'held' })).toMatchObject({ items: [] });
  const cancelled = { ...campaign, state: 'cancelled' as const };
  const states = async (state: 'queued' | 'cancelled') =>
    (await recipientsPage(cancelled, recipients, { limit: 10, state })).items.map((row) => row.state);
  expect([await states('queued'), await states('cancelled')]).toEqual([
    [],
    ['cancelled', 'cancelled', 'cancelled', 'cancelled'],
  ]);
});

test('a phone number shows its recipient, the rows that were left out, and its campaigns', async () => {
  const phones = ['+221771000001'];
  const isMeant = (to: string): boolean => to.endsWith('771000001');
  expect(await walked({ phones, isMeant })).toEqual([
    ['+221771000001', 'queued'],
    ['771000001', 'skipped'],
  ]);
  const queries = { readable: async () => [await record()] } as never;
  const asked = { accounts: ['main'], phones, limit: 10 };
  const { items, next } = await textedPage({ recipients, queries }, asked);
  expect(items.map(({ campaign, recipient }) => [campaign.id, recipient.to])).toEqual([['cmp_1', '+221771000001']]);
  expect(next).toBeUndefined();
});

test('the CSV of a page has the other columns of both files', async () => {
  const page = await recipientsPage(await record(), recipients, { limit: 10 });
  const [head, first] = recipientsCsv(page.items, { columns: page.columns }).split('\r\n');
  expect(head).toContain('to;row;state;code;reason;sentAt;segments;resent;prenom;ville;note');
  expect(first).toBe(`'+221771000001;2;queued;;;;1;;Awa;Dakar;`);
});
