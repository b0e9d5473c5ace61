/** Evidence of journal and witnesses about the data-loss window of a restored ledger. */
import type { Redis } from 'ioredis';
import { type Entry, readJournal } from './journal.ts';
import type { Database } from './pool.ts';
import { type Lost, lostOf } from './replay.ts';
import { whyBroken } from './unbroken.ts';
import { type Witness, type Word, together } from './witness.ts';

export interface EvidenceOptions {
  readonly database: Pick<Database, 'run' | 'transaction'>;
  /** Absent: there is no journal. */
  readonly redis?: Redis | undefined;
  readonly witnesses: readonly Witness[];
  readonly quietly: (message: string, error: unknown) => void;
}

export interface RecoveryRow {
  readonly number: string;
  readonly because: string;
  readonly since: Date;
  readonly last_beat: Date;
  readonly marks: Readonly<Record<string, number>>;
  readonly known: Readonly<Record<string, number>>;
  /** Epochs of the backup and of the recovery. */
  readonly copied: number;
  readonly epoch: number;
  readonly deployment: string;
}

export interface Gathered {
  /** Lane → the highest known counter. */
  readonly lanes: Readonly<Record<string, string>>;
  readonly lost: Lost;
  /** Why the journal does not prove that unnamed operations never left. */
  readonly broken: string | undefined;
}

/** Maximum clock difference between Redis and PostgreSQL (ms). */
const CLOCKS_MS = 60_000;

export async function gatherEvidence(options: EvidenceOptions, row: RecoveryRow): Promise<Gathered> {
  const [entries, witness] = [await entriesOf(options, row.deployment), await heard(options, row.deployment)];
  const marks = new Map(Object.entries(row.marks).map(([lane, counter]) => [lane, BigInt(counter)]));
  const ended = await options.database.run<{ lane: string }>('ended_lanes', [row.last_beat]);
  const lastBeat = row.last_beat.getTime();
  const evidence = {
    marks,
    known: Object.keys(row.known),
    ended: new Set(ended.map(({ lane }) => lane)),
    entries: entries ?? [],
    witness,
    lastBeat,
    since: row.since.getTime(),
    copied: row.copied,
    epoch: row.epoch,
  };
  const told = Object.entries(witness?.lanes ?? {}).map(([lane, { counter }]) => [lane, counter] as const);
  const known = Object.entries(row.known).map(([lane, counter]) => [lane, String(counter)] as const);
  return {
    lanes: Object.fromEntries([...told, ...known]),
    lost: lostOf(entries ?? [], marks, lastBeat - CLOCKS_MS),
    broken: entries === undefined ? 'no journal' : whyBroken(evidence),
  };
}

/** As an operation or as a row of a batch. Also true if the journal is unreadable: then nothing is proven. */
export async function knownToJournal(options: EvidenceOptions, deployment: string, id: string): Promise<boolean> {
  const entries = await entriesOf(options, deployment);
  return (
    entries?.some(
      (one) => one.is === 'intended' && one.items.some((item) => item.id === id || item['batch'] === id),
    ) ?? true
  );
}

async function entriesOf(
  { redis, quietly }: EvidenceOptions,
  deployment: string,
): Promise<readonly Entry[] | undefined> {
  if (redis === undefined) return undefined;
  try {
    const entries: Entry[] = [];
    for await (const entry of readJournal(redis, deployment)) entries.push(entry);
    return entries;
  } catch (error) {
    quietly('the journal', error);
    return undefined;
  }
}

async function heard({ witnesses, quietly }: EvidenceOptions, deployment: string): Promise<Word | undefined> {
  const words: Word[] = [];
  for (const witness of witnesses) {
    try {
      const word = await witness.hear(deployment);
      if (word) words.push(word);
    } catch (error) {
      quietly(`the witness in ${witness.name}`, error);
    }
  }
  return together(words);
}
