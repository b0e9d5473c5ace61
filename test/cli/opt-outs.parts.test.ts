import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { apiThat } from './api-double.ts';
import { relais } from './terminal.ts';

const answered = { account: 'main', from: null, added: 2, already: 1, refused: 0, problems: [] };
const takesIt = (more: object = {}) => apiThat(() => ({ body: { ...answered, ...more } }));

async function apiOfBytes(received: Buffer[]) {
  const server = createServer((request, response) => {
    request.on('data', (part: Buffer) => received.push(part));
    request.on('end', () => response.end(JSON.stringify(answered)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { env: { RELAIS_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, RELAIS_API_KEY: 'k' } };
}

function fileWith(text: string | Buffer): string {
  const folder = mkdtempSync(join(tmpdir(), 'relais-opt-outs-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'stop.csv');
  writeFileSync(path, text);
  return path;
}

test('numbers on the command line are sent as they were written', async () => {
  const { asked, env } = await takesIt();
  const phones = ['--phone', '77 123 45 67', '--phone', '+221771234568'];
  const { code, stdout } = await relais(['opt-outs', 'add', ...phones, '--country', 'sn', '--from', 'SHOP'], { env });
  expect([code, asked[0]?.method, asked[0]?.body]).toEqual([
    0,
    'POST',
    { phones: ['77 123 45 67', '+221771234568'], country: 'SN', from: 'SHOP' },
  ]);
  expect(stdout).toMatch(/added\s+2/);
});

test('a file is streamed unchanged, with its options in the address', async () => {
  const { asked, env } = await takesIt();
  const text = 'telephone;nom\n771234567;Awa\n';
  await relais(['opt-outs', 'remove', fileWith(text), '--country', 'SN'], { env });
  expect(asked[0]).toMatchObject({ method: 'DELETE', query: { country: 'SN' }, text });
  expect(asked[0]?.headers['content-type']).toBe('text/csv');
  await relais(['opt-outs', 'add', fileWith(text), '--encoding', 'cp850'], { env });
  expect(asked[1]).toMatchObject({ query: {}, headers: { 'content-type': 'text/csv; charset=cp850' } });
});

test('a bare list of numbers gets the header that the API wants, from standard input too', async () => {
  const { asked, env } = await takesIt();
  await relais(['opt-outs', 'add', fileWith('771234567\n771234568\n')], { env });
  await relais(['opt-outs', 'add', '-'], { env, types: '+221 77 123 45 67\n' });
  expect(asked.map(({ text }) => text)).toEqual(['to\n771234567\n771234568\n', 'to\n+221 77 123 45 67\n']);
});

test('every byte of a bare list is sent unchanged, except the byte order mark', async () => {
  const received: Buffer[] = [];
  const { env } = await apiOfBytes(received);
  const list = Buffer.concat([
    Buffer.from('77\u00a0123\u00a045\u00a067\n', 'latin1'),
    Buffer.from('771234568\n'.repeat(20_000)),
  ]);
  await relais(['opt-outs', 'add', fileWith(list)], { env });
  expect(Buffer.concat(received).equals(Buffer.concat([Buffer.from('to\n'), list]))).toBe(true);

  received.length = 0;
  await relais(['opt-outs', 'add', fileWith('\ufeff771234567\n')], { env });
  expect(String(Buffer.concat(received))).toBe('to\n771234567\n');
});

test('refused rows are named by position, with a failing exit code', async () => {
  const { env } = await takesIt({
    refused: 1,
    problems: [{ at: 3, reason: 'too_short', message: 'Too few digits.' }],
  });
  const { code, stderr } = await relais(['opt-outs', 'add', '--phone', '12'], { env });
  expect([code, stderr]).toEqual([1, expect.stringContaining('3: Too few digits.')]);
});

test('neither a file nor a number is wrong usage', async () => {
  for (const name of ['add', 'remove']) {
    const { code, stderr } = await relais(['opt-outs', name]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(`relais opt-outs ${name} --phone`)]);
  }
});

test('the list comes page by page, one number a line', async () => {
  const { asked, env } = await apiThat(({ query }) => ({
    body: query['after']
      ? { items: ['+3'], next: null, forgotten: 4 }
      : { items: ['+1', '+2'], next: '77', forgotten: 4 },
  }));
  const { stdout, stderr } = await relais(['opt-outs', 'list', '--from', 'SHOP'], { env });
  expect([stdout, asked.length, asked[1]?.query]).toEqual([
    '+1\n+2\n+3\n',
    2,
    { from: 'SHOP', after: '77', limit: '10000' },
  ]);
  expect(stderr).toContain('4 more numbers were erased');
  const { stdout: json } = await relais(['opt-outs', 'list', '--json'], { env });
  expect(JSON.parse(json)).toEqual(['+1', '+2', '+3']);
});
