/** Realistic and unrealistic bodies. */
import * as fc from 'fast-check';

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
    // Entries and not a dictionary: a dictionary would silently drop `__proto__` before the test.
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
/** Text in every possible encoding of the provider, nested, with unrealistic content. */
export const layeredText = fc
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

export const contentType = fc.option(
  fc.constantFrom(
    'application/json',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=b',
    'multipart/x',
    '; =',
  ),
  { nil: undefined },
);

const beginnings = fc.constantFrom('', 'data=', '{"data":"', '--b\r\n', '"', '%7B', '\ufeff{', 'data[a]=');
/** Bytes, some of which begin like a known format. */
export const rawBytes = fc.oneof(
  fc.uint8Array({ maxLength: 400 }),
  fc
    .tuple(beginnings, fc.uint8Array({ maxLength: 400 }))
    .map(([text, rest]) => Buffer.concat([Buffer.from(text), rest])),
);
