/**
 * The Redis of a storm, and its power cut.
 *
 * With `appendfsync always` Redis answers a write only when the file holds it and has been synced. So what may be lost
 * is found without looking into Redis: first every wire stops passing replies, and in the same moment the length of the
 * append-only file is read. Every reply that anybody has heard belongs to a write that lies before that length. Redis
 * goes on for some milliseconds, so that it carries out and writes down commands whose replies nobody hears; then it is
 * killed, and the file is cut somewhere between that length and its end, in the middle of a command as likely as not.
 * Never cut: anything that was acknowledged. That the length is read after the last reply passed makes the cut smaller
 * than the worst that a disk may do, never larger.
 *
 * Before Redis starts again its file is mended as `redis-check-aof --fix` mends it (see torn-tail.ts): a server that
 * finds half a transaction at the end keeps it, and carries it out after the next restart.
 */
import { closeSync, cpSync, openSync, readSync, readdirSync, rmSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import type { Random } from '../../src/lib/random.ts';
import { type EmbeddedRedis, startEmbeddedRedis } from '../../src/redis/embedded.ts';
import { nowMs, wait } from './clock.ts';
import type { Link } from './link.ts';
import { within } from './phases.ts';
import { wholeLength } from './torn-tail.ts';

const START_TRIES = 10;
const START_AGAIN_MS = 200;
const START_WITHIN_MS = 90_000;
const ENDS_WITHIN_MS = 30_000;

interface Tail {
  readonly file: string;
  readonly bytes: number;
}

export interface Loss {
  /** Bytes at the end of the file that nobody had been told about. */
  readonly unacknowledged: number;
  readonly cut: number;
}

export interface PowerPlan {
  readonly dir: string;
  /** Whether a torn file is mended before the start (which it is), or left to Redis. */
  readonly mends?: boolean;
  /** Instead of the Redis that is found. */
  readonly binary?: string | undefined;
}

export class Power {
  readonly #dir: string;
  readonly #mends: boolean;
  readonly #program: { readonly binary?: string };
  #redis: EmbeddedRedis;
  /** The length up to which a file was found to hold whole commands, after the last loss. */
  #whole: Tail = { file: '', bytes: 0 };
  readonly losses: Loss[] = [];
  /** When nobody had an answer of it, by our clock, ms since the epoch. */
  readonly dark: { readonly from: number; readonly to: number }[] = [];
  #turn: Promise<void> = Promise.resolve();

  private constructor(redis: EmbeddedRedis, { dir, mends, binary }: PowerPlan & { readonly mends: boolean }) {
    this.#dir = dir;
    this.#mends = mends;
    this.#redis = redis;
    this.#program = binary === undefined ? {} : { binary };
  }

  static async on({ dir, mends = true, binary }: PowerPlan): Promise<Power> {
    const redis = await startEmbeddedRedis({ dir, ...(binary === undefined ? {} : { binary }) });
    return new Power(redis, { dir, mends, binary });
  }

  get port(): number {
    return this.#redis.port;
  }

  /** One thing at a time is done to it. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(work);
    this.#turn = done.then(
      () => undefined,
      () => undefined,
    );
    return done;
  }

  /** Kills Redis, loses what was never acknowledged, and starts it again on the same folder and port. */
  fail(links: readonly Link[], random: Random, darkMs: number): Promise<void> {
    return this.#inTurn(() => this.#fail(links, random, darkMs));
  }

  async #fail(links: readonly Link[], random: Random, darkMs: number): Promise<void> {
    const from = nowMs();
    for (const link of links) link.seal();
    const acknowledged = this.#tail();
    await wait(5 + random.fraction() * 40);
    await this.#end();
    this.#cut(acknowledged, random);
    for (const link of links) link.unseal();
    await wait(darkMs);
    this.#redis = await this.#startAgain();
    this.dark.push({ from, to: nowMs() });
  }

  /** A copy of its folder while it runs, as docs/operating.md makes one: what stands in it is one moment of the past. */
  copy(to: string): Promise<void> {
    return this.#inTurn(async () => {
      rmSync(to, { recursive: true, force: true });
      cpSync(join(this.#dir, 'appendonlydir'), to, { recursive: true });
    });
  }

  /**
   * Ends Redis, puts the copy in the place of its folder, and starts it again on the same port. Resolves with when nobody
   * could be told anything of the old world any more.
   */
  restore(from: string, links: readonly Link[], darkMs: number): Promise<{ goneAt: number; backAt: number }> {
    return this.#inTurn(() => this.#restore(from, links, darkMs));
  }

  async #restore(from: string, links: readonly Link[], darkMs: number): Promise<{ goneAt: number; backAt: number }> {
    const sealedAt = nowMs();
    for (const link of links) link.seal();
    await this.#end();
    const goneAt = nowMs();
    const folder = join(this.#dir, 'appendonlydir');
    rmSync(folder, { recursive: true });
    cpSync(from, folder, { recursive: true });
    this.#whole = { file: '', bytes: 0 };
    // The copy ends where Redis had come to, in the middle of a command as likely as not.
    this.#mend(this.#tail().file);
    for (const link of links) link.unseal();
    await wait(darkMs);
    this.#redis = await this.#startAgain();
    const backAt = nowMs();
    this.dark.push({ from: sealedAt, to: backAt });
    return { goneAt, backAt };
  }

  #end(): Promise<void> {
    process.kill(this.#redis.pid, 'SIGKILL');
    return within(ENDS_WITHIN_MS, 'Redis to end', this.#redis.stop());
  }

  /** While it was down its port was anybody's, for a connection of his own. */
  async #startAgain(): Promise<EmbeddedRedis> {
    const until = nowMs() + START_WITHIN_MS;
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await startEmbeddedRedis({ ...this.#program, dir: this.#dir, port: this.#redis.port });
      } catch (error) {
        if (attempt === START_TRIES || nowMs() > until) throw error;
        await wait(START_AGAIN_MS);
      }
    }
  }

  stop(): Promise<void> {
    return this.#redis.stop();
  }

  #cut(acknowledged: Tail, random: Random): void {
    const { file, bytes } = this.#tail();
    // Redis has begun a new file meanwhile: what was acknowledged cannot be told from what was not, so nothing is cut.
    if (file !== acknowledged.file) return void this.losses.push({ unacknowledged: 0, cut: 0 });
    const unacknowledged = bytes - acknowledged.bytes;
    const kept = Math.floor(random.fraction() * (unacknowledged + 1));
    truncateSync(file, acknowledged.bytes + kept);
    if (this.#mends) this.#mend(file);
    this.losses.push({ unacknowledged, cut: unacknowledged - kept });
  }

  /** What was found whole stays whole, so only what came after it is read again. */
  #mend(file: string): void {
    const from = this.#whole.file === file ? this.#whole.bytes : 0;
    const bytes = from + wholeLength(readFrom(file, from));
    truncateSync(file, bytes);
    this.#whole = { file, bytes };
  }

  /** The file that Redis appends to: the newest of its increments. */
  #tail(): Tail {
    const folder = join(this.#dir, 'appendonlydir');
    const numbered = readdirSync(folder)
      .map((name) => ({ name, number: Number(/\.(\d+)\.incr\.aof$/.exec(name)?.[1] ?? -1) }))
      .sort((a, b) => b.number - a.number);
    const file = join(folder, numbered[0]?.name ?? '');
    return { file, bytes: statSync(file).size };
  }
}

function readFrom(path: string, from: number): Buffer {
  const rest = Buffer.alloc(statSync(path).size - from);
  const file = openSync(path, 'r');
  let read = 0;
  while (read < rest.length) {
    const got = readSync(file, rest, read, rest.length - read, from + read);
    if (got === 0) break;
    read += got;
  }
  closeSync(file);
  return rest.subarray(0, read);
}
