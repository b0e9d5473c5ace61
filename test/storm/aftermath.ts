/** What a storm left in the logs, in Redis and on every page: searched for what must not be there. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { type Findings, PAYER, Search } from './canaries.ts';
import type { ConsoleUsers } from './console.ts';
import { linesIn } from './history-reading.ts';
import { ask, mustAsk } from './http.ts';
import type { Asked } from './story.ts';
import type { Exchange } from './tap.ts';
import type { Mailing } from './texts.ts';
import type { World } from './world.ts';

const SCANNED_AT_A_TIME = 1_000;
/** Read once more one by one, with everything that is told about them. */
const EXPLAINED = 50;
const PREFIXES = ['', '221', '225', '223'];

export interface Aftermath {
  readonly asked: readonly Asked[];
  readonly mailings: readonly Mailing[];
  /** Absent: nobody was there. */
  readonly console: Pick<ConsoleUsers, 'secrets' | 'bodies'> | undefined;
}

export async function searchAftermath(
  world: World,
  { asked, mailings, console: desk }: Aftermath,
): Promise<Findings> {
  const { base, crm } = world.taps;
  const phones = phonesOf(asked, mailings);
  const search = new Search(bearersIn(crm.exchanges), phones, usedIn(base.exchanges), desk?.secrets);
  for (const body of desk?.bodies ?? []) search.text('console', body);
  const scribes = world.history?.scribes.map(({ process }) => process) ?? [];
  for (const { plan } of [world.door, ...world.workers, ...scribes]) search.file('logs', plan.log);
  await searchRedis(world, search);
  if (world.history) for (const line of await linesIn(world.history)) search.text('history', line);
  for (const { urls } of [world.door, ...world.workers]) {
    search.text('metrics', await mustAsk<string>(`${urls['metrics']}/metrics`));
  }
  await searchAnswers(world.api, asked, mailings, search);
  return search.findings();
}

function phonesOf(asked: readonly Asked[], mailings: readonly Mailing[]): ReadonlySet<string> {
  const beneficiaries = asked.flatMap(({ accountAlias }) => PREFIXES.map((prefix) => prefix + accountAlias));
  const recipients = mailings.flatMap(({ csv }) => csv.match(/\d{12}/g) ?? []);
  return new Set([...beneficiaries, ...recipients]);
}

function bearersIn(exchanges: readonly Exchange[]): string[] {
  return exchanges.flatMap(({ answer }) => /"access_token" *: *"([^"]{8,})"/.exec(answer)?.[1] ?? []);
}

/** Which of the payers' secrets reached the service: those have been all the way through. */
function usedIn(exchanges: readonly Exchange[]): string[] {
  const bodies = exchanges.filter(({ path }) => path.includes('softpay')).map(({ body }) => body);
  const secrets = { 'a one-time code': PAYER.otp, 'a password': PAYER.password, 'a card number': PAYER.card.number };
  return Object.entries(secrets).flatMap(([what, text]) =>
    bodies.some((body) => body.includes(text)) ? [what] : [],
  );
}

/** The file of everything that was ever written, and then what stands there now. */
async function searchRedis({ dir, power }: World, search: Search): Promise<void> {
  const folder = join(dir, 'redis', 'appendonlydir');
  for (const name of readdirSync(folder)) search.file('Redis', join(folder, name));
  const redis = new Redis({ host: '127.0.0.1', port: power.port });
  try {
    let cursor = '0';
    do {
      const [next, keys] = await redis.scan(cursor, 'COUNT', String(SCANNED_AT_A_TIME));
      search.text('Redis', JSON.stringify(await valuesOf(redis, keys)));
      cursor = next;
    } while (cursor !== '0');
  } finally {
    redis.disconnect();
  }
}

const readers: Readonly<Record<string, (redis: Redis, key: string) => Promise<unknown>>> = {
  hash: (redis, key) => redis.hgetall(key),
  string: (redis, key) => redis.get(key),
  list: (redis, key) => redis.lrange(key, '0', '-1'),
  set: (redis, key) => redis.smembers(key),
  zset: (redis, key) => redis.zrange(key, '0', '-1'),
  stream: (redis, key) => redis.xrange(key, '-', '+'),
};

async function valuesOf(redis: Redis, keys: readonly string[]): Promise<unknown[]> {
  return Promise.all(keys.map(async (key) => [key, await readers[await redis.type(key)]?.(redis, key)]));
}

async function searchAnswers(
  api: string,
  asked: readonly Asked[],
  mailings: readonly Mailing[],
  search: Search,
): Promise<void> {
  const answer = async (path: string): Promise<void> =>
    search.text('answers', JSON.stringify(await mustAsk(`${api}/v1/${path}`)));
  for (const path of ['accounts', 'queues', 'review', 'disbursements?limit=500']) await answer(path);
  // Some may be lost with a copy of Redis that was put back.
  for (const { id } of mailings) search.text('answers', JSON.stringify(await ask(`${api}/v1/campaigns/${id}`)) ?? '');
  for (const { id } of asked.slice(0, EXPLAINED)) {
    await answer(`disbursements/${id}`);
    await answer(`explain/${id}`);
  }
  let after = '';
  for (;;) {
    const page = await mustAsk<{ events: unknown[]; next: string }>(`${api}/v1/events?limit=1000${after}`);
    if (page.events.length === 0) return;
    search.text('events', JSON.stringify(page.events));
    after = `&after=${page.next}`;
  }
}
