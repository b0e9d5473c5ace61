import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Service, startService } from '../support/service.ts';

let service: Service;
const folder = mkdtempSync(join(tmpdir(), 'relais-prices-'));
beforeAll(async () => {
  const prices = join(folder, 'prices.json');
  writeFileSync(prices, '{"SN": 20, "TG": 22.5}');
  service = await startService({ SMS_PRICES_FILE: prices });
});
afterAll(async () => {
  await service.stop();
  rmSync(folder, { recursive: true });
});

const FILE = [
  'numero;prenom',
  '77 100 00 01;Awa',
  '+22890000001;Françoise',
  '+22670000001;Moussa',
  '+225 07 00 00 01;Koffi',
  '77 100 00 01;Awa encore',
  '77 100 00 02;=1+1',
].join('\n');

let made = 0;
async function campaign(more: object = {}): Promise<string> {
  made += 1;
  const body = { name: 'test', text: `Fête ${made} {{prenom}}`, country: 'SN', reference: `upload-${made}`, ...more };
  const answer = await service.call('POST', '/v1/campaigns', { body });
  expect(answer.status).toBe(201);
  return answer.body.id;
}

const upload = (id: string, query = '', body = FILE) =>
  service.call('POST', `/v1/campaigns/${id}/recipients${query}`, { body, headers: { 'content-type': 'text/csv' } });
/** Without the changing time of day. */
const show = async (id: string) => {
  const { quiet, ...rest } = (await service.call('GET', `/v1/campaigns/${id}`)).body;
  return { ...rest, quiet: { ...quiet, clock: undefined } };
};

test('a dry run reports the result of the upload, and changes nothing', async () => {
  const id = await campaign();
  const before = await show(id);
  const dry = await upload(id, '?dryRun=true&preview=1');
  expect(dry.status).toBe(200);
  expect(dry.body).toMatchObject({ dryRun: true, replayed: false, total: 6, recipients: 4, skipped: 2 });
  expect(dry.body.preview[0]).toMatchObject({ row: 2, to: '+221771000001', text: `Fête ${made} Awa`, segments: 1 });
  expect(await show(id)).toEqual(before);
  expect(await storedOf(id)).toEqual([0, 0]);

  const { dryRun: _dry, preview: _preview, ...said } = dry.body;
  expect((await upload(id)).body).toEqual(said);
  expect(await show(id)).toMatchObject({ state: 'ready', totals: { total: 6 } });
});

test('the report shows the cost, in all and by country, and guesses no price', async () => {
  const id = await campaign();
  const { body } = await upload(id);
  expect(body.cost).toEqual({ estimated: true, xof: 40 + 23, unpriced: ['BF'] });
  expect(body.countries).toEqual({
    SN: { recipients: 2, segments: 2, estimatedXof: 40 },
    TG: { recipients: 1, segments: 1, estimatedXof: 23 },
    BF: { recipients: 1, segments: 1 },
  });
  await upload(id, '', 'to;prenom\n+221771999999;Zoé');
  expect((await show(id)).cost).toEqual({ estimated: true, xof: 40 + 23 + 20, unpriced: ['BF'] });
});

test('old numbers are renewed when the upload asks for it, and shown before and after', async () => {
  const id = await campaign();
  expect((await upload(id)).body.reasons.old_numbering.count).toBe(1);
  const { body } = await upload(await campaign(), '?repair=CI,BJ');
  expect(body.repaired).toEqual({
    count: 1,
    examples: [{ row: 5, before: '+225 07 00 00 01', after: '+2250707000001' }],
  });
});

test.each(['?repair=SN', '?preview=0', '?preview=21', '?dryRun=yes'])('%s is refused', async (query) => {
  expect((await upload(await campaign(), query)).status).toBe(422);
});

test('opt-outs are listed with the reason', async () => {
  await service.call('POST', '/v1/opt-outs', { body: { phones: ['+22670000001'] } });
  const id = await campaign();
  const { body } = await upload(id);
  expect(body.reasons.opted_out).toEqual({ count: 1, examples: [{ row: 4, to: '+22670000001' }] });
  const { body: rows } = await service.call('GET', `/v1/campaigns/${id}/recipients?state=skipped`);
  expect(rows.items.map(({ row, reason }: Row) => [row, reason])).toEqual([
    [4, 'opted_out'],
    [5, 'old_numbering'],
    [6, 'duplicate'],
  ]);
  await service.call('DELETE', '/v1/opt-outs', { body: { phones: ['+22670000001'] } });
});

interface Row {
  readonly row: number;
  readonly reason: string;
}

test('the checked text is sent: costly characters are replaced in both, if requested', async () => {
  const id = await campaign({ replaceCostly: true });
  const { body } = await upload(id, '?preview=2');
  const said = body.preview.map(({ text }: { text: string }) => text);
  expect(said).toContain(`Fete ${made} Francoise`);
  await service.call('POST', `/v1/campaigns/${id}/start`);
  await service.until(`/v1/campaigns/${id}`, ({ state }) => state === 'finished');
  const books: { text: string }[] = await service.books('messages');
  const sent = books.map(({ text }) => text);
  expect(sent).toEqual(expect.arrayContaining([...said, `Fete ${made} Moussa`]));
  expect(sent.filter((text) => text.includes(`Fête ${made}`))).toEqual([]);
});

