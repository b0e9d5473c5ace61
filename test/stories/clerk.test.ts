/** A clerk's lists, with columns of her own, through real processes: what comes back is joined row by row. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { API_KEY } from '../../script/demonstration/stage.ts';
import { xlsxOfTexts } from '../files/workbooks.ts';
import { openProcesses, openWorld, type World } from '../support/world.ts';

const PEOPLE = 1_200;
const CHECKER = 'another';
const KEYS = `clerk:enqueue+read:${API_KEY},checker:approve+read:${CHECKER}`;
let dir: string;
let world: World;
let commands: ReturnType<typeof openProcesses>;
beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'relais-clerk-'));
  world = await openWorld({ settings: { API_KEYS: KEYS, UPSTREAM_RATE: '0' } });
  commands = openProcesses();
});
afterAll(async () => {
  await commands?.close();
  await world?.close();
  rmSync(dir, { recursive: true, force: true });
});

const relais = (...args: readonly string[]): Promise<string> => relaisAs(API_KEY, ...args);
async function relaisAs(key: string, ...args: readonly string[]): Promise<string> {
  const settings = { RELAIS_URL: world.api.base, RELAIS_API_KEY: key };
  const { code, stdout, log } = await commands.processes.run(args, settings);
  if (code !== 0) throw new Error(`relais ${args.join(' ')} ended with ${code}: ${log}`);
  return stdout;
}
const rowsOf = (csv: string): Record<string, string>[] => parse(csv, { columns: true, bom: true, delimiter: ';' });
const untilFinished = (path: string): Promise<void> =>
  vi.waitFor(async () => expect((await world.api.get<{ state: string }>(path)).state).toBe('finished'));

test('a workbook of people: each line of the report has the cells of its line in the workbook', async () => {
  const head = ['Client', 'Téléphone', 'prenom', 'Agence', 'Solde'];
  const people = Array.from({ length: PEOPLE }, (_, at) => [
    `C-${at}`,
    at % 100 === 7 ? '12' : `77${1_000_000 + at}`,
    `A${at}`,
    at % 3 === 0 ? '' : `Agence; n° ${at % 3}`,
    `-${at}`,
  ]);
  const file = join(dir, 'clients.xlsx');
  writeFileSync(file, xlsxOfTexts([head, ...people]));
  const said = [
    '--name',
    'clients',
    '--text',
    'Bonjour {{prenom}}',
    '--country',
    'SN',
    '--no-canary',
    '--yes',
    '--json',
  ];
  const { id } = JSON.parse(await relais('campaign', 'create', ...said, file)) as { id: string };
  await relais('campaign', 'start', id);
  await untilFinished(`/v1/campaigns/${id}`);

  const report = rowsOf(await relais('campaign', 'report', id, '--csv'));
  expect(report).toHaveLength(PEOPLE);
  const wrong = report.filter((line) => {
    const [client, number, prenom, agence, solde] = people[Number(line['row']) - 2] ?? [];
    const isRight = line['Client'] === client && line['Agence'] === agence && line['Solde'] === `'${solde}`;
    const state = number === '12' ? 'skipped' : 'sent';
    return !isRight || line['prenom'] !== prenom || line['state'] !== state;
  });
  expect(wrong).toEqual([]);
});

test('a file of salaries: each line of the report has the name and the office of its line', async () => {
  const line = (at: number): string =>
    `s-${at};${770_000_000 + at * 100};${1_000 + at};wallet-a-senegal;Nom ${at};=${at}`;
  const file = join(dir, 'salaries.csv');
  const count = 40;
  const lines = Array.from({ length: count }, (_, at) => line(at));
  writeFileSync(file, ['reference;accountAlias;amount;withdrawMode;Nom;Bureau', ...lines].join('\n'));
  const { id, contentHash } = JSON.parse(await relais('disburse', 'batch', file, '--json')) as Record<string, string>;
  await relaisAs(CHECKER, 'disburse', 'approve', `${id}`, '--hash', `${contentHash}`, '--yes');
  await untilFinished(`/v1/disbursement-batches/${id}`);
  const report = rowsOf(await relais('disburse', 'batch-report', `${id}`, '--csv'));
  expect(report.map(({ row, state, Nom, Bureau }) => [Number(row), state, Nom, Bureau])).toEqual(
    lines.map((_, at) => [at + 2, 'succeeded', `Nom ${at}`, `'=${at}`]),
  );
});
