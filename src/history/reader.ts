/** Reads single records from history, for processes that answer people. Loads its package when it is first asked. */
import { kindOf } from '../kinds/index.ts';
import { kindTables } from '../kinds/tables.ts';
import { HistoryAway, type Past } from '../operations/past.ts';
import type { Fields } from '../operations/record.ts';
import { trimmedKinds } from '../operations/trimming.ts';
import { fieldsOfRow, selectOf, type TextRow } from './past.ts';

const CONNECTIONS = 2;
/** Somebody waits for the answer. */
const WAIT_MS = 2_000;

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

  async fieldsOf(id: string): Promise<Fields | undefined> {
    const kind = trimmedKinds.find((one) => one === kindOf(id));
    const table = kind && kindTables[kind];
    if (kind === undefined || table === undefined) return undefined;
    try {
      this.#pool ??= this.#open();
      const { rows } = await (await this.#pool).query(`${selectOf(table)} where id = $1 order by rev desc limit 1`, [
        id,
      ]);
      const [row] = rows;
      return row && fieldsOfRow(kind, table, row);
    } catch (error) {
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
