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
import { isFinal, statesOf } from '../kinds/index.ts';
import { type CampaignRecord, type Fields, UnreadableRecord, isUnreadable, readStored } from './record.ts';
import { type SliceRecord, readSlice } from './slices.ts';
import { standingOf, unpackItems, codeMark, slotOf, textMark } from './slice-form.ts';

/**
 * What was sent earlier does not show: a text is asked about for three days, and the dates of statistics may be off by
 * one and a bit besides.
 */
export const SAME_TEXTS_MS = 4.5 * 86_400_000;

/** The states of campaigns that send nothing more. */
const OVER: ReadonlySet<string | undefined> = new Set(
  statesOf('campaign').filter((state) => isFinal('campaign', state)),
);

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
      const isRead = !(campaign instanceof UnreadableRecord);
      const alike = isRead ? left.filter(({ text }) => mayRender(campaign, text)) : left;
      if (alike.length > 0 && isRead) await this.#inCampaign(campaign, alike, others);
      // What cannot be read may have said anything, to anybody.
      else for (const one of alike) others.add(nameOf(one));
    }
    return found.map((one, index) => (others.has(nameOf(one)) ? undefined : codes[index]));
  }

  /** The codes that no single message accounts for. */
  async #notOfSingles({ account, campaign, at }: Asking, found: readonly Found[]): Promise<(string | undefined)[]> {
    const slots = Array.from({ length: slotOf(at) - slotOf(at - SAME_TEXTS_MS) + 1 }, (_, back) => slotOf(at) - back);
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
  async #campaigns({ account, campaign, at }: Asking): Promise<(CampaignRecord | UnreadableRecord)[]> {
    const ids = (await this.#redis.zrange(keys.index('campaign'), '0', '-1')).filter((id) => id !== campaign);
    const pipeline = this.#redis.pipeline();
    for (const id of ids) pipeline.hgetall(keys.record(id));
    const answers = (await pipeline.exec()) ?? [];
    return answers.flatMap(([error, answer], index) => {
      if (error) throw error;
      const fields = answer as Fields;
      // It left between the two questions; and what is another account's stops nobody here, whatever is wrong with it.
      if (fields['account'] !== account || fields['startedAt'] === undefined) return [];
      if (Number(fields['updatedAt']) < at - SAME_TEXTS_MS && OVER.has(fields['state'])) return [];
      return [readStored('campaign', ids[index] ?? '', fields)];
    });
  }

  async #inCampaign(campaign: CampaignRecord, alike: readonly Found[], others: Set<string>): Promise<void> {
    const wanted = new Map(alike.map((one) => [digitsOf(one.to), one]));
    const ids = campaign.uploads.flatMap(({ tag, slices }) =>
      Array.from({ length: slices }, (_, place) => `${campaign.id}.${tag}-${place}`),
    );
    for (const id of ids) {
      const fields: Fields = await this.#redis.hgetall(keys.record(id));
      if (fields['kind'] !== 'slice') continue;
      try {
        addSaid(readSlice(fields), { wanted, campaign }, others);
      } catch (error) {
        if (!isUnreadable(error)) throw error;
        for (const one of alike) others.add(nameOf(one));
      }
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
  const { letters, again } = standingOf(slice.count, slice.requests);
  for (const [index, { to, values }] of unpackItems(slice).entries()) {
    const one = wanted.get(digitsOf(to));
    // A person who waits to be sent to again may have got it the first time.
    const mayHaveLeft = MAY_HAVE_LEFT.includes(letters[index] ?? 'q') || (again[index] ?? 0) > 0;
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