test('a cut upload leaves the campaign as it was', async () => {
  const id = await campaign();
  await upload(id, '', 'to;prenom\n+221770000099;Awa');
  const before = await show(id);
  const storedBefore = await storedOf(id);
  await cutUpload(id);
  await expect.poll(() => storedOf(id)).toEqual(storedBefore);
  expect(await show(id)).toEqual(before);
  // Afterwards the whole file is accepted.
  expect((await upload(id)).body).toMatchObject({ recipients: 4, skipped: 2 });
});

test('a file that is unreadable as CSV from one row on is refused with the row and what to do, and nothing of it is stored', async () => {
  const id = await campaign();
  await upload(id, '', 'to;prenom\n+221770000099;Awa');
  const before = await show(id);
  const storedBefore = await storedOf(id);
  const rows = Array.from({ length: 5_000 }, (_, n) => `77${String(1_000_000 + n)};Awa ${n}`);
  const file = ['numero;prenom', ...rows, '771999999;"Chez" Awa'].join('\n');
  const { status, body } = await upload(id, '', file);
  expect([status, body.problems]).toEqual([
    422,
    [{ pointer: '/5002', code: expect.any(String), message: expect.stringContaining('each quote inside it twice') }],
  ]);
  expect([await show(id), await storedOf(id)]).toEqual([before, storedBefore]);
});

/** Rows of recipients, and skipped rows. */
async function storedOf(id: string): Promise<readonly number[]> {
  const [row] = await service.ledger.query<{ recipients: number; others: number }>(
    `select (select count(*) from relais.recipient r where r.campaign = c.number)::int as recipients,
       (select count(*) from relais.left_out_row l where l.campaign = c.number)::int as others
     from relais.campaign c where c.id = '${id}'`,
  );
  return [row?.recipients ?? 0, row?.others ?? 0];
}

/** Declares a megabyte, sends most of it, and disconnects. */
async function cutUpload(id: string): Promise<void> {
  const { hostname, port } = new URL(service.api);
  const rows = Array.from({ length: 20_000 }, (_, n) => `77${String(1_000_000 + n)};Awa ${n}`);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  const head = [
    `POST /v1/campaigns/${id}/recipients HTTP/1.1`,
    `Host: ${hostname}`,
    'Authorization: Bearer maker-secret',
    'Content-Type: text/csv',
    'Content-Length: 1000000',
    '',
    `numero;prenom\n${rows.join('\n')}\n`,
  ].join('\r\n');
  await new Promise<void>((resolve) => socket.write(head, () => resolve()));
  socket.destroy();
}

test('the problems of a file are returned as a file: its own columns, and the reason in the requested language', async () => {
  const id = await campaign();
  const before = await show(id);
  const judge = (body: string, language = '') =>
    fetch(`${service.api}/v1/campaigns/${id}/recipients?dryRun=true`, {
      method: 'POST',
      body,
      headers: {
        authorization: 'Bearer maker-secret',
        'content-type': 'text/csv',
        accept: 'text/csv',
        'accept-language': language,
      },
    });
  const english = await judge(FILE);
  expect([english.status, english.headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8']);
  expect((await english.text()).split('\r\n')).toEqual([
    'numero;prenom;row;reason;explanation;column;detail',
    expect.stringMatching(/^'\+225 07 00 00 01;Koffi;5;old_numbering;"The number is from before/),
    '77 100 00 01;Awa encore;6;duplicate;The same number is on an earlier row of this file.;;same number as row 2',
    '',
  ]);
  const french = await judge(FILE, 'fr-SN');
  expect(french.headers.get('content-language')).toBe('fr');
  expect(await french.text()).toContain(
    'Le même numéro est déjà plus haut dans ce fichier.;;même numéro que la ligne 2',
  );
  expect((await (await judge('numero;prenom\n+221771000001;Awa\n')).text()).split('\r\n')).toHaveLength(2);
  expect(await show(id)).toEqual(before);
});

test('a file that cannot be used at all is a problem, also where rows were asked for', async () => {
  const id = await campaign();
  const { status, body } = await service.call('POST', `/v1/campaigns/${id}/recipients?dryRun=true`, {
    body: 'numero;prenom\n77 100 00 01;"Awa\n',
    headers: { 'content-type': 'text/csv', accept: 'text/csv' },
  });
  expect([status, body.title]).toEqual([422, expect.any(String)]);
});

test('a file that proves unusable after a megabyte of rows is cut off, never reported as whole', async () => {
  const id = await campaign();
  const wrong = 'nobody;Awa Ndiaye, who has a very long name that fills the row\n'.repeat(30_000);
  const asked = fetch(`${service.api}/v1/campaigns/${id}/recipients?dryRun=true`, {
    method: 'POST',
    body: `numero;prenom\n${wrong}77 100 00 01;"never closed\n`,
    headers: { authorization: 'Bearer maker-secret', 'content-type': 'text/csv', accept: 'text/csv' },
  });
  await expect(asked.then((answer) => answer.text())).rejects.toThrow();
});
