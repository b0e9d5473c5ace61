/**
 * Requests from TypeScript over the workers' queue `intake`. A call resolves when a worker has recorded the request
 * in PostgreSQL, and always settles within its time.
 */
import { NO_REDIS } from '../redis/place.ts';
import { systemClock, toMs } from '../lib/clock.ts';
import { type Random, systemRandom } from '../lib/random.ts';
import { queues } from '../queues/index.ts';
import type { JobAnswer } from '../queues/intake-answer.ts';
import { openQueue } from '../queues/open.ts';
import { closeConnection, openForQueues, prefixOf } from '../redis/connections.ts';
import { CollectAcceptance } from './acceptance-collect.ts';
import type { AcceptanceStore } from './acceptance-store.ts';
import { Acceptance, type Answer } from './acceptance.ts';
import { type RedisPlace, targetOf } from './connection.ts';
import { type DatabaseProducer, type DatabaseProducerOptions, createDatabaseProducer } from './database-producer.ts';
import {
  type BatchAnswer,
  InvalidRequest,
  OtherDeployment,
  Recovering,
  type RequestAnswer,
  type RequestVerdict,
  Unconfirmed,
} from './errors.ts';
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
  Referenced,
} from './inputs.ts';
import { IntakeCalls } from './intake-calls.ts';
import { type ProblemText, problemTexts } from './problems.ts';

/** `Extra`: the modes of `extraWithdrawModes`. */
export interface Producer<Extra extends string = never> extends AsyncDisposable {
  /**
   * Needs a `reference` or an idempotency key, like all money requests. Throws `InvalidRequest`, `Unconfirmed`,
   * `Recovering` or `OtherDeployment`. If an earlier try may have been accepted, the last two are the `cause` of an
   * `Unconfirmed`.
   */
  disburse(...asking: Asking<DisbursementInput<Extra>>): Promise<RequestAnswer>;
  /**
   * Requests many disbursements, each with its own `reference`; returns an answer for each, in their order. An
   * invalid one does not stop the others, and is not paid. An error after some were accepted is the `cause` of an
   * `Unconfirmed`, which has the answers.
   */
  disburseEach(requests: readonly Referenced<DisbursementInput<Extra>>[]): Promise<readonly RequestVerdict[]>;
  /**
   * Requests a batch: checked as a whole, and paid after a different person has approved it. The same rows are the
   * same batch. A row that breaks a rule or a limit makes the whole batch `invalid`.
   */
  batch(rows: readonly BatchRowInput<Extra>[], options?: BatchOptions): Promise<BatchAnswer>;
  /**
   * Requests single messages; returns an answer for each, in their order. An invalid one does not stop the others;
   * errors are as in `disburseEach`.
   */
  sendMessages(requests: readonly MessageInput[]): Promise<readonly RequestVerdict[]>;
  /** Creates a campaign in the state `draft`; its recipients are uploaded over HTTP or with the command line. */
  campaign(...asking: Asking<CampaignInput>): Promise<RequestAnswer>;
  /** A worker creates its page, which is returned with the invoice (`GET /v1/invoices/{id}`), not here. */
  invoice(...asking: Asking<InvoiceInput>): Promise<RequestAnswer>;
  /** A worker creates its link, which is returned with the payment request. */
  paymentRequest(...asking: Asking<PaymentRequestInput>): Promise<RequestAnswer>;
  /** Refused as `InvalidRequest` unless `directCredit` is on. */
  directCredit(...asking: Asking<DirectCreditInput>): Promise<RequestAnswer>;
  /** Waits for calls in flight, then disconnects. Harmless if it is closed already. */
  close(): Promise<void>;
}

export interface ProducerOptions<Extra extends string = string> {
  /**
   * The workers' Redis and, if it is not `{relais}`, their REDIS_PREFIX: `{ url, prefix }`. A TypeError if undefined,
   * as for an unset environment variable.
   */
  readonly redis: RedisPlace | undefined;
  /** The workers' ENVIRONMENT. Part of every derived id; a wrong one is refused with `OtherDeployment`. */
  readonly environment?: string;
  /** Maximum duration of a call, such as `10s` (the default). A request may still be accepted after that. */
  readonly patience?: string;
  /** The workers' EXTRA_WITHDRAW_MODES: modes that the provider added since, in its spelling. */
  readonly extraWithdrawModes?: readonly Extra[];
  /** The workers' DIRECT_CREDIT. */
  readonly directCredit?: boolean;
  /** Receives connection errors, for a log. The connection is reopened automatically. */
  readonly onError?: (error: unknown) => void;
}

