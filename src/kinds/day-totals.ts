/**
 * Totals of a day: what operations and SMS add to them, by kind, account and place. A final operation that changes
 * counts on the day of the change: `failed → succeeded` is one failure less and one success more.
 */
import { type Kind, asDeclared, isFinal, isState } from './index.ts';

/** Names of sums, `kind|account|place|measure`, and by how much they change. */
export type Posts = Readonly<Record<string, number>>;

/** `place` tells the country: the withdraw mode of a disbursement, the country of an SMS. */
function named(kind: string, account: string, place: string, measure: string): string {
  return `${kind}|${account}|${place}|${measure}`;
}

/** What sends money on its way is open, once it is accepted, until it is final. */
export const ACCEPTED = { accepted: 1, '=open': 1 } as const;

/** Operations that a change of state adds to each measure; their XOF change in the same way. */
export function measuresOf(kind: Kind, from: string, to: string): Readonly<Record<string, number>> {
  const { money } = asDeclared(kind);
  if (from === to || money === undefined) return {};
  if (money === 'in') return to === 'completed' ? { completed: 1 } : {};
  const [began, ends] = [isFinal(kind, from), isFinal(kind, to)];
  const by: Record<string, number> = {};
  // A returned payment was paid on the day on which it was paid: that is not taken back.
  if (began && to !== 'reversed') by[from] = -1;
  // A review in between has taken it back, and only what was reported as paid returns.
  if (!began && to === 'reversed') by['succeeded'] = 1;
  if (ends) by[to] = 1;
  by['=open'] = Number(!ends) - Number(!began);
  by['=doubt'] = Number(isState(kind, to, 'in doubt')) - Number(isState(kind, from, 'in doubt'));
  return Object.fromEntries(Object.entries(by).filter(([, count]) => count !== 0));
}

/** An SMS that was sent. Costs are in hundredths of a franc. */
export interface TextCounted {
  readonly account: string;
  readonly country: string;
  readonly segments: number;
  readonly cost?: number | undefined;
}

/** States of an SMS that are reported: it left, or should have left and could not. */
export const textStates = ['sent', 'failed', 'unknown', 'expired'] as const;
type TextState = (typeof textStates)[number];
const isTextState = (state: string): state is TextState => textStates.some((one) => one === state);

/** Adds to `posts` the change of an SMS, or of so many that are alike. */
export function addText(
  posts: Record<string, number>,
  { account, country, segments, cost }: TextCounted,
  { from, to, times }: { readonly from: string; readonly to: string; readonly times: number },
): void {
  const add = (measure: string, delta: number): void => {
    const name = named('text', account, country, measure);
    posts[name] = (posts[name] ?? 0) + delta * times;
  };
  for (const [state, sign] of [[from, -1] as const, [to, 1] as const]) {
    if (!isTextState(state)) continue;
    add(state, sign);
    add(`${state}Segments`, sign * segments);
    // An SMS in doubt may well be billed.
    if (cost !== undefined && (state === 'sent' || state === 'unknown')) add('cost', sign * cost);
  }
}

/** Sums of one day by kind, account and place: measure → value. */
export interface Line {
  readonly kind: string;
  readonly account: string;
  readonly place: string;
  readonly sums: Readonly<Record<string, number>>;
}

export interface BookOfDay {
  /** Nothing changes it any more. */
  readonly closed: boolean;
  readonly lines: readonly Line[];
}
