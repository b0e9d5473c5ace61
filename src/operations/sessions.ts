/**
 * Sessions of the console: a random id that only the browser has, and under its hash what a key was exchanged for. What
 * is kept neither opens a session nor says which secret a key has: it is bound to the key with the id.
 */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { Redis } from 'ioredis';
import { z } from 'zod';
import type { Clock } from '../lib/clock.ts';
import type { Random } from '../lib/random.ts';
import { type Act, told } from './audit.ts';
import { keys, LED_ON_FIELD } from './keys.ts';
import { changeSession } from './scripts/generated/scripts.ts';

const IDLE_MS = 30 * 60_000;
const LONGEST_MS = 8 * 3_600_000;
/** What moves money or opens a door needs a key that was shown so lately. */
const CONFIRMED_MS = 5 * 60_000;
/** A session in use is not written down more often: each write is synced. */
const USE_NOTED_MS = 60_000;
const ID_BYTES = 32;

const kept = z.object({
  /** The name of the key, or of the person that came from the provider. */
  key: z.string(),
  bound: z.string(),
  /** ms since the epoch, all three. */
  startedAt: z.number(),
  usedAt: z.number(),
  confirmedAt: z.number(),
  /**
   * Who it is, by which group and what the provider calls them, where one said so; absent: a key was shown. Sessions
   * that were begun before persons were bound have no `subject`.
   */
  provider: z.object({ person: z.string(), group: z.string(), subject: z.string().optional() }).optional(),
});

type Kept = z.output<typeof kept>;

/** A session that goes on, as it was read. */
export interface Session extends Kept {
  readonly place: string;
  /** The stored text; only in Redis. */
  readonly text?: string;
  readonly expiresAt: number;
  readonly idleUntil: number;
  readonly confirmedUntil: number;
  /** Whether it was begun with this key. */
  readonly isOf: (key: Holder) => boolean;
}

interface Holder {
  readonly name: string;
  readonly digest: Buffer;
}

interface Beginning {
  /** The session that the browser had before: it ends. */
  readonly before?: Pick<Session, 'place'> | undefined;
  /** When the person showed who they are; absent: now. */
  readonly confirmedAt?: number;
  readonly provider?: Kept['provider'];
}

interface SessionsOptions {
  readonly redis: Redis;
  readonly clock: Pick<Clock, 'now'>;
  /** Must be the system's. */
  readonly random: Random;
}

const placeOf = (id: string): string => keys.session(createHash('sha256').update(id).digest('hex'));
const bindingOf = (id: string, digest: Buffer): Buffer => createHmac('sha256', id).update(digest).digest();

export class Sessions {
  readonly #options: SessionsOptions;

  constructor(options: SessionsOptions) {
    this.#options = options;
  }

  /** A new id, whatever the browser had before. */
  async begin(
    key: Holder,
    act: Act,
    { before, confirmedAt, provider }: Beginning = {},
  ): Promise<{ readonly id: string; readonly session: Session }> {
    const { clock, random } = this.#options;
    const id = random.hex(ID_BYTES);
    const now = clock.now();
    const bound = bindingOf(id, key.digest).toString('hex');
    const times = { startedAt: now, usedAt: now, confirmedAt: confirmedAt ?? now };
    const text = JSON.stringify({ key: key.name, bound, ...times, provider });
    const session = readSession(id, text);
    await this.#change(undefined, session, { act, replaced: before && [before.place] });
    return { id, session };
  }

  /** Not one that a copy of Redis brought back: it may have been ended in the time that was lost. */
  async find(id: string): Promise<Session | undefined> {
    const { redis, clock } = this.#options;
    const [text, ledOnAt] = await Promise.all([redis.get(placeOf(id)), redis.hget(keys.heartbeat, LED_ON_FIELD)]);
    const session = text === null ? undefined : readSession(id, text);
    if (!session || session.startedAt < Number(ledOnAt ?? 0)) return undefined;
    return session.idleUntil > clock.now() ? session : undefined;
  }

  /** Whether one that went on still does. */
  async goesOn({ place }: Session): Promise<boolean> {
    return (await this.#options.redis.exists(place)) === 1;
  }

  /** It was used: it goes on for half an hour from now. */
  async use(id: string, session: Session): Promise<void> {
    const now = this.#options.clock.now();
    if (now - session.usedAt < USE_NOTED_MS) return;
    // Where another request has written meanwhile, it has written the same.
    await this.#change(session, changed(id, session, { usedAt: now }), {});
  }

  /** The key was shown again. Undefined: it is over. */
  async confirm(id: string, act: Act): Promise<Session | undefined> {
    const now = this.#options.clock.now();
    for (;;) {
      const session = await this.find(id);
      if (!session) return undefined;
      const becomes = changed(id, session, { usedAt: now, confirmedAt: now });
      if (await this.#change(session, becomes, { act })) return becomes;
    }
  }

  async end(id: string, act: Act): Promise<void> {
    for (;;) {
      const session = await this.find(id);
      if (!session || (await this.#change(session, undefined, { act }))) return;
    }
  }

  #change(
    was: Session | undefined,
    becomes: Session | undefined,
    { act, replaced = [] }: { readonly act?: Act; readonly replaced?: readonly string[] | undefined },
  ): Promise<boolean> {
    const keptMs = becomes === undefined ? 0 : Math.max(1, becomes.idleUntil - this.#options.clock.now());
    return changeSession(this.#options.redis, {
      session: (was ?? becomes)?.place ?? '',
      replaced,
      ...told(act),
      was: was?.text,
      becomes: becomes?.text,
      keptMs,
    });
  }
}

function changed(id: string, session: Session, times: Partial<Pick<Kept, 'usedAt' | 'confirmedAt'>>): Session {
  const { key, bound, startedAt, usedAt, confirmedAt, provider } = session;
  return readSession(id, JSON.stringify({ key, bound, startedAt, usedAt, confirmedAt, provider, ...times }));
}

function readSession(id: string, text: string): Session {
  const all = kept.parse(JSON.parse(text));
  const expiresAt = all.startedAt + LONGEST_MS;
  return {
    ...all,
    place: placeOf(id),
    text,
    expiresAt,
    idleUntil: Math.min(all.usedAt + IDLE_MS, expiresAt),
    confirmedUntil: Math.min(all.confirmedAt + CONFIRMED_MS, expiresAt),
    isOf: ({ name, digest }) =>
      name === all.key && timingSafeEqual(bindingOf(id, digest), Buffer.from(all.bound, 'hex')),
  };
}
