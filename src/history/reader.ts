/** Reads records from history, for processes that answer people. Loads its package when it is first asked. */
import { type Kind, kindOf } from '../kinds/index.ts';
import { batchRowTable, kindTables, recipientTable, type Table } from '../kinds/tables.ts';
import {
  type BatchRowLeft,
  HistoryAway,
  type LostAct,
  type Past,
  type PastAct,
  type PastAsked,
  type PastEvent,
  type PastRow,
  type RecipientLeft,
} from '../operations/past.ts';
import type { Fields } from '../operations/record.ts';
import { trimmedKinds } from '../operations/trimming.ts';
import {
  batchRowOfRow,
  byTurns,
  fieldsOfRow,
  IS_OLDER,
  lastRowOf,
  pageOfTable,
  recipientOfRow,
  selectOf,
  type TextRow,
} from './past.ts';

const CONNECTIONS = 2;
const ACTS_MOST = 1_000;
/** Somebody waits for the answer. */
const WAIT_MS = 2_000;

type Group = Parameters<Past['recipientsOf']>[0];

const AT = '(extract(epoch from created_at) * 1000)::bigint::text';
const time = (ms: number): string => new Date(ms).toISOString();

const EVENT_COLUMNS = `place, ${AT} as at, type, operation,
        sequence::text as sequence, data::text as data`;

function eventOfRow({ place, at, type, operation, sequence, data }: TextRow): PastEvent {
  return {
    place: place ?? '',
    at: Number(at),
    type: type ?? '',
    operation: operation ?? '',
    sequence: Number(sequence),
    data: data ?? '{}',
  };
}

/** What of a pool is used. */
interface Asked {
  query(sql: string, values: readonly unknown[]): Promise<{ readonly rows: readonly TextRow[] }>;
  end(): Promise<void>;
}

export class HistoryReader implements Past {
  readonly #url: string;
  readonly #onError: (error: Error) => void;
  #pool: Promise<Asked> | undefined;

  constructor(url: string, onError: (error: Error) => void) {
    this.#url = url;
    this.#onError = onError;
  }

  async store(): Promise<string | undefined> {
    const [there] = await this.#ask("select to_regclass('relais.facts')::text as facts", []);
    if (there?.['facts'] == null) return undefined;
    const [row] = await this.#ask("select value from relais.facts where name = 'store'", []);
    return row?.['value'] ?? undefined;
  }

  async actsFrom(from: number, acts: readonly string[]): Promise<readonly LostAct[]> {
    const sql = `select act, target from relais.audit where place >= $3 and created_at >= $1 and act = any($2)
      group by act, target order by min(created_at) limit ${ACTS_MOST}`;
    const rows = await this.#ask(sql, [time(from), acts, String(from)]);
    return rows.map(({ act, target }) => ({ act: act ?? '', target: target ?? '' }));
  }

  async actsAfter(
    from: number,
    acts: readonly string[],
    { after = { place: String(from), at: 0 }, limit }: Parameters<Past['actsAfter']>[2],
  ): Promise<readonly PastAct[]> {
    const sql = `select place, ${AT} as at, target from relais.audit
      where created_at >= $1 and act = any($2) and (place, created_at) > ($3, $4::timestamptz)
      order by place, created_at limit $5`;
    const rows = await this.#ask(sql, [time(from), acts, after.place, time(after.at), limit]);
    return rows.map(({ place, at, target }) => ({ place: place ?? '', at: Number(at), target: target ?? '' }));
  }

