/** A scripted messaging area of the provider, with its own records. */
import type { Messaging, OutgoingMessage, Statistics } from '../../src/provider/messaging/messaging.ts';
import type { NotOk, Verdict } from '../../src/provider/verdict.ts';
import { not, ok } from './processor-world.ts';

interface Recorded {
  readonly to: string;
  readonly text: string;
}

/**
 * `lost`: the request never arrived, without an answer. `answer lost`: it was executed. `half lost`: the answer lacks
 * half of its items, which were not sent. `never left`: no connection.
 */
export type Fate =
  | 'lost'
  | 'answer lost'
  | 'half lost'
  | 'never left'
  | 'no funds'
  | 'keys refused'
  | 'not let through';

const digits = (number: string): string => number.replace(/\D/g, '');

export class SmsProvider {
  readonly book: Recorded[] = [];
  /** SMS in each request, in order. */
  readonly requests: (readonly OutgoingMessage[])[] = [];
  /** The fates of the next requests; later ones succeed. */
  readonly fates: Fate[] = [];
  /** The fate of every request. */
  fate: Fate | undefined;
  readonly bad = new Set<string>();
  /** Each of these fails alone; the others of its request are sent. */
  readonly failing = new Set<string>();
  namesTheBad = false;
  /** The sender ID that it uses instead of the requested one. */
  sender: string | undefined;
  /** Statistics return nothing. */
  isBlind = false;
  /** Awaited before each answer, after the request was executed. */
  answers: () => Promise<void> = async () => undefined;

  readonly prepare: Messaging['prepare'] = async () => ok({ usableForMs: 3_600_000 });

  readonly send: Messaging['send'] = async (_account, { messages }) => {
    this.requests.push(messages);
    const verdict = this.#carriedOut(messages);
    await this.answers();
    return verdict;
  };

  readonly statistics: Messaging['statistics'] = async (_account, { numbers }): Promise<Verdict<Statistics>> => {
    if (this.isBlind) return ok({ invalid: [], sent: new Map() });
    const invalid = this.namesTheBad ? numbers.filter((number) => this.bad.has(number)).map(digits) : [];
    const sent = numbers.map((number) => {
      const entries = this.book.filter(({ to }) => to === number);
      return [digits(number), entries.map(({ text }) => ({ code: '00', content: text }))] as const;
    });
    return ok({ invalid, sent: new Map(sent) });
  };

  times(to: string): number {
    return this.book.filter((recorded) => recorded.to === to).length;
  }

  #carriedOut(messages: readonly OutgoingMessage[]): Awaited<ReturnType<Messaging['send']>> {
    const fate = this.fates.shift() ?? this.fate;
    const refusal = fate === undefined ? undefined : this.#refusalOf(fate);
    if (refusal !== undefined) return refusal;
    if (messages.some(({ to }) => this.bad.has(to))) return not('refused', 'ERROR_110');
    const taken = fate === 'half lost' ? messages.slice(0, Math.ceil(messages.length / 2)) : messages;
    const sent = taken.filter(({ to }) => !this.failing.has(to));
    this.book.push(...sent.map(({ to, text }) => ({ to, text })));
    if (fate === 'answer lost') return not('unknown', 'cut', 'maybe');
    return ok({
      items: messages.map((message, index) => {
        if (!taken.includes(message)) return { index, outcome: 'unknown' as const };
        if (this.failing.has(message.to)) return { index, outcome: 'failed' as const, code: 'ERROR_110' };
        return { index, outcome: 'sent' as const, code: '00', sender: this.sender ?? message.from };
      }),
    });
  }

  #refusalOf(fate: Fate): NotOk | undefined {
    if (fate === 'lost') return not('unknown', 'no_answer', 'maybe');
    if (fate === 'never left') return not('transient', 'unreachable', 'never');
    if (fate === 'keys refused') return not('config', 'ERROR_117');
    if (fate === 'not let through') return not('unknown', 'http_403');
    if (fate !== 'no funds') return undefined;
    const verdict = not('unknown', 'ERROR_102');
    return { ...verdict, exchange: { ...verdict.exchange, upstreamCode: 'ERROR_102' } };
  }
}
