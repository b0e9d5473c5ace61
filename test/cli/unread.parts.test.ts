import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { apiThat } from './api-double.ts';
import { relais } from './terminal.ts';

/** More than fits in flight: most of them leave only while results are read. */
const LINES = 40_000;

/** Answers each line on arrival, beginning with the first. */
async function apiByLines() {
  let taken = 0;
  const server = createServer((request, response) => {
    response.writeHead(202, { 'content-type': 'application/x-ndjson' });
    request.setEncoding('utf8').on('data', (part: string) => {
      for (const _ of part.matchAll(/\n/g)) {
        const verdict = { index: taken, id: `dsb_${taken}`, outcome: taken % 2 === 0 ? 'accepted' : 'duplicate' };
        response.write(`${JSON.stringify(verdict)}\n`);
        taken += 1;
      }
    });
    request.on('end', () => response.end());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { taken: () => taken, env: { RELAIS_URL: url, RELAIS_API_KEY: 'test-key' } };
}

function manyLines(): string {
  const folder = mkdtempSync(join(tmpdir(), 'relais-cli-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'many.jsonl');
  writeFileSync(file, '{"reference":"r","accountAlias":"771234567","amount":500}\n'.repeat(LINES));
  return file;
}

test.each([
  ['EPIPE', 0],
  ['ENOSPC', 1],
] as const)('a file of lines is sent to its end where printing ends with %s', async (stdoutFails, exit) => {
  const { taken, env } = await apiByLines();
  const { code, stderr } = await relais(['disburse', 'send', manyLines(), '--json'], { env, stdoutFails });
  expect(taken()).toBe(LINES);
  expect(stderr).toMatch(/20.000 accepted, 20.000 duplicate/);
  expect(code).toBe(exit);
  expect(stderr.includes('ENOSPC')).toBe(stdoutFails === 'ENOSPC');
});

test('decisions and refusals are reported, even if the lines are not read', async () => {
  const lines = [
    { id: 'dsb_1', outcome: 'refused', problem: { detail: 'It is not in review' } },
    { id: null, outcome: 'done', resolved: 411, refused: 1, xof: 5_000 },
  ];
  const { env } = await apiThat(() => ({ body: lines.map((line) => JSON.stringify(line)).join('\n') + '\n' }));
  const token = `412:${'0'.repeat(16)}`;
  const argv = ['review', 'resolve', '--where', 'reason=restored', '--outcome', 'failed', '--note', 'seen'];
  const { code, stderr } = await relais([...argv, '--confirm', token], { env, stdoutFails: 'EPIPE' });
  expect([code, stderr]).toEqual([1, expect.stringContaining('411 decided')]);
});

test('a command that only reads ends with its reader, and well', async () => {
  const { asked, env } = await apiThat(() => ({ body: { items: ['+221771234567'], next: 'on' } }));
  const { code } = await relais(['opt-outs', 'list'], { env, stdoutFails: 'EPIPE' });
  expect([code, asked.length]).toEqual([0, 1]);
});