  /** By the place in the stream, which has a time in it: of the events of a long time only a page is looked through. */
  async eventsFrom(
    from: number,
    { after = { place: String(from), at: 0 }, limit }: Parameters<Past['eventsFrom']>[1],
  ): Promise<readonly PastEvent[]> {
    const sql = `select ${EVENT_COLUMNS}
      from relais.events where created_at >= $1 and (place, created_at) > ($2, $3::timestamptz)
      order by place, created_at limit $4`;
    return (await this.#ask(sql, [time(from), after.place, time(after.at), limit])).map(eventOfRow);
  }

  async eventsOf(operations: readonly string[], from: number): Promise<readonly PastEvent[]> {
    const sql = `select distinct on (operation, sequence) ${EVENT_COLUMNS}
      from relais.events where operation = any($1) and created_at >= $2
      order by operation, sequence, created_at desc, place desc`;
    return (await this.#ask(sql, [operations, new Date(from).toISOString()])).map(eventOfRow);
  }

  async fieldsOf(id: string): Promise<Fields | undefined> {
    const kind = trimmedKinds.find((one) => one === kindOf(id));
    const table = kind && kindTables[kind];
    if (kind === undefined || table === undefined) return undefined;
    const [row] = await this.#ask(lastRowOf(table), [id]);
    return row && fieldsOfRow(kind, table, row);
  }

  async recordsOf(
    kind: Kind,
    ids: readonly string[],
    createdAt?: readonly number[],
  ): Promise<ReadonlyMap<string, Fields>> {
    const table = kindTables[kind];
    if (table === undefined) return new Map();
    // Of a table that is cut by day only the days that are meant are looked into.
    const [when, times] = createdAt ? [' and created_at = any($2)', [createdAt.map(time)]] : ['', []];
    const rows = await this.#ask(`${selectOf(table)} where id = any($1)${when} order by ${byTurns('asc')}`, [
      ids,
      ...times,
    ]);
    return new Map(rows.map((row) => [row['id'] ?? '', fieldsOfRow(kind, table, row)]));
  }

  async page(kind: Kind, asked: PastAsked): Promise<PastRow[]> {
    const table = kindTables[kind];
    if (table === undefined) return [];
    const { sql, values } = pageOfTable(table, asked);
    const rows = await this.#ask(sql, values);
    return rows.map((row) => {
      const fields = fieldsOfRow(kind, table, row);
      const { id = '', createdAt } = fields;
      return { id, createdAt: Number(createdAt), fields, isOlder: row[IS_OLDER] === 'true' };
    });
  }

  async recipientsOf(group: Group): Promise<readonly RecipientLeft[]> {
    return (await this.#group(recipientTable, 'slice', group)).map(recipientOfRow);
  }

  async batchRowsOf(group: Group): Promise<readonly BatchRowLeft[]> {
    return (await this.#group(batchRowTable, 'batch', group)).map(batchRowOfRow);
  }

  /** What stands in the places of one group, which a column names. */
  #group(table: Table, name: string, { of, createdAt, from = 0, limit }: Group): Promise<readonly TextRow[]> {
    // Qualified: by its own name it is the text that it is selected as.
    const sql = `${selectOf(table)} where ${name} = $1 and created_at = $2 and place >= $3 order by t.place limit $4`;
    return this.#ask(sql, [of, new Date(createdAt).toISOString(), from, limit ?? null]);
  }

  async #ask(sql: string, values: readonly unknown[]): Promise<readonly TextRow[]> {
    try {
      this.#pool ??= this.#open();
      return (await (await this.#pool).query(sql, values)).rows;
    } catch (error) {
      if (error instanceof Error) this.#onError(error);
      throw new HistoryAway('history is away, and Redis has it no more', { cause: error });
    }
  }

  async close(): Promise<void> {
    await (await this.#pool)?.end();
  }

  async #open(): Promise<Asked> {
    const { Pool } = await import('pg');
    const pool = new Pool({
      connectionString: this.#url,
      application_name: 'relais',
      max: CONNECTIONS,
      connectionTimeoutMillis: WAIT_MS,
      statement_timeout: WAIT_MS,
      query_timeout: WAIT_MS,
      allowExitOnIdle: true,
    });
    pool.on('error', this.#onError);
    return { query: (sql, values) => pool.query(sql, [...values]), end: () => pool.end() };
  }
}
