/** Commands with one request and its answer. They are derived from the routes: none is named here. */
import { type Command, Option } from 'commander';
import { type CreationFlags, make, readKey } from './asking.ts';
import type { Answer, JsonObject, Query } from './client.ts';
import { WrongUsage } from './failure.ts';
import { listOf, withExample, wrongValue } from './flags.ts';
import type { ExitCode } from './io.ts';
import { printable } from './output.ts';
import { printerOf } from './printers.ts';
import { money } from '../messages/figures.ts';
import { itemsOf, renderFacts, renderRecord, renderRows } from './record.ts';
import type { Shell } from './shell.ts';

export interface DerivedCommand {
  /** As typed: `endpoints list`. */
  readonly name: string;
  readonly says: string;
  readonly example: string;
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** `/v1/queues/{name}/pause` */
  readonly path: string;
  /** The path without its last argument, if that is optional. */
  readonly pathWithout?: string;
  readonly takes: readonly { readonly name: string; readonly in: 'path' | 'query' | 'body' }[];
  readonly flags: readonly DerivedFlag[];
  readonly identity?: 'required' | 'optional';
  /** Supports a dry run. */
  readonly dryRun?: true;
  /** The confirmation on a terminal; by outcome if given. Placeholders in braces are replaced. */
  readonly asks?: string | Readonly<Record<string, string>>;
  /** Shown before that confirmation: the record of the command. */
  readonly looksAt?: string;
  /** Shown after success. */
  readonly next?: string;
  /** For a list. */
  readonly columns?: readonly string[];
  /** Shown for an empty result. */
  readonly none?: string;
  /** Alternative formats. */
  readonly files?: readonly string[];
  /** The name of the answer's schema. */
  readonly answer?: string;
}

export interface DerivedFlag {
  /** As typed: `--not-before`. */
  readonly flag: string;
  /** As the API calls it; `notify.text`: a field within a field. */
  readonly field: string;
  readonly in: 'query' | 'body';
  readonly says: string;
  readonly required?: true;
  readonly schema: FlagSchema;
}

export interface FlagSchema {
  readonly type?: string;
  readonly format?: string;
  readonly enum?: readonly string[];
  readonly items?: { readonly enum?: readonly string[] };
  /** An object of texts: each entry is given as KEY=VALUE, and the flag is repeated. */
  readonly entries?: true;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly maximum?: number;
}

/** About 400 operations of a million. */
const TURNED_MOST = 2_000;

type Given = Readonly<Record<string, unknown>>;

export function addDerived(group: Command, declared: DerivedCommand, shell: Shell): void {
  const { takes, flags, pathWithout, identity, dryRun, asks } = declared;
  const command = group.command(declared.name.split(' ').at(-1) ?? '').description(declared.says);
  for (const { name } of takes) command.argument(pathWithout === undefined ? `<${name}>` : `[${name}]`);
  const options = flags.map((flag) => [flag, optionOf(flag)] as const);
  for (const [, option] of options) command.addOption(option);
  if (identity) {
    const says = 'key that identifies a retry, instead of a reference';
    command.option('--idempotency-key <key>', says, readKey);
  }
  if (dryRun) command.option('--dry-run', 'check the request by every rule, and do nothing');
  if (asks !== undefined || dryRun) command.option('--yes', 'ask no questions on a terminal');
  command.option('--json', 'print the answer as JSON');
  for (const { flag, says } of formatsOf(declared)) command.option(`--${flag}`, says);
  command.action(
    shell.action(async (...given: unknown[]) => {
      const typed = given[takes.length] as Typed['flags'];
      const fields = (from: DerivedFlag['in']): Given =>
        Object.fromEntries(
          options.flatMap(([flag, option]) => {
            const value = typed[option.attributeName()];
            return flag.in === from && value !== undefined ? [[flag.field, value]] : [];
          }),
        );
      const args = takes.map(({ name }, at) => [name, given[at] as string | undefined] as const);
      const named = (place: DerivedFlag['in']) => Object.fromEntries(args.filter((_, at) => takes[at]?.in === place));
      const body = { ...named('body'), ...nested(fields('body')) };
      const query = { ...named('query'), ...fields('query') };
      return run(declared, { args: Object.fromEntries(args), query, body, flags: typed }, shell);
    }),
  );
  withExample(command, `relais ${declared.name}${declared.example === '' ? '' : ` ${declared.example}`}`);
}

