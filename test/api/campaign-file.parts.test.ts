/** A campaign as users create it, step by step: a draft, its file, the decisions, its text. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { request } from 'undici';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { KeptFiles } from '../../src/ledger/kept-files.ts';
import { type Service, startService } from '../support/service.ts';

let service: Service;
const folder = mkdtempSync(join(tmpdir(), 'relais-prices-'));
beforeAll(async () => {
  const prices = join(folder, 'prices.json');
  writeFileSync(prices, '{"SN": 20}');
  service = await startService({ SMS_PRICES_FILE: prices, SMS_BUDGET_DAY: '5000' });
});
afterAll(async () => {
  await service.stop();
  rmSync(folder, { recursive: true });
});

const FILE = [
  'numero;Prénom;ville',
  '+221771000001;Awa;Dakar',
  '77 100 00 02;Moussa;Thiès',
  '+221771000003;Fatou;Mbour',
  '+2250700 0001;Koffi;Abidjan',
].join('\n');

let made = 0;
async function draft(more: object = {}): Promise<string> {
  made += 1;
  const body = { name: 'draft', reference: `draft-${made}`, ...more };
  const answer = await service.call('POST', '/v1/campaigns', { body });
  expect([answer.status, answer.body.state]).toEqual([201, 'draft']);
  return answer.body.id;
}
const at = (id: string, rest = '') => `/v1/campaigns/${id}${rest}`;
const keep = (id: string, body = FILE) =>
  service.call('POST', at(id, '/file?name=people.csv'), { body, headers: { 'content-type': 'text/csv' } });
async function* slowly(text: string, may: Promise<void>): AsyncGenerator<Buffer> {
  yield Buffer.from(text.slice(0, 3));
  await may;
  yield Buffer.from(text.slice(3));
}
const judge = (id: string, query = '') => service.call('POST', at(id, `/file/recipients?dryRun=true${query}`));
const count = (id: string, query = '') => service.call('POST', at(id, `/file/recipients${query}`));
const amend = (id: string, body: object) => service.call('PATCH', at(id), { body });

test('a draft needs no text, is checked without one, and accepts no recipients before it has one', async () => {
  const id = await draft();
  expect((await keep(id)).body).toMatchObject({ name: 'people.csv', bytes: Buffer.byteLength(FILE), report: null });
  const { body } = await judge(id);
  expect(body).toMatchObject({ total: 4, recipients: 2, columns: ['numero', 'Prénom', 'ville'] });
  expect(body.decisions).toEqual([
    { reason: 'no_country', rows: 1 },
    { reason: 'old_numbering', rows: 1 },
  ]);
  expect(body.preview[0].values).toEqual({ numero: '+221771000001', Prénom: 'Awa', ville: 'Dakar' });
  const refused = await count(id, '?leaveOut=no_country,old_numbering');
  expect([refused.status, refused.body.problems[0].pointer]).toEqual([422, '/text']);
  const upload = await service.call('POST', at(id, '/recipients'), {
    body: FILE,
    headers: { 'content-type': 'text/csv' },
  });
  expect(upload.status).toBe(422);
});

test('the file, its options, the decisions and the report are stored', async () => {
  const id = await draft();
  await keep(id);
  const amended = await amend(id, {
    text: 'Bonjour {{prenom}} de {{ville}}',
    country: 'SN',
    from: 'SHOP',
    sendAt: '2027-01-01T08:00:00Z',
  });
  expect(amended.status).toBe(200);
  const { body: report } = await judge(id, '&leaveOut=old_numbering&row=4');
  expect(report.decisions).toEqual([]);
  expect(report.cost).toEqual({ estimated: true, xof: 60, unpriced: [] });
  expect(report.preview.find(({ why }: any) => why.includes('asked'))).toMatchObject({
    row: 4,
    text: 'Bonjour Fatou de Mbour',
  });
  const { body: file } = await service.call('GET', at(id, '/file'));
  expect(file).toMatchObject({ country: 'SN', options: { leaveOut: ['old_numbering'], takeHidden: false }, report });
  expect(Date.parse(file.until)).toBeGreaterThan(Date.now());
  expect((await service.call('GET', at(id))).body).toMatchObject({
    text: 'Bonjour {{prenom}} de {{ville}}',
    from: 'SHOP',
    sendAt: '2027-01-01T08:00:00.000Z',
    state: 'draft',
  });
});

test('the report of a file is removed with another text; the options stay', async () => {
  const id = await draft({ text: 'Bonjour', country: 'SN' });
  await keep(id);
  await judge(id, '&leaveOut=old_numbering');
  await amend(id, { text: 'Salut {{ville}}' });
  expect((await service.call('GET', at(id, '/file'))).body).toMatchObject({
    options: { leaveOut: ['old_numbering'] },
    report: null,
  });
});

/** The stored data of the file. */
const kept = (id: string) =>
  service.ledger.query<{ days: number; judged: boolean }>(
    `select round(extract(epoch from expires_at - kept_at) / 86400)::int as days, options is not null as judged
     from relais.kept_file where campaign = '${id}'`,
  );

