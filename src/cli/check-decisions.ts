import { type SkipReason, skipReasons, type CheckSummary } from '../campaigns/check/report.ts';
import { english } from '../words/english.ts';
import { type Language, wordsIn } from '../words/languages.ts';
import { printable } from './output.ts';

/** Rows that somebody surely wants to reach, and that are skipped until it was said what is to become of them. */
const QUESTIONS = Object.keys(english.file.decide.reasons) as Questionable[];

/** The flags that take such rows in, where there is one; the others can only be mended in the file. */
const TAKES_IN: Partial<Record<Questionable, string>> = {
  no_country: '--country SN',
  old_numbering: '--repair CI,BJ',
  hidden_row: '--take-hidden',
} satisfies Record<Takable, string>;

type Takable = keyof typeof english.file.decide.takesIn;
type Questionable = SkipReason & keyof typeof english.file.decide.reasons;

export interface Decision {
  readonly reason: Questionable | 'not_a_variable';
  /** How many it is about. */
  readonly rows: number;
  /** Either of them decides it. */
  readonly flags: readonly string[];
  /** In the text: what stands there, and what was probably meant. */
  readonly meant?: readonly { readonly written: string; readonly meant: string }[];
}

export const leavable = Object.keys(skipReasons) as SkipReason[];

export interface Decided {
  readonly leaveOut?: readonly SkipReason[] | undefined;
  /** The text is meant as it stands. */
  readonly asWritten?: true | undefined;
  /** That of a campaign which is there already cannot be changed. */
  readonly countryIsFixed?: boolean;
}

/** What is still to be decided, in the order of the table. */
export function decisionsIn(
  { reasons, probablyMeant = [], recipients }: Pick<CheckSummary, 'reasons' | 'probablyMeant' | 'recipients'>,
  { leaveOut = [], asWritten, countryIsFixed = false }: Decided,
): readonly Decision[] {
  const open = QUESTIONS.filter((reason) => !leaveOut.includes(reason));
  const aboutRows = open.flatMap((reason): Decision[] => {
    const rows = reasons[reason]?.count ?? 0;
    const takesIn = countryIsFixed && reason === 'no_country' ? undefined : TAKES_IN[reason];
    return rows === 0 ? [] : [{ reason, rows, flags: [...(takesIn ? [takesIn] : []), `--leave-out ${reason}`] }];
  });
  if (asWritten || probablyMeant.length === 0) return aboutRows;
  return [
    ...aboutRows,
    { reason: 'not_a_variable', rows: recipients, flags: ['--as-written'], meant: probablyMeant },
  ];
}

/** For a screen: what is open, what each flag does, and all that would leave the rows out at once. */
export function renderDecisions(decisions: readonly Decision[], language: Language): string {
  const words = wordsIn(language).file.decide;
  const width = Math.max(...decisions.flatMap(({ flags }) => flags.map((flag) => flag.length)));
  const line = (flag: string, does: string): string => `    ${flag.padEnd(width)}  ${does}`;
  const lines = decisions.flatMap(({ reason, rows, flags, meant = [] }) => {
    if (reason === 'not_a_variable') {
      const pairs = meant.map((one) => `  ${words.notVariable(printable(one.written), printable(one.meant))}`);
      return [...pairs, line('--as-written', words.asWritten)];
    }
    const does = isTakable(reason) && flags.length > 1 ? words.takesIn[reason] : undefined;
    return [
      `  ${words.reasons[reason](rows)}`,
      ...(does === undefined ? [] : [line(flags[0] ?? '', does)]),
      line(flags.at(-1) ?? '', does === undefined ? words.leavesOrMend : words.leaves),
    ];
  });
  const left = decisions.flatMap(({ reason }) => (reason === 'not_a_variable' ? [] : [reason]));
  const atOnce = left.length < 2 ? [] : [`  ${words.atOnce(left.join(','))}`];
  return [words.title, ...lines, ...atOnce].join('\n');
}

function isTakable(reason: Questionable): reason is Takable {
  return reason in english.file.decide.takesIn;
}
