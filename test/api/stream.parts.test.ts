/** Live events over server-sent events. */
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { EventType } from '../../src/kinds/index.ts';
import { relais } from '../cli/terminal.ts';
import { report } from '../support/published.ts';
import { type Service, startService } from '../support/service.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

let written = 0;
/** Returns the id of the event. */
const happens = (account = 'main', type: EventType = 'disbursement.succeeded', disburseId = 'd'): Promise<string> => {
  written += 1;
  const data = { amount: 100, withdrawMode: 'w', disburseId };
  return report(service.ledger, `dsb_${written}`, type, { account, data });
};

interface Followed {
  readonly answer: IncomingMessage;
  /** Ids of the events received so far, and their cursors. */
  readonly seen: string[];
  readonly cursors: string[];
  /** Resolves when this many were received. */
  until(count: number): Promise<string[]>;
  readonly ended: Promise<unknown>;
}

async function follow(
  query = '',
  { key = 'reader-secret', after }: { key?: string; after?: string } = {},
): Promise<Followed> {
  const headers = { authorization: `Bearer ${key}`, ...(after === undefined ? {} : { 'last-event-id': after }) };
  const asked = get(`${service.api}/v1/stream${query}`, { headers, agent: false });
  onTestFinished(() => void asked.destroy());
  const [answer] = (await once(asked, 'response')) as [IncomingMessage];
  const [seen, cursors]: [string[], string[]] = [[], []];
  let text = '';
  let told = (): void => undefined;
  answer.setEncoding('utf8').on('data', (part: string) => {
    const blocks = (text + part).split('\n\n');
    text = blocks.pop() ?? '';
    for (const block of blocks) {
      const [, data] = /^data: (.*)$/m.exec(block) ?? [];
      if (data === undefined) continue;
      seen.push(JSON.parse(data).id);
      cursors.push(/^id: (.*)$/m.exec(block)?.[1] ?? '');
    }
    told();
  });
  answer.on('error', () => undefined);
  if (answer.statusCode === 200) await once(answer, 'data');
  const until = async (count: number): Promise<string[]> => {
    while (seen.length < count) await new Promise<void>((resolve) => (told = resolve));
    return seen;
  };
  return { answer, seen, cursors, until, ended: new Promise((resolve) => answer.on('close', resolve)) };
}

test('begins now, and sends each event as it comes, with the cursor of /v1/events', async () => {
  const before = await happens();
  await service.until('/v1/events?limit=1000', ({ events }) => events.at(-1)?.id === before);
  const follower = await follow();
  expect(follower.answer.headers['content-type']).toContain('text/event-stream');
  const [first, second] = [await happens(), await happens()];
  expect(await follower.until(2)).toEqual([first, second]);
  const { body } = await service.published(`/v1/events?after=${follower.cursors[0]}`);
  expect(body).toMatchObject({ events: [{ id: second }], next: follower.cursors[1] });
});

test('continues after the last received event, however far back that is', async () => {
  const follower = await follow();
  await happens();
  await follower.until(1);
  const missed: string[] = [];
  for (let nth = 0; nth < 450; nth += 1) missed.push(await happens());
  const again = await follow('', { after: follower.cursors[0] ?? '' });
  const last = await happens();
  expect(await again.until(451)).toEqual([...missed, last]);
});

test('sends only the requested events, and only of the key’s accounts', async () => {
  const [failures, stranger] = [
    await follow('?types=disbursement.failed'),
    await follow('', { key: 'stranger-secret' }),
  ];
  await happens('main');
  const failed = await happens('main', 'disbursement.failed');
  const others = await happens('other');
  expect(await failures.until(1)).toEqual([failed]);
  expect(await stranger.until(1)).toEqual([others]);
});

test('an expired or future cursor is 410, and an invalid one 422', async () => {
  const { body } = await service.call('GET', '/v1/events?limit=1');
  const follower = await follow();
  await happens();
  await follower.until(1);
  await service.ledger.query('update relais.stream set trimmed = position');
  expect((await follow('', { after: body.next })).answer.statusCode).toBe(410);
  expect((await follow('', { after: '1-999999999' })).answer.statusCode).toBe(410);
  expect((await follow('', { after: 'nonsense' })).answer.statusCode).toBe(422);
});

