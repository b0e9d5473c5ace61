/** Recipients of campaigns for readers: with their statuses, and the rows without a recipient. */
import type { RecipientState } from '../kinds/recipient.ts';
import { outcomeLetters } from '../kinds/recipient.ts';
import { unpackValues } from '../lib/packed-values.ts';
import type { Database } from './pool.ts';
import type { SkippedRow } from './upload.ts';

export interface RecipientFound {
  /** Number in its campaign, from 0. */
  readonly n: number;
  /** Number in its file. */
  readonly row: number;
  /** E.164, with the plus sign; after an erasure an opaque name. */
  readonly to: string;
  readonly erased: boolean;
  /** Values of the text's variables, in order. */
  readonly values: readonly string[];
  /** Other cells of its row, packed. */
  readonly own: string;
  readonly state: RecipientState;
  /** Absent: the campaign has not started. */
  readonly request?: number;
  readonly code?: string;
  /** When its request was sent; absent while it waits. */
  readonly sentAt?: Date;
  /** Absent: it was never sent again after a doubt. */
  readonly resent?: number;
}

export interface RecipientsAsked {
  /** The first number. */
  readonly from: number;
  readonly limit: number;
  readonly states?: readonly RecipientState[] | undefined;
  /** Only these numbers, E.164. */
  readonly phones?: readonly string[] | undefined;
}

interface RecipientsPage {
  readonly items: readonly RecipientFound[];
  /** The next number; absent at the end. */
  readonly next?: number;
}

export interface PhoneAsked {
  /** E.164, with the plus sign. */
  readonly phones: readonly string[];
  /** Absent: every account. */
  readonly accounts?: readonly string[] | undefined;
  readonly after?: PhonePlace | undefined;
  readonly limit: number;
}

/** The position of a recipient among those of one phone number. */
export interface PhonePlace {
  readonly createdAt: Date;
  readonly campaign: string;
  readonly n: number;
}

type PhoneFound = RecipientFound & PhonePlace;

interface Row {
  readonly n: number;
  readonly row: number;
  readonly phone: string | null;
  readonly variables: string | null;
  readonly own?: string | null;
  readonly request: number | null;
  readonly letter: string | null;
  readonly code: string | null;
  readonly sent_at: Date | null;
  readonly resent?: number | null;
}

type PhoneRow = Row & { readonly campaign: string; readonly created_at: Date };

interface LeftOutRow {
  readonly row: number;
  readonly written: string;
  readonly reason: string;
  readonly own: string | null;
}

/** Maximum recipients that a filtered page reads. */
const WINDOW = 100_000;
const WINDOWS_MOST = 4;
/** Maximum recipients read at a time. */
const RUN = 1_000;
/** A number occurs once in a campaign; people with several numbers are read together. */
const PHONES_MOST = 1_000;

const stateOfLetter = new Map<string, RecipientState>(
  Object.entries(outcomeLetters).map(([state, letter]) => [letter, state as RecipientState]),
);

export class Recipients {
  readonly #database: Database;

  constructor({ database }: { readonly database: Database }) {
    this.#database = database;
  }

  /** Ordered by number. With a filter a page can be short or empty, although `next` leads to more. */
  async page(campaign: string, { from, limit, states, phones }: RecipientsAsked): Promise<RecipientsPage> {
    if (phones !== undefined) return this.#withPhones(campaign, { from, limit, states, phones });
    if (states !== undefined) return this.#inStates(campaign, { from, limit, states });
    const items = await this.#between(campaign, from, from + limit + 1);
    const next = items[limit]?.n;
    return { items: items.slice(0, limit), ...(next === undefined ? {} : { next }) };
  }

  async #between(campaign: string, from: number, until: number): Promise<readonly RecipientFound[]> {
    return (await this.#database.run<Row>('recipients_page', [campaign, from - 1, until])).map(foundOf);
  }

