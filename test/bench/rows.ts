/** A row of the table: one piece of work, who did it how fast, what was aimed at. */
import type { Stage } from './stage.ts';

export interface Options {
  /** Runs of each contender, interleaved; the median counts. */
  readonly rounds: number;
  readonly recipients: number;
  /** One more campaign, once, of this size; 0 for none. */
  readonly largeCampaign: number;
  readonly disbursements: number;
  /** What goes through history to PostgreSQL. */
  readonly history: { readonly disbursements: number; readonly recipients: number };
  readonly backlog: number;
  readonly rowsToCheck: number;
  /** How much smaller the works of the lesser rows are. */
  readonly share: number;
}

export interface Figure {
  readonly label: string;
  /** One for each run. */
  readonly values: readonly number[];
  readonly unit: string;
}

export interface Aim {
  readonly text: string;
  /** What is compared with the aim. */
  readonly value: number;
  readonly least?: number;
  readonly most?: number;
}

export interface Row {
  readonly title: string;
  readonly figures: readonly Figure[];
  readonly aims: readonly Aim[];
  readonly notes?: readonly string[];
}

export type RowMaker = (stage: Stage, options: Options) => Promise<readonly Row[]>;

/** So many rounds; in each round each contender runs once, so that a busy neighbour hurts all of them. */
export async function interleaved<Name extends string, T>(
  rounds: number,
  contenders: Readonly<Record<Name, () => Promise<T>>>,
): Promise<Readonly<Record<Name, readonly T[]>>> {
  const names = Object.keys(contenders) as Name[];
  const results = Object.fromEntries(names.map((name) => [name, [] as T[]])) as Record<Name, T[]>;
  for (let round = 0; round < rounds; round += 1) {
    for (const name of names) results[name].push(await contenders[name]());
  }
  return results;
}

export const perSecond = (count: number, ms: number): number => (count * 1_000) / ms;
