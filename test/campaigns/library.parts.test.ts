/** `relais/campaigns` in the database and over HTTP: equal reports, results and errors. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { NoSuchCampaign, type Recipients, UnusableFile, openRecipients } from '../../src/campaigns/library.ts';
import { type Service, startService } from '../support/service.ts';
import { pieces } from './check/read-file.ts';

const PRICES = { SN: 20, TG: 22 };
const FILE = 'to;nom\n77 100 00 01;Françoise\n+22890000001;Yao\n+22670000001;Moussa\nnobody;x\n';

const folder = mkdtempSync(join(tmpdir(), 'relais-prices-'));
let service: Service;
beforeAll(async () => {
  const prices = join(folder, 'prices.json');
  writeFileSync(prices, JSON.stringify(PRICES));
  service = await startService({ SMS_PRICES_FILE: prices }, { roles: ['api'] });
  await service.call('POST', '/v1/opt-outs', { body: { phones: ['+22670000001'] } });
});
afterAll(async () => {
  await service?.stop();
  rmSync(folder, { recursive: true });
});

let made = 0;
async function drafted(fields: object): Promise<string> {
  made += 1;
  const body = { name: 'n', country: 'SN', reference: `r${made}`, ...fields };
  return (await service.call('POST', '/v1/campaigns', { body })).body.id;
}
const read = async (id: string) => (await service.call('GET', `/v1/campaigns/${id}`)).body;

const ways: readonly [string, () => Recipients][] = [
  ['the database', () => openRecipients({ database: service.databaseUrl, prices: PRICES })],
  ['HTTP', () => openRecipients({ url: service.api, key: 'maker-secret' })],
];

describe.each(ways)('over %s', (_way, open) => {
  test('a campaign is judged and filled, with one report', async () => {
    await using recipients = open();
    const id = await drafted({ text: 'Bonjour {{nom}}', replaceCostly: true });

    const dry = await recipients.add(id, pieces(FILE), { dryRun: true, preview: 1 });
    if (dry.is !== 'checked') throw new Error(`a dry run is ${dry.is}`);
    expect(dry.summary).toMatchObject({ total: 4, recipients: 2, skipped: 2, cost: { xof: 42 } });
    expect(Object.keys(dry.summary.reasons)).toEqual(['opted_out', 'not_a_number']);
    expect(dry.summary.preview?.[0]?.text).toBe('Bonjour Francoise');
    expect((await read(id)).state).toBe('draft');

    expect(await recipients.add(id, pieces(FILE))).toMatchObject({ is: 'counted', summary: { recipients: 2 } });
    expect(await recipients.add(id, pieces(FILE))).toMatchObject({ is: 'replayed' });
    expect(await read(id)).toMatchObject({ state: 'ready', totals: { total: 4, queued: 2, skipped: 2 } });
  });

  test('a campaign that is not there and a file that cannot be used are thrown, and nothing counts', async () => {
    await using recipients = open();
    await expect(recipients.add('cmp_none', pieces(FILE))).rejects.toThrow(NoSuchCampaign);
    const id = await drafted({ text: '{{ville}}' });
    await expect(recipients.add(id, pieces(FILE))).rejects.toThrow(UnusableFile);
    expect((await read(id)).totals.total).toBe(0);
  });
});
