/**
 * Requests from TypeScript in the caller's transaction: they are committed with the caller's own rows, or not at all.
 * A worker judges each request after the commit, by the rules of every other entry point.
 */
import type { z } from 'zod';
import { type AskedKind, operations } from '../kinds/index.ts';
import type { Random } from '../lib/random.ts';
import { EnqueueRefused, type SqlClient, enqueue } from '../ledger/enqueue.ts';
import { InvalidRequest } from './errors.ts';
import type {
  CampaignInput,
  DirectCreditInput,
  DisbursementInput,
  Identity,
  InvoiceInput,
  MessageInput,
  PaymentRequestInput,
  Referenced,
} from './inputs.ts';
import { check, problemTexts } from './problems.ts';

export interface DatabaseProducerOptions {
  /** The schema of the workers (DATABASE_SCHEMA). Default: `relais`. */
  readonly database: { readonly schema?: string };
}

/** The caller's connection, in the transaction of the request. */
interface InTransaction {
  readonly client: SqlClient;
}

/** A request with a `reference` or an idempotency key: without either, a retry would be a second request. */
type Enqueuing<T> =
  | readonly [request: Referenced<T>, how: InTransaction & Identity]
  | readonly [request: T, how: InTransaction & Required<Identity>];

/** The outcome is known after the commit, once a worker has judged the request (`my_intake`). */
export interface Enqueued {
  readonly id: string;
  readonly outcome: 'enqueued';
}

/**
 * Every method throws `InvalidRequest` for an invalid request. If PostgreSQL found the problem, the caller's
 * transaction has failed.
 */
export interface DatabaseProducer<Extra extends string = never> {
  disburse(...asking: Enqueuing<DisbursementInput<Extra>>): Promise<Enqueued>;
  /** Checks every request before it enqueues the first one. */
  disburseEach(
    requests: readonly Referenced<DisbursementInput<Extra>>[],
    how: InTransaction,
  ): Promise<readonly Enqueued[]>;
  /** Without a `reference` or an idempotency key, each call is a separate message. */
  sendMessages(requests: readonly MessageInput[], how: InTransaction): Promise<readonly Enqueued[]>;
  campaign(...asking: Enqueuing<CampaignInput>): Promise<Enqueued>;
  invoice(...asking: Enqueuing<InvoiceInput>): Promise<Enqueued>;
  paymentRequest(...asking: Enqueuing<PaymentRequestInput>): Promise<Enqueued>;
  directCredit(...asking: Enqueuing<DirectCreditInput>): Promise<Enqueued>;
}

export function createDatabaseProducer(
  { database }: DatabaseProducerOptions,
  random: Random,
): DatabaseProducer<string> {
  const { schema = 'relais' } = database;
  const one =
    <T>(kind: AskedKind) =>
    async (...[request, { client, idempotencyKey }]: Enqueuing<T>): Promise<Enqueued> => {
      requireValid(kind, request);
      return ask(client, schema, { kind, request, idempotencyKey });
    };
  return {
    disburse: one('disbursement'),
    campaign: one('campaign'),
    invoice: one('invoice'),
    paymentRequest: one('payment_request'),
    directCredit: one('direct_credit'),
    disburseEach: (requests, { client }) => askEach(client, schema, { kind: 'disbursement', requests }),
    sendMessages: (requests, { client }) =>
      askEach(client, schema, { kind: 'message', requests, nameOf: () => random.hex(16) }),
  };
}

/**
 * Checks only the form: a worker checks what depends on settings. A failed statement would end the caller's
 * transaction.
 */
function requireValid(kind: AskedKind, request: unknown): void {
  const schema: z.ZodType = operations[kind].request;
  const { problems } = check(schema, request);
  if (problems) throw new InvalidRequest(problemTexts(problems));
}

interface Asked {
  readonly kind: AskedKind;
  readonly requests: readonly { readonly reference?: string | undefined }[];
  /** The identity of a request without a reference. */
  readonly nameOf?: () => string;
}

async function askEach(
  client: SqlClient,
  schema: string,
  { kind, requests, nameOf }: Asked,
): Promise<readonly Enqueued[]> {
  for (const request of requests) requireValid(kind, request);
  const answers: Enqueued[] = [];
  // Sequential: a connection executes one statement at a time.
  for (const request of requests) {
    const idempotencyKey = request.reference === undefined ? nameOf?.() : undefined;
    answers.push(await ask(client, schema, { kind, request, idempotencyKey }));
  }
  return answers;
}

async function ask(client: SqlClient, schema: string, request: Parameters<typeof enqueue>[2]): Promise<Enqueued> {
  try {
    return { id: await enqueue(client, schema, request), outcome: 'enqueued' };
  } catch (error) {
    if (error instanceof EnqueueRefused) throw new InvalidRequest(error.problems);
    throw error;
  }
}
