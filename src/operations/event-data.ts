/**
 * What an event carries, as the stream keeps it. Most events are those of disbursements, and most of such an entry
 * would be names, and words that stand in the entry already; so they are kept as a list of values. Everything else is
 * JSON, and so are the events of disbursements that were written before there was a list.
 *
 * What is read is what was told, to the order of its names: a signed delivery is the same text each time.
 */
import { operations } from '../kinds/index.ts';

type Data = Readonly<Record<string, unknown>>;

/** Stands before the list, so that a reader that expects an object fails on it instead of taking a list for one. */
const LIST = '1';
const FAMILY = 'disbursement.';
const VALUES = operations.disbursement.events.carries;
/** What needs no name of its own. */
const IN_THE_ENTRY: ReadonlySet<string> = new Set(['id', 'state', ...VALUES]);

export function packEventData(id: string, { type, data }: { readonly type: string; readonly data: Data }): string {
  const json = JSON.stringify(data);
  if (!type.startsWith(FAMILY)) return json;
  const values: unknown[] = VALUES.map((name) => data[name] ?? null);
  const more = Object.entries(data).filter(([name, value]) => value !== undefined && !IN_THE_ENTRY.has(name));
  if (more.length > 0) values.push(Object.fromEntries(more));
  while (values.at(-1) === null) values.pop();
  const packed = LIST + JSON.stringify(values);
  // One that names its operation or its state otherwise, or in another order, is kept as it is.
  return JSON.stringify(readEventData({ op: id, type, data: packed })) === json ? packed : json;
}

/** Everything is in the entry: the record may be gone by now. Throws a SyntaxError for what is neither. */
export function readEventData({ op = '', type = '', data = '{}' }: Readonly<Record<string, string>>): Data {
  if (!data.startsWith(LIST)) return JSON.parse(data) as Data;
  const values = JSON.parse(data.slice(LIST.length)) as readonly unknown[];
  const told = VALUES.flatMap((name, place) => ((values[place] ?? null) === null ? [] : [[name, values[place]]]));
  const more = values[VALUES.length] as Data | undefined;
  return { id: op, state: type.slice(FAMILY.length), ...(Object.fromEntries(told) as Data), ...more };
}
