/** Periodic removal of old rows and folding of counts, by one process at a time. */
import { Figures } from './figures.ts';
import { Retention, type RetentionOptions } from './retention.ts';
import type { Rejections } from './rejections.ts';

interface UpkeepOptions extends RetentionOptions {
  readonly rejections: Pick<Rejections, 'forget'>;
  readonly everyMs: number;
}

export class Upkeep {
  readonly #options: UpkeepOptions;
  readonly #retention: Retention;
  readonly #figures: Figures;

  constructor(options: UpkeepOptions) {
    this.#options = options;
    this.#retention = new Retention(options);
    this.#figures = new Figures(options.database);
  }

  /** False: another process runs it or has run it. */
  async pass(): Promise<boolean> {
    const { database, everyMs, rejections, now } = this.#options;
    const [turn] = await database.run('take_turn', ['upkeep', everyMs, now?.() ?? null]);
    if (turn === undefined) return false;
    // A failing task must not prevent the others.
    const done = await Promise.allSettled([this.#retention.pass(), this.#figures.fold(), this.#forget(rejections)]);
    const failed = done.find((one) => one.status === 'rejected');
    if (failed) throw failed.reason;
    return true;
  }

  async #forget(rejections: Pick<Rejections, 'forget'>): Promise<void> {
    const { database, now } = this.#options;
    const [row] = await database.run<{ at: Date }>('time', [now?.() ?? null]);
    if (row) await rejections.forget(row.at);
  }
}
