import { type SkipReason, skipReasons, type CheckSummary } from '../campaigns/check/report.ts';
import { grouped, printable } from './output.ts';

interface Question {
  /** After how many rows there are: one, and several. */
  readonly are: readonly [one: string, several: string];
  /** The flag that takes these rows in, where there is one; the others can only be mended in the file. */
  readonly takesIn?: { readonly flag: string; readonly does: string };
}

/** Rows that somebody surely wants to reach, and that are skipped until it was said what is to become of them. */
const QUESTIONS = {
  no_country: {
    are: ['number has no country code', 'numbers have no country code'],
    takesIn: { flag: '--country SN', does: 'reads them as numbers of that country' },
  },
  old_numbering: {
    are: ['number is from before two digits were added', 'numbers are from before two digits were added'],
    takesIn: { flag: '--repair CI,BJ', does: 'renews them, and lists each before and after' },
  },
  spreadsheet_damage: { are: ['number was damaged by a spreadsheet', 'numbers were damaged by a spreadsheet'] },
  several_numbers: { are: ['cell holds more than one number', 'cells hold more than one number'] },
  hidden_row: {
    are: ['row is hidden in the spreadsheet', 'rows are hidden in the spreadsheet'],
    takesIn: { flag: '--take-hidden', does: 'takes them like any other' },
  },
  empty_variable: { are: ['row lacks a value that the text needs', 'rows lack a value that the text needs'] },
  spreadsheet_error: {
    are: ['row has an error of the spreadsheet for a value', 'rows have an error of the spreadsheet for a value'],
  },
  extra_cells: { are: ['row has more cells than the header', 'rows have more cells than the header'] },
  unreadable_row: { are: ['line cannot be read', 'lines cannot be read'] },
  text_too_long: { are: ['text is too long to be sent', 'texts are too long to be sent'] },
} as const satisfies Partial<Record<SkipReason, Question>>;

type Questionable = keyof typeof QUESTIONS;

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
  const open = (Object.keys(QUESTIONS) as Questionable[]).filter((reason) => !leaveOut.includes(reason));
  const aboutRows = open.flatMap((reason): Decision[] => {
    const rows = reasons[reason]?.count ?? 0;
    const { takesIn }: Question = QUESTIONS[reason];
    const may = takesIn && !(countryIsFixed && reason === 'no_country');
    return rows === 0 ? [] : [{ reason, rows, flags: [...(may ? [takesIn.flag] : []), `--leave-out ${reason}`] }];
  });
  if (asWritten || probablyMeant.length === 0) return aboutRows;
  return [
    ...aboutRows,
    { reason: 'not_a_variable', rows: recipients, flags: ['--as-written'], meant: probablyMeant },
  ];
}

/** For a screen: what is open, what each flag does, and all that would leave the rows out at once. */
export function renderDecisions(decisions: readonly Decision[]): string {
  const width = Math.max(...decisions.flatMap(({ flags }) => flags.map((flag) => flag.length)));
  const line = (flag: string, does: string): string => `    ${flag.padEnd(width)}  ${does}`;
  const lines = decisions.flatMap(({ reason, rows, flags, meant = [] }) => {
    if (reason === 'not_a_variable') {
      const pairs = meant.map(
        (one) => `  ${printable(one.written)} is no variable; ${printable(one.meant)} would be`,
      );
      return [...pairs, line('--as-written', 'it is meant as it is written; or mend the text')];
    }
    const { are, takesIn }: Question = QUESTIONS[reason];
    const may = takesIn && flags.includes(takesIn.flag);
    const leaving = may ? 'leaves them out' : 'leaves them out; or mend them in the file';
    return [
      `  ${grouped(rows)} ${rows === 1 ? are[0] : are[1]}`,
      ...(may ? [line(takesIn.flag, takesIn.does)] : []),
      line(flags.at(-1) ?? '', leaving),
    ];
  });
  const left = decisions.flatMap(({ reason }) => (reason === 'not_a_variable' ? [] : [reason]));
  const atOnce = left.length < 2 ? [] : [`  To leave out all of these: --leave-out ${left.join(',')}`];
  return ['To decide before the start', ...lines, ...atOnce].join('\n');
}
