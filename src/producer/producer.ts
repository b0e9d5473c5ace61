/**
 * Asking, from TypeScript: the same way in as HTTP and the intake queue, without a process in between. A call resolves
 * when the request is durable in Redis, and always settles within its time: it never waits for ever.
 */
import type { Redis } from 'ioredis';
import { type QueueName, dueQueues } from '../kinds/due-queues.ts';
import { NO_REDIS } from '../redis/place.ts';
import { type Clock, systemClock, toMs } from '../lib/clock.ts';
import { type Random, systemRandom } from '../lib/random.ts';
import { Batches } from '../operations/batches.ts';
import { Recovering } from '../operations/heartbeat.ts';
import { SharedLimits } from '../operations/limits.ts';
import { queues } from '../queues/index.ts';
import { openQueue, Waker } from '../queues/open.ts';
import {
  closeConnection,
  openCommands,
  openForQueues,
  prefixOf,
  isAway,
  RedisUnavailable,
} from '../redis/connections.ts';
import { CollectAcceptance } from './acceptance-collect.ts';
import { Acceptance, type Answer, conflictOf } from './acceptance.ts';
import { BatchDoor, askForBatch } from './batch/door.ts';
import {
  type BatchAnswer,
  InvalidRequest,
  NotDurableError,
  OtherDeployment,
  type RequestAnswer,
  type RequestVerdict,
  Unconfirmed,
} from './errors.ts';
import {
  DurabilityGuard,
  sharedFence,
  patientScripts,
  type RedisPlace,
  targetOf,
  sameDeployment,
  untilConfirmed,
} from './connection.ts';
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
import type { Problem } from './problems.ts';
import { acceptanceOnRedis } from './acceptance-store.ts';

/** `Extra`: the modes of `extraWithdrawModes`. */
export interface Producer<Extra extends string = never> extends AsyncDisposable {
  /**
   * Needs a `reference` or an idempotency key, as all that moves money. Throws `InvalidRequest`, `Unconfirmed`, `NotDurableError`, `Recovering` or
   * `OtherDeployment`; where the answer to an earlier try was lost, the last three are the `cause` of an `Unconfirmed`.
   */
  disburse(...asking: Asking<DisbursementInput<Extra>>): Promise<RequestAnswer>;
  /**
   * Asks for many disbursements, each with a `reference` of its own; a verdict for each, in their order. One that is
   * not valid does not stop the others, and is not paid. What stops it when some were accepted is the `cause` of an
   * `Unconfirmed`, which has the verdicts.
   */
  disburseEach(requests: readonly Referenced<DisbursementInput<Extra>>[]): Promise<readonly RequestVerdict[]>;
  /**
   * Asks for a batch: judged whole, and paid once a different person has approved it. The same rows are the same batch.
   * A row that breaks a rule or a limit makes all of it `invalid`.
   */
  batch(rows: readonly BatchRowInput<Extra>[], options?: BatchOptions): Promise<BatchAnswer>;
  /**
   * Asks for single messages; a verdict for each, in their order. One that is not valid does not stop the others, and
   * what stops it is told as by `disburseEach`.
   */
  sendMessages(requests: readonly MessageInput[]): Promise<readonly RequestVerdict[]>;
  /** Creates a campaign in the state `draft`; its recipients are uploaded over HTTP or with the command line. */
  campaign(...asking: Asking<CampaignInput>): Promise<RequestAnswer>;
  /** Its page is made by a worker, and told with the invoice (`GET /v1/invoices/{id}`), not here. */
  invoice(...asking: Asking<InvoiceInput>): Promise<RequestAnswer>;
  /** Its link is made by a worker, and told with the payment request. */
  paymentRequest(...asking: Asking<PaymentRequestInput>): Promise<RequestAnswer>;
  /** Refused as `InvalidRequest` unless `directCredit` is on. */
  directCredit(...asking: Asking<DirectCreditInput>): Promise<RequestAnswer>;
  /** Lets calls in flight settle, then hangs up. Harmless when it is closed already. */
  close(): Promise<void>;
}

export interface ProducerOptions<Extra extends string = string> {
  /**
   * The Redis that the workers use, and, where it is not `{relais}`, their REDIS_PREFIX: `{ url, prefix }`. A TypeError
   * where it is undefined, as a variable of the environment that nobody has set.
   */
  readonly redis: RedisPlace | undefined;
  /** The workers' ENVIRONMENT. Part of every derived id; a wrong one is refused with `OtherDeployment`. */
  readonly environment?: string;
  /** How long single messages are collected into one request to the service, such as `50ms`. */
  readonly batchWindow?: string;
  /** The longest that a call may take while Redis is away, such as `10s`. */
  readonly patience?: string;
  /** `asserted`: this Redis hides its configuration, and you vouch that it keeps what it answers. */
  readonly durability?: 'checked' | 'asserted';
  /** The workers' REDIS_WAIT_REPLICAS, where there are replicas: so many have a request before a call resolves. */
  readonly replicas?: number;
  /** The workers' EXTRA_WITHDRAW_MODES: modes that the service has added since, spelt as it wants them. */
  readonly extraWithdrawModes?: readonly Extra[];
  /** The workers' DIRECT_CREDIT. */
  readonly directCredit?: boolean;
  /** Told of connection errors. The connection is made again by itself, so this is for a log. */
  readonly onError?: (error: unknown) => void;
}

