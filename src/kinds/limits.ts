/** The money limits: the unit of each, and which of two values is stricter. A process can only make them stricter. */
import { describeMs, toMs } from '../lib/clock.ts';
import { describeXof } from '../lib/money.ts';
import { type Message, message } from '../messages/message.ts';
import { MessageError } from '../messages/texts.ts';

interface LimitDeclaration {
  readonly unit: 'xof' | 'ms' | 'recipients';
  /** What it limits. */
  readonly of: 'payments' | 'campaigns' | 'texts';
  /** The stricter of two values. */
  readonly stricter: 'lower' | 'higher';
  /** The default while it is not set. Absent: no limit then. */
  readonly fallback?: number;
}

/** One row per limit, used by checks, display, changes and parsing. */
const declared = {
  MAX_DISBURSEMENT: { unit: 'xof', of: 'payments', stricter: 'lower', fallback: 2_000_000 },
  MAX_PER_DAY: { unit: 'xof', of: 'payments', stricter: 'lower' },
  MAX_PER_BENEFICIARY_DAY: { unit: 'xof', of: 'payments', stricter: 'lower' },
  DUPLICATE_WINDOW: { unit: 'ms', of: 'payments', stricter: 'higher' },
  APPROVAL_ABOVE: { unit: 'xof', of: 'payments', stricter: 'lower' },
  CAMPAIGN_APPROVAL_ABOVE_XOF: { unit: 'xof', of: 'campaigns', stricter: 'lower' },
  CAMPAIGN_APPROVAL_ABOVE_RECIPIENTS: { unit: 'recipients', of: 'campaigns', stricter: 'lower' },
  SMS_BUDGET_DAY: { unit: 'xof', of: 'texts', stricter: 'lower' },
  SMS_BUDGET_MONTH: { unit: 'xof', of: 'texts', stricter: 'lower' },
} as const satisfies Readonly<Record<string, LimitDeclaration>>;

export type MoneyLimit = keyof typeof declared;
export const moneyLimits = Object.keys(declared) as MoneyLimit[];

export function limitsOf(what: LimitDeclaration['of']): readonly MoneyLimit[] {
  return moneyLimits.filter((name) => declared[name].of === what);
}

/** A number in the unit of the limit; null is `off`, the loosest. */
export type LimitValue = number | null;

/** Requested values; omitted limits are not requested. */
export type Opinions = Readonly<Partial<Record<MoneyLimit, LimitValue | undefined>>>;

/** Limits in force; absent: no such limit. */
export type Limits = Readonly<Partial<Record<MoneyLimit, number>>>;

/** How tables and settings write `null`. */
export const OFF = 'off';

export function isMoneyLimit(name: string): name is MoneyLimit {
  return Object.hasOwn(declared, name);
}

/** A name from the ledger, which contains only these. */
export function limitNamed(name: string): MoneyLimit {
  if (isMoneyLimit(name)) return name;
  throw new RangeError(`the limit ${name} was not found`);
}

export function declarationOf(name: MoneyLimit): LimitDeclaration {
  return declared[name];
}

/** The ledger's form; '' is not requested. */
export function wordOf(value: LimitValue | undefined): string {
  return value === undefined ? '' : value === null ? OFF : String(value);
}

export function valueOf(word: string | null | undefined): LimitValue | undefined {
  if (word === null || word === undefined || word === '') return undefined;
  return word === OFF ? null : Number(word);
}

/** The strictest requested value; without a request, the default. */
export function strictestOf(name: MoneyLimit, asked: readonly (LimitValue | undefined)[]): LimitValue {
  const said = asked.filter((value) => value !== undefined);
  const { stricter, fallback = null } = declarationOf(name);
  if (said.length === 0) return fallback;
  const numbers = said.filter((value) => value !== null);
  if (numbers.length === 0) return null;
  return stricter === 'lower' ? Math.min(...numbers) : Math.max(...numbers);
}

