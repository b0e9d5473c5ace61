/** The options of `script/storm`. */
import { parseArgs } from 'node:util';
import { readScenarios, type Scenario, scenarioNames } from './scenarios.ts';

export type Mode = 'resubmit' | 'strict';

export interface StormOptions {
  readonly disbursements: number;
  /** Recipients of campaigns. */
  readonly texts: number;
  readonly seed: number;
  /** Number of consecutive seeds, starting with `seed`. */
  readonly seeds: number;
  readonly modes: readonly Mode[];
  /** The program under test; default: the build of this repository. */
  readonly program: string | undefined;
  /** Keeps the folder of the run (logs, data of PostgreSQL). */
  readonly keep: boolean;
  readonly scenarios: ReadonlySet<Scenario>;
}

export const USAGE = `usage: script/storm [--disbursements N] [--texts N] [--seed S] [--seeds K]
                    [--mode resubmit|strict|both] [--scenarios all|none|NAMES]
                    [--program FILE] [--keep]
scenarios: ${scenarioNames.join(', ')}`;

/** Throws a RangeError that describes the error. */
export function readOptions(args: readonly string[]): StormOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      disbursements: { type: 'string', default: '500' },
      texts: { type: 'string', default: '2000' },
      seed: { type: 'string', default: '1' },
      seeds: { type: 'string', default: '1' },
      mode: { type: 'string', default: 'resubmit' },
      program: { type: 'string' },
      keep: { type: 'boolean', default: false },
      scenarios: { type: 'string', default: 'all' },
    },
  });
  return {
    disbursements: whole('disbursements', values.disbursements),
    texts: whole('texts', values.texts),
    seed: whole('seed', values.seed),
    seeds: whole('seeds', values.seeds),
    modes: modesOf(values.mode),
    program: values.program,
    keep: values.keep,
    scenarios: readScenarios(values.scenarios),
  };
}

function whole(name: string, text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new RangeError(`--${name} must be a whole number, not ${text}`);
}

function modesOf(text: string): readonly Mode[] {
  if (text === 'both') return ['resubmit', 'strict'];
  if (text === 'resubmit' || text === 'strict') return [text];
  throw new RangeError(`--mode must be resubmit, strict or both, not ${text}`);
}
