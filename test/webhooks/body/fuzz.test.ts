/**
 * Bodies nobody would send on purpose, and bodies somebody would. 10,000 each run; RELAIS_DEEP=1 makes it a million.
 */
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { readCallbackBody } from '../../../src/webhooks/body/read.ts';
import { redactBody } from '../../../src/webhooks/body/redact.ts';

const deep = process.env['RELAIS_DEEP'] === '1';
const numRuns = (deep ? 1_000_000 : 10_000) / 2;
const timeout = deep ? 3_600_000 : 60_000;
/** Far above what any body should take, so that a busy machine does not fail the test and a hang does. */
const SLOWEST_MS = 1_000;

const known = ['data', 'status', 'token', 'hash', 'invoice', 'total_amount', 'pan', 'custom_data', 'mode', 'amount'];
const hostile = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'polluted', '', '0', 'é'];
const names = fc.constantFrom(...known, ...hostile);
const values = fc.oneof(
  fc.constantFrom(
    'completed',
    '42300',
    '',
    '%',
    '%zz',
    '%25%37%42',
    '[[[[',
    '{"a":',
    '__proto__',
    '\u0000',
    '\ud800',
  ),
  fc.string({ unit: 'binary', maxLength: 30 }),
);

const { json } = fc.letrec((tie) => ({
  json: fc.oneof(
    { maxDepth: 8, depthSize: 'medium' },
    values,
    fc.double(),
    fc.constantFrom(null, true, false),
    fc.array(tie('json'), { maxLength: 4 }),
    // Entries and not a dictionary: a dictionary would quietly drop `__proto__` before we meet it.
    fc.array(fc.tuple(names, tie('json')), { maxLength: 6 }).map((entries) => ({ entries })),
  ),
}));

function write(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(write).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const { entries } = value as { entries: ReadonlyArray<readonly [string, unknown]> };
  return `{${entries.map(([name, member]) => `${JSON.stringify(name)}:${write(member)}`).join(',')}}`;
}

const jsonText = json.map(write);
const fieldName = fc
  .tuple(names, fc.array(names, { maxLength: 14 }))
  .map(([first, rest]) => first + rest.map((name) => `[${name}]`).join(''));
const plainPairs = fc.array(fc.tuple(fieldName, fc.oneof(values, jsonText)), { maxLength: 12 });
const encode = (text: string): string => encodeURIComponent(Buffer.from(text).toString());
const form = plainPairs.map((pairs) => pairs.map(([name, value]) => `${encode(name)}=${encode(value)}`).join('&'));
const rawForm = plainPairs.map((pairs) => pairs.map(([name, value]) => `${name}=${value}`).join('&'));
const multipart = plainPairs.map(
  (pairs) =>
    `${pairs.map(([name, value]) => `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`).join('')}--b--`,
);
const layered = fc
  .tuple(
    fc.oneof(form, rawForm, jsonText, multipart),
    fc.array(fc.constantFrom('quote', 'percent', 'data', 'object'), { maxLength: 5 }),
  )
  .map(([text, layers]) =>
    layers.reduce((inner, layer) => {
      if (layer === 'quote') return JSON.stringify(inner);
      if (layer === 'percent') return encode(inner);
      return layer === 'data' ? `data=${inner}` : `{"data":${JSON.stringify(inner)}}`;
    }, text),
  );

const contentType = fc.option(
  fc.constantFrom(
    'application/json',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=b',
    'multipart/x',
    '; =',
  ),
  { nil: undefined },
);

function hold(raw: Uint8Array, type: string | undefined): void {
  const began = performance.now();
  const body = readCallbackBody(raw, type);
  const kept = redactBody(raw, type);
  if (performance.now() - began > SLOWEST_MS) throw new Error(`took ${performance.now() - began} ms`);

  if (Buffer.byteLength(kept) > 4_096) throw new Error('kept too much');
  for (const value of Object.values(body.readable ? body.fields : {})) {
    const text: string = typeof value === 'string' ? value : value.reveal();
    if (text.length > 512 || text !== text.trim()) throw new Error('not a field');
  }
  if (Object.keys(Object.prototype).length > 0 || 'polluted' in {} || ({} as { x?: unknown }).x !== undefined) {
    throw new Error('polluted');
  }
}

const builtIns = (): string =>
  JSON.stringify([Object, Array, Map, String].map((made) => Object.getOwnPropertyNames(made.prototype)));

test('any text in any encoding is read without an error, in bounded time, and changes no prototype', {
  timeout,
}, () => {
  const before = builtIns();
  fc.assert(
    fc.property(layered, contentType, (text, type) => hold(Buffer.from(text), type)),
    { numRuns },
  );
  expect(builtIns()).toBe(before);
});

test('any bytes are read without an error, in bounded time, and change no prototype', { timeout }, () => {
  const before = builtIns();
  const beginnings = fc.constantFrom('', 'data=', '{"data":"', '--b\r\n', '"', '%7B', '\ufeff{', 'data[a]=');
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 400 }),
    fc
      .tuple(beginnings, fc.uint8Array({ maxLength: 400 }))
      .map(([text, rest]) => Buffer.concat([Buffer.from(text), rest])),
  );
  fc.assert(
    fc.property(bytes, contentType, (raw, type) => hold(raw, type)),
    { numRuns },
  );
  expect(builtIns()).toBe(before);
});
