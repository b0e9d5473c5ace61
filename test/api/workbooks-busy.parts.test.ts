import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { request } from 'undici';
import { FORMATS } from '../../src/api/mount.ts';
import { startService } from '../support/service.ts';

const MEGABYTES_EACH = 40;
const UPLOADS = 6;
const piece = Buffer.alloc(1_048_576);

/** Forty megabytes that begin as a workbook does, and an end that never comes before it is let go. */
async function* endless(gate: Promise<void>): AsyncGenerator<Uint8Array> {
  yield Buffer.from('PK\x03\x04');
  for (let megabyte = 0; megabyte < MEGABYTES_EACH; megabyte += 1) yield piece;
  await gate;
}

test('six workbooks of forty megabytes do not fit at once: what finds no room is told to come again', async () => {
  const service = await startService({}, { roles: ['api'] });
  try {
    const draft = { name: 'busy', text: 'Bonjour', reference: 'busy' };
    const { body: campaign } = await service.call('POST', '/v1/campaigns', { body: draft });
    let open = (): void => undefined;
    const gate = new Promise<void>((resolve) => (open = resolve));
    const [type = ''] = Object.entries(FORMATS).find(([, format]) => format === 'xlsx') ?? [];
    const settled = Array.from({ length: UPLOADS }, async () => {
      const answer = await request(`${service.api}/v1/campaigns/${campaign.id}/recipients?dryRun=true`, {
        method: 'POST',
        headers: { authorization: 'Bearer maker-secret', 'content-type': type },
        body: Readable.from(endless(gate)),
      });
      const body = (await answer.body.json()) as { readonly detail: string };
      // The first that is turned away lets the others end: those that fit are no workbooks after all.
      open();
      return [answer.statusCode, answer.headers['retry-after'], body.detail] as const;
    });
    const answers = await Promise.all(settled);
    const refused = answers.filter(([status]) => status === 503);
    expect(refused.length).toBeGreaterThanOrEqual(1);
    expect(refused[0]).toEqual([503, '5', expect.stringContaining('Too many workbooks')]);
    expect(answers.filter(([status]) => status === 422).length).toBe(UPLOADS - refused.length);
    expect((await service.call('GET', '/v1/campaigns')).status).toBe(200);
  } finally {
    await service.stop();
  }
});