/** Maximum concurrent requests of a list. */
const REQUESTS_AT_ONCE = 500;

export function createProducer(options: DatabaseProducerOptions): DatabaseProducer<string>;
export function createProducer<const Extra extends string = never>(options: ProducerOptions<Extra>): Producer<Extra>;
export function createProducer(
  options: ProducerOptions | DatabaseProducerOptions,
): Producer<string> | DatabaseProducer<string> {
  if ('database' in options) return createDatabaseProducer(options, systemRandom);
  return new QueueProducer(options, systemRandom);
}

class QueueProducer implements Producer<string> {
  readonly #judge: { readonly payments: Acceptance; readonly collect: CollectAcceptance };
  readonly #calls: IntakeCalls;
  readonly #random: Random;
  readonly #hangUp: () => Promise<void>;
  readonly #inFlight = new Set<Promise<unknown>>();
  #closed: Promise<void> | undefined;

  constructor(options: ProducerOptions, random: Random) {
    const { environment = 'default', patience = '10s', extraWithdrawModes, directCredit = false } = options;
    const { queue, redis, hangUp } = connect(options);
    const judging = { store: JUDGING, random, environment, wake: () => undefined, dryRun: true };
    this.#judge = {
      payments: new Acceptance({ ...judging, extraWithdrawModes }),
      collect: new CollectAcceptance({ ...judging, directCredit }),
    };
    this.#calls = new IntakeCalls({
      queue,
      redis,
      environment,
      random,
      clock: systemClock,
      limitMs: toMs(patience),
    });
    this.#random = random;
    this.#hangUp = hangUp;
  }

  async disburse(...[request, { idempotencyKey } = {}]: Asking<DisbursementInput<string>>): Promise<RequestAnswer> {
    return answerOf(await this.#disburse(request, idempotencyKey));
  }

  async campaign(...[request, { idempotencyKey } = {}]: Asking<CampaignInput>): Promise<RequestAnswer> {
    const judge = () => this.#judge.payments.campaign(request, idempotencyKey);
    return answerOf(await this.#ask(judge, 'campaign', { ...request, idempotencyKey }));
  }

  async invoice(...[request, { idempotencyKey } = {}]: Asking<InvoiceInput>): Promise<RequestAnswer> {
    const judge = () => this.#judge.collect.invoice(request, idempotencyKey);
    return answerOf(await this.#ask(judge, 'invoice', { ...request, idempotencyKey }));
  }

  async paymentRequest(...[request, { idempotencyKey } = {}]: Asking<PaymentRequestInput>): Promise<RequestAnswer> {
    const judge = () => this.#judge.collect.paymentRequest(request, idempotencyKey);
    return answerOf(await this.#ask(judge, 'payment_request', { ...request, idempotencyKey }));
  }

  async directCredit(...[request, { idempotencyKey } = {}]: Asking<DirectCreditInput>): Promise<RequestAnswer> {
    const judge = () => this.#judge.collect.directCredit(request, idempotencyKey);
    return answerOf(await this.#ask(judge, 'direct_credit', { ...request, idempotencyKey }));
  }

  disburseEach(requests: readonly DisbursementInput<string>[]): Promise<readonly RequestVerdict[]> {
    return this.#each(requests, (request) => this.#disburse(request));
  }

  async batch(rows: readonly BatchRowInput<string>[], options: BatchOptions = {}): Promise<BatchAnswer> {
    const { id, outcome, batch } = await this.#whileOpen(() => this.#calls.ask('batch', { ...options, rows }));
    // Written by the worker that judged it.
    return { id, outcome, ...batch } as BatchAnswer;
  }

  sendMessages(requests: readonly MessageInput[]): Promise<readonly RequestVerdict[]> {
    return this.#each(requests, (request) => this.#askMessage(request));
  }

  async #each<T>(requests: readonly T[], ask: (request: T) => Promise<Verdict>): Promise<readonly RequestVerdict[]> {
    const verdicts: RequestVerdict[] = [];
    const failures: unknown[] = [];
    for (let from = 0; from < requests.length && failures.length === 0; from += REQUESTS_AT_ONCE) {
      const settled = await Promise.allSettled(requests.slice(from, from + REQUESTS_AT_ONCE).map(ask));
      for (const [offset, one] of settled.entries()) {
        const index = from + offset;
        if (one.status === 'fulfilled') verdicts.push({ index, ...one.value });
        else {
          failures.push(one.reason);
          verdicts.push({ index, id: null, outcome: 'unconfirmed' });
        }
      }
    }
    if (failures.length === 0) return verdicts;
    const error = failures.find((one) => acceptedAfter(one) === 'unknown') ?? failures[0];
    // After a plain error a caller repeats all requests: an SMS without a reference would be sent twice.
    const isNothing = verdicts.every(({ outcome }) => outcome === 'unconfirmed' || outcome === 'invalid');
    if (isNothing && !(error instanceof Unconfirmed)) throw error;
    const unasked = requests.slice(verdicts.length).map((_, offset) => verdicts.length + offset);
    const rest = unasked.map((index) => ({ index, id: null, outcome: 'unconfirmed' }) as const);
    throw new Unconfirmed(acceptedAfter(error), whyOf(error), [...verdicts, ...rest]);
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #disburse(request: DisbursementInput<string>, idempotencyKey?: string): Promise<Verdict> {
    const judge = () => this.#judge.payments.disbursement(request, idempotencyKey);
    return this.#ask(judge, 'disbursement', { ...request, idempotencyKey });
  }

  /** A message without a reference gets an identity here, so that the tries of this call are one message. */
  async #askMessage(request: MessageInput): Promise<Verdict> {
    const own = hasReference(request) ? undefined : this.#random.hex(16);
    const judge = () => this.#judge.payments.message(request, own);
    const verdict = await this.#ask(judge, 'message', { ...request, idempotencyKey: own });
    // No other call has this identity: an earlier try of this one was accepted, and its answer was lost.
    if (own === undefined || verdict.outcome !== 'duplicate') return verdict;
    return { id: verdict.id, outcome: 'accepted' };
  }

  /** An invalid request is refused before Redis is used. */
  #ask(judge: () => Promise<Answer>, kind: string, request: object): Promise<Verdict> {
    return this.#whileOpen(async () => {
      const judged = await judge();
      if (judged.outcome === 'invalid')
        return { id: null, outcome: 'invalid', problems: problemTexts(judged.problems) };
      return verdictOf(await this.#calls.ask(kind, request));
    });
  }

  async #whileOpen<T>(ask: () => Promise<T>): Promise<T> {
    if (this.#closed) throw new Unconfirmed('no', new Error('this producer was closed'));
    const asking = ask();
    this.#inFlight.add(asking);
    return asking.finally(() => this.#inFlight.delete(asking));
  }

  async #close(): Promise<void> {
    await Promise.allSettled(this.#inFlight);
    await this.#hangUp();
  }
}

/** Rules only: a worker knows the limits and the identities. */
const JUDGING: AcceptanceStore = {
  accept: async ({ id, state }) => ({ outcome: 'accepted', id, state, at: 0 }),
  differs: async () => [],
  message: async (_request, { id }) => ({ outcome: 'accepted', id, state: 'queued' }),
  dryRun: () => JUDGING,
};

/** Whether the request with this error was accepted. */
function acceptedAfter(error: unknown): Unconfirmed['accepted'] {
  if (error instanceof Unconfirmed) return error.accepted;
  const isRefusal = error instanceof OtherDeployment || error instanceof Recovering;
  return isRefusal ? 'no' : 'unknown';
}

/** The `cause` of an `Unconfirmed`. */
function whyOf(error: unknown): unknown {
  return error instanceof Unconfirmed ? error.cause : error;
}

function hasReference(request: unknown): boolean {
  return typeof request === 'object' && request !== null && 'reference' in request && request.reference !== undefined;
}

type Verdict =
  | RequestAnswer
  | { readonly id: null; readonly outcome: 'invalid'; readonly problems: readonly ProblemText[] };

function verdictOf({ id, outcome, problems = [], differs = [] }: JobAnswer): Verdict {
  if (outcome === 'accepted' || outcome === 'duplicate') return { id, outcome };
  return outcome === 'conflict' ? { id, outcome, differs } : { id: null, outcome: 'invalid', problems };
}

function answerOf(verdict: Verdict): RequestAnswer {
  if (verdict.outcome === 'invalid') throw new InvalidRequest(verdict.problems);
  return verdict;
}

function connect({ redis: place, onError = () => undefined }: ProducerOptions) {
  if (place === undefined || place === '') throw new TypeError(NO_REDIS);
  const target = targetOf(place);
  const redis = openForQueues(target, { name: 'relais-producer', onError });
  // Each call in flight listens for the reconnect.
  redis.setMaxListeners(0);
  const queue = openQueue(queues.intake, { connection: redis, prefix: prefixOf(target) });
  queue.on('error', onError);
  const hangUp = async (): Promise<void> => {
    await queue.close();
    await closeConnection(redis);
  };
  return { queue, redis, hangUp };
}
