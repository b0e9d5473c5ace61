/** `relais migrate` from outside: its output for users and for programs. */
import { expect, onTestFinished, test } from 'vitest';
import { migrateLedger } from '../../src/app/migrate.ts';
import { allMigrations } from '../../src/ledger/migrate.ts';
import { english } from '../../src/messages/english.ts';
import { freshPostgres } from '../support/fresh-postgres.ts';

const NAMES = allMigrations().map(({ name }) => name);

async function migrating() {
  const database = await freshPostgres();
  onTestFinished(() => database.close());
  const run = async (flags: { readonly dryRun?: boolean; readonly json?: boolean; readonly roles?: boolean }) => {
    const lines: string[] = [];
    await migrateLedger({
      env: { DATABASE_URL: database.url },
      dryRun: flags.dryRun ?? false,
      roles: flags.roles ?? false,
      json: flags.json ?? false,
      words: english.commands.migrate,
      print: (line) => void lines.push(line),
    });
    return lines;
  };
  const tables = async () =>
    (await database.query("select from information_schema.tables where table_schema = 'relais'")).length;
  return { run, tables };
}

test('migrate --dry-run names missing migrations and changes nothing', async () => {
  const { run, tables } = await migrating();
  expect(await run({ dryRun: true })).toEqual(NAMES.map((name) => `missing: ${name}`));
  expect((await run({ dryRun: true, json: true })).map((line) => JSON.parse(line))).toEqual([
    { schema: 'relais', missing: NAMES, roles: [] },
  ]);
  expect(await tables()).toBe(0);
});

test('migrate applies migrations, and a second run finds none', async () => {
  const { run } = await migrating();
  expect((await run({ json: true })).map((line) => JSON.parse(line))).toEqual([
    { schema: 'relais', applied: NAMES, roles: [] },
  ]);
  expect((await run({ json: true })).map((line) => JSON.parse(line))).toEqual([
    { schema: 'relais', applied: [], roles: [] },
  ]);
  expect(await run({})).toEqual(['The schema relais is up to date.']);
});

test('migrate --roles --dry-run prints the script of the roles alone', async () => {
  const { run, tables } = await migrating();
  const [script = ''] = await run({ dryRun: true, roles: true });
  expect(script).toContain('relais_reader');
  expect((await run({ dryRun: true, roles: true, json: true })).map((line) => JSON.parse(line))).toEqual([
    { schema: 'relais', script },
  ]);
  expect(await tables()).toBe(0);
});