test('nothing is counted while something is left to decide, and afterwards once; then the file is gone', async () => {
  const id = await draft({ text: 'Bonjour {{prenom}}', country: 'SN' });
  await keep(id);
  const open = await count(id);
  expect([open.status, open.body.rule]).toEqual([409, 'undecided']);
  expect((await service.call('GET', at(id))).body.totals.total).toBe(0);
  expect((await count(id, '?repair=CI')).body).toMatchObject({ recipients: 4, decisions: [] });
  expect((await service.call('GET', at(id))).body).toMatchObject({ state: 'ready', totals: { total: 4 } });
  expect(await kept(id)).toEqual([]);
  expect((await service.call('GET', at(id, '/file'))).body.name).toBe(null);
  expect((await count(id)).status).toBe(409);
});

test('the meaning of recipients’ values no longer changes', async () => {
  const id = await draft({ text: 'Bonjour {{prenom}}', country: 'SN' });
  await keep(id);
  await count(id, '?repair=CI');
  for (const body of [
    { text: 'Autre' },
    { from: 'X' },
    { country: 'TG' },
    { replaceCostly: true },
    { sendAt: null },
  ]) {
    expect((await amend(id, body)).status, JSON.stringify(body)).toBe(409);
  }
  expect((await amend(id, { perSecond: 5 })).status).toBe(200);
});

test('a text that changes while its recipients are added: none of them count', async () => {
  const id = await draft({ text: 'Bonjour {{prenom}}', country: 'SN' });
  await keep(id, ['numero;prenom', ...Array.from({ length: 30_000 }, (_, n) => `77${1_000_000 + n};A`)].join('\n'));
  const counting = count(id);
  await service.until(at(id), () => true);
  await vi.waitUntil(async () => (await kept(id))[0]?.judged, { timeout: 20_000, interval: 1 });
  expect((await amend(id, { text: 'Salut {{numero}}' })).status).toBe(200);
  const { status, body } = await counting;
  expect([status, body.rule]).toEqual([409, 'content-changed']);
  expect((await service.call('GET', at(id))).body).toMatchObject({ state: 'draft', totals: { total: 0 } });
});

test('unbalanced braces and an empty text are refused', async () => {
  const id = await draft();
  for (const text of ['Bonjour {{prenom', '']) expect((await amend(id, { text })).status, text).toBe(422);
});

test('a file replaces the earlier one, and an unused file is removed after three days', async () => {
  const id = await draft({ text: 'Bonjour', country: 'SN' });
  await keep(id);
  await judge(id);
  await keep(id, 'numero\n+221771000009');
  expect((await judge(id)).body).toMatchObject({ total: 1 });
  expect(await kept(id)).toEqual([{ days: 3, judged: true }]);
  await service.call('POST', at(id, '/cancel'));
  expect(await kept(id)).toEqual([]);
});

test('an unusable file names its problem by code, for pages in any language', async () => {
  const id = await draft();
  await keep(id, 'prenom\nAwa');
  const { status, body } = await judge(id);
  expect([status, body.problems[0].code]).toEqual([422, 'no_phone_column']);
});

test('the spent SMS cost is shown with the budget', async () => {
  expect((await service.call('GET', '/v1/budgets')).body).toEqual({
    items: [{ limit: 'SMS_BUDGET_DAY', value: 5_000, spent: 0 }],
  });
});

test('a file that is too large is refused while it comes, and nothing else ends with it', async () => {
  const id = await draft();
  let answered = (): void => undefined;
  const heard = new Promise<void>((resolve) => (answered = resolve));
  const ever = async function* (): AsyncGenerator<Buffer> {
    for (let sent = 0; sent < 51; sent += 1) yield Buffer.alloc(1_000_000, 'y');
    await heard;
  };
  const answer = await request(`${service.api}${at(id, '/file')}`, {
    method: 'POST',
    headers: { 'content-type': 'text/csv', 'content-length': '60000000', authorization: 'Bearer maker-secret' },
    body: Readable.from(ever()),
  });
  expect([answer.statusCode, await answer.body.json()]).toMatchObject([
    422,
    { problems: [{ pointer: '', message: 'must have at most 50 MB' }] },
  ]);
  answered();
});

