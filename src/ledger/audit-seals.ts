/**
 * Verifies the signed lines of the audit log, deletes old ones, and signs them again with another secret. A line that
 * was changed, deleted, inserted or moved does not match its MAC or the checkpoints.
 */
import type { Secret } from '../lib/secret.ts';
import { type Act, actOf, noteAct } from './acts.ts';
import {
  type AuditFault,
  type Checkpoint,
  NO_LINES,
  type Reached,
  type SignedLine,
  checkpointMac,
  isMadeWith,
  lineMac,
  reachedWith,
} from './audit-chain.ts';
import type { Database } from './pool.ts';
import type { CheckpointRow } from './signing.ts';

interface AuditVerdict {
  /** Number of lines signed so far, up to the first invalid one. */
  readonly lines: number;
  readonly first: string | undefined;
  readonly last: string | undefined;
  readonly sealedTo: string | undefined;
  readonly fault: AuditFault | undefined;
}

interface Forgetting {
  /** ms since the epoch. */
  readonly beforeAt: number;
  readonly act: Act;
  /** For tests. */
  readonly now?: Date | undefined;
}

interface Ends {
  readonly first_id: string | null;
  readonly last_id: string | null;
  readonly stray_id: string | null;
  readonly late_id: string | null;
}

type Line = SignedLine & { readonly id: string };
type Walk = Reached & { readonly fault?: AuditFault };

const LINES_AT_ONCE = 1_000;
/** A newer line need not be signed yet. */
const SIGNED_WITHIN_MS = 60_000;

const CHANGED = 'its MAC does not fit: the line was changed, inserted or moved, or its secret is not here';
const GONE = 'the line before it was deleted';
const TWICE = 'its number stands twice: a line was inserted';
const CUT = 'lines after it were deleted';
const REPLACED = 'the lines up to it are not those that were signed';
const FORGED = 'its checkpoint was made with no secret that is here';
const STRAY = 'it is beyond the last signed line: it was inserted';
const UNSIGNED = 'no process has signed it, though it is older than a minute';
const TAKEN_BACK = 'this process has seen it signed, and it is no longer there';

export class AuditSeals {
  readonly #database: Database;
  readonly #secrets: readonly Secret[];
  /** The furthest checkpoint that this process has seen. */
  #remembered: Reached = NO_LINES;
  /** The last new line that this process has verified. */
  #verified: Reached | undefined;

  /** The first secret signs, all of them verify. */
  constructor({ database, secrets }: { readonly database: Database; readonly secrets: readonly Secret[] }) {
    this.#database = database;
    this.#secrets = secrets;
  }

  /** Every stored line and both checkpoints. `now`: ms since the epoch, of the ledger. */
  async verify(now: number): Promise<AuditVerdict> {
    const { first, last } = await this.#checkpoints();
    const ends = await this.#ends(now);
    const verdict = await this.#verdict(first, last, ends);
    // Another process may have deleted old lines meanwhile.
    const isMoved = verdict.fault !== undefined && (await this.#checkpoints()).first?.number !== first?.number;
    return isMoved ? this.verify(now) : verdict;
  }

  async #verdict(first: Checkpoint | undefined, last: Checkpoint | undefined, ends: Ends): Promise<AuditVerdict> {
    const forged = [first, last].find((one) => one !== undefined && !this.#isOurs(one));
    const at: Walk = forged
      ? { ...NO_LINES, fault: { id: idOf(forged), why: FORGED } }
      : await this.#walk(first ?? NO_LINES, last ?? NO_LINES);
    const fault = at.fault ?? this.#takenBack(last) ?? this.#uncovered(ends);
    return {
      lines: at.number,
      first: ends.first_id ?? undefined,
      last: ends.last_id ?? undefined,
      sealedTo: last && (ends.last_id ?? undefined),
      fault,
    };
  }

  /** Verifies the lines signed since the last call. The first call begins at the newest checkpoint. */
  async verifyNew(): Promise<AuditFault | undefined> {
    const { last } = await this.#checkpoints();
    const takenBack = this.#takenBack(last);
    if (takenBack !== undefined || last === undefined) return takenBack;
    if (!this.#isOurs(last)) return { id: idOf(last), why: FORGED };
    const from = this.#verified ?? last;
    const { fault } = await this.#walk(from, last);
    if (!fault) this.#verified = last;
    return fault;
  }

  /** Whether the number of stored lines matches the checkpoints. Needs no secret. */
  async isCountRight(): Promise<boolean> {
    const [count] = await this.#database.run<{ stored: string; expected: string }>('count_lines');
    return count === undefined || count.stored === count.expected;
  }

  /**
   * Deletes older lines after their verification. A signed checkpoint replaces them, and the deletion adds a line. If
   * a line is invalid, nothing is deleted and that line is returned.
   */
  async forget({ beforeAt, act, now }: Forgetting): Promise<number | AuditFault> {
    const [secret] = this.#secrets;
    const { first = NO_LINES, last } = await this.#checkpoints();
    const [old] = await this.#database.run<{ number: string | null }>('lines_to_forget', [new Date(beforeAt)]);
    const upTo = Math.min(Number(old?.number ?? 0), last?.number ?? 0);
    if (secret === undefined || upTo <= first.number) return 0;
    const { fault } = await this.verify(beforeAt);
    if (fault) return fault;
    const { number, digest } = await this.#read(first, upTo);
    const checkpoint = { name: 'first', number, digest, at: new Date(beforeAt) } as const;
    await this.#database.transaction(async (run) => {
      const mac = checkpointMac(checkpoint, secret);
      const [set] = await run('set_checkpoint', [checkpoint.name, number, digest, checkpoint.at, mac]);
      if (set) await noteAct(run, actOf(act, { facts: { lines: number - first.number } }), now);
    });
    let deleted: readonly unknown[];
    do deleted = await this.#database.run('forget_lines', [LINES_AT_ONCE]);
    while (deleted.length === LINES_AT_ONCE);
    return number - first.number;
  }

