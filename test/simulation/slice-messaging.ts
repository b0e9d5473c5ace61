/** The messaging area as a process sees it: what it does with a request, and every way in which that goes wrong. */
import { lateness } from '../../src/lib/clock.ts';
import { digitsOf } from '../../src/lib/phone.ts';
import type { CallOptions } from '../../src/upstream/transport.ts';
import type { Messaging, OutgoingMessage, SentItem } from '../../src/upstream/messaging/messaging.ts';
import type { NotOk, ExchangeSummary, UpstreamOperation, Verdict } from '../../src/upstream/verdict.ts';
import { ConnectionLost } from './connection.ts';
import type { Process, Surroundings } from './process.ts';

/** One request with texts that left a process, or may have. */
export interface Post {
  readonly numbers: readonly string[];
  readonly leftAt: number;
  /** When the process last looked at the clock before it. */
  readonly lookedAt: number;
  /** Told before any work, so nobody got anything. */
  refused: boolean;
  /** The process stood still after its last look at the clock. */
  readonly residue: boolean;
  /** Whether a power loss at that moment would have left its intent. */
  readonly durably: boolean;
}

export interface MessagingLink extends Surroundings {
  readonly posts: Post[];
  /** Texts that reached somebody, by number. */
  readonly book: Map<string, { readonly text: string; readonly code: string; readonly at: number }[]>;
  readonly bad: ReadonlySet<string>;
  readonly namesTheBad: boolean;
  readonly isIntended: (numbers: readonly string[]) => boolean;
}

const PATIENCE_MS = 60_000;
/** How long after everybody gave up a request may still take effect, and how old statistics may be. */
const LATEST_MS = 900_000;
const FAULTS = [
  'unreachable',
  'lost',
  'done but lost',
  'late',
  '500',
  'done but 500',
  'half',
  '429',
  'one failed',
] as const;
type Fault = (typeof FAULTS)[number] | 'none';

type Happened<T> =
  | { readonly value: T; readonly afterMs?: number }
  | {
      readonly not: { readonly is: NotOk['is']; readonly code: string };
      readonly afterMs?: number;
      readonly sent?: ExchangeSummary['sent'];
    };

type Sent = { readonly items: readonly SentItem[] };

export class SimulatedMessaging implements Messaging {
  readonly #process: Process;
  readonly #link: MessagingLink;

  constructor(process: Process, link: MessagingLink) {
    this.#process = process;
    this.#link = link;
  }

