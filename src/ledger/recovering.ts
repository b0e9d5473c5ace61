/** Begins a recovery: nothing is accepted and nothing leaves at any process, and no number is given twice. */
import type { Run } from './pool.ts';

export interface Remembered {
  /** Lane → counter. */
  readonly lanes: Readonly<Record<string, string>>;
  readonly epoch?: number | undefined;
  /** Of the ledger in which the loss was found. Under a higher one it was dealt with already, and nothing begins. */
  readonly foundIn?: number | undefined;
}

/** `known`: what a process or witness remembers. False: no recovery began. In a transaction of the caller. */
export async function enterRecovery(
  run: Run,
  because: string,
  { lanes, epoch, foundIn }: Remembered = { lanes: {} },
): Promise<boolean> {
  const values = [because, lanes, null, epoch ?? null, foundIn ?? null];
  const [row] = await run<{ fresh: boolean }>('enter_recovery', values);
  if (row?.fresh === true) await run('raise_sequences');
  return row !== undefined;
}
