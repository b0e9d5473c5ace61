/**
 * Erases the personal data of one person in bounded parts: numbers and SMS in messages and recipients, and the number
 * in other rows. Money records keep the account that was paid; payee, purpose and metadata are removed, and a search
 * by number no longer finds them.
 *
 * Operations that are in flight, in doubt, or counted towards today's limits are unchanged and counted as open: a
 * later run erases them. Audit lines contain no numbers and are signed, so they stay.
 */
import { type Act, noteAct } from './acts.ts';
import type { OnCommitted } from './committed.ts';
import { fileMentions } from './kept-files.ts';
import { packValues, unpackValues } from '../lib/packed-values.ts';
import { type PersonWords, wordsOf } from './person-words.ts';
import type { Database, Run } from './pool.ts';
import {
  type OperationFound,
  type Step,
  type Walked,
  NOTHING,
  isSame,
  isPayer,
  scans,
  withoutOperation,
} from './purge-scans.ts';

export interface PurgePage {
  /** Rows that were read. */
  readonly looked: number;
  readonly messages: number;
  /** Money records that no longer identify the person. */
  readonly payments: number;
  readonly recipients: number;
  /** Rows of files with the number: left out of campaigns, or of batches. */
  readonly rows: number;
  /** Deleted files of drafts that contained the number. */
  readonly files: number;
  readonly events: number;
  readonly intake: number;
  /** Rows of this person that cannot be erased yet. */
  readonly open: number;
  /** Absent at the end. */
  readonly next?: string;
}

/** The person whose data is erased, and the audit line of each part. */
export interface Forgetting {
  readonly phone: string;
  /** The person as the beneficiary of a payment, in canonical form. */
  readonly beneficiary: string;
  /** Whether a written number in a file is this number. */
  readonly reads: (written: string) => boolean;
  /** ISO 3166 code of the country in which `reads` interprets written numbers. */
  readonly country?: string | undefined;
  readonly act?: ((facts: Readonly<Record<string, unknown>>) => Act) | undefined;
}

interface Person extends Forgetting {
  readonly words: PersonWords;
}

interface PurgeOptions {
  readonly database: Database;
  readonly onCommitted?: OnCommitted | undefined;
  /** For tests, instead of the time of PostgreSQL. */
  readonly now?: () => Date;
}

const ROWS = 2_000;
const FILE_ROWS = 20_000;
const RECIPIENTS = 500;
/** Maximum parts per call. */
const PARTS = 5;
const NOT_ERASED: ReadonlySet<string> = new Set(['looked', 'open', 'last']);

export class Purge {
  readonly #database: Database;
  readonly #onCommitted: OnCommitted | undefined;
  readonly #now: () => Date | null;

  constructor({ database, onCommitted, now }: PurgeOptions) {
    this.#database = database;
    this.#onCommitted = onCommitted;
    this.#now = () => now?.() ?? null;
  }

  /** Continues after `after`, the `next` of the previous call. Every call can be repeated. */
  async page(who: Forgetting, after = ''): Promise<PurgePage> {
    const person = { ...who, words: wordsOf(who.phone, who.reads) };
    const { phone, beneficiary, country } = who;
    if (after === '') await this.#onCommitted?.('person.erased', { phone, beneficiary, country });
    let [step, place] = placeIn(after);
    let sum = NOTHING;
    for (let parts = 0; parts < PARTS; parts += 1) {
      const walked = await this.#walk(step, person, place);
      sum = added(sum, walked);
      const following = STEPS[STEPS.indexOf(step) + 1];
      if (walked.last === undefined && following === undefined) return sum;
      if (walked.last === undefined && following !== undefined) [step, place] = [following, ''];
      else place = walked.last ?? '';
    }
    return { ...sum, next: `${step}-${Buffer.from(place).toString('base64url')}` };
  }

