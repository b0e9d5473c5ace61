/**
 * The database of history, through one connection: rows are copied into a staging table, merged, and read back to be
 * compared. What fails closes the connection; the next turn opens another.
 */
import { Socket } from 'node:net';
import { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Client } from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import { ROW_TIME, type Table } from '../kinds/tables.ts';
import { selectOf, type TextRow } from './past.ts';
import { cellAt, lineOf, nameOfLine, type Row } from './rows.ts';
import { foundations, partOf, schema, SCHEMA_LOCK, VERSION, WRITER } from './schema.ts';

export interface StoreOptions {
  readonly url: string;
  /** Names this store for ever, where it has no name yet. */
  readonly newName: () => string;
  /** Whose midnight ends a day. */
  readonly timezone: string;
}

const CONNECT_MS = 10_000;
/** Longer than any of our statements takes: a server that hangs is away. */
const STATEMENT_MS = 60_000;

const SESSION = [
  `set role ${WRITER}`,
  "set timezone to 'UTC'",
  "set datestyle to 'ISO'",
  // Staging tables have no statistics: a few hundred rows are looked up by their names, whatever the planner thinks.
  'set enable_hashjoin to off',
  'set enable_mergejoin to off',
  // What leaves Redis on the strength of a commit must outlive the server that said so.
  "select set_config('synchronous_commit', 'on', false) where current_setting('synchronous_commit') in ('off', 'local')",
];

/** Why it cannot be reached; undefined: it can be. Changes nothing there. */
export async function reachHistory(url: string): Promise<string | undefined> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: CONNECT_MS });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.end();
    return undefined;
  } catch (error) {
    // Where several addresses were tried, what they said stands within.
    const [first = error] = error instanceof AggregateError ? error.errors : [error];
    return first instanceof Error ? first.message : String(first);
  }
}

/** History does not have what it was given: it is given again. */
class NotAsWritten extends Error {
  override readonly name = 'NotAsWritten';
}

class OlderCopy extends Error {
  override readonly name = 'OlderCopy';
}

export type Copy = readonly [table: Table, rows: readonly Row[]];

export class HistoryStore {
  readonly #client: Client;
  readonly #socket: Socket;
  readonly #parts = new Set<string>();
  #name = '';

  private constructor(client: Client, socket: Socket) {
    this.#client = client;
    this.#socket = socket;
  }

  static async open(
    { url, newName, timezone }: StoreOptions,
    onError: (error: Error) => void,
  ): Promise<HistoryStore> {
    const socket = new Socket();
    const client = new Client({
      stream: () => socket,
      connectionString: url,
      application_name: 'relais',
      connectionTimeoutMillis: CONNECT_MS,
      statement_timeout: STATEMENT_MS,
      query_timeout: STATEMENT_MS + CONNECT_MS,
      keepAlive: true,
    });
    client.on('error', onError);
    const store = new HistoryStore(client, socket);
    try {
      await client.connect();
      await store.#prepare(newName, timezone);
      return store;
    } catch (error) {
      store.destroy();
      throw error;
    }
  }

  /** Of this database; another one, or one that was made anew, has another. */
  get name(): string {
    return this.#name;
  }

  /** Ends the connection at once, whatever it is doing. */
  destroy(): void {
    this.#socket.destroy();
  }

  async close(): Promise<void> {
    await this.#client.end();
  }