test('many readers share one read of PostgreSQL', async () => {
  const followers = await Promise.all(Array.from({ length: 40 }, () => follow()));
  const first = await happens();
  await Promise.all(followers.map((one) => one.until(1)));
  const asked = vi.spyOn(Client.prototype, 'query');
  onTestFinished(() => asked.mockRestore());
  const events: string[] = [];
  for (let nth = 0; nth < 20; nth += 1) {
    events.push(await happens());
    await Promise.all(followers.map((one) => one.until(events.length + 1)));
  }
  for (const { seen } of followers) expect(seen).toEqual([first, ...events]);
  const reads = asked.mock.calls.filter(([query]) => (query as { readonly name?: unknown }).name === 'events_after');
  expect(reads.length).toBeGreaterThanOrEqual(events.length);
  expect(reads.length).toBeLessThan(100);
});

test('a long stream retains nothing of what was read', async () => {
  const warned = vi.fn();
  process.on('warning', warned);
  onTestFinished(() => void process.off('warning', warned));
  const follower = await follow();
  for (let nth = 1; nth <= 15; nth += 1) {
    // More than can be sent without waiting for the reader.
    await happens('main', 'disbursement.succeeded', 'd'.repeat(100_000));
    await follower.until(nth);
  }
  expect(warned.mock.calls.map(([{ name }]) => name)).not.toContain('MaxListenersExceededWarning');
});

test('a key follows a hundred times at once in a process, and leaves the other connections to others', async () => {
  const followers = await Promise.all(Array.from({ length: 100 }, () => follow('', { key: 'checker-secret' })));
  expect(followers.map(({ answer }) => answer.statusCode)).toEqual(followers.map(() => 200));
  const { answer } = await follow('', { key: 'checker-secret' });
  expect([answer.statusCode, answer.headers['retry-after']]).toEqual([429, '30']);
  expect((await follow()).answer.statusCode).toBe(200);
  followers[0]?.answer.destroy();
  await vi.waitUntil(async () => (await follow('', { key: 'checker-secret' })).answer.statusCode === 200);
});

test('a list of a bound key is full, however many events of others lie between', async () => {
  const { next } = (await service.published('/v1/events?limit=1000')).body;
  const own = [await happens('other')];
  for (let nth = 0; nth < 150; nth += 1) await happens('main');
  own.push(await happens('other'));
  const { body } = await service.published(`/v1/events?limit=2&after=${next}`, { key: 'stranger-secret' });
  expect(body.events.map(({ id }: { id: string }) => id)).toEqual(own);
});

describe('the command', () => {
  test('follows over it, and prints where to continue', async () => {
    const { next } = (await service.published('/v1/events?limit=1000')).body;
    const env = { RELAIS_URL: service.api, RELAIS_API_KEY: 'reader-secret' };
    const running = relais(['events', '--follow', '--after', next, '--limit', '3'], { env });
    const ids = [await happens(), await happens(), await happens()];
    const { code, stdout, stderr } = await running;
    expect(code).toBe(0);
    expect(
      stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).id),
    ).toEqual(ids);
    expect(stderr).toMatch(/^Next: relais events --after \d+-\d+\n$/);
  });
});

test('ends when the process drains, and the command waits for the next one until Ctrl-C, which is no failure', async () => {
  const follower = await follow();
  const { next } = (await service.published('/v1/events?limit=1000')).body;
  const env = { RELAIS_URL: service.api, RELAIS_API_KEY: 'reader-secret' };
  const onSleep = (sleeps: number, interrupt: () => void): void => void (sleeps === 3 && interrupt());
  const running = relais(['events', '--follow', '--after', next], { env, onSleep });
  await happens();
  await follower.until(1);
  await service.drain();
  await follower.ended;
  expect(follower.answer.complete).toBe(true);
  expect(await running).toMatchObject({ code: 0, stderr: expect.stringContaining('Still trying.') });
});
