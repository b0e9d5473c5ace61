/** The operation that acceptance asks a store to record, and the answers of the store. */
import type { Kind, StateOf } from '../kinds/index.ts';
import type { MoneyLimit } from '../kinds/limits.ts';
import type { Act } from './act.ts';
import { type RecordAt, readRecord } from './record.ts';

type Fields = Readonly<Record<string, string | number>>;

type New = Omit<NewOperation, 'state'> & { readonly state: string };

export interface NewOperation<K extends Kind = Kind> {
  readonly kind: K;
  readonly id: string;
  readonly account: string;
  readonly state: StateOf<K>;
  /** Fingerprint of the canonical request: the same identity with another request is a conflict. */
  readonly fingerprint: string;
  readonly reference?: string;
  /** The caller's own data. */
  readonly metadata?: Readonly<Record<string, string>> | undefined;
  /** The id derived from the reference alone. */
  readonly idOfReference?: string;
  /** Whole XOF, if the operation moves money. */
  readonly xof?: number;
  /** When the due index starts the operation if no wake-up job did, ms from now. Absent: not due. */
  readonly dueInMs?: number;
  readonly notBefore?: number;
  /** The beneficiary, for limits and the duplicate check. */
  readonly beneficiary?: string;
  /** The phone number of the beneficiary, as in `payeeOf`: a lookup key. */
  readonly phone?: string | undefined;
  /** The caller confirms a second payment of the same amount to the same beneficiary. */
  readonly meantAgain?: boolean;
  /** `given`: with the batch of this row. `impossible`: refused if approval would be required. */
  readonly approval?: 'given' | 'impossible';
  /** The act for the audit log; absent: no user acted. */
  readonly act?: Act | undefined;
  readonly fields: Readonly<Record<string, string | number>>;
}

export type Accepted =
  | { readonly outcome: 'accepted'; readonly id: string; readonly state: string }
  | { readonly outcome: 'duplicate'; readonly id: string; readonly state: string }
  | { readonly outcome: 'conflict'; readonly id: string; readonly differs?: readonly string[] }
  | { readonly outcome: 'lost'; readonly id: string }
  /** A money limit; `detail` is the limit, or the earlier operation of a duplicate payment. */
  | { readonly outcome: 'limited'; readonly limit: MoneyLimit; readonly detail: string };

/** The store's answer, with the time (ms) of the recorded operation. */
export type AcceptedAt =
  | Exclude<Accepted, { outcome: 'accepted' }>
  | (Extract<Accepted, { outcome: 'accepted' }> & { readonly at: number });

function fieldsToWrite({ kind, fields, reference, metadata }: New): Fields {
  return {
    kind,
    ...fields,
    ...(reference ? { reference } : {}),
    ...(metadata ? { metadata: JSON.stringify(metadata) } : {}),
  };
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
