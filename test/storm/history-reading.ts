/** Reads what history has after a storm, what Redis still has, and asks once more for what left. */
import { Redis } from 'ioredis';
import { Client } from 'pg';
import { isKept, kinds } from '../../src/kinds/index.ts';
import { kindTables, tables } from '../../src/kinds/tables.ts';
import { keys } from '../../src/operations/keys.ts';
import { readSlice } from '../../src/operations/slices.ts';
import { LOST_STUB, stubsLeft } from '../../src/operations/stubs.ts';
import { onOurClock, wait, waitUntil } from './clock.ts';
import { newest, wasLost } from './eras.ts';
import { groupBy, sumOf } from './grouping.ts';
import type { History } from './history.ts';
import { ask, mustAsk, type Reply } from './http.ts';
import { LATE_MS, QUIET_MS } from './plan.ts';
import type { Asked, DailyRow, HistoryRow, Left, LedgerEntry, RecipientRow, SeenHistory, Story } from './story.ts';
import type { World } from './world.ts';

const PREFIX = '{relais}:';
const TOGETHER = 20;
const READ_WITHIN_MS = 30_000;
const SCANNED_AT_A_TIME = 1_000;
/** A second payment has left by then. */
const PAID_AGAIN_WITHIN_MS = LATE_MS + QUIET_MS + 1_000;

/** Ids of every payment that history has. */
export async function paymentsIn({ server }: History): Promise<string[]> {
  const rows = await query<{ id: string }>(server.url, 'select id from relais.disbursements');
  return rows.map(({ id }) => id);
}

/** Of the last event that history has; undefined: it has none. */
export async function placeOfEvents({ server }: History): Promise<string | undefined> {
  const rows = await query<{ value: string }>(server.url, "select value from relais.facts where name = 'events'");
  return rows[0]?.value;
}

/** Every row of every table, as JSON. */
export async function linesIn({ server }: History): Promise<string[]> {
  const lines: string[] = [];
  for (const { table } of tables) {
    const rows = await query<{ line: string }>(server.url, `select to_json(t)::text as line from relais.${table} t`);
    for (const { line } of rows) lines.push(line);
  }
  return lines;
}

/** Last of all: it asks for payments that were made. */
export async function readHistory(
  world: World,
  history: History,
  told: Pick<Story, 'asked' | 'restores' | 'steps'>,
): Promise<NonNullable<Story['history']>> {
  const redis = new Redis({ port: world.power.port, host: '127.0.0.1', keyPrefix: PREFIX });
  try {
    const { url } = history.server;
    const [rows, { standing, slices, stubs }] = [await readRows(url), await readRedis(redis)];
    const there = new Set(standing.map(({ id }) => id));
    const gone = newest(rows).filter(({ id }) => !there.has(id));
    const back = await stubsLeft(redis, [...there]);
    const states = await stubsLeft(
      redis,
      gone.map(({ id }) => id),
    );
    return {
      rows,
      recipients: await readRecipients(url),
      events: await readEvents(url),
      standing: standing.filter(({ kind, state }) => isIn(kind, state)),
      slices,
      gone: gone.map(({ id, state, createdAt }, at) => ({ id, state, createdAt, stub: states[at]?.state })),
      stubs,
      returned: back.filter((stub) => stub !== undefined).length,
      waiting: await redis.zcard(keys.historyWaiting),
      daily: await readDaily(url),
      // Last of all: it may change the rest, where it should not.
      left: await askAgain(world, redis, { ...told, rows: newest(rows) }),
    };
  } finally {
    redis.disconnect();
  }
}

function isIn(name: string, state: string): boolean {
  const kind = kinds.find((one) => one === name);
  return kind !== undefined && kindTables[kind] !== undefined && isKept(kind, state);
}

async function query<Row extends object>(url: string, sql: string): Promise<readonly Row[]> {
  const client = new Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query<Row>(sql)).rows;
  } finally {
    await client.end();
  }
}

async function readRows(url: string): Promise<HistoryRow[]> {
  const created = 'round(extract(epoch from created_at) * 1000)::float8 as "createdAt"';
  const selects = Object.entries(kindTables).map(
    ([kind, { table }]) => `select '${kind}' as kind, id, rev::float8, state, ${created} from relais.${table}`,
  );
  const rows = await query<HistoryRow>(url, selects.join(' union all '));
  return rows.map((row) => ({ ...row, createdAt: onOurClock(row.createdAt) }));
}

async function readRecipients(url: string): Promise<RecipientRow[]> {
  const sql = 'select campaign, row_number::int as row, slice, rev::float8, state from relais.recipients';
  return [...(await query<RecipientRow>(url, sql))];
}

async function readEvents(url: string): Promise<SeenHistory['events']> {
  return query(url, 'select operation, sequence::float8 from relais.events');
}

async function readDaily(url: string): Promise<DailyRow[]> {
  const measures = ['succeeded', 'reversed', 'credited'] as const;
  const columns = measures.map((name) => `${name}_count::float8, ${name}_xof::float8`).join(', ');
  const sql = `select withdraw_mode, ${columns} from relais.daily`;
  const rows = await query<Record<string, number> & { withdraw_mode: string | null }>(url, sql);
  const sum = (row: Record<string, number | string | null>, name: string) => ({
    count: Number(row[`${name}_count`]),
    xof: Number(row[`${name}_xof`]),
  });
  return rows.map((row) => ({
    withdrawMode: row.withdraw_mode,
    succeeded: sum(row, 'succeeded'),
    reversed: sum(row, 'reversed'),
    credited: sum(row, 'credited'),
  }));
}