/** Asked for at the same time, in one round trip: enough to fill several slices, few enough to be answered in time. */
const REQUESTS_AT_ONCE = 500;
const REPLICAS_WAIT_MS = 2_000;

export function createProducer<const Extra extends string = never>(options: ProducerOptions<Extra>): Producer<Extra>;
export function createProducer(options: ProducerOptions): Producer<string> {
  return new RedisProducer(options, systemClock, systemRandom);
}

class RedisProducer implements Producer<string> {
  readonly #collect: CollectAcceptance;
  readonly #acceptance: Acceptance;
  readonly #batches: BatchDoor;
  readonly #patiently: <T>(ask: () => Promise<T>) => Promise<T>;
  readonly #random: Random;
  readonly #hangUp: () => Promise<void>;
  readonly #inFlight = new Set<Promise<unknown>>();
  /** So often it was not known whether something that was asked for stands. */
  #doubts = 0;
  #closed: Promise<void> | undefined;

  constructor(options: ProducerOptions, clock: Clock, random: Random) {
    const { environment = 'default', batchWindow = '50ms', patience = '10s', durability, replicas = 0 } = options;
    const { extraWithdrawModes } = options;
    const connections = connect(options);
    const { redis, waker } = connections;
    this.#random = random;
    const keeping = new DurabilityGuard({ redis, clock, asserted: durability === 'asserted', replicas });
    const requireOurs = sameDeployment({ redis, clock, environment });
    // Acceptance checks everything before its first script: what is not valid is told whatever Redis does.
    const deadline = { redis, clock, limitMs: toMs(patience), onDoubt: () => void (this.#doubts += 1) };
    const allowed = async (): Promise<void> => {
      await keeping.require();
      await requireOurs();
    };
    const scripts = patientScripts(deadline, allowed);
    const fence =
      replicas > 0 ? sharedFence(async () => (await redis.wait(replicas, REPLICAS_WAIT_MS)) >= replicas) : undefined;
    const wake = (queue: QueueName, id: string, rev: string | number): void => waker.wake(queue, id, rev);
    const window = { batchWindowMs: toMs(batchWindow), after: (ms: number, run: () => void) => clock.after(ms, run) };
    const store = acceptanceOnRedis({ redis: scripts, random, wake, fence, ...window });
    const shared = { store, random, environment, wake };
    this.#collect = new CollectAcceptance({
      ...shared,
      directCredit: options.directCredit ?? false,
      nobodyWaits: true,
    });
    this.#acceptance = new Acceptance({ ...shared, extraWithdrawModes });
    this.#batches = new BatchDoor({
      batches: new Batches(redis, random),
      limits: new SharedLimits(redis),
      environment,
      extraWithdrawModes,
      now: () => clock.now(),
    });
    // Several commands, and as safe to ask twice: the same rows are the same batch.
    this.#patiently = (ask) =>
      untilConfirmed(deadline, async () => {
        await allowed();
        const answer = await ask();
        try {
          if (!fence || (await fence())) return answer;
          throw new RedisUnavailable('the replicas did not confirm it in time');
        } catch (error) {
          // It is written all the same.
          deadline.onDoubt();
          throw error;
        }
      });
    this.#hangUp = connections.hangUp;
  }

  async disburse(...[request, { idempotencyKey } = {}]: Asking<DisbursementInput<string>>): Promise<RequestAnswer> {
    return answerOf(await this.#ask(() => this.#acceptance.disbursement(request, idempotencyKey)));
  }

  async campaign(...[request, { idempotencyKey } = {}]: Asking<CampaignInput>): Promise<RequestAnswer> {
    return answerOf(await this.#ask(() => this.#acceptance.campaign(request, idempotencyKey)));
  }

  async invoice(...[request, { idempotencyKey } = {}]: Asking<InvoiceInput>): Promise<RequestAnswer> {
    return answerOf(await this.#ask(() => this.#collect.invoice(request, idempotencyKey)));
  }

  async paymentRequest(...[request, { idempotencyKey } = {}]: Asking<PaymentRequestInput>): Promise<RequestAnswer> {
    return answerOf(await this.#ask(() => this.#collect.paymentRequest(request, idempotencyKey)));
  }

  async directCredit(...[request, { idempotencyKey } = {}]: Asking<DirectCreditInput>): Promise<RequestAnswer> {
    return answerOf(await this.#ask(() => this.#collect.directCredit(request, idempotencyKey)));
  }

  disburseEach(requests: readonly DisbursementInput<string>[]): Promise<readonly RequestVerdict[]> {
    return this.#each(requests, async (request) => {
      const answer = await this.#ask(() => this.#acceptance.disbursement(request));
      return answer.outcome === 'invalid' ? refused(answer.problems) : answerOf(answer);
    });
  }

  async batch(rows: readonly BatchRowInput<string>[], options: BatchOptions = {}): Promise<BatchAnswer> {
    return this.#ask(() => this.#patiently(() => askForBatch(this.#batches, rows, options)));
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
    // A caller that is told that nothing was accepted asks for all of it again: a text without a reference would go out
    // twice.
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

  /** A message without a reference is given an identity here, so that the tries of this call stay one message. */
  async #askMessage(request: MessageInput): Promise<Verdict> {
    const own = hasReference(request) ? undefined : this.#random.hex(16);
    const answer = await this.#ask(() => this.#acceptance.message(request, own));
    if (answer.outcome === 'invalid') return refused(answer.problems);
    // Nobody else knows this identity: it was our own earlier try, whose answer was lost.
    if (own !== undefined && answer.outcome === 'duplicate') {
      return { id: answer.id, outcome: 'accepted' };
    }
    return answerOf(answer);
  }

  async #ask<T>(ask: () => Promise<T>): Promise<T> {
    if (this.#closed) throw new Unconfirmed('no', new Error('this producer was closed'));
    const doubtsBefore = this.#doubts;
    const asking = ask();
    this.#inFlight.add(asking);
    try {
      return await asking;
    } catch (error) {
      // Refused at a later try, while an earlier one may have been carried out. Requests share their scripts, so a doubt
      // of another call of this time counts too.
      const wasDoubted = this.#doubts > doubtsBefore;
      if (wasDoubted && acceptedAfter(error) === 'no') throw new Unconfirmed('unknown', whyOf(error));
      if (error instanceof Unconfirmed || !isAway(error)) throw error;
      // Written, and not yet where it would survive the loss of the primary.
      throw new Unconfirmed('unknown', error);
    } finally {
      this.#inFlight.delete(asking);
    }
  }

  async #close(): Promise<void> {
    await Promise.allSettled(this.#inFlight);
    this.#acceptance.flush();
    await this.#hangUp();
  }
}

/** Whether the request that ended so was accepted. */
function acceptedAfter(error: unknown): Unconfirmed['accepted'] {
  if (error instanceof Unconfirmed) return error.accepted;
  const isRefusal =
    error instanceof NotDurableError || error instanceof OtherDeployment || error instanceof Recovering;
  return isRefusal ? 'no' : 'unknown';
}

/** What an `Unconfirmed` has for its cause. */
function whyOf(error: unknown): unknown {
  return error instanceof Unconfirmed ? error.cause : error;
}

function hasReference(request: unknown): boolean {
  return typeof request === 'object' && request !== null && 'reference' in request && request.reference !== undefined;
}

type Verdict =
  | RequestAnswer
  | { readonly id: null; readonly outcome: 'invalid'; readonly problems: readonly Problem[] };

function refused(problems: readonly Problem[]): Verdict {
  return { id: null, outcome: 'invalid', problems };
}

function answerOf(answer: Answer): RequestAnswer {
  if (answer.outcome === 'invalid') throw new InvalidRequest(answer.problems);
  if (answer.outcome === 'conflict') return conflictOf(answer);
  return { id: answer.id, outcome: answer.outcome };
}

/** Its own connection for the queues, so that what BullMQ does on it holds up no request. */
function connect({ redis: place, onError = () => undefined }: ProducerOptions) {
  if (place === undefined || place === '') throw new TypeError(NO_REDIS);
  const target = targetOf(place);
  const redis: Redis = openCommands(target, { name: 'relais-producer', onError });
  const queueClient = openForQueues(target, { name: 'relais-producer-queues', onError });
  // Each call in flight listens for the connection to come back.
  redis.setMaxListeners(0);
  const names = dueQueues.filter((name) => 'inBulk' in queues[name]);
  const queuePlace = { connection: queueClient, prefix: prefixOf(target) };
  const opened = names.map((name) => [name, openQueue(queues[name], queuePlace)] as const);
  for (const [, queue] of opened) queue.on('error', onError);
  const waker = new Waker({
    queues: Object.fromEntries(opened),
    ready: () => queueClient.status === 'ready',
    clock: systemClock,
    onLost: onError,
  });
  const hangUp = async (): Promise<void> => {
    await waker.settled();
    await Promise.all(opened.map(([, queue]) => queue.close()));
    await Promise.all([redis, queueClient].map((client) => closeConnection(client)));
  };
  return { redis, waker, hangUp };
}
