/** The provider's published npm package, against our simulator. */
import { execFile, execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sandboxForTest } from '../sandbox/sandbox-client.ts';

const shop = mkdtempSync(join(tmpdir(), 'relais-sdk-'));

beforeAll(() => {
  cpSync(fileURLToPath(new URL('sdk', import.meta.url)), shop, { recursive: true });
  const asked = ['ci', '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund', '--silent'];
  execFileSync('npm', asked, { cwd: shop, stdio: 'pipe' });
});
afterAll(() => rmSync(shop, { recursive: true, force: true }));

type Strictness = 'strict' | 'lenient';
const sandboxOf = (strictness: Strictness, directCreditEnabled = false) =>
  sandboxForTest({ headerPrefix: 'PAYDUNYA', settings: { strictness, directCreditEnabled } });
type Sandbox = Awaited<ReturnType<typeof sandboxOf>>;

/** The shop's results. */
async function shopAt({ base }: Sandbox, ...asked: readonly string[]): Promise<Record<string, unknown>> {
  const { stdout } = await promisify(execFile)('node', ['shop.cjs', base, ...asked], { cwd: shop });
  return JSON.parse(stdout) as Record<string, unknown>;
}

const breachesOf = async (sandbox: Sandbox): Promise<string[]> =>
  ((await sandbox.books()).breaches as readonly { readonly what: string }[]).map(({ what }) => what);

test.for(['strict', 'lenient'] as const)('the least invoice is understood, %s', async (strictness) => {
  const sandbox = await sandboxOf(strictness);
  expect(await shopAt(sandbox, 'minimal')).toMatchObject({ status: 'pending', totalAmount: 5_000 });
  expect(await breachesOf(sandbox)).toEqual([]);
});

test('the full invoice with its store, numbers in items and custom data is refused where it is strict, with a breach', async () => {
  const sandbox = await sandboxOf('strict');
  expect(await shopAt(sandbox, 'full')).toMatchObject({
    failed: expect.any(String),
    data: { response_code: '1001' },
  });
  expect((await sandbox.books()).invoices).toEqual([]);
  expect(await breachesOf(sandbox)).toHaveLength(1);
});

test('equal requests are accepted if lenient, invalid ones are recorded, and it is paid and confirmed', async () => {
  const sandbox = await sandboxOf('lenient');
  const made = await shopAt(sandbox, 'full');
  expect(made).toMatchObject({ status: 'pending', totalAmount: 5_000, url: expect.stringContaining('http') });
  const breaches = (await breachesOf(sandbox)).join('\n');
  for (const place of ['items.item_1.unit_price', 'items.item_1.total_price', 'store'])
    expect(breaches).toContain(place);
  const body = new URLSearchParams({ decision: 'completed' });
  // It redirects to the shop, which does not exist.
  await fetch(String(made['url']), { method: 'POST', body, redirect: 'manual' });
  expect(await shopAt(sandbox, 'full', String(made['token']))).toMatchObject({
    status: 'completed',
    totalAmount: 5_000,
    receiptURL: expect.stringContaining('http'),
    customData: { order: expect.anything() },
  });
});

test('a credit is understood, and its transaction is named', async () => {
  const sandbox = await sandboxOf('strict', true);
  expect(await shopAt(sandbox, 'credit')).toMatchObject({ transactionID: expect.any(String) });
  expect(await breachesOf(sandbox)).toEqual([]);
});