test('a file that replaced the checked one meanwhile is not added', async () => {
  const id = await draft({ text: 'Bonjour {{prenom}}' });
  const sound = 'numero;Prénom\n+221771000001;Awa\n';
  const undecided = 'numero;Prénom\n+221771000001;Awa\n+2250700 0001;Koffi\n';
  await keep(id, sound);
  // Its upload began earlier: the campaign is in its final state.
  let go = (): void => undefined;
  const may = new Promise<void>((resolve) => (go = resolve));
  const begun = vi.spyOn(KeptFiles.prototype, 'keep');
  const slow = request(`${service.api}${at(id, '/file?name=people.csv')}`, {
    method: 'POST',
    headers: { 'content-type': 'text/csv', authorization: 'Bearer maker-secret' },
    body: Readable.from(slowly(undecided, may)),
  });
  await vi.waitUntil(() => begun.mock.calls.length > 0, { timeout: 20_000 });
  begun.mockRestore();
  // Between its two reads.
  const noted = vi.spyOn(KeptFiles.prototype, 'judged').mockImplementationOnce(async () => {
    go();
    expect((await slow).statusCode).toBe(200);
  });
  const counted = await count(id);
  expect(noted).toHaveBeenCalledOnce();
  noted.mockRestore();
  expect([counted.status, counted.body.rule]).toEqual([409, 'content-changed']);
  expect((await service.call('GET', at(id))).body).toMatchObject({ state: 'draft', totals: { total: 0 } });
});

test.each([
  ['counted', async (id: string) => (await count(id)).status],
  ['cancelled', async (id: string) => (await service.call('POST', at(id, '/cancel'))).status],
])('a file that was still coming while its campaign was %s is refused, and nothing of it stays', async (_, ends) => {
  const id = await draft({ text: 'Bonjour {{prenom}}' });
  await keep(id, 'numero;Prénom\n+221771000001;Awa\n');
  let go = (): void => undefined;
  const may = new Promise<void>((resolve) => (go = resolve));
  const begun = vi.spyOn(KeptFiles.prototype, 'keep');
  const slow = request(`${service.api}${at(id, '/file?name=people.csv')}`, {
    method: 'POST',
    headers: { 'content-type': 'text/csv', authorization: 'Bearer maker-secret' },
    body: Readable.from(slowly('numero;Prénom\n+221771000002;Ali\n', may)),
  });
  await vi.waitUntil(() => begun.mock.calls.length > 0, { timeout: 20_000 });
  begun.mockRestore();
  expect(await ends(id)).toBe(200);
  go();
  const { statusCode, body } = await slow;
  expect([statusCode, await body.json()]).toEqual([409, expect.objectContaining({ state: expect.any(String) })]);
  expect(await kept(id)).toEqual([]);
});

test('exactly the checked file and text are added', async () => {
  const id = await draft({ text: 'Bonjour', country: 'SN' });
  const hashOfCampaign = async (): Promise<string> => (await service.call('GET', at(id))).body.contentHash;
  await keep(id, 'numero\n+221771000001\n+221771000002');
  const { body: looked } = await judge(id);
  const campaign = await hashOfCampaign();
  const seen = `?leaveOut=no_country&seenFile=${looked.contentHash}`;
  const refused = async (query: string): Promise<void> => {
    const { status, body } = await count(id, query);
    expect([status, body.rule]).toEqual([409, 'content-changed']);
    expect((await service.call('GET', at(id))).body).toMatchObject({ state: 'draft', totals: { total: 0 } });
  };
  await keep(id, 'numero\n+221771000003');
  await refused(`${seen}&seenCampaign=${campaign}`);
  // The answer about one file is not stored for the other.
  expect((await service.call('GET', at(id, '/file'))).body).toMatchObject({ options: null, report: null });
  await keep(id, 'numero\n+221771000001\n+221771000002');
  await amend(id, { text: 'Bonsoir' });
  await refused(`${seen}&seenCampaign=${campaign}`);
  const counted = await count(id, `${seen}&seenCampaign=${await hashOfCampaign()}`);
  expect([counted.status, counted.body.recipients]).toEqual([200, 2]);
});
