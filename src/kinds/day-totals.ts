/**
 * Daily totals: what operations and SMS add, by kind, account and place. A final operation that changes counts on the
 * day of the change: `failed → succeeded` is one failure less and one success more.
 */
import { type Kind, asDeclared, isFinal, isState } from './index.ts';

/** Names of sums, `kind|account|place|measure`, and their changes. */
export type Posts = Readonly<Record<string, number>>;

/** `place` is the country: the withdraw mode of a disbursement, the country of an SMS. */
function named(kind: string, account: string, place: string, measure: string): string {
  return `${kind}|${account}|${place}|${measure}`;
}

/** An outgoing payment counts as open from its acceptance until it is final. */
export const ACCEPTED = { accepted: 1, '=open': 1 } as const;

/** Operations that a change of state adds to each measure; their XOF change in the same way. */
export function measuresOf(kind: Kind, from: string, to: string): Readonly<Record<string, number>> {
  const { money } = asDeclared(kind);
  if (from === to || money === undefined) return {};
  if (money === 'in') return to === 'completed' ? { completed: 1 } : {};
  const [began, ends] = [isFinal(kind, from), isFinal(kind, to)];
  const by: Record<string, number> = {};
  // A returned payment was paid on its original day, which stays unchanged.
  if (began && to !== 'reversed') by[from] = -1;
  // A review in between has subtracted it, and only a payment that was reported as paid can be returned.
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

/** Reported states of an SMS: it was sent, or its sending ended without success. */
export const textStates = ['sent', 'failed', 'unknown', 'expired'] as const;
type TextState = (typeof textStates)[number];
const isTextState = (state: string): state is TextState => textStates.some((one) => one === state);

/** Adds to `posts` the change of one or more equal SMS. */
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
    // An SMS in doubt may be billed.
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
  /** The day is final. */
  readonly closed: boolean;
  readonly lines: readonly Line[];
}
