/** Additional columns of a file of disbursements are returned in its report. */
import { parse } from 'csv-parse/sync';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Service, startService } from '../support/service.ts';
import { BATCHES, deskOf } from './batch-desk.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());
const { send, approve, get } = deskOf(() => service);

test('in the order of the file, under its headings, and as text for users; payments ignore them', async () => {
  const file = [
    'Nom;reference;accountAlias;amount;withdrawMode;Agence',
    'Awa;own-1;770000000;1000;wallet-a-senegal;=1+1',
    'Koffi;own-2;770000002;2000;wallet-a-senegal;Thiès',
  ].join('\n');
  const { body } = await send(file);
  expect(body).toMatchObject({ state: 'awaiting_approval', totals: { xof: 3_000 } });
  expect(body.warnings[0].reason).toContain('Nom, Agence');
  expect((await approve(body.id, body.contentHash)).status).toBe(200);
  await service.until(`${BATCHES}/${body.id}`, ({ state }) => state === 'finished');
  const headers = { accept: 'text/csv' };
  const csv = (await service.call('GET', `${BATCHES}/${body.id}/report`, { headers })).body;
  const rows: Record<string, string>[] = parse(csv, { columns: true, bom: true, delimiter: ';' });
  expect(rows.map(({ reference, state, Nom, Agence }) => [reference, state, Nom, Agence])).toEqual([
    ['own-1', 'succeeded', 'Awa', "'=1+1"],
    ['own-2', 'succeeded', 'Koffi', 'Thiès'],
  ]);
  const report = await get(`${body.id}/report`);
  expect(report.columns).toEqual(['Nom', 'Agence']);
  expect(report.items[0].own).toEqual({ Nom: 'Awa', Agence: '=1+1' });
});
