/** A campaign and its requests in the model. */
import type { Letter } from '../../src/ledger/sms-rows.ts';

export interface Request {
  readonly n: number;
  readonly size: number;
  readonly members: readonly number[];
  readonly before: 'f' | 'u' | undefined;
  readonly part: boolean;
  readonly state: 'queued' | 'sending' | 'refused' | 'unknown' | 'settled';
  readonly outcome: string | undefined;
  readonly codes: readonly string[] | undefined;
  readonly hasCountries: boolean;
  readonly sends: number;
  readonly checks: number;
  readonly sentAt: number | undefined;
  readonly dueAt: number | undefined;
  readonly lease: string | undefined;
  readonly leaseUntil: number | undefined;
  readonly sendUntil: number | undefined;
  readonly holder: string | undefined;
}

export interface Campaign {
  readonly number: string;
  readonly id: string;
  readonly account: string;
  readonly recipients: number;
  version: number;
  state: 'running' | 'paused' | 'held' | 'finished' | 'cancelled';
  turn: number;
  open: number;
  extra: number;
  resent: number;
  judgedOver: number;
  judgedUnknown: number;
  readonly counts: Record<'sent' | 'failed' | 'unknown' | 'skipped' | 'expired' | 'cancelled', number>;
  readonly requests: Request[];
}

export const COUNTED = { s: 'sent', f: 'failed', u: 'unknown', x: 'skipped', e: 'expired', c: 'cancelled' } as const;

export const NEW = {
  before: undefined,
  part: false,
  state: 'queued',
  outcome: undefined,
  codes: undefined,
  hasCountries: false,
  sends: 0,
  checks: 0,
  sentAt: undefined,
  dueAt: undefined,
  lease: undefined,
  leaseUntil: undefined,
  sendUntil: undefined,
  holder: undefined,
} as const;

export const isQueued = ({ state }: Request): boolean => state === 'queued';
export const letterCount = (letters: string | undefined, letter: string): number =>
  (letters ?? '').split(letter).length - 1;

/** Recipients get back their earlier status. */
export function cancelled(request: Request): Request {
  const outcome = (request.before ?? 'c').repeat(request.size);
  return { ...request, state: 'settled', outcome, lease: undefined, leaseUntil: undefined };
}

export function codesOf({ codes, size }: Request): readonly string[] {
  const all = codes ?? [''];
  return all.length === 1 ? Array.from({ length: size }, () => all[0] ?? '') : all;
}

/** The newest letter of each recipient; undefined: its request is not settled. */
export function statusesOf({ requests, recipients }: Campaign): readonly (Letter | undefined)[][] {
  const all = Array.from({ length: recipients }, (): (Letter | undefined)[] => []);
  for (const { members, outcome } of requests) {
    for (const [at, recipient] of members.entries()) {
      const letter = outcome?.[at] as Letter | undefined;
      if (letter !== '-') all[recipient]?.push(letter);
    }
  }
  return all;
}

/** Of written letters only `u` changes. */
export function merged(was: string | undefined, letters: string | undefined): string | undefined {
  if (was === undefined || letters === undefined) return letters ?? was;
  return Array.from(was, (letter, at) => (letter === 'u' ? letters[at] : letter)).join('');
}
