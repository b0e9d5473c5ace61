/** Begins a recovery: nothing is accepted and nothing leaves at any process, and no number is given twice. */
import type { Run } from './pool.ts';

export interface Remembered {
  /** Lane → counter. */
  readonly lanes: Readonly<Record<string, string>>;
  readonly epoch?: number;
}

/** `known`: what somebody remembers. In a transaction of the caller. */
export async function enterRecovery(
  run: Run,
  because: string,
  { lanes, epoch }: Remembered = { lanes: {} },
): Promise<void> {
  const [row] = await run<{ fresh: boolean }>('enter_recovery', [because, lanes, null, epoch ?? null]);
  if (row?.fresh === true) await run('raise_sequences');
}
