/**
 * Whether an SMS in the statistics may be another one. Statistics show the number and the text, not the time or the
 * request. An SMS of another campaign, or a single message, could be mistaken for the one in doubt.
 */
import { unpackValues } from '../lib/packed-values.ts';
import { digitsOf } from '../lib/phone.ts';
import { type Wording, wordingOf } from '../lib/wording.ts';
import { ALIKE_MS, type Alike, freeCode } from './messages.ts';
import type { Database } from './pool.ts';

interface SameTextsOptions {
  readonly database: Database;
  /** The lookup key of a number (E.164) that messages use. */
  readonly beneficiaryOf: (to: string) => string;
}

interface Found {
  readonly to: string;
  readonly text: string;
  /** Codes of every entry with this text. */
  readonly codes: readonly string[];
}

interface Asking {
  readonly account: string;
  readonly campaign: string;
  /** ms since the epoch. */
  readonly at: number;
}

interface CampaignText {
  readonly phone: string;
  readonly variables: string | null;
  readonly campaign: string;
  readonly body: string;
  readonly replace_costly: boolean;
}

export class SameTexts {
  readonly #options: SameTextsOptions;

  constructor(options: SameTextsOptions) {
    this.#options = options;
  }

  /** For each, the code of an entry that no other SMS explains. Undefined: the entry may belong to another SMS. */
  async freeCodes(asking: Asking, found: readonly Found[]): Promise<(string | undefined)[]> {
    if (found.length === 0) return [];
    const { database, beneficiaryOf } = this.#options;
    const rows = await database.run<Alike>('counted_alike', [
      asking.account,
      found.map((_, at) => String(at)),
      found.map(({ to }) => beneficiaryOf(to)),
      found.map(({ text }) => text),
      new Date(asking.at - ALIKE_MS),
    ]);
    const said = await this.#saidInCampaigns(asking, found);
    return found.map(({ to, text, codes }, at) => {
      if (said.has(`${digitsOf(to)}\n${text}`)) return undefined;
      return freeCode(
        codes,
        rows.filter(({ asked }) => asked === String(at)),
      );
    });
  }

  async #saidInCampaigns({ account, campaign, at }: Asking, found: readonly Found[]): Promise<ReadonlySet<string>> {
    const phones = found.map(({ to }) => digitsOf(to));
    const values = [account, phones, campaign, new Date(at - ALIKE_MS)];
    const rows = await this.#options.database.run<CampaignText>('campaign_texts_of_phones', values);
    const wordings = new Map<string, Wording>();
    return new Set(
      rows.map(({ phone, variables, campaign: id, body: text, replace_costly: replaceCostly }) => {
        const wording = wordings.get(id) ?? wordingOf({ text, replaceCostly });
        wordings.set(id, wording);
        return `${phone}\n${wording.textOf(variables === null ? [] : unpackValues(variables))}`;
      }),
    );
  }
}
