/** Damages of an answer in transit, by a proxy, a broken connection or a broken provider. */
import { gzipSync } from 'node:zlib';

export interface RealAnswer {
  readonly status: number;
  readonly text: string;
}

export interface Damage {
  readonly name: string;
  /** The bytes on the wire. `other` is the answer to another operation. */
  readonly wire: (real: RealAnswer, other: RealAnswer) => Buffer;
  /** The end of the connection; absent: it stays open. */
  readonly ending?: 'close' | 'stall' | 'reset';
  /** The same content in another form: a client that understands it must come to the same result. */
  readonly harmless?: boolean;
}

type Fields = Record<string, unknown>;

const BOMB = gzipSync(Buffer.alloc(50_000_000, 0x20));

function http(status: number, body: string | Buffer, headers: Readonly<Record<string, string>> = {}): Buffer {
  const bytes = Buffer.from(body);
  const all = { 'content-type': 'application/json', 'content-length': String(bytes.length), ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.concat([Buffer.from(`HTTP/1.1 ${status} Any\r\n${lines.join('')}\r\n`), bytes]);
}

const written = (name: string, change: (text: string) => string | Buffer, more: Partial<Damage> = {}): Damage => ({
  name,
  wire: ({ status, text }) => http(status, change(text)),
  ...more,
});
const changed = (name: string, change: (body: Fields) => unknown, more: Partial<Damage> = {}): Damage =>
  written(name, (text) => JSON.stringify(change(JSON.parse(text) as Fields)), more);
const headed = (name: string, headers: Readonly<Record<string, string>>, more: Partial<Damage> = {}): Damage => ({
  name,
  wire: ({ status, text }) => http(status, text, headers),
  ...more,
});
const atStatus = (status: number, headers: Readonly<Record<string, string>> = {}): Damage => ({
  name: `the status is ${status}`,
  wire: ({ text }) => http(status, text, headers),
});

const CODES = ['response_code', 'response-code', 'code', 'success'];
const withCodes = (body: Fields, change: (value: unknown) => unknown): Fields =>
  Object.fromEntries(Object.entries(body).map(([key, value]) => [key, CODES.includes(key) ? change(value) : value]));
const nested = (depth: number): string => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
const whole = ({ status, text }: RealAnswer): string => http(status, text).toString();

/** Each letter of each text as its number. */
const escaped = (text: string): string =>
  text.replace(/"[^"\\]*"/g, (all) =>
    all.replace(/[a-z]/gi, (letter) => `\\u00${letter.charCodeAt(0).toString(16)}`),
  );

const cuts: readonly Damage[] = [0.02, 0.25, 0.5, 0.75, 0.98].flatMap((part): readonly Damage[] => [
  written(`the text ends after ${part * 100} %`, (text) => text.slice(0, Math.ceil(text.length * part))),
  {
    name: `the connection closes after ${part * 100} % of all bytes`,
    wire: (real) => {
      const bytes = Buffer.from(whole(real));
      return bytes.subarray(0, Math.ceil(bytes.length * part));
    },
    ending: 'close',
  },
]);

const forms: readonly Damage[] = [
  changed('keys in another order', (body) => Object.fromEntries(Object.entries(body).toReversed()), {
    harmless: true,
  }),
  written('a byte order mark before it', (text) => `\uFEFF${text}`, { harmless: true }),
  written('blanks and lines around it', (text) => `\r\n\t ${text} \n\n`, { harmless: true }),
  written('every letter escaped', escaped, { harmless: true }),
  changed('fields that nobody knows', (body) => ({ ...body, zz: { deep: [1, null] } }), { harmless: true }),
  changed('blanks around the code', (body) =>
    withCodes(body, (code) => (typeof code === 'string' ? `${code} ` : code)),
  ),
  changed('the code as a number', (body) =>
    withCodes(body, (code) => (typeof code === 'string' ? Number(code) : code)),
  ),
  changed('the code as a list', (body) => withCodes(body, (code) => [code])),
  changed('the code as null', (body) => withCodes(body, () => null)),
  changed('the code as a text', (body) => withCodes(body, String)),
  changed('no code at all', (body) =>
    Object.fromEntries(Object.entries(body).filter(([key]) => !CODES.includes(key))),
  ),
  changed('keys in capitals', (body) =>
    Object.fromEntries(Object.entries(body).map(([k, v]) => [k.toUpperCase(), v])),
  ),
  changed(
    'values in capitals',
    (body) => JSON.parse(JSON.stringify(body).replace(/:"([^"]*)"/g, (all) => all.toUpperCase())) as unknown,
  ),
  changed('numbers for texts and texts for numbers', (body) =>
    Object.fromEntries(
      Object.entries(body).map(([key, value]) => [
        key,
        typeof value === 'string' && !CODES.includes(key) ? 7 : value,
      ]),
    ),
  ),
  changed('in a list', (body) => [body]),
  changed('in an object', (body) => ({ data: body, result: body })),
  changed('as a text', (body) => JSON.stringify(body)),
  changed('only null', () => null),
  changed('an object without fields', () => ({})),
];