  /** One part, with its audit line if anything was erased. */
  #walk(step: Step, person: Person, after: string): Promise<Walked> {
    return this.#database.transaction(async (run) => {
      const walked = await this.#part(run, step, person, after);
      const erased = Object.fromEntries(
        Object.entries(walked).filter(([name, count]) => !NOT_ERASED.has(name) && count !== 0),
      );
      if (person.act && Object.keys(erased).length > 0) await noteAct(run, person.act({ of: step, ...erased }));
      return walked;
    });
  }

  #part(run: Run, step: Step, person: Person, after: string): Promise<Walked> {
    if (step === 'operations') return this.#operations(run, person, after);
    if (step === 'recipients') return recipients(run, person);
    if (step === 'cells') return cells(run, person, after);
    if (step === 'rows') return leftOut(run, person, after);
    if (step === 'batches') return batchRows(run, person, after);
    if (step === 'files') return files(run, person, after);
    if (step === 'sums') return this.#sums(run, person);
    return scanned(run, step, person, after);
  }

  async #operations(run: Run, { words, beneficiary }: Person, after: string): Promise<Walked> {
    const values = [after, ROWS, words.tail, [beneficiary, ...words.numbers], this.#now()];
    const [page, ...rows] = await run<OperationFound>('purge_operations', values);
    const found = rows.map((one) => ({ ...one, theirs: one.theirs || isPayer(one, words) }));
    let [messages, payments, open] = [0, 0, 0];
    for (const one of found) {
      const value = withoutOperation(one, words);
      if (value === undefined) continue;
      if (one.open || (await run('purge_operation', [one.key, one.op, ...value])).length === 0) open += 1;
      else if (one.kind === 'message') messages += 1;
      else payments += 1;
    }
    const theirs = found.filter((one) => one.theirs && !one.open).map(({ key }) => key);
    const events = theirs.length === 0 ? 0 : (await run('purge_said', [theirs])).length;
    const looked = Number(page?.looked ?? 0);
    return { ...NOTHING, looked, messages, payments, events, open, last: page?.last ?? undefined };
  }

  async #sums(run: Run, { words, beneficiary }: Person): Promise<Walked> {
    await run('purge_spent', [[beneficiary], words.name, this.#now()]);
    return NOTHING;
  }
}

const STEPS: readonly Step[] = [
  'operations',
  'recipients',
  'cells',
  'rows',
  'batches',
  'files',
  'events',
  'outbox',
  'letters',
  'callbacks',
  'deliveries',
  'intake',
  'sums',
];

function placeIn(after: string): readonly [Step, string] {
  const [, step = '', place = ''] = /^([a-z]+)-([\w-]*)$/.exec(after) ?? [];
  const known = STEPS.find((one) => one === step);
  return known === undefined ? ['operations', ''] : [known, Buffer.from(place, 'base64url').toString()];
}

function added(sum: Walked, more: Walked): Walked {
  const names = Object.keys(NOTHING) as Exclude<keyof Walked, 'last'>[];
  return Object.fromEntries(names.map((name) => [name, sum[name] + more[name]])) as unknown as Walked;
}

async function recipients(run: Run, { words }: Person): Promise<Walked> {
  const phones = words.numbers.map((number) => number.slice(1));
  const campaigns = await run<{ number: string }>('lock_campaigns_of_phones', [phones, RECIPIENTS]);
  const numbers = campaigns.map(({ number }) => number);
  const erased = await run('purge_recipients', [phones, numbers, words.name]);
  const [left] = await run<{ recipients: string }>('count_recipients_of_phones', [phones]);
  const rest = Number(left?.recipients ?? 0);
  const sum = { ...NOTHING, looked: erased.length + rest, recipients: erased.length };
  // The rest is in flight or in doubt and cannot be erased now.
  return erased.length === 0 ? { ...sum, open: rest } : { ...sum, last: 'more' };
}

interface CellsRow {
  readonly campaign: string;
  readonly n: number;
  readonly looked: string | null;
  readonly own: string | null;
}

/** Other cells belong to another person: only the number is removed. */
async function cells(run: Run, { words }: Person, after: string): Promise<Walked> {
  const [campaign = '0', n = '-1'] = after.split(' ').filter(Boolean);
  const [page, ...found] = await run<CellsRow>('purge_own_cells', [campaign, n, FILE_ROWS, words.tail]);
  if (page === undefined) return NOTHING;
  let rows = 0;
  for (const { own, ...one } of found) {
    const becomes = blanked(own ?? '', words);
    if (becomes !== own) rows += (await run('purge_own_cell', [one.campaign, one.n, own, becomes])).length;
  }
  return { ...NOTHING, looked: Number(page.looked), rows, last: `${page.campaign} ${page.n}` };
}

