/**
 * The database of history, through one connection: rows are copied, those that are there already by way of a
 * staging table, and read back to be compared. What fails closes the connection; the next turn opens another.
 */
import { Socket } from 'node:net';
import { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Client, DatabaseError } from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import { ROW_TIME, type Table } from '../kinds/tables.ts';
import { lastRowOf, type TextRow } from './past.ts';
import { cellAt, type Copy, linesIn, nameOfLine, timeIn } from './rows.ts';
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

const FAREWELL_MS = 2_000;

const SESSION = [
  `set role ${WRITER}`,
  "set timezone to 'UTC'",
  "set datestyle to 'ISO'",
  // Rows are looked up by their names, whatever the planner thinks of tables that nobody has looked through yet.
  'set enable_seqscan to off',
  'set enable_hashjoin to off',
  'set enable_mergejoin to off',
  // Compiling a statement takes longer than any of ours does.
  'set jit to off',
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
export class NotAsWritten extends Error {
  override readonly name = 'NotAsWritten';
}

class OlderCopy extends Error {
  override readonly name = 'OlderCopy';
}

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
    // One that hangs never says good-bye.
    this.#socket.setTimeout(FAREWELL_MS, () => this.destroy());
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
  async write(copies: readonly Copy[], facts: Facts = {}, mark?: Mark): Promise<void> {
    try {
      await this.#write(copies, { facts, mark }, (copy) => this.#add(copy));
    } catch (error) {
      if (!wasThere(error)) throw error;
      // Another writer, whose turn it was before this one, has put it there since we looked.
      await this.#write(copies, { facts, mark }, (copy) => this.#merge(copy));
    }
  }

  /** Reads what was written, and throws where it is not there as it was given; a later one may be there instead. */
  async compare(copies: readonly Copy[]): Promise<void> {
    for (const copy of copies) {
      for (const why of (await this.differing(copy)).values()) throw new NotAsWritten(why);
    }
  }

  /** Of what was written, what is not there as it was given, and why, by its place in the copy. */
  async differing(copy: Copy): Promise<ReadonlyMap<number, string>> {
    const { table, bytes } = copy;
    const differing = new Map<number, string>();
    const read = await this.#readBack(copy);
    // Most are there as they were given, to the byte and in their order.
    if (read.equals(bytes)) return differing;
    const found = new Map(linesIn(read).map((line) => [nameOfLine(table, line), line]));
    for (const [place, given] of linesIn(bytes).entries()) {
      const line = found.get(nameOfLine(table, given));
      if (line === given) continue;
      const isLater =
        line !== undefined &&
        table.rev !== undefined &&
        Number(cellAt(table, line, table.rev)) > Number(cellAt(table, given, table.rev));
      const stays = line !== undefined && table.rev === undefined;
      if (!isLater && !stays)
        differing.set(place, `a row of ${table.table} ${line === undefined ? 'is not there' : 'differs'}`);
    }
    return differing;
  }

  /** Of each row, whether it is there exactly as given. */
  async has(copy: Copy): Promise<boolean[]> {
    if (copy.count === 0) return [];
    const read = await this.#readBack(copy);
    if (read.equals(copy.bytes)) return Array.from({ length: copy.count }, () => true);
    const found = new Set(linesIn(read));
    return linesIn(copy.bytes).map((line) => found.has(line));
  }

  /** A record by its id, to be read by `fieldsOfRow`. */
  async row(table: Table, id: string): Promise<TextRow | undefined> {
    const { rows } = await this.#client.query<TextRow>(lastRowOf(table), [id]);
    return rows[0];
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
      // Those that were made here are gone with the rest, and one that was thought to be there may not be.
      this.#parts.clear();
      // Where the connection is gone there is nothing to take back: the server does that by itself.
      await this.#client.query('rollback').catch(() => undefined);
      throw error;
    }
  }

  async #write(
    copies: readonly Copy[],
    { facts, mark }: { readonly facts: Facts; readonly mark: Mark | undefined },
    put: (copy: Copy) => Promise<void>,
  ): Promise<void> {
    await this.#together(async () => {
      if (mark) await this.#raise(mark);
      for (const copy of copies) {
        if (copy.count === 0) continue;
        await this.#makeParts(copy);
        await put(copy);
      }
      for (const [name, value] of Object.entries(facts)) await this.note(name, value);
    });
  }

  async #makeParts({ table, days }: Copy): Promise<void> {
    for (const day of days) {
      const { name, sql } = partOf(table, day);
      if (this.#parts.has(name)) continue;
      await this.#client.query(sql);
      this.#parts.add(name);
    }
  }

  /** What nothing is there of yet, which is nearly all, goes into its table at once: PostgreSQL's own shortest way. */
  async #add(copy: Copy): Promise<void> {
    if (await this.#isAnyThere(copy)) await this.#merge(copy);
    else await this.#copyInto(`relais.${copy.table.table}`, copy);
  }

  async #isAnyThere(copy: Copy): Promise<boolean> {
    const { rows } = await this.#client.query<{ is: boolean }>(`select exists (select ${this.#meant(copy)}) as is`);
    return rows[0]?.is !== false;
  }

  async #merge(copy: Copy): Promise<void> {
    const staging = stagingOf(copy.table);
    await this.#client.query(`create temporary table if not exists ${staging} (like relais.${copy.table.table})`);
    await this.#client.query(`truncate ${staging}`);
    await this.#copyInto(staging, copy);
    await this.#client.query(mergeOf(copy.table));
  }

  async #copyInto(into: string, { table, bytes }: Copy): Promise<void> {
    const names = table.columns.map(({ name }) => name).join(', ');
    const copying = this.#client.query(copyFrom(`copy ${into} (${names}) from stdin`));
    // No pipeline: it would destroy what PostgreSQL has refused already, and that waits for a second refusal.
    await new Promise<void>((resolve, reject) => {
      copying.on('error', reject).on('finish', resolve).end(bytes);
    });
  }

  /** In the order in which they were given. */
  async #readBack(copy: Copy): Promise<Buffer> {
    if (copy.count === 0) return Buffer.alloc(0);
    const names = copy.table.columns.map(({ name }) => `t.${name}`).join(', ');
    const pieces: Buffer[] = [];
    const out = new Writable({
      write(piece: Buffer, _encoding, done) {
        pieces.push(piece);
        done();
      },
    });
    const copying: ReturnType<typeof copyTo> & { callback?: () => void } = this.#client.query(
      copyTo(`copy (select ${names} ${this.#meant(copy)} order by ${this.#asGiven(copy)}) to stdout`),
    );
    try {
      await pipeline(copying, out);
    } finally {
      // pg lets go of its limit of time when it is called back, which no copy does of itself: the process would not end
      // before the limit has passed.
      copying.callback?.();
    }
    return Buffer.concat(pieces);
  }

  /**
   * The rows of these keys, and perhaps some more: by constants, so that only the parts that are meant are looked into,
   * and all names at once. For one name after the other the planner may walk over all that have begun in this time,
   * since it thinks that hardly any row has times that nobody has looked through yet.
   */
  #meant({ table, heads, places, times }: Copy): string {
    const time = (ms: number): string => this.#client.escapeLiteral(timeIn(ms));
    const within = places === undefined ? '' : ` and t.place between ${places.least} and ${places.most}`;
    return `from relais.${table.table} t where t.${headOf(table)} = any(${this.#listed(heads)})
      and t.${ROW_TIME} between ${time(times.least)} and ${time(times.most)}${within}`;
  }

  #asGiven({ table, heads, places }: Copy): string {
    const first = `array_position(${this.#listed(heads)}, t.${headOf(table)})`;
    return places === undefined ? first : `${first}, t.place`;
  }

  #listed(heads: readonly string[]): string {
    return `array[${heads.map((head) => this.#client.escapeLiteral(head)).join(', ')}]`;
  }
}

const headOf = ({ key }: Table): string => key[0] ?? '';

type Facts = Readonly<Record<string, string>>;

interface Mark {
  readonly from: number;
  readonly to: number;
}

/** A row of that key is there already. */
const wasThere = (error: unknown): boolean =>
  error instanceof DatabaseError && error.code === '23505' && error.schema === 'relais';

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
