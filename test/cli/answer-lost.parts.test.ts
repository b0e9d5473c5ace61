import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { apiThat, type Reply } from './api-double.ts';
import { relais } from './terminal.ts';

const ONE = ['messages', 'send', '--to', '+221771234567', '--text', 'Bonjour'];

const folder = mkdtempSync(join(tmpdir(), 'relais-cli-'));
afterAll(() => rmSync(folder, { recursive: true }));
const FILE = join(folder, 'texts.jsonl');
writeFileSync(FILE, '{"to":"+221771234567","text":"a"}\n');

const never: readonly (readonly [string, Reply])[] = [
  ['is lost', { cut: true }],
  ['says that Redis did not answer in time', { status: 503, body: { title: 'Redis is not available' } }],
];

describe.each(never)('where the answer %s', (_how, reply) => {
  test.each([
    ['a text without a reference', ONE],
    ['a new key', ['keys', 'create', '--name', 'shop', '--roles', 'read']],
    ['a file without a key', ['messages', 'send', FILE]],
  ])('%s is never called safe to ask for again', async (_what, argv) => {
    const { asked, env } = await apiThat(() => reply);
    const { code, stderr } = await relais(argv, { env });
    expect([code, asked.length]).toEqual([1, 1]);
    expect(stderr).toContain('Look first whether it was done.');
    expect(stderr).not.toMatch(/same command/);
  });

  test.each([
    ['a text with a reference', [...ONE, '--reference', 'otp-1']],
    ['a text with a key', [...ONE, '--idempotency-key', 'k-1']],
    ['a file with a key', ['messages', 'send', FILE, '--idempotency-key', 'k-1']],
    ['what is only judged', [...ONE, '--dry-run']],
    ['what is read', ['messages', 'show', 'msg_1']],
  ])('%s is', async (_what, argv) => {
    const { env } = await apiThat(() => reply);
    const { code, stderr } = await relais(argv, { env });
    expect(code).toBe(1);
    expect(stderr).toMatch(/same command/);
    expect(stderr).not.toContain('Look first');
  });
});

test('a request that was refused before it began can be repeated', async () => {
  const body = { title: 'Nothing was accepted', type: 'https://relais.invalid/problems/recovering' };
  const { env } = await apiThat(() => ({ status: 503, body }));
  expect((await relais(ONE, { env })).stderr).not.toContain('Look first');
});
