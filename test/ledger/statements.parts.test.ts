/** Each statement matches its head, against the migrated schema. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Client } from 'pg';
import { inSchema, loadStatements, parseStatements } from '../../src/ledger/statements.ts';
import { type FreshLedger, freshLedger } from '../support/fresh-ledger.ts';

let ledger: FreshLedger;
let client: Client;
beforeAll(async () => {
  ledger = await freshLedger();
  client = new Client({ connectionString: ledger.url });
  await client.connect();
});
afterAll(async () => {
  await client?.end();
  await ledger?.close();
});

const statements = [...loadStatements('relais').values()];

/** `row` is undefined before PostgreSQL 16, which does not report it. */
async function prepared(name: string): Promise<{ params: readonly string[]; row: readonly string[] | undefined }> {
  const namesOf = (types: string): string =>
    `array(select typname::text from unnest(${types}) with ordinality p(type, nth)
       join pg_type on pg_type.oid = p.type order by nth)`;
  const { rows: versions } = await client.query<{ tells_row: boolean }>(
    `select current_setting('server_version_num')::int >= 160000 as tells_row`,
  );
  const tellsRow = versions[0]?.tells_row;
  const { rows } = await client.query<{ params: string[]; row: string[] | null }>(
    `select ${namesOf('parameter_types')} as params, ${tellsRow ? namesOf('result_types') : 'null'} as row
     from pg_prepared_statements where name = $1`,
    [name],
  );
  return { params: rows[0]?.params ?? [], row: rows[0]?.row ?? undefined };
}

/** PostgreSQL's name of `text[]`: `_text`. */
const internal = (type: string): string => (type.endsWith('[]') ? `_${type.slice(0, -2)}` : type);

/** `limit $1` takes an int8; a wider integer than declared fits every value. */
const narrowed = (type: string, declared: string | undefined): string =>
  type === 'int8' && declared === 'int4' ? declared : type;

test.for(statements)('$name takes and returns the declared fields', async ({ name, text, params, row }) => {
  // Without types, as the connections prepare it: PostgreSQL must infer them.
  await client.query(`prepare ${name} as ${text}`);
  const types = await prepared(name);
  expect(types.params.map((type, at) => narrowed(type, params[at]?.type))).toEqual(
    params.map(({ type }) => internal(type)),
  );
  if (types.row) expect(types.row).toEqual(row.map(({ type }) => internal(type)));
  const used = new Set([...text.matchAll(/\$(\d+)/g)].map(([, at]) => Number(at)));
  expect(used).toEqual(new Set(params.map((_, at) => at + 1)));
});

test('the schema is written into every statement, and only names that need no quotes are one', () => {
  for (const { text } of loadStatements('other').values()) expect(text).not.toMatch(/\brelais\./);
  expect(() => inSchema('select', 'a"; drop schema x')).toThrow('is not a name for a schema');
});

test('a head without parameters or row is refused', () => {
  expect(() => parseStatements('-- name: one\n-- row: id text\nselect 1')).toThrow('does not declare its params');
});
