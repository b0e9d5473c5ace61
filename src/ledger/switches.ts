/** Queues that an operator paused: nothing is claimed from them. */
import { type Act, actOf, noteAct } from './acts.ts';
import type { OnCommitted } from './committed.ts';
import type { Database } from './pool.ts';

interface SwitchesOptions {
  readonly database: Database;
  readonly onCommitted?: OnCommitted;
}

export class Switches {
  readonly #options: SwitchesOptions;

  constructor(options: SwitchesOptions) {
    this.#options = options;
  }

  /** False: already in this state. */
  async switchQueue(
    queue: string,
    { how, act }: { readonly how: 'pause' | 'resume'; readonly act?: Act | undefined },
  ): Promise<boolean> {
    const { database, onCommitted } = this.#options;
    const isPause = how === 'pause';
    const by = act?.by ?? 'relais';
    const changed = await database.transaction(async (run) => {
      const rows = isPause ? await run('pause_queue', [queue, by]) : await run('resume_queue', [queue]);
      if (rows.length > 0 && act) await noteAct(run, actOf(act));
      return rows.length > 0;
    });
    if (isPause) await onCommitted?.('queue.paused', { name: queue, by });
    return changed;
  }

  async paused(): Promise<ReadonlySet<string>> {
    const rows = await this.#options.database.run<{ name: string }>('paused_queues');
    return new Set(rows.map(({ name }) => name));
  }
}
