/** The person that a record is about, as the index of names has them: by the same reading as when it was accepted. */
import type { RecordBase } from '../operations/record.ts';
import { beneficiaryOf, phoneIn } from '../producer/acceptance.ts';
import { payeeOf } from '../upstream/capabilities.ts';

export type PayeeOf = (record: Pick<RecordBase, 'kind' | 'fields'>) => string | undefined;

/** `extraModes`: withdraw modes that the settings know besides those of the interface. */
export function payeesWith(extraModes: readonly string[]): PayeeOf {
  return ({ kind, fields: { withdrawMode = '', accountAlias = '', to = '' } }) => {
    if (kind === 'disbursement') return phoneIn(beneficiaryOf({ withdrawMode, accountAlias }, extraModes));
    if (kind === 'direct_credit') return phoneIn(beneficiaryOf({ withdrawMode: 'service', accountAlias }));
    return kind === 'message' ? payeeOf(to, undefined) : undefined;
  };
}