  /**
   * Signs all lines with the newest secret, so that older secrets can be removed. An invalid line stays unchanged.
   */
  async reseal(act: Act): Promise<void> {
    const [secret] = this.#secrets;
    if (secret === undefined) return;
    const { first = NO_LINES, last = NO_LINES } = await this.#checkpoints();
    let at: Reached = first;
    for (;;) {
      const lines = await this.#page(at.number, last.number);
      const again: { readonly line: Line; readonly mac: Buffer }[] = [];
      for (const line of lines) {
        at = reachedWith(at, line);
        if (this.#fits(line, at)) again.push({ line, mac: lineMac(at, secret) });
      }
      await this.#database.run('resign_lines', [
        again.map(({ line }) => line.sequence),
        again.map(({ mac }) => mac),
        again.map(({ line }) => line.mac),
      ]);
      if (lines.length < LINES_AT_ONCE) break;
    }
    await this.#database.transaction(async (run) => {
      for (const row of await run<CheckpointRow>('lock_checkpoints')) {
        const one = checkpointOf(row);
        if (!this.#isOurs(one)) continue;
        await run('set_checkpoint', [one.name, one.number, one.digest, one.at, checkpointMac(one, secret)]);
      }
      await noteAct(run, actOf(act));
    });
  }

  /** Verifies up to the checkpoint, which must match its digest. */
  async #walk(from: Reached, upTo: Reached): Promise<Walk> {
    let at = from;
    let id = `0-${from.number}`;
    for (;;) {
      const lines = await this.#page(at.number, upTo.number);
      for (const line of lines) {
        const number = Number(line.number);
        if (number !== at.number + 1) {
          return { ...at, fault: { id: line.id, why: number > at.number ? GONE : TWICE } };
        }
        const reached = reachedWith(at, line);
        if (!this.#fits(line, reached)) return { ...at, fault: { id: line.id, why: CHANGED } };
        at = reached;
        id = line.id;
      }
      if (lines.length < LINES_AT_ONCE) break;
    }
    if (at.number < upTo.number) return { ...at, fault: { id, why: CUT } };
    return at.digest.equals(upTo.digest) ? at : { ...at, fault: { id, why: REPLACED } };
  }

  async #read(from: Reached, upTo: number): Promise<Reached> {
    let at = from;
    while (at.number < upTo) {
      const lines = await this.#page(at.number, upTo);
      if (lines.length === 0) throw new Error(`the audit log has no line ${at.number + 1}`);
      for (const line of lines) at = reachedWith(at, line);
    }
    return at;
  }

  async #page(after: number, upTo: number): Promise<readonly Line[]> {
    return this.#database.run<Line>('signed_lines', [after, upTo, LINES_AT_ONCE]);
  }

  async #checkpoints(): Promise<{ readonly [Name in Checkpoint['name']]?: Checkpoint }> {
    const rows = await this.#database.run<CheckpointRow>('checkpoints');
    return Object.fromEntries(rows.map((row) => [row.name, checkpointOf(row)]));
  }

  async #ends(now: number): Promise<Ends> {
    const [ends] = await this.#database.run<Ends>('audit_ends', [SIGNED_WITHIN_MS, new Date(now)]);
    return ends ?? { first_id: null, last_id: null, stray_id: null, late_id: null };
  }

  #uncovered({ stray_id: stray, late_id: late }: Ends): AuditFault | undefined {
    if (stray !== null) return { id: stray, why: STRAY };
    return late === null || this.#secrets.length === 0 ? undefined : { id: late, why: UNSIGNED };
  }

  /**
   * An audit log restored from a backup is valid in itself: only a process that has been running since can detect it.
   */
  #takenBack(last: Checkpoint | undefined): AuditFault | undefined {
    const { number } = this.#remembered;
    if ((last?.number ?? 0) < number) return { id: `0-${number}`, why: TAKEN_BACK };
    if (last !== undefined) this.#remembered = last;
    return undefined;
  }

  #fits(line: Line, reached: Reached): boolean {
    return isMadeWith(line.mac, this.#secrets, (secret) => lineMac(reached, secret));
  }

  #isOurs(one: Checkpoint): boolean {
    return isMadeWith(one.mac, this.#secrets, (secret) => checkpointMac(one, secret));
  }
}

const checkpointOf = ({ number, ...row }: CheckpointRow): Checkpoint => ({ ...row, number: Number(number) });
const idOf = ({ at, number }: Checkpoint): string => `${at.getTime()}-${number}`;
