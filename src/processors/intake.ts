/**
 * Accepts requests from any BullMQ client, in any language. The job's result is `{id, outcome}`. An invalid request
 * fails with all its problems and is not recorded; the refusal is reported (event `intake.rejected`).
 *
 * Requests contain one-time passwords and phone numbers, and BullMQ keeps finished jobs. So before the job ends in
 * any way, `{id, outcome}` or the problems replace the request. Replacing needs no lock: a superseded attempt writes
 * the same data, and a later one answers from it.
 */
import type { Job } from 'bullmq';
import { UnrecoverableError } from 'bullmq';
import type { Clock } from '../lib/clock.ts';
import type { Rejection } from '../kinds/intake.ts';
import { derivedId } from '../lib/ids.ts';
import { readJson } from '../lib/json.ts';
import { type Traces, takenFrom, traced } from '../lib/traces.ts';
import { notTheSame } from '../operations/differing.ts';
import { LedgerClosed, isLedgerAway } from '../ledger/errors.ts';
import {
  CONFLICT,
  type JobAnswer,
  OTHER_ENVIRONMENT,
  RESTORED,
  UNCONFIRMED,
  answerIn,
} from '../queues/intake-answer.ts';
import { masked, redacted, refusedRequest, withoutValues } from '../queues/rejection.ts';
import { type Announce, stopwatch } from './run.ts';
import type { Message } from '../messages/message.ts';
import { textOf } from '../messages/texts.ts';

type Answer =
  | { readonly outcome: 'accepted' | 'duplicate'; readonly id: string }
  | { readonly outcome: 'conflict'; readonly existingId: string; readonly differs: readonly string[] }
  | { readonly outcome: 'invalid'; readonly problems: readonly { pointer: string; message: Message }[] };

type BatchAnswer = Pick<JobAnswer, 'id' | 'outcome'> & { readonly problems?: unknown; readonly warnings?: unknown };

interface AskedAs {
  /** Identity of a request without an explicit one: the job id, so a job that runs again is the same request. */
  readonly fallback: string;
  readonly idempotencyKey: string | undefined;
}

export interface IntakeOptions {
  readonly accept: Readonly<Record<string, (request: unknown, asked: AskedAs) => Promise<Answer>>>;
  /** A batch from the library. The job ends with the whole answer. */
  readonly batch?: (request: Readonly<Record<string, unknown>>) => Promise<BatchAnswer>;
  /** ENVIRONMENT of this worker. */
  readonly environment: string;
  /** The ledger may be restored from a backup: this job may have been executed since. */
  readonly recovering: () => boolean;
  readonly clock: Clock;
  readonly announce: Announce;
  /** Stores a refusal and emits its event. Idempotent by its id. */
  readonly reject: (rejection: Rejection) => Promise<unknown>;
  readonly traces?: Traces | undefined;
}

export function intakeProcessor({ traces, ...options }: IntakeOptions) {
  const process = intake(options);
  return (job: IntakeJob): Promise<JobAnswer> =>
    traced(
      traces,
      () => ({
        name: 'process intake',
        kind: 'consumer',
        begins: true,
        traceparent: traceparentOf(job),
        attributes: takenFrom('intake'),
      }),
      () => process(job),
    );
}

/** The trace context that BullMQ stores for a program with `bullmq-otel`. */
function traceparentOf({ opts }: IntakeJob): string | undefined {
  const read = readJson(opts?.telemetry?.metadata ?? '');
  const carried = 'value' in read ? read.value : undefined;
  if (typeof carried !== 'object' || carried === null || !('traceparent' in carried)) return undefined;
  return typeof carried.traceparent === 'string' ? carried.traceparent : undefined;
}

function intake(options: Omit<IntakeOptions, 'traces'>) {
  const { recovering, clock, announce } = options;
  const desk = deskOf(options);
  return async (job: IntakeJob): Promise<JobAnswer> => {
    const kept = answerIn(job.data);
    if (kept) return desk.again(job, kept);
    const elapsedMs = stopwatch(clock);
    if (recovering()) return desk.refuse(job, restored(), elapsedMs);
    const answer = await take(job, options).catch(async (error: unknown) => {
      // The accepting statement itself detects this.
      if (isRecovering(error)) return desk.refuse(job, restored(), elapsedMs);
      if (isPassing(error)) throw error;
      await job.updateData({ id: '', outcome: UNCONFIRMED });
      throw error;
    });
    if (isRefusal(answer)) return desk.refuse(job, answer, elapsedMs);
    announce({ queue: 'intake', id: answer.id, result: advanced(answer.outcome), durationMs: elapsedMs() });
    await store(job, answer);
    return answer;
  };
}

/** A request that stays in a finished job exposes secrets, so the replacement is tried twice. */
async function store(job: IntakeJob, known: JobAnswer): Promise<void> {
  await job.updateData(known).catch(async (error: unknown) => {
    await job.updateData(known);
    throw error;
  });
}

/** A fenced process accepts nothing, but the ledger of its successor is open. */
const isRecovering = (error: unknown): boolean =>
  error instanceof LedgerClosed && ['recovering', 'restored', 'epoch'].includes(error.reason);

/**
 * A passing failure: nothing is refused. The job is taken again later as the same request, identified by the job if
 * it has no other identity.
 */
export const isPassing = (error: unknown): boolean => isLedgerAway(error) || error instanceof LedgerClosed;

