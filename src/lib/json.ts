/**
 * Strict JSON for requests about money. `JSON.parse` takes the last of two equal keys, reads 25000 in
 * `25000.0000000000001`, and builds deeply nested values that overflow the stack of later code; its result shows none
 * of this. So the text is checked again after it was parsed.
 */
import { jsonFault } from './json-fault.ts';
import { maskPhone } from './phone.ts';
import { type Message, message } from '../messages/message.ts';

/** The outermost value is level 1. */
export const DEPTH_MAX = 32;
const NAME_SHOWN = 40;

/** A sentence that continues "the body" or "the line"; `row` if the text is a list. */
export type ReadJson =
  | { readonly value: unknown }
  | { readonly wrong: Message; readonly is: 'no JSON' | 'too deep' | 'ambiguous'; readonly row?: number };

/**
 * Numbers of the request itself (fields of the outermost object, or of one in the outermost list) that are not plain
 * digits are returned as texts: all numbers there are whole, and the schema refuses such a field by name.
 */
export function readJson(text: string): ReadJson {
  try {
    const value: unknown = JSON.parse(text);
    return hasNothingToFind(text, value) ? { value } : (new Scan(text, value).run() ?? { value });
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return { wrong: describeFault(text), is: 'no JSON' };
  }
}

function describeFault(text: string): Message {
  const { line, column, isEnd } = jsonFault(text);
  return isEnd ? message('json_incomplete', { line, column }) : message('not_json', { line, column });
}

const [SPACE, QUOTE, COMMA, BACKSLASH] = [0x20, 0x22, 0x2c, 0x5c];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];
const [MINUS, ZERO, NINE] = [0x2d, 0x30, 0x39];
const NUMBER = /[-+.0-9eE]+/y;
const PLAIN = /^-?(?:0|[1-9][0-9]*)$/;

interface Container {
  /** Absent: a list. */
  readonly names: Set<string> | undefined;
  /** The next string in an object is a name. */
  awaitsName: boolean;
  name: string;
  /** Number of commas before. */
  place: number;
}

/** For values from a queue or a program: later code recurses for each level. */
export function nestsTooDeep(value: unknown): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    level = level.flatMap((one) => (typeof one === 'object' && one !== null ? [one] : []));
    if (depth === DEPTH_MAX) return level.length > 0;
    level = level.flatMap((one) => Object.values(one as object));
  }
  return false;
}

/**
 * No number other than plain digits, no duplicate name, and no deep nesting: true of nearly every text, and ten times
 * faster than a scan of each character. Each written name is followed by a quotation mark and a colon, which may also
 * occur in strings. If there are no more of these than names in the value, there are no duplicates.
 */
function hasNothingToFind(text: string, value: unknown): boolean {
  // V8 (13.6) reads a duplicate escaped one-letter name as two different names: `\n` and `\`.
  if (text.includes('\\')) return false;
  return !/\d[.eE]/.test(text) && namesIn(value, 0) === mostNamesWritten(text);
}

function mostNamesWritten(text: string): number {
  let count = 0;
  for (let at = text.indexOf(':'); at !== -1; at = text.indexOf(':', at + 1)) {
    let before = at - 1;
    while (text.charCodeAt(before) <= SPACE) before -= 1;
    if (text.charCodeAt(before) === QUOTE) count += 1;
  }
  return count;
}

/** Infinite: nested too deep. A list of an object's values, or a call for each, would cost more than the loop. */
function namesIn(value: unknown, depth: number): number {
  if (typeof value !== 'object' || value === null) return 0;
  if (depth === DEPTH_MAX) return Number.POSITIVE_INFINITY;
  let count = 0;
  if (Array.isArray(value)) {
    for (const member of value as readonly unknown[]) count += namesIn(member, depth + 1);
    return count;
  }
  // Objects from JSON.parse inherit no enumerable names, so these are their own.
  for (const name in value) count += 1 + namesIn((value as Readonly<Record<string, unknown>>)[name], depth + 1);
  return count;
}

/** The text is valid JSON, so no grammar is needed: strings are skipped, brackets and commas counted. */
class Scan {
  readonly #text: string;
  readonly #value: unknown;
  readonly #open: Container[] = [];
  #at = 0;
  #wrong: Exclude<ReadJson, { value: unknown }> | undefined;

  constructor(text: string, value: unknown) {
    this.#text = text;
    this.#value = value;
  }

  run(): Exclude<ReadJson, { value: unknown }> | undefined {
    for (; this.#at < this.#text.length && !this.#wrong; this.#at += 1) {
      const code = this.#text.charCodeAt(this.#at);
      if (code === QUOTE) this.#string();
      else if (code === COMMA) this.#next();
      else if (code === OPEN_OBJECT || code === OPEN_LIST) this.#enter(code === OPEN_OBJECT);
      else if (code === CLOSE_OBJECT || code === CLOSE_LIST) this.#open.pop();
      else if (code === MINUS || (code >= ZERO && code <= NINE)) this.#number();
    }
    return this.#wrong;
  }

  #enter(isObject: boolean): void {
    const names = isObject ? new Set<string>() : undefined;
    this.#open.push({ names, awaitsName: isObject, name: '', place: 0 });
    if (this.#open.length > DEPTH_MAX) {
      this.#wrong = { wrong: message('nests_too_deep', { most: DEPTH_MAX }), is: 'too deep', ...this.#row() };
    }
  }

  #next(): void {
    const inside = this.#open.at(-1);
    if (!inside) return;
    inside.place += 1;
    inside.awaitsName = inside.names !== undefined;
  }

  #string(): void {
    const from = this.#at;
    do this.#at = this.#text.indexOf('"', this.#at + 1);
    while (this.#isEscaped());
    const inside = this.#open.at(-1);
    if (inside?.names === undefined || !inside.awaitsName) return;
    const raw = this.#text.slice(from, this.#at + 1);
    const name = raw.includes('\\') ? (JSON.parse(raw) as string) : raw.slice(1, -1);
    inside.awaitsName = false;
    inside.name = name;
    if (inside.names.has(name)) {
      // A body may use personal data as field names: logs and refusals must not repeat it.
      const told = maskPhone(name.slice(0, NAME_SHOWN));
      this.#wrong = { wrong: message('key_twice', { key: told }), is: 'ambiguous', ...this.#row() };
    }
    inside.names.add(name);
  }

  /** An odd number of backslashes precedes the quote. */
  #isEscaped(): boolean {
    let before = this.#at - 1;
    while (this.#text.charCodeAt(before) === BACKSLASH) before -= 1;
    return (this.#at - before) % 2 === 0;
  }

  #number(): void {
    NUMBER.lastIndex = this.#at;
    const [written = ''] = NUMBER.exec(this.#text) ?? [];
    this.#at += written.length - 1;
    const request = PLAIN.test(written) ? undefined : this.#request();
    if (request) request[this.#open.at(-1)?.name ?? ''] = written;
  }

  /** The parsed value of the open object, if it is the request itself. */
  #request(): Record<string, unknown> | undefined {
    const [outermost, second] = this.#open;
    if (this.#open.length === 1 && outermost?.names) return this.#value as Record<string, unknown>;
    if (this.#open.length !== 2 || outermost?.names || !second?.names) return undefined;
    return (this.#value as Record<string, unknown>[])[outermost?.place ?? 0];
  }

  #row(): { readonly row?: number } {
    const [outermost] = this.#open;
    return outermost && !outermost.names ? { row: outermost.place } : {};
  }
}
