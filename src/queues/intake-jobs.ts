/** The retained data of accepted requests, and an erased person's data in waiting ones. */
import type { Job, Queue } from 'bullmq';
import { asDeclared, kinds } from '../kinds/index.ts';
import { intake } from './index.ts';

const JOBS_AT_ONCE = 500;
const OPEN = ['waiting', 'delayed', 'prioritized', 'active'] as const;
const OVER = ['completed', 'failed'] as const;
/** These become accounting records as soon as a worker accepts them. */
const MONEY: readonly unknown[] = kinds.filter((kind) => asDeclared(kind).area !== 'messaging');

/** Called for a job right before its removal. */
type Before = () => Promise<void>;

export interface ForgottenJobs {
  readonly looked: number;
  readonly removed: number;
  /** They are being accepted, or are about money, and were not changed. */
  readonly open: number;
  /** The next position; absent at the end. */
  readonly next?: number;
}

export class IntakeJobs {
  readonly #queue: Queue;

  constructor(queue: Queue) {
    this.#queue = queue;
  }

  /** BullMQ removes by age only when another job ends: on a quiet queue old jobs would stay for ever. */
  async forgetOld(): Promise<void> {
    for (const state of OVER) {
      for (;;) {
        const removed = await this.#queue.clean(intake.keepSeconds * 1_000, JOBS_AT_ONCE, state);
        if (removed.length < JOBS_AT_ONCE) break;
      }
    }
  }

  /** Removes the jobs that `isAbout` finds, a bounded number of jobs per call. */
  async forget(
    isAbout: (text: string) => boolean,
    { from = 0, before }: { readonly from?: number; readonly before?: Before } = {},
  ): Promise<ForgottenJobs> {
    const jobs: (Job | undefined)[] = await this.#queue.getJobs(
      [...OPEN, ...OVER],
      from,
      from + JOBS_AT_ONCE - 1,
      true,
    );
    const there = jobs.filter((job) => job !== undefined);
    let removed = 0;
    let open = 0;
    for (const job of there) {
      if (!isAbout(wordsOf(job))) continue;
      if (await this.#remove(job, before)) removed += 1;
      else open += 1;
    }
    if (there.length > 0) return { looked: there.length, removed, open, next: from + JOBS_AT_ONCE - removed };
    return { looked: 0, removed, open };
  }

  async #remove(job: Job, before?: Before): Promise<boolean> {
    const data: unknown = job.data;
    const isMoney = typeof data === 'object' && data !== null && 'kind' in data && MONEY.includes(data.kind);
    if (isMoney && job.finishedOn === undefined) return false;
    if (await job.isActive()) return false;
    await before?.();
    await job.remove();
    return true;
  }
}

function wordsOf({ name, id, data, failedReason, returnvalue, stacktrace }: Job): string {
  return JSON.stringify([name, id, data, failedReason, returnvalue, stacktrace]);
}
