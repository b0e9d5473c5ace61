/** The statements of `statements/*.sql`, by name, with the parameters and the row that their heads declare. */
import { readFileSync, readdirSync } from 'node:fs';

interface Field {
  readonly name: string;
  /** As PostgreSQL names it internally: `text`, `int8`, `text[]` … */
  readonly type: string;
}

export interface Statement {
  readonly name: string;
  readonly text: string;
  readonly params: readonly Field[];
  readonly row: readonly Field[];
}

const FOLDER = new URL('statements/', import.meta.url);
const HEAD = /^-- name: (\w+)$/m;
const SCHEMA = /\brelais\./g;

/** Identifiers of PostgreSQL as we allow them for a schema: they need no quotes and fit in 63 bytes. */
function isSchemaName(name: string): boolean {
  return /^[a-z_][a-z0-9_]{0,62}$/.test(name);
}

/** Writes the schema into SQL that speaks of `relais.`. */
export function inSchema(sql: string, schema: string): string {
  if (!isSchemaName(schema)) throw new Error(`${schema} is not a name for a schema: use a-z, 0-9 and _`);
  return schema === 'relais' ? sql : sql.replace(SCHEMA, `${schema}.`);
}

/** Every statement, with the name of the schema written into it. */
export function loadStatements(schema: string): ReadonlyMap<string, Statement> {
  const files = readdirSync(FOLDER).filter((file) => file.endsWith('.sql'));
  const all = files.flatMap((file) => parseStatements(readFileSync(new URL(file, FOLDER), 'utf8')));
  const byName = new Map(all.map((one) => [one.name, { ...one, text: inSchema(one.text, schema) }]));
  if (byName.size !== all.length) throw new Error('two statements have one name');
  return byName;
}

/** The statements of a file; what stands before the first `-- name:` describes the file. */
export function parseStatements(sql: string): readonly Statement[] {
  return sql
    .split(/^(?=-- name: )/m)
    .filter((part) => HEAD.test(part))
    .map((part) => {
      const name = HEAD.exec(part)?.[1] ?? '';
      return { name, text: bodyOf(part), params: fieldsOf(part, 'params', name), row: fieldsOf(part, 'row', name) };
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
