/**
 * `relais/producer/testing`: for the tests of services that ask relais for something. No Redis and no network; the
 * same checks, the same ids and the same outcomes, because the same code gives them.
 */
import { Redis } from 'ioredis';
import type { InputOf } from '../kinds/index.ts';
import { type Random, seededRandom } from '../lib/random.ts';
import type { AcceptingScripts } from '../operations/operations.ts';
import type { AcceptMessagesArgs } from '../operations/scripts/generated/scripts.ts';
import { Acceptance, type Answer } from './acceptance.ts';
import { InvalidRequest } from './errors.ts';
import type { RequestAnswer, RequestVerdict } from './errors.ts';
import type { Identity, Producer, ProducerOptions } from './producer.ts';

/** A request that was accepted, as the caller wrote it. Repeated and refused ones are not in the list. */
export type Asked =
  | { readonly kind: 'disbursement'; readonly id: string; readonly request: InputOf<'disbursement'> }
  | { readonly kind: 'message'; readonly id: string; readonly request: InputOf<'message'> }
  | { readonly kind: 'campaign'; readonly id: string; readonly request: InputOf<'campaign'> };

export interface FakeProducer extends Producer {
  /** What was accepted so far, in order. */
  readonly asked: readonly Asked[];
  /** The next call, whichever it is, throws this: an `Unconfirmed`, to see what the service makes of it. */
  failNext(error: Error): void;
}

/** As for `createProducer`; with the same environment the ids are those of the real thing. */
export type FakeProducerOptions = Pick<ProducerOptions, 'environment' | 'extraWithdrawModes'>;

export function fakeProducer(options: FakeProducerOptions = {}): FakeProducer {
  return new MemoryProducer(options, seededRandom(1));
}

class MemoryProducer implements FakeProducer {
  readonly #asked: Asked[] = [];
  readonly #acceptance: Acceptance;
  readonly #failures: Error[] = [];

  constructor({ environment = 'default', extraWithdrawModes }: FakeProducerOptions, random: Random) {
    this.#acceptance = new Acceptance({
      extraWithdrawModes,
      // Never connected: the scripts are all that is asked of it.
      redis: new Redis({ lazyConnect: true }),
      scripts: memoryScripts(),
      random,
      environment,
      batchWindowMs: 0,
      after: () => () => undefined,
      wake: () => undefined,
    });
  }

  get asked(): readonly Asked[] {
    return this.#asked;
  }

  failNext(error: Error): void {
    this.#failures.push(error);
  }

  async disburse(request: InputOf<'disbursement'>, { idempotencyKey }: Identity = {}): Promise<RequestAnswer> {
    this.#failIfAsked();
    const answer = await this.#acceptance.disbursement(request, idempotencyKey);
    return this.#note({ kind: 'disbursement', request }, answer);
  }

  async campaign(request: InputOf<'campaign'>, { idempotencyKey }: Identity = {}): Promise<RequestAnswer> {
    this.#failIfAsked();
    return this.#note({ kind: 'campaign', request }, await this.#acceptance.campaign(request, idempotencyKey));
  }

  disburseEach(requests: readonly InputOf<'disbursement'>[]): Promise<readonly RequestVerdict[]> {
    return this.#each(requests, async (request) => [
      { kind: 'disbursement', request },
      await this.#acceptance.disbursement(request),
    ]);
  }

  sendMessages(requests: readonly InputOf<'message'>[]): Promise<readonly RequestVerdict[]> {
    return this.#each(requests, async (request) => [
      { kind: 'message', request },
      await this.#acceptance.message(request),
    ]);
  }

  async #each<T>(
    requests: readonly T[],
    ask: (request: T) => Promise<readonly [DistributiveOmit<Asked, 'id'>, Answer]>,
  ): Promise<readonly RequestVerdict[]> {
    this.#failIfAsked();
    const verdicts: RequestVerdict[] = [];
    for (const [index, request] of requests.entries()) {
      const [asked, answer] = await ask(request);
      if (answer.outcome === 'invalid')
        verdicts.push({ index, id: null, outcome: 'invalid', problems: answer.problems });
      else verdicts.push({ index, ...this.#note(asked, answer) });
    }
    return verdicts;
  }

  async close(): Promise<void> {
    this.#acceptance.flush();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #failIfAsked(): void {
    const error = this.#failures.shift();
    if (error) throw error;
  }

  #note(asked: DistributiveOmit<Asked, 'id'>, answer: Answer): RequestAnswer {
    if (answer.outcome === 'invalid') throw new InvalidRequest(answer.problems);
    if (answer.outcome === 'conflict') return { id: answer.existingId, outcome: 'conflict' };
    const { id, outcome } = answer;
    if (outcome === 'accepted') this.#asked.push({ ...asked, id });
    return { id, outcome };
  }
}

type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;

/** What a request is known by, as both scripts take it. */
type Names = Pick<AcceptMessagesArgs['messages'][number], 'id' | 'fingerprint' | 'mapping' | 'other' | 'otherId'>;

/** The two scripts that accept, in memory: who is who, and nothing of what would happen next. */
function memoryScripts(): AcceptingScripts {
  const fingerprints = new Map<string, string>();
  const ownerOfReference = new Map<string, string>();
  const verdictOn = ({ id, fingerprint, mapping, other, otherId }: Names) => {
    const known = fingerprints.get(id);
    if (known === fingerprint) return { is: 'duplicate', state: 'queued' } as const;
    if (known !== undefined) return { is: 'conflict', id } as const;
    if (mapping !== undefined) {
      const owner = ownerOfReference.get(mapping);
      if (owner !== undefined && owner !== id) return { is: 'conflict', id: owner } as const;
      if (other !== undefined) {
        if (otherId !== undefined && fingerprints.has(otherId)) return { is: 'conflict', id: otherId } as const;
        ownerOfReference.set(mapping, id);
      }
    }
    fingerprints.set(id, fingerprint);
    return { is: 'accepted', state: 'queued' } as const;
  };
  return {
    accept: async (_redis, names) => {
      const verdict = verdictOn(names);
      return verdict.is === 'accepted' ? { ...verdict, id: names.id, at: 0 } : { id: names.id, ...verdict };
    },
    nameKey: async () => ({ key: '' }),
    // As if every message had a slice of its own.
    acceptMessages: async (_redis, { messages }) => ({ is: 'accepted', count: 1, verdicts: messages.map(verdictOn) }),
  };
}
