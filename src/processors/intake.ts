/**
 * Takes in requests from any BullMQ client, in any language. The job's result is `{id, outcome}`; a request with a
 * problem fails with every problem named, and nothing is recorded.
 *
 * Requests hold one-time passwords and telephone numbers, and BullMQ keeps a job after it is over. So what was asked is
 * replaced by `{id, outcome}` before the job ends, whichever way it ends. Replacing asks for no lock; it need not: an
 * attempt that was overtaken writes what the other one wrote, and one that comes later answers what it finds.
 */
import type { Job } from 'bullmq';
import { UnrecoverableError } from 'bullmq';
import type { Clock } from '../lib/clock.ts';
import { readJson } from '../lib/json.ts';
import { maskPhone } from '../lib/phone.ts';
import { type Traces, takenFrom, traced } from '../lib/traces.ts';
import { notTheSame } from '../operations/differing.ts';
import { Recovering } from '../operations/heartbeat.ts';
import { RESTORED } from '../operations/restored.ts';
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

function intake({ accept, refusal, recovering, clock, announce }: Omit<IntakeOptions, 'traces'>) {
  return async (job: IntakeJob): Promise<Kept> => {
    const kept = keptIn(job.data);
    if (kept) return endAgain(kept);
    if (recovering()) return giveUp(job);
    const closed = refusal();
    if (closed) {
      await job.updateData({ id: '', outcome: 'failed' });
      throw new Error(`nothing was recorded, add the job again later: ${closed}`);
    }
    const elapsedMs = stopwatch(clock);
    let known: Kept = { id: '', outcome: UNCONFIRMED };
    let answer: Answer;
    try {
      answer = await take(job.data, accept, `intake.${job.id}.${job.timestamp}`);
      known = keptOf(answer);
      const outcome = answer.outcome === 'invalid' || answer.outcome === 'conflict' ? 'refused' : 'advanced';
      const result = { outcome, reason: answer.outcome } as const;
      announce({ queue: 'intake', id: known.id, result, durationMs: elapsedMs() });
      await job.updateData(known);
    } catch (error) {
      // Noticed by the very script that accepts.
      if (error instanceof Recovering) return giveUp(job);
      await job.updateData(known);
      throw error;
    }
    return end(answer);
  };
}

/** Redis took the request, or did not: its answer was lost. */
const UNCONFIRMED = 'unconfirmed';

function keptOf(answer: Answer): Kept {
  const id = 'id' in answer ? answer.id : 'existingId' in answer ? answer.existingId : '';
  return { id, outcome: answer.outcome };
}

type IntakeJob = Pick<Job, 'data' | 'id' | 'timestamp' | 'updateData'> & {
  readonly opts?: Pick<Job['opts'], 'telemetry'>;
};

/** What a job that is over holds, and answers where it was accepted. */
interface Kept {
  readonly id: string;
  readonly outcome: string;
}

/** "Add it again" would be bad advice: nobody here knows whether it was carried out. */
async function giveUp(job: IntakeJob): Promise<Kept> {
  const kept = { id: '', outcome: RESTORED };
  await job.updateData(kept);
  return endAgain(kept);
}

function end(answer: Answer): Kept {
  if (answer.outcome === 'invalid') throw new UnrecoverableError(describe(answer.problems));
  if (answer.outcome === 'conflict') throw new UnrecoverableError(conflictWith(answer.existingId, answer.differs));
  return { id: answer.id, outcome: answer.outcome };
}

function conflictWith(id: string, differs: readonly string[] = []): string {
  return `conflict: this reference already stands for another request, ${id}${notTheSame(differs)}`;
}

function keptIn(data: unknown): Kept | undefined {
  if (typeof data !== 'object' || data === null || 'kind' in data) return undefined;
  const { id, outcome, ...more } = data as Record<string, unknown>;
  if (typeof id !== 'string' || typeof outcome !== 'string' || Object.keys(more).length > 0) return undefined;
  return { id, outcome };
}

/** A text without a reference would go out twice where somebody added it anew. */
const NOT_KNOWN =
  'whether it was accepted is not known, and what was asked is no longer kept: under the same reference it may be added anew, and without one look first';

/** The process that took it in ended before it could say so, or somebody lets a job that is over run once more. */
function endAgain(kept: Kept): Kept {
  if (kept.outcome === 'accepted' || kept.outcome === 'duplicate') return kept;
  if (kept.outcome === UNCONFIRMED) throw new UnrecoverableError(NOT_KNOWN);
  if (kept.outcome === 'conflict') throw new UnrecoverableError(conflictWith(kept.id));
  if (kept.outcome === RESTORED) {
    throw new UnrecoverableError(
      'refused, nothing was recorded: the job stood in a Redis that may have lost something, and may have been carried out since; look before you add it anew',
    );
  }
  throw new UnrecoverableError('refused, nothing was recorded; what was asked is no longer kept: add it anew');
}

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

function describe(problems: readonly { pointer: string; message: string }[]): string {
  const told = problems.map(
    ({ pointer, message }) => `${pointer === '' ? 'the job' : named(pointer)} ${unquoted(message)}`,
  );
  return `refused, nothing was recorded: ${told.join('; ')}`;
}

/** A failed job is kept for a day: a name in it that could be a code or a person is left out. */
function named(pointer: string): string {
  return pointer.replace(/[^/]+/g, (name) => (/^(?:[A-Za-z][A-Za-z_]{0,31}|\d{1,3})$/.test(name) ? name : '…'));
}

/** So is what a message quotes of the request. */
function unquoted(message: string): string {
  return maskPhone(message.replace(/"[^"]*"|“[^”]*”/g, '"…"'));
}
