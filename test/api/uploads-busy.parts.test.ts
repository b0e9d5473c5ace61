import { Readable } from 'node:stream';
import { expect, test, vi } from 'vitest';
import { request } from 'undici';
import { once } from 'node:events';
import { connect } from 'node:net';
import { FORMATS } from '../../src/api/file-body.ts';
import { type Service, startService } from '../support/service.ts';

const MEGABYTES_EACH = 40;
const UPLOADS = 6;
const piece = Buffer.alloc(1_048_576);

/** Forty megabytes that begin like a workbook, and whose end never arrives before the gate opens. */
async function* endless(gate: Promise<void>): AsyncGenerator<Uint8Array> {
  yield Buffer.from('PK\x03\x04');
  for (let megabyte = 0; megabyte < MEGABYTES_EACH; megabyte += 1) yield piece;
  await gate;
}

/** A batch upload whose head has arrived and whose body has not. */
async function unfinished(
  service: Service,
  key: string,
): Promise<{ readonly said: () => string; readonly end: () => void }> {
  const { hostname, port } = new URL(service.api);
  const socket = connect(Number(port), hostname);
  let heard = '';
  socket.on('data', (bytes: Buffer) => (heard += bytes.toString('latin1')));
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  const head = ['POST /v1/disbursement-batches HTTP/1.1', 'Host: relais', `Authorization: Bearer ${key}`];
  socket.write([...head, 'Content-Type: text/csv', 'Content-Length: 5000000', '', ''].join('\r\n'));
  return { said: () => heard, end: () => void socket.destroy() };
}

test('unfinished batches of one key hold so much and no more, and leave another key its room', async () => {
  const service = await startService({}, { roles: ['api'] });
  const batch = { headers: { 'content-type': 'text/csv' }, body: `reference;amount\n${' '.repeat(5_000)}` };
  const dryRun = (key: string) => service.call('POST', '/v1/disbursement-batches?dryRun=true', { ...batch, key });
  const sent: Awaited<ReturnType<typeof unfinished>>[] = [];
  /** Whether another one is refused; a later answered request shows that it was accepted. */
  const isRefused = async (): Promise<boolean> => {
    const one = await unfinished(service, 'maker-secret');
    sent.push(one);
    expect((await dryRun('checker-secret')).status).toBe(200);
    return one.said().includes('503 ');
  };
  try {
    while (sent.length < 100 && !(await isRefused()));
    expect(sent.length).toBeLessThan(25);
    expect(sent.at(-1)?.said()).toMatch(/"type":"[^"]*\/busy"/);
    for (const { end } of sent) end();
    await vi.waitFor(async () => expect(await isRefused()).toBe(false), 10_000);
  } finally {
    for (const { end } of sent) end();
    await service.stop();
  }
});

test('six workbooks of forty megabytes do not fit at once: those without room are asked to retry', async () => {
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
      // The first refused upload lets the others end: their content is no workbook after all.
      open();
      return [answer.statusCode, answer.headers['retry-after'], body.detail] as const;
    });
    const answers = await Promise.all(settled);
    const refused = answers.filter(([status]) => status === 503);
    expect(refused.length).toBeGreaterThanOrEqual(1);
    expect(refused[0]).toEqual([
      503,
      '5',
      expect.stringContaining('Uploads in progress of this key may hold 100 MB'),
    ]);
    expect(answers.filter(([status]) => status === 422).length).toBe(UPLOADS - refused.length);
    expect((await service.call('GET', '/v1/campaigns')).status).toBe(200);
  } finally {
    await service.stop();
  }
});
