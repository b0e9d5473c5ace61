/** The protocol with a switch for everything that was argued about, and for every guard. */
export interface Configuration {
  readonly mode: 'resubmit' | 'strict';
  /** What upstream does with a second submit. */
  readonly uniqueId: boolean;
  readonly singleUse: boolean;
  /** A status may be old: `created` after a submit was executed. */
  readonly stale: boolean;
  /** `created` counts only while no request can still be on its way and no process can still send one. */
  readonly quiet: boolean;
  /** Every answered write is durable at once. */
  readonly everyWriteDurable: boolean;
  readonly fence: boolean;
  readonly reread: boolean;
  /** The operation id is part of what is read again. */
  readonly rereadOp: boolean;
  readonly leaseCheck: boolean;
  readonly randomLease: boolean;
  readonly fixedId: boolean;
  readonly sameToken: boolean;
  readonly doubt5000: boolean;
  /** No answer is taken for "never sent". */
  readonly silenceIsNeverSent: boolean;
  /** Everything in Redis is lost, and the caller asks again with the same key. */
  readonly totalLoss: boolean;
  readonly bounds: Bounds;
}

export interface Bounds {
  readonly acquisitions: number;
  readonly kills: number;
  readonly rollbacks: number;
  readonly timeouts: number;
  readonly neverSent: number;
}

/** Enough for every story below; the long run goes further. */
export const SHALLOW: Bounds = { acquisitions: 3, kills: 1, rollbacks: 1, timeouts: 1, neverSent: 0 };
export const DEEPER: Bounds = { acquisitions: 4, kills: 1, rollbacks: 1, timeouts: 2, neverSent: 1 };

export const AS_BUILT = {
  stale: false,
  quiet: false,
  everyWriteDurable: false,
  fence: true,
  reread: true,
  rereadOp: true,
  leaseCheck: true,
  randomLease: true,
  fixedId: true,
  sameToken: true,
  doubt5000: true,
  silenceIsNeverSent: false,
  totalLoss: false,
} as const;

const resubmit = { ...AS_BUILT, mode: 'resubmit' } as const;
const both = { ...resubmit, uniqueId: true, singleUse: true } as const;
const neither = { ...resubmit, uniqueId: false, singleUse: false } as const;
/** The worst upstream there can be, and nothing sent twice. */
const strict = { ...AS_BUILT, mode: 'strict', uniqueId: false, singleUse: false, stale: true } as const;

const quietDurable = { ...neither, quiet: true, everyWriteDurable: true } as const;

interface Row extends Omit<Configuration, 'bounds'> {
  readonly title: string;
  /** Where another depth shows it better. */
  readonly bounds?: Bounds;
}

/** One loss of everything is trouble enough. */
const LOSS: Bounds = { acquisitions: 3, kills: 0, rollbacks: 0, timeouts: 1, neverSent: 0 };

export const safe: readonly Row[] = [
  { title: 'resubmit, both promises', ...both },
  { title: 'resubmit, both promises, stale status', ...both, stale: true },
  { title: 'resubmit, only the id is unique, stale status', ...both, singleUse: false, stale: true },
  { title: 'resubmit, only the token is single-use, stale status', ...both, uniqueId: false, stale: true },
  { title: 'resubmit, no promise, but a quiet period that holds', ...neither, quiet: true },
  { title: 'strict, no promise, stale status', ...strict },
  { title: 'resubmit, a quiet period that holds, every write durable', ...quietDurable },
  { title: 'strict, every write durable', ...strict, everyWriteDurable: true },
  { title: 'total loss, the id is unique', ...both, singleUse: false, totalLoss: true, bounds: LOSS },
  // The operation id in what is read again says as much as the lease does.
  { title: 'strict with leases that repeat', ...strict, randomLease: false },
];

/** Many attempts, one after the other, without other trouble. */
const LONG: Bounds = { acquisitions: 5, kills: 0, rollbacks: 0, timeouts: 1, neverSent: 0 };

/** Taken away one at a time: each must be missed. */
export const broken: readonly Row[] = [
  { title: 'resubmit, no promise', ...neither },
  { title: 'resubmit, no promise, quiet period, but stale status', ...neither, quiet: true, stale: true },
  { title: 'strict without the fence', ...strict, fence: false },
  { title: 'strict without the second reading', ...strict, reread: false },
  {
    title: 'resubmit with a quiet period, without the lease check',
    ...quietDurable,
    leaseCheck: false,
    bounds: { ...LONG, timeouts: 0, neverSent: 1 },
  },
  { title: 'strict with leases that repeat, and no operation id', ...strict, randomLease: false, rereadOp: false },
  { title: 'strict with another token when created', ...strict, sameToken: false, bounds: LONG },
  { title: 'resubmit with another token and another id', ...both, sameToken: false, fixedId: false, bounds: LONG },
  { title: '5000 taken for a failure, both promises', ...both, doubt5000: false },
  { title: 'silence taken for never sent', ...strict, silenceIsNeverSent: true },
  { title: 'total loss, only the token is single-use', ...both, uniqueId: false, totalLoss: true, bounds: LOSS },
  { title: 'total loss, another id each time', ...both, fixedId: false, totalLoss: true, bounds: LOSS },
];
