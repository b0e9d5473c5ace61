/** Forgets a person in history, a bounded part a call: what is found by their name first, then the recipients day by day. */
import type { Client } from 'pg';
import { kindTables, NAMES, recipientTable } from '../kinds/tables.ts';
import {
  type Forgotten,
  HistoryAway,
  LAST_DIGITS,
  type PastForgetting,
  type PersonInPast,
} from '../operations/past.ts';
import { numbersOf } from '../lib/renumbering.ts';
import { askOnce } from './ask-once.ts';
import { WRITER } from './schema.ts';

/** The recipients of a day are read through: there is no index of their numbers. */
const WAITS = { connectMs: 2_000, statementMs: 60_000 };

/** Without what a row of before may hold, and no JSON of PostgreSQL's own can: a character 0. */
const READABLE = String.raw`regexp_replace(record::text, '(?<!\\)((?:\\\\)*)\\u0000', '\1', 'g')`;

const NOTHING: Forgotten = { messages: 0, recipients: 0 };

export class HistoryForgetting implements PastForgetting {
  readonly #url: string;

  constructor(url: string) {
    this.#url = url;
  }

  async forget(person: PersonInPast, after: string): Promise<Forgotten> {
    try {
      const forgotten = await askOnce(this.#url, WAITS, async (client) => {
        await client.query(`set role ${WRITER}`);
        return after === '' ? named(client, person) : nextDay(client, person, after);
      });
      return forgotten ?? NOTHING;
    } catch (error) {
      throw new HistoryAway('history is away: ask again with the same `after`, or run the command again', {
        cause: error,
      });
    }
  }
}

/** Messages lose the number and the words; what moves money is found by the number no more, and keeps it. */
async function named(client: Client, person: PersonInPast): Promise<Forgotten> {
  const { message, ...others } = kindTables;
  let messages = 0;
  await together(client, async () => {
    if (message) {
      const sql = `update relais.${message.table} set phone = $3, ${NAMES} = array_remove(${NAMES}, $2),
        record = (${READABLE}::jsonb || '{"text":""}')::json where ${NAMES} @> array[$2] and phone = any($1)`;
      messages = await changed(client, sql, [numbersOf(person.phone), person.name, person.becomes]);
    }
    let left = 0;
    for (const { table } of Object.values(others)) {
      const sql = `update relais.${table} set ${NAMES} = array_remove(${NAMES}, $1) where ${NAMES} @> array[$1]`;
      left += await changed(client, sql, [person.name]);
    }
    if (messages + left > 0) await person.told({ history: 'names', messages });
  });
  return { ...NOTHING, messages, next: recipientTable.table };
}

/** One part of the table: a day. */
async function nextDay(client: Client, person: PersonInPast, after: string): Promise<Forgotten> {
  const { rows } = await client.query<{ part: string }>(
    `select c.relname as part from pg_inherits i join pg_class c on c.oid = i.inhrelid
     where i.inhparent = 'relais.${recipientTable.table}'::regclass and c.relname > $1 order by 1 limit 1`,
    [after],
  );
  const [{ part } = { part: undefined }] = rows;
  if (part === undefined) return NOTHING;
  let recipients = 0;
  await together(client, async () => {
    const changes = (await mentionedIn(client, part, person)).flatMap((row) => withoutPerson(row, person) ?? []);
    for (const { slice, place, phone, own, isTheirs } of changes) {
      const sql = `update relais.${client.escapeIdentifier(part)} set phone = $3, own = $4, column_values = case
        when not $5 or column_values is null then column_values
        else ('[' || array_to_string(array_fill('""'::text, array[json_array_length(column_values)]), ',') || ']')::json
        end where slice = $1 and place = $2`;
      const values = [slice, place, phone, own === null ? null : JSON.stringify(own), isTheirs];
      recipients += (await client.query(sql, values)).rowCount ?? 0;
    }
    if (recipients > 0) await person.told({ history: part, recipients });
  });
  return { ...NOTHING, recipients, next: part };
}

interface Mentioned {
  readonly slice: string;
  readonly place: string;
  readonly phone: string;
  readonly own: readonly string[] | null;
}

/** Those that may be about the person: by the last digits of what was written. */
async function mentionedIn(client: Client, part: string, { phone }: PersonInPast): Promise<readonly Mentioned[]> {
  const digits = (column: string): string => `regexp_replace(${column}, '[^0-9]', '', 'g')`;
  const { rows } = await client.query<Mentioned>(
    `select slice, place, phone, own from relais.${client.escapeIdentifier(part)}
     where phone = any($1) or (state = 'skipped' and ${digits('phone')} like '%' || $2 || '%')
       or (own is not null and ${digits('own::text')} like '%' || $2 || '%')`,
    [numbersOf(phone), phone.slice(-LAST_DIGITS)],
  );
  return rows;
}

/** Of somebody else's row only the number goes; undefined: it is not in it. */
function withoutPerson({ phone, own, ...row }: Mentioned, person: PersonInPast) {
  if (numbersOf(person.phone).includes(phone) || person.reads(phone))
    return { ...row, phone: person.becomes, own: null, isTheirs: true };
  if (!own?.some(person.reads)) return undefined;
  return { ...row, phone, own: own.map((cell) => (person.reads(cell) ? '' : cell)), isTheirs: false };
}

async function changed(
  client: Client,
  sql: string,
  values: readonly (string | readonly string[])[],
): Promise<number> {
  return (await client.query(sql, [...values])).rowCount ?? 0;
}

/** What cannot be told is not done. */
async function together(client: Client, work: () => Promise<void>): Promise<void> {
  await client.query('begin');
  await work();
  await client.query('commit');
}
