/** Roles with minimal rights, for `relais migrate --roles`. */
import { readFileSync } from 'node:fs';
import type { Client } from 'pg';
import { inSchema } from './statements.ts';

const FILE = new URL('roles.sql', import.meta.url);
const NAMES = /\brelais_(app|reader|enqueue)\b/g;
const SCHEMA = /\bschema relais\b/g;

export const roleNames = (schema: string): readonly string[] =>
  ['app', 'reader', 'enqueue'].map((role) => `${schema}_${role}`);

/** For an operator whose relais role cannot create roles. */
export function rolesScript(schema: string): string {
  const sql = inSchema(readFileSync(FILE, 'utf8'), schema);
  return sql.replace(NAMES, `${schema}_$1`).replace(SCHEMA, `schema ${schema}`);
}

/** All of them or none. Rejects with PostgreSQL's own error if this role cannot create roles. */
export async function makeRoles(client: Client, schema: string): Promise<void> {
  await client.query('begin');
  try {
    await client.query(rolesScript(schema));
    await client.query('commit');
  } catch (error) {
    await client.query('rollback');
    throw error;
  }
}
