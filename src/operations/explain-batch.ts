/** The explanation of a batch: how many people were paid, how many were not, and what to do about them. */
import type { Sum } from '../kinds/batch.ts';
import { outcomesOf, toldInOrder } from '../kinds/batch-outcome.ts';
import { counted, money } from '../messages/figures.ts';
import { wordsIn } from '../messages/languages.ts';
import { explainOther, rejectionOf } from './explain.ts';
import { type Circumstances, type Explanation, sentencesOf } from './explanation.ts';
import type { BatchRecord } from './record.ts';

/** `states`: its rows by current state. */
export function explainBatch(
  record: BatchRecord,
  states: Readonly<Record<string, Sum>>,
  around: Circumstances,
): Explanation {
  const { id, state, fileName = '', totals } = record;
  const say = sentencesOf(around).batch;
  const {
    figures,
    batch: { outcomes: words },
  } = wordsIn(around.language ?? 'en');
  const outcomes = outcomesOf(states);
  const outcomesSaid = toldInOrder
    .filter((outcome) => outcomes[outcome].count > 0)
    .map((outcome) => {
      const { count, xof } = outcomes[outcome];
      return say.outcome(words[outcome](counted(count, figures), count), money(xof, figures));
    });
  const begins = say.whole(counted(totals.count, figures), totals.count, money(totals.xof, figures), fileName);
  const next = [
    ...(outcomes.uncertain.count > 0 ? [say.decide] : []),
    ...(outcomes.notPaid.count > 0 ? [say.seeUnpaid(id)] : []),
    ...(outcomes.notPaid.count > 0 && state === 'finished' ? [say.payAgain(id)] : []),
  ].join(' ');
  const says = [...rejectionOf(record, sentencesOf(around)), ...outcomesSaid];
  return explainOther(record, around, { begins, says, ...(state === 'finished' && next !== '' ? { next } : {}) });
}
