/**
 * `relais/producer/testing`: for tests of services that use relais. No Redis and no network; the same checks, ids and
 * outcomes, because it is the same code.
 */
import { type Random, seededRandom } from '../lib/random.ts';
import type { BatchRow } from '../kinds/batch-rows.ts';
import type { Batches } from '../ledger/batches.ts';
import { holdingByDefault } from '../kinds/limits.ts';
import { CollectAcceptance } from './acceptance-collect.ts';
import { Acceptance, type Answer, conflictOf } from './acceptance.ts';
import { InvalidRequest } from './errors.ts';
import { BatchDoor, type BatchDoorOptions, askForBatch } from './batch/door.ts';
import type { BatchAnswer, RequestAnswer, RequestVerdict } from './errors.ts';
import type {
  Asking,
  BatchOptions,
  BatchRowInput,
  CampaignInput,
  DirectCreditInput,
  DisbursementInput,
  InvoiceInput,
  MessageInput,
  PaymentRequestInput,
} from './inputs.ts';
import type { Producer, ProducerOptions } from './producer.ts';
import { acceptanceInMemory } from './memory-store.ts';
import { problemTexts } from './problems.ts';

/** An accepted request, as the caller wrote it. Repeated and refused ones are not in the list. */
export type Asked =
  | { readonly kind: 'disbursement'; readonly id: string; readonly request: DisbursementInput<string> }
  | { readonly kind: 'batch'; readonly id: string; readonly request: readonly BatchRowInput<string>[] }
  | { readonly kind: 'message'; readonly id: string; readonly request: MessageInput }
  | { readonly kind: 'campaign'; readonly id: string; readonly request: CampaignInput }
  | { readonly kind: 'invoice'; readonly id: string; readonly request: InvoiceInput }
  | { readonly kind: 'payment_request'; readonly id: string; readonly request: PaymentRequestInput }
  | { readonly kind: 'direct_credit'; readonly id: string; readonly request: DirectCreditInput };

export interface FakeProducer<Extra extends string = never> extends Producer<Extra> {
  /** The accepted requests, in order. */
  readonly asked: readonly Asked[];
  /** The next call, of any method, throws this: an `Unconfirmed`, to test the service's reaction. */
  failNext(error: Error): void;
}

/** As for `createProducer`; with the same environment the ids are the real ones. */
export type FakeProducerOptions<Extra extends string = string> = Pick<
  ProducerOptions<Extra>,
  'environment' | 'extraWithdrawModes' | 'directCredit'
>;

export function fakeProducer<const Extra extends string = never>(
  options: FakeProducerOptions<Extra> = {},
): FakeProducer<Extra> {
  return new MemoryProducer(options, seededRandom(1));
}

class MemoryProducer implements FakeProducer<string> {
  readonly #collect: CollectAcceptance;
  readonly #asked: Asked[] = [];
  readonly #acceptance: Acceptance;
  readonly #batches: BatchDoor;
  readonly #failures: Error[] = [];

