import { Secret } from '../../lib/secret.ts';
import { BODY_LIMITS } from './limits.ts';
import type { Node, Tree } from './tree.ts';

/**
 * What a callback says, as far as we know the words (interface: Events; Invoice status record; Disbursement status
 * record). Trimmed texts of at most 512 characters, exactly as upstream wrote them. Evidence: nothing here is believed.
 */
export interface CallbackFields {
  readonly status?: string;
  readonly token?: string;
  readonly withdrawMode?: string;
  /** A decimal text in XOF, such as `203.00`. */
  readonly amount?: string;
  readonly disburseId?: string;
  readonly transactionId?: string;
  readonly disburseTxId?: string;
  /** NN/NN/YYYY HH:MM:SS; the order of day and month and the zone are not known. */
  readonly updatedAt?: string;
  /** The same in every message of an account, so it is worth as much as a password: it shows itself to nobody. */
  readonly hash?: Secret;
  readonly invoiceToken?: string;
  /** XOF, as a text. */
  readonly totalAmount?: string;
  readonly mode?: string;
  /** The last four digits of a card number. The rest is forgotten here and goes nowhere. */
  readonly panLast4?: string;
}

type PlainField = Exclude<keyof CallbackFields, 'hash' | 'panLast4'>;

const PLACES = {
  status: ['status'],
  token: ['token'],
  withdrawMode: ['withdraw_mode'],
  amount: ['amount'],
  disburseId: ['disburse_id'],
  transactionId: ['transaction_id'],
  disburseTxId: ['disburse_tx_id'],
  updatedAt: ['updated_at'],
  invoiceToken: ['invoice', 'token'],
  totalAmount: ['invoice', 'total_amount'],
  mode: ['mode'],
} as const satisfies Record<PlainField, readonly string[]>;

/** The names under which plain fields arrive; what is not here is nobody's business but upstream's. */
export const plainNames: ReadonlySet<string> = new Set(Object.values(PLACES).flatMap((path) => path.slice(-1)));

/** The known fields, each from the first record that has it as a text. Undefined when there is not one. */
export function pickFields(records: readonly Tree[]): CallbackFields | undefined {
  const picked = new Map<string, string | Secret>();
  for (const [field, path] of Object.entries(PLACES)) {
    const text = firstText(records, path);
    if (text !== undefined) picked.set(field, text);
  }
  const hash = firstText(records, ['hash']);
  if (hash !== undefined) picked.set('hash', new Secret(hash));
  const panLast4 = /(\d{4})\D*$/.exec(firstText(records, ['pan']) ?? '')?.[1];
  if (panLast4 !== undefined) picked.set('panLast4', panLast4);
  return picked.size === 0 ? undefined : (Object.fromEntries(picked) as CallbackFields);
}

function firstText(records: readonly Tree[], path: readonly string[]): string | undefined {
  for (const record of records) {
    const text = textAt(record, path);
    if (text !== undefined) return text;
  }
  return undefined;
}

function textAt(record: Tree, path: readonly string[]): string | undefined {
  let node: Node | undefined = record;
  for (const name of path) node = typeof node === 'object' ? node.get(name) : undefined;
  if (typeof node !== 'string' || node.length > BODY_LIMITS.fieldCharacters) return undefined;
  const text = node.trim();
  return text === '' ? undefined : text;
}
