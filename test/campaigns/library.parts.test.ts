import { afterEach, beforeEach, expect, test } from 'vitest';
import { NoSuchCampaign, openRecipients, UnusableFile } from '../../src/campaigns/library.ts';
import { OptOuts } from '../../src/operations/opt-outs.ts';
import { Queries } from '../../src/operations/queries.ts';
import { createProducer } from '../../src/producer/producer.ts';
import { type FreshRedis, freshRedis } from '../support/fresh-redis.ts';
import { pieces } from './check/read-file.ts';

let fresh: FreshRedis;
beforeEach(async () => {
  fresh = await freshRedis();
});
afterEach(() => fresh.close());

const FILE = 'to;nom\n77 100 00 01;Françoise\n+22890000001;Yao\n+22670000001;Moussa\nnobody;x\n';

test('a campaign is made, judged and filled from TypeScript, with the report that HTTP gives', async () => {
  await using producer = createProducer({ redis: fresh.url });
  await using recipients = openRecipients({ redis: fresh.url, prices: { SN: 20, TG: 22 } });
  await new OptOuts(fresh.redis).add({ account: 'main', sender: '' }, ['+22670000001']);
  const text = 'Bonjour {{nom}}';
  const { id } = await producer.campaign({ name: 'n', text, country: 'SN', reference: 'r', replaceCostly: true });

  const dry = await recipients.add(id, pieces(FILE), { dryRun: true, preview: 1 });
  if (dry.is !== 'checked') throw new Error(`a dry run is ${dry.is}`);
  expect(dry.summary).toMatchObject({ total: 4, recipients: 2, skipped: 2, cost: { xof: 42 } });
  expect(Object.keys(dry.summary.reasons)).toEqual(['opted_out', 'not_a_number']);
  expect(dry.summary.preview?.[0]?.text).toBe('Bonjour Francoise');
  expect((await new Queries(fresh.redis).read('campaign', id))?.state).toBe('draft');

  expect(await recipients.add(id, pieces(FILE))).toMatchObject({ is: 'counted', summary: { recipients: 2 } });
  expect(await recipients.add(id, pieces(FILE))).toMatchObject({ is: 'replayed' });
  const campaign = await new Queries(fresh.redis).read('campaign', id);
  expect(campaign).toMatchObject({ state: 'ready', totals: { total: 4, queued: 2, skipped: 2 } });
});

test('what cannot be used, or is not there, is thrown, and nothing counts', async () => {
  await using producer = createProducer({ redis: fresh.url });
  await using recipients = openRecipients({ redis: fresh.url });
  await expect(recipients.add('cmp_none', pieces(FILE))).rejects.toThrow(NoSuchCampaign);
  const { id } = await producer.campaign({ name: 'n', text: '{{ville}}', reference: 'r' });
  await expect(recipients.add(id, pieces(FILE))).rejects.toThrow(UnusableFile);
  expect((await new Queries(fresh.redis).read('campaign', id))?.totals.total).toBe(0);
});
