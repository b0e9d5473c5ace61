/** The processes of one story: a Redis, the simulator, the entry points and the workers, all of them real. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { vi } from 'vitest';
import { startEmbeddedRedis } from '../../src/redis/embedded.ts';
import { type OwnPostgres, startPostgres } from './postgres.ts';
import { Processes } from './processes.ts';
import { type Stage, openStage } from './stage.ts';
import type { EventPage } from './views.ts';

export interface World extends Stage {
  readonly postgres: Pick<OwnPostgres, 'crash' | 'start'>;
  /** Ends every process and waits for its end. */
  close(): Promise<void>;
}

type Event = EventPage['events'][number];

const EVENT_LIMIT_MS = 120_000;
const ASK_AGAIN_MS = 50;
const PAGE = 1_000;

/** A folder for logs, and the processes that write them. `close` ends them all. */
export function openProcesses(): { readonly processes: Processes; readonly close: () => Promise<void> } {
  const logs = mkdtempSync(join(tmpdir(), 'relais-story-'));
  const processes = new Processes(logs);
  const close = async (): Promise<void> => {
    await processes.stopAll();
    processes.killAll();
    rmSync(logs, { recursive: true, force: true });
  };
  return { processes, close };
}

export async function openWorld(
  options: { readonly workers?: number; readonly settings?: Readonly<Record<string, string>> } = {},
): Promise<World> {
  const { processes, close } = openProcesses();
  const { REDIS_SERVER_BIN: binary } = process.env;
  const redis = await startEmbeddedRedis(binary ? { binary } : {});
  const postgres = await startPostgres();
  const closeAll = async (): Promise<void> => {
    await close();
    await redis.stop();
    await postgres.stop();
  };
  try {
    // A balance check would be a request that the story did not send.
    const settings = { BALANCE_INTERVAL: 'off', ...options.settings };
    const stage = await openStage({
      processes,
      redisUrl: redis.url,
      databaseUrl: postgres.url,
      workers: options.workers ?? 1,
      settings,
    });
    return { ...stage, postgres, close: closeAll };
  } catch (error) {
    await closeAll();
    throw error;
  }
}

/** Every event so far. */
export async function eventsOf({ api }: Pick<World, 'api'>): Promise<readonly Event[]> {
  const { events } = await api.get<EventPage>(`/v1/events?limit=${PAGE}`);
  return events;
}

/** Waits until the events match, and returns them all. */
export async function announced(
  world: Pick<World, 'api'>,
  enough: (events: readonly Event[]) => boolean,
): Promise<readonly Event[]> {
  let events: readonly Event[] = [];
  const ask = async (): Promise<boolean> => {
    events = await eventsOf(world);
    return enough(events);
  };
  await vi.waitUntil(ask, { timeout: EVENT_LIMIT_MS, interval: ASK_AGAIN_MS });
  return events;
}
