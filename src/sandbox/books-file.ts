/**
 * The books in a file, so that a sandbox that is started again knows what it had done: a line for each entry, written
 * anew beside the old file and put in its place. Standing faults, settings and bearer tokens are not in it.
 */
import { once } from 'node:events';
import { createReadStream, createWriteStream } from 'node:fs';
import { rename } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import type { Clock } from '../lib/clock.ts';
import type {
  Breach,
  CallbackPost,
  DirectCredit,
  Disbursement,
  Invoice,
  PaymentRequest,
  SoftpayCall,
} from './books.ts';
import { disbursementOutcomeOf } from './magic.ts';
import type { BookedMessage } from './message-book.ts';
import type { SettingValues } from './settings.ts';
import type { World } from './world.ts';

/** What is not a list. */
interface Facts {
  /** Absent in a file of before it was counted. */
  readonly starts?: number;
  readonly advancedMs: number;
  readonly balances: SettingValues['balances'];
  readonly logins: number;
  readonly breachCount: number;
  readonly requests: Readonly<Record<string, number>>;
}

type Line =
  | readonly ['facts', Facts]
  | readonly ['disburseId', readonly [id: string, token: string]]
  | readonly ['disbursement', Disbursement]
  | readonly ['invoice', Invoice]
  | readonly ['paymentRequest', PaymentRequest]
  | readonly ['directCredit', DirectCredit]
  | readonly ['softpay', SoftpayCall]
  | readonly ['callback', CallbackPost]
  | readonly ['breach', Breach]
  | readonly ['message', Omit<BookedMessage, 'older'>];

/** What belongs together: a balance and the records that say where its money went. */
function* moneyOf({ books, disburseIds, settings, starts, time }: World): Generator<Line> {
  const { logins, breachCount, requests } = books;
  const { balances } = settings.values;
  yield ['facts', { starts, advancedMs: time.advancedMs, balances, logins, breachCount, requests }];
  for (const entry of disburseIds) yield ['disburseId', entry];
  for (const entry of books.disbursements.values()) yield ['disbursement', entry];
  for (const entry of books.invoices.values()) yield ['invoice', entry];
  for (const entry of books.paymentRequests.values()) yield ['paymentRequest', entry];
  for (const entry of books.directCredits) yield ['directCredit', entry];
}

function* restOf({ books }: World): Generator<Line> {
  for (const entry of books.softpay) yield ['softpay', entry];
  for (const entry of books.callbacks) yield ['callback', entry];
  for (const entry of books.breaches) yield ['breach', entry];
  for (const entry of books.messages.entries()) yield ['message', entry];
}

/** In a file of before this was kept, what is pending is decided at once, by its number. */
function unsaid({ accountAlias, status }: Disbursement): Pick<Disbursement, 'coming' | 'undecided'> {
  if (status !== 'pending') return { coming: [], undecided: 0 };
  const magic = disbursementOutcomeOf(accountAlias);
  const word = magic === 'fails' ? 'failed' : 'success';
  return { coming: magic === 'stays pending' ? [] : [{ word, at: 0 }], undecided: 1 };
}

const NOTHING_COMES: Pick<Invoice, 'coming'> = { coming: [] };

/** False for a line that is none of ours. */
function take([what, entry]: Line, world: World): boolean {
  const { books, disburseIds, settings, time } = world;
  switch (what) {
    case 'facts':
      world.starts = (entry.starts ?? 0) + 1;
      time.advance(entry.advancedMs);
      settings.change({ balances: entry.balances });
      Object.assign(books, { logins: entry.logins, breachCount: entry.breachCount });
      Object.assign(books.requests, entry.requests);
      return true;
    case 'disburseId':
      return disburseIds.set(...entry).has(entry[0]);
    case 'disbursement':
      return books.disbursements.set(entry.token, { ...unsaid(entry), ...entry }).has(entry.token);
    case 'invoice':
      return books.invoices.set(entry.token, { ...NOTHING_COMES, ...entry }).has(entry.token);
    case 'paymentRequest':
      return books.paymentRequests.set(entry.reference, entry).has(entry.reference);
    case 'directCredit':
      return books.directCredits.push(entry) > 0;
    case 'softpay':
      return books.softpay.push(entry) > 0;
    case 'callback':
      return books.callbacks.push(entry) > 0;
    case 'breach':
      return books.breaches.push(entry) > 0;
    case 'message':
      return books.messages.takeBack(entry);
    default:
      return false;
  }
}

/** Nothing where there is no file yet. Throws where there is another. */
export async function readBooks(path: string, world: World): Promise<void> {
  let number = 0;
  try {
    for await (const line of createInterface({ input: createReadStream(path) })) {
      number += 1;
      if (!take(JSON.parse(line) as Line, world)) throw new SyntaxError('unknown');
    }
  } catch (thrown) {
    if (thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOENT') return;
    if (!(thrown instanceof SyntaxError || thrown instanceof TypeError)) throw thrown;
    throw new Error(`${path} holds no books of a sandbox: line ${number}`, { cause: thrown });
  }
}

const written = (line: Line): string => `${JSON.stringify(line)}\n`;

async function writeBooks(path: string, world: World): Promise<void> {
  const draft = `${path}.new`;
  const file = createWriteStream(draft);
  // All in one turn: what is settled while the disk is waited for would be in the records and not in the balance.
  const money = Array.from(moneyOf(world), written);
  for (const line of money) if (!file.write(line)) await once(file, 'drain');
  for (const line of restOf(world)) if (!file.write(written(line))) await once(file, 'drain');
  file.end();
  await once(file, 'finish');
  await rename(draft, path);
}

const EVERY_MS = 1_000;
/** A million messages take seconds to write: the sandbox shall have the rest of its time for answering. */
const SHARE = 20;

interface KeeperOptions {
  readonly path: string;
  readonly world: World;
  readonly clock: Clock;
  readonly onLost: (thrown: unknown) => void;
}

/** Writes whatever has changed each second, and once more when it ends. */
export class BooksKeeper {
  readonly #options: KeeperOptions;
  #written = '';
  #writing: Promise<void> = Promise.resolve();
  #takeBack = (): void => undefined;

  constructor(options: KeeperOptions) {
    this.#options = options;
    this.#wait(EVERY_MS);
  }

  #wait(ms: number): void {
    this.#takeBack = this.#options.clock.after(ms, () => {
      const { clock, onLost } = this.#options;
      const began = clock.monotonic();
      this.keep().then(() => this.#wait(EVERY_MS + SHARE * (clock.monotonic() - began)), onLost);
    });
  }

  /** Resolves when the file says what the books say now. */
  keep(): Promise<void> {
    this.#writing = this.#writing.then(() => this.#keep());
    return this.#writing;
  }

  async #keep(): Promise<void> {
    const { path, world } = this.#options;
    const { books, revision, settings, time } = world;
    let moved = time.advancedMs;
    for (const { updatedAt } of books.disbursements.values()) moved += updatedAt;
    const state = JSON.stringify([books.summary(), moved, revision, settings.values.balances]);
    if (state === this.#written) return;
    await writeBooks(path, world);
    this.#written = state;
  }

  rest(): void {
    this.#takeBack();
  }

  async end(): Promise<void> {
    this.rest();
    this.#written = '';
    await this.keep();
  }
}
