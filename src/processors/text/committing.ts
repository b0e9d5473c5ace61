/** What an attempt asks of a step of its slice, and what came of it. */
import type { Request } from '../../operations/slice-form.ts';
import type { WhyNotMore } from '../../operations/slices.ts';

/** A request before it has its number. */
export type Draft = Pick<Request, 'is' | 'part' | 'from' | 'letters'> &
  Partial<Pick<Request, 'codes' | 'looks' | 'dueAt'>>;

interface Ending {
  /** When it is due to send again, and to be looked at, ms from now. */
  readonly sendInMs?: number | 'as it is' | undefined;
}

export interface Committing {
  readonly leaving?: readonly Draft[];
  readonly optOutsOf?: readonly string[];
  readonly tried?: boolean;
  /** Absent: the lease is kept. */
  readonly ending?: Ending;
  readonly recounted?: boolean;
  readonly inRecovery?: boolean;
}

export type Committed =
  | {
      readonly is: 'kept';
      /** The requests that may leave from here on. */
      readonly left: readonly Request[];
      readonly why: WhyNotMore | 'fence';
      readonly waitMs: number;
      /** Hundredths of XOF that are left of a budget that stops more. */
      readonly spare: number;
      readonly rev: number;
      /** Marks of the texts that are open elsewhere. */
      readonly busy: readonly string[];
      /** Why nobody knows whether what was written is durable. */
      readonly failure?: unknown;
    }
  | { readonly is: 'lost'; readonly reason: string };
