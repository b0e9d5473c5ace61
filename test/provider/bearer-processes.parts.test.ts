import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface, type Interface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Sandbox, startSandbox } from '../../src/sandbox/sandbox.ts';
import { type OpenLedger, openLedger } from '../support/fresh-ledger.ts';

const PROCESSES = 8;
const CALLS = 20;
const PROGRAM = fileURLToPath(new URL('messaging-process.ts', import.meta.url));

let store: OpenLedger;
let sandbox: Sandbox;
let children: { readonly child: ChildProcess; readonly lines: Interface }[] = [];
beforeAll(async () => {
  store = await openLedger();
  sandbox = await startSandbox();
  children = Array.from({ length: PROCESSES }, () => {
    const child = spawn(process.execPath, [PROGRAM, store.url, sandbox.crm], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    return { child, lines: createInterface({ input: child.stdout }) };
  });
});
afterAll(async () => {
  const alive = children.filter(({ child }) => child.exitCode === null);
  const gone = alive.map(({ child }) => once(child, 'exit'));
  for (const { child } of children) child.stdin?.end();
  await Promise.all(gone);
  await sandbox.stop();
  await store.close();
});

const control = async (path: string, body?: object): Promise<Record<string, unknown>> => {
  const answer = await fetch(`${sandbox.control}${path}`, body ? { method: 'POST', body: JSON.stringify(body) } : {});
  return (await answer.json()) as Record<string, unknown>;
};
const logins = async (): Promise<unknown> => (await control('/books/summary'))['logins'];

/** All processes send at the same moment; returns the number of successes. */
async function askAtOnce(): Promise<number> {
  const counts = await Promise.all(
    children.map(async ({ child, lines }) => {
      const line = once(lines, 'line') as Promise<[string]>;
      const ended = once(child, 'exit').then(() => Promise.reject(new Error('a process ended')));
      child.stdin?.write(`${CALLS}\n`);
      return Number((await Promise.race([line, ended]))[0]);
    }),
  );
  return counts.reduce((sum, count) => sum + count, 0);
}

test('eight processes log in once, and once more when the bearer has expired', async () => {
  expect(await askAtOnce()).toBe(PROCESSES * CALLS);
  expect(await logins()).toBe(1);
  await control('/clock', { advance: '61m' });
  expect(await askAtOnce()).toBe(PROCESSES * CALLS);
  expect(await logins()).toBe(2);
  expect(await control('/books/summary')).toMatchObject({ breaches: 0 });
});
