/** What a run asks of Redis, as Redis counts it: commands inside scripts too, and what its file grows by. */
import type { Redis } from 'ioredis';

export interface RedisCost {
  readonly commands: number;
  readonly scripts: number;
  /** Of the append-only file. Not known where it was written anew meanwhile, which makes it smaller. */
  readonly fileBytes: number;
}

/** What is asked of it while `work` runs, by anybody: the looks of the bench are among it, fifty a second. */
export async function whileCounting<T>(
  redis: Redis,
  work: () => Promise<T>,
): Promise<{ value: T; asked: RedisCost }> {
  const before = await costSoFar(redis);
  const value = await work();
  const after = await costSoFar(redis);
  return {
    value,
    asked: {
      commands: after.commands - before.commands,
      scripts: after.scripts - before.scripts,
      fileBytes: after.fileBytes - before.fileBytes,
    },
  };
}

const SCRIPT = /^(?:eval|fcall)/;

async function costSoFar(redis: Redis): Promise<RedisCost> {
  const [stats, persistence] = [await redis.info('commandstats'), await redis.info('persistence')];
  const calls = [...stats.matchAll(/^cmdstat_([^:]+):calls=(\d+)/gm)].map(([, name = '', many]) => ({
    name,
    many: Number(many),
  }));
  const sum = (of: typeof calls): number => of.reduce((total, { many }) => total + many, 0);
  return {
    commands: sum(calls),
    scripts: sum(calls.filter(({ name }) => SCRIPT.test(name))),
    fileBytes: Number(/^aof_current_size:(\d+)/m.exec(persistence)?.[1] ?? 0),
  };
}
