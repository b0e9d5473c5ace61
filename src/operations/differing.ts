/** Compares two requests with one identity: how the second differs from the record of the first. */
import type { Kind } from '../kinds/index.ts';
import { canonicalJson } from '../lib/ids.ts';
import { HAND } from '../kinds/campaign-switches.ts';
import type { Fields } from './record.ts';

export interface AskedFields {
  readonly kind: Kind;
  /** The fields as the record stores them. */
  readonly fields: Readonly<Record<string, string | number | undefined>>;
  readonly reference?: string | undefined;
  readonly metadata?: Readonly<Record<string, string>> | undefined;
}

/** A suffix for messages that lists the differing fields; `''` if none is known to differ. */
export function notTheSame(differs: readonly string[]): string {
  return differs.length === 0 ? '' : `; not the same: ${differs.join(', ')}`;
}

/** Stored fields that are not part of a request. */
const NOT_ASKED: ReadonlySet<string> = new Set([
  'by',
  'acceptedFor',
  'batch',
  'approvedBy',
  'v',
  'kind',
  'disburseId',
]);
/** Fields that a request can omit, so that only the record has them. */
const MAY_BE_LEFT_OUT = [
  'reference',
  'debitAccountNumber',
  'notBefore',
  'sendAt',
  'from',
  'country',
  'email',
  'phone',
  'expiresAt',
  'payeeName',
  'purpose',
  'metadata',
  'notify',
];
/** Fields whose request name differs from the record's. */
const ASKED_AS: Readonly<Record<string, string>> = { askedAmount: 'amount' };

/** As JSON pointers into the request. */
export function differing({ kind, fields, reference, metadata }: AskedFields, stands: Fields): readonly string[] {
  if (stands['kind'] !== kind) return [];
  const asked: AskedFields['fields'] = {
    ...fields,
    reference,
    metadata: metadata && canonicalJson(metadata),
  };
  const names = new Set([...Object.keys(asked), ...MAY_BE_LEFT_OUT]);
  const differs = [...names].flatMap((name) => {
    const [one, other] = [String(asked[name] ?? ''), stands[name] ?? ''];
    if (NOT_ASKED.has(name) || name.startsWith(HAND) || one === other) return [];
    // A finished record may have erased it.
    if (name === 'request') return other === '' ? [] : differingIn(one, other);
    return [`/${ASKED_AS[name] ?? name}`];
  });
  return [...new Set(differs)];
}

/** Compares JSON values member by member. */
function differingIn(asked: string, stands: string): string[] {
  const [one = {}, other = {}] = [asked, stands].map(
    (text) => JSON.parse(text || '{}') as Readonly<Record<string, unknown>>,
  );
  const same = (name: string): boolean => canonicalJson(one[name] ?? null) === canonicalJson(other[name] ?? null);
  return [...new Set([...Object.keys(one), ...Object.keys(other)])]
    .filter((name) => !same(name))
    .map((name) => `/${name}`);
}
