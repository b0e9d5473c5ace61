/** Changes of limits, each decided under the lock of all limits. */
import {
  ASKED_FOR_MS,
  type LimitSet,
  type LimitValue,
  type MoneyLimit,
  declarationOf,
  isMoneyLimit,
  strictestOf,
  wordOf,
} from '../kinds/limits.ts';
import { derivedHex } from '../lib/ids.ts';
import { type Act, actOf, noteAct } from './acts.ts';
import type { Run } from './pool.ts';

export interface LimitRow {
  readonly name: string;
  readonly value: string | null;
  /** Null: only a proposal. */
  readonly set_by: string | null;
  readonly set_at: Date | null;
  readonly by_settings: boolean | null;
  readonly op: string | null;
  readonly was: string | null;
  readonly had_value: boolean | null;
  readonly asked: string | null;
  readonly asked_by: string | null;
  readonly asked_at: Date | null;
}

export type LimitRows = ReadonlyMap<MoneyLimit, LimitRow>;

export function byName(rows: readonly LimitRow[]): LimitRows {
  return new Map(rows.flatMap((row) => (isMoneyLimit(row.name) ? [[row.name, row] as const] : [])));
}

/** Undefined: not set. */
export function valueIn(row: LimitRow | undefined): LimitValue | undefined {
  if (row === undefined || row.set_by === null) return undefined;
  return row.value === null ? null : Number(row.value);
}

interface Locked {
  readonly at: Date;
  readonly rows: LimitRows;
}

async function lockLimits(run: Run, now: Date | null): Promise<Locked> {
  const [locked] = await run<{ at: Date }>('lock_limits', [now]);
  if (locked === undefined) throw new Error('the ledger has no deployment');
  return { at: locked.at, rows: byName(await run<LimitRow>('limits')) };
}

/** A smaller number is stricter. */
export function looseness(name: MoneyLimit, value: LimitValue): number {
  if (value === null) return Infinity;
  return declarationOf(name).stricter === 'higher' ? -value : value;
}

interface Put {
  readonly name: MoneyLimit;
  readonly value: LimitValue;
  readonly by: string;
  readonly at: Date;
  readonly bySettings: boolean;
  readonly op: string;
  /** Undefined: it was not set. */
  readonly was: LimitValue | undefined;
}

async function put(run: Run, { name, value, by, at, bySettings, op, was }: Put): Promise<void> {
  await run('put_limit', [name, value, by, at, bySettings, op, was ?? null, was !== undefined]);
}

function wasIn(row: LimitRow | undefined): LimitValue | undefined {
  if (row === undefined || !row.had_value) return undefined;
  return row.was === null ? null : Number(row.was);
}

export interface Published {
  readonly name: MoneyLimit;
  readonly is: 'lowered' | 'looser';
  readonly was: LimitValue | undefined;
}

interface Publishing {
  readonly asked: readonly { readonly name: MoneyLimit; readonly value: LimitValue }[];
  readonly by: string;
  readonly op: string;
  /** The process has published before: applies only where settings alone have set the limit. */
  readonly runs: boolean;
  readonly act: Act | undefined;
  readonly now: Date | null;
}

export async function publishLimits(run: Run, publishing: Publishing): Promise<readonly Published[]> {
  const locked = await lockLimits(run, publishing.now);
  const answers: Published[] = [];
  for (const asked of publishing.asked) {
    const answer = await publishOne(run, locked, { ...publishing, ...asked });
    if (answer !== undefined) answers.push(answer);
  }
  return answers;
}

type PublishingOne = Publishing & { readonly name: MoneyLimit; readonly value: LimitValue };

async function publishOne(run: Run, { at, rows }: Locked, one: PublishingOne): Promise<Published | undefined> {
  const { name, value, by, op, runs, act } = one;
  const row = rows.get(name);
  const shared = valueIn(row);
  // The first answer was lost.
  if (row?.op === op) return { name, is: 'lowered', was: wasIn(row) };
  const bySettings = shared === undefined || row?.by_settings === true;
  const isStricter = shared === undefined || looseness(name, value) < looseness(name, shared);
  if (isStricter && (bySettings || !runs)) {
    await put(run, { name, value, by, at, bySettings, op, was: shared });
    const before = shared === undefined ? undefined : { value: wordOf(shared) };
    if (act) await noteAct(run, actOf({ ...act, target: name }, { before, facts: { value: wordOf(value) } }), at);
    return { name, is: 'lowered', was: shared };
  }
  if (runs || shared === undefined || looseness(name, value) <= looseness(name, shared)) return undefined;
  return { name, is: 'looser', was: shared };
}

interface Setting {
  readonly name: MoneyLimit;
  readonly value: LimitValue;
  readonly by: string;
  /** Names that belong to the same person as `by`, in lower case. */
  readonly ones: readonly string[];
  readonly act: Act | undefined;
  readonly now: Date | null;
}

/**
 * A stricter value applies at once. A looser one waits until a different person requests the same value within a day.
 */
export async function setLimit(run: Run, setting: Setting): Promise<LimitSet> {
  const { name, value, by } = setting;
  const { at, rows } = await lockLimits(run, setting.now);
  const row = rows.get(name);
  const shared = valueIn(row);
  const op = derivedHex('limit', by, name, wordOf(value));
  if (row?.op === op && row.set_at !== null && at.getTime() - row.set_at.getTime() <= ASKED_FOR_MS) {
    await run('withdraw_limit', [name]);
    return { is: 'in force', from: wasIn(row) ?? null, again: true };
  }
  const held = strictestOf(name, [shared]);
  const note = (is: LimitSet['is']): Promise<void> => noteSetting(run, setting, { held, is, at });
  const enact = async (who: string): Promise<LimitSet> => {
    await put(run, { name, value, by: who, at, bySettings: false, op, was: held });
    await note('in force');
    return { is: 'in force', from: held };
  };
  const [wanted, holds] = [looseness(name, value), looseness(name, held)];
  if (wanted < holds || (wanted === holds && shared === undefined)) return enact(by);
  const proposal = proposalIn(row);
  if (wanted === holds) {
    if (proposal) await note('unchanged');
    await run('withdraw_limit', [name]);
    return { is: 'unchanged', from: held };
  }
  if (proposal && isSecondOf(proposal, setting, at)) return enact(`${proposal.by} and ${by}`);
  if (proposal?.value !== value || proposal.by !== by) await note('waits');
  await run('propose_limit', [name, value, by, at]);
  return { is: 'waits', from: held };
}

interface Proposal {
  readonly value: LimitValue;
  readonly by: string;
  readonly at: Date;
}

function proposalIn(row: LimitRow | undefined): Proposal | undefined {
  if (!row?.asked_by || row.asked_at === null) return undefined;
  return { value: row.asked === null ? null : Number(row.asked), by: row.asked_by, at: row.asked_at };
}

/** Whether the setting confirms the proposal of a different person. */
function isSecondOf(proposal: Proposal, { value, by, ones }: Setting, at: Date): boolean {
  if (proposal.value !== value || proposal.by === by) return false;
  if (ones.includes(proposal.by.toLowerCase())) return false;
  return at.getTime() - proposal.at.getTime() <= ASKED_FOR_MS;
}

interface Decided {
  readonly held: LimitValue;
  readonly is: LimitSet['is'];
  readonly at: Date;
}

async function noteSetting(run: Run, { act, value }: Setting, { held, is, at }: Decided): Promise<void> {
  if (act === undefined) return;
  const facts = { value: wordOf(is === 'in force' ? value : held), asked: wordOf(value), is };
  await noteAct(run, actOf(act, { before: { value: wordOf(held) }, facts }), at);
}
