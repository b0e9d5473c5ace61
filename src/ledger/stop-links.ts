/** The recipient of a signed link. A link names an upload and a position in it; the phone number stays in its row. */
import { uploadName, numberOfStopPlace, type StopPlace } from '../lib/stop-link.ts';
import type { Random } from '../lib/random.ts';
import type { Database } from './pool.ts';

export interface Linked {
  readonly account: string;
  readonly campaign: string;
  /** The sender ID of the campaign. Absent: that of the account. */
  readonly from?: string;
  /** E.164, with the plus sign. */
  readonly to: string;
}

interface LinkedRow {
  readonly account: string;
  readonly campaign: string;
  readonly sender: string | null;
  readonly phone: string;
}

const NAME_BYTES = 8;

export class StopLinks {
  readonly #database: Database;
  readonly #random: Random;

  constructor({ database, random }: { readonly database: Database; readonly random: Random }) {
    this.#database = database;
    this.#random = random;
  }

  /** A name for an upload (`campaign.tag`). It is random, so that a restored ledger reuses no name. */
  async open(upload: string): Promise<string> {
    const at = upload.lastIndexOf('.');
    for (;;) {
      const name = uploadName(this.#random.hex(NAME_BYTES));
      const values = [name, upload.slice(0, at), upload.slice(at + 1)];
      if ((await this.#database.run('open_stop_link', values)).length > 0) return name;
    }
  }

  /** The upload will not count. */
  async close(name: string): Promise<void> {
    await this.#database.run('close_stop_link', [name]);
  }

  /** Undefined: the recipient is no longer stored, or its data was erased. */
  async find({ upload, ...place }: StopPlace): Promise<Linked | undefined> {
    const number = numberOfStopPlace(place);
    if (number === undefined) return undefined;
    const [row] = await this.#database.run<LinkedRow>('linked_recipient', [upload, number]);
    if (row === undefined) return undefined;
    const { account, campaign, sender, phone } = row;
    return { account, campaign, to: `+${phone}`, ...(sender ? { from: sender } : {}) };
  }
}