  constructor(options: FakeProducerOptions, random: Random) {
    const { environment = 'default', extraWithdrawModes, directCredit = false } = options;
    const shared = {
      store: acceptanceInMemory(),
      random,
      environment,
      wake: () => undefined,
    };
    this.#collect = new CollectAcceptance({ ...shared, directCredit });
    this.#batches = new BatchDoor({
      batches: memoryBatches(),
      // The defaults of unset limits.
      limits: { inForce: async () => holdingByDefault() },
      environment,
      extraWithdrawModes,
      now: () => 0,
    });
    this.#acceptance = new Acceptance({
      ...shared,
      extraWithdrawModes,
    });
  }

  get asked(): readonly Asked[] {
    return this.#asked;
  }

  failNext(error: Error): void {
    this.#failures.push(error);
  }

  async disburse(...[request, { idempotencyKey } = {}]: Asking<DisbursementInput<string>>): Promise<RequestAnswer> {
    this.#failIfAsked();
    const answer = await this.#acceptance.disbursement(request, idempotencyKey);
    return this.#note({ kind: 'disbursement', request }, answer);
  }

  async campaign(...[request, { idempotencyKey } = {}]: Asking<CampaignInput>): Promise<RequestAnswer> {
    this.#failIfAsked();
    return this.#note({ kind: 'campaign', request }, await this.#acceptance.campaign(request, idempotencyKey));
  }

  async invoice(...[request, { idempotencyKey } = {}]: Asking<InvoiceInput>): Promise<RequestAnswer> {
    this.#failIfAsked();
    return this.#note({ kind: 'invoice', request }, await this.#collect.invoice(request, idempotencyKey));
  }

  async paymentRequest(...[request, { idempotencyKey } = {}]: Asking<PaymentRequestInput>): Promise<RequestAnswer> {
    this.#failIfAsked();
    const answer = await this.#collect.paymentRequest(request, idempotencyKey);
    return this.#note({ kind: 'payment_request', request }, answer);
  }

  async directCredit(...[request, { idempotencyKey } = {}]: Asking<DirectCreditInput>): Promise<RequestAnswer> {
    this.#failIfAsked();
    return this.#note({ kind: 'direct_credit', request }, await this.#collect.directCredit(request, idempotencyKey));
  }

  async batch(rows: readonly BatchRowInput<string>[], options: BatchOptions = {}): Promise<BatchAnswer> {
    this.#failIfAsked();
    const answer = await askForBatch(this.#batches, { ...options, rows });
    const { id, outcome } = answer;
    if (outcome === 'accepted') this.#asked.push({ kind: 'batch', id, request: rows });
    return answer;
  }

  disburseEach(requests: readonly DisbursementInput<string>[]): Promise<readonly RequestVerdict[]> {
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
        verdicts.push({ index, id: null, outcome: 'invalid', problems: problemTexts(answer.problems) });
      else verdicts.push({ index, ...this.#note(asked, answer) });
    }
    return verdicts;
  }

  async close(): Promise<void> {
    await Promise.resolve();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #failIfAsked(): void {
    const error = this.#failures.shift();
    if (error) throw error;
  }

  #note(asked: DistributiveOmit<Asked, 'id'>, answer: Answer): RequestAnswer {
    if (answer.outcome === 'invalid') throw new InvalidRequest(problemTexts(answer.problems));
    if (answer.outcome === 'conflict') return conflictOf(answer);
    const { id, outcome } = answer;
    if (outcome === 'accepted') this.#asked.push({ ...asked, id });
    return { id, outcome };
  }
}

type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;

/** Batches in memory: their names and rows. None is ever approved, so its rows are not accepted. */
function memoryBatches(): BatchDoorOptions['batches'] {
  const known = new Map<string, Pick<Parameters<Batches['accept']>[0], 'fingerprint' | 'state'>>();
  const open = new Map<string, string>();
  const rowsOf = new Map<string, readonly BatchRow[]>();
  return {
    accept: async ({ id, account, contentHash, fingerprint, state }, rows) => {
      const stands = known.get(id);
      const ofBytes = open.get(`${account} ${contentHash}`);
      if (stands && stands.fingerprint !== fingerprint) return { outcome: 'conflict', id };
      if (stands && stands.state !== 'invalid') return { outcome: 'duplicate', id, state: stands.state };
      if (ofBytes !== undefined && ofBytes !== id) return { outcome: 'open', id: ofBytes };
      known.set(id, { fingerprint, state });
      rowsOf.set(id, rows);
      if (state !== 'invalid') open.set(`${account} ${contentHash}`, id);
      return { outcome: 'accepted', id, state };
    },
    rows: async (id, from, count) => [...(rowsOf.get(id) ?? [])].slice(from, from + count),
    standing: async (_account, requests) => requests.map(() => undefined),
    acceptedOn: async () => 0,
  };
}
