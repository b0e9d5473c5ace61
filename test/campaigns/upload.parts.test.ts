/** Guarantees of uploads: which bytes are a replay, and when the text can still change. */
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { UPLOADS_MOST, uploadRecipients } from '../../src/campaigns/upload.ts';
import { Campaigns } from '../../src/ledger/campaigns.ts';
import { Partitions } from '../../src/ledger/partitions.ts';
import { Recipients } from '../../src/ledger/recipients.ts';
import { Uploads } from '../../src/ledger/uploads.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { systemRandom } from '../../src/lib/random.ts';
import type { CampaignRecord } from '../../src/operations/record.ts';
import { type OpenLedger, openLedger } from '../support/fresh-ledger.ts';

let ledger: OpenLedger;
let campaigns: Campaigns;
let store: Uploads;
beforeAll(async () => {
  ledger = await openLedger();
  const { database } = ledger;
  campaigns = new Campaigns({ database });
  store = new Uploads({
    database,
    partitions: new Partitions({ database }),
    random: systemRandom,
    clock: systemClock,
  });
});
afterAll(() => ledger?.close());

let id: string;
beforeEach(async () => {
  id = `cmp_${systemRandom.hex(4)}`;
  await campaigns.accept({
    id,
    account: 'main',
    reference: id,
    fingerprint: createHash('sha256').update(id).digest(),
    fields: { name: 'n', text: 'Bonjour {{prenom}}', country: 'SN' },
    createdBy: 'maker',
  });
});

async function read(): Promise<CampaignRecord> {
  const record = await campaigns.read(id);
  if (!record) throw new Error('the campaign has no record');
  return record;
}

async function* lines(...rows: readonly string[]): AsyncGenerator<Uint8Array> {
  yield Buffer.from(rows.join('\n'));
}

const sixty = () => lines('numero;prenom', ...Array.from({ length: 60 }, (_, n) => `77${1_000_000 + n};Awa`));

test('a second upload that draws the tag of the first draws another, and the recipients of both are there', async () => {
  const drawn = ['ab', 'ab', 'cd'];
  const alike = new Uploads({
    database: ledger.database,
    partitions: new Partitions({ database: ledger.database }),
    random: { ...systemRandom, hex: () => drawn.shift() ?? '' },
    clock: systemClock,
  });
  expect(await uploadRecipients(await read(), sixty(), { store: alike })).toMatchObject({ is: 'counted' });
  const other = lines('numero;prenom', '781234567;Ali', 'nobody;Ali');
  expect(await uploadRecipients(await read(), other, { store: alike })).toMatchObject({ is: 'counted' });
  const { uploads, totals } = await read();
  expect([uploads.map(({ tag }) => tag), totals.queued]).toEqual([['ab', 'cd'], 61]);
  const recipients = new Recipients({ database: ledger.database });
  const { items } = await recipients.page(id, { from: 0, limit: 100 });
  expect([items[0]?.to, items[60]?.to]).toEqual(['+221771000000', '+221781234567']);
  expect((await recipients.leftOut(id, 'ab', 0, 10)).length).toBe(0);
  expect(await recipients.leftOut(id, 'cd', 0, 10)).toMatchObject([{ to: 'nobody' }]);
});

test('of a campaign that has a thousand files, the bytes of one of them are still a replay', async () => {
  await uploadRecipients(await read(), sixty(), { store });
  const [first] = (await read()).uploads;
  const full = { ...(await read()), uploads: Array.from({ length: UPLOADS_MOST }, () => first!) };
  expect(await uploadRecipients(full, sixty(), { store })).toMatchObject({ is: 'replayed' });
  expect((await read()).totals.total).toBe(60);
});

test('the same bytes are a replay if they are read in the same way; read in another they bring other recipients', async () => {
  const add = async (phoneColumn: string) => {
    const file = lines('mobile;bureau;prenom', '771000001;781000001;Awa', '771000002;;Ali', '');
    return uploadRecipients(await read(), file, { store, phoneColumn });
  };
  expect(await add('mobile')).toMatchObject({ is: 'counted', upload: { recipients: 2, skipped: 0 } });
  expect(await add(' Mobile')).toMatchObject({ is: 'replayed', upload: { recipients: 2 } });
  expect(await add('bureau')).toMatchObject({ is: 'counted', upload: { recipients: 1, skipped: 1 } });
  expect(await add('bureau')).toMatchObject({ is: 'replayed', upload: { recipients: 1 } });
  expect((await read()).totals).toMatchObject({ total: 4, queued: 3, skipped: 1 });
});

test('an upload of which every row is left out leaves a draft that may be changed, and its bytes count once they have recipients', async () => {
  const add = async () =>
    uploadRecipients(await read(), lines('numero;prenom', '771000001;Awa', 'nobody;Ali'), { store });
  await campaigns.amend(id, { country: '' });
  expect(await add()).toMatchObject({ is: 'counted', upload: { recipients: 0, skipped: 2 } });
  expect(await add()).toMatchObject({ is: 'replayed', upload: { recipients: 0, skipped: 2 } });
  expect(await read()).toMatchObject({ state: 'draft', totals: { total: 2, skipped: 2 } });
  expect(await campaigns.amend(id, { text: 'Salut {{prenom}}', country: 'SN' })).toMatchObject({ is: 'applied' });
  expect(await add()).toMatchObject({ is: 'counted', upload: { recipients: 1, skipped: 1 } });
  expect(await add()).toMatchObject({ is: 'replayed', upload: { recipients: 1, skipped: 1 } });
  expect(await read()).toMatchObject({ state: 'ready', totals: { total: 4, queued: 1, skipped: 3 } });
  expect(await campaigns.amend(id, { text: 'Bonsoir' })).toEqual({ is: 'filled' });
});
