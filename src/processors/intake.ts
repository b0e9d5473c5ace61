/**
 * Accepts requests from any BullMQ client, in any language. The job's result is `{id, outcome}`; a request with a
 * problem fails with every problem named, nothing is recorded, and the refusal is reported (event `intake.rejected`).
 *
 * Requests hold one-time passwords and phone numbers, and BullMQ keeps a finished job. So the request is replaced by
 * `{id, outcome}`, of a refused one with its problems, before the job ends, whichever way it ends. Replacing needs no
 * lock: an attempt that was overtaken writes the same, and a later one answers from what it finds.
 */
import type { Job } from 'bullmq';
import { UnrecoverableError } from 'bullmq';
import type { Clock } from '../lib/clock.ts';
import type { Rejection } from '../kinds/intake.ts';
import { derivedId } from '../lib/ids.ts';
import { readJson } from '../lib/json.ts';
import { type Traces, takenFrom, traced } from '../lib/traces.ts';
import { notTheSame } from '../operations/differing.ts';
import { LedgerClosed } from '../ledger/errors.ts';
import { Recovering } from '../operations/heartbeat.ts';
import { RESTORED } from '../operations/restored.ts';
import { masked, redacted, type RefusedRequest, refusedRequest } from '../queues/rejection.ts';
import { type Announce, stopwatch } from './run.ts';

/** The shape of what producer/acceptance.ts answers; handed in, since both stand on the same row. */
type Answer =
  | { readonly outcome: 'accepted' | 'duplicate'; readonly id: string }
  | { readonly outcome: 'conflict'; readonly existingId: string; readonly differs: readonly string[] }
  | { readonly outcome: 'invalid'; readonly problems: readonly { pointer: string; message: string }[] };

export interface IntakeOptions {
  /** `fallback` identifies a request that names itself by nothing: the job, so that a job that runs twice asks once. */
  readonly accept: Readonly<Record<string, (request: unknown, fallback: string) => Promise<Answer>>>;
  /** Why nothing can be accepted now, if so: what is answered must survive a power loss. */
  readonly refusal: () => string | undefined;
  /** Redis may have lost something: the job may be one that was carried out since. */
  readonly recovering: () => boolean;
  readonly clock: Clock;
  readonly announce: Announce;
  /** Stores a refusal and emits its event. Idempotent by its id. */
  readonly reject: (rejection: Rejection) => Promise<unknown>;
  readonly traces?: Traces | undefined;
}

