/**
 * Numbers that select an outcome. They end in 99999 and two digits, so that no sequence of invented numbers matches
 * accidentally: `779999901` is a Senegalese mobile number whose disbursement fails.
 */
export interface MagicRow<Outcome extends string> {
  readonly outcome: Outcome;
  readonly says: string;
}

/** The ends of `account_alias`, for disbursements. */
export const disbursementMagic = {
  '9999901': { outcome: 'fails', says: 'Accepted, then the operator fails it; no money leaves.' },
  '9999902': { outcome: 'stays pending', says: 'Accepted, then pending until the control API decides.' },
  '9999903': { outcome: 'no funds', says: 'get-invoice: 4002 with a text about funds.' },
  '9999904': { outcome: 'callback unreachable', says: 'get-invoice: 4002 with a text about the callback URL.' },
  '9999905': { outcome: 'not authorized', says: 'get-invoice: 401.' },
  '9999906': { outcome: 'maintenance', says: 'get-invoice: HTTP 400 with 5000.' },
  '9999907': { outcome: 'server error', says: 'get-invoice: HTTP 200 with 5000.' },
  '9999908': { outcome: 'submit refused', says: 'submit-invoice: 5000, always; the token stays created.' },
  '9999909': { outcome: 'fails at once', says: 'submit-invoice: 00 with status failed.' },
  '9999910': { outcome: 'succeeds at once', says: 'submit-invoice: 00 with status success.' },
  '9999911': { outcome: 'is reversed', says: 'Succeeds and calls back; failed one settle delay later.' },
  '9999912': { outcome: 'answers 5000 and pays', says: 'submit-invoice: 5000, and the money leaves anyway.' },
} as const satisfies Record<string, MagicRow<string>>;

/** The ends of `to`, for messages. */
export const messageMagic = {
  '9999901': { outcome: 'not sent', says: 'Only this message is refused: its item carries ERROR_101.' },
  '9999902': { outcome: 'bad number', says: 'The whole request is refused with ERROR_110.' },
  '9999903': { outcome: 'no balance', says: 'The whole request is refused with ERROR_102.' },
  '9999904': { outcome: 'invalid in statistics', says: 'Sent, and the statistics list it under invalid_number.' },
  '9999905': { outcome: 'never in statistics', says: 'Sent, and the statistics never show it.' },
  '9999906': { outcome: 'left out', says: 'Not sent, and its item is missing from the answer.' },
  '9999907': { outcome: 'server error', says: 'The whole request is refused with ERROR_116.' },
} as const satisfies Record<string, MagicRow<string>>;

/** The ends of the payer's phone number, for softpay. */
export const payerMagic = {
  '9999901': { outcome: 'declines', says: 'success false, with a message; the invoice stays pending.' },
  '9999902': { outcome: 'never validates', says: 'success true; the invoice stays pending.' },
  '9999903': { outcome: 'payment fails', says: 'success true; the invoice becomes failed.' },
  '9999904': {
    outcome: 'validates too late',
    says: 'success false: the validation delay was exceeded; the invoice stays pending.',
  },
  '9999905': {
    outcome: 'bears the fees',
    says: 'success true with fees and currency; the invoice becomes completed.',
  },
} as const satisfies Record<string, MagicRow<string>>;

/** The ends of `invoice.total_amount` and of the `amount` of a payment request. */
export const amountMagic = {
  '99901': { outcome: 'completed', says: 'Paid after one settle delay.' },
  '99902': { outcome: 'failed', says: 'Failed after one settle delay.' },
  '99903': { outcome: 'cancelled', says: 'Cancelled after one settle delay (invoices only).' },
} as const satisfies Record<string, MagicRow<string>>;

type Outcomes<Table extends Record<string, MagicRow<string>>> = Table[keyof Table]['outcome'];

export type DisbursementOutcome = Outcomes<typeof disbursementMagic>;
export type MessageOutcome = Outcomes<typeof messageMagic>;
export type PayerOutcome = Outcomes<typeof payerMagic>;
export type AmountOutcome = Outcomes<typeof amountMagic>;

function reader<Outcome extends string>(table: Record<string, MagicRow<Outcome>>, digits: number) {
  const rows = new Map(Object.entries(table));
  return (text: string): Outcome | undefined => rows.get(text.slice(-digits))?.outcome;
}

export const disbursementOutcomeOf = reader<DisbursementOutcome>(disbursementMagic, 7);
export const messageOutcomeOf = reader<MessageOutcome>(messageMagic, 7);
export const payerOutcomeOf = reader<PayerOutcome>(payerMagic, 7);
const fromAmount = reader<AmountOutcome>(amountMagic, 5);

/** `amount` in XOF. */
export const amountOutcomeOf = (amount: number): AmountOutcome | undefined => fromAmount(String(amount));
