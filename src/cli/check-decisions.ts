import {
  type Answers,
  type Question,
  type Questionable,
  isAboutText,
  questionsIn,
} from '../campaigns/check/questions.ts';
import type { TextDoubt } from '../campaigns/check/doubtful-text.ts';
import type { CheckSummary } from '../campaigns/check/report.ts';
import { english } from '../messages/english.ts';
import { type Language, wordsIn } from '../messages/languages.ts';
import { printable } from './output.ts';

/** The flag that includes such rows, if there is one; others must be corrected in the file. */
const TAKES_IN: Partial<Record<Questionable, string>> = {
  no_country: '--country SN',
  old_numbering: '--repair CI,BJ',
  hidden_row: '--take-hidden',
  no_value: '--take no_value',
  damaged_value: '--take damaged_value',
} satisfies Record<Takable, string>;

type Takable = keyof typeof english.file.decide.takesIn;

export interface Decision extends Question {
  /** Any of them decides it. */
  readonly flags: readonly string[];
}

export interface Decided extends Answers {
  /** The country of an existing campaign cannot change. */
  readonly countryIsFixed?: boolean;
}

/** Open decisions, and the flags that decide them. */
export function decisionsIn(
  summary: Pick<CheckSummary, 'reasons' | 'probablyMeant' | 'recipients'>,
  { countryIsFixed = false, ...answers }: Decided,
): readonly Decision[] {
  return questionsIn(summary, answers).map(({ reason, rows, meant }) => {
    if (isAboutText(reason)) return { reason, rows, flags: ['--as-written'], ...(meant && { meant }) };
    const takesIn = countryIsFixed && reason === 'no_country' ? undefined : TAKES_IN[reason];
    return { reason, rows, flags: [...(takesIn ? [takesIn] : []), `--leave-out ${reason}`] };
  });
}

/** For a terminal: open decisions, the effect of each flag, and the flags that leave out all such rows. */
export function renderDecisions(decisions: readonly Decision[], language: Language): string {
  const words = wordsIn(language).file.decide;
  const width = Math.max(...decisions.flatMap(({ flags }) => flags.map((flag) => flag.length)));
  const line = (flag: string, does: string): string => `    ${flag.padEnd(width)}  ${does}`;
  const lines = decisions.flatMap(({ reason, rows, flags, meant = [] }) => {
    if (isAboutText(reason)) {
      const pairs = meant.map((one) => `  ${describeDoubt(reason, one, language)}`);
      return [...pairs, line('--as-written', words.asWritten)];
    }
    const does = isTakable(reason) && flags.length > 1 ? words.takesIn[reason] : undefined;
    return [
      `  ${words.reasons[reason](rows)}`,
      ...(does === undefined ? [] : [line(flags[0] ?? '', does)]),
      line(flags.at(-1) ?? '', does === undefined ? words.leavesOrMend : words.leaves),
    ];
  });
  const left = decisions.flatMap(({ reason }) => (isAboutText(reason) ? [] : [reason]));
  const atOnce = left.length < 2 ? [] : [`  ${words.atOnce(left.join(','))}`];
  return [words.title, ...lines, ...atOnce].join('\n');
}

function describeDoubt(
  reason: TextDoubt['reason'],
  { written, meant }: Omit<TextDoubt, 'reason'>,
  language: Language,
): string {
  const { inText } = wordsIn(language).file.decide;
  const [there, instead] = [written, meant].map((text) => text && printable(text.replaceAll('\n', '↵')));
  return inText[reason](there ?? '', instead);
}

function isTakable(reason: Questionable): reason is Takable {
  return reason in english.file.decide.takesIn;
}
