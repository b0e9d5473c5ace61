/** The display of a batch: finished with unpaid rows is not shown as done. */
import { type Tone, stateWord, toneOf } from '../words/states.ts';
import type { Words } from '../words/words.ts';
import { countIn } from './figures.tsx';

interface Sums {
  readonly notPaid: { readonly count: number };
  readonly uncertain: { readonly count: number };
}

interface Ended {
  readonly state: string;
  readonly outcome?: Sums | null;
}

interface Shown {
  readonly tone: Tone;
  readonly word: string;
  readonly sign?: Tone;
}

export function batchSign(words: Words, { state, outcome }: Ended): Shown {
  const word = stateWord(words.states, 'batch', state);
  if (state !== 'finished') return { tone: toneOf('batch', state), word };
  // Lists lack the outcome of an archived batch.
  if (!outcome) return { tone: 'off', word };
  const { finished } = words.paying;
  if (outcome.notPaid.count > 0)
    return { tone: 'uncertain', sign: 'asks', word: finished.notPaid(countIn(words, outcome.notPaid.count)) };
  if (outcome.uncertain.count > 0)
    return { tone: 'uncertain', word: finished.uncertain(countIn(words, outcome.uncertain.count)) };
  return { tone: 'done', word };
}
