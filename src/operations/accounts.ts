/** The conditions for which an account is held. Held once per reason, whatever the number of operations that met it. */
import type { Redis } from 'ioredis';
import { type HoldArea, holdAreas } from '../kinds/account.ts';
import {
  type AccountHold,
  type AccountStanding,
  PROVIDER_UNREADABLE,
  type Row,
  type UnreadableAnswers,
} from '../kinds/hold.ts';
import { type Act, told } from './audit.ts';
import { keys } from './keys.ts';
import type { Fields } from './record.ts';
import {
  countFailure,
  type HoldAccountArgs,
  holdAccount,
  probeAccount,
  releaseAccount,
} from './scripts/generated/scripts.ts';

/** What stands in the way, from the account as Redis keeps it. */
export function readStanding(account: string, fields: Fields): AccountStanding {
  const names = Object.keys(fields);
  const holds = names.flatMap((name) => {
    const [, held, reason] = /^held:(\w+)\.(.+)$/.exec(name) ?? [];
    const area = holdAreas.find((one) => one === held);
    if (!area || !reason) return [];
    const probed = fields[`probe:${area}.${reason}`];
    const hold = { account, area, reason, since: Number(fields[name]) };
    const unreadable = reason === PROVIDER_UNREADABLE ? readUnreadable(fields[unreadableField(area)]) : undefined;
    return [
      {
        ...hold,
        ...(probed === undefined ? {} : { probedAt: Number(probed) }),
        ...(unreadable === undefined ? {} : { unreadable }),
      },
    ];
  });
  const rows = names.filter((name) => name.startsWith('row:'));
  return { holds, failing: new Set(rows.map((name) => name.slice('row:'.length))) };
}

const unreadableField = (area: HoldArea): string => `unreadable:${area}`;

/** `operation what came`: an operation has no space in its name. */
function readUnreadable(written: string | undefined): UnreadableAnswers | undefined {
  const [, operation, came] = /^(\w+) (.*)$/.exec(written ?? '') ?? [];
  return operation === undefined || came === undefined ? undefined : { operation, came };
}

export class Accounts {
  readonly #redis: Redis;

  constructor(redis: Redis) {
    this.#redis = redis;
  }

  /** True for the one call that began the hold, and so announced it. */
  async hold(account: string, area: HoldArea, reason: string, act?: Act): Promise<boolean> {
    return holdAccount(this.#redis, { ...holdOf(account, area, reason), ...told(act) });
  }

  /** Stores the unreadable answer before the hold, so that a hold always shows its reason. */
  async holdUnreadable(account: string, area: HoldArea, { operation, came }: UnreadableAnswers): Promise<boolean> {
    await this.#redis.hset(keys.account(account), unreadableField(area), `${operation} ${came}`);
    return this.hold(account, area, PROVIDER_UNREADABLE);
  }

  /** True for the one call that ended it. */
  async release(account: string, area: HoldArea, reason: string, act?: Act): Promise<boolean> {
    return releaseAccount(this.#redis, { ...holdOf(account, area, reason), ...told(act) });
  }

  /** Counts one more in a row. True for the one call that so began the hold. */
  async countFailure(account: string, area: HoldArea, reason: string, row: Row): Promise<boolean> {
    return countFailure(this.#redis, { ...holdOf(account, area, reason), ...row });
  }

  /** An answer of another kind ends the row. */
  async endRow(account: string, area: HoldArea, reason: string): Promise<void> {
    await this.#redis.hdel(keys.account(account), `row:${area}.${reason}`, `rowAt:${area}.${reason}`);
  }

  /** Whether this operation is the one of this interval that may try whether the condition has cleared. */
  async mayProbe(account: string, area: HoldArea, reason: string, everyMs: number): Promise<boolean> {
    return probeAccount(this.#redis, { account: keys.account(account), everyMs, reason: `${area}.${reason}` });
  }

  async standingOf(account: string): Promise<AccountStanding> {
    return readStanding(account, await this.#redis.hgetall(keys.account(account)));
  }

  async holdsOf(account: string): Promise<readonly AccountHold[]> {
    return (await this.standingOf(account)).holds;
  }

  async allHolds(): Promise<AccountHold[]> {
    const names = await this.#redis.smembers(keys.heldAccounts);
    return (await Promise.all(names.map((name) => this.holdsOf(name)))).flat();
  }
}

function holdOf(account: string, area: HoldArea, reason: string): Omit<HoldAccountArgs, 'audit' | 'act'> {
  return {
    account: keys.account(account),
    held: keys.heldAccounts,
    events: keys.events,
    counts: keys.counts('account'),
    name: account,
    reason: `${area}.${reason}`,
    data: JSON.stringify({ id: account, area, reason }),
  };
}
