/**
 * Sessions of the console. The browser has a random id; the ledger has its hash and the data of its sign-in. A row
 * alone neither opens a session nor reveals a key's secret: it is bound to the key with the id.
 */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../lib/clock.ts';
import type { Random } from '../lib/random.ts';
import { type Act, actOf, noteAct } from './acts.ts';
import type { Database } from './pool.ts';

const IDLE_MS = 30 * 60_000;
const LONGEST_MS = 8 * 3_600_000;
/** Payments and API keys require a key that was entered within this time. */
const CONFIRMED_MS = 5 * 60_000;
/** The minimum interval between updates of a session in use. */
const USE_NOTED_MS = 60_000;
const ID_BYTES = 32;

interface SessionsOptions {
  readonly database: Database;
  readonly clock: Pick<Clock, 'now'>;
  /** Must be the system's generator. */
  readonly random: Random;
}

interface SessionRow {
  readonly key: string;
  readonly bound: Buffer;
  readonly provider: Session['provider'] | null;
  readonly started_at: Date;
  readonly used_at: Date;
  readonly confirmed_at: Date;
}

/** A session as it was read. Times are ms since the epoch. */
export interface Session {
  /** The name of the key, or of the person named by the identity provider. */
  readonly key: string;
  readonly bound: string;
  readonly startedAt: number;
  readonly usedAt: number;
  readonly confirmedAt: number;
  /** Person, group and subject from the identity provider. Absent: a key was entered. */
  readonly provider?:
    | { readonly person: string; readonly group: string; readonly subject?: string | undefined }
    | undefined;
  readonly place: string;
  readonly expiresAt: number;
  readonly idleUntil: number;
  readonly confirmedUntil: number;
  /** Whether the session began with this key. */
  readonly isOf: (key: Holder) => boolean;
}

interface Holder {
  readonly name: string;
  readonly digest: Buffer;
}

interface Beginning {
  /** The browser's previous session, which ends. */
  readonly before?: Pick<Session, 'place'> | undefined;
  /** When the person last authenticated; absent: now. */
  readonly confirmedAt?: number;
  readonly provider?: Session['provider'];
}

const hashOf = (id: string): Buffer => createHash('sha256').update(id).digest();
const bindingOf = (id: string, digest: Buffer): Buffer => createHmac('sha256', id).update(digest).digest();

export class Sessions {
  readonly #options: SessionsOptions;

  constructor(options: SessionsOptions) {
    this.#options = options;
  }

  /** Always creates a new id. */
  async begin(
    key: Holder,
    act: Act,
    { before, confirmedAt, provider }: Beginning = {},
  ): Promise<{ readonly id: string; readonly session: Session }> {
    const { clock, database, random } = this.#options;
    const id = random.hex(ID_BYTES);
    const now = new Date(clock.now());
    const row = {
      key: key.name,
      bound: bindingOf(id, key.digest),
      provider: provider ?? null,
      started_at: now,
      used_at: now,
      confirmed_at: confirmedAt === undefined ? now : new Date(confirmedAt),
    };
    const session = sessionOf(id, row);
    const replaced = before === undefined ? null : Buffer.from(before.place, 'hex');
    await database.transaction(async (run) => {
      const times = [now, row.confirmed_at, new Date(session.idleUntil)];
      await run('begin_session', [hashOf(id), row.key, row.bound, row.provider, ...times, replaced]);
      await noteAct(run, actOf(act), now);
    });
    return { id, session };
  }

  /** Sessions from before a recovery are invalid: they may have been ended in the data-loss window. */
  async find(id: string): Promise<Session | undefined> {
    const [row] = await this.#options.database.run<SessionRow>('find_session', [hashOf(id), this.#now()]);
    return row && sessionOf(id, row);
  }

  async goesOn({ place }: Session): Promise<boolean> {
    const found = await this.#options.database.run('find_session', [Buffer.from(place, 'hex'), this.#now()]);
    return found.length > 0;
  }

  /** Extends a used session by half an hour. */
  async use(id: string, session: Session): Promise<void> {
    const { clock, database } = this.#options;
    if (clock.now() - session.usedAt < USE_NOTED_MS) return;
    await database.run('extend_session', [hashOf(id), this.#now(), IDLE_MS, LONGEST_MS, null]);
  }

  /** The key was entered again. Undefined: the session has ended. */
  async confirm(id: string, act: Act): Promise<Session | undefined> {
    const now = this.#now();
    return this.#options.database.transaction(async (run) => {
      const [row] = await run<SessionRow>('extend_session', [hashOf(id), now, IDLE_MS, LONGEST_MS, now]);
      if (row === undefined) return undefined;
      await noteAct(run, actOf(act), now);
      return sessionOf(id, row);
    });
  }

  async end(id: string, act: Act): Promise<void> {
    await this.#options.database.transaction(async (run) => {
      const found = await run('find_session', [hashOf(id), this.#now()]);
      await run('end_session', [hashOf(id)]);
      if (found.length > 0) await noteAct(run, actOf(act), this.#now());
    });
  }

  #now(): Date {
    return new Date(this.#options.clock.now());
  }
}

function sessionOf(id: string, row: SessionRow): Session {
  const startedAt = row.started_at.getTime();
  const usedAt = row.used_at.getTime();
  const confirmedAt = row.confirmed_at.getTime();
  const expiresAt = startedAt + LONGEST_MS;
  return {
    key: row.key,
    bound: row.bound.toString('hex'),
    startedAt,
    usedAt,
    confirmedAt,
    ...(row.provider === null ? {} : { provider: row.provider }),
    place: hashOf(id).toString('hex'),
    expiresAt,
    idleUntil: Math.min(usedAt + IDLE_MS, expiresAt),
    confirmedUntil: Math.min(confirmedAt + CONFIRMED_MS, expiresAt),
    isOf: ({ name, digest }) => name === row.key && timingSafeEqual(bindingOf(id, digest), row.bound),
  };
}
