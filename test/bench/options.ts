/** What `script/bench` was asked to do. */
import { parseArgs } from 'node:util';
import { defaultProgram } from '../storm/plan.ts';
import type { Options } from './rows.ts';

export const rowNames = [
  'ceiling',
  'campaign',
  'disbursements',
  'latency',
  'scale',
  'recovery',
  'doors',
  'backlog',
  'otp',
  'reading',
  'lists',
  'history',
  'commands',
  'flatness',
] as const;
/** As large as it is worth it, it has the machine for itself for half an hour: it is run where it is named. */
const NAMED_ONLY: readonly string[] = ['flatness'];
export type RowName = (typeof rowNames)[number];

export interface BenchOptions extends Options {
  /** The program under test; the build of this repository when left out. */
  readonly program: string;
  readonly rows: readonly RowName[];
  /** Whether the results go into docs/performance.md. */
  readonly write: boolean;
}

export const USAGE = `usage: script/bench [--quick] [--write] [--rounds N] [--recipients N] [--large N] [--disbursements N] [--backlog N]
                    [--program FILE] [row …]      rows: ${rowNames.join(' ')}`;

const full = { rounds: 5, recipients: 100_000, large: 1_000_000, disbursements: 3_000, backlog: 1_000_000 } as const;
/** More than one round of others is worth: what it costs is seen in what piles up. */
const HISTORY = { disbursements: 20_000, recipients: 200_000 } as const;
const HISTORY_QUICK = { disbursements: 2_000, recipients: 20_000 } as const;
const quick = { rounds: 3, recipients: 50_000, large: 0, disbursements: 1_000, backlog: 50_000 } as const;

/** Throws a RangeError that says what is wrong. */
export function readOptions(args: readonly string[]): BenchOptions {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      quick: { type: 'boolean', default: false },
      write: { type: 'boolean', default: false },
      rounds: { type: 'string' },
      recipients: { type: 'string' },
      large: { type: 'string' },
      disbursements: { type: 'string' },
      backlog: { type: 'string' },
      program: { type: 'string', default: defaultProgram },
    },
  });
  const usual = values.quick ? quick : full;
  const number = (name: keyof typeof full): number => whole(name, values[name] ?? String(usual[name]));
  const kept = values.quick ? HISTORY_QUICK : HISTORY;
  return {
    history: {
      disbursements: whole('disbursements', values.disbursements ?? String(kept.disbursements)),
      recipients: whole('recipients', values.recipients ?? String(kept.recipients)),
    },
    rounds: number('rounds'),
    recipients: number('recipients'),
    largeCampaign: number('large'),
    disbursements: number('disbursements'),
    backlog: number('backlog'),
    rowsToCheck: values.quick ? 200_000 : 1_000_000,
    share: values.quick ? 0.3 : 1,
    program: values.program,
    rows: positionals.length === 0 ? rowNames.filter((name) => !NAMED_ONLY.includes(name)) : positionals.map(rowName),
    write: values.write,
  };
}

function whole(name: string, text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new RangeError(`--${name} must be a whole number, not ${text}`);
}

function rowName(text: string): RowName {
  const name = rowNames.find((one) => one === text);
  if (name) return name;
  throw new RangeError(`there is no row ${text}`);
}
