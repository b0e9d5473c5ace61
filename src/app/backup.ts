/** `relais backup verify`: loads a copy of Redis into a private server and says what is in it. The copy is only read. */
import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { Redis } from 'ioredis';
import { ApiClient, type JsonObject } from '../cli/client.ts';
import { itemsOf } from '../cli/record.ts';
import { type Clock, describeMs } from '../lib/clock.ts';
import { Secret } from '../lib/secret.ts';
import { type Language, wordFor, wordsIn } from '../words/languages.ts';
import { keys } from '../operations/keys.ts';
import { isOver } from '../operations/recovery-report.ts';
import { Restored, type Standing } from '../operations/restored.ts';
import { closeConnection, openCommands, waitUntilReady } from '../redis/connections.ts';
import { startEmbeddedRedis } from '../redis/embedded.ts';

export interface BackupTools {
  readonly language?: Language;
  readonly dir: string;
  readonly json: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly print: (line: string) => void;
}

interface InCopy {
  readonly standings: readonly Standing[];
  /** ms since the epoch; absent: there is none. */
  readonly newestEvent?: number;
  readonly lastBeat?: number;
}

const LOAD_LIMIT_MS = 60_000;
const APPEND_ONLY = 'appendonlydir';
const SNAPSHOT = 'dump.rdb';

/** 0: it can be loaded, and there is something in it. */
export async function verifyBackup(tools: BackupTools): Promise<0 | 1> {
  const found = findCopy(tools.dir);
  if (found === undefined) {
    tools.print(wordsIn(tools.language ?? 'en').commands.backup.noCopy(tools.dir));
    return 1;
  }
  const folder = mkdtempSync(join(tmpdir(), 'relais-backup-'));
  try {
    // Redis mends what it loads, and the copy is not to be touched.
    cpSync(found.path, join(folder, found.snapshot ? SNAPSHOT : APPEND_ONLY), { recursive: true });
    const copy = await look(folder, found.snapshot, tools.env);
    const runs = await running(tools);
    if (tools.json) tools.print(JSON.stringify(asJson(copy, runs), null, 2));
    else for (const line of asText(copy, runs, tools)) tools.print(line);
    return copy.standings.length === 0 ? 1 : 0;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** As Redis itself would choose: the append-only file, where there is one. */
function findCopy(dir: string): { readonly path: string; readonly snapshot: boolean } | undefined {
  if (basename(dir) === APPEND_ONLY && existsSync(dir)) return { path: dir, snapshot: false };
  if (dir.endsWith('.rdb') && existsSync(dir)) return { path: dir, snapshot: true };
  if (existsSync(join(dir, APPEND_ONLY))) return { path: join(dir, APPEND_ONLY), snapshot: false };
  return existsSync(join(dir, SNAPSHOT)) ? { path: join(dir, SNAPSHOT), snapshot: true } : undefined;
}

async function look(dir: string, snapshot: boolean, env: BackupTools['env']): Promise<InCopy> {
  const { REDIS_SERVER_BIN: binary, REDIS_PREFIX: prefix, REDIS_URL: url } = env;
  const server = await startEmbeddedRedis({ dir, snapshot, ...(binary ? { binary } : {}) });
  // The database that relais uses, of a copy that has all of them.
  const database = url !== undefined && URL.canParse(url) ? new URL(url).pathname : '';
  const target = { url: server.url + database, ...(prefix ? { prefix } : {}) };
  const redis = openCommands(target, { name: 'relais-backup', onError: () => undefined });
  try {
    await waitUntilReady(redis, LOAD_LIMIT_MS);
    return await count(redis);
  } finally {
    await closeConnection(redis);
    await server.stop();
  }
}

async function count(redis: Redis): Promise<InCopy> {
  const restored = new Restored(redis);
  const campaigns: string[] = [];
  for await (const { id } of restored.campaigns()) campaigns.push(id);
  const [newest] = await redis.xrevrange(keys.events, '+', '-', 'COUNT', 1);
  const beat = await redis.hget(keys.heartbeat, 'at');
  return {
    standings: await restored.standings(campaigns),
    ...(newest ? { newestEvent: Number(newest[0].split('-')[0]) } : {}),
    ...(beat === null ? {} : { lastBeat: Number(beat) }),
  };
}

/** What is open in the deployment that RELAIS_URL leads to; undefined: it does not answer, or may not be asked. */
async function running({ env, clock, signal }: BackupTools): Promise<readonly JsonObject[] | undefined> {
  const [url, key = 'dev'] = [env['RELAIS_URL']?.trim(), env['RELAIS_API_KEY']?.trim()];
  if (url === undefined || !URL.canParse(url)) return undefined;
  const api = new ApiClient({ url: url.replace(/\/+$/, ''), key: new Secret(key), clock, signal });
  try {
    return itemsOf((await api.get('/v1/recovery')).body, 'open');
  } catch (error) {
    if (error instanceof Error) return undefined;
    throw error;
  } finally {
    await api.close();
  }
}

const iso = (ms: number | undefined): string | null => (ms === undefined ? null : new Date(ms).toISOString());

function asJson({ standings, newestEvent, lastBeat }: InCopy, runs: readonly JsonObject[] | undefined) {
  return {
    newestEvent: iso(newestEvent),
    lastBeat: iso(lastBeat),
    openXof: openXof(standings),
    items: standings.map((one) => ({ ...one, open: !isOver(one), ...runningNow(one, runs) })),
  };
}

function runningNow({ kind, state }: Standing, runs: readonly JsonObject[] | undefined): { running?: number } {
  if (runs === undefined) return {};
  const same = runs.find((one) => one['kind'] === kind && one['state'] === state);
  return { running: Number(same?.['count'] ?? 0) };
}

/** As it is counted by programs, with the names of people beside it where these are others. */
function* asText(
  copy: InCopy,
  runs: readonly JsonObject[] | undefined,
  { clock, language = 'en' }: BackupTools,
): Generator<string> {
  const { standings, newestEvent, lastBeat } = copy;
  const { commands, states, status } = wordsIn(language);
  const { labels, ago, none, nothing, running: inWhatRuns, notCompared } = commands.backup;
  const since = (ms: number | undefined): string =>
    ms === undefined ? none : ago(iso(ms) ?? none, describeMs(Math.max(0, clock.now() - ms)));
  const width = Math.max(...Object.values(labels).map((label) => label.length)) + 2;
  yield `${labels.newestEvent.padEnd(width)}${since(newestEvent)}`;
  yield `${labels.lastBeat.padEnd(width)}${since(lastBeat)}`;
  yield `${labels.open.padEnd(width)}${openXof(standings)}`;
  if (standings.length === 0) yield nothing;
  for (const one of standings) {
    const { running: now } = isOver(one) ? {} : runningNow(one, runs);
    const beside = now === undefined ? '' : `  ${inWhatRuns(now)}`;
    const [kind, state] = [wordFor(status.kinds, one.kind), wordFor(states, one.state)];
    yield `${kind.padEnd(21)}${state.padEnd(24)}${String(one.count).padStart(9)}${beside}`;
  }
  if (runs === undefined) yield notCompared;
}

function openXof(standings: readonly Standing[]): number {
  return standings.filter((one) => !isOver(one)).reduce((sum, { xof = 0 }) => sum + xof, 0);
}
