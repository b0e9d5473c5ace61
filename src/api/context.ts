import type { Kind } from '../kinds/index.ts';
import type { QueueName } from '../kinds/due-queues.ts';
import type { StopOptions } from '../campaigns/upload.ts';
import type { Prices } from '../files/prices.ts';
import type { Clock } from '../lib/clock.ts';
import type { HeldBytes } from '../lib/held-bytes.ts';
import type { Public } from '../lib/public.ts';
import type { Random } from '../lib/random.ts';
import type { Traces } from '../lib/traces.ts';
import type { EndpointService } from '../events/endpoint-service.ts';
import type { Followers } from '../events/followers.ts';
import type { EventStream } from '../ledger/event-stream.ts';
import type { Holds } from '../ledger/holds.ts';
import type { ApiKeys } from '../ledger/api-keys.ts';
import type { Audit } from '../ledger/audit.ts';
import type { AuditSeals } from '../ledger/audit-seals.ts';
import type { Act } from '../ledger/acts.ts';
import type { DayBook } from '../ledger/day-book.ts';
import type { Batches } from '../ledger/batches.ts';
import type { Campaigns } from '../ledger/campaigns.ts';
import type { Uploads } from '../ledger/uploads.ts';
import type { Budgets } from '../ledger/budgets.ts';
import type { KeptFiles } from '../ledger/kept-files.ts';
import type { Endpoints } from '../ledger/endpoints.ts';
import type { OperationStore } from '../ledger/operation-store.ts';
import type { Messages } from '../ledger/messages.ts';
import type { OptOuts } from '../ledger/opt-outs.ts';
import type { Purge } from '../ledger/purge.ts';
import type { RecoveryDesk } from '../ledger/recovery.ts';
import type { Recipients } from '../ledger/recipients.ts';
import type { Sessions } from '../ledger/sessions.ts';
import type { Status } from '../ledger/status.ts';
import type { Balances } from '../ledger/balances.ts';
import type { Rejections } from '../ledger/rejections.ts';
import type { Queries } from '../ledger/queries.ts';
import type { WorkerHere } from '../ledger/workers.ts';
import type { MoneyLimits } from '../ledger/limits.ts';
import type { RecordAt } from '../operations/record.ts';
import type { Acceptance, Answer } from '../producer/acceptance.ts';
import type { CollectAcceptance } from '../producer/acceptance-collect.ts';
import type { MoneyContext } from '../processors/context.ts';
import type { Said as ProviderSaid } from '../processors/recovery/says.ts';
import type { Resolve, Resolved } from '../processors/disbursement/resolve.ts';
import type { BatchDoor } from '../producer/batch/door.ts';
import type { IntakeJobs } from '../queues/intake-jobs.ts';
import type { Words } from '../messages/languages.ts';
import type { BatchAdvisor } from './batch-advice.ts';
import type { Buckets } from './buckets.ts';
import type { ConsoleFiles, Violation } from './console-files.ts';
import { type KeyRing, type ApiKey, mayUseAccount } from './keys.ts';
import { ApiProblem, invalid } from './problem.ts';
import type { ProviderDoor } from './provider.ts';
import type { WriteOutcome } from './writes.ts';
import { type Message, message } from '../messages/message.ts';

type RefusalKind = 'recovering';

/** The dependencies of the routes, from main. */
export interface ApiContext {
  readonly keyRing: KeyRing;
  readonly apiKeys: Public<ApiKeys>;
  readonly sessions: Public<Sessions>;
  /** Absent: users sign in only with keys. */
  readonly provider?: ProviderDoor | undefined;
  /** Absent: the console is off, and sign-ins are impossible. */
  readonly console: ConsoleFiles | undefined;
  /** Memory of requests in progress, by the name of the key. */
  readonly heldBytes: HeldBytes;
  /** Sign-ins by key, of this process. */
  readonly signIns: Buckets;
  /** Requests per second and key, of this process; 0: no limit. */
  readonly ratePerSecond: number;
  readonly environment: string;
  readonly accountNames: readonly string[];
  readonly clock: Clock;
  readonly random: Random;
  /** Absent: traces are off. */
  readonly traces?: Traces | undefined;
  readonly acceptance: Acceptance;
  readonly collect: CollectAcceptance;
  /** For work while the caller waits. */
  readonly processing: MoneyContext;
  readonly operations: Public<OperationStore>;
  readonly queries: Public<Queries>;
  readonly campaigns: Public<Campaigns>;
  readonly uploads: Public<Uploads>;
  readonly recipients: Public<Recipients>;
  readonly messages: Pick<Messages, 'cancel'>;
  readonly keptFiles: Public<KeptFiles>;
  readonly budgets: Pick<Budgets, 'standing'>;
  readonly optOuts: Public<OptOuts>;
  readonly purge: Public<Purge>;
  readonly status: Public<Status>;
  readonly workersHere: () => Promise<readonly WorkerHere[]>;
  /** The balances as a worker last read them. */
  readonly seenBalances: Pick<Balances, 'history'>;
  readonly balanceRows: () => Promise<readonly BalanceRow[]>;
  readonly intakeJobs: IntakeJobs;
  readonly rejections: Public<Rejections>;
  /** Which key did what, for audits. */
  readonly audit: Public<Audit>;
  readonly auditSeals: Public<AuditSeals>;
  /** The country of numbers without a country code, unless the request names one. */
  readonly defaultCountry: string | undefined;
  /** The only numbers that get SMS and payments, in international form. Undefined: all. */
  readonly trialNumbers: readonly string[] | undefined;
  /** XOF per segment, by country; absent: no cost is shown. */
  readonly smsPrices: Prices | undefined;
  /** The sender ID of an account's SMS, unless the request names another. */
  readonly senderOf: (account: string) => string | undefined;
  /** The value of `{{stop}}` in a text; undefined while the public address of the webhooks listener is unknown. */
  readonly stop: () => StopOptions | undefined;
  /** Daily reports, their retention, and the time zone of the days. */
  readonly reports: { readonly book: Public<DayBook>; readonly timezone: string; readonly keepMs: number };
  readonly batches: Public<Batches>;
  readonly batchDoor: BatchDoor;
  readonly batchAdvisor: BatchAdvisor;
  readonly limits: Public<MoneyLimits>;
  readonly accounts: Public<Holds>;
  readonly events: Public<EventStream>;
  readonly followers: Public<Followers>;
  readonly endpoints: Public<Endpoints>;
  readonly endpointService: Public<EndpointService>;
  readonly wake: (queue: QueueName) => void;
  readonly recoveryDesk: Public<RecoveryDesk<readonly ProviderSaid[]>>;
  /** Why nothing can be accepted now; undefined: requests are accepted. */
  readonly refusal: () => { readonly kind: RefusalKind; readonly detail: Message } | undefined;
  /** The doctor's findings and fixes; examined at most twice a minute. */
  readonly doctor: () => Promise<{ readonly at: number; readonly findings: readonly Found[] }>;
  /** An operator's decision about an operation that needs review; the provider is asked first. */
  readonly resolve: (id: string, request: Resolve) => Promise<Resolved>;
  readonly queues: QueueSwitches;
  /** Reports a write with a known key: accepted, refused, or failed with an unknown result. */
  readonly onWrite: (outcome: WriteOutcome, facts: Readonly<Record<string, unknown>>) => void;
  /** A request without a valid key. */
  readonly onWrongKey: (answer: '401' | '429') => void;
  /** A browser blocked content on a console page. */
  readonly onViolation: (violation: Violation) => void;
  readonly onError: (error: unknown, request: { method: string; path: string; requestId: string }) => void;
}

