/** The conditions for which an account is held. Held once per reason, whatever the number of operations that met it. */
import type { Redis } from 'ioredis';
import { keys } from './keys.ts';
import { holdAccountScript, probeAccountScript, releaseAccountScript } from './scripts/account.ts';
import { runScript } from './scripts/script.ts';

/** The reason of an account that a person has stopped. It is released by a person, never by itself. */
export const STOPPED = 'stopped';

/**
 * Money and texts are held apart: an empty SMS balance stops no disbursement. Direct credits are an option of their
 * own upstream, so a refusal of one stops no disbursement either.
 */
export type HoldArea = 'payments' | 'messaging' | 'direct_credit';

export interface AccountHold {
  readonly account: string;
  readonly area: HoldArea;
  readonly reason: string;
  /** ms since the epoch. */
  readonly since: number;
}

export class Accounts {
  readonly #redis: Redis;

  constructor(redis: Redis) {
    this.#redis = redis;
  }

  /** True for the one call that began the hold, and so announced it. */
  async hold(account: string, area: HoldArea, reason: string): Promise<boolean> {
    return this.#change(holdAccountScript, account, area, reason);
  }

  /** True for the one call that ended it. */
  async release(account: string, area: HoldArea, reason: string): Promise<boolean> {
    return this.#change(releaseAccountScript, account, area, reason);
  }

  /** Whether this operation is the one of this interval that may try whether the condition has cleared. */
  async mayProbe(account: string, area: HoldArea, reason: string, everyMs: number): Promise<boolean> {
    const answer = await runScript(
      this.#redis,
      probeAccountScript,
      [keys.account(account)],
      ['', everyMs, `${area}.${reason}`],
    );
    return answer === 1;
  }

  async holdsOf(account: string): Promise<AccountHold[]> {
    const fields = await this.#redis.hgetall(keys.account(account));
    return Object.entries(fields).flatMap(([name, since]) => {
      const [, area, reason] = /^held:(payments|messaging|direct_credit)\.(.+)$/.exec(name) ?? [];
      return area && reason ? [{ account, area: area as HoldArea, reason, since: Number(since) }] : [];
    });
  }

  async allHolds(): Promise<AccountHold[]> {
    const names = await this.#redis.smembers(keys.heldAccounts);
    return (await Promise.all(names.map((name) => this.holdsOf(name)))).flat();
  }

  async #change(script: typeof holdAccountScript, account: string, area: HoldArea, reason: string): Promise<boolean> {
    const answer = await runScript(
      this.#redis,
      script,
      [keys.account(account), keys.heldAccounts, keys.events],
      [account, '', `${area}.${reason}`, JSON.stringify({ id: account, area, reason })],
    );
    return answer === 1;
  }
}
