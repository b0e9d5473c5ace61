/**
 * Takes in requests from any BullMQ client, in any language. The job's result is `{id, outcome}`; a request with a
 * problem fails with every problem named, and nothing is recorded.
 */
import type { Job } from 'bullmq';
import { UnrecoverableError } from 'bullmq';
import type { Clock } from '../lib/clock.ts';
import { type Announce, stopwatch } from './run.ts';

/** The shape of what producer/acceptance.ts answers; handed in, since both stand on the same row. */
type Answer =
  | { readonly outcome: 'accepted' | 'duplicate'; readonly id: string }
  | { readonly outcome: 'conflict'; readonly existingId: string }
  | { readonly outcome: 'invalid'; readonly problems: readonly { pointer: string; message: string }[] };

export interface IntakeOptions {
  /** `fallback` identifies a request that names itself by nothing: the job, so that a job that runs twice asks once. */
  readonly accept: Readonly<Record<string, (request: unknown, fallback: string) => Promise<Answer>>>;
  /** Why nothing can be accepted now, if so: what is answered must survive a power loss. */
  readonly refusal: () => string | undefined;
  readonly clock: Clock;
  readonly announce: Announce;
}

export function intakeProcessor({ accept, refusal, clock, announce }: IntakeOptions) {
  return async (job: Pick<Job, 'data' | 'id' | 'timestamp'>): Promise<{ id: string; outcome: string }> => {
    const closed = refusal();
    if (closed) throw new Error(`nothing was recorded, add the job again later: ${closed}`);
    const elapsedMs = stopwatch(clock);
    const answer = await take(job.data, accept, `intake.${job.id}.${job.timestamp}`);
    const id = 'id' in answer ? answer.id : 'existingId' in answer ? answer.existingId : '';
    const did = answer.outcome === 'invalid' || answer.outcome === 'conflict' ? 'refused' : 'advanced';
    announce({ queue: 'intake', id, settlement: { did, because: answer.outcome }, durationMs: elapsedMs() });
    if (answer.outcome === 'invalid') throw new UnrecoverableError(describe(answer.problems));
    if (answer.outcome === 'conflict') {
      throw new UnrecoverableError(
        `conflict: this reference already stands for another request, ${answer.existingId}`,
      );
    }
    return { id: answer.id, outcome: answer.outcome };
  };
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
  return `refused, nothing was recorded: ${problems.map(({ pointer, message }) => `${pointer || 'the job'} ${message}`).join('; ')}`;
}