/** Packed cells without the number. */
function blanked(packed: string, words: PersonWords): string {
  return packValues(unpackValues(packed).map((cell) => (words.isIn(cell) ? '' : cell)));
}

interface LeftOutRow extends CellsRow {
  readonly tag: string;
  readonly written: string | null;
}

async function leftOut(run: Run, { words }: Person, after: string): Promise<Walked> {
  const [campaign = '0', tag = '', n = '-1'] = after.split(' ');
  const values = [campaign || '0', tag, n, FILE_ROWS, words.tail];
  const [page, ...found] = await run<LeftOutRow>('purge_left_out', values);
  if (page === undefined) return NOTHING;
  let rows = 0;
  for (const { written, own, ...key } of found) {
    const isTheirs = words.isIn(written ?? '');
    const others = own === null ? null : blanked(own, words);
    if (!isTheirs && others === own) continue;
    const becomes = isTheirs ? [words.name, null] : [written, others];
    rows += (await run('purge_left_out_row', [key.campaign, key.tag, key.n, ...becomes])).length;
  }
  return { ...NOTHING, looked: Number(page.looked), rows, last: `${page.campaign} ${page.tag} ${page.n}` };
}

interface BatchRow {
  readonly batch: string;
  readonly n: number;
  readonly looked: string | null;
  readonly value: {
    readonly request: Readonly<Record<string, unknown>>;
    readonly cells: readonly string[] | null;
  };
  readonly open: boolean;
}

async function batchRows(run: Run, { words }: Person, after: string): Promise<Walked> {
  const [batch = '', n = '-1'] = after.split(' ');
  const [page, ...found] = await run<BatchRow>('purge_batch_rows', [batch, n, FILE_ROWS, words.tail]);
  if (page === undefined) return NOTHING;
  let [rows, open] = [0, 0];
  for (const { value, ...one } of found) {
    const { accountAlias, payeeName, purpose, metadata, notify, ...request } = value.request;
    const isTheirs = typeof accountAlias === 'string' && words.isIn(accountAlias);
    const rest = words.without({ ...request, payeeName, purpose, metadata, notify });
    const becomes = isTheirs
      ? { request: { ...request, accountAlias }, cells: null }
      : {
          request: { ...rest, ...(accountAlias === undefined ? {} : { accountAlias }) },
          cells: value.cells?.map((cell) => (words.isIn(cell) ? '' : cell)) ?? null,
        };
    if (isSame(becomes, value)) continue;
    if (one.open) open += 1;
    else rows += (await run('purge_batch_row', [one.batch, one.n, becomes.request, becomes.cells])).length;
  }
  return { ...NOTHING, looked: Number(page.looked), rows, open, last: `${page.batch} ${page.n}` };
}

/** A file without one of its rows would be another file, so it is deleted: its author uploads it again. */
async function files(run: Run, { words }: Person, after: string): Promise<Walked> {
  const [file] = await run<{ id: string; complete: boolean }>('kept_files_after', [after === '' ? null : after, 1]);
  if (file === undefined) return NOTHING;
  const isAbout = file.complete && (await fileMentions(run, file.id, words.isIn));
  if (isAbout) await run('purge_file', [file.id]);
  return { ...NOTHING, looked: 1, files: isAbout ? 1 : 0, last: file.id };
}

interface Scanned {
  readonly last: string | null;
  readonly looked: string | null;
  readonly key: string;
  readonly value: unknown;
  readonly open?: boolean | null;
}

async function scanned(run: Run, step: keyof typeof scans, { words }: Person, after: string): Promise<Walked> {
  const { scan, save, counted } = scans[step];
  const [page, ...found] = await run<Scanned>(scan, [after, ROWS, words.tail]);
  let [changed, open] = [0, 0];
  for (const { key, value, open: isOpen } of found) {
    const becomes = words.without(value);
    if (becomes === value) continue;
    const saved = isOpen ? [] : await run(save, [key, JSON.stringify(value), JSON.stringify(becomes)]);
    if (saved.length > 0) changed += 1;
    else open += 1;
  }
  const sum = { ...NOTHING, looked: Number(page?.looked ?? 0), open, last: page?.last ?? undefined };
  return { ...sum, [counted]: changed };
}