/** `notify.text` becomes the member `text` of `notify`. */
function nested(fields: Given): Given {
  const whole: Record<string, unknown> = {};
  for (const [field, value] of Object.entries(fields)) {
    const [name = '', member] = field.split('.');
    whole[name] = member === undefined ? value : { ...(whole[name] as object | undefined), [member]: value };
  }
  return whole;
}

function optionOf({ flag, says, required, schema }: DerivedFlag): Option {
  const isSwitch = schema.type === 'boolean' || schema.enum?.join() === 'true,false';
  const option = new Option(isSwitch ? flag : `${flag} <${takenBy(schema)}>`, says);
  if (schema.enum && !isSwitch) option.choices(schema.enum);
  else if (!isSwitch) option.argParser(readerOf(schema));
  return required ? option.makeOptionMandatory() : option;
}

function takenBy({ type, format, items, enum: words, entries }: FlagSchema): string {
  if (entries) return 'key=value';
  if (format === 'date-time') return 'time';
  if (type === 'integer') return 'number';
  return items ? 'words' : words ? 'word' : 'text';
}

type Entries = Readonly<Record<string, string>>;

function readerOf(schema: FlagSchema): (text: string, before: unknown) => unknown {
  const { type, format, items, entries } = schema;
  if (entries) return (text, before) => withEntry(text, before as Entries | undefined);
  if (items?.enum) return listOf(items.enum);
  if (items) return (text) => text.split(',').map((word) => word.trim());
  if (type === 'integer') return (text) => wholeIn(text, schema);
  if (format === 'date-time') return readTime;
  return (text) => textIn(text.trim(), schema);
}

function withEntry(text: string, before: Entries = {}): Entries {
  const at = text.indexOf('=');
  const key = text.slice(0, at).trim();
  if (at === -1 || key === '' || Object.hasOwn(before, key)) throw wrongValue('entry', {});
  return { ...before, [key]: text.slice(at + 1) };
}

/** Plain digits; XOF has no minor unit, and a decimal would be rounded somewhere. */
function wholeIn(text: string, { minimum, exclusiveMinimum, maximum }: FlagSchema): number {
  const least = minimum ?? (exclusiveMinimum === undefined ? undefined : exclusiveMinimum + 1);
  const number = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  if (number >= (least ?? 0) && number <= (maximum ?? Number.POSITIVE_INFINITY)) return number;
  if (least === undefined) throw wrongValue('digits', {});
  if (maximum === undefined) throw wrongValue('digitsFrom', { least });
  throw wrongValue('digitsBetween', { least, most: maximum });
}

function textIn(text: string, { minLength = 0, maxLength = Number.POSITIVE_INFINITY }: FlagSchema): string {
  if (text.length < minLength || text.length > maxLength) {
    if (maxLength === Number.POSITIVE_INFINITY) throw wrongValue('charactersFrom', { least: minLength });
    throw wrongValue('charactersBetween', { least: minLength, most: maxLength });
  }
  return text;
}

function readTime(text: string): string {
  if (/^\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:\d\d)$/.test(text) && !Number.isNaN(Date.parse(text))) return text;
  throw wrongValue('time', {});
}

interface Typed {
  readonly args: Readonly<Record<string, string | undefined>>;
  readonly query: Given;
  readonly body: JsonObject;
  readonly flags: Given & CreationFlags;
}

async function run(declared: DerivedCommand, typed: Typed, shell: Shell): Promise<ExitCode> {
  const { args, query, body, flags } = typed;
  const path = pathFor(declared, args);
  if (declared.identity === 'required') {
    if (body['reference'] === undefined && flags.idempotencyKey === undefined) {
      throw new WrongUsage(shell.words.shell.giveIdentity);
    }
    const { asks, next } = declared;
    const question = typeof asks === 'string' ? said(asks, body, shell) : undefined;
    return make({ path, body, question, next: (id) => said(next ?? '', { id }, shell) }, flags, shell);
  }
  if (!(await confirmed(declared, typed, shell))) return 1;
  const format = formatsOf(declared).find(({ flag }) => flags[flag] === true);
  if (format) {
    await shell.output.write(await shell.api.file(path, inWords(query), format.accept));
    return 0;
  }
  const { method } = declared;
  const answer =
    method === 'GET' ? await read(path, inWords(query), shell) : await shell.api.send(method, path, body);
  if (flags.json) await shell.output.json(answer.body);
  else await tell(declared, answer.body, typed, shell);
  return 0;
}

