import { seededRandom, type Random } from '../lib/random.ts';
import type { FaultRow } from './fault-rows.ts';
import { type FaultName, faultNames, faultTable } from './fault-table.ts';

/** A fault as somebody orders it, over the control API or on the command line. */
export interface FaultOrder {
  readonly fault: FaultName;
  /** An operation (`disbursement.submit`) or a family (`disbursement`). Without it: wherever the fault can strike. */
  readonly operation?: string;
  /** In [0, 1]; 1 when left out. */
  readonly probability?: number;
  /** How often it strikes before it removes itself; without end when left out. */
  readonly count?: number;
  /** Strikes only requests whose path or body contains this text. */
  readonly match?: string;
  /** Replays the same choices. */
  readonly seed?: number;
  /** For the faults that wait. */
  readonly delayMs?: number;
  readonly retryAfterSeconds?: number;
  /** For `answers a given code`. */
  readonly code?: string;
}

export interface StandingFault extends FaultOrder {
  readonly id: string;
  readonly strikes: number;
}

/** What a request (or a callback about to be posted) is matched against. */
export interface Target {
  readonly operation: string;
  readonly url: string;
  readonly text: string;
}

interface Entry {
  readonly id: string;
  readonly order: FaultOrder;
  readonly row: FaultRow;
  readonly random: Random;
  strikes: number;
}

const covers = (pattern: string, operation: string): boolean =>
  pattern === '*' || pattern === operation || operation.startsWith(`${pattern}.`);

/** The faults that stand at this moment, and whether one of them strikes. */
export class Faults {
  readonly #entries = new Map<string, Entry>();
  #ordered = 0;

  /** Throws a RangeError that says what is wrong with the order. */
  add(order: FaultOrder): string {
    checkOrder(order);
    this.#ordered += 1;
    const id = `fault-${this.#ordered}`;
    const random = seededRandom(order.seed ?? this.#ordered);
    this.#entries.set(id, { id, order, row: faultTable[order.fault], random, strikes: 0 });
    return id;
  }

  list(): readonly StandingFault[] {
    return [...this.#entries.values()].map(({ id, order, strikes }) => ({ id, ...order, strikes }));
  }

  remove(id: string): boolean {
    return this.#entries.delete(id);
  }

  clear(): void {
    this.#entries.clear();
  }

  /** The first fault of a stage that strikes this target, already counted. */
  first(stage: 'before' | 'after', target: Target): StandingFault | undefined {
    if (this.#entries.size === 0) return undefined;
    for (const entry of this.#entries.values()) {
      if (entry.row.stage === stage && this.#strikes(entry, target)) return this.#standing(entry);
    }
    return undefined;
  }

  /** Every fault of the callback stage that strikes, but for the one that is decided at the submit. */
  onCallback(target: Target): readonly StandingFault[] {
    return [...this.#entries.values()]
      .filter(({ order, row }) => row.stage === 'callback' && order.fault !== 'calls back early')
      .filter((entry) => this.#strikes(entry, target))
      .map((entry) => this.#standing(entry));
  }

  /** Whether the named fault strikes this target, already counted. */
  named(fault: FaultName, target: Target): StandingFault | undefined {
    if (this.#entries.size === 0) return undefined;
    for (const entry of this.#entries.values()) {
      if (entry.order.fault === fault && this.#strikes(entry, target)) return this.#standing(entry);
    }
    return undefined;
  }

  /** Faults of the listeners do not wait for a request: they stand or they do not. */
  closes(area: 'base' | 'crm'): boolean {
    return [...this.#entries.values()].some(({ row, order: { operation } }) => {
      if (row.stage !== 'listen') return false;
      return operation === undefined || operation === '*' || operation.startsWith('sms') === (area === 'crm');
    });
  }

  #standing(entry: Entry): StandingFault {
    return { id: entry.id, ...entry.order, strikes: entry.strikes };
  }

  #strikes(entry: Entry, target: Target): boolean {
    const { order, row } = entry;
    if (!row.on.some((pattern) => covers(pattern, target.operation))) return false;
    if (order.operation !== undefined && !covers(order.operation, target.operation)) return false;
    if (order.match !== undefined && !target.text.includes(order.match) && !target.url.includes(order.match))
      return false;
    if (entry.random.fraction() >= (order.probability ?? 1)) return false;
    entry.strikes += 1;
    if (entry.strikes >= (order.count ?? Number.POSITIVE_INFINITY)) this.#entries.delete(entry.id);
    return true;
  }
}

function checkOrder({ fault, operation, probability = 1, count = 1, code }: FaultOrder): void {
  if (!(fault in faultTable)) throw new RangeError(`no such fault: "${fault}" (there is: ${faultNames.join('; ')})`);
  if (!(probability >= 0 && probability <= 1)) throw new RangeError('probability is a number from 0 to 1');
  if (!Number.isInteger(count) || count < 1) throw new RangeError('count is a whole number from 1');
  if (fault === 'answers a given code' && code === undefined) throw new RangeError('this fault needs a code');
  const { on } = faultTable[fault];
  const fits = operation === undefined || on.some((has) => covers(has, operation) || covers(operation, has));
  if (!fits) throw new RangeError(`"${fault}" cannot strike "${operation}" (it strikes: ${on.join(', ')})`);
}

/**
 * Reads a fault from the command line: `hangs after doing the work`, with a probability `…:0.1`, for one operation
 * `…@disbursement.submit`, or both `…@disbursement.submit:0.1`. Throws a RangeError that names the fault.
 */
export function parseFaultFlag(flag: string): FaultOrder {
  const [, name = '', operation, share] = /^([^@:]+)(?:@([\w.*-]+))?(?::([\d.]+))?$/.exec(flag.trim()) ?? [];
  const order: FaultOrder = {
    fault: name.trim() as FaultName,
    ...(operation === undefined ? {} : { operation }),
    ...(share === undefined ? {} : { probability: Number(share) }),
  };
  checkOrder(order);
  return order;
}
