/** Realistic and unrealistic bodies. 10,000 each run; RELAIS_DEEP=1 makes it a million. */
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { readCallbackBody, readTree } from '../../../src/webhooks/body.ts';
import { redactBody } from '../../../src/webhooks/receiver.ts';
import { contentType, layeredText, rawBytes } from './arbitrary-bodies.ts';
import { DEEP } from '../../support/deep.ts';

const numRuns = (DEEP ? 1_000_000 : 10_000) / 2;
const limit = DEEP ? { timeout: 3_600_000 } : {};

function hold(raw: Uint8Array, type: string | undefined): void {
  const parsed = readTree(raw, type);
  const body = readCallbackBody(parsed);
  const kept = redactBody(parsed, raw);

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

test('any text in any encoding is parsed without an error and changes no prototype', limit, () => {
  const before = builtIns();
  fc.assert(
    fc.property(layeredText, contentType, (text, type) => hold(Buffer.from(text), type)),
    { numRuns },
  );
  expect(builtIns()).toBe(before);
});

test('any bytes are read without an error and change no prototype', limit, () => {
  const before = builtIns();
  fc.assert(
    fc.property(rawBytes, contentType, (raw, type) => hold(raw, type)),
    { numRuns },
  );
  expect(builtIns()).toBe(before);
});