/** A very selective filter gives empty pages with a next one: users should not have to request those. */
async function read(path: string, query: Query, { api }: Shell): Promise<Answer> {
  let answer = await api.get(path, query);
  for (let turned = 0; turned < TURNED_MOST; turned += 1) {
    const { next, items } = answer.body;
    if (typeof next !== 'string' || !Array.isArray(items) || items.length > 0) break;
    answer = await api.get(path, { ...query, after: next });
  }
  return answer;
}

const formats = [
  { flag: 'csv', accept: 'text/csv', says: 'print CSV for a spreadsheet' },
  { flag: 'page', accept: 'text/html', says: 'print an HTML page, for a printer' },
] as const;

const formatsOf = ({ method, files = [] }: DerivedCommand) =>
  method === 'GET' ? formats.filter(({ accept }) => files.includes(accept)) : [];

function pathFor({ path, pathWithout }: DerivedCommand, args: Typed['args']): string {
  const whole = pathWithout !== undefined && Object.values(args).includes(undefined) ? pathWithout : path;
  return whole.replace(/\{(\w+)\}/g, (_all, name: string) => encodeURIComponent(args[name] ?? ''));
}

/** The record is shown first if the question refers to it. */
async function confirmed(declared: DerivedCommand, { args, body, flags }: Typed, shell: Shell): Promise<boolean> {
  const { asks = '', looksAt } = declared;
  if (asks === '' || !shell.io.isTerminal || flags.yes) return true;
  const question = typeof asks === 'string' ? asks : (asks[String(body['outcome'])] ?? '');
  if (looksAt === undefined) return shell.confirmed(said(question, args, shell), undefined);
  const { body: record } = await shell.api.get(pathFor({ ...declared, path: looksAt }, args));
  await shell.output.ask(renderFacts(record, shell.output));
  return shell.confirmed(said(question, { ...record, ...args }, shell), undefined);
}

/** `{amount}` → `25 000 XOF` */
function said(sentence: string, values: Given, { spoken, words }: Shell): string {
  return spoken.sentence(sentence).replace(/\{(\w+)\}/g, (_all, name: string) => {
    const value = values[name];
    return typeof value === 'number' ? money(value, words.figures) : printable(value);
  });
}

const isEntries = (value: unknown): value is Entries =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** An object has a parameter for each entry. */
const inWords = (query: Given): Query =>
  Object.fromEntries(
    Object.entries(query).flatMap(([name, value]): (readonly [string, string | number])[] => {
      if (isEntries(value)) return Object.entries(value).map(([key, text]) => [`${name}.${key}`, text]);
      return [[name, typeof value === 'number' ? value : Array.isArray(value) ? value.join(',') : String(value)]];
    }),
  );

async function tell(declared: DerivedCommand, body: JsonObject, typed: Typed, shell: Shell): Promise<void> {
  const { output, spoken, words } = shell;
  const { next, columns, none } = declared;
  const print = printerOf(declared.answer);
  const items = itemsOf(body);
  const isList = Array.isArray(body['items']);
  const isEmpty = isList && items.length === 0;
  if (isEmpty) await output.note(none === undefined ? words.shell.none : spoken.sentence(none));
  else if (print) await print(body, shell);
  else await output.write(isList ? renderRows(items, output, columns) : renderRecord(body, output));
  if (next !== undefined && !isEmpty) await output.note(said(next, { ...body, ...typed.args }, shell));
  // An empty page can have a next one: items of accounts that this key cannot see were left out.
  if (isList && typeof body['next'] === 'string') {
    await output.note(words.shell.more(asTyped(declared, typed), body['next']));
  }
}

/** The command with its filters, ready to type again. */
function asTyped({ name, flags }: DerivedCommand, { query }: Typed): string {
  const words = inWords(query);
  const filters = flags.flatMap(({ flag, field }) => {
    const asked = query[field];
    if (isEntries(asked)) return Object.entries(asked).flatMap(([key, text]) => [flag, quoted(`${key}=${text}`)]);
    const value = field === 'after' || field === 'limit' ? undefined : words[field];
    return value === undefined ? [] : [flag, quoted(`${value}`)];
  });
  return ['relais', name, ...filters].join(' ');
}

const quoted = (word: string): string => (/^[\w.,:+@=-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`);
