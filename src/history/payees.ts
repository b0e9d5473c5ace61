/** The person that a record is about, as the index of names has them: by the same reading as when it was accepted. */
import type { Redis } from 'ioredis';
import { asDeclared, kinds } from '../kinds/index.ts';
import { areFound } from '../operations/places.ts';
import type { Fields, RecordBase } from '../operations/record.ts';
import { beneficiaryOf, phoneIn } from '../producer/acceptance.ts';
import { payeeOf } from '../upstream/capabilities.ts';

export type PayeeOf = (record: Pick<RecordBase, 'kind' | 'fields'>) => string | undefined;

/** `extraModes`: withdraw modes that the settings know besides those of the interface. */
export function payeesWith(extraModes: readonly string[]): PayeeOf {
  return ({ kind, fields }) => {
    const { payee } = asDeclared(kind);
    const named = payee && fields[payee];
    if (!named) return undefined;
    if (payee !== 'accountAlias') return payeeOf(named, undefined);
    // What has no mode of its own goes to an account of the service.
    return phoneIn(
      beneficiaryOf({ withdrawMode: fields['withdrawMode'] ?? 'service', accountAlias: named }, extraModes),
    );
  };
}

/** Undefined: nobody is named. */
export const nobody: PayeeOf = () => undefined;

/**
 * Of records as they stand in Redis, those whose person was forgotten: they are found by the number no more, there or
 * in history. Messages are not among them: the number goes out of the message itself, and until then it is looked for.
 */
export async function forgottenAmong(
  redis: Redis,
  records: ReadonlyMap<string, Fields>,
  personOf: PayeeOf,
): Promise<ReadonlySet<string>> {
  const named = [...records].flatMap(([id, fields]) => {
    const kind = kinds.find((one) => one === fields['kind']);
    const payee = kind === undefined || kind === 'message' ? undefined : personOf({ kind, fields });
    return payee === undefined ? [] : [{ id, payee, createdAt: Number(fields['createdAt']) }];
  });
  const isFound = await areFound(
    redis,
    named.map(({ payee, ...one }) => ({ ...one, name: ['phone', payee] })),
  );
  return new Set(named.filter((_, at) => !isFound[at]).map(({ id }) => id));
}
