/** What `script/storm` was asked to do. */
import { parseArgs } from 'node:util';
import { type MutantName, mutantNames, readMutant } from './mutants.ts';
import { readWorlds, type WorldName, worldNames } from './worlds.ts';

export type Mode = 'resubmit' | 'strict';

export interface StormOptions {
  readonly disbursements: number;
  /** Recipients of campaigns. */
  readonly texts: number;
  readonly seed: number;
  /** How many seeds in a row, beginning with `seed`. */
  readonly seeds: number;
  readonly modes: readonly Mode[];
  /** The program under test; the build of this repository when left out. */
  readonly program: string | undefined;
  /** Leaves the folder of the run (logs, Redis) where it is. */
  readonly keep: boolean;
  /** Leaves a torn append-only file to Redis, as it comes out of a power loss. */
  readonly torn: boolean;
  readonly worlds: ReadonlySet<WorldName>;
  /** What is over goes to PostgreSQL and leaves Redis, in bad weather of its own. */
  readonly history: boolean;
  /** The guard that the program under test does not have. */
  readonly without: MutantName | undefined;
}

export const USAGE = `usage: script/storm [--disbursements N] [--texts N] [--seed S] [--seeds K]
                    [--mode resubmit|strict|both] [--worlds all|none|NAMES] [--history]
                    [--program FILE | --without GUARD] [--keep] [--torn]
worlds: ${worldNames.join(', ')}
guards: ${mutantNames.join(', ')}`;

/** Throws a RangeError that says what is wrong. */
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
      torn: { type: 'boolean', default: false },
      worlds: { type: 'string', default: 'all' },
      history: { type: 'boolean', default: false },
      without: { type: 'string' },
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
    torn: values.torn,
    worlds: readWorlds(values.worlds),
    history: values.history,
    without: values.without === undefined ? undefined : readMutant(values.without),
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
