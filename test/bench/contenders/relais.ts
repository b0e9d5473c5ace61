/** relais as deployed: a process with the API and the receiver, a worker, a PostgreSQL, and a plain Redis. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { Agent, request } from 'undici';
import { freePort } from '../../../src/lib/listening.ts';
import { startEmbeddedRedis } from '../../../src/redis/embedded.ts';
import { SHIPPED_ARGS, SHIPPED_ENV } from '../../../script/shipped.ts';
import { type OwnPostgres, startPostgres } from '../../support/postgres.ts';
import { relaisSettings } from '../../support/relais-settings.ts';
import type { Pids } from '../measure.ts';
import { type Program, startProgram } from '../programs.ts';
import type { Stage } from '../stage.ts';
import { CONCURRENCY, inParallel, paymentOf, recipientsFile, referenceOf, TEXT } from '../work.ts';

const LOOK_EVERY_MS = 100;

/** The server's pid; its backends are its children. */
export const pidOf = ({ data }: OwnPostgres): number =>
  Number.parseInt(readFileSync(join(data, 'postmaster.pid'), 'utf8'), 10);

export class Relais {
  readonly api: string;
  readonly pids: Pids;
  readonly #look: Client;
  readonly #agent = new Agent({ headersTimeout: 600_000, bodyTimeout: 600_000 });
  readonly #closing: readonly (() => Promise<unknown>)[];

  private constructor(api: string, pids: Pids, look: Client, closing: readonly (() => Promise<unknown>)[]) {
    this.api = api;
    this.pids = pids;
    this.#look = look;
    this.#closing = closing;
  }

  static async start({ dir, program, base, crm }: Stage, roles: readonly string[]): Promise<Relais> {
    const [redis, postgres] = [await startEmbeddedRedis(), await startPostgres()];
    const port = await freePort();
    const settings = {
      ...SHIPPED_ENV,
      ...relaisSettings({ redisUrl: redis.url, databaseUrl: postgres.url, base, crm }),
      API_KEYS: 'dev:enqueue+read+operate:dev',
      CALLBACK_SECRET: 'secret of the bench',
      PUBLIC_URL: `http://127.0.0.1:${port}`,
      WEBHOOKS_PORT: String(port),
      WORKER_CONCURRENCY: String(CONCURRENCY),
      WITNESS: 'none',
    };
    const started: Record<string, Program> = {};
    for (const role of roles) {
      const args = [...SHIPPED_ARGS, program, 'run', '--roles', role];
      started[role] = await startProgram({ name: role.replace(',', '-'), args, settings, dir });
    }
    const look = new Client({ connectionString: postgres.url });
    await look.connect();
    const pids = Object.fromEntries(Object.entries(started).map(([role, { pid }]) => [role, pid]));
    const api = Object.values(started).find(({ urls }) => urls['api'] !== undefined)?.urls['api'] ?? '';
    return new Relais(api, { ...pids, postgres: pidOf(postgres), redis: redis.pid }, look, [
      () => look.end(),
      ...Object.values(started).map((one) => () => one.stop()),
      () => redis.stop(),
      () => postgres.stop(),
    ]);
  }

  async stop(): Promise<void> {
    await this.#agent.close();
    for (const close of this.#closing) await close();
  }

  /** Accepts single payments over HTTP. */
  accept(first: number, count: number): Promise<void> {
    return inParallel(count, CONCURRENCY, async (index) => {
      await this.#ask('/v1/disbursements', { ...paymentOf(first + index), reference: referenceOf(first + index) });
    });
  }

  async pausePayments(): Promise<void> {
    await this.#ask('/v1/queues/disbursement/pause');
  }

  /** From the start of the queue until all have ended, and this many more have succeeded. */
  async liveAll(count: number): Promise<void> {
    const before = await this.#succeeded();
    await this.#ask('/v1/queues/disbursement/resume');
    while (await this.#anyOpen()) await delay(LOOK_EVERY_MS);
    const paid = (await this.#succeeded()) - before;
    if (paid !== count) throw new Error(`${paid} of ${count} payments succeeded`);
  }

  async prepareCampaign(reference: string, first: number, recipients: number): Promise<string> {
    const body = { name: reference, reference, text: TEXT, country: 'SN' };
    const { id } = await this.#ask<{ readonly id: string }>('/v1/campaigns', body);
    await this.#ask(`/v1/campaigns/${id}/recipients`, recipientsFile(first, recipients));
    return id;
  }

  async runCampaign(id: string): Promise<void> {
    await this.#ask(`/v1/campaigns/${id}/start`);
    const isOver = `select 1 from relais.campaign where id = $1 and state = 'finished'`;
    while ((await this.#look.query(isOver, [id])).rowCount === 0) await delay(LOOK_EVERY_MS);
  }

  /** Bytes on disk of tables with their indexes, without the space for future rows. */
  async tableBytes(like: string): Promise<number> {
    await this.#look.query('checkpoint');
    const { rows } = await this.#look.query<{ bytes: string }>(
      `select coalesce(sum(pg_total_relation_size(c.oid)), 0) as bytes from pg_class c join pg_namespace n on n.oid = c.relnamespace
       where n.nspname = 'relais' and c.relkind = 'r' and c.relname like $1`,
      [like],
    );
    return Number(rows[0]?.bytes ?? 0);
  }

  /** Reads one row of an index, to avoid load. */
  async #anyOpen(): Promise<boolean> {
    const open = `select 1 from relais.operation where kind = 'disbursement' and finished_at is null limit 1`;
    return (await this.#look.query(open)).rowCount !== 0;
  }

  async #succeeded(): Promise<number> {
    const { rows } = await this.#look.query<{ count: string }>(
      `select count(*) from relais.operation where kind = 'disbursement' and state = 'succeeded'`,
    );
    return Number(rows[0]?.count ?? 0);
  }

  async #ask<T>(path: string, body?: object | Iterable<string>): Promise<T> {
    const isFile = typeof body === 'object' && Symbol.iterator in body;
    const answer = await request(`${this.api}${path}`, {
      method: 'POST',
      dispatcher: this.#agent,
      headers: { authorization: 'Bearer dev', 'content-type': isFile ? 'text/csv' : 'application/json' },
      ...(body === undefined ? {} : { body: isFile ? Readable.from(body) : JSON.stringify(body) }),
    });
    const text = await answer.body.text();
    if (answer.statusCode >= 300) throw new Error(`${path} answered ${answer.statusCode} ${text}`);
    return JSON.parse(text) as T;
  }
}
