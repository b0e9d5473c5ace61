/** Interprets an answer to a request of SMS for each recipient. */
import { isSameSender } from '../../lib/sender.ts';
import type { SentItem } from '../../provider/messaging/messaging.ts';
import { isTurnedAway, refusedPartOf, SMS_BALANCE_EMPTY } from '../../provider/meaning.ts';
import type { NotOk, Verdict } from '../../provider/verdict.ts';
import { NOT_AUTHORISED, conditionIn } from '../gate.ts';

/** Sent, failed, or unknown. */
type AnswerLetter = 's' | 'f' | 'u';

export interface Texting {
  readonly to: string;
  readonly text: string;
  readonly from?: string | undefined;
}

export type Judgement =
  /** The provider accepted the request. Recipients in doubt are checked in the statistics. */
  | {
      readonly is: 'over' | 'doubt';
      readonly letters: readonly AnswerLetter[];
      readonly codes: readonly string[];
      readonly reason: string;
      /** A failure that would affect all requests of the account: they wait. */
      readonly holds?: 'funds' | typeof NOT_AUTHORISED;
    }
  /** Refused before any work, because of one of its recipients. */
  | { readonly is: 'refused'; readonly code: string }
  /** Nothing was sent. */
  | { readonly is: 'unsent'; readonly reason: string; readonly hold?: string; readonly retryAfterMs: number };

export type Sent = Verdict<{ readonly items: readonly SentItem[] }>;

export function judge(verdict: Sent, sent: readonly Texting[], { split }: { readonly split: boolean }): Judgement {
  if (verdict.is !== 'ok') return judgeNotOk(verdict, sent, split);
  const letters = sent.map((): AnswerLetter => 'u');
  const codes = sent.map(() => '');
  for (const { index, outcome, code } of verdict.value.items) {
    if (index >= sent.length) continue;
    letters[index] = outcome === 'sent' ? 's' : outcome === 'failed' ? 'f' : 'u';
    codes[index] = code ?? '';
  }
  if (!letters.includes('u')) return { is: 'over', letters, codes: shared(codes), reason: 'sent' };
  const strange = verdict.value.items.some((item) => item.strange);
  return { is: 'doubt', letters, codes: shared(codes), reason: strange ? 'strange_code' : 'items_missing' };
}

/** A slow-down or a refused token is answered before any work: nothing was sent. */
function judgeNotOk(verdict: NotOk, sent: readonly Texting[], split: boolean): Judgement {
  const { exchange } = verdict;
  if (exchange.sent === 'never' || verdict.is === 'transient' || verdict.is === 'config') return unsent(verdict);
  if (verdict.is === 'refused') {
    const code = exchange.upstreamCode ?? verdict.code;
    if (split && mayBeOfOne(code, sent)) return { is: 'refused', code };
    return { is: 'over', letters: sent.map(() => 'f'), codes: [code], reason: code };
  }
  const isEmpty = exchange.upstreamCode === SMS_BALANCE_EMPTY;
  return {
    is: 'doubt',
    letters: sent.map(() => 'u'),
    // Distinguishes a canary that was never tried from a canary in doubt.
    codes: isEmpty ? [SMS_BALANCE_EMPTY] : [],
    reason: verdict.is === 'held' ? verdict.condition : verdict.code,
    ...(isEmpty ? { holds: 'funds' } : {}),
    ...(isTurnedAway(verdict) ? { holds: NOT_AUTHORISED } : {}),
  };
}

/** Whether one recipient can have caused the refusal: not if the refused part is equal for all. */
function mayBeOfOne(code: string, recipients: readonly Texting[]): boolean {
  const part = refusedPartOf(code);
  if (part === undefined) return false;
  const parts = recipients.map(({ from = '', to, text }) => ({ sender: from, receiver: to, text })[part]);
  return new Set(parts).size > 1;
}

/** Back to the queue, or held with the account if the keys were refused. */
export function unsent(verdict: NotOk): Extract<Judgement, { is: 'unsent' }> {
  const hold = conditionIn(verdict);
  const reason = hold ?? ('code' in verdict ? verdict.code : 'unsent');
  const retryAfterMs = 'retryAfterMs' in verdict ? (verdict.retryAfterMs ?? 0) : 0;
  return { is: 'unsent', reason, retryAfterMs, ...(hold === undefined ? {} : { hold }) };
}

/** One code if all recipients have the same. */
function shared(codes: readonly string[]): readonly string[] {
  const [first = ''] = codes;
  return codes.every((code) => code === first) ? [first] : codes;
}

/** The sender ID that the provider used instead of the requested one (interface: Send SMS). */
export function senderInstead(
  items: readonly SentItem[],
  sent: readonly Texting[],
  usual: string | undefined,
): string | undefined {
  return items.find(({ index, sender }) => {
    const asked = sent[index]?.from ?? usual;
    return sender !== undefined && asked !== undefined && !isSameSender(sender, asked);
  })?.sender;
}
