/** Slices of single messages over a real Redis, and a double of the messaging area that keeps a book of its own. */
import type { Redis } from 'ioredis';
import { systemRandom } from '../../src/lib/random.ts';
import { acceptMessages } from '../../src/operations/messages.ts';
import { OptOuts } from '../../src/operations/opt-outs.ts';
import { SameTexts } from '../../src/operations/same-texts.ts';
import { Slices } from '../../src/operations/slices.ts';
import type { ProcessorContext, AttemptResult } from '../../src/processors/context.ts';
import { lookAtSlice } from '../../src/processors/text/look.ts';
import { sendNextSlice } from '../../src/processors/text/slice.ts';
import { Slots } from '../../src/processors/text/slots.ts';
import type { Messaging, OutgoingMessage, Statistics } from '../../src/upstream/messaging/messaging.ts';
import type { Verdict } from '../../src/upstream/verdict.ts';
import { processorWorld, not, ok } from './processor-world.ts';

export const SETTLE_DELAY_MS = 60_000;
const digits = (number: string): string => number.replace(/\D/g, '');

interface Booked {
  readonly to: string;
  readonly text: string;
  readonly code: string;
  readonly at: number;
}

/** A service that refuses a whole request for one bad number, and may lose requests or their answers. */
export class ServiceDouble {
  readonly #now: () => number;
  readonly book: Booked[] = [];
  /** How many texts each request carried, in order. */
  readonly requests: number[] = [];
  readonly bad = new Set<string>();
  statisticsAsked = 0;
  namesTheBad = false;
  refusesWith = 'ERROR_110';
  /** What happens to the next requests; then all goes well again. */
  readonly fate: ('lost' | 'answer lost' | 'half lost')[] = [];
  codeOf: (index: number) => string = () => '00';

  constructor(now: () => number) {
    this.#now = now;
  }

  readonly prepare: Messaging['prepare'] = async () => ok({ usableForMs: 3_600_000 });

  readonly send = async (
    _account: unknown,
    { messages }: { readonly messages: readonly OutgoingMessage[] },
  ): Promise<Verdict<unknown>> => {
    this.requests.push(messages.length);
    const fate = this.fate.shift();
    if (fate === 'lost') return not('unknown', 'no_answer', 'maybe');
    if (messages.some(({ to }) => this.bad.has(to))) return not('refused', this.refusesWith);
    const taken = fate === 'half lost' ? messages.slice(0, Math.ceil(messages.length / 2)) : messages;
    const booked = taken.map(({ to, text }, index) => {
      const entry = { to, text, code: this.codeOf(this.book.length + index), at: this.#now() };
      return entry;
    });
    this.book.push(...booked);
    if (fate === 'answer lost') return not('unknown', 'cut', 'maybe');
    return ok({
      items: messages.map((_, index) => {
        const code = booked[index]?.code;
        return code === undefined ? { index, outcome: 'unknown' } : { index, outcome: 'sent', code };
      }),
    });
  };

  readonly statistics = async (
    _account: unknown,
    asked: { readonly numbers: readonly string[]; readonly startDate?: string },
  ): Promise<Verdict<Statistics>> => {
    this.statisticsAsked += 1;
    const from = Date.parse(`${asked.startDate?.replace(' ', 'T')}Z`);
    const invalid = this.namesTheBad ? asked.numbers.filter((number) => this.bad.has(number)).map(digits) : [];
    const sent = asked.numbers.map((number) => {
      const entries = this.book.filter(({ to, at }) => to === number && at >= from);
      return [digits(number), entries.map(({ code, text }) => ({ code, content: text }))] as const;
    });
    return ok({ invalid, sent: new Map(sent) });
  };

  times(to: string): number {
    return this.book.filter((booked) => booked.to === to).length;
  }
}

export interface Person {
  readonly to: string;
  readonly text?: string;
  readonly expiresInMs?: number;
}

export const people = (count: number): Person[] =>
  Array.from({ length: count }, (_, index) => ({ to: `+2217700000${String(index).padStart(2, '0')}` }));

export function textsBench(redis: Redis, policy: Partial<ProcessorContext['policy']> = {}) {
  const world = processorWorld(redis);
  const now = (): number => world.context.clock.now();
  const service = new ServiceDouble(now);
  const slices = new Slices({ redis, random: systemRandom, now });
  const context = {
    ...world.context,
    slices,
    sameTexts: new SameTexts(redis),
    slots: new Slots(10),
    optOuts: new OptOuts(redis),
    upstream: { messaging: service, admit: async () => ({ admitted: true }) },
    policy: { ...world.context.policy, settleDelayMs: SETTLE_DELAY_MS, split: true, onUnknown: 'hold', ...policy },
  } as unknown as ProcessorContext;
  const send = (id: string, how: Partial<ProcessorContext> = {}) => sendNextSlice(id, { ...context, ...how });
  const look = (id: string) => lookAtSlice(id, context);
  const stateOf = async (id: string) => (await slices.read(id))?.state;
  return {
    ...world,
    context,
    service,
    slices,
    send,
    look,
    stateOf,
    /** Messages named after their slice and place. */
    async slice(id: string, persons: readonly Person[]): Promise<void> {
      for (const [index, { to, text = 'Bonjour', expiresInMs }] of persons.entries()) {
        const expiresAt = expiresInMs === undefined ? undefined : now() + expiresInMs;
        const message = { id: `${id}.${index}`, fingerprint: 'fp', to, text, expiresAt };
        await acceptMessages(redis, { id, account: 'main', lane: 'normal', dueInMs: 0 }, [message], { now });
      }
    },
    /** Does what is due, and turns the clock to what comes next, until the slice is over. */
    async finish(id: string): Promise<AttemptResult[]> {
      const done: AttemptResult[] = [];
      for (let steps = 0; steps < 400; steps += 1) {
        const state = await stateOf(id);
        if (state === 'settled') return done;
        if (state === 'queued') done.push(await send(id));
        else done.push(await look(id));
        const dueAt = await Promise.all(
          ['sms-batch', 'status-poll'].map((queue) => redis.zscore(`due:${queue}`, id)),
        );
        const next = dueAt.filter((due) => due !== null).map(Number);
        // Nothing is due where it is over: then the clock stands, so that what comes after is of the same day.
        if (next.length > 0) world.advance(Math.max(0, Math.min(...next) - now()));
      }
      throw new Error(`${id} never ended: ${JSON.stringify(done.slice(-5))}`);
    },
    async states(id: string, count: number): Promise<(string | undefined)[]> {
      const read = Array.from({ length: count }, (_, index) => world.queries.read('message', `${id}.${index}`));
      return (await Promise.all(read)).map((message) => message?.state);
    },
  };
}
