/** Details of an invoice that only the provider names. They say nothing about its state. */
import { isStorable, storableText } from '../../ledger/storable.ts';
import type { FieldValues } from '../../operations/transition.ts';
import type { InvoiceRecord as ConfirmedInvoice } from '../../provider/payments/ask.ts';

/** A request cannot have more of them. */
const CUSTOM_DATA_MOST = 8_192;
const TEXT_MOST = 254;

export function detailsIn({ customData, customer, totalWithoutFees }: ConfirmedInvoice): FieldValues {
  const payer = Object.entries({ ...customer }).flatMap(([name, text]) =>
    text === undefined ? [] : [[name, storableText(text.slice(0, TEXT_MOST))] as const],
  );
  return {
    ...(customData !== undefined && isOwn(customData) ? { customData } : {}),
    ...(payer.length > 0 ? { customer: Object.fromEntries(payer) } : {}),
    ...(totalWithoutFees === undefined ? {} : { totalWithoutFees }),
  };
}

/** An empty object says no more than none. */
function isOwn(customData: object): boolean {
  const json = JSON.stringify(customData);
  return json !== '{}' && json.length <= CUSTOM_DATA_MOST && isStorable(json);
}
