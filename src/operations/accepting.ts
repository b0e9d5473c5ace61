/** What acceptance asks a store to record, and what the store answers. */
import type { Kind, StateOf } from '../kinds/index.ts';
import type { MoneyLimit } from '../kinds/limits.ts';
import type { Act } from './act.ts';
import { type RecordAt, readRecord } from './record.ts';

type Fields = Readonly<Record<string, string | number>>;

/** Of whichever kind. */
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
  /** The id that the reference alone would give. */
  readonly idOfReference?: string;
  /** Whole XOF, where the operation moves money. */
  readonly xof?: number;
  /** When the due index looks if no wake-up job came through first, ms from now. Absent: nothing is due. */
  readonly dueInMs?: number;
  readonly notBefore?: number;
  /** The beneficiary, for the limits per beneficiary and for the same payment asked for twice. */
  readonly beneficiary?: string;
  /** The person that it is about, as `payeeOf` has them; found by it. */
  readonly phone?: string | undefined;
  /** The same amount to the same beneficiary again is meant. */
  readonly meantAgain?: boolean;
  /** `given`: with the batch that it is a row of. `impossible`: it waits for nobody, and is refused if it would have to. */
  readonly approval?: 'given' | 'impossible';
  /** Whose act it is; absent: nobody's that came through a door of people. */
  readonly act?: Act | undefined;
  readonly fields: Readonly<Record<string, string | number>>;
}

export type Accepted =
  | { readonly outcome: 'accepted'; readonly id: string; readonly state: string }
  | { readonly outcome: 'duplicate'; readonly id: string; readonly state: string }
  | { readonly outcome: 'conflict'; readonly id: string; readonly differs?: readonly string[] }
  | { readonly outcome: 'lost'; readonly id: string }
  /** A limit of money; `detail` is the limit, or the earlier operation for the same payment asked for twice. */
  | { readonly outcome: 'limited'; readonly limit: MoneyLimit; readonly detail: string };

/** As a store answers, with the time (ms) of what it recorded. */
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
