/** Values that must not appear in an SMS: programs' words for "nothing", and damaged words. */
import { damageIn, repaired } from './damage.ts';

export const takable = ['no_value', 'damaged_value'] as const;
export type Takable = (typeof takable)[number];

export interface Doubt {
  readonly is: Takable;
  /** Absent: no original, or letters are lost. */
  readonly meant?: string;
}

/** `Nan` and `Nil` are names of people, `nan` is Python's. */
const NO_VALUE =
  /^(?:nan|NaN|[Nn]one|NONE|NA|nil|\\N|#N\/A.*|[-–—_.?*/\\#]+|(?:true|false|vrai|faux)|[([<{]?(?:null|undefined|nil|n\/a|n\.a\.?)[)\]>}]?)$/;
const NO_VALUE_IN_ANY_CASE = /^(?:true|false|vrai|faux|[([<{]?(?:null|undefined|n\/a|n\.a\.?)[)\]>}]?)$/i;

/** An unreplaced variable of another program, and accents that became question marks. */
const UNFILLED = /\{\{[^{}]*\}\}|\$\{[^{}]*\}/;
const QUESTION_MARKS = /\p{L}\?\p{L}/u;

/** Undefined: an ordinary value. */
export function doubtIn(value: string): Doubt | undefined {
  if (NO_VALUE.test(value) || NO_VALUE_IN_ANY_CASE.test(value)) return { is: 'no_value' };
  if (UNFILLED.test(value)) return { is: 'damaged_value' };
  // In a link a question mark may be between letters.
  if (QUESTION_MARKS.test(value) && !/[/=]/.test(value)) return { is: 'damaged_value' };
  const traces = damageIn(value);
  if (traces.length === 0) return undefined;
  const meant = repaired(value, traces);
  return { is: 'damaged_value', ...(meant !== undefined && { meant }) };
}