  prepare: Messaging['prepare'] = () => {
    const { chance, troubles } = this.#link;
    const fails = chance.happens(troubles.createFault / 20);
    return this.#exchange(
      'sms_login',
      () => undefined,
      () =>
        fails
          ? { not: { is: 'transient', code: 'no_answer' }, sent: 'never' }
          : { value: { usableForMs: 3_600_000 } },
    );
  };

  send: Messaging['send'] = (_account, { messages }, call) => {
    const { chance, troubles, timeline, posts } = this.#link;
    const residue = chance.happens(troubles.standsStillBeforeSend);
    if (chance.happens(troubles.createFault / 4)) return this.#withoutBearer();
    const fault: Fault = chance.happens(troubles.submitFault) ? chance.pick(FAULTS) : 'none';
    // Looked at when the connection stands: right before the first byte leaves.
    let lookedAt = timeline.now;
    const gate = (): Happened<Sent> | undefined => {
      lookedAt = timeline.now;
      if (this.#isLate(call)) return { not: { is: 'transient', code: 'send_deadline' }, sent: 'never' };
      if (residue) this.#process.standStill();
      return undefined;
    };
    return this.#exchange('sms_send', gate, () => {
      if (fault === 'unreachable') return { not: { is: 'transient', code: 'unreachable' }, sent: 'never' };
      const numbers = messages.map(({ to }) => to);
      const durably = this.#link.isIntended(numbers);
      const post: Post = { numbers, leftAt: timeline.now, lookedAt, refused: false, residue, durably };
      posts.push(post);
      return this.#done(post, messages, fault);
    });
  };

  /** Redis, where the bearer is, did not answer. */
  #withoutBearer(): Promise<never> {
    return new Promise((_, reject) => {
      this.#process.goOn(this.#link.chance.upTo(50), () => reject(new ConnectionLost('the bearer')));
    });
  }

  #done(post: Post, messages: readonly OutgoingMessage[], fault: Fault): Happened<Sent> {
    const { chance, timeline, bad } = this.#link;
    const unknown = (code: string, afterMs = 0): Happened<Sent> => ({ not: { is: 'unknown', code }, afterMs });
    if (fault === '429') {
      post.refused = true;
      return { not: { is: 'transient', code: 'throttled' }, sent: 'answered' };
    }
    if (fault === 'lost') return unknown('no_answer', PATIENCE_MS);
    if (fault === '500') return unknown('500');
    if (messages.some(({ to }) => bad.has(to))) {
      post.refused = true;
      return { not: { is: 'refused', code: 'ERROR_110' }, sent: 'answered' };
    }
    if (fault === 'late') {
      timeline.after(PATIENCE_MS + chance.upTo(LATEST_MS), () => this.#take(messages));
      return unknown('no_answer', PATIENCE_MS);
    }
    if (fault === 'half') {
      const taken = this.#take(messages.slice(0, Math.ceil(messages.length / 2)));
      const left = messages
        .slice(taken.length)
        .map((_, index): SentItem => ({ index: taken.length + index, outcome: 'unknown' }));
      return { value: { items: [...taken, ...left] } };
    }
    if (fault === 'one failed') {
      const taken = this.#take(messages.slice(1)).map((item) => ({ ...item, index: item.index + 1 }));
      return { value: { items: [{ index: 0, outcome: 'failed', code: 'ERROR_112' }, ...taken] } };
    }
    const items = this.#take(messages);
    if (fault === 'done but lost') return unknown('no_answer', PATIENCE_MS);
    if (fault === 'done but 500') return unknown('500');
    return { value: { items } };
  }

  #take(messages: readonly OutgoingMessage[]): SentItem[] {
    const { book, timeline } = this.#link;
    return messages.map(({ to, text }, index) => {
      const entries = book.get(to) ?? [];
      const code = `code-${to.slice(1)}-${entries.length}`;
      book.set(to, [...entries, { text, code, at: timeline.now }]);
      return { index, outcome: 'sent', code };
    });
  }

  statistics: Messaging['statistics'] = (_account, { numbers }) => {
    const { chance, troubles, timeline, book, bad, namesTheBad } = this.#link;
    return this.#exchange(
      'sms_statistics',
      () => undefined,
      () => {
        if (chance.happens(troubles.statusFault)) {
          const code = chance.pick(['no_answer', '500', 'unreadable']);
          return { not: { is: 'transient', code }, ...(code === 'no_answer' ? { afterMs: PATIENCE_MS } : {}) };
        }
        const until = timeline.now - (chance.happens(troubles.statusStale) ? chance.upTo(LATEST_MS) : 0);
        const isTold = (number: string): boolean => !bad.has(number) || !namesTheBad;
        const told = numbers.filter((number) => isTold(number) && !chance.happens(troubles.statusNameless));
        const entriesOf = (number: string) =>
          (book.get(number) ?? []).filter(({ at }) => at <= until).map(({ code, text }) => ({ code, content: text }));
        return {
          value: {
            invalid: namesTheBad ? numbers.filter((number) => bad.has(number)).map(digitsOf) : [],
            sent: new Map(told.map((number) => [digitsOf(number), entriesOf(number)])),
          },
        };
      },
    );
  };

  #isLate(call: CallOptions | undefined): boolean {
    return call?.sendBy !== undefined && lateness(call.sendBy, this.#process.clock) !== undefined;
  }

  /** One request and its answer. What happens upstream does not depend on whether the asker still lives. */
  #exchange<T>(
    operation: UpstreamOperation,
    gate: () => Happened<T> | undefined,
    happen: () => Happened<T>,
  ): Promise<Verdict<T>> {
    const { chance, timeline } = this.#link;
    return new Promise((resolve) => {
      const hear = (happened: Happened<T>): void => {
        this.#process.goOn(happened.afterMs ?? chance.upTo(2_000), () => {
          const exchange = { operation, account: 'main', durationMs: 0 };
          if ('value' in happened)
            resolve({ is: 'ok', value: happened.value, exchange: { ...exchange, code: 'ok', sent: 'answered' } });
          else {
            const { not, sent = 'maybe' } = happened;
            resolve({ ...not, exchange: { ...exchange, code: not.code, upstreamCode: not.code, sent } } as NotOk);
          }
        });
      };
      this.#process.goOn(chance.upTo(50), () => {
        const stopped = gate();
        if (stopped) hear(stopped);
        else this.#process.whenAwake(() => timeline.after(chance.upTo(500), () => hear(happen())));
      });
    });
  }
}
