/** Begins a recovery: nothing is accepted and nothing leaves at any process, and no number is given twice. */
import type { Run } from './pool.ts';

/** `known`: lane → counter that somebody remembers. In a transaction of the caller. */
export async function enterRecovery(
  run: Run,
  because: string,
  known: Readonly<Record<string, string>> = {},
  now?: Date,
): Promise<void> {
  const [row] = await run<{ fresh: boolean }>('enter_recovery', [because, known, now ?? null]);
  if (row?.fresh === true) await run('raise_sequences');
}