  async fact(name: string): Promise<string | undefined> {
    const { rows } = await this.#client.query<{ value: string }>('select value from relais.facts where name = $1', [
      name,
    ]);
    return rows[0]?.value;
  }

  /** By its own clock, ms since the epoch. */
  async now(): Promise<number> {
    const { rows } = await this.#client.query<{ at: string }>('select extract(epoch from clock_timestamp()) as at');
    return Number(rows[0]?.at) * 1_000;
  }

  async note(name: string, value: string): Promise<void> {
    await this.#client.query(
      'insert into relais.facts values ($1, $2) on conflict (name) do update set value = excluded.value',
      [name, value],
    );
  }

  async rename(fact: string, { to, value }: { readonly to: string; readonly value: string }): Promise<void> {
    await this.#together(async () => {
      await this.note(to, value);
      await this.#client.query('delete from relais.facts where name = $1', [fact]);
    });
  }

  /** In one transaction. `facts` are true once it is done; the mark is raised with it, and never lowered. */
  async write(
    copies: readonly Copy[],
    facts: Readonly<Record<string, string>> = {},
    mark?: { readonly from: number; readonly to: number },
  ): Promise<void> {
    await this.#together(async () => {
      if (mark) await this.#raise(mark);
      for (const [table, rows] of copies) {
        await this.#makeParts(table, rows);
        await this.#stage(table, rows);
        await this.#client.query(mergeOf(table));
      }
      for (const [name, value] of Object.entries(facts)) await this.note(name, value);
    });
  }

  /** Reads what was written, and throws where it is not there as it was given; a later one may be there instead. */
  async compare(copies: readonly Copy[]): Promise<void> {
    for (const [table, rows] of copies) {
      const found = new Map((await this.#readBack(table)).map((line) => [nameOfLine(table, line), line]));
      for (const row of rows) {
        const given = lineOf(table, row);
        const line = found.get(nameOfLine(table, given));
        if (line === given) continue;
        const isLater =
          line !== undefined &&
          table.rev !== undefined &&
          Number(cellAt(table, line, table.rev)) > Number(cellAt(table, given, table.rev));
        const wasThere = line !== undefined && table.rev === undefined;
        if (!isLater && !wasThere)
          throw new NotAsWritten(`a row of ${table.table} ${line === undefined ? 'is not there' : 'differs'}`);
      }
    }
  }

  /** Of each row, whether it is there exactly as given. */
  async has(table: Table, rows: readonly Row[]): Promise<boolean[]> {
    await this.#stage(table, rows);
    const found = new Set(await this.#readBack(table));
    return rows.map((row) => found.has(lineOf(table, row)));
  }

  /** Records by their ids, to be read by `fieldsOfRow`. */
  async rows(table: Table, ids: readonly string[]): Promise<TextRow[]> {
    const { rows } = await this.#client.query<TextRow>(`${selectOf(table)} where id = any($1)`, [ids]);
    return rows;
  }

  /** What was put back under an open connection is seen here. */
  async #raise({ from, to }: { readonly from: number; readonly to: number }): Promise<void> {
    const stands = await this.#client.query<{ value: string }>(
      "select value from relais.facts where name = 'pass' for update",
    );
    const pass = Number(stands.rows[0]?.value ?? 0);
    if (pass < from) throw new OlderCopy('history was put back from an older copy: it is compared anew');
    if (to > pass) await this.note('pass', String(to));
  }

  async #prepare(newName: () => string, timezone: string): Promise<void> {
    const query = (sql: string): Promise<unknown> => this.#client.query(sql);
    await this.#together(async () => {
      await query(`select pg_advisory_xact_lock(${SCHEMA_LOCK})`);
      if (!(await this.#isThere())) for (const sql of foundations) await query(sql);
      for (const sql of SESSION) await query(sql);
      if ((await this.#version()) < VERSION) {
        for (const sql of schema) await query(sql);
        await this.note('version', String(VERSION));
      }
      this.#name = (await this.fact('store')) ?? newName();
      await this.note('store', this.#name);
      await this.note('timezone', timezone);
    });
  }

  async #isThere(): Promise<boolean> {
    const { rows } = await this.#client.query("select from pg_namespace where nspname = 'relais'");
    return rows.length > 0;
  }

  async #version(): Promise<number> {
    const { rows } = await this.#client.query("select to_regclass('relais.facts') as facts");
    const [first] = rows as readonly { readonly facts: string | null }[];
    return first?.facts ? Number((await this.fact('version')) ?? 0) : 0;
  }

  async #together(work: () => Promise<void>): Promise<void> {
    await this.#client.query('begin');
    try {
      await work();
      await this.#client.query('commit');
    } catch (error) {
      // Where the connection is gone there is nothing to take back: the server does that by itself.
      await this.#client.query('rollback').catch(() => undefined);
      throw error;
    }
  }

  async #makeParts(table: Table, rows: readonly Row[]): Promise<void> {
    const of = table.columns.find(({ name }) => name === ROW_TIME)?.of ?? '';
    for (const row of rows) {
      const { name, sql } = partOf(table, Number(row[of]));
      if (this.#parts.has(name)) continue;
      await this.#client.query(sql);
      this.#parts.add(name);
    }
  }

  async #stage(table: Table, rows: readonly Row[]): Promise<void> {
    const names = table.columns.map(({ name }) => name).join(', ');
    await this.#client.query(`create temporary table if not exists ${stagingOf(table)} (like relais.${table.table})`);
    await this.#client.query(`truncate ${stagingOf(table)}`);
    const lines = rows.map((row) => `${lineOf(table, row)}\n`);
    const into = this.#client.query(copyFrom(`copy ${stagingOf(table)} (${names}) from stdin`));
    await pipeline(Readable.from(inPieces(lines)), into);
  }

  async #readBack(table: Table): Promise<string[]> {
    const names = table.columns.map(({ name }) => `t.${name}`).join(', ');
    const same = table.key.map((name) => `t.${name} = s.${name}`).join(' and ');
    const sql = `copy (select ${names} from ${stagingOf(table)} s join relais.${table.table} t on ${same}) to stdout`;
    const pieces: Buffer[] = [];
    const out = new Writable({
      write(piece: Buffer, _encoding, done) {
        pieces.push(piece);
        done();
      },
    });
    const copying: ReturnType<typeof copyTo> & { callback?: () => void } = this.#client.query(copyTo(sql));
    try {
      await pipeline(copying, out);
    } finally {
      // pg lets go of its limit of time when it is called back, which no copy does of itself: the process would not end
      // before the limit has passed.
      copying.callback?.();
    }
    return Buffer.concat(pieces).toString().split('\n').slice(0, -1);
  }
}

const stagingOf = ({ table }: Table): string => `pg_temp.new_${table}`;

/** A higher revision wins, and a later reading of the same one; never a lower. What has none never changes. */
function mergeOf({ table, columns, key, rev }: Table): string {
  const names = columns.map(({ name }) => name);
  const rest = names.filter((name) => !key.includes(name));
  const set = rest.map((name) => `${name} = excluded.${name}`).join(', ');
  const then = rev === undefined ? 'nothing' : `update set ${set} where t.${rev} <= excluded.${rev}`;
  return `insert into relais.${table} as t (${names.join(', ')}) select ${names.join(', ')} from pg_temp.new_${table}
    on conflict (${key.join(', ')}) do ${then}`;
}

/** Lines by the hundred thousand characters: one piece a line is a packet a line. */
function* inPieces(lines: readonly string[]): Generator<string> {
  const AT_ONCE = 500;
  for (let at = 0; at < lines.length; at += AT_ONCE) yield lines.slice(at, at + AT_ONCE).join('');
}
