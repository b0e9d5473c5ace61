import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Service, startService } from '../support/service.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const made = (name: string): Buffer => readFileSync(new URL(`../golden/files/${name}`, import.meta.url));
const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
const ODS = 'application/vnd.oasis.opendocument.spreadsheet';

let campaigns = 0;
async function send(body: Buffer, type: string, query = '') {
  campaigns += 1;
  const reference = `format-${campaigns}`;
  const asked = { name: 'x', text: 'Bonjour {{prenom|client}}', country: 'CI', reference };
  const { body: campaign } = await service.call('POST', '/v1/campaigns', { body: asked });
  const path = `/v1/campaigns/${campaign.id}/recipients`;
  const added = await service.call('POST', `${path}${query}`, { body, headers: { 'content-type': type } });
  const { body: listed } = await service.call('GET', path);
  return { added, recipients: listed.items.filter(({ state }: any) => state !== 'skipped').map(({ to }: any) => to) };
}

const CLIENTS = ['+2250707000001', '+2250707000002', '+2250707000004', '+2250707000005'];

test.for([
  ['libreoffice-office.xlsx', XLSX],
  ['libreoffice-office.ods', ODS],
  ['gnumeric-office.xlsx', 'application/vnd.ms-excel'],
] as const)('%s is taken as it is', async ([file, type]) => {
  const { added, recipients } = await send(made(file), type);
  expect(added).toMatchObject({ status: 200, body: { sheet: 'Clients', titleRows: 1, otherSheets: ['Anciens'] } });
  expect(recipients).toEqual(CLIENTS);
});

test('hidden rows, another sheet and the column of the numbers are set in the query', async () => {
  const all = await send(made('libreoffice-office.xlsx'), XLSX, '?takeHidden=true&phoneColumn=n%C2%B0%20whatsapp');
  expect(all.recipients).toEqual([...CLIENTS.slice(0, 2), '+2250707000003', ...CLIENTS.slice(2)]);
  const other = await send(made('libreoffice-office.ods'), ODS, '?sheet=Anciens');
  expect(other.added.body.problems[0].message).toContain('{{prenom}}; columns: téléphone');
});

test('a known charset is used, and an unknown one is refused', async () => {
  const file = Buffer.from('prenom;tel\n\x8eric;0707000001\n', 'latin1');
  const { added, recipients } = await send(file, 'text/csv; charset=macintosh');
  expect(added.body).toMatchObject({ encoding: 'mac-roman' });
  expect(recipients).toEqual(['+2250707000001']);
  expect((await send(file, 'text/csv; charset=ebcdic')).added.status).toBe(415);
});

test('an invalid list is refused with what to do, and nothing of it counts', async () => {
  const { added, recipients } = await send(made('libreoffice-workbook.xls'), 'application/vnd.ms-excel');
  expect(added).toMatchObject({ status: 422 });
  expect(added.body.problems[0].message).toContain('Save it as .xlsx');
  expect(recipients).toEqual([]);
});

test('a workbook of numbers opts out its people, including hidden rows', async () => {
  const headers = { 'content-type': XLSX };
  const path = '/v1/opt-outs?country=CI';
  const { body } = await service.call('POST', path, { body: made('libreoffice-office.xlsx'), headers });
  expect(body).toMatchObject({ added: 5 });
});