const texts: readonly Damage[] = [
  written('twice', (text) => text + text),
  written('two answers, the second says yes', (text) => `${text}{"response_code":"00","success":true,"code":"00"}`),
  written('each key twice', (text) => `${text.slice(0, -1)},${text.slice(1)}`),
  written('a second code after the first', (text) =>
    text.replace(/"(response_code|response-code|code)":"[^"]*"/, (all, key: string) => `${all},"${key}":"00"`),
  ),
  changed('two spellings of the code that differ', (body) => ({
    'response-code': '00',
    ...body,
    response_code: '9999',
  })),
  written('garbage after it', (text) => `${text}<!-- cache: hit -->`),
  written('garbage before it', (text) => `Warning: mysql_connect() in line 3\n${text}`),
  written('a guard before it', (text) => `)]}',\n${text}`),
  written('zero bytes after it', (text) => `${text}\0\0\0`),
  written('zero bytes within', (text) => text.replace(/:/, '\0:')),
  written('single quotation marks', (text) => text.replaceAll('"', "'")),
  written('a comma too many', (text) => `${text.slice(0, -1)},}`),
  written('nested ten thousand deep', () => nested(10_000)),
  written('a field nested forty deep', (text) => `${text.slice(0, -1)},"zz":${nested(40)}}`),
  written('in UTF-16', (text) => Buffer.from(text, 'utf16le')),
  written('in Latin-1', (text) => Buffer.from(text.replace(/"description":"/, '"description":"é'), 'latin1')),
  written('broken letters', (text) =>
    Buffer.concat([Buffer.from(text.slice(0, -1)), Buffer.from([0x2c, 0x22, 0xc3, 0x22, 0x3a, 0x31, 0x7d])]),
  ),
  written('a page', () => '<!doctype html><html><body>200 OK {"response_code":"00"}</body></html>'),
  written('nothing', () => ''),
  written('the word success', () => 'success'),
  written('a million blanks before it', (text) => `${' '.repeat(900_000)}${text}`),
  written('two million letters', (text) => `${text.slice(0, -1)},"zz":"${'x'.repeat(2_000_000)}"}`),
  { name: 'the answer to another operation', wire: (_real, other) => http(other.status, other.text) },
];

const frames: readonly Damage[] = [
  ...[204, 301, 302, 307, 400, 401, 403, 404, 409, 418, 422, 500, 502, 503, 504].map((status) => atStatus(status)),
  atStatus(429),
  atStatus(429, { 'retry-after': '1' }),
  headed('compressed, by its own word', { 'content-encoding': 'gzip' }),
  { name: 'compressed', wire: ({ status, text }) => http(status, gzipSync(text), { 'content-encoding': 'gzip' }) },
  { name: 'compressed without a word', wire: ({ status, text }) => http(status, gzipSync(text)) },
  {
    name: 'a compressed bomb',
    wire: ({ status }) => http(status, BOMB, { 'content-encoding': 'gzip' }),
  },
  headed('called a page', { 'content-type': 'text/html; charset=iso-8859-1' }, { harmless: true }),
  headed('a header of ten thousand letters', { 'x-long': 'x'.repeat(10_000) }, { harmless: true }),
  headed('a header of a hundred thousand letters', { 'x-long': 'x'.repeat(100_000) }),
  headed('a length that is too short', { 'content-length': '5' }, { ending: 'close' }),
  headed('a length that is too long', { 'content-length': '9999' }, { ending: 'close' }),
  headed('a length that never comes', { 'content-length': '9999' }, { ending: 'stall' }),
  headed('a length that is none', { 'content-length': '-1' }, { ending: 'close' }),
  headed('a length and chunks', { 'transfer-encoding': 'chunked' }, { ending: 'close' }),
  {
    name: 'in chunks, cut in the second',
    wire: ({ text }) => {
      const half = text.slice(0, Math.floor(text.length / 2));
      return Buffer.from(
        `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${half.length.toString(16)}\r\n${half}\r\nff\r\n{`,
      );
    },
    ending: 'close',
  },
  {
    name: 'interim answers before it',
    wire: (real) => Buffer.from(`HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 102 Wait\r\n\r\n${whole(real)}`),
    harmless: true,
  },
  {
    name: 'an interim answer and no other',
    wire: () => Buffer.from('HTTP/1.1 103 Early Hints\r\n\r\n'),
    ending: 'close',
  },
  { name: 'the whole answer twice', wire: (real) => Buffer.from(whole(real) + whole(real)) },
  { name: 'another answer behind it', wire: (real, other) => Buffer.from(whole(real) + whole(other)) },
  { name: 'no HTTP at all', wire: ({ text }) => Buffer.from(text), ending: 'close' },
  {
    name: 'an old version',
    wire: (real) => Buffer.from(whole(real).replace('HTTP/1.1', 'HTTP/1.0')),
    ending: 'close',
    harmless: true,
  },
  { name: 'silence', wire: () => Buffer.alloc(0), ending: 'stall' },
  { name: 'a reset', wire: () => Buffer.alloc(0), ending: 'reset' },
];

export const damages: readonly Damage[] = [...cuts, ...forms, ...texts, ...frames];
