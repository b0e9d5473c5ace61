import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { Secret } from '../../../src/lib/secret.ts';
import { type CallbackFields, readCallbackBody, readTree } from '../../../src/webhooks/body.ts';
import { digestOfKey } from '../../../src/operations/key-hashes.ts';
import { verdictOfHash } from '../../../src/webhooks/hash.ts';
import { redactBody } from '../../../src/webhooks/receiver.ts';

interface Golden {
  readonly name: string;
  readonly contentType: string | null;
  readonly fields: Readonly<Record<string, string>>;
}

const folder = new URL('../../golden/callbacks/', import.meta.url);
const goldens = JSON.parse(readFileSync(new URL('index.json', folder), 'utf8')) as readonly Golden[];
const bodyOf = ({ name }: Golden): Buffer => readFileSync(new URL(`${name}.body`, folder));
const typeOf = ({ contentType }: Golden): string | undefined => contentType ?? undefined;

const fieldsOf = (raw: Uint8Array, contentType?: string): CallbackFields => {
  const body = readCallbackBody(readTree(raw, contentType));
  if (!body.readable) throw new Error(body.reason);
  return body.fields;
};

const shown = ({ hash, ...fields }: CallbackFields): object => (hash ? { ...fields, hash: hash.reveal() } : fields);

describe.each(goldens)('$name', (golden) => {
  test('matches what PHP put into it', () => {
    expect(shown(fieldsOf(bodyOf(golden), typeOf(golden)))).toEqual(golden.fields);
  });

  test('is read alike under a wrong content type', () => {
    if (golden.contentType?.startsWith('multipart')) return;
    for (const type of ['text/html', 'multipart/form-data; boundary=absent', 'application/octet-stream']) {
      expect(shown(fieldsOf(bodyOf(golden), type))).toEqual(golden.fields);
    }
  });

  test('keeps its evidence and loses its secrets when redacted', () => {
    const raw = bodyOf(golden);
    const kept = redactBody(readTree(raw, typeOf(golden)), raw);
    expect(Buffer.byteLength(kept)).toBeLessThanOrEqual(4_096);
    expect(kept).not.toMatch(/[0-9a-f]{32}|Awa|Ndiaye|771234567|example\.sn|4111/i);
    const { hash: _hash, panLast4: _pan, ...evidence } = golden.fields;
    expect(fieldsOf(Buffer.from(kept))).toMatchObject(evidence);
  });
});

test('the hash of a golden invoice is that of its master key', () => {
  const { hash = new Secret('') } = fieldsOf(bodyOf(goldens[0]!), typeOf(goldens[0]!));
  const known = { digests: [digestOfKey(new Secret('golden-master-key'))], areAll: true };
  expect(verdictOfHash(hash, known)).toBe('hash_right');
});

test('a hash is never in the stored part of a callback', () => {
  const fields = fieldsOf(bodyOf(goldens[0]!), typeOf(goldens[0]!));
  expect(JSON.stringify(fields)).toContain('"hash":"[secret]"');
});
