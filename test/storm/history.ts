/** The history of a storm: a PostgreSQL of its own, two processes that write there, and the wires between them. */
import { join } from 'node:path';
import { type OwnPostgres, startPostgres } from '../support/postgres.ts';
import { Child, mind } from './child.ts';
import { Link } from './link.ts';

const WRITERS = 2;

/** What is over leaves Redis after so long. */
export const historySettings = { HISTORY_AFTER: '2s', HISTORY_TEXTS_AFTER: '2s' } as const;

export interface Scribe {
  readonly process: Child;
  readonly toPostgres: Link;
  readonly toRedis: Link;
}

export interface History {
  readonly server: OwnPostgres;
  readonly scribes: readonly Scribe[];
  /** Of the process that serves the API. */
  readonly door: Link;
  /** What that process is told besides. */
  readonly doorSettings: Readonly<Record<string, string>>;
  readonly stop: () => Promise<void>;
}

export interface HistoryPlan {
  readonly dir: string;
  readonly program: string;
  readonly redisPort: number;
}

/** Its processes are told what all are told, once that is known. */
export async function historyOf(
  { dir, program, redisPort }: HistoryPlan,
  settings: Readonly<Record<string, string>>,
): Promise<History> {
  const server = await startPostgres(mind);
  const wire = (): Promise<Link> => Link.to(Number(new URL(server.url).port));
  const through = ({ port }: Link): string => Object.assign(new URL(server.url), { port: String(port) }).href;
  const door = await wire();
  const scribes = await Promise.all(
    Array.from({ length: WRITERS }, async (_, index): Promise<Scribe> => {
      const [toPostgres, toRedis] = [await wire(), await Link.to(redisPort)];
      const name = `history-${index + 1}`;
      const own = {
        ...historySettings,
        HISTORY_URL: through(toPostgres),
        REDIS_URL: `redis://127.0.0.1:${toRedis.port}`,
        WITNESS_FILE: join(dir, `witness-${name}`),
      };
      const log = join(dir, `${name}.log`);
      const args = ['run', '--roles', 'history'];
      return {
        process: new Child({ name, program, args, settings: { ...settings, ...own }, log }),
        toPostgres,
        toRedis,
      };
    }),
  );
  return {
    server,
    scribes,
    door,
    doorSettings: { HISTORY_URL: through(door) },
    stop: async () => {
      await Promise.all(scribes.map(({ process }) => process.kill()));
      for (const link of [door, ...scribes.flatMap(({ toPostgres, toRedis }) => [toPostgres, toRedis])]) {
        await link.close();
      }
      await server.stop();
    },
  };
}
