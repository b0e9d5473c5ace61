/**
 * The limits of money, each said once: what it is counted in and which way is stricter. They live in Redis, so that the
 * one script that accepts checks them whichever door was used; what else has an opinion can only be stricter.
 */
import { describeMs, toMs } from '../lib/clock.ts';
import { describeXof } from '../lib/money.ts';

interface LimitDeclaration {
  readonly unit: 'xof' | 'ms';
  /** Of two values, which one lets less through. */
  readonly stricter: 'lower' | 'higher';
  /** Holds while nobody has said anything. Absent: no such limit then. */
  readonly fallback?: number;
}

/** One row a limit: checking, showing, setting and reading them all go through these. */
const declared = {
  MAX_DISBURSEMENT: { unit: 'xof', stricter: 'lower', fallback: 2_000_000 },
  MAX_PER_DAY: { unit: 'xof', stricter: 'lower' },
  MAX_PER_BENEFICIARY_DAY: { unit: 'xof', stricter: 'lower' },
  DUPLICATE_WINDOW: { unit: 'ms', stricter: 'higher' },
  APPROVAL_ABOVE: { unit: 'xof', stricter: 'lower' },
} as const satisfies Readonly<Record<string, LimitDeclaration>>;

export type MoneyLimit = keyof typeof declared;
export const moneyLimits = Object.keys(declared) as MoneyLimit[];

/** A number in the unit of the limit; null is `off`, the loosest of all. */
export type LimitValue = number | null;

/** What somebody asks for; what is left out is no opinion. */
export type Opinions = Readonly<Partial<Record<MoneyLimit, LimitValue | undefined>>>;

/** What holds; absent: no such limit. */
export type Limits = Readonly<Partial<Record<MoneyLimit, number>>>;

/** How scripts and settings write `null`. */
export const OFF = 'off';

export function isMoneyLimit(name: string): name is MoneyLimit {
  return Object.hasOwn(declared, name);
}

/** What a script answered, which knows no other. */
export function limitNamed(name: string): MoneyLimit {
  if (isMoneyLimit(name)) return name;
  throw new RangeError(`there is no limit ${name}`);
}

export function declarationOf(name: MoneyLimit): LimitDeclaration {
  return declared[name];
}

/** What scripts are told: '' is no opinion. */
export function wordOf(value: LimitValue | undefined): string {
  return value === undefined ? '' : value === null ? OFF : String(value);
}

export function valueOf(word: string | null | undefined): LimitValue | undefined {
  if (word === null || word === undefined || word === '') return undefined;
  return word === OFF ? null : Number(word);
}

/** The strictest of what is asked for; where nobody asks, the default. */
export function strictestOf(name: MoneyLimit, asked: readonly (LimitValue | undefined)[]): LimitValue {
  const said = asked.filter((value) => value !== undefined);
  const { stricter, fallback = null } = declarationOf(name);
  if (said.length === 0) return fallback;
  const numbers = said.filter((value) => value !== null);
  if (numbers.length === 0) return null;
  return stricter === 'lower' ? Math.min(...numbers) : Math.max(...numbers);
}

const LARGEST = 999_999_999_999_999;

/** As a person writes it, in a setting or on a command line. Throws a RangeError that names the form. */
export function readLimit(name: MoneyLimit, text: string): LimitValue {
  if (text === OFF) return null;
  const { unit } = declarationOf(name);
  if (unit === 'xof' && !/^[1-9]\d{0,14}$/.test(text)) throw new RangeError('must be a whole number of XOF, or off');
  const value = unit === 'xof' ? Number(text) : toMs(text);
  if (value < 1 || value > LARGEST) throw new RangeError('must be longer than nothing, or off');
  return value;
}

/** For people: `10 000 XOF`, `10m`, `off`. */
export function describeValue(name: MoneyLimit, value: LimitValue): string {
  if (value === null) return OFF;
  return declarationOf(name).unit === 'xof' ? describeXof(value) : describeMs(value);
}

/** As `readLimit` reads it: `10000`, `600000ms`, `off`. */
export function writeLimit(name: MoneyLimit, value: LimitValue): string {
  return value === null || declarationOf(name).unit === 'xof' ? wordOf(value) : `${value}ms`;
}

/** A sentence with the limit in it; the sum of the day is not told, since it belongs to others too. */
export function describeLimit(limit: MoneyLimit, detail: string): string {
  if (limit === 'DUPLICATE_WINDOW') {
    return `and beneficiary are those of ${detail}, accepted a little while ago (DUPLICATE_WINDOW); if it is meant, send "allowDuplicate": true`;
  }
  if (limit === 'APPROVAL_ABOVE') {
    return 'needs the approval of another key (APPROVAL_ABOVE), which direct credits do not have: ask for a disbursement with the withdraw mode `service`';
  }
  const most = describeXof(Number(detail));
  if (limit === 'MAX_DISBURSEMENT')
    return `is more than ${most}, the most that one disbursement may be (MAX_DISBURSEMENT)`;
  if (limit === 'MAX_PER_DAY') return `would take today over ${most}, the limit of this account (MAX_PER_DAY)`;
  return `would take this beneficiary over ${most} today (MAX_PER_BENEFICIARY_DAY)`;
}