const advanced = (reason: string) => ({ outcome: 'advanced', reason }) as const;

type IntakeJob = Pick<Job, 'data' | 'id' | 'timestamp' | 'updateData'> & {
  readonly opts?: Pick<Job['opts'], 'telemetry'>;
};

type Refusal = JobAnswer & Required<Pick<JobAnswer, 'problems'>>;

function deskOf({ announce, reject }: Pick<IntakeOptions, 'announce' | 'reject'>) {
  const end = async (job: IntakeJob, kept: JobAnswer): Promise<never> => {
    await reject(rejectionOf(job, kept));
    throw new UnrecoverableError(describe(kept));
  };
  return {
    async refuse(job: IntakeJob, refusal: Refusal, elapsedMs: () => number): Promise<never> {
      const { id, outcome, problems } = refusal;
      const kept = { ...refusal, problems: redacted(problems), request: refusedRequest(job.data) };
      const result = { outcome: 'refused', reason: outcome } as const;
      const rejected = rejectionOf(job, kept);
      announce({ queue: 'intake', id, result, durationMs: elapsedMs(), rejected });
      await store(job, kept);
      return end(job, kept);
    },
    /** The process that took the job ended before its report, or an operator reruns a finished job. */
    async again(job: IntakeJob, kept: JobAnswer): Promise<JobAnswer> {
      if (kept.batch || kept.outcome === 'accepted' || kept.outcome === 'duplicate') return kept;
      if (kept.outcome === UNCONFIRMED) throw new UnrecoverableError(NOT_KNOWN);
      return end(job, kept.problems ? kept : { ...kept, problems: forgotten(kept.outcome) });
    },
  };
}

function rejectionOf(
  job: IntakeJob,
  { id, problems = [], request = refusedRequest(undefined) }: JobAnswer,
): Rejection {
  return {
    id: derivedId('rej', String(job.id), String(job.timestamp)),
    jobId: masked(String(job.id)),
    ...request,
    ...(id === '' ? {} : { existingId: id }),
    problems,
  };
}

/** Do not advise the caller to add the job again: relais does not know whether it was executed. */
function restored(): Refusal {
  return { id: '', outcome: RESTORED, problems: forgotten(RESTORED) };
}

function isRefusal(answer: JobAnswer): answer is Refusal {
  return answer.problems !== undefined;
}

function jobAnswer(answer: Answer): JobAnswer {
  if (answer.outcome === 'invalid') {
    const problems = answer.problems.map(({ pointer, message }) => ({ pointer, message: textOf(message) }));
    return { id: '', outcome: answer.outcome, problems };
  }
  if (answer.outcome !== 'conflict') return { id: answer.id, outcome: answer.outcome };
  const { existingId, differs } = answer;
  const message = `conflict: already used by another request, ${existingId}${notTheSame(differs)}`;
  return { id: existingId, outcome: CONFLICT, differs, problems: [{ pointer: '/reference', message }] };
}

function forgotten(outcome: string): Rejection['problems'] {
  const message =
    outcome === RESTORED
      ? 'was added while relais recovers, and may have been carried out before: check before you add it again'
      : 'was refused before, and its request is no longer stored: add it again';
  return [{ pointer: '', message }];
}

/** An SMS without a reference would be sent twice if it were added again. */
const NOT_KNOWN =
  'relais does not know whether it was accepted, and its request is no longer stored: with a reference you can add it again, without one check first';

type Taking = Pick<IntakeOptions, 'accept' | 'batch' | 'environment'>;

async function take(
  { data: asked, id, timestamp }: IntakeJob,
  { accept, batch, environment: ours }: Taking,
): Promise<JobAnswer> {
  const data: unknown = asked;
  const kinds = Object.keys(accept).join(', ');
  if (typeof data !== 'object' || data === null || Array.isArray(data)) {
    return wrong('', `must be an object with a kind: ${kinds}`);
  }
  const { kind, environment = ours, idempotencyKey, ...request } = data as Record<string, unknown>;
  if (environment !== ours) return ofAnother(ours);
  if (idempotencyKey !== undefined && typeof idempotencyKey !== 'string') {
    return wrong('/idempotencyKey', 'must be a string');
  }
  if (kind === 'batch' && batch) return batchAnswer(await batch({ ...request, idempotencyKey }));
  const acceptKind = typeof kind === 'string' && Object.hasOwn(accept, kind) ? accept[kind] : undefined;
  if (!acceptKind) return wrong('/kind', `must be one of ${kinds}`);
  return jobAnswer(await acceptKind(request, { idempotencyKey, fallback: `intake.${id}.${timestamp}` }));
}

function wrong(pointer: string, message: string): Refusal {
  return { id: '', outcome: 'invalid', problems: [{ pointer, message }] };
}

/** Another deployment would use another account at the provider. */
function ofAnother(environment: string): Refusal {
  const message = `must be ${environment}, the ENVIRONMENT of the workers of this queue`;
  return { id: '', outcome: OTHER_ENVIRONMENT, environment, problems: [{ pointer: '/environment', message }] };
}

function batchAnswer({ id, outcome, ...batch }: BatchAnswer): JobAnswer {
  return { id, outcome, batch: withoutValues(batch) };
}

function describe({ problems = [] }: JobAnswer): string {
  const each = problems.map(({ pointer, message }) => `${pointer === '' ? 'the job' : pointer} ${message}`);
  return `refused, nothing was recorded: ${each.join('; ')}`;
}
