import { describe, expect, test } from 'vitest';
import { readTree } from '../../../src/webhooks/body.ts';
import { redactBody } from '../../../src/webhooks/receiver.ts';

const HASH = 'ab12'.repeat(32);
const redact = (text: string): string => redactBody(readTree(Buffer.from(text)), Buffer.from(text));

describe('readable bodies', () => {
  test('keeps identifiers and amounts, masks persons and secrets', () => {
    const body = `data[hash]=${HASH}&data[token]=test_jkEdPY8SuG&data[transaction_id]=TX9034567812345&data[customer][name]=Awa+Ndiaye&data[customer][phone]=%2B221771234567&data[pan]=4111111111111111&data[status]=completed&data[note]=Appelez+le+77+123+45+67`;
    expect(JSON.parse(redact(body))).toEqual({
      data: {
        hash: '•••',
        token: 'test_jkEdPY8SuG',
        transaction_id: 'TX9034567812345',
        customer: { name: '•••', phone: '•••' },
        pan: '•••',
        status: 'completed',
        note: 'Appelez le 77•••4567',
      },
    });
  });

  test('a name we trust elsewhere is not trusted inside custom data', () => {
    expect(redact('data[custom_data][token]=77+123+45+67&data[status]=x')).not.toContain('123');
  });

  test('a number that is set apart by dots is a number, and no address of a machine', () => {
    for (const number of ['77.123.45.67', '70.12.34.56', '221.77.123.45.67']) {
      expect(redact(JSON.stringify({ custom_data: { contact: number } }))).not.toContain(number);
      expect(redact(`Rappelez le ${number} svp`)).not.toContain(number);
    }
  });

  test('JSON stored as a text inside custom data is masked too', () => {
    const inner = JSON.stringify({ client: { name: 'Awa "la grande" Ndiaye', tel: '771234567' }, secret: 'x1' });
    const kept = redact(JSON.stringify({ status: 'x', custom_data: { extra: inner, again: JSON.stringify(inner) } }));
    expect(kept).not.toMatch(/Awa|grande|Ndiaye|771234567|x1/);
  });
});

describe('unreadable bodies', () => {
  test.each([
    [
      'broken JSON',
      `{"data":{"hash":"${HASH}","customer":{"name":"Awa Ndiaye","phone":"+221771234567"},"pan":"4111 1111 1111 1111"`,
    ],
    ['JSON that ends inside a name', '{"status":"x","name":"Awa Ndi'],
    ['JSON in quotes that ends', `"{\\"hash\\":\\"${HASH}\\",\\"name\\":\\"Awa Ndiaye\\"`],
    ['percent-encoded text', encodeURIComponent(encodeURIComponent(`{"name":"Awa Ndiaye","hash":"${HASH}"`))],
    [
      'a form with too many levels',
      `a${'[b]'.repeat(20)}=1&data[customer][name]=Awa+Ndiaye&hash=${HASH}&to=%37%37%31%32%33%34%35%36%37`,
    ],
    ['plain words', `Bonjour, 77 123 45 67 ou awa.ndiaye@example.sn, carte 4111-1111-1111-1111, clé ${HASH}`],
    ['half a hash', `{"x ${HASH.slice(0, 64)}`],
  ])('%s', (_name, body) => {
    expect(redact(body)).not.toMatch(/[0-9a-f]{32}|Awa|ndiaye|7123|77 123|1111/i);
  });
});

test('the stored text is never longer than 4 kB, and never ends in half a character', () => {
  for (const body of [
    'é'.repeat(100_000),
    `status=${'é'.repeat(500)}&x=${'é'.repeat(60_000)}`,
    '\uffff'.repeat(200_000),
  ]) {
    const kept = redact(body);
    expect(Buffer.byteLength(kept)).toBeLessThanOrEqual(4_096);
    expect(kept).not.toContain('\ufffd');
  }
});

test('an empty body leaves an empty text', () => {
  expect(redact('')).toBe('');
});
