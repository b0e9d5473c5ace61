/** Begins a recovery: no process accepts or sends anything, and no number is used twice. */
import type { Run } from './pool.ts';

export interface Remembered {
  /** Lane → counter. */
  readonly lanes: Readonly<Record<string, string>>;
  readonly epoch?: number | undefined;
  /**
   * The epoch of the ledger in which the loss was found. In a later epoch the loss is already resolved, and nothing
   * begins.
   */
  readonly foundIn?: number | undefined;
}

/** `known`: the memory of a process or witness. False: no recovery began. Runs in the caller's transaction. */
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
