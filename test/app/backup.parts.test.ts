/** `relais backup verify`: a copy is loaded and counted, and not touched. */
import { createHash } from 'node:crypto';
import { cpSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { systemClock } from '../../src/lib/clock.ts';
import { systemRandom } from '../../src/lib/random.ts';
import { Operations } from '../../src/operations/operations.ts';
import { verifyBackup } from '../../src/app/backup.ts';
import { openCommands, waitUntilReady } from '../../src/redis/connections.ts';
import { startEmbeddedRedis } from '../../src/redis/embedded.ts';
import { apiThat } from '../cli/api-double.ts';

const folders: string[] = [];
const folder = (): string => {
  const made = mkdtempSync(join(tmpdir(), 'relais-copy-'));
  folders.push(made);
  return made;
};
afterEach(() => {
  for (const one of folders.splice(0)) rmSync(one, { recursive: true, force: true });
});

/** A copy in which two disbursements are open and one has ended. */
async function copyOf({ snapshot }: { readonly snapshot: boolean }): Promise<string> {
  const [dir, copy] = [folder(), folder()];
  const server = await startEmbeddedRedis({ dir });
  const redis = openCommands({ url: server.url }, { name: 'test', onError: () => undefined });
  await waitUntilReady(redis, 10_000);
  const operations = new Operations({ redis, random: systemRandom });
  for (const [id, state] of [
    ['a', 'queued'],
    ['b', 'unknown'],
    ['c', 'succeeded'],
  ] as const) {
    const fields = { amount: 5_000, accountAlias: '77', withdrawMode: 'wallet', disburseId: id };
    await operations.accept({
      kind: 'disbursement',
      id,
      state,
      account: 'main',
      fingerprint: id,
      xof: 5_000,
      fields,
    });
  }
  if (snapshot) await redis.save();
  cpSync(join(dir, snapshot ? 'dump.rdb' : 'appendonlydir'), join(copy, snapshot ? 'dump.rdb' : 'appendonlydir'), {
    recursive: true,
  });
  redis.disconnect();
  await server.stop();
  return copy;
}

/** Name, size, time and bytes of every file. */
function printOf(dir: string): string {
  const hash = createHash('sha256');
  for (const name of readdirSync(dir, { recursive: true, encoding: 'utf8' }).toSorted()) {
    const path = join(dir, name);
    const { size, mtimeMs } = statSync(path);
    hash.update(`${name} ${size} ${mtimeMs}`);
    if (statSync(path).isFile()) hash.update(readFileSync(path));
  }
  return hash.digest('hex');
}

async function verified(
  dir: string,
  { json = true, env = {} }: { json?: boolean; env?: Record<string, string> } = {},
) {
  const lines: string[] = [];
  const { signal } = new AbortController();
  const tools = { dir, json, env, clock: systemClock, signal, print: (line: string) => void lines.push(line) };
  return { code: await verifyBackup(tools), text: lines.join('\n') };
}

test.for([{ snapshot: false }, { snapshot: true }])(
  'a copy is counted by kind and state, and left as it was: %o',
  async (how) => {
    const dir = await copyOf(how);
    const before = printOf(dir);
    const { code, text } = await verified(dir);
    expect([code, JSON.parse(text)]).toMatchObject([
      0,
      {
        openXof: 10_000,
        lastBeat: null,
        items: [
          { kind: 'disbursement', state: 'queued', count: 1, xof: 5_000, open: true },
          { kind: 'disbursement', state: 'unknown', count: 1, open: true },
          { kind: 'disbursement', state: 'succeeded', count: 1, open: false },
        ],
      },
    ]);
    expect(printOf(dir), 'the copy itself was only read').toBe(before);
  },
);

test('it is compared with what runs, where that answers', async () => {
  const dir = await copyOf({ snapshot: false });
  const { env } = await apiThat(() => ({ body: { open: [{ kind: 'disbursement', state: 'queued', count: 7 }] } }));
  const { text } = await verified(dir, { json: false, env });
  expect(text).toMatch(/disbursement\s+queued\s+1 {2}\(7 in what runs\)/);
  expect((await verified(dir, { json: false })).text).toContain('Not compared');
});

test('a folder without a copy, or with nothing of relais, is no backup', async () => {
  const { code, text } = await verified(folder());
  expect([code, text]).toEqual([1, expect.stringContaining('there is no appendonlydir and no dump.rdb')]);
  const other = await verified(await copyOf({ snapshot: false }), { json: false, env: { REDIS_PREFIX: '{other}' } });
  expect([other.code, other.text]).toEqual([1, expect.stringContaining('nothing of relais')]);
});