export function intakeProcessor({ traces, ...options }: IntakeOptions) {
  const process = intake(options);
  return (job: IntakeJob): Promise<Kept> =>
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

/** As BullMQ keeps it for a program whose queue was given `bullmq-otel`. */
function traceparentOf({ opts }: IntakeJob): string | undefined {
  const read = readJson(opts?.telemetry?.metadata ?? '');
  const carried = 'value' in read ? read.value : undefined;
  if (typeof carried !== 'object' || carried === null || !('traceparent' in carried)) return undefined;
  return typeof carried.traceparent === 'string' ? carried.traceparent : undefined;
}

function intake(options: Omit<IntakeOptions, 'traces'>) {
  const { accept, refusal, recovering, clock, announce } = options;
  const desk = deskOf(options);
  return async (job: IntakeJob): Promise<Kept> => {
    const kept = keptIn(job.data);
    if (kept) return desk.again(job, kept);
    const elapsedMs = stopwatch(clock);
    if (recovering()) return desk.refuse(job, restored(), elapsedMs);
    const closed = refusal();
    if (closed) return desk.refuse(job, notNow(closed), elapsedMs);
    const answer = await take(job.data, accept, `intake.${job.id}.${job.timestamp}`).catch(async (error: unknown) => {
      // Noticed by the very statement that accepts.
      if (isRecovering(error)) return desk.refuse(job, restored(), elapsedMs);
      await job.updateData({ id: '', outcome: UNCONFIRMED });
      throw error;
    });
    if (!('id' in answer)) return desk.refuse(job, refusalIn(answer), elapsedMs);
    const known = { id: answer.id, outcome: answer.outcome };
    announce({ queue: 'intake', id: known.id, result: advanced(known.outcome), durationMs: elapsedMs() });
    await store(job, known);
    return known;
  };
}

/** A request that stays in a finished job is a secret that stays: tried twice. */
async function store(job: IntakeJob, known: Kept): Promise<void> {
  await job.updateData(known).catch(async (error: unknown) => {
    await job.updateData(known);
    throw error;
  });
}

/** A fenced process accepts nothing, but the ledger of its successor is open. */
const isRecovering = (error: unknown): boolean =>
  error instanceof Recovering ||
  (error instanceof LedgerClosed && ['recovering', 'restored', 'epoch'].includes(error.reason));

const advanced = (reason: string) => ({ outcome: 'advanced', reason }) as const;

/** Redis took the request, or did not: its answer was lost. */
const UNCONFIRMED = 'unconfirmed';

type IntakeJob = Pick<Job, 'data' | 'id' | 'timestamp' | 'updateData'> & {
  readonly opts?: Pick<Job['opts'], 'telemetry'>;
};

/** The data of a finished job, and its answer if it was accepted. */
interface Kept {
  readonly id: string;
  readonly outcome: string;
  /** Only for a refused request. */
  readonly problems?: Rejection['problems'];
  readonly request?: RefusedRequest;
}

interface Refusal {
  /** The operation that a conflict is with. */
  readonly id: string;
  readonly outcome: string;
  readonly problems: Rejection['problems'];
}

function deskOf({ announce, reject }: Pick<IntakeOptions, 'announce' | 'reject'>) {
  const end = async (job: IntakeJob, kept: Kept): Promise<never> => {
    await reject(rejectionOf(job, kept));
    throw new UnrecoverableError(describe(kept));
  };
  return {
    async refuse(job: IntakeJob, { id, outcome, problems }: Refusal, elapsedMs: () => number): Promise<never> {
      const kept = { id, outcome, problems: redacted(problems), request: refusedRequest(job.data) };
      const result = { outcome: 'refused', reason: outcome } as const;
      const rejected = rejectionOf(job, kept);
      announce({ queue: 'intake', id, result, durationMs: elapsedMs(), rejected });
      await store(job, kept);
      return end(job, kept);
    },
    /** The process that took the job ended before its report, or an operator runs a finished job again. */
    async again(job: IntakeJob, kept: Kept): Promise<Kept> {
      if (kept.outcome === 'accepted' || kept.outcome === 'duplicate') return kept;
      if (kept.outcome === UNCONFIRMED) throw new UnrecoverableError(NOT_KNOWN);
      return end(job, kept.problems ? kept : { ...kept, problems: forgotten(kept.outcome) });
    },
  };
}

function rejectionOf(job: IntakeJob, { id, problems = [], request = refusedRequest(undefined) }: Kept): Rejection {
  return {
    id: derivedId('rej', String(job.id), String(job.timestamp)),
    jobId: masked(String(job.id)),
    ...request,
    ...(id === '' ? {} : { existingId: id }),
    problems,
  };
}

/** "Add it again" would be bad advice: relais does not know whether it was carried out. */
function restored(): Refusal {
  return { id: '', outcome: RESTORED, problems: forgotten(RESTORED) };
}

function notNow(why: string): Refusal {
  const message = `cannot be accepted now, add it again later: ${why}`;
  return { id: '', outcome: 'failed', problems: [{ pointer: '', message }] };
}

function refusalIn(answer: Extract<Answer, { outcome: 'conflict' | 'invalid' }>): Refusal {
  if (answer.outcome === 'invalid') return { id: '', outcome: 'invalid', problems: answer.problems };
  const { existingId, differs } = answer;
  const message = `conflict: already used by another request, ${existingId}${notTheSame(differs)}`;
  return { id: existingId, outcome: 'conflict', problems: [{ pointer: '/reference', message }] };
}

/** Problems of a job whose request is no longer stored. */
function forgotten(outcome: string): Rejection['problems'] {
  const message =
    outcome === RESTORED
      ? 'was in a Redis that may have lost data, and may have been carried out since: check before you add it again'
      : 'was refused before, and its request is no longer stored: add it again';
  return [{ pointer: '', message }];
}

function keptIn(data: unknown): Kept | undefined {
  if (typeof data !== 'object' || data === null || 'kind' in data) return undefined;
  const { id, outcome, problems, request, ...more } = data as Record<string, unknown>;
  if (typeof id !== 'string' || typeof outcome !== 'string' || Object.keys(more).length > 0) return undefined;
  if (problems === undefined && request === undefined) return { id, outcome };
  // Written by `refuse`, or by a recovery that forgot the request.
  return data as Kept;
}

/** An SMS without a reference would be sent twice if it were added again. */
const NOT_KNOWN =
  'relais does not know whether it was accepted, and its request is no longer stored: with a reference you can add it again, without one check first';

async function take(data: unknown, accept: IntakeOptions['accept'], fallback: string): Promise<Answer> {
  const kinds = Object.keys(accept).join(', ');
  if (typeof data !== 'object' || data === null || Array.isArray(data)) {
    return { outcome: 'invalid', problems: [{ pointer: '', message: `must be an object with a kind: ${kinds}` }] };
  }
  const { kind, ...request } = data as Record<string, unknown>;
  const acceptKind = typeof kind === 'string' && Object.hasOwn(accept, kind) ? accept[kind] : undefined;
  if (!acceptKind)
    return { outcome: 'invalid', problems: [{ pointer: '/kind', message: `must be one of ${kinds}` }] };
  return acceptKind(request, fallback);
}

function describe({ problems = [] }: Kept): string {
  const each = problems.map(({ pointer, message }) => `${pointer === '' ? 'the job' : pointer} ${message}`);
  return `refused, nothing was recorded: ${each.join('; ')}`;
}
