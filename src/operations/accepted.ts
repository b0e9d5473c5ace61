/** What acceptance writes, as its script writes it. */
import type { Kind } from '../kinds/index.ts';
import type { Accepted, NewOperation } from './operations.ts';
import { accept, acceptMessages } from './scripts/generated/scripts.ts';
import { RECORD_VERSION, type RecordAt, readRecord } from './record.ts';

/** The scripts that accept. A double has others in their place. */
export interface AcceptingScripts {
  readonly accept: typeof accept;
  readonly acceptMessages: typeof acceptMessages;
}

export const acceptingScripts: AcceptingScripts = { accept, acceptMessages };

/** `at`: when it was written, by the clock of Redis. */
export type AcceptedAt =
  | Exclude<Accepted, { outcome: 'accepted' }>
  | (Extract<Accepted, { outcome: 'accepted' }> & { readonly at: number });

/** The fields of a new record that the caller of the script gives; it adds what it alone knows. */
export function fieldsToWrite<K extends Kind>({
  kind,
  fields,
  reference,
}: NewOperation<K>): Readonly<Record<string, string | number>> {
  return { v: RECORD_VERSION, kind, ...fields, ...(reference ? { reference } : {}) };
}

/** The record that this acceptance has just written, without reading it again. */
export function recordAsWritten<K extends Kind>(
  operation: NewOperation<K>,
  { state, at }: { readonly state: string; readonly at: number },
): RecordAt<K> {
  const { kind, id, account, fingerprint: fp } = operation;
  const time = String(at);
  const own = { id, state, fp, account, rev: '1', seq: '0', createdAt: time, updatedAt: time, since: time };
  const fields: Record<string, string> = own;
  for (const [name, value] of Object.entries(fieldsToWrite(operation))) fields[name] = String(value);
  return readRecord(kind, fields);
}
