import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Agent, request } from 'undici';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { waitUntil } from './clock.ts';
import { type Bend, Tap } from './tap.ts';
import { type Certificate, certificateIn } from './terminator.ts';

const heard: string[] = [];
const service = createServer((asked, answer) => {
  let body = '';
  asked.on('data', (part: Buffer) => (body += part.toString()));
  asked.on('end', () => {
    heard.push(body);
    const said = asked.url === '/half' ? '{"half":' : '{"status":"success"}';
    answer.setHeader('content-length', Buffer.byteLength(said)).end(said);
  });
});
let dir = '';
let certificate: Certificate;

beforeAll(async () => {
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
  dir = mkdtempSync(join(tmpdir(), 'tap-'));
  certificate = certificateIn(dir);
});
afterAll(() => {
  service.close();
  rmSync(dir, { recursive: true, force: true });
});

async function through(bend: Bend | undefined, path = '/whole') {
  const { port: target } = service.address() as AddressInfo;
  const tap = await Tap.to({ target, before: () => undefined, bend: () => bend, certificate });
  const dispatcher = new Agent({ connect: { ca: certificate.cert } });
  const ask = async (): Promise<string> => {
    const options = { method: 'POST', body: '{"asked":1}', dispatcher } as const;
    return (await request(`${tap.url}${path}`, options)).body.text();
  };
  const end = async (): Promise<void> => {
    await dispatcher.destroy();
    await tap.refuse();
  };
  return { tap, ask, end };
}

test('a request and its answer arrive as they left, by TLS', async () => {
  const { ask, end } = await through(undefined);
  expect(await ask()).toBe('{"status":"success"}');
  expect(heard.at(-1)).toBe('{"asked":1}');
  await end();
});

test('both may be bent on the way, and what was heard is what is noted', async () => {
  const { tap, ask, end } = await through({ request: () => '{"asked":22}', answer: () => '{"status":"failed"}' });
  expect(await ask()).toBe('{"status":"failed"}');
  expect(heard.at(-1)).toBe('{"asked":22}');
  expect(tap.exchanges[0]).toMatchObject({ body: '{"asked":1}' });
  expect(tap.exchanges[0]?.answer).toContain('failed');
  await end();
});

test('an answer that is no object is left as it is', async () => {
  const { ask, end } = await through({ answer: () => '{"status":"failed"}' }, '/half');
  expect(await ask()).toBe('{"half":');
  await end();
});

test('a handshake that is held goes on when it is let go', async () => {
  const { tap, ask, end } = await through(undefined);
  tap.terminator?.hold();
  const answer = ask();
  expect(await waitUntil(() => tap.terminator?.waiting.length === 1, 5_000, 5)).toBe(true);
  expect(tap.exchanges).toEqual([]);
  tap.terminator?.letGo();
  expect(await answer).toBe('{"status":"success"}');
  await end();
});