/** The limits in force while none is set. */
export function holdingByDefault(): Limits {
  const held = moneyLimits.map((name) => [name, strictestOf(name, [])] as const);
  return Object.fromEntries(held.filter(([, value]) => value !== null));
}

const LARGEST = 999_999_999_999_999;

/** Parses a value from a setting or a command line. Throws a RangeError that names the format. */
export function readLimit(name: MoneyLimit, text: string): LimitValue {
  if (text === OFF) return null;
  const { unit } = declarationOf(name);
  if (unit !== 'ms' && !/^[1-9]\d{0,14}$/.test(text)) {
    throw new MessageError(message('whole_or_off', { unit: unit === 'xof' ? 'XOF' : unit }));
  }
  const value = unit === 'ms' ? toMs(text) : Number(text);
  if (value < 1 || value > LARGEST) throw new MessageError(message('longer_or_off'));
  return value;
}

/** For display: `10 000 XOF`, `10m`, `off`. */
export function describeValue(name: MoneyLimit, value: LimitValue): string {
  if (value === null) return OFF;
  const { unit } = declarationOf(name);
  if (unit === 'recipients') return `${value} ${unit}`;
  return unit === 'xof' ? describeXof(value) : describeMs(value);
}

/** The format of `readLimit`: `10000`, `600000ms`, `off`. */
export function writeLimit(name: MoneyLimit, value: LimitValue): string {
  return value === null || declarationOf(name).unit !== 'ms' ? wordOf(value) : `${value}ms`;
}

/** A sentence with the limit. It omits the sum of the day, which includes the payments of others. */
export function describeLimit(limit: MoneyLimit, detail: string): Message {
  if (limit === 'DUPLICATE_WINDOW') {
    return message('duplicate_payment', { id: detail });
  }
  if (limit === 'APPROVAL_ABOVE') {
    return message('approval_impossible');
  }
  const most = describeXof(Number(detail));
  if (limit === 'MAX_DISBURSEMENT') return message('over_disbursement_limit', { most });
  if (limit === 'MAX_PER_DAY') return message('over_day_limit', { most });
  return message('over_beneficiary_limit', { most });
}

/** How long a requested change waits for a different person. */
export const ASKED_FOR_MS = 86_400_000;

export interface LimitChange {
  readonly name: MoneyLimit;
  /** null: off, or not set and without a default. */
  readonly from: LimitValue;
  readonly to: LimitValue;
}

export interface LimitSet {
  readonly is: 'in force' | 'waits' | 'unchanged';
  readonly from: LimitValue;
  /** An earlier request made the change. */
  readonly again?: true;
}

export interface LimitStanding {
  readonly name: MoneyLimit;
  readonly value: LimitValue;
  /** ms since the epoch; absent: not set, and the default applies. */
  readonly since?: number;
  readonly by?: string;
  /** A looser value that waits for a different person. */
  readonly asked?: { readonly value: LimitValue; readonly by: string; readonly at: number };
}

interface Looser {
  readonly says: Message;
  readonly fix: Message;
}

/** Settings that are looser than the limits in force, and what to do. */
export function looserThanHeld(own: Opinions, standings: readonly LimitStanding[]): ReadonlyMap<MoneyLimit, Looser> {
  const looser = standings.flatMap((standing) => {
    const { name, value, since } = standing;
    const asked = own[name];
    // A default is not a request: a process with a default may set a looser value.
    if (asked === undefined || since === undefined || strictestOf(name, [asked, value]) === asked) return [];
    return [[name, looserOf(standing, asked)] as const];
  });
  return new Map(looser);
}

function looserOf({ name, value, by }: LimitStanding, own: LimitValue): Looser {
  const held = { name, own: describeValue(name, own), value: describeValue(name, value) };
  const command = `relais limits set ${name} ${writeLimit(name, own)}`;
  return {
    says: by === undefined ? message('limit_looser', held) : message('limit_looser_by', { ...held, by }),
    fix: message('set_limit', { command }),
  };
}
