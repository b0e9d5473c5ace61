/**
 * `relais/producer/testing`: for the tests of services that ask relais for something. No Redis and no network; the
 * same checks, the same ids and the same outcomes, because the same code gives them.
 */
import type { Redis } from 'ioredis';
import { type Random, seededRandom } from '../lib/random.ts';
import { acceptScript } from '../operations/scripts/accept.ts';
import { acceptMessageScript } from '../operations/scripts/message.ts';
import type { CampaignInput, DisbursementInput, MessageInput } from '../queues/requests.ts';
import { Acceptance, type Answer } from './acceptance.ts';
import { InvalidRequest } from './errors.ts';
import type { Identity, Producer, ProducerOptions, RequestAnswer, RequestVerdict } from './producer.ts';

/** A request that was accepted, as the caller wrote it. Repeated and refused ones are not in the list. */
export type Asked =
  | { readonly kind: 'disbursement'; readonly id: string; readonly request: DisbursementInput }
  | { readonly kind: 'message'; readonly id: string; readonly request: MessageInput }
  | { readonly kind: 'campaign'; readonly id: string; readonly request: CampaignInput };

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
      redis: memoryScripts(),
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

  async disburse(request: DisbursementInput, { idempotencyKey }: Identity = {}): Promise<RequestAnswer> {
    this.#failIfAsked();
    const answer = await this.#acceptance.disbursement(request, idempotencyKey);
    return this.#note({ kind: 'disbursement', request }, answer);
  }

  async campaign(request: CampaignInput, { idempotencyKey }: Identity = {}): Promise<RequestAnswer> {
    this.#failIfAsked();
    return this.#note({ kind: 'campaign', request }, await this.#acceptance.campaign(request, idempotencyKey));
  }

  disburseEach(requests: readonly DisbursementInput[]): Promise<readonly RequestVerdict[]> {
    return this.#each(requests, async (request) => [
      { kind: 'disbursement', request },
      await this.#acceptance.disbursement(request),
    ]);
  }

  sendMessages(requests: readonly MessageInput[]): Promise<readonly RequestVerdict[]> {
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

/** The two scripts that accept, in memory: who is who, and nothing of what would happen next. */
function memoryScripts(): Redis {
  const fingerprints = new Map<string, string>();
  const ownerOfReference = new Map<string, string>();
  const accept = (referenceKey: string, [id, , print, claims, idOfReference]: readonly string[]): string[] => {
    const known = fingerprints.get(String(id));
    if (known !== undefined) return known === print ? ['duplicate', String(id), 'queued'] : ['conflict', String(id)];
    if (claims === '1') {
      const owner = ownerOfReference.get(referenceKey);
      if (owner !== undefined && owner !== id) return ['conflict', owner];
      if (idOfReference !== id) {
        if (fingerprints.has(String(idOfReference))) return ['conflict', String(idOfReference)];
        ownerOfReference.set(referenceKey, String(id));
      }
    }
    fingerprints.set(String(id), String(print));
    return ['accepted', String(id), 'queued'];
  };
  const scripts = {
    evalsha: async (sha: string, keyCount: number, ...words: (string | number)[]): Promise<unknown> => {
      const texts = words.map(String);
      const answer = accept(texts[1] ?? '', texts.slice(keyCount));
      if (sha === acceptScript.sha) return answer;
      // As if every message had a chunk of its own.
      if (sha === acceptMessageScript.sha) return [...answer, 1];
      throw new Error('the fake producer knows only the scripts that accept a request');
    },
  };
  return scripts as unknown as Redis;
}