interface InRedis {
  readonly standing: HistoryRow[];
  readonly slices: { id: string; rev: number; count: number }[];
  stubs: number;
}

async function readRedis(redis: Redis): Promise<InRedis> {
  const found: InRedis = { standing: [], slices: [], stubs: 0 };
  let cursor = '0';
  const seen = new Set<string>();
  do {
    const [next, names] = await redis.scan(cursor, 'COUNT', String(SCANNED_AT_A_TIME));
    cursor = next;
    for (const name of names.map((one) => one.slice(PREFIX.length))) {
      if (seen.has(name)) continue;
      seen.add(name);
      if (name.startsWith(keys.stubs(''))) {
        const stubs = await redis.hvals(name);
        // Those of a lost time stand for what history does not have.
        found.stubs += stubs.filter((stub) => !stub.startsWith(LOST_STUB)).length;
      }
      if (name.startsWith(keys.record(''))) await readRecord(redis, name, found);
    }
  } while (cursor !== '0');
  return found;
}

async function readRecord(redis: Redis, name: string, { standing, slices }: InRedis): Promise<void> {
  const fields = await redis.hgetall(name);
  const { kind = '', state = '', rev = '0', createdAt = '0' } = fields;
  const id = name.slice(keys.record('').length);
  if (kind !== 'slice')
    return void standing.push({ kind, id, rev: Number(rev), state, createdAt: onOurClock(Number(createdAt)) });
  const slice = readSlice(fields);
  if (slice.campaign !== '' && isKept('slice', state)) slices.push({ id, rev: slice.rev, count: slice.count });
}

/** Of each payment that left: how it reads, and what comes of asking for it again, and for another amount. */
async function askAgain(
  { api, control }: World,
  redis: Redis,
  {
    asked,
    rows,
    restores,
    steps,
  }: Pick<Story, 'asked' | 'restores' | 'steps'> & { readonly rows: readonly HistoryRow[] },
): Promise<Left[]> {
  const ids = asked.map(({ id }) => id);
  const stubs = await stubsLeft(redis, ids);
  const stood = await Promise.all(ids.map((id) => redis.exists(keys.record(id))));
  // Of a time that was lost Redis knows nothing: its identities are free again, unless a recovery has taken them back.
  const had = rows.filter(({ createdAt }) => !wasLost({ restores, steps }, createdAt));
  const inHistory = new Map(had.map(({ id, state }) => [id, state]));
  const gone = asked.flatMap((one, at) => {
    const state = stubs[at]?.state ?? inHistory.get(one.id);
    return state === undefined || stood[at] === 1 ? [] : [{ one, state }];
  });
  const before = await booksOf(control);
  const answers: Omit<Left, 'paid' | 'tokens' | 'readsThen'>[] = [];
  for (let from = 0; from < gone.length; from += TOGETHER) {
    const some = gone.slice(from, from + TOGETHER);
    answers.push(...(await Promise.all(some.map(({ one, state }) => askOnce(api, one, state)))));
  }
  await wait(PAID_AGAIN_WITHIN_MS);
  const after = await booksOf(control);
  const left: Left[] = [];
  for (const answer of answers) {
    const [was, is] = [before(answer.disburseId), after(answer.disburseId)];
    left.push({
      ...answer,
      readsThen: await readById(api, answer.id),
      paid: { before: was.paid, after: is.paid },
      tokens: { before: was.tokens, after: is.tokens },
    });
  }
  return left;
}

async function askOnce(api: string, one: Asked, state: string) {
  const { id, disburseId, reference, accountAlias, amount, withdrawMode, notBefore } = one;
  const same = { accountAlias, withdrawMode, reference, ...(notBefore === undefined ? {} : { notBefore }) };
  const post = (xof: number) => ask(`${api}/v1/disbursements`, { method: 'POST', body: { ...same, amount: xof } });
  const reads = await readById(api, id);
  const changed = await post(amount + 1);
  const again = await post(amount);
  const named = (again?.body as { id?: string } | undefined)?.id;
  return {
    id,
    disburseId,
    reference,
    state,
    reads,
    again: { status: again?.status ?? 0, id: named },
    changed: changed?.status ?? 0,
  };
}

/** Where history does not answer in time the API says so, and is asked again. */
async function readById(api: string, id: string): Promise<string | undefined> {
  let seen: Reply | undefined;
  const answers = async (): Promise<boolean> => {
    seen = await ask(`${api}/v1/disbursements/${id}`);
    return seen !== undefined && seen.status < 500;
  };
  await waitUntil(answers, READ_WITHIN_MS);
  return (seen?.body as { state?: string } | undefined)?.state;
}

async function booksOf(control: string) {
  const books = await mustAsk<LedgerEntry[]>(`${control}/books/disbursements`);
  const byId = groupBy(books, ({ disburseId = '' }) => disburseId);
  return (disburseId: string) => {
    const entries = byId.get(disburseId) ?? [];
    return { paid: sumOf(entries, ({ effects }) => effects), tokens: entries.length };
  };
}
