/** Commands send the whole of an input that can be read only once: `<(…)`, a named pipe, or standard input. */
import { execFileSync } from 'node:child_process';
import { createWriteStream, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { apiThat } from './api-double.ts';
import { relais } from './terminal.ts';

const folder = mkdtempSync(join(tmpdir(), 'relais-pipes-'));
afterAll(() => rmSync(folder, { recursive: true }));

let pipes = 0;
/** Each byte can be read from it once. */
function pipeOf(text: string): string {
  const path = join(folder, `pipe-${(pipes += 1)}`);
  execFileSync('mkfifo', [path]);
  createWriteStream(path).end(text);
  return path;
}

const PEOPLE = 'to;prenom\n+221771234567;Awa\n';
const PAYMENTS = 'reference;accountAlias;amount;withdrawMode\nr-1;771234567;25000;wallet-a-senegal\n';
const COLUMNS = 'transactionId=Transaction,amount=Montant,date=Date';

test.for([
  ['campaign create', ['campaign', 'create', '--name', 'n', '--text', 'x'], PEOPLE],
  ['campaign check of a campaign', ['campaign', 'check', '--campaign', 'cmp_1'], PEOPLE],
  ['disburse batch', ['disburse', 'batch'], PAYMENTS],
  ['opt-outs add', ['opt-outs', 'add'], PEOPLE],
  ['disburse send', ['disburse', 'send'], '{"accountAlias":"771234567"}\n'],
] as const)('%s sends all of a pipe', async ([, command, text]) => {
  const { asked, env } = await apiThat(() => ({ status: 201, body: { id: 'x_1' } }));
  await relais([...command, pipeOf(text)], { env });
  expect(asked.at(-1)?.text).toBe(text);
});

test('campaign check and reconcile read all of a pipe', async () => {
  const { stdout } = await relais(['campaign', 'check', pipeOf(PEOPLE)]);
  expect(stdout).toContain('1 row: 1 recipient');
  const text = 'Transaction;Montant;Date\nTX1;25000;22/11/2026\n';
  const found = { from: '2026-11-22', to: '2026-11-22', matched: { count: 0, xof: 0 } };
  const lists = { onlyOurs: [], onlyTheirs: [{ row: 2, transactionId: 'TX1' }], differentAmount: [], unreadable: [] };
  const { asked, env } = await apiThat(() => ({ body: { result: { ...found, ...lists } } }));
  const { stdout: told } = await relais(['reconcile', pipeOf(text), '--columns', COLUMNS], { env });
  expect([asked.at(-1)?.text, told]).toEqual([text, expect.stringContaining('TX1')]);
});

test('a list without a header is known by its first line, however small the pieces are in which it comes', async () => {
  const { asked, env } = await apiThat(() => ({ body: { added: 2 } }));
  await relais(['opt-outs', 'add', '-'], { env, types: ['+22', '1771234567\n+221', '771234568\n'] });
  expect(asked[0]?.text).toBe('to\n+221771234567\n+221771234568\n');
});

test('/dev/stdin is standard input: a question is not answered from the file', async () => {
  const file = join(folder, 'local.csv');
  writeFileSync(file, 'to\n771234567\n');
  const { asked, env } = await apiThat(() => ({ status: 201, body: { id: 'cmp_1' } }));
  const creating = ['campaign', 'create', '--name', 'n', '--text', 'x'];
  const { code, stderr } = await relais([...creating, '/dev/stdin'], {
    env,
    types: 'to\n771234567\n',
    isTerminal: true,
  });
  expect([code, asked]).toEqual([1, []]);
  expect(stderr).toContain('--country');
});
