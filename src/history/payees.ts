/** The person that a record is about, as the index of names has them: by the same reading as when it was accepted. */
import { asDeclared } from '../kinds/index.ts';
import type { RecordBase } from '../operations/record.ts';
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
