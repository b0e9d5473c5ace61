/** Additional columns of a file are returned in the report, under their own headings. */
import { parse } from 'csv-parse/sync';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Service, startService } from '../support/service.ts';

let service: Service;
beforeAll(async () => {
  service = await startService({ DEFAULT_COUNTRY: 'SN' });
});
afterAll(() => service.stop());

let made = 0;
async function campaign(text = 'Bonjour {{prenom}}'): Promise<string> {
  made += 1;
  const body = { name: 'test', text, reference: `own-${made}` };
  return (await service.call('POST', '/v1/campaigns', { body })).body.id;
}
const upload = (id: string, body: string, type = 'text/csv') =>
  service.call('POST', `/v1/campaigns/${id}/recipients`, { body, headers: { 'content-type': type } });
const listed = async (id: string, query = '') =>
  (await service.call('GET', `/v1/campaigns/${id}/recipients?limit=1000${query}`)).body;
const report = async (id: string): Promise<string[][]> => {
  const { body } = await service.call('GET', `/v1/campaigns/${id}/recipients`, { headers: { accept: 'text/csv' } });
  return parse(body, { bom: true, delimiter: ';' });
};
const OURS = ['to', 'row', 'state', 'code', 'reason', 'sentAt', 'segments', 'resent'];

const FILE = [
  'Client;Tél.;Prénom;Solde;Note',
  'C-17;77 100 00 01;Awa;=1+1;"vu; le 3"',
  'C-18;77 100 00 02;Moussa;-25 000;',
  'C-19;12;Fatou;0;à appeler',
].join('\n');

test('the columns of the file follow ours, also for skipped rows, and no cell is executed', async () => {
  const id = await campaign('Bonjour {{prénom}}');
  expect((await upload(id, FILE)).status).toBe(200);
  const [head, ...rows] = await report(id);
  expect(head).toEqual([...OURS, 'Client', 'Prénom', 'Solde', 'Note']);
  expect(rows.map((row) => row.slice(OURS.length))).toEqual([
    ['C-17', 'Awa', "'=1+1", 'vu; le 3'],
    ['C-18', 'Moussa', "'-25 000", ''],
    ['C-19', 'Fatou', '0', 'à appeler'],
  ]);
  const { items, columns } = await listed(id);
  expect(columns).toEqual(['Client', 'Prénom', 'Solde', 'Note']);
  expect(items[0].own).toEqual({ Client: 'C-17', Prénom: 'Awa', Solde: '=1+1', Note: 'vu; le 3' });
});

test('files under one campaign share their headings, and a heading that is taken gets a number', async () => {
  const id = await campaign('Bonjour');
  await upload(id, 'to;state;Ville;Ville\n771000001;VIP;Dakar;Thiès');
  await upload(id, 'to;Âge;Ville\n771000002;31;Kolda');
  const [head, ...rows] = await report(id);
  expect(head?.slice(OURS.length)).toEqual(['state (2)', 'Ville', 'Ville (2)', 'Âge']);
  expect(rows.map((row) => row.slice(OURS.length))).toEqual([
    ['VIP', 'Dakar', 'Thiès', ''],
    ['', 'Kolda', '', '31'],
  ]);
});

test('lines of JSON have columns as they come', async () => {
  const id = await campaign('Bonjour');
  const lines = '{"to":"771000001","a":"1"}\n{"b":"2","to":"771000002"}\n';
  await upload(id, lines, 'application/x-ndjson');
  expect((await listed(id)).items.map(({ own }: { own: object }) => own)).toEqual([{ a: '1' }, { b: '2' }]);
});

test('a row is limited in characters, and the upload reports the number of truncated rows', async () => {
  const id = await campaign('Bonjour');
  const { body } = await upload(id, `to;Un;Deux\n771000001;${'x'.repeat(1_500)};après\n771000002;court;bref`);
  expect(body.truncatedRows).toBe(1);
  const [first, second] = (await listed(id)).items;
  expect(first.own).toEqual({ Un: `${'x'.repeat(999)}…` });
  expect(second.own).toEqual({ Un: 'court', Deux: 'bref' });
});

/** Other cells of the recipients, packed. */
const ownOf = async (id: string) =>
  (
    await service.ledger.query<{ own: string | null }>(
      `select r.own from relais.recipient r join relais.campaign c on c.number = r.campaign where c.id = '${id}' order by r.n`,
    )
  ).map(({ own }) => own);

test('a file of numbers and values alone keeps nothing twice', async () => {
  const id = await campaign();
  await upload(id, 'to;prenom;\n771000001;Awa;');
  expect((await report(id))[0]).toEqual([...OURS, 'prenom']);
  expect(await ownOf(id)).toEqual([null]);
});

test('another value in an additional column is another file, and the same bytes again are a replay', async () => {
  const id = await campaign('Bonjour');
  await upload(id, 'to;Note\n771000001;une');
  const { contentHash } = (await service.call('GET', `/v1/campaigns/${id}`)).body;
  expect((await upload(id, 'to;Note\n771000001;une')).body.replayed).toBe(true);
  const other = await upload(id, 'to;Note\n771000001;deux');
  expect(other.body.replayed).toBe(false);
  expect((await service.call('GET', `/v1/campaigns/${id}`)).body.contentHash).not.toBe(contentHash);
});

test('an upload that breaks off, or is one that was there, leaves no columns behind', async () => {
  const id = await campaign('Bonjour');
  await upload(id, 'to;Note\n771000001;une');
  const before = await ownOf(id);
  expect(before).toHaveLength(1);
  await upload(id, 'to;Note\n771000001;une');
  expect(await ownOf(id)).toEqual(before);
});

test('a number is also removed from other people’s columns, in any notation', async () => {
  const id = await campaign('Bonjour');
  await upload(id, 'to;Nom;Parrain\n771000081;Binta;77 100 00 82\n771000083;Awa;771000084\n12;Omar;+221771000082');
  const { body } = await service.call('POST', '/v1/purge', { body: { phone: '771000082', country: 'SN' } });
  expect(body.found).toMatchObject({ recipients: 2 });
  const { items } = await listed(id);
  expect(items.map(({ own }: { own?: object }) => own)).toEqual([
    { Nom: 'Binta' },
    { Nom: 'Awa', Parrain: '771000084' },
    { Nom: 'Omar' },
  ]);
});

test('an erased person has no additional columns any more', async () => {
  const id = await campaign('Bonjour');
  await upload(id, 'to;Nom\n771000071;Secret Person\n771000072;Binta\n771000071;Secret Person');
  for (let after: string | undefined; ; ) {
    const { body } = await service.call('POST', '/v1/purge', { body: { phone: '771000071', after } });
    after = body.next;
    if (after === undefined) break;
  }
  const { items } = await listed(id);
  expect(items.map(({ own }: { own?: object }) => own)).toEqual([undefined, { Nom: 'Binta' }, undefined]);
  expect(JSON.stringify(await ownOf(id))).not.toContain('Secret Person');
});