  async #withPhones(
    campaign: string,
    { from, limit, states, phones }: RecipientsAsked & { readonly phones: readonly string[] },
  ): Promise<RecipientsPage> {
    const values = [phones.map(digitsOf), campaign, null, null, null, null, PHONES_MOST];
    const rows = await this.#database.run<PhoneRow>('recipients_by_phone', values);
    const found = rows.map(foundOf).filter(({ n, state }) => n >= from && states?.includes(state) !== false);
    const items = found.toSorted((one, other) => one.n - other.n);
    const next = items[limit]?.n;
    return { items: items.slice(0, limit), ...(next === undefined ? {} : { next }) };
  }

  async #inStates(
    campaign: string,
    { from, limit, states }: Pick<RecipientsAsked, 'from' | 'limit'> & { readonly states: readonly RecipientState[] },
  ): Promise<RecipientsPage> {
    const letters = states.map((state) => outcomeLetters[state]).join('');
    const numbers: number[] = [];
    let start = from;
    for (let windows = 0; windows < WINDOWS_MOST && numbers.length <= limit; windows += 1, start += WINDOW) {
      const values = [campaign, start - 1, start + WINDOW, letters, limit + 1 - numbers.length];
      const rows = await this.#database.run<{ n: number }>('recipients_with_letters', values);
      numbers.push(...rows.map(({ n }) => n));
    }
    const items = await this.#numbered(campaign, numbers.slice(0, limit));
    const next = numbers[limit] ?? (await this.#between(campaign, start, start + 1))[0]?.n;
    return { items, ...(next === undefined ? {} : { next }) };
  }

  /** In runs of neighbours: recipients with a common letter are mostly adjacent. */
  async #numbered(campaign: string, numbers: readonly number[]): Promise<readonly RecipientFound[]> {
    const wanted = new Set(numbers);
    const items: RecipientFound[] = [];
    for (let at = 0; at < numbers.length; ) {
      const first = numbers[at] ?? 0;
      let end = at;
      while ((numbers[end] ?? Number.POSITIVE_INFINITY) < first + RUN) end += 1;
      const found = await this.#between(campaign, first, (numbers[end - 1] ?? first) + 1);
      items.push(...found.filter(({ n }) => wanted.has(n)));
      at = end;
    }
    return items;
  }

  /** Recipients of all campaigns, the newest campaign first. */
  async ofPhones({ phones, accounts, after, limit }: PhoneAsked): Promise<readonly PhoneFound[]> {
    const rows = await this.#database.run<PhoneRow>('recipients_by_phone', [
      phones.map(digitsOf),
      null,
      accounts ?? null,
      after?.createdAt ?? null,
      after?.campaign ?? null,
      after?.n ?? null,
      limit,
    ]);
    return rows.map((row) => ({ ...foundOf(row), campaign: row.campaign, createdAt: row.created_at }));
  }

  /** Whether the campaign has a recipient with any other number. Erased numbers do not count. */
  async hasOthers(campaign: string, phones: readonly string[]): Promise<boolean> {
    const rows = await this.#database.run('recipient_outside', [campaign, phones.map(digitsOf)]);
    return rows.length > 0;
  }

  /** Rows of an upload without a recipient, from this position on. */
  async leftOut(campaign: string, tag: string, from: number, limit: number): Promise<readonly SkippedRow[]> {
    const rows = await this.#database.run<LeftOutRow>('left_out_rows', [campaign, tag, from, limit]);
    return rows.map(({ row, written, reason, own }) => ({ row, to: written, reason, own: own ?? '' }));
  }
}

const digitsOf = (phone: string): string => phone.slice(1);

function foundOf({ n, row, phone, variables, own, request, letter, code, sent_at, resent }: Row): RecipientFound {
  const state = stateOfLetter.get(letter ?? 'q') ?? 'queued';
  return {
    n,
    row,
    to: phone === null ? (variables ?? '') : `+${phone}`,
    erased: phone === null,
    values: phone === null || variables === null ? [] : unpackValues(variables),
    own: own ?? '',
    state,
    ...(request === null ? {} : { request }),
    ...(code === null || code === '' || code === '-' ? {} : { code }),
    ...(sent_at === null || !LEFT.has(state) ? {} : { sentAt: sent_at }),
    ...(resent ? { resent } : {}),
  };
}

/** States of a recipient whose request may have left. */
const LEFT: ReadonlySet<RecipientState> = new Set(['sending', 'sent', 'failed', 'unknown']);
