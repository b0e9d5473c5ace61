/** Data left in logs, PostgreSQL, Redis and on every page: searched for secrets and phone numbers. */
import { Redis } from 'ioredis';
import { Client } from 'pg';
import { type Findings, PAYER, Search } from './canaries.ts';
import { ask, mustAsk } from './http.ts';
import type { Asked } from './story.ts';
import type { Exchange } from './tap.ts';
import type { Mailing } from './campaigns.ts';
import type { System } from './system.ts';

const SCANNED_AT_A_TIME = 1_000;
/** Read again one by one, with their explanations. */
const EXPLAINED = 50;
const PREFIXES = ['', '221', '225', '223'];

export interface LeakPlan {
  readonly asked: readonly Asked[];
  readonly mailings: readonly Mailing[];
}

export async function searchLeaks(system: System, { asked, mailings }: LeakPlan): Promise<Findings> {
  const { base, crm } = system.taps;
  const phones = phonesOf(asked, mailings);
  const search = new Search(bearersIn(crm.exchanges), phones, usedIn(base.exchanges));
  for (const { plan } of [system.front, ...system.workers]) search.file('logs', plan.log);
  await searchRedis(system, search);
  await searchTables(system, search);
  for (const { urls } of [system.front, ...system.workers]) {
    search.text('metrics', await mustAsk<string>(`${urls['metrics']}/metrics`));
  }
  await searchAnswers(system.api, asked, mailings, search);
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

/** The payers' secrets that reached the provider: those have passed through all of relais. */
function usedIn(exchanges: readonly Exchange[]): string[] {
  const bodies = exchanges.filter(({ path }) => path.includes('softpay')).map(({ body }) => body);
  const secrets = { 'a one-time code': PAYER.otp, 'a password': PAYER.password, 'a card number': PAYER.card.number };
  return Object.entries(secrets).flatMap(([what, text]) =>
    bodies.some((body) => body.includes(text)) ? [what] : [],
  );
}

/** Every row of every table, as text. */
async function searchTables({ database }: System, search: Search): Promise<void> {
  const client = new Client({ connectionString: database.url });
  await client.connect();
  try {
    const { rows: tables } = await client.query<{ name: string }>(
      "select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname = 'relais'",
    );
    for (const { name } of tables) {
      const { rows } = await client.query<{ line: string }>(`select t::text as line from ${name} t`);
      for (const { line } of rows) search.text('PostgreSQL', line);
    }
  } finally {
    await client.end();
  }
}

async function searchRedis({ redis: server }: System, search: Search): Promise<void> {
  const redis = new Redis(server.url);
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
  // Some may be lost in a restore.
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
