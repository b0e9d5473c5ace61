/** Signs new lines of the audit log in the publishing transaction. */
import type { Secret } from '../lib/secret.ts';
import {
  type ChainLine,
  type Checkpoint,
  NO_LINES,
  checkpointMac,
  isMadeWith,
  lineMac,
  reachedWith,
} from './audit-chain.ts';
import type { Run } from './pool.ts';

/** The newest checkpoint is not ours, or older than what this process has signed: no line is added to it. */
export class ChainBroken extends Error {
  override readonly name = 'ChainBroken';
}

export type CheckpointRow = Omit<Checkpoint, 'number'> & { readonly number: string };

export class Signer {
  readonly #secrets: readonly Secret[];
  readonly #most: number;
  /** The highest number that this process has signed. */
  #signed = 0;

  /** The first secret signs, all of them verify. None: no line is signed. */
  constructor(secrets: readonly Secret[], most: number) {
    this.#secrets = secrets;
    this.#most = most;
  }

  get signs(): boolean {
    return this.#secrets.length > 0;
  }

  /** Signs the oldest lines and returns their number. Call `committed` with the last number after the commit. */
  async sign(run: Run, at: Date): Promise<{ readonly lines: number; readonly upTo: number }> {
    const [secret] = this.#secrets;
    if (secret === undefined) return { lines: 0, upTo: this.#signed };
    const lines = await run<ChainLine>('unsigned_lines', [this.#most]);
    if (lines.length === 0) return { lines: 0, upTo: this.#signed };
    let reached = this.#trusted(await run<CheckpointRow>('checkpoints'));
    const numbers: number[] = [];
    const macs: Buffer[] = [];
    for (const line of lines) {
      reached = reachedWith(reached, line);
      numbers.push(reached.number);
      macs.push(lineMac(reached, secret));
    }
    await run('sign_lines', [lines.map(({ sequence }) => sequence), numbers, macs]);
    const last = { name: 'last', ...reached, at } as const;
    await run('set_checkpoint', [last.name, last.number, last.digest, at, checkpointMac(last, secret)]);
    return { lines: lines.length, upTo: reached.number };
  }

  committed(upTo: number): void {
    this.#signed = Math.max(this.#signed, upTo);
  }

  #trusted(rows: readonly CheckpointRow[]) {
    const row = rows.find(({ name }) => name === 'last');
    const last = row === undefined ? undefined : { ...row, number: Number(row.number) };
    if (last && !isMadeWith(last.mac, this.#secrets, (secret) => checkpointMac(last, secret))) {
      throw new ChainBroken(`The checkpoint of the audit log at line ${last.number} was made with an unknown secret`);
    }
    const reached = last ?? NO_LINES;
    if (reached.number < this.#signed) {
      throw new ChainBroken(`The audit log ends at line ${reached.number}, but line ${this.#signed} was signed`);
    }
    return reached;
  }
}
