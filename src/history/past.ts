/** What history has of records, as Redis kept them: the other direction of `readings.ts`. */
import type { Kind } from '../kinds/index.ts';
import { NAMES, REST, TOTALS, type Column, type Table } from '../kinds/tables.ts';
import { type Fields, RECORD_VERSION } from '../operations/record.ts';

/** As text that a record may hold: times in ms, JSON as it was said. */
function readColumn({ name, type }: Column): string {
  if (type === 'timestamptz') return `(extract(epoch from ${name}) * 1000)::bigint::text as ${name}`;
  return `${name}::text as ${name}`;
}

/** Selects rows of a table so that `fieldsOfRow` reads them. */
export function selectOf({ table, columns }: Table): string {
  return `select ${columns.map(readColumn).join(', ')} from relais.${table}`;
}

export type TextRow = Readonly<Record<string, string | null>>;

/** The record as it was when it was copied; without what only an attempt needs. */
export function fieldsOfRow(kind: Kind, { columns }: Table, row: TextRow): Fields {
  const fields: Record<string, string> = { kind, v: RECORD_VERSION };
  for (const { name, of, type } of columns) {
    const value = row[name] ?? undefined;
    if (value === undefined || of === TOTALS || of === NAMES) continue;
    if (of === REST) Object.assign(fields, JSON.parse(value));
    else if (type !== 'boolean') fields[of] = value;
    else if (value === 'true') fields[of] = '1';
  }
  return fields;
}
