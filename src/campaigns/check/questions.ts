/** Decisions about a file before its recipients are counted. */
import { english } from '../../messages/english.ts';
import type { TextDoubt } from './doubtful-text.ts';
import { type CheckSummary, type SkipReason, skipReasons } from './report.ts';

export type Questionable = SkipReason & keyof typeof english.file.decide.reasons;

/** Rows that the user probably wants to reach, and that are skipped until a decision. */
const QUESTIONS = Object.keys(english.file.decide.reasons) as Questionable[];

export const leavable = Object.keys(skipReasons) as SkipReason[];

/** About the text, not about rows. */
const inText = Object.keys(english.file.decide.inText) as TextDoubt['reason'][];

export const isAboutText = (reason: Question['reason']): reason is TextDoubt['reason'] =>
  inText.some((one) => one === reason);

export interface Question {
  readonly reason: Questionable | TextDoubt['reason'];
  /** The number of affected rows. */
  readonly rows: number;
  /** In the text: what is written, and what was probably intended. */
  readonly meant?: readonly Omit<TextDoubt, 'reason'>[];
}

export interface Answers {
  readonly leaveOut?: readonly SkipReason[] | undefined;
  /** The text is intended as written. */
  readonly asWritten?: boolean | undefined;
}

/** Open decisions, in the order of the table. */
export function questionsIn(
  { reasons, probablyMeant = [], recipients }: Pick<CheckSummary, 'reasons' | 'probablyMeant' | 'recipients'>,
  { leaveOut = [], asWritten = false }: Answers,
): readonly Question[] {
  const aboutRows = QUESTIONS.flatMap((reason): Question[] => {
    const rows = leaveOut.includes(reason) ? 0 : (reasons[reason]?.count ?? 0);
    return rows === 0 ? [] : [{ reason, rows }];
  });
  if (asWritten) return aboutRows;
  const aboutText = inText.flatMap((reason): Question[] => {
    const meant = probablyMeant.flatMap(({ reason: why, ...one }) => (why === reason ? [one] : []));
    return meant.length === 0 ? [] : [{ reason, rows: recipients, meant }];
  });
  return [...aboutRows, ...aboutText];
}
