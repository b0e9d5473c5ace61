/** A batch for callers: read alone with the current states of its rows, in a list as it finished. */
import type { Finding, Sum } from '../kinds/batch.ts';
import { outcomesOf } from '../kinds/batch-outcome.ts';
import type { StateOf } from '../kinds/index.ts';
import { APPROVE_WITHIN_MS } from '../kinds/batch-rows.ts';
import type { BatchRecord } from '../operations/record.ts';
import { progressOf } from '../producer/batch/report.ts';
import { languageFor } from './problem.ts';
import type { AnyAsked } from './route.ts';
import { viewOf } from './views.ts';
import type { Language } from '../messages/languages.ts';
import { findingTexts } from '../producer/batch/judge.ts';

const STATES_THAT_EXPIRE: readonly StateOf<'batch'>[] = ['awaiting_approval', 'expired'];

export async function batchAnswer({ context, request }: Pick<AnyAsked, 'context' | 'request'>, record: BatchRecord) {
  const [advice, states] = await Promise.all([
    context.batchAdvisor.adviceOn(record),
    progressOf(record, context.batches),
  ]);
  return batchView(record, { advice, states, language: languageFor(request) });
}

interface Seen {
  readonly advice: readonly Finding[];
  readonly states: Readonly<Record<string, Sum>>;
  readonly language: Language;
}

function batchView(record: BatchRecord, { advice, states, language }: Seen) {
  const { problems, warnings } = record;
  return viewOf<'batch'>(record, {
    problems: findingTexts(problems.list, language),
    problemCount: problems.count,
    warnings: findingTexts([...advice, ...warnings.list], language),
    warningCount: warnings.count + advice.length,
    expiresAt: STATES_THAT_EXPIRE.includes(record.state) ? expiryOf(record) : null,
    notBefore: record.options.notBefore ?? null,
    reading: record.options.reading ?? null,
    notify: record.options.notify ?? null,
    ...progressIn(states),
  });
}

function expiryOf({ state, since }: BatchRecord): string {
  return new Date(state === 'expired' ? since : since + APPROVE_WITHIN_MS).toISOString();
}

/** Rows and findings are included only when a batch is read alone. */
export function batchRow(record: BatchRecord) {
  const [problemCount, warningCount] = [record.problems.count, record.warnings.count];
  return viewOf<'batch'>(record, {
    problemCount,
    warningCount,
    expiresAt: null,
    notBefore: record.options.notBefore ?? null,
    reading: record.options.reading ?? null,
    notify: record.options.notify ?? null,
    ...progressIn(record.endedAs),
  });
}

/** A batch without payments has a null outcome: zeros would look like a failed batch. */
function progressIn(states: Readonly<Record<string, Sum>>) {
  return { states, outcome: Object.keys(states).length === 0 ? null : outcomesOf(states) };
}