/** An account's balance in a country as a worker last read it, and the amount that is still to leave. */
interface BalanceRow {
  readonly account: string;
  readonly country: string;
  readonly xof: number | null;
  readonly inFlight: number;
  readonly at: number;
}

/** The finding of one check: `fault` needs a fix, `skipped` was not checkable or is not used. */
interface Found {
  readonly check: keyof Words['doctor']['checks'];
  readonly is: 'ok' | 'fault' | 'skipped';
  readonly says: Message;
  readonly fix?: Message;
}

export interface QueueSwitches {
  list(): Promise<{ name: string; paused: boolean; waiting: number; active: number; due: number }[]>;
  /** Waiting work in each queue, and when the first of it began to wait (ms since the epoch). */
  backlog(): Promise<{ name: string; waiting: number; oldestAt: number | undefined }[]>;
  /** False: there is no such queue. */
  pause(name: string, act: Act): Promise<boolean>;
  resume(name: string, act: Act): Promise<boolean>;
}

const isId = (id: string): boolean => /^[\w.-]{1,80}$/.test(id);

/** The record, for a key with access. Undefined: there is none, or it belongs to another account. */
export async function recordFor<K extends Kind>(
  { queries }: ApiContext,
  key: ApiKey,
  kind: K,
  id: string,
): Promise<RecordAt<K> | undefined> {
  const record = isId(id) ? await queries.read(kind, id) : undefined;
  return record && mayUseAccount(key, record.account) ? record : undefined;
}

/** Like `recordFor`; another account's id looks nonexistent. */
export async function findRecord<K extends Kind>(
  context: ApiContext,
  key: ApiKey,
  kind: K,
  id: string | undefined,
): Promise<RecordAt<K>> {
  const record = id && (await recordFor(context, key, kind, id));
  if (record) return record;
  if (id !== undefined && isId(id)) await refuseBuried(context, key, kind, id);
  throw new ApiProblem('not-found', message('record_not_found', { kind, id: id?.slice(0, 80) ?? '' }));
}

/** Retention removed the operation; its tombstone is shown to keys with access. */
async function refuseBuried({ queries }: ApiContext, key: ApiKey, kind: Kind, id: string): Promise<void> {
  const buried = await queries.buried(id);
  if (buried?.kind !== kind || !mayUseAccount(key, buried.account)) return;
  const { state, amount, finishedAt } = buried;
  const finished = new Date(finishedAt).toISOString();
  const detail = message('operation_removed', { kind, id, state, at: finished });
  throw new ApiProblem('removed', detail, {
    state,
    finishedAt: finished,
    ...(amount === undefined ? {} : { amount }),
  });
}

/** Accepted, or a repeated request; every other outcome is a problem. */
export function takeAnswer(answer: Answer): Extract<Answer, { id: string }> {
  if (answer.outcome === 'conflict') {
    throw new ApiProblem('conflict', message('identity_used', { id: answer.existingId }), {
      existingId: answer.existingId,
      ...(answer.differs.length > 0 ? { differs: answer.differs } : {}),
    });
  }
  if (answer.outcome === 'invalid') {
    const identity = answer.problems.find((problem) => problem.message.code === 'identity_required');
    if (identity && answer.problems.length === 1) {
      throw new ApiProblem(
        'no-identity',
        message('problem_at', { pointer: identity.pointer, problem: identity.message }),
      );
    }
    throw invalid(answer.problems);
  }
  return answer;
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
