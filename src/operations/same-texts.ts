/**
 * Whether a text that statistics show may be another's. They tell what was sent to a number, not when and not for which
 * request, so the text of another campaign, or a single message, could pass for the one that is in doubt.
 *
 * Nothing is kept for it: doubt is rare, so it is looked up when it comes.
 */
import type { Redis } from 'ioredis';
import { wordingOf } from '../lib/wording.ts';
import { digitsOf } from '../lib/phone.ts';
import { keys } from './keys.ts';
import { isFinal } from '../kinds/index.ts';
import { type CampaignRecord, type Fields, readRecord } from './record.ts';
import { type SliceRecord, readSlice } from './slices.ts';
import { standingOf, unpackItems, codeMark, slotOf, textMark } from './slice-form.ts';

/** As long as the dates of statistics may be off: what was sent earlier does not show. */
const WINDOW_MS = 3 * 86_400_000;

interface Found {
  readonly to: string;
  readonly text: string;
  /** Of every entry with this text. */
  readonly codes: readonly string[];
}

interface Asking {
  readonly account: string;
  /** '' where it is a single message. */
  readonly campaign: string;
  /** The clock of Redis, ms since the epoch. */
  readonly at: number;
}

export interface SameTextsContract {
  /** For each, the code of an entry that nobody else accounts for; undefined: it may be another's. */
  freeCodes(asking: Asking, found: readonly Found[]): Promise<(string | undefined)[]>;
}

export class SameTexts implements SameTextsContract {
  readonly #redis: Redis;

  constructor(redis: Redis) {
    this.#redis = redis;
  }

  async freeCodes(asking: Asking, found: readonly Found[]): Promise<(string | undefined)[]> {
    if (found.length === 0) return [];
    const codes = await this.#notOfSingles(asking, found);
    const left = found.filter((_, index) => codes[index] !== undefined);
    const others = new Set<string>();
    for (const campaign of left.length > 0 ? await this.#campaigns(asking) : []) {
      const alike = left.filter(({ text }) => mayRender(campaign, text));
      if (alike.length > 0) await this.#inCampaign(campaign, alike, others);
    }
    return found.map((one, index) => (others.has(nameOf(one)) ? undefined : codes[index]));
  }

  /** The codes that no single message accounts for. */
  async #notOfSingles({ account, campaign, at }: Asking, found: readonly Found[]): Promise<(string | undefined)[]> {
    const slots = Array.from({ length: slotOf(at) - slotOf(at - WINDOW_MS) + 1 }, (_, back) => slotOf(at) - back);
    const texts = found.map(({ to, text }) => textMark(to, text));
    const all = [
      ...texts,
      ...found.flatMap(({ to, text, codes }) => codes.flatMap((code) => codeMark(to, text, code))),
    ];
    const known = await Promise.all(
      slots.map((slot) => this.#redis.smismember(keys.sentTexts(account, slot), ...all)),
    );
    // No other single message is on its way with the same text as one that is in doubt: it waits for that.
    const open = campaign === '' ? [] : await this.#redis.hmget(keys.openTexts(account), ...texts);
    const counted = new Set(all.filter((_, index) => known.some((answers) => answers[index] === 1)));
    return found.map((one, index) => (open[index] ? undefined : freeCode(one, texts[index] ?? '', counted)));
  }

  /** Those of the account that were at work in the window, without the one that asks. */
  async #campaigns({ account, campaign, at }: Asking): Promise<CampaignRecord[]> {
    const ids = (await this.#redis.zrange(keys.index('campaign'), '0', '-1')).filter((id) => id !== campaign);
    const pipeline = this.#redis.pipeline();
    for (const id of ids) pipeline.hgetall(keys.record(id));
    const answers = (await pipeline.exec()) ?? [];
    return answers.flatMap(([error, fields]) => {
      if (error) throw error;
      const record = readRecord('campaign', fields as Fields);
      const isAtWork = !isFinal('campaign', record.state) || record.updatedAt >= at - WINDOW_MS;
      return record.account === account && record.startedAt !== undefined && isAtWork ? [record] : [];
    });
  }

  async #inCampaign(campaign: CampaignRecord, alike: readonly Found[], others: Set<string>): Promise<void> {
    const wanted = new Map(alike.map((one) => [digitsOf(one.to), one]));
    const ids = campaign.uploads.flatMap(({ tag, slices }) =>
      Array.from({ length: slices }, (_, place) => `${campaign.id}.${tag}-${place}`),
    );
    for (const id of ids) {
      const fields: Fields = await this.#redis.hgetall(keys.record(id));
      if (fields['kind'] === 'slice') addSaid(readSlice(fields), { wanted, campaign }, others);
    }
  }
}

/** The code of an entry that no message has been counted as sent for. */
function freeCode({ to, text, codes }: Found, mark: string, counted: ReadonlySet<string>): string | undefined {
  if (!counted.has(mark)) return codes[0] ?? '';
  const isCounted = (code: string): boolean => codeMark(to, text, code).some((own) => counted.has(own));
  // The same text was sent before. Only where its own code is here too do codes tell one sending from another.
  return codes.some(isCounted)
    ? codes.find((code) => codeMark(to, text, code).length > 0 && !isCounted(code))
    : undefined;
}

/** Those of a slice that may have been told one of these texts. */
function addSaid(
  slice: SliceRecord,
  { wanted, campaign }: { readonly wanted: ReadonlyMap<string, Found>; readonly campaign: CampaignRecord },
  others: Set<string>,
): void {
  const wording = wordingOf(campaign);
  const { letters } = standingOf(slice.count, slice.requests);
  for (const [index, { to, values }] of unpackItems(slice).entries()) {
    const one = wanted.get(digitsOf(to));
    const mayHaveLeft = MAY_HAVE_LEFT.includes(letters[index] ?? 'q');
    if (one && mayHaveLeft && wording.textOf(values) === one.text) others.add(nameOf(one));
  }
}

const MAY_HAVE_LEFT = 'gsu';

const nameOf = ({ to, text }: Pick<Found, 'to' | 'text'>): string => `${to}\n${text}`;

/** Whether a campaign could say this at all: what stands around its variables is there. */
function mayRender({ text: template, replaceCostly }: CampaignRecord, text: string): boolean {
  if (replaceCostly) return true;
  const [first = '', ...more] = template.split(/\{\{[^}]*\}\}/);
  if (more.length === 0) return text === first;
  return text.startsWith(first) && text.endsWith(more.at(-1) ?? '');
}
