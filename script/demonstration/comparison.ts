/** Reads our records over HTTP, page by page, and the books over the control API, and has them compared. */
import { type AskedLine, type BookedLine, compare } from './compare.ts';
import type { Order } from './orders.ts';
import { international, textsAsked } from './recipients.ts';
import type { Stage } from './stage.ts';
import type { Verdicts } from './verdict-text.ts';
import type { BookedDisbursement, BookedMessage, DisbursementView, RecipientView } from './views.ts';

export interface Asked {
  /** The uploaded file. */
  readonly csv: string;
  /** Its campaign. */
  readonly campaign: string;
  readonly orders: readonly Order[];
}

/** Every recipient row and every disbursement that was asked for, against the books. */
export async function compareAll(
  { csv, campaign, orders }: Asked,
  { api, control }: Pick<Stage, 'api' | 'control'>,
): Promise<Verdicts> {
  const recipients = await api.all<RecipientView>(`/v1/campaigns/${campaign}/recipients`, 1_000);
  const messages = await control.get<readonly BookedMessage[]>('/books/messages');
  const records = await api.all<DisbursementView>('/v1/disbursements', 500);
  const booked = await control.get<readonly BookedDisbursement[]>('/books/disbursements');
  return {
    texts: compare(
      textsAsked(csv, recipients),
      messages.map(({ to, text, times }) => ({ who: international(to), what: text, times })),
    ),
    disbursements: compare(disbursementsAsked(orders, records), booked.map(bookedLine)),
  };
}

export function disbursementsAsked(
  orders: readonly Order[],
  records: readonly DisbursementView[],
): readonly AskedLine[] {
  const states = new Map(records.map(({ reference, state }) => [reference, state]));
  return orders.map(({ reference, withdrawMode, accountAlias, amount }) => ({
    who: `${withdrawMode} ${accountAlias}`,
    what: `${amount} F`,
    reported: states.get(reference) ?? 'no record',
  }));
}

export function bookedLine({ withdrawMode, accountAlias, amount, effects }: BookedDisbursement): BookedLine {
  return { who: `${withdrawMode} ${accountAlias}`, what: `${amount} F`, times: effects };
}
