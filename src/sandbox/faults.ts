import { seededRandom, type Random } from '../lib/random.ts';
import { type FaultName, type FaultRow, faultNames, faultTable } from './fault-table.ts';

/** An ordered fault, from the control API or the command line. */
export interface FaultOrder {
  readonly fault: FaultName;
  /**
   * An operation (`disbursement.submit`) or a family (`disbursement`). Absent: every operation that the fault
   * supports.
   */
  readonly operation?: string;
  /** From 0 to 1. Absent: 1. */
  readonly probability?: number;
  /** How often it applies before it is removed. Absent: no limit. */
  readonly count?: number;
  /** Applies only to requests whose path or body contains this text. */
  readonly match?: string;
  /** Repeats the same random choices. */
  readonly seed?: number;
  /** For faults with a delay. */
  readonly delayMs?: number;
  readonly retryAfterSeconds?: number;
  /** For `answers a given code`. */
  readonly code?: string;
}

export interface ActiveFault extends FaultOrder {
  readonly id: string;
  readonly strikes: number;
}

/** A request, or a callback before its delivery. */
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

/** The active faults. */
export class Faults {
  readonly #entries = new Map<string, Entry>();
  #ordered = 0;

  /** Throws a RangeError that describes the error of the order. */
  add(order: FaultOrder): string {
    checkOrder(order);
    this.#ordered += 1;
    const id = `fault-${this.#ordered}`;
    const random = seededRandom(order.seed ?? this.#ordered);
    this.#entries.set(id, { id, order, row: faultTable[order.fault], random, strikes: 0 });
    return id;
  }

  list(): readonly ActiveFault[] {
    return [...this.#entries.values()].map(active);
  }

  remove(id: string): boolean {
    return this.#entries.delete(id);
  }

  clear(): void {
    this.#entries.clear();
  }

  /** The first matching fault of a stage. Counts its use. */
  first(stage: 'before' | 'after', target: Target): ActiveFault | undefined {
    if (this.#entries.size === 0) return undefined;
    for (const entry of this.#entries.values())
      if (entry.row.stage === stage && this.#strikes(entry, target)) return active(entry);
    return undefined;
  }

  /** Every matching callback fault, except the one that is decided at the submit. Counts their uses. */
  onCallback(target: Target): readonly ActiveFault[] {
    return [...this.#entries.values()]
      .filter(({ order, row }) => row.stage === 'callback' && order.fault !== 'calls back early')
      .filter((entry) => this.#strikes(entry, target))
      .map(active);
  }

  /** Whether this fault applies to this target. Counts its use. */
  strikes(fault: FaultName, target: Target): boolean {
    if (this.#entries.size === 0) return false;
    for (const entry of this.#entries.values())
      if (entry.order.fault === fault && this.#strikes(entry, target)) return true;
    return false;
  }

  /** Whether a fault closes the listener of a host. */
  closes(host: 'base' | 'crm'): boolean {
    return [...this.#entries.values()].some(({ row, order: { operation } }) => {
      if (row.stage !== 'listen') return false;
      return operation === undefined || operation === '*' || operation.startsWith('sms') === (host === 'crm');
    });
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

const active = ({ id, order, strikes }: Entry): ActiveFault => ({ id, ...order, strikes });

/** Its order needs the code of the provider's answer. */
export const needsCode = (fault: FaultName): boolean => fault === 'answers a given code';

function checkOrder({ fault, operation, probability = 1, count = 1, code }: FaultOrder): void {
  if (!(fault in faultTable)) throw new RangeError(`no such fault: "${fault}" (there is: ${faultNames.join('; ')})`);
  if (!(probability >= 0 && probability <= 1)) throw new RangeError('probability is a number from 0 to 1');
  if (!Number.isInteger(count) || count < 1) throw new RangeError('count is a whole number from 1');
  if (needsCode(fault) && code === undefined) throw new RangeError('this fault needs a code');
  if (operation === undefined || canStrike(fault, operation)) return;
  throw new RangeError(`"${fault}" cannot strike "${operation}" (it strikes: ${faultTable[fault].on.join(', ')})`);
}

/** Whether a fault supports an operation or a family of operations. */
export const canStrike = (fault: FaultName, operation: string): boolean =>
  faultTable[fault].on.some((own) => covers(own, operation) || covers(operation, own));
