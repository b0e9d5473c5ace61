/** What is asked of Redis within one turn of the event loop leaves together. */
import { Redis } from 'ioredis';

/**
 * Commands that are asked for in one turn of the event loop leave in one write. Attempts that were answered together go
 * on together, so Redis reads their commands at once and syncs its file once for all of them; each command keeps its
 * own answer, time-out and error. (The pipelines that ioredis can make by itself send one batch at a time, and what
 * waits for its turn there has no time-out.)
 */
export class AutoPipelineRedis extends Redis {
  #held: Redis['stream'] | undefined;
  readonly #last: (() => void)[] = [];

  override sendCommand(...[command, stream]: Parameters<Redis['sendCommand']>): unknown {
    this.#hold();
    return super.sendCommand(command, stream);
  }

  /** Runs this when the turn is over, before what was asked for in it leaves: what it asks for leaves with the rest. */
  beforeLeaving(run: () => void): void {
    this.#last.push(run);
    if (!this.#hold()) setImmediate(() => this.#runLast());
  }

  /** False: there is no connection to hold anything back on. */
  #hold(): boolean {
    const wire: Redis['stream'] | undefined = this.stream;
    if (wire === undefined) return false;
    if (this.#held === wire) return true;
    this.#held = wire;
    wire.cork();
    setImmediate(() => {
      try {
        this.#runLast();
      } finally {
        if (this.#held === wire) this.#held = undefined;
        wire.uncork();
      }
    });
    return true;
  }

  /** One of them may have asked for another. */
  #runLast(): void {
    for (let run = this.#last.shift(); run; run = this.#last.shift()) run();
  }
}

/**
 * Collects what is given within one turn of the event loop, and hands it on together, just before what this connection
 * was asked in that turn leaves. `handOn` never rejects.
 */
export function batchPerTick<T>(
  redis: Redis | undefined,
  handOn: (together: readonly T[]) => Promise<void>,
): (one: T) => void {
  let collected: T[] = [];
  const run = (): void => {
    const together = collected;
    collected = [];
    void handOn(together);
  };
  return (one) => {
    collected.push(one);
    if (collected.length > 1) return;
    if (redis instanceof AutoPipelineRedis) redis.beforeLeaving(run);
    else setImmediate(run);
  };
}
