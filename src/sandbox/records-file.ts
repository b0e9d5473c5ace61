/**
 * The records in a file, so that a restarted sandbox continues with them: one line per entry. The new file is written
 * next to the old one and then replaces it. Faults, settings and bearer tokens are not included.
 */
import { once } from 'node:events';
import { createReadStream, createWriteStream } from 'node:fs';
import { rename } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import type { Clock } from '../lib/clock.ts';
import { sections } from './records.ts';
import type { SettingValues } from './settings.ts';
import type { Simulator } from './simulator.ts';

/** All data except lists. */
interface Facts {
  readonly starts: number;
  readonly advancedMs: number;
  readonly balances: SettingValues['balances'];
  readonly logins: number;
  readonly breachCount: number;
  readonly requests: Readonly<Record<string, number>>;
  readonly disburseIds: ReadonlyArray<readonly [id: string, token: string]>;
}

type Line = readonly [name: string, entry: object];

/** The sections that explain a balance. */
const MONEY: readonly string[] = ['disbursements', 'invoices', 'paymentRequests', 'directCredits'];
const names = Object.keys(sections);

function* linesOf(simulator: Simulator, wanted: readonly string[]): Generator<Line> {
  for (const name of wanted) for (const entry of sections[name]?.list(simulator.records) ?? []) yield [name, entry];
}

function factsOf({ records, settings, starts, time }: Simulator): Facts {
  const { logins, breachCount, requests, disburseIds } = records;
  const { balances } = settings.values;
  return {
    starts,
    advancedMs: time.advancedMs,
    balances,
    logins,
    breachCount,
    requests,
    disburseIds: [...disburseIds],
  };
}

function restoreFacts(facts: Facts, simulator: Simulator): void {
  const { records, settings, time } = simulator;
  const { starts, advancedMs, balances, logins, breachCount, requests, disburseIds } = facts;
  simulator.starts = starts + 1;
  time.advance(advancedMs);
  settings.change({ balances });
  Object.assign(records, { logins, breachCount });
  Object.assign(records.requests, requests);
  for (const [id, token] of disburseIds) records.disburseIds.set(id, token);
}

function restore([name, entry]: Line, simulator: Simulator): void {
  if (name === 'facts') return restoreFacts(entry as Facts, simulator);
  const section = sections[name];
  if (section === undefined) throw new SyntaxError(`unknown section: ${name}`);
  section.restore(simulator.records, entry);
}

/** Does nothing if there is no file yet. Throws if the file has other content. */
export async function readRecords(path: string, simulator: Simulator): Promise<void> {
  let number = 0;
  try {
    for await (const line of createInterface({ input: createReadStream(path) })) {
      number += 1;
      restore(JSON.parse(line) as Line, simulator);
    }
  } catch (thrown) {
    if (thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOENT') return;
    if (!(thrown instanceof SyntaxError || thrown instanceof TypeError)) throw thrown;
    throw new Error(`${path} holds no books of a sandbox: line ${number}`, { cause: thrown });
  }
}

const written = (line: Line): string => `${JSON.stringify(line)}\n`;

async function writeRecords(path: string, simulator: Simulator): Promise<void> {
  const draft = `${path}.new`;
  const file = createWriteStream(draft);
  // Read in one turn: money that moves during a wait for the disk would be in the records and not in the balance.
  const money = [['facts', factsOf(simulator)] as const, ...linesOf(simulator, MONEY)].map(written);
  for (const line of money) if (!file.write(line)) await once(file, 'drain');
  const rest = names.filter((name) => !MONEY.includes(name));
  for (const line of linesOf(simulator, rest)) if (!file.write(written(line))) await once(file, 'drain');
  file.end();
  await once(file, 'finish');
  await rename(draft, path);
}

const EVERY_MS = 1_000;
/** A million messages take seconds to write: writing takes at most this fraction of the time. */
const SHARE = 20;

interface WriterOptions {
  readonly path: string;
  readonly simulator: Simulator;
  readonly clock: Clock;
  readonly onLost: (thrown: unknown) => void;
}

/** Writes the file each second if something changed, and at the end. */
export class RecordsWriter {
  readonly #options: WriterOptions;
  #written: number | undefined;
  #writing: Promise<void> = Promise.resolve();
  #cancel = (): void => undefined;

  constructor(options: WriterOptions) {
    this.#options = options;
    this.#schedule(EVERY_MS);
  }

  #schedule(ms: number): void {
    this.#cancel = this.#options.clock.after(ms, () => {
      const { clock, onLost } = this.#options;
      const began = clock.monotonic();
      this.write().then(() => this.#schedule(EVERY_MS + SHARE * (clock.monotonic() - began)), onLost);
    });
  }

  /** Resolves when the file contains the current records. */
  write(): Promise<void> {
    this.#writing = this.#writing.then(() => this.#write());
    return this.#writing;
  }

  async #write(): Promise<void> {
    const { path, simulator } = this.#options;
    const { revision } = simulator;
    if (revision === this.#written) return;
    await writeRecords(path, simulator);
    this.#written = revision;
  }

  stop(): void {
    this.#cancel();
  }

  async end(): Promise<void> {
    this.stop();
    this.#written = undefined;
    await this.write();
  }
}
