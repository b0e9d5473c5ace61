/** The statements of `statements/*.sql` by name, with the parameters and the row from their heads. */
import { createHash } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';

interface Field {
  readonly name: string;
  /** PostgreSQL's internal name: `text`, `int8`, `text[]` … */
  readonly type: string;
}

export interface Statement {
  readonly name: string;
  readonly text: string;
  /** How a connection runs it: the text, or a call of its planned function. */
  readonly call: string;
  /** `-- plan: indexes`: planned for index scans only, whatever the table sizes are at planning time. */
  readonly isPlanned: boolean;
  readonly params: readonly Field[];
  readonly row: readonly Field[];
}

const FOLDER = new URL('statements/', import.meta.url);
const HEAD = /^-- name: (\w+)$/m;
const SCHEMA = /\brelais\./g;

/** Schema names are limited to identifiers that need no quotes and fit in 63 bytes. */
function isSchemaName(name: string): boolean {
  return /^[a-z_][a-z0-9_]{0,62}$/.test(name);
}

/** Replaces `relais.` in SQL with the schema. */
export function inSchema(sql: string, schema: string): string {
  if (!isSchemaName(schema)) throw new Error(`${schema} is not a name for a schema: use a-z, 0-9 and _`);
  return schema === 'relais' ? sql : sql.replace(SCHEMA, `${schema}.`);
}

/** Every statement, with the schema's name inserted. */
export function loadStatements(schema: string): ReadonlyMap<string, Statement> {
  const files = readdirSync(FOLDER).filter((file) => file.endsWith('.sql'));
  const all = files.flatMap((file) => parseStatements(readFileSync(new URL(file, FOLDER), 'utf8')));
  const byName = new Map(
    all.map((one) => [
      one.name,
      { ...one, text: inSchema(one.text, schema), call: inSchema(one.isPlanned ? callOf(one) : one.text, schema) },
    ]),
  );
  if (byName.size !== all.length) throw new Error('two statements have one name');
  return byName;
}

/**
 * Functions around planned statements. Their settings are attributes, so none leaks into the session of a pooler. A
 * plan made for a small table never scans it completely. The hash in a name lets two versions run side by side.
 */
export function plannedFunctions(schema: string): readonly { readonly name: string; readonly sql: string }[] {
  return [...loadStatements(schema).values()]
    .filter(({ isPlanned }) => isPlanned)
    .map((one) => ({ name: functionOf(one), sql: inSchema(definitionOf(one), schema) }));
}

const functionOf = ({ name, params, row, text }: Omit<Statement, 'call'>): string => {
  // Equal in every schema.
  const hash = createHash('sha256').update(JSON.stringify([params, row, text.replaceAll(/\w+\./g, '')]));
  return `run_${name}_${hash.digest('hex').slice(0, 8)}`;
};

const callOf = (one: Omit<Statement, 'call'>): string =>
  `select * from relais.${functionOf(one)}(${one.params.map((_, at) => `$${at + 1}`).join(', ')})`;

const definitionOf = (one: Statement): string =>
  `create function relais.${functionOf(one)}(${one.params.map(({ type }) => type).join(', ')})
returns table (${one.row.map(({ name, type }) => `${name} ${type}`).join(', ')}) language plpgsql
set search_path = pg_catalog, pg_temp set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $body$
#variable_conflict use_column
begin
  return query ${one.text};
end $body$`;

/** The statements of a file; text before the first `-- name:` describes the file. */
export function parseStatements(sql: string): readonly Omit<Statement, 'call'>[] {
  return sql
    .split(/^(?=-- name: )/m)
    .filter((part) => HEAD.test(part))
    .map((part) => {
      const name = HEAD.exec(part)?.[1] ?? '';
      const [params, row] = [fieldsOf(part, 'params', name), fieldsOf(part, 'row', name)];
      return { name, text: bodyOf(part), params, row, isPlanned: /^-- plan: indexes$/m.test(part) };
    });
}

const bodyOf = (part: string): string =>
  part
    .split('\n')
    .filter((line) => !line.startsWith('--'))
    .join('\n')
    .trim()
    .replace(/;$/, '');

function fieldsOf(part: string, head: 'params' | 'row', name: string): readonly Field[] {
  const [, list] = new RegExp(`^-- ${head}:(.*)$`, 'm').exec(part) ?? [];
  if (list === undefined) throw new Error(`the statement ${name} does not declare its ${head}`);
  return list
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '')
    .map((one) => {
      const [field = '', type = ''] = one.split(/\s+/);
      return { name: field, type };
    });
}
