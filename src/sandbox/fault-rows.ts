/** What a row of the fault table can say. */
import type { CallbackEncoding } from './encodings.ts';

type Stage = 'listen' | 'before' | 'work' | 'after' | 'callback';

/** What happens on the wire instead of the honest answer. */
export type Act =
  | 'hang'
  | 'reset'
  | 'close'
  | 'answer 5xx'
  | 'answer 5000'
  | 'answer maintenance'
  | 'answer 429'
  | 'answer HTML'
  | 'answer nothing'
  | 'answer an unknown code'
  | 'answer a given code'
  | 'redirect'
  | 'cut the JSON'
  | 'break off'
  | 'wait'
  | 'work late';

export interface FaultRow {
  readonly stage: Stage;
  readonly does: string;
  /**
   * Operations it can strike: full names, or a family (`disbursement` means all of `disbursement.*`); `*` is every
   * request.
   */
  readonly on: readonly string[];
  readonly act?: Act;
  readonly encoding?: CallbackEncoding;
}
