/** The data of a finished `intake` job: the answer replaces the request. */
import type { Rejection } from '../kinds/intake.ts';
import type { RefusedRequest } from './rejection.ts';

export const CONFLICT = 'conflict';
/** The acceptance failed: whether the request was accepted is unknown. */
export const UNCONFIRMED = 'unconfirmed';
/** The job was added while relais recovers. */
export const RESTORED = 'restored';
export const OTHER_ENVIRONMENT = 'other_environment';

export interface JobAnswer {
  /** For a conflict: the id of the existing operation. */
  readonly id: string;
  readonly outcome: string;
  /** Only for a conflict: JSON pointers to the fields that differ. */
  readonly differs?: readonly string[];
  /** Only for a refused request, as is the next field. */
  readonly problems?: Rejection['problems'];
  readonly request?: RefusedRequest;
  /** ENVIRONMENT of the workers, if the request is for another one. */
  readonly environment?: string;
  /** The rest of the answer to a batch. */
  readonly batch?: object;
}

const NAMES: ReadonlySet<string> = new Set([
  'id',
  'outcome',
  'differs',
  'problems',
  'request',
  'environment',
  'batch',
] satisfies (keyof JobAnswer)[]);

/** Undefined: the data is still a request. */
export function answerIn(data: unknown): JobAnswer | undefined {
  if (typeof data !== 'object' || data === null || 'kind' in data) return undefined;
  const { id, outcome } = data as Record<string, unknown>;
  if (typeof id !== 'string' || typeof outcome !== 'string') return undefined;
  // Written by a worker, or by a recovery that erased the request.
  return Object.keys(data).every((name) => NAMES.has(name)) ? (data as JobAnswer) : undefined;
}
