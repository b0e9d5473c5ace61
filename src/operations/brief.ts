/**
 * The brief form of a disbursement that is over. Records are kept for ever and most of them are over, so the script
 * that ends one writes it anew: without what only an open one needs, under names of one letter, and with times that are
 * counted from its acceptance. Redis then keeps it in little more than half a kilobyte.
 *
 * A reader of it sees the names and times of an open one. An attempt that looks at it once more has it written in
 * full first, and brief again when it ends. Names that scripts ask a record for that is over (`state`, `fp`, `kind`, `v`,
 * `op`, `seq`, `en`) stay as they are.
 */
import { BRIEF_NAMES } from '../kinds/disbursement-fields.ts';
import { isFinal } from '../kinds/states.ts';
import type { Kind } from '../kinds/index.ts';

type StoredFields = Readonly<Record<string, string>>;

/** What says how and when to go on. */
export const GONE_AT_THE_END = [
  'id',
  'rev',
  'sentAt',
  'tokenAt',
  'tries',
  'lease',
  'until',
  'hint',
  'quietUntil',
  'createdSeenAt',
  'keys',
  'mode',
  'acceptedFor',
] as const;

/** What was asked, as lines of evidence begin. */
export const BRIEF_WORDS = { create: 'c', submit: 's', status: 't', callback: 'b', named: 'n' } as const;

/** A line whose time is counted from the acceptance begins with it. */
export const COUNTED_FROM_ACCEPTANCE = '+';

const fullNames = inverse(BRIEF_NAMES);
const fullWords = inverse(BRIEF_WORDS);

/** Whether a record that enters this state is written in its brief form. */
export function endsBriefly(kind: Kind, state: string): boolean {
  return kind === 'disbursement' && isFinal(kind, state);
}

/** Under which names a field may stand: its own, and the brief one. */
export function storedNames(name: string): readonly string[] {
  const brief: string | undefined = (BRIEF_NAMES as StoredFields)[name];
  return brief === undefined ? [name] : [name, brief];
}

/** The record as it reads in full. `id` is what its key says: a brief one does not repeat it. */
export function inFull(id: string, stored: StoredFields): StoredFields {
  const accepted = stored[BRIEF_NAMES.createdAt];
  if (accepted === undefined) return stored;
  const createdAt = Number(accepted);
  const fields: Record<string, string> = { id };
  for (const [name, value] of Object.entries(stored)) {
    fields[fullNames[name] ?? name] = /^e\d+$/.test(name) ? lineInFull(value, createdAt) : value;
  }
  const updatedAt = String(createdAt + Number(fields['updatedAt'] ?? 0));
  const { since } = fields;
  return { ...fields, updatedAt, since: since === undefined ? updatedAt : String(createdAt + Number(since)) };
}

/** What is heard after the end is written as it is for an open one, so both kinds of lines stand side by side. */
function lineInFull(line: string, createdAt: number): string {
  if (!line.startsWith(COUNTED_FROM_ACCEPTANCE)) return line;
  const [after = '0', word = '', ...rest] = line.slice(1).split('|');
  return [(createdAt + Number.parseInt(after, 36)).toString(36), fullWords[word] ?? word, ...rest].join('|');
}

export function inverse(names: StoredFields): StoredFields {
  return Object.fromEntries(Object.entries(names).map(([full, brief]) => [brief, full]));
}
